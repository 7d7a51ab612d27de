//! Positions of an owner: one for its main account, and one per sub-account.

use std::ops::Range;

use futures_util::future::join;
use portolan_plugin_api::{Address, Error, Health, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::Euler;
use super::account::{EvcAccount, main, subs};
use super::contracts::{
    accountLiquidityCall, assetCall, convertToAssetsCall, getProxyListLengthCall, getProxyListSliceCall,
    getVaultListLengthCall, getVaultListSliceCall, interestFeeCall, interestRateCall, totalAssetsCall,
    totalBorrowsCall,
};
use super::perspective::is_verified;
use crate::erc4626;
use crate::fixed_point::{WAD, mul_div, product, yearly};
use crate::kit::{COUNT_STANDS_S, Labels};
use crate::partial::{join_partial, or_default};

/// Keys of the lists of vaults among a deployment's fact lists.
const VAULTS: &str = "vaults";
const EARN_VAULTS: &str = "earn-vaults";
/// One; fees have four decimals.
const WHOLE: u64 = 10_000;

/// Returns the positions of the owner's accounts.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Euler,
    labels: Labels<'_>,
    owner: Address,
) -> Result<Vec<Position>, Error> {
    let main = async { Ok(vec![main(cx, of, labels.market, vaults(cx, of, labels.market), owner).await?]) };
    let parts: [crate::Boxed<'_, Vec<EvcAccount>>; 2] = [Box::pin(main), Box::pin(subs(cx, of, labels.market, owner))];
    let held = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?.into_iter().flatten();
    let held = held.filter(|held| !held.shares.is_empty() || !held.debts.is_empty());
    let rows = held.map(|held| position(cx, of, labels, held));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

/// Returns the positions in vaults that lend to several others.
pub(super) async fn earn_positions(
    cx: &JobContext,
    of: &Euler,
    labels: Labels<'_>,
    owner: Address,
) -> Result<Vec<Position>, Error> {
    let Some(factory) = of.contracts.earn_factory else { return Ok(Vec::new()) };
    let walk = |places: Range<u64>| async move {
        let (start, end) = (U256::from(places.start), U256::from(places.end));
        cx.call(factory, getVaultListSliceCall { start, end }).await
    };
    let count = cx.call(factory, getVaultListLengthCall {}).within(COUNT_STANDS_S);
    let vaults: Vec<Address> = cx.facts(labels.market, EARN_VAULTS, count, walk).await?;
    let held = erc4626::held(cx, labels.market, vaults, owner).await?;
    let rows = held.into_iter().map(|(vault, shares)| earn_position(cx, of, labels, vault, shares));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the position in such a vault, in redeemed tokens if the vault is verified.
async fn earn_position(
    cx: &JobContext,
    of: &Euler,
    labels: Labels<'_>,
    vault: Address,
    shares: U256,
) -> Result<Position, Error> {
    let position = erc4626::position(cx, labels, of.types.earn, vault, shares);
    let (position, is_verified) = cx.join((position, is_verified(cx, of, vault))).await?;
    if is_verified {
        return Ok(position);
    }
    Ok(Position { legs: vec![unverified(labels, vault, shares)], ..position })
}

/// Returns the known vaults of the factory.
async fn vaults(cx: &JobContext, of: &Euler, market: &str) -> Result<Vec<Address>, Error> {
    let factory = of.contracts.evault_factory;
    let walk = |places: Range<u64>| async move {
        let (start, end) = (U256::from(places.start), U256::from(places.end));
        cx.call(factory, getProxyListSliceCall { start, end }).await
    };
    let count = cx.call(factory, getProxyListLengthCall {}).within(COUNT_STANDS_S);
    cx.facts(market, VAULTS, count, walk).await
}

async fn position(
    cx: &JobContext,
    of: &Euler,
    labels: Labels<'_>,
    held: EvcAccount,
) -> Result<Option<Position>, Error> {
    let supplied = held.shares.iter().map(|(vault, shares)| supplied(cx, of, labels, &held, *vault, *shares));
    let borrowed = held.debts.iter().map(|(vault, debt)| borrowed(cx, labels, *vault, *debt));
    let supplied = async { Ok(join_partial(cx, supplied).await.or_report(cx, labels.market)) };
    let borrowed = async { Ok(join_partial(cx, borrowed).await.or_report(cx, labels.market)) };
    let (legs, health) = join(cx.join((supplied, borrowed)), health(cx, labels, &held)).await;
    let legs: Vec<Leg> = legs.map(|(supplied, borrowed)| supplied.into_iter().chain(borrowed).collect())?;
    if legs.is_empty() {
        return Ok(None);
    }
    let kind = if held.debts.is_empty() { PositionKind::LENT } else { PositionKind::BORROWED };
    let position = Position::new(kind, labels.market, of.contracts.evc).mechanism(of.types.account).legs(legs);
    let position = match held.number {
        0 => position.named(labels.title),
        number => position.numbered(U256::from(number)).named(format!("{} sub-account {number}", labels.title)),
    };
    Ok(Some(Position { health, ..position }))
}

/// Returns the leg of a vault's shares. They are collateral if the account has enabled them and has a debt.
async fn supplied(
    cx: &JobContext,
    of: &Euler,
    labels: Labels<'_>,
    held: &EvcAccount,
    vault: Address,
    shares: U256,
) -> Result<Leg, Error> {
    let token = cx.call(vault, assetCall {}).immutable();
    let amount = cx.call(vault, convertToAssetsCall { shares });
    let rate = cx.join((
        cx.call(vault, interestRateCall {}),
        cx.call(vault, interestFeeCall {}),
        cx.call(vault, totalAssetsCall {}),
        cx.call(vault, totalBorrowsCall {}),
    ));
    let is_verified = is_verified(cx, of, vault);
    let (token, amount, (rate, fee, assets, owed), is_verified) = cx.join((token, amount, rate, is_verified)).await?;
    let is_collateral = !held.controllers.is_empty() && held.collaterals.contains(&vault);
    let is_collateral = Some(is_collateral);
    if !is_verified && !owed.is_zero() {
        return Ok(Leg { is_collateral, ..unverified(labels, vault, shares) });
    }
    // Interest on the debt is shared by all lenders.
    let shared = match assets.is_zero() {
        true => U256::ZERO,
        false => mul_div(yearly(rate)?, owed, assets)?,
    };
    let kept = U256::from(WHOLE).saturating_sub(U256::from(fee));
    let leg = Leg::new(LegRole::SUPPLIED, token, amount).rate_ray(mul_div(shared, kept, U256::from(WHOLE))?);
    let leg = leg.receipt(vault).named(format!("{} {}", labels.title, symbol(token)));
    Ok(Leg { is_collateral, ..leg })
}

/// Returns the leg of an unverified vault's shares, as shares.
fn unverified(labels: Labels<'_>, vault: Address, shares: U256) -> Leg {
    Leg::new(LegRole::SUPPLIED, vault, shares).receipt(vault).named(format!("{} {}", labels.title, symbol(vault)))
}

async fn borrowed(cx: &JobContext, labels: Labels<'_>, vault: Address, debt: U256) -> Result<Leg, Error> {
    let token = cx.call(vault, assetCall {}).immutable();
    let (token, rate) = cx.join((token, cx.call(vault, interestRateCall {}))).await?;
    let leg = Leg::new(LegRole::BORROWED, token, debt).rate_ray(yearly(rate)?);
    Ok(leg.named(format!("{} {} debt", labels.title, symbol(token))))
}

/// Returns the ratio of collateral to debt, as the lending vault computes both for a liquidation. `None` without debt,
/// or if it cannot be read, which is reported.
async fn health(cx: &JobContext, labels: Labels<'_>, held: &EvcAccount) -> Option<Health> {
    // Outside of a call, an account has at most one controller.
    let (vault, _) = held.debts.first()?;
    let factor = async {
        let call = accountLiquidityCall { account: held.account, liquidation: true };
        let worth = cx.call(*vault, call).await?;
        Ok(product(worth.collateralValue, WAD)?.checked_div(worth.liabilityValue))
    };
    let factor = factor.await;
    let factor = or_default(cx, format_args!("{}: health factor of {}", labels.market, held.account), factor);
    factor.map(|wad| Health { factor_wad: Some(wad), liquidation_price: None })
}
