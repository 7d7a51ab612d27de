//! Deposits in the vaults that controllers lend from.

use std::ops::Range;

use portolan_plugin_api::{Address, Error, JobContext, Position, U256};

use super::contracts::{market_countCall, marketsCall, vaultsCall};
use super::{LlamaLend, MarketFactory};
use crate::erc4626;
use crate::kit::{COUNT_STANDS_S, Labels};

/// Key of the list of vaults among a deployment's fact lists.
const LIST: &str = "vaults";

/// Returns a position per vault of the factory with a deposit.
pub(super) async fn positions(
    cx: &JobContext,
    of: &LlamaLend,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let factory = of.factory.address();
    let at = move |place| async move {
        let index = U256::from(place);
        match of.factory {
            MarketFactory::Markets(_) => Ok(cx.call(factory, marketsCall { index }).await?.vault),
            _ => cx.call(factory, vaultsCall { index }).await,
        }
    };
    let walk = |places: Range<u64>| cx.join(places.map(at));
    let count = cx.call(factory, market_countCall {}).within(COUNT_STANDS_S);
    let vaults: Vec<Address> = cx.facts(labels.market, LIST, count, walk).await?;
    erc4626::positions(cx, labels, of.types.vault, vaults, account).await
}
