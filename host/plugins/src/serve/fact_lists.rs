//! Fact lists: entries that a plugin's jobs derived from contract lists that only grow, stored for its later jobs to
//! continue from.
//!
//! Invariant: a list belongs to one instance, network, protocol and market, and one job at a time changes it. Each
//! list, the lists of an instance and all lists together are bounded. Wrong entries do not persist: entries are read
//! again after `CONFIRM_AFTER`, then after each `RECHECK_AFTER`. A list is dropped if a reread contradicts it, or
//! if some of its entries were not reread within `DROP_AFTER`. Entries that another gateway read are as those of an own
//! job, until any list of the instance is contradicted.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use portolan_abi::limits::{FACT_ENTRIES_MAX, FACT_LIST_BYTES_MAX};
use portolan_abi::{fact_entries, map};
use serde::Serialize;

/// Maximum bytes of one instance's lists. An instance that needs more loses its own lists first.
const INSTANCE_BYTES_MAX: usize = 64 << 20;
/// Maximum number of lists of one instance; the least recently used is dropped.
const LISTS_MAX: usize = 64;
/// Maximum number of one instance's lists at blocks that clients named. They never displace lists that still grow.
const PAST_LISTS_MAX: usize = 8;
/// Reads per hour that the jobs of one instance may make to walk lists: 50,000 gauges of two reads on five networks.
const WALK_READS_PER_HOUR: u32 = 500_000;
/// Reads per hour to walk lists at blocks that clients named.
const PAST_WALK_READS_PER_HOUR: u32 = 100_000;
const HOUR: Duration = Duration::from_secs(3_600);
/// Age at which entries that were read once are read again: their block may have been reorganised away, or a node may
/// have returned wrong data.
const CONFIRM_AFTER: Duration = Duration::from_secs(30 * 60);
/// Age at which confirmed entries are read again.
const RECHECK_AFTER: Duration = Duration::from_secs(6 * 3_600);
/// Maximum age of an entry.
const DROP_AFTER: Duration = Duration::from_secs(24 * 3_600);
/// Size of a list or a chunk without its entries.
const OVERHEAD_BYTES: usize = 500;

/// The lists of all plugins; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct FactStore(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    /// Maximum bytes of all lists.
    bytes_max: usize,
    lists: HashMap<(u64, FactListName), FactChunks>,
    bytes: usize,
    /// Source of ids for instances and leases, and of use counts.
    count: u64,
}

/// The lists of one instance; dropped with it.
#[derive(Debug)]
pub struct FactLists {
    store: FactStore,
    instance: u64,
    window: Mutex<Window>,
    past_window: Mutex<Window>,
    /// True once a reread or a node contradicted an entry: nothing of other gateways is taken any more.
    is_contradicted: AtomicBool,
}

/// Reads of walks within the current hour.
#[derive(Clone, Copy, Debug)]
struct Window {
    since: Instant,
    reads: u32,
}

/// Identifies a list of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FactListName {
    /// The network's slug.
    pub network: String,
    pub protocol: String,
    pub market: String,
    pub key: String,
    /// The block that a client named, which has a list of its own; `None` for a list that grows.
    pub block: Option<u64>,
}

#[derive(Debug, Default)]
struct FactChunks {
    chunks: Vec<Chunk>,
    entries: usize,
    bytes: usize,
    /// Length of the contract's list when a job last read it.
    total: usize,
    used: u64,
    /// Id of the lease of the job that may change it.
    lease: Option<u64>,
}

/// Entries that were read together.
#[derive(Debug)]
struct Chunk {
    from: usize,
    count: usize,
    entries: Vec<u8>,
    block: u64,
    read_at: Instant,
    is_confirmed: bool,
}

/// A row of a plugin's `lists` in `/plugins`. The serialized names are stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FactListStatus {
    protocol: String,
    network: String,
    market: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<u64>,
    pub(crate) entries: usize,
    bytes: usize,
    pub(crate) complete: bool,
    /// Seconds since the oldest entries were read.
    age_s: u64,
}

/// A list as opened by a job.
#[derive(Debug, Default)]
pub struct OpenedFacts {
    pub known: map::FactList,
    pub is_complete: bool,
    pub lease: Option<FactLease>,
}

/// The right of one job to change a list; ends when dropped.
#[derive(Debug)]
pub struct FactLease {
    lists: Arc<FactLists>,
    name: FactListName,
    id: u64,
}

