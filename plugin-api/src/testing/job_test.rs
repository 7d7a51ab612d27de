//! Drives one job through the functions that a host would call.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken contract is the failure of the test that runs this")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use abi_stable::std_types::{RResult, RSlice, RVec};
use alloy::primitives::{Address, B256};
use alloy::sol_types::SolValue;
use portolan_abi::frame::{FrameWriter, resume_in};
use portolan_abi::limits::{Allowance, LimitError};
use portolan_abi::map::{self, Block, Catalogue, Pin, SettingsError, Start};
use portolan_abi::root::{PluginRef, RawInstance, RawJob};
use portolan_abi::row::{self, JobIn, kind, purpose, status};
use portolan_abi::step::StepError;
use portolan_abi::{Question, capability, codec, fact_entries};
use portolan_networks as networks;
use portolan_validation::{Rejections, validate_catalogue};

use super::off_chain::OffChain;
use super::outcome::{End, Outcome};
use super::tokens::TestTokens;
use super::validation::{Rules, Validation};
use super::{ReadRequest, ReadResult, Replies, hostile};
use crate::events::Transaction;
use crate::export::{Exported, module};
use crate::settings::Settings;

/// One job: a question about an account or about tokens to one protocol on one network, or about a transaction to the
/// plugin.
///
/// ```
/// # portolan_plugin_api::sol! { function earned(address account) external view returns (uint256); }
/// # use portolan_plugin_api::*;
/// use portolan_plugin_api::testing::{CannedReplies, End, JobTest};
///
/// /// A test of any plugin: nothing on the chain is an empty and complete answer.
/// fn answers_nothing<P: export::Exported>() {
///     let account = Address::repeat_byte(2);
///     let test = JobTest::new("acme", networks::POLYGON, Question::CLAIMABLES, account).token(NATIVE, 18);
///     let outcome = test.run::<P>(&CannedReplies::default());
///     assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 0), "{}", outcome.message);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct JobTest {
    pub(super) start: Start,
    pub(super) settings: Settings,
    /// An operator's table.
    pub(super) functions: Option<String>,
    /// The entries of fact lists, by `market/key`.
    pub(super) facts: BTreeMap<String, Vec<u8>>,
    tokens: TestTokens,
    has_operators_network: bool,
}

impl JobTest {
    /// A job at block 1, with the shipped settings.
    pub fn new(protocol: &str, network: u64, question: Question, account: Address) -> Self {
        let block = Block { number: 1, hash: B256::repeat_byte(1), timestamp: 1_700_000_000, evm_number: 1 };
        let start = Start {
            question,
            protocol: protocol.to_owned(),
            chain_id: network,
            account,
            block,
            capabilities: capability::ALL,
            tokens: (question == Question::COMPOSITION).then(Vec::new),
            ..Start::default()
        };
        let (settings, functions, facts, tokens, has_operators_network) = Default::default();
        Self { start, settings, functions, facts, tokens, has_operators_network }
    }

    /// A job that a gateway recorded, which knew its network.
    pub(super) fn recorded(start: Start, settings: Settings, facts: BTreeMap<String, Vec<u8>>) -> Self {
        Self { start, settings, functions: None, facts, tokens: TestTokens::default(), has_operators_network: true }
    }

    /// A job about tokens and no account, at block 1, with the shipped settings.
    pub fn for_tokens(protocol: &str, network: u64, tokens: &[Address]) -> Self {
        let mut test = Self::new(protocol, network, Question::COMPOSITION, Address::ZERO);
        test.start.tokens = Some(tokens.to_vec());
        test
    }

    /// A job about a transaction and all protocols of the plugin, at block 1, with the shipped settings.
    ///
    /// # Panics
    /// If the transaction has more logs than a frame takes.
    pub fn for_transaction(network: u64, transaction: &Transaction) -> Self {
        let mut test = Self::new("", network, Question::EVENTS, Address::ZERO);
        test.start.transaction = Some(transaction.to_map().expect("the logs fit a frame"));
        test
    }

    /// With the ERC-20 that wraps the network's native token, for a job about a transaction.
    #[must_use]
    pub fn wrapped_native(mut self, token: Address) -> Self {
        if let Some(transaction) = &mut self.start.transaction {
            transaction.wrapped_native = Some(token);
        }
        self
    }

    /// With an operator's settings.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// With an operator's rows of functions that claims may call, as they would stand in `claim-functions.toml`.
    #[must_use]
    pub fn claim_functions(self, rows: &str) -> Self {
        Self { functions: Some(rows.to_owned()), ..self }
    }

