//! Fluid: lending tokens of one asset each, and vaults, whose positions are NFTs of collateral and debt.
//!
//! A deployment is a factory of lending tokens, with the protocol's own resolvers for vaults; settings keys are the
//! fields of [`FluidContracts`]. Answers lending positions (debts with their health factor). Invariant: amounts are
//! those of the resolvers, with interest until the block. A position that cannot be read loses only its own row, and
//! the answer reports it. Pool shares, as collateral or debt, are shown as the pool's two tokens.

mod contracts;
mod vault;

use std::sync::Arc;

use portolan_plugin_api::{Address, Error, FromKeys, JobContext, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::erc4626;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use contracts::allTokensCall;

/// Cache time of the list of lending tokens, in seconds.
const LIST_STANDS_S: u32 = 300;
/// Ten times the lending tokens of any network.
const TOKENS_MAX: usize = 200;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FluidKit {
    /// Mechanism of lending tokens.
    pub token: &'static str,
    /// Mechanism of positions in vaults.
    pub vault: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromKeys)]
pub struct FluidContracts {
    /// The factory that lists the lending tokens.
    pub lending_factory: Address,
    /// Resolver of vaults, of the version that covers all their types.
    pub vault_resolver: Option<Address>,
    /// Resolver of pools, whose shares vaults may take.
    pub dex_resolver: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fluid {
    contracts: FluidContracts,
    types: FluidKit,
}

impl FluidKit {
    /// Keys of a row for Fluid or a fork:
    /// - `lending_factory` (address): the factory that lists the lending tokens
    /// - `vault_resolver` (address, optional): the resolver of vaults of all types
    /// - `dex_resolver` (address, optional): the resolver of pools, for vaults that take shares of them
    pub const KEYS: &'static [&'static str] = &["lending_factory", "vault_resolver", "dex_resolver"];

    /// Creates a deployment of these contracts.
    fn of(self, contracts: FluidContracts) -> Fluid {
        Fluid { contracts, types: self }
    }
}

impl Kit for FluidKit {
    fn keys(&self) -> &'static [&'static str] {
        &["lending_factory", "vault_resolver", "dex_resolver"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(Some(self.of(FluidContracts::from_keys(keys)?).shared()))
    }
}

impl DeploymentReader for Fluid {
    fn contracts(&self) -> Vec<Address> {
        let FluidContracts { lending_factory, vault_resolver, dex_resolver } = self.contracts;
        [Some(lending_factory), vault_resolver, dex_resolver].into_iter().flatten().collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns a position per lending token, and one per position in a vault.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let parts: [Boxed<'a, Vec<Position>>; 2] = [
            Box::pin(vault::positions(cx, self, labels, account)),
            Box::pin(async move {
                let tokens = self.tokens(cx).await?;
                erc4626::positions(cx, labels, self.types.token, tokens, account).await
            }),
        ];
        Box::pin(async move {
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl Fluid {
    /// Returns the lending tokens.
    async fn tokens(&self, cx: &JobContext) -> Result<Vec<Address>, Error> {
        let factory = self.contracts.lending_factory;
        let tokens = cx.call(factory, allTokensCall {}).within(LIST_STANDS_S).await?;
        if tokens.len() > TOKENS_MAX {
            return Err(Error::new(format!("{factory}: lists {} tokens, more than {TOKENS_MAX}", tokens.len())));
        }
        Ok(tokens)
    }
}
