//! Gas limits for sending claims: the gas used in simulation plus a margin.
//!
//! Invariant: no limit exceeds what the network allows to a transaction. A limit depends only on the gas that the
//! claim used. It is remembered for the next simulation, which then runs with the limit that the claim is sent with.

use std::hash::{BuildHasher as _, RandomState};

use alloy::primitives::Address;
use portolan_networks::{BSC, ETHEREUM, GNOSIS, POLYGON};
use portolan_reader::{RunStep, StepEnd, TRANSACTION_GAS_MAX};
use quick_cache::sync::Cache;

/// Networks with EIP-7825.
const BOUNDED: [u64; 4] = [ETHEREUM, BSC, GNOSIS, POLYGON];
/// Maximum on other networks: what nodes allow for a simulation, minus the rest of the request.
const UNBOUNDED_GAS_MAX: u32 = 40_000_000;

/// Gas limit of a claim's first simulation: many times what claims need.
const FIRST_GAS: u32 = TRANSACTION_GAS_MAX;

/// Percentage added to the gas used. A call keeps back 1/64 of its gas, so nested calls need more than they use; and
/// more rewards may be due by the time the claim is sent.
const MARGIN_PERCENT: u64 = 25;
/// Gas of two storage slots that become nonzero in the meantime.
const MARGIN_GAS: u64 = 40_000;
/// Significant bits of a limit: steps of at most an eighth.
const LIMIT_BITS: u32 = 4;

/// Maximum number of remembered limits, 24 bytes each.
const KNOWN_MAX: usize = 50_000;

/// Limits of simulated transactions, by a hash of chain, sender, contract, value and data. A forgotten entry or a hash
/// collision costs a request, but never makes an answer wrong.
#[derive(Debug)]
pub(in crate::gateway) struct GasLimits {
    /// Limit, and the block after which it is used: at one block a claim is simulated the same way for every request.
    limits: Cache<u64, (u32, u64)>,
    hasher: RandomState,
}

impl Default for GasLimits {
    fn default() -> Self {
        Self { limits: Cache::new(KNOWN_MAX), hasher: RandomState::new() }
    }
}

impl GasLimits {
    /// Returns the limit to simulate a transaction with.
    pub(in crate::gateway) fn of(&self, chain_id: u64, block: u64, from: Address, step: &RunStep) -> u32 {
        let known = self.limits.get(&self.key(chain_id, from, step)).filter(|(_, after)| block > *after);
        known.map_or(FIRST_GAS, |(limit, _)| limit)
    }

    /// Remembers the limit of a transaction that was simulated at this block.
    pub(in crate::gateway) fn learn(&self, chain_id: u64, block: u64, from: Address, step: &RunStep, limit: u32) {
        let key = self.key(chain_id, from, step);
        if self.limits.get(&key).is_none_or(|(known, _)| known != limit) {
            self.limits.insert(key, (limit, block));
        }
    }

    fn key(&self, chain_id: u64, from: Address, step: &RunStep) -> u64 {
        self.hasher.hash_one((chain_id, from, step.to, step.value, &step.data))
    }
}

/// Maximum gas of one transaction on a network.
pub(in crate::gateway) fn gas_max(chain_id: u64) -> u32 {
    if BOUNDED.contains(&chain_id) { TRANSACTION_GAS_MAX } else { UNBOUNDED_GAS_MAX }
}

/// Maximum gas of each transaction if this number of them is simulated in sequence.
pub(in crate::gateway) fn gas_max_of_each(transactions: usize) -> u32 {
    UNBOUNDED_GAS_MAX / u32::try_from(transactions.max(1)).unwrap_or(u32::MAX)
}

