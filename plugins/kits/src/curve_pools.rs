//! Compositions of Curve pool shares: the proportional part of the pool's balances.
//!
//! A deployment is a registry of all pool generations (Curve's `MetaRegistry`); settings key `meta_registry`. Answers
//! compositions only. Invariant: a token counts as a pool's share only if the registry names it for that pool at the
//! answer's block; the token itself only helps to find the pool. Coins that are shares, as in meta pools, are left to
//! the host.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Lineage, Part, Question, Revert, SettingsError, sol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Shared};
use crate::native_placeholder::named_token;
use crate::partial::join_partial;

sol! {
    // MetaRegistry.vy, <https://github.com/curvefi/metaregistry/blob/main/contracts/MetaRegistry.vy>
    function get_pool_from_lp_token(address token) external view returns (address);
    function get_lp_token(address pool) external view returns (address);
    function get_coins(address pool) external view returns (address[8]);
    function get_balances(address pool) external view returns (uint256[8]);

    // CurveTokenV3.vy and later tokens separate from their pool, <https://github.com/curvefi/curve-contract>: the pool.
    function minter() external view returns (address);
    function totalSupply() external view returns (uint256);
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
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurvePoolRegistry {
    registry: Address,
    share: &'static str,
}

impl CurvePoolsKit {
    /// Keys of a row for pools of Curve or of a fork:
    /// - `meta_registry` (address): the registry of the pools whose shares get a composition
    pub const KEYS: &'static [&'static str] = &["meta_registry"];

    /// Creates a deployment of a registry's pools.
    fn of(self, registry: Address) -> CurvePoolRegistry {
        CurvePoolRegistry { registry, share: self.share }
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
        vec![Question::COMPOSITION]
    }

    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let found = join_partial(cx, tokens.iter().map(|token| self.composition(cx, *token))).await;
            Ok(found.or_report(cx, "shares of pools").into_iter().flatten().collect())
        })
    }
}

impl CurvePoolRegistry {
    /// Returns the composition of the whole supply; `None` if the token is not a share or has no supply.
    async fn composition(&self, cx: &JobContext, token: Address) -> Result<Option<Composition>, Error> {
        let Some(pool) = self.pool(cx, token).await? else { return Ok(None) };
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
        if supply.is_zero() {
            return Ok(None);
        }
        let held = coins.into_iter().zip(balances).filter(|(coin, _)| !coin.is_zero());
        let parts = held.map(|(coin, amount)| Part { token: named_token(coin), amount }).collect();
        Ok(Some(Composition { token, kind: self.share.to_owned(), supply, parts }))
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
