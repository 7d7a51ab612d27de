//! Gateways that share what they read through a store: all together cost the nodes hardly more than one, they answer
//! the same, and go on without the store. One fetches lists of tokens and documents for all.
//!
//! The store is the real `redis-server`. Where it is not installed, the tests say that they were skipped.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::document_server::DocumentServer;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::protocol::{PLUGINS, Plugin};
use portolan_tests::redis::Redis;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::token_list::token_list;
use portolan_tests::wait;
use portolan_tests::world::World;
use rustix::process::Signal;
use serde_json::json;

/// 75 farms, whose addresses and tokens are facts.
const PLUGIN: &str = "quickswap";
const NETWORK: &str = "polygon";
const SECRET: &str = "a secret of thirty-two bytes or more";
const WITHIN: Duration = Duration::from_secs(20);
const LIST_PATH: &str = "/list.json";
/// The account that there is a document about.
const DOCUMENTED: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// Changes the last byte of each value.
const CHANGE_ALL: &str = "for _, key in ipairs(redis.call('KEYS', '*')) do local value = redis.call('GET', key); \
    redis.call('SET', key, string.sub(value, 1, #value - 1) .. '!') end return 1";

/// A gateway, and the proxy before its node.
struct Replica {
    gateway: Gateway,
    rpc: RpcFault,
}

impl Replica {
    fn start(world: &World, store: Option<(&str, &str)>) -> Result<Self> {
        let plugin: Plugin = *PLUGINS.iter().find(|plugin| plugin.name == PLUGIN).context("no such plugin")?;
        let rpc = RpcFault::before(&world.chain(NETWORK)?.0.url)?;
        let mut setup = world.with(&[plugin])?.rpc(NETWORK, &rpc.url());
        let others = world.chains.iter().filter(|(_, truth)| truth.network != NETWORK);
        setup = others.fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url));
        if let Some((url, secret)) = store {
            // Long enough for a busy machine: what comes later is read from the node.
            setup = setup.config(&format!("[store]\nurl = '{url}'\nwait_ms = 1000"));
            setup = setup.variable("PORTOLAN_STORE_SECRET", secret);
        }
        let replica = Self { gateway: setup.start()?, rpc };
        if store.is_some() {
            let is_up = || {
                ensure!(replica.gateway.count("portolan_store_up")? == 1, "no connection");
                Ok::<_, anyhow::Error>(())
            };
            wait::until("the store", WITHIN, is_up)?;
        }
        Ok(replica)
    }

    /// Returns a cold answer, with the requests and bytes of calls that it cost at the node.
    fn fetch(&self, world: &World) -> Result<(String, usize, usize)> {
        // Nothing of what simulations need is shared.
        self.fetch_path(&format!("/{PLUGIN}/{}/claimables?simulate=false", world.address("farmer")?))
    }

    fn fetch_path(&self, path: &str) -> Result<(String, usize, usize)> {
        drop(self.rpc.take());
        let response = self.gateway.get(path)?;
        ensure!(response.status == 200 && response.header("portolan-partial").is_none(), "{response:?}");
        let is_call = |requested: &[u8]| String::from_utf8_lossy(requested).contains("\"eth_call\"");
        let calls: Vec<_> = self.rpc.take().into_iter().filter(|exchange| is_call(&exchange.requested)).collect();
        Ok((response.body, calls.len(), calls.iter().map(|call| call.requested.len()).sum()))
    }

    /// Waits until everything that is to be shared has been written, if there is anything.
    fn settled(&self) -> Result<()> {
        self.gateway.wait_until_shared()
    }

    /// Waits until everything that is to be shared has been written.
    fn wrote(&self) -> Result<u64> {
        let mut before = 0;
        let (written, _) = wait::until("writes", WITHIN, || {
            let now = self.gateway.count("portolan_store_written_total")?;
            let last = std::mem::replace(&mut before, now);
            ensure!(now > 0 && now == last, "{now} written, {last} before");
            Ok::<_, anyhow::Error>(now)
        })?;
        Ok(written)
    }
}

#[test]
fn a_further_gateway_with_a_warm_store_asks_for_less_and_answers_the_same_with_and_without_it() {
    let Some(mut redis) = Redis::start(&[]).unwrap() else { return println!("skipped: redis-server is not installed") };
    let (world, url) = (World::start().unwrap(), redis.url());
    let first = Replica::start(&world, Some((&url, SECRET))).unwrap();
    let (body, ..) = first.fetch(&world).unwrap();
    let written = first.wrote().unwrap();

    let alone = Replica::start(&world, None).unwrap();
    let (alone_body, alone_requests, alone_bytes) = alone.fetch(&world).unwrap();
    let second = Replica::start(&world, Some((&url, SECRET))).unwrap();
    let (second_body, requests, bytes) = second.fetch(&world).unwrap();
    println!(
        "{written} facts written; a cold gateway: {alone_requests} calls of {alone_bytes} B, with a warm store: {requests} of {bytes} B"
    );
    assert_eq!((&alone_body, &second_body), (&body, &body));
    // Facts are more than a fifth of the first reads, less those that claims depend on, which are read again.
    assert!(bytes * 5 < alone_bytes * 4, "{bytes} B with a warm store, {alone_bytes} B without one");
    let refused =
        |replica: &Replica| replica.gateway.count("portolan_store_lookups_total{outcome=\"refused\"}").unwrap();
    assert_eq!(refused(&second), 0);

    // One with another secret believes nothing of it, and says so.
    let foreign = Replica::start(&world, Some((&url, &SECRET.replace("thirty", "THIRTY")))).unwrap();
    assert_eq!(foreign.fetch(&world).unwrap().0, body);
    assert!(refused(&foreign) > 0);
    assert!(foreign.gateway.log().contains("an entry of the shared store is refused"), "{}", foreign.gateway.log());

    redis.signal(Signal::STOP).unwrap();
    for replica in [&first, &second, &foreign] {
        assert_eq!(replica.fetch(&world).unwrap().0, body);
    }
    redis.signal(Signal::CONT).unwrap();
    redis.kill();
    for replica in [&first, &second, &foreign] {
        assert_eq!(replica.fetch(&world).unwrap().0, body);
        assert!(!replica.gateway.log().contains(SECRET));
    }
}

