//! Phrases for what an event says that an account did; swaps are in `trade.rs`.
//!
//! Invariant: a phrase states only what the event itself says.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use alloy::primitives::{Address, U256};
use portolan_events::{Asset, Event, Value};

use super::formatter::{SummaryFormatter, list, plain_name};
use crate::events::action::{self, ActionRow, Flow};

/// The last second of the year 9999.
const SECONDS_MAX: u64 = 253_402_300_799;

/// Bits of an allowance that counts as unlimited; no token has a supply of so many.
const UNLIMITED_BITS_MIN: usize = 129;
/// Some tokens store allowances in words of this many bits; all ones count as unlimited too.
const SMALL_WORD_BITS: usize = 96;

/// Actions of one kind with one protocol, merged.
#[derive(Debug)]
pub(super) struct Action {
    /// Index of the first event.
    pub(super) place: usize,
    pub(super) row: &'static ActionRow,
    /// The actor, if it was not the account.
    pub(super) by: Option<Address>,
    pub(super) assets: Vec<Asset>,
    /// Contracts and accounts that the events name.
    pub(super) others: BTreeSet<Address>,
    /// Text after the amounts.
    end: String,
}

impl Action {
    pub(super) fn of(
        place: usize,
        event: &Event,
        by: Option<Address>,
        emitter: Option<Address>,
        formatter: &SummaryFormatter<'_>,
    ) -> Option<Self> {
        let row = ActionRow::of(event)?;
        let assets = action::assets(event);
        // Some contracts log an action of zero. A lock of zero extends an existing lock.
        let is_nothing = !assets.is_empty() && assets.iter().all(|asset| asset.raw.is_zero());
        let means_nothing = is_nothing && row.kind != "LOCK";
        let named = event.members.iter().filter_map(|(_, value)| match value {
            Value::Address(address) => Some(*address),
            _ => None,
        });
        // Without amounts it is unknown what the addresses have to do with the action.
        let others = named.chain(emitter).filter(|_| !assets.is_empty()).collect();
        (!means_nothing).then(|| Self { place, row, by, assets, others, end: end(row, event, formatter) })
    }

    /// Adds the assets of an action of the same kind; returns any other action as the error.
    pub(super) fn merge(&mut self, other: Self) -> Result<(), Self> {
        if self.row.kind != other.row.kind || self.by != other.by || self.end != other.end {
            return Err(other);
        }
        self.others.extend(other.others);
        for asset in other.assets {
            match self.assets.iter_mut().find(|known| known.token == asset.token && asset.token.is_some()) {
                Some(known) => known.raw = known.raw.saturating_add(asset.raw),
                None => self.assets.push(asset),
            }
        }
        Ok(())
    }

    pub(super) fn text(&self, formatter: &SummaryFormatter<'_>) -> String {
        let amounts = self.assets.iter().filter(|asset| !asset.raw.is_zero());
        let amounts: Vec<String> = amounts.filter_map(|asset| formatter.amount(*asset)).collect();
        let (ActionRow { verb, behind, instead, .. }, end) = (self.row, &self.end);
        let what = if amounts.is_empty() { (*instead).to_owned() } else { format!(" {}{behind}", list(amounts)) };
        match self.by {
            Some(by) => format!("{by:#x} {verb}{what}{end} for the account"),
            None => format!("{verb}{what}{end}"),
        }
    }
}

/// Returns where it was done: ` to Arbitrum through Across`.
fn end(row: &ActionRow, event: &Event, formatter: &SummaryFormatter<'_>) -> String {
    let remote = event.members.iter().find_map(|(_, value)| match value {
        Value::Network(chain_id) => Some(formatter.network(*chain_id)),
        _ => None,
    });
    let remote = remote.map(|remote| format!(" {} {remote}", if row.flow == Flow::Out { "to" } else { "from" }));
    let vault = || event.address("vault").map(|vault| formatter.vault(vault));
    let protocol = formatter.protocol(event.protocol.as_deref()).or_else(vault);
    let protocol = protocol.map(|protocol| format!(" {} {protocol}", row.place));
    let until = event.members.iter().find_map(|(name, value)| match value {
        Value::Seconds(seconds) if *name == "unlockTime" => date(*seconds),
        _ => None,
    });
    let until = until.map(|date| format!(" until {date}"));
    [remote, protocol, until].into_iter().flatten().collect()
}

fn date(seconds: U256) -> Option<String> {
    let seconds: u64 = seconds.try_into().ok().filter(|seconds| (1..=SECONDS_MAX).contains(seconds))?;
    let time = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string();
    time.split('T').next().map(ToOwned::to_owned)
}

