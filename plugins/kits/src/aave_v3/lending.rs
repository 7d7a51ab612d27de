//! Lending positions: what the account lent to each reserve and what it owes, both with interest until the pinned
//! block.

use futures_util::future::join;
use portolan_plugin_api::{Address, Chain, Error, LendingPosition, Side, U256, symbol};

use super::ZERO_STANDS_S;
use super::contracts::{balanceOfCall, getReserveDataCall, getUserAccountDataCall, getUserStableRateCall};
use super::reserve::{ReserveToken, TokenKind};
use crate::kit::Labels;
use crate::try_each::try_each;

/// A position, before it is a row.
#[derive(Clone, Copy, Debug)]
struct Held {
    token: ReserveToken,
    amount: U256,
    rate_ray: U256,
}

/// A row for each token of a reserve that the account has.
///
/// The data provider's `getUserReserveData` would return the same amounts, but no reply of it is ever zero, as the
/// reserve's rate is part of it; so none could be cached.
pub(super) async fn positions(
    cx: &Chain,
    labels: Labels<'_>,
    pool: Address,
    tokens: Vec<ReserveToken>,
    account: Address,
) -> Result<Vec<LendingPosition>, Error> {
    let balances = tokens.into_iter().map(|token| async move {
        Ok((token, cx.call(token.token, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?))
    });
    let mut balances = try_each(cx, balances).await.or_err_if_all(cx, labels.market)?;
    balances.retain(|(_, amount)| !amount.is_zero());
    let owes = balances.iter().any(|(token, _)| token.kind != TokenKind::Supply);
    let held = balances.into_iter().map(|(token, amount)| async move {
        let rate_ray = rate_ray(cx, pool, token, account).await?;
        Ok(Held { token, amount, rate_ray })
    });
    let held = async { try_each(cx, held).await.or_report(cx, labels.market) };
    let (held, health_factor_wad) = join(held, health_factor(cx, labels, pool, account, owes)).await;
    Ok(held.into_iter().map(|held| row(labels, held, health_factor_wad)).collect())
}

fn row(labels: Labels<'_>, held: Held, health_factor_wad: Option<U256>) -> LendingPosition {
    let Held { token, amount, rate_ray } = held;
    let (side, what) = match token.kind {
        TokenKind::Supply => (Side::SUPPLY, ""),
        TokenKind::StableDebt => (Side::BORROW, " stable debt"),
        TokenKind::VariableDebt => (Side::BORROW, " variable debt"),
    };
    LendingPosition {
        market: labels.market.to_owned(),
        contract: token.token,
        name: format!("{} {}{what}", labels.title, symbol(token.underlying)),
        token: token.underlying,
        amount,
        rate_ray,
        side,
        health_factor_wad,
    }
}

/// The rate that the pool pays or takes now; a stable debt has the account's own rate.
async fn rate_ray(cx: &Chain, pool: Address, token: ReserveToken, account: Address) -> Result<U256, Error> {
    if token.kind == TokenKind::StableDebt {
        return cx.call(token.token, getUserStableRateCall { user: account }).await;
    }
    let reserve = cx.call(pool, getReserveDataCall { asset: token.underlying }).await?;
    Ok(U256::from(match token.kind {
        TokenKind::Supply => reserve.currentLiquidityRate,
        TokenKind::StableDebt | TokenKind::VariableDebt => reserve.currentVariableBorrowRate,
    }))
}

/// The account's health in this pool; `None` without debt, or where the pool cannot compute it because a price is
/// missing: then the answer says so, and the positions stay.
async fn health_factor(cx: &Chain, labels: Labels<'_>, pool: Address, user: Address, owes: bool) -> Option<U256> {
    if !owes {
        return None;
    }
    match cx.call(pool, getUserAccountDataCall { user }).await {
        // The pool returns the maximum for "owes nothing": a debt of less than its smallest unit of value.
        Ok(data) => Some(data.healthFactor).filter(|factor| *factor != U256::MAX),
        Err(error) => {
            cx.report_missing(format!("{}: health factor: {error}", labels.market));
            None
        }
    }
}
