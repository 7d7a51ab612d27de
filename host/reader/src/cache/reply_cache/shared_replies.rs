//! Replies at the last blocks that several gateways share through a store.
//!
//! An entry has the replies to a group: the reads of one step that are equally fresh. So an entry costs a look-up no
//! more than a read does, however long its rows are. Invariant: a reply of the store proves nothing to this gateway:
//! it counts as shared, and what a claim rests on is read again. Simulations, whose results say if a claim is safe,
//! are made by each gateway.

mod codec;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use parking_lot::Mutex;
use portolan_store::{Entry, EntryKind, SharedStore};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use tokio::time::Instant;

use self::codec::{decode, decode_gas_price, encode, encode_gas_price};
use crate::cache::read_key;
use crate::reads::read_set::{ReadRef, ReadSet};
use crate::reads::reply_set::ReplySet;
use crate::{Block, Freshness, GasPrice, Kind, Outcome, Read};

/// How long the store holds replies that are good for one block: answers are seldom pinned at an older one.
const PINNED_LIVE: Duration = Duration::from_secs(60);
/// The longest that it holds other replies.
const OTHERS_LIVE_MAX: Duration = Duration::from_secs(600);
/// Bytes of entries of single blocks that are held here, so that equal queries look them up once.
const HELD_MAX_BYTES: u64 = 8 << 20;
/// The usual size of a held entry, with its key.
const HELD_BYTES: u64 = 1 << 10;

/// The replies of a store.
pub(crate) struct SharedReplies {
    store: Arc<SharedStore>,
    held: Cache<B256, Entry, EntryWeight>,
    /// Networks of which nothing is taken until then, by chain id.
    refused: Mutex<BTreeMap<u64, Instant>>,
}

#[derive(Clone)]
struct EntryWeight;

impl Weighter<B256, Entry> for EntryWeight {
    fn weight(&self, _: &B256, entry: &Entry) -> u64 {
        u64::try_from(entry.value.len()).unwrap_or(u64::MAX).saturating_add(200)
    }
}

/// Equally fresh reads of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    key: B256,
    freshness: Freshness,
    /// Their places, rising.
    runs: Vec<Range<usize>>,
}

/// The replies to a group that another gateway read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedGroup {
    pub(crate) group: Group,
    /// Height, hash and timestamp of the block at which they were read.
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) timestamp: u64,
    /// Host and port of the endpoint that gave them.
    pub(crate) endpoint: Arc<str>,
    /// In the order of the places.
    pub(crate) outcomes: Vec<Outcome>,
}

impl Group {
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().cloned().flatten()
    }

    /// Returns the group's part of these reads, in the order of the places.
    pub(super) fn reads(&self, all: &ReadSet) -> ReadSet {
        let mut reads = ReadSet::default();
        for run in &self.runs {
            // A run is a part of one row.
            reads.push_row(all.at(run.start).like, all.targets(run.clone()));
        }
        reads
    }

    /// Moves the places to where they are without those of these hits, of which none is in the group.
    pub(crate) fn without<T>(self, hits: &[(usize, T)]) -> Self {
        let before = |place: usize| hits.partition_point(|(hit, _)| *hit < place);
        let moved = |run: Range<usize>| run.start - before(run.start)..run.end - before(run.start);
        Self { runs: self.runs.into_iter().map(moved).collect(), ..self }
    }

    fn lives(&self) -> Duration {
        match self.freshness {
            Freshness::Within(most_s) | Freshness::ZeroWithin(most_s) => {
                Duration::from_secs(most_s.into()).min(OTHERS_LIVE_MAX)
            }
            _ => PINNED_LIVE,
        }
    }
}

impl SharedReplies {
    pub(super) fn new(store: Arc<SharedStore>) -> Self {
        let options = OptionsBuilder::new()
            .weight_capacity(HELD_MAX_BYTES)
            .estimated_items_capacity(usize::try_from(HELD_MAX_BYTES / HELD_BYTES).unwrap_or(usize::MAX))
            .build();
        let held = match options {
            Ok(options) => {
                Cache::with_options(options, EntryWeight, DefaultHashBuilder::default(), DefaultLifecycle::default())
            }
            Err(_) => Cache::with_weighter(1, HELD_MAX_BYTES, EntryWeight),
        };
        Self { store, held, refused: Mutex::default() }
    }

