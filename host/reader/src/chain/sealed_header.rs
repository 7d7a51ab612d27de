//! A block's header together with the hash that commits to it.
//!
//! Invariant: a sealed header has the hash of its own members, so that whoever knows the hash knows the root of the
//! block's receipts. The hash does not cover the list of transactions: the endpoint may have made it up.
//!
//! The hash covers the members below that a header has: those of Ethereum, which Arbitrum, BNB Chain, Linea, the OP
//! stack and Polygon share, and those of Avalanche. Where a network hashes anything else (Fantom, ZKsync), no header
//! is sealed.

use alloy::primitives::{B256, Bytes, U64, U256, keccak256};
use serde::Deserialize;
use serde_json::{Map, Value};

use Member::{Data, Quantity};

/// In the order of hashing: <https://github.com/ethereum/go-ethereum/blob/master/core/types/block.go>,
/// <https://github.com/ava-labs/coreth/blob/master/plugin/evm/customtypes/header_ext.go>.
const MEMBERS: [(&str, Member); 28] = [
    ("parentHash", Data),
    ("sha3Uncles", Data),
    ("miner", Data),
    ("stateRoot", Data),
    ("transactionsRoot", Data),
    ("receiptsRoot", Data),
    ("logsBloom", Data),
    ("difficulty", Quantity),
    ("number", Quantity),
    ("gasLimit", Quantity),
    ("gasUsed", Quantity),
    ("timestamp", Quantity),
    ("extraData", Data),
    ("mixHash", Data),
    ("nonce", Data),
    ("extDataHash", Data),               // Avalanche
    ("baseFeePerGas", Quantity),         // EIP-1559
    ("extDataGasUsed", Quantity),        // Avalanche
    ("blockGasCost", Quantity),          // Avalanche
    ("withdrawalsRoot", Data),           // EIP-4895
    ("blobGasUsed", Quantity),           // EIP-4844
    ("excessBlobGas", Quantity),         // EIP-4844
    ("parentBeaconBlockRoot", Data),     // EIP-4788
    ("requestsHash", Data),              // EIP-7685
    ("blockAccessListHash", Data),       // EIP-7928
    ("slotNumber", Quantity),            // EIP-7843
    ("timestampMilliseconds", Quantity), // Avalanche
    ("minDelayExcess", Quantity),        // Avalanche
];

/// Encoding of a member.
#[derive(Clone, Copy)]
enum Member {
    Data,
    Quantity,
}

/// The reply to `eth_getBlockByNumber`, with the hashes of the transactions.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(crate) struct SealedHeader {
    pub(crate) hash: B256,
    pub(crate) number: u64,
    pub(crate) receipts_root: B256,
    /// True if the hash is that of the members.
    pub(crate) is_sealed: bool,
    transactions: Vec<B256>,
}

impl SealedHeader {
    /// Returns true if it has this transaction at this place, according to the endpoint.
    pub(crate) fn has_at(&self, place: usize, transaction: B256) -> bool {
        self.transactions.get(place) == Some(&transaction)
    }
}

impl TryFrom<Map<String, Value>> for SealedHeader {
    type Error = serde_json::Error;

    /// A header that differs from Ethereum's format is not sealed, rather than an error: networks differ.
    fn try_from(header: Map<String, Value>) -> Result<Self, Self::Error> {
        let get = |name| header.get(name).unwrap_or(&Value::Null);
        let hash = B256::deserialize(get("hash"))?;
        Ok(Self {
            hash,
            number: U64::deserialize(get("number"))?.to(),
            receipts_root: B256::deserialize(get("receiptsRoot")).unwrap_or_default(),
            is_sealed: hash_of(&header) == Some(hash),
            transactions: Vec::deserialize(get("transactions")).unwrap_or_default(),
        })
    }
}

/// Computes the hash of the members; `None` if one of them has another encoding.
fn hash_of(header: &Map<String, Value>) -> Option<B256> {
    let present = MEMBERS.iter().filter_map(|(name, how)| Some((header.get(*name).filter(|one| !one.is_null())?, how)));
    let bytes = |(value, how): (&Value, &Member)| match how {
        Data => Bytes::deserialize(value).ok(),
        Quantity => U256::deserialize(value).ok().map(|number| number.to_be_bytes_trimmed_vec().into()),
    };
    let members: Vec<Bytes> = present.map(bytes).collect::<Option<_>>()?;
    Some(keccak256(alloy_rlp::encode(members)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::blocks;

    fn is_sealed(header: Value) -> bool {
        serde_json::from_value::<SealedHeader>(header).unwrap().is_sealed
    }

    #[test]
    fn headers_of_real_chains_have_the_hash_of_their_members() {
        for name in ["geth, frontier", "geth, prague", "optimism, canyon", "optimism, isthmus", "arbitrum", "avalanche"]
        {
            assert!(is_sealed(blocks::header(name)), "{name}");
        }
    }

    #[test]
    fn a_header_in_which_anything_was_changed_is_not_sealed() {
        for (name, value) in [
            ("receiptsRoot", json!(B256::repeat_byte(1))),
            ("hash", json!(B256::repeat_byte(1))),
            ("gasUsed", json!("0x1")),
            ("nonce", Value::Null),
            ("requestsHash", Value::Null),
            ("extDataHash", json!(B256::ZERO)),
            ("extraData", json!("nothing")),
        ] {
            let mut header = blocks::header("geth, prague");
            header[name] = value;
            assert!(!is_sealed(header), "{name}");
        }
    }
}
