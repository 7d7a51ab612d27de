//! The file of immutable replies: one table for each ten days, so that expired rows are dropped as a whole.
//!
//! Invariant: rows that are read were written by this program, whole and unchanged, or the file counts as damaged.
//! The file never exceeds its bound. It knows nothing of blocks: the caller writes only rows that may stay.

use std::collections::BTreeMap;
use std::fs::{OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use redb::{
    Builder, Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableHandle, WriteTransaction,
};

use super::row::{self, LAYOUT, StoredRow};

/// Period of one table; three or four tables exist at a time.
const PERIOD_S: u64 = 10 * 86_400;
/// Bound of the file. Only rows are counted; the file is up to [`FILE_PER_ROWS`] times as large.
pub(crate) const FILE_MAX_BYTES: u64 = 256 << 20;
/// Pages are two thirds full, a commit needs some more, and the file grows by doubling.
const FILE_PER_ROWS: u64 = 5;
/// Only the owner may read or change what answers rely on.
const MODE: u32 = 0o600;
/// Overhead of a row in its page, besides key and value: two offsets.
const ROW_BYTES: u64 = 8;
/// Cache for the tree's pages, which are read only at the start.
const CACHE_BYTES: usize = 8 << 20;

type ReplyTable<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

/// Reason why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DiskError {
    #[error("another process holds it")]
    InUse,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// Bounds of the file's size and of its rows' age.
#[derive(Clone, Copy)]
pub(crate) struct DiskLimits {
    pub(crate) file_max_bytes: u64,
    /// Seconds after which a row has expired.
    pub(crate) lifetime_s: u64,
}

/// The open file.
pub(crate) struct Disk {
    database: Database,
    /// Bytes of the rows by period.
    stored: BTreeMap<u64, u64>,
    rows_max_bytes: u64,
    /// Seconds after which a row has expired.
    lifetime_s: u64,
}

impl Disk {
    /// Opens or creates the file, drops expired rows, and passes all others to `load`, newest first.
    pub(crate) fn open(
        path: &Path,
        limits: DiskLimits,
        now_s: u64,
        mut load: impl FnMut(StoredRow),
    ) -> Result<Self, DiskError> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(MODE).open(path)?;
        // A file of an earlier version may be open to others.
        file.set_permissions(Permissions::from_mode(MODE))?;
        catch_damage(|| {
            let database = Builder::new().set_cache_size(CACHE_BYTES).create_file(file).map_err(disk_error)?;
            let disk = Self::check(database, limits, now_s)?;
            // The whole file was checked before any row is loaded.
            disk.scan(now_s, &mut load)?;
            Ok(disk)
        })
    }

    fn check(mut database: Database, limits: DiskLimits, now_s: u64) -> Result<Self, DiskError> {
        // Only this verifies the checksums: without it, a flipped bit would be served.
        if !database.check_integrity().map_err(disk_error)? {
            return Err(DiskError::Damaged("its parts contradict each other".to_owned()));
        }
        let DiskLimits { file_max_bytes, lifetime_s } = limits;
        let rows_max_bytes = file_max_bytes / FILE_PER_ROWS;
        let mut disk = Self { database, stored: BTreeMap::new(), rows_max_bytes, lifetime_s };
        disk.drop_expired(now_s)?;
        disk.stored = disk.scan(now_s, |_| {})?;
        Ok(disk)
    }

    /// Writes the rows in one transaction, except those that do not fit.
    pub(super) fn write(&mut self, rows: &[StoredRow], now_s: u64) -> Result<(), DiskError> {
        catch_damage(|| {
            let mut encoded: Vec<_> = rows.iter().map(|stored| (row::key(&stored.row), row::value(stored))).collect();
            encoded.sort_unstable();
            let new = encoded.iter().map(|(key, value)| bytes(key, value)).sum();
            let transaction = self.database.begin_write().map_err(disk_error)?;
            let mut stored = self.stored.clone();
            let most_bytes = self.rows_max_bytes.saturating_sub(new);
            make_room(&transaction, &mut stored, most_bytes, |period| self.is_over(period, now_s))?;
            let left_out = insert(&transaction, &mut stored, now_s / PERIOD_S, &encoded, self.rows_max_bytes)?;
            transaction.commit().map_err(disk_error)?;
            self.stored = stored;
            if left_out > 0 {
                tracing::debug!(rows = left_out, "no room on disk for immutable replies");
            }
            Ok(())
        })
    }

    /// Passes all rows that have not expired to `each`.
    pub(crate) fn read(&self, now_s: u64, each: impl FnMut(StoredRow)) -> Result<(), DiskError> {
        catch_damage(|| self.scan(now_s, each).map(drop))
    }

    /// Drops the matching rows, in one transaction; returns their number.
    pub(crate) fn drop_where(&mut self, now_s: u64, is_it: impl Fn(&StoredRow) -> bool) -> Result<usize, DiskError> {
        catch_damage(|| {
            let transaction = self.database.begin_write().map_err(disk_error)?;
            let mut dropped = 0;
            for period in self.stored.keys() {
                let mut table = transaction.open_table(ReplyTable::new(&name(*period))).map_err(disk_error)?;
                let stays = |key: &[u8], value: &[u8]| {
                    let is_dropped = row::decode(key, value).is_some_and(|stored| is_it(&stored));
                    dropped += usize::from(is_dropped);
                    !is_dropped
                };
                table.retain(stays).map_err(disk_error)?;
            }
            transaction.commit().map_err(disk_error)?;
            self.stored = self.scan(now_s, |_| {})?;
            Ok(dropped)
        })
    }

    /// Drops the tables that have expired or have another layout.
    fn drop_expired(&self, now_s: u64) -> Result<(), DiskError> {
        let transaction = self.database.begin_write().map_err(disk_error)?;
        let names: Vec<String> =
            transaction.list_tables().map_err(disk_error)?.map(|table| table.name().to_owned()).collect();
        let is_foreign = |name: &String| !name.starts_with(TABLES);
        if names.iter().any(is_foreign) || transaction.list_multimap_tables().map_err(disk_error)?.next().is_some() {
            return Err(DiskError::Damaged("it has tables of another program".to_owned()));
        }
        for name in names.iter().filter(|name| period(name).is_none_or(|period| self.is_over(period, now_s))) {
            transaction.delete_table(ReplyTable::new(name)).map_err(disk_error)?;
        }
        transaction.commit().map_err(disk_error)
    }

    /// Passes all rows that have not expired to `each`, the newest period first, and returns the bytes of each period.
    fn scan(&self, now_s: u64, mut each: impl FnMut(StoredRow)) -> Result<BTreeMap<u64, u64>, DiskError> {
        let transaction = self.database.begin_read().map_err(disk_error)?;
        let tables = transaction.list_tables().map_err(disk_error)?;
        let mut stored: BTreeMap<u64, u64> = tables.filter_map(|table| Some((period(table.name())?, 0))).collect();
        for (period, sum) in stored.iter_mut().rev() {
            let each = |stored: StoredRow| {
                if !self.is_expired(stored.written_s, now_s) {
                    each(stored);
                }
            };
            *sum = scan_period(&transaction, *period, each)?;
        }
        Ok(stored)
    }

    /// Returns true if a row has expired, by the wall clock only: the blocks of a chain that stands still are old
    /// when they are read.
    fn is_expired(&self, written_s: u64, now_s: u64) -> bool {
        written_s.saturating_add(self.lifetime_s) < now_s
    }

    /// Returns true if the whole period has expired, or was written by a clock that was ahead, so that it would never
    /// expire.
    fn is_over(&self, period: u64, now_s: u64) -> bool {
        let ahead = period.saturating_sub(now_s / PERIOD_S) > 1;
        ahead || self.is_expired(period.saturating_add(1).saturating_mul(PERIOD_S), now_s)
    }
}

