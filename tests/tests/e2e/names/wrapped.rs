//! Off-chain names on nodes that have the data of a revert elsewhere than geth, where each call is a request of its own:
//! found all the same, and never taken for missing where the data is lost.

use portolan_tests::rpc_fault::{Flaws, Overrides, Reverts, RpcFault};

use super::{assert_problem, assert_record, by_name, fixture, path, record, setup};

const WRAPPED: [Reverts; 6] = [
    Reverts::Data,
    Reverts::Prefixed,
    Reverts::Object,
    Reverts::OriginalError,
    Reverts::ByTransaction,
    Reverts::Message,
];

#[test]
fn an_off_chain_name_is_found_wherever_a_node_has_the_data_of_a_revert() {
    let fixture = fixture();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    let account = fixture.expected.text_at("names/gateways/account").unwrap();
    let name = "get.offchain.eth";
    // With Multicall3, the data of a revert is within a result.
    let multicall = Flaws { overrides: Overrides::Refused, reverts: Reverts::Dropped, ..Flaws::default() };
    let single = |reverts| Flaws { hides_multicall: true, reverts, ..multicall.clone() };
    for flaws in std::iter::once(multicall.clone()).chain(WRAPPED.map(single)) {
        rpc.flawed(flaws.clone());
        for universal in [true, false] {
            let what = format!("{:?} by the {}", flaws.reverts, path(universal));
            let gateway = setup(&rpc.url(), &fixture.outside, universal).start().unwrap();
            assert_record(&what, &gateway.get(&by_name(name, None)).unwrap(), &record(name, account));
            let missing = gateway.get(&by_name("nobody.eth", None)).unwrap();
            assert_problem(&what, &missing, 404, "name-not-found");
        }
    }
}

#[test]
fn a_name_whose_lookup_the_node_lost_is_not_missing() {
    let fixture = fixture();
    let rpc = RpcFault::before(&fixture.chain.url).unwrap();
    let (overrides, reverts) = (Overrides::Refused, Reverts::Dropped);
    rpc.flawed(Flaws { hides_multicall: true, overrides, reverts, ..Flaws::default() });
    for universal in [true, false] {
        let gateway = setup(&rpc.url(), &fixture.outside, universal).start().unwrap();
        let lost = gateway.get(&by_name("get.offchain.eth", None)).unwrap();
        assert_problem(path(universal), &lost, 502, "upstream");
        let missing = gateway.get(&by_name("nobody.eth", None)).unwrap();
        assert_problem(path(universal), &missing, 404, "name-not-found");
    }
}
