//! Parses the body of a current-prices reply of `coins.llama.fi`.
//! <https://api-docs.defillama.com/#tag/coins/get/prices/current/{coins}>
//!
//! Invariant: a bad coin affects no other, and numbers are parsed from their digits, never as binary floats.

use std::borrow::Cow;
use std::collections::HashMap;

use alloy::primitives::Address;
use bigdecimal::{BigDecimal, Zero};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Enough for any real service; keeps arithmetic cheap.
const NUMBER_CHARS_MAX: usize = 40;
/// No token costs a trillion dollars.
const USD_MAX: i64 = 1_000_000_000_000;
/// Prices beyond this are rejected before they are computed.
const EXPONENT_MAX: i32 = 40;
/// The service itself looks back this far for a price.
const AGE_MAX_S: u64 = 4 * 3600;
/// Maximum seconds that the service's clock may be ahead.
const AHEAD_MAX_S: u64 = 120;
/// The service flags prices with less confidence.
const CONFIDENCE_MIN_HUNDREDTHS: i64 = 90;

/// The service's price of a coin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// Dollars for one whole token.
    pub(crate) usd: BigDecimal,
    /// Unix seconds.
    pub(crate) timestamp: u64,
    pub(crate) decimals: Option<u8>,
}

/// The body is not a reply of this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a body of the wrong shape")]
pub(super) struct MalformedReply;

#[derive(Deserialize)]
struct ReplyFields<'a> {
    #[serde(borrow)]
    coins: HashMap<Cow<'a, str>, &'a RawValue>,
}

#[derive(Deserialize)]
struct CoinFields<'a> {
    #[serde(borrow)]
    price: &'a RawValue,
    timestamp: u64,
    decimals: Option<u8>,
    #[serde(borrow)]
    confidence: Option<&'a RawValue>,
}

/// Returns the good quotes of this chain's coins at Unix second `now`; ignores coins that were not requested.
pub(super) fn quotes(
    body: &[u8],
    chain: &str,
    requested: &[Address],
    now: u64,
) -> Result<HashMap<Address, Quote>, MalformedReply> {
    let body: ReplyFields<'_> = serde_json::from_slice(body).map_err(|_| MalformedReply)?;
    let coins = body.coins.iter().filter_map(|(name, coin)| {
        let (coin_chain, token) = name.split_once(':')?;
        let token = token.parse().ok().filter(|token| coin_chain == chain && requested.contains(token))?;
        Some((token, quote(coin.get(), now)?))
    });
    Ok(coins.collect())
}

fn quote(coin: &str, now: u64) -> Option<Quote> {
    let CoinFields { price, timestamp, decimals, confidence } = serde_json::from_str(coin).ok()?;
    let is_timely = timestamp <= now.saturating_add(AHEAD_MAX_S) && now.saturating_sub(timestamp) <= AGE_MAX_S;
    let confidence = confidence.map(|json| number(json.get()));
    let is_sure = confidence.is_none_or(|number| number.is_some_and(|number| number >= confidence_min()));
    let usd = number(price.get()).filter(is_price)?;
    (is_timely && is_sure).then_some(Quote { usd, timestamp, decimals })
}

fn is_price(usd: &BigDecimal) -> bool {
    let most = BigDecimal::from(USD_MAX);
    *usd > BigDecimal::zero() && *usd <= most
}

fn confidence_min() -> BigDecimal {
    BigDecimal::new(CONFIDENCE_MIN_HUNDREDTHS.into(), 2)
}

