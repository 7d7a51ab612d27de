//! What happened in a transaction: its native value and its logs in words.
//!
//! The host's tables tell what any contract may emit, plugins tell what their protocols' contracts do. Invariant: a log
//! has one teller, a log that nobody tells is among the undecoded, and what could not be read is missing and told.

mod merge;
mod own;
mod shown;
mod tables;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use futures_util::future::{join, join_all};
use portolan_abi::frame::FrameError;
use portolan_abi::map;
use portolan_events::{Log, Transaction};
use portolan_reader::{Block, Pins, ReadFailure, Receipt, Session};
use tokio::time::Instant;

use self::merge::{Story, Teller};
use self::own::Own;
use self::shown::Shown;
pub(crate) use self::tables::{Tables, TablesError};
use crate::assets::resolve::{self, Tokens};
use crate::assets::token::At;
use crate::assets::token_list::TokenIndex;
use crate::gateway::answer::{self, Answer, Items, JobReport, JobStatus};
use crate::gateway::compositions::Plugins;
use crate::gateway::deadline::Deadline;
use crate::gateway::problem::Problem;
use crate::gateway::query::Events;
use crate::gateway::{pin, plan, report};
use crate::jobs::failure::Reason;
use crate::jobs::job::{self, JobOutcome};
use crate::jobs::plan::JobPlan;
use crate::jobs::validate;
use crate::network::{Network, Networks};

/// What stands where jobs have a protocol's slug: for what the host tells itself, and for the tokens of all of it.
const SUBJECT: &str = "events";
const TOKENS: &str = "tokens";

/// What events are told from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) networks: &'a Networks,
    pub(crate) plugins: &'a Plugins<'a>,
    pub(crate) tables: &'a Tables,
    pub(crate) index: &'a TokenIndex,
}

/// Reads the transaction while its network is pinned, then tells it at that block.
///
/// # Errors
/// There is no such transaction, it has too many logs, or nothing of it could be read.
pub(crate) async fn answer(sources: Sources<'_>, asked: &Events, deadline: Deadline) -> Result<Answer, Problem> {
    let Sources { networks, plugins, .. } = sources;
    let no_network = || Problem::Internal("the network was lost on its way".into());
    let network = networks.with_chain_id(asked.chain_id).ok_or_else(no_network)?;
    let reader = plugins.reader.as_ref();
    let by = deadline.of_transaction();
    let reading = tokio::time::timeout_at(by, reader.transaction(asked.chain_id, asked.hash, by));
    let (told, pins) = join(reading, pin::pin(reader, [network].into_iter(), deadline)).await;
    let receipt = mined(network, told.unwrap_or(Err(ReadFailure::Timeout)))?;
    let block = pinned(&pins, network)?;
    if receipt.logs.len() > asked.logs_max {
        return Err(Problem::TooManyLogs { logs: receipt.logs.len(), logs_max: asked.logs_max });
    }
    let scene = Scene::new(sources, asked, network, deadline, receipt)?;
    scene.answer(block).await
}

/// The receipt of a transaction that is in a block.
fn mined(network: &Arc<Network>, told: Result<portolan_reader::Told, ReadFailure>) -> Result<Receipt, Problem> {
    match told {
        Ok(portolan_reader::Told::Mined(receipt)) => Ok(receipt),
        Ok(portolan_reader::Told::Unknown) => {
            Err(Problem::TransactionNotFound(format!("there is no such transaction on {}", network.name)))
        }
        Ok(portolan_reader::Told::Pending) => {
            Err(Problem::TransactionNotFound("the transaction is in no block yet".into()))
        }
        Err(failure) => Err(unread(network, failure)),
    }
}

fn pinned(pins: &Pins, network: &Arc<Network>) -> Result<Block, Problem> {
    let pinned = pins.get(&network.chain_id).copied().unwrap_or(Err(ReadFailure::NotConfigured));
    pinned.map_err(|failure| unread(network, failure))
}

