//! The file under every sort of damage, and its bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy::primitives::Address;
use redb::StorageBackend;
use redb::backends::InMemoryBackend;

use super::*;
use crate::cache::reply_cache::Row;
use crate::{Freshness, Read};

const MEBIBYTE: u64 = 1 << 20;
const MONTH_S: u64 = 30 * 86_400;
/// The first second of a period.
const START_S: u64 = 2_000 * PERIOD_S;
const LIMITS: DiskLimits = DiskLimits { file_max_bytes: MEBIBYTE, lifetime_s: MONTH_S };

#[derive(Debug)]
struct Failing {
    inner: InMemoryBackend,
    fails: Arc<AtomicBool>,
}

impl Failing {
    fn fail(&self) -> io::Result<()> {
        if self.fails.load(Ordering::Relaxed) { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl StorageBackend for Failing {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.fail()?;
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.fail()?;
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.fail()?;
        self.inner.write(offset, data)
    }
}

/// Makes a disk that is full once the flag is set.
pub(in crate::cache::store) fn failing(now_s: u64) -> (Disk, Arc<AtomicBool>) {
    let fails = Arc::new(AtomicBool::new(false));
    let backend = Failing { inner: InMemoryBackend::new(), fails: Arc::clone(&fails) };
    let database = Builder::new().create_with_backend(backend).unwrap();
    (Disk::check(database, LIMITS, now_s).unwrap(), fails)
}

fn row(number: u64, reply: usize) -> Row {
    let read = Read::call(Address::ZERO, number.to_be_bytes()).fresh(Freshness::Immutable);
    let (endpoint, reply) = ("node.example".into(), vec![1; reply].into());
    Row { chain_id: 1, read, number: 7, timestamp: 7, endpoint, reply }
}

fn write(disk: &mut Disk, rows: &[Row], written_s: u64) -> Result<(), DiskError> {
    let stored = |row: &Row| StoredRow { row: row.clone(), confirmed_by: "other.example".into(), written_s };
    disk.write(&rows.iter().map(stored).collect::<Vec<_>>(), written_s)
}

fn open(path: &Path, file_max_bytes: u64, now_s: u64) -> (Disk, Vec<Row>) {
    let mut rows = Vec::new();
    let limits = DiskLimits { file_max_bytes, ..LIMITS };
    let disk = Disk::open(path, limits, now_s, |stored| rows.push(stored.row)).unwrap();
    (disk, rows)
}

#[test]
fn a_full_disk_is_not_a_damaged_file() {
    let (mut disk, fails) = failing(START_S);
    write(&mut disk, &[row(1, 32)], START_S).unwrap();
    fails.store(true, Ordering::Relaxed);
    assert!(matches!(write(&mut disk, &[row(2, 32)], START_S), Err(DiskError::Io(_))));
}

#[test]
fn the_oldest_tables_go_first_where_the_bound_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // Rows may take a mebibyte.
    let (mut disk, _) = open(&path, 5 * MEBIBYTE, START_S);
    let periods = [START_S, START_S + PERIOD_S, START_S + 2 * PERIOD_S];
    let many = |from: u64| (from..from + 12).map(|number| row(number, 32 << 10)).collect::<Vec<_>>();
    write(&mut disk, &many(0), periods[0]).unwrap();
    write(&mut disk, &many(100), periods[1]).unwrap();
    assert_eq!(disk.stored.keys().collect::<Vec<_>>(), [&2_000, &2_001], "768 KiB have room");
    write(&mut disk, &many(200), periods[2]).unwrap();
    assert_eq!(disk.stored.keys().collect::<Vec<_>>(), [&2_001, &2_002]);
    drop(disk);
    let (disk, rows) = open(&path, 5 * MEBIBYTE, periods[2]);
    assert_eq!(rows, [many(200), many(100)].concat(), "the newest first");
    assert!(disk.stored.values().sum::<u64>() <= MEBIBYTE);
}

#[test]
fn a_full_period_takes_no_more_and_the_file_stays_in_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (mut disk, _) = open(&path, 16 * MEBIBYTE, START_S);
    // Keys in no order, like hashes.
    let number = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let round = |round: u64| (round * 500..round * 500 + 500).map(|at| row(number(at), 32)).collect::<Vec<_>>();
    for at in 0..120 {
        write(&mut disk, &round(at), START_S).unwrap();
    }
    let rows_bytes = disk.stored.values().sum::<u64>();
    // 60,000 rows of 8 + 2 + 20 + 8 bytes of key, 3 × 8 + 13 + 14 + 32 of value, and 8.
    assert!((16 * MEBIBYTE / 5 - 129..=16 * MEBIBYTE / 5).contains(&rows_bytes), "{rows_bytes} bytes of rows");
    drop(disk);
    let file_bytes = std::fs::metadata(&path).unwrap().len();
    assert!(file_bytes <= 16 * MEBIBYTE, "{file_bytes} bytes of file");
    assert_eq!(open(&path, 16 * MEBIBYTE, START_S).1.len() * 129, usize::try_from(rows_bytes).unwrap());
}

