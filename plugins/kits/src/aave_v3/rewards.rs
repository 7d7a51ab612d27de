//! Rewards of the third version for lending and borrowing: a row per reward token, claimed separately.

use std::collections::{BTreeMap, BTreeSet};

use portolan_plugin_api::{Address, Claimable, Error, JobContext, U256, symbol};

use super::AaveV3;
use super::contracts::{claimRewardsCall, getRewardsByAssetCall, getUserRewardsCall};
use super::reserve::ReserveToken;
use crate::kit::Labels;
use crate::partial::{join_partial, with_each};
use crate::read_nonzero::read_nonzero;

/// Cache time of an asset's reward tokens, in seconds; a new one shows at most this much later.
const REWARDS_STAND_S: u32 = 300;

/// Amount in claims that stands for everything.
pub(super) const ALL: U256 = U256::MAX;

/// An asset (an aToken or debt token), with a reward token that it pays or has paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Offer {
    asset: Address,
    reward: Address,
}

/// Rewards of the account from an offer.
#[derive(Clone, Copy, Debug)]
struct Earned {
    offer: Offer,
    amount: U256,
}

/// Returns a row per reward token with rewards; assets are in the pool's order.
///
/// Each asset is read separately. An account that left an asset may still have rewards there, an asset that cannot be
/// read loses only its own amount, and a claim names only the assets that pay.
pub(super) async fn claimables(
    cx: &JobContext,
    contracts: AaveV3,
    labels: Labels<'_>,
    controller: Address,
    tokens: Vec<ReserveToken>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let assets: Vec<Address> = tokens.into_iter().map(|token| token.token).collect();
    let rewards = cx.call_each(assets.iter().map(|asset| (controller, getRewardsByAssetCall { asset: *asset })));
    let rewards = with_each(assets, rewards.within(REWARDS_STAND_S)).await.fail_if_none(cx, labels.market)?;
    let offers = rewards.into_iter().flat_map(|(asset, rewards)| offers(asset, rewards));
    // Duplicate offers would be counted twice.
    let mut seen = BTreeSet::new();
    let offers: Vec<Offer> = offers.filter(|offer| seen.insert(*offer)).collect();
    let earned = |offer: &Offer| {
        (controller, getUserRewardsCall { assets: vec![offer.asset], user: account, reward: offer.reward })
    };
    let mut by_reward: BTreeMap<Address, Vec<Earned>> = BTreeMap::new();
    for (offer, amount) in read_nonzero(cx, labels.market, offers, earned).await? {
        by_reward.entry(offer.reward).or_default().push(Earned { offer, amount });
    }
    let rows = by_reward.into_iter();
    let rows = rows.map(async |(reward, earned)| row(cx, contracts, labels, controller, account, reward, &earned));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the offers of an asset.
fn offers(asset: Address, rewards: Vec<Address>) -> impl Iterator<Item = Offer> {
    rewards.into_iter().map(move |reward| Offer { asset, reward })
}

fn row(
    cx: &JobContext,
    contracts: AaveV3,
    labels: Labels<'_>,
    controller: Address,
    account: Address,
    reward: Address,
    earned: &[Earned],
) -> Result<Claimable, Error> {
    let sum = earned.iter().try_fold(U256::ZERO, |sum, earned| sum.checked_add(earned.amount));
    let amount = sum.ok_or_else(|| Error::new(format!("{controller}: rewards of {reward} do not fit an amount")))?;
    let assets = earned.iter().map(|earned| earned.offer.asset).collect();
    let claim = cx.claim(controller, &claimRewardsCall { assets, amount: ALL, to: account, reward });
    let name = format!("{} {} rewards, claimed on their own", labels.title, symbol(reward));
    Ok(Claimable::new(labels.market, controller, claim)
        .named(name)
        .mechanism(contracts.pools.reward_type)
        .pays(reward, amount))
}
