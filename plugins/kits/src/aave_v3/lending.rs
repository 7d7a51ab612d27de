//! Positions: what the account lent to each reserve and what it owes, both with the interest until the pinned block.

use portolan_plugin_api::{Address, Chain, Error, LendingPosition, Side, U256, symbol};

use super::contracts::{balanceOfCall, getReserveDataCall, getUserAccountDataCall, getUserStableRateCall};
use super::reserve::{Kind, Part};
use super::{Labels, ZERO_STANDS_S};
use crate::both::both;
use crate::each::each;

/// A row for each token of a reserve that the account has.
///
/// The data provider's `getUserReserveData` would tell the same amounts, but no reply of it is ever zero, as it has
/// the reserve's rate in it; so none could be saved.
pub(super) async fn positions(
    cx: &Chain,
    labels: Labels<'_>,
    pool: Address,
    parts: Vec<Part>,
    account: Address,
) -> Result<Vec<LendingPosition>, Error> {
    let balances = parts.into_iter().map(|part| async move {
        Ok((part, cx.call(part.token, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?))
    });
    let mut held = each(cx, balances).await.or_fail(cx, labels.market)?;
    held.retain(|(_, amount)| !amount.is_zero());
    let owes = held.iter().any(|(part, _)| part.kind != Kind::Supply);
    let rated = held.into_iter().map(|(part, amount)| async move {
        let rate_ray = rate_ray(cx, pool, part, account).await?;
        Ok((part, amount, rate_ray))
    });
    let rated = async { Ok(each(cx, rated).await.or_told(cx, labels.market)) };
    let (rated, health_factor_wad) = both(rated, health_factor(cx, labels, pool, account, owes)).await?;
    let row = |(part, amount, rate_ray)| row(labels, part, amount, rate_ray, health_factor_wad);
    Ok(rated.into_iter().map(row).collect())
}

fn row(
    labels: Labels<'_>,
    part: Part,
    amount: U256,
    rate_ray: U256,
    health_factor_wad: Option<U256>,
) -> LendingPosition {
    let (side, what) = match part.kind {
        Kind::Supply => (Side::SUPPLY, ""),
        Kind::StableDebt => (Side::BORROW, " stable debt"),
        Kind::VariableDebt => (Side::BORROW, " variable debt"),
    };
    LendingPosition {
        market: labels.market.to_owned(),
        contract: part.token,
        name: format!("{} {}{what}", labels.title, symbol(part.underlying)),
        token: part.underlying,
        amount,
        rate_ray,
        side,
        health_factor_wad,
    }
}

/// The rate that the pool pays or takes now; that of a stable debt is the account's own.
async fn rate_ray(cx: &Chain, pool: Address, part: Part, account: Address) -> Result<U256, Error> {
    if part.kind == Kind::StableDebt {
        return cx.call(part.token, getUserStableRateCall { user: account }).await;
    }
    let reserve = cx.call(pool, getReserveDataCall { asset: part.underlying }).await?;
    Ok(U256::from(match part.kind {
        Kind::Supply => reserve.currentLiquidityRate,
        Kind::StableDebt | Kind::VariableDebt => reserve.currentVariableBorrowRate,
    }))
}

/// The account's health in this pool; `None` without debt, or where the pool cannot tell it (a price is missing):
/// then the answer says so, and the positions stay.
async fn health_factor(
    cx: &Chain,
    labels: Labels<'_>,
    pool: Address,
    user: Address,
    owes: bool,
) -> Result<Option<U256>, Error> {
    if !owes {
        return Ok(None);
    }
    match cx.call(pool, getUserAccountDataCall { user }).await {
        // The pool's word for "owes nothing": a debt that is worth less than its smallest unit of value.
        Ok(data) => Ok(Some(data.healthFactor).filter(|factor| *factor != U256::MAX)),
        Err(error) => {
            cx.report_missing(format!("{}: health factor: {error}", labels.market));
            Ok(None)
        }
    }
}
