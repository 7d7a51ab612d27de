//! The cost of a name, counted at the RPC: two round trips the first time, one when its resolver is known.

use std::time::Duration;

use portolan_tests::chain::Chain;
use portolan_tests::gateway::Gateway;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::traffic::Traffic;
use portolan_tests::wait;

use super::{Fixture, by_name, fixture, path, setup};

const COLD_MAX: usize = 2;
const WARM_MAX: usize = 1;
/// Plain, deep below a resolver for all names, without a record, and without a resolver.
const NAMES: [&str; 5] = ["alice.eth", "deep.sub.alice.eth", "a.b.c.wild.eth", "norecord.eth", "nobody.eth"];
pub(super) const NEXT_BLOCK_WITHIN: Duration = Duration::from_secs(20);

struct Counted {
    rpc: RpcFault,
    gateway: Gateway,
}

impl Counted {
    fn start(fixture: &Fixture, url: &str, universal: bool) -> Self {
        let rpc = RpcFault::before(url).unwrap();
        let gateway = setup(&rpc.url(), &fixture.outside, universal).start().unwrap();
        Self { rpc, gateway }
    }

    /// Round trips that one question cost beside those that find the block.
    fn cost(&self, name: &str) -> Traffic {
        self.rpc.take();
        let response = self.gateway.get(&by_name(name, None)).unwrap();
        assert!([200, 404].contains(&response.status.as_u16()), "{name}: {}", response.body);
        Traffic::take(&self.rpc).unwrap()
    }

    fn pinned(&self) -> String {
        let response = self.gateway.get(&by_name("alice.eth", None)).unwrap();
        response.header("portolan-blocks").unwrap().to_owned()
    }
}

fn round_trips(traffic: &Traffic) -> usize {
    traffic.chunks + traffic.singles + traffic.codes
}

fn next_block(chain: &Chain, counted: &Counted) {
    let before = counted.pinned();
    chain.rpc("evm_mine", serde_json::json!([])).unwrap();
    let moved = || match counted.pinned() != before {
        true => Ok(()),
        false => Err("it is still at the old block"),
    };
    wait::until("the new block", NEXT_BLOCK_WITHIN, moved).unwrap();
}

#[test]
fn a_name_costs_two_round_trips_cold_one_in_a_later_block_and_none_in_the_same() {
    let fixture = fixture();
    let chain = Chain::start(super::PROFILE).unwrap();
    let without = Chain::start(super::PROFILE).unwrap();
    let contract = fixture.expected.text_at("contracts/universal").unwrap();
    without.rpc("anvil_setCode", serde_json::json!([contract, "0x"])).unwrap();
    without.rpc("evm_mine", serde_json::json!([])).unwrap();
    for (path, chain, universal) in
        [(path(false), &chain, false), (path(true), &chain, true), ("registry alone", &without, true)]
    {
        for name in NAMES {
            // Fresh, so that nothing of another name helps.
            let counted = Counted::start(&fixture, &chain.url, universal);
            let cold = counted.cost(name);
            assert!((1..=COLD_MAX).contains(&round_trips(&cold)), "{name} by the {path}, cold: {cold}");
            let same = counted.cost(name);
            assert_eq!(round_trips(&same), 0, "{name} by the {path}, in the same block: {same}");
            println!("{name} by the {path}, cold: {cold}");
        }
        let counted = Counted::start(&fixture, &chain.url, universal);
        for name in NAMES {
            counted.cost(name);
        }
        next_block(chain, &counted);
        // The first one showed that the block is new.
        for name in NAMES.iter().skip(1) {
            let warm = counted.cost(name);
            assert!(round_trips(&warm) <= WARM_MAX, "{name} by the {path}, warm: {warm}");
            println!("{name} by the {path}, warm: {warm}");
        }
    }
}
