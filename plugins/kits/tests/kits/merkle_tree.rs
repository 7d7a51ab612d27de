//! Leaves and nodes of Merkle trees, built by hand, so that a wrong hash in a kit fails a test.

use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::*;

/// `abi.encodePacked(uint256, address, uint256)`, hashed.
pub(crate) fn leaf(index: u64, account: Address, amount: u64) -> B256 {
    let word = |number| U256::from(number).to_be_bytes::<32>();
    keccak256([&word(index)[..], account.as_slice(), &word(amount)[..]].concat())
}

/// The node above two others, the lower one first.
pub(crate) fn pair(one: B256, other: B256) -> B256 {
    let (low, high) = if one < other { (one, other) } else { (other, one) };
    keccak256([low.as_slice(), high.as_slice()].concat())
}
