//! Withdrawals from vaults: a locked position until the queue pays them, then a claim.
//!
//! Invariant: a withdrawal is a claim if a simulation of that succeeds, and a position otherwise, so that no sum counts it
//! twice.

use portolan_plugin_api::{
    Address, Claim, Claimable, Error, JobContext, Leg, LegRole, Lock, Position, PositionKind, U256, symbol,
};

use super::{VaultSupervisor, delegationSupervisorCall, getVaultsCall};
use crate::bounds;
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::token_sums;

portolan_plugin_api::sol! {
    struct SharesRequest { address[] vaults; uint256[] shares; address withdrawer; }
    struct StartedWithdrawal {
        address staker; address delegatedTo; uint256 nonce; uint256 start; SharesRequest request;
    }
    // The queue, which lists finished withdrawals too.
    function fetchQueuedWithdrawals(address staker) external view returns (StartedWithdrawal[]);
    function isWithdrawPending(StartedWithdrawal withdrawal) external view returns (bool);
    function withdrawalDelay() external view returns (uint256);
    // Pays the sender, who has to be the withdrawer.
    function finishWithdraw(StartedWithdrawal[] withdrawals) external;

    // A vault.
    function asset() external view returns (address);
    function convertToAssets(uint256 shares) external view returns (uint256);
}

/// Withdrawals of an account that are read, the newest ones; the queue keeps finished ones forever.
const WITHDRAWALS_MAX: usize = 128;
/// Cache time of the queue's address and its delay, in seconds; an upgrade or a manager may change them.
const QUEUE_STANDS_S: u32 = 300;

/// A withdrawal that is not finished.
struct LeavingShares {
    withdrawal: StartedWithdrawal,
    /// Amounts by token.
    parts: Vec<(Address, U256)>,
    /// Unix time, in seconds.
    ends_at: U256,
    is_ripe: bool,
}

/// The unfinished withdrawals of an account, and the queue that has them.
struct QueuedShares {
    queue: Address,
    withdrawals: Vec<LeavingShares>,
}

/// Returns a claim per ripe withdrawal.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &VaultSupervisor,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let QueuedShares { queue, mut withdrawals } = all(cx, of, labels, account).await?;
    withdrawals.retain(|leaving| leaving.is_ripe);
    if withdrawals.is_empty() {
        return Ok(Vec::new());
    }
    let known = cx.call(of.supervisor, getVaultsCall {}).within(QUEUE_STANDS_S).await?;
    let rows = withdrawals.into_iter().map(async |leaving| {
        if !leaving.withdrawal.request.vaults.iter().all(|vault| known.contains(vault)) {
            return Err(Error::new(format!("{}: does not know a vault of a withdrawal", of.supervisor)));
        }
        let claim = cx.claim(queue, &leaving.finish());
        // The second template is that of withdrawals from no operator.
        let template = claim.template.saturating_add(u32::from(leaving.withdrawal.delegatedTo.is_zero()));
        let claim = Claim { template, ..claim };
        let row = Claimable::new(labels.market, queue, claim).mechanism(of.types.restake);
        let row = row.named(leaving.name(labels)).numbered(leaving.withdrawal.nonce);
        Ok(leaving.parts.iter().fold(row, |row, (token, amount)| row.pays(*token, *amount)))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns a position per waiting withdrawal.
pub(super) async fn positions(
    cx: &JobContext,
    of: &VaultSupervisor,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let QueuedShares { queue, withdrawals } = all(cx, of, labels, account).await?;
    let row = |leaving: LeavingShares| {
        let row = Position::new(PositionKind::LOCKED, labels.market, queue).mechanism(of.types.restake);
        let row = row.named(leaving.name(labels)).numbered(leaving.withdrawal.nonce);
        let row = row.legs(leaving.parts.iter().map(|(token, amount)| Leg::new(LegRole::LOCKED, *token, *amount)));
        let unlocks_at = u64::try_from(leaving.ends_at).ok();
        Position { lock: Some(Lock { unlocks_at, is_permanent: Some(false) }), ..row }
    };
    Ok(withdrawals.into_iter().filter(|leaving| !leaving.is_ripe).map(row).collect())
}

/// Returns the withdrawals of the account that are not finished and worth something.
async fn all(
    cx: &JobContext,
    of: &VaultSupervisor,
    labels: Labels<'_>,
    account: Address,
) -> Result<QueuedShares, Error> {
    let queue = cx.call(of.supervisor, delegationSupervisorCall {}).within(QUEUE_STANDS_S).await?;
    let delay = cx.call(queue, withdrawalDelayCall {}).within(QUEUE_STANDS_S);
    let listed = cx.call(queue, fetchQueuedWithdrawalsCall { staker: account });
    let (delay, mut listed) = cx.join((delay, listed)).await?;
    listed.reverse();
    bounds::truncate(cx, labels.market, &mut listed, "withdrawals", WITHDRAWALS_MAX);
    let rows = listed.into_iter().map(|withdrawal| leaving(cx, queue, withdrawal, delay, account));
    let found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
    Ok(QueuedShares { queue, withdrawals: found.into_iter().flatten().collect() })
}

/// Returns a withdrawal with what it pays; `None` if it is finished or worth nothing.
async fn leaving(
    cx: &JobContext,
    queue: Address,
    withdrawal: StartedWithdrawal,
    delay: U256,
    account: Address,
) -> Result<Option<LeavingShares>, Error> {
    if !cx.call(queue, isWithdrawPendingCall { withdrawal: withdrawal.clone() }).await? {
        return Ok(None);
    }
    let SharesRequest { vaults, shares, withdrawer } = &withdrawal.request;
    if vaults.len() != shares.len() {
        return Err(Error::new(format!("{queue}: withdrawal {} lacks shares", withdrawal.nonce)));
    }
    let is_own = withdrawal.staker == account && *withdrawer == account;
    let worth = vaults.iter().zip(shares).map(async |(vault, shares)| {
        let token = cx.call(*vault, assetCall {}).immutable();
        cx.join((token, cx.call(*vault, convertToAssetsCall { shares: *shares }))).await
    });
    let mut parts = Vec::new();
    for (token, amount) in cx.join(worth).await? {
        token_sums::add_in_order(&mut parts, token, amount)?;
    }
    parts.retain(|(_, amount)| !amount.is_zero());
    if parts.is_empty() {
        return Ok(None);
    }
    let ends_at = withdrawal.start.saturating_add(delay);
    let mut leaving = LeavingShares { withdrawal, parts, ends_at, is_ripe: false };
    if is_own && ends_at <= U256::from(cx.block().timestamp) {
        leaving.is_ripe = cx.try_call(queue, leaving.finish()).from(account).isolated().await?.is_ok();
    }
    Ok(Some(leaving))
}

impl LeavingShares {
    /// Returns the call that pays it.
    fn finish(&self) -> finishWithdrawCall {
        finishWithdrawCall { withdrawals: vec![self.withdrawal.clone()] }
    }

    fn name(&self, labels: Labels<'_>) -> String {
        match self.parts.as_slice() {
            [(token, _)] => format!("{} {} withdrawal", labels.title, symbol(*token)),
            _ => format!("{} withdrawal", labels.title),
        }
    }
}
