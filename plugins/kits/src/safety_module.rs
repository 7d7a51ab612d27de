//! Aave's safety module: tokens staked as a reserve for losses, which can leave after a cooldown.
//!
//! A deployment is one staked token; settings key `staked_aave_token`. Answers claimables and farming positions, with
//! the end of a running cooldown. Invariant: a stake is shown in the token that it redeems to now, after any losses.
//!
//! Source: <https://github.com/bgd-labs/stake-token>, and of older versions <https://github.com/aave/aave-stake-v2>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

portolan_plugin_api::sol! {
    function balanceOf(address account) external view returns (uint256);
    function STAKED_TOKEN() external view returns (address);
    function REWARD_TOKEN() external view returns (address);
    function getTotalRewardsBalance(address staker) external view returns (uint256);
    function claimRewards(address to, uint256 amount) external;
    // Only the third version can lose a part of the stake.
    function previewRedeem(uint256 shares) external view returns (uint256);
    // The third version appends the amount.
    function stakersCooldowns(address staker) external view returns (uint256 timestamp);
    function getCooldownSeconds() external view returns (uint256);
    function COOLDOWN_SECONDS() external view returns (uint256);
    function UNSTAKE_WINDOW() external view returns (uint256);
}

/// Cache time of the length of cooldowns, in seconds; governance may change it.
const COOLDOWN_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SafetyModuleKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
}

/// One staked token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SafetyModule {
    token: Address,
    types: SafetyModuleKit,
}

impl SafetyModuleKit {
    /// Keys of a row for a staked token like those of Aave's safety module:
    /// - `staked_aave_token` (address): the staked token
    pub const KEYS: &'static [&'static str] = &["staked_aave_token"];

    /// Creates a deployment of the staked token at this address.
    fn token(self, token: Address) -> SafetyModule {
        SafetyModule { token, types: self }
    }
}

impl Kit for SafetyModuleKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("staked_aave_token")?.map(|token| self.token(token).shared()))
    }

    /// The contract pays the sender's rewards to the receiver in the call.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimRewardsCall>([Role::ACCOUNT, Role::constant(&U256::MAX)])]
    }
}

impl DeploymentReader for SafetyModule {
    fn contracts(&self) -> Vec<Address> {
        vec![self.token]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let owed = cx.call(self.token, getTotalRewardsBalanceCall { staker: account }).zero_within(ZERO_STANDS_S);
            let (owed, reward) = cx.join((owed, cx.call(self.token, REWARD_TOKENCall {}).immutable())).await?;
            if owed.is_zero() {
                return Ok(Vec::new());
            }
            // The maximum stands for everything.
            let claim = cx.claim(self.token, &claimRewardsCall { to: account, amount: U256::MAX });
            let row = Claimable::new(labels.market, self.token, claim).mechanism(self.types.stake).pays(reward, owed);
            Ok(vec![row.named(format!("{} {} rewards", labels.title, symbol(self.token)))])
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let shares = cx.call(self.token, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            if shares.is_zero() {
                return Ok(Vec::new());
            }
            let token = cx.call(self.token, STAKED_TOKENCall {}).immutable();
            let reward = cx.call(self.token, REWARD_TOKENCall {}).immutable();
            let redeemed = cx.try_call(self.token, previewRedeemCall { shares });
            let (token, reward, redeemed, lock) = cx.join((token, reward, redeemed, self.lock(cx, account))).await?;
            let leg = Leg::new(LegRole::STAKED, token, redeemed.unwrap_or(shares)).receipt(self.token);
            let position = Position::new(PositionKind::STAKED, labels.market, self.token).mechanism(self.types.stake);
            let position = position.named(format!("{} {}", labels.title, symbol(self.token)));
            // The rate is shared by weights that no view returns.
            let position = position.leg(leg).reward(Reward::new(reward, None));
            Ok(vec![Position { lock: Some(lock), ..position }])
        })
    }
}

impl SafetyModule {
    /// Returns when the stake can leave: known from the start of a cooldown to the end of its window.
    async fn lock(&self, cx: &JobContext, account: Address) -> Result<Lock, Error> {
        let began = cx.call(self.token, stakersCooldownsCall { staker: account });
        let cooldown = cx.try_call(self.token, getCooldownSecondsCall {}).within(COOLDOWN_STANDS_S);
        let old_cooldown = cx.try_call(self.token, COOLDOWN_SECONDSCall {}).within(COOLDOWN_STANDS_S);
        let window = cx.call(self.token, UNSTAKE_WINDOWCall {}).within(COOLDOWN_STANDS_S);
        let (began, cooldown, old_cooldown, window) = cx.join((began, cooldown, old_cooldown, window)).await?;
        let undefined = |revert| Error::reverted::<COOLDOWN_SECONDSCall>(self.token, revert);
        let cooldown = cooldown.or(old_cooldown).map_err(undefined)?;
        let unlocks_at = began.saturating_add(cooldown);
        let is_on = !began.is_zero() && unlocks_at.saturating_add(window) >= U256::from(cx.block().timestamp);
        let unlocks_at = u64::try_from(unlocks_at).ok().filter(|_| is_on);
        Ok(Lock { unlocks_at, is_permanent: None })
    }
}
