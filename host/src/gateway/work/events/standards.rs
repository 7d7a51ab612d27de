//! Tells ERC-20 and ERC-721 events apart if the log's shape misleads: some collections do not index the token id, and
//! some tokens index the amount, so each logs the shape of the other.
//!
//! Invariant: `ownerOf` is read only from a contract that contradicts its log's shape, for at most [`DOUBTFUL_MAX`]
//! events of a transaction.

use std::collections::HashSet;

use alloy::primitives::{Address, U256};
use alloy::sol;
use alloy::sol_types::SolCall as _;
use portolan_assets::resolve::{TokenFailure, Tokens};
use portolan_assets::token::NATIVE;
use portolan_events::{Kind, Value};
use portolan_reader::{Outcome, Read, Reply};

use crate::events::merge::MergedEvent;

sol! {
    /// <https://eips.ethereum.org/EIPS/eip-721>
    function ownerOf(uint256 tokenId) external view returns (address);
}

/// Maximum number of events to check; each takes a read.
const DOUBTFUL_MAX: usize = 64;

/// An event whose contract contradicts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Doubtful {
    /// Index of the event.
    event: usize,
    contract: Address,
    /// The amount or token id.
    number: U256,
    is_amount: bool,
}

/// Finds amounts of contracts without decimals, and token ids of contracts that have decimals.
pub(super) fn doubtful(events: &[MergedEvent], tokens: &Tokens) -> Vec<Doubtful> {
    // A contract that is both token and collection logs its amounts separately.
    let amounts = events.iter().filter(|merged| merged.event.member("tokenId").is_none());
    let tokens_of_amounts: HashSet<Address> =
        amounts.filter_map(|merged| merged.event.asset("amount")?.token).collect();
    let of = |(place, merged): (usize, &MergedEvent)| {
        let event = &merged.event;
        let amount = event.asset("amount");
        let (contract, number, is_amount) = match (event.kind.name(), amount, event.member("tokenId")) {
            ("TRANSFER" | "MINT" | "BURN" | "APPROVAL", Some(amount), None) => (amount.token?, amount.raw, true),
            ("NFT_TRANSFER", None, Some(Value::Number(number))) => (event.address("collection")?, *number, false),
            _ => return None,
        };
        // A burned token id has no owner.
        let has_ended = event.address("to").is_some_and(|to| to.is_zero());
        let is_doubtful = match tokens.get(contract) {
            Err(TokenFailure::NoDecimals) => is_amount,
            Ok(token) => {
                let logs_amounts = tokens_of_amounts.contains(&contract);
                !is_amount && token.decimals > 0 && !has_ended && !logs_amounts
            }
            Err(TokenFailure::Unread(_)) => false,
        };
        let is_own = merged.plugin.is_none() && merged.log.is_some() && contract != NATIVE;
        (is_own && is_doubtful).then_some(Doubtful { event: place, contract, number, is_amount })
    };
    events.iter().enumerate().filter_map(of).take(DOUBTFUL_MAX).collect()
}

/// Returns the reads of each token id's owner.
pub(super) fn reads(doubtful: &[Doubtful]) -> Vec<Read> {
    let read = |one: &Doubtful| Read::call(one.contract, ownerOfCall { tokenId: one.number }.abi_encode());
    doubtful.iter().map(read).collect()
}

/// Turns amounts whose number has an owner into token ids, and token ids without an owner into amounts. Returns true
/// if any event changed.
pub(super) fn correct(events: &mut [MergedEvent], doubtful: &[Doubtful], replies: &[Reply]) -> bool {
    let mut is_corrected = false;
    for (one, reply) in doubtful.iter().zip(replies) {
        let has_owner = match &reply.outcome {
            Outcome::Ok(word) => Some(word.len() == 32 && word.iter().any(|byte| *byte != 0)),
            Outcome::Reverted(_) | Outcome::NoCode => Some(false),
            _ => None,
        };
        if let (Some(merged), true) = (events.get_mut(one.event), has_owner == Some(one.is_amount)) {
            is_corrected |= one.correct(merged).is_some();
        }
    }
    is_corrected
}

impl Doubtful {
    fn correct(&self, merged: &mut MergedEvent) -> Option<()> {
        let event = &mut merged.event;
        let is_new = |name: &str| event.address(name).is_some_and(|address| address.is_zero());
        let kind = match (self.is_amount, event.kind.name()) {
            (true, "APPROVAL") => "NFT_APPROVAL",
            (true, _) => "NFT_TRANSFER",
            (false, _) if is_new("from") => "MINT",
            (false, _) if is_new("to") => "BURN",
            (false, _) => "TRANSFER",
        };
        event.kind = Kind::named(kind)?;
        event.members.retain(|(name, _)| !["asset", "amount", "collection", "tokenId"].contains(name));
        event.members.extend(if self.is_amount {
            [("collection", Value::Address(self.contract)), ("tokenId", Value::Number(self.number))]
        } else {
            let amount = Value::Amount { raw: self.number, of: Some(self.contract) };
            [("asset", Value::Token(self.contract)), ("amount", amount)]
        });
        Some(())
    }
}
