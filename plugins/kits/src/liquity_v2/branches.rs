//! Collaterals of a registry, with the contracts of each. The registry and the managers of troves never change them.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::{
    boldTokenCall, borrowerOperationsCall, getTokenCall, getTroveManagerCall, stabilityPoolCall, totalCollateralsCall,
    troveNFTCall,
};
use super::{Branches, LiquityV2};
use crate::bounds::answered;

/// Collaterals of one registry that are answered; it has room for ten.
const BRANCHES_MAX: u64 = 10;

/// A collateral, with its contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) collateral: Address,
    pub(super) manager: Address,
    pub(super) nft: Address,
    pub(super) pool: Address,
    pub(super) operations: Address,
    pub(super) price_feed: Option<Address>,
    pub(super) surplus_pool: Option<Address>,
}

/// Reads the collaterals.
pub(super) async fn read(cx: &JobContext, of: &LiquityV2, market: &str) -> Result<Branches, Error> {
    let registry = of.keys.registry;
    let total = cx.call(registry, totalCollateralsCall {}).immutable();
    let (total, debt_token) = cx.join((total, cx.call(registry, boldTokenCall {}).immutable())).await?;
    let total = answered(cx, format_args!("{market}: {registry}"), total, "collaterals", BRANCHES_MAX);
    let branches = cx.join((0..total).map(|place| branch(cx, of, place))).await?;
    Ok(Branches { registry, debt_token, branches, types: of.types })
}

async fn branch(cx: &JobContext, of: &LiquityV2, place: u64) -> Result<Branch, Error> {
    let (registry, index) = (of.keys.registry, U256::from(place));
    let manager = cx.call(registry, getTroveManagerCall { index }).immutable();
    let (manager, collateral) = cx.join((manager, cx.call(registry, getTokenCall { index }).immutable())).await?;
    let nft = cx.call(manager, troveNFTCall {}).immutable();
    let pool = cx.call(manager, stabilityPoolCall {}).immutable();
    let operations = cx.call(manager, borrowerOperationsCall {}).immutable();
    let (nft, pool, operations) = cx.join((nft, pool, operations)).await?;
    let its = |list: &[Address]| usize::try_from(place).ok().and_then(|place| list.get(place)).copied();
    let (price_feed, surplus_pool) = (its(&of.keys.price_feeds), its(&of.keys.surplus_pools));
    Ok(Branch { collateral, manager, nft, pool, operations, price_feed, surplus_pool })
}