#[test]
fn a_row_that_is_written_again_takes_its_room_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut disk, _) = open(&folder.path().join("file"), MEBIBYTE, START_S);
    for reply in [32, 1, 64] {
        write(&mut disk, &[row(1, reply)], START_S).unwrap();
    }
    assert_eq!(disk.stored.values().sum::<u64>(), 8 + 2 + 20 + 8 + 3 * 8 + 13 + 14 + 64 + 8);
}

#[test]
fn what_has_expired_is_not_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (mut disk, _) = open(&path, 5 * MEBIBYTE, START_S);
    write(&mut disk, &[row(1, 32)], START_S).unwrap();
    let later_s = START_S + PERIOD_S + MONTH_S;
    write(&mut disk, &[row(2, 32)], later_s).unwrap();
    assert_eq!(disk.stored.keys().collect::<Vec<_>>(), [&2_000, &2_004], "its last second is not over");
    write(&mut disk, &[row(3, 32)], later_s + 1).unwrap();
    assert_eq!(disk.stored.keys().collect::<Vec<_>>(), [&2_004]);
    drop(disk);
    assert_eq!(open(&path, 5 * MEBIBYTE, later_s + 1).1, [row(2, 32), row(3, 32)]);
}

#[test]
fn what_a_clock_wrote_that_went_ahead_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (mut disk, _) = open(&path, 5 * MEBIBYTE, START_S);
    write(&mut disk, &[row(1, 32)], START_S).unwrap();
    write(&mut disk, &[row(2, 32)], START_S + PERIOD_S).unwrap();
    write(&mut disk, &[row(3, 32)], START_S + 2 * PERIOD_S).unwrap();
    drop(disk);
    assert_eq!(open(&path, 5 * MEBIBYTE, START_S).1, [row(2, 32), row(1, 32)]);
}

#[test]
fn tables_of_another_layout_are_dropped_and_those_of_another_program_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let (old, foreign, rows) = (folder.path().join("old"), folder.path().join("foreign"), folder.path().join("rows"));
    for (path, table) in [(&old, "immutable-v0-2000"), (&foreign, "accounts"), (&rows, "immutable-v2-2000")] {
        let database = Database::create(path).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(ReplyTable::new(table)).unwrap().insert(&b"key"[..], &b"value"[..]).unwrap();
        transaction.commit().unwrap();
    }
    let (disk, none) = open(&old, MEBIBYTE, START_S);
    assert!(none.is_empty());
    let tables = disk.database.begin_read().unwrap().list_tables().unwrap().count();
    assert_eq!(tables, 0);
    for path in [foreign, rows] {
        let opened = Disk::open(&path, LIMITS, START_S, |_| panic!("a row"));
        assert!(matches!(opened, Err(DiskError::Damaged(_))), "{}", path.display());
    }
}

#[test]
fn rows_are_dropped_by_their_origin_from_all_tables_and_only_the_owner_may_read_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    let (mut disk, _) = open(&path, 5 * MEBIBYTE, START_S);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let by = |endpoint: &str, number: u64| Row { endpoint: endpoint.into(), ..row(number, 32) };
    write(&mut disk, &[by("liar", 1), by("honest", 2)], START_S).unwrap();
    write(&mut disk, &[by("liar", 3), by("honest", 4)], START_S + PERIOD_S).unwrap();
    let dropped = disk.drop_where(START_S + PERIOD_S, |stored| &*stored.row.endpoint == "liar").unwrap();
    assert_eq!(dropped, 2);
    let left: u64 = disk.stored.values().sum();
    drop(disk);
    let (disk, rows) = open(&path, 5 * MEBIBYTE, START_S + PERIOD_S);
    assert_eq!(rows, [by("honest", 4), by("honest", 2)]);
    assert_eq!(disk.stored.values().sum::<u64>(), left, "their room is free");
}
