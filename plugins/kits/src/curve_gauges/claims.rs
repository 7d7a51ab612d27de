//! Claims of gauges: one for the emission, which the minter pays, and one for all other tokens.

use futures_util::future::join;
use portolan_plugin_api::{Address, Claim, Claimable, Error, JobContext};

use super::CurveGauges;
use super::contracts::{claim_rewards_0Call, claim_rewards_1Call, mintCall, rewards_receiverCall};
use super::list::{self, LiquidityGauge, OwedByGauge};
use crate::display_name::display_name;
use crate::kit::Labels;
use crate::partial::join_partial;

/// Returns the claims of all gauges that owe anything.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &CurveGauges,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let gauges = list::gauges(cx, of, labels).await?;
    let owing = list::owing(cx, labels.market, gauges, account).await?;
    let owed = owing.into_iter().map(|gauge| async move { Ok((gauge, list::owed(cx, gauge, account).await?)) });
    let owed = join_partial(cx, owed).await.fail_if_none(cx, labels.market)?;
    let owed = owed.into_iter().filter(|(_, owed)| *owed != OwedByGauge::default());
    let rows = owed.map(|(gauge, owed)| rows(cx, of, labels, gauge, owed, account));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

async fn rows(
    cx: &JobContext,
    of: &CurveGauges,
    labels: Labels<'_>,
    gauge: LiquidityGauge,
    owed: OwedByGauge,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let (named, name) = join(list::at(cx, &of.listing, gauge.place), display_name(cx, gauge.staked)).await;
    if named? != gauge.address {
        return Err(Error::new(format!("{}: is the gauge at place {} no more", gauge.address, gauge.place)));
    }
    let name = name?;
    let row = |claim| Claimable::new(labels.market, gauge.address, claim).mechanism(of.types.gauge);
    let emission = of.emission.filter(|_| !owed.minted.is_zero()).map(|emission| {
        let claim = cx.claim(emission.minter, &mintCall { gauge: gauge.address });
        row(claim).named(format!("{name} emission")).pays(emission.minted_token, owed.minted)
    });
    let rewards = if owed.rewards.is_empty() {
        None
    } else {
        let row = row(rewards_claim(cx, gauge, account).await?).named(format!("{name} reward"));
        Some(owed.rewards.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount)))
    };
    Ok(emission.into_iter().chain(rewards).collect())
}

/// Returns the claim of a gauge's rewards to the account itself: later gauges pay the receiver in the call, older ones
/// the account's configured receiver.
async fn rewards_claim(cx: &JobContext, gauge: LiquidityGauge, account: Address) -> Result<Claim, Error> {
    if gauge.counts_rewards {
        return Ok(cx.claim(gauge.address, &claim_rewards_1Call { account, receiver: account }));
    }
    let receiver = cx.try_call(gauge.address, rewards_receiverCall { account }).await?;
    match receiver {
        Ok(receiver) if !receiver.is_zero() && receiver != account => {
            Err(Error::new(format!("{}: pays the account's rewards to {receiver}", gauge.address)))
        }
        _ => Ok(cx.claim(gauge.address, &claim_rewards_0Call { account })),
    }
}
