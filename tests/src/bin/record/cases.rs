//! The recorded cases, and what each must find: lines made of the build's rows.

use anyhow::{Context as _, Result};
use portolan_abi::map::{SettingsKey, SettingsRow, SettingsValue};
use portolan_plugin_api::testing::Expected;
use portolan_plugin_api::{Company, Protocol, Settings};

use super::shown;
use portolan_tests::json::Json;
use portolan_tests::protocol::{PLUGINS, Question};
use portolan_tests::truth::{NETWORKS, Truth};
use portolan_tests::world::World;

/// A job that is recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    pub(super) plugin: &'static str,
    /// The name of the files: begins with `nothing`, `typical` or `edge`.
    pub(super) name: &'static str,
    pub(super) protocol: &'static str,
    pub(super) network: &'static str,
    pub(super) question: Question,
    pub(super) who: &'static str,
    /// The protocol of the build's rows: another one where a plugin is given the contracts of a fork that another
    /// plugin serves on the chain.
    pub(super) rows_of: &'static str,
}

const fn case(
    plugin: &'static str,
    name: &'static str,
    [protocol, network, who]: [&'static str; 3],
    question: Question,
) -> Recorded {
    Recorded { plugin, name, protocol, network, question, who, rows_of: protocol }
}

/// A case of a plugin that stands on no chain itself.
const fn lent(plugin: &'static str, name: &'static str, who: &'static str, question: Question) -> Recorded {
    let rows_of = if matches!(plugin.as_bytes(), b"hop") { "harbour_farms" } else { "harbourswap" };
    Recorded { plugin, name, protocol: plugin, network: "fantom", question, who, rows_of }
}

use Question::{Claimables, Farming, Lending};

pub(super) const CASES: [Recorded; 23] = [
    case("quickswap", "nothing", ["quickswap", "polygon", "nothing"], Claimables),
    case("quickswap", "typical-claimables", ["quickswap", "polygon", "farmer"], Claimables),
    case("quickswap", "typical-farming", ["quickswap", "polygon", "farmer"], Farming),
    // Left every farm, and is still owed; on a chain where the settings name the factory.
    case("quickswap", "edge-exited", ["quickswap", "optimism", "exited"], Claimables),
    // A list of farms instead of a factory.
    case("quickswap", "edge-listed-farms", ["harbour_farms", "fantom", "farmer"], Farming),
    case("sushiswap", "nothing", ["sushiswap", "ethereum", "nothing"], Claimables),
    case("sushiswap", "typical-claimables", ["sushiswap", "ethereum", "farmer"], Claimables),
    case("sushiswap", "typical-farming", ["sushiswap", "ethereum", "farmer"], Farming),
    case("sushiswap", "typical-mini-chef", ["sushiswap", "polygon", "farmer"], Farming),
    // In a pool whose token burns all gas.
    case("sushiswap", "edge-broken-pool", ["sushiswap", "ethereum", "odd"], Claimables),
    // A rewarder that pays a multiple of what the chef owes.
    case("sushiswap", "edge-multiplier", ["pangolin", "polygon", "farmer"], Claimables),
    // Renamed views, and another claim.
    case("sushiswap", "edge-renamed", ["harbourswap", "fantom", "farmer"], Claimables),
    case("aave-v3", "nothing", ["aave_v3", "ethereum", "nothing"], Lending),
    case("aave-v3", "typical-lending", ["aave_v3", "ethereum", "farmer"], Lending),
    case("aave-v3", "typical-claimables", ["aave_v3", "ethereum", "farmer"], Claimables),
    // Rewards of assets that the account has left.
    case("aave-v3", "edge-exited", ["aave_v3", "ethereum", "exited"], Claimables),
    case("aave-v3", "edge-fork", ["harbour_lend", "fantom", "whale"], Lending),
    lent("spookyswap", "nothing", "nothing", Claimables),
    lent("spookyswap", "typical-claimables", "farmer", Claimables),
    lent("spookyswap", "edge-odd", "odd", Farming),
    lent("hop", "nothing", "nothing", Farming),
    lent("hop", "typical-farming", "farmer", Farming),
    lent("hop", "edge-exited", "exited", Claimables),
];

/// Returns the findings that a job must make.
pub(super) fn expected(truth: &Truth, row: &Recorded) -> Result<Expected> {
    let rows = truth.rows(row.who, row.question, Some(row.rows_of))?;
    let findings = match row.question {
        Claimables => one_for_each(&rows, claim_place, payment, |place, payments| {
            let (from, call) = place;
            format!("claim {} from {from} by calling {call}", payments.join(" and "))
        })?,
        Farming => rows.into_iter().map(stake).collect::<Result<_>>()?,
        Lending => one_for_each(&rows, pool, loan, |(pool, health), loans| {
            format!("hold in {pool}: {}{health}", loans.join("; "))
        })?,
    };
    let partial = row.question == Claimables && !truth.unreadable(row.who, row.rows_of)?.is_empty();
    Ok(Expected { partial, findings })
}

/// One line for all rows that have the same key, made of the key and each row's part, in the order of the rows.
fn one_for_each<K: PartialEq>(
    rows: &[&Json],
    key: impl Fn(&Json) -> Result<K>,
    part: impl Fn(&Json) -> Result<String>,
    line: impl Fn(K, Vec<String>) -> String,
) -> Result<Vec<String>> {
    let mut groups: Vec<(K, Vec<String>)> = Vec::new();
    for row in rows {
        let (key, part) = (key(row)?, part(row)?);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, parts)) => parts.push(part),
            None => groups.push((key, vec![part])),
        }
    }
    Ok(groups.into_iter().map(|(key, parts)| line(key, parts)).collect())
}

