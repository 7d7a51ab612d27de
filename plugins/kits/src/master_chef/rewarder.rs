//! What a pool's rewarder pays with the same claim: other tokens beside the chef's.
//!
//! A rewarder is told how much of the chef's token is harvested. Most count by themselves and ignore it, some pay a
//! multiple of it; which of both is found out without waiting for the amount.

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::contracts::pendingTokensCall;
use super::pools::Pool;
use crate::both::both;

/// Tokens that one rewarder may pay; the longest list known has three.
const TOKENS_MAX: usize = 16;
/// A harvest as large as none is: a million tokens of 18 decimals. What does not pay more for it pays no multiple.
const HARVEST_LARGE: U256 = U256::from_limbs([0x1bce_cced_a100_0000, 0xd3c2, 0, 0]);

/// Tokens and what is owed of each.
pub(super) type Owed = Vec<(Address, U256)>;

/// What a rewarder owes whatever is harvested; `None` for one that has to be asked with the amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fixed(Option<Owed>);

/// Finds out whether a rewarder pays the same for any harvest.
pub(super) async fn fixed(cx: &Chain, pool: Pool, account: Address) -> Result<Fixed, Error> {
    let Some(rewarder) = pool.rewarder else { return Ok(Fixed(Some(Vec::new()))) };
    let ask = async |harvest| Ok(ask(cx, rewarder, pool.pid, account, harvest).await);
    let (none, large) = both(ask(U256::ZERO), ask(HARVEST_LARGE)).await?;
    Ok(Fixed(none.ok().filter(|none| large.as_ref() == Ok(none))))
}

/// What a rewarder owes when so much is harvested. One that cannot be read costs its own rows.
pub(super) async fn owed(cx: &Chain, market: &str, pool: Pool, account: Address, fixed: Fixed, harvest: U256) -> Owed {
    match fixed {
        Fixed(Some(owed)) if harvest <= HARVEST_LARGE => owed,
        _ => told(cx, market, pool, account, harvest).await,
    }
}

/// The tokens that a rewarder pays. One that cannot be read is told as missing.
pub(super) async fn tokens(cx: &Chain, market: &str, pool: Pool, account: Address) -> Vec<Address> {
    told(cx, market, pool, account, U256::ZERO).await.into_iter().map(|(token, _)| token).collect()
}

async fn told(cx: &Chain, market: &str, pool: Pool, account: Address, harvest: U256) -> Owed {
    let Some(rewarder) = pool.rewarder else { return Vec::new() };
    ask(cx, rewarder, pool.pid, account, harvest).await.unwrap_or_else(|error| {
        cx.report_missing(format!("{market}: rewarder of pool {}: {error}", pool.pid));
        Vec::new()
    })
}

async fn ask(cx: &Chain, rewarder: Address, pid: U256, account: Address, harvest: U256) -> Result<Owed, Error> {
    let told = cx.call(rewarder, pendingTokensCall { pid, account, sushiAmount: harvest }).await?;
    let (tokens, amounts) = (told.tokens.len(), told.amounts.len());
    if tokens != amounts || tokens > TOKENS_MAX {
        return Err(Error::new(format!("{rewarder}: answers {tokens} tokens and {amounts} amounts")));
    }
    Ok(told.tokens.into_iter().zip(told.amounts).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_harvest_is_a_million_tokens_of_18_decimals() {
        assert_eq!(HARVEST_LARGE, U256::from(10).pow(U256::from(24)));
    }
}
