//! Immutable replies on disk, so that a restart does not read them from the networks again.
//!
//! Invariant: a reply is written only if its block is final and canonical, and it was read again with the same
//! outcome: by an endpoint of another host, or later if there is no other. An answer never waits for the disk: all
//! rows are loaded into [`ReplyCache`] at the start. Without a usable disk, replies are cached only in memory, which
//! is logged once.

mod disk;
mod quarantine;
mod row;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use alloy::primitives::B256;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream;
use parking_lot::Mutex;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

pub(crate) use self::disk::{Disk, DiskError, DiskLimits, FILE_MAX_BYTES};
pub(crate) use self::row::StoredRow;
use crate::cache::reply_cache::{Pending, PendingBlock, ReplyCache, Row, StoredReplyFilter};
use crate::chain::block::unix_s;
use crate::reads::read_set::ReadSet;
use crate::{Freshness, Outcome, ReadFailure};

pub(crate) const FILE: &str = "reads.redb";
/// Interval at which pending replies are written, in one transaction.
const FLUSH_EVERY: Duration = Duration::from_secs(5);
/// Age of a deep block, in seconds. Ethereum finalizes within 13 minutes, so no reorganisation reaches it. If the
/// endpoint reports finality, the block must be final, too.
const DEEP_S: u64 = 900;
/// Maximum lead of a block's timestamp over the local clock; with more, it would not become deep in time.
const AHEAD_MAX_S: u64 = 3_600;
/// Maximum blocks in one flush; further ones wait for the next.
const BLOCKS_MAX: usize = 64;
/// Concurrent requests; few, because they compete with those of answers.
const REQUESTS_AT_ONCE: usize = 4;
/// Time for all blocks of a flush.
const CHECKS_TIMEOUT: Duration = Duration::from_secs(4);
/// Pause before a block that is not final, or could not be checked, is tried again.
const RETRY_AFTER_S: u64 = 60;
/// Maximum tries of a block, which take an hour; then it is given up.
const TRIES_MAX: u32 = 60;

/// A repeat of an endpoint's reads by another one, or later by the same one.
#[derive(Clone, Debug)]
pub(crate) struct CrossCheck {
    /// Host and port of the endpoint that repeated them.
    pub(crate) by: Arc<str>,
    /// Hash of the block that is at the height now; `None` if the height is not known.
    pub(crate) hash: Option<B256>,
    pub(crate) is_final: bool,
    /// Outcomes of the reads at its newest block, in order; failures if the block is not final.
    pub(crate) outcomes: Vec<Outcome>,
}

/// Checks one endpoint's replies at another.
pub(crate) trait CrossChecker: Send + Sync + 'static {
    /// Returns true if a network has an endpoint of another host.
    fn has_other(&self, chain_id: u64, host: &str) -> bool;

    /// Checks the replies of a host's endpoint at this height. Called once per block and try.
    fn check<'a>(
        &'a self,
        chain_id: u64,
        host: &'a str,
        number: u64,
        reads: ReadSet,
        deadline: Instant,
    ) -> BoxFuture<'a, Result<CrossCheck, ReadFailure>>;
}

/// Folder and lifetimes of stored replies.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    pub folder: PathBuf,
    /// Lifetime of a reply.
    pub lifetime: Duration,
    /// Delay before an endpoint is read again if the network has no other.
    pub again_after: Duration,
}

/// Writes the replies of [`Pending`] to disk once their blocks are final and they are confirmed.
pub(crate) struct Store {
    path: PathBuf,
    pub(crate) disk: Arc<Mutex<Disk>>,
    cached: Arc<ReplyCache>,
    pending: Arc<Pending>,
    again_after_s: u64,
}

