//! Fluid: tokens that lend one asset each, and vaults, whose positions are NFTs of collateral and debt.
//!
//! A deployment is what one factory of lending tokens lists, and what the protocol's own resolvers tell of vaults; settings
//! keys are the fields of [`FluidContracts`]. It answers lending positions (debts with their health factor). Invariant:
//! amounts are those of the resolvers, with interest until the block; a position that cannot be read costs its own row,
//! and the answer says so. Shares of a pool, as collateral or as debt, are told as the pool's two tokens.

mod contracts;
mod vault;

use std::sync::Arc;

use portolan_plugin_api::{Address, Chain, Error, Keys, Mechanism, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::erc4626;
use crate::kit::{Deployed, Kit, Labels, ZERO_STANDS_S};
use crate::try_each::try_each;
use contracts::allTokensCall;

/// Seconds that the list of lending tokens may be cached.
const LIST_STANDS_S: u32 = 300;
/// More lending tokens than any network has, ten times over.
const TOKENS_MAX: usize = 200;

/// The plugin's words for what a deployment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FluidTypes {
    /// The mechanism of lending tokens.
    pub token: &'static str,
    /// The mechanism of positions in vaults.
    pub vault: &'static str,
}

/// The contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Mechanism)]
pub struct FluidContracts {
    /// The factory that lists the lending tokens.
    pub lending_factory: Address,
    /// The resolver of vaults, of the version that tells all types of them.
    pub vault_resolver: Option<Address>,
    /// The resolver of pools, which vaults may take shares of.
    pub dex_resolver: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fluid {
    contracts: FluidContracts,
    types: FluidTypes,
}

impl FluidTypes {
    /// The deployment with these contracts.
    pub const fn of(self, contracts: FluidContracts) -> Fluid {
        Fluid { contracts, types: self }
    }
}

impl Kit for FluidTypes {
    fn keys(&self) -> &'static [&'static str] {
        &["lending_factory", "vault_resolver", "dex_resolver"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        Ok(Some(self.of(FluidContracts::from_keys(keys)?).shared()))
    }
}

impl Deployed for Fluid {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(*self)
    }

    fn contracts(&self) -> Vec<Address> {
        let FluidContracts { lending_factory, vault_resolver, dex_resolver } = self.contracts;
        [Some(lending_factory), vault_resolver, dex_resolver].into_iter().flatten().collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Answers a position for each lending token, and one for each position in a vault.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
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
            let found = try_each(cx, parts).await.or_err_if_all(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl Fluid {
    /// The lending tokens.
    async fn tokens(&self, cx: &Chain) -> Result<Vec<Address>, Error> {
        let factory = self.contracts.lending_factory;
        let tokens = cx.call(factory, allTokensCall {}).within(LIST_STANDS_S).await?;
        if tokens.len() > TOKENS_MAX {
            return Err(Error::new(format!("{factory}: lists {} tokens, more than {TOKENS_MAX}", tokens.len())));
        }
        Ok(tokens)
    }
}
