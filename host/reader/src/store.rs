//! Immutable replies on disk, so that a restart does not read them from the networks again.
//!
//! Invariant: only what was read at a block that is deep and still canonical is written, and an answer never waits for
//! the disk: all is loaded into [`ReplyCache`] at the start. Without a usable disk replies are kept in memory alone,
//! which is logged once.

mod disk;
mod quarantine;
mod row;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use alloy::primitives::B256;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream;
use parking_lot::Mutex;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use self::disk::{Disk, DiskError, FILE_MAX_BYTES};
use crate::ReadFailure;
use crate::reply_cache::{Pending, PendingBlock, ReplyCache, Row};

const FILE: &str = "reads.redb";
/// How often pending replies are written, in one transaction.
const FLUSH_EVERY: Duration = Duration::from_secs(5);
/// A block of this age is deep: Ethereum finalizes within 13 minutes, so no reorganisation reaches it.
const DEEP_S: u64 = 900;
/// A block whose timestamp is further ahead of the local clock would not become deep in time.
const AHEAD_MAX_S: u64 = 3_600;
/// In one flush; further blocks wait for the next one.
const BLOCKS_MAX: usize = 64;
/// Few, because these requests compete with those of answers.
const REQUESTS_AT_ONCE: usize = 4;
/// For all blocks of a flush.
const HASHES_TIMEOUT: Duration = Duration::from_secs(4);
/// The pause before a block whose hash could not be read is tried again.
const RETRY_AFTER_S: u64 = 60;
/// After so many tries, and an hour, the block is given up.
const TRIES_MAX: u32 = 60;

/// The canonical chains of the networks.
pub(crate) trait CanonicalChain: Send + Sync + 'static {
    /// Returns the hash of the block at this height now; `None` where the height is not known. Called once per block
    /// and try.
    fn hash_at(
        &self,
        chain_id: u64,
        number: u64,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Option<B256>, ReadFailure>>;
}

/// Writes the replies of [`Pending`] to disk once their blocks are deep.
pub(crate) struct Store {
    path: PathBuf,
    disk: Arc<Mutex<Disk>>,
    kept: Arc<ReplyCache>,
    pending: Arc<Pending>,
}

impl Store {
    /// Opens the folder's file and loads it, which blocks: for some seconds where the file is full. Returns `None`
    /// after logging why, where replies are kept in memory alone.
    pub(crate) fn open(folder: &Path, kept: &Arc<ReplyCache>) -> Option<Self> {
        Self::open_at(folder, kept, unix_s())
    }

    fn open_at(folder: &Path, kept: &Arc<ReplyCache>, now_s: u64) -> Option<Self> {
        let path = folder.join(FILE);
        let opened = fs::create_dir_all(folder).map_err(DiskError::from).and_then(|()| open(&path, kept, now_s));
        let disk = match opened {
            Ok(disk) => Arc::new(Mutex::new(disk)),
            Err(error) => {
                tracing::error!(path = %path.display(), %error, "immutable replies are kept in memory alone");
                return None;
            }
        };
        Some(Self { path, disk, kept: Arc::clone(kept), pending: kept.write_to_disk()? })
    }

    /// Flushes again and again, until the file cannot be written; to be spawned.
    pub(crate) async fn run(self, canonical: Arc<dyn CanonicalChain>) {
        let mut ticks = interval(FLUSH_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.flush(&*canonical, unix_s()).await {
                let path = self.path.display();
                tracing::error!(%path, %error, "immutable replies are kept in memory alone from now on");
                self.pending.close();
                return;
            }
        }
    }

    async fn flush(&self, canonical: &dyn CanonicalChain, now_s: u64) -> Result<(), DiskError> {
        self.pending.take(usize::MAX, |waiting| waiting.timestamp > now_s.saturating_add(AHEAD_MAX_S));
        let is_deep =
            |waiting: &PendingBlock| waiting.not_before_s <= now_s && waiting.timestamp.saturating_add(DEEP_S) <= now_s;
        let deep = self.pending.take(BLOCKS_MAX, is_deep);
        let deadline = Instant::now() + HASHES_TIMEOUT;
        let hashes = stream::iter(deep).map(|waiting| async move {
            let hash = canonical.hash_at(waiting.chain_id, waiting.number, deadline);
            let hash = timeout_at(deadline, hash).await.ok().and_then(Result::ok).flatten();
            (waiting, hash)
        });
        let blocks: Vec<_> = hashes.buffer_unordered(REQUESTS_AT_ONCE).collect().await;
        let rows: Vec<Row> =
            blocks.into_iter().flat_map(|(waiting, hash)| self.rows_to_write(waiting, hash, now_s)).collect();
        if rows.is_empty() { Ok(()) } else { self.write(rows, now_s).await }
    }

    /// Returns the rows of a block that is canonical, and forgets or retries other blocks.
    fn rows_to_write(&self, waiting: PendingBlock, hash: Option<B256>, now_s: u64) -> Vec<Row> {
        let PendingBlock { chain_id, number, .. } = waiting;
        match hash {
            Some(hash) if hash == waiting.hash => return waiting.rows,
            Some(_) => {
                tracing::debug!(chain_id, number, "block was reorganised away, its replies are forgotten");
                self.kept.remove_block(chain_id, number, waiting.hash);
            }
            None if waiting.tries < TRIES_MAX => {
                let (not_before_s, tries) = (now_s + RETRY_AFTER_S, waiting.tries + 1);
                self.pending.put_back(PendingBlock { not_before_s, tries, ..waiting });
            }
            None => {
                tracing::debug!(chain_id, number, "no endpoint reports the block, its replies stay in memory alone");
            }
        }
        Vec::new()
    }

    async fn write(&self, rows: Vec<Row>, now_s: u64) -> Result<(), DiskError> {
        let disk = Arc::clone(&self.disk);
        // One flush at a time writes, and a failed one is the last.
        let write = move || disk.lock().write(&rows, now_s);
        tokio::task::spawn_blocking(write).await.map_err(io::Error::other)?
    }
}

/// Opens the file. A damaged one is moved away, and a new one started.
fn open(path: &Path, kept: &ReplyCache, now_s: u64) -> Result<Disk, DiskError> {
    let open = || Disk::open(path, FILE_MAX_BYTES, now_s, |row| kept.restore(row));
    match open() {
        Err(DiskError::Damaged(reason)) => {
            let aside = quarantine::quarantine_corrupt(path, now_s)?;
            let (path, aside) = (path.display(), aside.display());
            tracing::warn!(%path, %aside, reason, "damaged file of immutable replies was moved aside");
            open()
        }
        opened => opened,
    }
}

fn unix_s() -> u64 {
    // A clock before 1970 makes no block deep: nothing is written.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests;
