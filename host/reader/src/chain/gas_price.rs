//! The price of gas at a block, as the network's nodes report it.
//!
//! Invariant: equal concurrent requests are one, and a price that is known at a block is not requested again there.

use std::collections::VecDeque;
use std::sync::Arc;

use alloy::primitives::{B256, U64, U256};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::{Block, ReadFailure};

/// Number of blocks whose prices are cached.
const BLOCKS_MAX: usize = 4;

/// The price of gas, in wei per unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GasPrice {
    /// Base fee of the block after this one (EIP-1559); `None` if the network has none.
    pub base_fee: Option<u128>,
    /// Median tip of the blocks up to this one that had transactions; the whole price if there is no base fee.
    pub tip: u128,
}

impl GasPrice {
    /// Returns the cost of a unit of gas.
    pub fn total(self) -> u128 {
        self.base_fee.unwrap_or_default().saturating_add(self.tip)
    }
}

/// The block after which a price is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriceAt {
    number: u64,
    /// True if there are later blocks: the next base fee is then the next block's own, and the present price does not
    /// apply.
    pub(crate) is_past: bool,
}

impl PriceAt {
    /// Takes a block, and the newest one if it is known.
    pub(crate) fn new(block: &Block, head: Option<Block>) -> Self {
        let is_past = head.is_some_and(|head| head.number >= block.number + 2);
        Self { number: block.number, is_past }
    }

    /// Returns the parameters of `eth_feeHistory`.
    pub(crate) fn params(self) -> (U64, U64, [u8; 1]) {
        let next = u64::from(self.is_past);
        (U64::from(BLOCKS + next), U64::from(self.number + next), [MEDIAN])
    }
}

/// Number of blocks whose tips are considered.
const BLOCKS: u64 = 5;
/// The percentile of a block's tips.
const MEDIAN: u8 = 50;

/// The result of `eth_feeHistory`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeeHistory {
    base_fee_per_gas: Vec<U256>,
    #[serde(default)]
    reward: Option<Vec<Vec<U256>>>,
}

impl FeeHistory {
    /// Returns the price after a block, from a history with one percentile of tips per block; `None` if it has none.
    pub(crate) fn price(mut self, at: PriceAt) -> Option<GasPrice> {
        if at.is_past {
            // Drops the entries after those of the block.
            self.base_fee_per_gas.pop();
            self.reward.as_mut().map(Vec::pop);
        }
        let number = |wei: &U256| u128::try_from(*wei).ok();
        let tips = self.reward.iter().flatten().flatten().map(number).collect::<Option<Vec<u128>>>()?;
        let mut tips: Vec<u128> = tips.into_iter().filter(|tip| *tip > 0).collect();
        tips.sort_unstable();
        let tip = tips.get(tips.len() / 2).copied().unwrap_or_default();
        Some(GasPrice { base_fee: Some(number(self.base_fee_per_gas.last()?)?), tip })
    }
}

/// The prices of one network at its last blocks, newest last.
#[derive(Debug, Default)]
pub(crate) struct GasPrices(Mutex<VecDeque<(B256, Arc<OnceCell<GasPrice>>)>>);

impl GasPrices {
    /// Returns the price at a block. Awaits `fetch` if it is neither known nor being requested.
    pub(crate) async fn at<F>(&self, block: B256, fetch: F) -> Result<GasPrice, ReadFailure>
    where
        F: Future<Output = Result<GasPrice, ReadFailure>>,
    {
        let cell = self.cell(block);
        cell.get_or_try_init(|| fetch).await.copied()
    }

    fn cell(&self, block: B256) -> Arc<OnceCell<GasPrice>> {
        let mut blocks = self.0.lock();
        if let Some((_, cell)) = blocks.iter().find(|(known, _)| *known == block) {
            return Arc::clone(cell);
        }
        if blocks.len() == BLOCKS_MAX {
            blocks.pop_front();
        }
        let cell = Arc::default();
        blocks.push_back((block, Arc::clone(&cell)));
        cell
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn price(history: serde_json::Value) -> Option<GasPrice> {
        serde_json::from_value::<FeeHistory>(history).unwrap().price(PriceAt { number: 9, is_past: false })
    }

    #[test]
    fn the_price_is_the_next_base_fee_and_the_median_tip_of_blocks_with_transactions() {
        let history = json!({"oldestBlock": "0x1", "baseFeePerGas": ["0x64", "0x65", "0x66", "0x67"],
            "reward": [["0x5"], ["0x0"], ["0x9"]]});
        assert_eq!(price(history), Some(GasPrice { base_fee: Some(0x67), tip: 9 }));
        let empty = json!({"baseFeePerGas": ["0x1", "0x2"], "reward": [["0x0"]]});
        assert_eq!(price(empty), Some(GasPrice { base_fee: Some(2), tip: 0 }));
        assert_eq!(price(json!({"baseFeePerGas": ["0x7"]})), Some(GasPrice { base_fee: Some(7), tip: 0 }));
        assert_eq!(GasPrice { base_fee: Some(u128::MAX), tip: 1 }.total(), u128::MAX);
    }

    #[test]
    fn after_a_block_of_the_past_the_base_fee_is_that_of_the_next_block() {
        let block = |number| Block { number, hash: B256::ZERO, parent: B256::ZERO, timestamp: 0, evm_number: number };
        let at = PriceAt::new(&block(100), Some(block(102)));
        assert_eq!(at.params(), (U64::from(6), U64::from(101), [50]));
        let history = json!({"baseFeePerGas": ["0x64", "0x65", "0x66"], "reward": [["0x5"], ["0x9"]]});
        let history: FeeHistory = serde_json::from_value(history).unwrap();
        assert_eq!(history.price(at), Some(GasPrice { base_fee: Some(0x65), tip: 5 }));
        let newest = PriceAt::new(&block(100), Some(block(101)));
        assert_eq!((newest.is_past, newest.params()), (false, (U64::from(5), U64::from(100), [50])));
    }

    #[test]
    fn a_history_without_fees_or_with_absurd_ones_is_no_price() {
        assert_eq!(price(json!({"baseFeePerGas": []})), None);
        let absurd = format!("{:#x}", U256::MAX);
        assert_eq!(price(json!({"baseFeePerGas": [absurd]})), None);
        assert_eq!(price(json!({"baseFeePerGas": ["0x1"], "reward": [[absurd]]})), None);
    }

    #[tokio::test]
    async fn a_price_is_fetched_once_for_a_block_and_again_after_a_failure() {
        let (prices, known) = (GasPrices::default(), GasPrice { base_fee: None, tip: 1 });
        let block = B256::repeat_byte(1);
        assert_eq!(prices.at(block, async { Err(ReadFailure::Timeout) }).await, Err(ReadFailure::Timeout));
        assert_eq!(prices.at(block, async { Ok(known) }).await, Ok(known));
        assert_eq!(prices.at(block, async { Err(ReadFailure::Timeout) }).await, Ok(known));
        for byte in 2..=5 {
            prices.at(B256::repeat_byte(byte), async { Ok(known) }).await.unwrap();
        }
        assert_eq!(prices.at(block, async { Err(ReadFailure::Upstream) }).await, Err(ReadFailure::Upstream));
    }
}
