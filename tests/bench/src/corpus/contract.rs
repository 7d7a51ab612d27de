//! Contracts that answer a few views with constants and revert everything else, assembled by hand.
//!
//! Their code: a comparison of the selector for each view, a revert, and for each view the copy of its reply out of the
//! code behind. All of it is pushes of fixed width, so that places are known before they are written.

use anyhow::{Result, ensure};

/// `PUSH1 0 CALLDATALOAD PUSH1 224 SHR`: the selector on the stack.
const HEAD: &str = "60003560e01c";
/// `PUSH1 0 DUP1 REVERT`.
const REVERT: &str = "600080fd";
/// Bytes of `DUP1 PUSH4 … EQ PUSH2 … JUMPI`.
const BRANCH: usize = 1 + 5 + 1 + 3 + 1;
/// Bytes of `JUMPDEST PUSH2 length PUSH2 from PUSH1 0 CODECOPY PUSH2 length PUSH1 0 RETURN`.
const REPLY: usize = 1 + 3 + 3 + 2 + 1 + 3 + 2 + 1;

/// Selectors: the first four bytes of the Keccak-256 of a signature.
pub(crate) const NAME: &str = "06fdde03"; // name()
pub(crate) const SYMBOL: &str = "95d89b41"; // symbol()
pub(crate) const DECIMALS: &str = "313ce567"; // decimals()
pub(crate) const TOTAL_SUPPLY: &str = "18160ddd"; // totalSupply()
pub(crate) const TOKEN0: &str = "0dfe1681"; // token0()
pub(crate) const TOKEN1: &str = "d21220a7"; // token1()

/// The runtime code of a contract with these views: selector and reply, both hex without `0x`.
///
/// # Errors
/// More code than two bytes can count.
pub(crate) fn code(views: &[(&str, String)]) -> Result<String> {
    let replies_at = HEAD.len() / 2 + views.len() * BRANCH + REVERT.len() / 2;
    let data_at = replies_at + views.len() * REPLY;
    let (mut branches, mut replies, mut data) = (String::new(), String::new(), String::new());
    for (place, (selector, reply)) in views.iter().enumerate() {
        let (to, from, length) = (replies_at + place * REPLY, data_at + data.len() / 2, reply.len() / 2);
        branches += &format!("8063{selector}1461{to:04x}57");
        replies += &format!("5b61{length:04x}61{from:04x}60003961{length:04x}6000f3");
        data += reply;
    }
    ensure!(data_at + data.len() / 2 <= usize::from(u16::MAX), "{} views are too much code", views.len());
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
