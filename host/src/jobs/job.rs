//! One job from start to end: it is resumed with replies until it ends or reaches a limit of time, steps or bytes.
//!
//! Invariant: whatever the plugin returns, a job ends by its deadline with what it has found until then.

mod code;
mod document_reads;
mod fact_walk;
mod frames;
mod reads;
mod recording;
mod span;
mod trace;
mod trust;

#[cfg(feature = "fuzzing")]
pub(super) mod fuzzing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, Stream};
use portolan_abi::capability;
use portolan_abi::limits::{Allowance, LimitError};
use portolan_abi::map;
use portolan_abi::row::state;
use portolan_base::net::off_chain::Documents;
use tokio::time::Instant;
use tracing::Instrument;

pub(crate) use self::code::MetCode;
use self::document_reads::DocumentReads;
use self::fact_walk::FactWalk;
use self::frames::{Budget, FrameReply};
use self::reads::OpenRead;
use self::recording::Recording;
pub(crate) use self::trace::{AmountSource, ReadTrace, SourceIndex, TracedRead};
use self::trust::{Recheck, TrustedAddresses};
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::plan::{JobPlan, JobQuestion, Question};
use crate::jobs::record::JobRecords;
use crate::jobs::stats::JobStats;
use portolan_reader::{Block, Kind, Outcome, Participant, Read, ReadFailure, Reply, Session};
use portolan_validation::{Addresses, ClaimReads};

/// Number of jobs that begin before other tasks of the runtime have a turn: those of an answer about one account.
const BEGIN_TOGETHER: usize = 256;

/// Sessions of an answer by chain id, or the reason why a network has no block.
pub(crate) type Sessions = BTreeMap<u64, Result<Arc<Session>, ReadFailure>>;

/// What jobs read and write beside the chains.
#[derive(Clone, Copy)]
pub(crate) struct JobSources<'a> {
    /// Off-chain documents that jobs may request.
    pub(crate) documents: Documents<'a>,
    /// Where jobs are recorded, if they are.
    pub(crate) records: Option<&'a Arc<JobRecords>>,
}

/// Outcome of a job.
#[derive(Debug)]
pub(crate) struct JobOutcome {
    /// All findings of the plugin, not yet validated.
    pub(crate) findings: Vec<map::Finding>,
    /// Addresses that claims may target and name, and the tokens of the protocol itself.
    pub(crate) addresses: Addresses,
    /// Further reads that claims rest on.
    pub(crate) claim_reads: ClaimReads,
    /// The job's reads, if they are traced.
    pub(crate) trace: Option<ReadTrace>,
    /// Reason why something is missing, with details from the plugin or the host.
    pub(crate) failure: Option<Failure>,
    /// Sentences about what the plugin knows but does not read.
    pub(crate) not_covered: Vec<String>,
    /// Names the findings that the plugin left out because of what contracts replied; empty if none.
    pub(crate) invalid_replies: String,
    /// True if the job reached its end. Otherwise everything that it did not find is missing.
    pub(crate) ended: bool,
    pub(crate) stats: JobStats,
    pub(crate) basis: JobBasis,
    /// Listed contracts without code, and contracts that have code again.
    pub(crate) code: MetCode,
    /// Off-chain hosts that replied, each with the age of its oldest reply in seconds.
    pub(crate) off_chain: BTreeMap<String, u32>,
}

/// What a job rests on, which may turn out to be lost.
#[derive(Clone, Debug)]
pub(crate) struct JobBasis {
    /// Chain ids of the networks it read, including its own.
    networks: BTreeSet<u64>,
    /// True if a cached reply differs from what the chain returns now. The cache has dropped it.
    refuted: bool,
}

impl JobBasis {
    /// Returns true if the job is to run again, as other blocks of these networks were pinned since.
    pub(crate) fn is_stale(&self, reopened: &BTreeSet<u64>) -> bool {
        self.refuted || !self.networks.is_disjoint(reopened)
    }
}

/// Runs jobs at the pinned blocks, each until its end, its plugin's limit or the deadline. Returns the outcomes in the
/// order of the plans. Reads of all jobs share batches.
pub(crate) async fn run_all(
    plans: Vec<JobPlan>,
    sessions: &Sessions,
    sources: JobSources<'_>,
    deadline: Instant,
) -> Vec<(JobPlan, JobOutcome)> {
    join_all(begin_all(plans, sessions, sources, deadline)).await
}

