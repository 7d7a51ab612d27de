//! Merkle trees of sorted pairs, as OpenZeppelin's `MerkleProof` has them.

use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::{Address, B256, SolValue, U256};

/// `keccak256(abi.encodePacked(index, account, amount))`.
pub(super) fn leaf(index: U256, account: Address, amount: U256) -> B256 {
    keccak256((index, account, amount).abi_encode_packed())
}

/// The root that a proof leads to.
pub(super) fn root(proof: &[B256], leaf: B256) -> B256 {
    proof.iter().fold(leaf, |node, beside| keccak256([node.min(*beside), node.max(*beside)].concat()))
}
