//! Whether the events at a log agree with the truth of one row.
//!
//! Amounts are compared as integers and as exact decimals, addresses as lower-case text.

use std::str::FromStr as _;

use anyhow::{Context as _, Result, bail, ensure};
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use serde_json::Value;

use super::files::Row;
use portolan_tests::json::Json;

const ZERO: &str = "0x0000000000000000000000000000000000000000";

/// A member of the metadata, and the names that its argument goes by.
type Named = (&'static str, &'static [&'static str]);

/// The kinds of core rows, and their members that are accounts.
const CORE: [(&str, &[Named]); 5] = [
    ("TRANSFER", &[("from", &["from", "src"]), ("to", &["to", "dst"])]),
    ("APPROVAL", &[("owner", &["owner", "src"]), ("spender", &["spender", "guy", "usr"])]),
    ("NFT_TRANSFER", &[("from", &["from"]), ("to", &["to"])]),
    ("NFT_APPROVAL", &[("owner", &["owner"]), ("spender", &["approved", "spender", "to"])]),
    ("APPROVAL_FOR_ALL", &[("owner", &["owner", "account"]), ("operator", &["operator"])]),
];
/// The argument of a fungible amount.
const VALUES: [&str; 4] = ["value", "wad", "amount", "_value"];
/// Arguments that are integers of a token's smallest unit, whose token the event or its pool names.
const AMOUNTS: [&str; 33] = [
    "amount",
    "value",
    "wad",
    "assets",
    "shares",
    "reward",
    "mintAmount",
    "redeemAmount",
    "repayAmount",
    "borrowAmount",
    "seizeTokens",
    "spentAmount",
    "returnAmount",
    "sellAmount",
    "buyAmount",
    "srcAmount",
    "receivedAmount",
    "inputAmount",
    "outputAmount",
    "amountIn",
    "amountOut",
    "inputTokenAmount",
    "outputTokenAmount",
    "amount0In",
    "amount1In",
    "amount0Out",
    "amount1Out",
    "amount0",
    "amount1",
    "tokensSold",
    "tokensBought",
    "tokens_sold",
    "tokens_bought",
];
/// Types whose amounts need the tokens of a pool.
const OF_POOLS: [&str; 4] = ["SWAP", "ADD_LIQUIDITY", "REMOVE_LIQUIDITY", "COLLECT_FEES"];
/// Names by which an argument is a contract and no account.
const NO_ACCOUNTS: [&str; 4] = ["token", "asset", "reserve", "pool"];

/// An event of an answer.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// None of what the transaction itself sent.
    pub(super) log_index: Option<u64>,
    pub(super) kind: String,
    pub(super) metadata: Json,
}

/// The events of an answer with `detail=full`.
pub(super) fn events(answer: &Json) -> Result<Vec<Event>> {
    let event = |item: &Json| {
        let log_index = match item.at("logIndex")? {
            Json::Null => None,
            Json::Number(number) => Some(number.parse()?),
            other => bail!("logIndex is {other}"),
        };
        let kind = item.text_at("type")?.to_owned();
        Ok(Event { log_index, kind, metadata: item.at("metadata")?.clone() })
    };
    answer.at("items")?.items()?.iter().map(event).collect()
}

/// A token's own log needs the right type, and every member exactly.
pub(super) fn core(row: &Row, own: &[&Event]) -> Result<(), String> {
    let judged = match row.kind.as_str() {
        "TRANSFER" | "APPROVAL" => fungible(row, own),
        "NFT_TRANSFER" => collectibles(row, own),
        "NFT_APPROVAL" | "APPROVAL_FOR_ALL" => permission(row, own),
        other => Err(anyhow::anyhow!("no core row is a {other}")),
    };
    judged.map_err(|error| format!("{error:#}; decoded {}", shown(own)))
}

fn fungible(row: &Row, own: &[&Event]) -> Result<()> {
    let [event] = own else { bail!("it is one event") };
    let zero = |names: &[&str]| argument(row, names).is_some_and(|address| address.eq_ignore_ascii_case(ZERO));
    let (from_zero, to_zero) = (zero(&["from", "src"]), zero(&["to", "dst"]));
    let right = match (row.kind.as_str(), from_zero, to_zero) {
        ("APPROVAL", ..) => event.kind == "APPROVAL",
        (_, true, true) => ["MINT", "BURN"].contains(&event.kind.as_str()),
        (_, true, false) => event.kind == "MINT",
        (_, false, true) => event.kind == "BURN",
        _ => event.kind == "TRANSFER",
    };
    ensure!(right, "it is no {}", event.kind);
    same_accounts(row, event)?;
    let asset = row.asset.as_deref().unwrap_or(&row.contract);
    ensure!(event.metadata.text_at("asset/address")? == asset.to_lowercase(), "the asset is {asset}");
    let raw = integer(argument(row, &VALUES).context("a row without an amount")?)?;
    ensure!(BigInt::from_str(event.metadata.text_at("amountRaw")?)? == raw, "the raw amount is {raw}");
    if let Some(decimals) = row.decimals {
        let amount = BigDecimal::new(raw, decimals.into());
        ensure!(event.metadata.number_at("amount")? == amount, "the amount is {amount}");
    }
    Ok(())
}

/// One event for each token id; those of a batch in any order.
fn collectibles(row: &Row, own: &[&Event]) -> Result<()> {
    let list = |one: &str, many: &str| -> Result<Vec<BigInt>> {
        match row.args.get(many).and_then(Value::as_array) {
            Some(items) => items.iter().map(|item| integer(item.as_str().context("no text")?)).collect(),
            None => argument(row, &[one]).map(integer).into_iter().collect(),
        }
    };
    let mut ids = list("tokenId", "ids")?;
    ids.extend(list("id", "_ids")?);
    let values = list("value", "values")?;
    ensure!(!ids.is_empty() && (values.is_empty() || values.len() == ids.len()), "a row without its tokens");
    let mut wanted: Vec<(BigInt, Option<BigInt>)> =
        ids.into_iter().enumerate().map(|(place, id)| (id, values.get(place).cloned())).collect();
    for event in own {
        ensure!(event.kind == "NFT_TRANSFER", "it is no {}", event.kind);
        same_accounts(row, event)?;
        ensure!(event.metadata.text_at("collection")? == row.contract.to_lowercase(), "of {}", row.contract);
        let reported = (integer(event.metadata.text_at("tokenId")?)?, amount_of(event)?);
        // Of an ERC-721 there is one, whether or not that is reported.
        let same =
            |(id, value): &(BigInt, Option<BigInt>)| *id == reported.0 && (value.is_none() || *value == reported.1);
        let place = wanted.iter().position(same).with_context(|| format!("{reported:?} is none of {wanted:?}"))?;
        wanted.swap_remove(place);
    }
    ensure!(wanted.is_empty(), "{wanted:?} is missing");
    Ok(())
}

fn amount_of(event: &Event) -> Result<Option<BigInt>> {
    let raw = event.metadata.text_at("amountRaw").or_else(|_| event.metadata.text_at("amount"));
    match (raw, event.metadata.get("amount")) {
        (Ok(raw), _) => Ok(Some(integer(raw)?)),
        (_, Some(Json::Number(number))) => Ok(Some(integer(number)?)),
        _ => Ok(None),
    }
}

fn permission(row: &Row, own: &[&Event]) -> Result<()> {
    let [event] = own else { bail!("it is one event") };
    ensure!(event.kind == row.kind, "it is no {}", event.kind);
    same_accounts(row, event)?;
    ensure!(event.metadata.text_at("collection")? == row.contract.to_lowercase(), "of {}", row.contract);
    if row.kind == "APPROVAL_FOR_ALL" {
        let approved = row.args.get("approved").and_then(Value::as_bool).context("a row without its flag")?;
        ensure!(*event.metadata.at("approved")? == Json::Bool(approved), "approved is {approved}");
    } else if let Some(id) = argument(row, &["tokenId", "id"]) {
        ensure!(integer(event.metadata.text_at("tokenId")?)? == integer(id)?, "the token is {id}");
    }
    Ok(())
}

fn same_accounts(row: &Row, event: &Event) -> Result<()> {
    let members = CORE.iter().find(|(kind, _)| *kind == row.kind).map(|(_, members)| *members).unwrap_or_default();
    for (member, names) in members {
        let wanted = argument(row, names).with_context(|| format!("a row without {member}"))?.to_lowercase();
        ensure!(event.metadata.text_at(member)? == wanted, "{member} is {wanted}");
    }
    Ok(())
}

/// A protocol's log needs the right type; and the accounts and amounts of the row, unless its pool is unknown.
pub(super) fn protocol(row: &Row, types: &[String], known_pool: bool, own: &[&Event]) -> Result<(), String> {
    let right: Vec<&Event> = own.iter().copied().filter(|event| types.contains(&event.kind)).collect();
    if right.is_empty() {
        return Err(format!("no {}; decoded {}", types.join(" or "), shown(own)));
    }
    let of_pool = types.iter().any(|kind| OF_POOLS.contains(&kind.as_str()));
    if of_pool && !known_pool && !row.args.keys().any(|name| is_token(name)) {
        return Ok(());
    }
    let (texts, raws): (Vec<String>, Vec<String>) = (
        right.iter().flat_map(|event| texts(&event.metadata)).collect(),
        right.iter().flat_map(|e| raws(&e.metadata)).collect(),
    );
    let mut missing: Vec<String> = accounts(row).filter(|account| !texts.contains(account)).collect();
    missing.extend(amounts(row).filter(|amount| !raws.contains(amount)));
    if missing.is_empty() { Ok(()) } else { Err(format!("without {}; decoded {}", missing.join(", "), shown(own))) }
}

fn is_token(name: &str) -> bool {
    let name = name.to_lowercase();
    NO_ACCOUNTS.iter().any(|part| name.contains(part))
}

/// Addresses of the row that are no tokens and not zero.
fn accounts(row: &Row) -> impl Iterator<Item = String> {
    let texts = row.args.iter().filter(|(name, _)| !is_token(name)).filter_map(|(_, value)| value.as_str());
    let account = |text: &&str| text.len() == ZERO.len() && text.starts_with("0x") && *text != ZERO;
    texts.filter(account).map(str::to_lowercase)
}

/// Integers of the row that are amounts and not zero, without their sign.
fn amounts(row: &Row) -> impl Iterator<Item = String> {
    // Where a pool reports two amounts beside it, that one counts its own shares.
    let of_shares = row.args.contains_key("amount0");
    let counts = move |name: &&String| AMOUNTS.contains(&name.as_str()) && !(of_shares && *name == "amount");
    // What was paid in elsewhere is no amount of this network; and only a vault's shares are a token's.
    let left_out = move |name: &str| match name {
        "inputAmount" => row.kind == "BRIDGE_IN",
        "shares" => !row.kind.starts_with("VAULT_"),
        _ => false,
    };
    let named = row.args.iter().filter(move |(name, _)| counts(name) && !left_out(name));
    let digits = named.filter_map(|(_, value)| value.as_str()).map(|text| text.trim_start_matches('-').to_owned());
    digits.filter(|digits| digits != "0" && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The texts of the metadata's own members; those within tokens are no accounts.
fn texts(metadata: &Json) -> Vec<String> {
    let members = metadata.members().unwrap_or_default().iter();
    members
        .filter_map(|(_, value)| if let Json::Text(text) = value { Some(text.to_lowercase()) } else { None })
        .collect()
}

/// The raw amounts anywhere in the metadata.
fn raws(metadata: &Json) -> Vec<String> {
    match metadata {
        Json::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match value {
                Json::Text(digits) if name.ends_with("Raw") => vec![digits.clone()],
                value => raws(value),
            })
            .collect(),
        Json::Array(items) => items.iter().flat_map(raws).collect(),
        _ => Vec::new(),
    }
}

fn argument<'a>(row: &'a Row, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| row.args.get(*name)).and_then(Value::as_str)
}

fn integer(text: &str) -> Result<BigInt> {
    BigInt::from_str(text).with_context(|| format!("{text} is no integer"))
}

fn shown(own: &[&Event]) -> String {
    let events: Vec<String> = own.iter().map(|event| format!("{} {}", event.kind, short(&event.metadata))).collect();
    if events.is_empty() { "nothing".to_owned() } else { events.join(" and ") }
}

/// Tokens by their addresses alone.
fn short(value: &Json) -> Json {
    match value {
        Json::Object(members) => match value.get("totalSupply").and(value.get("address")) {
            Some(address) => address.clone(),
            None => Json::Object(members.iter().map(|(name, value)| (name.clone(), short(value))).collect()),
        },
        Json::Array(items) => Json::Array(items.iter().map(short).collect()),
        other => other.clone(),
    }
}
