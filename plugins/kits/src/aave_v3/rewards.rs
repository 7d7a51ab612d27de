//! Rewards for lending and borrowing: a row for each reward token, claimed without the others.

use std::collections::{BTreeMap, BTreeSet};

use portolan_plugin_api::{Address, Chain, Claimable, Error, U256, symbol};

use super::contracts::{claimRewardsCall, getRewardsByAssetCall, getUserRewardsCall};
use super::reserve::Part;
use super::{Labels, ZERO_STANDS_S};
use crate::each::each;

/// Seconds that the reward tokens of an asset may stand: a new one shows at most this much later.
const REWARDS_STAND_S: u32 = 300;

/// The amount that claims ask for: all there is.
pub(super) const ALL: U256 = U256::MAX;

/// What the account has earned in one asset (an aToken or a debt token) of one reward token.
#[derive(Clone, Copy, Debug)]
struct Earned {
    asset: Address,
    reward: Address,
    amount: U256,
}

/// A row for each reward token of which the account has earned something; its assets stand in the pool's order.
///
/// Each asset is asked for itself: an account that has left an asset may still have earned there, one asset that
/// cannot be read costs its own amount alone, and a claim names the assets that pay and no others.
pub(super) async fn claimables(
    cx: &Chain,
    labels: Labels<'_>,
    controller: Address,
    parts: Vec<Part>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let offers = parts.into_iter().map(|part| offers(cx, controller, part.token));
    let offers = each(cx, offers).await.or_fail(cx, labels.market)?;
    // The same pair asked twice would be counted twice.
    let mut seen = BTreeSet::new();
    let offers = offers.into_iter().flatten().filter(|pair| seen.insert(*pair));
    let earned = offers.map(|(asset, reward)| async move {
        let call = getUserRewardsCall { assets: vec![asset], user: account, reward };
        let amount = cx.call(controller, call).zero_within(ZERO_STANDS_S).await?;
        Ok(Earned { asset, reward, amount })
    });
    let earned = each(cx, earned).await.or_fail(cx, labels.market)?;
    let mut by_reward: BTreeMap<Address, Vec<Earned>> = BTreeMap::new();
    for earned in earned.into_iter().filter(|earned| !earned.amount.is_zero()) {
        by_reward.entry(earned.reward).or_default().push(earned);
    }
    let rows =
        by_reward.into_iter().map(async |(reward, earned)| row(cx, labels, controller, account, reward, &earned));
    Ok(each(cx, rows).await.or_told(cx, labels.market))
}

/// The reward tokens that an asset pays or has paid; both addresses of each pair are for the controller.
async fn offers(cx: &Chain, controller: Address, asset: Address) -> Result<Vec<(Address, Address)>, Error> {
    let rewards = cx.call(controller, getRewardsByAssetCall { asset }).within(REWARDS_STAND_S).await?;
    Ok(rewards.into_iter().map(|reward| (asset, reward)).collect())
}

fn row(
    cx: &Chain,
    labels: Labels<'_>,
    controller: Address,
    account: Address,
    reward: Address,
    earned: &[Earned],
) -> Result<Claimable, Error> {
    let sum = earned.iter().try_fold(U256::ZERO, |sum, earned| sum.checked_add(earned.amount));
    let amount = sum.ok_or_else(|| Error::new(format!("{controller}: rewards of {reward} do not fit an amount")))?;
    let assets = earned.iter().map(|earned| earned.asset).collect();
    Ok(Claimable {
        number: None,
        market: labels.market.to_owned(),
        contract: controller,
        name: format!("{} {} rewards, claimed on their own", labels.title, symbol(reward)),
        mechanism: labels.reward_type.to_owned(),
        token: reward,
        amount,
        claim: cx.claim(controller, &claimRewardsCall { assets, amount: ALL, to: account, reward }),
    })
}
