//! Fact lists that a job reads, and those among them that it may extend.
//!
//! Invariant: a job changes no list of another protocol, network or market. Walks have a budget of their own. A list
//! is the plugin's data, so no claim may go to an address only because a list contains it.

use std::collections::BTreeMap;
use std::time::Instant;

use alloy::primitives::Bytes;
use portolan_abi::codec;
use portolan_abi::limits::{Allowance, FACT_KEY_BYTES_MAX, FACT_LISTS_MAX};
use portolan_plugins::fact_lists::{FactLease, FactListName, FactPut, OpenedFacts};
use portolan_reader::{Outcome, Reply, Session};

use super::frames::FactEntries;
use crate::jobs::plan::JobPlan;

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
    pub(super) fn put(&mut self, facts: &[FactEntries]) {
        for FactEntries { list, from, total, entries } in facts {
            let Some(open) = self.lists.get_mut(list) else { continue };
            let Some(lease) = &open.lease else { continue };
            let (Ok(from), Ok(total)) = (usize::try_from(*from), usize::try_from(*total)) else { continue };
            open.is_short = !lease.put(FactPut { from, total, entries, block: self.block }, Instant::now());
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
