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
pub(super) struct ActionRow {
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

const fn row(kind: &'static str, flow: Flow, verb: &'static str, place: &'static str) -> ActionRow {
    ActionRow { kind, flow, verb, behind: "", instead: "", place }
}

static ROWS: [ActionRow; 16] = [
    row("SUPPLY", Flow::Out, "supplied", "to"),
    row("WITHDRAW", Flow::In, "withdrew", "from"),
    row("BORROW", Flow::In, "borrowed", "from"),
    row("REPAY", Flow::Out, "repaid", "to"),
    row("STAKE", Flow::Out, "staked", "in"),
    row("UNSTAKE", Flow::In, "unstaked", "from"),
    row("CLAIM", Flow::In, "claimed", "from"),
    row("VAULT_DEPOSIT", Flow::Out, "deposited", "into"),
    row("VAULT_WITHDRAW", Flow::In, "withdrew", "from"),
    row("LOCK", Flow::Out, "locked", "in"),
    row("UNLOCK", Flow::In, "unlocked", "from"),
    row("ADD_LIQUIDITY", Flow::Out, "added", "on").amounts(" of liquidity", " liquidity"),
    row("REMOVE_LIQUIDITY", Flow::In, "removed", "from").amounts(" of liquidity", " liquidity"),
    row("COLLECT_FEES", Flow::In, "collected", "from").amounts(" of fees", " fees"),
    row("BRIDGE_OUT", Flow::Out, "bridged", "through"),
    row("BRIDGE_IN", Flow::In, "received", "through").amounts(" over a bridge", " something over a bridge"),
];

/// Members that name the actor, in descending order of preference.
pub(super) const PRINCIPALS: [&str; 6] = ["user", "sender", "owner", "onBehalfOf", "recipient", "account"];
/// Members that name the payee; the first one present counts.
const PAYEES: [&str; 4] = ["recipient", "user", "account", "owner"];
/// Members that name the payer; the first one present counts.
const PAYERS: [&str; 3] = ["sender", "user", "owner"];

impl ActionRow {
    /// Sets the text after the amounts, and the one in their place.
    const fn amounts(self, behind: &'static str, instead: &'static str) -> Self {
        Self { behind, instead, ..self }
    }

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
    let Some(row) = ActionRow::of(event) else { return Vec::new() };
    // A withdrawal request has a number, and is paid later.
    let is_request = row.kind == "UNSTAKE" && event.member("number").is_some();
    let whose = first(if row.flow == Flow::In { &PAYEES } else { &PAYERS }).filter(|_| !is_request);
    let Some(whose) = whose else { return Vec::new() };
    assets(event).into_iter().filter(is_native).map(|asset| (row.flow, whose, asset)).collect()
}
