//! Cost of claims: gas at the current price, the data fee of networks that charge one, and the fee that the claim
//! itself declares. Net values of payments after that cost.

use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use bigdecimal::num_traits::Zero;
use portolan_assets::amount::decimal;
use portolan_reader::GasPrice;

use crate::gateway::claims::planned_claim::PlannedClaim;

/// Decimals of every native token.
const NATIVE_DECIMALS: i64 = 18;

/// Fees of a network for one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gateway) struct ClaimFees {
    pub(in crate::gateway) gas_price: GasPrice,
    /// Wei, for all transactions.
    pub(in crate::gateway) data_fee: U256,
    /// The part of the data fee that is paid in gas; the gas limit must include it.
    pub(in crate::gateway) data_gas: u64,
}

/// Cost of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimCost {
    /// Gas of all transactions.
    pub(crate) gas: u64,
    pub(crate) gas_price: GasPrice,
    /// Wei, for the data of all transactions.
    pub(crate) data_fee: U256,
    /// Wei that the transactions send.
    pub(crate) value: U256,
}

impl ClaimCost {
    pub(in crate::gateway) fn of(claim: &PlannedClaim<'_>, fees: ClaimFees, gas: u64) -> Self {
        Self { gas, gas_price: fees.gas_price, data_fee: fees.data_fee, value: claim.fee() }
    }

    /// Total cost in wei.
    pub(crate) fn native(&self) -> U256 {
        let gas = U256::from(self.gas).saturating_mul(U256::from(self.gas_price.total()));
        gas.saturating_add(self.data_fee).saturating_add(self.value)
    }

    /// Total cost in dollars, at the price of one whole native token.
    pub(crate) fn dollars(&self, native_usd: &BigDecimal) -> BigDecimal {
        decimal(self.native(), NATIVE_DECIMALS) * native_usd
    }
}

/// Net values of payments with these values in dollars. Each bears the cost in proportion, or in equal parts if all
/// values are zero.
pub(in crate::gateway) fn net(values: &[BigDecimal], cost: &BigDecimal) -> Vec<BigDecimal> {
    let total: BigDecimal = values.iter().sum();
    let count = BigDecimal::from(u64::try_from(values.len()).unwrap_or(u64::MAX));
    let share = |value: &BigDecimal| if total.is_zero() { cost / &count } else { cost * value / &total };
    values.iter().map(|value| value - share(value)).collect()
}

#[cfg(test)]
mod tests;
