//! Calls of the chains' contracts, encoded by a library that the gateway does not decode events with.

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolCall;
use serde_json::{Value, json};

alloy::sol! {
    interface Token {
        function transfer(address to, uint256 amount);
        function approve(address spender, uint256 amount);
        function deposit();
        function withdraw(uint256 amount);
    }
    interface Farm {
        function stake(uint256 amount);
        function withdraw(uint256 amount);
        function getReward();
    }
    interface Chef {
        function deposit(uint256 pid, uint256 amount);
        function withdraw(uint256 pid, uint256 amount);
    }
    interface Pool {
        function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode);
        function withdraw(address asset, uint256 amount, address to);
        function borrow(address asset, uint256 amount, uint256 rateMode, uint16 referralCode, address onBehalfOf);
        function repay(address asset, uint256 amount, uint256 rateMode, address onBehalfOf);
    }
}

/// An address as the chains' builds write it.
pub(crate) fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// A transaction that calls a contract.
pub(crate) fn call(from: &str, to: &str, call: &impl SolCall) -> Value {
    json!({"from": from, "to": to, "data": alloy::hex::encode_prefixed(call.abi_encode())})
}

/// The same with native value.
pub(crate) fn paid(from: &str, to: &str, data: &impl SolCall, value: u64) -> Value {
    let mut transaction = call(from, to, data);
    transaction["value"] = json!(format!("{value:#x}"));
    transaction
}

pub(crate) fn approve(from: &str, token: &str, spender: &str, amount: U256) -> Value {
    call(from, token, &Token::approveCall { spender: address(spender), amount })
}
