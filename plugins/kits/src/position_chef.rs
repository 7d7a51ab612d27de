//! Chefs of positions: contracts that take the NFTs of concentrated liquidity and pay one token for it, like
//! PancakeSwap's `MasterChefV3`.
//!
//! Settings key `position_chef`. Answers claimables (rewards, and fees that the position collects while it is staked)
//! and farming. Invariant: an amount is what the claim itself returns, a reward at most the chef's balance; the pending
//! view is only updated when a pool moves.
//!
//! Source: <https://github.com/pancakeswap/pancake-v3-contracts>, its `MasterChefV3`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, Role,
    SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::concentrated_liquidity::{self, Liquidity, collect_all, slot0Call};
use crate::events::Source;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::owned_nfts;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function CAKE() external view returns (address);
    function nonfungiblePositionManager() external view returns (address);
    function poolInfo(uint256 pid) external view
        returns (uint256 allocPoint, address pool, address token0, address token1);
    function userPositionInfos(uint256 tokenId) external view returns (
        uint128 liquidity, uint128 boostLiquidity, int24 tickLower, int24 tickUpper, uint256 rewardGrowthInside,
        uint256 reward, address user, uint256 pid
    );
    function harvest(uint256 tokenId, address to) external returns (uint256 reward);
    // The paid token.
    function balanceOf(address account) external view returns (uint256);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionChefKit {
    /// `type` of rewards.
    pub reward: &'static str,
}

/// One chef.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionChef {
    chef: Address,
    types: PositionChefKit,
}

/// A staked position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ChefPosition {
    liquidity: Liquidity,
    pool: Address,
    /// Reward that the chef has written down.
    settled: U256,
}

/// The reward of a position: the token, and what claiming it pays.
type ChefReward = (Address, U256);

impl PositionChefKit {
    /// Keys of a row for a chef of concentrated positions, as PancakeSwap's `MasterChefV3`:
    /// - `position_chef` (address): the chef
    pub const KEYS: &'static [&'static str] = &["position_chef"];

    /// Creates a deployment of the chef at this address.
    fn chef(self, chef: Address) -> PositionChef {
        PositionChef { chef, types: self }
    }
}

impl Kit for PositionChefKit {
    fn keys(&self) -> &'static [&'static str] {
        &["position_chef"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("position_chef")?.map(|chef| self.chef(chef).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<harvestCall>([Role::NUMBER, Role::ACCOUNT]), concentrated_liquidity::template()]
    }
}

