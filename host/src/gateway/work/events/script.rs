//! One transaction on a scripted chain, scripted plugins, and the host's own tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy::primitives::{Address, B256, U256, keccak256};
use alloy::sol_types::SolValue;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use portolan_abi::frame::{FrameWriter, resume_out};
use portolan_abi::map::{self, Catalogue, Protocol};
use portolan_abi::row::{self, JobOut, Network, state};
use portolan_abi::{capability, codec};
use portolan_assets::metadata::Erc20;
use portolan_plugins::limits::Limits;
use portolan_plugins::runner::{Configured, InstanceId, IsLast, JobId, JobLease, RunFailure, Runner};
use portolan_plugins::{Instance, Snapshot};
use portolan_reader::testing::ScriptedChain;
use portolan_reader::{Log, Receipt, TransactionStatus};

use super::EventWork;
use crate::gateway::answer::Answer;
use crate::gateway::context::Context;
use crate::gateway::problem::Problem;
use crate::gateway::query::EventsQuery;
use crate::gateway::work::Work;

pub(super) const ETHEREUM: u64 = 1;
pub(super) const HASH: B256 = B256::repeat_byte(0x5c);
pub(super) const ALICE: Address = Address::repeat_byte(0x11);
pub(super) const BOB: Address = Address::repeat_byte(0x22);
/// A token of six decimals.
pub(super) const A: Address = Address::repeat_byte(0xa1);
/// A contract of a protocol.
pub(super) const FARM: Address = Address::repeat_byte(0xfa);
/// A topic that is in none of the host's tables.
pub(super) const STAKED: B256 = B256::repeat_byte(0x57);

/// Encodes the value of a topic or a word.
pub(super) fn word(value: impl SolValue) -> B256 {
    B256::from_slice(&value.abi_encode())
}

pub(super) fn log(address: Address, topics: Vec<B256>, data: impl SolValue) -> Log {
    Log { index: 0, address, topics, data: data.abi_encode().into() }
}

/// The log of an ERC-20 transfer.
pub(super) fn transfer(token: Address, from: Address, to: Address, amount: u64) -> Log {
    let topic = keccak256("Transfer(address,address,uint256)");
    log(token, vec![topic, word(from), word(to)], U256::from(amount))
}

pub(super) fn staked() -> Log {
    log(FARM, vec![STAKED], ())
}

/// Alice calls Bob. The logs' indexes in their block start at ten.
pub(super) fn receipt(logs: Vec<Log>) -> Receipt {
    let numbered = logs.into_iter().zip(10..).map(|(log, index)| Log { index, ..log });
    Receipt {
        block_number: 7,
        block_hash: B256::repeat_byte(7),
        status: TransactionStatus::Succeeded,
        from: ALICE,
        to: Some(BOB),
        created: None,
        value: U256::ZERO,
        deposited: U256::ZERO,
        gas: None,
        logs: numbered.collect(),
    }
}

/// Scripts name, symbol, decimals and supply of a token.
pub(super) fn erc20(script: &mut ScriptedChain, token: Address, symbol: &str, decimals: u8) {
    script
        .call(token, &Erc20::nameCall {}, symbol.to_owned())
        .call(token, &Erc20::symbolCall {}, symbol.to_owned())
        .call(token, &Erc20::decimalsCall {}, U256::from(decimals))
        .call(token, &Erc20::totalSupplyCall {}, U256::from(1000));
}

/// Behaviour of a scripted plugin.
#[derive(Clone, Debug, Default)]
pub(super) struct Plugin {
    pub(super) name: &'static str,
    pub(super) slug: &'static str,
    pub(super) topics: Vec<B256>,
    /// Each is read in a separate step.
    pub(super) reads: Vec<Address>,
    pub(super) events: Vec<map::Event>,
    pub(super) panics: bool,
    pub(super) hangs: bool,
}

#[derive(Debug)]
struct Acting {
    plugin: Plugin,
    steps: AtomicUsize,
}

