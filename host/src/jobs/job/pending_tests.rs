//! Jobs that are resumed while some reads are open, over a scripted chain and a scripted plugin.

use alloy::primitives::{Address, Bytes};
use portolan_abi::map::{Catalogue, Deployment};
use portolan_abi::row::{freshness, status};
use portolan_plugins::testing::{ScriptedEnd, ScriptedPlugin, ScriptedRead, ScriptedStep};
use portolan_reader::testing::ScriptedChain;

use super::tests::{ETHEREUM, plan_of, run_once};
use super::*;

const LISTED: Address = Address::repeat_byte(1);
const HELD: Address = Address::repeat_byte(2);
const EARNED: Address = Address::repeat_byte(3);

/// A plugin that requests the reads of each step in turn, whatever the replies are. All have this freshness, with its
/// seconds.
fn stepping(reads: &[&[Address]], (freshness, seconds): (u8, u32)) -> ScriptedPlugin {
    let deployment = Deployment { protocol: "acme".to_owned(), chain_id: ETHEREUM, ..Deployment::default() };
    let read = |to: &Address| ScriptedRead::call(*to, &[]).fresh(freshness, seconds);
    let steps: Vec<Vec<ScriptedRead>> = reads.iter().map(|reads| reads.iter().map(read).collect()).collect();
    let catalogue = Catalogue { deployments: vec![deployment], ..Catalogue::default() };
    ScriptedPlugin::new("acme", catalogue).script(move |job| match steps.get(job.replies.len()) {
        Some(reads) => ScriptedStep::Reads(reads.clone()),
        None => ScriptedStep::Ends(ScriptedEnd::default()),
    })
}

/// Returns the outcome of a job with these steps, the statuses of the replies to each, and the targets of each batch.
/// The reply of the listed contract is cached.
async fn run_steps(reads: &[&[Address]], capabilities: u64) -> (JobOutcome, Vec<Vec<u8>>, Vec<Vec<Address>>) {
    run_fresh(reads, (freshness::IMMUTABLE, 0), capabilities).await
}

async fn run_fresh(
    reads: &[&[Address]],
    freshness: (u8, u32),
    capabilities: u64,
) -> (JobOutcome, Vec<Vec<u8>>, Vec<Vec<Address>>) {
    let plugin = stepping(reads, freshness);
    let word = || Outcome::Ok(Bytes::from(vec![0; 32]));
    let mut script = ScriptedChain::default().otherwise(move |_| word());
    script.cache(LISTED, &[], word());
    let mut instance = plugin.instance();
    instance.capabilities = capabilities;
    let outcome = run_once(&plan_of(instance), &script).await;
    let batches = script.requests().iter().map(|batch| batch.iter().map(|read| read.to).collect()).collect();
    let statuses =
        plugin.jobs()[0].replies.iter().map(|replies| replies.iter().map(|it| it.status).collect()).collect();
    (outcome, statuses, batches)
}

const OK: u8 = status::OK;
const OPEN: u8 = status::PENDING;

#[tokio::test]
async fn a_job_runs_on_with_what_is_cached_and_all_that_is_not_leaves_in_one_batch() {
    let steps = [&[HELD, LISTED][..], &[EARNED]];
    let (outcome, statuses, batches) = run_steps(&steps, capability::ALL).await;
    assert_eq!((outcome.failure, outcome.ended), (None, true));
    assert_eq!(statuses, [vec![OPEN, OK], vec![OK, OK]]);
    assert_eq!(batches, [[HELD, EARNED]]);
    assert_eq!((outcome.stats.batches, outcome.stats.reads), (1, 3));
}

#[tokio::test]
async fn a_plugin_of_an_earlier_revision_gets_all_replies_of_a_step_together() {
    let steps = [&[HELD, LISTED][..], &[EARNED]];
    let (outcome, statuses, batches) = run_steps(&steps, capability::ALL & !capability::PENDING_REPLIES).await;
    assert_eq!((outcome.failure, outcome.ended), (None, true));
    assert_eq!(statuses, [vec![OK, OK], vec![OK]]);
    assert_eq!(batches, [[HELD], [EARNED]]);
    assert_eq!((outcome.stats.batches, outcome.stats.reads), (2, 3));
}

#[tokio::test]
async fn what_may_be_an_accounts_own_is_no_step_ahead_though_it_is_cached() {
    let steps = [&[HELD, LISTED][..], &[EARNED]];
    for (freshness, is_ahead) in [
        ((freshness::WITHIN, 300), true),
        ((freshness::WITHIN, 299), false),
        ((freshness::ZERO_WITHIN, 3_600), false),
        ((freshness::PINNED, 0), false),
    ] {
        let (outcome, statuses, _) = run_fresh(&steps, freshness, capability::ALL).await;
        assert_eq!((outcome.failure, outcome.ended), (None, true));
        let expected = if is_ahead { [vec![OPEN, OK], vec![OK, OK]] } else { [vec![OK, OK], vec![OK]] };
        assert_eq!(statuses, expected, "{freshness:?}");
        assert_eq!(outcome.stats.batches, if is_ahead { 1 } else { 2 }, "{freshness:?}");
    }
}

#[tokio::test]
async fn a_job_that_can_do_nothing_with_what_is_cached_waits_for_the_rest() {
    let (outcome, statuses, batches) = run_steps(&[&[LISTED, HELD], &[]], capability::ALL).await;
    assert_eq!((outcome.failure, outcome.ended), (None, true));
    assert_eq!((statuses, batches), (vec![vec![OK, OPEN], vec![OK]], vec![vec![HELD]]));
}

#[tokio::test]
async fn a_job_that_reads_nothing_and_does_not_end_is_at_fault() {
    for steps in [&[&[][..]][..], &[&[HELD], &[]], &[&[LISTED], &[]]] {
        let (outcome, ..) = run_steps(steps, capability::ALL).await;
        let failure = outcome.failure.unwrap();
        assert_eq!(
            (failure.reason, failure.detail.as_str()),
            (Reason::InvalidOutput, "it is reading, and no read is open")
        );
    }
}

#[tokio::test]
async fn a_job_that_goes_on_for_ever_with_cached_replies_meets_the_limit_of_steps() {
    let steps = vec![&[LISTED][..]; 200];
    let (outcome, statuses, batches) = run_steps(&steps, capability::ALL).await;
    // A hundred steps with cached replies, and 24 more that count as batches.
    assert_eq!((outcome.failure.map(|failure| failure.reason), statuses.len()), (Some(Reason::OverBudget), 124));
    assert_eq!(batches, Vec::<Vec<Address>>::new());
}
