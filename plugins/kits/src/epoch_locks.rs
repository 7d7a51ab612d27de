//! Locks that open once so many epochs have passed: PlutusDAO's stakes of PLS by term.
//!
//! Settings key `epoch_locks`. Answers claimables of what has opened, and locked positions of the rest. Invariant: what
//! can leave is a claim and what cannot is a position, by a trial of the contract's own call. Rewards of past epochs
//! are paid by epoch, and are not read.
//!
//! Source: `PlutusEpochStaking.sol`, the verified contract at
//! <https://arbiscan.io/address/0x27aaa9d562237bf8e024f9b21de177e20ae50c05#code>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    SettingsError, SolCall as _, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    function pls() external view returns (address);
    // The place of the last epoch in which the account did something follows.
    function stakedDetails(address account) external view returns (uint256 amount);
    // Pays the sender its stake, while a window is open.
    function unstake() external;
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochLocksKit {
    /// Mechanism of locks, and `type` of claims of those that are open.
    pub lock: &'static str,
}

/// Locks of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochLocks {
    locks: Vec<Address>,
    types: EpochLocksKit,
}

/// A lock in which the account has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EpochLock {
    lock: Address,
    token: Address,
    amount: U256,
    is_open: bool,
}

impl EpochLocksKit {
    /// Keys of a row for locks that open after some epochs, as PlutusDAO's:
    /// - `epoch_locks` (array of addresses): the locks
    pub const KEYS: &'static [&'static str] = &["epoch_locks"];
}

impl Kit for EpochLocksKit {
    fn keys(&self) -> &'static [&'static str] {
        &["epoch_locks"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let locks = keys.addresses("epoch_locks")?;
        Ok((!locks.is_empty()).then(|| EpochLocks { locks, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<unstakeCall>([])]
    }
}

impl DeploymentReader for EpochLocks {
    fn contracts(&self) -> Vec<Address> {
        self.locks.clone()
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        vec![(unstakeCall::SIGNATURE, self.locks.clone())]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let open = self.held(cx, labels, account).await?.into_iter().filter(|held| held.is_open);
            let row = |held: EpochLock| {
                let row = Claimable::new(labels.market, held.lock, cx.claim(held.lock, &unstakeCall {}));
                let row = row.mechanism(self.types.lock).named(format!("{} lock", symbol(held.token)));
                row.pays(held.token, held.amount)
            };
            Ok(open.map(row).collect())
        })
    }

    /// Returns the locks that are not open. The protocol ends each epoch by hand, so they have no end.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let shut = self.held(cx, labels, account).await?.into_iter().filter(|held| !held.is_open);
            let row = |held: EpochLock| {
                let position = Position::new(PositionKind::LOCKED, labels.market, held.lock).mechanism(self.types.lock);
                let position = position.named(format!("{} lock", symbol(held.token)));
                let lock = Lock { unlocks_at: None, is_permanent: Some(false) };
                Position { lock: Some(lock), ..position.leg(Leg::new(LegRole::LOCKED, held.token, held.amount)) }
            };
            Ok(shut.map(row).collect())
        })
    }
}

impl EpochLocks {
    async fn held(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<EpochLock>, Error> {
        let staked = |lock: &Address| (*lock, stakedDetailsCall { account });
        let held = read_nonzero(cx, labels.market, self.locks.clone(), staked).await?;
        let rows = held.into_iter().map(async |(lock, amount)| {
            let open = cx.try_call(lock, unstakeCall {}).from(account).isolated();
            let (token, open) = cx.join((cx.call(lock, plsCall {}).immutable(), open)).await?;
            Ok(EpochLock { lock, token, amount, is_open: open.is_ok() })
        });
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
    }
}
