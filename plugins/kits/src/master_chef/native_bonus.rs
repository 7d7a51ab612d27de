//! Finds out if a pool's bonus is paid in the native token: rewarders that count in the wrapped one may pay it
//! unwrapped, and have a view that says so.
//!
//! Chefs name the rewarder in different places; any contract there that answers the view is one.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::MasterChef;
use super::contracts::pending::native::{fifth, isNativeCall, rewarderCall, rewardersCall, sixth};

/// Cache time of a pool's rewarder and its kind of payment, in seconds; the chef's owner may change the rewarder.
const REWARDER_STANDS_S: u32 = 300;

/// Returns true if the pool's bonus is paid unwrapped.
pub(super) async fn is_unwrapped(cx: &JobContext, of: &MasterChef, pid: U256) -> Result<bool, Error> {
    let rewarders = rewarders(cx, of.chef, pid).await?;
    let asked = rewarders.into_iter().map(|at| cx.try_call(at, isNativeCall {}).within(REWARDER_STANDS_S));
    Ok(cx.join(asked).await?.into_iter().any(|is_native| is_native == Ok(true)))
}

/// Reads all places where chefs name a pool's rewarder; most of them are missing or something else.
async fn rewarders(cx: &JobContext, chef: Address, pid: U256) -> Result<Vec<Address>, Error> {
    let reads = (
        cx.try_call(chef, fifth::poolInfoCall { pid }).within(REWARDER_STANDS_S),
        cx.try_call(chef, sixth::poolInfoCall { pid }).within(REWARDER_STANDS_S),
        cx.try_call(chef, rewarderCall { pid }).within(REWARDER_STANDS_S),
        cx.try_call(chef, rewardersCall { pid }).within(REWARDER_STANDS_S),
    );
    let (fifth, sixth, view, list) = cx.join(reads).await?;
    let found = [fifth.map(|info| info.rewarder), sixth.map(|info| info.rewarder), view, list];
    let mut found: Vec<Address> = found.into_iter().filter_map(Result::ok).filter(|at| !at.is_zero()).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
