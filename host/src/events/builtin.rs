//! Decodes a transaction by the host's own tables. It participates in the batches that plugins' jobs share.
//!
//! The metadata of tokens that the logs name is read together with the first views, so that it is in the cache after
//! decoding. Invariant: there are at most [`STEPS_MAX`] steps, and no read is repeated.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, B256, b256};
use portolan_assets::metadata;
use portolan_base::network::Network;
use portolan_events::{Decoded, Decoding, Event, Transaction, ViewCall, ViewResult};
use portolan_reader::{Freshness, Meter, Outcome, Participant, Read, ReadFailure, Reply, Session};

use super::tables::Tables;

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
    /// Number of steps with reads, tokens' included.
    pub(crate) batches: u32,
    pub(crate) reads: u32,
    /// Logs that could not be decoded: why, and a clause about them.
    pub(crate) unread: Option<(ReadFailure, String)>,
    /// True if there are more events than the answer's budget allows.
    pub(crate) has_more: bool,
}

impl<'a> BuiltinDecoder<'a> {
    pub(crate) fn new(tables: &'a Tables, transaction: &'a Transaction, participant: Participant) -> Self {
        Self { tables, transaction, participant }
    }

    /// Decodes the transaction. Never fails: failed reads are in `unread`. Events are taken from `room`.
    pub(crate) async fn decode(self, session: &Session, network: &Arc<Network>, room: &Meter) -> BuiltinEvents {
        let Self { tables, transaction, participant } = self;
        let on = portolan_events::Network { chain_id: network.chain_id, wrapped_native: network.wrapped_native };
        let events_max = usize::try_from(room.max()).unwrap_or(usize::MAX);
        let mut core = Decoding::new(&tables.core, transaction, on).at_most(events_max);
        let mut further = Decoding::new(&tables.further, transaction, on).at_most(events_max);
        let (tokens, mut requested) = (tokens(transaction, network), BTreeSet::new());
        let (mut reads, mut batches, mut views_steps) = (0_u32, 0, 0);
        let mut first_failure = None;
        for _ in 0..STEPS_MAX {
            let (by_core, by_further) = (core.next_calls(), further.next_calls());
            let (of_core, of_further) = (by_core.len(), by_further.len());
            let mut lookup = session.look_up(by_core.into_iter().chain(by_further).map(read).collect());
            views_steps += u32::from(!lookup.is_empty());
            let of_tokens = metadata::missing_reads(session, network, &tokens, &mut requested);
            reads = reads.saturating_add(u32::try_from(lookup.len() + of_tokens.reads).unwrap_or(u32::MAX));
            batches = views_steps.max(of_tokens.levels).max(batches);
            lookup.append(of_tokens.missing);
            if lookup.is_empty() {
                break;
            }
            let mut replies = participant.complete(lookup).await;
            replies.truncate(of_core + of_further);
            let failed = replies.iter().find_map(|reply| match &reply.outcome {
                Outcome::Failed(failure) => Some(*failure),
                _ => None,
            });
            first_failure = first_failure.or(failed);
            let mut results = replies.into_iter().map(result);
            core.record(results.by_ref().take(of_core).collect());
            further.record(results.collect());
        }
        let (core, further) = (core.finish(), further.finish());
        let unread = unread(first_failure, core.incomplete_logs + further.incomplete_logs);
        let has_more = core.has_more || further.has_more || !room.take(count(&core) + count(&further));
        BuiltinEvents { core: events(core), further: events(further), batches, reads, unread, has_more }
    }
}

/// Describes logs that could not be decoded; other failed reads are ignored.
fn unread(first_failure: Option<ReadFailure>, logs: usize) -> Option<(ReadFailure, String)> {
    let text = || format!("{logs} logs: a view that decodes them could not be read");
    (logs > 0).then(|| (first_failure.unwrap_or(ReadFailure::Upstream), text()))
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