fn scan_period(transaction: &ReadTransaction, period: u64, mut each: impl FnMut(StoredRow)) -> Result<u64, DiskError> {
    let table = transaction.open_table(ReplyTable::new(&name(period))).map_err(disk_error)?;
    let mut sum = 0;
    for entry in table.iter().map_err(disk_error)? {
        let (key, value) = entry.map_err(disk_error)?;
        let stored = row::decode(key.value(), value.value()).filter(|stored| stored.written_s / PERIOD_S == period);
        let stored = stored.ok_or_else(|| DiskError::Damaged("it has rows of another program".to_owned()))?;
        sum += bytes(key.value(), value.value());
        each(stored);
    }
    Ok(sum)
}

/// Drops the oldest tables: expired ones, and those above the bound except for the newest one.
fn make_room(
    transaction: &WriteTransaction,
    stored: &mut BTreeMap<u64, u64>,
    most_bytes: u64,
    is_over: impl Fn(u64) -> bool,
) -> Result<(), DiskError> {
    while let Some(oldest) = stored.keys().next().copied() {
        let is_over_bound = stored.len() > 1 && stored.values().sum::<u64>() > most_bytes;
        if !is_over_bound && !is_over(oldest) {
            break;
        }
        transaction.delete_table(ReplyTable::new(&name(oldest))).map_err(disk_error)?;
        stored.remove(&oldest);
    }
    Ok(())
}

