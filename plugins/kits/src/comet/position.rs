//! Amounts that the account lends and owes in a market, and its collateral.

use futures_util::future::join;
use portolan_plugin_api::{Address, Error, Health, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::contracts::{
    balanceOfCall, baseScaleCall, baseTokenCall, baseTokenPriceFeedCall, borrowBalanceOfCall, getAssetInfoCall,
    getBorrowRateCall, getPriceCall, getSupplyRateCall, getUtilizationCall, numAssetsCall, userCollateralCall,
};
use super::{Comet, ZERO_STANDS_S};
use crate::fixed_point::{WAD, product, ray_a_year, too_large};
use crate::kit::Labels;
use crate::partial::{join_partial, or_default};

/// Cache time of the list of collaterals, in seconds; a new one shows at most this much later.
const LIST_STANDS_S: u32 = 300;

/// A collateral of the account, with its index in the market's list.
#[derive(Clone, Copy, Debug)]
struct Collateral {
    index: u8,
    asset: Address,
    amount: U256,
}

/// Returns the position in the market, if there is one.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Comet,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let comet = of.contracts.comet;
    let supplied = cx.call(comet, balanceOfCall { account }).zero_within(ZERO_STANDS_S);
    let borrowed = cx.call(comet, borrowBalanceOfCall { account }).zero_within(ZERO_STANDS_S);
    let (supplied, borrowed, (collateral, is_whole)) =
        cx.join((supplied, borrowed, collateral(cx, of, labels, account))).await?;
    if supplied.is_zero() && borrowed.is_zero() && collateral.is_empty() {
        return Ok(Vec::new());
    }
    let base = base_legs(cx, of, labels, supplied, borrowed);
    let (base, health) = join(base, health(cx, of, borrowed, &collateral)).await;
    let kind = if borrowed.is_zero() { PositionKind::LENT } else { PositionKind::BORROWED };
    let position = Position::new(kind, labels.market, comet).mechanism(of.types.market).named(labels.title);
    let given = collateral.into_iter().map(|Collateral { asset, amount, .. }| {
        // Collateral is not lent, and earns nothing.
        let leg = Leg::new(LegRole::SUPPLIED, asset, amount).rate_ray(U256::ZERO);
        let name = format!("{} {} collateral", labels.title, symbol(asset));
        Leg { is_collateral: Some(true), ..leg.named(name) }
    });
    // Without all of the collateral it would be too low.
    let health = or_default(cx, format_args!("{}: health factor", labels.market), health).filter(|_| is_whole);
    Ok(vec![Position { health, ..position.legs(base?).legs(given) }])
}

/// Returns the account's collateral, and true if all of it could be read. Failed reads are reported.
async fn collateral(
    cx: &JobContext,
    of: &Comet,
    labels: Labels<'_>,
    account: Address,
) -> Result<(Vec<Collateral>, bool), Error> {
    let comet = of.contracts.comet;
    let count = cx.call(comet, numAssetsCall {}).within(LIST_STANDS_S).await?;
    let each = (0..count).map(|index| async move {
        let asset = cx.call(comet, getAssetInfoCall { index }).within(LIST_STANDS_S).await?.asset;
        let held = cx.call(comet, userCollateralCall { account, asset }).zero_within(ZERO_STANDS_S).await?;
        Ok(Collateral { index, asset, amount: U256::from(held.balance) })
    });
    let mut all = join_partial(cx, each).await.fail_if_none(cx, labels.market)?;
    let is_whole = all.len() == usize::from(count);
    all.retain(|collateral| !collateral.amount.is_zero());
    Ok((all, is_whole))
}

/// Returns the lent or owed amount, at current rates; an account has only one of them.
async fn base_legs(
    cx: &JobContext,
    of: &Comet,
    labels: Labels<'_>,
    supplied: U256,
    borrowed: U256,
) -> Result<Vec<Leg>, Error> {
    if supplied.is_zero() && borrowed.is_zero() {
        return Ok(Vec::new());
    }
    let comet = of.contracts.comet;
    let token = cx.call(comet, baseTokenCall {}).immutable();
    let (token, utilization) = cx.join((token, cx.call(comet, getUtilizationCall {}))).await?;
    let supply = (!supplied.is_zero()).then_some(async move {
        let rate = cx.call(comet, getSupplyRateCall { utilization }).await?;
        let leg = Leg::new(LegRole::SUPPLIED, token, supplied).rate_ray(ray_a_year(U256::from(rate))?);
        Ok(leg.named(format!("{} {}", labels.title, symbol(token))))
    });
    let borrow = (!borrowed.is_zero()).then_some(async move {
        let rate = cx.call(comet, getBorrowRateCall { utilization }).await?;
        let leg = Leg::new(LegRole::BORROWED, token, borrowed).rate_ray(ray_a_year(U256::from(rate))?);
        Ok(leg.named(format!("{} {} debt", labels.title, symbol(token))))
    });
    let (supply, borrow) = cx.join((cx.join(supply.into_iter()), cx.join(borrow.into_iter()))).await?;
    Ok(supply.into_iter().chain(borrow).collect())
}

/// Returns the collateral's value, weighted by liquidation factors, over the debt's, rounded as in the market. `None`
/// without debt, or if the debt is worth nothing.
async fn health(
    cx: &JobContext,
    of: &Comet,
    borrowed: U256,
    collateral: &[Collateral],
) -> Result<Option<Health>, Error> {
    if borrowed.is_zero() {
        return Ok(None);
    }
    let comet = of.contracts.comet;
    let debt = async {
        let feed = cx.call(comet, baseTokenPriceFeedCall {}).within(LIST_STANDS_S);
        let scale = cx.call(comet, baseScaleCall {}).immutable();
        let (feed, scale) = cx.join((feed, scale)).await?;
        value(borrowed, cx.call(comet, getPriceCall { priceFeed: feed }).await?, scale)
    };
    let secured = collateral.iter().map(|held| async move {
        let info = cx.call(comet, getAssetInfoCall { index: held.index }).await?;
        let price = cx.call(comet, getPriceCall { priceFeed: info.priceFeed }).await?;
        let worth = value(held.amount, price, U256::from(info.scale))?;
        Ok(product(worth, U256::from(info.liquidateCollateralFactor))? / WAD)
    });
    let (debt, secured) = cx.join((debt, cx.join(secured))).await?;
    let secured = secured.into_iter().try_fold(U256::ZERO, U256::checked_add).ok_or_else(too_large)?;
    let factor = product(secured, WAD)?.checked_div(debt);
    Ok(factor.map(|factor| Health { factor_wad: Some(factor), liquidation_price: None }))
}

/// Returns the value in units of the market's prices.
fn value(amount: U256, price: U256, scale: U256) -> Result<U256, Error> {
    product(amount, price)?.checked_div(scale).ok_or_else(|| Error::new("a token has no scale"))
}
