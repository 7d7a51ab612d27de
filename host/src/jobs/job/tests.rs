//! Jobs that walk fact lists, over a scripted chain and a scripted plugin.

use alloy::primitives::{Address, Bytes};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{Catalogue, Deployment, FactList};
use portolan_abi::row::{self, FactsRow, JobOut, freshness, kind, purpose, status};
use portolan_abi::{codec, fact_entries};
use portolan_base::net::off_chain::OffChain;
use portolan_base::network::Networks;
use portolan_plugins::Instance;
use portolan_plugins::limits::Limits;
use portolan_plugins::protocol::Protocol;
use portolan_plugins::runner::{Configured, InstanceId, IsLast, JobId, JobLease, RunFailure, Runner};
use portolan_reader::testing::ScriptedChain;

use super::*;
use crate::budget::AnswerBudget;

pub(super) const ETHEREUM: u64 = 1;
pub(super) const LIMITS: Limits = Limits { resume_ms: 1000, job_ms: 60_000 };
const VOTER: Address = Address::repeat_byte(0x70);

/// Opens a list, walks two entries of it unless it has some, and puts them.
#[derive(Debug)]
struct Walker {
    list: &'static str,
    steps: Mutex<u32>,
    /// The status and content of the list when it was opened.
    opened: Mutex<Vec<(u8, FactList)>>,
}

impl Runner for Walker {
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
        *self.steps.lock() = 0;
        let opening = (kind::FACTS, purpose::ANSWER, self.list.as_bytes().to_vec());
        async { Ok((JobLease::new(self, JobId(0)), reading(vec![opening]))) }.boxed()
    }

    fn resume(self: Arc<Self>, _: JobId, frame: Vec<u8>, _: IsLast) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        let mut steps = self.steps.lock();
        *steps += 1;
        let answered = if *steps == 1 {
            let (status, known) = opened(&frame);
            let is_known = !known.entries.is_empty();
            self.opened.lock().push((status, known));
            let walk = |place: u8| (kind::CALL, purpose::WALK, vec![0, 0, 0, place]);
            if is_known { end(None) } else { reading(vec![walk(1), walk(2)]) }
        } else {
            end(Some(self.list))
        };
        async { Ok(answered) }.boxed()
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}

fn opened(frame: &[u8]) -> (u8, FactList) {
    let frame = Frame::parse(frame).unwrap();
    let reply = frame.rows::<row::Reply>(resume_in::REPLIES).next().unwrap();
    let bytes = frame.bytes(reply.offset, reply.len).unwrap();
    (reply.status, codec::decode(bytes).unwrap_or_default())
}

fn reading(reads: Vec<(u8, u8, Vec<u8>)>) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let count = u32::try_from(reads.len()).unwrap();
    frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads: count, ..JobOut::default() });
    frame.row(resume_out::NETWORKS, &row::Network { chain_id: ETHEREUM });
    for (kind, purpose, data) in reads {
        let (data_offset, data_len) = frame.bytes(&data).unwrap();
        let freshness = freshness::IMMUTABLE;
        let read = row::Read { kind, purpose, freshness, to: VOTER, data_offset, data_len, ..row::Read::default() };
        frame.row(resume_out::READS, &read);
    }
    frame.finish().unwrap()
}

fn entries() -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(fact_entries::push(&mut bytes, b"one") && fact_entries::push(&mut bytes, b"two"));
    bytes
}

fn end(list: Option<&str>) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    frame.row(resume_out::JOBS, &JobOut { state: state::COMPLETE, ..JobOut::default() });
    if let Some(list) = list {
        let (list_offset, list_len) = frame.bytes(list.as_bytes()).unwrap();
        let (entries_offset, entries_len) = frame.bytes(&entries()).unwrap();
        let row = FactsRow { list_offset, list_len, total: 2, entries_offset, entries_len, ..FactsRow::default() };
        frame.row(resume_out::FACTS, &row);
    }
    frame.finish().unwrap()
}

