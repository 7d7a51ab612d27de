//! Euler v2: vaults that lend one token each against shares of others, and a connector that knows an account's
//! collaterals and the vault it borrows from.
//!
//! A deployment is a connector with the factory of its vaults; settings keys are the fields of [`EulerContracts`].
//! Answers lending positions (debts with their health factor) of an owner's main account and its first sub-accounts.
//! Invariant: amounts include interest until the block. A vault that cannot be read loses only its own leg, and the
//! answer reports it. Shares of unverified vaults are shown as shares, not as the amount they claim to be worth. Not
//! covered: holdings of a sub-account that are not collateral.

mod account;
mod contracts;
mod perspective;
mod position;

use std::sync::Arc;

use portolan_plugin_api::{Address, JobContext, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EulerKit {
    /// Mechanism of positions in vaults.
    pub account: &'static str,
    /// Mechanism of shares of vaults that lend to others.
    pub earn: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EulerContracts {
    /// Ethereum Vault Connector (EVC).
    pub evc: Address,
    /// Factory that lists the vaults.
    pub evault_factory: Address,
    /// Factory that lists vaults that lend to these (Euler Earn).
    pub earn_factory: Option<Address>,
    /// Lists of verified vaults; if empty, all vaults are trusted.
    pub perspectives: Vec<Address>,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Euler {
    contracts: EulerContracts,
    types: EulerKit,
}

impl EulerKit {
    /// Keys of a row for Euler v2 or a fork:
    /// - `evc` (address): the connector
    /// - `evault_factory` (address): the factory that lists the vaults
    /// - `earn_factory` (address, optional): the factory that lists vaults that lend to others
    /// - `perspectives` (array of addresses, optional): contracts with `isVerified`; without any, all vaults count for
    ///   what they say
    pub const KEYS: &'static [&'static str] = &["evc", "evault_factory", "earn_factory", "perspectives"];

    /// Creates a deployment of these contracts.
    fn of(self, contracts: EulerContracts) -> Euler {
        Euler { contracts, types: self }
    }
}

impl Kit for EulerKit {
    fn keys(&self) -> &'static [&'static str] {
        &["evc", "evault_factory", "earn_factory", "perspectives"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let contracts = EulerContracts {
            evc: keys.address("evc")?,
            evault_factory: keys.address("evault_factory")?,
            earn_factory: keys.address_opt("earn_factory")?,
            perspectives: keys.addresses("perspectives")?,
        };
        Ok(Some(self.of(contracts).shared()))
    }
}

impl DeploymentReader for Euler {
    fn contracts(&self) -> Vec<Address> {
        let EulerContracts { evc, evault_factory, earn_factory, perspectives } = &self.contracts;
        [*evc, *evault_factory].into_iter().chain(*earn_factory).chain(perspectives.iter().copied()).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns a position per account of the owner, and one per vault that lends to others.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let parts: [Boxed<'a, Vec<Position>>; 2] = [
            Box::pin(position::positions(cx, self, labels, account)),
            Box::pin(position::earn_positions(cx, self, labels, account)),
        ];
        Box::pin(async move {
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}
