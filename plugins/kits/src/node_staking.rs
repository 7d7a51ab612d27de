//! ARPA's staking of nodes and of the community, a copy of Chainlink's first: stakes with a reward, and what leaves
//! them after a time.
//!
//! Settings key `node_staking`. Answers claimables, farming positions, and locked ones of what has yet to wait.
//! Invariant: what waits is a position and what has waited is a claim. A node's own reward is paid only when it leaves,
//! so it is locked.
//!
//! Source: <https://github.com/ARPA-Network/Staking-v0.1/blob/main/src/Staking.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Reward, SettingsError, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function getArpaToken() external view returns (address);
    function getStake(address staker) external view returns (uint256);
    function getBaseReward(address staker) external view returns (uint256);
    function getDelegationReward(address staker) external view returns (uint256);
    function getTotalStakedAmount() external view returns (uint256);
    // In the order of their ends, in seconds since 1970.
    function getFrozenPrincipal(address staker) external view returns (uint96[] amounts, uint256[] ends);
    // What a claim pays of it.
    function getClaimablePrincipalAmount(address staker) external view returns (uint256);
    // Both pay the sender.
    function claimReward() external;
    function claimFrozenPrincipal() external;
}

/// Parts of an account that have left its stake and are answered.
const FROZEN_MAX: usize = 64;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeStakingKit {
    /// Mechanism of stakes and of what leaves them, and `type` of claims.
    pub stake: &'static str,
}

/// One staking contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeStaking {
    staking: Address,
    types: NodeStakingKit,
}

impl NodeStakingKit {
    /// Keys of a row for staking of nodes and of the community, as ARPA's:
    /// - `node_staking` (address): the contract
    pub const KEYS: &'static [&'static str] = &["node_staking"];
}

impl Kit for NodeStakingKit {
    fn keys(&self) -> &'static [&'static str] {
        &["node_staking"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("node_staking")?.map(|staking| NodeStaking { staking, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimRewardCall>([]), ClaimTemplate::new::<claimFrozenPrincipalCall>([])]
    }
}

impl DeploymentReader for NodeStaking {
    fn contracts(&self) -> Vec<Address> {
        vec![self.staking]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim of the reward, and one of what has waited.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        let parts: [Boxed<'a, Option<Claimable>>; 2] =
            [Box::pin(self.reward(cx, labels, account)), Box::pin(self.unfrozen(cx, labels, account))];
        Box::pin(async move {
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if question == Question::LOCKED {
                self.frozen(cx, labels, account).await
            } else {
                self.staked(cx, labels, account).await
            }
        })
    }
}

impl NodeStaking {
    async fn token(&self, cx: &JobContext) -> Result<Address, Error> {
        cx.call(self.staking, getArpaTokenCall {}).immutable().await
    }

    /// Returns the claim of a reward that the contract would pay.
    async fn reward(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Option<Claimable>, Error> {
        let owed = cx.call(self.staking, getBaseRewardCall { staker }).zero_within(ZERO_STANDS_S).await?;
        if owed.is_zero() {
            return Ok(None);
        }
        let pays = cx.call(self.staking, claimRewardCall {}).from(staker).isolated();
        let (token, ()) = cx.join((self.token(cx), async { pays.await.map(|_| ()) })).await?;
        let claim = cx.claim(self.staking, &claimRewardCall {});
        let row = Claimable::new(labels.market, self.staking, claim).mechanism(self.types.stake);
        Ok(Some(row.named(format!("{} staking reward", symbol(token))).numbered(U256::ZERO).pays(token, owed)))
    }

    async fn unfrozen(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Option<Claimable>, Error> {
        let call = getClaimablePrincipalAmountCall { staker };
        let amount = cx.call(self.staking, call).zero_within(ZERO_STANDS_S).await?;
        if amount.is_zero() {
            return Ok(None);
        }
        let token = self.token(cx).await?;
        let claim = cx.claim(self.staking, &claimFrozenPrincipalCall {});
        let row = Claimable::new(labels.market, self.staking, claim).mechanism(self.types.stake);
        Ok(Some(row.named(format!("{} unstaked", symbol(token))).numbered(U256::ONE).pays(token, amount)))
    }

    /// Returns a position per part that has left the stake and has to wait.
    async fn frozen(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Vec<Position>, Error> {
        let frozen = cx.call(self.staking, getFrozenPrincipalCall { staker });
        let delegated = cx.call(self.staking, getDelegationRewardCall { staker }).zero_within(ZERO_STANDS_S);
        let (frozen, delegated) = cx.join((frozen, delegated)).await?;
        if frozen.amounts.len() != frozen.ends.len() {
            return Err(Error::new(format!("{}: has another number of amounts than of ends", self.staking)));
        }
        let now = U256::from(cx.block().timestamp);
        let parts = frozen.amounts.into_iter().zip(frozen.ends).filter(|(_, end)| *end > now);
        let mut parts: Vec<(U256, U256)> = parts.map(|(amount, end)| (U256::from(amount), end)).collect();
        truncate(cx, labels.market, &mut parts, "parts that wait", FROZEN_MAX);
        if parts.is_empty() && delegated.is_zero() {
            return Ok(Vec::new());
        }
        let token = self.token(cx).await?;
        // Numbers are apart from those of claims. A node's reward is paid when it leaves, so it has no end.
        let node = (!delegated.is_zero()).then(|| {
            let position = Position::new(PositionKind::LOCKED, labels.market, self.staking).mechanism(self.types.stake);
            let position = position.named(format!("{} node reward", symbol(token))).numbered(U256::from(2));
            let lock = Lock { unlocks_at: None, is_permanent: Some(false) };
            Position { lock: Some(lock), ..position.leg(Leg::new(LegRole::LOCKED, token, delegated)) }
        });
        let row = |(place, (amount, end)): (u64, (U256, U256))| {
            let position = Position::new(PositionKind::LOCKED, labels.market, self.staking).mechanism(self.types.stake);
            let position = position.named(format!("{} unstaking", symbol(token))).numbered(U256::from(place));
            let lock = Lock { unlocks_at: u64::try_from(end).ok(), is_permanent: Some(false) };
            Position { lock: Some(lock), ..position.leg(Leg::new(LegRole::LOCKED, token, amount)) }
        };
        Ok(node.into_iter().chain((3_u64..).zip(parts).map(row)).collect())
    }

    async fn staked(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Vec<Position>, Error> {
        let amount = cx.call(self.staking, getStakeCall { staker }).zero_within(ZERO_STANDS_S).await?;
        if amount.is_zero() {
            return Ok(Vec::new());
        }
        let total = cx.call(self.staking, getTotalStakedAmountCall {});
        let base = cx.call(self.staking, getBaseRewardCall { staker });
        let (token, total, base) = cx.join((self.token(cx), total, base)).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, self.staking).mechanism(self.types.stake);
        let position = position.named(format!("{} staking", symbol(token)));
        let position = position.leg(Leg::new(LegRole::STAKED, token, amount).of_total(total));
        // Nodes share a part of the rate, and their number changes.
        let position = position.reward(Reward::new(token, None));
        let owed = (!base.is_zero()).then(|| Leg::new(LegRole::REWARD_OWED, token, base));
        Ok(vec![position.legs(owed)])
    }
}
