//! The store over restarts, kills, damage and reorganisations.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy::primitives::{Address, Bytes};
use futures_util::FutureExt;
use tempfile::TempDir;

use super::*;
use crate::cache::reply_cache::StoredReplyFilter;
use crate::cache::stored_replies::{StoredReplies, StoredRepliesError};
use crate::{Block, Read, Reply};

/// In the middle of a period of ten days.
const NOW_S: u64 = 1_760_400_000;
const DAY_S: u64 = 86_400;

/// A chain with the given hashes, whose reads an endpoint of another host repeats; other heights are not known.
struct FixedChain {
    hashes: BTreeMap<(u64, u64), B256>,
    checks: AtomicUsize,
    has_other: bool,
    is_final: bool,
    now: fn(u64) -> Outcome,
}

impl Default for FixedChain {
    fn default() -> Self {
        let (hashes, checks) = Default::default();
        Self { hashes, checks, has_other: true, is_final: true, now: answer }
    }
}

impl FixedChain {
    fn of(blocks: &[Block]) -> Self {
        let hashes = blocks.iter().map(|block| ((1, block.number), block.hash)).collect();
        Self { hashes, ..Self::default() }
    }

    fn checks(&self) -> usize {
        self.checks.load(Ordering::Relaxed)
    }
}

impl CrossChecker for FixedChain {
    fn has_other(&self, _: u64, host: &str) -> bool {
        assert_eq!(host, "node.example");
        self.has_other
    }

    fn check<'a>(
        &'a self,
        chain_id: u64,
        host: &'a str,
        number: u64,
        reads: ReadSet,
        _: Instant,
    ) -> BoxFuture<'a, Result<CrossCheck, ReadFailure>> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        let now = |read: Read| (self.now)(u64::from_be_bytes(read.data[..8].try_into().unwrap()));
        let by = if self.has_other { "other.example" } else { host };
        let outcomes = reads.iter().map(now).collect();
        let hash = self.hashes.get(&(chain_id, number)).copied();
        let check = CrossCheck { by: by.into(), hash, is_final: self.is_final, outcomes };
        async move { Ok(check) }.boxed()
    }
}

fn settings(folder: &Path) -> StoreSettings {
    let (lifetime, again_after) = (Duration::from_secs(30 * DAY_S), Duration::from_secs(600));
    StoreSettings { folder: folder.to_owned(), lifetime, again_after }
}

fn open(folder: &Path, cached: &Arc<ReplyCache>, now_s: u64) -> Option<Store> {
    Store::open_at(&settings(folder), cached, |_, _| false, now_s)
}

fn block(number: u64, timestamp: u64) -> Block {
    let hash = B256::left_padding_from(&number.to_be_bytes());
    Block { number, hash, parent: B256::ZERO, timestamp, evm_number: number }
}

fn read(number: u64) -> Read {
    Read::call(Address::repeat_byte(1), number.to_be_bytes()).fresh(Freshness::Immutable)
}

fn answer(number: u64) -> Outcome {
    Outcome::Ok(Bytes::copy_from_slice(&(number + 1).to_be_bytes()))
}

fn keep(kept: &ReplyCache, block: &Block, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        kept.insert(1, block, &read(number), &answer(number));
    }
}

/// Returns the numbers whose replies a process loads from the file; all must be unchanged.
fn loaded(folder: &Path, numbers: std::ops::Range<u64>) -> Vec<u64> {
    loaded_at(folder, NOW_S, numbers)
}

fn loaded_at(folder: &Path, now_s: u64, numbers: std::ops::Range<u64>) -> Vec<u64> {
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder, &kept, now_s);
    assert!(store.is_some(), "the store is open");
    known(&kept, numbers)
}

fn known(kept: &ReplyCache, numbers: std::ops::Range<u64>) -> Vec<u64> {
    let at = block(9_999_999, 1_600_000_000);
    let is_known = |number: &u64| match kept.get(1, &at, &read(*number)) {
        Some(Reply { outcome, .. }) => {
            assert_eq!(outcome, answer(*number));
            true
        }
        None => false,
    };
    numbers.filter(is_known).collect()
}

