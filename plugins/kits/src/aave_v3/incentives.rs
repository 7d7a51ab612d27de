//! Rewards of the second version: one token, claimed from all assets by one call.

use portolan_plugin_api::{Address, Claimable, Error, JobContext, symbol};

use super::contracts::v2;
use super::reserve::{ReserveToken, held};
use super::rewards::ALL;
use super::{AaveV3, ZERO_STANDS_S};
use crate::kit::Labels;

/// Cache time of a controller's reward token, in seconds; it is fixed in the controller's code.
const TOKEN_STANDS_S: u32 = 3_600;

/// Returns a row with the account's rewards.
///
/// The controller sums the rewards it has recorded and those of each asset since. All assets that the account holds are
/// queried together; rewards of other assets are already recorded.
pub(super) async fn claimables(
    cx: &JobContext,
    contracts: AaveV3,
    labels: Labels<'_>,
    controller: Address,
    tokens: Vec<ReserveToken>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let owed =
        |assets| cx.call(controller, v2::getRewardsBalanceCall { assets, user: account }).zero_within(ZERO_STANDS_S);
    let reward = cx.call(controller, v2::REWARD_TOKENCall {}).within(TOKEN_STANDS_S);
    let held = held(cx, labels.market, tokens, account);
    // Most accounts only have recorded rewards, so these are read without waiting for the balances.
    let (held, noted, reward) = cx.join((held, owed(Vec::new()), reward)).await?;
    let assets: Vec<Address> = held.into_iter().map(|(asset, _)| asset.token).collect();
    let owed = if assets.is_empty() { noted } else { owed(assets.clone()).await? };
    if owed.is_zero() {
        return Ok(Vec::new());
    }
    let claim = cx.claim(controller, &v2::claimRewardsCall { assets, amount: ALL, to: account });
    let name = format!("{} {} rewards", labels.title, symbol(reward));
    Ok(vec![
        Claimable::new(labels.market, controller, claim)
            .named(name)
            .mechanism(contracts.pools.reward_type)
            .pays(reward, owed),
    ])
}
