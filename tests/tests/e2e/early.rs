//! A transaction that is decoded before answers are at its block: a token that was made in it is shown as it is, then
//! and by every later answer. The pinned block lags because the first endpoint does; nothing waits for real blocks.

use std::time::Duration;

use alloy::primitives::{Address, U256, hex, keccak256};
use anyhow::{Result, ensure};
use bigdecimal::BigDecimal;
use portolan_tests::chain::{Chain, quantity};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{Flaws, RpcFault};
use portolan_tests::wait;
use serde_json::json;
use tempfile::NamedTempFile;

const NETWORK: &str = "polygon";
const CHAIN_ID: u64 = 137;
const ACCOUNT: Address = Address::repeat_byte(0x11);
/// 7.654321 of six decimals.
const AMOUNT: u64 = 7_654_321;
const PURSE_WEI: &str = "0x8ac7230489e80000";
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(30);

/// A contract that returns a word for each selector, and reverts for all others.
pub(crate) fn runtime(views: &[(&str, U256)]) -> Vec<u8> {
    const HEAD: [u8; 6] = [0x60, 0x00, 0x35, 0x60, 0xe0, 0x1c];
    const CASE: usize = 11;
    const REVERT: [u8; 5] = [0x60, 0x00, 0x60, 0x00, 0xfd];
    const BODY: usize = 42;
    let bodies = HEAD.len() + views.len() * CASE + REVERT.len();
    let (mut code, mut returns) = (HEAD.to_vec(), Vec::new());
    for (place, (signature, word)) in views.iter().enumerate() {
        let body = u16::try_from(bodies + place * BODY).unwrap();
        code.extend([0x80, 0x63]);
        code.extend(&keccak256(signature)[..4]);
        code.extend([0x14, 0x61]);
        code.extend(body.to_be_bytes());
        code.push(0x57);
        returns.extend([0x5b, 0x7f]);
        returns.extend(word.to_be_bytes::<32>());
        returns.extend([0x60, 0x00, 0x52, 0x60, 0x20, 0x60, 0x00, 0xf3]);
    }
    code.extend(REVERT);
    code.extend(returns);
    code
}

/// Returns the code that creates a token of six decimals that the account gets all of, with an event.
fn creation() -> Vec<u8> {
    let text = |text: &str| U256::from_be_slice(&[text.as_bytes(), &[0; 32][text.len()..]].concat());
    let runtime = runtime(&[
        ("name()", text("Early Token")),
        ("symbol()", text("EARLY")),
        ("decimals()", U256::from(6)),
        ("totalSupply()", U256::from(AMOUNT)),
        ("balanceOf(address)", U256::from(AMOUNT)),
    ]);
    let length = u16::try_from(runtime.len()).unwrap().to_be_bytes();
    let mut code = vec![0x7f];
    code.extend(U256::from(AMOUNT).to_be_bytes::<32>());
    code.extend([0x60, 0x00, 0x52, 0x7f]);
    code.extend(ACCOUNT.into_word());
    code.extend([0x60, 0x00, 0x7f]);
    code.extend(keccak256("Transfer(address,address,uint256)"));
    code.extend([0x60, 0x20, 0x60, 0x00, 0xa3]);
    let offset = u16::try_from(code.len() + 15).unwrap().to_be_bytes();
    code.extend([0x61, length[0], length[1], 0x61, offset[0], offset[1], 0x60, 0x00, 0x39]);
    code.extend([0x61, length[0], length[1], 0x60, 0x00, 0xf3]);
    code.extend(runtime);
    code
}

/// Makes the token in the next block, and mines the others above it; its transaction and the number of its block.
fn make_token(chain: &Chain, from: Address, timestamps: &[u64]) -> Result<(String, u64)> {
    chain.rpc("anvil_setBalance", json!([from, PURSE_WEI]))?;
    chain.rpc("anvil_impersonateAccount", json!([from]))?;
    let data = hex::encode_prefixed(creation());
    let hash = chain.rpc("eth_sendTransaction", json!([{"from": from, "data": data, "gas": "0x1e8480"}]))?;
    for timestamp in timestamps {
        chain.rpc("evm_setNextBlockTimestamp", json!([timestamp]))?;
        chain.rpc("evm_mine", json!([]))?;
    }
    let receipt = chain.rpc("eth_getTransactionReceipt", json!([hash]))?;
    ensure!(receipt["status"] == "0x1", "{receipt}");
    Ok((hash.as_str().unwrap_or_default().to_owned(), quantity(&receipt["blockNumber"])?))
}

fn head(chain: &Chain) -> (u64, u64) {
    let block = chain.block("latest").unwrap();
    (quantity(&block["number"]).unwrap(), quantity(&block["timestamp"]).unwrap())
}

