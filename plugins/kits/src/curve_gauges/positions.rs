//! Stakes in gauges.

use futures_util::future::join;
use portolan_plugin_api::{Address, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256};

use super::CurveGauges;
use super::contracts::{balanceOfCall, scaling_factorCall, totalSupplyCall};
use super::list::{self, LiquidityGauge};
use crate::display_name::display_name;
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

/// Counted amount per whole token in an unscaled gauge; scales have 18 decimals.
const WHOLE: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

/// Returns a position per gauge with a stake.
pub(super) async fn positions(
    cx: &JobContext,
    of: &CurveGauges,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let gauges = list::gauges(cx, of, labels).await?;
    let staked = read_nonzero(cx, labels.market, gauges, |gauge| (gauge.address, balanceOfCall { account })).await?;
    let rows = staked.into_iter().map(|(gauge, amount)| position(cx, of, labels, gauge, amount, account));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the position of a stake, with its rewards. Rates are unknown: they depend on locks, weighted per account.
async fn position(
    cx: &JobContext,
    of: &CurveGauges,
    labels: Labels<'_>,
    gauge: LiquidityGauge,
    amount: U256,
    account: Address,
) -> Result<Position, Error> {
    let total = cx.call(gauge.address, totalSupplyCall {});
    let read = cx.join((total, list::owed(cx, gauge, account), scale(cx, of, gauge)));
    let (read, name) = join(read, display_name(cx, gauge.staked)).await;
    let ((total, owed, scale), name) = (read?, name?);
    let (amount, total) = (scaled(gauge, amount, scale)?, scaled(gauge, total, scale)?);
    let minted = of.emission.map(|emission| (emission.minted_token, owed.minted));
    let earned = minted.into_iter().chain(owed.rewards);
    let position = Position::new(PositionKind::STAKED, labels.market, gauge.address).mechanism(of.types.gauge);
    let position = position.named(format!("{name} gauge"));
    let position = position.leg(Leg::new(LegRole::STAKED, gauge.staked, amount).of_total(total));
    Ok(earned.fold(position, |position, (token, owed)| {
        position.leg(Leg::new(LegRole::REWARD_OWED, token, owed)).reward(Reward::new(token, None))
    }))
}

/// Returns a gauge's counted amount per whole token, if it is scaled.
async fn scale(cx: &JobContext, of: &CurveGauges, gauge: LiquidityGauge) -> Result<Option<U256>, Error> {
    if !of.is_scaled {
        return Ok(None);
    }
    let scale = cx.try_call(gauge.address, scaling_factorCall {}).await?;
    Ok(scale.ok().filter(|scale| !scale.is_zero()))
}

/// Converts a counted amount to tokens, rounded down like a withdrawal.
fn scaled(gauge: LiquidityGauge, counted: U256, scale: Option<U256>) -> Result<U256, Error> {
    let Some(scale) = scale else { return Ok(counted) };
    let tokens = counted.checked_mul(WHOLE).and_then(|product| product.checked_div(scale));
    tokens.ok_or_else(|| Error::new(format!("{}: {counted} at {scale} are not a valid amount", gauge.address)))
}
