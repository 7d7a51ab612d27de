//! Compositions of Balancer pool shares: the proportional part of what the vault holds for the pool.
//!
//! A deployment is a vault with the factories of its pools; settings keys `pool_vault` (second generation) or
//! `pool_vault_v3`, and `pool_factories`. Answers compositions only. Invariant: only pools that a listed factory
//! created get a price, since anyone may register a pool with a vault. Parts that are shares are left to the host.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, Composition, Error, JobContext, Keys, Lineage, Part, Question, SettingsError, U256, sol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Shared};
use crate::partial::join_partial;

sol! {
    // IBasePool.sol, <https://github.com/balancer/balancer-v2-monorepo/tree/master/pkg/interfaces/contracts/vault>
    function getPoolId() external view returns (bytes32);
    function totalSupply() external view returns (uint256);
    // Pools whose own shares are among their tokens, and all later pools: the shares that users can hold.
    function getActualSupply() external view returns (uint256);

    // IVault.sol of the second generation
    function getPoolTokens(bytes32 id)
        external view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock);

    // IVaultExtension.sol of the third generation, <https://github.com/balancer/balancer-v3-monorepo>
    struct TokenInfo {
        uint8 tokenType;
        address rateProvider;
        bool paysYieldFees;
    }
    function isPoolRegistered(address pool) external view returns (bool);
    function getPoolTokenInfo(address pool)
        external view
        returns (address[] tokens, TokenInfo[] infos, uint256[] balancesRaw, uint256[] lastBalancesLiveScaled18);

    // The same vault, which holds the shares of all pools.
    interface ShareKeeper {
        function totalSupply(address pool) external view returns (uint256);
    }

    // IBasePoolFactory.sol of both generations
    function isPoolFromFactory(address pool) external view returns (bool);
}

/// Cache time of a token that is not a pool or of no listed factory, in seconds; a new pool shows at most this much
/// later.
const KNOWN_STANDS_S: u32 = 3_600;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalancerPoolsKit {
    /// Token `type` of the shares.
    pub share: &'static str,
}

/// A vault and its generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolVault {
    /// A pool has an id and its own share token.
    V2(Address),
    /// A pool is identified by its address, and the vault keeps its shares.
    V3(Address),
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultPools {
    vault: PoolVault,
    factories: Vec<Address>,
    share: &'static str,
}

/// Holdings of a vault for a pool.
struct PoolHoldings {
    supply: U256,
    balances: Vec<(Address, U256)>,
}

impl BalancerPoolsKit {
    /// Keys of a row for the pools of a vault of Balancer v2 or v3, or of a fork:
    /// - `pool_vault` (address): the vault of v2 whose pool shares get a composition
    /// - `pool_vault_v3` (address, instead of `pool_vault`): the vault of v3
    /// - `pool_factories` (array of addresses): the factories whose pools get a price
    pub const KEYS: &'static [&'static str] = &["pool_vault", "pool_vault_v3", "pool_factories"];
}

impl Kit for BalancerPoolsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["pool_vault", "pool_vault_v3"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let vault = match (keys.address_opt("pool_vault")?, keys.address_opt("pool_vault_v3")?) {
            (None, None) => return Ok(None),
            (Some(vault), None) => PoolVault::V2(vault),
            (None, Some(vault)) => PoolVault::V3(vault),
            (Some(_), Some(_)) => {
                return Err(SettingsError::new("stands beside `pool_vault`; give one of them").at("pool_vault_v3"));
            }
        };
        let factories = keys.addresses("pool_factories")?;
        if factories.is_empty() {
            return Err(SettingsError::new("missing; only pools of a factory have a price").at("pool_factories"));
        }
        Ok(Some(VaultPools { vault, factories, share: self.share }.shared()))
    }

    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<isPoolFromFactoryCall>().argument(0)]
    }
}

impl DeploymentReader for VaultPools {
    fn contracts(&self) -> Vec<Address> {
        let (PoolVault::V2(vault) | PoolVault::V3(vault)) = self.vault;
        [&[vault][..], &self.factories].concat()
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

impl VaultPools {
    /// Returns the composition of the whole supply; `None` if the token is not a pool of the vault or has no supply.
    async fn composition(&self, cx: &JobContext, token: Address) -> Result<Option<Composition>, Error> {
        let held = match self.vault {
            PoolVault::V2(vault) => self.held_by_number(cx, vault, token).await?,
            PoolVault::V3(vault) => self.held_by_address(cx, vault, token).await?,
        };
        let Some(PoolHoldings { supply, balances }) = held.filter(|held| !held.supply.is_zero()) else {
            return Ok(None);
        };
        let parts = balances.into_iter().map(|(token, amount)| Part { token, amount }).collect();
        Ok(Some(Composition { token, kind: self.share.to_owned(), supply, parts }))
    }

    /// Reads a pool by id. Shares that the vault itself holds were minted in advance, and are excluded on both sides.
    async fn held_by_number(
        &self,
        cx: &JobContext,
        vault: Address,
        token: Address,
    ) -> Result<Option<PoolHoldings>, Error> {
        let id = cx.try_call(token, getPoolIdCall {}).within(KNOWN_STANDS_S).await?;
        // The first 20 bytes of a pool's id are its address.
        let Some(id) = id.ok().filter(|id: &B256| id[..20] == token[..]) else { return Ok(None) };
        let held = cx.try_call(vault, getPoolTokensCall { id });
        let (total, actual) = (cx.try_call(token, totalSupplyCall {}), cx.try_call(token, getActualSupplyCall {}));
        let (held, total, actual, ()) = cx.join((held, total, actual, self.query_factories(cx, token))).await?;
        let Ok(held) = held else { return Ok(None) };
        let (own, balances): (Vec<_>, Vec<_>) =
            held.tokens.into_iter().zip(held.balances).partition(|(part, _)| *part == token);
        let own = own.into_iter().map(|(_, amount)| amount).fold(U256::ZERO, U256::saturating_add);
        let supply = actual.or(total.map(|total| total.saturating_sub(own)));
        let supply = supply.map_err(|revert| Error::new(format!("{token}: totalSupply: {revert}")))?;
        Ok(Some(PoolHoldings { supply, balances }))
    }

    async fn held_by_address(
        &self,
        cx: &JobContext,
        vault: Address,
        pool: Address,
    ) -> Result<Option<PoolHoldings>, Error> {
        if !cx.call(vault, isPoolRegisteredCall { pool }).within(KNOWN_STANDS_S).await? {
            return Ok(None);
        }
        let (held, supply) =
            (cx.call(vault, getPoolTokenInfoCall { pool }), cx.call(vault, ShareKeeper::totalSupplyCall { pool }));
        let (held, supply, ()) = cx.join((held, supply, self.query_factories(cx, pool))).await?;
        Ok(Some(PoolHoldings { supply, balances: held.tokens.into_iter().zip(held.balancesRaw).collect() }))
    }

    /// Queries every factory, so that the host learns if the pool is one of theirs.
    async fn query_factories(&self, cx: &JobContext, pool: Address) -> Result<(), Error> {
        let factories = self.factories.iter();
        let asked =
            factories.map(|factory| cx.try_call(*factory, isPoolFromFactoryCall { pool }).within(KNOWN_STANDS_S));
        cx.join(asked).await.map(drop)
    }
}
