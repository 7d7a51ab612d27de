//! The movements that a receipt shows: transfers of tokens, wraps, and the value that the transaction itself sent.

use bigdecimal::num_bigint::BigInt;

use super::files::{NATIVE, ReceiptLog, Transaction};

const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"; // Transfer(address,address,uint256)
const DEPOSIT: &str = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"; // Deposit(address,uint256)
const WITHDRAWAL: &str = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"; // Withdrawal(address,uint256)

/// Addresses in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Movement {
    pub(super) token: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) raw: BigInt,
}

/// The movements of a transaction.
pub(super) fn of(mined: &Transaction) -> Vec<Movement> {
    let sent = || {
        let raw = BigInt::parse_bytes(mined.value()?.to_string().as_bytes(), 10)?;
        Some(Movement { token: NATIVE.to_owned(), from: mined.sender()?, to: mined.callee()?, raw })
    };
    sent().into_iter().chain(mined.logs.iter().filter_map(moved)).collect()
}

fn moved(log: &ReceiptLog) -> Option<Movement> {
    let address = |topic: &String| topic.get(26..).map(|address| format!("0x{address}"));
    let raw = BigInt::parse_bytes(log.data.get(2..66)?.as_bytes(), 16)?;
    let (token, contract) = (log.address.clone(), log.address.clone());
    let topics: Vec<&str> = log.topics.iter().map(String::as_str).collect();
    match topics.as_slice() {
        [TRANSFER, ..] if topics.len() == 3 => {
            Some(Movement { token, from: address(&log.topics[1])?, to: address(&log.topics[2])?, raw })
        }
        [DEPOSIT, _] => Some(Movement { token, from: contract, to: address(&log.topics[1])?, raw }),
        [WITHDRAWAL, _] => Some(Movement { token, from: address(&log.topics[1])?, to: contract, raw }),
        _ => None,
    }
}
