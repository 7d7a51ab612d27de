//! A claim whose target an endpoint misreported once, over a scripted chain and a scripted plugin.

use alloy::primitives::U256;
use alloy::sol_types::{SolCall, SolValue};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::codec;
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{self, Catalogue, ClaimTemplate, Deployment};
use portolan_abi::row::{self, JobOut, freshness, state};
use portolan_assets::metadata::Erc20;
use portolan_plugins::limits::Limits;
use portolan_plugins::runner::{Configured, InstanceId, IsLast, JobId, JobLease, RunFailure, Runner};
use portolan_plugins::{Instance, Snapshot};
use portolan_reader::testing::ScriptedChain;
use portolan_reader::{Kind, Outcome, Read, ReadFailure};

use super::*;
use crate::gateway::answer::RowItem;

alloy::sol! {
    function farm() external view returns (address);
}

const ETHEREUM: u64 = 1;
const ACCOUNT: Address = Address::repeat_byte(0xaa);
const FACTORY: Address = Address::repeat_byte(0xfc);
const FARM: Address = Address::repeat_byte(0xfa);
const THIEF: Address = Address::repeat_byte(0x66);
const TOKEN: Address = Address::repeat_byte(0xa1);
const FARM_OF: [u8; 4] = farmCall::SELECTOR;
const EARNED: [u8; 4] = [2, 2, 2, 2];

/// Reads the farm's address from the factory as an immutable fact, reads from the farm what it owes unless lazy, and
/// claims seven from the farm.
#[derive(Debug)]
struct Farming {
    is_lazy: bool,
    farm: Mutex<Option<Address>>,
}

impl Runner for Farming {
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
        *self.farm.lock() = None;
        async { Ok((JobLease::new(self, JobId(0)), reading(FACTORY, &FARM_OF, freshness::IMMUTABLE))) }.boxed()
    }

    fn resume(self: Arc<Self>, _: JobId, frame: Vec<u8>, _: IsLast) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        let mut farm = self.farm.lock();
        let answered = match *farm {
            Some(farm) => claiming(farm),
            None => {
                let named = *farm.insert(named(&frame));
                if self.is_lazy { claiming(named) } else { reading(named, &EARNED, freshness::PINNED) }
            }
        };
        async { Ok(answered) }.boxed()
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}

/// Returns the address in the first reply.
fn named(frame: &[u8]) -> Address {
    let frame = Frame::parse(frame).unwrap();
    let reply = frame.rows::<row::Reply>(resume_in::REPLIES).next().unwrap();
    Address::from_slice(&frame.bytes(reply.offset, reply.len).unwrap()[12..])
}

fn reading(to: Address, data: &[u8], freshness: u8) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let (data_offset, data_len) = frame.bytes(data).unwrap();
    frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads: 1, ..JobOut::default() });
    frame.row(resume_out::NETWORKS, &row::Network { chain_id: ETHEREUM });
    frame.row(resume_out::READS, &row::Read { to, data_offset, data_len, freshness, ..row::Read::default() });
    frame.finish().unwrap()
}

fn claiming(farm: Address) -> Vec<u8> {
    let claim = map::Claim { to: farm, ..map::Claim::default() };
    let claimable =
        map::Claimable::new("main", farm, claim).named("reward").mechanism("farm").pays(TOKEN, U256::from(7));
    let findings = [map::Finding::from(claimable)];
    let mut frame = FrameWriter::default();
    let (findings_offset, findings_len) = frame.bytes(&codec::encode(&findings.to_vec())).unwrap();
    frame.row(resume_out::JOBS, &JobOut { state: state::COMPLETE, findings_offset, findings_len, ..JobOut::default() });
    frame.finish().unwrap()
}

fn word(address: Address) -> Outcome {
    Outcome::Ok(address.abi_encode().into())
}

/// A chain whose factory names the farm; both the farm and the thief's contract reply.
fn chain() -> ScriptedChain {
    let mut script = ScriptedChain::default();
    script
        .outcome(FACTORY, &FARM_OF, word(FARM))
        .outcome(FARM, &EARNED, word(FARM))
        .outcome(THIEF, &EARNED, word(THIEF))
        // An account with no code and no balance.
        .outcome(ACCOUNT, &[], word(Address::ZERO))
        .call(TOKEN, &Erc20::nameCall {}, "Token".to_owned())
        .call(TOKEN, &Erc20::symbolCall {}, "T".to_owned())
        .call(TOKEN, &Erc20::decimalsCall {}, U256::from(0))
        .call(TOKEN, &Erc20::totalSupplyCall {}, U256::from(1000));
    script
}

