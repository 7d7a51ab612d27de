//! ether.fi's Cash: Safes that owe to one contract (`DebtManager`), and those who supply what it lends.
//!
//! A deployment is that contract; settings key `debt_manager`. Answers a lending position with what is supplied, what a
//! Safe holds as collateral, its debts, and the health factor. Invariant: a Safe keeps its collateral itself, so that
//! tokens of other accounts never count, nor do those of a Safe whose debts stand in a market of Aave. A part that cannot
//! be read loses only its own legs, and the answer reports it.
//!
//! Source: <https://github.com/etherfi-protocol/cash-v3/tree/master/src/debt-manager>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, Health, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, SettingsError, U256,
    symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div, product, yearly};
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, or_default};

portolan_plugin_api::sol! {
    struct CashAmount { address token; uint256 amount; }

    // Debts by token, and all of them: dollars with six decimals, with the interest until the block.
    function borrowingOf(address user) external view returns (CashAmount[] debts, uint256 total);
    // Smallest units of the tokens, and dollars.
    function supplierBalance(address supplier) external view returns (CashAmount[] supplies, uint256 total);
    // What a Safe holds of the tokens that count, without what a withdrawal has reserved; and dollars.
    function collateralOf(address user) external view returns (CashAmount[] collaterals, uint256 total);
    // Dollars that a Safe may owe: without the flag, before it can be liquidated.
    function getMaxBorrowAmount(address user, bool forLtv) external view returns (uint256);
    function convertUsdToCollateralToken(address collateralToken, uint256 debtUsdAmount) external view returns (uint256);
    // A part of 10^20.
    function borrowApyPerSecond(address borrowToken) external view returns (uint64);
    function etherFiDataProvider() external view returns (address);

    // EtherFiDataProvider.sol, CashModuleCore.sol
    function isEtherFiSafe(address account) external view returns (bool);
    function getCashModule() external view returns (address);
    // Earlier versions know no other place for debts, and lack it.
    function usesLendGateway(address safe) external view returns (bool);
}

/// Tokens of an account in one list.
const TOKENS_MAX: usize = 64;
/// Cache time of the module that knows where a Safe's debts stand, in seconds; the protocol may replace it.
const MODULE_STANDS_S: u32 = 3_600;
/// What a rate per second of 10^20 has to be multiplied with, to have 27 decimals.
const RAY_PER_RATE: u64 = 10_000_000;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebtManagerKit {
    /// Mechanism of positions.
    pub account: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebtManager {
    manager: Address,
    types: DebtManagerKit,
}

impl DebtManagerKit {
    /// Keys of a row for ether.fi's Cash:
    /// - `debt_manager` (address): the contract of debts
    pub const KEYS: &'static [&'static str] = &["debt_manager"];
}

impl Kit for DebtManagerKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("debt_manager")?.map(|manager| DebtManager { manager, types: *self }.shared()))
    }
}

impl DeploymentReader for DebtManager {
    fn contracts(&self) -> Vec<Address> {
        vec![self.manager]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns the account's position, if it has one.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move { Ok(self.position(cx, labels, account).await?.into_iter().collect()) })
    }
}

impl DebtManager {
    async fn position(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Option<Position>, Error> {
        let debts = cx.call(self.manager, borrowingOfCall { user: account });
        let supplies = cx.call(self.manager, supplierBalanceCall { supplier: account });
        let collaterals = async { Ok(self.collaterals(cx, account).await) };
        let (debts, supplies, collaterals) = cx.join((debts, supplies, collaterals)).await?;
        let collaterals = or_default(cx, format_args!("{}: collateral", labels.market), collaterals);
        let [owed, supplied, given] = [debts.debts, supplies.supplies, collaterals].map(|mut amounts| {
            amounts.retain(|row| !row.amount.is_zero());
            truncate(cx, labels.market, &mut amounts, "tokens", TOKENS_MAX);
            amounts
        });
        if owed.is_empty() && supplied.is_empty() && given.is_empty() {
            return Ok(None);
        }
        let kind = if owed.is_empty() { PositionKind::LENT } else { PositionKind::BORROWED };
        let supplied = supplied.into_iter().map(|CashAmount { token, amount }| {
            Leg::new(LegRole::SUPPLIED, token, amount).named(format!("{} {}", labels.title, symbol(token)))
        });
        // The Safe itself holds it; it is not lent, and earns nothing here.
        let given = given.into_iter().map(|CashAmount { token, amount }| {
            let leg = Leg::new(LegRole::SUPPLIED, token, amount).rate_ray(U256::ZERO).receipt(token);
            let name = format!("{} {} collateral", labels.title, symbol(token));
            Leg { is_collateral: Some(true), ..leg.named(name) }
        });
        let health = async { Ok(self.health(cx, account, debts.total).await) };
        let owed = async { Ok(join_partial(cx, owed.into_iter().map(|debt| self.debt(cx, labels, debt))).await) };
        let (health, owed) = cx.join((health, owed)).await?;
        let health = or_default(cx, format_args!("{}: health factor", labels.market), health);
        let position = Position::new(kind, labels.market, self.manager).mechanism(self.types.account);
        let position = position.named(labels.title).legs(supplied).legs(given);
        Ok(Some(Position { health, ..position.legs(owed.or_report(cx, labels.market)) }))
    }

    /// Returns what a Safe holds that secures debts here. Other accounts have none, whatever they hold.
    async fn collaterals(&self, cx: &JobContext, account: Address) -> Result<Vec<CashAmount>, Error> {
        let provider = cx.call(self.manager, etherFiDataProviderCall {}).immutable().await?;
        if !cx.call(provider, isEtherFiSafeCall { account }).zero_within(ZERO_STANDS_S).await? {
            return Ok(Vec::new());
        }
        let module = cx.call(provider, getCashModuleCall {}).within(MODULE_STANDS_S).await?;
        let elsewhere = cx.try_call(module, usesLendGatewayCall { safe: account }).await?;
        if elsewhere.unwrap_or(false) {
            return Ok(Vec::new());
        }
        Ok(cx.call(self.manager, collateralOfCall { user: account }).await?.collaterals)
    }

    /// Returns the leg of a debt, in the token that is owed.
    async fn debt(&self, cx: &JobContext, labels: Labels<'_>, debt: CashAmount) -> Result<Leg, Error> {
        let CashAmount { token, amount: dollars } = debt;
        let amount = convertUsdToCollateralTokenCall { collateralToken: token, debtUsdAmount: dollars };
        let rate = cx.call(self.manager, borrowApyPerSecondCall { borrowToken: token });
        let (amount, rate) = cx.join((cx.call(self.manager, amount), rate)).await?;
        let rate = product(yearly(U256::from(rate))?, U256::from(RAY_PER_RATE))?;
        let leg = Leg::new(LegRole::BORROWED, token, amount).rate_ray(rate);
        Ok(leg.named(format!("{} {} debt", labels.title, symbol(token))))
    }

    /// Returns what a Safe may owe before it can be liquidated over what it owes.
    async fn health(&self, cx: &JobContext, account: Address, owed: U256) -> Result<Option<Health>, Error> {
        if owed.is_zero() {
            return Ok(None);
        }
        let most = cx.call(self.manager, getMaxBorrowAmountCall { user: account, forLtv: false }).await?;
        Ok(Some(Health { factor_wad: Some(mul_div(most, WAD, owed)?), liquidation_price: None }))
    }
}