/// Returns the phrase for an event that moves no tokens; `is_sender` if the account sent the transaction.
pub(super) fn phrase(
    event: &Event,
    account: Address,
    is_sender: bool,
    formatter: &SummaryFormatter<'_>,
) -> Option<String> {
    let address = |name| event.address(name);
    let is = |name| address(name) == Some(account);
    let on =
        formatter.protocol(event.protocol.as_deref()).map(|protocol| format!(" on {protocol}")).unwrap_or_default();
    let flag = |name| matches!(event.member(name), Some(Value::Flag(true)));
    match event.kind.name() {
        "APPROVAL" | "PERMIT2" if is("owner") => {
            let (spender, amount) = (address("spender")?, event.asset("amount")?);
            let through = if event.kind.name() == "PERMIT2" { " through Permit2" } else { "" };
            let token = formatter.token(amount.token?);
            Some(if amount.raw.is_zero() {
                format!("revoked the allowance of {spender:#x} for {token}{through}")
            } else if is_unlimited(amount.raw) {
                format!("approved {spender:#x} to spend any amount of {token}{through}")
            } else {
                format!("approved {spender:#x} to spend {}{through}", formatter.amount(amount)?)
            })
        }
        "NFT_APPROVAL" if is("owner") => {
            let Some(Value::Number(token_id)) = event.member("tokenId") else { return None };
            let (spender, nft) = (address("spender")?, formatter.nft(address("collection")?, *token_id));
            // A transfer resets the approval.
            (!spender.is_zero()).then(|| format!("approved {spender:#x} to move {nft}"))
        }
        "APPROVAL_FOR_ALL" if is("owner") => {
            let (operator, collection) = (address("operator")?, formatter.token(address("collection")?));
            Some(if flag("approved") {
                format!("approved {operator:#x} to move all of {collection}")
            } else {
                format!("revoked the approval of {operator:#x} for all of {collection}")
            })
        }
        "VOTE" if is("voter") => {
            let proposal = match event.member("proposalId") {
                Some(Value::Number(number)) if number.bit_len() <= 64 => format!(" proposal {number}"),
                _ => " a proposal".to_owned(),
            };
            let how = match event.member("support") {
                Some(Value::Number(U256::ZERO)) => "voted against",
                Some(Value::Number(U256::ONE)) => "voted for",
                _ => "voted on",
            };
            let of = address("contract").map(|contract| format!(" of {contract:#x}")).unwrap_or_default();
            Some(if event.member("proposalId").is_some() {
                format!("{how}{proposal}{of}")
            } else {
                format!("voted{on}")
            })
        }
        "DELEGATE" if is("delegator") => Some(match address("toDelegate").filter(|to| !to.is_zero()) {
            Some(to) if to == account => "took back its votes".to_owned(),
            Some(to) => format!("delegated its votes to {to:#x}"),
            None => "ended the delegation of its votes".to_owned(),
        }),
        kind @ ("NAME_REGISTERED" | "NAME_RENEWED") if is_sender || is("owner") => {
            let verb = if kind == "NAME_REGISTERED" { "registered" } else { "renewed" };
            let name = match event.member("name") {
                Some(Value::Text(name)) => plain_name(name),
                _ => None,
            };
            let name = name.map_or_else(|| "a name".to_owned(), |name| format!("the name {name}"));
            let cost = event.asset("cost").filter(|cost| !cost.raw.is_zero());
            let cost = cost.and_then(|cost| formatter.amount(cost)).map(|cost| format!(" for {cost}"));
            Some(format!("{verb} {name}{}", cost.unwrap_or_default()))
        }
        "LIQUIDATION" if is("liquidator") || is("borrower") => {
            let amount = |name| event.asset(name).and_then(|asset| formatter.amount(asset));
            let (debt, collateral) = (amount("debtAmount"), amount("collateralAmount"));
            let (debt, collateral) = (
                debt.unwrap_or_else(|| "an unknown debt".into()),
                collateral.unwrap_or_else(|| "unknown collateral".into()),
            );
            let borrower = address("borrower").map(|borrower| format!(" {borrower:#x}")).unwrap_or_default();
            Some(if is("borrower") {
                format!("was liquidated{on}, where {collateral} was taken for {debt}")
            } else {
                format!("liquidated{borrower}{on}, repaying {debt} for {collateral}")
            })
        }
        kind if kind.starts_with("SAFE_") && (is_sender || is("contract")) => safe(event, kind),
        _ => None,
    }
}

fn safe(event: &Event, kind: &str) -> Option<String> {
    let safe = event.address("contract")?;
    let owner = || event.address("owner");
    Some(match (kind, event.member("success"), event.member("threshold")) {
        ("SAFE_EXECUTION", Some(Value::Flag(false)), _) => {
            format!("executed a transaction of the Safe {safe:#x}, which failed")
        }
        ("SAFE_EXECUTION", ..) => format!("executed a transaction of the Safe {safe:#x}"),
        ("SAFE_OWNER_ADDED", ..) => format!("added {:#x} to the owners of the Safe {safe:#x}", owner()?),
        ("SAFE_OWNER_REMOVED", ..) => format!("removed {:#x} from the owners of the Safe {safe:#x}", owner()?),
        (_, _, Some(Value::Number(threshold))) => {
            format!("set the threshold of the Safe {safe:#x} to {threshold}")
        }
        _ => return None,
    })
}

fn is_unlimited(raw: U256) -> bool {
    raw.bit_len() >= UNLIMITED_BITS_MIN || raw == U256::MAX >> (256 - SMALL_WORD_BITS)
}
