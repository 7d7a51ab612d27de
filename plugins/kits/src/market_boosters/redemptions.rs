//! What leaves the receipts that the minter adds: each redemption pays once its time is over.
//!
//! Invariant: a redemption is a claim if it is the last one of the account's list that is over, and a position otherwise. A
//! claim moves another redemption to its place in the list.

use portolan_plugin_api::{
    Address, Claimable, Error, JobContext, Leg, LegRole, Lock, Position, PositionKind, U256, symbol,
};

use super::{MarketBooster, TOKENS_STAND_S, eqbCall, xEqbCall};
use crate::bounds::answered;
use crate::kit::{Labels, ZERO_STANDS_S};

portolan_plugin_api::sol! {
    // XEqbToken.sol
    function getUserRedeemsLength(address user) external view returns (uint256);
    function getUserRedeem(address user, uint256 redeemIndex) external view
        returns (uint256 eqbAmount, uint256 xEqbAmount, uint256 endTime);
    // Pays the sender.
    function finalizeRedeem(uint256 redeemIndex) external;
}

/// Redemptions of an account that are read, the first ones of its list.
const REDEMPTIONS_MAX: u64 = 64;

/// A redemption, by its place in the account's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReceiptRedemption {
    place: U256,
    amount: U256,
    /// Unix time, in seconds.
    ends_at: U256,
}

/// Returns a claim of the last redemption that is over.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &MarketBooster,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let (receipt, found) = all(cx, of, labels, account).await?;
    let Some(last) = last_over(cx, &found) else { return Ok(Vec::new()) };
    // Both at the answer's block, since the claim calls the one and names the other.
    let (named, token) = cx.join((cx.call(of.booster, xEqbCall {}), cx.call(of.booster, eqbCall {}))).await?;
    if named != receipt {
        return Err(Error::new(format!("{receipt}: is the receipt of the booster no more")));
    }
    let claim = cx.claim(receipt, &finalizeRedeemCall { redeemIndex: last.place });
    let row = Claimable::new(labels.market, receipt, claim).mechanism(of.types.pool).numbered(last.place);
    Ok(vec![row.named(format!("{} redemption", symbol(receipt))).pays(token, last.amount)])
}

/// Returns a position per other redemption, with its end if that is not over.
pub(super) async fn positions(
    cx: &JobContext,
    of: &MarketBooster,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let (receipt, found) = all(cx, of, labels, account).await?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let token = cx.call(of.booster, eqbCall {}).within(TOKENS_STAND_S).await?;
    let (last, now) = (last_over(cx, &found), cx.block().timestamp);
    let row = |one: ReceiptRedemption| {
        let row = Position::new(PositionKind::LOCKED, labels.market, receipt).mechanism(of.types.pool);
        let row = row.numbered(one.place).named(format!("{} redemption", symbol(receipt)));
        let row = row.leg(Leg::new(LegRole::LOCKED, token, one.amount));
        let unlocks_at = u64::try_from(one.ends_at).ok().filter(|end| *end > now);
        Position { lock: Some(Lock { unlocks_at, is_permanent: Some(false) }), ..row }
    };
    Ok(found.into_iter().filter(|one| Some(*one) != last).map(row).collect())
}

fn last_over(cx: &JobContext, found: &[ReceiptRedemption]) -> Option<ReceiptRedemption> {
    found.iter().rev().find(|one| one.ends_at <= U256::from(cx.block().timestamp)).copied()
}

/// Returns the receipt, and the account's redemptions that pay something.
async fn all(
    cx: &JobContext,
    of: &MarketBooster,
    labels: Labels<'_>,
    account: Address,
) -> Result<(Address, Vec<ReceiptRedemption>), Error> {
    let receipt = cx.call(of.booster, xEqbCall {}).within(TOKENS_STAND_S).await?;
    if receipt.is_zero() {
        return Ok((receipt, Vec::new()));
    }
    let count = cx.call(receipt, getUserRedeemsLengthCall { user: account });
    let count = count.zero_within(ZERO_STANDS_S).await?;
    let count = answered(cx, labels.market, count, "redemptions", REDEMPTIONS_MAX);
    let rows = (0..count).map(U256::from).map(async |place| {
        let one = cx.call(receipt, getUserRedeemCall { user: account, redeemIndex: place }).await?;
        Ok(ReceiptRedemption { place, amount: one.eqbAmount, ends_at: one.endTime })
    });
    let mut found = cx.join(rows).await?;
    found.retain(|one| !one.amount.is_zero());
    Ok((receipt, found))
}