fn token_list(token: Address) -> NamedTempFile {
    let version = json!({"major": 1, "minor": 0, "patch": 0});
    let token = json!({"chainId": CHAIN_ID, "address": token, "name": "Early Token", "symbol": "EARLY", "decimals": 6});
    let list = json!({"name": "Early", "timestamp": "2025-06-15T00:00:00Z", "version": version, "tokens": [token]});
    let file = NamedTempFile::with_suffix(".json").unwrap();
    std::fs::write(file.path(), list.to_string()).unwrap();
    file
}

/// A whole answer, and the block that it is at.
fn whole(gateway: &Gateway, path: &str) -> (Json, u64) {
    let response = gateway.get(path).unwrap();
    assert_eq!(response.status, 200, "{path}: {}\n{}", response.body, gateway.log());
    assert_eq!(response.header("portolan-partial"), None, "{path}: {}", response.body);
    let block = response.header("portolan-blocks").unwrap().strip_prefix("polygon=").unwrap().parse().unwrap();
    (response.json().unwrap(), block)
}

fn amount() -> BigDecimal {
    BigDecimal::new(AMOUNT.into(), 6)
}

fn assert_decoded(what: &str, events: &Json) {
    let [event] = events.items().unwrap() else { panic!("{what}: {events}") };
    assert_eq!(event.number_at("metadata/amount").unwrap(), amount(), "{what}: {event}");
    assert_token(what, event.at("metadata/asset").unwrap());
}

fn assert_token(what: &str, token: &Json) {
    assert_eq!(token.text_at("symbol").unwrap(), "EARLY", "{what}");
    assert_eq!(token.at("decimals").unwrap().to_string(), "6", "{what}");
}

#[test]
fn a_token_that_was_made_in_a_transaction_is_shown_right_however_early_it_is_decoded() {
    let chain = Chain::bare(CHAIN_ID).unwrap();
    chain.rpc("anvil_mine", json!(["0xa"])).unwrap();
    // Blocks every 0.2 s have five to a second; those every 2 and 12 s are one behind.
    for (what, blocks, seconds) in [("every 0.2 s", 5, 0), ("every 2 s", 1, 2), ("every 12 s", 1, 12)] {
        let maker = Address::left_padding_from(&[0xee, blocks, seconds]);
        // The first contract that the maker creates: the RLP list of its address and nonce 0.
        let token = Address::from_word(keccak256([&[0xd6, 0x94][..], maker.as_slice(), &[0x80]].concat()));
        let list = token_list(token);
        let (lagging, sound) = (RpcFault::before(&chain.url).unwrap(), RpcFault::before(&chain.url).unwrap());
        let config = format!(
            "[tokens]\nshipped = false\nlists = [{:?}]\n[prices.static]\npolygon.\"{token:#x}\" = \"1.5\"\n",
            list.path()
        );
        let setup = Setup::default().config(&config);
        let gateway = setup.rpc(NETWORK, &lagging.url()).rpc(NETWORK, &sound.url()).start().unwrap();
        let native = format!("/{ACCOUNT:#x}/native-balance?network={NETWORK}");
        whole(&gateway, &native);

        let (_, timestamp) = head(&chain);
        lagging.flawed(Flaws { behind: blocks.into(), ..Flaws::default() });
        let timestamps = vec![timestamp + u64::from(seconds.max(1)); blocks.into()];
        let (hash, number) = make_token(&chain, maker, &timestamps).unwrap();
        let decode = format!("/events/decode/{hash}?network={NETWORK}");
        let (events, read_at) = whole(&gateway, &decode);
        assert_decoded(what, &events);
        assert_eq!(read_at, number, "{what}: the transaction's own block");

        lagging.flawed(Flaws::default());
        let caught_up = || match whole(&gateway, &native).1 {
            at if at >= number => Ok(()),
            at => Err(format!("answers are at {at}, the token is of {number}")),
        };
        wait::until("the token's block", CAUGHT_UP_WITHIN, caught_up).unwrap();
        let (balances, _) = whole(&gateway, &format!("/balance/{ACCOUNT:#x}/token-balances?network={NETWORK}"));
        let [balance] = balances.items().unwrap() else { panic!("{what}: {balances}") };
        assert_token(what, balance.at("token").unwrap());
        assert_eq!(balance.number_at("amount").unwrap(), amount(), "{what}");
        // 7.654321 at 1.5 dollars.
        assert_eq!(balance.number_at("dollarValue").unwrap(), BigDecimal::new(114_814_815.into(), 7), "{what}");
        assert_decoded(what, &whole(&gateway, &decode).0);
    }
}
