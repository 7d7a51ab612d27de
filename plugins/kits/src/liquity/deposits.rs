//! Deposits in the stability pool, and stakes of the protocol's token: both gain two tokens, which one call pays.
//!
//! The stability pool issues its reward when any deposit moves, so a claim pays at least what the view returns.

use portolan_plugin_api::{
    Address, Claim, Claimable, Error, JobContext, Leg, LegRole, NATIVE, Position, PositionKind, Reward, U256,
};

use super::contracts::{
    getCompoundedLUSDDepositCall, getDepositorETHGainCall, getDepositorLQTYGainCall, getPendingETHGainCall,
    getPendingLUSDGainCall, getTotalLUSDDepositsCall, stakesCall, totalLQTYStakedCall, unstakeCall, withdrawFromSPCall,
};
use super::{Liquity, ZERO_STANDS_S};
use crate::kit::Labels;
use crate::partial::join_partial;

/// Gains of a deposit, with their tokens.
type Gains = [(Address, U256); 2];

/// Returns the claim of gains in the stability pool.
pub(super) async fn stability_gains(
    cx: &JobContext,
    of: &Liquity,
    labels: Labels<'_>,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let pool = of.contracts.stability_pool;
    let gains = stability(cx, of, account).await?;
    let claim = cx.claim(pool, &withdrawFromSPCall { amount: U256::ZERO });
    Ok(claimable(labels, pool, claim, of.types.deposit, "stability pool gains", gains))
}

/// Returns the claim of gains of the protocol's staked token.
pub(super) async fn staking_gains(
    cx: &JobContext,
    of: &Liquity,
    labels: Labels<'_>,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let Some(staking) = of.contracts.staking else { return Ok(None) };
    let gains = staked(cx, of, staking, account).await?;
    let claim = cx.claim(staking, &unstakeCall { amount: U256::ZERO });
    Ok(claimable(labels, staking, claim, of.types.stake, "staking gains", gains))
}

/// Returns the positions of the deposit and the stake, with their gains.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Liquity,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let parts: [crate::boxed::Boxed<'_, Option<Position>>; 2] =
        [Box::pin(deposit(cx, of, labels, account)), Box::pin(stake(cx, of, labels, account))];
    let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
    Ok(found.into_iter().flatten().collect())
}

async fn deposit(
    cx: &JobContext,
    of: &Liquity,
    labels: Labels<'_>,
    account: Address,
) -> Result<Option<Position>, Error> {
    let (pool, token) = (of.contracts.stability_pool, of.contracts.debt_token);
    let held = cx.call(pool, getCompoundedLUSDDepositCall { depositor: account }).zero_within(ZERO_STANDS_S);
    let (held, gains) = cx.join((held, stability(cx, of, account))).await?;
    if held.is_zero() && gains.iter().all(|(_, gain)| gain.is_zero()) {
        return Ok(None);
    }
    let total = cx.call(pool, getTotalLUSDDepositsCall {}).await?;
    let position = position(
        labels,
        pool,
        of.types.deposit,
        "stability pool",
        Leg::new(LegRole::STAKED, token, held).of_total(total),
        gains,
    );
    // Its rate falls over time, and no view returns it.
    Ok(Some(position.reward(Reward::new(of.contracts.reward_token, None))))
}

async fn stake(cx: &JobContext, of: &Liquity, labels: Labels<'_>, account: Address) -> Result<Option<Position>, Error> {
    let Some(staking) = of.contracts.staking else { return Ok(None) };
    let held = cx.call(staking, stakesCall { user: account }).zero_within(ZERO_STANDS_S);
    let (held, gains) = cx.join((held, staked(cx, of, staking, account))).await?;
    if held.is_zero() && gains.iter().all(|(_, gain)| gain.is_zero()) {
        return Ok(None);
    }
    let total = cx.call(staking, totalLQTYStakedCall {}).await?;
    let leg = Leg::new(LegRole::STAKED, of.contracts.reward_token, held).of_total(total);
    Ok(Some(position(labels, staking, of.types.stake, "staking", leg, gains)))
}

fn position(labels: Labels<'_>, at: Address, mechanism: &str, what: &str, leg: Leg, gains: Gains) -> Position {
    let owed = gains.map(|(token, gain)| Leg::new(LegRole::REWARD_OWED, token, gain));
    let position = Position::new(PositionKind::STAKED, labels.market, at).mechanism(mechanism);
    position.named(format!("{} {what}", labels.title)).leg(leg).legs(owed)
}

/// Returns one claim for both gains; `None` if there are none.
fn claimable(
    labels: Labels<'_>,
    at: Address,
    claim: Claim,
    mechanism: &str,
    what: &str,
    gains: Gains,
) -> Option<Claimable> {
    let paid = gains.into_iter().filter(|(_, gain)| !gain.is_zero());
    let claimable =
        Claimable::new(labels.market, at, claim).mechanism(mechanism).named(format!("{} {what}", labels.title));
    let claimable = paid.fold(claimable, |claimable, (token, gain)| claimable.pays(token, gain));
    (!claimable.payments.is_empty()).then_some(claimable)
}

async fn stability(cx: &JobContext, of: &Liquity, account: Address) -> Result<Gains, Error> {
    let pool = of.contracts.stability_pool;
    let native = cx.call(pool, getDepositorETHGainCall { depositor: account }).zero_within(ZERO_STANDS_S);
    let reward = cx.call(pool, getDepositorLQTYGainCall { depositor: account }).zero_within(ZERO_STANDS_S);
    let (native, reward) = cx.join((native, reward)).await?;
    Ok([(NATIVE, native), (of.contracts.reward_token, reward)])
}

async fn staked(cx: &JobContext, of: &Liquity, staking: Address, account: Address) -> Result<Gains, Error> {
    let native = cx.call(staking, getPendingETHGainCall { user: account }).zero_within(ZERO_STANDS_S);
    let fees = cx.call(staking, getPendingLUSDGainCall { user: account }).zero_within(ZERO_STANDS_S);
    let (native, fees) = cx.join((native, fees)).await?;
    Ok([(NATIVE, native), (of.contracts.debt_token, fees)])
}
