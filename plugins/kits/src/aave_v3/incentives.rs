//! Rewards of the second version: one token, which one call claims from all assets.

use portolan_plugin_api::{Address, Chain, Claimable, Error, symbol};

use super::contracts::v2;
use super::reserve::{ReserveToken, held};
use super::rewards::ALL;
use super::{AaveV3, ZERO_STANDS_S};
use crate::kit::Labels;

/// Seconds that may be cached which token a controller pays; it is set once, with the controller's code.
const TOKEN_STANDS_S: u32 = 3_600;

/// The row of what the account has earned.
///
/// The controller adds what it has noted that it owes to what each asset has earned since; so the assets are asked for
/// together, and only those of which the account has something: of the others, all is noted.
pub(super) async fn claimables(
    cx: &Chain,
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
    // What is noted is all of most accounts, so that they need not wait for what they have.
    let (held, noted, reward) = cx.join((held, owed(Vec::new()), reward)).await?;
    let assets: Vec<Address> = held.into_iter().map(|(asset, _)| asset.token).collect();
    let owed = if assets.is_empty() { noted } else { owed(assets.clone()).await? };
    if owed.is_zero() {
        return Ok(Vec::new());
    }
    let claim = cx.claim(controller, &v2::claimRewardsCall { assets, amount: ALL, to: account });
    let name = format!("{} {} rewards", labels.title, symbol(reward));
    Ok(vec![
        Claimable::new(labels.market, controller, claim).named(name).of(contracts.pools.reward_type).pays(reward, owed),
    ])
}
