//! Drives one job through the functions that a host would call.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken contract is the failure of the test that runs this")]

use abi_stable::std_types::{RResult, RSlice};
use alloy::primitives::{Address, B256, Bytes};
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{self, Finding, Start};
use portolan_abi::root::{PluginRef, RawInstance, RawJob};
use portolan_abi::row::{self, JobIn, JobOut, Network, state, status};
use portolan_abi::{capability, codec};

use super::{Answer, Asked, Replies};
use crate::catalogue::Question;
use crate::chain::Block;
use crate::event;
use crate::events::Transaction;
use crate::export::{Exported, module};
use crate::settings::Settings;

/// Waves after which a job under test is stopped.
const WAVES_MAX: usize = 1_000;

/// One job: a question about an account or about tokens to one protocol on one network, or about a transaction to the
/// plugin.
#[derive(Clone, Debug)]
pub struct Case {
    pub(super) protocol: String,
    pub(super) network: u64,
    pub(super) question: Question,
    pub(super) account: Address,
    pub(super) tokens: Vec<Address>,
    pub(super) transaction: Option<(Transaction, Option<Address>)>,
    pub(super) at: Block,
    pub(super) settings: Settings,
    pub(super) pins: Vec<(u64, Block)>,
}

impl Case {
    /// A job at block 1, with the shipped settings.
    pub fn new(protocol: &str, network: u64, question: Question, account: Address) -> Self {
        let at = Block { number: 1, hash: B256::repeat_byte(1), timestamp: 1_700_000_000, evm_number: 1 };
        let (settings, protocol) = (Settings::default(), protocol.to_owned());
        let (tokens, pins) = (Vec::new(), Vec::new());
        Self { protocol, network, question, account, tokens, transaction: None, at, settings, pins }
    }

    /// A job about tokens and nobody's account, at block 1, with the shipped settings.
    pub fn of_tokens(protocol: &str, network: u64, tokens: &[Address]) -> Self {
        let tokens = tokens.to_vec();
        Self { tokens, ..Self::new(protocol, network, Question::Composition, Address::ZERO) }
    }

    /// A job about a transaction and all protocols of the plugin, at block 1, with the shipped settings.
    pub fn of_transaction(network: u64, transaction: Transaction) -> Self {
        let transaction = Some((transaction, None));
        Self { transaction, ..Self::new("", network, Question::Events, Address::ZERO) }
    }

    /// With the ERC-20 that wraps the network's native token, for a job about a transaction.
    #[must_use]
    pub fn wrapped_native(mut self, token: Address) -> Self {
        self.transaction = self.transaction.map(|(transaction, _)| (transaction, Some(token)));
        self
    }

    /// With an operator's settings.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// At another block.
    #[must_use]
    pub fn block(self, at: Block) -> Self {
        Self { at, ..self }
    }

    /// With another network's block pinned.
    #[must_use]
    pub fn pin(mut self, network: u64, block: Block) -> Self {
        self.pins.push((network, block));
        self
    }

    /// Runs the job to its end; `replies` answers its reads, wave by wave.
    ///
    /// # Panics
    /// If the plugin refuses its settings or the question, or breaks the ABI.
    pub fn run<P: Exported>(&self, replies: impl Replies) -> Outcome {
        self.run_in(module::<P>(), replies)
    }

    /// Runs the job in a plugin that was loaded from its dylib.
    ///
    /// # Panics
    /// As [`Case::run`].
    pub fn run_in(&self, plugin: PluginRef, mut replies: impl Replies) -> Outcome {
        let plugin = Running::new(plugin, &self.settings).expect("the plugin takes its settings");
        let job = plugin.start(self);
        let mut outcome =
            Outcome { end: End::Reading, message: String::new(), findings: Vec::new(), waves: Vec::new() };
        let mut frame = frame_of(&[]);
        for _ in 0..WAVES_MAX {
            let out = (plugin.module.resume())(RSlice::from_slice(&[job.0]), RSlice::from_slice(&frame));
            let asked = outcome.take(&out);
            if outcome.end != End::Reading {
                return outcome;
            }
            outcome.waves.push(asked.len());
            let answers: Vec<Answer> = asked.iter().map(|asked| replies.reply(asked)).collect();
            frame = frame_of(&answers);
        }
        panic!("the job still reads after {WAVES_MAX} waves");
    }

