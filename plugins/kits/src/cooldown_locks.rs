//! Locks without an end, which leave by a cooldown that the account starts: Magpie's vlMGP and its copies (Penpie's
//! vlPNP).
//!
//! Settings keys `cooldown_lock` and `cooldown_token`. Answers claimables and locked positions. Invariant: what waits
//! is a position and what has waited is a claim, so no sum counts it twice. Rewards of the lock are paid by its master,
//! also when a cooldown that is over is claimed, and are answered there.
//!
//! Sources: `VLPenpie.sol` of <https://github.com/magpiexyz/penpie_contracts>, and `VLMGP.sol` as
//! <https://github.com/cassc/etherscan-contract-crawler/tree/main/bsc_contracts> has it.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Role, SettingsError, SolCall as _, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    struct UserUnlocking {
        uint256 startTime;
        uint256 endTime;
        // Zero once it was taken or stopped.
        uint256 amountInCoolDown;
    }

    // Without what cools down.
    function getUserTotalLocked(address user) external view returns (uint256 locked);
    function getUserUnlockingSchedule(address user) external view returns (UserUnlocking[] slots);
    function getUserNthUnlockSlot(address user, uint256 slot) external view
        returns (uint256 startTime, uint256 endTime, uint256 amountInCoolDown);
    // Pays the sender a cooldown that is over, and all rewards of the lock.
    function unlock(uint256 slotIndex) external;
}

/// Cooldowns of an account that are answered, the first ones of its list; contracts allow six.
const COOLDOWNS_MAX: usize = 32;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CooldownLocksKit {
    /// Mechanism of locks, and `type` of claims of cooldowns that are over.
    pub lock: &'static str,
}

/// One lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CooldownLock {
    lock: Address,
    token: Address,
    types: CooldownLocksKit,
}

/// What cools down, or has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LockCooldown {
    slot: U256,
    amount: U256,
    /// Unix seconds.
    ends_at: U256,
}

impl CooldownLocksKit {
    /// Keys of a row for a lock that leaves by a cooldown, as Magpie's:
    /// - `cooldown_lock` (address): the lock
    /// - `cooldown_token` (address): the token that it holds
    pub const KEYS: &'static [&'static str] = &["cooldown_lock", "cooldown_token"];
}

impl Kit for CooldownLocksKit {
    fn keys(&self) -> &'static [&'static str] {
        &["cooldown_lock"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(lock) = keys.address_opt("cooldown_lock")? else { return Ok(None) };
        Ok(Some(CooldownLock { lock, token: keys.address("cooldown_token")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<unlockCall>([Role::NUMBER])]
    }
}

impl DeploymentReader for CooldownLock {
    fn contracts(&self) -> Vec<Address> {
        vec![self.lock]
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        vec![(unlockCall::SIGNATURE, vec![self.lock])]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per cooldown that is over; they stay at their places.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let mut over = self.cooldowns(cx, labels, account).await?;
            over.retain(|cooldown| cooldown.is_over(cx));
            let rows = over.into_iter().map(async |LockCooldown { slot, .. }| {
                let found = cx.call(self.lock, getUserNthUnlockSlotCall { user: account, slot }).await?;
                let claim = cx.claim(self.lock, &unlockCall { slotIndex: slot });
                let row = Claimable::new(labels.market, self.lock, claim).mechanism(self.types.lock);
                let row = row.named(format!("{} cooldown", symbol(self.token))).numbered(slot);
                Ok(row.pays(self.token, found.amountInCoolDown))
            });
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns a position of what has no end, and one per cooldown that is not over.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let locked = cx.call(self.lock, getUserTotalLockedCall { user: account }).zero_within(ZERO_STANDS_S);
            let (locked, mut waits) = cx.join((locked, self.cooldowns(cx, labels, account))).await?;
            waits.retain(|cooldown| !cooldown.is_over(cx));
            let whole = (!locked.is_zero()).then(|| self.position(labels, "lock", locked, None));
            let waits = waits.into_iter().map(|LockCooldown { slot, amount, ends_at }| {
                let ends_at = u64::try_from(ends_at).unwrap_or(u64::MAX);
                self.position(labels, "cooldown", amount, Some(ends_at)).numbered(slot)
            });
            Ok(whole.into_iter().chain(waits).collect())
        })
    }
}

impl LockCooldown {
    /// Returns true from the second of the end on, as the contracts do.
    fn is_over(&self, cx: &JobContext) -> bool {
        self.ends_at <= U256::from(cx.block().timestamp)
    }
}

impl CooldownLock {
    /// Returns the account's cooldowns, over or not.
    async fn cooldowns(&self, cx: &JobContext, labels: Labels<'_>, user: Address) -> Result<Vec<LockCooldown>, Error> {
        let slots = cx.call(self.lock, getUserUnlockingScheduleCall { user }).zero_within(ZERO_STANDS_S).await?;
        let open = (0_u64..).zip(slots).filter(|(_, slot)| !slot.amountInCoolDown.is_zero());
        let open = open.map(|(place, slot)| {
            let (slot, amount, ends_at) = (U256::from(place), slot.amountInCoolDown, slot.endTime);
            LockCooldown { slot, amount, ends_at }
        });
        let mut open: Vec<LockCooldown> = open.collect();
        truncate(cx, labels.market, &mut open, "cooldowns", COOLDOWNS_MAX);
        Ok(open)
    }

    fn position(&self, labels: Labels<'_>, what: &str, amount: U256, unlocks_at: Option<u64>) -> Position {
        let position = Position::new(PositionKind::LOCKED, labels.market, self.lock).mechanism(self.types.lock);
        let position = position.named(format!("{} {what}", symbol(self.token)));
        let lock = Lock { unlocks_at, is_permanent: Some(false) };
        Position { lock: Some(lock), ..position.leg(Leg::new(LegRole::LOCKED, self.token, amount)) }
    }
}
