//! Fact lists that a job reads, and those among them that it may extend.
//!
//! Invariant: a job changes no list of another protocol, network or market. Walks have a budget of their own. A list
//! is the plugin's data, so no claim may go to an address only because a list contains it. So a list may begin with what
//! another gateway read with the same build and settings.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use alloy::primitives::Bytes;
use portolan_abi::codec;
use portolan_abi::limits::{Allowance, FACT_KEY_BYTES_MAX, FACT_LISTS_MAX};
use portolan_plugins::fact_lists::{FactLease, FactListName, FactPut, OpenedFacts};
use portolan_reader::{Outcome, Reply, Session};
use sha2::{Digest, Sha256};

use super::frames::{FactEntries, RequestedRead};
use crate::jobs::plan::JobPlan;

/// Maximum parts of a list that are looked up.
const PARTS_MAX: usize = 32;

/// Fact lists of one job.
#[derive(Debug)]
pub(super) struct FactWalk<'a> {
    plan: &'a JobPlan,
    /// Height of the job's block; `is_past` is true if a client named it.
    block: u64,
    is_past: bool,
    lists: BTreeMap<String, OpenList>,
}

#[derive(Debug)]
struct OpenList {
    lease: Option<FactLease>,
    /// True if the rest of the list is to be read later: entries are known, or another job is reading them.
    is_short: bool,
}

impl<'a> FactWalk<'a> {
    pub(super) fn new(plan: &'a JobPlan) -> Self {
        Self { plan, block: 0, is_past: false, lists: BTreeMap::new() }
    }

    /// Takes what another gateway read of lists of which nothing is known here.
    pub(super) async fn take_shared(&mut self, requested: &[RequestedRead], session: &Session) {
        if !session.shares_lists() {
            return;
        }
        (self.block, self.is_past) = (session.block().number, session.is_past());
        for read in requested {
            let RequestedRead::FactList { chain_id, list } = read else { continue };
            let name = self.name(list).filter(|_| *chain_id == session.chain_id());
            let lists = &self.plan.instance.fact_lists;
            let Some(name) = name.filter(|name| lists.is_unknown(name)) else { continue };
            let keys: Vec<Vec<u8>> = (0..PARTS_MAX).map(|part| self.key(&name, part)).collect();
            let found = session.shared_list_parts(&keys).await;
            let parts: Vec<_> = found.iter().filter_map(|(_, part)| decode(part.number, &part.bytes)).collect();
            if !parts.is_empty() {
                lists.begin_with(name, &parts, Instant::now());
            }
        }
    }

    /// Returns the key of a part: all that its entries may depend on.
    fn key(&self, name: &FactListName, part: usize) -> Vec<u8> {
        let instance = &self.plan.instance;
        let digest = instance.digest.as_deref().unwrap_or_default();
        let mut hasher = Sha256::new();
        for part in [digest, &name.network, &name.protocol, &name.market, &name.key, &part.to_string()] {
            hasher.update(part.len().to_be_bytes());
            hasher.update(part);
        }
        hasher.update(&instance.settings);
        hasher.finalize().to_vec()
    }

    /// Returns the known part of a list. A job may open each of its lists once.
    pub(super) fn open(&mut self, list: &str, allowance: &Allowance, session: &Session) -> Reply {
        self.block = session.block().number;
        self.is_past = session.is_past();
        let Some(name) = self.name(list) else { return Reply::fresh(Outcome::Unsupported) };
        if self.lists.len() >= FACT_LISTS_MAX || self.lists.contains_key(list) {
            return Reply::fresh(Outcome::OverBudget);
        }
        let OpenedFacts { mut known, is_complete, lease } = self.plan.instance.fact_lists.open(name, Instant::now());
        known.reads = known.reads.min(allowance.walk_reads_left());
        let is_short = !is_complete && (lease.is_none() || !known.entries.is_empty());
        self.lists.insert(list.to_owned(), OpenList { lease, is_short });
        Reply::fresh(Outcome::Ok(Bytes::from(codec::encode(&known))))
    }

    /// Adds entries to lists for which the job has a lease; others are ignored.
    pub(super) fn put(&mut self, facts: &[FactEntries], session: &Session) {
        for FactEntries { list, from, total, entries } in facts {
            let Some(lease) = self.lists.get(list).and_then(|open| open.lease.as_ref()) else { continue };
            let (Ok(from), Ok(total)) = (usize::try_from(*from), usize::try_from(*total)) else { continue };
            let put = FactPut { from, total, entries, block: self.block };
            let is_complete = lease.put(put, Instant::now());
            if session.shares_lists()
                && !self.is_past
                && let Some((name, part)) = lease.part(from)
            {
                session.share_list_part(&self.key(name, part), &encode(&put));
            }
            if let Some(open) = self.lists.get_mut(list) {
                open.is_short = !is_complete;
            }
        }
    }

    /// Returns true if the job may make reads to walk a list.
    pub(super) fn may_walk(&self) -> bool {
        self.lists.values().any(|open| open.lease.is_some())
    }

    /// Takes one walking read from the budget; false if none is left.
    pub(super) fn take_read(&self, allowance: &mut Allowance) -> bool {
        allowance.take_walk_read() && self.plan.instance.fact_lists.take_walk_read(self.is_past, Instant::now())
    }

    /// Returns true if the job read a list whose rest is to be read later; a list without any entries does not count.
    pub(super) fn is_short(&self) -> bool {
        self.lists.values().any(|open| open.is_short)
    }

    /// Returns the name of the list `market/key`, if the catalogue has the market.
    fn name(&self, list: &str) -> Option<FactListName> {
        let (market, key) = list.rsplit_once('/')?;
        let (network, protocol) = (&self.plan.network, &self.plan.protocol.slug);
        let mut deployments = self.plan.instance.catalogue.deployments.iter();
        let is_own = deployments
            .any(|row| row.market == market && row.protocol == *protocol && row.chain_id == network.chain_id);
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_key = (1..=FACT_KEY_BYTES_MAX).contains(&key.len()) && key.bytes().all(is_letter);
        let (network, market) = (network.slug.clone(), market.to_owned());
        let (protocol, key, block) = (protocol.clone(), key.to_owned(), self.is_past.then_some(self.block));
        (is_own && is_key).then_some(FactListName { network, protocol, market, key, block })
    }
}

/// Encodes `seconds since 1970 (8) | place of the first entry (8) | length of the contract's list (8) | entries`.
fn encode(put: &FactPut<'_>) -> Vec<u8> {
    let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let figures = [now().as_secs(), wide(put.from), wide(put.total)].map(u64::to_be_bytes).concat();
    [&figures, put.entries].concat()
}

/// Decodes a part and its age; `None` if the bytes are none.
fn decode(block: u64, bytes: &[u8]) -> Option<(FactPut<'_>, Duration)> {
    let (read_at_s, rest) = bytes.split_first_chunk()?;
    let (from, rest) = rest.split_first_chunk()?;
    let (total, entries) = rest.split_first_chunk()?;
    let narrow = |number: &[u8; 8]| usize::try_from(u64::from_be_bytes(*number)).ok();
    let put = FactPut { from: narrow(from)?, total: narrow(total)?, entries, block };
    Some((put, now().saturating_sub(Duration::from_secs(u64::from_be_bytes(*read_at_s)))))
}

/// Time since 1970 by the local clock, which may be wrong: entries are then read again sooner, or after half an hour.
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
