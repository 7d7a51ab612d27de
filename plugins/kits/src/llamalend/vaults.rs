//! Deposits in the vaults that controllers lend from.

use std::ops::Range;

use portolan_plugin_api::{Address, Error, JobContext, Position, U256};

use super::LlamaLend;
use super::contracts::{market_countCall, vaultsCall};
use crate::erc4626;
use crate::kit::{COUNT_STANDS_S, Labels};

/// Key of the list of vaults among a deployment's fact lists.
const LIST: &str = "vaults";

/// Returns a position per vault of the factory with a deposit.
pub(super) async fn positions(
    cx: &JobContext,
    of: &LlamaLend,
    labels: Labels<'_>,
    factory: Address,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let at = move |place| cx.call(factory, vaultsCall { index: U256::from(place) });
    let walk = |places: Range<u64>| cx.join(places.map(at));
    let count = cx.call(factory, market_countCall {}).within(COUNT_STANDS_S);
    let vaults: Vec<Address> = cx.facts(labels.market, LIST, count, walk).await?;
    erc4626::positions(cx, labels, of.types.vault, vaults, account).await
}
