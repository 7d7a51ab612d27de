//! Feeds arbitrary bytes to the functions of a plugin: they return or refuse, never unwind, and do not affect the next
//! job.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use portolan_abi::codec;
use portolan_abi::frame::{FrameWriter, resume_in};
use portolan_abi::row::{JobIn, Reply, state, status};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::Index;
use proptest::test_runner::Config;

use crate::host::{Host, frame_of, start_map, steps};
use crate::scenario::{Play, found_all, scenario, value};

/// Cases per property; together they take about two seconds.
const CASES: u32 = 512;

fn config() -> Config {
    Config { cases: CASES, failure_persistence: None, ..Config::default() }
}

scenario!(Lists, |cx| {
    let first = cx.join((0..3).map(|number| value(cx, number))).await?;
    let tried = cx.try_call(crate::scenario::TARGET, crate::scenario::valueCall { of: first[0] }).await?;
    Ok(found_all(first.into_iter().chain(tried.ok())))
});

/// One instance for all cases: damage by one shows in the next.
static HOST: LazyLock<Host<Play<Lists>>> = LazyLock::new(Host::new);

/// Bytes with some changed, inserted, removed, or cut off.
fn bent(valid: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    vec((any::<Index>(), any::<u8>(), 0..4_u8), 0..6).prop_map(move |changes| {
        let mut bytes = valid.clone();
        for (place, byte, how) in changes {
            let at = place.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match how {
                _ if bytes.is_empty() => {}
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
        }
        bytes
    })
}

fn settings() -> Vec<u8> {
    use portolan_abi::map::{Settings, SettingsKey, SettingsRow, SettingsValue};
    let keys =
        vec![SettingsKey { key: "farms".to_owned(), value: SettingsValue::List(vec![SettingsValue::Bool(true)]) }];
    let row = SettingsRow { protocol: "acme".to_owned(), chain_id: 137, market: "main".to_owned(), keys };
    codec::encode(&Settings { shipped: true, protocols: Vec::new(), deployments: vec![row] })
}

/// Resumes two jobs that each wait for three replies with any frame: both move, or neither does. Then another job runs
/// to its end.
fn resume_with(frame: &[u8]) -> Result<(), proptest::test_runner::TestCaseError> {
    let mut jobs = [HOST.start(), HOST.start()];
    HOST.resume(&mut jobs, &[&[], &[]]);
    let out = HOST.resume_with(&mut jobs, frame);
    if out.is_empty() {
        let steps = HOST.resume(&mut jobs, &[&[1, 2, 3], &[1, 2, 3]]);
        prop_assert!(steps.iter().all(|step| step.state == state::READING), "no job has moved");
    } else {
        prop_assert_eq!(steps(&out).len(), 2);
    }
    drop(jobs);
    let (step, _) = HOST.run_to_end();
    prop_assert_eq!(step.state, state::COMPLETE);
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn settings_of_any_bytes_are_taken_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        drop(Host::<Play<Lists>>::configured(&bytes));
    }

    #[test]
    fn bent_settings_are_taken_or_refused(bytes in bent(settings())) {
        drop(Host::<Play<Lists>>::configured(&bytes));
    }

    #[test]
    fn a_start_of_any_bytes_is_taken_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        drop(HOST.start_with(&bytes));
    }

    #[test]
    fn a_bent_start_is_taken_or_refused(bytes in bent(codec::encode(&start_map()))) {
        drop(HOST.start_with(&bytes));
    }

    #[test]
    fn a_resume_of_any_bytes_moves_all_jobs_or_none(bytes in vec(any::<u8>(), 0..300)) {
        resume_with(&bytes)?;
    }

    #[test]
    fn a_bent_resume_moves_all_jobs_or_none(bytes in bent(frame_of(&[&[1, 2, 3], &[4, 5, 6]]))) {
        resume_with(&bytes)?;
    }

    #[test]
    fn rows_of_any_numbers_move_all_jobs_or_none(
        jobs in vec((0..6_u32, any::<u32>()), 0..4),
        replies in vec((any::<u8>(), 0..80_u32, 0..80_u32), 0..8),
        blob in vec(any::<u8>(), 0..120),
    ) {
        let mut frame = FrameWriter::default();
        for (replies, left) in jobs {
            frame.row(resume_in::JOBS, &JobIn { replies, ms_left: left, reads_left: left, bytes_left: left });
        }
        for (status, offset, len) in replies {
            frame.row(resume_in::REPLIES, &Reply { status, offset, len, ..Reply::default() });
        }
        frame.bytes(&blob).expect("a small blob");
        resume_with(&frame.finish().expect("a small frame"))?;
    }

    #[test]
    fn replies_of_any_bytes_end_the_job_or_carry_it_on(
        replies in vec((prop_oneof![0..status::PENDING, Just(9)], vec(any::<u8>(), 0..70)), 3),
    ) {
        let mut frame = FrameWriter::default();
        frame.row(resume_in::JOBS, &JobIn { replies: 3, ..JobIn::default() });
        for (status, bytes) in &replies {
            let (offset, len) = frame.bytes(bytes).expect("a small blob");
            frame.row(resume_in::REPLIES, &Reply { status: *status, offset, len, ..Reply::default() });
        }
        let mut jobs = [HOST.start()];
        HOST.resume(&mut jobs, &[&[]]);
        let out = steps(&HOST.resume_with(&mut jobs, &frame.finish().expect("a small frame")));
        // A call returns a word: 32 bytes or more with status 0 decode; everything else is an error of `call`.
        let whole = replies.iter().all(|(status, bytes)| *status == 0 && bytes.len() >= 32);
        prop_assert_eq!(out[0].state, if whole { state::READING } else { state::FAILED });
    }
}

#[test]
fn frames_whose_lengths_lie_are_refused_at_once() {
    let head =
        |blocks: u16, blob: u32| [&b"PTLN\x01\x00"[..], &blocks.to_le_bytes(), &blob.to_le_bytes(), &[0; 4]].concat();
    let block = |count: u32, stride: u32| [count.to_le_bytes(), stride.to_le_bytes()].concat();
    let lies = [
        head(0, u32::MAX),
        head(u16::MAX, 0),
        [head(1, 0), block(u32::MAX, u32::MAX)].concat(),
        [head(2, 0), block(u32::MAX, 1), vec![0; 64]].concat(),
        [head(2, 0), block(2, 16), vec![0xff; 32], block(0, 16)].concat(),
    ];
    let before = Instant::now();
    for lie in lies {
        let mut jobs = [HOST.start(), HOST.start()];
        HOST.resume(&mut jobs, &[&[], &[]]);
        assert_eq!(HOST.resume_with(&mut jobs, &lie), [0_u8; 0]);
    }
    // Four billion rows would take much longer.
    assert!(before.elapsed() < Duration::from_secs(2));
}
