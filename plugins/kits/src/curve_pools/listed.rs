//! Pools that the handlers of a registry list, found once and shared by all jobs.
//!
//! The registry's own list is those of its handlers one after another, so a new pool of one moves those of the next.
//! Invariant: each handler has a list of its own, whose name has the handler's address: an owner may replace handlers.

use std::collections::BTreeMap;
use std::ops::Range;

use portolan_plugin_api::alloy::primitives::hex;
use portolan_plugin_api::{Address, Error, JobContext, U256, sol};

use super::get_lp_tokenCall;
use crate::bounds::answered;
use crate::kit::COUNT_STANDS_S;
use crate::partial::join_partial;

sol! {
    // MetaRegistry.vy
    function registry_length() external view returns (uint256);
    function get_registry(uint256 index) external view returns (address);

    // A handler of one generation,
    // <https://github.com/curvefi/metaregistry/tree/main/contracts/mainnet/registry_handlers>
    function pool_count() external view returns (uint256);
    function pool_list(uint256 index) external view returns (address);
}

/// Handlers of a registry, which has no more either (`MAX_REGISTRIES`).
const HANDLERS_MAX: u64 = 10;

/// Pools of a handler that are read: several times the largest list. Each costs every account a read.
const POOLS_MAX: u64 = 4_096;

/// Returns the shares of all known pools, and the pool of each.
pub(super) async fn pools(
    cx: &JobContext,
    market: &str,
    registry: Address,
) -> Result<BTreeMap<Address, Address>, Error> {
    let count = cx.call(registry, registry_lengthCall {}).within(COUNT_STANDS_S).await?;
    let count = answered(cx, market, count, "handlers of pools", HANDLERS_MAX);
    let handlers =
        (0..count).map(|index| cx.call(registry, get_registryCall { index: U256::from(index) }).within(COUNT_STANDS_S));
    let lists = cx.join(handlers).await?.into_iter().map(|handler| of_handler(cx, market, handler));
    let lists = join_partial(cx, lists).await.fail_if_none(cx, market)?;
    let pools = lists.into_iter().flatten().map(|(pool, share)| (share, pool));
    Ok(pools.filter(|(share, pool)| !share.is_zero() && !pool.is_zero()).collect())
}

/// Returns the pools of a handler, with their shares.
async fn of_handler(cx: &JobContext, market: &str, handler: Address) -> Result<Vec<(Address, Address)>, Error> {
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, handler, place)));
    let count = async {
        let count = cx.call(handler, pool_countCall {}).within(COUNT_STANDS_S).await?;
        Ok(U256::from(answered(cx, format!("{market}: {handler}"), count, "pools", POOLS_MAX)))
    };
    cx.facts(market, &format!("pools-{}", hex::encode(&handler[..8])), count, walk).await
}

/// Returns a pool and its share; zero for a share that the handler does not name.
async fn entry(cx: &JobContext, handler: Address, place: u64) -> Result<(Address, Address), Error> {
    let pool = cx.call(handler, pool_listCall { index: U256::from(place) }).await?;
    let share = cx.try_call(handler, get_lp_tokenCall { pool }).await?;
    Ok((pool, share.unwrap_or_default()))
}
