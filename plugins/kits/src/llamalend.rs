//! Curve's lending: controllers lend a token against another one, which an exchange sells band by band as its price
//! falls. Controllers of crvUSD mint what they lend; those of LlamaLend lend from a vault.
//!
//! A deployment is one factory; settings key `crvusd_factory`, `lending_factory` or `market_factory`. Answers lending
//! positions: debts with their collateral, and deposits in vaults. Invariant: debts include interest until the block. A
//! failing market loses only its own rows, and the answer reports it.

mod contracts;
mod loans;
mod vaults;

use std::sync::Arc;

use portolan_plugin_api::{Address, Error, JobContext, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlamaLendKit {
    /// Mechanism of loans.
    pub loan: &'static str,
    /// Mechanism of deposits.
    pub vault: &'static str,
}

/// Factory that lists the markets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarketFactory {
    /// Factory of crvUSD's controllers.
    CrvUsd(Address),
    /// Factory of LlamaLend's markets, each with a controller and a vault.
    Lending(Address),
    /// Factory of LlamaLend's second version, which lists markets alone.
    Markets(Address),
}

impl MarketFactory {
    fn address(self) -> Address {
        let (Self::CrvUsd(factory) | Self::Lending(factory) | Self::Markets(factory)) = self;
        factory
    }
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlamaLend {
    factory: MarketFactory,
    types: LlamaLendKit,
}

impl LlamaLendKit {
    /// Keys of a row for loans of crvUSD, of LlamaLend or of a fork of them:
    /// - `crvusd_factory` (address): a factory like crvUSD's
    /// - `lending_factory` (address, instead of `crvusd_factory`): a factory like LlamaLend's
    /// - `market_factory` (address, instead of `crvusd_factory`): a factory like that of LlamaLend's second version
    pub const KEYS: &'static [&'static str] = &["crvusd_factory", "lending_factory", "market_factory"];

    /// Creates a deployment of a factory's markets.
    fn of(self, factory: MarketFactory) -> LlamaLend {
        LlamaLend { factory, types: self }
    }
}

impl Kit for LlamaLendKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let crvusd = keys.address_opt("crvusd_factory")?.map(MarketFactory::CrvUsd);
        let lending = keys.address_opt("lending_factory")?.map(MarketFactory::Lending);
        let markets = keys.address_opt("market_factory")?.map(MarketFactory::Markets);
        let named = [("crvusd_factory", crvusd), ("lending_factory", lending), ("market_factory", markets)];
        let mut named = named.into_iter().filter_map(|(key, factory)| Some((key, factory?)));
        let Some((first, factory)) = named.next() else { return Ok(None) };
        if let Some((second, _)) = named.next() {
            return Err(SettingsError::new(format!("stands beside `{first}`; give one of them")).at(second));
        }
        Ok(Some(self.of(factory).shared()))
    }
}

impl DeploymentReader for LlamaLend {
    fn contracts(&self) -> Vec<Address> {
        vec![self.factory.address()]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let mut parts: Vec<Boxed<'a, Vec<Position>>> = vec![Box::pin(loans::positions(cx, self, labels, account))];
        if !matches!(self.factory, MarketFactory::CrvUsd(_)) {
            parts.push(Box::pin(vaults::positions(cx, self, labels, account)));
        }
        Box::pin(async move {
            let found: Result<Vec<_>, Error> = join_partial(cx, parts).await.fail_if_none(cx, labels.market);
            Ok(found?.into_iter().flatten().collect())
        })
    }
}