/// Runs jobs as [`run_all`] does, and returns each outcome once its job has ended.
pub(crate) fn run_each<'a>(
    plans: Vec<JobPlan>,
    sessions: &'a Sessions,
    sources: JobSources<'a>,
    deadline: Instant,
) -> impl Stream<Item = (JobPlan, JobOutcome)> + Send + 'a {
    begin_all(plans, sessions, sources, deadline).collect::<FuturesUnordered<_>>()
}

fn begin_all<'a>(
    plans: Vec<JobPlan>,
    sessions: &'a Sessions,
    JobSources { documents, records }: JobSources<'a>,
    deadline: Instant,
) -> impl Iterator<Item = impl Future<Output = (JobPlan, JobOutcome)> + Send + use<'a>> + use<'a> {
    // All jobs join before the first can read, so that no batch is sent without those that have not begun.
    let recorded = |plan: JobPlan| JobPlan { records: records.cloned(), ..plan };
    let joined: Vec<_> = plans.into_iter().map(|plan| (join_session(&plan, sessions), recorded(plan))).collect();
    joined.into_iter().enumerate().map(move |(place, (participant, plan))| async move {
        for _ in 0..place / BEGIN_TOGETHER {
            tokio::task::yield_now().await;
        }
        let limit = Instant::now() + Duration::from_millis(plan.instance.limits.job_ms);
        let span = span::begin(&plan);
        let running = run(&plan, participant, sessions, documents, deadline.min(limit));
        let outcome = running.instrument(span.clone()).await;
        span::end(&span, &outcome);
        (plan, outcome)
    })
}

fn join_session(plan: &JobPlan, sessions: &Sessions) -> Option<Participant> {
    sessions.get(&plan.network.chain_id)?.as_ref().ok().map(Session::join)
}

async fn run(
    plan: &JobPlan,
    participant: Option<Participant>,
    sessions: &Sessions,
    documents: Documents<'_>,
    deadline: Instant,
) -> JobOutcome {
    let began = Instant::now();
    let mut driver = Driver::new(plan, sessions, documents, deadline);
    let failure = match plan.instance.breakers.permit(plan.network.chain_id, &plan.input(), began.into_std()) {
        Err(pause) => Some(Failure::new(Reason::Quarantined, paused(pause))),
        Ok(()) => match tokio::time::timeout_at(deadline, driver.drive(participant)).await {
            Ok(Ok(())) => None,
            Ok(Err(failure)) => Some(failure),
            Err(_) => Some(Failure::new(Reason::Timeout, "the job did not end before its deadline")),
        },
    };
    if let (Some(records), Some(recording)) = (&plan.records, driver.recording) {
        records.add(recording.finish(plan, &driver.findings));
    }
    let addresses = driver.trusted.into_addresses();
    JobOutcome {
        findings: driver.findings,
        code: driver.code.of_known(&addresses, block(sessions, plan.network.chain_id)),
        addresses,
        claim_reads: driver.claim_reads,
        trace: driver.trace,
        failure: failure.or(driver.partial),
        not_covered: driver.not_covered,
        invalid_replies: driver.invalid_replies,
        ended: driver.ended,
        stats: JobStats { reads: driver.allowance.reads_used(), ..driver.stats }.since(began),
        basis: JobBasis { networks: driver.networks, refuted: driver.refuted },
        off_chain: driver.documents.into_ages(),
    }
}

struct Driver<'a> {
    plan: &'a JobPlan,
    sessions: &'a Sessions,
    documents: DocumentReads<'a>,
    deadline: Instant,
    /// Reads that the plugin waits for, in the order of its requests.
    open: Vec<OpenRead>,
    trusted: TrustedAddresses<'a>,
    /// Replies of views whose contracts are not known yet; later replies may make them known.
    views: Vec<(Read, Reply)>,
    claim_reads: ClaimReads,
    /// `None` if provenance was not requested.
    trace: Option<ReadTrace>,
    /// `None` if the job is not recorded, or has not begun.
    recording: Option<Recording>,
    code: MetCode,
    refuted: bool,
    findings: Vec<map::Finding>,
    /// Reason of the first read that could not be made; the job may have failed because of it.
    missing: Option<Reason>,
    partial: Option<Failure>,
    not_covered: Vec<String>,
    invalid_replies: String,
    ended: bool,
    allowance: Allowance,
    facts: FactWalk<'a>,
    stats: JobStats,
    networks: BTreeSet<u64>,
}

