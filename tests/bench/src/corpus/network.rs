//! A network of the corpus: an anvil with its tokens and pools, and before it an endpoint that knows its transactions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::contract::{self, DECIMALS, NAME, SYMBOL, TOKEN0, TOKEN1, TOTAL_SUPPLY};
use super::files::Corpus;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Setup;
use portolan_tests::rpc_fault::{RpcFault, Transactions};
use portolan_tests::truth::NETWORKS;

/// The corpus has no supplies, and no answer is scored by one.
const SUPPLY: u128 = 1_000_000_000_000_000_000_000_000;
/// So that the gateway can prove a block by those before it.
const BLOCKS: &str = "0x4";

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
        for (address, views) in contracts(corpus, chain_id) {
            let code = contract::code(&views).with_context(|| address.clone())?;
            chain.rpc("anvil_setCode", json!([address, code]))?;
        }
        chain.rpc("anvil_mine", json!([BLOCKS]))?;
        let endpoint = RpcFault::before(&chain.url)?;
        let mut transactions = Transactions::default();
        own().for_each(|mined| transactions.add(&mined.hash, &mined.transaction, &mined.receipt));
        endpoint.knows(transactions);
        Ok(Self { chain_id, name, endpoint, _chain: chain })
    }

    /// Names its endpoint; and the network itself, where the gateway does not know it.
    pub(super) fn named_in(&self, setup: Setup) -> Setup {
        match NETWORKS.iter().find(|network| network.3 == self.chain_id) {
            Some((slug, ..)) => setup.rpc(slug, &self.endpoint.url()),
            None => {
                let slug = self.name.to_lowercase();
                let Self { name, chain_id, .. } = self;
                let table = format!("[networks.{slug}]\nname = {name:?}\nchain_id = {chain_id}\nnative = \"ETH\"\n");
                setup
                    .config(&format!("{table}logo = \"https://example.invalid/logo.png\""))
                    .rpc(&slug, &self.endpoint.url())
            }
        }
    }
}

/// Every token and pool with its views, each once.
fn contracts(corpus: &Corpus, chain_id: u64) -> BTreeMap<String, Vec<(&'static str, String)>> {
    let mut found: BTreeMap<String, Vec<(&str, String)>> = BTreeMap::new();
    for token in corpus.tokens.iter().filter(|token| token.chain_id == chain_id) {
        let views = found.entry(token.address.to_lowercase()).or_default();
        views.extend(token.name.as_deref().map(|name| (NAME, contract::text(name))));
        views.extend(token.symbol.as_deref().map(|symbol| (SYMBOL, contract::text(symbol))));
        views.extend(token.decimals.map(|decimals| (DECIMALS, contract::number(decimals.into()))));
        views.push((TOTAL_SUPPLY, contract::number(SUPPLY)));
    }
    for pool in corpus.pools.iter().filter(|pool| pool.chain_id == chain_id) {
        let views = found.entry(pool.address.to_lowercase()).or_default();
        views.extend([(TOKEN0, contract::address(&pool.token0)), (TOKEN1, contract::address(&pool.token1))]);
    }
    found
}
