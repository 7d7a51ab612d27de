//! The gauges that a voter lists: which there are, and of which kind.
//!
//! Invariant: which gauges there are is a list of facts; which gauge a claim goes to is read of the voter again.

use std::ops::Range;

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::Solidly;
use super::contracts::{gaugesCall, lengthCall, listed, poolsCall, stakingTokenCall, thena};
use super::generation::Generation;
use crate::display_name::display_name;
use crate::kit::Labels;

/// The name of the list of gauges among a deployment's facts.
const LIST: &str = "gauges";

/// A gauge that counts stakes of one token, and the pool that the voter knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gauge {
    pub(super) pool: Address,
    pub(super) address: Address,
}

/// The gauges of the voter, as far as they are known.
pub(super) async fn gauges(cx: &Chain, of: &Solidly, labels: Labels<'_>) -> Result<Vec<Gauge>, Error> {
    let voter = of.contracts.voter;
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, of, place)));
    let count = cx.call(voter, lengthCall {});
    let entries: Vec<(Address, Address)> = cx.facts(labels.market, LIST, count, walk).await?;
    let gauges = entries.into_iter().map(|(pool, address)| Gauge { pool, address });
    Ok(gauges.filter(|gauge| !gauge.address.is_zero()).collect())
}

/// The pool at a place of the voter's list and its gauge, which is zero where it counts no stakes of one token: those of
/// concentrated pools count positions, those of other networks' pools nothing.
async fn entry(cx: &Chain, of: &Solidly, place: u64) -> Result<(Address, Address), Error> {
    let voter = of.contracts.voter;
    let pool = cx.call(voter, poolsCall { index: U256::from(place) }).await?;
    let gauge = cx.call(voter, gaugesCall { pool }).await?;
    let staked = match of.generation {
        Generation::VelodromeV2 => cx.try_call(gauge, stakingTokenCall {}).await?,
        Generation::VelodromeV1 | Generation::Equalizer => cx.try_call(gauge, listed::stakeCall {}).await?,
        Generation::Thena => cx.try_call(gauge, thena::TOKENCall {}).await?,
    };
    Ok((pool, if staked.is_ok() { gauge } else { Address::ZERO }))
}

/// The staked token, which a gauge keeps for ever, and the text that stands for it.
pub(super) async fn staked(cx: &Chain, of: &Solidly, gauge: Gauge) -> Result<(Address, String), Error> {
    let at = gauge.address;
    let token = match of.generation {
        Generation::VelodromeV2 => cx.call(at, stakingTokenCall {}).immutable().await?,
        Generation::VelodromeV1 | Generation::Equalizer => cx.call(at, listed::stakeCall {}).immutable().await?,
        Generation::Thena => cx.call(at, thena::TOKENCall {}).immutable().await?,
    };
    Ok((token, display_name(cx, token).await?))
}

/// The error of a gauge that is no longer the one of its pool.
pub(super) fn is_gauge_no_more(gauge: Gauge) -> Error {
    Error::new(format!("{}: is the gauge of {} no more", gauge.address, gauge.pool))
}
