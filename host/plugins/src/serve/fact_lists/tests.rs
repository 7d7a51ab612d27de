//! Fact lists, changed by honest and hostile jobs.

use super::*;

const BYTES_MAX: usize = 256 << 20;

fn name(key: &str) -> FactListName {
    let (network, protocol) = ("ethereum".to_owned(), "acme".to_owned());
    FactListName { network, protocol, market: "main".to_owned(), key: key.to_owned(), block: None }
}

fn entries(places: std::ops::Range<u32>) -> Vec<u8> {
    let mut bytes = Vec::new();
    places.for_each(|place| assert!(fact_entries::push(&mut bytes, &place.to_be_bytes())));
    bytes
}

fn put(from: usize, total: usize, entries: &[u8]) -> FactPut<'_> {
    FactPut { from, total, entries, block: 7 }
}

fn now() -> Instant {
    Instant::now()
}

/// A list with two chunks of ten entries each.
fn filled(lists: &Arc<FactLists>, at: Instant) {
    let lease = lists.open(name("gauges"), at).lease.unwrap();
    assert!(!lease.put(put(0, 20, &entries(0..10)), at));
    assert!(lease.put(put(10, 20, &entries(10..20)), at));
}

fn known(lists: &Arc<FactLists>, at: Instant) -> usize {
    let list = lists.open(name("gauges"), at);
    fact_entries::entries(&list.known.entries).unwrap().len()
}

#[test]
fn a_later_job_goes_on_where_the_list_ends() {
    let (lists, now) = (FactStore::new(BYTES_MAX).instance(), now());
    filled(&lists, now);
    let OpenedFacts { known: list, lease, .. } = lists.open(name("gauges"), now);
    assert_eq!((list.entries.to_vec(), list.block, list.may_walk), (entries(0..20), 7, true));
    let lease = lease.unwrap();
    assert!(!lease.put(put(21, 22, &entries(21..22)), now), "there is a gap before it");
    assert!(lease.put(put(20, 22, &entries(20..22)), now));
    drop(lease);
    assert_eq!(known(&lists, now), 22);
    let row = &lists.status(now + Duration::from_secs(5))[0];
    assert_eq!((row.entries, row.bytes, row.complete, row.age_s), (22, 22 * 8, true, 5));
}

#[test]
fn of_two_jobs_at_once_one_changes_the_list_and_the_other_has_what_is_there() {
    let (lists, now) = (FactStore::new(BYTES_MAX).instance(), now());
    let first = lists.open(name("gauges"), now).lease.unwrap();
    first.put(put(0, 20, &entries(0..10)), now);
    let OpenedFacts { known: list, lease: second, .. } = lists.open(name("gauges"), now);
    assert_eq!((list.entries.to_vec(), list.may_walk, second.is_none()), (entries(0..10), false, true));
    drop(first);
    assert!(lists.open(name("gauges"), now).lease.is_some());
}

#[test]
fn entries_are_due_after_half_an_hour_and_then_after_six() {
    let (lists, begin) = (FactStore::new(BYTES_MAX).instance(), now());
    let after = |minutes: u64| begin + Duration::from_secs(60 * minutes);
    filled(&lists, begin);
    assert_eq!(lists.open(name("gauges"), after(29)).known.again_from, None);
    let OpenedFacts { known: list, lease, .. } = lists.open(name("gauges"), after(31));
    assert_eq!((list.again_from, list.again_count), (Some(0), Some(10)));
    assert!(lease.unwrap().put(put(0, 20, &entries(0..10)), after(31)));
    let OpenedFacts { known: list, lease, .. } = lists.open(name("gauges"), after(31));
    assert_eq!((list.again_from, list.again_count), (Some(10), Some(10)), "the oldest is due first");
    assert!(lease.unwrap().put(put(10, 20, &entries(10..20)), after(31)));
    assert_eq!(lists.open(name("gauges"), after(31 + 6 * 60)).known.again_from, None);
    assert_eq!(lists.open(name("gauges"), after(32 + 6 * 60)).known.again_from, Some(0));
    assert_eq!(known(&lists, after(31 + 24 * 60)), 20);
    assert_eq!(known(&lists, after(32 + 24 * 60)), 0, "no entry is older than a day");
}

