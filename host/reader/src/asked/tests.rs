//! Questions that meet others under way, by flights that the tests land themselves.

use std::cell::RefCell;
use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use futures_util::FutureExt;
use tokio::join;

use super::*;
use crate::Freshness;

fn block(number: u8) -> Block {
    let hash = B256::repeat_byte(number);
    Block { number: number.into(), hash, parent: B256::ZERO, timestamp: 1, evm_number: 1 }
}

fn read(number: u8) -> Read {
    Read::call(Address::repeat_byte(number), [number])
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn echo(reads: &[Read]) -> Vec<Outcome> {
    reads.iter().map(|read| Outcome::Ok(read.data.clone())).collect()
}

fn told(numbers: &[u8]) -> Vec<Outcome> {
    numbers.iter().map(|number| Outcome::Ok(Bytes::from(vec![*number]))).collect()
}

fn outcomes(replies: Vec<Reply>) -> Vec<Outcome> {
    replies.into_iter().map(|reply| reply.outcome).collect()
}

/// The reply that is known at the block.
fn reply(asked: &Asked, at: u8, read: &Read) -> Option<Reply> {
    let known = asked.all_told(&block(at), [(7, read)].into_iter())?;
    let [(7, reply)] = &known[..] else { panic!("{known:?}") };
    Some(reply.clone())
}

#[tokio::test]
async fn ten_equal_questions_are_one() {
    let (asked, started) = (Asked::default(), RefCell::new(Vec::new()));
    let ask = |numbers: &[u8]| {
        let reads = numbers.iter().map(|number| read(*number)).collect();
        let (asked, started) = (&asked, &started);
        async move { asked.ask(&block(1), reads, soon(), |landing| started.borrow_mut().push(landing)).await }
    };
    let mut ten: Vec<_> = (0..10).map(|_| ask(&[1, 2, 1]).boxed_local()).collect();
    for asker in &mut ten {
        assert!(asker.now_or_never().is_none());
    }
    let landing = started.borrow_mut().pop().unwrap();
    assert!(started.borrow().is_empty());
    assert_eq!(landing.reads(), [read(1), read(2)]);
    landing.land(echo(&[read(1), read(2)]).into());
    for asker in ten {
        assert_eq!(outcomes(asker.await), told(&[1, 2, 1]));
    }
    let fresh = Read { freshness: Freshness::Within(9), ..read(2) };
    assert_eq!(reply(&asked, 1, &fresh), Some(Reply { outcome: told(&[2])[0].clone(), cached: true, age_s: 0 }));
    assert_eq!(reply(&asked, 2, &read(2)), None, "another block");
    for other in [
        Read { from: Some(Address::ZERO), ..read(2) },
        Read { isolated: true, ..read(2) },
        Read { gas_cap: Some(7), ..read(2) },
        Read { kind: crate::Kind::CodeSize, ..read(2) },
        Read { data: Bytes::new(), ..read(2) },
    ] {
        assert_eq!(reply(&asked, 1, &other), None, "{other:?}");
    }
}

#[tokio::test]
async fn what_is_not_under_way_is_asked_beside_it() {
    let (asked, started, first) = (Asked::default(), RefCell::new(Vec::new()), block(1));
    let keep = |landing: Landing| started.borrow_mut().push(landing);
    let mut one = asked.ask(&first, vec![read(1), read(2)], soon(), keep).boxed_local();
    let mut two = asked.ask(&first, vec![read(3), read(2)], soon(), keep).boxed_local();
    assert!(one.as_mut().now_or_never().is_none() && two.as_mut().now_or_never().is_none());
    let landings = started.take();
    assert_eq!(landings.iter().map(Landing::reads).collect::<Vec<_>>(), [&[read(1), read(2)][..], &[read(3)]]);
    for landing in landings {
        let outcomes = echo(landing.reads());
        landing.land(outcomes.into());
    }
    let (one, two) = join!(one, two);
    assert_eq!((outcomes(one), outcomes(two)), (told(&[1, 2]), told(&[3, 2])));
}

#[tokio::test]
async fn twins_and_strangers_in_one_batch_find_their_seats() {
    let (asked, started, first) = (Asked::default(), RefCell::new(Vec::new()), block(1));
    let keep = |landing: Landing| started.borrow_mut().push(landing);
    let reads = |numbers: &[u8]| numbers.iter().map(|number| read(*number)).collect::<Vec<_>>();
    let mut one = asked.ask(&first, reads(&[1, 2]), soon(), keep).boxed_local();
    let mut two = asked.ask(&first, reads(&[3, 2, 3, 4, 1, 4, 5]), soon(), keep).boxed_local();
    assert!(one.as_mut().now_or_never().is_none() && two.as_mut().now_or_never().is_none());
    let mut three = asked.ask(&first, reads(&[5, 4, 3]), soon(), keep).boxed_local();
    assert!(three.as_mut().now_or_never().is_none());
    let landings = started.take();
    assert_eq!(
        landings.iter().map(|landing| landing.reads().to_vec()).collect::<Vec<_>>(),
        [reads(&[1, 2]), reads(&[3, 4, 5])]
    );
    for landing in landings {
        let outcomes = echo(landing.reads());
        landing.land(outcomes.into());
    }
    assert_eq!(outcomes(two.await), told(&[3, 2, 3, 4, 1, 4, 5]));
    assert_eq!(outcomes(three.await), told(&[5, 4, 3]));
    assert_eq!(reply(&asked, 1, &read(5)).map(|reply| reply.outcome), told(&[5]).pop());
}

#[tokio::test(start_paused = true)]
async fn one_with_more_time_asks_again_what_another_did_not_get() {
    let (asked, started, first) = (Asked::default(), RefCell::new(Vec::new()), block(1));
    let keep = |landing: Landing| started.borrow_mut().push(landing);
    let hasty = asked.ask(&first, vec![read(1)], Instant::now() + Duration::from_secs(1), keep);
    let patient = asked.ask(&first, vec![read(1)], Instant::now() + Duration::from_secs(9), |landing| {
        let outcomes = echo(landing.reads());
        landing.land(outcomes.into());
    });
    let fails = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        drop(started.borrow_mut().pop());
    };
    let (hasty, patient, ()) = join!(hasty, patient, fails);
    assert_eq!(outcomes(hasty), [Outcome::Failed(ReadFailure::Timeout)]);
    assert_eq!(outcomes(patient), told(&[1]));
    assert!(reply(&asked, 1, &read(1)).is_some(), "the answer took the failure's place");
}

