//! Reserves of a pool, and their aTokens and debt tokens.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::AaveV3;
use super::contracts::{
    balanceOfCall, getReserveTokensAddressesCall, getReserveTokensAddressesReturn, getReservesListCall,
};
use crate::partial::with_each;
use crate::read_nonzero::read_nonzero;

/// Cache time of the list of reserves, in seconds; a new reserve shows at most this much later.
const LIST_STANDS_S: u32 = 300;

/// Cache time of a reserve's tokens, in seconds. They are not immutable: governance may drop an empty reserve and list
/// it again, and an upgrade may remove stable debts.
const TOKENS_STAND_S: u32 = 3_600;

/// Kind of a reserve's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// aToken, which counts lent amounts.
    Supply,
    /// Debts at the rate when they were taken.
    StableDebt,
    /// Debts at the pool's current rate.
    VariableDebt,
}

/// A token of a reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReserveToken {
    pub(super) kind: TokenKind,
    pub(super) token: Address,
    /// Token that is lent and borrowed.
    pub(super) underlying: Address,
}

/// Returns the tokens of all reserves, in the pool's order.
pub(super) async fn tokens(cx: &JobContext, market: &str, contracts: AaveV3) -> Result<Vec<ReserveToken>, Error> {
    let reserves = cx.call(contracts.pool, getReservesListCall {}).within(LIST_STANDS_S).await?;
    let call = |asset: &Address| (contracts.data_provider, getReserveTokensAddressesCall { asset: *asset });
    let tokens = cx.call_each(reserves.iter().map(call)).within(TOKENS_STAND_S);
    let tokens = with_each(reserves, tokens).await.fail_if_none(cx, market)?;
    Ok(tokens.into_iter().flat_map(|(underlying, tokens)| of_reserve(underlying, tokens)).collect())
}

/// Returns the tokens that the account holds, with balances including interest.
pub(super) async fn held(
    cx: &JobContext,
    market: &str,
    tokens: Vec<ReserveToken>,
    account: Address,
) -> Result<Vec<(ReserveToken, U256)>, Error> {
    read_nonzero(cx, market, tokens, |token| (token.token, balanceOfCall { account })).await
}

/// Returns the existing tokens of a reserve. Missing ones are zero: stable debts since v3.2, all tokens of a dropped
/// reserve.
fn of_reserve(underlying: Address, tokens: getReserveTokensAddressesReturn) -> impl Iterator<Item = ReserveToken> {
    let tokens = [
        ReserveToken { kind: TokenKind::Supply, token: tokens.aTokenAddress, underlying },
        ReserveToken { kind: TokenKind::StableDebt, token: tokens.stableDebtTokenAddress, underlying },
        ReserveToken { kind: TokenKind::VariableDebt, token: tokens.variableDebtTokenAddress, underlying },
    ];
    tokens.into_iter().filter(|token| !token.token.is_zero())
}
