//! Liquity v2 and its forks: for each collateral, troves that are NFTs, deposits in a stability pool, surplus collateral.
//!
//! A deployment is the registry that lists the collaterals; settings keys `collateral_registry`, `price_feeds`,
//! `surplus_pools`. Answers claimables, borrowed positions and staked ones. Invariant: the claim of a deposit's gains
//! withdraws none of the deposit: its amount is always zero. A collateral that cannot be read loses only its own rows,
//! and the answer reports it.

mod branches;
mod contracts;
mod deposits;
mod troves;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Lineage, Position, Question, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use branches::Branch;
use contracts::{
    borrowerOperationsCall, claimAllCollGainsCall, claimCollateralCall, getTroveManagerCall, stabilityPoolCall,
    withdrawFromSPCall,
};

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquityV2Kit {
    /// Mechanism of troves, and `type` of surplus collateral.
    pub trove: &'static str,
    /// `vaultType` of deposits in stability pools, and `type` of their gains.
    pub deposit: &'static str,
}

/// Contracts of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RegistryKeys {
    registry: Address,
    price_feeds: Vec<Address>,
    surplus_pools: Vec<Address>,
}

/// A deployment as its settings row names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiquityV2 {
    keys: RegistryKeys,
    types: LiquityV2Kit,
}

/// A deployment with its collaterals.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Branches {
    registry: Address,
    debt_token: Address,
    branches: Vec<Branch>,
    types: LiquityV2Kit,
}

impl LiquityV2Kit {
    /// Keys of a row for Liquity v2 or a fork:
    /// - `collateral_registry` (address): the contract that lists the collaterals with their managers of troves
    /// - `price_feeds` (array of addresses, optional): the sources of prices, in the order of the registry; without it,
    ///   troves have no health factor
    /// - `surplus_pools` (array of addresses, optional): the pools of surplus collateral, in the order of the registry;
    ///   without it, answers have none
    pub const KEYS: &'static [&'static str] = &["collateral_registry", "price_feeds", "surplus_pools"];
}

impl Kit for LiquityV2Kit {
    fn keys(&self) -> &'static [&'static str] {
        &["collateral_registry"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(registry) = keys.address_opt("collateral_registry")? else { return Ok(None) };
        let (price_feeds, surplus_pools) = (keys.addresses("price_feeds")?, keys.addresses("surplus_pools")?);
        let keys = RegistryKeys { registry, price_feeds, surplus_pools };
        Ok(Some(LiquityV2 { keys, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<withdrawFromSPCall>([Role::constant(&U256::ZERO), Role::NUMBER]),
            ClaimTemplate::new::<claimAllCollGainsCall>([]),
            ClaimTemplate::new::<claimCollateralCall>([]),
        ]
    }

    /// Returns the views that name the stability pools and the contracts that pay surplus collateral.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::markets::<getTroveManagerCall>(),
            Lineage::targets::<stabilityPoolCall>().of_given(),
            Lineage::targets::<borrowerOperationsCall>().of_given(),
        ]
    }
}

/// Questions that a deployment answers.
fn questions() -> Vec<Question> {
    vec![Question::CLAIMABLES, Question::FARMING, Question::LENDING]
}

impl DeploymentReader for LiquityV2 {
    fn contracts(&self) -> Vec<Address> {
        let RegistryKeys { registry, price_feeds, surplus_pools } = &self.keys;
        [registry].into_iter().chain(price_feeds).chain(surplus_pools).copied().collect()
    }

    fn questions(&self) -> Vec<Question> {
        questions()
    }

    fn resolve<'a>(&'a self, cx: &'a JobContext, market: &'a str) -> Boxed<'a, Option<Arc<dyn DeploymentReader>>> {
        Box::pin(async move { Ok(Some(branches::read(cx, self, market).await?.shared())) })
    }
}

impl DeploymentReader for Branches {
    fn contracts(&self) -> Vec<Address> {
        vec![self.registry]
    }

    fn questions(&self) -> Vec<Question> {
        questions()
    }

    /// Returns a claim per deposit with gains, and one per collateral that is left over.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let parts = self.branches.iter().flat_map(|branch| {
                let parts: [Boxed<'_, Option<Claimable>>; 2] = [
                    Box::pin(deposits::gains(cx, self, branch, labels, account)),
                    Box::pin(troves::surplus(cx, self, branch, labels, account)),
                ];
                parts
            });
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    /// Returns a position per trove, or per deposit.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let parts = self.branches.iter().map(|branch| -> Boxed<'_, Vec<Position>> {
                match question {
                    Question::LENDING => Box::pin(troves::positions(cx, self, branch, labels, account)),
                    Question::FARMING => Box::pin(deposits::positions(cx, self, branch, labels, account)),
                    _ => Box::pin(async { Err(Error::new("not one of its questions")) }),
                }
            });
            Ok(join_partial(cx, parts).await.fail_if_none(cx, labels.market)?.concat())
        })
    }
}
