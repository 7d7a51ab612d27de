//! Withdrawals from strategies: a locked position until the manager pays them, then a claim.
//!
//! Invariant: a withdrawal is a claim if a simulation of that succeeds, and a position otherwise, so that no sum counts it
//! twice. The time to wait is a number of blocks, so a position has no `unlocks_at`.

use portolan_plugin_api::{
    Address, Claim, Claimable, Error, JobContext, Leg, LegRole, Lock, NATIVE, Position, PositionKind, U256,
};

use super::{
    BEACON_STRATEGY, DelegationManager, Restaked, beaconChainETHStrategyCall, name,
    strategyIsWhitelistedForDepositCall, underlyingTokenCall, value_of,
};
use crate::bounds;
use crate::kit::Labels;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    struct QueuedWithdrawal {
        address staker; address delegatedTo; address withdrawer; uint256 nonce; uint32 startBlock;
        address[] strategies; uint256[] scaledShares;
    }
    function getQueuedWithdrawals(address staker) external view
        returns (QueuedWithdrawal[] withdrawals, uint256[][] shares);
    function minWithdrawalDelayBlocks() external view returns (uint32);
    function completeQueuedWithdrawal(QueuedWithdrawal withdrawal, address[] tokens, bool receiveAsTokens) external;
}

/// Withdrawals of an account that are read, the first ones of its list.
const WITHDRAWALS_MAX: usize = 64;
/// Cache time of the delay, in seconds; an upgrade may change it.
const DELAY_STANDS_S: u32 = 300;

/// A withdrawal that is not completed.
struct Leaving {
    withdrawal: QueuedWithdrawal,
    parts: Vec<Restaked>,
    is_ripe: bool,
}

/// Returns a claim per ripe withdrawal.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &DelegationManager,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let ripe = all(cx, of, labels, account).await?.into_iter().filter(|leaving| leaving.is_ripe);
    let rows = ripe.map(async |leaving| {
        check(cx, of, &leaving).await?;
        let claim = cx.claim(of.manager, &leaving.completion(of));
        // The second template is that of withdrawals from no operator.
        let template = claim.template.saturating_add(u32::from(leaving.withdrawal.delegatedTo.is_zero()));
        let claim = Claim { template, ..claim };
        let row = Claimable::new(labels.market, of.manager, claim).mechanism(of.types.restake);
        let row = row.named(leaving.name(labels)).numbered(leaving.withdrawal.nonce);
        Ok(leaving.parts.iter().fold(row, |row, part| row.pays(part.token, part.amount)))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns a position per waiting withdrawal.
pub(super) async fn positions(
    cx: &JobContext,
    of: &DelegationManager,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let waiting = all(cx, of, labels, account).await?.into_iter().filter(|leaving| !leaving.is_ripe);
    let row = |leaving: Leaving| {
        let row = Position::new(PositionKind::LOCKED, labels.market, of.manager).mechanism(of.types.restake);
        let row = row.named(leaving.name(labels)).numbered(leaving.withdrawal.nonce);
        let row = row.legs(leaving.parts.iter().map(|part| Leg::new(LegRole::LOCKED, part.token, part.amount)));
        Position { lock: Some(Lock { unlocks_at: None, is_permanent: Some(false) }), ..row }
    };
    Ok(waiting.map(row).collect())
}

/// Returns the withdrawals of the account that are worth something.
async fn all(
    cx: &JobContext,
    of: &DelegationManager,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Leaving>, Error> {
    let queued = cx.call(of.manager, getQueuedWithdrawalsCall { staker: account }).await?;
    if queued.withdrawals.is_empty() {
        return Ok(Vec::new());
    }
    if queued.withdrawals.len() != queued.shares.len() {
        return Err(Error::new(format!("{}: not a list of shares for each withdrawal", of.manager)));
    }
    let mut parts: Vec<_> = queued.withdrawals.into_iter().zip(queued.shares).collect();
    bounds::truncate(cx, labels.market, &mut parts, "withdrawals", WITHDRAWALS_MAX);
    let delay = cx.call(of.manager, minWithdrawalDelayBlocksCall {}).within(DELAY_STANDS_S).await?;
    let rows = parts.into_iter().map(|(withdrawal, shares)| leaving(cx, of, withdrawal, shares, delay, account));
    let mut found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
    found.retain(|leaving| !leaving.parts.is_empty());
    Ok(found)
}

async fn leaving(
    cx: &JobContext,
    of: &DelegationManager,
    withdrawal: QueuedWithdrawal,
    shares: Vec<U256>,
    delay_blocks: u32,
    account: Address,
) -> Result<Leaving, Error> {
    if shares.len() != withdrawal.strategies.len() {
        return Err(Error::new(format!("{}: withdrawal {} lacks shares", of.manager, withdrawal.nonce)));
    }
    let parts = withdrawal.strategies.iter().zip(shares).map(|(strategy, shares)| value_of(cx, *strategy, shares));
    let parts = cx.join(parts).await?;
    let is_over = cx.block().evm_number > u64::from(withdrawal.startBlock).saturating_add(u64::from(delay_blocks));
    let mut leaving = Leaving { withdrawal, parts, is_ripe: false };
    if is_over && leaving.withdrawal.staker == account && leaving.withdrawal.withdrawer == account {
        let completion = cx.try_call(of.manager, leaving.completion(of));
        leaving.is_ripe = completion.from(account).isolated().await?.is_ok();
    }
    leaving.parts.retain(|part| !part.amount.is_zero());
    Ok(leaving)
}

/// Checks that the managers know the strategies, and that these still have the same tokens.
async fn check(cx: &JobContext, of: &DelegationManager, leaving: &Leaving) -> Result<(), Error> {
    let known = leaving.withdrawal.strategies.iter().map(async |strategy| {
        if *strategy == BEACON_STRATEGY {
            return Ok(cx.call(of.manager, beaconChainETHStrategyCall {}).await? == BEACON_STRATEGY);
        }
        let known = cx.call(of.strategy_manager, strategyIsWhitelistedForDepositCall { strategy: *strategy });
        let (known, token) = cx.join((known, cx.call(*strategy, underlyingTokenCall {}))).await?;
        let has_other = |part: &Restaked| part.strategy == *strategy && part.token != token;
        Ok(known == U256::from(1) && !leaving.parts.iter().any(has_other))
    });
    if cx.join(known).await?.into_iter().all(|is_known| is_known) {
        return Ok(());
    }
    Err(Error::new(format!("{}: does not know a strategy of a withdrawal", of.strategy_manager)))
}

impl Leaving {
    /// Returns the call that pays it. The manager ignores the token of the beacon chain's strategy.
    fn completion(&self, of: &DelegationManager) -> completeQueuedWithdrawalCall {
        let token = |strategy: &Address| {
            let part = self.parts.iter().find(|part| part.strategy == *strategy);
            part.map(|part| part.token).filter(|token| *token != NATIVE).unwrap_or(of.manager)
        };
        let tokens = self.withdrawal.strategies.iter().map(token).collect();
        completeQueuedWithdrawalCall { withdrawal: self.withdrawal.clone(), tokens, receiveAsTokens: true }
    }

    fn name(&self, labels: Labels<'_>) -> String {
        format!("{} withdrawal", name(labels, &self.parts))
    }
}
