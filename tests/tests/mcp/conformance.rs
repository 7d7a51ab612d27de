//! What every client of the protocol relies on, by the official clients and an independent grader.

use std::net::TcpListener;

use anyhow::{Context as _, Result};
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Setup;
use portolan_tests::mcp::Assistants;
use portolan_tests::world::World;
use serde_json::{Value, json};

use crate::ENABLED;

const NETWORK: &str = "polygon";

#[test]
fn clients_of_each_version_get_what_they_rely_on() {
    let assistants = Assistants::installed().unwrap();
    let world = World::of(&[NETWORK]).unwrap();
    let names = Chain::start("names").unwrap();
    // The grader comes as a page of the gateway's own address, too.
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let origins = format!("{ENABLED}\nallowed_origins = [\"http://{}\"]", socket.local_addr().unwrap());
    let setup = world.on_chains(world.with_all_plugins().unwrap());
    let gateway = setup.config(&origins).socket(socket).start().unwrap();
    let of_names = Setup::default().rpc("ethereum", &names.url).config(ENABLED).start().unwrap();
    let stage = json!({
        "gateways": {"all": format!("http://{}", gateway.base), "names": format!("http://{}", of_names.base)},
        "nodes": [],
        "expected": {
            "account": world.address("farmer").unwrap(),
            "network": NETWORK,
            "transaction": transaction(&world.chain(NETWORK).unwrap().0).unwrap(),
            "name": names.expected["names"]["forward"][0]["name"],
        },
    });
    println!("{}", assistants.run("conformance.mjs", stage.clone()).unwrap());
    println!("{}", assistants.run("grader.mjs", stage).unwrap());
}

/// The newest transaction of a chain.
fn transaction(chain: &Chain) -> Result<Value> {
    let blocks = (0..=chain.block_number).rev().map(|number| chain.block(&format!("{number:#x}")));
    for block in blocks {
        if let Some(hash) = block?["transactions"].get(0) {
            return Ok(hash.clone());
        }
    }
    None.context("no transaction")
}
