//! Troves of an account, and surplus collateral of liquidated ones.
//!
//! A trove is an NFT, and no view lists those of an owner: for an account that has some, the owners of all troves are
//! read, the same reads for every account, and those that match are read again.

use std::collections::BTreeSet;

use portolan_plugin_api::{
    Address, Claimable, Error, Health, JobContext, Leg, LegRole, Nft, Position, PositionKind, Revert, U256, symbol,
};

use super::branches::Branch;
use super::contracts::{
    MCRCall, balanceOfCall, claimCollateralCall, fetchPriceCall, getCollateralCall, getLatestTroveDataCall,
    getTroveFromTroveIdsArrayCall, getTroveIdsCountCall, ownerOfCall,
};
use super::{Branches, ZERO_STANDS_S};
use crate::fixed_point::ray_of_wad;
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::trove_health::Ratio;

/// Troves of one collateral whose owners are read.
const TROVES_MAX: u64 = 5_000;
/// Seconds for which the list of troves and their owners stands.
const OWNERS_STAND_S: u32 = 300;

/// Returns a position per trove.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Branches,
    branch: &Branch,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let ids = owned(cx, branch, labels, account).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let price = price(cx, branch, labels).await;
    let rows = ids.into_iter().map(|id| position(cx, of, branch, labels, id, price));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

async fn position(
    cx: &JobContext,
    of: &Branches,
    branch: &Branch,
    labels: Labels<'_>,
    id: U256,
    price: Option<(U256, U256)>,
) -> Result<Position, Error> {
    let trove = cx.call(branch.manager, getLatestTroveDataCall { troveId: id }).await?;
    let (collateral, debt) = ((branch.collateral, trove.entireColl), (of.debt_token, trove.entireDebt));
    let supplied = Leg::new(LegRole::SUPPLIED, collateral.0, collateral.1).rate_ray(U256::ZERO);
    let supplied = Leg { is_collateral: Some(true), ..supplied };
    let rate = ray_of_wad(trove.annualInterestRate)?;
    let borrowed = Leg::new(LegRole::BORROWED, debt.0, debt.1).rate_ray(rate);
    let kind = if debt.1.is_zero() { PositionKind::LENT } else { PositionKind::BORROWED };
    let position = Position::new(kind, labels.market, branch.manager).mechanism(of.types.trove).numbered(id);
    let position = position.named(format!("{} {} trove", labels.title, symbol(collateral.0)));
    let health = price.filter(|_| !debt.1.is_zero()).and_then(|(price, least)| {
        let health: Result<Health, Error> = Ratio { collateral, debt }.health(price, least);
        health.inspect_err(|error| cx.report_missing(format!("{}: health: {error}", labels.market))).ok()
    });
    let nft = Some(Nft { collection: branch.nft, token_id: id });
    Ok(Position { health, nft, ..position.legs([supplied, borrowed]) })
}

/// Returns the price of the collateral and the minimum ratio; `None` if the row names no source of prices, or if it
/// fails, which is reported.
async fn price(cx: &JobContext, branch: &Branch, labels: Labels<'_>) -> Option<(U256, U256)> {
    let price = cx.call(branch.price_feed?, fetchPriceCall {}).isolated();
    let read = cx.join((price, cx.call(branch.operations, MCRCall {}).immutable())).await;
    let read = read.inspect_err(|error| cx.report_missing(format!("{}: health: {error}", labels.market)));
    read.ok().map(|(price, least)| (price.price, least))
}

/// Returns the ids of the account's troves, by their owners in the answer's block.
async fn owned(cx: &JobContext, branch: &Branch, labels: Labels<'_>, account: Address) -> Result<Vec<U256>, Error> {
    let Branch { nft, manager, .. } = *branch;
    let count = cx.call(nft, balanceOfCall { owner: account }).zero_within(ZERO_STANDS_S).await?;
    if count.is_zero() {
        return Ok(Vec::new());
    }
    let total: u64 = cx.call(manager, getTroveIdsCountCall {}).within(OWNERS_STAND_S).await?.saturating_to();
    let places = (total.saturating_sub(TROVES_MAX)..total).map(U256::from);
    let ids = places.map(|index| (manager, getTroveFromTroveIdsArrayCall { index }));
    let mut known = BTreeSet::new();
    for id in cx.try_call_each(ids).within(OWNERS_STAND_S).await {
        known.extend(id?.ok());
    }
    let owner_of = |id: &U256| (nft, ownerOfCall { troveId: *id });
    let ids: Vec<U256> = known.into_iter().collect();
    let owners = cx.try_call_each(ids.iter().map(owner_of)).within(OWNERS_STAND_S).await;
    let ids = of_account(ids, owners, account)?;
    // One may have been transferred since.
    let owners = cx.try_call_each(ids.iter().map(owner_of)).await;
    let ids = of_account(ids, owners, account)?;
    if count != U256::from(ids.len()) {
        let (market, found) = (labels.market, ids.len());
        cx.report_not_covered(format!(
            "{market}: {nft}: {found} of {count} troves were found; others are not among the last {TROVES_MAX}, or were \
             opened or received in the last {OWNERS_STAND_S} s"
        ));
    }
    Ok(ids)
}

/// Returns the ids whose owner is the account. A closed trove has no owner.
fn of_account(
    ids: Vec<U256>,
    owners: Vec<Result<Result<Address, Revert>, Error>>,
    account: Address,
) -> Result<Vec<U256>, Error> {
    let owned = ids.into_iter().zip(owners).map(|(id, owner)| Ok((owner? == Ok(account)).then_some(id)));
    owned.filter_map(Result::transpose).collect()
}

/// Returns the claim of collateral that a liquidation left over.
pub(super) async fn surplus(
    cx: &JobContext,
    of: &Branches,
    branch: &Branch,
    labels: Labels<'_>,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let Some(pool) = branch.surplus_pool else { return Ok(None) };
    let amount = cx.call(pool, getCollateralCall { account }).zero_within(ZERO_STANDS_S).await?;
    let claim = cx.claim(branch.operations, &claimCollateralCall {});
    let claimable = Claimable::new(labels.market, pool, claim).mechanism(of.types.trove);
    let claimable = claimable.named(format!("{} left over", symbol(branch.collateral)));
    Ok((!amount.is_zero()).then(|| claimable.pays(branch.collateral, amount)))
}