/// Makes a folder with a file that holds the replies 0 to 999, written at three times in two periods.
async fn filled() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    for (number, written_s, numbers) in
        [(1, NOW_S - 15 * DAY_S, 0..300), (2, NOW_S - DAY_S, 300..600), (3, NOW_S, 600..1000)]
    {
        // Blocks may be far older than the reads at them.
        let at = block(number, 1_600_000_000);
        let chain = FixedChain::of(&[at]);
        keep(&kept, &at, numbers);
        store.flush(&chain, written_s).await.unwrap();
        store.flush(&chain, written_s).await.unwrap();
        assert_eq!(chain.checks(), 1, "one request for a block");
    }
    folder
}

fn quarantined(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with("reads.redb.broken-")).count()
}

#[tokio::test]
async fn replies_survive_a_restart() {
    let folder = filled().await;
    assert_eq!(loaded(folder.path(), 0..1001), (0..1000).collect::<Vec<_>>());
    assert_eq!(quarantined(folder.path()), 0);
}

#[tokio::test]
async fn replies_survive_a_process_that_never_closed_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    for number in 1..8 {
        let at = block(number, NOW_S - 2_000);
        keep(&kept, &at, number * 100..number * 100 + 100);
        store.flush(&FixedChain::of(&[at]), NOW_S).await.unwrap();
        // A killed process leaves the file as it is while it is open.
        let killed = tempfile::tempdir().unwrap();
        fs::copy(folder.path().join(FILE), killed.path().join(FILE)).unwrap();
        assert_eq!(loaded(killed.path(), 0..1000), (100..number * 100 + 100).collect::<Vec<_>>());
        assert_eq!(quarantined(killed.path()), 0, "it is not taken for damaged");
    }
}

/// Names the folder for the process that is to be killed.
const KILLED: &str = "PORTOLAN_TEST_KILLED_STORE";

#[tokio::test]
async fn replies_survive_a_process_that_was_killed() {
    if let Some(folder) = std::env::var_os(KILLED) {
        return write_until_killed(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cache::store::tests::replies_survive_a_process_that_was_killed", "--nocapture"])
        .env(KILLED, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let mut written = lines.filter_map(|line| line.unwrap().split_once("written up to ")?.1.parse::<u64>().ok());
    let written = written.nth(20).unwrap();
    writer.kill().unwrap();
    writer.wait().unwrap();
    let numbers = loaded(folder.path(), 0..100_000);
    assert_eq!(written, 420, "twenty a flush");
    assert!(numbers.len() >= 420, "what was reported as written is there");
    assert!(numbers.iter().copied().eq(0..numbers.len().try_into().unwrap()), "whole flushes, in their order");
    assert_eq!(quarantined(folder.path()), 0);
}

/// Ends at the latest when its output is no longer read.
async fn write_until_killed(folder: &Path) {
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder, &kept, NOW_S).unwrap();
    for number in 0.. {
        let at = block(number, NOW_S - 2_000);
        keep(&kept, &at, number * 20..number * 20 + 20);
        store.flush(&FixedChain::of(&[at]), NOW_S).await.unwrap();
        println!("written up to {}", number * 20 + 20);
    }
}

#[tokio::test]
async fn a_reply_waits_until_its_block_is_deep() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let at = block(1, NOW_S);
    let chain = FixedChain::of(&[at]);
    keep(&kept, &at, 0..2);
    store.flush(&chain, NOW_S + 899).await.unwrap();
    assert_eq!(chain.checks(), 0);
    let copy = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join(FILE), copy.path().join(FILE)).unwrap();
    assert_eq!(loaded(copy.path(), 0..2), [0; 0], "not deep");
    store.flush(&chain, NOW_S + 900).await.unwrap();
    drop(store);
    assert_eq!(loaded(folder.path(), 0..2), [0, 1]);
}

#[tokio::test]
async fn a_block_that_was_reorganised_away_takes_its_replies_along() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let (lost, stays) = (block(1, NOW_S - 2_000), block(2, NOW_S - 1_988));
    keep(&kept, &lost, 0..2);
    keep(&kept, &stays, 2..4);
    let instead = Block { hash: B256::repeat_byte(9), ..lost };
    store.flush(&FixedChain::of(&[instead, stays]), NOW_S).await.unwrap();
    assert_eq!(known(&kept, 0..4), [2, 3], "in memory too");
    drop(store);
    assert_eq!(loaded(folder.path(), 0..4), [2, 3]);
}

