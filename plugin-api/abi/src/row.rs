//! Rows of the hot path: requested reads, replies, job records and logs.
//!
//! Rows are little-endian and of fixed size. A row type may grow at its end: a reader ignores fields it does not know,
//! and missing fields read as zero, which always means the behaviour of the first version.

use alloy::primitives::Address;

/// A row of a [`crate::frame::Frame`].
pub trait Row: Sized {
    /// Size in bytes that this version writes.
    const SIZE: usize;
    /// Appends exactly [`Row::SIZE`] bytes.
    fn write(&self, out: &mut Vec<u8>);
    /// Reads a row of at most [`Row::SIZE`] bytes; missing fields read as zero.
    fn read(bytes: &[u8]) -> Self;
}

/// Kinds of read. Unknown kinds are answered with [`status::UNSUPPORTED`].
pub mod kind {
    /// `eth_call`; the reply is the returned bytes.
    pub const CALL: u8 = 0;
    /// Native balance of `to`; the reply is a 32-byte word.
    pub const NATIVE_BALANCE: u8 = 1;
    /// Code size at `to`; the reply is a 32-byte word.
    pub const CODE_SIZE: u8 = 2;
    /// Reserved: a storage slot.
    pub const STORAGE: u8 = 3;
    /// Reserved: a block header.
    pub const HEADER: u8 = 4;
    /// Reserved: markets of an account, which the host collects from logs.
    pub const INDEX: u8 = 5;
    /// Reserved: the plugin's own lens bytecode.
    pub const PROGRAM: u8 = 6;
    /// An HTTPS GET from a host that the catalogue declares and the operator allows. The data is the whole URL; target
    /// and network are ignored; the reply is the body. See [`crate::off_chain`].
    pub const HTTP: u8 = 7;
    /// Reserved: a price.
    pub const PRICE: u8 = 8;
    /// Reserved: a simulated transaction.
    pub const SIMULATE: u8 = 9;
    /// A fact list: entries that earlier jobs derived. `data` is `market/key`; the reply is a [`crate::map::FactList`].
    pub const FACTS: u8 = 10;
}

/// How a call is executed.
pub mod mode {
    /// `STATICCALL`, batched with others.
    pub const STATIC: u8 = 0;
    /// Own call frame, whose writes no other read sees. For functions that are read like views but write.
    pub const ISOLATED: u8 = 1;
}

/// Purpose of a read.
pub mod purpose {
    /// The job's own answer.
    pub const ANSWER: u8 = 0;
    /// Walks a fact list: always at the answer's block, and charged to the walk budget.
    pub const WALK: u8 = 1;
}

/// How old a reply may be.
pub mod freshness {
    /// At the answer's block.
    pub const PINNED: u8 = 0;
    /// Never changes once set. An unset reply (only zero bytes, empty, a revert, no code) is read again at the next
    /// block.
    pub const IMMUTABLE: u8 = 1;
    /// Changes slowly: at most [`super::Read::freshness_s`] seconds old.
    pub const WITHIN: u8 = 2;
    /// Zero may be [`super::Read::freshness_s`] seconds old; anything else is read at the answer's block.
    pub const ZERO_WITHIN: u8 = 3;
}

/// Outcome of a read.
pub mod status {
    /// Success.
    pub const OK: u8 = 0;
    /// The contract reverted; the reply is the revert data.
    pub const REVERTED: u8 = 1;
    /// No contract at this address. For [`super::kind::HTTP`]: 404 or 410.
    pub const NO_CODE: u8 = 2;
    /// The call ran out of gas.
    pub const GAS_CAP: u8 = 3;
    /// No endpoint or server returned a usable reply in time.
    pub const UNAVAILABLE: u8 = 4;
    /// The job has no reads or bytes left.
    pub const OVER_BUDGET: u8 = 5;
    /// The host does not support the kind, the mode, the extension or the network.
    pub const UNSUPPORTED: u8 = 6;
    /// The catalogue does not declare the URL's host, or the operator does not allow it.
    pub const NOT_ALLOWED: u8 = 7;
    /// Still open; a later resume has the reply.
    pub const PENDING: u8 = 8;
}

/// Origin of a reply.
pub mod source {
    /// Read for this answer.
    pub const CHAIN: u8 = 0;
    /// Cached from an earlier read; [`super::Reply::age_s`] is its age.
    pub const CACHE: u8 = 1;
    /// An HTTPS server; [`super::Reply::age_s`] is the age of its answer.
    pub const OFF_CHAIN: u8 = 2;
}

