//! Amounts that the account lends and owes in a comptroller's markets.

use futures_util::future::join;
use portolan_plugin_api::{Address, Error, Health, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::contracts::{
    balanceOfUnderlyingCall, borrowBalanceCurrentCall, getAccountLiquidityCall, getAssetsInCall,
    getUnderlyingPriceCall, getVAIRepayAmountCall, oracleCall,
};
use super::market::{Held, held, underlying};
use super::{CompoundV2, ZERO_STANDS_S};
use crate::fixed_point::{WAD, product, too_large};
use crate::kit::Labels;
use crate::partial::{join_partial, or_default};

/// Cache time of a comptroller's oracle, in seconds.
const ORACLE_STANDS_S: u32 = 300;

/// Returns the position, if there is one, with legs per market that the account lends to or borrows from.
pub(super) async fn positions(
    cx: &JobContext,
    of: &CompoundV2,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let (held, minted) = cx.join((held(cx, of, labels.market, account), minted(cx, of, account))).await?;
    if held.is_empty() && minted.is_zero() {
        return Ok(Vec::new());
    }
    let owes = !minted.is_zero() || held.iter().any(|held| !held.debt.is_zero());
    let comptroller = of.contracts.comptroller;
    let health = health(cx, of, labels, account, minted, &held);
    // Deposits are collateral in markets that the account has entered.
    let entered = cx.call(comptroller, getAssetsInCall { account });
    let legs = held.iter().map(|held| legs(cx, of, labels, account, *held));
    let legs = async { Ok(join_partial(cx, legs).await.or_report(cx, labels.market)) };
    let (legs, health) = join(cx.join((legs, entered)), health).await;
    let (legs, entered) = legs?;
    let legs = legs.into_iter().flatten().map(|leg| {
        let is_collateral = leg.receipt.map(|market| entered.contains(&market));
        Leg { is_collateral, ..leg }
    });
    let minted = of.contracts.minted.filter(|_| !minted.is_zero()).map(|of| {
        let name = format!("{} {} debt", labels.title, symbol(of.token));
        Leg::new(LegRole::BORROWED, of.token, minted).named(name)
    });
    let legs: Vec<Leg> = legs.chain(minted).collect();
    if legs.is_empty() {
        return Ok(Vec::new());
    }
    let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
    let position =
        Position::new(kind, labels.market, comptroller).mechanism(of.types.market).named(labels.title).legs(legs);
    Ok(vec![Position { health, ..position }])
}

/// Returns the account's debt in the minted token.
async fn minted(cx: &JobContext, of: &CompoundV2, account: Address) -> Result<U256, Error> {
    let Some(minted) = of.contracts.minted else { return Ok(U256::ZERO) };
    cx.call(minted.controller, getVAIRepayAmountCall { account }).zero_within(ZERO_STANDS_S).await
}

/// Returns the legs in a market, with interest until the block.
async fn legs(
    cx: &JobContext,
    of: &CompoundV2,
    labels: Labels<'_>,
    account: Address,
    held: Held,
) -> Result<Vec<Leg>, Error> {
    let market = held.market;
    // Both calls change the market's state, so they are isolated.
    let lent = (!held.shares.is_zero()).then(|| cx.call(market, balanceOfUnderlyingCall { account }).isolated());
    let owed = (!held.debt.is_zero()).then(|| cx.call(market, borrowBalanceCurrentCall { account }).isolated());
    let (token, lent, owed) =
        cx.join((underlying(cx, of, market), cx.join(lent.into_iter()), cx.join(owed.into_iter()))).await?;
    let name = format!("{} {}", labels.title, symbol(token));
    let supplied = |amount| Leg::new(LegRole::SUPPLIED, token, amount).receipt(market).named(name.clone());
    let owed = owed.into_iter().map(|amount| Leg::new(LegRole::BORROWED, token, amount).named(format!("{name} debt")));
    Ok(lent.into_iter().map(supplied).chain(owed).collect())
}

/// Returns the ratio of collateral to debt, as the comptroller computes both. `None` without debt, or if it cannot be
/// read, which is reported.
async fn health(
    cx: &JobContext,
    of: &CompoundV2,
    labels: Labels<'_>,
    account: Address,
    minted: U256,
    held: &[Held],
) -> Option<Health> {
    let debts: Vec<Held> = held.iter().filter(|held| !held.debt.is_zero()).copied().collect();
    if debts.is_empty() && minted.is_zero() {
        return None;
    }
    let factor = async {
        let comptroller = of.contracts.comptroller;
        let debts = async {
            let oracle = cx.call(comptroller, oracleCall {}).within(ORACLE_STANDS_S).await?;
            let worth = debts.iter().map(|held| async move {
                let price = cx.call(oracle, getUnderlyingPriceCall { market: held.market }).await?;
                Ok(product(held.debt, price)? / WAD)
            });
            cx.join(worth).await
        };
        let liquidity = cx.call(comptroller, getAccountLiquidityCall { account });
        let (debts, liquidity) = cx.join((debts, liquidity)).await?;
        if !liquidity.error.is_zero() {
            return Err(Error::new(format!("{comptroller}: error {} of the comptroller", liquidity.error)));
        }
        // The minted token counts as a dollar. The collateral is the debt plus the liquidity, less the shortfall.
        let owed = debts.into_iter().try_fold(minted, U256::checked_add).ok_or_else(too_large)?;
        let secured = owed.checked_add(liquidity.liquidity).ok_or_else(too_large)?;
        let secured = secured.saturating_sub(liquidity.shortfall);
        Ok(product(secured, WAD)?.checked_div(owed))
    };
    let factor = factor.await;
    let factor = or_default(cx, format_args!("{}: health factor", labels.market), factor);
    factor.map(|wad| Health { factor_wad: Some(wad), liquidation_price: None })
}
