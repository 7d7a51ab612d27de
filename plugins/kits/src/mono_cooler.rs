//! Cooler Loans of Olympus (`MonoCooler`): one collateral token against which one token is borrowed, at a rate that the
//! protocol sets and up to a debt per collateral that it raises over time.
//!
//! A deployment is that contract; settings key `mono_cooler`. Answers a lending position with the collateral, the debt,
//! its rate and the health factor. Invariant: the contract counts both sides with 18 decimals whatever the tokens have;
//! answers have the tokens' smallest units, debts rounded up.
//!
//! Source: <https://github.com/OlympusDAO/olympus-v3/blob/master/src/policies/interfaces/cooler/IMonoCooler.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, Health, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, SettingsError, U256,
    symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, product, ray_of_wad, too_large, whole};
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

portolan_plugin_api::sol! {
    function collateralToken() external view returns (address);
    function debtToken() external view returns (address);
    // A liquidation takes all of it and wipes the debt, so that without it there is none.
    function accountCollateral(address account) external view returns (uint128);
    function accountPosition(address account) external view returns (
        uint256 collateral, uint256 currentDebt, uint256 maxOriginationDebtAmount, uint256 liquidationDebtAmount,
        uint256 healthFactor, uint256 currentLtv, uint256 totalDelegated, uint256 numDelegateAddresses,
        uint256 maxDelegateAddresses
    );
    function interestRateWad() external view returns (uint96);
    // ERC-20
    function decimals() external view returns (uint256);
}

/// Cache time of the token that is borrowed, in seconds; the protocol may replace it.
const TOKEN_STANDS_S: u32 = 3_600;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonoCoolerKit {
    /// Mechanism of loans.
    pub loan: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonoCooler {
    cooler: Address,
    types: MonoCoolerKit,
}

impl MonoCoolerKit {
    /// Keys of a row for Cooler Loans or a fork:
    /// - `mono_cooler` (address): the contract of all loans
    pub const KEYS: &'static [&'static str] = &["mono_cooler"];
}

impl Kit for MonoCoolerKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("mono_cooler")?.map(|cooler| MonoCooler { cooler, types: *self }.shared()))
    }
}

impl DeploymentReader for MonoCooler {
    fn contracts(&self) -> Vec<Address> {
        vec![self.cooler]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns the account's loan, if it has given collateral.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let collateral = cx.call(self.cooler, accountCollateralCall { account }).zero_within(ZERO_STANDS_S).await?;
            if collateral == 0 {
                return Ok(Vec::new());
            }
            Ok(vec![self.position(cx, labels, account).await?])
        })
    }
}

impl MonoCooler {
    async fn position(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Position, Error> {
        let cooler = self.cooler;
        let given = cx.call(cooler, collateralTokenCall {}).immutable();
        let (loan, given) = cx.join((cx.call(cooler, accountPositionCall { account }), given)).await?;
        let collateral = async {
            let amount = in_units(cx, given, loan.collateral, U256::ZERO).await?;
            let leg = Leg::new(LegRole::SUPPLIED, given, amount).rate_ray(U256::ZERO);
            let name = format!("{} {} collateral", labels.title, symbol(given));
            Ok(Leg { is_collateral: Some(true), ..leg.named(name) })
        };
        let owes = !loan.currentDebt.is_zero();
        let debt = owes.then_some(async {
            let token = cx.call(cooler, debtTokenCall {}).within(TOKEN_STANDS_S);
            let (token, rate) = cx.join((token, cx.call(cooler, interestRateWadCall {}))).await?;
            // Rounded up.
            let amount = in_units(cx, token, loan.currentDebt, WAD - U256::from(1)).await?;
            let leg = Leg::new(LegRole::BORROWED, token, amount).rate_ray(ray_of_wad(U256::from(rate))?);
            Ok(leg.named(format!("{} {} debt", labels.title, symbol(token))))
        });
        let (collateral, debt) = cx.join((collateral, cx.join(debt.into_iter()))).await?;
        let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
        let health = owes.then_some(Health { factor_wad: Some(loan.healthFactor), liquidation_price: None });
        let position = Position::new(kind, labels.market, cooler).mechanism(self.types.loan).named(labels.title);
        Ok(Position { health, ..position.leg(collateral).legs(debt) })
    }
}

/// Converts an amount with 18 decimals to smallest units of a token, after adding what rounds it.
async fn in_units(cx: &JobContext, token: Address, wad: U256, rounding: U256) -> Result<U256, Error> {
    let decimals = cx.call(token, decimalsCall {}).await?;
    let units = product(wad, whole(token, decimals)?)?.checked_add(rounding);
    Ok(units.ok_or_else(too_large)? / WAD)
}
