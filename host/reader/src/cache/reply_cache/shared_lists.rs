//! Parts of the lists that jobs walk, which several gateways share through a store.
//!
//! Invariant: what a part says is the caller's, who reads it again in time. It is refused if its block is known to be
//! another one.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{B256, Bytes};
use portolan_store::{Entry, EntryKind, SharedStore};

use crate::Block;

/// How long the store holds a part. Those that are read again are written again.
const LIVES: Duration = Duration::from_secs(6 * 3_600);

/// A part of a list that another gateway read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedListPart {
    /// Height of the block at which it was read.
    pub number: u64,
    pub bytes: Bytes,
}

/// The lists of a store.
pub(crate) struct SharedLists(Arc<SharedStore>);

impl SharedLists {
    pub(super) fn new(store: Arc<SharedStore>) -> Self {
        Self(store)
    }

    /// Returns the parts under these keys, each with its place, within the store's bound. `hash_at` returns the hash of
    /// the block at a height, where it is known.
    pub(crate) async fn get(
        &self,
        chain_id: u64,
        keys: &[Vec<u8>],
        hash_at: impl Fn(u64) -> Option<B256>,
    ) -> Vec<(usize, SharedListPart)> {
        let found = self.0.get(EntryKind::ListPart, chain_id, keys).await;
        let part = |(place, entry): (usize, Entry)| {
            let (number, bytes) = entry.value.split_first_chunk()?;
            let number = u64::from_be_bytes(*number);
            let is_canonical = hash_at(number).is_none_or(|canonical| canonical == entry.block);
            if !is_canonical {
                self.0.note_refused("another block has its height");
            }
            is_canonical.then(|| (place, SharedListPart { number, bytes: Bytes::copy_from_slice(bytes) }))
        };
        found.into_iter().filter_map(part).collect()
    }

    /// Has a part written.
    pub(crate) fn put(&self, chain_id: u64, key: &[u8], block: &Block, bytes: &[u8]) {
        let value = [&block.number.to_be_bytes(), bytes].concat();
        let entry = Entry { block: block.hash.0, value: value.into() };
        self.0.put(EntryKind::ListPart, chain_id, key, &entry, LIVES);
    }
}
