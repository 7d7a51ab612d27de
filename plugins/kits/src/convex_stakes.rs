//! Stakes of Convex's own tokens outside of its booster: CVX for a share of fees, and the wrapper of staked cvxCRV,
//! whose holders choose between two groups of rewards.
//!
//! Settings keys are `cvx_staking` and `cvx_crv_wrapper`. Answers claimables and staked positions. Invariant: an amount
//! is what the claim pays: without its fee, and with what the contract holds for the next claim.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, Role,
    SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

mod pool {
    // Source: https://github.com/convex-eth/platform/blob/main/contracts/contracts/cvxRewardPool.sol
    portolan_plugin_api::sol! {
        function stakingToken() external view returns (address);
        function cvxCrvToken() external view returns (address);
        function earned(address account) external view returns (uint256);
        function extraRewardsLength() external view returns (uint256);
        function getReward(address account, bool claimExtras, bool stake) external;
    }
}

mod wrapper {
    // Source: https://github.com/convex-eth/platform/blob/main/contracts/contracts/wrappers/CvxCrvStakingWrapper.sol
    portolan_plugin_api::sol! {
        struct Earned {
            address token;
            uint256 amount;
        }

        function cvxCrv() external view returns (address);
        // Changes state.
        function earned(address account) external returns (Earned[] rewards);
        function getReward(address account) external;
    }
}

portolan_plugin_api::sol! {
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Gas of the wrapper's `earned`: it claims the wrapper's own rewards from several contracts.
const EARNED_GAS: u32 = 5_000_000;
/// Rewards of the wrapper that are reported; it allows no more.
const REWARDS_MAX: usize = 10;

/// The kit, with a plugin's word for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvexStakesKit(pub &'static str);

/// One contract with stakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvexStake {
    at: Address,
    kind: StakeKind,
    mechanism: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StakeKind {
    /// `cvxRewardPool`.
    Cvx,
    /// `CvxCrvStakingWrapper`.
    Wrapper,
}

impl ConvexStakesKit {
    /// Keys of a row for stakes of Convex's own tokens:
    /// - `cvx_staking` (address): the stakes of CVX
    /// - `cvx_crv_wrapper` (address, instead of `cvx_staking`): the wrapper of staked cvxCRV
    pub const KEYS: &'static [&'static str] = &["cvx_staking", "cvx_crv_wrapper"];

    /// Creates a deployment of the CVX stakes at this address.
    fn cvx(self, at: Address) -> ConvexStake {
        ConvexStake { at, kind: StakeKind::Cvx, mechanism: self.0 }
    }

    /// Creates a deployment of the wrapper of staked cvxCRV at this address.
    fn wrapper(self, at: Address) -> ConvexStake {
        ConvexStake { at, kind: StakeKind::Wrapper, mechanism: self.0 }
    }
}

impl Kit for ConvexStakesKit {
    fn keys(&self) -> &'static [&'static str] {
        &["cvx_staking", "cvx_crv_wrapper"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        match (keys.address_opt("cvx_staking")?, keys.address_opt("cvx_crv_wrapper")?) {
            (Some(at), None) => Ok(Some(self.cvx(at).shared())),
            (None, Some(at)) => Ok(Some(self.wrapper(at).shared())),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => {
                Err(SettingsError::new("is given beside `cvx_staking`; give one of them").at("cvx_crv_wrapper"))
            }
        }
    }

    /// Whoever sends the calls, they pay the account that they name; the last flag would stake the payment.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let flags = [Role::ACCOUNT, Role::constant(&true), Role::constant(&false)];
        vec![
            ClaimTemplate::new::<pool::getRewardCall>(flags).by_anyone(),
            ClaimTemplate::new::<wrapper::getRewardCall>([Role::ACCOUNT]).by_anyone(),
        ]
    }
}

impl DeploymentReader for ConvexStake {
    fn contracts(&self) -> Vec<Address> {
        vec![self.at]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let (claim, owed) = match self.kind {
                StakeKind::Cvx => {
                    let call = pool::getRewardCall { account, claimExtras: true, stake: false };
                    (cx.claim(self.at, &call), self.fees(cx, account).await?)
                }
                StakeKind::Wrapper => {
                    (cx.claim(self.at, &wrapper::getRewardCall { account }), self.wrapped(cx, labels, account).await?)
                }
            };
            if owed.is_empty() {
                return Ok(Vec::new());
            }
            let name = format!("{} rewards", symbol(self.staked(cx).await?));
            let row = Claimable::new(labels.market, self.at, claim).mechanism(self.mechanism).named(name);
            Ok(vec![owed.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))])
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
            let amount = cx.call(self.at, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            if amount.is_zero() {
                return Ok(Vec::new());
            }
            let (token, total) = cx.join((self.staked(cx), cx.call(self.at, totalSupplyCall {}))).await?;
            let position = Position::new(PositionKind::STAKED, labels.market, self.at).mechanism(self.mechanism);
            let position = position.named(format!("{} stake", symbol(token)));
            Ok(vec![position.leg(Leg::new(LegRole::STAKED, token, amount).of_total(total))])
        })
    }
}

impl ConvexStake {
    /// Returns the staked token.
    async fn staked(&self, cx: &JobContext) -> Result<Address, Error> {
        match self.kind {
            StakeKind::Cvx => cx.call(self.at, pool::stakingTokenCall {}).immutable().await,
            StakeKind::Wrapper => cx.call(self.at, wrapper::cvxCrvCall {}).immutable().await,
        }
    }

    /// Returns the rewards of a CVX stake, less the fee for converting them to cvxCRV. A claim also pays the contract's
    /// balance of cvxCRV.
    async fn fees(&self, cx: &JobContext, account: Address) -> Result<Vec<(Address, U256)>, Error> {
        let earned = cx.call(self.at, pool::earnedCall { account }).zero_within(ZERO_STANDS_S).await?;
        if earned.is_zero() {
            return Ok(Vec::new());
        }
        let token = async {
            let token = cx.call(self.at, pool::cvxCrvTokenCall {}).immutable().await?;
            Ok((token, cx.call(token, balanceOfCall { account: self.at }).await?))
        };
        let ((token, left), extras) = cx.join((token, cx.call(self.at, pool::extraRewardsLengthCall {}))).await?;
        if !extras.is_zero() {
            cx.report_not_covered(format!("{}: extra rewards are not read", self.at));
        }
        let amount = earned.checked_add(left).ok_or_else(|| Error::new("a value is too large"))?;
        Ok(vec![(token, amount)])
    }

    /// Returns what the wrapper owes, after it has claimed its own rewards.
    async fn wrapped(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<(Address, U256)>, Error> {
        let mut owed = cx.call(self.at, wrapper::earnedCall { account }).isolated().gas_cap(EARNED_GAS).await?;
        if owed.len() > REWARDS_MAX {
            cx.report_not_covered(format!("{}: {REWARDS_MAX} of {} rewards are reported", labels.market, owed.len()));
            owed.truncate(REWARDS_MAX);
        }
        let owed = owed.into_iter().filter(|reward| !reward.amount.is_zero());
        Ok(owed.map(|reward| (reward.token, reward.amount)).collect())
    }
}
