//! Aave's Umbrella: tokens staked as a reserve for losses of one asset of a pool, which can leave after a cooldown. A
//! controller pays for them, in up to eight tokens each.
//!
//! A deployment is a controller, which lists the staked tokens; settings key `umbrella_rewards`. Answers claimables and
//! farming positions, with the end of a running cooldown. Invariant: a stake is shown in the token that it redeems to
//! now, after any losses. A staked token that cannot be read loses only its own row, and the answer reports it.
//!
//! Source: <https://github.com/aave-dao/aave-umbrella/tree/main/src/contracts>, `rewards` and `stakeToken`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Lock, Part, Position,
    PositionKind, Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // RewardsController.sol
    function getAllAssets() external view returns (address[] assets);
    function getAllRewards(address asset) external view returns (address[] rewards);
    function calculateCurrentUserRewards(address asset, address user) external view
        returns (address[] rewards, uint256[] amounts);
    // To all stakers, with 18 decimals whatever the reward has.
    function calculateCurrentEmissionScaled(address asset, address reward) external view returns (uint256);
    function claimAllRewards(address asset, address receiver) external returns (address[] rewards, uint256[] amounts);

    // ERC4626StakeTokenUpgradeable.sol
    function balanceOf(address account) external view returns (uint256);
    function asset() external view returns (address);
    function previewRedeem(uint256 shares) external view returns (uint256);
    function totalAssets() external view returns (uint256);
    function getStakerCooldown(address user) external view
        returns (uint192 amount, uint32 endOfCooldown, uint32 withdrawalWindow);

    // Most staked tokens are wrapped: ERC-4626.
    function convertToAssets(uint256 shares) external view returns (uint256);

    // Rewards are ERC-20s.
    function decimals() external view returns (uint8);
}

/// Cache time of the lists of staked tokens and rewards, in seconds; a new one shows at most this much later.
const LIST_STANDS_S: u32 = 300;
/// Ten times the staked tokens of the largest known controller.
const ASSETS_MAX: usize = 100;
/// Decimals of an emission.
const EMISSION_DECIMALS: u8 = 18;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UmbrellaKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Umbrella {
    controller: Address,
    types: UmbrellaKit,
}

impl UmbrellaKit {
    /// Keys of a row for Aave's Umbrella or a fork:
    /// - `umbrella_rewards` (address): the controller of the rewards, which lists the staked tokens
    pub const KEYS: &'static [&'static str] = &["umbrella_rewards"];

    /// Creates a deployment of this rewards controller.
    fn of(self, controller: Address) -> Umbrella {
        Umbrella { controller, types: self }
    }
}

impl Kit for UmbrellaKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("umbrella_rewards")?.map(|controller| self.of(controller).shared()))
    }

    /// The controller pays the sender's rewards to the receiver in the call.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimAllRewardsCall>([Role::MARKET, Role::ACCOUNT])]
    }

    /// Claims name a staked token that the controller lists.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<getAllAssetsCall>().list()]
    }
}

impl DeploymentReader for Umbrella {
    fn contracts(&self) -> Vec<Address> {
        vec![self.controller]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a row per staked token with rewards, even without a stake.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let rows = self.assets(cx).await?.into_iter().map(|asset| self.claimable(cx, labels, asset, account));
            Ok(join_partial(cx, rows).await.fail_if_none(cx, labels.market)?.into_iter().flatten().collect())
        })
    }

    /// Returns a position per staked token that the account has.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let rows = self.assets(cx).await?.into_iter().map(|asset| self.position(cx, labels, asset, account));
            Ok(join_partial(cx, rows).await.fail_if_none(cx, labels.market)?.into_iter().flatten().collect())
        })
    }
}