    /// Returns the groups of these reads whose replies others share, and the other groups, within the store's bound.
    /// `parts` are the numbers of reads of each step. `is_believed` returns false for a block that is known to be
    /// another one, or for replies of an endpoint that are not believed any more.
    pub(crate) async fn get(
        &self,
        chain_id: u64,
        block: &Block,
        reads: &ReadSet,
        parts: &[usize],
        is_believed: impl Fn(&SharedGroup) -> bool,
    ) -> (Vec<SharedGroup>, Vec<Group>) {
        let groups = groups(chain_id, block, reads, parts);
        if self.is_refused(chain_id) {
            return (Vec::new(), groups);
        }
        let mut entries: Vec<Option<Entry>> = groups.iter().map(|group| self.held.get(&group.key)).collect();
        let open = || entries.iter().enumerate().filter(|(_, entry)| entry.is_none()).map(|(place, _)| place);
        let places: Vec<usize> = open().collect();
        let keys: Vec<Vec<u8>> = places.iter().map(|place| groups[*place].key.to_vec()).collect();
        for (index, entry) in self.store.get(EntryKind::Replies, chain_id, &keys).await {
            let Some(place) = places.get(index) else { continue };
            if groups[*place].freshness == Freshness::Pinned {
                self.held.insert(groups[*place].key, entry.clone());
            }
            entries[*place] = Some(entry);
        }
        let (mut shared, mut others) = (Vec::new(), Vec::new());
        for (group, entry) in groups.into_iter().zip(entries) {
            let Some(entry) = entry else {
                others.push(group);
                continue;
            };
            let is_of_block = entry.block == block.hash || group.freshness != Freshness::Pinned;
            match decode(group.clone(), &entry).filter(|found| is_of_block && is_believed(found)) {
                Some(found) => shared.push(found),
                None => {
                    self.held.remove(&group.key);
                    self.store.note_refused("its replies are not believed here");
                    others.push(group);
                }
            }
        }
        (shared, others)
    }

    /// Returns the price of gas at a block that another gateway requested, within the store's bound.
    pub(crate) async fn gas_price(&self, chain_id: u64, block: B256) -> Option<GasPrice> {
        if self.is_refused(chain_id) {
            return None;
        }
        let found = self.store.get(EntryKind::Replies, chain_id, &[gas_price_key(block)]).await;
        let (_, entry) = found.first()?;
        let price = decode_gas_price(&entry.value).filter(|_| entry.block == block);
        if price.is_none() {
            self.store.note_refused("its value is not a price of gas");
        }
        price
    }

    /// Has the price of gas at a block written.
    pub(crate) fn put_gas_price(&self, chain_id: u64, block: B256, price: GasPrice) {
        let entry = Entry { block: block.0, value: encode_gas_price(price).into() };
        self.store.put(EntryKind::Replies, chain_id, &gas_price_key(block), &entry, PINNED_LIVE);
    }

    /// Takes nothing of this network until all that others have written has expired: the chain contradicts it.
    pub(crate) fn refuse(&self, chain_id: u64) {
        self.refused.lock().insert(chain_id, Instant::now() + OTHERS_LIVE_MAX);
    }

    fn is_refused(&self, chain_id: u64) -> bool {
        self.refused.lock().get(&chain_id).is_some_and(|until| Instant::now() < *until)
    }

    /// Has the replies to a group written, if all of them are outcomes of contracts, from one endpoint. `host` returns
    /// the host of the endpoint at an index.
    pub(crate) fn put<'a>(
        &self,
        chain_id: u64,
        block: &Block,
        group: &Group,
        replies: &ReplySet,
        host: impl Fn(u8) -> Option<&'a Arc<str>>,
    ) {
        let mut endpoints = group.places().map(|place| replies.endpoint(place));
        let Some(endpoint) = endpoints.next().flatten() else { return };
        if endpoints.any(|other| other != Some(endpoint)) {
            return;
        }
        let outcomes = group.places().map(|place| replies.outcome(place));
        if let Some(entry) = host(endpoint).and_then(|host| encode(block, host, outcomes)) {
            self.store.put(EntryKind::Replies, chain_id, group.key.as_slice(), &entry, group.lives());
        }
    }
}

/// Returns true if the reply to a read may come from another gateway.
fn may_be_shared(read: &Read) -> bool {
    let is_shared_otherwise = matches!(read.freshness, Freshness::Immutable | Freshness::Proven);
    !is_shared_otherwise && !matches!(read.kind, Kind::Simulation(_))
}

/// Groups the reads by step and freshness.
fn groups(chain_id: u64, block: &Block, reads: &ReadSet, parts: &[usize]) -> Vec<Group> {
    let mut groups: Vec<(Group, Vec<u8>)> = Vec::new();
    let (mut ends, mut end, mut first) = (parts.iter(), 0, 0);
    for (places, like) in reads.rows() {
        let mut next = places.start;
        while next < places.end {
            while end <= next {
                end = ends.next().map_or(usize::MAX, |size| end + size);
                first = groups.len();
            }
            let run = next..places.end.min(end);
            next = run.end;
            if !may_be_shared(like) {
                continue;
            }
            let known = groups[first..].iter().position(|(group, _)| group.freshness == like.freshness);
            let place = known.map_or(groups.len(), |place| first + place);
            if known.is_none() {
                let group = Group { key: B256::ZERO, freshness: like.freshness, runs: Vec::new() };
                groups.push((group, prefix(block, like.freshness)));
            }
            let (group, bytes) = &mut groups[place];
            extend(bytes, chain_id, like, reads.targets(run.clone()));
            group.runs.push(run);
        }
    }
    groups
        .into_iter()
        .map(|(group, bytes)| Group { key: B256::from(*blake3::hash(&bytes).as_bytes()), ..group })
        .collect()
}

