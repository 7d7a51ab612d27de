//! Gauges: what is staked in them, and what they owe.
//!
//! Invariant: which gauges there are is a list of facts; which gauge a claim goes to is read of the voter again.

use std::ops::Range;

use futures_util::future::join;
use portolan_plugin_api::{Address, Chain, Claimable, Error, Leg, LegRole, Position, PositionKind, Reward, U256};

use super::contracts::{
    balanceOfCall, claimRewardsCall, earnedCall, gaugesCall, getRewardCall, lengthCall, periodFinishCall, poolsCall,
    rewardRateCall, rewardTokenCall, stakingTokenCall, totalSupplyCall,
};
use super::{Solidly, ZERO_STANDS_S};
use crate::display_name::display_name;
use crate::kit::Labels;
use crate::try_each::try_each;

/// The name of the list of gauges among a deployment's facts.
const LIST: &str = "gauges";

/// A gauge that counts stakes of one token, and the pool that the voter knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gauge {
    pool: Address,
    address: Address,
}

/// What the account has earned, a claim for each gauge.
pub(super) async fn claimables(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let earned = gauges(cx, of, labels).await?.into_iter().map(|gauge| async move {
        let amount = cx.call(gauge.address, earnedCall { account }).zero_within(ZERO_STANDS_S).await?;
        Ok((gauge, amount))
    });
    let earned = try_each(cx, earned).await.or_err_if_all(cx, labels.market)?;
    let owed = earned.into_iter().filter(|(_, amount)| !amount.is_zero());
    let rows = owed.map(|(gauge, amount)| claimable(cx, of, labels, gauge, amount, account));
    Ok(try_each(cx, rows).await.or_report(cx, labels.market))
}

/// What the account has staked, a position for each gauge.
pub(super) async fn positions(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let staked = gauges(cx, of, labels).await?.into_iter().map(|gauge| async move {
        let amount = cx.call(gauge.address, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
        Ok((gauge, amount))
    });
    let staked = try_each(cx, staked).await.or_err_if_all(cx, labels.market)?;
    let held = staked.into_iter().filter(|(_, amount)| !amount.is_zero());
    let rows = held.map(|(gauge, amount)| position(cx, of, labels, gauge, amount, account));
    Ok(try_each(cx, rows).await.or_report(cx, labels.market))
}

/// The gauges of the voter, as far as they are known.
async fn gauges(cx: &Chain, of: &Solidly, labels: Labels<'_>) -> Result<Vec<Gauge>, Error> {
    let voter = of.contracts.voter;
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, voter, place)));
    let count = cx.call(voter, lengthCall {});
    let entries: Vec<(Address, Address)> = cx.facts(labels.market, LIST, count, walk).await?;
    let gauges = entries.into_iter().map(|(pool, address)| Gauge { pool, address });
    Ok(gauges.filter(|gauge| !gauge.address.is_zero()).collect())
}

/// The pool at a place of the voter's list and its gauge, which is zero where it counts no stakes of one token: those of
/// concentrated pools count positions, those of other networks' pools nothing.
async fn entry(cx: &Chain, voter: Address, place: u64) -> Result<(Address, Address), Error> {
    let pool = cx.call(voter, poolsCall { index: U256::from(place) }).await?;
    let gauge = cx.call(voter, gaugesCall { pool }).await?;
    let counts_stakes = cx.try_call(gauge, stakingTokenCall {}).await?.is_ok();
    Ok((pool, if counts_stakes { gauge } else { Address::ZERO }))
}

async fn claimable(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    amount: U256,
    account: Address,
) -> Result<Claimable, Error> {
    let named = cx.call(of.contracts.voter, gaugesCall { pool: gauge.pool });
    let token = cx.call(gauge.address, rewardTokenCall {}).immutable();
    let (read, staked) = join(cx.join((named, token)), staked(cx, gauge)).await;
    let ((named, token), (_, staked)) = (read?, staked?);
    if named != gauge.address {
        return Err(Error::new(format!("{}: is the gauge of {} no more", gauge.address, gauge.pool)));
    }
    let merged = cx.claim(of.contracts.voter, &claimRewardsCall { gauges: vec![gauge.address] });
    let claim = cx.claim(gauge.address, &getRewardCall { account }).mergeable_as(merged);
    let claimable = Claimable::new(labels.market, gauge.address, claim).of(of.types.gauge);
    Ok(claimable.named(format!("{staked} reward")).pays(token, amount))
}

async fn position(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    amount: U256,
    account: Address,
) -> Result<Position, Error> {
    let at = gauge.address;
    let read = cx.join((
        cx.call(at, rewardTokenCall {}).immutable(),
        cx.call(at, rewardRateCall {}),
        cx.call(at, periodFinishCall {}),
        cx.call(at, totalSupplyCall {}),
        cx.call(at, earnedCall { account }),
    ));
    let (read, staked) = join(read, staked(cx, gauge)).await;
    let ((reward, rate, finish, total, earned), (token, name)) = (read?, staked?);
    let over = U256::from(cx.block().timestamp) >= finish;
    let position = Position::new(PositionKind::STAKED, labels.market, at).of(of.types.gauge);
    let position = position.named(format!("{name} gauge"));
    let stake = Leg::new(LegRole::STAKED, token, amount).of_total(total);
    let owed = Leg::new(LegRole::REWARD_OWED, reward, earned);
    Ok(position.legs([stake, owed]).reward(Reward::new(reward, if over { U256::ZERO } else { rate })))
}

/// The staked token, which a gauge keeps for ever, and the text that stands for it.
async fn staked(cx: &Chain, gauge: Gauge) -> Result<(Address, String), Error> {
    let token = cx.call(gauge.address, stakingTokenCall {}).immutable().await?;
    Ok((token, display_name(cx, token).await?))
}
