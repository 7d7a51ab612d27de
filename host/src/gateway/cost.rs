//! What claims cost: gas at the network's present price, the fee for a transaction's data where the network charges one,
//! and the fee that the claim itself declares; and what is left of their payments.

use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use bigdecimal::num_traits::Zero;
use portolan_reader::GasPrice;

use crate::assets::amount::decimal;
use crate::gateway::planned_claim::PlannedClaim;

/// Decimals of every native token.
const NATIVE_DECIMALS: i64 = 18;

/// The fees of a network for one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaimFees {
    pub(super) gas_price: GasPrice,
    /// Wei, for all transactions.
    pub(super) data_fee: U256,
    /// The part of it that is paid in gas, which the gas limit has to have room for.
    pub(super) data_gas: u64,
}

/// What a claim costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimCost {
    /// The gas of all transactions.
    pub(crate) gas: u64,
    pub(crate) gas_price: GasPrice,
    /// Wei, for the data of all transactions.
    pub(crate) data_fee: U256,
    /// Wei that the transactions send.
    pub(crate) value: U256,
}

impl ClaimCost {
    pub(super) fn of(claim: &PlannedClaim<'_>, fees: ClaimFees, gas: u64) -> Self {
        Self { gas, gas_price: fees.gas_price, data_fee: fees.data_fee, value: claim.fee() }
    }

    /// All of it, wei.
    pub(crate) fn native(&self) -> U256 {
        let gas = U256::from(self.gas).saturating_mul(U256::from(self.gas_price.total()));
        gas.saturating_add(self.data_fee).saturating_add(self.value)
    }

    /// The same in dollars, at the price of one whole native token.
    pub(crate) fn dollars(&self, native_usd: &BigDecimal) -> BigDecimal {
        decimal(self.native(), NATIVE_DECIMALS) * native_usd
    }
}

/// What is left of payments worth these dollars: each bears the cost in proportion, or in equal parts where all are worth
/// nothing.
pub(super) fn net(values: &[BigDecimal], cost: &BigDecimal) -> Vec<BigDecimal> {
    let total: BigDecimal = values.iter().sum();
    let count = BigDecimal::from(u64::try_from(values.len()).unwrap_or(u64::MAX));
    let share = |value: &BigDecimal| if total.is_zero() { cost / &count } else { cost * value / &total };
    values.iter().map(|value| value - share(value)).collect()
}

#[cfg(test)]
mod tests;
