//! Farms that a factory lists.
//!
//! A factory has no function for the length of its list, so the end is searched with a few guesses per batch; only
//! guesses can fail. Then the whole list is read.

use portolan_plugin_api::{Address, Error, JobContext, Revert, U256};

use super::contracts::{stakingRewardsGenesisCall, stakingRewardsInfoByStakingTokenCall, stakingTokensCall};
use super::farm::Farm;
use crate::partial::{join_partial, with_each};

/// First guesses of an index beyond the end; the last is ten times the longest known list.
const GUESSES_FIRST: [usize; 7] = [0, 3, 15, 63, 255, 1023, 4095];

/// Guesses per later batch; each batch leaves an eighth of the range.
const GUESSES: usize = 7;

/// Gas of a guess. Beyond the end of an array, contracts of Solidity before 0.8 burn all gas; an index within costs two
/// cold slots, about 5,000.
const GUESS_GAS: u32 = 100_000;

/// Cache time of a guess, in seconds; a new farm shows at most this much later.
const LENGTH_STANDS_S: u32 = 300;

/// Returns all farms, in the factory's order.
pub(super) async fn farms(cx: &JobContext, market: &str, factory: Address) -> Result<Vec<Farm>, Error> {
    let length = length(cx, factory).await?;
    // Entries never change: the list only grows.
    let entry = |index| (factory, stakingTokensCall { index: U256::from(index) });
    let tokens: Result<Vec<Address>, Error> =
        cx.call_each((0..length).map(entry)).immutable().await.into_iter().collect();
    let tokens = tokens?;
    let info = |token: &Address| (factory, stakingRewardsInfoByStakingTokenCall { stakingToken: *token });
    let known = cx.call_each(tokens.iter().map(info)).immutable();
    let known = with_each(tokens, known).await.fail_if_none(cx, market)?;
    let farms = join_partial(cx, known.into_iter().map(|(token, known)| farm(cx, factory, token, known))).await;
    Ok(farms.or_report(cx, market).into_iter().flatten().collect())
}

/// Returns the number of staking tokens in the list.
async fn length(cx: &JobContext, factory: Address) -> Result<usize, Error> {
    let (mut listed, mut beyond) = bracket(cx, factory, GUESSES_FIRST.to_vec()).await?;
    if beyond == Some(0) {
        // Any contract rejects an unknown function; only a factory has this one.
        cx.call(factory, stakingRewardsGenesisCall {}).immutable().await?;
        return Ok(0);
    }
    while let Some(end) = beyond {
        let left = end - listed;
        if left == 1 {
            return Ok(end);
        }
        let step = left.div_ceil(GUESSES + 1);
        let guesses = (1..=GUESSES).map(|guess| listed + guess * step).filter(|index| *index < end).collect();
        let found = bracket(cx, factory, guesses).await?;
        listed = listed.max(found.0);
        beyond = found.1.or(beyond);
    }
    Err(Error::new(format!("{factory}: lists more than {listed} staking tokens")))
}

/// Returns the last of these ascending indices within the list (0 if none is), and the first beyond it.
async fn bracket(cx: &JobContext, factory: Address, indices: Vec<usize>) -> Result<(usize, Option<usize>), Error> {
    let guess = |index: &usize| {
        let call = stakingTokensCall { index: U256::from(*index) };
        cx.try_call(factory, call).within(LENGTH_STANDS_S).gas_cap(GUESS_GAS)
    };
    let mut listed = 0;
    for (index, outcome) in indices.iter().zip(cx.join(indices.iter().map(guess)).await?) {
        match outcome {
            Ok(_) => listed = *index,
            Err(Revert::Data(_) | Revert::Gas) => return Ok((listed, Some(*index))),
            Err(revert) => return Err(Error::reverted::<stakingTokensCall>(factory, revert)),
        }
    }
    Ok((listed, None))
}

/// Returns the farm of a staking token, if there is one.
async fn farm(cx: &JobContext, factory: Address, token: Address, known: Address) -> Result<Option<Farm>, Error> {
    // A farm never changes, but a cached zero may be outdated.
    let address = if known.is_zero() {
        cx.call(factory, stakingRewardsInfoByStakingTokenCall { stakingToken: token }).await?
    } else {
        known
    };
    Ok((!address.is_zero()).then_some(Farm { address, staked: Some(token) }))
}
