//! Blocks that an endpoint does not know yet, or not any more.

use alloy::primitives::B256;
use portolan_reader::{Outcome, ReadFailure};
use portolan_tests::bytecode;
use portolan_tests::rpc_fault::Flaws;
use serde_json::json;

use crate::test_reader::TestReader;

use super::{before, clock_at, clocks, echoes, for_all_batch_methods, placed};

#[test]
fn a_block_that_is_unknown_is_requested_again_at_the_same_endpoint() {
    for_all_batch_methods(|chain, base| {
        let rpc = before(chain);
        rpc.flawed(base.clone());
        let reader = TestReader::behind(&[&rpc]);
        let block = reader.pin().unwrap();
        let (reads, expected) = echoes(15, 2);
        assert_eq!(reader.read(block, &reads), expected);
        let requested = rpc.requested("eth_call");
        rpc.flawed(Flaws { behind: 1, ..base.clone() });
        std::thread::scope(|scope| {
            scope.spawn(|| {
                rpc.wait_until_requested("eth_call", requested).unwrap();
                rpc.flawed(base.clone());
            });
            let (reads, expected) = echoes(16, 2);
            assert_eq!(reader.read(block, &reads), expected, "{base:?}");
        });
    });
}

#[test]
fn a_block_that_one_endpoint_does_not_know_yet_is_read_at_another() {
    for_all_batch_methods(|chain, base| {
        let (behind, good) = (before(chain), before(chain));
        behind.flawed(base.clone());
        let reader = TestReader::behind(&[&behind, &good]);
        let block = reader.pin().unwrap();
        let (reads, expected) = echoes(17, 2);
        assert_eq!(reader.read(block, &reads), expected);
        let requested = behind.requested("eth_call");
        behind.flawed(Flaws { behind: 1, ..base.clone() });
        let (reads, expected) = echoes(18, 2);
        assert_eq!(reader.read(block, &reads), expected, "{base:?}");
        let again = behind.requested("eth_call") - requested;
        assert!(again >= 2, "the same endpoint was used {again} times with {base:?}");
    });
}

#[test]
fn a_block_that_no_endpoint_knows_is_lost_and_the_next_pin_is_another() {
    for_all_batch_methods(|chain, base| {
        let endpoints = [before(chain), before(chain)];
        endpoints.iter().for_each(|rpc| rpc.flawed(base.clone()));
        let reader = TestReader::behind(&endpoints.each_ref());
        let lost = reader.pin().unwrap();
        endpoints.iter().for_each(|rpc| rpc.flawed(Flaws { behind: 1, ..base.clone() }));
        let (reads, expected) = echoes(19, 2);
        let outcomes = reader.read(lost, &reads);
        assert_eq!(outcomes, vec![Outcome::Failed(ReadFailure::BlockLost); 2], "{base:?}");
        let block = reader.pin().unwrap();
        assert_eq!((block.number, block.hash), (lost.number - 1, lost.parent), "{base:?}");
        assert_eq!(reader.read(block, &reads), expected, "{base:?}");
    });
}

#[test]
fn a_network_that_is_set_back_is_pinned_anew() {
    let chain = placed().unwrap();
    let rpc = before(&chain);
    let snapshot = chain.snapshot().unwrap();
    bytecode::mine(&chain).unwrap();
    let reader = TestReader::behind(&[&rpc]);
    let lost = reader.pin().unwrap();
    chain.revert(&snapshot).unwrap();
    let outcomes = reader.read(lost, &clocks().concat());
    assert_eq!(outcomes, vec![Outcome::Failed(ReadFailure::BlockLost); 4]);
    let block = reader.pin().unwrap();
    let newest = chain.rpc("eth_getBlockByNumber", json!(["latest", false])).unwrap();
    assert_eq!(block.hash, newest["hash"].as_str().unwrap().parse::<B256>().unwrap());
    assert_eq!(reader.read(block, &clocks().concat()), vec![clock_at(&block); 4]);
}
