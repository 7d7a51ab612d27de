//! The price of one whole share, as vaults quote it that do not convert amounts themselves.

use portolan_plugin_api::{Address, Error, U256};

use crate::fixed_point::whole;

/// What one whole share of a vault is worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharePrice {
    vault: Address,
    /// Smallest units of a whole share.
    pub(crate) one: U256,
    /// Smallest units of the token for it.
    pub(crate) worth: U256,
}

impl SharePrice {
    /// # Errors
    /// If no number has so many decimals.
    pub(crate) fn new(vault: Address, decimals: U256, worth: U256) -> Result<Self, Error> {
        Ok(Self { vault, one: whole(vault, decimals)?, worth })
    }

    /// Returns what an amount of shares is worth.
    ///
    /// # Errors
    /// If it overflows.
    pub(crate) fn of(&self, shares: U256) -> Result<U256, Error> {
        let Self { vault, one, worth } = self;
        let redeemed = shares.checked_mul(*worth).and_then(|product| product.checked_div(*one));
        let why = || Error::new(format!("{vault}: {shares} shares at {worth} for {one} are not a valid amount"));
        redeemed.ok_or_else(why)
    }
}
