//! Replies that are broken, late or at another block: none is believed, and the next endpoint answers.

use std::time::Duration;

use portolan_reader::{Outcome, ReadFailure};
use portolan_tests::chain::Chain;
use portolan_tests::rpc_fault::{Fault, Flaws, Replies};

use crate::test_reader::{AMPLE, TestReader};

use super::{
    all_failed, batch_method_with, before, chain, clock_at, clocks, echoes, for_all_batch_methods,
    with_each_batch_method,
};

const BROKEN: [Replies; 7] = [
    Replies::Cut(0),
    Replies::Cut(60),
    Replies::Truncated,
    Replies::WrongId,
    Replies::TwoIds,
    Replies::TwoResults,
    Replies::ResultTwice,
];

/// Alone it answers nothing, and beside one that is well it does no harm.
fn assert_unbelieved(chain: &Chain, well: &Flaws, broken: &Flaws, from_the_start: bool) {
    let what = format!("{broken:?}, from the start: {from_the_start}");
    let (bad, good) = (before(chain), before(chain));
    bad.flawed(well.clone());
    let (alone, both) = (TestReader::behind(&[&bad]), TestReader::behind(&[&bad, &good]));
    let block = alone.pin().unwrap();
    if !from_the_start {
        let (reads, expected) = echoes(1, 3);
        assert_eq!(alone.read(block, &reads), expected, "{what}");
        assert_eq!(alone.batch_method(), Some(batch_method_with(well)), "{what}");
        assert_eq!(both.pin(), Ok(block));
        assert_eq!(both.read(block, &reads), expected, "{what}");
    }
    bad.flawed(broken.clone());
    let (reads, expected) = echoes(2, 3);
    let outcomes = alone.read_within(block, &reads, Duration::from_secs(2));
    assert!(all_failed(&outcomes), "{what}, alone: {outcomes:?}");
    assert_eq!(both.read(block, &reads), expected, "{what}, with another one");
}

#[test]
fn a_broken_reply_is_never_believed_and_the_next_endpoint_answers() {
    for_all_batch_methods(|chain, base| {
        for replies in BROKEN {
            let broken = Flaws { replies, of: &["eth_call"], ..base.clone() };
            for from_the_start in [true, false] {
                assert_unbelieved(chain, &base, &broken, from_the_start);
            }
        }
    });
}

#[test]
fn a_broken_header_is_never_pinned_and_the_next_endpoint_serves_it() {
    let chain = chain();
    let good = before(&chain);
    let block = TestReader::behind(&[&good]).pin().unwrap();
    for replies in BROKEN {
        let bad = before(&chain);
        bad.flawed(Flaws { replies, ..Flaws::default() });
        assert_eq!(TestReader::behind(&[&bad]).pin(), Err(ReadFailure::Upstream), "{replies:?}");
        let both = TestReader::behind(&[&bad, &good]);
        assert_eq!(both.pin(), Ok(block), "{replies:?}");
        let (reads, expected) = echoes(3, 2);
        assert_eq!(both.read(block, &reads), expected, "{replies:?}");
    }
}

#[test]
fn an_answer_at_another_block_is_never_believed() {
    // Where neither overrides nor Multicall3 are there, nothing can prove a block.
    for base in &with_each_batch_method()[..2] {
        let chain = chain();
        for (place, clock) in clocks().into_iter().enumerate() {
            let (bad, good) = (before(&chain), before(&chain));
            let off = Flaws { off: 1, ..base.clone() };
            bad.flawed(off.clone());
            let alone = TestReader::behind(&[&bad]);
            let block = alone.pin().unwrap();
            let outcomes = alone.read_within(block, &clock, Duration::from_secs(2));
            assert!(all_failed(&outcomes), "{place} with {off:?}: {outcomes:?}");
            let both = TestReader::behind(&[&bad, &good]);
            assert_eq!(both.pin(), Ok(block));
            assert_eq!(both.read(block, &clock), [clock_at(&block)], "{place} with {off:?}");
        }
    }
}

#[test]
fn a_node_that_was_well_and_then_answers_at_another_block_is_never_believed() {
    for base in &with_each_batch_method()[..2] {
        let chain = chain();
        for (place, clock) in clocks().into_iter().enumerate() {
            let (bad, good) = (before(&chain), before(&chain));
            bad.flawed(base.clone());
            let (alone, both) = (TestReader::behind(&[&bad]), TestReader::behind(&[&bad, &good]));
            let block = alone.pin().unwrap();
            assert_eq!(both.pin(), Ok(block));
            let (reads, expected) = echoes(4, 2);
            assert_eq!(alone.read(block, &reads), expected);
            assert_eq!(alone.batch_method(), Some(batch_method_with(base)));
            assert_eq!(both.read(block, &reads), expected);
            bad.flawed(Flaws { off: 2, ..base.clone() });
            let outcomes = alone.read_within(block, &clock, Duration::from_secs(2));
            assert!(all_failed(&outcomes), "{place} with {base:?}: {outcomes:?}");
            assert_eq!(both.read(block, &clock), [clock_at(&block)], "{place} with {base:?}");
        }
    }
}

#[test]
fn a_late_endpoint_is_left_for_the_next_one() {
    for_all_batch_methods(|chain, base| {
        let (late, good) = (before(chain), before(chain));
        late.flawed(base.clone());
        let (alone, both) = (TestReader::behind(&[&late]), TestReader::behind(&[&late, &good]));
        let block = alone.pin().unwrap();
        assert_eq!(both.pin(), Ok(block));
        late.set(Fault::Late(AMPLE * 2));
        let (reads, expected) = echoes(5, 4);
        let outcomes = alone.read_within(block, &reads, Duration::from_secs(1));
        assert_eq!(outcomes, vec![Outcome::Failed(ReadFailure::Timeout); 4], "{base:?}");
        assert_eq!(both.read_within(block, &reads, Duration::from_secs(6)), expected, "{base:?}");
    });
}
