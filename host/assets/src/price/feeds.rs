//! Prices that oracles write to the chain, read through Chainlink's interface.
//!
//! Invariant: a round counts only if its answer is positive, it was written at or before the answer's block, and it
//! is no older than the feed's heartbeat plus [`MARGIN_S`]. On a network with a sequencer, the sequencer must also
//! run. Bounds to which an aggregator clamps its answers are not checked.

mod sequencer;

mod table;

use std::collections::HashMap;
use std::future::ready;

use alloy::primitives::{Address, U256};
use alloy::sol;
use alloy::sol_types::SolCall;
use bigdecimal::BigDecimal;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use portolan_base::network::Network;
use portolan_reader::{Freshness, Outcome, Read, Reply};

use super::currencies;
use super::source::{Coverage, PriceRequest, PriceSource, UnpricedToken};
use crate::amount::decimal;
use crate::token::{NATIVE, Price};

sol! {
    /// <https://docs.chain.link/data-feeds/api-reference>
    interface Aggregator {
        function decimals() external view returns (uint8);
        function latestRoundData() external view returns (
            uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound
        );
    }
}

/// Seconds that a due update may take to get into a block.
const MARGIN_S: u64 = 600;

/// One oracle contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feed {
    pub address: Address,
    /// Maximum seconds between two updates.
    pub heartbeat_s: u32,
}

/// The price that a feed reports, in dollars, and its age.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FeedPrice {
    usd: BigDecimal,
    age_s: u64,
}

/// Reason why a feed's round does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum RoundError {
    #[error("it does not return what a feed returns")]
    NotAFeed,
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
    configured: HashMap<(u64, Address), Vec<Feed>>,
    shipped: HashMap<(u64, Address), Vec<Feed>>,
}

impl Feeds {
    /// The shipped feeds; `configured` ones take precedence.
    pub(super) fn new(configured: impl IntoIterator<Item = (u64, Address, Feed)>) -> Self {
        let shipped = table::SHIPPED
            .iter()
            .flat_map(|(chain_id, rows)| rows.iter().map(move |row| ((*chain_id, row.token), row.feeds.to_vec())));
        let currencies = currencies::feeds().map(|(key, feed)| (key, vec![feed]));
        let configured = configured.into_iter().map(|(chain_id, token, feed)| ((chain_id, token), vec![feed]));
        Self { configured: configured.collect(), shipped: shipped.chain(currencies).collect() }
    }

    /// The feeds whose answers multiply to the token's price; empty if none is known. The native token and its
    /// wrapper share feeds.
    pub(super) fn of(&self, network: &Network, token: Address) -> &[Feed] {
        let twin = match network.wrapped_native {
            Some(wrapped) if token == wrapped => NATIVE,
            Some(wrapped) if token == NATIVE => wrapped,
            _ => token,
        };
        let mut known = [&self.configured, &self.shipped]
            .into_iter()
            .flat_map(|feeds| [token, twin].into_iter().filter_map(move |token| feeds.get(&(network.chain_id, token))));
        known.next().map(Vec::as_slice).unwrap_or_default()
    }
}

impl PriceSource for Feeds {
    fn coverage(&self, network: &Network, token: Address) -> Coverage {
        if self.of(network, token).is_empty() { Coverage::Unknown } else { Coverage::Likely }
    }

    fn network_reads(&self, network: &Network) -> Vec<Read> {
        sequencer::uptime_read(network.chain_id).into_iter().collect()
    }

    fn reads(&self, network: &Network, token: Address) -> Vec<Read> {
        self.of(network, token).iter().flat_map(|feed| round_reads(*feed)).collect()
    }

    fn prices<'a>(&'a self, request: &'a PriceRequest<'a>) -> BoxFuture<'a, HashMap<Address, Price>> {
        if !is_written(request) {
            return ready(HashMap::new()).boxed();
        }
        let price = |token: &UnpricedToken<'_>| Some((token.address, self.price(request, token)?));
        ready(request.tokens.iter().filter_map(price).collect()).boxed()
    }
}

/// Returns true if feeds are being updated: a sequencer, if there is one, must run.
fn is_written(request: &PriceRequest<'_>) -> bool {
    let Some(uptime) = request.network_replies.first() else { return true };
    let checked = sequencer::check(uptime, request.block.timestamp);
    if let Err(error) = checked {
        let network = &request.network.slug;
        tracing::debug!(%network, block = request.block.number, %error, "feeds are not used");
    }
    checked.is_ok()
}

impl Feeds {
    /// The price from the token's feeds, if all of them are good.
    fn price(&self, request: &PriceRequest<'_>, token: &UnpricedToken<'_>) -> Option<Price> {
        let feeds = self.of(request.network, token.address);
        let mut rounds = request.replies_of(token).chunks(ROUND_READS);
        let prices = feeds.iter().map(|feed| {
            let round = rounds.next().unwrap_or_default();
            validate_round(*feed, round, request.block.timestamp).inspect_err(|error| {
                let network = &request.network.slug;
                tracing::debug!(%network, feed = %feed.address, block = request.block.number, %error, "feed is not used");
            })
        });
        let prices = prices.collect::<Result<Vec<_>, _>>().ok()?.into_iter();
        let product =
            |all: FeedPrice, one: FeedPrice| FeedPrice { usd: all.usd * one.usd, age_s: all.age_s.max(one.age_s) };
        let FeedPrice { usd, age_s } = prices.reduce(product)?;
        let contracts = feeds.iter().map(|feed| feed.address).collect();
        Some(Price { usd, source: "chainlink", age_s: Some(age_s), contracts })
    }
}

/// Number of reads whose replies [`validate_round`] takes.
const ROUND_READS: usize = 2;

/// Reads the round at the answer's block, and the feed's decimals, which never change.
fn round_reads(feed: Feed) -> [Read; ROUND_READS] {
    [
        Read::call(feed.address, Aggregator::latestRoundDataCall {}.abi_encode()),
        Read::call(feed.address, Aggregator::decimalsCall {}.abi_encode()).fresh(Freshness::Immutable),
    ]
}

/// Returns the feed's price at a block with this time.
fn validate_round(feed: Feed, replies: &[Reply], block_timestamp: u64) -> Result<FeedPrice, RoundError> {
    let [round, decimals] = replies else { return Err(RoundError::NotAFeed) };
    let (Outcome::Ok(round), Outcome::Ok(decimals)) = (&round.outcome, &decimals.outcome) else {
        return Err(RoundError::NotAFeed);
    };
    let round =
        Aggregator::latestRoundDataCall::abi_decode_returns_validate(round).map_err(|_| RoundError::NotAFeed)?;
    let decimals = Aggregator::decimalsCall::abi_decode_returns_validate(decimals).map_err(|_| RoundError::NotAFeed)?;
    if !round.answer.is_positive() {
        return Err(RoundError::NotPositive);
    }
    if round.updatedAt.is_zero() {
        return Err(RoundError::NeverWritten);
    }
    let written_at = u64::try_from(round.updatedAt).map_err(|_| RoundError::FromTheFuture)?;
    let age_s = block_timestamp.checked_sub(written_at).ok_or(RoundError::FromTheFuture)?;
    if age_s > u64::from(feed.heartbeat_s) + MARGIN_S {
        return Err(RoundError::Stale { age_s });
    }
    let answer: U256 = round.answer.into_raw();
    Ok(FeedPrice { usd: decimal(answer, i64::from(decimals)), age_s })
}

#[cfg(test)]
mod tests;
