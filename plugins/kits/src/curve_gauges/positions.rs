//! What is staked in gauges.

use futures_util::future::join;
use portolan_plugin_api::{Address, Chain, Error, Leg, LegRole, Position, PositionKind, Reward, U256};

use super::CurveGauges;
use super::contracts::totalSupplyCall;
use super::list::{self, LiquidityGauge};
use crate::display_name::display_name;
use crate::kit::Labels;
use crate::try_each::try_each;

/// The stakes, a position for each gauge.
pub(super) async fn positions(
    cx: &Chain,
    of: &CurveGauges,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let gauges = list::gauges(cx, of, labels).await?;
    let staked = gauges.into_iter().map(|gauge| async move { Ok((gauge, list::stake(cx, gauge, account).await?)) });
    let staked = try_each(cx, staked).await.or_err_if_all(cx, labels.market)?;
    let rows = staked.into_iter().filter(|(_, amount)| !amount.is_zero());
    let rows = rows.map(|(gauge, amount)| position(cx, of, labels, gauge, amount, account));
    Ok(try_each(cx, rows).await.or_report(cx, labels.market))
}

/// A stake with what it has earned. The rates are left open: they depend on locks, by weights of each account.
async fn position(
    cx: &Chain,
    of: &CurveGauges,
    labels: Labels<'_>,
    gauge: LiquidityGauge,
    amount: U256,
    account: Address,
) -> Result<Position, Error> {
    let read = cx.join((cx.call(gauge.address, totalSupplyCall {}), list::owed(cx, gauge, account)));
    let (read, name) = join(read, display_name(cx, gauge.staked)).await;
    let ((total, owed), name) = (read?, name?);
    let minted = of.emission.map(|emission| (emission.minted_token, owed.minted));
    let earned = minted.into_iter().chain(owed.rewards);
    let position = Position::new(PositionKind::STAKED, labels.market, gauge.address).of(of.types.gauge);
    let position = position.named(format!("{name} gauge"));
    let position = position.leg(Leg::new(LegRole::STAKED, gauge.staked, amount).of_total(total));
    Ok(earned.fold(position, |position, (token, owed)| {
        position.leg(Leg::new(LegRole::REWARD_OWED, token, owed)).reward(Reward::new(token, None))
    }))
}
