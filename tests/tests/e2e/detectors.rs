//! Contracts that tell a trial from a transaction, each in a way of its own: they pay in a trial, and take a staked token
//! when the claim is sent. What is told `paid` must not take anything, but for the ways that
//! `host/docs/use/proof.md` names.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use portolan_tests::build;
use portolan_tests::chain::{Chain, quantity};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{Flaws, RpcFault};
use portolan_tests::wait;
use serde_json::{Value, json};

const ACCOUNT: &str = "0x00000000000000000000000000000000000acc07";
const BUILDER: &str = "0x00000000000000000000000000000000000b111d";
const TEN: u128 = 10_000_000_000_000_000_000;
const CHAIN_ID: u64 = 137;

/// The ways by their numbers in the contract.
const WAYS: [&str; 22] = [
    "never",
    "code of the sender",
    "code hash of the sender",
    "gas price",
    "gas price below the base fee",
    "base fee",
    "fee recipient",
    "balance of the fee recipient",
    "balance of the sender",
    "gas left",
    "gas that the sender cannot pay",
    "origin",
    "parent hash",
    "randomness",
    "gas limit of the block",
    "own balance",
    "transient storage",
    "warm token",
    "blob base fee",
    "precompile",
    "number of the block",
    "time of the block",
];

/// Beyond reach: the block of a transaction is a later one than that of any trial.
const LATER: [&str; 2] = ["number of the block", "time of the block"];
/// How much later that block is, at least: longer than the fixture takes.
const LATER_BLOCKS: u64 = 200;
const LATER_SECONDS: u64 = 3_600;
/// Further differences that the first trial of a function lets pass: its gas limit follows from it.
const AT_FIRST: [&str; 1] = ["gas left"];

/// Features that let a contract recognise the program at the account's address, and the call by which it is run.
const OF_THE_PROGRAM: [&str; 5] = [
    "code of the sender",
    "code hash of the sender",
    "gas price",
    "gas price below the base fee",
    "balance of the sender",
];

struct Fixture {
    chain: Chain,
    stake: String,
    /// By way.
    farms: Vec<String>,
}

fn word(number: u128) -> String {
    format!("{number:064x}")
}

fn address_word(address: &str) -> String {
    format!("{:0>64}", address.strip_prefix("0x").unwrap())
}

fn token(chain: &Chain, symbol: &str) -> Result<String> {
    let hex: String = symbol.bytes().map(|byte| format!("{byte:02x}")).collect();
    let text = format!("{}{hex:0<64}", word(symbol.len() as u128));
    chain.deploy("TokenDouble", &format!("{}{}{}{text}{text}", word(96), word(160), word(18)))
}

impl Fixture {
    fn start(balance: u128) -> Result<Self> {
        let chain = Chain::bare(CHAIN_ID)?;
        chain.rpc("anvil_setCoinbase", json!([BUILDER]))?;
        chain.rpc("anvil_setBalance", json!([BUILDER, "0x1"]))?;
        let (reward, stake) = (token(&chain, "RWD")?, token(&chain, "STK")?);
        let mint = |token: &str, to: &str| {
            let data = format!("0x40c10f19{}{}", address_word(to), word(TEN));
            chain.send(&json!({"from": ACCOUNT, "to": token, "data": data}))
        };
        mint(&stake, ACCOUNT)?;
        let head = chain.block("latest")?;
        let (number, time) = (quantity(&head["number"])?, quantity(&head["timestamp"])?);
        let known = |way: &str| match way {
            "number of the block" => u128::from(number + LATER_BLOCKS),
            "time of the block" => u128::from(time + LATER_SECONDS),
            "own balance" => 0,
            // Its balance before it has paid for any gas.
            _ => balance,
        };
        let mut farms = Vec::new();
        for (place, way) in WAYS.iter().enumerate() {
            let arguments =
                [address_word(&reward), address_word(&stake), word(place as u128), word(TEN), word(known(way))];
            let farm = chain.deploy("DetectorDouble", &arguments.concat())?;
            mint(&reward, &farm)?;
            let data = format!("0x095ea7b3{}{}", address_word(&farm), word(TEN));
            chain.send(&json!({"from": ACCOUNT, "to": stake, "data": data}))?;
            farms.push(farm);
        }
        // Another farm pays the staked token, which is watched in all claims then.
        let arguments = [address_word(&stake), address_word(&reward), word(0), word(TEN)].concat();
        let staked = chain.deploy("FarmDouble", &arguments)?;
        mint(&stake, &staked)?;
        farms.push(staked);
        chain.rpc("anvil_setBalance", json!([ACCOUNT, format!("{balance:#x}")]))?;
        chain.settle()?;
        Ok(Self { chain, stake, farms })
    }

