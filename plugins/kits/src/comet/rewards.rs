//! Rewards of a market to the account, for lending and borrowing.

use portolan_plugin_api::{Address, Claimable, Error, JobContext, symbol};

use super::Comet;
use super::contracts::{claimCall, getRewardOwedCall, rewardConfigCall};
use crate::kit::Labels;

/// Cache time of the market's reward token, or of its absence, in seconds.
const TOKEN_STANDS_S: u32 = 3_600;

/// Returns the claim of the market's reward, if anything is owed.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Comet,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let (Some(rewards), comet) = (of.contracts.rewards, of.contracts.comet) else { return Ok(Vec::new()) };
    // The contract reverts for markets that it does not reward.
    if cx.call(rewards, rewardConfigCall { comet }).within(TOKEN_STANDS_S).await?.is_zero() {
        return Ok(Vec::new());
    }
    let reward = cx.call(rewards, getRewardOwedCall { comet, account }).isolated().await?;
    if reward.owed.is_zero() {
        return Ok(Vec::new());
    }
    let claim = cx.claim(rewards, &claimCall { comet, src: account, shouldAccrue: true });
    let claimable = Claimable::new(labels.market, comet, claim).mechanism(of.types.reward);
    let name = format!("{} {} rewards", labels.title, symbol(reward.token));
    Ok(vec![claimable.named(name).pays(reward.token, reward.owed)])
}
