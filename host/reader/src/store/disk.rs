//! The file: one table for each ten days, so that what has expired goes as a whole.
//!
//! Invariant: what is read from it was written by this program, whole and unchanged, or the file counts as damaged;
//! it holds no more than its bound. It knows nothing of blocks: its caller writes only what may stay.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use redb::{
    Builder, Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableHandle, WriteTransaction,
};

use super::row::{self, LAYOUT};
use crate::kept::{IMMUTABLE_FOR_S, Row};

/// Three or four tables are there at a time.
const PERIOD_S: u64 = 10 * 86_400;
/// Of the file. The rows are counted, and the file is up to [`FILE_PER_ROWS`] times as large.
pub(super) const FILE_MAX_BYTES: u64 = 256 << 20;
/// Pages are two thirds full, a commit needs some beside them, and the file grows by doubling.
const FILE_PER_ROWS: u64 = 4;
/// Of a row in its page besides key and value: two offsets.
const ROW_BYTES: u64 = 8;
/// The tree's pages in memory; they are read at the start alone.
const CACHE_BYTES: usize = 8 << 20;

type Table<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

/// Why the file is of no use.
#[derive(Debug, thiserror::Error)]
pub(super) enum DiskError {
    #[error("another process holds it")]
    InUse,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// The open file.
pub(super) struct Disk {
    database: Database,
    /// Bytes of the rows by period.
    stored: BTreeMap<u64, u64>,
    rows_max_bytes: u64,
}

impl Disk {
    /// Opens or starts the file, drops what has expired, and hands out all else, the newest first.
    pub(super) fn open(
        path: &Path,
        file_max_bytes: u64,
        now_s: u64,
        mut hand_out: impl FnMut(Row),
    ) -> Result<Self, DiskError> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        guarded(|| {
            let database = Builder::new().set_cache_size(CACHE_BYTES).create_file(file).map_err(told)?;
            let disk = Self::load(database, file_max_bytes, now_s)?;
            // All was looked at before anything is handed out.
            disk.scan(now_s, &mut hand_out)?;
            Ok(disk)
        })
    }

    fn load(mut database: Database, file_max_bytes: u64, now_s: u64) -> Result<Self, DiskError> {
        // Its checksums are looked at here alone: without it, a flipped bit would be served.
        if !database.check_integrity().map_err(told)? {
            return Err(DiskError::Damaged("its parts contradict each other".to_owned()));
        }
        let mut disk = Self { database, stored: BTreeMap::new(), rows_max_bytes: file_max_bytes / FILE_PER_ROWS };
        disk.drop_expired(now_s)?;
        disk.stored = disk.scan(now_s, |_| {})?;
        Ok(disk)
    }

    /// Writes the rows, all or none; those that have no room are left out.
    pub(super) fn write(&mut self, rows: &[Row], now_s: u64) -> Result<(), DiskError> {
        guarded(|| {
            let mut encoded: Vec<_> = rows.iter().map(|row| (row::key(row), row::value(row, now_s))).collect();
            encoded.sort_unstable();
            let new = encoded.iter().map(|(key, value)| bytes(key, value)).sum();
            let transaction = self.database.begin_write().map_err(told)?;
            let mut stored = self.stored.clone();
            make_room(&transaction, &mut stored, self.rows_max_bytes.saturating_sub(new), now_s)?;
            let left_out = insert(&transaction, &mut stored, now_s / PERIOD_S, &encoded, self.rows_max_bytes)?;
            transaction.commit().map_err(told)?;
            self.stored = stored;
            if left_out > 0 {
                tracing::debug!(rows = left_out, "no room on disk for immutable replies");
            }
            Ok(())
        })
    }

    /// Drops the tables that have expired or have another layout.
    fn drop_expired(&self, now_s: u64) -> Result<(), DiskError> {
        let transaction = self.database.begin_write().map_err(told)?;
        let names: Vec<String> =
            transaction.list_tables().map_err(told)?.map(|table| table.name().to_owned()).collect();
        let is_foreign = |name: &String| !name.starts_with(TABLES);
        if names.iter().any(is_foreign) || transaction.list_multimap_tables().map_err(told)?.next().is_some() {
            return Err(DiskError::Damaged("it has tables of another program".to_owned()));
        }
        for name in names.iter().filter(|name| period(name).is_none_or(|period| is_over(period, now_s))) {
            transaction.delete_table(Table::new(name)).map_err(told)?;
        }
        transaction.commit().map_err(told)
    }

