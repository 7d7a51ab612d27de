//! Troves of an account, one at each manager, and what a liquidation or a redemption has left of them.

use portolan_plugin_api::{
    Address, Claimable, Error, Health, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol,
};

use super::{
    ListedManagers, MCRCall, claimCollateralCall, collateralTokenCall, debtTokenCall, decimalsCall, fetchPriceCall,
    getEntireDebtAndCollCall, getEntireDebtAndCollReturn, interestRateCall, surplusBalancesCall,
};
use crate::fixed_point::yearly;
use crate::kit::{Labels, ZERO_STANDS_S};
use crate::partial::{join_partial, or_default, with_each};
use crate::read_nonzero::read_nonzero;
use crate::trove_health::Ratio;

/// Cache time of what a manager's owner may set, in seconds.
const SETTINGS_STAND_S: u32 = 300;

/// Returns the positions of the troves.
pub(super) async fn positions(
    cx: &JobContext,
    of: &ListedManagers,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let calls = of.managers.iter().map(|manager| (*manager, getEntireDebtAndCollCall { borrower: account }));
    let troves = with_each(of.managers.clone(), cx.call_each(calls).zero_within(ZERO_STANDS_S)).await;
    let mut troves = troves.fail_if_none(cx, labels.market)?;
    troves.retain(|(_, trove)| !trove.debt.is_zero() || !trove.coll.is_zero());
    let rows = troves.into_iter().map(|(manager, trove)| position(cx, of, labels, manager, trove));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

async fn position(
    cx: &JobContext,
    of: &ListedManagers,
    labels: Labels<'_>,
    manager: Address,
    trove: getEntireDebtAndCollReturn,
) -> Result<Position, Error> {
    let getEntireDebtAndCollReturn { debt, coll, .. } = trove;
    let rate = cx.call(manager, interestRateCall {}).within(SETTINGS_STAND_S);
    let collateral = cx.call(manager, collateralTokenCall {}).immutable();
    let (collateral, debt_token, rate) =
        cx.join((collateral, cx.call(manager, debtTokenCall {}).immutable(), rate)).await?;
    let owes = !debt.is_zero();
    let supplied = Leg::new(LegRole::SUPPLIED, collateral, coll).rate_ray(U256::ZERO);
    let supplied = Leg { is_collateral: Some(owes), ..supplied };
    let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
    let position = Position::new(kind, labels.market, manager).mechanism(of.types.trove);
    let position = position.named(format!("{} {} trove", labels.title, symbol(collateral))).leg(supplied);
    if !owes {
        return Ok(position);
    }
    let ratio = Ratio { collateral: (collateral, coll), debt: (debt_token, debt) };
    let health = health(cx, manager, ratio).await.map(Some);
    let health = or_default(cx, format_args!("{}: health of the trove at {manager}", labels.market), health);
    Ok(Position { health, ..position.leg(Leg::new(LegRole::BORROWED, debt_token, debt).rate_ray(yearly(rate)?)) })
}

/// Returns the collateral ratio over the minimum ratio, and the price at which they are equal.
async fn health(cx: &JobContext, manager: Address, ratio: Ratio) -> Result<Health, Error> {
    let (collateral, _) = ratio.collateral;
    let price = cx.call(manager, fetchPriceCall {}).isolated();
    let least = cx.call(manager, MCRCall {}).within(SETTINGS_STAND_S);
    let (price, least, decimals) = cx.join((price, least, cx.call(collateral, decimalsCall {}))).await?;
    ratio.health_scaled(price, least, U256::from(decimals))
}

/// Returns a claim for each manager that has collateral left over.
pub(super) async fn left_over(
    cx: &JobContext,
    of: &ListedManagers,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let call = |manager: &Address| (*manager, surplusBalancesCall { borrower: account });
    let left = read_nonzero(cx, labels.market, of.managers.clone(), call).await?;
    let rows = left.into_iter().map(|(manager, amount)| async move {
        let token = cx.call(manager, collateralTokenCall {}).immutable().await?;
        let claim = cx.claim(manager, &claimCollateralCall { receiver: account });
        let claimable = Claimable::new(labels.market, manager, claim).mechanism(of.types.trove).pays(token, amount);
        Ok(claimable.named(format!("{} {} left over", labels.title, symbol(token))))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}