#[tokio::test]
async fn a_flight_that_nobody_lands_ends_in_failures() {
    let (asked, first) = (Asked::default(), block(1));
    let replies = asked.ask(&first, vec![read(1), read(2)], soon(), drop).await;
    assert_eq!(outcomes(replies), vec![Outcome::Failed(ReadFailure::Upstream); 2]);
}

#[tokio::test]
async fn the_last_blocks_are_kept_within_their_bytes() {
    let asked = Asked::default();
    let ask = async |number: u8, reply: usize| {
        let land = |landing: Landing| {
            let outcomes = vec![Outcome::Ok(vec![1; reply].into()); landing.reads().len()];
            landing.land(outcomes.into());
        };
        asked.ask(&block(number), vec![read(number)], soon(), land).await
    };
    for number in 1..=6 {
        ask(number, 10).await;
    }
    let kept = |numbers: std::ops::RangeInclusive<u8>| -> Vec<bool> {
        numbers.map(|number| reply(&asked, number, &read(number)).is_some()).collect()
    };
    assert_eq!(kept(1..=6), [false, false, true, true, true, true]);
    ask(7, 10 << 20).await;
    ask(8, 10 << 20).await;
    ask(9, 10).await;
    assert_eq!(kept(4..=9), [false, false, false, false, true, true]);
}

#[tokio::test]
async fn a_question_is_one_whether_it_is_asked_alone_or_in_a_long_row() {
    let (asked, started, first) = (Asked::default(), RefCell::new(Vec::new()), block(1));
    let keep = |landing: Landing| started.borrow_mut().push(landing);
    let row = |numbers: std::ops::Range<u8>| numbers.map(|to| Read::call(Address::repeat_byte(to), [1])).collect();
    let begin = |reads: Vec<Read>| {
        let mut answer = asked.ask(&first, reads.clone(), soon(), keep).boxed_local();
        assert!(answer.as_mut().now_or_never().is_none());
        (reads, answer)
    };
    let answers = [
        begin(row(7..8)),
        begin([row(0..100), row(0..100)].concat()),
        begin(row(90..110)),
        begin([vec![read(1)], row(50..150), vec![read(2)]].concat()),
        begin(row(149..151)),
        begin([vec![read(2)], row(0..150), vec![read(1)]].concat()),
    ];
    let landings = started.take();
    let expected: [Vec<Read>; 5] = [
        row(7..8),
        [row(0..7), row(8..100)].concat(),
        row(100..110),
        [row(110..150), vec![read(2)]].concat(),
        row(150..151),
    ];
    assert_eq!(landings.iter().map(Landing::reads).collect::<Vec<_>>(), expected);
    let contract = |reads: &[Read]| reads.iter().map(|read| Outcome::Ok(read.to.to_vec().into())).collect::<Vec<_>>();
    for landing in landings {
        let outcomes = contract(landing.reads());
        landing.land(outcomes.into());
    }
    for (reads, answer) in answers {
        assert_eq!(outcomes(answer.await), contract(&reads));
        assert!(reads.iter().all(|read| reply(&asked, 1, read).is_some()));
    }
}
