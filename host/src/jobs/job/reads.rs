//! Open reads of a job: opened when its plugin requests them, then answered from the cache or fetched.
//!
//! Invariant: a read is open until its one reply, and replies go to the plugin in the order of its requests.

use std::collections::BTreeMap;
use std::pin::pin;

use alloy::primitives::Address;
use futures_util::future::{Either, join, join_all, select};
use metrics::counter;
use portolan_abi::capability;
use portolan_abi::row::{source, status};
use portolan_reader::{Freshness, Outcome, Participant, Read, ReadFailure, ReadSet, Reply, Session};
use tokio::time::Instant;

use super::document_reads::PreparedRead;
use super::frames::{FrameReply, RequestedRead};
use super::{Driver, over_limit};
use crate::jobs::failure::{Failure, Reason};

/// Minimum freshness, in seconds, of a read that is a fact of a protocol; reads about an account are always fresher.
const FACT_STANDS_S: u32 = 300;

/// A read that a job waits for.
pub(super) enum OpenRead {
    /// A reply that goes to the plugin when it is resumed.
    Answered(FrameReply),
    /// A read of the job's own network.
    Own(Read),
    /// A read of the job's own network that walks a fact list.
    Walk(Read),
    /// A read of another network.
    Guest(u64, Read),
    /// A document of a server.
    Document(PreparedRead),
}

impl OpenRead {
    pub(super) fn is_answered(&self) -> bool {
        matches!(self, Self::Answered(_))
    }

    /// Number of bytes of its reply; 0 while it is unanswered.
    pub(super) fn reply_bytes(&self) -> usize {
        if let Self::Answered(reply) = self { reply.bytes.len() } else { 0 }
    }

    /// Returns the read if it is an unanswered one of the job's own network.
    fn own(&self) -> Option<&Read> {
        if let Self::Own(read) = self { Some(read) } else { None }
    }
}

/// What a job uses the replies to a row of reads for.
#[derive(Clone, Copy)]
struct ReplyUse {
    is_traced: bool,
    /// Findings may rest on them.
    rests: bool,
    /// They give addresses once their contract is known.
    gives: bool,
}

impl From<Reply> for OpenRead {
    fn from(reply: Reply) -> Self {
        Self::Answered(reply.into())
    }
}