impl Store {
    /// Opens the folder's file and loads it, which blocks: for some seconds if the file is full. Replies that only
    /// one endpoint gave are loaded only if `is_configured` knows that endpoint. Returns `None`, after logging the
    /// reason, if replies are cached only in memory.
    pub(crate) fn open(
        settings: &StoreSettings,
        cached: &Arc<ReplyCache>,
        is_configured: impl Fn(u64, &str) -> bool,
    ) -> Option<Self> {
        Self::open_at(settings, cached, is_configured, unix_s())
    }

    fn open_at(
        settings: &StoreSettings,
        cached: &Arc<ReplyCache>,
        is_configured: impl Fn(u64, &str) -> bool,
        now_s: u64,
    ) -> Option<Self> {
        let path = settings.folder.join(FILE);
        let load = |stored: StoredRow| {
            let StoredRow { row, confirmed_by, .. } = stored;
            if row.endpoint != confirmed_by || is_configured(row.chain_id, &row.endpoint) {
                cached.restore(row);
            }
        };
        let limits = DiskLimits { file_max_bytes: FILE_MAX_BYTES, lifetime_s: settings.lifetime.as_secs() };
        let opened = fs::create_dir_all(&settings.folder).map_err(DiskError::from);
        let disk = match opened.and_then(|()| open(&path, limits, now_s, load)) {
            Ok(disk) => Arc::new(Mutex::new(disk)),
            Err(error) => {
                tracing::error!(path = %path.display(), %error, "immutable replies are cached in memory alone");
                return None;
            }
        };
        let again_after_s = settings.again_after.as_secs();
        Some(Self { path, disk, cached: Arc::clone(cached), pending: cached.write_to_disk()?, again_after_s })
    }

    /// Flushes repeatedly until the file cannot be written; to be spawned.
    pub(crate) async fn run(self, checker: Arc<dyn CrossChecker>) {
        let mut ticks = interval(FLUSH_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.flush(&*checker, unix_s()).await {
                let path = self.path.display();
                tracing::error!(%path, %error, "immutable replies are cached in memory alone from now on");
                self.pending.close();
                return;
            }
        }
    }

    async fn flush(&self, checker: &dyn CrossChecker, now_s: u64) -> Result<(), DiskError> {
        self.pending.take(usize::MAX, |waiting| waiting.timestamp > now_s.saturating_add(AHEAD_MAX_S));
        self.pending.note_since(now_s);
        let drops = self.cached.drops();
        let ripe = self.pending.take(BLOCKS_MAX, |waiting| self.is_ripe(checker, waiting, now_s));
        let deadline = Instant::now() + CHECKS_TIMEOUT;
        let checks = stream::iter(ripe).map(|waiting| async move {
            let reads = waiting.rows.iter().map(|row| row.read.clone().fresh(Freshness::Pinned)).collect();
            let check = checker.check(waiting.chain_id, &waiting.endpoint, waiting.number, reads, deadline);
            let check = timeout_at(deadline, check).await.ok().and_then(Result::ok);
            (waiting, check)
        });
        let checked: Vec<_> = checks.buffer_unordered(REQUESTS_AT_ONCE).collect().await;
        let mut rows = Vec::new();
        for (waiting, check) in checked {
            rows.extend(self.confirmed(waiting, check, now_s).await?);
        }
        // Replies that were purged meanwhile must not come back.
        if rows.is_empty() || self.cached.drops() != drops { Ok(()) } else { self.write(rows, now_s).await }
    }

    fn is_ripe(&self, checker: &dyn CrossChecker, waiting: &PendingBlock, now_s: u64) -> bool {
        let is_deep = waiting.not_before_s <= now_s && waiting.timestamp.saturating_add(DEEP_S) <= now_s;
        let is_later = waiting.since_s.saturating_add(self.again_after_s) <= now_s;
        is_deep && (is_later || checker.has_other(waiting.chain_id, &waiting.endpoint))
    }

