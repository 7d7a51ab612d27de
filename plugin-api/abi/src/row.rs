//! The rows of the hot path: what a job requests, what it gets, the job records around them, and logs.
//!
//! Rows are little-endian and of fixed size. A row type may grow at its end: a reader takes what it knows,
//! and what is missing reads as zero, which always means the first version's behaviour.

use alloy::primitives::Address;

/// A row of a [`crate::frame::Frame`].
pub trait Row: Sized {
    /// Bytes that this version writes.
    const SIZE: usize;
    /// Appends exactly [`Row::SIZE`] bytes.
    fn write(&self, out: &mut Vec<u8>);
    /// Reads a row of at most [`Row::SIZE`] bytes; fields that its writer did not know are missing, and read as zero.
    fn read(bytes: &[u8]) -> Self;
}

/// What a read requests. Unknown numbers are answered with [`status::UNSUPPORTED`].
pub mod kind {
    /// `eth_call`: the reply is the returned bytes.
    pub const CALL: u8 = 0;
    /// The native balance of `to`: the reply is a 32-byte word.
    pub const NATIVE_BALANCE: u8 = 1;
    /// The size of the code at `to`: the reply is a 32-byte word.
    pub const CODE_SIZE: u8 = 2;
    /// Reserved: a storage slot.
    pub const STORAGE: u8 = 3;
    /// Reserved: a block header.
    pub const HEADER: u8 = 4;
    /// Reserved: account to markets, filled by the host from logs.
    pub const INDEX: u8 = 5;
    /// Reserved: the plugin's own lens bytecode.
    pub const PROGRAM: u8 = 6;
    /// An HTTPS GET of a host that the catalogue declares and the operator allows: the data is the whole URL, target and
    /// network mean nothing, the reply is the body. See [`crate::off_chain`].
    pub const HTTP: u8 = 7;
    /// Reserved: a price.
    pub const PRICE: u8 = 8;
    /// Reserved: a simulated transaction.
    pub const SIMULATE: u8 = 9;
    /// A list that the host has of what earlier jobs derived: `data` is `market/key`, the reply is a
    /// [`crate::map::FactList`].
    pub const FACTS: u8 = 10;
}

/// How a call runs.
pub mod mode {
    /// By `STATICCALL`, together with others.
    pub const STATIC: u8 = 0;
    /// In a frame of its own whose writes no other read sees: functions that are not views though one reads them.
    pub const ISOLATED: u8 = 1;
}

/// What a read is for.
pub mod purpose {
    /// The job's own answer.
    pub const ANSWER: u8 = 0;
    /// To go on with a fact list that the job may walk: always at the answer's block, and from the budget of walks.
    pub const WALK: u8 = 1;
}

/// How old a reply may be.
pub mod freshness {
    /// At the answer's block.
    pub const PINNED: u8 = 0;
    /// Never changes once it is there. What is not (only zero bytes, none at all, a revert, no code) is read again at
    /// the next block.
    pub const IMMUTABLE: u8 = 1;
    /// A slow fact: at most [`super::Read::freshness_s`] seconds old.
    pub const WITHIN: u8 = 2;
    /// A zero may be that old; anything else is at the answer's block.
    pub const ZERO_WITHIN: u8 = 3;
}

/// What became of a read.
pub mod status {
    /// Answered.
    pub const OK: u8 = 0;
    /// The contract reverted; the reply is the revert data.
    pub const REVERTED: u8 = 1;
    /// Nothing at this address answers calls; for [`super::kind::HTTP`] the server has nothing at the URL (404 or 410).
    pub const NO_CODE: u8 = 2;
    /// The call used up its gas.
    pub const GAS_CAP: u8 = 3;
    /// No endpoint, or no server, answered in time with what can be used.
    pub const UNAVAILABLE: u8 = 4;
    /// The job's budget of reads or bytes is used up.
    pub const OVER_BUDGET: u8 = 5;
    /// This host does not know the kind, the mode, the extension or the network.
    pub const UNSUPPORTED: u8 = 6;
    /// The catalogue does not declare the host of a URL, or the operator does not allow it.
    pub const NOT_ALLOWED: u8 = 7;
    /// There is no reply yet: the read is open, and a later resume has the reply to it.
    pub const PENDING: u8 = 8;
}

/// Where a reply came from.
pub mod source {
    /// Read for this answer.
    pub const CHAIN: u8 = 0;
    /// Cached from an earlier read; [`super::Reply::age_s`] says how old.
    pub const CACHE: u8 = 1;
    /// A server that is no endpoint of a chain; [`super::Reply::age_s`] is the age of its answer.
    pub const OFF_CHAIN: u8 = 2;
}

