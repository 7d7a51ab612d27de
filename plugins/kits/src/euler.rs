//! Euler v2: vaults of one token each, which lend it against shares of others, and a connector that knows which shares an
//! account has given as collateral, and which vault it borrows from.
//!
//! A deployment is a connector with the factory of its vaults; settings keys are the fields of [`EulerContracts`]. It
//! answers lending positions (debts with their health factor) of an owner's main account and its first sub-accounts.
//! Invariant: amounts have their interest until the block; a vault that cannot be read costs its own leg, and the answer
//! says so. What a sub-account holds without having given it as collateral is not looked for.

mod account;
mod contracts;
mod position;

use std::sync::Arc;

use portolan_plugin_api::{Address, Chain, Keys, Mechanism, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::kit::{Deployed, Kit, Labels};
use crate::try_each::try_each;

/// Seconds that a balance of zero may be cached: most accounts have nothing in most vaults; a first deposit shows at most
/// this much later.
const ZERO_STANDS_S: u32 = 30;

/// The plugin's words for what a deployment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EulerTypes {
    /// The mechanism of positions in vaults.
    pub account: &'static str,
    /// The mechanism of shares of vaults that lend to others.
    pub earn: &'static str,
}

/// The contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Mechanism)]
pub struct EulerContracts {
    /// The connector (EVC).
    pub evc: Address,
    /// The factory that lists the vaults.
    pub evault_factory: Address,
    /// The factory that lists vaults that lend to these (Euler Earn).
    pub earn_factory: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Euler {
    contracts: EulerContracts,
    types: EulerTypes,
}

impl EulerTypes {
    /// The deployment with these contracts.
    pub const fn of(self, contracts: EulerContracts) -> Euler {
        Euler { contracts, types: self }
    }
}

impl Kit for EulerTypes {
    fn keys(&self) -> &'static [&'static str] {
        &["evc", "evault_factory", "earn_factory"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        Ok(Some(self.of(EulerContracts::from_keys(keys)?).shared()))
    }
}

impl Deployed for Euler {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(*self)
    }

    fn contracts(&self) -> Vec<Address> {
        let EulerContracts { evc, evault_factory, earn_factory } = self.contracts;
        [Some(evc), Some(evault_factory), earn_factory].into_iter().flatten().collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Answers a position for each of the owner's accounts, and one for each vault that lends to others.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let parts: [Boxed<'a, Vec<Position>>; 2] = [
            Box::pin(position::positions(cx, self, labels, account)),
            Box::pin(position::earn_positions(cx, self, labels, account)),
        ];
        Box::pin(async move {
            let found = try_each(cx, parts).await.or_err_if_all(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}
