//! An entry as it lies in the store: an authenticator, the hash of a block, and a value.
//!
//! Invariant: an entry is opened only as what it was sealed as. The authenticator covers the format, the network, the
//! kind, the key, the block and the value, so that an entry of another place, network or secret is refused as a
//! changed one is. Every change of the format needs a new [`FORMAT`].

use bytes::Bytes;

use crate::settings::StoreSecret;

/// The format of names and entries; each format has names of its own.
const FORMAT: u8 = 1;
/// The prefix of all names, for access lists of the store (`~portolan:*`).
const PREFIX: &[u8] = b"portolan:1:";

const HASH_BYTES: usize = 32;
/// The bytes of an entry besides its value.
pub(crate) const HEAD_BYTES: usize = 2 * HASH_BYTES;
/// Maximum size of a value of any kind.
pub(crate) const VALUE_BYTES_MAX: usize = DOCUMENT_BYTES_MAX;
/// Maximum size of a fact. Facts are words and short texts; whatever is larger is read from a node.
const FACT_BYTES_MAX: usize = 4 << 10;
/// Maximum size of a part of a list: 500 entries of four words.
const LIST_PART_BYTES_MAX: usize = 64 << 10;
/// Maximum size of the report of a block.
const HEAD_REPORT_BYTES_MAX: usize = 256;
/// Maximum size of a report of clients' reads: 500 counts of 32 bytes.
const READS_REPORT_BYTES_MAX: usize = 16 << 10;
/// Maximum size of the replies to the reads of one step: 1,500 words besides zeros.
const REPLIES_BYTES_MAX: usize = 64 << 10;
/// Maximum size of a document: a mebibyte, and what is said about it.
const DOCUMENT_BYTES_MAX: usize = (1 << 20) + 512;

/// The hash of a block.
pub type BlockHash = [u8; HASH_BYTES];

/// What an entry says. A key of one kind is never one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// The reply to a read that never changes.
    Fact,
    /// The replies to several reads, which are good for one block or for some minutes.
    Replies,
    /// The report of a new block, which is published and not held.
    Head,
    /// Entries of a list that were read together.
    ListPart,
    /// A report of what clients read today, which is published and not held.
    ClientReads,
    /// What a server gave for a URL. Its network and block are zeros.
    Document,
}

/// What gateways report to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// New blocks, and those that answers are read at.
    Heads,
    /// What clients read today.
    ClientReads,
}

impl Channel {
    pub(crate) const ALL: [Self; 2] = [Self::Heads, Self::ClientReads];

    /// Returns the name of the channel in the store.
    pub(crate) fn name(self) -> &'static [u8] {
        match self {
            Self::Heads => b"portolan:1:heads",
            Self::ClientReads => b"portolan:1:client-reads",
        }
    }

    pub(crate) fn kind(self) -> EntryKind {
        match self {
            Self::Heads => EntryKind::Head,
            Self::ClientReads => EntryKind::ClientReads,
        }
    }
}

impl EntryKind {
    /// The code of a kind, which never changes.
    fn code(self) -> u8 {
        match self {
            Self::Fact => 1,
            Self::Replies => 2,
            Self::Head => 3,
            Self::ListPart => 4,
            Self::ClientReads => 5,
            Self::Document => 6,
        }
    }

    pub(crate) fn value_bytes_max(self) -> usize {
        match self {
            Self::Fact => FACT_BYTES_MAX,
            Self::Replies => REPLIES_BYTES_MAX,
            Self::Head => HEAD_REPORT_BYTES_MAX,
            Self::ListPart => LIST_PART_BYTES_MAX,
            Self::ClientReads => READS_REPORT_BYTES_MAX,
            Self::Document => DOCUMENT_BYTES_MAX,
        }
    }

    /// Returns the number of keys of one command. Each command's replies count on their own, so that a large batch
    /// gets what comes in time.
    pub(crate) fn keys_per_command(self) -> usize {
        match self {
            Self::Fact => 512,
            Self::Replies | Self::Head | Self::ListPart | Self::ClientReads => 32,
            Self::Document => 1,
        }
    }
}

/// A value, and the block that it was read at; zeros if it is about no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub block: BlockHash,
    pub value: Bytes,
}

/// What an entry is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryKey<'a> {
    pub(crate) kind: EntryKind,
    /// EIP-155 chain id; 0 if it is about no network.
    pub(crate) chain_id: u64,
    pub(crate) key: &'a [u8],
}

