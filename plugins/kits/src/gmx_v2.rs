//! GMX' second version: funding fees of its markets, collateral of open positions, and shares of markets (GM) and of
//! vaults of markets (GLV).
//!
//! A deployment is one store of data, which has everything by hashed keys and does not change with the contracts around
//! it, and the router that pays; settings keys `data_store` and `exchange_router`. Answers claimables, lending and
//! pooling positions. Invariant: only what is stored is told: what an open position has gained, lost or owes since it
//! was last changed depends on prices that no contract holds.
//!
//! Source: <https://github.com/gmx-io/gmx-synthetics/tree/main/contracts>

mod funding;
mod markets;
mod perpetuals;
mod store;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Lineage, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use funding::claimFundingFeesCall;
use store::{getAddressCall, getAddressValuesAtCall};

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GmxV2Kit {
    /// Mechanism of open positions, and `type` of funding fees.
    pub perpetual: &'static str,
    /// Mechanism of shares of markets and vaults.
    pub share: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GmxV2 {
    store: Address,
    router: Address,
    types: GmxV2Kit,
}

impl GmxV2Kit {
    /// Keys of a row for GMX v2 or a fork:
    /// - `data_store` (address): the contract with all data
    /// - `exchange_router` (address): the router that pays funding fees, which a new version replaces
    pub const KEYS: &'static [&'static str] = &["data_store", "exchange_router"];
}

impl Kit for GmxV2Kit {
    fn keys(&self) -> &'static [&'static str] {
        &["data_store"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(store) = keys.address_opt("data_store")? else { return Ok(None) };
        Ok(Some(GmxV2 { store, router: keys.address("exchange_router")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let roles = [Role::array(Role::MARKET), Role::array(Role::TOKEN), Role::ACCOUNT];
        vec![ClaimTemplate::new::<claimFundingFeesCall>(roles)]
    }

    /// Returns the views that list the markets and name their tokens.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<getAddressValuesAtCall>().list(), Lineage::tokens::<getAddressCall>()]
    }
}

impl DeploymentReader for GmxV2 {
    fn contracts(&self) -> Vec<Address> {
        vec![self.store, self.router]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LENDING, Question::POOLING]
    }

    /// Returns one claim for the funding fees of all markets.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(funding::claimables(cx, self, labels, account))
    }

    /// Returns the collateral of each open position, or the shares that the account holds.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        match question {
            Question::LENDING => Box::pin(perpetuals::positions(cx, self, labels, account)),
            Question::POOLING => Box::pin(markets::positions(cx, self, labels, account)),
            _ => Box::pin(async { Err(Error::new("not one of its questions")) }),
        }
    }
}
