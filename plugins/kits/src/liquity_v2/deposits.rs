//! Deposits in stability pools. Each gains the debt token and the collateral, which one call pays.

use portolan_plugin_api::{
    Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256, symbol,
};

use super::branches::Branch;
use super::contracts::{
    claimAllCollGainsCall, depositsCall, getCompoundedBoldDepositCall, getDepositorCollGainCall,
    getDepositorYieldGainWithPendingCall, getTotalBoldDepositsCall, stashedCollCall, withdrawFromSPCall,
};
use super::{Branches, ZERO_STANDS_S};
use crate::fixed_point::too_large;
use crate::kit::Labels;

/// What a depositor is owed.
struct PoolGains {
    /// False if there is stashed collateral of an earlier deposit alone.
    has_deposit: bool,
    debt_token: U256,
    collateral: U256,
}

/// Returns the claim of a deposit's gains, or of stashed collateral without a deposit.
pub(super) async fn gains(
    cx: &JobContext,
    of: &Branches,
    branch: &Branch,
    labels: Labels<'_>,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let Some(gains) = read(cx, branch, account).await? else { return Ok(None) };
    let pool = branch.pool;
    let claim = match gains.has_deposit {
        true => cx.claim(pool, &withdrawFromSPCall { amount: U256::ZERO, doClaim: true }),
        false => cx.claim(pool, &claimAllCollGainsCall {}),
    };
    let paid = [(of.debt_token, gains.debt_token), (branch.collateral, gains.collateral)];
    let claimable = Claimable::new(labels.market, pool, claim).mechanism(of.types.deposit);
    let claimable = claimable.named(format!("{} {} stability pool gains", labels.title, symbol(branch.collateral)));
    let paid = paid.into_iter().filter(|(_, amount)| !amount.is_zero());
    let claimable = paid.fold(claimable, |claimable, (token, amount)| claimable.pays(token, amount));
    Ok((!claimable.payments.is_empty()).then_some(claimable))
}

/// Returns the position of the deposit.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Branches,
    branch: &Branch,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let Some(gains) = read(cx, branch, account).await? else { return Ok(Vec::new()) };
    let pool = branch.pool;
    let held = cx.call(pool, getCompoundedBoldDepositCall { depositor: account });
    let (held, total) = cx.join((held, cx.call(pool, getTotalBoldDepositsCall {}))).await?;
    let owed = [(of.debt_token, gains.debt_token), (branch.collateral, gains.collateral)];
    let position = Position::new(PositionKind::STAKED, labels.market, pool).mechanism(of.types.deposit);
    let position = position.named(format!("{} {} stability pool", labels.title, symbol(branch.collateral)));
    let position = position.leg(Leg::new(LegRole::STAKED, of.debt_token, held).of_total(total));
    let position = position.legs(owed.map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount)));
    // The yield is a part of the interest of all troves, which no view returns by depositor.
    Ok(vec![position.reward(Reward::new(of.debt_token, None))])
}

/// Reads the gains; `None` if the account has neither a deposit nor stashed collateral.
async fn read(cx: &JobContext, branch: &Branch, account: Address) -> Result<Option<PoolGains>, Error> {
    let (pool, depositor) = (branch.pool, account);
    let initial = cx.call(pool, depositsCall { depositor }).zero_within(ZERO_STANDS_S);
    let stashed = cx.call(pool, stashedCollCall { depositor }).zero_within(ZERO_STANDS_S);
    let (initial, stashed) = cx.join((initial, stashed)).await?;
    if initial.is_zero() {
        let gains = PoolGains { has_deposit: false, debt_token: U256::ZERO, collateral: stashed };
        return Ok((!stashed.is_zero()).then_some(gains));
    }
    let debt_token = cx.call(pool, getDepositorYieldGainWithPendingCall { depositor });
    let (debt_token, gained) = cx.join((debt_token, cx.call(pool, getDepositorCollGainCall { depositor }))).await?;
    let collateral = gained.checked_add(stashed).ok_or_else(too_large)?;
    Ok(Some(PoolGains { has_deposit: true, debt_token, collateral }))
}
