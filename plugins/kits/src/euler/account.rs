//! Accounts of an owner in the connector, and the vaults in which each has or owes something.
//!
//! Source: <https://evc.wtf/docs/concepts/internals/sub-accounts>: an account's address differs from its owner's only
//! in the last byte.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::{balanceOfCall, debtOfCall, getAccountOwnerCall, getCollateralsCall, getControllersCall};
use super::{Euler, ZERO_STANDS_S};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

/// Sub-accounts that are read; Euler's app opens them in order.
const SUB_ACCOUNTS: u8 = 32;

/// Holdings and debts of an account.
#[derive(Clone, Debug)]
pub(super) struct EvcAccount {
    pub(super) account: Address,
    /// Zero for the owner's main account.
    pub(super) number: u8,
    /// Vaults that control withdrawals of the account: those that it borrows from.
    pub(super) controllers: Vec<Address>,
    pub(super) collaterals: Vec<Address>,
    /// Nonzero shares by vault.
    pub(super) shares: Vec<(Address, U256)>,
    /// Nonzero debts by vault.
    pub(super) debts: Vec<(Address, U256)>,
}

/// Returns the main account, with its shares in all these vaults.
pub(super) async fn main(
    cx: &JobContext,
    of: &Euler,
    market: &str,
    vaults: impl Future<Output = Result<Vec<Address>, Error>>,
    account: Address,
) -> Result<EvcAccount, Error> {
    let (mut held, shares) = cx
        .join((connected(cx, of, market, account, 0), async { shares(cx, market, vaults.await?, account).await }))
        .await?;
    held.shares = shares;
    Ok(held)
}

/// Returns the sub-accounts with collateral or a controller; only shares in their collaterals are read.
///
/// Only owners known to the connector can have such sub-accounts.
pub(super) async fn subs(cx: &JobContext, of: &Euler, market: &str, owner: Address) -> Result<Vec<EvcAccount>, Error> {
    let known = cx.call(of.contracts.evc, getAccountOwnerCall { account: owner }).zero_within(ZERO_STANDS_S).await?;
    if known != owner {
        return Ok(Vec::new());
    }
    let subs = (1..=SUB_ACCOUNTS).map(|number| async move {
        let held = connected(cx, of, market, sub_account(owner, number), number).await?;
        let shares = shares(cx, market, held.collaterals.clone(), held.account).await?;
        Ok(EvcAccount { shares, ..held })
    });
    join_partial(cx, subs).await.fail_if_none(cx, market)
}

/// Returns an account's collaterals and controllers, and its debts to the controllers.
async fn connected(
    cx: &JobContext,
    of: &Euler,
    market: &str,
    account: Address,
    number: u8,
) -> Result<EvcAccount, Error> {
    let evc = of.contracts.evc;
    let controllers = async {
        let controllers = cx.call(evc, getControllersCall { account }).await?;
        let debts =
            controllers.iter().map(|vault| async move { Ok((*vault, cx.call(*vault, debtOfCall { account }).await?)) });
        let debts = join_partial(cx, debts).await.or_report(cx, market);
        Ok((debts, controllers))
    };
    let ((debts, controllers), collaterals) =
        cx.join((controllers, cx.call(evc, getCollateralsCall { account }))).await?;
    let debts = debts.into_iter().filter(|(_, debt)| !debt.is_zero()).collect();
    Ok(EvcAccount { account, number, controllers, collaterals, shares: Vec::new(), debts })
}

/// Returns the account's nonzero shares in these vaults.
async fn shares(
    cx: &JobContext,
    market: &str,
    vaults: Vec<Address>,
    account: Address,
) -> Result<Vec<(Address, U256)>, Error> {
    read_nonzero(cx, market, vaults, |vault| (*vault, balanceOfCall { account })).await
}

fn sub_account(owner: Address, number: u8) -> Address {
    let mut address = owner;
    address.0[19] ^= number;
    address
}
