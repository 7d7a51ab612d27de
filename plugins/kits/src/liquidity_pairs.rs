//! Liquidity of pairs that is held without a stake: tokens of Uniswap v2's pairs, and of all pairs and pools with the
//! same views.
//!
//! Settings keys `pairs`, which names pairs, and `pair_factory` with tokens whose pairs count; factories list too many
//! to read them all. Answers pooling. Invariant: an account without shares costs one read per pair; stakes are the
//! farms' own, since farms hold the shares of their stakers.
//!
//! Source: <https://github.com/Uniswap/v2-core/blob/master/contracts/UniswapV2Pair.sol>

mod factory_pairs;

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;
use factory_pairs::FactoryPairs;

portolan_plugin_api::sol! {
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    // A third word has the time of the last change.
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquidityPairsKit {
    /// `type` of positions.
    pub pair: &'static str,
}

/// Pairs of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KnownPairs {
    named: Vec<Address>,
    found: Option<FactoryPairs>,
    types: LiquidityPairsKit,
}

impl LiquidityPairsKit {
    /// Keys of a row for shares of pairs, as Uniswap v2's, that an account holds itself; it has `pairs`, `pair_factory`
    /// or both:
    /// - `pairs` (array of addresses, optional): pairs by name
    /// - `pair_factory` (address, optional): the factory of all pairs of the row, of which also those of certain tokens
    ///   count; a named pair that it does not know is an error
    /// - `base_tokens` (array of addresses, optional beside `pairs`): tokens of the factory that have pairs with each
    ///   other, and with each of `paired_tokens`
    /// - `paired_tokens` (array of addresses, optional): further tokens; no pairs of two of them count
    pub const KEYS: &'static [&'static str] = &["pairs", "pair_factory", "base_tokens", "paired_tokens"];
}

impl Kit for LiquidityPairsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["pairs", "pair_factory"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let named = keys.addresses("pairs")?;
        let found = FactoryPairs::read(keys, !named.is_empty())?;
        if named.is_empty() && found.is_none() {
            return Ok(None);
        }
        Ok(Some(Arc::new(KnownPairs { named, found, types: *self })))
    }
}

impl DeploymentReader for KnownPairs {
    fn contracts(&self) -> Vec<Address> {
        self.named.iter().copied().chain(self.factory()).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::POOLING]
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let pairs = self.pairs(cx, labels.market).await?;
            positions(cx, labels, self.types.pair, self.factory(), pairs, account).await
        })
    }
}

impl KnownPairs {
    fn factory(&self) -> Option<Address> {
        self.found.as_ref().map(|found| found.factory)
    }

    /// Returns all pairs, each once. Named pairs do not depend on a factory that fails.
    async fn pairs(&self, cx: &JobContext, market: &str) -> Result<Vec<Address>, Error> {
        let found = join_partial(cx, self.found.iter().map(|found| found.pairs(cx, market))).await;
        let found = match self.named.is_empty() {
            true => found.fail_if_none(cx, market)?,
            false => found.or_report(cx, market),
        };
        let pairs: BTreeSet<Address> = self.named.iter().copied().chain(found.concat()).collect();
        Ok(pairs.into_iter().collect())
    }
}

/// Returns a position for each of these pairs of which the account holds shares. If a factory is given, each has to be
/// one of its pairs.
pub(crate) async fn positions(
    cx: &JobContext,
    labels: Labels<'_>,
    mechanism: &str,
    factory: Option<Address>,
    pairs: Vec<Address>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let held = read_nonzero(cx, labels.market, pairs, |pair| (*pair, balanceOfCall { account })).await?;
    let positions = held.into_iter().map(|(pair, shares)| position(cx, labels, mechanism, factory, pair, shares));
    let positions = join_partial(cx, positions).await.fail_if_none(cx, labels.market)?;
    Ok(positions.into_iter().flatten().collect())
}

/// Returns the shares' part of both reserves, rounded down as pairs pay it. A contract that has no reserves is reported
/// as not covered: voters list shares of other pools too.
async fn position(
    cx: &JobContext,
    labels: Labels<'_>,
    mechanism: &str,
    factory: Option<Address>,
    pair: Address,
    shares: U256,
) -> Result<Option<Position>, Error> {
    let token0 = cx.call(pair, token0Call {}).immutable();
    let token1 = cx.call(pair, token1Call {}).immutable();
    let Ok(reserves) = cx.try_call(pair, getReservesCall {}).await? else {
        cx.report_not_covered(format!("{}: {pair} has shares of this account and no reserves", labels.market));
        return Ok(None);
    };
    let (token0, token1, supply) = cx.join((token0, token1, cx.call(pair, totalSupplyCall {}))).await?;
    if let Some(factory) = factory {
        factory_pairs::check(cx, factory, pair, [token0, token1]).await?;
    }
    let part = |reserve: U256| reserve.checked_mul(shares).and_then(|product| product.checked_div(supply));
    let parts = part(reserves.reserve0).zip(part(reserves.reserve1)).filter(|_| shares <= supply);
    let (amount0, amount1) = parts.ok_or_else(|| {
        Error::new(format!("{pair}: {shares} shares of {supply} in its reserves are not a valid amount"))
    })?;
    let position = Position::new(PositionKind::POOLED, labels.market, pair).mechanism(mechanism);
    let position = position.named(format!("{}/{} liquidity", symbol(token0), symbol(token1)));
    Ok(Some(position.legs([Leg::new(LegRole::POOLED, token0, amount0), Leg::new(LegRole::POOLED, token1, amount1)])))
}
