//! Deposits in the stability pool, which gains collaterals of several managers. One call pays all gains.

use portolan_plugin_api::{Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, U256};

use super::{
    ListedManagers, accountDepositsCall, claimCollateralGainsCall, collateralGainsByDepositorCall,
    collateralTokensCall, debtTokenCall, getCompoundedDebtDepositCall, getDepositorCollateralGainCall,
    getTotalDebtTokenDepositsCall,
};
use crate::bounds::truncate;
use crate::kit::{Labels, ZERO_STANDS_S};

/// Gains of one deposit that are answered; a pool has room for 256 collaterals.
const GAINS_MAX: usize = 32;

/// A gain of a deposit.
struct CollateralGain {
    /// Place of the collateral in the pool's list.
    index: U256,
    token: Address,
    amount: U256,
}

/// Returns the claim of all gains, if there are any.
pub(super) async fn gains(
    cx: &JobContext,
    of: &ListedManagers,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let Some(pool) = of.contracts.stability_pool else { return Ok(Vec::new()) };
    let gains = gained(cx, labels, pool, account).await?;
    if gains.is_empty() {
        return Ok(Vec::new());
    }
    let indexes = gains.iter().map(|gain| gain.index).collect();
    let claim = cx.claim(pool, &claimCollateralGainsCall { recipient: account, collateralIndexes: indexes });
    let claimable = Claimable::new(labels.market, pool, claim).mechanism(of.types.deposit);
    let claimable = claimable.named(format!("{} stability pool gains", labels.title));
    Ok(vec![gains.into_iter().fold(claimable, |claimable, gain| claimable.pays(gain.token, gain.amount))])
}

/// Returns the position of the deposit, with its gains; also that of gains without a deposit.
pub(super) async fn positions(
    cx: &JobContext,
    of: &ListedManagers,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let Some(pool) = of.contracts.stability_pool else { return Ok(Vec::new()) };
    let initial = cx.call(pool, accountDepositsCall { depositor: account }).zero_within(ZERO_STANDS_S);
    let (initial, gains) = cx.join((initial, gained(cx, labels, pool, account))).await?;
    if initial.amount == 0 && gains.is_empty() {
        return Ok(Vec::new());
    }
    let token = cx.call(pool, debtTokenCall {}).immutable();
    let held = cx.call(pool, getCompoundedDebtDepositCall { depositor: account });
    let total = cx.call(pool, getTotalDebtTokenDepositsCall {});
    let (token, held, total) = cx.join((token, held, total)).await?;
    let owed = gains.into_iter().map(|gain| Leg::new(LegRole::REWARD_OWED, gain.token, gain.amount));
    let position = Position::new(PositionKind::STAKED, labels.market, pool).mechanism(of.types.deposit);
    let position = position.named(format!("{} stability pool", labels.title));
    Ok(vec![position.leg(Leg::new(LegRole::STAKED, token, held).of_total(total)).legs(owed)])
}

/// Reads the gains that are not zero. All of them or none: one call pays them.
async fn gained(
    cx: &JobContext,
    labels: Labels<'_>,
    pool: Address,
    account: Address,
) -> Result<Vec<CollateralGain>, Error> {
    let gains = cx.call(pool, getDepositorCollateralGainCall { depositor: account }).await?;
    let mut gains: Vec<_> = (0_u64..).zip(gains).filter(|(_, amount)| !amount.is_zero()).collect();
    truncate(cx, labels.market, &mut gains, "gains", GAINS_MAX);
    let gains = gains.into_iter().map(|(index, amount)| async move {
        let index = U256::from(index);
        let stored = cx.call(pool, collateralGainsByDepositorCall { depositor: account, index });
        let (token, stored) = cx.join((cx.call(pool, collateralTokensCall { index }), stored)).await?;
        if U256::from(stored) > amount {
            return Err(Error::new(format!("{pool}: gains of {token} that are less than those before")));
        }
        Ok(CollateralGain { index, token, amount })
    });
    cx.join(gains).await
}
