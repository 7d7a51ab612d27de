//! Immutable replies that several gateways share through a store.
//!
//! Invariant: a fact of the store is believed no more than one of a node. It counts as cached, so that what becomes a
//! claim's target is read again; it is refused if its block is known to be another one, or if facts like it were
//! dropped here. What is not believed is read from a node.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes};
use parking_lot::Mutex;
use portolan_store::{Entry, EntryKind, SharedStore};

use super::filter::StoredReplyFilter;
use super::may_be_fact;
use super::pending::Row;
use crate::Freshness;
use crate::cache::read_key;
use crate::reads::read_set::{ReadRef, ReadSet};

/// Maximum filters of refused facts; with more, nothing of the store is believed any more.
const FILTERS_MAX: usize = 64;

/// A fact that another gateway read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedFact {
    /// Height, hash and timestamp of the block at which it was read.
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) timestamp: u64,
    /// True if it was read again with the same outcome, at a final block.
    pub(crate) is_confirmed: bool,
    /// Host and port of the endpoint that gave it.
    pub(crate) endpoint: Arc<str>,
    pub(crate) reply: Bytes,
}

/// The facts of a store.
pub(crate) struct SharedFacts {
    store: Arc<SharedStore>,
    /// Facts that are not believed any more; `None` if that is none of them.
    refused: Mutex<Option<Vec<StoredReplyFilter>>>,
}

impl SharedFacts {
    pub(super) fn new(store: Arc<SharedStore>) -> Self {
        Self { store, refused: Mutex::new(Some(Vec::new())) }
    }

    /// Returns the facts of the immutable reads among these, each with its place, rising, within the store's bound.
    /// `hash_at` returns the hash of the block at a height, where it is known.
    pub(crate) async fn get(
        &self,
        chain_id: u64,
        reads: &ReadSet,
        hash_at: impl Fn(u64) -> Option<B256>,
    ) -> Vec<(usize, SharedFact)> {
        let immutable = reads.rows().filter(|(_, read)| read.freshness == Freshness::Immutable);
        let places: Vec<usize> = immutable.flat_map(|(places, _)| places).collect();
        let keys: Vec<Vec<u8>> = reads.at_each(&places).map(|read| read_key::encode(chain_id, read)).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let found = self.store.get(EntryKind::Fact, chain_id, &keys).await;
        let fact = |(index, entry): (usize, Entry)| {
            let place = *places.get(index)?;
            let checked = self.check(chain_id, reads.at(place), &entry, &hash_at);
            checked.map_err(|reason| self.store.note_refused(reason)).ok().map(|fact| (place, fact))
        };
        found.into_iter().filter_map(fact).collect()
    }

    fn check(
        &self,
        chain_id: u64,
        read: ReadRef<'_>,
        entry: &Entry,
        hash_at: impl Fn(u64) -> Option<B256>,
    ) -> Result<SharedFact, &'static str> {
        let fact = decode(entry).ok_or("its value is not a fact")?;
        if hash_at(fact.number).is_some_and(|canonical| canonical != fact.hash) {
            return Err("another block has its height");
        }
        let is_refused = self.is_refused(chain_id, &fact.endpoint, read.to);
        if is_refused { Err("facts like it were dropped here") } else { Ok(fact) }
    }

    fn is_refused(&self, chain_id: u64, endpoint: &str, contract: Address) -> bool {
        let refused = self.refused.lock();
        refused.as_ref().is_none_or(|filters| filters.iter().any(|one| one.is_it(chain_id, Some(endpoint), contract)))
    }

    /// Has a fact written, which the store forgets after `lives_s`.
    pub(super) fn put(&self, row: &Row, hash: B256, is_confirmed: bool, lives_s: u64) {
        if let Some(entry) = encode(row, hash, is_confirmed) {
            let key = read_key::encode(row.chain_id, (&row.read).into());
            self.store.put(EntryKind::Fact, row.chain_id, &key, &entry, Duration::from_secs(lives_s));
        }
    }

    /// Refuses the facts that match, as long as the process lives.
    pub(super) fn refuse(&self, filter: &StoredReplyFilter) {
        let mut refused = self.refused.lock();
        let Some(filters) = refused.as_mut().filter(|filters| !filters.contains(filter)) else { return };
        if filters.len() == FILTERS_MAX {
            tracing::warn!("too many facts were dropped, those of the shared store are not used until a restart");
            *refused = None;
        } else {
            filters.push(filter.clone());
        }
    }
}

