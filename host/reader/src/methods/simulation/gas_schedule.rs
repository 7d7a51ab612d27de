//! The cost of a transaction besides what its call uses: a row for each price list of calldata, and the networks that
//! do not have the newest.
//!
//! Only the program at the account's address needs it; `eth_simulateV1` reports the gas itself.

use super::{RunStep, program};

/// Prices of a transaction before its first instruction (EIP-2028), and the minimum for its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GasSchedule {
    transaction: u64,
    zero_byte: u64,
    byte: u64,
    /// Minimum for each byte of a transaction that does little but carry data (EIP-7623).
    zero_byte_floor: u64,
    byte_floor: u64,
}

const PRAGUE: GasSchedule =
    GasSchedule { transaction: 21_000, zero_byte: 4, byte: 16, zero_byte_floor: 10, byte_floor: 40 };
const CANCUN: GasSchedule = GasSchedule { zero_byte_floor: 0, byte_floor: 0, ..PRAGUE };

/// Networks without EIP-7623, by chain id: Fantom, Avalanche, Arbitrum (which charges for data by other means).
const WITHOUT_FLOOR: [u64; 3] = [250, 43_114, 42_161];

fn schedule(chain_id: u64) -> GasSchedule {
    if WITHOUT_FLOOR.contains(&chain_id) { CANCUN } else { PRAGUE }
}

/// Returns the gas of a transaction whose call used this much within the program.
pub(super) fn transaction_gas(chain_id: u64, used: u64, step: &RunStep) -> u64 {
    let prices = schedule(chain_id);
    let zeros = step.data.iter().filter(|byte| **byte == 0).count() as u64;
    let others = step.data.len() as u64 - zeros;
    let used = used.saturating_sub(program::CALL_GAS + if step.value.is_zero() { 0 } else { program::VALUE_GAS });
    let data = zeros * prices.zero_byte + others * prices.byte;
    let floor = zeros * prices.zero_byte_floor + others * prices.byte_floor;
    prices.transaction + (data + used).max(floor)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, U256, bytes};

    use super::*;

    fn step(data: Vec<u8>) -> RunStep {
        RunStep { to: Address::ZERO, value: U256::ZERO, data: data.into(), gas: 0 }
    }

    #[test]
    fn a_transaction_costs_at_least_what_its_data_does_where_the_network_has_a_floor() {
        let long = step(vec![1; 1_000]);
        assert_eq!(transaction_gas(1, 131, &long), 21_000 + 40_000);
        assert_eq!(transaction_gas(1, 131 + 30_000, &long), 21_000 + 16_000 + 30_000);
        assert_eq!(transaction_gas(250, 131, &long), 21_000 + 16_000);
        let paid = RunStep { value: U256::from(1), ..step(bytes!("00010002").to_vec()) };
        assert_eq!(transaction_gas(1, 131 + 6_700, &paid), 21_000 + 2 * 10 + 2 * 40);
    }
}
