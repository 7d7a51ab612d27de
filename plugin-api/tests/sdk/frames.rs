//! Several jobs in one frame, jobs dropped midway, and frames that do not fit their jobs.

use portolan_abi::frame::{FrameWriter, resume_in};
use portolan_abi::row::{JobIn, Reply, state, status};
use portolan_plugin_api::U256;

use crate::host::{Host, Job, Step, frame_of};
use crate::scenario::{Play, Scenario, found, found_all, scenario, value};

scenario!(TwoBatches, |cx| {
    let first = cx.join([value(cx, 1), value(cx, 2)]).await?;
    let second = value(cx, 3).await?;
    Ok(found_all([first[0], first[1], second]))
});

fn states(steps: &[Step]) -> Vec<u8> {
    steps.iter().map(|step| step.state).collect()
}

#[test]
fn each_job_of_a_frame_gets_its_own_replies() {
    let host = Host::<Play<TwoBatches>>::new();
    let mut jobs = [host.start(), host.start(), host.start()];
    let first = host.resume(&mut jobs, &[&[], &[], &[]]);
    assert_eq!(states(&first), [state::READING; 3]);
    assert!(first.iter().all(|step| step.requested == [1, 2]));
    let second = host.resume(&mut jobs, &[&[10, 11], &[20, 21], &[30, 31]]);
    assert!(second.iter().all(|step| step.requested == [3] && step.findings.is_empty()));
    let last = host.resume(&mut jobs, &[&[12], &[22], &[32]]);
    assert_eq!(states(&last), [state::COMPLETE; 3]);
    let numbers: Vec<Vec<u64>> = last.iter().map(Step::numbers).collect();
    assert_eq!(numbers, [[10, 11, 12], [20, 21, 22], [30, 31, 32]]);
}

#[test]
fn jobs_of_one_frame_may_stand_at_different_batches() {
    let host = Host::<Play<TwoBatches>>::new();
    let mut early = [host.start()];
    host.resume(&mut early, &[&[]]);
    host.resume(&mut early, &[&[1, 2]]);
    let [early] = early;
    let mut jobs = [host.start(), early];
    let steps = host.resume(&mut jobs, &[&[], &[3]]);
    assert_eq!(states(&steps), [state::READING, state::COMPLETE]);
    assert_eq!((&steps[0].requested, steps[1].numbers()), (&vec![1, 2], vec![1, 2, 3]));
}

#[test]
fn a_frame_without_jobs_gives_a_frame_without_jobs() {
    let host = Host::<Play<TwoBatches>>::new();
    assert!(host.resume(&mut [], &[]).is_empty());
}

#[test]
fn a_job_that_is_dropped_half_way_harms_no_other() {
    let host = Host::<Play<TwoBatches>>::new();
    let mut jobs = vec![host.start(), host.start()];
    host.resume(&mut jobs, &[&[], &[]]);
    drop(jobs.remove(0));
    let never_resumed = host.start();
    drop(never_resumed);
    host.resume(&mut jobs, &[&[1, 2]]);
    assert_eq!(host.resume(&mut jobs, &[&[3]])[0].numbers(), [1, 2, 3]);
}

#[test]
fn a_job_that_is_resumed_after_its_end_says_so() {
    let host = Host::<Play<TwoBatches>>::new();
    let mut jobs = [host.start()];
    for replies in [&[][..], &[1, 2], &[3]] {
        host.resume(&mut jobs, &[replies]);
    }
    for replies in [&[][..], &[1, 2, 3]] {
        let steps = host.resume(&mut jobs, &[replies]);
        assert_eq!((steps[0].state, steps[0].message.as_str()), (state::FAILED, "resumed after its end"));
        assert!(steps[0].findings.is_empty());
    }
}

/// Resumes three jobs, one of them with a wrong number of replies.
fn neighbours_of(wrong: &[u64]) -> Vec<Step> {
    let host = Host::<Play<TwoBatches>>::new();
    let mut jobs = [host.start(), host.start(), host.start()];
    host.resume(&mut jobs, &[&[], &[], &[]]);
    let steps = host.resume(&mut jobs, &[&[1, 2], wrong, &[5, 6]]);
    assert_eq!((steps[0].state, &steps[0].requested), (state::READING, &vec![3]));
    assert_eq!((steps[2].state, &steps[2].requested), (state::READING, &vec![3]));
    let last = host.resume(&mut jobs, &[&[7], &[], &[8]]);
    assert_eq!(last[1].message, "resumed after its end");
    assert_eq!((last[0].numbers(), last[2].numbers()), (vec![1, 2, 7], vec![5, 6, 8]));
    steps
}

