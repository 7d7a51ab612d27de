//! Jobs that are resumed while some reads are open, over a scripted chain and a scripted plugin.

use alloy::primitives::{Address, Bytes};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{Catalogue, Deployment};
use portolan_abi::row::{self, JobOut, freshness, status};
use portolan_plugins::Instance;
use portolan_plugins::runner::{Configured, InstanceId, IsLast, JobId, JobLease, RunFailure, Runner};
use portolan_reader::testing::ScriptedChain;

use super::tests::{ETHEREUM, LIMITS, plan_of, run_once};
use super::*;

const LISTED: Address = Address::repeat_byte(1);
const HELD: Address = Address::repeat_byte(2);
const EARNED: Address = Address::repeat_byte(3);

/// A plugin that requests the reads of each step in turn, whatever the replies are.
#[derive(Debug)]
struct Steps {
    reads: Vec<Vec<Address>>,
    /// The freshness of all its reads, with its seconds.
    freshness: (u8, u32),
    /// The statuses of the replies to each step.
    statuses: Mutex<Vec<Vec<u8>>>,
}

impl Runner for Steps {
    fn configure(self: Arc<Self>, _: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn begin(
        self: Arc<Self>,
        _: InstanceId,
        _: Vec<u8>,
        _: Vec<u8>,
        _: IsLast,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        let first = self.step(0);
        async { Ok((JobLease::new(self, JobId(0)), first)) }.boxed()
    }

    fn resume(self: Arc<Self>, _: JobId, frame: Vec<u8>, _: IsLast) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        let frame = Frame::parse(&frame).unwrap();
        let replies = frame.rows::<row::Reply>(resume_in::REPLIES).map(|reply| reply.status).collect();
        let mut statuses = self.statuses.lock();
        statuses.push(replies);
        let next = self.step(statuses.len());
        async { Ok(next) }.boxed()
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}

impl Steps {
    fn step(&self, number: usize) -> Vec<u8> {
        let mut frame = FrameWriter::default();
        let reads = self.reads.get(number);
        let state = if reads.is_some() { state::READING } else { state::COMPLETE };
        let reads = reads.map(Vec::as_slice).unwrap_or_default();
        let count = u32::try_from(reads.len()).unwrap();
        frame.row(resume_out::JOBS, &JobOut { state, reads: count, ..JobOut::default() });
        frame.row(resume_out::NETWORKS, &row::Network { chain_id: ETHEREUM });
        for to in reads {
            let (freshness, freshness_s) = self.freshness;
            frame.row(resume_out::READS, &row::Read { to: *to, freshness, freshness_s, ..row::Read::default() });
        }
        frame.finish().unwrap()
    }
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
    let reads = reads.iter().map(|reads| reads.to_vec()).collect();
    let steps = Arc::new(Steps { reads, freshness, statuses: Mutex::default() });
    let word = || Outcome::Ok(Bytes::from(vec![0; 32]));
    let mut script = ScriptedChain::default().otherwise(move |_| word());
    script.cache(LISTED, &[], word());
    let deployment = Deployment { protocol: "acme".to_owned(), chain_id: ETHEREUM, ..Deployment::default() };
    let catalogue = Catalogue { deployments: vec![deployment], ..Catalogue::default() };
    let mut instance = Instance::run_by(Arc::<Steps>::clone(&steps), "acme@1.0.0", LIMITS, catalogue);
    instance.capabilities = capabilities;
    let outcome = run_once(&plan_of(instance), &script).await;
    let batches = script.requests().iter().map(|batch| batch.iter().map(|read| read.to).collect()).collect();
    let statuses = steps.statuses.lock().clone();
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
