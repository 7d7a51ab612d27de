//! The accounts of an owner in the connector, and the vaults in which each has or owes something.
//!
//! Source: <https://evc.wtf/docs/concepts/internals/sub-accounts>: an account's address differs from its owner's in the
//! last byte alone.

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::contracts::{balanceOfCall, debtOfCall, getAccountOwnerCall, getCollateralsCall, getControllersCall};
use super::{Euler, ZERO_STANDS_S};
use crate::nonzero::nonzero;
use crate::try_each::try_each;

/// Sub-accounts that are looked at; Euler's app opens them from the first on.
const SUB_ACCOUNTS: u8 = 32;

/// What an account has and owes.
#[derive(Clone, Debug)]
pub(super) struct EvcAccount {
    pub(super) account: Address,
    /// Zero for the owner's main account.
    pub(super) number: u8,
    /// Vaults that control what the account may withdraw: those that it borrows from.
    pub(super) controllers: Vec<Address>,
    pub(super) collaterals: Vec<Address>,
    /// Shares by vault, none of them zero.
    pub(super) shares: Vec<(Address, U256)>,
    /// Debts by vault, none of them zero.
    pub(super) debts: Vec<(Address, U256)>,
}

/// The main account, whose shares are looked for in all these vaults.
pub(super) async fn main(
    cx: &Chain,
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

/// The sub-accounts that have collateral or a controller; their shares are looked for in their collaterals alone.
///
/// Only an owner whom the connector knows can have given them any.
pub(super) async fn subs(cx: &Chain, of: &Euler, market: &str, owner: Address) -> Result<Vec<EvcAccount>, Error> {
    let known = cx.call(of.contracts.evc, getAccountOwnerCall { account: owner }).zero_within(ZERO_STANDS_S).await?;
    if known != owner {
        return Ok(Vec::new());
    }
    let subs = (1..=SUB_ACCOUNTS).map(|number| async move {
        let held = connected(cx, of, market, sub_account(owner, number), number).await?;
        let shares = shares(cx, market, held.collaterals.clone(), held.account).await?;
        Ok(EvcAccount { shares, ..held })
    });
    try_each(cx, subs).await.or_err_if_all(cx, market)
}

/// What the connector knows of an account, and what it owes to its controllers.
async fn connected(cx: &Chain, of: &Euler, market: &str, account: Address, number: u8) -> Result<EvcAccount, Error> {
    let evc = of.contracts.evc;
    let controllers = async {
        let controllers = cx.call(evc, getControllersCall { account }).await?;
        let debts =
            controllers.iter().map(|vault| async move { Ok((*vault, cx.call(*vault, debtOfCall { account }).await?)) });
        let debts = try_each(cx, debts).await.or_report(cx, market);
        Ok((debts, controllers))
    };
    let ((debts, controllers), collaterals) =
        cx.join((controllers, cx.call(evc, getCollateralsCall { account }))).await?;
    let debts = debts.into_iter().filter(|(_, debt)| !debt.is_zero()).collect();
    Ok(EvcAccount { account, number, controllers, collaterals, shares: Vec::new(), debts })
}

/// The account's shares in these vaults, where it has any.
async fn shares(
    cx: &Chain,
    market: &str,
    vaults: Vec<Address>,
    account: Address,
) -> Result<Vec<(Address, U256)>, Error> {
    nonzero(cx, market, vaults, |vault| (*vault, balanceOfCall { account })).await
}

fn sub_account(owner: Address, number: u8) -> Address {
    let mut address = owner;
    address.0[19] ^= number;
    address
}
