//! Frax' unified farms: stakes that are each locked until their own time, and rewards in several tokens that one claim
//! pays for all stakes.
//!
//! A deployment is a list of farms; settings key `unified_farms`. Answers claimables and a farming position per stake,
//! with its end. Invariant: rewards are what the farm's own claim returns, which renews an expired period before it
//! pays. A farm that refuses to pay or cannot be read loses only its own rows, and the answer reports it.
//!
//! Source: <https://github.com/FraxFinance/frax-solidity/tree/master/src/hardhat/contracts/Staking>,
//! `FraxUnifiedFarm_ERC20.sol` and `FraxUnifiedFarmTemplate.sol`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Reward, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::display_name::display_name;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    struct LockedStake {
        bytes32 kek_id;
        uint256 start_timestamp;
        uint256 liquidity;
        uint256 ending_timestamp;
        uint256 lock_multiplier;
    }

    function stakingToken() external view returns (address);
    function getAllRewardTokens() external view returns (address[]);
    function lockedLiquidityOf(address account) external view returns (uint256);
    // A withdrawn stake leaves an empty entry.
    function lockedStakesOf(address account) external view returns (LockedStake[]);
    function totalLiquidityLocked() external view returns (uint256);
    // True if all stakes may leave before their ends.
    function stakesUnlocked() external view returns (bool);
    // Pays all of the sender's rewards to the destination, and returns the amounts. Withdrawing a stake pays them too.
    function getReward(address destination) external returns (uint256[]);
}

/// Cache time of `stakesUnlocked`, in seconds.
const UNLOCKED_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnifiedFarmsKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub farm: &'static str,
}

/// Farms of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnifiedFarms {
    farms: Vec<Address>,
    types: UnifiedFarmsKit,
}

impl UnifiedFarmsKit {
    /// Keys of a row for Frax' unified farms:
    /// - `unified_farms` (array of addresses): the farms
    pub const KEYS: &'static [&'static str] = &["unified_farms"];
}

impl Kit for UnifiedFarmsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["unified_farms"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let farms = keys.addresses("unified_farms")?;
        Ok((!farms.is_empty()).then(|| UnifiedFarms { farms, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT])]
    }
}

impl DeploymentReader for UnifiedFarms {
    fn contracts(&self) -> Vec<Address> {
        self.farms.to_vec()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per farm with rewards.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let staked = self.staked(cx, labels, account).await?;
            let rows = staked.into_iter().map(|farm| self.claimable(cx, labels, farm, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns a position per stake.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let staked = self.staked(cx, labels, account).await?;
            let rows = staked.into_iter().map(|farm| self.stakes(cx, labels, farm, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).concat())
        })
    }
}

impl UnifiedFarms {
    /// Returns the farms in which the account has a stake; others owe it nothing.
    async fn staked(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Address>, Error> {
        let farms = self.farms.to_vec();
        let staked = read_nonzero(cx, labels.market, farms, |farm| (*farm, lockedLiquidityOfCall { account })).await?;
        Ok(staked.into_iter().map(|(farm, _)| farm).collect())
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        farm: Address,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let owed = cx.call(farm, getRewardCall { destination: account }).from(account).isolated();
        let tokens = cx.call(farm, getAllRewardTokensCall {}).immutable();
        let token = cx.call(farm, stakingTokenCall {}).immutable();
        let (owed, tokens, token) = cx.join((owed, tokens, token)).await?;
        if owed.len() != tokens.len() {
            return Err(Error::new(format!("{farm}: pays another number of tokens than it lists")));
        }
        let paid: Vec<_> = tokens.into_iter().zip(owed).filter(|(_, amount)| !amount.is_zero()).collect();
        if paid.is_empty() {
            return Ok(None);
        }
        let claim = cx.claim(farm, &getRewardCall { destination: account });
        let row = Claimable::new(labels.market, farm, claim).mechanism(self.types.farm);
        let row = row.named(format!("{} rewards", display_name(cx, token).await?));
        Ok(Some(paid.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))))
    }

    /// Returns the stakes in a farm. Rates are unknown: they are shared by weights that change over time.
    async fn stakes(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        farm: Address,
        account: Address,
    ) -> Result<Vec<Position>, Error> {
        let stakes = cx.call(farm, lockedStakesOfCall { account });
        let total = cx.call(farm, totalLiquidityLockedCall {});
        let unlocked = cx.call(farm, stakesUnlockedCall {}).within(UNLOCKED_STANDS_S);
        let tokens = cx.call(farm, getAllRewardTokensCall {}).immutable();
        let token = cx.call(farm, stakingTokenCall {}).immutable();
        let ((stakes, total, unlocked), (tokens, token)) =
            cx.join((cx.join((stakes, total, unlocked)), cx.join((tokens, token)))).await?;
        let name = format!("{} farm", display_name(cx, token).await?);
        let held = (0_u64..).zip(stakes).filter(|(_, stake)| !stake.liquidity.is_zero());
        let row = |(place, stake): (u64, LockedStake)| {
            let until = u64::try_from(stake.ending_timestamp).ok();
            let lock = Lock { unlocks_at: until, is_permanent: Some(false) };
            let position = Position::new(PositionKind::STAKED, labels.market, farm).mechanism(self.types.farm);
            let position = position.named(&*name).numbered(U256::from(place));
            let position = position.leg(Leg::new(LegRole::STAKED, token, stake.liquidity).of_total(total));
            let position = Position { lock: (!unlocked).then_some(lock), ..position };
            tokens.iter().fold(position, |position, reward| position.reward(Reward::new(*reward, None)))
        };
        Ok(held.map(row).collect())
    }
}
