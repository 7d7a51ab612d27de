//! ERC-4626 vaults that lend: one position per vault, with the underlying amount of its shares.
//!
//! Source: <https://eips.ethereum.org/EIPS/eip-4626>.

use portolan_plugin_api::{Address, Error, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use crate::kit::Labels;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    function balanceOf(address account) external view returns (uint256);
    function asset() external view returns (address);
    function previewRedeem(uint256 shares) external view returns (uint256);
}

/// Returns the account's positions in these vaults. A failed vault is reported and loses only its own position.
pub(crate) async fn positions(
    cx: &JobContext,
    labels: Labels<'_>,
    mechanism: &str,
    vaults: impl IntoIterator<Item = Address>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let held = held(cx, labels.market, vaults, account).await?;
    let rows = held.into_iter().map(|(vault, shares)| position(cx, labels, mechanism, vault, shares));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the account's nonzero shares of these vaults.
pub(crate) async fn held(
    cx: &JobContext,
    market: &str,
    vaults: impl IntoIterator<Item = Address>,
    account: Address,
) -> Result<Vec<(Address, U256)>, Error> {
    read_nonzero(cx, market, vaults.into_iter().collect(), |vault| (*vault, balanceOfCall { account })).await
}

/// Returns the position of an amount of a vault's shares.
pub(crate) async fn position(
    cx: &JobContext,
    labels: Labels<'_>,
    mechanism: &str,
    vault: Address,
    shares: U256,
) -> Result<Position, Error> {
    let token = cx.call(vault, assetCall {}).immutable();
    let (token, redeemed) = cx.join((token, cx.call(vault, previewRedeemCall { shares }))).await?;
    let leg = Leg::new(LegRole::SUPPLIED, token, redeemed).receipt(vault);
    let position = Position::new(PositionKind::LENT, labels.market, vault).mechanism(mechanism);
    Ok(position.named(format!("{} {}", labels.title, symbol(vault))).leg(leg))
}