/// Encodes `block number (8) | timestamp (8) | confirmed (1) | length of the host (1) | host | reply`; `None` if the
/// host is longer than one byte says.
fn encode(row: &Row, hash: B256, is_confirmed: bool) -> Option<Entry> {
    let length = u8::try_from(row.endpoint.len()).ok()?;
    let figures = [row.number.to_be_bytes(), row.timestamp.to_be_bytes()].concat();
    let value = [&figures, &[u8::from(is_confirmed), length][..], row.endpoint.as_bytes(), &row.reply].concat();
    Some(Entry { block: hash.0, value: value.into() })
}

/// Decodes a fact; `None` if the bytes are none.
fn decode(entry: &Entry) -> Option<SharedFact> {
    let (number, rest) = entry.value.split_first_chunk()?;
    let (timestamp, rest) = rest.split_first_chunk()?;
    let (&[confirmed, length], rest) = rest.split_first_chunk()?;
    let (endpoint, reply) = rest.split_at_checked(usize::from(length))?;
    if confirmed > 1 || !may_be_fact(reply) {
        return None;
    }
    Some(SharedFact {
        number: u64::from_be_bytes(*number),
        hash: B256::from(entry.block),
        timestamp: u64::from_be_bytes(*timestamp),
        is_confirmed: confirmed == 1,
        endpoint: std::str::from_utf8(endpoint).ok()?.into(),
        reply: Bytes::copy_from_slice(reply),
    })
}

#[cfg(test)]
mod tests {
    use alloy::primitives::bytes;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::Read;

    fn row(endpoint: &str) -> Row {
        let read = Read::call(Address::ZERO, [1]).fresh(Freshness::Immutable);
        Row { chain_id: 137, read, number: 3, timestamp: 258, endpoint: endpoint.into(), reply: bytes!("12") }
    }

    proptest! {
        #[test]
        fn a_fact_comes_back_as_it_was(figures in any::<[u64; 2]>(), host in "[a-zé.:0-9]{0,100}", confirmed: bool) {
            let [number, timestamp] = figures;
            let row = Row { number, timestamp, ..row(&host) };
            let entry = encode(&row, B256::repeat_byte(7), confirmed).unwrap();
            let (hash, endpoint, reply) = (B256::repeat_byte(7), row.endpoint, row.reply);
            let expected = SharedFact { number, hash, timestamp, is_confirmed: confirmed, endpoint, reply };
            prop_assert_eq!(decode(&entry), Some(expected));
        }

        #[test]
        fn bytes_are_one_fact_or_none(value in vec(0_u8..40, 0..60)) {
            let entry = Entry { block: [7; 32], value: value.into() };
            if let Some(SharedFact { number, hash, timestamp, is_confirmed, endpoint, reply }) = decode(&entry) {
                let row = Row { number, timestamp, reply, ..row(&endpoint) };
                prop_assert_eq!(encode(&row, hash, is_confirmed), Some(entry));
            }
        }
    }

    #[test]
    fn the_layout_is_the_one_of_its_format() {
        let entry = encode(&row("a.b:1"), B256::repeat_byte(7), true).unwrap();
        assert_eq!(entry.value.to_vec(), bytes!("0000000000000003 0000000000000102 01 05 612e623a31 12").to_vec());
        assert_eq!(entry.block, [7; 32]);
    }

    #[test]
    fn nothing_and_zeros_are_not_facts_and_long_hosts_are_not_shared() {
        for reply in [bytes!(""), bytes!("0000")] {
            let entry = encode(&Row { reply, ..row("a") }, B256::ZERO, false).unwrap();
            assert_eq!(decode(&entry), None);
        }
        assert_eq!(encode(&row(&"a".repeat(256)), B256::ZERO, false), None);
    }
}