fn plan(walker: &Arc<Walker>) -> JobPlan {
    let deployment = |protocol: &str, market: &str| Deployment {
        protocol: protocol.to_owned(),
        chain_id: ETHEREUM,
        market: market.to_owned(),
        questions: Vec::new(),
        contracts: vec![VOTER],
        ..Deployment::default()
    };
    let deployments = vec![deployment("acme", "main"), deployment("other", "side")];
    plan_of(Instance::run_by(
        Arc::<Walker>::clone(walker),
        "acme@1.0.0",
        LIMITS,
        Catalogue { deployments, ..Catalogue::default() },
    ))
}

/// Plans a question for claimables to the plugin's protocol `acme` on Ethereum.
pub(super) fn plan_of(instance: Instance) -> JobPlan {
    JobPlan {
        protocol: Arc::new(Protocol { slug: "acme".to_owned(), ..Protocol::default() }),
        instance: Arc::new(instance),
        network: Arc::clone(Networks::new([]).with_chain_id(ETHEREUM).unwrap()),
        question: JobQuestion::Account(Question::Claimables),
        account: Address::ZERO,
        is_traced: false,
    }
}

fn walker(list: &'static str) -> Arc<Walker> {
    Arc::new(Walker { list, steps: Mutex::default(), opened: Mutex::default() })
}

pub(super) async fn run_once(plan: &JobPlan, script: &ScriptedChain) -> JobOutcome {
    let deadline = Instant::now() + Duration::from_secs(60);
    let (off_chain, budget) = (OffChain::new(1 << 20), AnswerBudget::ample());
    let documents = Documents { off_chain: &off_chain, outgoing: &budget.outgoing };
    let sessions = Sessions::from([(ETHEREUM, Ok(script.session(deadline)))]);
    run(plan, join_session(plan, &sessions), &sessions, documents, deadline).await
}

fn chain() -> ScriptedChain {
    ScriptedChain::default().otherwise(|_| Outcome::Ok(Bytes::from(Address::repeat_byte(0x66).into_word().to_vec())))
}

#[tokio::test]
async fn a_list_is_walked_at_the_block_and_the_next_job_has_it() {
    let (walker, script) = (walker("main/gauges"), chain());
    let plan = plan(&walker);
    let first = run_once(&plan, &script).await;
    assert_eq!(
        (first.failure, first.stats.reads, first.stats.batches),
        (None, 1, 0),
        "a walk is not a read of the job"
    );
    let requests = script.requests();
    assert_eq!(requests.iter().map(Vec::len).collect::<Vec<_>>(), [2]);
    assert!(requests[0].iter().all(|read| read.freshness == Freshness::Pinned), "{requests:?}");
    let second = run_once(&plan, &script).await;
    assert_eq!((second.failure, script.requests().len()), (None, 1));
    let opened = walker.opened.lock().clone();
    assert_eq!(opened.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [status::OK; 2]);
    assert_eq!(opened[0].1, FactList { may_walk: true, reads: 50_000, ..FactList::default() });
    let block = portolan_reader::testing::BLOCK.number;
    let entries = entries().into();
    assert_eq!(opened[1].1, FactList { entries, block, may_walk: true, reads: 50_000, ..FactList::default() });
}

#[tokio::test]
async fn there_is_no_list_of_another_deployment_and_reads_without_one_are_the_jobs_own() {
    for list in ["side/gauges", "gauges", "main/", "main/Gauges", "main/gau/ges", "other/gauges"] {
        let (walker, script) = (walker(list), chain());
        let plan = plan(&walker);
        let outcome = run_once(&plan, &script).await;
        assert_eq!((outcome.failure, outcome.stats.reads, outcome.stats.batches), (None, 3, 1), "{list}");
        assert_eq!(walker.opened.lock()[0].0, status::UNSUPPORTED, "{list}");
        assert!(plan.instance.fact_lists.status(std::time::Instant::now()).is_empty(), "{list}");
    }
}
