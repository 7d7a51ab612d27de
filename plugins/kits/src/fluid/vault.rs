//! Positions in vaults, each an NFT: collateral and debt, in one token or in shares of a pool.

use futures_util::future::join;
use portolan_plugin_api::{
    Address, Error, Health, JobContext, Leg, LegRole, Nft, Position, PositionKind, U256, symbol,
};

use super::contracts::{
    FACTORYCall, balanceOfCall, getDexStateCall, positionByNftIdCall, positionByNftIdReturn, tokenOfOwnerByIndexCall,
};
use super::{Fluid, ZERO_STANDS_S};
use crate::fixed_point::{WAD, mul_div, product};
use crate::kit::Labels;
use crate::native_placeholder::named_token;
use crate::partial::{join_partial, or_default};

/// Positions of one account that are read.
const POSITIONS_MAX: u64 = 100;
/// One; thresholds and rates have four decimals.
const WHOLE: u64 = 10_000;
/// Factor from rates to rays: a ray has 27 decimals.
const RAY_PER_RATE_DECIMALS: u64 = 23;
/// Prices have 27 decimals, besides those of the two tokens.
const PRICE_DECIMALS: u64 = 27;

/// One side of a position.
struct PositionSide {
    role: LegRole,
    /// Amount in smallest units of the token, or in shares of the pool.
    amount: U256,
    tokens: [Address; 2],
    /// Pool whose shares are counted.
    pool: Option<Address>,
    /// Rate; a negative one reads as a huge number.
    rate: U256,
}

/// Returns the account's positions.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Fluid,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let Some(resolver) = of.contracts.vault_resolver else { return Ok(Vec::new()) };
    let factory = cx.call(resolver, FACTORYCall {}).immutable().await?;
    let count = cx.call(factory, balanceOfCall { owner: account }).zero_within(ZERO_STANDS_S).await?;
    if count > U256::from(POSITIONS_MAX) {
        let market = labels.market;
        cx.report_not_covered(format!("{market}: {account} has {count} positions, of which {POSITIONS_MAX} are read"));
    }
    let places = (0..POSITIONS_MAX).map(U256::from).take_while(|place| *place < count);
    let rows = places.map(|index| async move {
        let number = cx.call(factory, tokenOfOwnerByIndexCall { owner: account, index }).await?;
        let found = cx.call(resolver, positionByNftIdCall { nftId: number }).await?;
        let nft = Nft { collection: factory, token_id: number };
        Ok(Position { nft: Some(nft), ..position(cx, of, labels, &found, number).await? })
    });
    join_partial(cx, rows).await.fail_if_none(cx, labels.market)
}

async fn position(
    cx: &JobContext,
    of: &Fluid,
    labels: Labels<'_>,
    found: &positionByNftIdReturn,
    number: U256,
) -> Result<Position, Error> {
    let supplied = PositionSide {
        role: LegRole::SUPPLIED,
        amount: found.supply,
        tokens: found.supplyToken.map(named_token),
        pool: found.isSmartCol.then_some(found.suppliedTo),
        rate: found.supplyRateVault,
    };
    let borrowed = PositionSide {
        role: LegRole::BORROWED,
        amount: found.borrow,
        tokens: found.borrowToken.map(named_token),
        pool: found.isSmartDebt.then_some(found.borrowedFrom),
        rate: found.borrowRateVault,
    };
    let name = format!("{} {}/{}", labels.title, supplied.name(), borrowed.name());
    let (supplied, borrowed) = join(legs(cx, of, labels, &supplied), legs(cx, of, labels, &borrowed)).await;
    let owes = !found.borrow.is_zero();
    let supplied = supplied?.into_iter().map(|leg| Leg { is_collateral: Some(owes), ..leg });
    let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
    let position =
        Position::new(kind, labels.market, found.vault).mechanism(of.types.vault).numbered(number).named(name);
    let what = format_args!("{}: health factor of position {number}", labels.market);
    let health = or_default(cx, what, health(found));
    Ok(Position { health, ..position.legs(supplied).legs(borrowed?) })
}

/// Returns the legs of one side: its token, or both tokens of pool shares.
async fn legs(cx: &JobContext, of: &Fluid, labels: Labels<'_>, side: &PositionSide) -> Result<Vec<Leg>, Error> {
    if side.amount.is_zero() {
        return Ok(Vec::new());
    }
    let leg = |token, amount| {
        let what = if side.role == LegRole::BORROWED { " debt" } else { "" };
        Leg::new(side.role, token, amount).named(format!("{} {}{what}", labels.title, symbol(token)))
    };
    let Some(pool) = side.pool else {
        let rate_ray = product(side.rate, U256::from(10).pow(U256::from(RAY_PER_RATE_DECIMALS))).ok();
        return Ok(vec![Leg { rate_ray, ..leg(side.tokens[0], side.amount) }]);
    };
    let resolver = of.contracts.dex_resolver.ok_or_else(|| Error::new("shares of a pool need `dex_resolver`"))?;
    let state = cx.call(resolver, getDexStateCall { dex: pool }).isolated().await?;
    let per_share = match side.role {
        LegRole::BORROWED => [state.token0PerBorrowShare, state.token1PerBorrowShare],
        _ => [state.token0PerSupplyShare, state.token1PerSupplyShare],
    };
    let legs = side.tokens.into_iter().zip(per_share);
    legs.map(|(token, per_share)| Ok(leg(token, mul_div(side.amount, per_share, WAD)?))).collect()
}

impl PositionSide {
    fn name(&self) -> String {
        let [token, other] = self.tokens.map(symbol);
        if self.pool.is_some() { format!("{token}-{other}") } else { token }
    }
}

/// Returns the collateral's value in the debt token, times the liquidation threshold, over the debt; `None` without
/// debt.
fn health(found: &positionByNftIdReturn) -> Result<Option<Health>, Error> {
    if found.borrow.is_zero() {
        return Ok(None);
    }
    if found.oraclePriceLiquidate.is_zero() {
        return Err(Error::new("the vault has no price"));
    }
    let worth = mul_div(found.supply, found.oraclePriceLiquidate, U256::from(10).pow(U256::from(PRICE_DECIMALS)))?;
    let secured = mul_div(worth, found.liquidationThreshold, U256::from(WHOLE))?;
    let factor = mul_div(secured, WAD, found.borrow)?;
    Ok(Some(Health { factor_wad: Some(factor), liquidation_price: None }))
}
