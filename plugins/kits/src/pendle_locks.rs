//! Locks and stakes of Pendle's own token: vePENDLE, which is locked until a time, and sPENDLE, which leaves by a
//! cooldown.
//!
//! Settings keys `ve_pendle` and `staked_pendle`. Answers claimables and locked positions, and farming positions of
//! what is staked. Invariant: what waits is a position and what is over is a claim, so no sum counts it twice. Fees are
//! paid by Merkle proofs of another contract, and are not read.
//!
//! Source: <https://github.com/pendle-finance/pendle-core-v2-public/tree/main/contracts/LiquidityMining>,
//! `VotingEscrow/VotingEscrowPendleMainchain.sol` and `sPendle/StakedPendle.sol`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    SettingsError, SolCall, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

/// vePENDLE.
mod escrow {
    portolan_plugin_api::sol! {
        function pendle() external view returns (address);
        function positionData(address user) external view returns (uint128 amount, uint128 expiry);
        // Pays the sender a lock that is over.
        function withdraw() external returns (uint128 amount);
    }
}

/// sPENDLE, of which one stands for one PENDLE.
mod staked {
    portolan_plugin_api::sol! {
        function PENDLE() external view returns (address);
        function balanceOf(address account) external view returns (uint256);
        function userCooldown(address user) external view returns (uint104 cooldownStart, uint152 amount);
        function cooldownDuration() external view returns (uint24);
        // Pays the sender what has waited.
        function finalizeCooldown() external returns (uint256 amount);
    }
}

/// Cache time of the duration of a cooldown, in seconds; the owner may change it.
const DURATION_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendleLocksKit {
    /// Mechanism of locks, and `type` of claims of those that are over.
    pub lock: &'static str,
    /// Mechanism of stakes and of their cooldowns, and `type` of claims of those that are over.
    pub stake: &'static str,
}

/// One contract that holds PENDLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendleLocks {
    at: Address,
    form: LockForm,
    types: PendleLocksKit,
}

/// Form of a contract that holds PENDLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockForm {
    /// `VotingEscrowPendleMainchain`.
    Escrow,
    /// `StakedPendle`.
    Staked,
}

/// What leaves at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LeavingPendle {
    token: Address,
    amount: U256,
    /// Unix seconds.
    ends_at: u64,
}

impl PendleLocksKit {
    /// Keys of a row for locks or stakes of PENDLE:
    /// - `ve_pendle` (address): the escrow of locks
    /// - `staked_pendle` (address, instead of `ve_pendle`): the contract of stakes
    pub const KEYS: &'static [&'static str] = &["ve_pendle", "staked_pendle"];
}

impl Kit for PendleLocksKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let of = |at, form| Ok(Some(PendleLocks { at, form, types: *self }.shared()));
        match (keys.address_opt("ve_pendle")?, keys.address_opt("staked_pendle")?) {
            (Some(at), None) => of(at, LockForm::Escrow),
            (None, Some(at)) => of(at, LockForm::Staked),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => {
                Err(SettingsError::new("is given beside `ve_pendle`; give one of them").at("staked_pendle"))
            }
        }
    }

    /// Both pay the sender.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<escrow::withdrawCall>([]), ClaimTemplate::new::<staked::finalizeCooldownCall>([])]
    }
}

impl DeploymentReader for PendleLocks {
    fn contracts(&self) -> Vec<Address> {
        vec![self.at]
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        match self.form {
            LockForm::Escrow => vec![(escrow::withdrawCall::SIGNATURE, vec![self.at])],
            LockForm::Staked => Vec::new(),
        }
    }

    fn questions(&self) -> Vec<Question> {
        let farming = (self.form == LockForm::Staked).then_some(Question::FARMING);
        [Question::CLAIMABLES, Question::LOCKED].into_iter().chain(farming).collect()
    }

