//! Staking of one token whose stakers share incoming amounts of several others, such as fees of an exchange in Trader
//! Joe's `StableJoeStaking`.
//!
//! Settings keys `fee_staking` and `staked_token`. Answers claimables and farming positions. Invariant: a reward that
//! cannot be read loses only its own payment, and the answer reports it.
//!
//! Source: <https://github.com/traderjoe-xyz/joe-core/blob/main/contracts/StableJoeStaking.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, Reward,
    Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function getUserInfo(address account, address rewardToken) external view returns (uint256 amount);
    function internalJoeBalance() external view returns (uint256);
    function rewardTokensLength() external view returns (uint256);
    function rewardTokens(uint256 index) external view returns (address);
    function pendingReward(address account, address rewardToken) external view returns (uint256);
    // Pays all rewards, also for an amount of zero.
    function deposit(uint256 amount) external;
}

/// Reward tokens of one contract, which allows 25 itself.
const TOKENS_MAX: u64 = 32;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeStakingKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
}

/// One staking contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeStaking {
    address: Address,
    staked_token: Address,
    types: FeeStakingKit,
}

impl FeeStakingKit {
    /// Keys of a row for staking that shares incoming tokens among stakers, as Trader Joe's:
    /// - `fee_staking` (address): the contract
    /// - `staked_token` (address): the token that it takes
    pub const KEYS: &'static [&'static str] = &["fee_staking", "staked_token"];

    /// Creates a deployment of the contract at `address`, which takes `staked_token`.
    fn staking(self, address: Address, staked_token: Address) -> FeeStaking {
        FeeStaking { address, staked_token, types: self }
    }
}

impl Kit for FeeStakingKit {
    fn keys(&self) -> &'static [&'static str] {
        &["fee_staking"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(address) = keys.address_opt("fee_staking")? else { return Ok(None) };
        Ok(Some(self.staking(address, keys.address("staked_token")?).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<depositCall>([Role::constant(&U256::ZERO)])]
    }
}

impl DeploymentReader for FeeStaking {
    fn contracts(&self) -> Vec<Address> {
        vec![self.address]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns one claim for the stake's rewards, which pays all tokens.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            // Every move of a stake pays its rewards, so without a stake nothing is owed.
            if self.staked(cx, account).await?.is_zero() {
                return Ok(Vec::new());
            }
            let owed = self.reward_tokens(cx).await?.into_iter().map(|token| async move {
                Ok((token, cx.call(self.address, pendingRewardCall { account, rewardToken: token }).await?))
            });
            let mut owed = join_partial(cx, owed).await.fail_if_none(cx, labels.market)?;
            owed.retain(|(_, amount)| !amount.is_zero());
            if owed.is_empty() {
                return Ok(Vec::new());
            }
            let claim = cx.claim(self.address, &depositCall { amount: U256::ZERO });
            let row = Claimable::new(labels.market, self.address, claim).mechanism(self.types.stake);
            let row = row.named(format!("{} rewards", symbol(self.staked_token)));
            Ok(vec![owed.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))])
        })
    }

    /// Returns the stake. Fees arrive irregularly, so there is no rate.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let amount = self.staked(cx, account).await?;
            if amount.is_zero() {
                return Ok(Vec::new());
            }
            let total = cx.call(self.address, internalJoeBalanceCall {});
            let (tokens, total) = cx.join((self.reward_tokens(cx), total)).await?;
            let position = Position::new(PositionKind::STAKED, labels.market, self.address).mechanism(self.types.stake);
            let position = position.named(format!("{} staking", symbol(self.staked_token)));
            let position = position.leg(Leg::new(LegRole::STAKED, self.staked_token, amount).of_total(total));
            Ok(vec![tokens.into_iter().fold(position, |position, token| position.reward(Reward::new(token, None)))])
        })
    }
}

impl FeeStaking {
    /// Returns the account's stake, which is the same for every reward token.
    async fn staked(&self, cx: &JobContext, account: Address) -> Result<U256, Error> {
        let info = getUserInfoCall { account, rewardToken: Address::ZERO };
        cx.call(self.address, info).zero_within(ZERO_STANDS_S).await
    }

    async fn reward_tokens(&self, cx: &JobContext) -> Result<Vec<Address>, Error> {
        let count = cx.call(self.address, rewardTokensLengthCall {}).await?;
        let count = u64::try_from(count).ok().filter(|count| *count <= TOKENS_MAX);
        let count = count.ok_or_else(|| Error::new(format!("{}: lists too many reward tokens", self.address)))?;
        let token = |index| cx.call(self.address, rewardTokensCall { index: U256::from(index) });
        cx.join((0..count).map(token)).await
    }
}
