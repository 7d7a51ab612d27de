//! Events of a transaction: its native value and its logs, decoded.
//!
//! The host's own tables decode what any contract may emit; plugins decode what their protocols' contracts emit.
//! Invariant: a log without an event is listed as undecoded, failed reads are reported as missing, and nothing is read
//! at a block before the transaction's own.

mod account;
mod rows;
mod standards;
mod transaction;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use alloy::primitives::{Address, B256};
use futures_util::future::join;
use portolan_abi::map;
use portolan_assets::resolve::{TokenFailure, Tokens};
use portolan_base::network::Network;
use portolan_events::Transaction;
use portolan_reader::{ReadFailure, Receipt, Session, TransactionStatus};
use portolan_validation::validate_events;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use crate::events::builtin::{BuiltinDecoder, BuiltinEvents};
use crate::events::merge::{self, EventSource, MergedEvent, MergedEvents};
use crate::events::movements::Movements;
use crate::events::native::{self, NativeLogs};
use crate::events::{duplicate_transfers, part_of};
use crate::gateway::answer::{AccountEffects, Answer, Event, Items, TransactionEvents};
use crate::gateway::context::Context;
use crate::gateway::problem::Problem;
use crate::gateway::query::Account;
use crate::gateway::work::Work;
use crate::gateway::{log_memory, missing, plan, query};
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::job::{self, JobOutcome};
use crate::jobs::plan::JobPlan;
use crate::jobs::report::JobReport;
use crate::jobs::stats::JobStats;

/// Subject of the report about the host's own tables, in the place of a protocol's slug.
const BUILTIN: &str = "events";
/// Subject of the report about the tokens of all events, in the place of a protocol's slug.
const TOKENS: &str = "tokens";

/// Logs above this size, some fifty transfers, take milliseconds and are decoded off the runtime's workers.
const LARGE_BYTES: usize = 16 << 10;

/// Decodes the events of a transaction.
pub(in crate::gateway) struct EventWork(pub(in crate::gateway) query::EventsQuery);

impl Work for EventWork {
    /// Returns none: the network is pinned while the transaction is read, and again if that block is too old.
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        Vec::new()
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let Self(query) = self;
        let no_network = || Problem::Internal("the network was lost on its way".into());
        let network = &Arc::clone(context.networks().with_chain_id(query.chain_id).ok_or_else(no_network)?);
        let reading = context.transaction(network, query.hash);
        let (found, ()) = join(reading, context.open([network])).await;
        let receipt = transaction::mined(network, found.map_err(|failure| unread(network, failure))?)?;
        context.open_not_before(network, receipt.block_number, receipt.block_hash).await;
        context.session(network).map_err(|failure| unread(network, failure))?;
        if receipt.logs.len() > query.logs_max {
            return Err(Problem::TooManyLogs { logs: receipt.logs.len(), logs_max: query.logs_max });
        }
        let log_permit = context.sources.log_memory.take(&receipt.logs)?;
        let (cpu_pool, is_large) = (context.sources.cpu_pool.clone(), log_memory::bytes(&receipt.logs) > LARGE_BYTES);
        let client = Arc::clone(&context.budget.client);
        let decoding = decode(context, Arc::clone(network), query, receipt, log_permit);
        if !is_large {
            return decoding.await;
        }
        let decoded = cpu_pool.drive(&client, decoding).await;
        decoded.unwrap_or_else(|error| Err(Problem::Internal(format!("the transaction was not decoded: {error}"))))
    }
}

