//! Gauges of Velodrome v2 and Thena, which pay one token.

use futures_util::future::join;
use portolan_plugin_api::{
    Address, Claim, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256,
};

use super::Solidly;
use super::contracts::{
    claimRewardsCall, earnedCall, gaugesCall, getRewardCall, periodFinishCall, rewardRateCall, rewardTokenCall, thena,
    totalSupplyCall,
};
use super::gauges::{Gauge, is_gauge_no_more, staked, stakes};
use super::generation::Generation;
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

/// Returns a claim per gauge with rewards.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let owed = read_nonzero(cx, labels.market, gauges, |gauge| (gauge.address, earnedCall { account })).await?;
    let rows = owed.into_iter().map(|(gauge, amount)| claimable(cx, of, labels, gauge, amount, account));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns a position per gauge with a stake.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let held = stakes(cx, labels, gauges, account).await?.into_iter();
    let rows = held.map(|(gauge, amount)| position(cx, of, labels, gauge, amount, account));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

async fn claimable(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    amount: U256,
    account: Address,
) -> Result<Claimable, Error> {
    let named = cx.call(of.contracts.voter, gaugesCall { pool: gauge.pool });
    let token = cx.call(gauge.address, rewardTokenCall {}).immutable();
    let (read, staked) = join(cx.join((named, token)), staked(cx, of, gauge)).await;
    let ((named, token), (_, staked)) = (read?, staked?);
    if named != gauge.address {
        return Err(is_gauge_no_more(gauge));
    }
    let claimable =
        Claimable::new(labels.market, gauge.address, claim(cx, of, gauge, account)).mechanism(of.types.gauge);
    Ok(claimable.named(format!("{staked} reward")).pays(token, amount))
}

/// Returns the call that pays the account. Except for Thena's first voter, the voter can merge it for several gauges.
fn claim(cx: &JobContext, of: &Solidly, gauge: Gauge, account: Address) -> Claim {
    let merged = || cx.claim(of.contracts.voter, &claimRewardsCall { gauges: vec![gauge.address] });
    match of.generation {
        Generation::ThenaV1 => cx.claim(gauge.address, &thena::getRewardCall {}),
        Generation::Thena => cx.claim(gauge.address, &thena::getRewardCall {}).mergeable_as(merged()),
        _ => cx.claim(gauge.address, &getRewardCall { account }).mergeable_as(merged()),
    }
}

async fn position(
    cx: &JobContext,
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
    let (read, staked) = join(read, staked(cx, of, gauge)).await;
    let ((reward, rate, finish, total, earned), (token, name)) = (read?, staked?);
    let over = U256::from(cx.block().timestamp) >= finish;
    let position = Position::new(PositionKind::STAKED, labels.market, at).mechanism(of.types.gauge);
    let position = position.named(format!("{name} gauge"));
    let stake = Leg::new(LegRole::STAKED, token, amount).of_total(total);
    let owed = Leg::new(LegRole::REWARD_OWED, reward, earned);
    Ok(position.legs([stake, owed]).reward(Reward::new(reward, if over { U256::ZERO } else { rate })))
}