impl<'a> Driver<'a> {
    fn new(plan: &'a JobPlan, sessions: &'a Sessions, documents: Documents<'a>, deadline: Instant) -> Self {
        Self {
            plan,
            sessions,
            documents: DocumentReads::new(&plan.instance, documents),
            deadline,
            open: Vec::new(),
            views: Vec::new(),
            trusted: TrustedAddresses::new(plan.instance.claim_templates.lineages(), listed(plan)),
            claim_reads: ClaimReads::new(plan.account),
            trace: plan.is_traced.then(ReadTrace::default),
            recording: None,
            code: MetCode::new(plan),
            refuted: false,
            findings: Vec::new(),
            missing: None,
            partial: None,
            not_covered: Vec::new(),
            invalid_replies: String::new(),
            ended: false,
            allowance: Allowance::default(),
            facts: FactWalk::new(plan),
            stats: JobStats::default(),
            networks: BTreeSet::from([plan.network.chain_id]),
        }
    }

    async fn drive(&mut self, participant: Option<Participant>) -> Result<(), Failure> {
        let no_pin = || Failure::new(Reason::Upstream, "the network has no pinned block");
        let own = self.sessions.get(&self.plan.network.chain_id).ok_or_else(no_pin)?;
        let own = own.as_ref().map_err(|failure| Failure::from(*failure))?;
        let participant = participant.ok_or_else(no_pin)?;
        let instance = &self.plan.instance;
        let start = self.start_map(*own.block());
        self.recording = self.plan.records.as_ref().map(|_| Recording::begin(&start, &instance.settings));
        let (job, mut answer) = instance.begin(&start, self.frame(&[])?).await?;
        loop {
            let step = frames::step(&answer)?;
            if let Some(recording) = &mut self.recording {
                recording.open(&answer);
            }
            self.facts.put(&step.facts, own);
            self.take_findings(step.findings)?;
            if step.state != state::READING {
                self.take_views();
                self.not_covered = step.not_covered;
                self.invalid_replies = step.invalid_replies;
                self.recheck_findings(&participant, own).await?;
                return self.end(step.state, step.message);
            }
            self.facts.take_shared(&step.reads, own).await;
            self.open(&participant, own, step.reads);
            if self.open.is_empty() {
                return Err(Failure::new(Reason::InvalidOutput, "it is reading, and no read is open"));
            }
            let replies = self.replies(&participant, own).await?;
            answer = instance.resume(&job, self.frame(&replies)?).await?;
        }
    }

