//! Collateral of the account's open positions.

use portolan_plugin_api::{Address, B256, Error, JobContext, Leg, LegRole, Position, PositionKind, U256};

use super::GmxV2;
use super::store::{
    getAddressCall, getBoolCall, getBytes32CountCall, getBytes32ValuesAtCall, getUintCall, member, of_account,
};
use crate::bounds::answered;
use crate::kit::{Labels, ZERO_STANDS_S};
use crate::partial::join_partial;

/// Positions of an account in one answer.
const POSITIONS_MAX: u64 = 64;

/// Returns a position per open one.
pub(super) async fn positions(
    cx: &JobContext,
    of: &GmxV2,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let list = of_account("ACCOUNT_POSITION_LIST", account);
    let count = cx.call(of.store, getBytes32CountCall { setKey: list }).zero_within(ZERO_STANDS_S).await?;
    if count.is_zero() {
        return Ok(Vec::new());
    }
    let end = U256::from(answered(cx, labels.market, count, "positions", POSITIONS_MAX));
    let keys = cx.call(of.store, getBytes32ValuesAtCall { setKey: list, start: U256::ZERO, end }).await?;
    let rows = keys.into_iter().map(|key| position(cx, of, labels, key));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

async fn position(cx: &JobContext, of: &GmxV2, labels: Labels<'_>, key: B256) -> Result<Position, Error> {
    let address = |name| cx.call(of.store, getAddressCall { key: member(key, name) });
    let amount = cx.call(of.store, getUintCall { key: member(key, "COLLATERAL_AMOUNT") });
    let is_long = cx.call(of.store, getBoolCall { key: member(key, "IS_LONG") });
    let (market, token, (amount, is_long)) =
        cx.join((address("MARKET"), address("COLLATERAL_TOKEN"), cx.join((amount, is_long)))).await?;
    let leg = Leg { is_collateral: Some(true), ..Leg::new(LegRole::SUPPLIED, token, amount) };
    let position = Position::new(PositionKind::LENT, labels.market, market).mechanism(of.types.perpetual).leg(leg);
    let side = if is_long { "long" } else { "short" };
    Ok(position.numbered(U256::from_be_bytes(key.0)).named(format!("{} {side}", labels.title)))
}
