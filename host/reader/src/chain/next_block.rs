//! Predicts the block after a pinned one, in which simulated transactions run.
//!
//! Invariant: nothing in it shows a contract that it runs in a simulation. Values that only the real block will have
//! (builder, randomness, transactions) are the pinned block's, or derived from it.

use alloy::primitives::{Address, B256, U256, keccak256};
use serde::Deserialize;

use crate::Block;

/// Header members that determine the next block; nodes differ in which they have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HeaderFees {
    miner: Address,
    gas_limit: U256,
    gas_used: U256,
    base_fee_per_gas: Option<U256>,
    /// From Amsterdam on (EIP-7928).
    block_access_list_hash: Option<B256>,
}

impl HeaderFees {
    /// Returns true if the block belongs to Amsterdam or a later fork.
    pub(crate) fn is_of_amsterdam(&self) -> bool {
        self.block_access_list_hash.is_some()
    }
}

/// The block after a pinned one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NextBlock {
    pub(crate) number: u64,
    /// Unix seconds.
    pub(crate) timestamp: u64,
    pub(crate) fee_recipient: Address,
    pub(crate) gas_limit: u64,
    /// Wei; `None` if the network has none (before EIP-1559).
    pub(crate) base_fee: Option<u128>,
    pub(crate) prev_randao: B256,
    /// True if a call's use of gas leaves out the cost of state (EIP-8037).
    pub(crate) has_state_gas: bool,
}

/// How blocks follow each other on a network.
struct Rhythm {
    chain_id: u64,
    /// Seconds from block to block.
    seconds: u64,
    /// EIP-1559: gas limit in targets, and the divisor of the largest change of the base fee.
    elasticity: u128,
    denominator: u128,
}

/// Any other network: a block may have any time after its parent's.
const OTHERS: Rhythm = Rhythm { chain_id: 0, seconds: 1, elasticity: 2, denominator: 8 };

/// Networks whose blocks have fixed times, which a contract can compute, or whose base fee moves otherwise: Ethereum,
/// Optimism, Gnosis, Unichain, Polygon, World Chain, Base, Celo, Ink. Those of the OP stack are from
/// <https://github.com/ethereum-optimism/superchain-registry/tree/main/superchain/configs/mainnet>; what their operators
/// have changed since stands in headers, which are not asked for it.
const RHYTHMS: [Rhythm; 9] = [
    Rhythm { chain_id: 1, seconds: 12, ..OTHERS },
    Rhythm { chain_id: 10, seconds: 2, elasticity: 6, denominator: 250 },
    Rhythm { chain_id: 100, seconds: 5, ..OTHERS },
    Rhythm { chain_id: 130, seconds: 1, elasticity: 6, denominator: 250 },
    Rhythm { chain_id: 137, seconds: 2, elasticity: 2, denominator: 64 },
    Rhythm { chain_id: 480, seconds: 2, elasticity: 10, denominator: 250 },
    Rhythm { chain_id: 8_453, seconds: 2, elasticity: 6, denominator: 250 },
    Rhythm { chain_id: 42_220, seconds: 1, elasticity: 5, denominator: 400 },
    Rhythm { chain_id: 57_073, seconds: 1, elasticity: 6, denominator: 250 },
];

impl NextBlock {
    /// Predicts the block after this one; `None` if the header has absurd figures.
    pub(crate) fn after(chain_id: u64, block: &Block, fees: &HeaderFees) -> Option<Self> {
        let rhythm = RHYTHMS.iter().find(|row| row.chain_id == chain_id).unwrap_or(&OTHERS);
        let wei = |fee: U256| u128::try_from(fee).ok();
        let base_fee = match fees.base_fee_per_gas {
            Some(fee) => Some(rhythm.next_base_fee(wei(fee)?, wei(fees.gas_used)?, wei(fees.gas_limit)?)),
            None => None,
        };
        Some(Self {
            number: block.number.checked_add(1)?,
            timestamp: block.timestamp.checked_add(rhythm.seconds)?,
            fee_recipient: fees.miner,
            // Arbitrum's limit is larger than any gas.
            gas_limit: u64::try_from(fees.gas_limit).ok()?,
            base_fee,
            prev_randao: keccak256(block.hash),
            has_state_gas: fees.is_of_amsterdam(),
        })
    }
}

impl Rhythm {
    /// Computes the next base fee (EIP-1559).
    fn next_base_fee(&self, fee: u128, used: u128, limit: u128) -> u128 {
        let target = (limit / self.elasticity).max(1);
        let change = |gas: u128| fee.saturating_mul(gas) / target / self.denominator;
        match used > target {
            true => fee.saturating_add(change(used - target).max(1)),
            false => fee.saturating_sub(change(target - used)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(chain_id: u64, header: serde_json::Value) -> Option<NextBlock> {
        let fees: HeaderFees = serde_json::from_value(header).unwrap();
        let (hash, parent) = (B256::repeat_byte(1), B256::ZERO);
        let block = Block { number: 7, hash, parent, timestamp: 1_000, evm_number: 7 };
        NextBlock::after(chain_id, &block, &fees)
    }

    #[test]
    fn the_base_fee_rises_by_an_eighth_after_a_full_block_and_falls_by_one_after_an_empty_one() {
        let fee = |used: &str, limit: &str| {
            after(5, json!({"gasLimit": limit, "gasUsed": used, "baseFeePerGas": "0x64"})).unwrap().base_fee
        };
        assert_eq!(fee("0x1000", "0x1000"), Some(112));
        assert_eq!(fee("0x800", "0x1000"), Some(100));
        assert_eq!(fee("0x0", "0x1000"), Some(88));
        assert_eq!(fee("0x801", "0x1000"), Some(101), "by one at least");
        assert_eq!(after(5, json!({"gasLimit": "0x1000"})).unwrap().base_fee, None);
    }

    #[test]
    fn the_next_block_has_what_the_header_shows() {
        let header = json!({"miner": Address::repeat_byte(9), "gasLimit": "0x1000", "mixHash": B256::ZERO,
            "blockAccessListHash": B256::ZERO});
        let next = after(1, header).unwrap();
        assert_eq!((next.number, next.timestamp, next.gas_limit), (8, 1_012, 4_096));
        assert_eq!((next.fee_recipient, next.has_state_gas), (Address::repeat_byte(9), true));
        assert!(!after(1, json!({})).unwrap().has_state_gas);
        assert_eq!(after(1, json!({"gasLimit": U256::MAX})), None);
    }
}