impl Umbrella {
    /// Returns the staked tokens.
    async fn assets(&self, cx: &JobContext) -> Result<Vec<Address>, Error> {
        let assets = cx.call(self.controller, getAllAssetsCall {}).within(LIST_STANDS_S).await?;
        if assets.len() > ASSETS_MAX {
            let (at, count) = (self.controller, assets.len());
            return Err(Error::new(format!("{at}: lists {count} staked tokens, more than {ASSETS_MAX}")));
        }
        Ok(assets)
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        asset: Address,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let earned = cx.call(self.controller, calculateCurrentUserRewardsCall { asset, user: account }).await?;
        if earned.rewards.len() != earned.amounts.len() {
            return Err(Error::new(format!("{}: rewards and amounts of {asset} differ in number", self.controller)));
        }
        let paid = earned.rewards.into_iter().zip(earned.amounts).filter(|(_, amount)| !amount.is_zero());
        let claim = cx.claim(self.controller, &claimAllRewardsCall { asset, receiver: account });
        let row = Claimable::new(labels.market, asset, claim).mechanism(self.types.stake);
        let row = row.named(format!("{} {} rewards", labels.title, symbol(asset)));
        let row = paid.fold(row, |row, (token, amount)| row.pays(token, amount));
        Ok(Some(row).filter(|row| !row.payments.is_empty()))
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        asset: Address,
        account: Address,
    ) -> Result<Option<Position>, Error> {
        let shares = cx.call(asset, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
        if shares.is_zero() {
            return Ok(None);
        }
        let token = cx.call(asset, assetCall {}).immutable();
        let amounts = cx.join((cx.call(asset, previewRedeemCall { shares }), cx.call(asset, totalAssetsCall {})));
        let ((token, (redeemed, total)), lock, rewards) =
            cx.join((cx.join((token, amounts)), lock(cx, asset, account), self.rewards(cx, asset))).await?;
        let redeems_to = unwrapped(cx, token, redeemed).await?;
        let leg = Leg::new(LegRole::STAKED, token, redeemed).receipt(asset);
        let leg = Leg { total: Some(total), redeems_to, ..leg };
        let position = Position::new(PositionKind::STAKED, labels.market, asset).mechanism(self.types.stake).leg(leg);
        let position = position.named(format!("{} {}", labels.title, symbol(asset)));
        Ok(Some(Position { lock: Some(lock), rewards, ..position }))
    }

    /// Returns the current rewards of a staked token.
    async fn rewards(&self, cx: &JobContext, asset: Address) -> Result<Vec<Reward>, Error> {
        let rewards = cx.call(self.controller, getAllRewardsCall { asset }).within(LIST_STANDS_S).await?;
        let each = rewards.into_iter().map(|reward| async move {
            let emission = cx.call(self.controller, calculateCurrentEmissionScaledCall { asset, reward });
            let (emission, decimals) = cx.join((emission, cx.call(reward, decimalsCall {}))).await?;
            // The controller allows no reward with more decimals.
            let divisor = U256::from(10).pow(U256::from(EMISSION_DECIMALS.saturating_sub(decimals)));
            Ok(Reward { divisor: Some(divisor), ..Reward::new(reward, Some(emission)) })
        });
        cx.join(each).await
    }
}

/// Returns the token that the staked token redeems to, if that is wrapped.
async fn unwrapped(cx: &JobContext, token: Address, shares: U256) -> Result<Option<Vec<Part>>, Error> {
    let underlying = cx.try_call(token, assetCall {}).immutable();
    let (underlying, amount) = cx.join((underlying, cx.try_call(token, convertToAssetsCall { shares }))).await?;
    Ok(underlying.ok().zip(amount.ok()).map(|(token, amount)| vec![Part { token, amount }]))
}

/// Returns when the stake can leave: known from the start of a cooldown to the end of its window.
async fn lock(cx: &JobContext, asset: Address, account: Address) -> Result<Lock, Error> {
    let cooldown = cx.call(asset, getStakerCooldownCall { user: account }).await?;
    let (end, window) = (u64::from(cooldown.endOfCooldown), u64::from(cooldown.withdrawalWindow));
    let is_on = !cooldown.amount.is_zero() && end.saturating_add(window) >= cx.block().timestamp;
    Ok(Lock { unlocks_at: is_on.then_some(end), is_permanent: None })
}