/// A read that a job requests; 48 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// One of [`kind`].
    pub kind: u8,
    /// One of [`mode`].
    pub mode: u8,
    /// One of [`freshness`].
    pub freshness: u8,
    /// One of [`purpose`].
    pub purpose: u8,
    /// Index into the frame's table of chain ids.
    pub network: u16,
    /// Target.
    pub to: Address,
    /// Offset of the calldata in the blob.
    pub data_offset: u32,
    /// Length of the calldata in bytes.
    pub data_len: u32,
    /// Seconds, for [`freshness::WITHIN`] and [`freshness::ZERO_WITHIN`].
    pub freshness_s: u32,
    /// Gas limit of the call; 0 is the host's default.
    pub gas_cap: u32,
    /// Blob offset of a length-prefixed (u32) [`crate::map::ReadExtension`], plus one; 0 is none.
    pub extension: u32,
}

impl Row for Read {
    const SIZE: usize = 48;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.kind, self.mode, self.freshness, self.purpose]);
        out.extend(self.network.to_le_bytes());
        out.extend([0; 2]);
        out.extend_from_slice(self.to.as_slice());
        for field in [self.data_offset, self.data_len, self.freshness_s, self.gas_cap, self.extension] {
            out.extend(field.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let mut take = Fields(bytes);
        let [kind, mode, freshness, purpose] = take.bytes();
        let network = u16::from_le_bytes(take.bytes());
        let [_, _] = take.bytes();
        Self {
            kind,
            mode,
            freshness,
            purpose,
            network,
            to: take.bytes().into(),
            data_offset: take.u32(),
            data_len: take.u32(),
            freshness_s: take.u32(),
            gas_cap: take.u32(),
            extension: take.u32(),
        }
    }
}

/// The reply to one read; 16 bytes. Replies are in the order of the requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// One of [`status`].
    pub status: u8,
    /// One of [`source`].
    pub source: u8,
    /// Offset of the returned bytes or revert data in the blob.
    pub offset: u32,
    /// Their length.
    pub len: u32,
    /// Seconds since it was read; 0 if read at the answer's block.
    pub age_s: u32,
}

impl Row for Reply {
    const SIZE: usize = 16;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.status, self.source, 0, 0]);
        for field in [self.offset, self.len, self.age_s] {
            out.extend(field.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let mut take = Fields(bytes);
        let [status, source, _, _] = take.bytes();
        Self { status, source, offset: take.u32(), len: take.u32(), age_s: take.u32() }
    }
}

/// Input of one job's resume: its share of the frame's replies, and its remaining budget; 16 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobIn {
    /// Number of replies to this job: one for each read that it requested and that has no reply yet. They follow those
    /// of the jobs before it.
    pub replies: u32,
    /// Milliseconds until the job's deadline.
    pub ms_left: u32,
    /// Reads that the job may still request.
    pub reads_left: u32,
    /// Reply bytes that it may still get.
    pub bytes_left: u32,
}

impl Row for JobIn {
    const SIZE: usize = 16;

