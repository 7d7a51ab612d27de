//! Decodes a transaction by the host's own tables. It participates in the batches that plugins' jobs share.
//!
//! The metadata of tokens that the logs name is read together with the first views, so that it is in the cache after
//! decoding. Invariant: there are at most [`STEPS_MAX`] steps, and no read is repeated.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, B256, b256};
use portolan_events::{Decoded, Decoding, Event, Transaction, ViewCall, ViewResult};
use portolan_reader::{Freshness, Meter, Outcome, Participant, Read, Reply, Session};
use tokio::time::Instant;

use super::tables::Tables;
use crate::assets::metadata;
use crate::jobs::failure::Reason;
use crate::jobs::report::JobReport;
use crate::network::Network;

/// Subject of the host's own report, in the place of a protocol's slug.
pub(crate) const SUBJECT: &str = "events";

/// Maximum number of steps with reads. The deepest row takes two; a pair of pairs takes three.
const STEPS_MAX: u32 = 8;
/// Maximum age in seconds of a cached view. What rows read never changes, but the reply that a contract has no such
/// view is cached only for facts that may change slowly.
const VIEWS_FRESH_S: u32 = 86_400;
/// `Transfer(address,address,uint256)` and `Approval(address,address,uint256)`. With a fourth topic they are logs of
/// ERC-721, whose contracts are not shown as tokens.
const TOKEN_TOPICS: [B256; 2] = [
    b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"),
    b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"),
];
const ERC20_TOPICS_MAX: usize = 3;

/// Decoder of the host's own tables.
pub(crate) struct BuiltinDecoder<'a> {
    tables: &'a Tables,
    transaction: &'a Transaction,
    participant: Participant,
}

/// Events that the host's tables decoded.
pub(crate) struct BuiltinEvents {
    pub(crate) core: Vec<Event>,
    pub(crate) further: Vec<Event>,
    pub(crate) report: JobReport,
    /// True if there are more events than the answer's budget allows.
    pub(crate) has_more: bool,
}

impl<'a> BuiltinDecoder<'a> {
    pub(crate) fn new(tables: &'a Tables, transaction: &'a Transaction, participant: Participant) -> Self {
        Self { tables, transaction, participant }
    }

    /// Decodes the transaction. Never fails: failed reads are in the report. Events are taken from `room`.
    pub(crate) async fn decode(self, session: &Session, network: &Arc<Network>, room: &Meter) -> BuiltinEvents {
        let (Self { tables, transaction, participant }, began) = (self, Instant::now());
        let on = portolan_events::Network { chain_id: network.chain_id, wrapped_native: network.wrapped_native };
        let events_max = usize::try_from(room.max()).unwrap_or(usize::MAX);
        let mut core = Decoding::new(&tables.core, transaction, on).at_most(events_max);
        let mut further = Decoding::new(&tables.further, transaction, on).at_most(events_max);
        let (tokens, mut requested) = (tokens(transaction, network), BTreeSet::new());
        let mut report = JobReport::blank(SUBJECT, network);
        let mut views_steps = 0;
        for _ in 0..STEPS_MAX {
            let (by_core, by_further) = (core.next_calls(), further.next_calls());
            let (of_core, of_further) = (by_core.len(), by_further.len());
            let mut lookup = session.look_up(by_core.into_iter().chain(by_further).map(read).collect());
            views_steps += u32::from(!lookup.is_empty());
            let of_tokens = metadata::missing_reads(session, network, &tokens, &mut requested);
            let reads = u32::try_from(lookup.len() + of_tokens.reads).unwrap_or(u32::MAX);
            report.figures.reads = report.figures.reads.saturating_add(reads);
            report.figures.batches = views_steps.max(of_tokens.levels).max(report.figures.batches);
            lookup.append(of_tokens.missing);
            if lookup.is_empty() {
                break;
            }
            let mut replies = participant.complete(lookup).await;
            replies.truncate(of_core + of_further);
            let failed = replies.iter().find_map(|reply| match &reply.outcome {
                Outcome::Failed(failure) => Some(Reason::from(*failure)),
                _ => None,
            });
            report.reason = report.reason.or(failed);
            let mut results = replies.into_iter().map(result);
            core.record(results.by_ref().take(of_core).collect());
            further.record(results.collect());
        }
        let (core, further) = (core.finish(), further.finish());
        note_unread(&mut report, core.incomplete_logs + further.incomplete_logs);
        report.figures = report.figures.since(began);
        let has_more = core.has_more || further.has_more || !room.take(count(&core) + count(&further));
        BuiltinEvents { core: events(core), further: events(further), report, has_more }
    }
}

/// Marks the report as partial if logs could not be decoded; other failed reads are ignored.
fn note_unread(report: &mut JobReport, logs: usize) {
    let reason = report.reason.take().unwrap_or(Reason::Upstream);
    if logs > 0 {
        report.mark_partial(reason, &format!("{logs} logs: a view that decodes them could not be read"));
    }
}

fn count(decoded: &Decoded) -> u64 {
    u64::try_from(decoded.events.len()).unwrap_or(u64::MAX)
}

fn events(decoded: Decoded) -> Vec<Event> {
    decoded.events.into_iter().map(|(event, _)| event).collect()
}

/// Returns the contracts that logs identify as tokens.
fn tokens(transaction: &Transaction, network: &Network) -> BTreeSet<Address> {
    let shows = |topics: &[B256]| topics.first().is_some_and(|topic| TOKEN_TOPICS.contains(topic));
    let is_token = |topics: &[B256]| topics.len() <= ERC20_TOPICS_MAX && shows(topics);
    let shown = transaction.logs.iter();
    let shown = shown.filter(|log| is_token(&log.topics) || network.wrapped_native == Some(log.address));
    shown.map(|log| log.address).collect()
}

fn read(call: ViewCall) -> Read {
    Read::call(call.to, call.data).fresh(Freshness::Within(VIEWS_FRESH_S))
}

fn result(reply: Reply) -> ViewResult {
    match reply.outcome {
        Outcome::Ok(bytes) => ViewResult::Returned(bytes),
        Outcome::Reverted(_) | Outcome::NoCode | Outcome::GasCap => ViewResult::Reverted,
        Outcome::Failed(_) | Outcome::OverBudget | Outcome::Unsupported => ViewResult::ReadFailed,
    }
}
