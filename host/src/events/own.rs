//! What the host tells by its own tables, as a participant of the batches that plugins' jobs share.
//!
//! With the first views leave the questions about tokens, as far as the logs show them: so that what shows them is there
//! when everything is told. Invariant: at most [`STEPS_MAX`] steps, each with reads that no earlier one had.

use std::collections::BTreeSet;

use alloy::primitives::{Address, B256, b256};
use portolan_events::{Decoded, Decoding, Event, Transaction, ViewCall, ViewResult};
use portolan_reader::{Freshness, Outcome, Participant, Read, Reply};
use tokio::time::Instant;

use super::{SUBJECT, Tables};
use crate::assets::metadata;
use crate::assets::token::At;
use crate::gateway::answer::JobReport;
use crate::gateway::report;
use crate::jobs::failure::Reason;
use crate::network::Network;

/// Steps with reads; the deepest row takes two, a pair of pairs three.
const STEPS_MAX: u32 = 8;
/// Seconds that a view may stand: what rows ask never changes, but that a contract has no such view is kept only of a
/// slow fact.
const VIEWS_STAND_S: u32 = 86_400;
/// `Transfer(address,address,uint256)` and `Approval(address,address,uint256)`. With a fourth topic they are of ERC-721,
/// whose contracts are not shown as tokens.
const OF_TOKENS: [B256; 2] = [
    b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"),
    b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"),
];
const ERC20_TOPICS_MAX: usize = 3;

/// The host among the tellers.
pub(super) struct Own<'a> {
    tables: &'a Tables,
    transaction: &'a Transaction,
    participant: Participant,
}

/// What it told.
pub(super) struct Told {
    pub(super) core: Vec<Event>,
    pub(super) further: Vec<Event>,
    pub(super) report: JobReport,
}

impl<'a> Own<'a> {
    pub(super) fn new(tables: &'a Tables, transaction: &'a Transaction, participant: Participant) -> Self {
        Self { tables, transaction, participant }
    }

    /// Never fails: what could not be read stands in the report.
    pub(super) async fn tell(self, at: At<'_>) -> Told {
        let (Self { tables, transaction, participant }, network, began) = (self, at.network, Instant::now());
        let on = portolan_events::Network { chain_id: network.chain_id, wrapped_native: network.wrapped_native };
        let mut core = Decoding::new(&tables.core, transaction, on);
        let mut further = Decoding::new(&tables.further, transaction, on);
        let (tokens, mut asked_of) = (tokens(transaction, network), BTreeSet::new());
        let mut report = JobReport::blank(SUBJECT, network);
        for _ in 0..STEPS_MAX {
            let (by_core, by_further) = (core.next_calls(), further.next_calls());
            let (of_core, of_further) = (by_core.len(), by_further.len());
            let mut reads: Vec<Read> = by_core.into_iter().chain(by_further).map(read).collect();
            reads.extend(metadata::missing_reads(at, &tokens, &mut asked_of));
            if reads.is_empty() {
                break;
            }
            report.reads = report.reads.saturating_add(u32::try_from(reads.len()).unwrap_or(u32::MAX));
            let mut replies = participant.read(reads).await;
            report.waves += u32::from(replies.iter().any(|reply| !reply.cached));
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
        report.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Told { core: events(core), further: events(further), report }
    }
}

/// Only what a row would have needed is missing.
fn note_unread(report: &mut JobReport, logs: usize) {
    let reason = report.reason.take().unwrap_or(Reason::Upstream);
    if logs > 0 {
        report::lose(report, reason, &format!("{logs} logs: a view that tells them could not be read"));
    }
}

fn events(decoded: Decoded) -> Vec<Event> {
    decoded.events.into_iter().map(|(event, _)| event).collect()
}

/// The contracts that logs show to be tokens.
fn tokens(transaction: &Transaction, network: &Network) -> BTreeSet<Address> {
    let shows = |topics: &[B256]| topics.first().is_some_and(|topic| OF_TOKENS.contains(topic));
    let is_token = |topics: &[B256]| topics.len() <= ERC20_TOPICS_MAX && shows(topics);
    let shown = transaction.logs.iter();
    let shown = shown.filter(|log| is_token(&log.topics) || network.wrapped_native == Some(log.address));
    shown.map(|log| log.address).collect()
}

fn read(call: ViewCall) -> Read {
    Read::call(call.to, call.data).fresh(Freshness::Within(VIEWS_STAND_S))
}

fn result(reply: Reply) -> ViewResult {
    match reply.outcome {
        Outcome::Ok(bytes) => ViewResult::Returned(bytes),
        Outcome::Reverted(_) | Outcome::NoCode | Outcome::GasCap => ViewResult::Reverted,
        Outcome::Failed(_) | Outcome::OverBudget | Outcome::Unsupported => ViewResult::ReadFailed,
    }
}
