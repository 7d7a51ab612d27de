//! Merkle proofs of reward lists: the leaf of an account's entry, and the root of its proof.
//!
//! Only the root of such a list is on chain. A server may return a wrong or outdated proof. Fold the proof, and compare
//! it with the root that the contract returns in the same job. A claim with another root reverts: do not return it,
//! report it as missing.
//!
//! ```
//! # use portolan_plugin_api::*;
//! # sol! { function merkleRoot() external view returns (bytes32); }
//! # async fn example(
//! #     cx: &JobContext, distributor: Address, entry: (U256, Address, U256), proof: &[B256],
//! # ) -> Result<(), Error> {
//! let root = cx.call(distributor, merkleRootCall {}).await?;
//! if merkle::root(merkle::packed(&entry), proof) != root {
//!     return Err(Error::new("the proof of the account does not lead to the contract's Merkle root"));
//! }
//! # Ok(())
//! # }
//! ```

use alloy::primitives::{B256, keccak256};
use alloy::sol_types::{SolType, SolValue, abi::TokenSeq};

/// `keccak256(abi.encodePacked(a, b, …))` of a tuple: `(index, account, amount)` in Uniswap's distributor,
/// `(account, amount)` in cumulative ones such as 1inch's.
///
/// Source: <https://github.com/Uniswap/merkle-distributor/blob/master/contracts/MerkleDistributor.sol>
pub fn packed<T: SolValue>(entry: &T) -> B256 {
    keccak256(entry.abi_encode_packed())
}

/// `keccak256(abi.encode(a, b, …))` of a tuple: `(account, token, amount)` in Merkl's distributor.
///
/// Source: <https://github.com/AngleProtocol/merkl-contracts/blob/main/contracts/Distributor.sol>
pub fn encoded<T: SolValue>(entry: &T) -> B256
where
    for<'a> <T::SolType as SolType>::Token<'a>: TokenSeq<'a>,
{
    keccak256(entry.abi_encode_params())
}

/// `keccak256(keccak256(abi.encode(a, b, …)))` of a tuple: the leaves of OpenZeppelin's `StandardMerkleTree`.
///
/// Source: <https://github.com/OpenZeppelin/merkle-tree>
pub fn hashed_twice<T: SolValue>(entry: &T) -> B256
where
    for<'a> <T::SolType as SolType>::Token<'a>: TokenSeq<'a>,
{
    keccak256(encoded(entry))
}

/// Folds a proof to its root. At each level the smaller node is hashed first, as in OpenZeppelin's `MerkleProof`.
///
/// Source:
/// <https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/utils/cryptography/MerkleProof.sol>
pub fn root(leaf: B256, proof: &[B256]) -> B256 {
    proof.iter().fold(leaf, |node, beside| keccak256([node.min(*beside), node.max(*beside)].concat()))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, U256, b256};

    use super::*;

    const WEI: u64 = 1_000_000_000_000_000_000;

    /// Entries of the example in <https://github.com/OpenZeppelin/merkle-tree#building-a-tree>.
    fn entries() -> [(Address, U256); 2] {
        let half = U256::from(WEI / 2);
        [(Address::repeat_byte(0x11), half * U256::from(10)), (Address::repeat_byte(0x22), half * U256::from(5))]
    }

    #[test]
    fn a_standard_tree_has_the_root_that_its_library_publishes() {
        let published = b256!("0xd4dee0beab2d53f2cc83e567171bd2820e49898130a22622b10ead383e90bd77");
        let [one, other] = entries().map(|entry| hashed_twice(&entry));
        assert_eq!((root(one, &[other]), root(other, &[one])), (published, published));
        assert_ne!(root(one, &[one]), published);
    }

    #[test]
    fn an_entry_is_packed_or_padded_to_words() {
        let (account, amount) = entries()[0];
        let word = amount.to_be_bytes::<32>();
        let padded = [&[0; 12], account.as_slice(), &word].concat();
        assert_eq!(packed(&(account, amount)), keccak256([account.as_slice(), &word].concat()));
        assert_eq!(encoded(&(account, amount)), keccak256(&padded));
        assert_eq!(hashed_twice(&(account, amount)), keccak256(keccak256(&padded)));
    }

    #[test]
    fn a_list_of_one_entry_has_its_leaf_as_root() {
        assert_eq!(root(B256::repeat_byte(7), &[]), B256::repeat_byte(7));
    }
}