#[test]
fn a_list_that_is_contradicted_is_dropped() {
    let now = now();
    let other = entries(5..15);
    for wrong in [put(0, 20, &other), put(4, 4, &[]), put(5, 20, &other), put(10, 20, &other)] {
        let lists = FactStore::new(BYTES_MAX).instance();
        filled(&lists, now);
        let lease = lists.open(name("gauges"), now).lease.unwrap();
        assert!(!lease.put(wrong, now));
        assert!(lease.put(put(0, 4, &entries(0..4)), now), "it is walked anew at once");
        drop(lease);
        assert_eq!(known(&lists, now), 4);
    }
    let lists = FactStore::new(BYTES_MAX).instance();
    filled(&lists, now);
    lists.drop_network("polygon");
    assert_eq!(known(&lists, now), 20);
    lists.drop_network("ethereum");
    assert_eq!(known(&lists, now), 0);
}

#[test]
fn instances_see_no_list_of_another_and_lists_go_with_their_instance() {
    let (store, now) = (FactStore::new(BYTES_MAX), now());
    let (one, other) = (store.instance(), store.instance());
    filled(&one, now);
    assert_eq!((known(&one, now), known(&other, now)), (20, 0));
    assert!(store.0.lock().bytes > 20 * 8);
    drop((one, other));
    let inner = store.0.lock();
    assert_eq!((inner.bytes, inner.lists.len()), (0, 0));
}

#[test]
fn a_lease_that_outlives_its_list_changes_nothing() {
    let (lists, now) = (FactStore::new(BYTES_MAX).instance(), now());
    let before = lists.open(name("gauges"), now).lease;
    lists.drop_network("ethereum");
    let after = lists.open(name("gauges"), now).lease;
    let (before, after) = (before.unwrap(), after.unwrap());
    assert!(!before.put(put(0, 1, &entries(0..1)), now));
    drop(before);
    assert!(after.put(put(0, 1, &entries(0..1)), now), "the other's end is not this one's");
}

#[test]
fn garbage_and_what_is_too_large_is_not_taken() {
    let (lists, now) = (FactStore::new(BYTES_MAX).instance(), now());
    let lease = lists.open(name("gauges"), now).lease.unwrap();
    let mut large = Vec::new();
    assert!(fact_entries::push(&mut large, &vec![0; FACT_LIST_BYTES_MAX]));
    let many = entries(0..u32::try_from(FACT_ENTRIES_MAX + 1).unwrap());
    for garbage in [&[0xff; 64][..], &large, &many] {
        lease.put(put(0, usize::MAX, garbage), now);
        assert_eq!(lists.status(now)[0].entries, 0);
    }
}

#[test]
fn many_large_lists_push_out_those_of_their_own_plugin_alone() {
    let (store, now) = (FactStore::new(BYTES_MAX), now());
    let honest = store.instance();
    filled(&honest, now);
    let mut chunk = Vec::new();
    assert!(fact_entries::push(&mut chunk, &vec![0; FACT_LIST_BYTES_MAX / 2]));
    let hostile = store.instance();
    for number in 0..200 {
        drop(honest.open(name("gauges"), now));
        let lease = hostile.open(name(&format!("key-{number}")), now).lease.unwrap();
        lease.put(put(0, 9, &chunk), now);
        lease.put(put(1, 9, &chunk), now);
        assert!(store.0.lock().bytes <= BYTES_MAX);
    }
    assert!(hostile.status(now).len() <= LISTS_MAX);
    assert!(hostile.status(now).iter().map(|row| row.bytes).sum::<usize>() <= INSTANCE_BYTES_MAX);
    assert_eq!(known(&honest, now), 20, "what is used stays");
}