/// One read that a job requests, 48 bytes.
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
    /// Calldata in the blob.
    pub data_offset: u32,
    /// Bytes of calldata.
    pub data_len: u32,
    /// Seconds, for [`freshness::WITHIN`] and [`freshness::ZERO_WITHIN`].
    pub freshness_s: u32,
    /// Gas that the call may use; 0 is the host's default.
    pub gas_cap: u32,
    /// One more than the blob offset of a length-prefixed (u32) [`crate::map::ReadExtension`]; 0 is none.
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

/// The reply to one read, 16 bytes; replies stand in the order in which the reads were requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// One of [`status`].
    pub status: u8,
    /// One of [`source`].
    pub source: u8,
    /// Returned bytes or revert data in the blob.
    pub offset: u32,
    /// Their length.
    pub len: u32,
    /// Seconds since it was read; 0 for the answer's block.
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

/// What goes into one job's resume, 16 bytes: how many of the frame's replies are its own, and what is left to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobIn {
    /// Replies to this job, one for each of its open reads: those that it requested and that have no reply yet. They
    /// follow those of the jobs before it.
    pub replies: u32,
    /// Milliseconds until the job's deadline.
    pub ms_left: u32,
    /// Reads that it may still request.
    pub reads_left: u32,
    /// Bytes of replies that it may still get.
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

/// How far a job is.
pub mod state {
    /// It waits for the reads of this frame.
    pub const READING: u8 = 0;
    /// It ended, and has reported everything.
    pub const COMPLETE: u8 = 1;
    /// It ended, and something is missing; the message says what could not be read, and [`super::JobOut`] has what the
    /// plugin does not cover, and what it left out for what contracts replied.
    pub const PARTIAL: u8 = 2;
    /// It ended with an error; the message says which.
    pub const FAILED: u8 = 3;
    /// It panicked; the message says where.
    pub const PANICKED: u8 = 4;
    /// It awaited something that is not a chain read, or woke itself for ever.
    pub const MISUSE: u8 = 5;
}

/// What comes out of one job's resume, 40 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOut {
    /// One of [`state`].
    pub state: u8,
    /// Reads of this job; they follow those of the jobs before it.
    pub reads: u32,
    /// A CBOR array of [`crate::map::Finding`] in the blob: what was found since the last resume.
    pub findings_offset: u32,
    /// Their length; 0 is none.
    pub findings_len: u32,
    /// UTF-8 text in the blob: why the job ended as it did.
    pub message_offset: u32,
    /// Its length.
    pub message_len: u32,
    /// UTF-8 text in the blob, a line for each thing that the plugin knows and does not read; only with
    /// [`crate::capability::NOT_COVERED`].
    pub not_covered_offset: u32,
    /// Its length; 0 is none.
    pub not_covered_len: u32,
    /// UTF-8 text in the blob, one line: which findings the plugin left out, as contracts replied what no finding may
    /// have ([`crate::reply_rules`]); only with [`crate::capability::INVALID_REPLIES`].
    pub invalid_replies_offset: u32,
    /// Its length; 0 is none.
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

/// Entries that a job has for a fact list, 28 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactsRow {
    /// Place of the job in the slice of the resume.
    pub job: u32,
    /// `market/key` in the blob.
    pub list_offset: u32,
    /// Its length.
    pub list_len: u32,
    /// Place of the first of these entries in the list. Where the host has entries there, they are compared.
    pub from: u32,
    /// Entries that the whole list has at the answer's block.
    pub total: u32,
    /// The entries in the blob: the length (4 bytes) and the bytes of each.
    pub entries_offset: u32,
    /// Their length; 0 says that the list has no entries from there on.
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

/// A chain id in a frame's table of networks, 8 bytes.
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

/// One log of a transaction, 44 bytes; [`crate::log`] writes and reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogRow {
    /// The contract that emitted it.
    pub address: Address,
    /// Its topics, of 32 bytes each; no chain has more than four.
    pub topics: u8,
    /// Place in its block, as JSON-RPC's `logIndex`.
    pub index: u64,
    /// The first topic in the blob; the others follow it.
    pub topics_offset: u32,
    /// The data in the blob.
    pub data_offset: u32,
    /// Bytes of data.
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

/// Takes fixed-size fields off the front; zero where the bytes end.
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
