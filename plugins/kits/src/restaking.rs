//! Restaked tokens: shares of strategies that one manager counts, like EigenLayer's `DelegationManager`.
//!
//! A deployment is the manager; settings keys `delegation_manager` and `strategy_manager`. Answers a farming position per
//! strategy, withdrawals that wait as locked positions, and the others as claims. Invariant: amounts are those of the
//! shares that can be withdrawn, after slashing, and not of those that were deposited.
//!
//! Source: <https://github.com/Layr-Labs/eigenlayer-contracts/tree/main/docs/core>

mod withdrawals;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, NATIVE, Position, PositionKind,
    Question, Role, SettingsError, U256, address, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // The manager.
    function getDepositedShares(address staker) external view returns (address[] strategies, uint256[] shares);
    function getWithdrawableShares(address staker, address[] strategies) external view
        returns (uint256[] withdrawableShares, uint256[] depositShares);
    function beaconChainETHStrategy() external view returns (address);

    // The manager of strategies. It returns a bool; only the word 1 is one.
    function strategyIsWhitelistedForDeposit(address strategy) external view returns (uint256);

    // A strategy.
    function underlyingToken() external view returns (address);
    function sharesToUnderlyingView(uint256 amountShares) external view returns (uint256);
}

use withdrawals::completeQueuedWithdrawalCall;

/// Stands for the ether of validators; it has no code.
const BEACON_STRATEGY: Address = address!("0xbeac0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeebeac0");

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestakingKit {
    /// Mechanism of positions, and `type` of claims.
    pub restake: &'static str,
}

/// Strategies of one manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelegationManager {
    manager: Address,
    strategy_manager: Address,
    types: RestakingKit,
}

/// An amount of the token of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Restaked {
    strategy: Address,
    token: Address,
    amount: U256,
}

impl RestakingKit {
    /// Keys of a row for restaked tokens, as EigenLayer's:
    /// - `delegation_manager` (address): the manager of delegations, which counts what can be withdrawn
    /// - `strategy_manager` (address): the manager that knows the strategies
    pub const KEYS: &'static [&'static str] = &["delegation_manager", "strategy_manager"];
}

impl Kit for RestakingKit {
    fn keys(&self) -> &'static [&'static str] {
        &["delegation_manager"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(manager) = keys.address_opt("delegation_manager")? else { return Ok(None) };
        let strategy_manager = keys.address("strategy_manager")?;
        Ok(Some(DelegationManager { manager, strategy_manager, types: *self }.shared()))
    }

    /// Returns the template of withdrawals from an operator, and that of withdrawals from none.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let template = |operator| {
            let withdrawal = Role::tuple([
                Role::ACCOUNT,
                operator,
                Role::ACCOUNT,
                Role::NUMBER,
                Role::NUMBER,
                Role::array(Role::MARKET),
                Role::array(Role::NUMBER),
            ]);
            let roles = [withdrawal, Role::array(Role::TOKEN), Role::constant(&true)];
            ClaimTemplate::new::<completeQueuedWithdrawalCall>(roles)
        };
        vec![template(Role::DELEGATE), template(Role::constant(&Address::ZERO))]
    }

    /// Returns the views that know a strategy, and the one that gives its token.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::markets::<strategyIsWhitelistedForDepositCall>().argument(0),
            Lineage::markets::<beaconChainETHStrategyCall>(),
            Lineage::tokens::<underlyingTokenCall>().of_given(),
        ]
    }
}

impl DeploymentReader for DelegationManager {
    fn contracts(&self) -> Vec<Address> {
        vec![self.manager, self.strategy_manager]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim per withdrawal that can be completed.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(withdrawals::claimables(cx, self, labels, account))
    }

    /// Returns a position per strategy, or the waiting withdrawals.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if question == Question::LOCKED {
                return withdrawals::positions(cx, self, labels, account).await;
            }
            self.deposits(cx, labels, account).await
        })
    }
}

impl DelegationManager {
    async fn deposits(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Position>, Error> {
        let strategies = cx.call(self.manager, getDepositedSharesCall { staker: account }).await?.strategies;
        if strategies.is_empty() {
            return Ok(Vec::new());
        }
        let shares = getWithdrawableSharesCall { staker: account, strategies: strategies.clone() };
        let shares = cx.call(self.manager, shares).await?.withdrawableShares;
        if shares.len() != strategies.len() {
            return Err(Error::new(format!("{}: not an amount for each strategy", self.manager)));
        }
        let parts = strategies.into_iter().zip(shares).filter(|(_, shares)| !shares.is_zero());
        let rows =
            parts.map(async |(strategy, shares)| Ok(self.position(labels, value_of(cx, strategy, shares).await?)));
        join_partial(cx, rows).await.fail_if_none(cx, labels.market)
    }

    fn position(&self, labels: Labels<'_>, of: Restaked) -> Position {
        let contract = if of.strategy == BEACON_STRATEGY { self.manager } else { of.strategy };
        let row = Position::new(PositionKind::STAKED, labels.market, contract).mechanism(self.types.restake);
        row.named(name(labels, &[of])).leg(Leg::new(LegRole::STAKED, of.token, of.amount))
    }
}

/// Returns what shares of a strategy are worth. Those of the beacon chain are counted in ether.
async fn value_of(cx: &JobContext, strategy: Address, shares: U256) -> Result<Restaked, Error> {
    if strategy == BEACON_STRATEGY {
        return Ok(Restaked { strategy, token: NATIVE, amount: shares });
    }
    let token = cx.call(strategy, underlyingTokenCall {}).immutable();
    let amount = cx.call(strategy, sharesToUnderlyingViewCall { amountShares: shares });
    let (token, amount) = cx.join((token, amount)).await?;
    Ok(Restaked { strategy, token, amount })
}

/// Returns the name of amounts: that of one token has its symbol.
fn name(labels: Labels<'_>, of: &[Restaked]) -> String {
    match of {
        [one] if one.token != NATIVE => format!("{} {}", labels.title, symbol(one.token)),
        [_] => format!("{} ether", labels.title),
        _ => labels.title.to_owned(),
    }
}