/// Inserts the rows, and returns how many had no room.
fn insert(
    transaction: &WriteTransaction,
    stored: &mut BTreeMap<u64, u64>,
    period: u64,
    encoded: &[(Vec<u8>, Vec<u8>)],
    most_bytes: u64,
) -> Result<usize, DiskError> {
    let mut table = transaction.open_table(ReplyTable::new(&name(period))).map_err(disk_error)?;
    let mut left_bytes = most_bytes.saturating_sub(stored.values().sum());
    let sum = stored.entry(period).or_default();
    for (done, (key, value)) in encoded.iter().enumerate() {
        let row_bytes = bytes(key, value);
        if row_bytes > left_bytes {
            return Ok(encoded.len() - done);
        }
        let before = table.insert(key.as_slice(), value.as_slice()).map_err(disk_error)?;
        let freed = before.map_or(0, |before| bytes(key, before.value()));
        left_bytes = left_bytes - row_bytes + freed;
        *sum = *sum + row_bytes - freed;
    }
    Ok(0)
}

/// The prefix of the names of all tables, whatever their layout.
const TABLES: &str = "immutable-v";

fn name(period: u64) -> String {
    format!("{TABLES}{LAYOUT}-{period}")
}

/// Returns the period of a table; `None` for one of another layout.
fn period(name: &str) -> Option<u64> {
    name.strip_prefix(TABLES)?.strip_prefix(&LAYOUT.to_string())?.strip_prefix('-')?.parse().ok()
}

/// Returns the bytes of a row that count towards the bound.
fn bytes(key: &[u8], value: &[u8]) -> u64 {
    u64::try_from(key.len() + value.len()).map_or(u64::MAX, |bytes| bytes + ROW_BYTES)
}

/// Treats a panic as damage: the database crate panics at some damaged files.
fn catch_damage<T>(work: impl FnOnce() -> Result<T, DiskError>) -> Result<T, DiskError> {
    let damaged = |_| Err(DiskError::Damaged("reading it panicked".to_owned()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(damaged)
}

fn disk_error(error: impl Into<redb::Error>) -> DiskError {
    match error.into() {
        redb::Error::DatabaseAlreadyOpen => DiskError::InUse,
        // The two excluded kinds are about the content, all others about the disk.
        redb::Error::Io(error) if !matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
            DiskError::Io(error)
        }
        error => DiskError::Damaged(error.to_string()),
    }
}

#[cfg(test)]
pub(in crate::cache::store) mod tests;
