//! Gains' staking: one token that is staked or vests, and rewards in several tokens.
//!
//! A deployment is the staking contract, which names its tokens; settings key `gains_staking`. Answers claimables, a
//! farming position for the stake and a locked one per vest. Invariant: a claim of what a vest has released pays its
//! rewards too, so both are one claim; that of the stake's rewards is another.
//!
//! Source: <https://arbiscan.io/address/0x7edde7e5900633f698eab0dbc97de640fc5dc015#code>, `GNSStaking.sol`.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, Reward,
    Role, SettingsError, U256, Vesting,
};

use crate::bounds;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use crate::token_sums;

portolan_plugin_api::sol! {
    struct UnlockSchedule {
        uint128 totalGns;
        uint128 claimedGns;
        uint128 debtDai;
        uint48 start;
        uint48 duration;
        bool revocable;
        uint8 unlockType;
        uint16 placeholder;
    }

    function gns() external view returns (address);
    function gnsBalance() external view returns (uint128);
    function getRewardTokens() external view returns (address[]);
    // Stakes and vests.
    function totalGnsStaked(address staker) external view returns (uint128);
    function stakers(address staker) external view returns (uint128 stakedGns, uint128 debtDai);
    function getUnlockSchedules(address staker) external view returns (UnlockSchedule[]);
    function releasableGns(UnlockSchedule schedule, uint48 timestamp) external view returns (uint128);
    // One amount for each reward token.
    function pendingRewardTokens(address staker) external view returns (uint128[]);
    function pendingRewardTokensFromUnlocks(address staker, uint256[] ids) external view returns (uint128[]);
    function harvestTokens() external;
    function claimUnlockedGns(uint256[] ids) external;
}

/// Vests of an account in one answer.
const VESTS_MAX: usize = 64;
/// Cache time of the list of reward tokens, in seconds.
const TOKENS_STAND_S: u32 = 300;
/// `unlockType` of a vest that ends at once.
const CLIFF: u8 = 1;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GainsStakingKit {
    /// Mechanism of stakes and vests, and `type` of what they are owed.
    pub stake: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GainsStaking {
    staking: Address,
    types: GainsStakingKit,
}

/// A vest that has not been claimed whole, by its place in the account's list.
struct Unlock {
    id: U256,
    schedule: UnlockSchedule,
    releasable: U256,
}

impl GainsStakingKit {
    /// Keys of a row for Gains' staking or a fork:
    /// - `gains_staking` (address): the staking contract
    pub const KEYS: &'static [&'static str] = &["gains_staking"];
}

impl Kit for GainsStakingKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("gains_staking")?.map(|staking| GainsStaking { staking, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<harvestTokensCall>([]),
            ClaimTemplate::new::<claimUnlockedGnsCall>([Role::array(Role::NUMBER)]),
        ]
    }
}

impl DeploymentReader for GainsStaking {
    fn contracts(&self) -> Vec<Address> {
        vec![self.staking]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim of the stake's rewards, and one per vest of what it has released and its rewards.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            if !self.has_anything(cx, account).await? {
                return Ok(Vec::new());
            }
            let parts: [Boxed<'_, Vec<Claimable>>; 2] =
                [Box::pin(self.earned(cx, labels, account)), Box::pin(self.vested(cx, labels, account))];
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.concat())
        })
    }

    /// Returns the position of the stake, or those of the vests.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if !self.has_anything(cx, account).await? {
                return Ok(Vec::new());
            }
            if question == Question::LOCKED {
                self.vests(cx, labels, account).await
            } else {
                self.stake(cx, labels, account).await
            }
        })
    }
}

impl GainsStaking {
    /// Returns true if the account stakes something, or has something that vests. Whoever leaves is paid at once.
    async fn has_anything(&self, cx: &JobContext, staker: Address) -> Result<bool, Error> {
        Ok(cx.call(self.staking, totalGnsStakedCall { staker }).zero_within(ZERO_STANDS_S).await? != 0)
    }

    /// Pairs the reward tokens with these amounts.
    async fn rewards(&self, cx: &JobContext, amounts: Vec<u128>) -> Result<Vec<(Address, U256)>, Error> {
        let tokens = cx.call(self.staking, getRewardTokensCall {}).within(TOKENS_STAND_S).await?;
        if tokens.len() < amounts.len() {
            return Err(Error::new(format!("{}: pays another number of tokens than it lists", self.staking)));
        }
        Ok(tokens.into_iter().zip(amounts.into_iter().map(U256::from)).collect())
    }

