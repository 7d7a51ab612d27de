//! UNCX' lockers of pairs: views and withdrawals of both versions. The views are the same but for the lock itself.
//!
//! Source: <https://github.com/uncx-network/liquidity-locker-univ2-contracts/blob/main/contracts/UniswapV2Locker.sol>

use portolan_plugin_api::{Address, Claim, ClaimTemplate, Error, JobContext, Lineage, Role, SolCall as _, U256};

use super::{LOCKS_MAX, LockedToken, Locker, LockerForm};
use crate::bounds;
use crate::partial::{join_partial, with_each};
use crate::read_nonzero::read_nonzero;

/// Tokens of an account and a locker that are answered.
const TOKENS_MAX: u64 = 32;

portolan_plugin_api::sol! {
    function getUserNumLockedTokens(address user) external view returns (uint256);
    function getUserLockedTokenAtIndex(address user, uint256 index) external view returns (address);
    function getUserNumLocksForToken(address user, address token) external view returns (uint256);
}

/// The first version, where the account withdraws from a place of its list.
mod first {
    portolan_plugin_api::sol! {
        function getUserLockForTokenAtIndex(address user, address token, uint256 index) external view returns (
            uint256 lockDate, uint256 amount, uint256 initialAmount, uint256 unlockDate, uint256 lockId, address owner
        );
        // Pays the sender, who has to own the lock.
        function withdraw(address token, uint256 index, uint256 lockId, uint256 amount) external;
    }
}

/// The second version, whose locks have numbers.
mod second {
    portolan_plugin_api::sol! {
        function getUserLockForTokenAtIndex(address user, address token, uint256 index) external view returns (
            address lockedToken, uint256 lockDate, uint256 amount, uint256 initialAmount, uint256 unlockDate,
            uint256 lockId, address owner
        );
        // Likewise. In farms it ends a stake, so that claims may call it on lockers alone.
        function withdraw(uint256 lockId, uint256 amount) external;
    }
}

/// Signature of the withdrawal of the second version.
pub(super) const WITHDRAWAL: &str = second::withdrawCall::SIGNATURE;
/// Signature of that of the first version.
pub(super) const FORMER_WITHDRAWAL: &str = first::withdrawCall::SIGNATURE;

/// Returns the withdrawals of both versions.
pub(super) fn templates() -> [ClaimTemplate; 2] {
    [
        ClaimTemplate::new::<first::withdrawCall>([Role::TOKEN, Role::NUMBER, Role::NUMBER, Role::NUMBER]),
        ClaimTemplate::new::<second::withdrawCall>([Role::NUMBER, Role::NUMBER]),
    ]
}

/// Returns the view of the tokens that withdrawals name.
pub(super) fn lineage() -> Lineage {
    Lineage::tokens::<getUserLockedTokenAtIndexCall>()
}

/// Returns the withdrawal of all that a lock has.
pub(super) fn claim(cx: &JobContext, lock: &LockedToken) -> Claim {
    let LockedToken { locker, token, id, place, amount, .. } = *lock;
    match locker.form {
        LockerForm::Pairs => cx.claim(locker.address, &first::withdrawCall { token, index: place, lockId: id, amount }),
        _ => cx.claim(locker.address, &second::withdrawCall { lockId: id, amount }),
    }
}

/// Returns the account's locks. A locker or a lock that cannot be read is reported.
///
/// # Errors
/// The first error, if no locker can be read.
pub(super) async fn locks(
    cx: &JobContext,
    market: &str,
    lockers: Vec<Locker>,
    account: Address,
) -> Result<Vec<LockedToken>, Error> {
    let call = |locker: &Locker| (locker.address, getUserNumLockedTokensCall { user: account });
    let used = read_nonzero(cx, market, lockers, call).await?;
    let tokens = used.into_iter().map(|(locker, count)| tokens(cx, market, locker, count, account));
    let tokens = join_partial(cx, tokens).await.or_report(cx, market).concat();
    let calls = tokens
        .iter()
        .map(|(locker, token)| (locker.address, getUserNumLocksForTokenCall { user: account, token: *token }));
    let calls = cx.call_each(calls);
    let counts = with_each(tokens, calls).await.or_report(cx, market);
    let mut places = Vec::new();
    for ((locker, token), count) in counts {
        let at = format_args!("{market}: {}: {token}", locker.address);
        let answered = bounds::answered(cx, at, count, "locks", LOCKS_MAX as u64);
        places.extend((0..answered).map(|place| (locker, token, U256::from(place))));
    }
    let locks = places.into_iter().map(|(locker, token, place)| lock(cx, locker, token, place, account));
    Ok(join_partial(cx, locks).await.or_report(cx, market))
}

/// Returns the tokens of which the account has locks.
async fn tokens(
    cx: &JobContext,
    market: &str,
    locker: Locker,
    count: U256,
    account: Address,
) -> Result<Vec<(Locker, Address)>, Error> {
    let count = bounds::answered(cx, format_args!("{market}: {}", locker.address), count, "tokens", TOKENS_MAX);
    let calls = (0..count).map(|index| {
        cx.call(locker.address, getUserLockedTokenAtIndexCall { user: account, index: U256::from(index) })
    });
    let tokens: Vec<Address> = cx.join(calls).await?;
    Ok(tokens.into_iter().map(|token| (locker, token)).collect())
}

async fn lock(
    cx: &JobContext,
    locker: Locker,
    token: Address,
    place: U256,
    account: Address,
) -> Result<LockedToken, Error> {
    let (amount, ends_at, id, owner) = match locker.form {
        LockerForm::Pairs => {
            let call = first::getUserLockForTokenAtIndexCall { user: account, token, index: place };
            let lock = cx.call(locker.address, call).await?;
            (lock.amount, lock.unlockDate, lock.lockId, lock.owner)
        }
        _ => {
            let call = second::getUserLockForTokenAtIndexCall { user: account, token, index: place };
            let lock = cx.call(locker.address, call).await?;
            (lock.amount, lock.unlockDate, lock.lockId, lock.owner)
        }
    };
    if owner != account {
        let view = first::getUserLockForTokenAtIndexCall::SIGNATURE;
        return Err(Error::new(format!("{}: `{view}` returns a lock of {owner}", locker.address)));
    }
    Ok(LockedToken { locker, token, id, place, amount, ends_at })
}
