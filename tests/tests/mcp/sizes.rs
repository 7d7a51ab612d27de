//! How long answers are, in slices that a model can read: the largest account of the demo, and one with 2,000 findings.

use portolan_tests::chain::Chain;
use portolan_tests::farms::{self, CHAIN_ID};
use portolan_tests::mcp::Assistants;
use portolan_tests::truth::ACCOUNTS;
use portolan_tests::world::World;
use serde_json::json;

use crate::{ENABLED, many};

const MANY: usize = 2_000;

#[test]
fn every_slice_of_the_longest_accounts_fits() {
    let assistants = Assistants::installed().unwrap();
    let world = World::start().unwrap();
    let demo = world.on_chains(world.with_all_plugins().unwrap()).config(ENABLED).start().unwrap();
    let chain = Chain::bare(CHAIN_ID).unwrap();
    let farms = many::place(&chain, MANY).unwrap();
    chain.settle().unwrap();
    let synthetic = farms::setup(&chain, &farms).unwrap().config(ENABLED).start().unwrap();
    let accounts = ACCOUNTS.map(|who| (who, world.address(who).unwrap()));
    let stage = json!({
        "gateways": {"demo": format!("http://{}", demo.base), "many": format!("http://{}", synthetic.base)},
        "nodes": [],
        "expected": {"accounts": accounts, "many": {"account": farms::ACCOUNT, "rows": MANY}},
    });
    println!("{}", assistants.run("sizes.mjs", stage).unwrap());
}