    fn serve(&self, url: &str) -> Gateway {
        let farms: Vec<String> = self.farms.iter().map(|farm| format!("\"{farm}\"")).collect();
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"quickswap\"\nnetwork = \"polygon\"\nmarket = \"farms\"\nfarms = [{}]\n",
            farms.join(", ")
        );
        let dylib = build::built().unwrap().plugin("libquickswap.so");
        let setup = Setup::default().rpc("polygon", url).settings("quickswap", &settings);
        setup.plugin(&dylib, &["quickswap"]).start().unwrap()
    }

    /// The ways of the claims that are told `paid` and that take the staked token when they are sent as they are told.
    fn fooled_by(&self, gateway: &Gateway, search: &str) -> BTreeSet<&'static str> {
        let response = gateway.get(&format!("/quickswap/{ACCOUNT}/claimables?{search}")).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{}", response.body);
        let body = response.json().unwrap();
        let rows = body.items().unwrap();
        assert_eq!(rows.len(), self.farms.len());
        rows.iter()
            .filter(|row| row.text_at("simulated").ok() == Some("paid"))
            .filter_map(|row| self.fooled(row))
            .collect()
    }

    fn fooled(&self, row: &Json) -> Option<&'static str> {
        let text = |name: &str| row.text_at(&format!("claimTransaction/{name}")).unwrap().to_owned();
        let (to, data) = (text("to"), text("data"));
        let way = WAYS.get(self.farms.iter().position(|farm| *farm == to).unwrap())?;
        let mut sent = json!({"from": ACCOUNT, "to": to, "data": data});
        let gas = row.at("claimTransaction").unwrap().get("gas");
        if let Some(Ok(gas)) = gas.map(|gas| gas.to_string().parse::<u64>()) {
            sent["gas"] = json!(format!("{gas:#x}"));
        }
        let balance = || self.chain.token_balance(&self.stake, ACCOUNT).unwrap();
        let (before, snapshot) = (balance(), self.chain.snapshot().unwrap());
        if LATER.contains(way) {
            let time = quantity(&self.chain.block("latest").unwrap()["timestamp"]).unwrap() + LATER_SECONDS;
            self.chain.rpc("anvil_mine", json!([format!("{LATER_BLOCKS:#x}")])).unwrap();
            self.chain.rpc("evm_setNextBlockTimestamp", json!([time])).unwrap();
        }
        let receipt = self.send(&sent);
        assert_eq!(receipt["status"], "0x1", "{way}: {receipt}");
        let is_taken = balance() != before;
        self.chain.revert(&snapshot).unwrap();
        is_taken.then_some(*way)
    }

    /// Sends a transaction of the account with the money that it has.
    fn send(&self, transaction: &Value) -> Value {
        let rpc = |method: &str, params: Value| self.chain.rpc(method, params).unwrap();
        rpc("anvil_impersonateAccount", json!([ACCOUNT]));
        let hash = rpc("eth_sendTransaction", json!([transaction]));
        rpc("evm_mine", json!([]));
        rpc("anvil_stopImpersonatingAccount", json!([ACCOUNT]));
        rpc("eth_getTransactionReceipt", json!([hash]))
    }
}

fn set(ways: &[&'static str]) -> BTreeSet<&'static str> {
    ways.iter().copied().collect()
}

/// 100 of the native token.
const WEALTH: u128 = 100_000_000_000_000_000_000;

#[test]
fn nothing_but_a_later_block_is_told_from_a_trial() {
    let fixture = Fixture::start(WEALTH).unwrap();
    let gateway = fixture.serve(&fixture.chain.url);
    assert_eq!(fixture.fooled_by(&gateway, ""), set(&[&LATER[..], &AT_FIRST].concat()));
    assert_eq!(fixture.fooled_by(&fixture.serve(&fixture.chain.url), "simulate=true"), set(&LATER));
    // Its limit is known from the next block on.
    fixture.chain.settle().unwrap();
    wait::until("a later trial", Duration::from_secs(60), || match fixture.fooled_by(&gateway, "") {
        fooled if fooled == set(&LATER) => Ok(()),
        fooled => Err(format!("{fooled:?}")),
    })
    .unwrap();
}

#[test]
fn an_account_that_cannot_pay_for_the_gas_of_a_trial_is_not_told_from_one_that_can() {
    // Enough for each claim as it is sent, and not for the limit of a first trial.
    let fixture = Fixture::start(WEALTH / 100_000).unwrap();
    let fooled = fixture.fooled_by(&fixture.serve(&fixture.chain.url), "simulate=true");
    assert_eq!(fooled, set(&LATER));
}

#[test]
fn without_eth_simulate_v1_a_trial_can_be_told_in_the_ways_that_the_readme_names() {
    let fixture = Fixture::start(WEALTH).unwrap();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    rpc.flawed(Flaws { lacks: &["eth_simulateV1"], ..Flaws::default() });
    let fooled = fixture.fooled_by(&fixture.serve(&rpc.url()), "simulate=true");
    assert_eq!(fooled, set(&[&LATER[..], &OF_THE_PROGRAM].concat()));
}
