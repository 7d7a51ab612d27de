//! The core tier: what any token emits, and what the transaction itself sends, is told exactly, and nowhere else.
//!
//! Amounts are compared as integers and as exact decimals, addresses as lower-case text.

use std::str::FromStr as _;

use anyhow::{Context as _, Result, bail, ensure};
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use serde_json::Value;

use super::answer::Event;
use super::files::{NATIVE, Row, Transaction};
use super::judgement::{Judgement, Subject, Tier, Wrong};
use portolan_tests::json::Json;

const ZERO: &str = "0x0000000000000000000000000000000000000000";
/// Types that any token emits: where a log is no such thing, they are invented.
const OF_TOKENS: [&str; 7] =
    ["TRANSFER", "MINT", "BURN", "APPROVAL", "NFT_TRANSFER", "NFT_APPROVAL", "APPROVAL_FOR_ALL"];
/// The value that a transaction sends comes before all logs.
const VALUE: &str = "TRANSFER of value";

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

/// The judgements on a transaction.
pub(super) fn judge(mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    let mut judgements: Vec<Judgement> = value(mined, events).into_iter().collect();
    for row in mined.rows.values().filter(|row| row.tier == "core") {
        let own: Vec<&Event> = events.iter().filter(|event| event.log_index == Some(row.log_index)).collect();
        let subject = Subject::Log(row.log_index);
        judgements.push(Judgement { tier: Tier::Core, kind: row.kind.clone(), subject, wrong: log(row, &own).err() });
    }
    judgements.extend(events.iter().filter_map(|event| invented(mined, event)));
    judgements
}

/// The value is an event once, in the first place, and only where there is one. What a deposit brought comes before it.
fn value(mined: &Transaction, events: &[Event]) -> Option<Judgement> {
    let is_brought = |event: &&Event| mined.is_deposit() && event.kind == "BRIDGE_IN";
    let reported: Vec<&Event> =
        events.iter().filter(|event| event.log_index.is_none()).filter(|event| !is_brought(event)).collect();
    let is_first = events.first().is_some_and(|first| first.log_index.is_none());
    let wrong = match (mined.value(), reported.as_slice()) {
        (None, []) => return None,
        (Some(_), []) => Some(Wrong::untold()),
        (Some(value), [one]) if is_first => {
            let told = ["from", "to", "asset", "amount"].map(|member| one.member(member));
            let wanted = [mined.sender(), mined.callee(), Some(NATIVE.to_owned()), Some(value.to_string())];
            let exact = one.amount("amount").is_some_and(|amount| amount.is_exact(18));
            let right = one.kind == "TRANSFER" && told == wanted && exact;
            (!right).then(|| Wrong::new("value", format!("{wanted:?} was sent")))
        }
        (Some(_), _) => Some(Wrong::new("once, first", format!("it is told {} times, or not first", reported.len()))),
        (None, _) => Some(Wrong::new("no value", "nothing was sent")),
    };
    Some(Judgement { tier: Tier::Core, kind: VALUE.to_owned(), subject: Subject::Value, wrong })
}

/// An event of a token at a log that is something else, as far as the truth knows.
fn invented(mined: &Transaction, event: &Event) -> Option<Judgement> {
    let row = mined.rows.get(&event.log_index?);
    if !OF_TOKENS.contains(&event.kind.as_str())
        || row.is_some_and(|row| row.tier == "core" || row.expects(&event.kind))
    {
        return None;
    }
    let what = row.map_or_else(|| "a log without a row".to_owned(), |row| format!("a {} of {}", row.kind, row.family));
    let wrong = Some(Wrong::new("invented", format!("{what} is told as {}", event.short())));
    Some(Judgement { tier: Tier::Core, kind: event.kind.clone(), subject: Subject::Log(event.log_index?), wrong })
}

/// A token's own log needs the right type, and every member exactly.
fn log(row: &Row, own: &[&Event]) -> Result<(), Wrong> {
    if own.is_empty() {
        return Err(Wrong::untold());
    }
    let judged = match row.kind.as_str() {
        "TRANSFER" | "APPROVAL" => fungible(row, own),
        "NFT_TRANSFER" => collectibles(row, own),
        "NFT_APPROVAL" | "APPROVAL_FOR_ALL" => permission(row, own),
        other => Err(anyhow::anyhow!("no core row is a {other}")),
    };
    judged.map_err(|error| Wrong::new("exactness", format!("{error:#}")))
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
    ensure!(right, "it is not of the type {}", event.kind);
    same_accounts(row, event)?;
    let asset = row.asset.as_deref().unwrap_or(&row.contract);
    ensure!(event.member("asset").as_deref() == Some(asset.to_lowercase().as_str()), "the asset is {asset}");
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
        ensure!(event.kind == "NFT_TRANSFER", "it is not of the type {}", event.kind);
        same_accounts(row, event)?;
        ensure!(event.metadata.text_at("collection")? == row.contract.to_lowercase(), "of {}", row.contract);
        let reported = (integer(event.metadata.text_at("tokenId")?)?, amount_of(event)?);
        // Of an ERC-721 there is one, whether or not that is reported.
        let same =
            |(id, value): &(BigInt, Option<BigInt>)| *id == reported.0 && (value.is_none() || *value == reported.1);
        let place = wanted.iter().position(same).with_context(|| format!("{reported:?} is not one of {wanted:?}"))?;
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
    ensure!(event.kind == row.kind, "it is not of the type {}", event.kind);
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

fn argument<'a>(row: &'a Row, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| row.args.get(*name)).and_then(Value::as_str)
}

fn integer(text: &str) -> Result<BigInt> {
    BigInt::from_str(text).with_context(|| format!("{text} is not an integer"))
}
