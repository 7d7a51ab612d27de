//! One transaction on a scripted chain, scripted plugins, and the host's own tables.

use std::sync::Arc;

use alloy::primitives::{Address, B256, U256, keccak256};
use alloy::sol_types::SolValue;
use portolan_abi::capability;
use portolan_abi::map::{self, Catalogue, Protocol};
use portolan_abi::row::state;
use portolan_plugins::testing::{ScriptedEnd, ScriptedJob, ScriptedPlugin, ScriptedRead, ScriptedStep};
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

/// Behaviour of a scripted plugin.
#[derive(Clone, Debug, Default)]
pub(super) struct Plugin {
    /// Name of the plugin, and slug of its protocol.
    pub(super) name: &'static str,
    pub(super) topics: Vec<B256>,
    /// Each is read in a separate step.
    pub(super) reads: Vec<Address>,
    pub(super) events: Vec<map::Event>,
    pub(super) panics: bool,
    pub(super) hangs: bool,
}

impl Plugin {
    fn instance(self) -> Arc<Instance> {
        let protocol = Protocol { slug: self.name.to_owned(), ..Protocol::default() };
        let event_topics = Some(self.topics.clone());
        let catalogue = Catalogue { protocols: vec![protocol], event_topics, ..Catalogue::default() };
        let plugin = ScriptedPlugin::new(self.name, catalogue).within_ms(200);
        Arc::new(plugin.script(move |job| self.step(job)).instance())
    }

    fn step(&self, ScriptedJob { start, replies }: &ScriptedJob) -> ScriptedStep {
        assert_eq!((start.question, start.protocol.as_str()), (portolan_abi::Question::EVENTS, ""));
        assert_eq!((start.capabilities, start.transaction.as_ref().unwrap().hash.0), (capability::ALL, HASH.0));
        let found = |event: &map::Event| map::Finding { event: Some(event.clone()), ..map::Finding::default() };
        match self.reads.get(replies.len()) {
            _ if self.hangs => ScriptedStep::Hangs,
            Some(target) => ScriptedStep::Reads(vec![ScriptedRead::call(*target, &[])]),
            None => ScriptedStep::Ends(ScriptedEnd {
                state: if self.panics { state::PANICKED } else { state::COMPLETE },
                findings: self.events.iter().map(found).collect(),
                ..ScriptedEnd::default()
            }),
        }
    }
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
        let snapshot = Snapshot::of_test(self.plugins.iter().cloned().map(Plugin::instance));
        EventWork(self.query.clone()).answer(Context::over(self.chain.reader(), snapshot)).await
    }

    pub(super) async fn status(&self) -> u16 {
        self.answer().await.unwrap_err().response().status().as_u16()
    }
}
