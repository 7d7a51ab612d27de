//! Amounts that one claim of a pool pays.

use portolan_plugin_api::{Address, Error, U256};

/// Tokens that one rewarder or pool may pay; the longest known list has three.
const TOKENS_MAX: usize = 16;

/// An owed amount of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owed {
    pub(super) token: Address,
    pub(super) amount: U256,
}

/// Pairs tokens with amounts, up to a bound: the chef's owner may extend such lists.
pub(super) fn listed(by: Address, tokens: Vec<Address>, amounts: Vec<U256>) -> Result<Vec<Owed>, Error> {
    if tokens.len() != amounts.len() || tokens.len() > TOKENS_MAX {
        return Err(Error::new(format!("{by}: answers {} tokens and {} amounts", tokens.len(), amounts.len())));
    }
    Ok(tokens.into_iter().zip(amounts).map(|(token, amount)| Owed { token, amount }).collect())
}
