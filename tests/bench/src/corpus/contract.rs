//! Contracts that answer a few calls with constants and revert everything else, assembled by hand.
//!
//! Their code: the hash of the whole call, a comparison for each call that is known, a revert, and for each of them the
//! copy of its reply out of the code behind. All of it is pushes of fixed width, so that places are known before they
//! are written.

use alloy::primitives::{hex, keccak256};
use anyhow::{Result, ensure};

/// `CALLDATASIZE PUSH1 0 PUSH1 0 CALLDATACOPY CALLDATASIZE PUSH1 0 KECCAK256`: the hash of the call on the stack.
const HEAD: &str = "36600060003736600020";
/// `PUSH1 0 DUP1 REVERT`.
const REVERT: &str = "600080fd";
/// Bytes of `DUP1 PUSH32 … EQ PUSH2 … JUMPI`.
const BRANCH: usize = 1 + 33 + 1 + 3 + 1;
/// Bytes of `JUMPDEST PUSH2 length PUSH2 from PUSH1 0 CODECOPY PUSH2 length PUSH1 0 RETURN`.
const REPLY: usize = 1 + 3 + 3 + 2 + 1 + 3 + 2 + 1;

/// Selectors: the first four bytes of the Keccak-256 of a signature.
pub(crate) const NAME: &str = "06fdde03"; // name()
pub(crate) const SYMBOL: &str = "95d89b41"; // symbol()
pub(crate) const DECIMALS: &str = "313ce567"; // decimals()
pub(crate) const TOTAL_SUPPLY: &str = "18160ddd"; // totalSupply()
pub(crate) const TOKEN0: &str = "0dfe1681"; // token0()
pub(crate) const TOKEN1: &str = "d21220a7"; // token1()

/// The runtime code of a contract that knows these calls: the whole call and its reply, both hex without `0x`.
///
/// # Errors
/// A call that is no hex, and more code than two bytes can count.
pub(crate) fn code<C: AsRef<str>>(calls: &[(C, String)]) -> Result<String> {
    let replies_at = HEAD.len() / 2 + calls.len() * BRANCH + REVERT.len() / 2;
    let data_at = replies_at + calls.len() * REPLY;
    let (mut branches, mut replies, mut data) = (String::new(), String::new(), String::new());
    for (place, (call, reply)) in calls.iter().enumerate() {
        let hash = keccak256(hex::decode(call.as_ref())?);
        let (to, from, length) = (replies_at + place * REPLY, data_at + data.len() / 2, reply.len() / 2);
        branches += &format!("807f{}1461{to:04x}57", hex::encode(hash));
        replies += &format!("5b61{length:04x}61{from:04x}60003961{length:04x}6000f3");
        data += reply;
    }
    ensure!(data_at + data.len() / 2 <= usize::from(u16::MAX), "{} calls are too much code", calls.len());
    Ok(format!("0x{HEAD}{branches}{REVERT}{replies}{data}"))
}

/// A number as a view returns it.
pub(crate) fn number(value: u128) -> String {
    format!("{value:064x}")
}

/// An address as a view returns it.
pub(crate) fn address(address: &str) -> String {
    format!("{:0>64}", address.trim_start_matches("0x").to_lowercase())
}

/// A string as a view returns it: where it begins, its length, its bytes up to a whole word.
pub(crate) fn text(text: &str) -> String {
    let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let words = text.len().div_ceil(32);
    format!("{:064x}{:064x}{digits:0<width$}", 32, text.len(), width = words * 64)
}
