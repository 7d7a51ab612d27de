//! What an account has deposited in the vaults that controllers lend from.

use std::ops::Range;

use portolan_plugin_api::{Address, Chain, Error, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::contracts::{assetCall, balanceOfCall, convertToAssetsCall, market_countCall, vaultsCall};
use super::{LlamaLend, ZERO_STANDS_S};
use crate::kit::Labels;
use crate::try_each::try_each;

/// The name of the list of vaults among a deployment's facts.
const LIST: &str = "vaults";

/// The deposits, a position for each vault of the factory.
pub(super) async fn positions(
    cx: &Chain,
    of: &LlamaLend,
    labels: Labels<'_>,
    factory: Address,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let at = move |place| cx.call(factory, vaultsCall { index: U256::from(place) });
    let walk = |places: Range<u64>| cx.join(places.map(at));
    let vaults: Vec<Address> =
        cx.facts(labels.market, LIST, async { cx.call(factory, market_countCall {}).await }, walk).await?;
    let held = vaults.into_iter().map(|vault| async move {
        Ok((vault, cx.call(vault, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?))
    });
    let held = try_each(cx, held).await.or_err_if_all(cx, labels.market)?;
    let rows = held.into_iter().filter(|(_, shares)| !shares.is_zero());
    let rows = rows.map(|(vault, shares)| position(cx, of, labels, vault, shares));
    Ok(try_each(cx, rows).await.or_report(cx, labels.market))
}

/// A deposit in what its shares redeem to, with the interest until the block.
async fn position(
    cx: &Chain,
    of: &LlamaLend,
    labels: Labels<'_>,
    vault: Address,
    shares: U256,
) -> Result<Position, Error> {
    let asset = cx.call(vault, assetCall {}).immutable();
    let (asset, amount) = cx.join((asset, cx.call(vault, convertToAssetsCall { shares }))).await?;
    let position = Position::new(PositionKind::LENT, labels.market, vault).of(of.types.vault);
    let position = position.named(format!("{} {}", labels.title, symbol(asset)));
    Ok(position.leg(Leg::new(LegRole::SUPPLIED, asset, amount).receipt(vault)))
}
