//! `[rpc] verify_receipts` before a real chain, whose node computes roots and hashes by itself: answers are the same, and
//! without a proof there is none.

use std::collections::BTreeSet;

use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::rpc_fault::{Flaws, RpcFault};
use portolan_tests::truth::Truth;

const RECEIPTS: &str = "eth_getBlockReceipts";

fn start(rpc: &RpcFault, config: &str) -> Gateway {
    Setup::default().config(config).rpc("polygon", &rpc.url()).start().unwrap()
}

#[test]
fn verified_receipts_give_the_same_answers_and_what_is_not_proven_gives_none() {
    let chain = Chain::start("polygon").unwrap();
    let events = Truth::new("polygon", &chain.expected.to_string()).unwrap().events().unwrap();
    let hashes: BTreeSet<String> = events.iter().map(|event| event.transaction(&chain).unwrap()).collect();
    assert!(!hashes.is_empty());
    let rpc = RpcFault::before(&chain.url).unwrap();
    let (plain, verifying) = (start(&rpc, ""), start(&rpc, "[rpc]\nverify_receipts = true"));
    let path = |hash: &String| format!("/events/decode/{hash}?network=polygon");
    for hash in &hashes {
        let (before, expected) = (rpc.requested(RECEIPTS), plain.get(&path(hash)).unwrap());
        assert!(expected.status == 200 && rpc.requested(RECEIPTS) == before, "{}", expected.body);
        let answer = verifying.get(&path(hash)).unwrap();
        assert!(answer.status == 200 && rpc.requested(RECEIPTS) == before + 1, "{}", answer.body);
        assert_eq!(answer.body, expected.body);
    }
    rpc.flawed(Flaws { lacks: &[RECEIPTS], ..Flaws::default() });
    let hash = hashes.first().unwrap();
    assert_eq!(plain.get(&path(hash)).unwrap().status, 200);
    let unproven = verifying.get(&format!("{}&detail=full", path(hash))).unwrap();
    assert!(unproven.status == 502 && unproven.body.contains("no endpoint proves"), "{}", unproven.body);
}