    /// Returns a claim if the account's lock or cooldown is over.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let over = self.leaving(cx, account).await?.filter(|found| found.is_over(cx));
            let claim = match self.form {
                LockForm::Escrow => cx.claim(self.at, &escrow::withdrawCall {}),
                LockForm::Staked => cx.claim(self.at, &staked::finalizeCooldownCall {}),
            };
            let row = |found: LeavingPendle| {
                let row = Claimable::new(labels.market, self.at, claim).mechanism(self.mechanism());
                row.named(self.name(found.token)).pays(found.token, found.amount)
            };
            Ok(over.map(row).into_iter().collect())
        })
    }

    /// Returns what is staked, or the lock or cooldown that is not over.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if question == Question::FARMING {
                return self.stake(cx, labels, account).await;
            }
            let waiting = self.leaving(cx, account).await?.filter(|found| !found.is_over(cx));
            let row = |found: LeavingPendle| {
                let row = Position::new(PositionKind::LOCKED, labels.market, self.at).mechanism(self.mechanism());
                let row = row.named(self.name(found.token));
                let row = row.leg(Leg::new(LegRole::LOCKED, found.token, found.amount));
                Position { lock: Some(Lock { unlocks_at: Some(found.ends_at), is_permanent: Some(false) }), ..row }
            };
            Ok(waiting.map(row).into_iter().collect())
        })
    }
}

impl LeavingPendle {
    /// Returns true from the second of the end on, as both contracts do.
    fn is_over(&self, cx: &JobContext) -> bool {
        self.ends_at <= cx.block().timestamp
    }
}

impl PendleLocks {
    const fn mechanism(&self) -> &'static str {
        match self.form {
            LockForm::Escrow => self.types.lock,
            LockForm::Staked => self.types.stake,
        }
    }

    fn name(&self, token: Address) -> String {
        let what = match self.form {
            LockForm::Escrow => "lock",
            LockForm::Staked => "cooldown",
        };
        format!("{} {what}", symbol(token))
    }

    /// Returns what the account is staking.
    async fn stake(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Position>, Error> {
        let amount = cx.call(self.at, staked::balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
        if amount.is_zero() {
            return Ok(Vec::new());
        }
        let token = self.token(cx, staked::PENDLECall {}).await?;
        let row = Position::new(PositionKind::STAKED, labels.market, self.at).mechanism(self.types.stake);
        let row = row.named(format!("{} stake", symbol(token)));
        Ok(vec![row.leg(Leg::new(LegRole::STAKED, token, amount).receipt(self.at))])
    }

    /// Returns the account's lock or cooldown.
    async fn leaving(&self, cx: &JobContext, user: Address) -> Result<Option<LeavingPendle>, Error> {
        let time = |seconds: U256| u64::try_from(seconds).unwrap_or(u64::MAX);
        match self.form {
            LockForm::Escrow => {
                let lock = cx.call(self.at, escrow::positionDataCall { user }).zero_within(ZERO_STANDS_S).await?;
                if lock.amount == 0 {
                    return Ok(None);
                }
                let token = self.token(cx, escrow::pendleCall {}).await?;
                let (amount, ends_at) = (U256::from(lock.amount), time(U256::from(lock.expiry)));
                Ok(Some(LeavingPendle { token, amount, ends_at }))
            }
            LockForm::Staked => {
                let waits = cx.call(self.at, staked::userCooldownCall { user }).zero_within(ZERO_STANDS_S).await?;
                if waits.amount.is_zero() {
                    return Ok(None);
                }
                let duration = cx.call(self.at, staked::cooldownDurationCall {}).within(DURATION_STANDS_S);
                let (token, duration) = cx.join((self.token(cx, staked::PENDLECall {}), duration)).await?;
                let ends_at = time(U256::from(waits.cooldownStart)).saturating_add(time(U256::from(duration)));
                Ok(Some(LeavingPendle { token, amount: U256::from(waits.amount), ends_at }))
            }
        }
    }

    async fn token<C: SolCall<Return = Address>>(&self, cx: &JobContext, view: C) -> Result<Address, Error> {
        cx.call(self.at, view).immutable().await
    }
}
