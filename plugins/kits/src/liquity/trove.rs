//! The trove of an account, and surplus collateral of a closed one.

use portolan_plugin_api::{
    Address, Claimable, Error, Health, JobContext, Leg, LegRole, NATIVE, Position, PositionKind, U256, symbol,
};

use super::contracts::{MCRCall, claimCollateralCall, fetchPriceCall, getCollateralCall, getEntireDebtAndCollCall};
use super::{Liquity, ZERO_STANDS_S};
use crate::kit::Labels;
use crate::trove_health::Ratio;

/// Returns the position of the trove, if there is one. A health that cannot be computed is absent, and reported.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Liquity,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let manager = of.contracts.trove_manager;
    let trove = cx.call(manager, getEntireDebtAndCollCall { borrower: account }).zero_within(ZERO_STANDS_S).await?;
    if trove.debt.is_zero() && trove.coll.is_zero() {
        return Ok(Vec::new());
    }
    // Neither bears interest.
    let leg = |role, token, amount| Leg::new(role, token, amount).rate_ray(U256::ZERO);
    let supplied = Leg { is_collateral: Some(true), ..leg(LegRole::SUPPLIED, NATIVE, trove.coll) };
    let borrowed = leg(LegRole::BORROWED, of.contracts.debt_token, trove.debt);
    let position = Position::new(PositionKind::BORROWED, labels.market, manager).mechanism(of.types.trove);
    let position = position.named(format!("{} trove", labels.title)).legs([supplied, borrowed]);
    let health = health(cx, of, trove.coll, trove.debt).await;
    let health = health.inspect_err(|error| cx.report_missing(format!("{}: health: {error}", labels.market))).ok();
    Ok(vec![Position { health, ..position }])
}

/// Returns the collateral ratio over the minimum ratio, and the price at which they are equal.
async fn health(cx: &JobContext, of: &Liquity, collateral: U256, debt: U256) -> Result<Health, Error> {
    let price = cx.call(of.contracts.price_feed, fetchPriceCall {}).isolated();
    let least = cx.call(of.contracts.trove_manager, MCRCall {}).immutable();
    let (price, least) = cx.join((price, least)).await?;
    Ratio { collateral: (NATIVE, collateral), debt: (of.contracts.debt_token, debt) }.health(price, least)
}

/// Returns the claim of surplus collateral from a redemption or liquidation.
pub(super) async fn surplus(
    cx: &JobContext,
    of: &Liquity,
    labels: Labels<'_>,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let (Some(pool), Some(operations)) = (of.contracts.surplus_pool, of.contracts.borrower_operations) else {
        return Ok(None);
    };
    let amount = cx.call(pool, getCollateralCall { account }).zero_within(ZERO_STANDS_S).await?;
    let claim = cx.claim(operations, &claimCollateralCall {});
    let claimable = Claimable::new(labels.market, pool, claim).mechanism(of.types.trove).pays(NATIVE, amount);
    Ok((!amount.is_zero()).then(|| claimable.named(format!("{} left over", symbol(NATIVE)))))
}
