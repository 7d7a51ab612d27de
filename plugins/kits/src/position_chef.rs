//! Chefs of positions: contracts that take the NFTs of concentrated liquidity and pay one token for it, like
//! PancakeSwap's `MasterChefV3`.
//!
//! Settings key `position_chef`. Answers claimables. Invariant: an amount is what the claim itself returns, at most the
//! chef's balance; the pending view is only updated when a pool moves.
//!
//! Source: <https://github.com/pancakeswap/pancake-v3-contracts>, its `MasterChefV3`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Question, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::events::Source;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::owned_nfts;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function CAKE() external view returns (address);
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

/// Payment of a position's claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Harvest {
    token_id: U256,
    pid: U256,
    amount: U256,
}

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
        vec![ClaimTemplate::new::<harvestCall>([Role::NUMBER, Role::ACCOUNT])]
    }
}

impl DeploymentReader for PositionChef {
    fn contracts(&self) -> Vec<Address> {
        vec![self.chef]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES]
    }

    fn emitters(&self) -> Option<Source> {
        Some(Source::of(&["position_chef"]).contracts([self.chef]))
    }

    /// Returns a claim per position with rewards.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let token = cx.call(self.chef, CAKECall {}).immutable();
            let (count, token) = cx.join((owned_nfts::count(cx, self.chef, account), token)).await?;
            let owned = owned_nfts::numbers(cx, labels.market, self.chef, account, count).await?;
            if owned.is_empty() {
                return Ok(Vec::new());
            }
            let owed = owned.into_iter().map(|token_id| self.owed(cx, token_id, account));
            let owed = async { Ok(join_partial(cx, owed).await) };
            let (owed, held) = cx.join((owed, cx.call(token, balanceOfCall { account: self.chef }))).await?;
            let owed = owed.fail_if_none(cx, labels.market)?.into_iter().flatten();
            let owed = owed.map(|owed| Harvest { amount: owed.amount.min(held), ..owed });
            let rows = owed.filter(|owed| !owed.amount.is_zero());
            let rows = rows.map(|owed| self.claimable(cx, labels, token, owed, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl PositionChef {
    /// Returns what the claim would return; `None` if the chef refuses it because the position is empty.
    async fn owed(&self, cx: &JobContext, token_id: U256, account: Address) -> Result<Option<Harvest>, Error> {
        let harvest = cx.try_call(self.chef, harvestCall { tokenId: token_id, to: account });
        let info = cx.call(self.chef, userPositionInfosCall { tokenId: token_id });
        let (reward, info) = cx.join((harvest.from(account).isolated(), info)).await?;
        match reward {
            Ok(amount) => Ok(Some(Harvest { token_id, pid: info.pid, amount })),
            Err(_) if info.liquidity == 0 && info.reward.is_zero() => Ok(None),
            Err(revert) => Err(Error::reverted::<harvestCall>(self.chef, revert)),
        }
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        token: Address,
        owed: Harvest,
        account: Address,
    ) -> Result<Claimable, Error> {
        // The id and tokens of a pool never change.
        let pool = cx.call(self.chef, poolInfoCall { pid: owed.pid }).immutable().await?;
        let claim = cx.claim(self.chef, &harvestCall { tokenId: owed.token_id, to: account });
        let claimable = Claimable::new(labels.market, self.chef, claim).mechanism(self.types.reward);
        let name = format!("{}/{} position reward", symbol(pool.token0), symbol(pool.token1));
        Ok(claimable.named(name).numbered(owed.token_id).pays(token, owed.amount))
    }
}
