//! Convex's locker of its own token, and its forks: tokens locked for some weeks vote, and earn several rewards.
//!
//! Settings keys are `locker`, and `boosted` if the locker counts boosted amounts beside locked ones, as both of
//! Convex's versions do. Answers claimables, and a locked position per week in which locks end. Invariant: a position
//! has everything that can be withdrawn from the same time on; all expired locks are one position.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

// Source: https://github.com/convex-eth/platform/blob/main/contracts/contracts/CvxLockerV2.sol
// and https://github.com/aurafinance/aura-contracts/blob/main/contracts/core/AuraLocker.sol
portolan_plugin_api::sol! {
    struct Earned {
        address token;
        uint256 amount;
    }

    function stakingToken() external view returns (address);
    function isShutdown() external view returns (bool);
    function claimableRewards(address account) external view returns (Earned[] rewards);
    function getReward(address account) external;
    // More members follow, which differ between versions.
    function balances(address account) external view returns (uint256 locked);
}

mod plain {
    portolan_plugin_api::sol! {
        struct LockedBalance {
            uint112 amount;
            uint32 unlockTime;
        }

        function lockedBalances(address account) external view
            returns (uint256 total, uint256 unlockable, uint256 locked, LockedBalance[] lockData);
    }
}

mod boosted {
    portolan_plugin_api::sol! {
        struct LockedBalance {
            uint112 amount;
            uint112 boosted;
            uint32 unlockTime;
        }

        function lockedBalances(address account) external view
            returns (uint256 total, uint256 unlockable, uint256 locked, LockedBalance[] lockData);
    }
}

/// Locks and rewards of one account that are reported; a locker has fewer than twenty weeks.
const ROWS_MAX: usize = 64;
/// Cache time of the locker's shutdown flag, in seconds.
const SHUTDOWN_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoteLockerKit {
    /// Mechanism of locks, and `type` of their rewards.
    pub lock: &'static str,
}

/// One locker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoteLocker {
    locker: Address,
    is_boosted: bool,
    types: VoteLockerKit,
}

/// Locks of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Locks {
    total: U256,
    /// Amount that can be withdrawn now.
    free: U256,
    /// Other amounts, with their ends.
    ends: Vec<(U256, u64)>,
}

impl VoteLockerKit {
    /// Keys of a row for a locker like Convex's or Aura's:
    /// - `locker` (address): the locker
    /// - `boosted` (boolean, optional): true if it counts boosted amounts beside locked ones, as both of Convex's do
    pub const KEYS: &'static [&'static str] = &["locker", "boosted"];

    /// Creates a deployment of the locker at this address.
    fn locker(self, locker: Address) -> VoteLocker {
        VoteLocker { locker, is_boosted: false, types: self }
    }
}

impl Kit for VoteLockerKit {
    fn keys(&self) -> &'static [&'static str] {
        &["locker", "boosted"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let locker = self.locker(keys.address("locker")?);
        Ok(Some(VoteLocker { is_boosted: keys.flag("boosted")?, ..locker }.shared()))
    }

    /// Whoever sends the call, it pays the account that it names.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT]).by_anyone()]
    }
}

impl DeploymentReader for VoteLocker {
    fn contracts(&self) -> Vec<Address> {
        vec![self.locker]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns one claim for what the locker owes, which pays all rewards.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let owed = cx.call(self.locker, claimableRewardsCall { account });
            let (owed, token) = cx.join((owed, cx.call(self.locker, stakingTokenCall {}).immutable())).await?;
            let owed = bounded(cx, labels, "rewards", owed);
            let claim = cx.claim(self.locker, &getRewardCall { account });
            let row = Claimable::new(labels.market, self.locker, claim).mechanism(self.types.lock);
            let row = row.named(format!("{} lock rewards", symbol(token)));
            let owed = owed.into_iter().filter(|reward| !reward.amount.is_zero());
            let row = owed.fold(row, |row, reward| row.pays(reward.token, reward.amount));
            Ok(if row.payments.is_empty() { Vec::new() } else { vec![row] })
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
            if cx.call(self.locker, balancesCall { account }).zero_within(ZERO_STANDS_S).await?.is_zero() {
                return Ok(Vec::new());
            }
            let is_shut = cx.call(self.locker, isShutdownCall {}).within(SHUTDOWN_STANDS_S);
            let token = cx.call(self.locker, stakingTokenCall {}).immutable();
            let (token, is_shut, locks) = cx.join((token, is_shut, self.locks(cx, account))).await?;
            let (free, ends) = if is_shut { (locks.total, Vec::new()) } else { (locks.free, locks.ends) };
            let free = (!free.is_zero()).then(|| self.position(labels, token, free, cx.block().timestamp));
            let ends = bounded(cx, labels, "locks", ends).into_iter();
            let rows = ends.map(|(amount, end)| self.position(labels, token, amount, end).numbered(U256::from(end)));
            Ok(free.into_iter().chain(rows).collect())
        })
    }
}

impl VoteLocker {
    async fn locks(&self, cx: &JobContext, account: Address) -> Result<Locks, Error> {
        if self.is_boosted {
            let read = cx.call(self.locker, boosted::lockedBalancesCall { account }).await?;
            let ends = read.lockData.into_iter().map(|lock| (U256::from(lock.amount), lock.unlockTime.into()));
            return Ok(Locks { total: read.total, free: read.unlockable, ends: ends.collect() });
        }
        let read = cx.call(self.locker, plain::lockedBalancesCall { account }).await?;
        let ends = read.lockData.into_iter().map(|lock| (U256::from(lock.amount), lock.unlockTime.into()));
        Ok(Locks { total: read.total, free: read.unlockable, ends: ends.collect() })
    }

    fn position(&self, labels: Labels<'_>, token: Address, amount: U256, unlocks_at: u64) -> Position {
        let position = Position::new(PositionKind::LOCKED, labels.market, self.locker).mechanism(self.types.lock);
        let position = position.named(format!("{} lock", symbol(token)));
        let lock = Lock { unlocks_at: Some(unlocks_at), is_permanent: Some(false) };
        Position { lock: Some(lock), ..position.leg(Leg::new(LegRole::LOCKED, token, amount)) }
    }
}

/// Truncates the list to the maximum, and reports the rest.
fn bounded<T>(cx: &JobContext, labels: Labels<'_>, what: &str, mut list: Vec<T>) -> Vec<T> {
    if list.len() > ROWS_MAX {
        cx.report_not_covered(format!("{}: {ROWS_MAX} of {} {what} are reported", labels.market, list.len()));
        list.truncate(ROWS_MAX);
    }
    list
}
