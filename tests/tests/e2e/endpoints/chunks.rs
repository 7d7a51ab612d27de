//! The limits of one request are learned from the node that refuses it, and answers stay right.

use alloy::primitives::Bytes;
use portolan_reader::{Outcome, Read};
use portolan_tests::bytecode::ECHO;
use portolan_tests::rpc_fault::{Flaws, Gas, SeenRequest, Way};

use crate::test_reader::TestReader;

use super::{at, batch_method_with, before, chain, echoes, with_each_batch_method};

const MANY: u64 = 5_000;

/// Makes many reads several times: what is too much is learned, and tried again but seldom.
fn assert_learned(flaws: &Flaws, is_too_much: impl Fn(&SeenRequest) -> bool) {
    let chain = chain();
    let rpc = before(&chain);
    rpc.flawed(flaws.clone());
    let reader = TestReader::behind(&[&rpc]);
    let block = reader.pin().unwrap();
    let mut rounds = (12..).map(|round| {
        let (requested, (reads, expected)) = (rpc.requests(), echoes(round, MANY));
        assert!(reader.read(block, &reads) == expected, "{flaws:?}");
        let seen = rpc.seen().split_off(requested);
        assert!(!seen.iter().any(|requested| requested.way == Some(Way::Single)), "{flaws:?}");
        (seen.iter().filter(|requested| is_too_much(requested)).count(), seen.len())
    });
    let (learned_by, _) = rounds.next().unwrap();
    assert_eq!(reader.batch_method(), Some(batch_method_with(flaws)), "{flaws:?}");
    assert!(learned_by > 0, "nothing was to be learned: {flaws:?}");
    let later: Vec<(usize, usize)> = rounds.take(4).collect();
    let sum = |part: fn(&(usize, usize)) -> usize| later.iter().map(part).sum::<usize>();
    assert!(sum(|round| round.0) * 4 <= sum(|round| round.1), "refused and sent, by round: {later:?} with {flaws:?}");
}

#[test]
fn chunks_are_cut_to_the_bodies_that_a_node_takes() {
    const MOST: usize = 64 << 10;
    for base in &with_each_batch_method()[..2] {
        let flaws = Flaws { request_max_bytes: Some(MOST), ..base.clone() };
        assert_learned(&flaws, |requested| requested.bytes > MOST);
    }
}

#[test]
fn chunks_are_cut_to_the_gas_that_a_node_grants() {
    const MOST: u64 = 10_000_000;
    for base in &with_each_batch_method()[..2] {
        let flaws = Flaws { gas: Gas::Refused(MOST), ..base.clone() };
        assert_learned(&flaws, |requested| requested.gas.is_some_and(|gas| gas > MOST));
    }
}

#[test]
fn answers_are_right_where_a_node_quietly_grants_less_gas() {
    for base in with_each_batch_method() {
        let chain = chain();
        for most in [20_000_000, 5_000_000] {
            let rpc = before(&chain);
            rpc.flawed(Flaws { gas: Gas::Lowered(most), ..base.clone() });
            let reader = TestReader::behind(&[&rpc]);
            let block = reader.pin().unwrap();
            let (reads, expected) = echoes(14, MANY / 5);
            assert!(reader.read(block, &reads) == expected, "{most} with {base:?}");
            assert_eq!(reader.batch_method(), Some(batch_method_with(&base)));
        }
    }
}

#[test]
fn chunks_are_cut_to_the_replies_that_a_node_sends() {
    for base in &with_each_batch_method()[..2] {
        let chain = chain();
        let rpc = before(&chain);
        rpc.flawed(Flaws { reply_max_bytes: Some(64 << 10), ..base.clone() });
        let reader = TestReader::behind(&[&rpc]);
        let block = reader.pin().unwrap();
        let full = |number: u64| Bytes::from([vec![0xff; 24], number.to_be_bytes().to_vec()].concat());
        let reads: Vec<Read> = (0..MANY).map(|number| Read::call(at(ECHO.address), full(number))).collect();
        let expected: Vec<Outcome> = (0..MANY).map(|number| Outcome::Ok(full(number))).collect();
        assert!(reader.read(block, &reads) == expected, "{base:?}");
        assert_eq!(reader.batch_method(), Some(batch_method_with(base)));
    }
}
