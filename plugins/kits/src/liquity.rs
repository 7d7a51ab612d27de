//! Liquity v1 and its forks: troves, deposits in the stability pool, stakes of the protocol's token, surplus
//! collateral.
//!
//! Settings keys are the fields of [`LiquityContracts`]; the manager names most of those that a row omits. Answers
//! claimables, borrowed positions and staked ones. Invariant: gains paid by one call are one claim, and the call moves
//! none of the deposit: its amount is always zero.

mod contracts;
mod deposits;
mod named;
mod trove;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Lineage, Position, Question, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, ZERO_STANDS_S};
use crate::partial::join_partial;
use contracts::{
    borrowerOperationsAddressCall, claimCollateralCall, lqtyStakingCall, stabilityPoolCall, unstakeCall,
    withdrawFromSPCall,
};
use named::NamedByManager;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquityKit {
    /// Mechanism of troves, and `type` of surplus collateral.
    pub trove: &'static str,
    /// `vaultType` of deposits in the stability pool, and `type` of their gains.
    pub deposit: &'static str,
    /// `vaultType` of stakes of the protocol's token, and `type` of their gains.
    pub stake: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquityContracts {
    /// Manager of troves.
    pub trove_manager: Address,
    /// Source of the manager's price of the collateral.
    pub price_feed: Address,
    /// Stability pool.
    pub stability_pool: Address,
    /// Token that troves owe and that the stability pool holds.
    pub debt_token: Address,
    /// The protocol's own token, which the stability pool pays.
    pub reward_token: Address,
    /// Staking contract of the protocol's token.
    pub staking: Option<Address>,
    /// Pool of surplus collateral of redemptions and liquidations.
    pub surplus_pool: Option<Address>,
    /// Contract that pays the surplus.
    pub borrower_operations: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liquity {
    contracts: LiquityContracts,
    types: LiquityKit,
}

impl LiquityKit {
    /// Keys of a row for Liquity v1 or a fork:
    /// - `trove_manager` (address): the manager of troves
    /// - `price_feed`, `stability_pool` (addresses, optional): if missing, the manager names them: `priceFeed`,
    ///   `stabilityPool`
    /// - `debt_token`, `reward_token` (addresses, optional): the token that troves owe, and the protocol's own token;
    ///   if missing, the manager names them: `lusdToken`, `lqtyToken`
    /// - `staking` (address, optional): the contract in which the protocol's own token is staked; if missing, the
    ///   manager names it, if it has the view `lqtyStaking`. A row with the four keys before, and without this one, has
    ///   no staking
    /// - `surplus_pool` (address, optional): the pool of surplus collateral, which no contract names; without it,
    ///   answers have none
    /// - `borrower_operations` (address, optional, needs `surplus_pool`): the contract that pays surplus collateral; if
    ///   missing, the manager names it: `borrowerOperationsAddress`
    pub const KEYS: &'static [&'static str] = &[
        "trove_manager",
        "price_feed",
        "stability_pool",
        "debt_token",
        "reward_token",
        "staking",
        "surplus_pool",
        "borrower_operations",
    ];

    /// Creates a deployment of these contracts.
    fn of(self, contracts: LiquityContracts) -> Liquity {
        Liquity { contracts, types: self }
    }
}

impl Kit for LiquityKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
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

    /// Returns the views of the manager that give claim targets.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::targets::<stabilityPoolCall>(),
            Lineage::targets::<lqtyStakingCall>(),
            Lineage::targets::<borrowerOperationsAddressCall>(),
        ]
    }
}

impl DeploymentReader for Liquity {
    fn contracts(&self) -> Vec<Address> {
        let of = &self.contracts;
        let optional = [of.staking, of.surplus_pool, of.borrower_operations].into_iter().flatten();
        [of.trove_manager, of.price_feed, of.stability_pool].into_iter().chain(optional).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LENDING]
    }

    /// Returns a claim per deposit with gains, and one for surplus collateral.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        let parts: [Boxed<'a, Option<Claimable>>; 3] = [
            Box::pin(deposits::stability_gains(cx, self, labels, account)),
            Box::pin(deposits::staking_gains(cx, self, labels, account)),
            Box::pin(trove::surplus(cx, self, labels, account)),
        ];
        Box::pin(async move {
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
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
