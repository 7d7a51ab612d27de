//! Markets of a deployment: those of its row, and those that its vaults lend to. The contract has no list.

use std::collections::BTreeSet;

use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::{Address, B256, Error, JobContext, SolValue as _, U256};

use super::Morpho;
use super::contracts::{
    adaptersCall, adaptersLengthCall, marketIdsCall, marketIdsLengthCall, marketParamsListCall,
    marketParamsListLengthCall, withdrawQueueCall, withdrawQueueLengthCall,
};
use crate::boxed::Boxed;
use crate::partial::join_partial;

/// Cache time of a vault's markets, in seconds; a new one shows at most this much later.
const LIST_STANDS_S: u32 = 300;
/// Markets of one vault or adapter that are read; MetaMorpho allows 30, and Moolah's vaults 100.
const MARKETS_MAX: u64 = 100;
/// Adapters of one vault that are read; the largest vaults have three.
const ADAPTERS_MAX: u64 = 20;

/// Returns the markets, each once. A vault that cannot be read loses the markets that no other vault lends to, and is
/// reported.
pub(super) async fn markets(cx: &JobContext, of: &Morpho, market: &str) -> Result<Vec<B256>, Error> {
    let queues =
        of.contracts.vaults.iter().map(|vault| -> Boxed<'_, Vec<B256>> { Box::pin(queue(cx, market, *vault)) });
    let adapted = of.contracts.vaults_v2.iter();
    let adapted = adapted.map(|vault| -> Boxed<'_, Vec<B256>> { Box::pin(adapted_markets(cx, market, *vault)) });
    let found = join_partial(cx, queues.chain(adapted)).await;
    let listed = of.contracts.markets.iter().copied();
    let found =
        if of.contracts.markets.is_empty() { found.fail_if_none(cx, market)? } else { found.or_report(cx, market) };
    let all: BTreeSet<B256> = listed.chain(found.into_iter().flatten()).collect();
    Ok(all.into_iter().collect())
}

/// Returns the withdraw queue of a vault, which has all markets it lends to.
async fn queue(cx: &JobContext, market: &str, vault: Address) -> Result<Vec<B256>, Error> {
    let length = cx.call(vault, withdrawQueueLengthCall {}).within(LIST_STANDS_S).await?;
    let places = places(cx, market, vault, length, MARKETS_MAX);
    cx.join(places.map(|index| cx.call(vault, withdrawQueueCall { index }).within(LIST_STANDS_S))).await
}

/// Returns the markets that the adapters of a version 2 vault lend to.
async fn adapted_markets(cx: &JobContext, market: &str, vault: Address) -> Result<Vec<B256>, Error> {
    let length = cx.call(vault, adaptersLengthCall {}).within(LIST_STANDS_S).await?;
    let places = places(cx, market, vault, length, ADAPTERS_MAX);
    let adapted = places.map(|index| async move {
        let adapter = cx.call(vault, adaptersCall { index }).within(LIST_STANDS_S).await?;
        adapter_markets(cx, market, adapter).await
    });
    Ok(cx.join(adapted).await?.into_iter().flatten().collect())
}

/// Returns the markets of an adapter of either kind; empty for an adapter that lends to a vault.
async fn adapter_markets(cx: &JobContext, market: &str, adapter: Address) -> Result<Vec<B256>, Error> {
    let ids = cx.try_call(adapter, marketIdsLengthCall {}).within(LIST_STANDS_S);
    let params = cx.try_call(adapter, marketParamsListLengthCall {}).within(LIST_STANDS_S);
    let (ids, params) = cx.join((ids, params)).await?;
    let ids = places(cx, market, adapter, ids.unwrap_or_default(), MARKETS_MAX);
    let ids = ids.map(|index| cx.call(adapter, marketIdsCall { index }).within(LIST_STANDS_S));
    let params = places(cx, market, adapter, params.unwrap_or_default(), MARKETS_MAX);
    let params = params.map(|index| cx.call(adapter, marketParamsListCall { index }).within(LIST_STANDS_S));
    let (ids, params) = cx.join((cx.join(ids), cx.join(params))).await?;
    // A market's id is the hash of its parameters.
    Ok(ids.into_iter().chain(params.iter().map(|params| keccak256(params.abi_encode()))).collect())
}

/// Iterates over the indices of a contract's list, up to a bound; a longer list is reported.
fn places(
    cx: &JobContext,
    market: &str,
    contract: Address,
    length: U256,
    max: u64,
) -> impl Iterator<Item = U256> + use<> {
    if length > U256::from(max) {
        cx.report_not_covered(format!("{market}: {contract} lists {length} entries, of which {max} are read"));
    }
    (0..max).map(U256::from).take_while(move |place| *place < length)
}