impl Runner for Acting {
    fn configure(self: Arc<Self>, _: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn begin(
        self: Arc<Self>,
        _: InstanceId,
        start: Vec<u8>,
        frame: Vec<u8>,
        is_last: IsLast,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        let start: map::Start = codec::decode(&start).unwrap();
        assert_eq!((start.question, start.protocol.as_str()), (portolan_abi::Question::EVENTS, ""));
        assert_eq!((start.capabilities, start.transaction.unwrap().hash.0), (capability::ALL, HASH.0));
        let first = Arc::clone(&self).resume(JobId(0), frame, is_last);
        async { Ok((JobLease::new(self, JobId(0)), first.await?)) }.boxed()
    }

    fn resume(
        self: Arc<Self>,
        _: JobId,
        _: Vec<u8>,
        is_last: IsLast,
    ) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        if self.plugin.hangs {
            return std::future::pending().boxed();
        }
        let step = self.steps.fetch_add(1, Ordering::SeqCst);
        let (frame, ends) = match self.plugin.reads.get(step) {
            Some(target) => (reading(*target), false),
            None => (ending(&self.plugin), true),
        };
        assert_eq!(is_last(&frame), ends);
        async { Ok(frame) }.boxed()
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}

fn reading(target: Address) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads: 1, ..JobOut::default() });
    frame.row(resume_out::NETWORKS, &Network { chain_id: ETHEREUM });
    frame.row(resume_out::READS, &row::Read { to: target, ..row::Read::default() });
    frame.finish().unwrap()
}

fn ending(plugin: &Plugin) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let found = |event: &map::Event| map::Finding { event: Some(event.clone()), ..map::Finding::default() };
    let findings: Vec<map::Finding> = plugin.events.iter().map(found).collect();
    let (findings_offset, findings_len) = frame.bytes(&codec::encode(&findings)).unwrap();
    let state = if plugin.panics { state::PANICKED } else { state::COMPLETE };
    frame.row(resume_out::JOBS, &JobOut { state, findings_offset, findings_len, ..JobOut::default() });
    frame.finish().unwrap()
}

fn instance(plugin: Plugin) -> Arc<Instance> {
    let protocol = Protocol { slug: plugin.slug.to_owned(), ..Protocol::default() };
    let topics = plugin.topics.to_vec();
    let catalogue = Catalogue { protocols: vec![protocol], event_topics: Some(topics), ..Catalogue::default() };
    let (label, limits) = (format!("{}@1.0.0", plugin.name), Limits { resume_ms: 1000, job_ms: 200 });
    Arc::new(Instance::run_by(Arc::new(Acting { plugin, steps: AtomicUsize::new(0) }), &label, limits, catalogue))
}

/// A plugin's event at a log's position: Alice has staked `amount` of A.
pub(super) fn stake(log: u32, protocol: Option<&str>, amount: u64) -> map::Event {
    let none = map::Value::default;
    let paid = map::Amount { raw: U256::from(amount), of: Some(A) };
    let members = [
        ("user", map::Value { address: Some(ALICE), ..none() }),
        ("asset", map::Value { token: Some(A), ..none() }),
        ("amount", map::Value { amount: Some(paid), ..none() }),
    ];
    let member = |(name, value): (&str, map::Value)| map::Member { name: name.to_owned(), value };
    map::Event {
        log,
        kind: "STAKE".to_owned(),
        protocol: protocol.map(ToOwned::to_owned),
        members: members.into_iter().map(member).collect(),
    }
}

/// A transaction, its chain, and the plugins.
pub(super) struct Stage {
    chain: ScriptedChain,
    plugins: Vec<Plugin>,
    pub(super) query: EventsQuery,
}

impl Stage {
    pub(super) fn new(chain: &ScriptedChain, plugins: impl IntoIterator<Item = Plugin>) -> Self {
        let query = EventsQuery { chain_id: ETHEREUM, hash: HASH, types: [].into(), logs_max: 5000, account: None };
        Self { chain: chain.clone(), plugins: plugins.into_iter().collect(), query }
    }

    pub(super) async fn answer(&self) -> Result<Answer, Problem> {
        let snapshot = Snapshot::of_test(self.plugins.iter().cloned().map(instance));
        EventWork(self.query.clone()).answer(Context::over(self.chain.reader(), snapshot)).await
    }

    pub(super) async fn status(&self) -> u16 {
        self.answer().await.unwrap_err().response().status().as_u16()
    }
}