    /// Builds the frame to resume the job with.
    fn frame(&self, replies: &[FrameReply]) -> Result<Vec<u8>, Failure> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let budget = Budget {
            ms_left: u32::try_from(left.as_millis()).unwrap_or(u32::MAX),
            reads_left: self.allowance.reads_left(),
            bytes_left: self.allowance.bytes_left(),
        };
        frames::replies(replies, &budget).map_err(|error| Failure::new(Reason::InvalidOutput, error))
    }

    fn take_findings(&mut self, mut found: Vec<map::Finding>) -> Result<(), Failure> {
        let taken = self.allowance.take_findings(&mut found);
        self.findings.append(&mut found);
        taken.map_err(over_limit)
    }

    fn end(&mut self, ended: u8, message: String) -> Result<(), Failure> {
        self.ended = matches!(ended, state::COMPLETE | state::PARTIAL);
        if let Some(recording) = &mut self.recording {
            recording.end(ended);
        }
        let by_plugin = if self.facts.is_short() { Reason::OverBudget } else { Reason::PluginError };
        let blamed = self.missing.unwrap_or(by_plugin);
        let message = self.documents.explain(message);
        match ended {
            state::COMPLETE => {
                self.partial = self.documents.refused().cloned();
                Ok(())
            }
            // The job read everything it meant to read.
            state::PARTIAL
                if message.is_empty() && (!self.not_covered.is_empty() || !self.invalid_replies.is_empty()) =>
            {
                self.partial = self.documents.refused().cloned();
                Ok(())
            }
            state::PARTIAL => {
                self.partial = Some(Failure::new(blamed, message));
                Ok(())
            }
            state::FAILED => Err(Failure::new(blamed, message)),
            state::PANICKED => Err(Failure::new(Reason::Crashed, message)),
            state::MISUSE => Err(Failure::fault(Reason::PluginError, message)),
            other => Err(Failure::new(Reason::InvalidOutput, format!("unknown job state {other}"))),
        }
    }

    /// Returns true if findings may rest on this read: claims, and compositions by the tokens they are about.
    fn findings_rest_on(&self, read: &Read) -> bool {
        let is_plain = read.kind == Kind::Call && !read.isolated && read.from.is_none();
        is_plain
            && match self.plan.question {
                JobQuestion::Account(Question::Claimables) => {
                    self.trusted.may_give(read) || self.claims_rest_on_reads()
                }
                JobQuestion::Tokens(_) => self.trusted.may_give(read),
                JobQuestion::Account(_) | JobQuestion::Transaction(_) => false,
            }
    }

    fn claims_rest_on_reads(&self) -> bool {
        self.plan.instance.claim_templates.rest_on_reads()
    }

    fn note(&mut self, read: &Read, reply: &Reply) {
        if let Outcome::Ok(bytes) = &reply.outcome
            && self.claims_rest_on_reads()
        {
            let is_at_block = trust::is_at_block(read, reply);
            self.claim_reads.take(read.to, read.data.clone(), bytes.clone(), is_at_block);
        }
    }

    /// Repeats cached reads that the findings rest on, unless a batch has repeated them already.
    async fn recheck_findings(&mut self, participant: &Participant, own: &Session) -> Result<(), Failure> {
        let recheck = self.trusted.named_by(&self.findings, &self.claim_reads);
        if recheck.is_empty() {
            return Ok(());
        }
        // These reads and their batch are not counted: without a cache they would not be made.
        let replies = participant.complete(own.peek(self.trusted.reads(&recheck).into())).await;
        self.confirm(own, &recheck, &replies)?;
        let failure = replies.iter().find_map(|reply| match reply.outcome {
            Outcome::Failed(failure) => Some(failure),
            _ => None,
        });
        let unread = |failure| Failure::new(Reason::from(failure), "what a finding rests on could not be read again");
        failure.map_or(Ok(()), |failure| Err(unread(failure)))
    }

    /// Fails the job if a contract now contradicts a cached reply, because then none of its findings is reliable.
    fn confirm(&mut self, own: &Session, recheck: &Recheck, replies: &[Reply]) -> Result<(), Failure> {
        let Err(refuted) = self.trusted.confirm(recheck, replies) else { return Ok(()) };
        refuted.iter().for_each(|read| own.refute(read));
        self.plan.instance.fact_lists.drop_network(&self.plan.network.slug);
        self.refuted = true;
        self.findings.clear();
        Err(Failure::new(Reason::Upstream, "a contract does not answer what an endpoint had said that it does"))
    }

    fn start_map(&self, block: Block) -> map::Start {
        let plan = self.plan;
        let others = self.sessions.iter().filter(|(chain_id, _)| **chain_id != plan.network.chain_id);
        let others = others.filter_map(|(chain_id, session)| Some((chain_id, session.as_ref().ok()?)));
        map::Start {
            question: plan.question.number(),
            protocol: plan.protocol.slug.clone(),
            chain_id: plan.network.chain_id,
            account: plan.account,
            block: block_map(block),
            pins: others.map(|(id, session)| map::Pin { chain_id: *id, block: block_map(*session.block()) }).collect(),
            capabilities: if plan.is_traced { capability::ALL | capability::READ_FUNCTIONS } else { capability::ALL },
            tokens: match &plan.question {
                JobQuestion::Account(_) | JobQuestion::Transaction(_) => None,
                JobQuestion::Tokens(tokens) => Some(tokens.to_vec()),
            },
            transaction: match &plan.question {
                JobQuestion::Account(_) | JobQuestion::Tokens(_) => None,
                JobQuestion::Transaction(transaction) => Some(transaction.as_ref().clone()),
            },
        }
    }
}

/// Returns the block number of a network's reads; 0 if it has none.
fn block(sessions: &Sessions, chain_id: u64) -> u64 {
    sessions.get(&chain_id).and_then(|session| session.as_ref().ok()).map_or(0, |session| session.block().number)
}

fn paused(pause: Duration) -> String {
    format!(
        "too many of its jobs in a row failed by its fault on this network; it is tried again in {} s",
        pause.as_secs() + 1
    )
}

fn over_limit(error: LimitError) -> Failure {
    Failure::new(Reason::OverBudget, error.to_string())
}

fn block_map(block: Block) -> map::Block {
    map::Block { number: block.number, hash: block.hash, timestamp: block.timestamp, evm_number: block.evm_number }
}

/// Returns the addresses that the catalogue lists for this job's protocol and network.
fn listed(plan: &JobPlan) -> Addresses {
    let is_of_settings = |row: &_| plan.instance.is_of_settings(row);
    Addresses::listed(&plan.instance.catalogue, &plan.protocol.slug, plan.network.chain_id, is_of_settings)
}

#[cfg(test)]
mod pending_tests;
#[cfg(test)]
mod tests;
