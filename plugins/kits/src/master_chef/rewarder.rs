//! Other tokens that a pool's rewarder pays with the same claim.
//!
//! A rewarder's view takes the harvested amount of the chef's token. Most rewarders ignore it, some pay a multiple of
//! it. Both are told apart without waiting for the amount.

use futures_util::future::join;
use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::Pool;
use super::contracts::{pendingTokensCall, pendingTokensReturn};
use super::owed::{Owed, listed};

/// A huge harvest: a million tokens with 18 decimals. A rewarder that does not pay more for it ignores the amount.
const HARVEST_LARGE: U256 = U256::from_limbs([0x1bce_cced_a100_0000, 0xd3c2, 0, 0]);

/// Cache time of a rewarder's debt without a stake, in seconds. Only a filter.
const DEBT_STANDS_S: u32 = 30;

/// Amounts that a rewarder owes for any harvest; `None` if they depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fixed(Option<Vec<Owed>>);

/// Finds out if a rewarder pays the same for any harvest.
pub(super) async fn fixed(cx: &JobContext, pool: Pool, account: Address) -> Fixed {
    let Some(rewarder) = pool.rewarder else { return Fixed(Some(Vec::new())) };
    let read = |harvest| read(cx, rewarder, pool.pid, account, harvest);
    let (none, large) = join(read(U256::ZERO), read(HARVEST_LARGE)).await;
    Fixed(none.ok().filter(|none| large.as_ref() == Ok(none)))
}

/// Returns the amounts that a rewarder owes for this harvest. A failed read is reported and loses only its own rows.
pub(super) async fn owed(
    cx: &JobContext,
    market: &str,
    pool: Pool,
    account: Address,
    fixed: Fixed,
    harvest: U256,
) -> Vec<Owed> {
    match fixed {
        Fixed(Some(owed)) if harvest <= HARVEST_LARGE => owed,
        _ => read_or_report(cx, market, pool, account, harvest).await.unwrap_or_default(),
    }
}

/// Returns the tokens that a rewarder pays; `None` if it cannot be read, which is reported.
pub(super) async fn tokens(cx: &JobContext, market: &str, pool: Pool, account: Address) -> Option<Vec<Address>> {
    let owed = read_or_report(cx, market, pool, account, U256::ZERO).await?;
    Some(owed.into_iter().map(|owed| owed.token).collect())
}

/// Returns the pools whose rewarders owe something to an account without a stake: rewards unpaid when the stake left.
/// Replies may be cached, since no amount is taken from them. Failed reads are not reported, since they would affect
/// every account.
pub(super) async fn indebted(cx: &JobContext, rewarders: Vec<(U256, Address)>, account: Address) -> Vec<U256> {
    let call = |pid| pendingTokensCall { pid, account, sushiAmount: U256::ZERO };
    let pending = cx.call_each(rewarders.iter().map(|(pid, rewarder)| (*rewarder, call(*pid))));
    let pending = pending.within(DEBT_STANDS_S).await;
    let owes = |pending: &pendingTokensReturn| pending.amounts.iter().any(|amount| !amount.is_zero());
    let owing = rewarders.into_iter().zip(pending).filter(|(_, pending)| pending.as_ref().is_ok_and(owes));
    owing.map(|((pid, _), _)| pid).collect()
}

async fn read_or_report(
    cx: &JobContext,
    market: &str,
    pool: Pool,
    account: Address,
    harvest: U256,
) -> Option<Vec<Owed>> {
    let Some(rewarder) = pool.rewarder else { return Some(Vec::new()) };
    let owed = read(cx, rewarder, pool.pid, account, harvest).await;
    owed.map_err(|error| cx.report_missing(format!("{market}: rewarder of pool {}: {error}", pool.pid))).ok()
}

async fn read(
    cx: &JobContext,
    rewarder: Address,
    pid: U256,
    account: Address,
    harvest: U256,
) -> Result<Vec<Owed>, Error> {
    let pending = cx.call(rewarder, pendingTokensCall { pid, account, sushiAmount: harvest }).await?;
    listed(rewarder, pending.tokens, pending.amounts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_harvest_is_a_million_tokens_of_18_decimals() {
        assert_eq!(HARVEST_LARGE, U256::from(10).pow(U256::from(24)));
    }
}
