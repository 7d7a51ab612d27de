//! Immutable replies on disk, so that a restart does not ask for them again.
//!
//! Invariant: only what was read at a block that is deep and still the network's is written, and the path of an
//! answer never touches the disk: all is loaded into [`Kept`] at the start. The disk is a help alone: where it cannot
//! be used, that is told once, and replies are kept in memory.

mod aside;
mod disk;
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
use crate::kept::{Kept, Pending, Row, Waiting};

const FILE: &str = "reads.redb";
/// One write transaction each.
const ROUND: Duration = Duration::from_secs(5);
/// Past the block's time. Reorganisations are over by then: Ethereum finalizes within 13 minutes.
const DEEP_S: u64 = 900;
/// A block's clock that is so far ahead of ours never becomes deep in time.
const AHEAD_MAX_S: u64 = 3_600;
/// Of one round; the others wait for the next one.
const BLOCKS_MAX: usize = 64;
/// Their requests go beside those of answers.
const ASKED_AT_ONCE: usize = 4;
/// For all of a round's blocks.
const ASK_FOR: Duration = Duration::from_secs(4);
/// What nobody could tell is asked again then,
const AGAIN_S: u64 = 60;
/// and given up after an hour.
const TRIES_MAX: u32 = 60;

/// Tells which block a network has at a height.
pub(crate) trait Canonical: Send + Sync + 'static {
    /// The block's hash, as of now; `None` where the height is not known. Asked once for each block.
    fn hash_at(
        &self,
        chain_id: u64,
        number: u64,
        deadline: Instant,
    ) -> BoxFuture<'_, Result<Option<B256>, ReadFailure>>;
}

/// Writes what waits in [`Pending`].
pub(crate) struct Store {
    path: PathBuf,
    disk: Arc<Mutex<Disk>>,
    kept: Arc<Kept>,
    pending: Arc<Pending>,
}

impl Store {
    /// Opens the folder's file and loads it. It blocks: some seconds where the file is full. `None`, and told, where
    /// replies are kept in memory alone.
    pub(crate) fn open(folder: &Path, kept: &Arc<Kept>) -> Option<Self> {
        Self::open_at(folder, kept, unix_s())
    }

    fn open_at(folder: &Path, kept: &Arc<Kept>, now_s: u64) -> Option<Self> {
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

    /// Writes for as long as the file can be written; to be spawned.
    pub(crate) async fn run(self, canonical: Arc<dyn Canonical>) {
        let mut rounds = interval(ROUND);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            rounds.tick().await;
            if let Err(error) = self.round(&*canonical, unix_s()).await {
                let path = self.path.display();
                tracing::error!(%path, %error, "immutable replies are kept in memory alone from now on");
                self.pending.close();
                return;
            }
        }
    }

    async fn round(&self, canonical: &dyn Canonical, now_s: u64) -> Result<(), DiskError> {
        self.pending.take(usize::MAX, |waiting| waiting.timestamp > now_s.saturating_add(AHEAD_MAX_S));
        let is_ripe =
            |waiting: &Waiting| waiting.not_before_s <= now_s && waiting.timestamp.saturating_add(DEEP_S) <= now_s;
        let ripe = self.pending.take(BLOCKS_MAX, is_ripe);
        let deadline = Instant::now() + ASK_FOR;
        let asked = stream::iter(ripe).map(|waiting| async move {
            let asked = canonical.hash_at(waiting.chain_id, waiting.number, deadline);
            let hash = timeout_at(deadline, asked).await.ok().and_then(Result::ok).flatten();
            (waiting, hash)
        });
        let told: Vec<_> = asked.buffer_unordered(ASKED_AT_ONCE).collect().await;
        let rows: Vec<Row> = told.into_iter().flat_map(|(waiting, hash)| self.settle(waiting, hash, now_s)).collect();
        if rows.is_empty() { Ok(()) } else { self.write(rows, now_s).await }
    }

    /// What is to be written of a block.
    fn settle(&self, waiting: Waiting, hash: Option<B256>, now_s: u64) -> Vec<Row> {
        let Waiting { chain_id, number, .. } = waiting;
        match hash {
            Some(hash) if hash == waiting.hash => return waiting.rows,
            Some(_) => {
                tracing::debug!(chain_id, number, "block was reorganised away, its replies are forgotten");
                self.kept.forget(chain_id, number, waiting.hash);
            }
            None if waiting.tries < TRIES_MAX => {
                let (not_before_s, tries) = (now_s + AGAIN_S, waiting.tries + 1);
                self.pending.put_back(Waiting { not_before_s, tries, ..waiting });
            }
            None => tracing::debug!(chain_id, number, "nobody tells the block, its replies stay in memory alone"),
        }
        Vec::new()
    }

    async fn write(&self, rows: Vec<Row>, now_s: u64) -> Result<(), DiskError> {
        let disk = Arc::clone(&self.disk);
        // One round writes at a time, and a failed one is the last.
        let write = move || disk.lock().write(&rows, now_s);
        tokio::task::spawn_blocking(write).await.map_err(io::Error::other)?
    }
}

/// Opens the file; a damaged one is moved aside, and a new one started.
fn open(path: &Path, kept: &Kept, now_s: u64) -> Result<Disk, DiskError> {
    let open = || Disk::open(path, FILE_MAX_BYTES, now_s, |row| kept.restore(row));
    match open() {
        Err(DiskError::Damaged(reason)) => {
            let aside = aside::move_aside(path, now_s)?;
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