    /// Goes through what has not expired, the newest period first; tells the bytes of each.
    fn scan(&self, now_s: u64, mut each: impl FnMut(Row)) -> Result<BTreeMap<u64, u64>, DiskError> {
        let transaction = self.database.begin_read().map_err(told)?;
        let tables = transaction.list_tables().map_err(told)?;
        let mut stored: BTreeMap<u64, u64> = tables.filter_map(|table| Some((period(table.name())?, 0))).collect();
        for (period, sum) in stored.iter_mut().rev() {
            *sum = scan_period(&transaction, *period, now_s, &mut each)?;
        }
        Ok(stored)
    }
}

fn scan_period(
    transaction: &ReadTransaction,
    period: u64,
    now_s: u64,
    mut each: impl FnMut(Row),
) -> Result<u64, DiskError> {
    let table = transaction.open_table(Table::new(&name(period))).map_err(told)?;
    let mut sum = 0;
    for entry in table.iter().map_err(told)? {
        let (key, value) = entry.map_err(told)?;
        let row = row::decode(key.value(), value.value()).filter(|(_, written_s)| written_s / PERIOD_S == period);
        let (row, written_s) = row.ok_or_else(|| DiskError::Damaged("it has rows of another program".to_owned()))?;
        sum += bytes(key.value(), value.value());
        if !is_expired(written_s, now_s) {
            each(row);
        }
    }
    Ok(sum)
}

/// Drops the oldest tables: those that have expired, and those above the bound, but for the newest one.
fn make_room(
    transaction: &WriteTransaction,
    stored: &mut BTreeMap<u64, u64>,
    most_bytes: u64,
    now_s: u64,
) -> Result<(), DiskError> {
    while let Some(oldest) = stored.keys().next().copied() {
        let is_over_bound = stored.len() > 1 && stored.values().sum::<u64>() > most_bytes;
        if !is_over_bound && !is_over(oldest, now_s) {
            break;
        }
        transaction.delete_table(Table::new(&name(oldest))).map_err(told)?;
        stored.remove(&oldest);
    }
    Ok(())
}

/// Tells how many had no room.
fn insert(
    transaction: &WriteTransaction,
    stored: &mut BTreeMap<u64, u64>,
    period: u64,
    encoded: &[(Vec<u8>, Vec<u8>)],
    most_bytes: u64,
) -> Result<usize, DiskError> {
    let mut table = transaction.open_table(Table::new(&name(period))).map_err(told)?;
    let mut left_bytes = most_bytes.saturating_sub(stored.values().sum());
    let sum = stored.entry(period).or_default();
    for (done, (key, value)) in encoded.iter().enumerate() {
        let row_bytes = bytes(key, value);
        if row_bytes > left_bytes {
            return Ok(encoded.len() - done);
        }
        let before = table.insert(key.as_slice(), value.as_slice()).map_err(told)?;
        let freed = before.map_or(0, |before| bytes(key, before.value()));
        left_bytes = left_bytes - row_bytes + freed;
        *sum = *sum + row_bytes - freed;
    }
    Ok(0)
}

/// What the names of all tables begin with, whatever their layout.
const TABLES: &str = "immutable-v";

fn name(period: u64) -> String {
    format!("{TABLES}{LAYOUT}-{period}")
}

/// `None` for a table of another layout.
fn period(name: &str) -> Option<u64> {
    name.strip_prefix(TABLES)?.strip_prefix(&LAYOUT.to_string())?.strip_prefix('-')?.parse().ok()
}

/// By the wall clock alone: the blocks of a chain that stands still are old when they are read.
fn is_expired(written_s: u64, now_s: u64) -> bool {
    written_s.saturating_add(IMMUTABLE_FOR_S) < now_s
}

/// Whether all of the period has expired, or was written by a clock that went ahead: it would stay for ever.
fn is_over(period: u64, now_s: u64) -> bool {
    let ahead = period.saturating_sub(now_s / PERIOD_S) > 1;
    ahead || is_expired(period.saturating_add(1).saturating_mul(PERIOD_S), now_s)
}

fn bytes(key: &[u8], value: &[u8]) -> u64 {
    u64::try_from(key.len() + value.len()).map_or(u64::MAX, |bytes| bytes + ROW_BYTES)
}

/// The crate that reads the file panics at some that are damaged.
fn guarded<T>(work: impl FnOnce() -> Result<T, DiskError>) -> Result<T, DiskError> {
    let gave_up = |_| Err(DiskError::Damaged("reading it panicked".to_owned()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(gave_up)
}

fn told(error: impl Into<redb::Error>) -> DiskError {
    match error.into() {
        redb::Error::DatabaseAlreadyOpen => DiskError::InUse,
        // These tell of the content, the others of the disk below.
        redb::Error::Io(error) if !matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
            DiskError::Io(error)
        }
        error => DiskError::Damaged(error.to_string()),
    }
}

#[cfg(test)]
pub(in crate::store) mod tests;
