//! Prices that oracles write to the chain, read through Chainlink's interface.
//!
//! Invariant: an answer counts only if it is above zero, was written at or before the answer's block, and is no older
//! than the feed's heartbeat and [`MARGIN_S`]. Bounds that an aggregator clamps its answers to are not looked at.

mod table;

use std::collections::HashMap;

use alloy::primitives::{Address, U256};
use alloy::sol;
use alloy::sol_types::SolCall;
use bigdecimal::BigDecimal;
use portolan_reader::{Freshness, Outcome, Read, Reply};

use super::worth::units;
use crate::assets::token::NATIVE;
use crate::network::Network;

sol! {
    /// <https://docs.chain.link/data-feeds/api-reference>
    interface Aggregator {
        function decimals() external view returns (uint8);
        function latestRoundData() external view returns (
            uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound
        );
    }
}

/// An update that is due may wait that long for a place in a block.
const MARGIN_S: u64 = 600;

/// One oracle contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feed {
    pub(crate) address: Address,
    /// It is written at least that often.
    pub(crate) heartbeat_s: u32,
}

/// Dollars, and how old they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) usd: BigDecimal,
    pub(super) age_s: u64,
}

/// Why a feed's answer does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FeedFault {
    #[error("it does not answer as a feed does")]
    Silent,
    #[error("its answer is not above zero")]
    NotPositive,
    #[error("it was never written")]
    NeverWritten,
    #[error("it was written after the block")]
    FromTheFuture,
    #[error("it was last written {age_s} s before the block")]
    Stale { age_s: u64 },
}

/// The feeds of each token, by chain id and token.
#[derive(Debug)]
pub(super) struct Feeds {
    told: HashMap<(u64, Address), Vec<Feed>>,
    shipped: HashMap<(u64, Address), Vec<Feed>>,
}

impl Feeds {
    /// The shipped ones; those that are told go before them.
    pub(super) fn new(told: impl IntoIterator<Item = (u64, Address, Feed)>) -> Self {
        let shipped = table::SHIPPED
            .iter()
            .flat_map(|(chain_id, rows)| rows.iter().map(move |row| ((*chain_id, row.token), row.feeds.to_vec())));
        let told = told.into_iter().map(|(chain_id, token, feed)| ((chain_id, token), vec![feed]));
        Self { told: told.collect(), shipped: shipped.collect() }
    }

    /// Those whose answers multiply to the token's price; none where nobody writes it. The native token and its wrapper
    /// have theirs in common.
    pub(super) fn of(&self, network: &Network, token: Address) -> &[Feed] {
        let twin = match network.wrapped_native {
            Some(wrapped) if token == wrapped => NATIVE,
            Some(wrapped) if token == NATIVE => wrapped,
            _ => token,
        };
        let mut known = [&self.told, &self.shipped]
            .into_iter()
            .flat_map(|feeds| [token, twin].into_iter().filter_map(move |token| feeds.get(&(network.chain_id, token))));
        known.next().map(Vec::as_slice).unwrap_or_default()
    }
}

/// Reads that [`judge`] takes the replies of.
pub(super) const READS: usize = 2;

/// The answer at the answer's block, and its decimals, which a feed never changes.
pub(super) fn reads(feed: Feed) -> [Read; READS] {
    [
        Read::call(feed.address, Aggregator::latestRoundDataCall {}.abi_encode()),
        Read::call(feed.address, Aggregator::decimalsCall {}.abi_encode()).fresh(Freshness::Immutable),
    ]
}

/// What the feed tells at a block of this time.
pub(super) fn judge(feed: Feed, replies: &[Reply], block_timestamp: u64) -> Result<Told, FeedFault> {
    let [round, decimals] = replies else { return Err(FeedFault::Silent) };
    let (Outcome::Ok(round), Outcome::Ok(decimals)) = (&round.outcome, &decimals.outcome) else {
        return Err(FeedFault::Silent);
    };
    let round = Aggregator::latestRoundDataCall::abi_decode_returns_validate(round).map_err(|_| FeedFault::Silent)?;
    let decimals = Aggregator::decimalsCall::abi_decode_returns_validate(decimals).map_err(|_| FeedFault::Silent)?;
    if !round.answer.is_positive() {
        return Err(FeedFault::NotPositive);
    }
    if round.updatedAt.is_zero() {
        return Err(FeedFault::NeverWritten);
    }
    let written_at = u64::try_from(round.updatedAt).map_err(|_| FeedFault::FromTheFuture)?;
    let age_s = block_timestamp.checked_sub(written_at).ok_or(FeedFault::FromTheFuture)?;
    if age_s > u64::from(feed.heartbeat_s) + MARGIN_S {
        return Err(FeedFault::Stale { age_s });
    }
    let answer: U256 = round.answer.into_raw();
    Ok(Told { usd: units(answer, i64::from(decimals)), age_s })
}

#[cfg(test)]
mod tests;