    async fn earned(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Vec<Claimable>, Error> {
        let amounts = cx.call(self.staking, pendingRewardTokensCall { staker }).await?;
        let paid = self.rewards(cx, amounts).await?;
        let claim = cx.claim(self.staking, &harvestTokensCall {});
        let row = Claimable::new(labels.market, self.staking, claim).mechanism(self.types.stake);
        let row = row.named(format!("{} staking rewards", labels.title));
        let row =
            paid.into_iter().filter(|(_, amount)| !amount.is_zero()).fold(row, |row, paid| row.pays(paid.0, paid.1));
        Ok(if row.payments.is_empty() { Vec::new() } else { vec![row] })
    }

    /// Returns a claim per vest.
    async fn vested(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Vec<Claimable>, Error> {
        let unlocks = self.unlocks(cx, labels, staker).await?;
        let rows = unlocks.into_iter().map(|unlock| self.unlocked(cx, labels, unlock, staker));
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
    }

    async fn unlocked(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        Unlock { id, releasable, .. }: Unlock,
        staker: Address,
    ) -> Result<Option<Claimable>, Error> {
        let amounts = cx.call(self.staking, pendingRewardTokensFromUnlocksCall { staker, ids: vec![id] });
        let (amounts, token) = cx.join((amounts, cx.call(self.staking, gnsCall {}).immutable())).await?;
        let mut paid = BTreeMap::from([(token, releasable)]);
        for (token, amount) in self.rewards(cx, amounts).await? {
            token_sums::add(&mut paid, token, amount)?;
        }
        let claim = cx.claim(self.staking, &claimUnlockedGnsCall { ids: vec![id] });
        let row = Claimable::new(labels.market, self.staking, claim).mechanism(self.types.stake).numbered(id);
        let row = row.named(format!("{} vested", labels.title));
        let paid = paid.into_iter().filter(|(_, amount)| !amount.is_zero());
        let row = paid.fold(row, |row, (token, amount)| row.pays(token, amount));
        Ok((!row.payments.is_empty()).then_some(row))
    }

    /// Returns the vests that have not been claimed whole.
    async fn unlocks(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Vec<Unlock>, Error> {
        let all = cx.call(self.staking, getUnlockSchedulesCall { staker }).await?;
        let open = (0_u64..).zip(all).filter(|(_, schedule)| schedule.claimedGns < schedule.totalGns);
        let mut open: Vec<(u64, UnlockSchedule)> = open.collect();
        bounds::truncate(cx, labels.market, &mut open, "vests", VESTS_MAX);
        let now = U256::from(cx.block().timestamp).saturating_to();
        cx.join(open.into_iter().map(async |(place, schedule)| {
            let call = releasableGnsCall { schedule: schedule.clone(), timestamp: now };
            let releasable = U256::from(cx.call(self.staking, call).await?);
            Ok(Unlock { id: U256::from(place), schedule, releasable })
        }))
        .await
    }

    async fn stake(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Vec<Position>, Error> {
        let held = cx.call(self.staking, stakersCall { staker });
        let total = cx.call(self.staking, gnsBalanceCall {});
        let token = cx.call(self.staking, gnsCall {}).immutable();
        let amounts = cx.call(self.staking, pendingRewardTokensCall { staker });
        let (held, total, (token, amounts)) = cx.join((held, total, cx.join((token, amounts)))).await?;
        if held.stakedGns == 0 {
            return Ok(Vec::new());
        }
        let owed = self.rewards(cx, amounts).await?;
        let leg = Leg::new(LegRole::STAKED, token, U256::from(held.stakedGns)).of_total(U256::from(total));
        let position = Position::new(PositionKind::STAKED, labels.market, self.staking).mechanism(self.types.stake);
        let position = position.named(format!("{} staking", labels.title)).leg(leg);
        // Fees arrive at irregular times.
        let position = owed.iter().fold(position, |position, (token, _)| position.reward(Reward::new(*token, None)));
        Ok(vec![position.legs(owed.into_iter().map(|(token, owed)| Leg::new(LegRole::REWARD_OWED, token, owed)))])
    }

    async fn vests(&self, cx: &JobContext, labels: Labels<'_>, staker: Address) -> Result<Vec<Position>, Error> {
        let token = cx.call(self.staking, gnsCall {}).immutable();
        let (token, unlocks) = cx.join((token, self.unlocks(cx, labels, staker))).await?;
        let rows = unlocks.into_iter().map(|Unlock { id, schedule, releasable }| {
            let claimed = U256::from(schedule.claimedGns).saturating_add(releasable);
            let vesting = U256::from(schedule.totalGns).saturating_sub(claimed);
            let (start, duration): (u64, u64) = (schedule.start.to(), schedule.duration.to());
            let end = start.saturating_add(duration);
            let cliff = (schedule.unlockType == CLIFF).then_some(end);
            let schedule = Vesting { start: Some(start), cliff, end: Some(end), releasable: Some(releasable) };
            let position =
                Position::new(PositionKind::VESTING, labels.market, self.staking).mechanism(self.types.stake);
            let position = position.numbered(id).named(format!("{} vesting", labels.title));
            Position { vesting: Some(schedule), ..position.leg(Leg::new(LegRole::VESTING, token, vesting)) }
        });
        Ok(rows.filter(|row| row.legs.iter().any(|leg| !leg.amount.is_zero())).collect())
    }
}
