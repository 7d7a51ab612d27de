//! Shares of Curve pools: the proportional part of the pool's balances, of shares that an account holds itself, and as
//! compositions.
//!
//! A deployment is a registry of all pool generations (Curve's `MetaRegistry`); settings key `meta_registry`. Answers
//! pooling and compositions. Invariants: a token counts as a pool's share only if the registry names it for that pool
//! at the answer's block; the token itself only helps to find the pool. An account without shares costs one read per
//! pool. Coins that are shares, as in meta pools, are left to the host. Stakes are the gauges' own.

mod listed;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Leg, LegRole, Lineage, Part, Position, PositionKind, Question,
    Revert, SettingsError, U256, sol, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::native_placeholder::named_token;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

sol! {
    // MetaRegistry.vy, <https://github.com/curvefi/metaregistry/blob/main/contracts/MetaRegistry.vy>
    function get_pool_from_lp_token(address token) external view returns (address);
    function get_lp_token(address pool) external view returns (address);
    function get_coins(address pool) external view returns (address[8]);
    function get_balances(address pool) external view returns (uint256[8]);

    // CurveTokenV3.vy and later tokens separate from their pool, <https://github.com/curvefi/curve-contract>: the pool.
    function minter() external view returns (address);
    function totalSupply() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
}

/// Cache time of a token's kind, in seconds; a new pool shows at most this much later.
const KNOWN_STANDS_S: u32 = 3_600;

/// Gas to search for a token's pool. The first registry uses a map and needs less than a tenth of it. A later one loops
/// over hundreds of pools, whose tokens name their pools themselves.
const SEARCH_GAS: u32 = 300_000;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurvePoolsKit {
    /// Token `type` of the shares.
    pub share: &'static str,
    /// Mechanism of shares that an account holds itself.
    pub pool: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurvePoolRegistry {
    registry: Address,
    types: CurvePoolsKit,
}

/// What all shares of a pool stand for.
struct PooledCoins {
    supply: U256,
    balances: Vec<(Address, U256)>,
}

impl CurvePoolsKit {
    /// Keys of a row for pools of Curve or of a fork:
    /// - `meta_registry` (address): the registry of the pools
    pub const KEYS: &'static [&'static str] = &["meta_registry"];

    /// Creates a deployment of a registry's pools.
    fn of(self, registry: Address) -> CurvePoolRegistry {
        CurvePoolRegistry { registry, types: self }
    }
}

impl Kit for CurvePoolsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["meta_registry"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("meta_registry")?.map(|registry| self.of(registry).shared()))
    }

    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<get_lp_tokenCall>()]
    }
}

impl DeploymentReader for CurvePoolRegistry {
    fn contracts(&self) -> Vec<Address> {
        vec![self.registry]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::POOLING, Question::COMPOSITION]
    }

    /// Returns a position per pool of which the account holds shares itself.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let pools = listed::pools(cx, labels.market, self.registry).await?;
            let shares: Vec<_> = pools.into_iter().collect();
            let held =
                read_nonzero(cx, labels.market, shares, |(share, _)| (*share, balanceOfCall { account })).await?;
            let positions = held.into_iter().map(|((share, pool), held)| self.position(cx, labels, pool, share, held));
            let positions = join_partial(cx, positions).await.fail_if_none(cx, labels.market)?;
            Ok(positions.into_iter().flatten().collect())
        })
    }

    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let found = join_partial(cx, tokens.iter().map(|token| self.composition(cx, *token))).await;
            Ok(found.or_report(cx, "shares of pools").into_iter().flatten().collect())
        })
    }
}

impl CurvePoolRegistry {
    /// Returns what shares are worth, rounded down; `None` if the registry no longer names their token for the pool.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: Address,
        share: Address,
        held: U256,
    ) -> Result<Option<Position>, Error> {
        let Some(PooledCoins { supply, balances }) = self.holdings(cx, pool, share).await? else { return Ok(None) };
        let invalid =
            || Error::new(format!("{pool}: {held} shares of {supply} in its balances are not a valid amount"));
        let part = |balance: U256| balance.checked_mul(held).and_then(|product| product.checked_div(supply));
        let leg = |(coin, balance): (Address, U256)| Some(Leg::new(LegRole::POOLED, coin, part(balance)?));
        let legs = balances.into_iter().map(leg).collect::<Option<Vec<_>>>().filter(|_| held <= supply);
        let position = Position::new(PositionKind::POOLED, labels.market, pool).mechanism(self.types.pool);
        Ok(Some(position.named(format!("{} liquidity", symbol(share))).legs(legs.ok_or_else(invalid)?)))
    }

    /// Returns the composition of the whole supply; `None` if the token is not a share or has no supply.
    async fn composition(&self, cx: &JobContext, token: Address) -> Result<Option<Composition>, Error> {
        let Some(pool) = self.pool(cx, token).await? else { return Ok(None) };
        let held = self.holdings(cx, pool, token).await?.filter(|held| !held.supply.is_zero());
        let Some(PooledCoins { supply, balances }) = held else { return Ok(None) };
        let parts = balances.into_iter().map(|(token, amount)| Part { token, amount }).collect();
        Ok(Some(Composition { token, kind: self.types.share.to_owned(), supply, parts }))
    }

    /// Returns what all shares of a pool stand for; `None` if the registry does not name this token for the pool.
    async fn holdings(&self, cx: &JobContext, pool: Address, token: Address) -> Result<Option<PooledCoins>, Error> {
        let share = cx.try_call(self.registry, get_lp_tokenCall { pool });
        let coins = cx.try_call(self.registry, get_coinsCall { pool }).within(KNOWN_STANDS_S);
        let balances = cx.try_call(self.registry, get_balancesCall { pool });
        let supply = cx.try_call(token, totalSupplyCall {});
        let (share, coins, balances, supply) = cx.join((share, coins, balances, supply)).await?;
        if share != Ok(token) {
            return Ok(None);
        }
        let broken = |revert: Revert| Error::new(format!("{pool}: {revert}"));
        let (coins, balances, supply) = (coins.map_err(broken)?, balances.map_err(broken)?, supply.map_err(broken)?);
        let held = coins.into_iter().zip(balances).filter(|(coin, _)| !coin.is_zero());
        let balances = held.map(|(coin, amount)| (named_token(coin), amount)).collect();
        Ok(Some(PooledCoins { supply, balances }))
    }

    /// Returns the pool that may have issued the token: itself, the one in the registry, or the one that the token
    /// names.
    async fn pool(&self, cx: &JobContext, token: Address) -> Result<Option<Address>, Error> {
        let own = cx.try_call(self.registry, get_lp_tokenCall { pool: token }).within(KNOWN_STANDS_S);
        let search = cx.try_call(self.registry, get_pool_from_lp_tokenCall { token });
        let search = search.within(KNOWN_STANDS_S).gas_cap(SEARCH_GAS);
        let minter = cx.try_call(token, minterCall {}).within(KNOWN_STANDS_S);
        let (own, search, minter) = cx.join((own, search, minter)).await?;
        if own == Ok(token) {
            return Ok(Some(token));
        }
        Ok([search, minter].into_iter().filter_map(Result::ok).find(|pool: &Address| !pool.is_zero()))
    }
}
