//! An endpoint that answers with as much as it may, many times at once: the gateway holds a part of it at a time.

use portolan_tests::gateway::Setup;
use portolan_tests::rpc_fault::{Flaws, Replies};

use super::{before, chain};

/// Below the bound of one body.
const SPACES: usize = 15 << 20;
const ANSWERS: usize = 40;
/// The configured room, and as much again for what is decoded, buffers of connections, and the process.
const GROWTH_MAX_MIB: f64 = 2.0 * 64.0 + 64.0;

fn path(account: usize) -> String {
    format!("/0x{account:040x}/native-balance?network=ethereum")
}

#[test]
fn long_replies_beside_each_other_take_no_more_than_their_room() {
    let chain = chain();
    let rpc = before(&chain);
    let setup = Setup::default().config("[rpc]\nreplies_mib_max = 64");
    let gateway = setup.rpc("ethereum", &rpc.url()).start().unwrap();
    assert_eq!(gateway.get(&path(1)).unwrap().status, 200);
    let start = gateway.memory_peak_mib().unwrap();
    rpc.flawed(Flaws { replies: Replies::Padded(SPACES), of: &["eth_call"], ..Flaws::default() });
    let answered = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..ANSWERS)
            .map(|client| {
                scope.spawn({
                    let gateway = &gateway;
                    move || gateway.get(&path(100 + client)).unwrap().status
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).filter(|status| *status == 200).count()
    });
    let growth = gateway.memory_peak_mib().unwrap() - start;
    println!("{growth:.0} MiB more for {answered} of {ANSWERS} answers");
    // Together they are 600 MiB. One that has no room for all of its time is a failure of its network.
    assert!(answered > 0 && growth < GROWTH_MAX_MIB, "{growth} MiB more for {answered} of {ANSWERS} answers");
}