    fn start_map(&self) -> Start {
        Start {
            question: self.question as u8,
            protocol: self.protocol.clone(),
            chain_id: self.network,
            account: map::Address(self.account.into_array()),
            block: block(self.at),
            pins: self.pins.iter().map(|(chain_id, at)| map::Pin { chain_id: *chain_id, block: block(*at) }).collect(),
            capabilities: capability::ALL,
            tokens: (self.question == Question::Composition)
                .then(|| self.tokens.iter().map(|token| map::Address(token.into_array())).collect()),
            transaction: self.transaction_map(),
        }
    }
}

impl Case {
    pub(super) fn transaction_map(&self) -> Option<map::Transaction> {
        let (transaction, wrapped) = self.transaction.as_ref()?;
        Some(event::asked(transaction, *wrapped).expect("a transaction of less than 4 GiB"))
    }
}

/// What a plugin says of settings that it refuses; `None` if it takes them.
pub fn settings_error<P: Exported>(settings: &Settings) -> Option<map::SettingsError> {
    Running::new(module::<P>(), settings).err()
}

/// What an instance with these settings says that it serves.
///
/// # Panics
/// If the plugin refuses the settings, or its catalogue is none.
pub fn catalogue<P: Exported>(settings: &Settings) -> map::Catalogue {
    let plugin = Running::new(module::<P>(), settings).expect("the plugin takes its settings");
    codec::decode(&(plugin.module.catalogue())(&plugin.instance)).expect("a catalogue decodes")
}

fn block(block: Block) -> map::Block {
    map::Block {
        number: block.number,
        hash: map::Word(block.hash.0),
        timestamp: block.timestamp,
        evm_number: block.evm_number,
    }
}

/// An instance, dropped at the end.
struct Running {
    module: PluginRef,
    instance: RawInstance,
}

impl Running {
    fn new(module: PluginRef, settings: &Settings) -> Result<Self, map::SettingsError> {
        match (module.configure())(RSlice::from_slice(&settings.encode())) {
            RResult::ROk(instance) => Ok(Self { module, instance }),
            RResult::RErr(error) => Err(codec::decode(&error).expect("a settings error decodes")),
        }
    }

