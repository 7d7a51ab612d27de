//! Prices set by the operator (`[prices.static]`, dollars per whole token), added or replaced feeds
//! (`[[prices.feeds]]`), trusted issuers of tokens (`[prices.issuers]`), and the HTTP source (`[prices.http]`).

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use bigdecimal::BigDecimal;
use portolan_assets::price::{BaseUrl, Currency, Feed, PriceSettings};
use portolan_base::network::{FORMS, Networks};
use serde::Deserialize;

use super::ConfigError;
use super::layers::Layers;
use crate::address;

/// More digits than any price has; keeps arithmetic cheap.
const PRICE_CHARS_MAX: usize = 64;

/// No feed is written less often than monthly, so that larger values have another unit than seconds.
const HEARTBEAT_S: std::ops::RangeInclusive<u32> = 1..=31 * 86_400;

/// Maximum number of feeds, as many as one network has.
const FEEDS_MAX: usize = 1024;

/// Far more factories, pools and vaults of one network than anybody would name.
const ISSUERS_MAX: usize = 1024;

/// The table of prices.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PricesTable {
    /// By slug, then by address.
    #[serde(rename = "static")]
    fixed: BTreeMap<String, BTreeMap<String, String>>,
    feeds: Vec<FeedTable>,
    /// By slug.
    issuers: BTreeMap<String, Vec<String>>,
    http: Option<HttpPricesTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedTable {
    network: String,
    token: String,
    feed: String,
    heartbeat_s: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpPricesTable {
    base_url: String,
    #[serde(default)]
    allow_private: bool,
}

/// Reads the tables; networks are named by slug, tokens by address, and currencies by their code.
pub(super) fn read(
    table: &PricesTable,
    networks: &Networks,
    layers: &Layers<'_>,
) -> Result<PriceSettings, ConfigError> {
    Ok(PriceSettings {
        fixed: fixed(&table.fixed, networks, layers)?,
        feeds: feeds(&table.feeds, networks, layers)?,
        issuers: issuers(&table.issuers, networks, layers)?,
        http: table.http.as_ref().map(|http_table| http(http_table, layers)).transpose()?,
    })
}

fn fixed(
    table: &BTreeMap<String, BTreeMap<String, String>>,
    networks: &Networks,
    layers: &Layers<'_>,
) -> Result<Vec<(u64, Address, BigDecimal)>, ConfigError> {
    let mut prices = Vec::new();
    let mut seen = BTreeSet::new();
    for (slug, tokens) in table {
        let table = format!("prices.static.{slug}");
        let bad = |key: &str, reason: String| ConfigError::new(layers.place(&format!("{table}{key}")), reason);
        let network = networks.named(slug).ok_or_else(|| bad("", format!("unknown network {slug}: give {FORMS}")))?;
        for (token, price) in tokens {
            let key = format!(".\"{token}\"");
            let token = priced(token).map_err(|reason| bad(&key, reason))?;
            let price =
                dollars(price).ok_or_else(|| bad(&key, format!("{price} is not a price, for example 1840.25")))?;
            if !seen.insert((network.chain_id, token)) {
                return Err(bad(&key, "appears twice".into()));
            }
            prices.push((network.chain_id, token, price));
        }
    }
    Ok(prices)
}

/// Reads the feeds; the zero address is the native token.
fn feeds(
    rows: &[FeedTable],
    networks: &Networks,
    layers: &Layers<'_>,
) -> Result<Vec<(u64, Address, Feed)>, ConfigError> {
    let bad = |place: usize, key: &str, reason: String| {
        ConfigError::new(layers.place(&format!("prices.feeds.[{place}]{key}")), reason)
    };
    if rows.len() > FEEDS_MAX {
        return Err(bad(FEEDS_MAX, "", format!("more than {FEEDS_MAX} feeds")));
    }
    let (mut feeds, mut seen) = (Vec::new(), BTreeSet::new());
    for (place, row) in rows.iter().enumerate() {
        let slug = &row.network;
        let network = networks
            .named(slug)
            .ok_or_else(|| bad(place, ".network", format!("unknown network {slug}: give {FORMS}")))?;
        let token = priced(&row.token).map_err(|reason| bad(place, ".token", reason))?;
        let feed = address::parse(&row.feed).map_err(|error| bad(place, ".feed", format!("{} {error}", row.feed)))?;
        if !HEARTBEAT_S.contains(&row.heartbeat_s) {
            let (least, most) = (HEARTBEAT_S.start(), HEARTBEAT_S.end());
            return Err(bad(place, ".heartbeat_s", format!("{} is not from {least} to {most}", row.heartbeat_s)));
        }
        if !seen.insert((network.chain_id, token)) {
            return Err(bad(place, ".token", format!("{token:#x} appears twice")));
        }
        feeds.push((network.chain_id, token, Feed { address: feed, heartbeat_s: row.heartbeat_s }));
    }
    Ok(feeds)
}

fn issuers(
    table: &BTreeMap<String, Vec<String>>,
    networks: &Networks,
    layers: &Layers<'_>,
) -> Result<Vec<(u64, Address)>, ConfigError> {
    let mut issuers = Vec::new();
    for (slug, contracts) in table {
        let bad = |reason: String| ConfigError::new(layers.place(&format!("prices.issuers.{slug}")), reason);
        let network = networks.named(slug).ok_or_else(|| bad(format!("unknown network {slug}: give {FORMS}")))?;
        if contracts.len() > ISSUERS_MAX {
            return Err(bad(format!("more than {ISSUERS_MAX} issuers")));
        }
        for contract in contracts {
            let issuer = address::parse(contract).map_err(|error| bad(format!("{contract} {error}")))?;
            issuers.push((network.chain_id, issuer));
        }
    }
    Ok(issuers)
}

fn http(table: &HttpPricesTable, layers: &Layers<'_>) -> Result<BaseUrl, ConfigError> {
    BaseUrl::parse(&table.base_url, table.allow_private)
        .map_err(|error| ConfigError::new(layers.place("prices.http.base_url"), error.to_string()))
}

/// Parses what has a price: the address of a token, or the code of a currency.
fn priced(text: &str) -> Result<Address, String> {
    match Currency::named(text) {
        Some(currency) if currency.is_dollar() => Err(format!("{text} has no other price than 1")),
        Some(currency) => Ok(currency.token),
        None => address::parse(text).map_err(|error| format!("{text} {error}, and no currency")),
    }
}

/// Parses digits with at most one point: no sign, no exponent, no infinity.
fn dollars(text: &str) -> Option<BigDecimal> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_price = text.len() <= PRICE_CHARS_MAX && is_digits(whole) && is_digits(fraction);
    is_price.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_digits_with_at_most_one_point() {
        let (exact, tenth) = (dollars("1840.25").unwrap(), dollars("0.1").unwrap());
        assert_eq!((exact * BigDecimal::from(4)).to_string(), "7361.00");
        assert_eq!(tenth * BigDecimal::from(10), BigDecimal::from(1));
        for bad in ["", ".", "1.", ".5", "-1", "+1", "1e5", "NaN", "inf", "1,5", "1_000", " 1", "1.2.3", "0x1"] {
            assert_eq!(dollars(bad), None, "{bad}");
        }
        assert_eq!(dollars(&"1".repeat(65)), None);
    }
}
