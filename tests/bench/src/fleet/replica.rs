//! A gateway of a fleet, with all plugins and nodes at 50 ms, of which each counts the requests of this gateway.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::Value;

use super::balancer::free_port;
use super::clock::Clock;
use crate::delay::{Delay, HANDSHAKES, ROUND_TRIP};
use crate::meter::Threads;
use crate::table::float;

/// For the secret of the store: any text that is long enough.
pub(super) const SECRET: &str = "the secret of all replicas of this fleet";
const STORE_WITHIN: Duration = Duration::from_secs(20);
/// A farm of the chains, once more as the protocol of a plugin that was built at several revisions of the interface.
const FARM: (&str, &str) = ("polygon", "/accounts/farmer/farming/0/contract");
/// The plugin, and the file that it is in whichever revision it has.
pub(super) const GOLDEN: (&str, &str) = ("aelin", "libaelin.so");

/// The gateway and its ways to the nodes; ends with the value.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) gateway: Gateway,
    counted: Vec<RpcFault>,
    // The gateway's endpoints.
    _distant: Vec<Delay>,
}

impl Replica {
    /// Starts a gateway, with further tables of its configuration, on the store at this URL if there is one.
    pub(super) fn start(world: &World, store: Option<&str>, config: &str) -> Result<Self> {
        Self::start_by(None, world, store, config)
    }

    /// The same, by a clock of its own if there is one.
    pub(super) fn start_by(clock: Option<&Clock>, world: &World, store: Option<&str>, config: &str) -> Result<Self> {
        let (mut counted, mut distant) = (Vec::new(), Vec::new());
        let mut setup = setup(world)?;
        for (name, value) in clock.map(Clock::variables).into_iter().flatten() {
            setup = setup.variable(name, &value);
        }
        for (chain, truth) in &world.chains {
            let node = RpcFault::before(&chain.url)?;
            let delay = Delay::of(&node.url(), ROUND_TRIP, ROUND_TRIP * HANDSHAKES)?;
            setup = setup.rpc(&truth.network, &delay.url());
            counted.push(node);
            distant.push(delay);
        }
        if let Some(url) = store {
            setup = setup.config(&format!("[store]\nurl = '{url}'")).variable("PORTOLAN_STORE_SECRET", SECRET);
        }
        // It is at the same addresses after a restart.
        for flag in ["--listen", "--claimables-listen", "--operators-listen"] {
            setup = setup.arg(flag).arg(free_port()?.to_string());
        }
        let replica = Self { gateway: setup.config(config).start()?, counted, _distant: distant };
        if store.is_some() {
            wait::until("the store", STORE_WITHIN, || replica.has_store())?;
        }
        Ok(replica)
    }

    /// Returns an error unless it is connected to its store.
    pub(super) fn has_store(&self) -> Result<()> {
        ensure!(self.gateway.count("portolan_store_up")? >= 1, "it is not connected to the store");
        Ok(())
    }

    /// Requests to nodes so far.
    pub(super) fn requests(&self) -> usize {
        // What was sent is kept until it is taken.
        self.counted.iter().for_each(|node| drop(node.take()));
        self.counted.iter().map(RpcFault::requests).sum()
    }

    /// Those of them that look for the newest block.
    pub(super) fn polls(&self) -> usize {
        self.counted.iter().map(|node| node.requested("eth_getBlockByNumber")).sum()
    }

    /// The processor time of the gateway and its workers so far.
    pub(super) fn threads(&self) -> Result<Threads> {
        Threads::of(self.gateway.process())
    }
}

/// A gateway that reads the chains at once, without a store: what others answer is compared with its answers.
pub(super) fn reference(world: &World) -> Result<Gateway> {
    world.on_chains(setup(world)?).start()
}

fn setup(world: &World) -> Result<Setup> {
    let built = build::built_alike()?;
    let (plugin, file) = GOLDEN;
    let (network, place) = FARM;
    let farm = world.chain(network)?.0.expected.pointer(place).and_then(Value::as_str).context("no farm")?;
    // The builds ship with different websites.
    let settings = format!(
        "shipped = false\n\
        [[protocol]]\nslug = '{plugin}'\nname = 'Aelin'\nwebsite = 'https://aelin.example'\nprimitives = ['FARMING']\ncompany = {{ name = 'Aelin', slug = 'aelin' }}\n\
        [[deployment]]\nprotocol = '{plugin}'\nnetwork = '{network}'\nstaking = '{farm}'\n"
    );
    let setup = world.with_all_built(&built)?.host(&built.host());
    Ok(setup.plugin(&golden(file), &[plugin]).settings(plugin, &settings))
}

/// A plugin as it was built once.
pub(super) fn golden(file: &str) -> PathBuf {
    build::workspace().join("plugin-api/tests/golden/x86_64-unknown-linux-gnu").join(file)
}

/// Requests for each answer, and the like.
pub(super) fn each(total: f64, answers: usize) -> f64 {
    total / float(answers)
}