    /// On a network that the gateway does not know by itself, but by the table `[networks.SLUG]` of its operator.
    #[must_use]
    pub fn on_operators_network(self) -> Self {
        Self { has_operators_network: true, ..self }
    }

    /// With a token that has these decimals. A gateway shows no amount of a token whose decimals neither its contract nor a
    /// token list has, so once a test describes a token, it fails for a finding with another one. A canned reply to
    /// `decimals()` describes a token too.
    #[must_use]
    pub fn token(mut self, token: Address, decimals: u8) -> Self {
        self.tokens.add(token, decimals);
        self
    }

    /// With the entries of a [fact list](crate::JobContext::facts) that earlier jobs derived.
    #[must_use]
    pub fn facts(mut self, market: &str, key: &str, entries: &[impl SolValue]) -> Self {
        let list = self.facts.entry(format!("{market}/{key}")).or_default();
        list.clear();
        for entry in entries {
            fact_entries::push(list, &entry.abi_encode());
        }
        self
    }

    /// With the fact lists that another job left.
    #[must_use]
    pub fn after(self, outcome: &Outcome) -> Self {
        Self { facts: outcome.facts.clone(), ..self }
    }

    /// At another block.
    #[must_use]
    pub fn block(mut self, block: Block) -> Self {
        self.start.block = block;
        self
    }

    /// With another network's block pinned.
    #[must_use]
    pub fn pin(mut self, network: u64, block: Block) -> Self {
        self.start.pins.push(Pin { chain_id: network, block });
        self
    }

    /// Runs the job to its end; `replies` answers its reads, batch by batch. It meets the [`limits`](crate::limits) of a
    /// host, with the same words.
    ///
    /// With [`CannedReplies`](super::CannedReplies) it is run some dozen times more, each time with hostile replies, as
    /// whoever deploys a contract may choose them: zero, the largest number, the contract itself, cut, reverted. In some of
    /// these runs another number stands wherever a reply has a small number of a claim, which must not count by chance.
    ///
    /// # Panics
    /// If the plugin refuses its settings or the question, breaks the ABI, requests an off-chain read of a host that its
    /// catalogue does not declare, has a catalogue that the gateway would refuse, or finds something that the gateway would
    /// reject or leave out: with the gateway's sentence. If the chain is in no list of networks, or the plugin does not
    /// return within 30 s. If a [described](JobTest::token) token stands beside others that are not. If hostile replies make it panic, or break a rule that no reply need
    /// break: with the replies.
    pub fn run<P: Exported>(&self, replies: impl Replies) -> Outcome {
        self.run_in(module::<P>(), replies)
    }

