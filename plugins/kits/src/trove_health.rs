//! Health of a trove: the collateral ratio over the minimum ratio, and the price at which they are equal.

use portolan_plugin_api::{Address, Error, Health, Price, U256};

use crate::fixed_point::{WAD, mul_div, product, too_large};

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
}
