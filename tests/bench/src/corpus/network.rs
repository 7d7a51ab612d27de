//! A network of the corpus: an anvil with its contracts, and before it an endpoint that knows its transactions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::contract::{self, DECIMALS, NAME, SYMBOL, TOKEN0, TOKEN1, TOTAL_SUPPLY};
use super::files::Corpus;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Setup;
use portolan_tests::rpc_fault::{RpcFault, Transactions};
use portolan_tests::truth::NETWORKS;

/// The corpus has no supplies, and no answer is scored by one.
const SUPPLY: u128 = 1_000_000_000_000_000_000_000_000;
/// Networks that do not ship: chain id, native token, and the contract that wraps it.
const FURTHER: [(u64, &str, &str); 4] = [
    (100, "XDAI", "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d"),
    (534_352, "ETH", "0x5300000000000000000000000000000000000004"),
    (999, "HYPE", "0x5555555555555555555555555555555555555555"),
    (143, "MON", "0x3bd359c1119da7da1d913d1c4d2b7c461115433a"),
];
/// So that the gateway can prove a block by those before it.
const BLOCKS: &str = "0x4";
/// One of them, and not the last.
const BLOCK: &str = "0x1";

/// Ends with the value.
#[derive(Debug)]
pub(super) struct Network {
    chain_id: u64,
    name: String,
    endpoint: RpcFault,
    _chain: Chain,
}

impl Network {
    pub(super) fn start(corpus: &Corpus, chain_id: u64) -> Result<Self> {
        let own = || corpus.transactions.iter().filter(|transaction| transaction.chain_id == chain_id);
        let name = own().next().context("a network without transactions")?.network.clone();
        let chain = Chain::bare(chain_id)?;
        for (address, calls) in contracts(corpus, chain_id) {
            let calls: Vec<(String, String)> = calls.into_iter().collect();
            let code = contract::code(&calls).with_context(|| address.clone())?;
            chain.rpc("anvil_setCode", json!([address, code]))?;
        }
        chain.rpc("anvil_mine", json!([BLOCKS]))?;
        let endpoint = RpcFault::before(&chain.url)?;
        let mut transactions = Transactions::default();
        for mined in own() {
            transactions.add(&mined.hash, &moved(&mined.transaction), &moved(&mined.receipt));
        }
        endpoint.knows(transactions);
        Ok(Self { chain_id, name, endpoint, _chain: chain })
    }

    /// Names its endpoint; and the network itself, where the gateway does not know it.
    pub(super) fn named_in(&self, setup: Setup) -> Setup {
        let url = self.endpoint.url();
        if let Some((slug, ..)) = NETWORKS.iter().find(|network| network.3 == self.chain_id) {
            return setup.rpc(slug, &url);
        }
        let slug = self.name.to_lowercase();
        let Some((.., native, wrapped)) = FURTHER.iter().find(|(chain_id, ..)| *chain_id == self.chain_id) else {
            return setup.rpc(&slug, &url);
        };
        let Self { name, chain_id, .. } = self;
        let table = format!("[networks.{slug}]\nname = {name:?}\nchain_id = {chain_id}\nnative = {native:?}\n");
        let table = format!("{table}wrapped_native = {wrapped:?}\nlogo = \"https://example.invalid/logo.png\"");
        setup.config(&table).rpc(&slug, &url)
    }
}

/// The same in a block of the anvil's: nothing is read at a block before the transaction's own, and the anvil has none as
/// high as those of the corpus.
fn moved(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let moved = |(name, value): (&String, &Value)| match name.as_str() {
                "blockNumber" => (name.clone(), json!(BLOCK)),
                _ => (name.clone(), moved(value)),
            };
            members.iter().map(moved).collect::<Map<String, Value>>().into()
        }
        Value::Array(items) => items.iter().map(moved).collect(),
        other => other.clone(),
    }
}

/// Returns the replies of the contracts in the lists: address, then call and reply. Views that the folder has of a
/// token or a pool take precedence over what its lists say.
fn contracts(corpus: &Corpus, chain_id: u64) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut answers = |contract: &str, call: &str, reply: String| {
        found.entry(contract.to_lowercase()).or_default().insert(call.to_owned(), reply);
    };
    for token in corpus.tokens.iter().filter(|token| token.chain_id == chain_id) {
        let (name, symbol) = (token.name.as_deref().map(contract::text), token.symbol.as_deref().map(contract::text));
        let decimals = token.decimals.map(|decimals| contract::number(decimals.into()));
        let supply = Some(contract::number(SUPPLY));
        for (call, reply) in [(NAME, name), (SYMBOL, symbol), (DECIMALS, decimals), (TOTAL_SUPPLY, supply)] {
            reply.into_iter().for_each(|reply| answers(&token.address, call, reply));
        }
    }
    for pool in corpus.pools.iter().filter(|pool| pool.chain_id == chain_id) {
        answers(&pool.address, TOKEN0, contract::address(&pool.token0));
        answers(&pool.address, TOKEN1, contract::address(&pool.token1));
    }
    for view in corpus.views.iter().filter(|view| view.chain_id == chain_id) {
        let hex = |text: &str| text.trim_start_matches("0x").to_lowercase();
        answers(&view.to, &hex(&view.data), hex(&view.result));
    }
    found
}