impl DeploymentReader for PositionChef {
    fn contracts(&self) -> Vec<Address> {
        vec![self.chef]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    fn emitters(&self) -> Option<Source> {
        Some(Source::of(&["position_chef"]).contracts([self.chef]))
    }

    /// Returns a claim per position with rewards, and one per position with fees.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let owned = self.owned(cx, labels, account).await?;
            if owned.is_empty() {
                return Ok(Vec::new());
            }
            let parts = owned.iter().flat_map(|id| -> [Boxed<'_, Option<Claimable>>; 2] {
                [Box::pin(self.reward(cx, labels, *id, account)), Box::pin(self.fees(cx, labels, *id, account))]
            });
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    /// Returns the staked positions, with both tokens of their liquidity.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let owned = self.owned(cx, labels, account).await?;
            let parts = owned.into_iter().map(|id| self.position(cx, labels, id, account));
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl PositionChef {
    /// Returns the ids of the account's first positions.
    async fn owned(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<U256>, Error> {
        owned_nfts::owned(cx, labels.market, self.chef, account).await
    }

    /// Reads a position.
    async fn staked(&self, cx: &JobContext, id: U256) -> Result<ChefPosition, Error> {
        let info = cx.call(self.chef, userPositionInfosCall { tokenId: id }).await?;
        // The id and tokens of a pool never change.
        let pool = cx.call(self.chef, poolInfoCall { pid: info.pid }).immutable().await?;
        let (tokens, ticks) = ([pool.token0, pool.token1], [info.tickLower.as_i32(), info.tickUpper.as_i32()]);
        let liquidity = Liquidity { at: self.chef, id, tokens, ticks, amount: info.liquidity };
        Ok(ChefPosition { liquidity, pool: pool.pool, settled: info.reward })
    }

    /// Reads a position, and what the claim of its reward would return, at most what the chef holds.
    async fn earned(&self, cx: &JobContext, id: U256, account: Address) -> Result<(ChefPosition, ChefReward), Error> {
        let harvest = cx.try_call(self.chef, harvestCall { tokenId: id, to: account }).from(account).isolated();
        let held = async {
            let token = cx.call(self.chef, CAKECall {}).immutable().await?;
            Ok::<_, Error>((token, cx.call(token, balanceOfCall { account: self.chef }).await?))
        };
        let (reward, (token, held), staked) = cx.join((harvest, held, self.staked(cx, id))).await?;
        let reward = match reward {
            Ok(amount) => amount.min(held),
            // The chef refuses the claim of an empty position.
            Err(_) if staked.liquidity.amount == 0 && staked.settled.is_zero() => U256::ZERO,
            Err(revert) => return Err(Error::reverted::<harvestCall>(self.chef, revert)),
        };
        Ok((staked, (token, reward)))
    }

    async fn reward(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        id: U256,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let (staked, (token, reward)) = self.earned(cx, id, account).await?;
        if reward.is_zero() {
            return Ok(None);
        }
        let claim = cx.claim(self.chef, &harvestCall { tokenId: id, to: account });
        let claimable = Claimable::new(labels.market, self.chef, claim).mechanism(self.types.reward).numbered(id);
        let claimable = claimable.named(format!("{} position reward", staked.liquidity.pair()));
        Ok(Some(claimable.pays(token, reward)))
    }

    /// Returns the claim of a position's fees, which its manager owes and the chef collects for the account.
    async fn fees(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        id: U256,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let owed = concentrated_liquidity::owed(cx, self.chef, id, account).await?;
        if owed.is_nothing() {
            return Ok(None);
        }
        let manager = cx.call(self.chef, nonfungiblePositionManagerCall {}).immutable();
        let (staked, manager) = cx.join((self.staked(cx, id), manager)).await?;
        let [token0, token1] = staked.liquidity.tokens;
        let claim = cx.claim(self.chef, &collect_all(id, account));
        let claimable = Claimable::new(labels.market, manager, claim).mechanism(self.types.reward).numbered(id);
        let claimable = claimable.named(format!("{} position fees", staked.liquidity.pair()));
        Ok(Some(claimable.pays(token0, owed.amount0).pays(token1, owed.amount1)))
    }

    /// Returns a position with its liquidity, fees and reward; `None` if it has none of these.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        id: U256,
        account: Address,
    ) -> Result<Option<Position>, Error> {
        let fees = concentrated_liquidity::owed(cx, self.chef, id, account);
        let manager = cx.call(self.chef, nonfungiblePositionManagerCall {}).immutable();
        let read = cx.join((self.earned(cx, id, account), fees, manager)).await?;
        let ((ChefPosition { liquidity, pool, .. }, (token, reward)), fees, manager) = read;
        if liquidity.amount == 0 && fees.is_nothing() && reward.is_zero() {
            return Ok(None);
        }
        let price = cx.call(pool, slot0Call {}).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, self.chef).mechanism(self.types.reward);
        let position = position.numbered(id).named(format!("{} staked position", liquidity.pair()));
        let position = liquidity.shown_in(position, LegRole::STAKED, &price, manager)?;
        let owed = Leg::new(LegRole::REWARD_OWED, token, reward);
        let mut position = position.legs(fees.legs(liquidity.tokens)).leg(owed);
        position.legs.retain(|leg| !leg.amount.is_zero());
        Ok((!position.legs.is_empty()).then_some(position))
    }
}
