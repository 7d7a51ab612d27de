//! A network whose node answers nobody, and answers again.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::stage::{account, nodes, stage, with_explorer};
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::json;

const WHO: &str = "whale";
const FAILING: &str = "fantom";
/// For Chromium to start, and for the checks that come before.
const HEALED_WITHIN: Duration = Duration::from_secs(150);

#[test]
fn what_could_not_be_read_is_shown_until_it_is_read() {
    let browser = crate::browser!();
    let world = World::of(&["ethereum", FAILING]).unwrap();
    let rpc = RpcFault::before(&world.chain(FAILING).unwrap().0.url).unwrap();
    rpc.set(Fault::Close);
    let setup = world.without_endpoints().unwrap();
    let setup = setup.rpc("ethereum", &world.chain("ethereum").unwrap().0.url).rpc(FAILING, &rpc.url());
    let gateway = with_explorer(setup).unwrap().start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let heal = folder.path().join("heal");
    let expected = json!({"account": account(&world, WHO).unwrap(), "network": FAILING, "heal": heal});
    let stage = stage(&gateway, nodes(&world), expected).unwrap();
    thread::scope(|scope| {
        // The check writes this file once it has seen the failure.
        let healed = scope.spawn(|| heal_at(&heal, &rpc));
        let checked = browser.check("failing", stage);
        std::fs::write(&heal, "").unwrap();
        healed.join().unwrap().unwrap();
        checked.unwrap();
    });
}

/// Lets the node answer again once there is such a file.
fn heal_at(file: &Path, rpc: &RpcFault) -> Result<()> {
    let exists = || {
        ensure!(file.exists(), "{} is not there", file.display());
        Ok(())
    };
    wait::until("the end of the failure", HEALED_WITHIN, exists)?;
    rpc.set(Fault::None);
    Ok(())
}
