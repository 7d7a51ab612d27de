//! Tokens on scripted chains, for tests.

use alloy::primitives::{Address, U256};
use portolan_reader::testing::ScriptedChain;

use crate::metadata::Erc20;

/// Scripts a token whose name is its symbol, with a supply of 1000 smallest units.
pub fn erc20(script: &mut ScriptedChain, token: Address, symbol: &str, decimals: u8) {
    script
        .call(token, &Erc20::nameCall {}, symbol.to_owned())
        .call(token, &Erc20::symbolCall {}, symbol.to_owned())
        .call(token, &Erc20::decimalsCall {}, U256::from(decimals))
        .call(token, &Erc20::totalSupplyCall {}, U256::from(1000));
}
