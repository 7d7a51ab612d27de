//! The gauges that a voter lists: which there are, and of which kind.
//!
//! Invariant: which gauges there are is a list of facts; which gauge a claim goes to is read of the voter again.

use std::collections::BTreeSet;
use std::ops::Range;

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::Solidly;
use super::contracts::{
    balanceOfCall, concentrated, gaugesCall, lengthCall, listed, poolsCall, stakingTokenCall, thena,
};
use super::generation::Generation;
use crate::display_name::display_name;
use crate::kit::{COUNT_STANDS_S, Labels};
use crate::nonzero::nonzero;

/// The name of the list of gauges among a deployment's facts.
const LIST: &str = "gauges";

/// Stands in an entry of the list beside a gauge of zero: the voter names none for the pool any more.
const IS_GONE: bool = true;

/// A gauge, and the pool that the voter knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gauge {
    pub(super) pool: Address,
    pub(super) address: Address,
}

/// The gauges of a voter, by what they count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gauges {
    /// Those that count stakes of one token.
    pub(super) staking: Vec<Gauge>,
    /// Those of concentrated pools, which count positions.
    pub(super) concentrated: Vec<Gauge>,
}

/// The gauges of the voter, as far as they are known.
pub(super) async fn gauges(cx: &Chain, of: &Solidly, labels: Labels<'_>) -> Result<Gauges, Error> {
    let voter = of.contracts.voter;
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, of, place)));
    let count = cx.call(voter, lengthCall {}).within(COUNT_STANDS_S);
    let entries: Vec<(Address, Address, bool)> = cx.facts(labels.market, LIST, count, walk).await?;
    let listed = entries.len();
    let (mut gauges, mut seen, mut gone) = (Gauges::default(), BTreeSet::new(), 0);
    for (pool, address, is_concentrated) in entries {
        if address.is_zero() {
            gone += usize::from(is_concentrated == IS_GONE);
            continue;
        }
        // A voter that lists a pool anew names its gauge at both places.
        let of_kind = if is_concentrated { &mut gauges.concentrated } else { &mut gauges.staking };
        of_kind.extend(seen.insert(address).then_some(Gauge { pool, address }));
    }
    if gone > 0 {
        let why = "the voter took their gauges off its books, and nothing else names them";
        cx.report_not_covered(format!(
            "{}: stakes in gauges of {gone} of {listed} pools are not read: {why}",
            labels.market
        ));
    }
    Ok(gauges)
}

/// The pool at a place of the voter's list, its gauge, and whether that counts positions. The gauge is zero where it
/// counts nothing here, as those of other networks' pools, and beside [`IS_GONE`] where the voter names none any more.
async fn entry(cx: &Chain, of: &Solidly, place: u64) -> Result<(Address, Address, bool), Error> {
    let voter = of.contracts.voter;
    let pool = cx.call(voter, poolsCall { index: U256::from(place) }).await?;
    let gauge = gauge(cx, of, pool).await?;
    if gauge.is_zero() {
        return Ok((pool, Address::ZERO, IS_GONE));
    }
    let staked = match of.generation {
        Generation::VelodromeV2 => cx.try_call(gauge, stakingTokenCall {}).await?,
        Generation::VelodromeV1 | Generation::Equalizer => cx.try_call(gauge, listed::stakeCall {}).await?,
        Generation::Thena | Generation::ThenaV1 => cx.try_call(gauge, thena::TOKENCall {}).await?,
    };
    if staked.is_ok() {
        return Ok((pool, gauge, false));
    }
    let is_concentrated = of.generation == Generation::VelodromeV2
        && cx.try_call(gauge, concentrated::stakedLengthCall { depositor: voter }).await?.is_ok();
    Ok((pool, if is_concentrated { gauge } else { Address::ZERO }, is_concentrated))
}

/// The gauge that the voter names for a pool, or named before: some take a gauge off their books, which keeps its stakers.
pub(super) async fn gauge(cx: &Chain, of: &Solidly, pool: Address) -> Result<Address, Error> {
    let voter = of.contracts.voter;
    let named = cx.call(voter, gaugesCall { pool });
    let (named, known) = cx.join((named, cx.call(voter, gaugesCall { pool }).immutable())).await?;
    Ok(if named.is_zero() { known } else { named })
}

/// The staked token, which a gauge keeps for ever, and the text that stands for it.
pub(super) async fn staked(cx: &Chain, of: &Solidly, gauge: Gauge) -> Result<(Address, String), Error> {
    let at = gauge.address;
    let token = match of.generation {
        Generation::VelodromeV2 => cx.call(at, stakingTokenCall {}).immutable().await?,
        Generation::VelodromeV1 | Generation::Equalizer => cx.call(at, listed::stakeCall {}).immutable().await?,
        Generation::Thena | Generation::ThenaV1 => cx.call(at, thena::TOKENCall {}).immutable().await?,
    };
    Ok((token, display_name(cx, token).await?))
}

/// The account's stakes, of the gauges that it has one in.
pub(super) async fn stakes(
    cx: &Chain,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<(Gauge, U256)>, Error> {
    nonzero(cx, labels.market, gauges, |gauge| (gauge.address, balanceOfCall { account })).await
}

/// The error of a gauge that is no longer the one of its pool.
pub(super) fn is_gauge_no_more(gauge: Gauge) -> Error {
    Error::new(format!("{}: is the gauge of {} no more", gauge.address, gauge.pool))
}