    fn start(&self, case: &Case) -> JobHandle {
        let start = codec::encode(&case.start_map());
        match (self.module.start())(&self.instance, RSlice::from_slice(&start)) {
            RResult::ROk(job) => JobHandle(job, self.module),
            RResult::RErr(error) => {
                let error: map::StartError = codec::decode(&error).expect("a start error decodes");
                panic!("the plugin does not start the job: {}", error.message);
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        (self.module.drop_instance())(self.instance);
    }
}

struct JobHandle(RawJob, PluginRef);

impl Drop for JobHandle {
    fn drop(&mut self) {
        (self.1.drop_job())(self.0);
    }
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// Not yet.
    Reading,
    /// It told everything.
    Complete,
    /// Something is missing.
    Partial,
    /// With an error.
    Failed,
    /// With a panic.
    Panicked,
    /// It awaited something that is not a chain read, or woke itself for ever.
    Misuse,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Why, where it did not end complete.
    pub message: String,
    /// All that it told, in its order.
    pub findings: Vec<Finding>,
    /// The reads of each wave.
    pub waves: Vec<usize>,
}

impl Outcome {
    /// The claimables among the findings.
    pub fn claimables(&self) -> Vec<&map::Claimable> {
        self.findings.iter().filter_map(|finding| finding.claimable.as_ref()).collect()
    }

    /// The farming positions among the findings.
    pub fn farming(&self) -> Vec<&map::FarmingPosition> {
        self.findings.iter().filter_map(|finding| finding.farming.as_ref()).collect()
    }

    /// The lending positions among the findings.
    pub fn lending(&self) -> Vec<&map::LendingPosition> {
        self.findings.iter().filter_map(|finding| finding.lending.as_ref()).collect()
    }

    /// The compositions among the findings.
    pub fn compositions(&self) -> Vec<&map::Composition> {
        self.findings.iter().filter_map(|finding| finding.composition.as_ref()).collect()
    }

    /// The events among the findings.
    pub fn events(&self) -> Vec<&map::Event> {
        self.findings.iter().filter_map(|finding| finding.event.as_ref()).collect()
    }

    /// Takes what one resume gave; the reads that it asks for.
    fn take(&mut self, out: &[u8]) -> Vec<Asked> {
        let frame = Frame::parse(out).expect("a frame comes out of resume");
        let row = frame.rows::<JobOut>(resume_out::JOBS).next().expect("the job is in its frame");
        let found = frame.bytes(row.findings_offset, row.findings_len).expect("findings lie in the frame");
        if !found.is_empty() {
            self.findings.extend(codec::decode::<Vec<Finding>>(found).expect("findings decode"));
        }
        let message = frame.bytes(row.message_offset, row.message_len).expect("the message lies in the frame");
        self.message = String::from_utf8_lossy(message).into_owned();
        self.end = match row.state {
            state::READING => End::Reading,
            state::COMPLETE => End::Complete,
            state::PARTIAL => End::Partial,
            state::FAILED => End::Failed,
            state::PANICKED => End::Panicked,
            state::MISUSE => End::Misuse,
            other => panic!("unknown job state {other}"),
        };
        let networks: Vec<Network> = frame.rows(resume_out::NETWORKS).collect();
        frame.rows::<row::Read>(resume_out::READS).map(|read| asked(&frame, &networks, &read)).collect()
    }
}

fn asked(frame: &Frame<'_>, networks: &[Network], read: &row::Read) -> Asked {
    let data = frame.bytes(read.data_offset, read.data_len).expect("calldata lies in the frame");
    let extension = frame.extension(read.extension).expect("the extension lies in the frame");
    let extension: map::ReadExtension =
        extension.map(|bytes| codec::decode(bytes).expect("the extension decodes")).unwrap_or_default();
    Asked {
        network: networks.get(usize::from(read.network)).expect("the network is in the table").chain_id,
        kind: read.kind,
        mode: read.mode,
        freshness: read.freshness,
        freshness_s: read.freshness_s,
        gas_cap: read.gas_cap,
        from: extension.from.map(|from| Address::from(from.0)),
        to: Address::from(read.to),
        data: Bytes::copy_from_slice(data),
    }
}

fn frame_of(answers: &[Answer]) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let replies = u32::try_from(answers.len()).expect("a wave's reads can be counted");
    let left = JobIn { replies, ms_left: 5_000, reads_left: 100_000, bytes_left: u32::MAX };
    frame.row(resume_in::JOBS, &left);
    for answer in answers {
        let (status, bytes) = match answer {
            Answer::Ok(bytes) => (status::OK, bytes.as_ref()),
            Answer::Reverted(bytes) => (status::REVERTED, bytes.as_ref()),
            Answer::NoCode => (status::NO_CODE, &[][..]),
            Answer::GasCap => (status::GAS_CAP, &[][..]),
            Answer::Unavailable => (status::UNAVAILABLE, &[][..]),
            Answer::OverBudget => (status::OVER_BUDGET, &[][..]),
            Answer::Unsupported => (status::UNSUPPORTED, &[][..]),
        };
        let (offset, len) = frame.bytes(bytes).expect("a wave's replies fit a frame");
        frame.row(resume_in::REPLIES, &row::Reply { status, offset, len, ..row::Reply::default() });
    }
    frame.finish().expect("a wave's replies fit a frame")
}