    /// Runs the job in a plugin that was loaded from its dylib.
    ///
    /// # Panics
    /// As [`JobTest::run`].
    pub fn run_in(&self, plugin: PluginRef, mut replies: impl Replies) -> Outcome {
        let plugin = Running::new(plugin, &self.settings);
        let plugin = plugin.unwrap_or_else(|error| panic!("the plugin refuses its settings: {error}"));
        let catalogue = plugin.catalogue();
        self.require_deployment(&catalogue);
        let templates = Validation::templates(self.functions.as_deref(), &catalogue);
        let of = Rules { catalogue: &catalogue, templates: &templates };
        let (mut honest, mut missing) = (Vec::new(), BTreeSet::new());
        let Driven { outcome, rejections, tokens } = self.drive(&plugin, of, &mut |request| {
            missing.extend(replies.describe_missing(request));
            let result = replies.reply(request);
            if replies.are_lasting() && !honest.iter().any(|(known, _)| known == request) {
                honest.push((request.clone(), result.clone()));
            }
            result
        });
        show(&missing);
        assert!(rejections.is_empty(), "{rejections}");
        let unknown = self.tokens.unknown(self.start.chain_id, &tokens, &mut replies);
        assert!(unknown.is_empty(), "{}", unknown.join("; "));
        if replies.are_lasting() {
            let mut run = |how: &str, alter: &mut hostile::Alter<'_>| {
                require(&self.drive(&plugin, of, &mut |request| alter(request, replies.reply(request))), how);
            };
            hostile::run_jobs(self.start.account, &honest, &mut run);
            hostile::run_renumbered(&honest, &outcome.claimables(), &mut run);
        }
        outcome
    }

    /// Requires that a gateway would ask the plugin this question.
    fn require_deployment(&self, catalogue: &Catalogue) {
        let Start { protocol, chain_id, question, .. } = &self.start;
        // A transaction is no protocol's.
        if *question == Question::EVENTS {
            return;
        }
        let rows: Vec<_> = catalogue.deployments.iter().filter(|row| row.protocol == *protocol).collect();
        if rows.is_empty() {
            let slugs: BTreeSet<_> = catalogue.protocols.iter().map(|known| known.slug.as_str()).collect();
            panic!("the catalogue has no deployment of `{protocol}`; its protocols are {slugs:?}");
        }
        let on_network: Vec<_> = rows.iter().filter(|row| row.chain_id == *chain_id).collect();
        let deployed: BTreeSet<_> = rows.iter().map(|row| row.chain_id).collect();
        assert!(
            !on_network.is_empty(),
            "`{protocol}` has no deployment on chain {chain_id}; it has on {deployed:?}: correct the row's network, or \
             test one of these"
        );
        assert!(
            self.has_operators_network || networks::is_known(*chain_id),
            "deployments on the chain {chain_id} are left out by gateways, as no network has this id: correct their \
             rows, or test with the operator's network by `JobTest::on_operators_network`"
        );
        let questions: BTreeSet<_> =
            on_network.iter().flat_map(|row| &row.questions).map(|question| question.name()).collect();
        let question = question.name();
        assert!(
            questions.contains(question),
            "no deployment of `{protocol}` on chain {chain_id} declares `{question}`; declared are {questions:?}"
        );
    }

    /// Runs the job once.
    fn drive(
        &self,
        plugin: &Running,
        of: Rules<'_>,
        mut replies: &mut dyn FnMut(&ReadRequest) -> ReadResult,
    ) -> Driven {
        let job = plugin.start(&self.start);
        let mut outcome = Outcome {
            end: End::Reading,
            message: String::new(),
            not_covered: Vec::new(),
            invalid_replies: String::new(),
            findings: Vec::new(),
            batches: Vec::new(),
            facts: self.facts.clone(),
        };
        let mut validation = Validation::new(&self.start, of);
        let mut off_chain = OffChain::new(of.catalogue);
        let mut allowance = Allowance::default();
        let mut open: Vec<ReadRequest> = Vec::new();
        let mut frame = frame_of(&[], &allowance);
        loop {
            let Some(out) = job.resume(frame) else {
                // A job that has not returned must not be dropped.
                std::mem::forget(job);
                panic!(
                    "the plugin did not return in {} s: look for a loop without an end, or for seconds of computing \
                     between two reads",
                    RETURN_TIME.as_secs()
                );
            };
            let requests = outcome.take(&out, &mut allowance).unwrap_or_else(|error| {
                outcome.message = error.to_string();
                outcome.end = if matches!(error, StepError::Limit(_)) { End::OverBudget } else { End::InvalidOutput };
                Vec::new()
            });
            if outcome.end != End::Reading {
                break;
            }
            open.extend(requests);
            let is_in_part = open.iter().any(is_known) && allowance.take_known_step();
            if !is_in_part {
                if let Err(error) = take_step(&open, &mut allowance) {
                    (outcome.end, outcome.message) = (End::OverBudget, error.to_string());
                    break;
                }
                outcome.batches.push(open.iter().filter(|request| !is_known(request)).count());
            }
            let mut answer = |request: &ReadRequest| off_chain.reply(request, &mut replies);
            let mut results = Vec::with_capacity(open.len());
            for request in &open {
                results.push(match request.kind {
                    kind::FACTS => Some(outcome.fact_list(request, self.start.block.number, &mut allowance)),
                    _ if is_in_part => None,
                    _ => Some(reply(&mut answer, request, &mut allowance)),
                });
            }
            frame = frame_of(&results, &allowance);
            let reads = open.iter().zip(&results);
            validation.take(reads.filter_map(|(request, result)| Some((request, result.as_ref()?))));
            let mut results = results.iter();
            open.retain(|_| results.next().is_some_and(Option::is_none));
        }
        let (rejections, tokens) = validation.check(&outcome.findings);
        Driven { outcome, rejections, tokens }
    }
}

/// What became of a job, what a gateway would not take of it, and the tokens of the rest.
struct Driven {
    outcome: Outcome,
    rejections: Rejections,
    tokens: BTreeSet<Address>,
}

/// Reads without a reply that a test describes.
const SHOWN_MAX: usize = 5;

/// Prints what a test that fails shows.
#[expect(clippy::print_stderr, reason = "the test harness shows it if the test fails")]
fn show(missing: &BTreeSet<String>) {
    missing.iter().take(SHOWN_MAX).for_each(|text| eprintln!("{text}"));
    if missing.len() > SHOWN_MAX {
        eprintln!("and {} more reads without a canned reply", missing.len() - SHOWN_MAX);
    }
}

