//! Compound v3 (Comet): markets that lend and borrow one base token against collateral.
//!
//! A deployment is one market; settings keys `comet`, and `rewards` if a contract rewards it. Answers claimables and
//! lending positions (debts with their health factor). Invariant: interest is the market's own, until the block. A
//! collateral that cannot be read loses its own leg and the health factor, and the answer reports it.

mod contracts;
mod position;
mod rewards;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, FromKeys, JobContext, Keys, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use contracts::claimCall;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CometKit {
    /// Mechanism of positions.
    pub market: &'static str,
    /// `type` of rewards.
    pub reward: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromKeys)]
pub struct CometContracts {
    /// The market.
    pub comet: Address,
    /// Contract that rewards its suppliers and borrowers.
    pub rewards: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comet {
    contracts: CometContracts,
    types: CometKit,
}

impl CometKit {
    /// Keys of a row for a market of Compound v3 or of a fork:
    /// - `comet` (address): the market
    /// - `rewards` (address, optional): the contract that rewards its suppliers and borrowers
    pub const KEYS: &'static [&'static str] = &["comet", "rewards"];

    /// Creates a deployment of these contracts.
    fn of(self, contracts: CometContracts) -> Comet {
        Comet { contracts, types: self }
    }
}

impl Kit for CometKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        if keys.address_opt("comet")?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.of(CometContracts::from_keys(keys)?).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([Role::MARKET, Role::ACCOUNT, Role::constant(&true)]).by_anyone()]
    }
}

impl DeploymentReader for Comet {
    fn contracts(&self) -> Vec<Address> {
        [Some(self.contracts.comet), self.contracts.rewards].into_iter().flatten().collect()
    }

    fn questions(&self) -> Vec<Question> {
        let claimables = self.contracts.rewards.map(|_| Question::CLAIMABLES);
        claimables.into_iter().chain([Question::LENDING]).collect()
    }

    /// Returns the claim of the market's rewards.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(rewards::claimables(cx, self, labels, account))
    }

    /// Returns the account's position in the market.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(position::positions(cx, self, labels, account))
    }
}