impl EntryKey<'_> {
    /// Returns the name of the entry in the store. It needs no secret: a gateway with another secret finds the same
    /// entries, refuses them, and so shows that the secrets differ.
    pub(crate) fn name(&self) -> Vec<u8> {
        let mut hasher = blake3::Hasher::new();
        self.update(&mut hasher);
        [PREFIX, hasher.finalize().as_bytes()].concat()
    }

    /// Returns the bytes of an entry; `None` if its value is too large.
    pub(crate) fn seal(&self, secret: &StoreSecret, entry: &Entry) -> Option<Vec<u8>> {
        let Entry { block, value } = entry;
        let is_small = value.len() <= self.kind.value_bytes_max();
        is_small.then(|| [self.authenticator(secret, block, value).as_bytes().as_slice(), block, value].concat())
    }

    /// Returns the entry of these bytes; `None` if it was not sealed with the secret for this key.
    pub(crate) fn open(&self, secret: &StoreSecret, bytes: &Bytes) -> Option<Entry> {
        let (authenticator, rest) = bytes.split_first_chunk::<HASH_BYTES>()?;
        let (block, value) = rest.split_first_chunk::<HASH_BYTES>()?;
        // The comparison of hashes takes the same time whatever differs.
        let is_small = value.len() <= self.kind.value_bytes_max();
        let is_own = is_small && self.authenticator(secret, block, value) == *authenticator;
        is_own.then(|| Entry { block: *block, value: Bytes::copy_from_slice(value) })
    }

    fn authenticator(&self, secret: &StoreSecret, block: &BlockHash, value: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&secret.0);
        self.update(&mut hasher);
        hasher.update(block).update(value).finalize()
    }

    /// Hashes `format (1) | kind (1) | chain id (8) | length of the key (8) | key`, which begins no other key's bytes.
    fn update(&self, hasher: &mut blake3::Hasher) {
        let length = u64::try_from(self.key.len()).unwrap_or(u64::MAX);
        hasher.update(&[FORMAT, self.kind.code()]).update(&self.chain_id.to_be_bytes());
        hasher.update(&length.to_be_bytes()).update(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECRET_BYTES_MIN;

    const KEY: EntryKey<'static> = EntryKey { kind: EntryKind::Fact, chain_id: 137, key: b"decimals" };

    fn secret(byte: u8) -> StoreSecret {
        StoreSecret::new(&[byte; SECRET_BYTES_MIN]).unwrap()
    }

    fn entry() -> Entry {
        Entry { block: [9; HASH_BYTES], value: Bytes::from_static(b"eighteen") }
    }

    #[test]
    fn an_entry_comes_back_as_it_was() {
        for value in [Bytes::new(), Bytes::from_static(b"v"), vec![1; FACT_BYTES_MAX].into()] {
            let entry = Entry { value, ..entry() };
            let bytes = Bytes::from(KEY.seal(&secret(1), &entry).unwrap());
            assert_eq!(bytes.len(), HEAD_BYTES + entry.value.len());
            assert_eq!(KEY.open(&secret(1), &bytes), Some(entry));
        }
    }

    #[test]
    fn a_changed_bit_anywhere_is_refused_and_so_is_every_cut() {
        let bytes = KEY.seal(&secret(1), &entry()).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(KEY.open(&secret(1), &changed.into()), None, "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert_eq!(KEY.open(&secret(1), &Bytes::copy_from_slice(&bytes[..length])), None, "{length} bytes");
        }
        assert_eq!(KEY.open(&secret(1), &[&bytes[..], &[0]].concat().into()), None);
    }

    #[test]
    fn an_entry_of_another_place_network_or_secret_is_refused() {
        let bytes = Bytes::from(KEY.seal(&secret(1), &entry()).unwrap());
        assert_eq!(KEY.open(&secret(2), &bytes), None);
        let kind = EntryKind::Replies;
        for other in [EntryKey { chain_id: 1, ..KEY }, EntryKey { key: b"decimal", ..KEY }, EntryKey { kind, ..KEY }] {
            assert_eq!(other.open(&secret(1), &bytes), None, "{other:?}");
            assert_ne!(other.name(), KEY.name());
        }
    }

    #[test]
    fn no_bytes_move_between_key_block_and_value() {
        // The key takes the block's first byte, the block the value's: all bytes in order are the same.
        let key = [KEY.key, &[9]].concat();
        let longer = EntryKey { key: &key, ..KEY };
        let bytes = KEY.seal(&secret(1), &entry()).unwrap();
        let mut moved = bytes[..HASH_BYTES].to_vec();
        moved.extend_from_slice(&bytes[HASH_BYTES + 1..]);
        assert_eq!(longer.open(&secret(1), &moved.into()), None);
    }

    #[test]
    fn what_is_too_large_is_neither_sealed_nor_opened() {
        let large = Entry { value: vec![1; FACT_BYTES_MAX + 1].into(), ..entry() };
        assert_eq!(KEY.seal(&secret(1), &large), None);
        let authenticator = KEY.authenticator(&secret(1), &large.block, &large.value);
        let bytes = [authenticator.as_bytes().as_slice(), &large.block, &large.value].concat();
        assert_eq!(KEY.open(&secret(1), &bytes.into()), None);
    }

    #[test]
    fn names_and_authenticators_are_those_of_their_format() {
        // Format, kind, chain id 137, length of the key, key.
        let bytes = [&[1, 1, 0, 0, 0, 0, 0, 0, 0, 0x89, 0, 0, 0, 0, 0, 0, 0, 8], &b"decimals"[..]].concat();
        assert_eq!(KEY.name(), [PREFIX, blake3::hash(&bytes).as_bytes()].concat());
        let sealed = [&bytes[..], &[9; HASH_BYTES], b"eighteen"].concat();
        let expected = blake3::keyed_hash(&secret(1).0, &sealed);
        assert_eq!(KEY.seal(&secret(1), &entry()).unwrap()[..HASH_BYTES], *expected.as_bytes());
    }
}