/// Decodes a transaction that was read; the answer holds the memory reserved for its logs.
async fn decode(
    context: Context,
    network: Arc<Network>,
    query: query::EventsQuery,
    receipt: Receipt,
    log_permit: OwnedSemaphorePermit,
) -> Result<Answer, Problem> {
    let network = &network;
    let (deposit, value) = (merge::deposit(&receipt, network.parent()), merge::native(&receipt));
    let (number, hash) = (receipt.block_number, receipt.block_hash);
    let (status, gas) = (receipt.status, receipt.gas);
    let decoder = TransactionDecoder::new(&context, network, transaction::of(query.hash, receipt))?;
    let native_logs = async {
        let logs = NativeLogs::of(network, &decoder.transaction);
        // The check is needed only for the effects on an account.
        let is_open = query.account.is_some() && status == TransactionStatus::Succeeded && !logs.is_whole;
        NativeLogs { is_whole: logs.is_whole || is_open && context.logs_native(network, number, hash).await, ..logs }
    };
    let (decoded, logs) = join(context.read(network, |session| decoder.decode(session)), native_logs).await;
    let (sources, mut reports) = decoded.map_err(|failure| unread(network, failure))??;
    let MergedEvents { mut events, undecoded } = merge::merge(sources, decoder.transaction.logs.len());
    native::name_once(network, &mut events);
    part_of::link(&mut events, &decoder.transaction, network.wrapped_native);
    duplicate_transfers::link(network, &mut events, &decoder.transaction);
    let value = value.filter(|_| !native::logs_value(network, &events, &decoder.transaction));
    events.splice(0..0, deposit.into_iter().chain(value));
    let is_wanted = |merged: &MergedEvent| query.types.is_empty() || query.types.contains(&merged.event.kind);
    // The effects on an account follow from all events, so the filter by type comes after them.
    let Some(Account::Address(account)) = query.account else {
        events.retain(is_wanted);
        part_of::keep_last_reports(&mut events);
        let tokens = decoder.tokens(&events, std::iter::empty()).await;
        decoder.correct(&mut events, &tokens).await;
        return decoder.answer(MergedEvents { events, undecoded }, tokens, None, reports, log_permit);
    };
    let mut movements = Movements::of(&events, &decoder.transaction, account, logs);
    let tokens = decoder.tokens(&events, account::shown(&movements)).await;
    if decoder.correct(&mut events, &tokens).await {
        movements = Movements::of(&events, &decoder.transaction, account, logs);
    }
    let decoded = account::DecodedTransaction {
        decoder: &decoder,
        tokens: &tokens,
        status,
        gas,
        logs,
        has_undecoded: !undecoded.is_empty(),
    };
    let (effects, of_tokens) = decoded.effects(&events, movements, account).await;
    reports.extend(of_tokens);
    events.retain(is_wanted);
    part_of::keep_last_reports(&mut events);
    decoder.answer(MergedEvents { events, undecoded }, tokens, Some(Box::new(effects)), reports, log_permit)
}

/// Returns the problem to send if nothing could be read.
fn unread(network: &Arc<Network>, failure: ReadFailure) -> Problem {
    missing::problem(&[JobReport::blank(BUILTIN, network).failed(Failure::from(failure))])
}

/// Decodes one transaction.
struct TransactionDecoder<'a> {
    context: &'a Context,
    network: &'a Arc<Network>,
    transaction: Arc<Transaction>,
    /// The transaction in the form that plugins receive.
    for_plugins: Arc<map::Transaction>,
    /// First topics of its logs.
    topics: HashSet<B256>,
}

impl<'a> TransactionDecoder<'a> {
    fn new(context: &'a Context, network: &'a Arc<Network>, transaction: Transaction) -> Result<Self, Problem> {
        let for_plugins = transaction::for_plugins(&transaction, network)
            .map_err(|error| Problem::Internal(format!("the logs do not fit a plugin's question: {error}")))?;
        let topics = transaction.logs.iter().filter_map(|log| log.topics.first()).copied().collect();
        Ok(Self { context, network, transaction: Arc::new(transaction), for_plugins: Arc::new(for_plugins), topics })
    }

    /// Runs the plugins' jobs and the host's own tables; their reads share batches.
    ///
    /// # Errors
    /// Returns [`Problem::TooManyEvents`] if there are more events than the budget allows.
    async fn decode(&self, session: Arc<Session>) -> Result<(Vec<EventSource>, Vec<JobReport>), Problem> {
        let plans = plan::for_transaction(&self.context.snapshot, self.network, &self.topics, &self.for_plugins);
        // Joins before any job begins, so that the first batch includes the host's reads.
        let builtin = BuiltinDecoder::new(&self.context.sources.tables, &self.transaction, session.join());
        let room = &self.context.budget.events;
        let too_many = || Problem::TooManyEvents { events_max: room.max() };
        let decoding = async {
            let began = Instant::now();
            let decoded = builtin.decode(&session, self.network, room).await;
            (self.builtin_report(&decoded, began), decoded)
        };
        let sessions = [(session.chain_id(), Ok(Arc::clone(&session)))].into();
        let (ran, (of_builtin, builtin)) =
            join(job::run_all(plans.jobs, &sessions, self.context.job_sources(), session.deadline()), decoding).await;
        if builtin.has_more {
            return Err(too_many());
        }
        let (mut sources, mut reports) = (vec![EventSource::core(builtin.core)], vec![of_builtin]);
        reports.extend(plans.unavailable);
        for (plan, outcome) in ran {
            if !room.take(u64::try_from(outcome.findings.len()).unwrap_or(u64::MAX)) {
                return Err(too_many());
            }
            let (source, report) = self.validate(&plan, &outcome);
            sources.push(source);
            reports.push(report);
        }
        sources.push(EventSource::further(builtin.further));
        Ok((sources, reports))
    }

