//! `Approval` logs (ERC-20) that name an account as the owner: hints of who may take what from it.
//!
//! Invariant: a list of logs is taken as a whole or not at all. One log that was not asked for spoils the others.

use std::collections::BTreeSet;

use alloy::primitives::{Address, B256, U64, b256};
use serde::{Deserialize, Serialize};

/// `Approval(address,address,uint256)`: <https://eips.ethereum.org/EIPS/eip-20>.
const APPROVAL: B256 = b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

/// A token and a spender.
pub type ApprovedPair = (Address, Address);

/// A log, without its data: amounts are read from the token.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApprovalLog {
    address: Address,
    topics: Vec<B256>,
    block_number: Option<U64>,
    log_index: Option<U64>,
    #[serde(default)]
    removed: bool,
}

/// The parameter of `eth_getLogs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApprovalFilter {
    from_block: U64,
    to_block: U64,
    topics: [B256; 2],
}

impl ApprovalFilter {
    /// All approvals by the account, from one block to another, with both.
    pub(crate) fn new(account: Address, from: u64, to: u64) -> Self {
        Self { from_block: U64::from(from), to_block: U64::from(to), topics: [APPROVAL, account.into_word()] }
    }

    /// Returns what the logs name, each pair once. The fourth topic of an ERC-721 token is an id, so those are left
    /// out. `None` if the logs are not in order, or one of them is none that was asked for.
    pub(crate) fn pairs(&self, logs: &[ApprovalLog]) -> Option<BTreeSet<ApprovedPair>> {
        let (mut pairs, mut last) = (BTreeSet::new(), None);
        for log in logs {
            let place = (log.block_number?, log.log_index?);
            let is_in_range = (self.from_block..=self.to_block).contains(&place.0);
            let is_in_order = last.is_none_or(|last| last < place);
            if log.removed || !is_in_range || !is_in_order || !log.topics.starts_with(&self.topics) {
                return None;
            }
            last = Some(place);
            if let [_, _, spender] = log.topics[..] {
                let is_address = spender.iter().take(12).all(|byte| *byte == 0);
                pairs.extend(is_address.then(|| (log.address, Address::from_word(spender))));
            }
        }
        Some(pairs)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const ACCOUNT: Address = Address::repeat_byte(0xac);
    const SPENDER: Address = Address::repeat_byte(0x5e);

    fn log(token: u8, block: u64, index: u64) -> Value {
        json!({
            "address": Address::repeat_byte(token), "blockNumber": U64::from(block), "logIndex": U64::from(index),
            "topics": [APPROVAL, ACCOUNT.into_word(), SPENDER.into_word()], "data": "0x01",
        })
    }

    fn with(mut log: Value, member: &str, value: Value) -> Value {
        log[member] = value;
        log
    }

    fn pairs(logs: &[Value]) -> Option<Vec<ApprovedPair>> {
        let logs: Vec<ApprovalLog> = serde_json::from_value(json!(logs)).unwrap();
        let pairs = ApprovalFilter::new(ACCOUNT, 10, 20).pairs(&logs)?;
        Some(pairs.into_iter().collect())
    }

    #[test]
    fn each_pair_is_named_once() {
        let tokens = [1, 2].map(|byte| (Address::repeat_byte(byte), SPENDER));
        assert_eq!(pairs(&[log(2, 10, 0), log(1, 10, 1), log(2, 20, 0)]), Some(tokens.to_vec()));
        assert_eq!(pairs(&[]), Some(Vec::new()));
    }

    #[test]
    fn an_approval_of_a_collection_is_left_out() {
        let topics = json!([APPROVAL, ACCOUNT.into_word(), SPENDER.into_word(), B256::with_last_byte(7)]);
        assert_eq!(pairs(&[with(log(1, 10, 0), "topics", topics)]), Some(Vec::new()));
        let no_address = json!([APPROVAL, ACCOUNT.into_word(), B256::repeat_byte(0x5e)]);
        assert_eq!(pairs(&[with(log(1, 10, 0), "topics", no_address)]), Some(Vec::new()));
    }

    #[test]
    fn a_log_that_was_not_asked_for_spoils_all() {
        let of_other = json!([APPROVAL, SPENDER.into_word(), ACCOUNT.into_word()]);
        for spoilt in [
            log(1, 9, 0),
            log(1, 21, 0),
            log(1, 12, 3),
            with(log(1, 15, 0), "removed", json!(true)),
            with(log(1, 15, 0), "blockNumber", Value::Null),
            with(log(1, 15, 0), "topics", of_other),
            with(log(1, 15, 0), "topics", json!([APPROVAL])),
            with(log(1, 15, 0), "topics", json!([])),
        ] {
            assert_eq!(pairs(&[log(1, 12, 3), spoilt.clone()]), None, "{spoilt}");
        }
    }
}
