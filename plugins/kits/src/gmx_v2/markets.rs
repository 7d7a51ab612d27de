//! Markets, vaults of markets, and the account's shares of both.

use portolan_plugin_api::{Address, Error, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::GmxV2;
use super::store::{contract, contracts, member_at};
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    function balanceOf(address account) external view returns (uint256);
}

/// Markets, and as many vaults, of a deployment that are answered.
const MARKETS_MAX: u64 = 500;

/// Word for shares of markets in names.
const MARKET: &str = "GM";
/// Word for shares of vaults in names.
const VAULT: &str = "GLV";

/// A market or a vault, with the tokens that back long and short positions; they may be the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Market {
    pub(super) address: Address,
    pub(super) long: Address,
    pub(super) short: Address,
}

/// Returns the markets.
pub(super) async fn markets(cx: &JobContext, of: &GmxV2, labels: Labels<'_>) -> Result<Vec<Market>, Error> {
    let all = contracts(cx, labels.market, of.store, "MARKET_LIST", MARKETS_MAX).await?;
    let all = join_partial(cx, all.into_iter().map(|address| market(cx, of, address))).await;
    all.fail_if_none(cx, labels.market)
}

async fn market(cx: &JobContext, of: &GmxV2, address: Address) -> Result<Market, Error> {
    let long = contract(cx, of.store, member_at(address, "LONG_TOKEN"));
    let (long, short) = cx.join((long, contract(cx, of.store, member_at(address, "SHORT_TOKEN")))).await?;
    Ok(Market { address, long, short })
}

/// Returns a position per market or vault of which the account has shares. They are told as shares: what they redeem to
/// depends on prices that no contract holds.
pub(super) async fn positions(
    cx: &JobContext,
    of: &GmxV2,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let markets = contracts(cx, labels.market, of.store, "MARKET_LIST", MARKETS_MAX);
    let vaults = contracts(cx, labels.market, of.store, "GLV_LIST", MARKETS_MAX);
    let (markets, vaults) = cx.join((markets, vaults)).await?;
    let kinds = markets.into_iter().map(|share| (share, MARKET)).chain(vaults.into_iter().map(|share| (share, VAULT)));
    let held =
        read_nonzero(cx, labels.market, kinds.collect(), |(share, _)| (*share, balanceOfCall { account })).await?;
    let rows = held.into_iter().map(|((share, kind), amount)| position(cx, of, labels, share, kind, amount));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

async fn position(
    cx: &JobContext,
    of: &GmxV2,
    labels: Labels<'_>,
    share: Address,
    kind: &str,
    amount: U256,
) -> Result<Position, Error> {
    let Market { long, short, .. } = market(cx, of, share).await?;
    let leg = Leg::new(LegRole::POOLED, share, amount).receipt(share);
    let position = Position::new(PositionKind::POOLED, labels.market, share).mechanism(of.types.share).leg(leg);
    Ok(position.named(format!("{} {kind} {}/{}", labels.title, symbol(long), symbol(short))))
}
