//! Reward trackers of GMX v1 and its forks: they count stakes, and each pays one token for them.
//!
//! A deployment is the tracker in which tokens are staked, and all trackers that pay for these stakes; settings keys
//! `stake_tracker`, `staked_tokens` and `reward_trackers`. Answers claimables and farming positions. Invariant: rewards
//! are what the tracker's own claim returns, at most its distributor's balance. A tracker that refuses to pay or cannot
//! be read loses only its own rows, and the answer reports it.
//!
//! Source: <https://github.com/gmx-io/gmx-contracts/tree/master/contracts/staking>, `RewardTracker.sol`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, Reward,
    Role, SettingsError, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    function depositBalances(address account, address token) external view returns (uint256);
    function totalDepositSupply(address token) external view returns (uint256);
    // The amount that the distributor would pay if it had enough.
    function claimable(address account) external view returns (uint256);
    // The distributor's token, which may change.
    function rewardToken() external view returns (address);
    // Pays the sender's rewards to the receiver, and returns the amount.
    function claim(address receiver) external returns (uint256);
}

/// Cache time of a tracker's reward token, in seconds.
const TOKEN_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewardTrackersKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
}

/// Trackers of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewardTrackers {
    stakes: Address,
    staked_tokens: Vec<Address>,
    trackers: Vec<Address>,
    types: RewardTrackersKit,
}

impl RewardTrackersKit {
    /// Keys of a row for reward trackers of GMX v1 or of a fork:
    /// - `stake_tracker` (address): the tracker in which the tokens are staked
    /// - `staked_tokens` (array of addresses): these tokens
    /// - `reward_trackers` (array of addresses): the trackers that pay for the stakes
    pub const KEYS: &'static [&'static str] = &["stake_tracker", "staked_tokens", "reward_trackers"];
}

impl Kit for RewardTrackersKit {
    fn keys(&self) -> &'static [&'static str] {
        &["stake_tracker"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(stakes) = keys.address_opt("stake_tracker")? else { return Ok(None) };
        let filled = |key| {
            let addresses = keys.addresses(key)?;
            let missing = || SettingsError::new("missing; a tracker of stakes needs it").at(key);
            if addresses.is_empty() { Err(missing()) } else { Ok(addresses) }
        };
        let (staked_tokens, trackers) = (filled("staked_tokens")?, filled("reward_trackers")?);
        Ok(Some(RewardTrackers { stakes, staked_tokens, trackers, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([Role::ACCOUNT])]
    }
}

impl DeploymentReader for RewardTrackers {
    fn contracts(&self) -> Vec<Address> {
        let others = self.trackers.iter().filter(|tracker| **tracker != self.stakes);
        [self.stakes].into_iter().chain(others.copied()).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per tracker with rewards, even without a stake.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let trackers = self.trackers.to_vec();
            let owing =
                read_nonzero(cx, labels.market, trackers, |tracker| (*tracker, claimableCall { account })).await?;
            let rows = owing.into_iter().map(|(tracker, _)| self.claimable(cx, labels, tracker, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns one position of the account's stakes, with a leg per token.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let staked = self.staked_tokens.iter().map(async |token| {
                let call = depositBalancesCall { account, token: *token };
                Ok((*token, cx.call(self.stakes, call).zero_within(ZERO_STANDS_S).await?))
            });
            let mut staked = cx.join(staked).await?;
            staked.retain(|(_, amount)| !amount.is_zero());
            let Some((first, _)) = staked.first().copied() else { return Ok(Vec::new()) };
            let totals = staked.iter().map(|(token, _)| cx.call(self.stakes, totalDepositSupplyCall { token: *token }));
            let rewards = self.trackers.iter().map(|tracker| reward_token(cx, *tracker));
            let (totals, rewards) = cx.join((cx.join(totals), cx.join(rewards))).await?;
            let position = Position::new(PositionKind::STAKED, labels.market, self.stakes).mechanism(self.types.stake);
            let position = position.named(format!("{} staking", symbol(first)));
            let leg = |((token, amount), total)| Leg::new(LegRole::STAKED, token, amount).of_total(total);
            let position = position.legs(staked.into_iter().zip(totals).map(leg));
            Ok(vec![rewards.into_iter().fold(position, |position, token| position.reward(Reward::new(token, None)))])
        })
    }
}

impl RewardTrackers {
    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        tracker: Address,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let owed = cx.call(tracker, claimCall { receiver: account }).from(account).isolated();
        let (owed, token) = cx.join((owed, reward_token(cx, tracker))).await?;
        let claim = cx.claim(tracker, &claimCall { receiver: account });
        let row = Claimable::new(labels.market, tracker, claim).mechanism(self.types.stake).pays(token, owed);
        Ok((!owed.is_zero()).then(|| row.named(format!("{} {} reward", labels.title, symbol(token)))))
    }
}

async fn reward_token(cx: &JobContext, tracker: Address) -> Result<Address, Error> {
    cx.call(tracker, rewardTokenCall {}).within(TOKEN_STANDS_S).await
}