#[test]
fn replicas_at_one_block_cost_the_node_hardly_more_than_one_gateway() {
    let Some(redis) = Redis::start(&[]).unwrap() else { return println!("skipped: redis-server is not installed") };
    let (world, url) = (World::start().unwrap(), redis.url());
    let replica = || Replica::start(&world, Some((&url, SECRET))).unwrap();
    let (alone, replicas) = (Replica::start(&world, None).unwrap(), [replica(), replica(), replica()]);
    let paths_of = |account: &str| {
        [
            format!("/balance/{account}/token-balances?network={NETWORK}"),
            format!("/{account}/native-balance?network={NETWORK}"),
            format!("/{PLUGIN}/{account}/claimables?simulate=false"),
        ]
    };
    let known = |who: &str| world.address(who).unwrap().to_owned();
    // Each learns what its own node can do.
    for path in paths_of(&known("exited")) {
        for gateway in replicas.iter().chain([&alone]) {
            gateway.fetch_path(&path).unwrap();
        }
    }
    // What claims rest on is read again by each gateway, once at a block.
    let unseen = (0..12).map(|number| format!("0xfee1{number:036x}"));
    let accounts = ["farmer", "whale", "dust", "nothing"].map(known).into_iter().chain(unseen);
    let paths: Vec<String> = accounts.flat_map(|account| paths_of(&account)).collect();
    let (mut of_one, mut of_all) = (0, [0; 3]);
    for path in paths {
        let (body, calls, _) = alone.fetch_path(&path).unwrap();
        of_one += calls;
        for (replica, all) in replicas.iter().zip(&mut of_all) {
            let (own, calls, _) = replica.fetch_path(&path).unwrap();
            assert_eq!(own, body, "{path}");
            *all += calls;
            replica.settled().unwrap();
        }
    }
    println!("{of_one} calls of one gateway, {of_all:?} of three with a store");
    assert!(of_all.iter().sum::<usize>() * 10 <= of_one * 11, "{of_all:?} calls of three, {of_one} of one");
}

/// Gateways that read a list of tokens from a URL, and a document for a plugin.
fn reading(documents: &DocumentServer, chain: &Chain, store: &str, config: &str) -> Result<Gateway> {
    let list = documents.url(LIST_PATH);
    // Long enough for a busy machine: what comes later is fetched.
    let config =
        format!("[store]\nurl = '{store}'\nwait_ms = 1000\n[tokens]\nshipped = false\nlists = ['{list}']\n{config}");
    let plugin = build::built()?.plugin("libportolan_hostile.so");
    let setup = Setup::default().config(&config).variable("PORTOLAN_STORE_SECRET", SECRET);
    let gateway = setup.rpc("polygon", &chain.url).plugin(&plugin, &["reads_documents"]).start()?;
    let has_list = || {
        let lists = gateway.operate("/lists")?.body;
        ensure!(lists.contains("\"tokens\":1,"), "{lists}");
        Ok::<_, anyhow::Error>(())
    };
    wait::until("the list", WITHIN, has_list)?;
    Ok(gateway)
}

#[test]
fn one_gateway_fetches_a_list_of_tokens_and_a_document_and_the_others_take_them() {
    let Some(redis) = Redis::start(&[]).unwrap() else { return println!("skipped: redis-server is not installed") };
    let (chain, url) = (Chain::start("polygon").unwrap(), redis.url());
    let token = json!({"chainId": 137, "address": format!("0x{:040x}", 0xaa), "name": "A token", "symbol": "ONE", "decimals": 18});
    let document_path = format!("/{DOCUMENTED}");
    let served = [
        (LIST_PATH.to_owned(), token_list("A list", &[token]).to_string()),
        (document_path.clone(), "{\"proof\":[\"0x11\"]}".to_owned()),
    ];
    let documents = DocumentServer::start(served.into()).unwrap();
    let grant = documents.grant("portolan-hostile", "merkle.example.org");
    let start = |config: &str| reading(&documents, &chain, &url, config).unwrap();
    let fetch = |gateway: &Gateway| {
        let response = gateway.get(&format!("/reads_documents/{DOCUMENTED}/claimables")).unwrap();
        (response.header("portolan-partial").map(str::to_owned), response.json().unwrap().items().unwrap().len())
    };
    let first = start(&grant);
    assert_eq!(fetch(&first), (None, 2));
    first.wait_until_shared().unwrap();
    let both = [LIST_PATH.to_owned(), document_path.clone()];
    assert_eq!(documents.requested(), both);

    let second = start(&grant);
    assert_eq!(fetch(&second), (None, 2));
    assert_eq!(documents.requested(), both, "the second takes what the first fetched");

    // What lies in the store is no way round a permission.
    let denied = start("");
    assert_eq!(fetch(&denied), (Some("reads_documents/polygon;reason=not-allowed".to_owned()), 1));
    assert_eq!(documents.requested(), both);

    redis.command(&["EVAL", CHANGE_ALL, "0"]).unwrap();
    let third = start(&grant);
    assert_eq!(fetch(&third), (None, 2));
    assert_eq!(documents.requested()[2..], both, "what was changed is fetched");
    assert!(third.count("portolan_store_lookups_total{outcome=\"refused\"}").unwrap() >= 2);
}
