//! Jobs that walk fact lists, over a scripted chain and a scripted plugin.

use alloy::primitives::{Address, Bytes};
use portolan_abi::map::{Catalogue, Deployment, FactList};
use portolan_abi::row::{freshness, purpose, status};
use portolan_abi::{codec, fact_entries};
use portolan_base::net::off_chain::OffChain;
use portolan_base::network::Networks;
use portolan_plugins::Instance;
use portolan_plugins::protocol::Protocol;
use portolan_plugins::testing::{
    ScriptedEnd, ScriptedFacts, ScriptedPlugin, ScriptedRead, ScriptedReply, ScriptedStep,
};
use portolan_reader::Freshness;
use portolan_reader::testing::ScriptedChain;

use super::*;
use crate::budget::AnswerBudget;

pub(super) const ETHEREUM: u64 = 1;
const VOTER: Address = Address::repeat_byte(0x70);

/// Opens a list, walks two entries of it unless it has some, and puts them.
fn walker(list: &'static str) -> ScriptedPlugin {
    let deployment = |protocol: &str, market: &str| Deployment {
        protocol: protocol.to_owned(),
        chain_id: ETHEREUM,
        market: market.to_owned(),
        questions: Vec::new(),
        contracts: vec![VOTER],
        ..Deployment::default()
    };
    let deployments = vec![deployment("acme", "main"), deployment("other", "side")];
    let open = || ScriptedRead::facts(list).fresh(freshness::IMMUTABLE, 0);
    let walk = |place| {
        let read = ScriptedRead::call(VOTER, &[0, 0, 0, place]);
        read.with_purpose(purpose::WALK).fresh(freshness::IMMUTABLE, 0)
    };
    let put = move || ScriptedFacts { list, total: 2, entries: entries() };
    ScriptedPlugin::new("acme", Catalogue { deployments, ..Catalogue::default() }).script(move |job| {
        match &job.replies[..] {
            [] => ScriptedStep::Reads(vec![open()]),
            [opened] if list_of(&opened[0]).entries.is_empty() => ScriptedStep::Reads(vec![walk(1), walk(2)]),
            [_] => ScriptedStep::Ends(ScriptedEnd::default()),
            [..] => ScriptedStep::Ends(ScriptedEnd { facts: Some(put()), ..ScriptedEnd::default() }),
        }
    })
}

fn list_of(reply: &ScriptedReply) -> FactList {
    codec::decode(&reply.bytes).unwrap_or_default()
}

/// Returns the status and content of the list that each job opened.
fn opened(walker: &ScriptedPlugin) -> Vec<(u8, FactList)> {
    walker.jobs().iter().map(|job| (job.replies[0][0].status, list_of(&job.replies[0][0]))).collect()
}

fn entries() -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(fact_entries::push(&mut bytes, b"one") && fact_entries::push(&mut bytes, b"two"));
    bytes
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
        renews_zeros: false,
        records: None,
    }
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
    let plan = plan_of(walker.instance());
    let first = run_once(&plan, &script).await;
    assert_eq!(
        (first.failure, first.stats.reads, first.stats.batches),
        (None, 1, 0),
        "a walk is not a read of the job"
    );
    let requests = script.requests();
    assert_eq!(requests.iter().map(Vec::len).collect::<Vec<_>>(), [2]);
    assert!(requests[0].iter().all(|read| read.freshness == Freshness::Proven), "{requests:?}");
    let second = run_once(&plan, &script).await;
    assert_eq!((second.failure, script.requests().len()), (None, 1));
    let opened = opened(&walker);
    assert_eq!(opened.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [status::OK; 2]);
    assert_eq!(opened[0].1, FactList { may_walk: true, reads: 50_000, ..FactList::default() });
    let block = portolan_reader::testing::BLOCK.number;
    let entries = entries().into();
    assert_eq!(opened[1].1, FactList { entries, block, may_walk: true, reads: 50_000, ..FactList::default() });
}

#[tokio::test]
async fn a_list_that_another_gateway_has_walked_is_not_walked_again() {
    let script = chain();
    let (first, second) = (walker("main/gauges"), walker("main/gauges"));
    run_once(&plan_of(first.instance()), &script).await;
    assert_eq!(script.requests().len(), 1);
    // Another gateway: nothing is known to its instance.
    let outcome = run_once(&plan_of(second.instance()), &script).await;
    assert_eq!((outcome.failure, script.requests().len()), (None, 1));
    let (entries, block) = (entries().into(), portolan_reader::testing::BLOCK.number);
    assert_eq!(opened(&second)[0].1, FactList { entries, block, may_walk: true, reads: 50_000, ..FactList::default() });
    let mut other = walker("main/gauges").instance();
    other.settings = vec![1];
    let other = plan_of(other);
    script.next_block();
    run_once(&other, &script).await;
    assert_eq!(script.requests().len(), 2, "other settings may mean other contracts");
}

#[tokio::test]
async fn there_is_no_list_of_another_deployment_and_reads_without_one_are_the_jobs_own() {
    for list in ["side/gauges", "gauges", "main/", "main/Gauges", "main/gau/ges", "other/gauges"] {
        let (walker, script) = (walker(list), chain());
        let plan = plan_of(walker.instance());
        let outcome = run_once(&plan, &script).await;
        assert_eq!((outcome.failure, outcome.stats.reads, outcome.stats.batches), (None, 3, 1), "{list}");
        assert_eq!(opened(&walker)[0].0, status::UNSUPPORTED, "{list}");
        assert!(plan.instance.fact_lists.status(std::time::Instant::now()).is_empty(), "{list}");
    }
}