    /// Returns the rows that are confirmed at a final block, and forgets or retries others.
    async fn confirmed(
        &self,
        waiting: PendingBlock,
        check: Option<CrossCheck>,
        now_s: u64,
    ) -> Result<Vec<StoredRow>, DiskError> {
        let PendingBlock { chain_id, number, hash, .. } = waiting;
        let CrossCheck { by, outcomes, .. } = match check {
            Some(check) if check.hash.is_some_and(|canonical| canonical != hash) => {
                tracing::debug!(chain_id, number, "block was reorganised away, its replies are forgotten");
                self.cached.remove_block(chain_id, number, hash);
                return Ok(Vec::new());
            }
            Some(check) if check.hash.is_some() && check.is_final => check,
            _ => {
                self.retry(waiting, now_s);
                return Ok(Vec::new());
            }
        };
        let is_refuted = |(row, now): (&Row, &Outcome)| match now {
            Outcome::Ok(reply) => *reply != row.reply,
            Outcome::Reverted(_) | Outcome::NoCode => true,
            _ => false,
        };
        if waiting.rows.iter().zip(&outcomes).any(is_refuted) {
            let endpoint = &waiting.endpoint;
            tracing::warn!(chain_id, %endpoint, %by, "endpoints disagree on what never changes, the facts of the first are dropped");
            self.drop_facts(chain_id, endpoint).await?;
            return Ok(Vec::new());
        }
        let is_same = |(row, now): &(Row, Outcome)| matches!(now, Outcome::Ok(reply) if *reply == row.reply);
        let (same, open): (Vec<_>, Vec<_>) = waiting.rows.iter().cloned().zip(outcomes).partition(is_same);
        let rows = open.into_iter().map(|(row, _)| row).collect();
        self.retry(PendingBlock { rows, ..waiting }, now_s);
        let stored = |(row, _): (Row, Outcome)| {
            self.cached.confirm(&row, hash);
            StoredRow { row, confirmed_by: Arc::clone(&by), written_s: now_s }
        };
        Ok(same.into_iter().map(stored).collect())
    }

    fn retry(&self, waiting: PendingBlock, now_s: u64) {
        let PendingBlock { chain_id, number, tries, .. } = waiting;
        if waiting.rows.is_empty() {
            return;
        }
        if tries >= TRIES_MAX {
            tracing::debug!(
                chain_id,
                number,
                "no endpoint confirms what was read at the block, it stays in memory alone"
            );
            return;
        }
        self.pending.put_back(PendingBlock { not_before_s: now_s + RETRY_AFTER_S, tries: tries + 1, ..waiting });
    }

    /// Drops all facts of an endpoint, in memory and on disk.
    async fn drop_facts(&self, chain_id: u64, endpoint: &Arc<str>) -> Result<(), DiskError> {
        let host = Some(endpoint.to_string());
        let filter = StoredReplyFilter { chain_id: Some(chain_id), endpoint: host, contract: None };
        self.cached.drop_where(&filter);
        let (disk, endpoint) = (Arc::clone(&self.disk), Arc::clone(endpoint));
        let is_it = move |stored: &StoredRow| stored.row.chain_id == chain_id && stored.row.endpoint == endpoint;
        let drop_rows = move || disk.lock().drop_where(unix_s(), is_it).map(drop);
        tokio::task::spawn_blocking(drop_rows).await.map_err(io::Error::other)?
    }

    async fn write(&self, rows: Vec<StoredRow>, now_s: u64) -> Result<(), DiskError> {
        let disk = Arc::clone(&self.disk);
        // Only one flush writes at a time, and a failed one is the last.
        let write = move || disk.lock().write(&rows, now_s);
        tokio::task::spawn_blocking(write).await.map_err(io::Error::other)?
    }
}

/// Opens the file. Moves a damaged one aside, and starts a new one.
fn open(path: &Path, limits: DiskLimits, now_s: u64, load: impl Fn(StoredRow)) -> Result<Disk, DiskError> {
    let open = || Disk::open(path, limits, now_s, &load);
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

#[cfg(test)]
mod tests;
