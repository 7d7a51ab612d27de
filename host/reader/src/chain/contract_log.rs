//! Logs of contracts in the blocks from one to another, by which a reader learns that nothing happened to them.

use alloy::primitives::{Address, B256, U64};
use serde::{Deserialize, Serialize};

use crate::Block;

/// Maximum contracts of one filter: nodes refuse longer lists.
const CONTRACTS_MAX: usize = 500;

/// A log of a contract, without its data.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ContractLog {
    /// The contract that emitted it.
    #[serde(rename = "address")]
    pub contract: Address,
    /// Up to four; the first one names the event, unless it is anonymous.
    pub topics: Vec<B256>,
}

/// The parameter of `eth_getLogs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogFilter<'a> {
    #[serde(flatten)]
    blocks: FilterBlocks,
    address: &'a [Address],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum FilterBlocks {
    #[serde(rename_all = "camelCase")]
    One { block_hash: B256 },
    #[serde(rename_all = "camelCase")]
    Range { from_block: U64, to_block: U64 },
}

impl<'a> LogFilter<'a> {
    /// Returns the filters of all logs after one block, up to and with a later one. The later one is named by its hash: a
    /// node that does not know it yet fails, where it would leave out the logs of a number.
    pub(crate) fn between(after: &Block, to: &Block, contracts: &'a [Address]) -> Vec<(Self,)> {
        let last = FilterBlocks::One { block_hash: to.hash };
        let before =
            FilterBlocks::Range { from_block: U64::from(after.number + 1), to_block: U64::from(to.number - 1) };
        let has_before = to.number > after.number + 1;
        let blocks = [Some(last), has_before.then_some(before)].into_iter().flatten();
        let of_blocks = |blocks| contracts.chunks(CONTRACTS_MAX).map(move |address| (LogFilter { blocks, address },));
        blocks.flat_map(of_blocks).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn block(number: u64) -> Block {
        let hash = B256::repeat_byte(u8::try_from(number).unwrap());
        Block { number, hash, parent: B256::ZERO, timestamp: 0, evm_number: number }
    }

    #[test]
    fn the_last_block_is_named_by_its_hash_and_those_between_by_their_numbers() {
        let contracts = [Address::repeat_byte(1)];
        let own = "0x0101010101010101010101010101010101010101";
        let filters = |to| serde_json::to_value(LogFilter::between(&block(16), &block(to), &contracts)).unwrap();
        let hash = |byte: &str| format!("0x{}", byte.repeat(32));
        assert_eq!(filters(17), json!([[{"blockHash": hash("11"), "address": [own]}]]));
        let range = json!([{"fromBlock": "0x11", "toBlock": "0x13", "address": [own]}]);
        assert_eq!(filters(20), json!([[{"blockHash": hash("14"), "address": [own]}], range]));
    }

    #[test]
    fn a_long_list_of_contracts_is_split() {
        let contracts = vec![Address::ZERO; 1_001];
        let sizes = LogFilter::between(&block(1), &block(2), &contracts);
        let sizes: Vec<usize> = sizes.iter().map(|(filter,)| filter.address.len()).collect();
        assert_eq!(sizes, [500, 500, 1]);
    }
}