/// The value of a JSON number; `None` for strings and other values, and for numbers too large or small to compare
/// cheaply.
fn number(json: &str) -> Option<BigDecimal> {
    let exponent = json.split_once(['e', 'E']).map_or(Some(0), |(_, exponent)| exponent.parse::<i32>().ok())?;
    let is_number = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let is_small = json.len() <= NUMBER_CHARS_MAX && (-EXPONENT_MAX..=EXPONENT_MAX).contains(&exponent);
    (is_number && is_small).then(|| json.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000;
    const TOKEN: Address = Address::repeat_byte(0xaa);

    fn of_coin(coin: &str) -> Option<Quote> {
        let other = format!("\"ethereum:{:#x}\":{{\"price\":2,\"timestamp\":{NOW}}}", Address::repeat_byte(0xbb));
        let body = format!("{{\"coins\":{{\"ethereum:{TOKEN:#x}\":{coin},{other}}}}}");
        let requested = [TOKEN, Address::repeat_byte(0xbb)];
        let mut quotes = quotes(body.as_bytes(), "ethereum", &requested, NOW).unwrap();
        assert_eq!(quotes.remove(&Address::repeat_byte(0xbb)).map(|other| other.usd), Some(2.into()), "{coin}");
        quotes.remove(&TOKEN)
    }

    #[test]
    fn a_price_is_read_by_its_digits() {
        let priced = |price: &str| of_coin(&format!("{{\"price\":{price},\"timestamp\":{NOW}}}")).map(|coin| coin.usd);
        for (json, usd) in [
            ("1840.25", "1840.25"),
            ("0.1", "0.1"),
            ("1e-9", "0.000000001"),
            ("1.5E+3", "1500"),
            ("0.123456789012345678901234567890", "0.123456789012345678901234567890"),
            ("1000000000000", "1000000000000"),
        ] {
            assert_eq!(priced(json), Some(usd.parse().unwrap()), "{json}");
        }
    }

    #[test]
    fn a_lying_price_costs_its_own_coin_alone() {
        let long = format!("1.{}", "0".repeat(64));
        for price in [
            "0",
            "0.0",
            "-1",
            "-0",
            "1e300",
            "1e999999999999",
            "1e-300",
            "1000000000000.1",
            "\"1840.25\"",
            "\"NaN\"",
            "null",
            "true",
            "[1]",
            "{}",
            long.as_str(),
        ] {
            assert_eq!(of_coin(&format!("{{\"price\":{price},\"timestamp\":{NOW}}}")), None, "{price}");
        }
        for coin in ["{}", "null", "[]", "1", "\"x\"", "{\"price\":1}", "{\"price\":1,\"timestamp\":\"1700000000\"}"] {
            assert_eq!(of_coin(coin), None, "{coin}");
        }
    }

    #[test]
    fn a_price_from_the_future_or_from_long_ago_is_refused() {
        let at = |timestamp: u64| of_coin(&format!("{{\"price\":1,\"timestamp\":{timestamp}}}")).is_some();
        assert!(at(NOW) && at(NOW + AHEAD_MAX_S) && at(NOW - AGE_MAX_S));
        assert!(!at(NOW + AHEAD_MAX_S + 1) && !at(NOW - AGE_MAX_S - 1) && !at(0) && !at(u64::MAX));
    }

    #[test]
    fn a_price_that_the_source_is_not_sure_of_is_refused() {
        let sure = |confidence: &str| {
            of_coin(&format!("{{\"price\":1,\"timestamp\":{NOW},\"confidence\":{confidence}}}")).is_some()
        };
        assert!(sure("0.99") && sure("0.9") && sure("1") && sure("null"));
        assert!(!sure("0.89") && !sure("0") && !sure("\"1\"") && !sure("-1"));
    }

    #[test]
    fn coins_of_other_chains_and_coins_that_nobody_requested_are_ignored() {
        let coin = format!("{{\"decimals\":18,\"symbol\":\"X\",\"price\":1,\"timestamp\":{NOW}}}");
        let other = Address::repeat_byte(0xcc);
        let names = [format!("bsc:{TOKEN:#x}"), format!("ethereum:{other:#x}"), "ethereum".into(), "x:y".into()];
        let mut coins: Vec<String> = names.iter().map(|name| format!("\"{name}\":{coin}")).collect();
        let body = |coins: &[String]| format!("{{\"coins\":{{{}}}}}", coins.join(","));
        assert_eq!(quotes(body(&coins).as_bytes(), "ethereum", &[TOKEN], NOW), Ok(HashMap::new()));
        coins.push(format!("\"ethereum:{}\":{coin}", TOKEN.to_checksum(None)));
        let quote = Quote { usd: 1.into(), timestamp: NOW, decimals: Some(18) };
        assert_eq!(quotes(body(&coins).as_bytes(), "ethereum", &[TOKEN], NOW), Ok(HashMap::from([(TOKEN, quote)])));
    }

    #[test]
    fn what_is_no_json_or_has_no_coins_is_malformed_as_a_whole() {
        let not_a_number = format!("{{\"coins\":{{\"ethereum:{TOKEN:#x}\":{{\"price\":NaN,\"timestamp\":{NOW}}}}}}}");
        for body in ["", "{}", "[]", "null", "<html>", "{\"coins\":[]}", "{\"coins\":{}", not_a_number.as_str()] {
            assert_eq!(quotes(body.as_bytes(), "ethereum", &[TOKEN], NOW), Err(MalformedReply), "{body}");
        }
    }
}