/// Begins the bytes of a key: `kind of freshness (1) | seconds (4) | hash of the block, if the replies are good for it
/// alone`.
fn prefix(block: &Block, freshness: Freshness) -> Vec<u8> {
    let (code, seconds) = match freshness {
        Freshness::Pinned | Freshness::Immutable | Freshness::Proven => (0, 0),
        Freshness::Within(seconds) => (1, seconds),
        Freshness::ZeroWithin(seconds) => (2, seconds),
    };
    let mut bytes = vec![code];
    bytes.extend_from_slice(&seconds.to_be_bytes());
    if code == 0 {
        bytes.extend_from_slice(block.hash.as_slice());
    }
    bytes
}

/// Appends a row: `length (8) | read without its target | number of targets (8) | targets`.
fn extend(bytes: &mut Vec<u8>, chain_id: u64, like: &Read, targets: &[Address]) {
    let read = read_key::encode(chain_id, ReadRef { to: Address::ZERO, like });
    let length = |length: usize| u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes();
    bytes.extend_from_slice(&length(read.len()));
    bytes.extend_from_slice(&read);
    bytes.extend_from_slice(&length(targets.len()));
    targets.iter().for_each(|target| bytes.extend_from_slice(target.as_slice()));
}

/// Longer than the key of a group.
fn gas_price_key(block: B256) -> Vec<u8> {
    [b"gas price", block.as_slice()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const BLOCK: Block =
        Block { number: 7, hash: B256::repeat_byte(7), parent: B256::ZERO, timestamp: 258, evm_number: 7 };

    fn read(target: u8, data: u8) -> Read {
        Read::call(Address::repeat_byte(target), [data])
    }

    pub(super) fn group(count: usize) -> Group {
        Group { key: B256::ZERO, freshness: Freshness::Pinned, runs: std::iter::once(0..count).collect() }
    }

    fn keys(reads: &[Read], parts: &[usize]) -> Vec<B256> {
        groups(1, &BLOCK, &reads.to_vec().into(), parts).into_iter().map(|group| group.key).collect()
    }

    #[test]
    fn the_reads_of_each_step_are_grouped_by_their_freshness() {
        let zeros = Freshness::ZeroWithin(60);
        let reads = [
            read(1, 1),
            read(2, 1).fresh(zeros),
            read(3, 1),
            read(4, 1),
            read(5, 1).fresh(Freshness::Immutable),
            read(6, 1).fresh(Freshness::Proven),
            read(7, 1).fresh(zeros),
            Read { kind: Kind::Simulation(crate::Effort::Any), ..read(8, 1) },
        ];
        let found = groups(1, &BLOCK, &reads.to_vec().into(), &[3, 5]);
        let found: Vec<_> =
            found.into_iter().map(|group| (group.freshness, group.places().collect::<Vec<_>>())).collect();
        let expected =
            [(Freshness::Pinned, vec![0, 2]), (zeros, vec![1]), (Freshness::Pinned, vec![3]), (zeros, vec![6])];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_step_has_the_same_keys_whatever_is_batched_with_it() {
        let step = [read(1, 1), read(2, 1), read(2, 2).fresh(Freshness::Within(9))];
        let alone = keys(&step, &[3]);
        // The row before it continues into it.
        let with_others = [&[read(9, 1)], &step[..], &[read(3, 2).fresh(Freshness::Within(9))]].concat();
        assert_eq!(keys(&with_others, &[1, 3, 1])[1..3], alone);
    }

    #[test]
    fn other_reads_blocks_and_networks_have_other_keys() {
        let step = [read(1, 1), read(2, 1)];
        let own = keys(&step, &[2])[0];
        let others = [
            vec![read(2, 1), read(1, 1)],
            vec![read(1, 1)],
            vec![read(1, 1), read(2, 2)],
            vec![read(1, 1), Read { gas_cap: Some(1), ..read(2, 1) }],
            step.clone().map(|read| read.fresh(Freshness::Within(1))).to_vec(),
        ];
        for other in others {
            assert_ne!(keys(&other, &[9])[0], own, "{other:?}");
        }
        let reads = ReadSet::from(step.to_vec());
        assert_ne!(groups(2, &BLOCK, &reads, &[2])[0].key, own);
        let next = Block { hash: B256::repeat_byte(8), ..BLOCK };
        assert_ne!(groups(1, &next, &reads, &[2])[0].key, own);
        // Those that stand for a while are found from later blocks.
        let aging: ReadSet = step.map(|read| read.fresh(Freshness::Within(1))).to_vec().into();
        assert_eq!(groups(1, &BLOCK, &aging, &[2]), groups(1, &next, &aging, &[2]));
    }

    #[test]
    fn places_move_by_the_hits_before_them() {
        let group = Group { runs: vec![1..3, 5..6], ..group(0) };
        assert_eq!(group.without(&[(0, ()), (3, ()), (4, ()), (7, ())]).runs, [0..2, 2..3]);
    }
}
