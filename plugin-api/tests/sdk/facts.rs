//! Fact lists: walked once, extended by later jobs, and never treated as complete when they are not.

use std::cell::RefCell;

use portolan_plugin_api::testing::{End, Fixture, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::{Claimable, Error, JobContext, Settings, U256};

use crate::scenario::{Play, case, contract, found, number, numbers, scenario, value, word};

/// The read of the list's length; lower numbers are indices of entries.
const LENGTH: u64 = 1_000_000;

/// Reads as many entries as the contract reports, each two reads deep: the contract's reply to its reply to the index.
/// Returns the number of entries and their sum.
async fn list(cx: &JobContext) -> Result<Vec<Claimable>, Error> {
    let walk = |places: std::ops::Range<u64>| {
        cx.join(places.map(|place| async move {
            let first = value(cx, place).await?;
            value(cx, first.to()).await
        }))
    };
    let entries: Vec<U256> = cx.facts("main", "gauges", value(cx, LENGTH), walk).await?;
    Ok(vec![found(U256::from(entries.len())), found(entries.iter().sum())])
}

scenario!(Gauges, |cx| { list(cx).await });

/// A contract with a list of this length.
fn of_length(length: u64) -> impl Fn(&ReadRequest) -> ReadResult {
    move |request| if number(request) == LENGTH { word(length) } else { contract(request) }
}

fn run(test: &JobTest, length: u64) -> Outcome {
    test.run::<Play<Gauges>>(of_length(length))
}

/// The contract returns twice the number plus one, so the entry at an index is four times the index plus three.
fn sum(length: u64) -> u64 {
    4 * (length * (length - 1) / 2) + 3 * length
}

#[test]
fn a_list_is_walked_once_and_later_jobs_read_its_length_alone() {
    let first = run(&case(), 700);
    assert_eq!((first.end, numbers(&first)), (End::Complete, vec![700, sum(700)]), "{}", first.message);
    assert_eq!(first.batches, [1, 500, 500, 200, 200]);
    assert_eq!(first.facts::<U256>("main", "gauges")[699], U256::from(4 * 699 + 3));
    let second = run(&case().after(&first), 700);
    assert_eq!((second.end, numbers(&second)), (End::Complete, vec![700, sum(700)]), "{}", second.message);
    assert_eq!(second.batches, [1]);
    let grown = run(&case().after(&second), 702);
    assert_eq!((grown.end, numbers(&grown), grown.batches), (End::Complete, vec![702, sum(702)], vec![1, 2, 2]));
}

#[test]
fn a_long_list_is_walked_by_several_jobs_and_is_partial_until_it_is_complete() {
    let first = run(&case(), 50_000);
    let known = first.facts::<U256>("main", "gauges").len();
    assert_eq!(first.end, End::Partial);
    assert_eq!(first.message, format!("main/gauges: {known} of 50000 known, the rest is being read"));
    assert_eq!(known, 25_000, "50,000 reads of two for each");
    assert_eq!(numbers(&first), [25_000, sum(25_000)]);
    let second = run(&case().after(&first), 50_000);
    assert_eq!((second.end, numbers(&second)), (End::Complete, vec![50_000, sum(50_000)]), "{}", second.message);
    let third = run(&case().after(&second), 50_000);
    assert_eq!((third.end, third.batches), (End::Complete, vec![1]));
}

#[test]
fn walking_takes_nothing_of_the_jobs_own_reads() {
    scenario!(Counts, |cx| {
        let mut found_all = list(cx).await?;
        found_all.push(found(U256::from(cx.budget().reads)));
        Ok(found_all)
    });
    let outcome = case().run::<Play<Counts>>(of_length(3_000));
    assert_eq!(numbers(&outcome), [3_000, sum(3_000), 120_000 - 2], "the list and its length");
}

#[test]
fn what_fails_loses_its_chunk_alone_and_says_so() {
    let replies = |request: &ReadRequest| match number(request) {
        LENGTH => word(900),
        600 => ReadResult::Unavailable,
        _ => contract(request),
    };
    let first = case().run::<Play<Gauges>>(replies);
    assert_eq!((first.end, numbers(&first)), (End::Partial, vec![500, sum(500)]));
    let expected = "main/gauges: 500 of 900 known, the rest is being read (value(uint256) of \
                    0x1111111111111111111111111111111111111111: no endpoint answered in time)";
    assert_eq!(first.message, expected);
    assert_eq!(numbers(&run(&case().after(&first), 900)), [900, sum(900)]);
}

#[test]
fn a_list_that_is_shorter_than_what_is_known_is_walked_anew() {
    let first = run(&case(), 10);
    let shorter = run(&case().after(&first), 4);
    assert_eq!((shorter.end, numbers(&shorter)), (End::Complete, vec![4, sum(4)]), "{}", shorter.message);
    assert_eq!(shorter.facts::<U256>("main", "gauges").len(), 4);
}

#[test]
fn a_list_may_be_given_and_is_recorded() {
    let given: Vec<U256> = (0..5).map(U256::from).collect();
    let test = case().facts("main", "gauges", &given);
    let requested = RefCell::new(Vec::new());
    let replies = |request: &ReadRequest| {
        requested.borrow_mut().push(number(request));
        of_length(5)(request)
    };
    let (outcome, fixture) = Fixture::record::<Play<Gauges>>(&test, replies);
    assert_eq!((numbers(&outcome), requested.into_inner()), (vec![5, 10], vec![LENGTH]));
    assert_eq!(fixture.replay::<Play<Gauges>>(Settings::default()).expect("a fixture"), outcome);
}

scenario!(Short, |cx| {
    let walk = |_: std::ops::Range<u64>| async { Ok(vec![U256::ZERO]) };
    cx.facts::<U256, _, _, _>("main", "gauges", value(cx, LENGTH), walk).await.map(|_| Vec::new())
});

#[test]
fn a_walk_that_skips_entries_is_an_error() {
    let outcome = case().run::<Play<Short>>(of_length(2));
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "main/gauges: walked 1 entries instead of 2"));
    assert!(outcome.facts::<U256>("main", "gauges").is_empty());
}
