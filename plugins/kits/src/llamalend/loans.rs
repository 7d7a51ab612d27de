//! Loans of an account: the debt and its collateral, a part of which may have been sold for the borrowed token.

use std::ops::Range;

use portolan_plugin_api::{
    Address, Error, Health, I256, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol,
};

use super::contracts::{
    ammCall, coinsCall, controllersCall, healthCall, loan_existsCall, market_countCall, marketsCall, n_collateralsCall,
    rateCall, user_stateCall,
};
use super::{LlamaLend, MarketFactory, ZERO_STANDS_S};
use crate::fixed_point::{WAD, ray_a_year};
use crate::kit::{COUNT_STANDS_S, Labels};
use crate::partial::{join_partial, with_each};

/// Key of the list of controllers among a deployment's fact lists.
const LIST: &str = "controllers";

/// Returns a position per market with a loan.
pub(super) async fn positions(
    cx: &JobContext,
    of: &LlamaLend,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let controllers = controllers(cx, of, labels).await?;
    let owes = cx.call_each(controllers.iter().map(|controller| (*controller, loan_existsCall { account })));
    let owes = with_each(controllers, owes.zero_within(ZERO_STANDS_S)).await.fail_if_none(cx, labels.market)?;
    let rows = owes.into_iter().filter(|(_, exists)| *exists);
    let rows = rows.map(|(controller, _)| position(cx, of, labels, controller, account));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the known controllers of the factory.
async fn controllers(cx: &JobContext, of: &LlamaLend, labels: Labels<'_>) -> Result<Vec<Address>, Error> {
    let factory = of.factory.address();
    let at = move |place| async move {
        let index = U256::from(place);
        match of.factory {
            MarketFactory::Markets(_) => Ok(cx.call(factory, marketsCall { index }).await?.controller),
            _ => cx.call(factory, controllersCall { index }).await,
        }
    };
    let walk = |places: Range<u64>| cx.join(places.map(at));
    let count = async {
        match of.factory {
            MarketFactory::CrvUsd(_) => cx.call(factory, n_collateralsCall {}).within(COUNT_STANDS_S).await,
            _ => cx.call(factory, market_countCall {}).within(COUNT_STANDS_S).await,
        }
    };
    cx.facts(labels.market, LIST, count, walk).await
}

async fn position(
    cx: &JobContext,
    of: &LlamaLend,
    labels: Labels<'_>,
    controller: Address,
    account: Address,
) -> Result<Position, Error> {
    let amm = async {
        let amm = cx.call(controller, ammCall {}).immutable().await?;
        let coin = |index: u64| cx.call(amm, coinsCall { index: U256::from(index) }).immutable();
        cx.join((coin(0), coin(1), cx.call(amm, rateCall {}))).await
    };
    let state = cx.call(controller, user_stateCall { account });
    let health = cx.call(controller, healthCall { account, full: true });
    let ((lent, collateral, rate), state, health) = cx.join((amm, state, health)).await?;
    let secured = |token, amount| Leg { is_collateral: Some(true), ..Leg::new(LegRole::SUPPLIED, token, amount) };
    let debt = Leg::new(LegRole::BORROWED, lent, state.debt).rate_ray(ray_a_year(rate)?);
    let position = Position::new(PositionKind::BORROWED, labels.market, controller).mechanism(of.types.loan);
    let position = position.named(format!("{} {} for {}", labels.title, symbol(collateral), symbol(lent)));
    let legs = [secured(collateral, state.collateral), secured(lent, state.converted), debt];
    let factor_wad = factor(health);
    Ok(Position { health: Some(Health { factor_wad, liquidation_price: None }), ..position.legs(legs) })
}

/// Returns the health factor. The controller's health is collateral over debt, less one; below minus one, the factor is
/// zero.
fn factor(health: I256) -> Option<U256> {
    let factor = health.checked_add(I256::try_from(WAD).ok()?)?;
    Some(U256::try_from(factor).unwrap_or_default())
}