#[test]
fn an_instance_walks_for_so_many_reads_an_hour() {
    let (lists, now) = (FactStore::new(BYTES_MAX).instance(), now());
    assert!((0..WALK_READS_PER_HOUR).all(|_| lists.take_walk_read(false, now)));
    assert!(!lists.take_walk_read(false, now));
    assert!(lists.open(name("gauges"), now).lease.is_none(), "nothing is left to walk with");
    assert!(lists.take_walk_read(false, now + HOUR));
}

#[test]
fn lists_at_named_blocks_take_no_room_from_those_that_go_on_to_grow() {
    let lists = FactStore::new(BYTES_MAX).instance();
    let now = now();
    let count = |is_past: bool| {
        let inner = lists.store.0.lock();
        inner.lists.keys().filter(|(_, name)| name.block.is_some() == is_past).count()
    };
    // A list without entries is dropped with its lease, so all leases are held.
    let growing: Vec<_> = (0..3).map(|place| lists.open(name(&format!("k{place}")), now)).collect();
    for block in 0..100 {
        let at = FactListName { block: Some(block), ..name("k0") };
        let opened = lists.open(at, now);
        let lease = opened.lease.unwrap();
        assert!(lease.put(put(0, 1, &entries(0..1)), now));
    }
    assert_eq!((count(false), count(true)), (growing.len(), PAST_LISTS_MAX));
    while lists.take_walk_read(true, now) {}
    assert!(lists.take_walk_read(false, now), "they have reads of their own");
}

#[test]
fn a_list_begins_with_what_another_gateway_read_and_is_read_again_in_time() {
    let (lists, now) = (FactStore::new(BYTES_MAX).instance(), now() + DROP_AFTER);
    assert!(lists.is_unknown(&name("gauges")));
    let (first, second, gap) = (entries(0..10), entries(10..20), entries(21..22));
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let parts =
        [(put(0, 20, &first), minutes(10)), (put(10, 20, &second), minutes(5)), (put(21, 22, &gap), minutes(1))];
    lists.begin_with(name("gauges"), &parts, now);
    assert!(!lists.is_unknown(&name("gauges")));
    let OpenedFacts { known: list, is_complete, lease } = lists.open(name("gauges"), now);
    assert_eq!((list.entries.to_vec(), is_complete, list.again_from), (entries(0..20), true, None));
    let lease = lease.unwrap();
    assert_eq!(lease.part(10), Some((&name("gauges"), 1)));
    assert_eq!(lease.part(11), None);
    drop(lease);
    // Nothing takes the place of what is known.
    lists.begin_with(name("gauges"), &[(put(0, 9, &gap), minutes(0))], now);
    assert_eq!(known(&lists, now), 20);
    let OpenedFacts { known: list, lease, .. } = lists.open(name("gauges"), now + minutes(21));
    assert_eq!((list.again_from, list.again_count), (Some(0), Some(10)));
    // The contract says otherwise: the list is dropped, and nothing of other gateways is taken any more.
    lease.unwrap().put(put(0, 20, &entries(1..11)), now + minutes(21));
    assert!(!lists.is_unknown(&name("gauges")) && !lists.is_unknown(&name("others")));
}

#[test]
fn what_is_not_a_list_does_not_begin_one() {
    let (lists, now) = (FactStore::new(BYTES_MAX).instance(), now());
    for bad in [&[0xff; 8][..], &[]] {
        lists.begin_with(name("gauges"), &[(put(0, 20, bad), HOUR)], now);
        assert!(lists.is_unknown(&name("gauges")) && lists.status(now).is_empty());
    }
    lists.begin_with(name("gauges"), &[(put(3, 20, &entries(3..4)), HOUR)], now);
    assert!(lists.status(now).is_empty(), "its beginning is missing");
    let past = FactListName { block: Some(7), ..name("gauges") };
    assert!(!lists.is_unknown(&past), "those of named blocks are not shared");
    let lease = lists.open(name("gauges"), now).lease;
    assert!(lease.is_some() && !lists.is_unknown(&name("gauges")), "a job reads it");
}
