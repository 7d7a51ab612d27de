//! Pools of staking positions: each pool takes one token and issues an NFT per stake, like Camelot's `NFTPool`s.
//! Rewards are paid in a token, and in a restricted token that represents it. Nitro pools take such NFTs, and pay one
//! or two more tokens.
//!
//! A deployment is the master that lists the pools, settings key `position_master`; or the factory of nitro pools,
//! `nitro_factory`, with the factory of the pools whose NFTs these take. Both answer claimables and farming positions
//! with their locks. Invariant: the list of pools is a fact list; the target of a claim is read from the listing
//! contract again.

mod contracts;
mod nitro;
mod pool;
mod rows;

use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Lineage, Position, Question, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared};
use crate::owned_nfts;
use crate::partial::join_partial;
use contracts::nitro::{getPublishedNitroPoolCall, harvestCall, harvestPositionToCall, poolsCall};
use contracts::{getPoolAddressByIndexCall, harvestPositionCall, poolsLengthCall};
pub use nitro::NitroFactory;
use pool::{NftPool, NftStake};

/// Key of the list of pools among a deployment's fact lists.
const LIST: &str = "pools";

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionPoolsKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
    /// Mechanism of stakes in nitro pools, and `type` of their rewards.
    pub nitro: &'static str,
}

/// Pools of one master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionMaster {
    master: Address,
    types: PositionPoolsKit,
}

impl PositionPoolsKit {
    /// Keys of a row for pools that give out NFTs for stakes, as Camelot's:
    /// - `position_master` (address): the contract that lists the pools
    /// - `nitro_factory` (address, instead of `position_master`): the factory that lists nitro pools
    /// - `nft_pool_factory` (address, needed with `nitro_factory`): the factory of the pools whose NFTs nitro pools
    ///   take
    pub const KEYS: &'static [&'static str] = &["position_master", "nitro_factory", "nft_pool_factory"];

    /// Creates a deployment of a master's pools.
    fn of(self, master: Address) -> PositionMaster {
        PositionMaster { master, types: self }
    }

    /// Creates a deployment of a factory's nitro pools, for NFTs of the other factory's pools.
    fn nitro_of(self, factory: Address, nft_pool_factory: Address) -> NitroFactory {
        NitroFactory { factory, nft_pool_factory, types: self }
    }
}

impl Kit for PositionPoolsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["position_master", "nitro_factory"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        if let Some(factory) = keys.address_opt("nitro_factory")? {
            return Ok(Some(self.nitro_of(factory, keys.address("nft_pool_factory")?).shared()));
        }
        Ok(keys.address_opt("position_master")?.map(|master| self.of(master).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<harvestPositionCall>([Role::NUMBER]),
            ClaimTemplate::new::<harvestPositionToCall>([Role::NUMBER, Role::ACCOUNT]),
            ClaimTemplate::new::<harvestCall>([]),
        ]
    }

    /// Returns the views that give a master's pools, a factory's pools, and nitro pools.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::targets::<getPoolAddressByIndexCall>(),
            Lineage::targets::<poolsCall>(),
            Lineage::targets::<getPublishedNitroPoolCall>(),
        ]
    }
}

impl DeploymentReader for PositionMaster {
    fn contracts(&self) -> Vec<Address> {
        vec![self.master]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per stake with rewards, which pays both tokens.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let stakes = self.stakes(cx, labels, account).await?;
            let rows = stakes.into_iter().map(|stake| {
                let claim = cx.claim(stake.pool.address, &harvestPositionCall { tokenId: stake.token_id });
                rows::claimable(cx, self.types.stake, labels, stake, claim)
            });
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns a position per staked NFT.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let stakes = self.stakes(cx, labels, account).await?;
            let rows = stakes.into_iter().map(|stake| rows::position(cx, self.types.stake, labels, stake));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }
}

impl PositionMaster {
    /// Returns the account's stakes, with their pools.
    async fn stakes(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<NftStake>, Error> {
        let pools = self.pools(cx, labels).await?.into_iter().enumerate();
        let counted = pools.map(|(place, address)| async move {
            Ok((place, address, owned_nfts::count(cx, address, account).await?))
        });
        let counted = join_partial(cx, counted).await.fail_if_none(cx, labels.market)?;
        let held = counted.into_iter().filter(|(.., count)| !count.is_zero());
        let stakes = held.map(|(place, address, count)| self.stakes_of(cx, labels, place, address, count, account));
        Ok(join_partial(cx, stakes).await.or_report(cx, labels.market).into_iter().flatten().collect())
    }

    /// Returns the known pools of the master.
    async fn pools(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Vec<Address>, Error> {
        let master = self.master;
        let entry = move |place| cx.call(master, getPoolAddressByIndexCall { index: U256::from(place) });
        let walk = |places: Range<u64>| cx.join(places.map(entry));
        cx.facts(labels.market, LIST, cx.call(master, poolsLengthCall {}).within(COUNT_STANDS_S), walk).await
    }

    async fn stakes_of(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        place: usize,
        address: Address,
        count: U256,
        account: Address,
    ) -> Result<Vec<NftStake>, Error> {
        let listed = cx.call(self.master, getPoolAddressByIndexCall { index: U256::from(place) });
        let numbers = owned_nfts::numbers(cx, labels.market, address, account, count);
        let (listed, pool, numbers) = cx.join((listed, NftPool::read(cx, address), numbers)).await?;
        if listed != address {
            return Err(Error::new(format!("{address}: no longer a pool of {}", self.master)));
        }
        Ok(numbers.into_iter().map(|token_id| NftStake { pool, token_id }).collect())
    }
}