impl Driver<'_> {
    /// Opens the reads of a step. Those that need no fetching get their replies at once.
    pub(super) fn open(&mut self, participant: &Participant, own: &Session, requested: Vec<RequestedRead>) {
        let may_walk = self.facts.may_walk();
        let own_chain = own.chain_id();
        let first = self.open.len();
        self.open.reserve(requested.len());
        for requested in requested {
            let is_walk = may_walk
                && matches!(requested, RequestedRead::Chain { chain_id, is_walk: true, .. } if chain_id == own_chain);
            let opened = match requested {
                RequestedRead::Unsupported => Reply::fresh(Outcome::Unsupported).into(),
                RequestedRead::Chain { read, .. } if is_walk && self.facts.take_read(&mut self.allowance) => {
                    // Cached facts of an earlier block, or what another gateway read, must not enter a list.
                    OpenRead::Walk(read.fresh(Freshness::Proven))
                }
                _ if is_walk || !self.allowance.take_read() => self.over_budget().into(),
                RequestedRead::Chain { chain_id, read, function, .. } => {
                    if let Some(trace) = &mut self.trace {
                        trace.name(&read, function);
                    }
                    self.networks.insert(chain_id);
                    let is_renewed = self.plan.renews_zeros && matches!(read.freshness, Freshness::ZeroWithin(_));
                    let read = if is_renewed { read.fresh(Freshness::ZeroWithin(0)) } else { read };
                    if chain_id == own_chain { OpenRead::Own(read) } else { OpenRead::Guest(chain_id, read) }
                }
                RequestedRead::FactList { chain_id, list } if chain_id == own_chain => {
                    self.facts.open(&list, &self.allowance, own).into()
                }
                RequestedRead::FactList { .. } => Reply::fresh(Outcome::Unsupported).into(),
                RequestedRead::Document(url) => match self.documents.prepare(&url) {
                    Ok(read) => OpenRead::Document(read),
                    Err(reply) => OpenRead::Answered(reply),
                },
            };
            self.open.push(opened);
        }
        self.answer_known(first, participant, own);
    }

    /// Answers the reads from this index on from the cache, if they are the same for every account.
    fn answer_known(&mut self, first: usize, participant: &Participant, own: &Session) {
        let opened = self.open.iter().enumerate().skip(first);
        let own_reads = opened.filter_map(|(place, read)| Some((place, read.own()?)));
        if !own.take_reads(own_reads.clone().count()) {
            let places: Vec<usize> = own_reads.map(|(place, _)| place).collect();
            for place in places {
                self.open[place] = self.account_for(Reply::fresh(Outcome::Failed(ReadFailure::OverBudget))).into();
            }
            return;
        }
        let (mut places, mut reads) = (Vec::new(), ReadSet::new());
        for (place, read) in own_reads.filter(|(_, read)| is_of_everybody(read)) {
            places.push(place);
            reads.push(read.clone());
        }
        let mut hits = participant.peek(reads.clone()).into_hits().into_iter().peekable();
        for (of_row, like) in reads.rows() {
            let usage = self.reply_use(like);
            while let Some((hit, reply)) = hits.next_if(|(hit, _)| *hit < of_row.end) {
                let (Some(place), [to]) = (places.get(hit), reads.targets(hit..hit + 1)) else { continue };
                self.code.note(*to, &reply);
                self.open[*place] = OpenRead::Answered(self.take(usage, *to, like, reply));
            }
        }
    }

    /// Returns the replies to all open reads. While some replies are available and the plugin accepts the rest as
    /// pending, the job continues with those; otherwise the rest is fetched.
    pub(super) async fn replies(
        &mut self,
        participant: &Participant,
        own: &Session,
    ) -> Result<Vec<FrameReply>, Failure> {
        let answered = self.open.iter().filter(|read| read.is_answered()).count();
        let takes_some = self.plan.instance.capabilities & capability::PENDING_REPLIES != 0;
        let runs_on = answered == self.open.len() || (answered > 0 && takes_some);
        if !(runs_on && self.allowance.take_known_step()) {
            self.fetch_recorded(participant, own).await?;
        }
        if let Some(failure) = self.documents.failure() {
            self.missing.get_or_insert(failure.reason);
        }
        let mut open = Vec::new();
        let replies = std::mem::take(&mut self.open).into_iter().map(|read| match read {
            OpenRead::Answered(reply) => reply,
            other => {
                open.push(other);
                FrameReply::pending()
            }
        });
        let replies: Vec<FrameReply> = replies.collect();
        self.open = open;
        self.count(&replies);
        if let Some(recording) = &mut self.recording {
            recording.take(&replies);
        }
        Ok(replies)
    }

    /// Makes all open reads, and records the batch if the job is recorded.
    async fn fetch_recorded(&mut self, participant: &Participant, own: &Session) -> Result<(), Failure> {
        if self.recording.is_none() {
            return self.fetch(participant, own).await;
        }
        let (began, was_answered) = (Instant::now(), self.open.iter().map(OpenRead::is_answered).collect::<Vec<_>>());
        self.fetch(participant, own).await?;
        if let Some(recording) = &mut self.recording {
            recording.batch(began, &was_answered, &self.open);
        }
        Ok(())
    }

    /// Makes all open reads. Each gets a reply, even if it is only that the read was not made.
    async fn fetch(&mut self, participant: &Participant, own: &Session) -> Result<(), Failure> {
        let (mut walks, mut by_network, mut off_chain) =
            (Vec::new(), BTreeMap::<u64, Vec<(usize, Read)>>::new(), Vec::new());
        let count = self.open.len();
        let mut answered = vec![None; count];
        let (mut own_places, mut own_reads) = (Vec::with_capacity(count), ReadSet::with_capacity(count));
        for (place, read) in std::mem::take(&mut self.open).into_iter().enumerate() {
            match read {
                OpenRead::Answered(reply) => answered[place] = Some(reply),
                OpenRead::Own(read) => {
                    own_places.push(place);
                    own_reads.push(read);
                }
                OpenRead::Walk(read) => walks.push((place, read)),
                OpenRead::Guest(chain_id, read) => by_network.entry(chain_id).or_default().push((place, read)),
                OpenRead::Document(read) => off_chain.push((place, read)),
            }
        }
        let is_walk = walks.len() == count;
        let taken = if is_walk { self.allowance.take_walk_step() } else { self.allowance.take_step() };
        taken.map_err(over_limit)?;
        self.stats.batches += u32::from(own_reads.len() + by_network.len() + off_chain.len() > 0);
        self.take_views();
        // They were taken from the budget when they were opened.
        let mut lookup = own.peek(own_reads.clone());
        // Cached replies that these reads rest on are repeated in the same batch. They are in the budget already.
        let recheck = self.trusted.mentioned_by(lookup.misses());
        lookup.append(own.peek(self.trusted.reads(&recheck).into()));
        let before_walk = lookup.len();
        // Walks do not use the answer's budget of reads, because later answers do without them. Their requests do.
        let (walk_places, walk_reads): (Vec<_>, Vec<_>) = walks.into_iter().unzip();
        lookup.append(own.peek(walk_reads.into()));
        let guests = by_network.into_iter().map(|(chain_id, group)| self.read_as_guest(chain_id, group));
        let made = join_all(off_chain.iter().map(|(_, read)| self.documents.make(read, self.deadline)));
        let chains = join(participant.complete(lookup), join_all(guests));
        let ((mut fetched, of_guests), documents) = join_aside(participant, chains, made, off_chain.is_empty()).await;
        let walked = fetched.split_off(before_walk);
        let rechecked = fetched.split_off(own_places.len());
        self.confirm(own, &recheck, &rechecked)?;
        let mut fetched = fetched.into_iter();
        for (of_row, like) in own_reads.rows() {
            let usage = self.reply_use(like);
            let targets = own_reads.targets(of_row.clone()).iter();
            for ((to, place), reply) in targets.zip(&own_places[of_row]).zip(fetched.by_ref()) {
                self.code.note(*to, &reply);
                answered[*place] = Some(self.take(usage, *to, like, reply));
            }
        }
        self.take_views();
        // Views that are still left are of contracts that no reply gave.
        self.views.clear();
        for (place, reply) in walk_places.into_iter().zip(walked) {
            answered[place] = Some(self.account_for_walk(reply).into());
        }
        for (place, reply) in of_guests.into_iter().flatten() {
            answered[place] = Some(self.account_for(reply).into());
        }
        for ((place, read), document) in off_chain.into_iter().zip(documents) {
            let reply = self.documents.take(read, document);
            let has_room = self.allowance.take_bytes(reply.bytes.len());
            answered[place] = Some(if has_room { reply } else { self.over_budget().into() });
        }
        let unmade = || Reply::fresh(Outcome::Unsupported).into();
        self.open = answered.into_iter().map(|reply| OpenRead::Answered(reply.unwrap_or_else(unmade))).collect();
        Ok(())
    }

    /// Returns what the replies to a row of reads are used for.
    fn reply_use(&self, like: &Read) -> ReplyUse {
        let rests = self.findings_rest_on(like);
        ReplyUse { is_traced: self.trace.is_some(), rests, gives: rests && self.trusted.may_give(like) }
    }

    /// Counts the reply to a read of the job's own network, which differs from `like` at most in its target, and records
    /// what findings may rest on.
    fn take(&mut self, usage: ReplyUse, to: Address, like: &Read, reply: Reply) -> FrameReply {
        let reply = self.account_for(reply);
        if usage.is_traced || usage.rests {
            let read = Read { to, ..like.clone() };
            if let Some(trace) = &mut self.trace {
                trace.take(&read, &reply);
            }
            if usage.rests {
                self.note(&read, &reply);
            }
            self.views.extend(usage.gives.then(|| (read, reply.clone())));
        }
        reply.into()
    }

    /// Takes the addresses that views of known contracts returned.
    pub(super) fn take_views(&mut self) {
        let views = std::mem::take(&mut self.views);
        self.views = self.trusted.take(views);
    }

    async fn read_as_guest(&self, chain_id: u64, group: Vec<(usize, Read)>) -> Vec<(usize, Reply)> {
        let (places, reads): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        let replies = match self.sessions.get(&chain_id) {
            Some(Ok(session)) => session.read_as_guest(reads).await,
            Some(Err(_)) | None => vec![Reply::fresh(Outcome::Unsupported); reads.len()],
        };
        places.into_iter().zip(replies).collect()
    }

    /// Counts a reply's bytes, and records the reason if it is missing.
    fn account_for(&mut self, reply: Reply) -> Reply {
        match &reply.outcome {
            Outcome::Failed(failure) => {
                self.missing.get_or_insert(Reason::from(*failure));
            }
            Outcome::Ok(bytes) | Outcome::Reverted(bytes) => {
                if !self.allowance.take_bytes(bytes.len()) {
                    return self.over_budget();
                }
            }
            Outcome::NoCode | Outcome::GasCap | Outcome::OverBudget | Outcome::Unsupported => {}
        }
        reply
    }

    fn account_for_walk(&mut self, reply: Reply) -> Reply {
        match &reply.outcome {
            Outcome::Failed(failure) => {
                self.missing.get_or_insert(Reason::from(*failure));
            }
            Outcome::Ok(bytes) | Outcome::Reverted(bytes) if !self.allowance.take_walk_bytes(bytes.len()) => {
                return self.over_budget();
            }
            _ => {}
        }
        reply
    }

    fn over_budget(&mut self) -> Reply {
        self.missing.get_or_insert(Reason::OverBudget);
        Reply::fresh(Outcome::OverBudget)
    }

    fn count(&self, replies: &[FrameReply]) {
        let network = &self.plan.network.slug;
        let (mut cached, mut fetched) = (0, 0);
        for reply in replies.iter().filter(|reply| reply.status != status::PENDING) {
            cached += u64::from(reply.source == source::CACHE);
            fetched += u64::from(reply.source == source::CHAIN);
        }
        for (place, count) in [("cache", cached), ("node", fetched)] {
            counter!("portolan_replies_total", "network" => network.clone(), "from" => place).increment(count);
        }
    }
}

/// Returns true if the reply is a fact of a protocol, the same for every account. A job may continue early with such
/// replies; with others, its timing would reveal what other clients requested about an account.
fn is_of_everybody(read: &Read) -> bool {
    match read.freshness {
        Freshness::Immutable => true,
        Freshness::Within(seconds) => seconds >= FACT_STANDS_S,
        Freshness::Pinned | Freshness::Proven | Freshness::ZeroWithin(_) => false,
    }
}

/// Awaits both futures. No batch waits for the participant while only the second is pending.
async fn join_aside<A, B>(
    participant: &Participant,
    reads: impl Future<Output = A>,
    aside: impl Future<Output = B>,
    is_nothing: bool,
) -> (A, B) {
    if is_nothing {
        return join(reads, aside).await;
    }
    match select(pin!(reads), pin!(aside)).await {
        Either::Left((replies, aside)) => (replies, participant.suspend(aside).await),
        Either::Right((output, reads)) => (reads.await, output),
    }
}
