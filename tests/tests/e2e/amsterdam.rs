//! Native movements by the rules of Amsterdam, where each leaves a log (EIP-7708): a node of that fork runs transactions
//! of many kinds, and what the gateway says of each account is what the node's balances say.

mod code;
mod kinds;

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, B256, I256, U256};
use anyhow::{Context as _, Result, ensure};
use portolan_tests::chain::{Chain, quantity};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;
use serde_json::{Value, json};

use self::kinds::{ALICE, COINBASE, Kind, Kinds, WETH};

const CHAIN_ID: u64 = 1;
/// The system's own address, which logs movements.
const SYSTEM: &str = "0xfffffffffffffffffffffffffffffffffffffffe";

struct Fixture {
    chain: Chain,
    gateway: Gateway,
    kinds: Kinds,
}

impl Fixture {
    fn start() -> Result<Self> {
        let (chain, kinds) = (Chain::amsterdam(CHAIN_ID, &format!("{COINBASE:#x}"))?, Kinds::all());
        let set = |method: &str, of: Address, to: Value| chain.rpc(method, json!([of, to])).map(drop);
        for placed in &kinds.contracts {
            set("hardhat_setCode", placed.address, json!(placed.code.hex()))?;
            set("hardhat_setBalance", placed.address, json!(U256::from(placed.wei)))?;
        }
        set("hardhat_setBalance", ALICE, json!(U256::from(10_u64.pow(18)) * U256::from(1_000)))?;
        chain.rpc("hardhat_impersonateAccount", json!([ALICE]))?;
        place_wrapper(&chain)?;
        chain.rpc("hardhat_mine", json!(["0x2"]))?;
        let gateway = Setup::default().rpc("ethereum", &chain.url).start()?;
        Ok(Self { chain, gateway, kinds })
    }

    /// Sends a transaction that offers its block's builder nothing, for that is no movement; its receipt.
    fn send(&self, transaction: &Value) -> Result<Value> {
        let mut transaction = transaction.clone();
        transaction["from"] = json!(ALICE);
        transaction["maxFeePerGas"] = json!(U256::from(50_000_000_000_u64));
        transaction["maxPriorityFeePerGas"] = json!("0x0");
        if transaction["gas"].is_null() {
            transaction["gas"] = json!(U256::from(3_000_000));
        }
        let hash = self.chain.rpc("eth_sendTransaction", json!([transaction]))?;
        self.chain.rpc("eth_getTransactionReceipt", json!([hash]))
    }

    fn balance(&self, of: Address, number: u64) -> Result<U256> {
        word(&self.chain.rpc("eth_getBalance", json!([of, U256::from(number)]))?)
    }

    /// By how much the block of a receipt changed an account's balance, with what the account paid for gas.
    fn moved(&self, of: Address, receipt: &Value) -> Result<I256> {
        let number = quantity(&receipt["blockNumber"])?;
        let [before, after] = [number - 1, number].map(|number| self.balance(of, number));
        let gas = if of == ALICE { gas(receipt)? } else { U256::ZERO };
        Ok(I256::from_raw(after? + gas) - I256::from_raw(before?))
    }

    /// Returns the faults of the answers about a transaction, account by account.
    fn faults(&self, kind: &Kind) -> Result<Vec<String>> {
        let receipt = self.send(&kind.transaction)?;
        ensure!((receipt["status"] == "0x1") == kind.succeeds, "{receipt}");
        let logs = receipt["logs"].as_array().context("no logs")?;
        ensure!(logs.iter().any(|log| log["address"] == SYSTEM) == kind.moves, "{receipt}");
        let mut accounts: BTreeSet<Address> = self.kinds.accounts().into_iter().collect();
        let topics = logs.iter().filter_map(|log| log["topics"].as_array()).flatten();
        let words = topics.filter_map(|topic| topic.as_str()?.parse::<B256>().ok());
        accounts.extend(words.filter(|word| word[..12] == [0; 12]).map(Address::from_word));
        accounts.extend(receipt["contractAddress"].as_str().and_then(|created| created.parse::<Address>().ok()));
        let mut faults = Vec::new();
        for account in accounts {
            let part = self.part(&receipt, account)?;
            let (said, expected) = (in_and_out(&part)?, self.moved(account, &receipt)?);
            if said != expected || part.at("complete")? != &Json::Bool(true) {
                faults.push(format!("{}, {account:#x}: moved {expected}, not {said}: {part}", kind.what));
            }
            if account == ALICE && part.text_at("gas/amountRaw")? != gas(&receipt)?.to_string() {
                faults.push(format!("{}: gas is {}: {part}", kind.what, gas(&receipt)?));
            }
        }
        Ok(faults)
    }

    fn part(&self, receipt: &Value, account: Address) -> Result<Json> {
        let hash = receipt["transactionHash"].as_str().context("no hash")?;
        let path = format!("/events/decode/{hash}?network=ethereum&account={account:#x}&detail=full");
        let response = self.gateway.get(&path)?;
        ensure!(response.status == 200, "{path}: {}\n{}", response.body, self.gateway.log());
        Ok(response.json()?.at("account")?.clone())
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// Puts the real wrapper to its address, with its name and decimals.
fn place_wrapper(chain: &Chain) -> Result<()> {
    let built = Chain::start("ethereum")?;
    let code = built.rpc("eth_getCode", json!([WETH, "latest"]))?;
    chain.rpc("hardhat_setCode", json!([WETH, code]))?;
    for slot in ["0x0", "0x1", "0x2"] {
        let value = built.rpc("eth_getStorageAt", json!([WETH, slot, "latest"]))?;
        chain.rpc("hardhat_setStorageAt", json!([WETH, slot, value]))?;
    }
    Ok(())
}

fn word(quantity: &Value) -> Result<U256> {
    Ok(quantity.as_str().context("no quantity")?.parse()?)
}

fn gas(receipt: &Value) -> Result<U256> {
    Ok(word(&receipt["gasUsed"])? * word(&receipt["effectiveGasPrice"])?)
}

/// Returns the native token that came in, less what went out.
fn in_and_out(part: &Json) -> Result<I256> {
    let sum = |list: &str| -> Result<I256> {
        let rows = part.at(list)?.items()?.iter().filter(|row| row.text_at("tokenAddress").is_ok_and(|of| of == "0x0"));
        rows.map(|row| Ok(row.text_at("amountRaw")?.parse::<I256>()?)).sum()
    };
    Ok(sum("in")? - sum("out")?)
}

#[test]
fn each_kind_of_native_movement_is_complete_and_right_to_the_wei() {
    let fixture = fixture();
    let kinds = &fixture.kinds.kinds;
    assert!(kinds.len() >= 43, "{}", kinds.len());
    let faults: Vec<String> = kinds
        .iter()
        .flat_map(|kind| {
            fixture.faults(kind).with_context(|| kind.what).unwrap_or_else(|error| vec![format!("{error:#}")])
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
