//! Forks of Prisma with a trove manager for each collateral (River, once Satoshi): troves with their health, deposits
//! in one stability pool that gains several collaterals, collateral left over.
//!
//! A deployment is the factory that lists the managers; settings keys are the fields of [`TroveFactory`]. Answers
//! claimables, borrowed positions and staked ones. Invariant: debts include interest until the block, and claims move
//! none of a deposit. A manager that cannot be read loses only its own rows, and the answer reports it. The protocol's
//! own token, which troves and deposits may earn, is not told.
//!
//! Source: <https://github.com/Satoshi-Protocol/satoshi-v2/tree/main/src/core>

mod deposits;
mod troves;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, FromKeys, JobContext, Keys, Lineage, Position, Question, Role,
    SettingsError, U256,
};

use crate::bounds::answered;
use crate::boxed::Boxed;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // facets/FactoryFacet.sol; its owner may take a manager off the list once nobody owes to it.
    function troveManagerCount() external view returns (uint256);
    function troveManagers(uint256 index) external view returns (address);

    // TroveManager.sol: includes pending redistributions and interest; all zero without a trove.
    function getEntireDebtAndColl(address borrower) external view
        returns (uint256 debt, uint256 coll, uint256 pendingDebtReward, uint256 pendingCollateralReward);
    function collateralToken() external view returns (address);
    function debtToken() external view returns (address);
    function decimals() external view returns (uint8);
    // A part of 10^27 a second.
    function interestRate() external view returns (uint256);
    function MCR() external view returns (uint256);
    // Of a whole token, with 18 decimals. It stores the price that it returns.
    function fetchPrice() external returns (uint256);
    function surplusBalances(address borrower) external view returns (uint256);
    function claimCollateral(address receiver) external;

    // facets/StabilityPoolFacet.sol
    function accountDeposits(address depositor) external view returns (uint128 amount, uint128 timestamp);
    function getCompoundedDebtDeposit(address depositor) external view returns (uint256);
    function getTotalDebtTokenDeposits() external view returns (uint256);
    // In the order of the collaterals, also those that an earlier deposit gained.
    function getDepositorCollateralGain(address depositor) external view returns (uint256[] memory gains);
    // What the depositor gained of one until the deposit last moved.
    function collateralGainsByDepositor(address depositor, uint256 index) external view returns (uint80);
    function collateralTokens(uint256 index) external view returns (address);
    function claimCollateralGains(address recipient, uint256[] calldata collateralIndexes) external;
}

/// Managers of one factory that are answered: three times those of River's largest.
const MANAGERS_MAX: u64 = 32;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TroveManagersKit {
    /// Mechanism of troves, and `type` of collateral left over.
    pub trove: &'static str,
    /// `vaultType` of deposits in the stability pool, and `type` of their gains.
    pub deposit: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromKeys)]
pub struct TroveFactory {
    /// The contract that lists the managers of troves.
    pub trove_factory: Address,
    /// The stability pool; without it, answers have no deposits.
    pub stability_pool: Option<Address>,
}

/// A deployment as its settings row names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TroveManagers {
    contracts: TroveFactory,
    types: TroveManagersKit,
}

/// A deployment with its managers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ListedManagers {
    contracts: TroveFactory,
    managers: Vec<Address>,
    types: TroveManagersKit,
}

impl TroveManagersKit {
    /// Keys of a row for River or a fork of Prisma that lists its managers alike:
    /// - `trove_factory` (address): the contract that lists the managers of troves
    /// - `stability_pool` (address, optional): the stability pool, which may be the same contract; without it, answers
    ///   have no deposits
    pub const KEYS: &'static [&'static str] = &["trove_factory", "stability_pool"];
}

impl Kit for TroveManagersKit {
    fn keys(&self) -> &'static [&'static str] {
        &["trove_factory"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(Some(TroveManagers { contracts: TroveFactory::from_keys(keys)?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<claimCollateralCall>([Role::ACCOUNT]),
            ClaimTemplate::new::<claimCollateralGainsCall>([Role::ACCOUNT, Role::array(Role::NUMBER)]),
        ]
    }

    /// Returns the view of the factory that gives claim targets.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<troveManagersCall>()]
    }
}

impl TroveFactory {
    fn contracts(self) -> Vec<Address> {
        let pool = self.stability_pool.filter(|pool| *pool != self.trove_factory);
        [self.trove_factory].into_iter().chain(pool).collect()
    }

    fn questions(self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LENDING]
    }
}

impl DeploymentReader for TroveManagers {
    fn contracts(&self) -> Vec<Address> {
        self.contracts.contracts()
    }

    fn questions(&self) -> Vec<Question> {
        self.contracts.questions()
    }

    fn resolve<'a>(&'a self, cx: &'a JobContext, market: &'a str) -> Boxed<'a, Option<Arc<dyn DeploymentReader>>> {
        Box::pin(async move {
            let factory = self.contracts.trove_factory;
            let count = cx.call(factory, troveManagerCountCall {}).within(COUNT_STANDS_S).await?;
            let count = answered(cx, format_args!("{market}: {factory}"), count, "managers", MANAGERS_MAX);
            let managers = (0..count).map(|index| troveManagersCall { index: U256::from(index) });
            let managers = cx.join(managers.map(|call| cx.call(factory, call).within(COUNT_STANDS_S))).await?;
            let TroveManagers { contracts, types } = *self;
            Ok(Some(ListedManagers { contracts, managers, types }.shared()))
        })
    }
}

impl DeploymentReader for ListedManagers {
    fn contracts(&self) -> Vec<Address> {
        self.contracts.contracts()
    }

    fn questions(&self) -> Vec<Question> {
        self.contracts.questions()
    }

    /// Returns a claim per manager that has collateral left over, and one for all gains of the deposit.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        let parts: [Boxed<'a, Vec<Claimable>>; 2] = [
            Box::pin(troves::left_over(cx, self, labels, account)),
            Box::pin(deposits::gains(cx, self, labels, account)),
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
            Question::LENDING => Box::pin(troves::positions(cx, self, labels, account)),
            Question::FARMING => Box::pin(deposits::positions(cx, self, labels, account)),
            _ => Box::pin(async { Err(Error::new("not one of its questions")) }),
        }
    }
}
