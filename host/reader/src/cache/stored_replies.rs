//! The replies on disk, which operators know as facts: lists them with their sources, and purges them.
//!
//! Invariant: purged replies are gone from memory and from disk, and a check that was under way does not bring them
//! back.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::cache::reply_cache::{ReplyCache, StoredReplyFilter};
use crate::cache::store::{Disk, DiskError, DiskLimits, FILE, FILE_MAX_BYTES, StoredRow};
use crate::chain::block::unix_s;

/// Maximum rows of one list; more would fill the reader's memory.
const ROWS_MAX: usize = 100_000;

/// The stored replies of a process, or of a state folder that no process uses.
#[derive(Clone)]
pub struct StoredReplies {
    /// `None` if no process answers with them.
    cached: Option<Arc<ReplyCache>>,
    /// `None` if there is no usable disk.
    disk: Option<Arc<Mutex<Disk>>>,
}

/// A stored reply and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredReply {
    pub chain_id: u64,
    pub contract: Address,
    /// The calldata of the read.
    pub read: Bytes,
    /// Host and port of the endpoint that gave it.
    pub endpoint: String,
    /// Host and port of the endpoint that confirmed it; the same one if there was no other.
    pub confirmed_by: String,
    pub block: u64,
    /// Unix seconds, as is `stored_at`.
    pub block_time: u64,
    pub stored_at: u64,
}

/// Reason why stored replies cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoredRepliesError {
    #[error("the folder has no stored facts")]
    Missing,
    #[error("a running gateway holds the file")]
    InUse,
    #[error("the file cannot be used: {0}")]
    Unusable(String),
}

impl From<DiskError> for StoredRepliesError {
    fn from(error: DiskError) -> Self {
        match error {
            DiskError::InUse => Self::InUse,
            error => Self::Unusable(error.to_string()),
        }
    }
}

/// Returns true if a filter matches a row by either of its endpoints.
fn takes(filter: &StoredReplyFilter, StoredRow { row, confirmed_by, .. }: &StoredRow) -> bool {
    let by = |host| filter.is_it(row.chain_id, Some(host), row.read.to);
    by(&row.endpoint) || by(confirmed_by)
}

impl std::fmt::Debug for StoredReplies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredReplies").field("has_disk", &self.disk.is_some()).finish_non_exhaustive()
    }
}

impl StoredReplies {
    pub(crate) fn new(cached: Arc<ReplyCache>, disk: Option<Arc<Mutex<Disk>>>) -> Self {
        Self { cached: Some(cached), disk }
    }

    /// Opens the file of a state folder that no process uses.
    ///
    /// # Errors
    /// Fails if there is no such file, or it cannot be used.
    pub fn open(folder: &Path, lifetime: Duration) -> Result<Self, StoredRepliesError> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Err(StoredRepliesError::Missing);
        }
        let limits = DiskLimits { file_max_bytes: FILE_MAX_BYTES, lifetime_s: lifetime.as_secs() };
        let disk = Disk::open(&path, limits, unix_s(), drop)?;
        Ok(Self { cached: None, disk: Some(Arc::new(Mutex::new(disk))) })
    }

    /// Lists the stored replies by chain and contract, newest first, and counts those left out. Blocks on the disk.
    ///
    /// # Errors
    /// Fails if the file cannot be used.
    pub fn list(&self, filter: &StoredReplyFilter) -> Result<(Vec<StoredReply>, usize), StoredRepliesError> {
        let (mut replies, mut more) = (Vec::new(), 0);
        let each = |stored: StoredRow| match takes(filter, &stored) {
            true if replies.len() < ROWS_MAX => replies.push(reply(stored)),
            true => more += 1,
            false => {}
        };
        self.disk.as_ref().ok_or(StoredRepliesError::Missing)?.lock().read(unix_s(), each)?;
        replies.sort_by_key(|reply| (reply.chain_id, reply.contract, std::cmp::Reverse(reply.stored_at)));
        Ok((replies, more))
    }

    /// Drops replies from memory, and returns their number.
    pub(crate) fn forget(&self, filter: &StoredReplyFilter) -> usize {
        self.cached.as_ref().map_or(0, |cached| cached.drop_where(filter))
    }

    /// Drops replies from memory and disk, and returns the number from each. Blocks on the disk.
    ///
    /// # Errors
    /// Fails if the file cannot be used; the replies in memory are dropped all the same.
    pub fn purge(&self, filter: &StoredReplyFilter) -> Result<(usize, usize), StoredRepliesError> {
        let in_memory = self.forget(filter);
        let disk = self.disk.as_ref();
        let on_disk = disk.map_or(Ok(0), |disk| disk.lock().drop_where(unix_s(), |stored| takes(filter, stored)))?;
        Ok((in_memory, on_disk))
    }
}

fn reply(StoredRow { row, confirmed_by, written_s }: StoredRow) -> StoredReply {
    StoredReply {
        chain_id: row.chain_id,
        contract: row.read.to,
        read: row.read.data,
        endpoint: row.endpoint.to_string(),
        confirmed_by: confirmed_by.to_string(),
        block: row.number,
        block_time: row.timestamp,
        stored_at: written_s,
    }
}