#[test]
fn too_few_replies_fail_that_job_alone() {
    for (wrong, message) in [(&[][..], "0 replies to 2 open reads"), (&[1], "1 replies to 2 open reads")] {
        let steps = neighbours_of(wrong);
        assert_eq!((steps[1].state, steps[1].message.as_str()), (state::FAILED, message));
        assert!(steps[1].requested.is_empty());
    }
}

#[test]
fn too_many_replies_fail_that_job_alone() {
    let steps = neighbours_of(&[1, 2, 3]);
    let actual = (steps[1].state, steps[1].message.as_str());
    assert_eq!(actual, (state::FAILED, "3 replies to 2 open reads"));
}

/// A frame that fits two jobs with two replies each, except for one thing.
fn misfit(jobs: &[u32], replies: usize, offset: u32) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    for replies in jobs {
        frame.row(resume_in::JOBS, &JobIn { replies: *replies, ..JobIn::default() });
    }
    frame.bytes(&U256::from(9).to_be_bytes::<32>()).expect("a small blob");
    for place in 0..replies {
        let offset = if place + 1 == replies { offset } else { 0 };
        frame.row(resume_in::REPLIES, &Reply { status: status::OK, offset, len: 32, ..Reply::default() });
    }
    frame.finish().expect("a small frame")
}

/// Asserts that nothing comes out and no job has moved: the right frame still carries them to their end.
fn moves_no_job<S: Scenario>(frame: &[u8], what: &str) {
    let host = Host::<Play<S>>::new();
    let mut jobs: Vec<Job<'_>> = vec![host.start(), host.start()];
    host.resume(&mut jobs, &[&[], &[]]);
    assert_eq!(host.resume_with(&mut jobs, frame), [0_u8; 0], "{what}");
    let steps = host.resume(&mut jobs, &[&[1, 2], &[3, 4]]);
    assert_eq!(states(&steps), [state::READING; 2], "{what}");
    let steps = host.resume(&mut jobs, &[&[5], &[6]]);
    assert_eq!((steps[0].numbers(), steps[1].numbers()), (vec![1, 2, 5], vec![3, 4, 6]), "{what}");
}

#[test]
fn a_frame_that_does_not_agree_with_itself_moves_no_job() {
    let cases = [
        ("the control", misfit(&[2, 2], 4, 0)),
        ("no bytes", Vec::new()),
        ("another version", [&b"PTLN\x02\x00"[..], &[0; 10]].concat()),
        ("a byte too many", [frame_of(&[&[1, 2], &[3, 4]]), vec![0]].concat()),
        ("a record for one of two jobs", misfit(&[2], 2, 0)),
        ("three records for two jobs", misfit(&[2, 2, 0], 4, 0)),
        ("a reply that belongs to no job", misfit(&[2, 2], 5, 0)),
        ("a reply that is not there", misfit(&[2, 2], 3, 0)),
        ("counts that lie", misfit(&[u32::MAX, u32::MAX], 4, 0)),
        ("a reply that points outside the blob", misfit(&[2, 2], 4, 1)),
    ];
    let (control, wrong) = cases.split_first().expect("the control");
    let host = Host::<Play<TwoBatches>>::new();
    let mut jobs = [host.start(), host.start()];
    host.resume(&mut jobs, &[&[], &[]]);
    assert_eq!(crate::host::steps(&host.resume_with(&mut jobs, &control.1)).len(), 2);
    for (what, frame) in wrong {
        moves_no_job::<TwoBatches>(frame, what);
    }
}

scenario!(SameData, |cx| {
    let reads = cx.join((0..100).map(|_| value(cx, 5))).await?;
    Ok(vec![found(reads.iter().sum())])
});

#[test]
fn equal_reads_in_a_row_share_their_calldata() {
    let host = Host::<Play<SameData>>::new();
    let mut jobs = [host.start(), host.start()];
    let out = host.resume_with(&mut jobs, &frame_of(&[&[], &[]]));
    // 200 reads, 36 bytes of calldata stored once per job for 2 jobs, and 1 network.
    assert_eq!(out.len(), 16 + 3 * 8 + 2 * 40 + 8 + 200 * 48 + 2 * 36);
    let replies: Vec<u64> = (0..100).collect();
    let steps = host.resume(&mut jobs, &[&replies, &replies]);
    assert_eq!((steps[0].numbers(), steps[1].numbers()), (vec![99 * 100 / 2], vec![99 * 100 / 2]));
}

#[test]
fn a_start_that_is_none_is_refused_with_a_reason() {
    let host = Host::<Play<TwoBatches>>::new();
    let refused = host.start_with(b"nonsense").err().expect("refused");
    assert!(refused.starts_with("start frame: "), "{refused}");
    let mut start = crate::host::start_map();
    for question in [0, 8, 9, 255] {
        start.question = portolan_abi::Question(question);
        let refused = host.start_with(&portolan_abi::codec::encode(&start)).err();
        assert_eq!(refused, Some(format!("question {question} is not supported")));
    }
}