/// The problem to answer with where nothing could be read.
fn unread(network: &Arc<Network>, failure: ReadFailure) -> Problem {
    all_lost(&JobReport { reason: Some(failure.into()), ..JobReport::blank(SUBJECT, network) })
}

fn all_lost(report: &JobReport) -> Problem {
    let failed = JobReport { status: JobStatus::Failed, ..report.clone() };
    report::all_failed(&[failed]).unwrap_or_else(|| Problem::Internal("the failure was lost on its way".into()))
}

/// A transaction that is being told.
struct Scene<'a> {
    sources: Sources<'a>,
    asked: &'a Events,
    network: &'a Arc<Network>,
    deadline: Deadline,
    transaction: Arc<Transaction>,
    /// The same, as plugins get it.
    for_plugins: Arc<map::Transaction>,
    native: Option<Story>,
}

/// What was told at a block.
struct Told {
    tellers: Vec<Teller>,
    jobs: Vec<JobReport>,
    block_lost: bool,
}

impl<'a> Scene<'a> {
    fn new(
        sources: Sources<'a>,
        asked: &'a Events,
        network: &'a Arc<Network>,
        deadline: Deadline,
        receipt: Receipt,
    ) -> Result<Self, Problem> {
        let native = merge::native(&receipt);
        let transaction = transaction(asked, receipt);
        let for_plugins = for_plugins(&transaction, network)
            .map_err(|error| Problem::Internal(format!("the logs do not fit a plugin's question: {error}")))?;
        let (transaction, for_plugins) = (Arc::new(transaction), Arc::new(for_plugins));
        Ok(Self { sources, asked, network, deadline, transaction, for_plugins, native })
    }

    async fn answer(self, mut block: Block) -> Result<Answer, Problem> {
        let mut told = self.tell(block).await;
        if told.block_lost {
            tracing::debug!(network = %self.network.slug, block = block.number, "pinned block is unknown, telling again");
            let reader = self.sources.plugins.reader.as_ref();
            block = pinned(&pin::pin(reader, [self.network].into_iter(), self.deadline).await, self.network)?;
            told = self.tell(block).await;
        }
        let Told { tellers, mut jobs, .. } = told;
        let (mut stories, undecoded) = merge::merge(tellers, self.transaction.logs.len());
        stories.splice(0..0, self.native.clone());
        let types = &self.asked.types;
        stories.retain(|story| types.is_empty() || types.contains(&story.event.kind));
        let (told, lost) = self.show(&block, stories).await?;
        jobs.extend(lost);
        let blocks = vec![(Arc::clone(self.network), block)];
        let pins = Pins::from([(self.network.chain_id, Ok(block))]);
        let missing = report::missing(self.sources.networks, &pins, &jobs);
        let items = Items::Events(answer::Events { transaction: self.transaction, told, undecoded });
        Ok(Answer { items, blocks, missing, jobs, about_account: true })
    }

    /// Asks the plugins and the host's own tables; their reads share batches.
    async fn tell(&self, block: Block) -> Told {
        let snapshot = self.sources.plugins.snapshot;
        let topics: HashSet<B256> =
            self.transaction.logs.iter().filter_map(|log| log.topics.first()).copied().collect();
        let plans = plan::for_transaction(snapshot, self.network, &topics, &self.for_plugins);
        let by = self.deadline.of_reads();
        let session = self.session(block, by);
        // Joined before any job begins, so that no batch is flushed without what the host reads.
        let own = Own::new(self.sources.tables, &self.transaction, session.join());
        let sessions = BTreeMap::from([(session.chain_id(), Arc::clone(&session))]);
        let jobs = plans.into_iter().map(async |plan| {
            let by = by.min(Instant::now() + Duration::from_millis(plan.instance.limits.job_ms));
            let outcome = job::run(&plan, &sessions, by).await;
            (plan, outcome)
        });
        let (ran, own) = join(join_all(jobs), own.tell(self.at(&session))).await;
        let (mut tellers, mut reports) = (vec![Teller::core(own.core)], vec![own.report]);
        for (plan, outcome) in ran {
            let (teller, report) = self.admit(&plan, &outcome);
            tellers.push(teller);
            reports.push(report);
        }
        tellers.push(Teller::further(own.further));
        Told { tellers, jobs: reports, block_lost: session.block_lost() }
    }

