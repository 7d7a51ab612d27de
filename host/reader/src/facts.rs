//! What outlives the process, for its operator: which facts there are, where each comes from, and how to be rid of them.
//!
//! Invariant: what is purged is gone from memory and from disk, and a check that was under way does not bring it back.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::reply_cache::ReplyCache;
use crate::store::{Disk, DiskError, FILE, FILE_MAX_BYTES, StoredRow, unix_s};

/// The rows of one list; more would fill the memory of whoever shows them.
const ROWS_MAX: usize = 100_000;

/// The facts of a process, or of a state folder that no process uses.
#[derive(Clone)]
pub struct Facts {
    /// `None` where no process answers with them.
    cached: Option<Arc<ReplyCache>>,
    /// `None` where there is no usable disk.
    disk: Option<Arc<Mutex<Disk>>>,
}

/// Which facts are meant: those to which every part applies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct FactFilter {
    pub chain_id: Option<u64>,
    /// Host and port.
    pub endpoint: Option<String>,
    pub contract: Option<Address>,
}

/// One fact, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredFact {
    pub chain_id: u64,
    pub contract: Address,
    /// The calldata of the read.
    pub read: Bytes,
    /// Host and port of the endpoint that gave it.
    pub endpoint: String,
    /// Host and port of the endpoint that confirmed it; the same where there was no other.
    pub confirmed_by: String,
    pub block: u64,
    /// Unix seconds: of the block, and when it was stored.
    pub block_time: u64,
    pub stored_at: u64,
}

/// Why there are no facts to show.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    #[error("the folder has no stored facts")]
    Missing,
    #[error("a running gateway holds the file")]
    InUse,
    #[error("the file cannot be used: {0}")]
    Unusable(String),
}

impl From<DiskError> for FactsError {
    fn from(error: DiskError) -> Self {
        match error {
            DiskError::InUse => Self::InUse,
            error => Self::Unusable(error.to_string()),
        }
    }
}

impl FactFilter {
    fn is_it(&self, chain_id: u64, endpoint: Option<&str>, contract: Address) -> bool {
        self.chain_id.is_none_or(|own| own == chain_id)
            && self.endpoint.as_deref().is_none_or(|own| Some(own) == endpoint)
            && self.contract.is_none_or(|own| own == contract)
    }

    fn takes(&self, StoredRow { row, confirmed_by, .. }: &StoredRow) -> bool {
        let by = |host| self.is_it(row.chain_id, Some(host), row.read.to);
        by(&row.endpoint) || by(confirmed_by)
    }
}

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").field("has_disk", &self.disk.is_some()).finish_non_exhaustive()
    }
}

impl Facts {
    pub(crate) fn new(cached: Arc<ReplyCache>, disk: Option<Arc<Mutex<Disk>>>) -> Self {
        Self { cached: Some(cached), disk }
    }

    /// Opens the file of a state folder that no process uses.
    ///
    /// # Errors
    /// There is no such file, or it cannot be used.
    pub fn open(folder: &Path, lifetime: Duration) -> Result<Self, FactsError> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Err(FactsError::Missing);
        }
        let disk = Disk::open(&path, (FILE_MAX_BYTES, lifetime.as_secs()), unix_s(), drop)?;
        Ok(Self { cached: None, disk: Some(Arc::new(Mutex::new(disk))) })
    }

    /// Lists the stored facts, the newest first, and how many more there are. It reads the disk, which blocks.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn list(&self, filter: &FactFilter) -> Result<(Vec<StoredFact>, usize), FactsError> {
        let (mut facts, mut more) = (Vec::new(), 0);
        let each = |stored: StoredRow| match filter.takes(&stored) {
            true if facts.len() < ROWS_MAX => facts.push(fact(stored)),
            true => more += 1,
            false => {}
        };
        self.disk.as_ref().ok_or(FactsError::Missing)?.lock().read(unix_s(), each)?;
        facts.sort_by_key(|fact| (fact.chain_id, fact.contract, std::cmp::Reverse(fact.stored_at)));
        Ok((facts, more))
    }

    /// Drops facts from memory, and returns how many.
    pub(crate) fn forget(&self, filter: &FactFilter) -> usize {
        let cached = self.cached.as_ref();
        cached.map_or(0, |cached| cached.drop_where(|id, host, to| filter.is_it(id, host, to)))
    }

    /// Drops facts from memory and disk, and returns how many from each. It writes the disk, which blocks.
    ///
    /// # Errors
    /// The file cannot be used; what is in memory is gone all the same.
    pub fn purge(&self, filter: &FactFilter) -> Result<(usize, usize), FactsError> {
        let in_memory = self.forget(filter);
        let disk = self.disk.as_ref();
        let on_disk = disk.map_or(Ok(0), |disk| disk.lock().drop_where(unix_s(), |stored| filter.takes(stored)))?;
        Ok((in_memory, on_disk))
    }
}

fn fact(StoredRow { row, confirmed_by, written_s }: StoredRow) -> StoredFact {
    StoredFact {
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