    /// Reports what the host's own tables read since `began`, and the logs that they could not decode.
    fn builtin_report(&self, decoded: &BuiltinEvents, began: Instant) -> JobReport {
        let mut report = JobReport::blank(BUILTIN, self.network);
        if let Some((failure, text)) = &decoded.unread {
            report.mark_partial(Reason::from(*failure), text);
        }
        let BuiltinEvents { batches, reads, .. } = *decoded;
        report.stats = JobStats { batches, reads, ..report.stats }.since(began);
        report
    }

    fn validate(&self, plan: &JobPlan, outcome: &JobOutcome) -> (EventSource, JobReport) {
        let sources = self.context.snapshot.event_sources();
        let served = sources.filter(|served| Arc::ptr_eq(&served.instance, &plan.instance));
        let served: BTreeSet<&str> = served.map(|served| served.protocol.slug.as_str()).collect();
        // Events of the plugin's unavailable protocols are valid but dropped; the plugin cannot know what is served.
        let protocols: BTreeSet<&str> = served.iter().copied().chain(plan.instance.slugs()).collect();
        let logs = self.transaction.logs.len();
        let (mut events, rejections) = validate_events(&outcome.findings, logs, &protocols);
        events.retain(|event| event.protocol.as_ref().is_none_or(|slug| served.contains(slug.as_str())));
        let mut report = JobReport::of(plan, outcome, !events.is_empty());
        report.mark_rejected(plan, &rejections);
        report.record(plan);
        (EventSource::plugin(&plan.instance.label, events), report)
    }

    /// Reads the tokens that these events name, and further ones.
    async fn tokens(&self, events: &[MergedEvent], further: impl Iterator<Item = Address>) -> Tokens {
        let wanted: BTreeSet<Address> = events.iter().flat_map(rows::tokens).chain(further).collect();
        self.context.unpriced_tokens(self.network, &wanted).await
    }

    /// Corrects events whose log shape misled; returns true if any changed. An event stays as it is if its read fails.
    async fn correct(&self, events: &mut [MergedEvent], tokens: &Tokens) -> bool {
        let doubtful = standards::doubtful(events, tokens);
        if doubtful.is_empty() {
            return false;
        }
        let read = |session: Arc<Session>| {
            let reads = standards::reads(&doubtful);
            async move { session.read(reads).await }
        };
        let replies = self.context.read(self.network, read).await.unwrap_or_default();
        standards::correct(events, &doubtful, &replies)
    }

    /// Builds the answer from these events and the positions of undecoded logs.
    fn answer(
        &self,
        MergedEvents { events, undecoded }: MergedEvents,
        tokens: Tokens,
        account: Option<Box<AccountEffects>>,
        mut reports: Vec<JobReport>,
        log_permit: OwnedSemaphorePermit,
    ) -> Result<Answer, Problem> {
        let (events, missing_tokens) = self.rows(events, &tokens)?;
        reports.extend(missing_tokens);
        let (transaction, networks) = (Arc::clone(&self.transaction), self.context.networks().clone());
        let (tokens, log_permit) = (Arc::new(tokens), Some(Arc::new(log_permit)));
        let events =
            TransactionEvents { transaction, events, undecoded, tokens, networks, account, _log_permit: log_permit };
        Ok(self.context.answer(Items::Events(events), reports))
    }

    /// Builds the rows, and a report of the tokens that could not be read. Events that need those are left out.
    fn rows(&self, events: Vec<MergedEvent>, tokens: &Tokens) -> Result<(Vec<Event>, Option<JobReport>), Problem> {
        let (missing, count) = (self.missing_tokens(tokens, &events), events.len());
        let row = |merged| rows::row(merged, tokens, &self.context.snapshot);
        let rows: Vec<Event> = events.into_iter().filter_map(row).collect();
        match missing {
            Some((report, true)) if rows.is_empty() && count > 0 => Err(missing::problem(&[report])),
            missing => Ok((rows, missing.map(|(report, _)| report))),
        }
    }

    /// Reports the missing tokens; true if the metadata of at least one could not be read.
    fn missing_tokens(&self, tokens: &Tokens, events: &[MergedEvent]) -> Option<(JobReport, bool)> {
        let missing: BTreeMap<Address, TokenFailure> =
            events.iter().flat_map(|event| rows::missing(event, tokens)).collect();
        let (token, failure) = missing.first_key_value()?;
        let mut report = JobReport::blank(TOKENS, self.network);
        report.missing_tokens = vec![((*failure).into(), missing.len())];
        report.mark_partial((*failure).into(), &format!("token {token:#x}: {failure}"));
        Some((report, missing.values().any(|failure| matches!(failure, TokenFailure::Unread(_)))))
    }
}

#[cfg(feature = "fuzzing")]
pub(in crate::gateway) mod fuzzing;
#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;