impl FactStore {
    /// An empty store with room for so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self(Arc::new(Mutex::new(Inner { bytes_max, lists: HashMap::new(), bytes: 0, count: 0 })))
    }

    /// Creates the lists of a new instance.
    pub(crate) fn instance(&self) -> Arc<FactLists> {
        let window = || Mutex::new(Window { since: Instant::now(), reads: 0 });
        let (window, past_window) = (window(), window());
        let (instance, is_contradicted) = (self.0.lock().next(), AtomicBool::default());
        Arc::new(FactLists { store: self.clone(), instance, window, past_window, is_contradicted })
    }
}

impl FactLists {
    /// Opens a list: returns its entries, whether it was complete after the last walk, and a lease. There is no lease
    /// if another job has it, or if no walk is allowed now.
    pub fn open(self: &Arc<Self>, name: FactListName, now: Instant) -> OpenedFacts {
        let is_past = name.block.is_some();
        let reads = self.walk_reads_left(is_past, now);
        let key = (self.instance, name);
        let mut inner = self.store.0.lock();
        if inner.lists.get(&key).is_some_and(|list| list.is_expired(now)) {
            inner.drop_entries(&key);
        }
        if !inner.lists.contains_key(&key) && !inner.make_room_for_list(self.instance, is_past) {
            return OpenedFacts::default();
        }
        let (used, id) = (inner.next(), inner.next());
        let list = inner.lists.entry(key.clone()).or_default();
        list.used = used;
        let may_walk = list.lease.is_none() && reads > 0;
        if may_walk {
            list.lease = Some(id);
        }
        let known = list.known(may_walk, reads, now);
        let is_complete = !list.chunks.is_empty() && list.is_complete();
        drop(inner);
        let lease = may_walk.then(|| FactLease { lists: Arc::clone(self), name: key.1, id });
        OpenedFacts { known, is_complete, lease }
    }

    /// Returns true if nothing of a list is known, so that it may begin with what another gateway read.
    pub fn is_unknown(&self, name: &FactListName) -> bool {
        let inner = self.store.0.lock();
        let is_new = inner.lists.get(&(self.instance, name.clone())).is_none_or(FactChunks::is_unused);
        is_new && name.block.is_none() && !self.is_contradicted.load(Ordering::Relaxed)
    }