/// Where something is owed, and the call that claims it.
fn claim_place(row: &Json) -> Result<(String, String)> {
    // Behind the selector, which is the template's.
    let arguments = row.text_at("data")?.get(10..).context("calldata without a selector")?;
    Ok((place(row)?, format!("{} with 0x{arguments}", shown(row.text_at("to")?)?)))
}

fn payment(row: &Json) -> Result<String> {
    Ok(format!("{} of {}", row.text_at("amountRaw")?, shown(row.text_at("token")?)?))
}

fn stake(row: &Json) -> Result<String> {
    let (token, amount) = (shown(row.text_at("stakedToken")?)?, row.text_at("amountRaw")?);
    let worth = row.text_at("underlyingAmountRaw")?;
    // A stake is shares where it is worth another amount than its own.
    let worth = if worth == amount { String::new() } else { format!(" that redeem to {worth} of {token}") };
    let rewards = row.at("rewardTokens")?.items()?.iter().map(|token| match token {
        Json::Text(token) => shown(token),
        other => anyhow::bail!("{other} is not a token"),
    });
    let rewards = rewards.collect::<Result<Vec<_>>>()?.join(", ");
    Ok(format!("hold in {}: stake {amount} of {token}{worth}, for {rewards}", place(row)?))
}

/// A lending pool, and the health of the account's position in it.
fn pool(row: &Json) -> Result<(String, String)> {
    let health = row.text_at("healthFactorWad").map(|wad| format!(", health {wad}")).unwrap_or_default();
    Ok((shown(row.text_at("pool")?)?, health))
}

fn loan(row: &Json) -> Result<String> {
    let deed = if row.text_at("side")? == "borrow" { "owe" } else { "supply" };
    let (token, receipt) = (shown(row.text_at("token")?)?, shown(row.text_at("contract")?)?);
    Ok(format!("{deed} {} of {token} by {receipt} at {}", row.text_at("amountRaw")?, row.text_at("rateRay")?))
}

fn place(row: &Json) -> Result<String> {
    let pool = row.get("pid").map(|pid| format!(" pool {pid}")).unwrap_or_default();
    Ok(format!("{}{pool}", shown(row.text_at("contract")?)?))
}

/// The settings of the chains, as the host hands them to the plugin.
pub(super) fn settings(world: &World, row: &Recorded) -> Result<Settings> {
    let of_world = PLUGINS.iter().find(|plugin| plugin.name == row.plugin);
    let (shipped, file) = match of_world {
        Some(plugin) => (plugin.shipped, world.settings_rows(plugin)?),
        None => (false, world.settings_as(row.rows_of, row.protocol)?),
    };
    let rows = file.1.iter().map(deployment).collect::<Result<_>>()?;
    let protocols = file.0.iter().map(protocol).collect::<Result<_>>()?;
    Ok(Settings::from_rows(shipped, protocols, rows))
}

pub(super) fn deployment(row: &Json) -> Result<SettingsRow> {
    let network = row.text_at("network")?;
    let known = NETWORKS.iter().find(|known| known.0 == network).with_context(|| format!("no network {network}"))?;
    let keys = row.without(&["protocol", "network", "market"]);
    let key = |(key, found): &(String, Json)| Ok(SettingsKey { key: key.clone(), value: value(found)? });
    Ok(SettingsRow {
        protocol: row.text_at("protocol")?.to_owned(),
        chain_id: known.3,
        market: row.text_at("market").unwrap_or("main").to_owned(),
        keys: keys.members()?.iter().map(key).collect::<Result<_>>()?,
    })
}

fn value(found: &Json) -> Result<SettingsValue> {
    Ok(match found {
        Json::Text(text) => SettingsValue::Text(text.clone()),
        Json::Bool(flag) => SettingsValue::Bool(*flag),
        Json::Array(items) => SettingsValue::List(items.iter().map(value).collect::<Result<_>>()?),
        other => anyhow::bail!("{other} is not a settings value"),
    })
}

fn protocol(row: &Json) -> Result<Protocol> {
    let text = |path: &str| row.text_at(path).map(str::to_owned);
    let primitives = row.at("primitives")?.items()?.iter().map(|word| match word {
        Json::Text(word) => Ok(word.clone()),
        other => anyhow::bail!("{other} is not a primitive"),
    });
    Ok(Protocol {
        slug: text("slug")?,
        name: text("name")?,
        website: text("website")?,
        logo: None,
        primitives: primitives.collect::<Result<_>>()?,
        company: Company { name: text("company/name")?, slug: text("company/slug")? },
    })
}