async fn answer(script: &ScriptedChain, is_lazy: bool) -> Result<Answer, Problem> {
    let catalogue = Catalogue {
        protocols: vec![map::Protocol { slug: "acme".to_owned(), ..map::Protocol::default() }],
        deployments: vec![Deployment {
            protocol: "acme".to_owned(),
            chain_id: ETHEREUM,
            market: "main".to_owned(),
            questions: vec![portolan_abi::Question::CLAIMABLES],
            contracts: vec![FACTORY],
            tokens: None,
        }],
        claims: vec![ClaimTemplate { signature: "getReward()".to_owned(), ..ClaimTemplate::default() }],
        lineages: Some(vec![map::Lineage {
            view: "farm()".to_owned(),
            gives: map::lineage::TARGET,
            ..map::Lineage::default()
        }]),
        ..Catalogue::default()
    };
    let runner = Arc::new(Farming { is_lazy, farm: Mutex::default() });
    let instance = Instance::run_by(runner, "acme@1.0.0", Limits { resume_ms: 1000, job_ms: 2000 }, catalogue);
    let context = Context::over(script.reader(), Snapshot::of_test([Arc::new(instance)]));
    let work = ProtocolWork::for_protocol(&context, ACCOUNT, "acme", None, List::Claimables(ClaimOptions::default()))?;
    context.open(&work.networks(&context)).await;
    work.answer(context).await
}

/// Returns the targets of the answer's claims.
fn targets(answer: &Answer) -> Vec<Address> {
    let Items::Rows { rows, .. } = &answer.items else { panic!("{:?}", answer.items) };
    let target = |row: &Row| match &row.item {
        RowItem::Payment { claim, .. } => claim.transactions[0].to,
        other => panic!("{other:?}"),
    };
    rows.iter().map(target).collect()
}

/// Returns the number of reads of the factory in each request.
fn of_factory(script: &ScriptedChain) -> Vec<usize> {
    let count = |request: &Vec<Read>| request.iter().filter(|read| read.to == FACTORY).count();
    script.requests().iter().map(count).collect()
}

#[tokio::test]
async fn a_cached_lie_is_no_target_and_the_job_runs_again_without_it() {
    for is_lazy in [false, true] {
        let mut script = chain();
        script.cache(FACTORY, &FARM_OF, word(THIEF));
        let answer = answer(&script, is_lazy).await.unwrap();
        assert_eq!(targets(&answer), [FARM], "lazy: {is_lazy}");
        assert!(answer.missing.is_empty(), "{:?}", answer.missing);
    }
}

#[tokio::test]
async fn a_cached_fact_is_read_again_in_the_batch_that_leaves_anyway() {
    let mut script = chain();
    assert_eq!(targets(&answer(&script, false).await.unwrap()), [FARM]);
    let cold = script.requests().len();
    script.cache(FACTORY, &FARM_OF, word(FARM));
    script.next_block();
    assert_eq!(targets(&answer(&script, false).await.unwrap()), [FARM]);
    let at_next_block = &of_factory(&script)[cold..];
    let of_factory = at_next_block.iter().filter(|reads| **reads > 0);
    assert_eq!(of_factory.collect::<Vec<_>>(), [&1], "one request with one read of the factory");
    let tried = |request: &Vec<Read>| matches!(request[..], [Read { kind: Kind::Simulation(_), .. }]);
    assert_eq!(script.requests()[cold..].iter().filter(|request| tried(request)).count(), 1, "then the claim is tried");
}

#[tokio::test]
async fn a_target_that_cannot_be_read_again_is_reported_and_not_shown() {
    let mut script = chain();
    assert_eq!(targets(&answer(&script, true).await.unwrap()), [FARM]);
    script.cache(FACTORY, &FARM_OF, word(FARM));
    script.next_block();
    script.outcome(FACTORY, &FARM_OF, Outcome::Failed(ReadFailure::Timeout));
    let problem = answer(&script, true).await.unwrap_err();
    assert_eq!(problem.response().status().as_u16(), 504);
}