/// Returns the gas limit of a transaction from its simulation; `None` if the method does not report the gas used.
pub(in crate::gateway) fn gas_limit(chain_id: u64, end: &StepEnd) -> Option<u32> {
    let used = end.gas_before_refunds?;
    let needed = used.saturating_add(used / 100 * MARGIN_PERCENT).saturating_add(MARGIN_GAS);
    let limit = round_up(u32::try_from(needed).unwrap_or(u32::MAX)).min(gas_max(chain_id));
    // The block may have had no room for more than the limit that was tried and sufficed.
    Some(end.gas_limit.filter(|tried| *tried >= FIRST_GAS).map_or(limit, |tried| limit.min(tried)))
}

/// Returns true if a transaction may have run out of gas.
pub(in crate::gateway) fn ran_out(end: &StepEnd) -> bool {
    let (Some(used), Some(limit)) = (end.gas, end.gas_limit) else { return false };
    end.reverted.is_some() && used >= u64::from(limit) / 64 * 63
}

fn round_up(gas: u32) -> u32 {
    let step = 1_u32 << (u32::BITS - gas.leading_zeros()).saturating_sub(LIMIT_BITS);
    gas.checked_next_multiple_of(step).unwrap_or(gas)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::*;

    fn end(used: u64, limit: u32) -> StepEnd {
        StepEnd { gas: Some(used), gas_before_refunds: Some(used), gas_limit: Some(limit), reverted: None }
    }

    #[test]
    fn a_limit_is_what_was_used_with_a_margin_in_steps_of_an_eighth() {
        // 125,000 plus 40,000 is 165,000, and 2^17 has steps of 16,384.
        assert_eq!(gas_limit(ETHEREUM, &end(100_000, FIRST_GAS)), Some(11 * 16_384));
        assert_eq!((round_up(0), round_up(15), round_up(17), round_up(u32::MAX)), (0, 15, 18, u32::MAX));
        assert_eq!(gas_limit(ETHEREUM, &StepEnd { gas_before_refunds: None, ..end(1, 1) }), None);
    }

    #[test]
    fn a_limit_does_not_depend_on_the_one_that_was_tried() {
        for tried in [170_000, 180_224, 300_000, FIRST_GAS] {
            assert_eq!(gas_limit(ETHEREUM, &end(100_000, tried)), gas_limit(ETHEREUM, &end(100_000, FIRST_GAS)));
        }
    }

    #[test]
    fn the_limit_of_a_transaction_is_known_for_that_transaction_alone() {
        let limits = GasLimits::default();
        let step = RunStep { to: Address::ZERO, value: U256::ZERO, data: vec![1].into(), gas: 0 };
        let other = RunStep { data: vec![2].into(), ..step.clone() };
        let of = |chain_id, block, step| limits.of(chain_id, block, Address::ZERO, step);
        limits.learn(1, 5, Address::ZERO, &step, 7);
        limits.learn(1, 6, Address::ZERO, &step, 7);
        assert_eq!((of(1, 5, &step), of(1, 6, &step)), (FIRST_GAS, 7), "from the next block on");
        assert_eq!((of(2, 6, &step), of(1, 6, &other)), (FIRST_GAS, FIRST_GAS));
    }

    #[test]
    fn no_limit_is_above_that_of_the_network() {
        assert_eq!(gas_limit(ETHEREUM, &end(16_000_000, FIRST_GAS)), Some(FIRST_GAS));
        assert_eq!(gas_limit(250, &end(22_000_000, 29_000_000)), Some(29_000_000), "a block has no room for more");
        assert_eq!(gas_limit(250, &end(39_000_000, UNBOUNDED_GAS_MAX)), Some(UNBOUNDED_GAS_MAX));
    }

    #[test]
    fn a_transaction_that_used_all_of_its_gas_may_have_run_out() {
        let failed = |used| StepEnd { reverted: Some(alloy::primitives::Bytes::new()), ..end(used, 64_000) };
        assert!(ran_out(&failed(64_000)) && ran_out(&failed(63_000)));
        assert!(!ran_out(&failed(62_000)) && !ran_out(&end(64_000, 64_000)));
    }
}
