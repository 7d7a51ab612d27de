//! Actions of accounts: who acts, in which direction the tokens go, and the words for it.
//!
//! Invariant: there is one row for each event type that moves tokens of an account in one direction. Swaps and
//! liquidations move them both ways and have no row.

use alloy::primitives::Address;
use portolan_abi::NATIVE;
use portolan_events::{Asset, Event, Value};

/// Direction of an action's tokens, from the account's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flow {
    In,
    Out,
}

/// Words for an event type: `supplied` 5 X `to` the protocol.
#[derive(Debug)]
pub(super) struct ActRow {
    pub(super) kind: &'static str,
    pub(super) flow: Flow,
    pub(super) verb: &'static str,
    /// Text after the amounts.
    pub(super) behind: &'static str,
    /// Text in the place of the amounts if there are none.
    pub(super) instead: &'static str,
    /// Preposition before the protocol.
    pub(super) place: &'static str,
}

const fn row(
    kind: &'static str,
    flow: Flow,
    verb: &'static str,
    (behind, instead): (&'static str, &'static str),
    place: &'static str,
) -> ActRow {
    ActRow { kind, flow, verb, behind, instead, place }
}

/// No text around the amounts.
const NONE: (&str, &str) = ("", "");

static ROWS: [ActRow; 16] = [
    row("SUPPLY", Flow::Out, "supplied", NONE, "to"),
    row("WITHDRAW", Flow::In, "withdrew", NONE, "from"),
    row("BORROW", Flow::In, "borrowed", NONE, "from"),
    row("REPAY", Flow::Out, "repaid", NONE, "to"),
    row("STAKE", Flow::Out, "staked", NONE, "in"),
    row("UNSTAKE", Flow::In, "unstaked", NONE, "from"),
    row("CLAIM", Flow::In, "claimed", NONE, "from"),
    row("VAULT_DEPOSIT", Flow::Out, "deposited", NONE, "into"),
    row("VAULT_WITHDRAW", Flow::In, "withdrew", NONE, "from"),
    row("LOCK", Flow::Out, "locked", NONE, "in"),
    row("UNLOCK", Flow::In, "unlocked", NONE, "from"),
    row("ADD_LIQUIDITY", Flow::Out, "added", (" of liquidity", " liquidity"), "on"),
    row("REMOVE_LIQUIDITY", Flow::In, "removed", (" of liquidity", " liquidity"), "from"),
    row("COLLECT_FEES", Flow::In, "collected", (" of fees", " fees"), "from"),
    row("BRIDGE_OUT", Flow::Out, "bridged", NONE, "through"),
    row("BRIDGE_IN", Flow::In, "received", (" over a bridge", " something over a bridge"), "through"),
];

/// Members that name the actor, in descending order of preference.
pub(super) const PRINCIPALS: [&str; 6] = ["user", "sender", "owner", "onBehalfOf", "recipient", "account"];
/// Members that name the payee; the first one present counts.
const PAYEES: [&str; 4] = ["recipient", "user", "account", "owner"];
/// Members that name the payer; the first one present counts.
const PAYERS: [&str; 3] = ["sender", "user", "owner"];

impl ActRow {
    pub(super) fn of(event: &Event) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.kind == event.kind.name())
    }
}

/// Returns the assets of an action.
pub(super) fn assets(event: &Event) -> Vec<Asset> {
    match event.member("assets") {
        Some(Value::Assets(assets)) => assets.clone(),
        _ => event.asset("amount").into_iter().collect(),
    }
}

/// Returns the native payments that the event reports: direction, payer or payee, and amount.
pub(super) fn native_payments(event: &Event) -> Vec<(Flow, Address, Asset)> {
    let first = |names: &[&str]| names.iter().find_map(|name| event.address(name));
    let is_native = |asset: &Asset| asset.token == Some(NATIVE) && !asset.raw.is_zero();
    if event.kind.name() == "SWAP" {
        let (paid, bought) = (event.asset("fromAmount").filter(is_native), event.asset("toAmount").filter(is_native));
        let paid = paid.zip(first(&["user"])).map(|(asset, by)| (Flow::Out, by, asset));
        let bought = bought.zip(first(&["recipient", "user"])).map(|(asset, to)| (Flow::In, to, asset));
        return paid.into_iter().chain(bought).collect();
    }
    let Some(row) = ActRow::of(event) else { return Vec::new() };
    // A withdrawal request has a number, and is paid later.
    let is_request = row.kind == "UNSTAKE" && event.member("number").is_some();
    let whose = first(if row.flow == Flow::In { &PAYEES } else { &PAYERS }).filter(|_| !is_request);
    let Some(whose) = whose else { return Vec::new() };
    assets(event).into_iter().filter(is_native).map(|asset| (row.flow, whose, asset)).collect()
}
