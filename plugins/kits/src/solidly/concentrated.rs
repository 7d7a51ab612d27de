//! Gauges of concentrated pools: staked positions, each an NFT, and their rewards.
//!
//! Invariant: a claim of one position only pays that position's reward.

use portolan_plugin_api::{
    Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256, symbol,
};

use super::Solidly;
use super::contracts::concentrated::{
    earnedCall, getRewardCall, nftCall, positionsCall, rewardsCall, stakedByIndexCall, stakedLengthCall,
    stakedLiquidityCall, token0Call, token1Call,
};
use super::contracts::{claimRewardsCall, gaugesCall, periodFinishCall, rewardRateCall, rewardTokenCall};
use super::gauges::{Gauge, is_gauge_no_more};
use crate::concentrated_liquidity::{Liquidity, slot0Call};
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

/// Staked positions of one account in one gauge that are read.
const STAKED_MAX: usize = 100;

/// Positions of an account in one gauge.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Staked {
    gauge: Gauge,
    ids: Vec<U256>,
}

/// Returns a claim per position with rewards.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let staked = staked(cx, labels, gauges, account).await?;
    let rows = staked.iter().flat_map(|staked| {
        let is_alone = staked.ids.len() == 1;
        staked.ids.iter().map(move |id| claimable(cx, of, labels, staked.gauge, *id, is_alone, account))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

/// Returns the account's positions, with the amounts of their liquidity.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let staked = staked(cx, labels, gauges, account).await?;
    let rows = staked
        .iter()
        .flat_map(|staked| staked.ids.iter().map(move |id| position(cx, of, labels, staked.gauge, *id, account)));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the gauges in which the account has positions, with the positions' ids.
async fn staked(
    cx: &JobContext,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Staked>, Error> {
    let counted = |gauge: &Gauge| (gauge.address, stakedLengthCall { depositor: account });
    let counted = read_nonzero(cx, labels.market, gauges, counted).await?;
    let staked = counted.into_iter().map(|(gauge, count)| async move {
        let read = usize::try_from(count).unwrap_or(usize::MAX).min(STAKED_MAX);
        if count > U256::from(read) {
            cx.report_not_covered(format!(
                "{}: {}: {read} of {count} positions are read",
                labels.market, gauge.address
            ));
        }
        let ids = (0..read)
            .map(U256::from)
            .map(|index| cx.call(gauge.address, stakedByIndexCall { depositor: account, index }));
        Ok(Staked { gauge, ids: cx.join(ids).await? })
    });
    join_partial(cx, staked).await.fail_if_none(cx, labels.market)
}

/// Returns a position's reward, settled and unsettled.
async fn earned(cx: &JobContext, gauge: Gauge, id: U256, account: Address) -> Result<U256, Error> {
    let earned = cx.call(gauge.address, earnedCall { account, tokenId: id });
    let (earned, settled) = cx.join((earned, cx.call(gauge.address, rewardsCall { tokenId: id }))).await?;
    earned
        .checked_add(settled)
        .ok_or_else(|| Error::new(format!("{}: position {id} has earned too much", gauge.address)))
}

/// Returns the claim of a position's reward. The voter's claim pays all positions of a gauge, so it is only offered if
/// this is the only one.
async fn claimable(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    id: U256,
    is_alone: bool,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let (at, voter) = (gauge.address, of.contracts.voter);
    let (named, earned, token, token0, token1) = cx
        .join((
            cx.call(voter, gaugesCall { pool: gauge.pool }),
            earned(cx, gauge, id, account),
            cx.call(at, rewardTokenCall {}).immutable(),
            cx.call(at, token0Call {}).immutable(),
            cx.call(at, token1Call {}).immutable(),
        ))
        .await?;
    if earned.is_zero() {
        return Ok(None);
    }
    if named != at {
        return Err(is_gauge_no_more(gauge));
    }
    let claim = cx.claim(at, &getRewardCall { tokenId: id });
    let claim = match is_alone {
        true => claim.mergeable_as(cx.claim(voter, &claimRewardsCall { gauges: vec![at] })),
        false => claim,
    };
    let claimable = Claimable::new(labels.market, at, claim).mechanism(of.types.gauge).numbered(id);
    Ok(Some(claimable.named(format!("{}/{} reward", symbol(token0), symbol(token1))).pays(token, earned)))
}

async fn position(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    id: U256,
    account: Address,
) -> Result<Position, Error> {
    let at = gauge.address;
    let held = async {
        let manager = cx.call(at, nftCall {}).immutable().await?;
        Ok::<_, Error>((manager, cx.call(manager, positionsCall { tokenId: id }).await?))
    };
    let pool = cx.join((cx.call(gauge.pool, slot0Call {}), cx.call(gauge.pool, stakedLiquidityCall {})));
    let paying = cx.join((cx.call(at, rewardRateCall {}), cx.call(at, periodFinishCall {})));
    let token = cx.call(at, rewardTokenCall {}).immutable();
    let read = cx.join((held, pool, paying, token, earned(cx, gauge, id, account)));
    let ((manager, held), (slot0, staked), (rate, finish), token, earned) = read.await?;
    let (tokens, ticks) = ([held.token0, held.token1], [held.tickLower.as_i32(), held.tickUpper.as_i32()]);
    let liquidity = Liquidity { at, id, tokens, ticks, amount: held.liquidity };
    let is_paid = liquidity.range()?.contains(slot0.tick.as_i32()) && finish > U256::from(cx.block().timestamp);
    let rate = if is_paid { rate } else { U256::ZERO };
    let position = Position::new(PositionKind::STAKED, labels.market, at).mechanism(of.types.gauge);
    let position = position.named(format!("{} gauge", liquidity.pair()));
    let position = liquidity.shown_in(position, LegRole::STAKED, &slot0, manager)?;
    let owed = Leg::new(LegRole::REWARD_OWED, token, earned);
    Ok(position.leg(owed).reward(own_rate(token, rate, held.liquidity, staked)))
}

/// Returns the rate of this liquidity: its share of the gauge's rate among all liquidity staked at the pool's price.
fn own_rate(token: Address, rate: U256, liquidity: u128, staked: u128) -> Reward {
    let own = rate.checked_mul(U256::from(liquidity)).filter(|_| staked > 0);
    Reward { own_per_second: own, divisor: own.map(|_| U256::from(staked)), ..Reward::new(token, None) }
}
