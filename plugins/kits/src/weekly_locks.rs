//! Locks that end at the turn of a week, and earn by the week: Equilibria's vlEQB.
//!
//! Settings keys `weekly_lock` and `weekly_token`. Answers claimables, and a locked position per week in which locks
//! end. Invariant: what is locked is a position and what is not any more is a claim, so no sum counts it twice.
//!
//! Source: <https://github.com/eqbtech/equilibria-contracts/blob/main/VlEqb.sol>

use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Role, SettingsError, SolCall as _, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::native_placeholder::named_token;
use crate::partial::{join_partial, with_each};

portolan_plugin_api::sol! {
    // The week up to which the account was paid, in seconds since 1970; zero if it never locked anything.
    function lastClaimedWeek(address user) external view returns (uint256);
    // The end and the amount of each lock.
    function getActiveLocks(address user) external view returns (uint256[2][] locks);
    function getUnlockable(address user) external view returns (uint256);
    // Pays the sender what is not locked any more.
    function unlock() external;
    function getRewardTokensLength() external view returns (uint256);
    // A token stays at its place.
    function rewardTokens(uint256 index) external view returns (address token);
    function earned(address user, address rewardToken) external view returns (uint256);
    // Pays the account, whoever sends it.
    function getReward(address user) external;
}

/// Key of the list of reward tokens among a deployment's fact lists.
const LIST: &str = "weekly-rewards";
/// Rewards that are answered; no known lock has more than ten.
const REWARDS_MAX: usize = 32;
/// Weeks that are answered; a lock lasts 52 at most.
const WEEKS_MAX: usize = 64;
/// Gas of what is earned: it reads a few slots for each week since the account was paid.
const EARNED_GAS: u32 = 5_000_000;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeeklyLocksKit {
    /// Mechanism of locks, and `type` of their rewards and of claims of those that are over.
    pub lock: &'static str,
}

/// One lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeeklyLock {
    lock: Address,
    token: Address,
    types: WeeklyLocksKit,
}

impl WeeklyLocksKit {
    /// Keys of a row for locks that end at the turn of a week, as Equilibria's:
    /// - `weekly_lock` (address): the lock
    /// - `weekly_token` (address): the token that it holds
    pub const KEYS: &'static [&'static str] = &["weekly_lock", "weekly_token"];
}

impl Kit for WeeklyLocksKit {
    fn keys(&self) -> &'static [&'static str] {
        &["weekly_lock"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(lock) = keys.address_opt("weekly_lock")? else { return Ok(None) };
        Ok(Some(WeeklyLock { lock, token: keys.address("weekly_token")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT]).by_anyone(), ClaimTemplate::new::<unlockCall>([])]
    }
}

impl DeploymentReader for WeeklyLock {
    fn contracts(&self) -> Vec<Address> {
        vec![self.lock]
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        vec![(unlockCall::SIGNATURE, vec![self.lock])]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim of the rewards, and one of what is not locked any more.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            if !self.has_locked(cx, account).await? {
                return Ok(Vec::new());
            }
            let parts: [Boxed<'_, Option<Claimable>>; 2] =
                [Box::pin(self.rewards(cx, labels, account)), Box::pin(self.unlocked(cx, labels, account))];
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
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
            if !self.has_locked(cx, account).await? {
                return Ok(Vec::new());
            }
            let mut locks = cx.call(self.lock, getActiveLocksCall { user: account }).await?;
            truncate(cx, labels.market, &mut locks, "weeks of locks", WEEKS_MAX);
            let row = |[end, amount]: [U256; 2]| {
                let position = Position::new(PositionKind::LOCKED, labels.market, self.lock).mechanism(self.types.lock);
                let position = position.named(format!("{} lock", symbol(self.token))).numbered(end);
                let lock = Lock { unlocks_at: u64::try_from(end).ok(), is_permanent: Some(false) };
                Position { lock: Some(lock), ..position.leg(Leg::new(LegRole::LOCKED, self.token, amount)) }
            };
            Ok(locks.into_iter().map(row).collect())
        })
    }
}

impl WeeklyLock {
    /// Returns true if the account ever locked something.
    async fn has_locked(&self, cx: &JobContext, user: Address) -> Result<bool, Error> {
        Ok(!cx.call(self.lock, lastClaimedWeekCall { user }).zero_within(ZERO_STANDS_S).await?.is_zero())
    }

    async fn rewards(&self, cx: &JobContext, labels: Labels<'_>, user: Address) -> Result<Option<Claimable>, Error> {
        let walk = |places: Range<u64>| {
            cx.join(places.map(|place| cx.call(self.lock, rewardTokensCall { index: U256::from(place) })))
        };
        let count = cx.call(self.lock, getRewardTokensLengthCall {}).within(COUNT_STANDS_S);
        let mut tokens: Vec<Address> = cx.facts(labels.market, LIST, count, walk).await?;
        truncate(cx, labels.market, &mut tokens, "rewards of locks", REWARDS_MAX);
        let earned = cx.call_each(tokens.iter().map(|token| (self.lock, earnedCall { user, rewardToken: *token })));
        let owed = with_each(tokens, earned.gas_cap(EARNED_GAS)).await.fail_if_none(cx, labels.market)?;
        let claim = cx.claim(self.lock, &getRewardCall { user });
        let row = Claimable::new(labels.market, self.lock, claim).mechanism(self.types.lock);
        let row = row.named(format!("{} lock rewards", symbol(self.token)));
        let owed = owed.into_iter().filter(|(_, amount)| !amount.is_zero());
        let row = owed.fold(row, |row, (token, amount)| row.pays(named_token(token), amount));
        Ok((!row.payments.is_empty()).then_some(row))
    }

    async fn unlocked(&self, cx: &JobContext, labels: Labels<'_>, user: Address) -> Result<Option<Claimable>, Error> {
        let amount = cx.call(self.lock, getUnlockableCall { user }).await?;
        let claim = cx.claim(self.lock, &unlockCall {});
        let row = Claimable::new(labels.market, self.lock, claim).mechanism(self.types.lock);
        let row = row.named(format!("{} unlocked", symbol(self.token))).pays(self.token, amount);
        Ok((!amount.is_zero()).then_some(row))
    }
}
