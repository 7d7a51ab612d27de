//! Amounts that a chef owes an account for a pool, for every form of pending view.

use portolan_plugin_api::{Address, Error, JobContext, NATIVE, U256};

use super::contracts::{chef, pending};
use super::owed::{Owed, listed};
use super::{MasterChef, Returns, native_bonus};
use crate::kit::ZERO_STANDS_S;

/// Returns the owed amounts; the chef's own token comes first unless the view lists it itself.
pub(super) async fn owed(
    cx: &JobContext,
    of: &MasterChef,
    token: Address,
    pid: U256,
    account: Address,
) -> Result<Vec<Owed>, Error> {
    let own = |amount| Owed { token, amount };
    match of.returns {
        Returns::Amount => {
            let pending = cx.call_as(of.chef, &of.pending, &chef::pendingSushiCall { pid, account });
            Ok(vec![own(pending.zero_within(ZERO_STANDS_S).await?)])
        }
        Returns::Bonus => {
            let pending = cx.call_as(of.chef, &of.pending, &pending::bonus::pendingTokensCall { pid, account });
            let (pending, is_unwrapped) = cx.join((pending, native_bonus::is_unwrapped(cx, of, pid))).await?;
            let counted = Some(pending.bonusToken).filter(|token| !token.is_zero());
            let paid = counted.map(|token| if is_unwrapped { NATIVE } else { token });
            let bonus = paid.map(|token| Owed { token, amount: pending.bonusAmount });
            Ok([own(pending.amount)].into_iter().chain(bonus).collect())
        }
        Returns::Bonuses => {
            let pending =
                cx.call_as(of.chef, &of.pending, &pending::bonuses::pendingTokensCall { pid, account }).await?;
            let bonuses = listed(of.chef, pending.bonusTokens, pending.bonusAmounts)?;
            Ok([own(pending.amount)].into_iter().chain(bonuses).collect())
        }
        Returns::Lists => {
            let pending = cx.call_as(of.chef, &of.pending, &pending::lists::pendingTokensCall { pid, account });
            let may_harvest = cx.try_call(of.chef, pending::lists::canHarvestCall { pid, account });
            let (pending, may_harvest) = cx.join((pending, may_harvest)).await?;
            let mut owed = listed(of.chef, pending.tokens, pending.amounts)?;
            if may_harvest == Ok(false) {
                // The call would defer the chef's own token and pay the rest.
                owed.iter_mut().filter(|owed| owed.token == token).take(1).for_each(|own| own.amount = U256::ZERO);
            }
            Ok(owed)
        }
    }
}

/// Returns the tokens that a pool pays beside the chef's own; empty if the view returns only an amount.
pub(super) async fn bonus_tokens(
    cx: &JobContext,
    of: &MasterChef,
    token: Address,
    pid: U256,
    account: Address,
) -> Result<Vec<Address>, Error> {
    if of.returns == Returns::Amount {
        return Ok(Vec::new());
    }
    let mut owed = owed(cx, of, token, pid, account).await?;
    // The first is the chef's own, also if the view lists all of them.
    if owed.first().is_some_and(|first| first.token == token) {
        owed.remove(0);
    }
    Ok(owed.into_iter().map(|owed| owed.token).collect())
}