    /// What of a plugin's events passes the border.
    fn admit(&self, plan: &JobPlan, outcome: &JobOutcome) -> (Teller, JobReport) {
        let snapshot = self.sources.plugins.snapshot;
        let own = snapshot.iter().filter(|served| Arc::ptr_eq(&served.instance, &plan.instance));
        let protocols: BTreeSet<&str> = own.map(|served| served.protocol.slug.as_str()).collect();
        let (events, rejections) = validate::events(&outcome.findings, self.transaction.logs.len(), &protocols);
        let mut report = report::of(plan, outcome, !events.is_empty());
        if let Some(rejections) = rejections {
            report::lose(&mut report, Reason::InvalidOutput, &rejections);
        }
        (Teller::plugin(&plan.instance, events), report)
    }

    /// Rows of what was told, and a report of the tokens that could not be read: rows that need them are left out.
    async fn show(
        &self,
        block: &Block,
        stories: Vec<Story>,
    ) -> Result<(Vec<answer::Event>, Option<JobReport>), Problem> {
        let Sources { networks, plugins, index, .. } = self.sources;
        let wanted: BTreeSet<Address> = stories.iter().flat_map(|story| shown::tokens(&story.event)).collect();
        let session = self.session(*block, self.deadline.end());
        let tokens = resolve::unpriced_tokens(self.at(&session), index, &wanted).await;
        let lost = self.lost(&tokens, &wanted);
        let shown = Shown { networks, snapshot: plugins.snapshot, tokens: &tokens };
        let count = stories.len();
        let rows: Vec<answer::Event> = stories.into_iter().filter_map(|story| shown.row(story).ok()).collect();
        match lost {
            Some(lost) if rows.is_empty() && count > 0 => Err(all_lost(&lost)),
            lost => Ok((rows, lost)),
        }
    }

    fn session(&self, block: Block, deadline: Instant) -> Arc<Session> {
        Session::open(Arc::clone(&self.sources.plugins.reader), self.network.chain_id, block, deadline)
    }

    fn at<'b>(&'b self, session: &'b Session) -> At<'b> {
        At { session, network: self.network }
    }

    fn lost(&self, tokens: &Tokens, wanted: &BTreeSet<Address>) -> Option<JobReport> {
        let lost: Vec<ReadFailure> = wanted.iter().filter_map(|token| tokens.get(*token).err()).collect();
        let failure = lost.first()?;
        let mut report =
            JobReport { lost: vec![((*failure).into(), lost.len())], ..JobReport::blank(TOKENS, self.network) };
        report::lose(&mut report, (*failure).into(), &format!("token metadata: {failure}"));
        Some(report)
    }
}

fn transaction(asked: &Events, receipt: Receipt) -> Transaction {
    let Receipt { succeeded, from, to, value, logs, .. } = receipt;
    // A node that shows what was reverted shows what did not happen.
    let logs = if succeeded { logs } else { Vec::new() };
    let log =
        |log: portolan_reader::Log| Log { index: log.index, address: log.address, topics: log.topics, data: log.data };
    Transaction { hash: asked.hash, from, to, value, logs: logs.into_iter().map(log).collect() }
}

fn for_plugins(transaction: &Transaction, network: &Network) -> Result<map::Transaction, FrameError> {
    Ok(map::Transaction { wrapped_native: network.wrapped_native, ..transaction.to_map()? })
}

#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;