    /// Begins a list of which nothing is known with parts that another gateway read, each with its age, in order. Parts
    /// from a gap on are left out.
    pub fn begin_with(&self, name: FactListName, parts: &[(FactPut<'_>, Duration)], now: Instant) {
        let key = (self.instance, name);
        let mut inner = self.store.0.lock();
        let is_new = inner.lists.get(&key).is_none_or(FactChunks::is_unused);
        if !is_new || !inner.lists.contains_key(&key) && !inner.make_room_for_list(self.instance, false) {
            return;
        }
        let used = inner.next();
        inner.lists.entry(key.clone()).or_default().used = used;
        for (part, age) in parts {
            let known = inner.lists.get(&key).map_or(0, |list| list.entries);
            let count = fact_entries::entries(part.entries).map_or(0, |entries| entries.len());
            if count == 0 || part.from != known {
                break;
            }
            inner.append(&key, count, *part, now.checked_sub(*age).unwrap_or(now));
            if let Some(list) = inner.lists.get_mut(&key) {
                list.total = list.total.max(part.total);
            }
        }
        if inner.lists.get(&key).is_some_and(FactChunks::is_unused) {
            inner.lists.remove(&key);
        }
    }

    /// Counts a read that walks a list; returns false if the hour's reads are used up.
    pub fn take_walk_read(&self, is_past: bool, now: Instant) -> bool {
        let is_left = self.walk_reads_left(is_past, now) > 0;
        self.window(is_past).0.lock().reads += u32::from(is_left);
        is_left
    }

    /// The window for this kind of list, and its maximum number of reads.
    fn window(&self, is_past: bool) -> (&Mutex<Window>, u32) {
        match is_past {
            true => (&self.past_window, PAST_WALK_READS_PER_HOUR),
            false => (&self.window, WALK_READS_PER_HOUR),
        }
    }

    fn walk_reads_left(&self, is_past: bool, now: Instant) -> u32 {
        let (window, reads_max) = self.window(is_past);
        let mut window = window.lock();
        if now.saturating_duration_since(window.since) >= HOUR {
            *window = Window { since: now, reads: 0 };
        }
        reads_max.saturating_sub(window.reads)
    }

    /// Drops all lists of a network, on which a node returned wrong data.
    pub fn drop_network(&self, network: &str) {
        self.is_contradicted.store(true, Ordering::Relaxed);
        self.store.0.lock().drop_where(|instance, name| instance == self.instance && name.network == network);
    }

    /// The rows of all lists, ordered by name.
    pub fn status(&self, now: Instant) -> Vec<FactListStatus> {
        let inner = self.store.0.lock();
        let own = inner.lists.iter().filter(|((instance, _), _)| *instance == self.instance);
        let mut rows: Vec<_> = own.map(|((_, name), list)| (name.clone(), list.status(name, now))).collect();
        drop(inner);
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

impl Drop for FactLists {
    fn drop(&mut self) {
        self.store.0.lock().drop_where(|instance, _| instance == self.instance);
    }
}

impl FactLease {
    /// Takes entries of a list, starting at `put.from`. Appends them if the list ends there, else compares them with
    /// the known ones. Drops the list if they differ or are empty. Returns true if the list is complete.
    pub fn put(&self, put: FactPut<'_>, now: Instant) -> bool {
        let key = (self.lists.instance, self.name.clone());
        let mut inner = self.lists.store.0.lock();
        let Some(list) = inner.lists.get_mut(&key).filter(|list| list.lease == Some(self.id)) else { return false };
        list.total = put.total;
        match fact_entries::entries(put.entries).map(|entries| entries.len()) {
            Some(count) if count > 0 && put.from == list.entries => inner.append(&key, count, put, now),
            Some(count) if put.from < list.entries => {
                let is_confirmed = count > 0 && list.confirm(count, put, now);
                if !is_confirmed {
                    self.lists.is_contradicted.store(true, Ordering::Relaxed);
                    inner.drop_entries(&key);
                }
            }
            _ => {}
        }
        inner.lists.get(&key).is_some_and(FactChunks::is_complete)
    }

    /// Returns the list's name, and the number of its parts before the one that was read from here on; `None` if no
    /// part begins here.
    pub fn part(&self, from: usize) -> Option<(&FactListName, usize)> {
        let key = (self.lists.instance, self.name.clone());
        let inner = self.lists.store.0.lock();
        let chunks = &inner.lists.get(&key)?.chunks;
        Some((&self.name, chunks.iter().position(|chunk| chunk.from == from)?))
    }
}

/// Entries that a job adds or rereads.
#[derive(Clone, Copy, Debug)]
pub struct FactPut<'a> {
    pub from: usize,
    /// Length of the contract's list at this block.
    pub total: usize,
    pub entries: &'a [u8],
    /// Height of the block that the entries were read at.
    pub block: u64,
}

impl Drop for FactLease {
    fn drop(&mut self) {
        let key = (self.lists.instance, self.name.clone());
        let mut inner = self.lists.store.0.lock();
        let Some(list) = inner.lists.get_mut(&key).filter(|list| list.lease == Some(self.id)) else { return };
        list.lease = None;
        if list.chunks.is_empty() {
            inner.lists.remove(&key);
        }
    }
}

impl Inner {
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn append(&mut self, key: &(u64, FactListName), count: usize, put: FactPut<'_>, now: Instant) {
        let size = OVERHEAD_BYTES + put.entries.len();
        let fits = self.lists.get(key).is_some_and(|list| {
            list.entries + count <= FACT_ENTRIES_MAX && list.bytes + put.entries.len() <= FACT_LIST_BYTES_MAX
        });
        if !fits || !self.make_room(key, size) {
            return;
        }
        let Some(list) = self.lists.get_mut(key) else { return };
        let FactPut { from, entries, block, total: _ } = put;
        list.chunks.push(Chunk { from, count, entries: entries.to_vec(), block, read_at: now, is_confirmed: false });
        list.entries += count;
        list.bytes += entries.len();
        self.bytes += size;
    }

    /// Drops lists without a lease until there is room, the least recently used first.
    fn make_room(&mut self, (instance, name): &(u64, FactListName), bytes: usize) -> bool {
        let (instance, is_past) = (*instance, name.block.is_some());
        let may_drop = |name: &FactListName| !is_past || name.block.is_some();
        while self.bytes_of(instance) + bytes > INSTANCE_BYTES_MAX {
            if !self.drop_oldest(|own, name| own == instance && may_drop(name)) {
                return false;
            }
        }
        while self.bytes + bytes > self.bytes_max {
            if !self.drop_oldest(|_, name| may_drop(name)) {
                return false;
            }
        }
        true
    }

    fn bytes_of(&self, instance: u64) -> usize {
        self.lists.iter().filter(|((own, _), _)| *own == instance).map(|(_, list)| list.size()).sum()
    }

    fn make_room_for_list(&mut self, instance: u64, is_past: bool) -> bool {
        let is_alike = |own: u64, name: &FactListName| own == instance && name.block.is_some() == is_past;
        let count = self.lists.keys().filter(|(own, name)| is_alike(*own, name)).count();
        count < if is_past { PAST_LISTS_MAX } else { LISTS_MAX } || self.drop_oldest(is_alike)
    }

    /// Drops the least recently used list, one at a named block before any other.
    fn drop_oldest(&mut self, is_it: impl Fn(u64, &FactListName) -> bool) -> bool {
        let free = self.lists.iter().filter(|((instance, name), list)| is_it(*instance, name) && list.lease.is_none());
        let oldest = free.min_by_key(|((_, name), list)| (name.block.is_none(), list.used));
        let Some(key) = oldest.map(|(key, _)| key.clone()) else { return false };
        self.drop_entries(&key);
        self.lists.remove(&key);
        true
    }

    /// Drops the entries of a list; the holder of its lease starts again from the beginning.
    fn drop_entries(&mut self, key: &(u64, FactListName)) {
        let Some(list) = self.lists.get_mut(key) else { return };
        self.bytes = self.bytes.saturating_sub(list.size());
        *list = FactChunks { lease: list.lease, used: list.used, total: list.total, ..FactChunks::default() };
    }

    /// Drops lists, with the leases on them.
    fn drop_where(&mut self, is_it: impl Fn(u64, &FactListName) -> bool) {
        let keys: Vec<_> = self.lists.keys().filter(|(instance, name)| is_it(*instance, name)).cloned().collect();
        for key in keys {
            self.drop_entries(&key);
            self.lists.remove(&key);
        }
    }
}

impl FactChunks {
    fn size(&self) -> usize {
        self.bytes + OVERHEAD_BYTES * self.chunks.len()
    }

    fn is_complete(&self) -> bool {
        self.entries >= self.total
    }

    /// Returns true if it has no entries, and no job that reads some.
    fn is_unused(&self) -> bool {
        self.chunks.is_empty() && self.lease.is_none()
    }

    fn is_expired(&self, now: Instant) -> bool {
        self.chunks.iter().any(|chunk| chunk.age(now) > DROP_AFTER)
    }

    fn known(&self, may_walk: bool, reads: u32, now: Instant) -> map::FactList {
        let entries: Vec<u8> = self.chunks.iter().flat_map(|chunk| &chunk.entries).copied().collect();
        let due = self.chunks.iter().filter(|chunk| chunk.is_due(now)).min_by_key(|chunk| chunk.read_at);
        let number = |number| u32::try_from(number).ok();
        map::FactList {
            entries: entries.into(),
            block: self.chunks.iter().map(|chunk| chunk.block).max().unwrap_or_default(),
            may_walk,
            reads,
            again_from: due.and_then(|chunk| number(chunk.from)),
            again_count: due.and_then(|chunk| number(chunk.count)),
        }
    }

    /// Returns true if these entries equal a known chunk, which is then confirmed.
    fn confirm(&mut self, count: usize, put: FactPut<'_>, now: Instant) -> bool {
        let same = |chunk: &&mut Chunk| chunk.from == put.from && chunk.count == count && chunk.entries == put.entries;
        let Some(chunk) = self.chunks.iter_mut().find(same) else { return false };
        (chunk.read_at, chunk.block, chunk.is_confirmed) = (now, chunk.block.max(put.block), true);
        true
    }

    fn status(&self, name: &FactListName, now: Instant) -> FactListStatus {
        let FactListName { network, protocol, market, key, block } = name.clone();
        let age = self.chunks.iter().map(|chunk| chunk.age(now)).max().unwrap_or_default();
        FactListStatus {
            protocol,
            network,
            market,
            key,
            block,
            entries: self.entries,
            bytes: self.bytes,
            complete: self.is_complete(),
            age_s: age.as_secs(),
        }
    }
}

impl Chunk {
    fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.read_at)
    }

    fn is_due(&self, now: Instant) -> bool {
        self.age(now) > if self.is_confirmed { RECHECK_AFTER } else { CONFIRM_AFTER }
    }
}

#[cfg(test)]
mod tests;