#[tokio::test]
async fn a_block_that_no_endpoint_reports_is_retried_and_given_up_at_last() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let (first, second) = (block(1, NOW_S - 900), block(2, NOW_S - 900));
    keep(&kept, &first, 0..2);
    keep(&kept, &second, 2..4);
    let silent = FixedChain::default();
    let requests_at = [(0, 2), (59, 2), (60, 4)];
    for (after_s, requests) in requests_at {
        store.flush(&silent, NOW_S + after_s).await.unwrap();
        assert_eq!(silent.checks(), requests, "after {after_s} s");
    }
    store.flush(&FixedChain::of(&[first]), NOW_S + 120).await.unwrap();
    for minute in 3..=60 {
        store.flush(&silent, NOW_S + 60 * minute).await.unwrap();
    }
    store.flush(&FixedChain::of(&[first, second]), NOW_S + 7_200).await.unwrap();
    assert_eq!(known(&kept, 0..4), [0, 1, 2, 3], "memory keeps them");
    drop(store);
    assert_eq!(loaded(folder.path(), 0..4), [0, 1], "the second one was given up");
}

#[tokio::test]
async fn a_block_of_a_far_future_does_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::new(ReplyCache::for_a_month());
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let at = block(1, NOW_S + 3_601);
    keep(&kept, &at, 0..2);
    store.flush(&FixedChain::of(&[at]), NOW_S).await.unwrap();
    assert!(store.pending.take(9, |_| true).is_empty());
}

#[tokio::test]
async fn replies_expire_after_thirty_days() {
    let folder = filled().await;
    for (days, first) in [(0, 0), (14, 0), (16, 300), (28, 300), (30, 600), (31, 1000), (400, 1000)] {
        let copy = tempfile::tempdir().unwrap();
        fs::copy(folder.path().join(FILE), copy.path().join(FILE)).unwrap();
        let expected: Vec<u64> = (first..1000).collect();
        assert_eq!(loaded_at(copy.path(), NOW_S + days * DAY_S, 0..1000), expected, "{days} days later");
        assert_eq!(quarantined(copy.path()), 0);
    }
}

#[tokio::test]
async fn a_flipped_bit_is_never_served() {
    let folder = filled().await;
    let whole = fs::read(folder.path().join(FILE)).unwrap();
    let mut moved = 0;
    // Places in the head, and all over the rest.
    let places = (0..320).step_by(3).chain((320..whole.len()).step_by(whole.len() / 200 + 1));
    for place in places {
        let mut flipped = whole.clone();
        flipped[place] ^= 1 << (place % 8);
        let broken = tempfile::tempdir().unwrap();
        fs::write(broken.path().join(FILE), &flipped).unwrap();
        let numbers = loaded(broken.path(), 0..1000);
        match quarantined(broken.path()) {
            0 => assert_eq!(numbers.len(), 1000, "byte {place}: nothing that counts was hit"),
            1 => {
                assert_eq!(numbers.len(), 0, "byte {place}");
                let file = broken.path().join(format!("reads.redb.broken-{NOW_S}"));
                assert_eq!(fs::metadata(file).unwrap().len(), fs::metadata(folder.path().join(FILE)).unwrap().len());
                moved += 1;
            }
            more => panic!("{more} files aside"),
        }
    }
    assert!(moved > 20, "{moved} files were found damaged");
}

#[tokio::test]
async fn a_file_that_is_cut_or_is_something_else_is_quarantined_and_a_new_one_works() {
    let folder = filled().await;
    let whole = fs::read(folder.path().join(FILE)).unwrap();
    let half = whole.len() / 2;
    let texts = [b"[gateway]\nlisten = '::1'\n".to_vec(), b"x".repeat(100_000)];
    let cut = [1, 100, 4_096, half, whole.len() - 4_096].map(|length| whole[..length].to_vec());
    let zeros = [vec![0; 512], vec![0; 4_096], vec![0; whole.len()]];
    let zeros = zeros.map(|zeros| [&zeros[..], &whole[zeros.len()..]].concat());
    for bytes in texts.iter().chain(&cut).chain(&zeros) {
        let broken = tempfile::tempdir().unwrap();
        fs::write(broken.path().join(FILE), bytes).unwrap();
        let kept = Arc::new(ReplyCache::for_a_month());
        let store = open(broken.path(), &kept, NOW_S).unwrap();
        assert_eq!((quarantined(broken.path()), known(&kept, 0..1000)), (1, vec![]), "{} bytes", bytes.len());
        let at = block(1, NOW_S - 2_000);
        keep(&kept, &at, 7..9);
        store.flush(&FixedChain::of(&[at]), NOW_S).await.unwrap();
        drop(store);
        assert_eq!(loaded(broken.path(), 0..1000), [7, 8]);
    }
}

