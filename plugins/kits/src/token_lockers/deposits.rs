//! Team Finance's lockers of any token: views and withdrawals of both versions. A lock of an NFT is not read.
//!
//! Sources: <https://github.com/ToshiBASE/contracts/blob/main/contracts/LockToken.sol>, a copy of the current version,
//! and <https://github.com/team-finance/team-finance-interface/blob/master/src/app/ethereum/build/coreABI.json>, the
//! first

use portolan_plugin_api::{Address, Claim, ClaimTemplate, Error, JobContext, Role, SolCall as _, U256};

use super::{LOCKS_MAX, LockedToken, Locker, LockerForm};
use crate::bounds;
use crate::partial::{join_partial, with_each};

portolan_plugin_api::sol! {
    function getDepositsByWithdrawalAddress(address account) external view returns (uint256[]);
    // The token is zero where the lock holds an NFT.
    function lockedToken(uint256 id) external view returns (
        address tokenAddress, address withdrawalAddress, uint256 tokenAmount, uint256 unlockTime, bool withdrawn
    );
}

mod former {
    portolan_plugin_api::sol! {
        // Pays the sender, who has to be the one that the lock is for.
        function withdrawTokens(uint256 id) external;
    }
}

mod current {
    portolan_plugin_api::sol! {
        function withdrawTokens(uint256 id, uint256 amount) external;
    }
}

/// Signature of the withdrawal of the current version.
pub(super) const WITHDRAWAL: &str = current::withdrawTokensCall::SIGNATURE;
/// Signature of that of the first version.
pub(super) const FORMER_WITHDRAWAL: &str = former::withdrawTokensCall::SIGNATURE;

/// Returns the withdrawals of both versions.
pub(super) fn templates() -> [ClaimTemplate; 2] {
    [
        ClaimTemplate::new::<former::withdrawTokensCall>([Role::NUMBER]),
        ClaimTemplate::new::<current::withdrawTokensCall>([Role::NUMBER, Role::NUMBER]),
    ]
}

/// Returns the withdrawal of all that a lock has.
pub(super) fn claim(cx: &JobContext, lock: &LockedToken) -> Claim {
    let LockedToken { locker, id, amount, .. } = *lock;
    match locker.form {
        LockerForm::FormerDeposits => cx.claim(locker.address, &former::withdrawTokensCall { id }),
        _ => cx.claim(locker.address, &current::withdrawTokensCall { id, amount }),
    }
}

/// Returns the account's locks of tokens. A locker or a lock that cannot be read is reported, and so is a lock of an
/// NFT.
///
/// # Errors
/// The first error, if no locker can be read.
pub(super) async fn locks(
    cx: &JobContext,
    market: &str,
    lockers: Vec<Locker>,
    account: Address,
) -> Result<Vec<LockedToken>, Error> {
    let calls = lockers.iter().map(|locker| (locker.address, getDepositsByWithdrawalAddressCall { account }));
    let calls = cx.call_each(calls);
    let lists = with_each(lockers, calls).await.or_none_where_gone(cx, market)?;
    let mut ids = Vec::new();
    for (locker, mut own) in lists {
        bounds::truncate(cx, format_args!("{market}: {}", locker.address), &mut own, "locks", LOCKS_MAX);
        ids.extend(own.into_iter().map(|id| (locker, id)));
    }
    let locks = ids.into_iter().map(|(locker, id)| lock(cx, market, locker, id, account));
    let locks = join_partial(cx, locks).await.or_report(cx, market);
    Ok(locks.into_iter().flatten().collect())
}

/// Reads a lock; `None` for one that was withdrawn, or that is not read.
async fn lock(
    cx: &JobContext,
    market: &str,
    locker: Locker,
    id: U256,
    account: Address,
) -> Result<Option<LockedToken>, Error> {
    let lock = cx.call(locker.address, lockedTokenCall { id }).await?;
    if lock.tokenAddress.is_zero() {
        cx.report_not_covered(format!("{market}: {}: lock {id} holds an NFT", locker.address));
        return Ok(None);
    }
    if lock.withdrawalAddress != account {
        return Err(Error::new(format!("{}: lock {id} is of {}", locker.address, lock.withdrawalAddress)));
    }
    let (token, amount, ends_at) = (lock.tokenAddress, lock.tokenAmount, lock.unlockTime);
    Ok((!lock.withdrawn).then_some(LockedToken { locker, token, id, place: U256::ZERO, amount, ends_at }))
}
