//! Totals of a market with interest until the block, and the assets of shares; each step is rounded as in the contract.
//!
//! Source: <https://github.com/morpho-org/morpho-blue/tree/main/src>, `Morpho.sol` (`_accrueInterest`, `_isHealthy`),
//! `libraries/MathLib.sol`, `libraries/SharesMathLib.sol`.

use portolan_plugin_api::{Address, Error, Health, Price, U256};

use super::contracts::{Market, MarketParams};
use crate::fixed_point::{WAD, mul_div, product, ray_a_year, too_large};

/// Virtual shares and assets of each market.
const VIRTUAL_SHARES: U256 = U256::from_limbs([1_000_000, 0, 0, 0]);
const VIRTUAL_ASSETS: U256 = U256::ONE;
/// Oracle prices have 36 decimals, besides those of the two tokens.
const PRICE_DECIMALS: u64 = 36;

/// Totals and rates of a market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Totals {
    supply_assets: U256,
    supply_shares: U256,
    borrow_assets: U256,
    borrow_shares: U256,
    /// Interest per second on debts.
    rate_wad: U256,
    /// Part of the interest that is kept as a fee.
    fee_wad: U256,
}

impl Totals {
    /// Returns the totals after the interest due at `now`. Shares minted for the fee are in the total, but not yet in
    /// any account's position.
    pub(super) fn accrued(market: &Market, rate_wad: U256, now: u64) -> Result<Self, Error> {
        let mut totals = Self {
            supply_assets: U256::from(market.totalSupplyAssets),
            supply_shares: U256::from(market.totalSupplyShares),
            borrow_assets: U256::from(market.totalBorrowAssets),
            borrow_shares: U256::from(market.totalBorrowShares),
            rate_wad,
            fee_wad: U256::from(market.fee),
        };
        let elapsed = U256::from(now).saturating_sub(U256::from(market.lastUpdate));
        let interest = mul_div(totals.borrow_assets, compounded(rate_wad, elapsed)?, WAD)?;
        totals.borrow_assets = sum(totals.borrow_assets, interest)?;
        totals.supply_assets = sum(totals.supply_assets, interest)?;
        let fee = mul_div(interest, totals.fee_wad, WAD)?;
        let without_fee = totals.supply_assets.saturating_sub(fee);
        let shares = sum(totals.supply_shares, VIRTUAL_SHARES)?;
        totals.supply_shares = sum(totals.supply_shares, mul_div(fee, shares, sum(without_fee, VIRTUAL_ASSETS)?)?)?;
        Ok(totals)
    }

    /// Converts supply shares to assets, rounding down.
    pub(super) fn supplied(&self, shares: U256) -> Result<U256, Error> {
        let assets = sum(self.supply_assets, VIRTUAL_ASSETS)?;
        mul_div(shares, assets, sum(self.supply_shares, VIRTUAL_SHARES)?)
    }

    /// Converts debt shares to assets, rounding up.
    pub(super) fn owed(&self, shares: U256) -> Result<U256, Error> {
        let assets = sum(self.borrow_assets, VIRTUAL_ASSETS)?;
        Ok(product(shares, assets)?.div_ceil(sum(self.borrow_shares, VIRTUAL_SHARES)?))
    }

    /// Returns the annual rate of debts.
    pub(super) fn borrow_rate_ray(&self) -> Result<U256, Error> {
        ray_a_year(self.rate_wad)
    }

    /// Returns the annual rate of deposits: the interest without the fee, shared by all deposits.
    pub(super) fn supply_rate_ray(&self) -> Result<U256, Error> {
        if self.supply_assets.is_zero() {
            return Ok(U256::ZERO);
        }
        let shared = mul_div(self.borrow_rate_ray()?, self.borrow_assets, self.supply_assets)?;
        mul_div(shared, WAD.saturating_sub(self.fee_wad), WAD)
    }
}

/// Returns the interest on one over some seconds: the first three terms of the series for continuous compounding.
fn compounded(rate_wad: U256, seconds: U256) -> Result<U256, Error> {
    let first = product(rate_wad, seconds)?;
    let second = mul_div(first, first, WAD * U256::from(2))?;
    let third = mul_div(second, first, WAD * U256::from(3))?;
    sum(sum(first, second)?, third)
}

/// Returns the borrowing power of the collateral over the debt; `price` is the oracle's.
pub(super) fn health(params: &MarketParams, collateral: U256, owed: U256, price: U256) -> Result<Health, Error> {
    let worth = mul_div(collateral, price, U256::from(10).pow(U256::from(PRICE_DECIMALS)))?;
    let secured = mul_div(worth, params.lltv, WAD)?;
    let liquidation_price = liquidation_price(params, collateral, owed);
    Ok(Health { factor_wad: Some(mul_div(secured, WAD, owed)?), liquidation_price })
}

/// Returns the price at which the collateral's borrowing power equals the debt.
fn liquidation_price(params: &MarketParams, collateral: U256, owed: U256) -> Option<Price> {
    let (base, quote): (Address, Address) = (params.collateralToken, params.loanToken);
    let ratio = owed.checked_mul(U256::ONE << 128)?.checked_div(collateral)?;
    let x128 = ratio.checked_mul(WAD)?.checked_div(params.lltv)?;
    Some(Price { base, quote: Some(quote), x128, rest_x192: None })
}

fn sum(one: U256, other: U256) -> Result<U256, Error> {
    one.checked_add(other).ok_or_else(too_large)
}