#[test]
fn an_unusable_folder_leaves_the_memory_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "a file").unwrap();
    let kept = Arc::new(ReplyCache::for_a_month());
    assert!(open(&file, &kept, NOW_S).is_none(), "a file where the folder should be");
    fs::create_dir_all(folder.path().join(FILE)).unwrap();
    assert!(open(folder.path(), &kept, NOW_S).is_none(), "a folder where the file should be");
    keep(&kept, &block(1, NOW_S), 0..2);
    assert_eq!(known(&kept, 0..2), [0, 1]);
    assert!(kept.write_to_disk().unwrap().take(9, |_| true).is_empty(), "nothing waits for a disk that is not there");
}

#[tokio::test]
async fn a_second_process_leaves_the_first_ones_file_alone() {
    let folder = filled().await;
    let (first, second) = (Arc::new(ReplyCache::for_a_month()), Arc::new(ReplyCache::for_a_month()));
    let store = open(folder.path(), &first, NOW_S);
    assert!(open(folder.path(), &second, NOW_S).is_none());
    assert_eq!((quarantined(folder.path()), known(&first, 0..1000).len()), (0, 1000));
    drop(store);
    assert!(open(folder.path(), &second, NOW_S).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_fails_later_ends_the_writing_and_nothing_waits_for_it() {
    let kept = Arc::new(ReplyCache::for_a_month());
    let (disk, fails) = disk::tests::failing(unix_s());
    let pending = kept.write_to_disk().unwrap();
    let disk = Arc::new(Mutex::new(disk));
    let (cached, pending) = (Arc::clone(&kept), Arc::clone(&pending));
    let store = Store { path: PathBuf::new(), disk, cached, pending, again_after_s: 0 };
    let (first, second) = (block(1, unix_s() - 2_000), block(2, unix_s() - 2_000));
    keep(&kept, &first, 0..2);
    store.flush(&FixedChain::of(&[first]), unix_s()).await.unwrap();
    keep(&kept, &second, 2..4);
    fails.store(true, Ordering::Relaxed);
    store.run(Arc::new(FixedChain::of(&[second]))).await;
    keep(&kept, &block(3, NOW_S), 4..6);
    assert!(kept.write_to_disk().is_none());
    assert_eq!(known(&kept, 0..6), [0, 1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_reply_waits_until_its_block_is_final() {
    let (folder, kept) = (tempfile::tempdir().unwrap(), Arc::new(ReplyCache::for_a_month()));
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let at = block(1, NOW_S - 2_000);
    keep(&kept, &at, 0..2);
    store.flush(&FixedChain { is_final: false, ..FixedChain::of(&[at]) }, NOW_S).await.unwrap();
    let copy = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join(FILE), copy.path().join(FILE)).unwrap();
    assert_eq!(loaded(copy.path(), 0..2), [0; 0]);
    store.flush(&FixedChain::of(&[at]), NOW_S + 60).await.unwrap();
    drop(store);
    assert_eq!(loaded(folder.path(), 0..2), [0, 1]);
}

#[tokio::test]
async fn where_there_is_one_endpoint_it_has_to_say_the_same_later() {
    let (folder, kept) = (tempfile::tempdir().unwrap(), Arc::new(ReplyCache::for_a_month()));
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let at = block(1, NOW_S - 2_000);
    let alone = FixedChain { has_other: false, ..FixedChain::of(&[at]) };
    keep(&kept, &at, 0..2);
    for (after_s, checks) in [(0, 0), (599, 0), (600, 1)] {
        store.flush(&alone, NOW_S + after_s).await.unwrap();
        assert_eq!(alone.checks(), checks, "after {after_s} s");
    }
    drop(store);
    // A fact from a single endpoint serves as long as that endpoint is configured.
    for (configured, expected) in [("node.example", vec![0, 1]), ("other.example", vec![])] {
        let kept = Arc::new(ReplyCache::for_a_month());
        let store = Store::open_at(&settings(folder.path()), &kept, |_, host| host == configured, NOW_S + 600);
        assert!(store.is_some());
        assert_eq!(known(&kept, 0..2), expected, "{configured}");
    }
}

#[tokio::test]
async fn the_facts_of_an_endpoint_that_another_contradicts_are_dropped_from_memory_and_disk() {
    let (folder, kept) = (tempfile::tempdir().unwrap(), Arc::new(ReplyCache::for_a_month()));
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let (first, second) = (block(1, NOW_S - 2_000), block(2, NOW_S - 2_000));
    keep(&kept, &first, 0..2);
    store.flush(&FixedChain::of(&[first]), NOW_S).await.unwrap();
    keep(&kept, &second, 2..4);
    let contradicting = |number| if number == 3 { answer(9) } else { answer(number) };
    store.flush(&FixedChain { now: contradicting, ..FixedChain::of(&[second]) }, NOW_S).await.unwrap();
    assert_eq!(known(&kept, 0..4), [0; 0]);
    drop(store);
    assert_eq!(loaded(folder.path(), 0..4), [0; 0]);
}

#[tokio::test]
async fn a_reply_that_cannot_be_read_again_waits_and_the_others_are_written() {
    let (folder, kept) = (tempfile::tempdir().unwrap(), Arc::new(ReplyCache::for_a_month()));
    let store = open(folder.path(), &kept, NOW_S).unwrap();
    let at = block(1, NOW_S - 2_000);
    keep(&kept, &at, 0..2);
    let failing = |number| if number == 1 { Outcome::Failed(ReadFailure::Timeout) } else { answer(number) };
    store.flush(&FixedChain { now: failing, ..FixedChain::of(&[at]) }, NOW_S).await.unwrap();
    let copy = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join(FILE), copy.path().join(FILE)).unwrap();
    assert_eq!(loaded(copy.path(), 0..2), [0]);
    store.flush(&FixedChain::of(&[at]), NOW_S + 60).await.unwrap();
    drop(store);
    assert_eq!(loaded(folder.path(), 0..2), [0, 1]);
}

#[tokio::test]
async fn facts_are_listed_with_their_origin_and_purged_from_memory_and_disk() {
    let (folder, kept) = (tempfile::tempdir().unwrap(), Arc::new(ReplyCache::for_a_month()));
    let store = Store::open(&settings(folder.path()), &kept, |_, _| true).unwrap();
    let at = block(7, unix_s() - 2_000);
    keep(&kept, &at, 0..2);
    store.flush(&FixedChain::of(&[at]), unix_s()).await.unwrap();
    let facts = StoredReplies::new(Arc::clone(&kept), Some(Arc::clone(&store.disk)));
    let (all, more) = facts.list(&StoredReplyFilter::default()).unwrap();
    let shown: Vec<_> = all.iter().map(|fact| (fact.chain_id, fact.contract, fact.block, fact.block_time)).collect();
    assert_eq!((shown, more), (vec![(1, Address::repeat_byte(1), 7, at.timestamp); 2], 0));
    assert!(all.iter().all(|fact| (&*fact.endpoint, &*fact.confirmed_by) == ("node.example", "other.example")));
    let other = |filter: StoredReplyFilter| facts.purge(&filter).unwrap();
    assert_eq!(other(StoredReplyFilter { chain_id: Some(137), ..StoredReplyFilter::default() }), (0, 0));
    assert_eq!(
        other(StoredReplyFilter { endpoint: Some("third.example".into()), ..StoredReplyFilter::default() }),
        (0, 0)
    );
    assert_eq!(other(StoredReplyFilter { contract: Some(Address::ZERO), ..StoredReplyFilter::default() }), (0, 0));
    assert_eq!(
        other(StoredReplyFilter { endpoint: Some("node.example".into()), ..StoredReplyFilter::default() }),
        (2, 2)
    );
    assert_eq!((known(&kept, 0..2), facts.list(&StoredReplyFilter::default()).unwrap()), (vec![], (vec![], 0)));
    assert!(matches!(StoredReplies::open(folder.path(), Duration::from_secs(DAY_S)), Err(StoredRepliesError::InUse)));
    drop((facts, store));
    assert!(StoredReplies::open(folder.path(), Duration::from_secs(DAY_S)).is_ok());
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(StoredReplies::open(empty.path(), Duration::from_secs(DAY_S)), Err(StoredRepliesError::Missing)));
}
