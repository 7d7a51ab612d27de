//! Compound v3 (Comet): markets of one base token, which is lent and borrowed, and of the collateral that secures debts.
//!
//! A deployment is one market; settings keys `comet`, and `rewards` where a contract rewards it. It answers claimables and
//! lending positions (debts with their health factor). Invariant: interest is the market's own, until the block; a
//! collateral that cannot be read costs its own leg and the health factor, and the answer says so.

mod contracts;
mod position;
mod rewards;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Keys, Mechanism, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{Deployed, Kit, Labels, ZERO_STANDS_S};
use contracts::claimCall;

/// The plugin's words for what a deployment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CometTypes {
    /// The mechanism of positions.
    pub market: &'static str,
    /// The `type` of rewards.
    pub reward: &'static str,
}

/// The contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Mechanism)]
pub struct CometContracts {
    /// The market.
    pub comet: Address,
    /// What rewards its suppliers and borrowers.
    pub rewards: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comet {
    contracts: CometContracts,
    types: CometTypes,
}

impl CometTypes {
    /// The deployment with these contracts.
    pub const fn of(self, contracts: CometContracts) -> Comet {
        Comet { contracts, types: self }
    }
}

impl Kit for CometTypes {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        if keys.address_opt("comet")?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.of(CometContracts::from_keys(keys)?).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([Role::MARKET, Role::ACCOUNT, Role::constant(&true)]).by_anyone()]
    }
}

impl Deployed for Comet {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(*self)
    }

    fn contracts(&self) -> Vec<Address> {
        [Some(self.contracts.comet), self.contracts.rewards].into_iter().flatten().collect()
    }

    fn questions(&self) -> Vec<Question> {
        let claimables = self.contracts.rewards.map(|_| Question::CLAIMABLES);
        claimables.into_iter().chain([Question::LENDING]).collect()
    }

    /// Answers what the market's rewards owe.
    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(rewards::claimables(cx, self, labels, account))
    }

    /// Answers the account's one position in the market.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(position::positions(cx, self, labels, account))
    }
}
