//! Gauges that a voter lists, with their kinds.
//!
//! Invariant: the list of gauges is a fact list; the target of a claim is read from the voter again.

use std::collections::BTreeSet;
use std::ops::Range;

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::Solidly;
use super::contracts::{
    balanceOfCall, concentrated, gaugesCall, lengthCall, listed, poolsCall, stakingTokenCall, thena,
};
use super::generation::Generation;
use crate::display_name::display_name;
use crate::kit::{COUNT_STANDS_S, Labels};
use crate::read_nonzero::read_nonzero;

/// Key of the list of gauges among a deployment's fact lists.
const LIST: &str = "gauges";

/// Flag of an entry with a zero gauge: the voter no longer names one for the pool.
const IS_GONE: bool = true;

/// A gauge, and its pool in the voter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gauge {
    pub(super) pool: Address,
    pub(super) address: Address,
}

/// Gauges of a voter, by what they count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gauges {
    /// Gauges that count stakes of one token.
    pub(super) staking: Vec<Gauge>,
    /// Gauges of concentrated pools, which count positions.
    pub(super) concentrated: Vec<Gauge>,
}

/// Returns the known gauges of the voter.
pub(super) async fn gauges(cx: &JobContext, of: &Solidly, labels: Labels<'_>) -> Result<Gauges, Error> {
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
        // A voter that lists a pool again names its gauge in both entries.
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

/// Reads an entry of the voter's list: the pool, its gauge, and true if the gauge counts positions. The gauge is zero
/// if it counts nothing here, like those of other networks' pools. It is zero with [`IS_GONE`] if the voter no longer
/// names one.
async fn entry(cx: &JobContext, of: &Solidly, place: u64) -> Result<(Address, Address, bool), Error> {
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

/// Returns the gauge that the voter names for a pool, or named before: some remove a gauge, which keeps its stakers.
pub(super) async fn gauge(cx: &JobContext, of: &Solidly, pool: Address) -> Result<Address, Error> {
    let voter = of.contracts.voter;
    let named = cx.call(voter, gaugesCall { pool });
    let (named, known) = cx.join((named, cx.call(voter, gaugesCall { pool }).immutable())).await?;
    Ok(if named.is_zero() { known } else { named })
}

/// Returns the staked token, which never changes, and its display name.
pub(super) async fn staked(cx: &JobContext, of: &Solidly, gauge: Gauge) -> Result<(Address, String), Error> {
    let at = gauge.address;
    let token = match of.generation {
        Generation::VelodromeV2 => cx.call(at, stakingTokenCall {}).immutable().await?,
        Generation::VelodromeV1 | Generation::Equalizer => cx.call(at, listed::stakeCall {}).immutable().await?,
        Generation::Thena | Generation::ThenaV1 => cx.call(at, thena::TOKENCall {}).immutable().await?,
    };
    Ok((token, display_name(cx, token).await?))
}

/// Returns the gauges in which the account has a stake, with the amounts.
pub(super) async fn stakes(
    cx: &JobContext,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<(Gauge, U256)>, Error> {
    read_nonzero(cx, labels.market, gauges, |gauge| (gauge.address, balanceOfCall { account })).await
}

/// Error of a gauge that is no longer its pool's.
pub(super) fn is_gauge_no_more(gauge: Gauge) -> Error {
    Error::new(format!("{}: is the gauge of {} no more", gauge.address, gauge.pool))
}
