//! Health of a trove: the collateral ratio over the minimum ratio, and the price at which they are equal.

use portolan_plugin_api::{Address, Error, Health, Price, U256};

use crate::fixed_point::{WAD, mul_div, product, too_large, whole};

/// Decimals of debts, of prices and of ratios.
const DECIMALS: u64 = 18;

/// Collateral and debt of a trove, each with its token. Both tokens have 18 decimals, so a price of whole tokens is also
/// one of smallest units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    pub(crate) collateral: (Address, U256),
    pub(crate) debt: (Address, U256),
}

impl Ratio {
    /// Returns the health at a price with 18 decimals and a minimum ratio with as many.
    ///
    /// # Errors
    /// If a value overflows, or a divisor is zero.
    pub(crate) fn health(&self, price: U256, least: U256) -> Result<Health, Error> {
        let ((base, collateral), (quote, debt)) = (self.collateral, self.debt);
        let factor = mul_div(mul_div(collateral, price, debt)?, WAD, least)?;
        let owed = mul_div(debt, least, WAD)?;
        let x128 = product(owed, U256::ONE << 128)?.checked_div(collateral).ok_or_else(too_large)?;
        let price = Price { base, quote: Some(quote), x128, rest_x192: None };
        Ok(Health { factor_wad: Some(factor), liquidation_price: Some(price) })
    }

    /// Returns the health with a collateral of other decimals. Managers scale the collateral to 18 decimals for its
    /// ratio; the price is one of smallest units.
    ///
    /// # Errors
    /// As [`Ratio::health`], and for a collateral of more than 18 decimals.
    pub(crate) fn health_scaled(&self, price: U256, least: U256, decimals: U256) -> Result<Health, Error> {
        let (token, amount) = self.collateral;
        let missing = U256::from(DECIMALS).checked_sub(decimals);
        let missing = missing.ok_or_else(|| Error::new(format!("{token}: a collateral with {decimals} decimals")))?;
        let scaled = Self { collateral: (token, product(amount, whole(token, missing)?)?), ..*self };
        let liquidation_price = self.health(price, least)?.liquidation_price;
        Ok(Health { liquidation_price, ..scaled.health(price, least)? })
    }
}
