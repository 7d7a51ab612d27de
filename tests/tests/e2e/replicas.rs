//! Gateways that share facts through a store: a further one asks the nodes for less, answers the same, and goes on
//! without the store.
//!
//! The store is the real `redis-server`. Where it is not installed, the tests say that they were skipped.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::gateway::Gateway;
use portolan_tests::protocol::{PLUGINS, Plugin};
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::wait;
use portolan_tests::world::World;
use tempfile::TempDir;

/// 75 farms, whose addresses and tokens are facts.
const PLUGIN: &str = "quickswap";
const NETWORK: &str = "polygon";
const SECRET: &str = "a secret of thirty-two bytes or more";
const WITHIN: Duration = Duration::from_secs(20);

/// A store at a socket of its own; it ends with the test.
struct Redis {
    process: Child,
    folder: TempDir,
}

impl Redis {
    /// Starts the server; `None`, after saying so, if it is not installed.
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no", "--unixsocket"]);
        command.arg(folder.path().join("socket")).arg("--dir").arg(folder.path());
        match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(process) => Some(Self { process, folder }),
            Err(error) => {
                eprintln!("skipped: redis-server cannot be started ({error})");
                None
            }
        }
    }

    fn url(&self) -> String {
        format!("redis+unix://{}", self.folder.path().join("socket").display())
    }

    fn kill(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

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
                ensure!(replica.metric("portolan_store_up")? == 1, "no connection");
                Ok::<_, anyhow::Error>(())
            };
            wait::until("the store", WITHIN, is_up)?;
        }
        Ok(replica)
    }

    /// Returns the value of a metric, or the sum of those with its name.
    fn metric(&self, name: &str) -> Result<u64> {
        let page = self.gateway.operate("/metrics")?.body;
        let values = page.lines().filter(|line| line.starts_with(name)).filter_map(|line| line.rsplit(' ').next());
        values.map(|value| value.parse::<u64>().context("a metric is not a count")).sum()
    }

    /// Returns a cold answer, with the requests and bytes of calls that it cost at the node.
    fn fetch(&self, world: &World) -> Result<(String, usize, usize)> {
        drop(self.rpc.take());
        // Nothing of what simulations need is a fact.
        let path = format!("/{PLUGIN}/{}/claimables?simulate=false", world.address("farmer")?);
        let response = self.gateway.get(&path)?;
        ensure!(response.status == 200 && response.header("portolan-partial").is_none(), "{response:?}");
        let is_call = |requested: &[u8]| String::from_utf8_lossy(requested).contains("\"eth_call\"");
        let calls: Vec<_> = self.rpc.take().into_iter().filter(|exchange| is_call(&exchange.requested)).collect();
        Ok((response.body, calls.len(), calls.iter().map(|call| call.requested.len()).sum()))
    }

    /// Waits until everything that is to be shared has been written.
    fn wrote(&self) -> Result<u64> {
        let mut before = 0;
        let (written, _) = wait::until("writes", WITHIN, || {
            let now = self.metric("portolan_store_written_total")?;
            let last = std::mem::replace(&mut before, now);
            ensure!(now > 0 && now == last, "{now} written, {last} before");
            Ok::<_, anyhow::Error>(now)
        })?;
        Ok(written)
    }
}

#[test]
fn a_further_gateway_with_a_warm_store_asks_for_less_and_answers_the_same_with_and_without_it() {
    let Some(mut redis) = Redis::start() else { return };
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
    let refused = |replica: &Replica| replica.metric("portolan_store_lookups_total{outcome=\"refused\"}").unwrap();
    assert_eq!(refused(&second), 0);

    // One with another secret believes nothing of it, and says so.
    let foreign = Replica::start(&world, Some((&url, &SECRET.replace("thirty", "THIRTY")))).unwrap();
    assert_eq!(foreign.fetch(&world).unwrap().0, body);
    assert!(refused(&foreign) > 0);
    assert!(foreign.gateway.log().contains("an entry of the shared store is refused"), "{}", foreign.gateway.log());

    redis.kill();
    for replica in [&first, &second, &foreign] {
        assert_eq!(replica.fetch(&world).unwrap().0, body);
        assert!(!replica.gateway.log().contains(SECRET));
    }
}
