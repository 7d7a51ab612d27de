//! Liquity v1 and its forks: troves, deposits in the stability pool, stakes of the protocol's token, collateral left over.
//!
//! Settings keys are the fields of [`LiquityContracts`]; of those that a row leaves out, the manager names most. It answers claimables, borrowed positions and staked ones.
//! Invariant: gains that one call pays are one claim, and the call moves none of the deposit: its amount is always zero.

mod contracts;
mod deposits;
mod named;
mod trove;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Error, Keys, Lineage, Position, Question, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{Deployed, Kit, Labels, ZERO_STANDS_S};
use crate::try_each::try_each;
use contracts::{
    borrowerOperationsAddressCall, claimCollateralCall, lqtyStakingCall, stabilityPoolCall, unstakeCall,
    withdrawFromSPCall,
};
use named::NamedByManager;

/// The plugin's words for what a deployment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquityTypes {
    /// The mechanism of troves, and the `type` of collateral left over.
    pub trove: &'static str,
    /// The `vaultType` of deposits in the stability pool, and the `type` of their gains.
    pub deposit: &'static str,
    /// The same of staked tokens of the protocol.
    pub stake: &'static str,
}

/// The contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquityContracts {
    /// The manager of troves.
    pub trove_manager: Address,
    /// What the manager's price of the collateral comes from.
    pub price_feed: Address,
    /// The stability pool.
    pub stability_pool: Address,
    /// The token that troves owe and that the stability pool holds.
    pub debt_token: Address,
    /// The protocol's own token, which the stability pool pays.
    pub reward_token: Address,
    /// Where the protocol's own token is staked.
    pub staking: Option<Address>,
    /// The pool of collateral that redemptions and liquidations left over.
    pub surplus_pool: Option<Address>,
    /// The contract that pays it.
    pub borrower_operations: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liquity {
    contracts: LiquityContracts,
    types: LiquityTypes,
}

impl LiquityTypes {
    /// The deployment with these contracts.
    pub const fn of(self, contracts: LiquityContracts) -> Liquity {
        Liquity { contracts, types: self }
    }
}

impl Kit for LiquityTypes {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        if keys.address_opt("trove_manager")?.is_none() {
            return Ok(None);
        }
        NamedByManager::read(keys, self).map(Some)
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<withdrawFromSPCall>([Role::constant(&U256::ZERO)]),
            ClaimTemplate::new::<unstakeCall>([Role::constant(&U256::ZERO)]),
            ClaimTemplate::new::<claimCollateralCall>([]),
        ]
    }

    /// What the manager names.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::targets::<stabilityPoolCall>(),
            Lineage::targets::<lqtyStakingCall>(),
            Lineage::targets::<borrowerOperationsAddressCall>(),
        ]
    }
}

impl Deployed for Liquity {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(*self)
    }

    fn contracts(&self) -> Vec<Address> {
        let of = &self.contracts;
        let optional = [of.staking, of.surplus_pool, of.borrower_operations].into_iter().flatten();
        [of.trove_manager, of.price_feed, of.stability_pool].into_iter().chain(optional).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LENDING]
    }

    /// Answers a claim for the gains of each deposit, and one for collateral left over.
    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        let parts: [Boxed<'a, Option<Claimable>>; 3] = [
            Box::pin(deposits::stability_gains(cx, self, labels, account)),
            Box::pin(deposits::staking_gains(cx, self, labels, account)),
            Box::pin(trove::surplus(cx, self, labels, account)),
        ];
        Box::pin(async move {
            let found = try_each(cx, parts).await.or_err_if_all(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        match question {
            Question::LENDING => Box::pin(trove::positions(cx, self, labels, account)),
            Question::FARMING => Box::pin(deposits::positions(cx, self, labels, account)),
            _ => Box::pin(async { Err(Error::new("not one of its questions")) }),
        }
    }
}
