//! Collateral and debt in Maker's `Vat`, which counts both by kind of collateral (ilk) and holder (urn).
//!
//! Invariant: a debt includes the fee until the block, since the contract that collects it is asked to do so.
//!
//! Source: <https://github.com/makerdao/dss/tree/master/src>

use portolan_plugin_api::{Address, B256, Error, Health, JobContext, Leg, LegRole, U256};

use crate::fixed_point::{RAY, WAD, mul_div, product, too_large, yearly};
use crate::kit::ZERO_STANDS_S;

portolan_plugin_api::sol! {
    // vat.sol. Collateral has 18 decimals whatever the token's, rates and prices have 27.
    function urns(bytes32 ilk, address urn) external view returns (uint256 ink, uint256 art);
    function ilks(bytes32 ilk) external view returns (uint256 Art, uint256 rate, uint256 spot, uint256 line, uint256 dust);

    // jug.sol. `ilks` is another function there: `duty` is the fee a second.
    function duties(bytes32 ilk) external view returns (uint256 duty, uint256 rho);
    function base() external view returns (uint256);
    // Collects the fee, and returns the debt per normalised unit.
    function drip(bytes32 ilk) external returns (uint256 rate);
}

/// Name of `duties` in the contract.
const DUTIES: &str = "ilks";
/// Cache time of the fee, in seconds.
const FEE_STANDS_S: u32 = 300;
/// Decimals of amounts in the vat.
const DECIMALS: u32 = 18;

/// The contracts that count collateral, debts and fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ledger {
    pub(crate) vat: Address,
    pub(crate) jug: Address,
}

/// Holder of one kind of collateral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Urn {
    pub(crate) ilk: B256,
    pub(crate) holder: Address,
}

/// Collateral and debt of an urn, both with 18 decimals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UrnBalance {
    pub(crate) collateral: U256,
    pub(crate) debt: U256,
    /// Annual fee, with 27 decimals.
    pub(crate) rate_ray: U256,
    pub(crate) health: Option<Health>,
}

/// Reads the collateral and the debt of an urn; `None` if it has neither.
pub(crate) async fn holding(cx: &JobContext, of: Ledger, urn: Urn) -> Result<Option<UrnBalance>, Error> {
    let Urn { ilk, holder } = urn;
    let held = cx.call(of.vat, urnsCall { ilk, urn: holder }).zero_within(ZERO_STANDS_S).await?;
    if held.ink.is_zero() && held.art.is_zero() {
        return Ok(None);
    }
    let duty = cx.call_as(of.jug, DUTIES, &dutiesCall { ilk }).within(FEE_STANDS_S);
    let base = cx.call(of.jug, baseCall {}).within(FEE_STANDS_S);
    let rate = cx.call(of.jug, dripCall { ilk }).isolated();
    let (spot, rate, (duty, base)) = cx.join((cx.call(of.vat, ilksCall { ilk }), rate, cx.join((duty, base)))).await?;
    let fee = duty.duty.checked_add(base).ok_or_else(too_large)?.saturating_sub(RAY);
    // Rounded up, as whoever repays all of it has to.
    let debt = product(held.art, rate)?.checked_add(RAY - U256::ONE).ok_or_else(too_large)? / RAY;
    let secured = mul_div(held.ink, spot.spot, RAY)?;
    let factor = if debt.is_zero() { None } else { Some(mul_div(secured, WAD, debt)?) };
    let health = factor.map(|factor| Health { factor_wad: Some(factor), liquidation_price: None });
    let rate_ray = yearly(fee)?;
    Ok(Some(UrnBalance { collateral: held.ink, debt, rate_ray, health }))
}

impl UrnBalance {
    /// Returns the legs: the collateral in a token of this many decimals, and the debt.
    pub(crate) fn legs(&self, collateral: (Address, U256), debt_token: Address) -> Result<[Leg; 2], Error> {
        let (token, decimals) = collateral;
        let dropped = U256::from(DECIMALS).checked_sub(decimals);
        let dropped = dropped.ok_or_else(|| Error::new(format!("{token}: a collateral with {decimals} decimals")))?;
        let amount = self.collateral / U256::from(10).pow(dropped);
        let supplied = Leg::new(LegRole::SUPPLIED, token, amount).rate_ray(U256::ZERO);
        let supplied = Leg { is_collateral: Some(true), ..supplied };
        Ok([supplied, Leg::new(LegRole::BORROWED, debt_token, self.debt).rate_ray(self.rate_ray)])
    }
}
