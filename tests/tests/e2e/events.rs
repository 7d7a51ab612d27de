//! Events over HTTP: of transactions that the chains' builds did, of transactions that are sent here to the real
//! contracts, and of receipts that no contract here would make. All plugins are loaded.

mod account;
mod budgets;
mod calls;
mod inputs;
mod lending;
mod odd;
mod receipts;
mod sent;
mod tokens;

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, ensure};
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::truth::{self, Truth};
use portolan_tests::world::{Shared, World};
use serde_json::Value;

const NETWORKS: [&str; 2] = ["ethereum", "polygon"];
/// The network whose endpoint knows receipts that its chain has not.
const DOUBLED: &str = "polygon";

struct Fixture {
    world: World,
    gateway: Gateway,
    /// One transaction after the other: who sends one is impersonated meanwhile.
    turn: Mutex<()>,
    _endpoint: RpcFault,
}

impl Fixture {
    fn start() -> Result<Self> {
        let world = World::of(&NETWORKS)?;
        // Transactions are sent to the chains while the gateway reads them.
        world.chains.iter().try_for_each(|(chain, _)| chain.settle())?;
        let endpoint = RpcFault::before(&world.chain(DOUBLED)?.0.url)?;
        endpoint.knows(receipts::all());
        let setup = world.with_all_plugins()?.rpc("ethereum", &world.chain("ethereum")?.0.url);
        let gateway = setup.rpc(DOUBLED, &endpoint.url()).start()?;
        for plugin in gateway.plugins()? {
            ensure!(plugin.text_at("state")? == "active", "{plugin}");
        }
        Ok(Self { world, gateway, turn: Mutex::new(()), _endpoint: endpoint })
    }

    fn on(&self, network: &str) -> &(Chain, Truth) {
        self.world.chain(network).unwrap()
    }

    fn fetch(&self, hash: &str, query: &str) -> Response {
        self.gateway.get(&format!("/events/decode/{hash}?{query}")).unwrap()
    }

    /// A whole answer.
    fn answer(&self, hash: &str, query: &str) -> Json {
        let response = self.fetch(hash, query);
        assert_eq!(response.status, 200, "{hash} {query}: {}\n{}", response.body, self.gateway.log());
        assert_eq!(response.header("portolan-partial"), None, "{hash} {query}: {}", response.body);
        response.json().unwrap()
    }

    /// The events of a transaction, their tokens without supplies.
    fn events(&self, network: &str, hash: &str) -> Vec<Json> {
        let answer = self.answer(hash, &format!("network={network}"));
        answer.items().unwrap().iter().map(truth::without_supplies).collect()
    }

    /// Sends a transaction; its receipt, reverted or not.
    fn send(&self, network: &str, transaction: &Value) -> Value {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.on(network).0.send(transaction).unwrap()
    }

    /// Sends a transaction that must not revert; its hash.
    fn done(&self, network: &str, transaction: &Value) -> String {
        let receipt = self.send(network, transaction);
        assert_eq!(receipt["status"], "0x1", "{transaction} reverted");
        receipt["transactionHash"].as_str().unwrap().to_owned()
    }

    /// Returns the JSON that must be shown of an event, its tokens without supplies.
    fn event(&self, network: &str, kind: &str, protocol: Option<&str>, raw: &str) -> Json {
        truth::without_supplies(&self.on(network).1.event(kind, protocol, &Json::parse(raw).unwrap()).unwrap())
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn assert_same(what: &str, actual: &[Json], expected: &[Json]) {
    let differences = Json::Array(actual.to_vec()).differences(&Json::Array(expected.to_vec()));
    assert!(differences.is_empty(), "{what}: {}\ntold {actual:?}", differences.join("; "));
}

/// That an event is decoded once, and exactly.
fn assert_reported(what: &str, actual: &[Json], expected: &Json) {
    let kind = expected.text_at("type").unwrap();
    let own: Vec<Json> = actual.iter().filter(|event| event.text_at("type").unwrap() == kind).cloned().collect();
    assert_same(what, &own, std::slice::from_ref(expected));
}

#[test]
fn what_the_chains_build_did_is_decoded_exactly() {
    let fixture = fixture();
    let (chain, truth) = fixture.on("polygon");
    let events = truth.events().unwrap();
    assert!(events.len() >= 6, "{events:?}");
    for event in events {
        let answer = fixture.answer(&event.transaction(chain).unwrap(), "network=polygon");
        let faults = event.faults(truth, &answer).unwrap();
        assert!(faults.is_empty(), "{}: {}\ntold {answer}", event.what, faults.join("; "));
    }
}