    fn write(&self, out: &mut Vec<u8>) {
        for field in [self.replies, self.ms_left, self.reads_left, self.bytes_left] {
            out.extend(field.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let mut take = Fields(bytes);
        Self { replies: take.u32(), ms_left: take.u32(), reads_left: take.u32(), bytes_left: take.u32() }
    }
}

/// State of a job after a resume.
pub mod state {
    /// Waits for reads.
    pub const READING: u8 = 0;
    /// Ended; everything is reported.
    pub const COMPLETE: u8 = 1;
    /// Ended; something is missing. The message says what could not be read. [`super::JobOut`] has what the plugin does
    /// not cover, and the findings dropped because of contracts' replies.
    pub const PARTIAL: u8 = 2;
    /// Ended with an error, given in the message.
    pub const FAILED: u8 = 3;
    /// Panicked at the place given in the message.
    pub const PANICKED: u8 = 4;
    /// Awaited something that is not a read, or kept waking itself.
    pub const MISUSE: u8 = 5;
}

/// Output of one job's resume; 40 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOut {
    /// One of [`state`].
    pub state: u8,
    /// Number of reads of this job; they follow those of the jobs before it.
    pub reads: u32,
    /// Offset in the blob of a CBOR array of [`crate::map::Finding`]: the findings since the last resume.
    pub findings_offset: u32,
    /// Length of the findings; 0 is none.
    pub findings_len: u32,
    /// Offset in the blob of UTF-8 text: why the job ended as it did.
    pub message_offset: u32,
    /// Length of the message.
    pub message_len: u32,
    /// Offset in the blob of UTF-8 text with one known gap of the plugin per line; only with
    /// [`crate::capability::NOT_COVERED`].
    pub not_covered_offset: u32,
    /// Length of that text; 0 is none.
    pub not_covered_len: u32,
    /// Offset in the blob of one line of UTF-8 text: the findings that the plugin dropped because contracts' replies
    /// break the [`crate::reply_rules`]; only with [`crate::capability::INVALID_REPLIES`].
    pub invalid_replies_offset: u32,
    /// Length of that text; 0 is none.
    pub invalid_replies_len: u32,
}

impl Row for JobOut {
    const SIZE: usize = 40;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.state, 0, 0, 0]);
        out.extend(self.reads.to_le_bytes());
        let texts = [
            [self.findings_offset, self.findings_len],
            [self.message_offset, self.message_len],
            [self.not_covered_offset, self.not_covered_len],
            [self.invalid_replies_offset, self.invalid_replies_len],
        ];
        for field in texts.into_iter().flatten() {
            out.extend(field.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let mut take = Fields(bytes);
        let [state, _, _, _] = take.bytes();
        Self {
            state,
            reads: take.u32(),
            findings_offset: take.u32(),
            findings_len: take.u32(),
            message_offset: take.u32(),
            message_len: take.u32(),
            not_covered_offset: take.u32(),
            not_covered_len: take.u32(),
            invalid_replies_offset: take.u32(),
            invalid_replies_len: take.u32(),
        }
    }
}

/// Entries that a job adds to a fact list; 28 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactsRow {
    /// Index of the job in the resume.
    pub job: u32,
    /// Offset of `market/key` in the blob.
    pub list_offset: u32,
    /// Length of `market/key`.
    pub list_len: u32,
    /// Index of the first of these entries in the list. The host compares them with those that it has there.
    pub from: u32,
    /// Length of the whole list at the answer's block.
    pub total: u32,
    /// Offset of the entries in the blob, as [`crate::fact_entries`] writes them.
    pub entries_offset: u32,
    /// Length of the entries; 0 says that the list ends at `from`.
    pub entries_len: u32,
}

impl Row for FactsRow {
    const SIZE: usize = 28;

    fn write(&self, out: &mut Vec<u8>) {
        let Self { job, list_offset, list_len, from, total, entries_offset, entries_len } = *self;
        for field in [job, list_offset, list_len, from, total, entries_offset, entries_len] {
            out.extend(field.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let mut take = Fields(bytes);
        Self {
            job: take.u32(),
            list_offset: take.u32(),
            list_len: take.u32(),
            from: take.u32(),
            total: take.u32(),
            entries_offset: take.u32(),
            entries_len: take.u32(),
        }
    }
}

/// A chain id in a frame's table of networks; 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// EIP-155 chain id.
    pub chain_id: u64,
}

impl Row for Network {
    const SIZE: usize = 8;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.chain_id.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        Self { chain_id: u64::from_le_bytes(Fields(bytes).bytes()) }
    }
}

/// A log of a transaction; 44 bytes. [`crate::log`] writes and reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogRow {
    /// The contract that emitted it.
    pub address: Address,
    /// Number of topics, of 32 bytes each; the EVM allows four.
    pub topics: u8,
    /// Index in the block: `logIndex` of JSON-RPC.
    pub index: u64,
    /// Offset of the topics in the blob.
    pub topics_offset: u32,
    /// Offset of the data in the blob.
    pub data_offset: u32,
    /// Length of the data in bytes.
    pub data_len: u32,
}

impl Row for LogRow {
    const SIZE: usize = 44;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.address);
        out.extend([self.topics, 0, 0, 0]);
        out.extend(self.index.to_le_bytes());
        for field in [self.topics_offset, self.data_offset, self.data_len] {
            out.extend(field.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let mut take = Fields(bytes);
        let address = take.bytes().into();
        let [topics, _, _, _] = take.bytes();
        Self {
            address,
            topics,
            index: u64::from_le_bytes(take.bytes()),
            topics_offset: take.u32(),
            data_offset: take.u32(),
            data_len: take.u32(),
        }
    }
}

/// Takes fixed-size fields off the front; reads zeros past the end.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut field = [0; N];
        let taken = N.min(self.0.len());
        let (head, rest) = self.0.split_at(taken);
        field[..taken].copy_from_slice(head);
        self.0 = rest;
        field
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }
}
