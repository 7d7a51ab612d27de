//! Settings rows; contracts that they omit are read from the manager of troves.

use std::sync::Arc;

use portolan_plugin_api::{Address, Error, FromKeys, JobContext, Keys, Question, Revert, SettingsError};

use super::contracts::{
    borrowerOperationsAddressCall, lqtyStakingCall, lqtyTokenCall, lusdTokenCall, priceFeedCall, stabilityPoolCall,
};
use super::{LiquityContracts, LiquityKit};
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Shared};

/// Keys of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromKeys)]
struct ManagerKeys {
    /// The manager of troves.
    trove_manager: Address,
    price_feed: Option<Address>,
    stability_pool: Option<Address>,
    debt_token: Option<Address>,
    reward_token: Option<Address>,
    staking: Option<Address>,
    surplus_pool: Option<Address>,
    borrower_operations: Option<Address>,
}

/// A deployment whose manager names contracts. They cannot change: the owner renounced its rights after setting them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedByManager {
    keys: ManagerKeys,
    types: LiquityKit,
}

impl NamedByManager {
    /// Reads a row. If it names everything that the manager does, the manager is not read.
    pub(super) fn read(keys: &Keys<'_>, types: &LiquityKit) -> Result<Arc<dyn DeploymentReader>, SettingsError> {
        let keys = ManagerKeys::from_keys(keys)?;
        if keys.surplus_pool.is_none() && keys.borrower_operations.is_some() {
            return Err(SettingsError::new("missing beside `borrower_operations`").at("surplus_pool"));
        }
        let all = (keys.price_feed, keys.stability_pool, keys.debt_token, keys.reward_token);
        let (Some(price_feed), Some(stability_pool), Some(debt_token), Some(reward_token)) = all else {
            return Ok(Self { keys, types: *types }.shared());
        };
        if keys.surplus_pool.is_some() && keys.borrower_operations.is_none() {
            return Ok(Self { keys, types: *types }.shared());
        }
        let ManagerKeys { trove_manager, staking, surplus_pool, borrower_operations, .. } = keys;
        let named = LiquityContracts {
            trove_manager,
            price_feed,
            stability_pool,
            debt_token,
            reward_token,
            staking,
            surplus_pool,
            borrower_operations,
        };
        Ok(types.of(named).shared())
    }

    /// Returns all contracts.
    async fn named(&self, cx: &JobContext) -> Result<LiquityContracts, Error> {
        let (keys, manager) = (self.keys, self.keys.trove_manager);
        let feed = cx.try_call(manager, priceFeedCall {}).immutable();
        let pool = cx.try_call(manager, stabilityPoolCall {}).immutable();
        let debt = cx.try_call(manager, lusdTokenCall {}).immutable();
        let reward = cx.try_call(manager, lqtyTokenCall {}).immutable();
        let staking = cx.try_call(manager, lqtyStakingCall {}).immutable();
        let operations = cx.try_call(manager, borrowerOperationsAddressCall {}).immutable();
        let (required, optional) =
            cx.join((cx.join((feed, pool, debt, reward)), cx.join((staking, operations)))).await?;
        let ((feed, pool, debt, reward), (staking, operations)) = (required, optional);
        let needs = |key: &str, given: Option<Address>, named: Result<Address, Revert>| {
            let missing = || Error::new(format!("{manager}: does not name what the key `{key}` can"));
            given.or_else(|| filled(named)).ok_or_else(missing)
        };
        let operations = keys.borrower_operations.or_else(|| filled(operations));
        let surplus = keys.surplus_pool.zip(operations);
        Ok(LiquityContracts {
            trove_manager: manager,
            price_feed: needs("price_feed", keys.price_feed, feed)?,
            stability_pool: needs("stability_pool", keys.stability_pool, pool)?,
            debt_token: needs("debt_token", keys.debt_token, debt)?,
            reward_token: needs("reward_token", keys.reward_token, reward)?,
            staking: keys.staking.or_else(|| filled(staking)),
            surplus_pool: surplus.map(|(pool, _)| pool),
            borrower_operations: surplus.map(|(_, operations)| operations),
        })
    }
}

fn filled(named: Result<Address, Revert>) -> Option<Address> {
    named.ok().filter(|named| !named.is_zero())
}

impl DeploymentReader for NamedByManager {
    fn contracts(&self) -> Vec<Address> {
        let ManagerKeys {
            trove_manager, price_feed, stability_pool, staking, surplus_pool, borrower_operations, ..
        } = self.keys;
        let given = [price_feed, stability_pool, staking, surplus_pool, borrower_operations];
        [trove_manager].into_iter().chain(given.into_iter().flatten()).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LENDING]
    }

    fn resolve<'a>(&'a self, cx: &'a JobContext, _: &'a str) -> Boxed<'a, Option<Arc<dyn DeploymentReader>>> {
        Box::pin(async move { Ok(Some(self.types.of(self.named(cx).await?).shared())) })
    }
}