/// Requires an outcome that replies may cause; `how` describes the replies.
fn require(Driven { outcome, rejections, .. }: &Driven, how: &str) {
    let message = &outcome.message;
    if matches!(outcome.end, End::Panicked | End::Misuse | End::InvalidOutput) {
        panic!("{how}, and the job ends with {:?}: {message}", outcome.end);
    }
    if let Some(broken) = rejections.broken() {
        panic!("{how}, and a finding breaks a rule: {broken}");
    }
}

/// Returns the error of settings that a plugin refuses; `None` if it accepts them.
pub fn settings_error<P: Exported>(settings: &Settings) -> Option<SettingsError> {
    Running::new(module::<P>(), settings).err()
}

/// Returns the catalogue of an instance with these settings.
///
/// # Panics
/// If the plugin refuses the settings, or a gateway refuses the catalogue: with its sentence.
pub fn catalogue<P: Exported>(settings: &Settings) -> Catalogue {
    Running::new(module::<P>(), settings).expect("the plugin takes its settings").catalogue()
}

/// An instance, dropped at the end.
struct Running {
    module: PluginRef,
    instance: RawInstance,
}

impl Running {
    fn new(module: PluginRef, settings: &Settings) -> Result<Self, SettingsError> {
        match (module.configure())(RSlice::from_slice(&settings.encode())) {
            RResult::ROk(instance) => Ok(Self { module, instance }),
            RResult::RErr(error) => Err(codec::decode(&error).expect("a settings error decodes")),
        }
    }

    fn catalogue(&self) -> Catalogue {
        validate_catalogue(&(self.module.catalogue())(&self.instance)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn start(&self, start: &Start) -> JobHandle {
        let start = codec::encode(start);
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

/// Time for a plugin to return, which takes milliseconds. A gateway gives it `plugins.limits.resume_ms`, one second; the
/// rest is for a machine under load.
const RETURN_TIME: Duration = Duration::from_secs(30);

struct JobHandle(RawJob, PluginRef);

impl JobHandle {
    /// Resumes the job with a frame; `None` if it does not return in time. It is then still running.
    fn resume(&self, frame: Vec<u8>) -> Option<RVec<u8>> {
        let (Self(job, plugin), (sender, receiver)) = (self, mpsc::channel());
        let (job, plugin) = (*job, *plugin);
        thread::spawn(move || sender.send((plugin.resume())(RSlice::from_slice(&[job]), RSlice::from_slice(&frame))));
        match receiver.recv_timeout(RETURN_TIME) {
            Ok(out) => Some(out),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the plugin panics outside of its job"),
        }
    }
}

impl Drop for JobHandle {
    fn drop(&mut self) {
        (self.1.drop_job())(self.0);
    }
}

/// Returns true if a host answers the read without fetching anything.
fn is_known(request: &ReadRequest) -> bool {
    request.kind == kind::FACTS
}

fn take_step(open: &[ReadRequest], allowance: &mut Allowance) -> Result<(), LimitError> {
    let is_walk = open.iter().all(|request| request.purpose == purpose::WALK);
    if is_walk { allowance.take_walk_step() } else { allowance.take_step() }
}

/// The reply to a read, as far as the job may still have one.
fn reply(replies: &mut impl Replies, request: &ReadRequest, allowance: &mut Allowance) -> ReadResult {
    let is_walk = request.purpose == purpose::WALK;
    if !(if is_walk { allowance.take_walk_read() } else { allowance.take_read() }) {
        return ReadResult::OverBudget;
    }
    let result = replies.reply(request);
    let bytes = result.parts().1.len();
    let fits = if is_walk { allowance.take_walk_bytes(bytes) } else { allowance.take_bytes(bytes) };
    if fits { result } else { ReadResult::OverBudget }
}

fn frame_of(results: &[Option<ReadResult>], allowance: &Allowance) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let count = u32::try_from(results.len()).expect("a batch's reads can be counted");
    let (reads_left, bytes_left) = (allowance.reads_left(), allowance.bytes_left());
    frame.row(resume_in::JOBS, &JobIn { replies: count, ms_left: 5_000, reads_left, bytes_left });
    for result in results {
        let (status, bytes) = result.as_ref().map_or((status::PENDING, &[][..]), ReadResult::parts);
        let (offset, len) = frame.bytes(bytes).expect("a batch's replies fit a frame");
        frame.row(resume_in::REPLIES, &row::Reply { status, offset, len, ..row::Reply::default() });
    }
    frame.finish().expect("a batch's replies fit a frame")
}
