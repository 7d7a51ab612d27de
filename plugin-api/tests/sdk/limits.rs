//! Limits of a job: tests enforce the same limits as a host, with the same messages.

use portolan_plugin_api::testing::{End, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::{Claimable, Error, JobContext, U256};

use crate::scenario::{Play, case, found, numbers, play, scenario, value};

/// Makes this many batches of one read.
async fn deep(cx: &JobContext, batches: u64) -> Result<Vec<Claimable>, Error> {
    for number in 0..batches {
        value(cx, number).await?;
    }
    Ok(vec![found(U256::from(batches))])
}

scenario!(DeepEnough, |cx| { deep(cx, 24).await });
scenario!(TooDeep, |cx| { deep(cx, 25).await });

fn end(outcome: &Outcome) -> (End, &str) {
    (outcome.end, outcome.message.as_str())
}

#[test]
fn a_job_has_24_batches() {
    let enough = play::<DeepEnough>();
    assert_eq!((end(&enough), numbers(&enough)), ((End::Complete, ""), vec![24]));
    let too_deep = play::<TooDeep>();
    assert_eq!(
        end(&too_deep),
        (
            End::OverBudget,
            "requested more than 24 batches of reads: await reads that need no other together, not in a loop"
        )
    );
    assert_eq!(too_deep.batches.len(), 24);
}

scenario!(TooWide, |cx| { cx.join((0..60_001).map(|number| value(cx, number))).await.map(|_| Vec::new()) });

#[test]
fn a_batch_has_60_000_reads() {
    let outcome = play::<TooWide>();
    assert_eq!(
        end(&outcome),
        (
            End::OverBudget,
            "requested 60001 reads at once, more than 60000: read in parts, or by a view that returns many"
        )
    );
}

// Makes batches of 24,000 reads; counts how many of the last were not made.
scenario!(TooMany, |cx| {
    let mut budgets = vec![cx.budget().reads];
    for _ in 0..5 {
        cx.join((0..24_000).map(|number| value(cx, number))).await?;
        budgets.push(cx.budget().reads);
    }
    let further = value(cx, 1).await.err().map(|error| error.to_string()).unwrap_or_default();
    cx.report_missing(further);
    Ok(budgets.into_iter().map(|reads| found(U256::from(reads))).collect())
});

#[test]
fn a_job_has_120_000_reads_and_further_ones_are_not_made() {
    let outcome = play::<TooMany>();
    assert_eq!(outcome.end, End::Partial);
    assert!(outcome.message.contains(": the job's budget of reads is used up: "), "{}", outcome.message);
    assert_eq!(numbers(&outcome), [120_000, 96_000, 72_000, 48_000, 24_000, 0]);
}

scenario!(TooHeavy, |cx| {
    let all = (0..5).map(async |number| match value(cx, number).await {
        Ok(_) => Ok(true),
        Err(Error::Unavailable { .. }) => Ok(false),
        Err(error) => Err(error),
    });
    let made = cx.join(all).await?.into_iter().filter(|made| *made).count();
    Ok([made as u64, u64::from(cx.budget().bytes)].map(|number| found(U256::from(number))).to_vec())
});

#[test]
fn a_job_gets_16_mebibytes_of_replies() {
    let mut word = vec![0; 4 << 20];
    word[31] = 1;
    let outcome = case().run::<Play<TooHeavy>>(|_: &ReadRequest| ReadResult::Ok(word.clone().into()));
    assert_eq!((outcome.end, numbers(&outcome)), (End::Complete, vec![4, 0]), "{}", outcome.message);
}

async fn finds(cx: &JobContext, counts: &[usize]) -> Result<Vec<Claimable>, Error> {
    for (batch, count) in counts.iter().enumerate() {
        let first = batch * 10_000;
        (first..first + count).for_each(|number| cx.emit(found(U256::from(number))));
        value(cx, 1).await?;
    }
    Ok(Vec::new())
}

scenario!(FindsEnough, |cx| { finds(cx, &[4_000, 1_000]).await });
scenario!(FindsTooMany, |cx| { finds(cx, &[4_000, 1_001]).await });
scenario!(FindsTooManyAtOnce, |cx| { finds(cx, &[5_001]).await });

#[test]
fn a_job_has_5_000_findings_and_those_before_stay() {
    let enough = play::<FindsEnough>();
    assert_eq!((end(&enough), enough.findings.len()), ((End::Complete, ""), 5_000));
    let too_many = play::<FindsTooMany>();
    assert_eq!(end(&too_many), (End::OverBudget, "returned more than 5000 findings"));
    assert_eq!(too_many.findings.len(), 5_000);
    let at_once = play::<FindsTooManyAtOnce>();
    assert_eq!(end(&at_once), (End::OverBudget, "returned 5001 findings at once, more than 5000"));
    assert_eq!(at_once.findings.len(), 0);
}

scenario!(SpeaksTooLong, |cx| {
    cx.report_missing("x".repeat(16 << 20));
    Ok(Vec::new())
});

#[test]
fn a_frame_has_16_mebibytes() {
    let outcome = play::<SpeaksTooLong>();
    assert_eq!(outcome.end, End::OverBudget);
    assert!(outcome.message.starts_with("answered a frame of 167"), "{}", outcome.message);
}
