//! Lent and owed amounts of the account: a position per pair.

use futures_util::future::join3;
use portolan_plugin_api::{Address, Error, Health, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::Silos;
use super::contracts::{getCollateralAssetsCall, getCurrentInterestRateCall, getDebtAssetsCall, quoteCall};
use super::pair::{LENT, PROTECTED, Pair, SiloHolding};
use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div, product, ray_of_wad, too_large};
use crate::kit::Labels;
use crate::partial::{join_partial, or_default};

pub(super) async fn positions(
    cx: &JobContext,
    of: &Silos,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let pairs = of.configs.iter().map(|pair| Pair::read(cx, *pair, account));
    let pairs = join_partial(cx, pairs).await.fail_if_none(cx, labels.market)?;
    let held = pairs.into_iter().filter(|pair| !pair.is_empty());
    let rows = held.map(|pair| position(cx, of, labels, account, pair));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

async fn position(
    cx: &JobContext,
    of: &Silos,
    labels: Labels<'_>,
    account: Address,
    pair: Pair,
) -> Result<Option<Position>, Error> {
    let legs = pair.holdings.iter().flat_map(|holding| {
        let legs: [Boxed<'_, Option<(Address, Leg)>>; 3] = [
            Box::pin(supplied(cx, labels, holding, LENT)),
            Box::pin(supplied(cx, labels, holding, PROTECTED)),
            Box::pin(owed(cx, labels, holding, account)),
        ];
        legs
    });
    let health = health(cx, labels, account, &pair);
    let (legs, secured, health) = join3(join_partial(cx, legs), pair.secured(cx, account), health).await;
    // If it cannot be read, the health factor is missing too, and the answer reports it.
    let secures = |silo| secured.as_ref().ok().map(|secured| *secured == Some(silo));
    let legs = legs.or_report(cx, labels.market).into_iter().flatten().map(|(silo, leg)| {
        let is_collateral = if leg.role == LegRole::SUPPLIED { secures(silo) } else { None };
        Leg { is_collateral, ..leg }
    });
    let legs: Vec<Leg> = legs.collect();
    if legs.is_empty() {
        return Ok(None);
    }
    let kind = if pair.borrowed().is_none() { PositionKind::LENT } else { PositionKind::BORROWED };
    let tokens: Vec<String> = pair.holdings.iter().map(|holding| symbol(holding.config.token)).collect();
    let position = Position::new(kind, labels.market, pair.address).mechanism(of.types.pair).legs(legs);
    Ok(Some(Position { health, ..position.named(format!("{} {}", labels.title, tokens.join("/"))) }))
}

/// Returns a silo and the leg of a deposit in it, with interest if it is lent.
async fn supplied(
    cx: &JobContext,
    labels: Labels<'_>,
    holding: &SiloHolding,
    kind: u8,
) -> Result<Option<(Address, Leg)>, Error> {
    if holding.shares(kind).is_zero() {
        return Ok(None);
    }
    let config = &holding.config;
    let (receipt, word) = match kind {
        LENT => (config.collateralShareToken, ""),
        _ => (config.protectedShareToken, " protected"),
    };
    let rate = async { if kind == LENT { supply_rate(cx, holding).await } else { Ok(Some(U256::ZERO)) } };
    let (amount, rate) = cx.join((holding.redeemed(cx, kind), rate)).await?;
    let leg = Leg::new(LegRole::SUPPLIED, config.token, amount).receipt(receipt);
    let leg = rated(leg, rate).named(format!("{} {}{word}", labels.title, symbol(config.token)));
    Ok(Some((config.silo, leg)))
}

async fn owed(
    cx: &JobContext,
    labels: Labels<'_>,
    holding: &SiloHolding,
    account: Address,
) -> Result<Option<(Address, Leg)>, Error> {
    if !holding.owes() {
        return Ok(None);
    }
    let (amount, rate) = cx.join((holding.owed(cx, account), borrow_rate(cx, holding))).await?;
    let token = holding.config.token;
    let leg = rated(Leg::new(LegRole::BORROWED, token, amount), rate);
    Ok(Some((holding.config.silo, leg.named(format!("{} {} debt", labels.title, symbol(token))))))
}

fn rated(leg: Leg, rate_ray: Option<U256>) -> Leg {
    match rate_ray {
        Some(rate_ray) => leg.rate_ray(rate_ray),
        None => leg,
    }
}

/// Returns the annual rate; `None` if the model reverts: the silo then accrues no interest.
async fn borrow_rate(cx: &JobContext, holding: &SiloHolding) -> Result<Option<U256>, Error> {
    let (model, silo) = (holding.config.interestRateModel, holding.config.silo);
    let timestamp = U256::from(cx.block().timestamp);
    let rate = cx.try_call(model, getCurrentInterestRateCall { silo, timestamp }).await?;
    rate.ok().map(ray_of_wad).transpose()
}

/// Returns the deposit rate: interest on debts, less fees, shared by all lent deposits.
async fn supply_rate(cx: &JobContext, holding: &SiloHolding) -> Result<Option<U256>, Error> {
    let config = &holding.config;
    let totals =
        cx.join((cx.call(config.silo, getDebtAssetsCall {}), cx.call(config.silo, getCollateralAssetsCall {})));
    let (rate, (owed, lent)) = cx.join((borrow_rate(cx, holding), totals)).await?;
    let Some(rate) = rate else { return Ok(None) };
    if lent.is_zero() {
        return Ok(Some(U256::ZERO));
    }
    let fees = config.daoFee.checked_add(config.deployerFee).ok_or_else(too_large)?;
    let shared = mul_div(rate, owed, lent)?;
    mul_div(shared, WAD.saturating_sub(fees), WAD).map(Some)
}

/// Returns the liquidation threshold over the loan-to-value ratio, as `isSolvent` compares them. `None` without debt,
/// or if it cannot be read, which is reported.
async fn health(cx: &JobContext, labels: Labels<'_>, account: Address, pair: &Pair) -> Option<Health> {
    let borrowed = pair.borrowed()?;
    let factor = async {
        let deposited = cx.join(pair.holdings.each_ref().map(|holding| holding.deposited(cx)));
        let (secured, deposited, owed) =
            cx.join((pair.secured(cx, account), deposited, borrowed.owed(cx, account))).await?;
        let secured = pair.holdings.iter().zip(deposited).find(|(one, _)| secured == Some(one.config.silo));
        let Some((secured, assets)) = secured else { return Ok(None) };
        let is_same = secured.config.token == borrowed.config.token;
        let valued = |holding, amount| value(cx, holding, amount, is_same);
        let (collateral, debt) = cx.join((valued(secured, assets), valued(borrowed, owed))).await?;
        Ok(product(collateral, secured.config.lt)?.checked_div(debt))
    };
    let factor = factor.await;
    let factor = or_default(cx, format_args!("{}: health factor", labels.market), factor);
    factor.map(|wad| Health { factor_wad: Some(wad), liquidation_price: None })
}

/// Returns the value of an amount; the amount itself if there is no oracle, or if both silos have the same token.
async fn value(cx: &JobContext, holding: &SiloHolding, amount: U256, is_same: bool) -> Result<U256, Error> {
    let oracle = holding.config.solvencyOracle;
    if is_same || oracle.is_zero() || amount.is_zero() {
        return Ok(amount);
    }
    cx.call(oracle, quoteCall { amount, token: holding.config.token }).await
}
