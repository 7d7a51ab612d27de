//! Thousands of farms, written into the chain's state: an account has staked ten and earned ten in each.

use alloy::primitives::{Address, B256, U256, keccak256};
use alloy::sol_types::SolValue as _;
use anyhow::{Context as _, Result, ensure};
use portolan_tests::chain::{self, Chain};
use portolan_tests::farms::{Deed, TEN, farm, token};
use serde_json::{Value, json};

/// The first byte of their addresses.
const PREFIX: u8 = 0xfa;
/// Slots of a farm that its constructor wrote.
const SLOTS: u64 = 4;
/// The slot of `balanceOf` in the token.
const BALANCES: u64 = 1;
/// Requests of one batch.
const BATCH: usize = 500;

/// Places farms that pay one token, and returns their addresses.
///
/// # Errors
/// If the node does not take them.
pub(crate) fn place(chain: &Chain, count: usize) -> Result<Vec<String>> {
    let token = token(chain, "Reward", "RWD")?;
    let pattern = farm(chain, &token, Deed::Pay)?;
    let slots: Vec<Value> = (0..SLOTS)
        .map(|slot| chain.rpc("eth_getStorageAt", json!([pattern, format!("{slot:#x}"), "latest"])))
        .collect::<Result<_>>()?;
    let code = code(&pattern);
    let farms: Vec<String> = (0..count).map(|place| format!("{:#x}", address(place))).collect();
    let mut requests = Vec::new();
    for farm in &farms {
        requests.push(("anvil_setCode", json!([farm, code])));
        for (slot, word) in slots.iter().enumerate() {
            requests.push(("anvil_setStorageAt", json!([farm, format!("{slot:#x}"), word])));
        }
        let balance = keccak256((farm.parse::<Address>()?, U256::from(BALANCES)).abi_encode());
        requests.push(("anvil_setStorageAt", json!([token, balance, B256::from(U256::from(TEN))])));
    }
    requests.chunks(BATCH).try_for_each(|batch| send(chain, batch))?;
    ensure!(chain.token_balance(&token, &farms[0])? == TEN.to_string(), "farms have nothing to pay: another slot?");
    Ok(farms)
}

fn address(place: usize) -> Address {
    let mut address = Address::left_padding_from(&(place + 1).to_be_bytes());
    address.0[0] = PREFIX;
    address
}

/// `balanceOf` returns ten; all else is done by the code of the pattern.
fn code(pattern: &str) -> String {
    let is_balance_of = "60003560e01c6370a0823114604557";
    let delegated = format!("36600060003760006000366000{:0>42}5af43d600060003e604057", pattern.replacen("0x", "73", 1));
    let ends = format!("3d6000fd5b3d6000f35b67{TEN:016x}60005260206000f3");
    format!("0x{is_balance_of}{delegated}{ends}")
}

fn send(chain: &Chain, batch: &[(&str, Value)]) -> Result<()> {
    let request = |(id, (method, params)): (usize, &(&str, Value))| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let body: Vec<Value> = batch.iter().enumerate().map(request).collect();
    let port = chain.url.rsplit(':').next().context("no port")?.parse()?;
    let replies: Vec<Value> = serde_json::from_slice(&chain::post(port, &json!(body).to_string())?)?;
    ensure!(replies.len() == batch.len() && replies.iter().all(|reply| reply["error"].is_null()), "{replies:?}");
    Ok(())
}
