//! The reserves of a pool, and the tokens in which they count who lent and who owes.

use portolan_plugin_api::{Address, Chain, Error};

use super::AaveV3;
use super::contracts::{getReserveTokensAddressesCall, getReservesListCall};
use crate::each::each;

/// Seconds that the list of reserves may stand: a new reserve shows at most this much later.
const LIST_STANDS_S: u32 = 300;

/// Seconds that a reserve's tokens may stand. They change only where governance drops an empty reserve and lists it
/// anew, or where an upgrade does away with stable debts; so they are not immutable.
const TOKENS_STAND_S: u32 = 3_600;

/// What a token of a reserve counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What was lent: the aToken.
    Supply,
    /// What is owed at the rate of the borrower's own day.
    StableDebt,
    /// What is owed at the pool's rate.
    VariableDebt,
}

/// A token of a reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) token: Address,
    /// The reserve, by the token that is lent and borrowed.
    pub(super) underlying: Address,
}

/// The tokens of all reserves, in the pool's order.
pub(super) async fn parts(cx: &Chain, market: &str, contracts: AaveV3) -> Result<Vec<Part>, Error> {
    let reserves = cx.call(contracts.pool, getReservesListCall {}).within(LIST_STANDS_S).await?;
    let parts = each(cx, reserves.into_iter().map(|underlying| of_reserve(cx, contracts.data_provider, underlying)));
    Ok(parts.await.or_fail(cx, market)?.into_iter().flatten().collect())
}

/// A token that a pool does not have is the zero address: stable debts since v3.2, all of a reserve that was dropped.
async fn of_reserve(cx: &Chain, data_provider: Address, underlying: Address) -> Result<Vec<Part>, Error> {
    let call = getReserveTokensAddressesCall { asset: underlying };
    let tokens = cx.call(data_provider, call).within(TOKENS_STAND_S).await?;
    let parts = [
        (Kind::Supply, tokens.aTokenAddress),
        (Kind::StableDebt, tokens.stableDebtTokenAddress),
        (Kind::VariableDebt, tokens.variableDebtTokenAddress),
    ];
    let there = parts.into_iter().filter(|(_, token)| !token.is_zero());
    Ok(there.map(|(kind, token)| Part { kind, token, underlying }).collect())
}
