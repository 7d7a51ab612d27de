//! The reserves of a pool, and the tokens that count who lent and who owes.

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::AaveV3;
use super::contracts::{
    balanceOfCall, getReserveTokensAddressesCall, getReserveTokensAddressesReturn, getReservesListCall,
};
use crate::nonzero::nonzero;
use crate::try_each::with_each;

/// Seconds that the list of reserves may be cached: a new reserve shows at most this much later.
const LIST_STANDS_S: u32 = 300;

/// Seconds that a reserve's tokens may be cached. They change only where governance drops an empty reserve and lists it
/// anew, or where an upgrade does away with stable debts; so they are not immutable.
const TOKENS_STAND_S: u32 = 3_600;

/// What a token of a reserve counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Amounts lent: the aToken.
    Supply,
    /// Debts at the rate of the day on which the borrower took them.
    StableDebt,
    /// Debts at the pool's rate.
    VariableDebt,
}

/// A token of a reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReserveToken {
    pub(super) kind: TokenKind,
    pub(super) token: Address,
    /// The token that is lent and borrowed.
    pub(super) underlying: Address,
}

/// The tokens of all reserves, in the pool's order.
pub(super) async fn tokens(cx: &Chain, market: &str, contracts: AaveV3) -> Result<Vec<ReserveToken>, Error> {
    let reserves = cx.call(contracts.pool, getReservesListCall {}).within(LIST_STANDS_S).await?;
    let call = |asset: &Address| (contracts.data_provider, getReserveTokensAddressesCall { asset: *asset });
    let tokens = cx.call_each(reserves.iter().map(call)).within(TOKENS_STAND_S);
    let tokens = with_each(reserves, tokens).await.or_err_if_all(cx, market)?;
    Ok(tokens.into_iter().flat_map(|(underlying, tokens)| of_reserve(underlying, tokens)).collect())
}

/// The tokens that the account has, and how much of each; a balance has its interest in it.
pub(super) async fn held(
    cx: &Chain,
    market: &str,
    tokens: Vec<ReserveToken>,
    account: Address,
) -> Result<Vec<(ReserveToken, U256)>, Error> {
    nonzero(cx, market, tokens, |token| (token.token, balanceOfCall { account })).await
}

/// A token that a pool does not have is the zero address: stable debts since v3.2, all of a reserve that was dropped.
fn of_reserve(underlying: Address, tokens: getReserveTokensAddressesReturn) -> impl Iterator<Item = ReserveToken> {
    let tokens = [
        ReserveToken { kind: TokenKind::Supply, token: tokens.aTokenAddress, underlying },
        ReserveToken { kind: TokenKind::StableDebt, token: tokens.stableDebtTokenAddress, underlying },
        ReserveToken { kind: TokenKind::VariableDebt, token: tokens.variableDebtTokenAddress, underlying },
    ];
    tokens.into_iter().filter(|token| !token.token.is_zero())
}
