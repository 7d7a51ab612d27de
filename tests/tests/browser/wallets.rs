//! A wallet double signs claims and plans: what the account has more afterwards is what the chains' builds say that it was
//! owed, to the last digit.

use anyhow::Result;
use portolan_tests::stage::{account, nodes, owed, stage, with_explorer};
use portolan_tests::world::World;
use serde_json::{Map, json};

/// It has left every farm, so that what it is owed does not grow with the blocks; anvil has its key.
const WHO: &str = "exited";
/// Whose claims the wallet cannot sign.
const OTHER: &str = "farmer";
/// Where claims are sent one by one and as transactions of a plan, and where a plan is sent as calls.
const NETWORKS: [&str; 2] = ["ethereum", "polygon"];

#[test]
fn what_a_wallet_signs_pays_what_the_page_says() {
    let browser = crate::browser!();
    // Chains of their own, which the claims change.
    let world = World::of(&NETWORKS).unwrap();
    let gateway = with_explorer(world.setup().unwrap()).unwrap().start().unwrap();
    world.chains.iter().try_for_each(|(chain, _)| chain.mine_automatically()).unwrap();
    let owed = world.chains.iter().map(|(_, truth)| owed(truth, WHO)).collect::<Result<Map<_, _>>>().unwrap();
    let other = world.address(OTHER).unwrap();
    let expected = json!({"account": account(&world, WHO).unwrap(), "owed": owed, "other": other});
    browser.check("wallets", stage(&gateway, nodes(&world), expected).unwrap()).unwrap();
}
