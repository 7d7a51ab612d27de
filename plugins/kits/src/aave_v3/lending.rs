//! Lending positions: amounts lent to and owed to each reserve, with interest until the pinned block.

use futures_util::future::join;
use portolan_plugin_api::{Address, Error, Health, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::contracts::{getReserveDataCall, getUserAccountDataCall, getUserStableRateCall, v2};
use super::reserve::{ReserveToken, TokenKind, held};
use super::{AaveV3, AaveVersion};
use crate::kit::Labels;
use crate::partial::{join_partial, or_default};

/// Returns one position in the pool, with a leg per reserve token that the account holds.
///
/// Balances are used instead of the data provider's `getUserReserveData`: its replies contain the reserve's rate, are
/// never zero, and so could not be cached.
pub(super) async fn positions(
    cx: &JobContext,
    contracts: AaveV3,
    labels: Labels<'_>,
    tokens: Vec<ReserveToken>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let pool = contracts.pool;
    let balances = held(cx, labels.market, tokens, account).await?;
    let owes = balances.iter().any(|(token, _)| token.kind != TokenKind::Supply);
    let legs = balances.into_iter().map(|(token, amount)| async move {
        let rate_ray = rate_ray(cx, contracts, token, account).await?;
        Ok(leg(labels, token, amount).rate_ray(rate_ray))
    });
    let legs = async { join_partial(cx, legs).await.or_report(cx, labels.market) };
    let (legs, factor_wad) = join(legs, health_factor(cx, labels, pool, account, owes)).await;
    if legs.is_empty() {
        return Ok(Vec::new());
    }
    let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
    let position = Position::new(kind, labels.market, pool)
        .named(labels.title)
        .mechanism(contracts.pools.version.mechanism())
        .legs(legs);
    let health = factor_wad.map(|wad| Health { factor_wad: Some(wad), liquidation_price: None });
    Ok(vec![Position { health, ..position }])
}

fn leg(labels: Labels<'_>, token: ReserveToken, amount: U256) -> Leg {
    let (role, what) = match token.kind {
        TokenKind::Supply => (LegRole::SUPPLIED, ""),
        TokenKind::StableDebt => (LegRole::BORROWED, " stable debt"),
        TokenKind::VariableDebt => (LegRole::BORROWED, " variable debt"),
    };
    let name = format!("{} {}{what}", labels.title, symbol(token.underlying));
    Leg::new(role, token.underlying, amount).receipt(token.token).named(name)
}

/// Returns the current rate of the pool; for a stable debt, the account's own rate.
async fn rate_ray(cx: &JobContext, contracts: AaveV3, token: ReserveToken, account: Address) -> Result<U256, Error> {
    if token.kind == TokenKind::StableDebt {
        return cx.call(token.token, getUserStableRateCall { user: account }).await;
    }
    let (pool, asset) = (contracts.pool, token.underlying);
    let (lent, owed) = match contracts.pools.version {
        AaveVersion::V2 => {
            let reserve = cx.call(pool, v2::getReserveDataCall { asset }).await?;
            (reserve.currentLiquidityRate, reserve.currentVariableBorrowRate)
        }
        AaveVersion::V3 => {
            let reserve = cx.call(pool, getReserveDataCall { asset }).await?;
            (reserve.currentLiquidityRate, reserve.currentVariableBorrowRate)
        }
    };
    Ok(U256::from(if token.kind == TokenKind::Supply { lent } else { owed }))
}

/// Returns the account's health factor. `None` without debt, or if the pool cannot compute it because a price is
/// missing; that is reported, and the positions stay.
async fn health_factor(cx: &JobContext, labels: Labels<'_>, pool: Address, user: Address, owes: bool) -> Option<U256> {
    if !owes {
        return None;
    }
    // The pool returns the maximum for a debt that its oracle values at zero.
    let factor = cx.call(pool, getUserAccountDataCall { user }).await.map(|data| Some(data.healthFactor));
    or_default(cx, format_args!("{}: health factor", labels.market), factor)
}

impl AaveVersion {
    /// Returns the `type` in the answer.
    const fn mechanism(self) -> &'static str {
        match self {
            Self::V2 => "aave-v2",
            Self::V3 => "aave-v3",
        }
    }
}
