//! A store that is slow, gone, hung, full, lying or poisoned: never a wrong entry, and a bounded cost.
//!
//! The server is a double on loopback that speaks what is needed of the protocol; `against_redis` repeats the main
//! cases with the real `redis-server`, and says so where it is not installed.

mod against_redis;

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, interval};

use crate::testing::{Mood, Server};
use crate::{Channel, Entry, EntryKind, SECRET_BYTES_MIN, SharedStore, SharedStoreSettings, SharedStoreStatus};
use crate::{StoreAuthorities, StoreSecret, StoreUrl};

const KIND: EntryKind = EntryKind::Fact;
const CHAIN: u64 = 137;
/// Many times the default, so that a busy machine does not pass for a slow store.
const WAIT: Duration = Duration::from_millis(500);
const HOUR: Duration = Duration::from_secs(3_600);
const WITHIN: Duration = Duration::from_secs(20);

fn settings(url: &str, secret: u8, wait: Duration) -> SharedStoreSettings {
    SharedStoreSettings {
        url: StoreUrl::parse(url).unwrap(),
        secret: StoreSecret::new(&[secret; SECRET_BYTES_MIN]).unwrap(),
        authorities: StoreAuthorities::of_the_web().unwrap(),
        wait,
    }
}

/// Takes part in the store at a URL, and waits for the connection.
async fn connected(url: &str, secret: u8) -> Arc<SharedStore> {
    let store = SharedStore::start(settings(url, secret, WAIT));
    until("a connection", &store, |status| status.connected).await;
    store
}

/// Looks at the status again and again, until it is as expected.
async fn until(what: impl Display, store: &SharedStore, is_it: impl Fn(&SharedStoreStatus) -> bool) {
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(5)));
    while !is_it(&store.status()) {
        assert!(begin.elapsed() < WITHIN, "{what}: {:?}", store.status());
        looks.tick().await;
    }
}

fn key(number: u64) -> Vec<u8> {
    format!("key {number}").into_bytes()
}

fn keys(count: u64) -> Vec<Vec<u8>> {
    (0..count).map(key).collect()
}

fn entry(number: u64) -> Entry {
    Entry { block: [7; 32], value: format!("value {number}").into() }
}

async fn get(store: &SharedStore, count: u64) -> Vec<(usize, Entry)> {
    store.get(KIND, CHAIN, &keys(count)).await
}

/// Writes entries, and waits until the store has them.
async fn put(store: &SharedStore, numbers: impl IntoIterator<Item = u64>) {
    let before = store.status().written;
    let mut count = 0;
    for number in numbers {
        store.put(KIND, CHAIN, &key(number), &entry(number), HOUR);
        count += 1;
    }
    until("a write", store, |status| status.written == before + count).await;
}

#[tokio::test]
async fn what_one_gateway_puts_another_gets() {
    let server = Server::start().await;
    let (one, other) = (connected(&server.url(), 1).await, connected(&server.url(), 1).await);
    put(&one, (0..1_200).filter(|number| number % 2 == 0)).await;
    let found = get(&other, 1_200).await;
    assert!(found.iter().map(|(place, _)| *place).eq((0..1_200).step_by(2)));
    assert!((0..).step_by(2).zip(&found).all(|(number, (_, found))| *found == entry(number)));
    assert_eq!(server.commands("MGET"), 3, "512 keys a command");
    let status = other.status();
    assert_eq!((status.hits, status.misses, status.refused, status.late), (600, 600, 0, 0));
    assert_eq!(other.get(KIND, CHAIN + 1, &keys(4)).await, [], "another network has other entries");
}

/// Publishes an entry again and again until a receiver has it: nobody knows when the other side listens. Those of before
/// were published more than once too, and may come late.
async fn heard(from: &SharedStore, by: &SharedStore, number: u64) {
    let (mut receiver, begin) = (by.published(Channel::Heads), Instant::now());
    let mut again = interval(Duration::from_millis(20));
    loop {
        assert!(begin.elapsed() < WITHIN, "entry {number} is not heard");
        tokio::select! {
            heard = receiver.recv() => if heard.unwrap() == (CHAIN, entry(number)) { return },
            _ = again.tick() => from.publish(Channel::Heads, CHAIN, &entry(number)),
        }
    }
}

#[tokio::test]
async fn what_is_published_reaches_others_and_is_not_held() {
    let server = Server::start().await;
    let (one, other) = (connected(&server.url(), 1).await, connected(&server.url(), 1).await);
    heard(&one, &other, 3).await;
    assert_eq!((server.commands("SET"), one.status().written), (0, 0));
}

#[tokio::test]
async fn reports_that_are_changed_cut_foreign_or_of_another_network_are_refused() {
    let server = Server::start().await;
    let (one, other) = (connected(&server.url(), 1).await, connected(&server.url(), 1).await);
    heard(&one, &other, 3).await;
    let mut receiver = other.published(Channel::Heads);
    let message = server.published().swap_remove(0);
    let changes: [fn(&mut Vec<u8>); 4] = [
        |message| message[7] ^= 1,
        |message| *message.last_mut().unwrap() ^= 1,
        |message| message.truncate(20),
        Vec::clear,
    ];
    for (change, refused) in changes.iter().zip(1..) {
        let mut changed = message.clone();
        change(&mut changed);
        server.publish(Channel::Heads, &changed);
        until("a refusal", &other, |status| status.refused == refused).await;
    }
    let foreign = connected(&server.url(), 2).await;
    foreign.publish(Channel::Heads, CHAIN, &entry(4));
    until("a refusal", &other, |status| status.refused == 5).await;
    while let Ok((_, heard)) = receiver.try_recv() {
        assert_eq!(heard, entry(3), "the first one, repeated");
    }
}

#[tokio::test]
async fn a_report_of_one_channel_is_refused_on_another() {
    let server = Server::start().await;
    let (one, other) = (connected(&server.url(), 1).await, connected(&server.url(), 1).await);
    heard(&one, &other, 3).await;
    let mut receiver = other.published(Channel::ClientReads);
    let refused = other.status().refused;
    server.publish(Channel::ClientReads, &server.published()[0]);
    until("a refusal", &other, |status| status.refused == refused + 1).await;
    assert!(receiver.try_recv().is_err());
    one.publish(Channel::ClientReads, 0, &entry(5));
    assert_eq!(receiver.recv().await.unwrap(), (0, entry(5)));
    let large = Entry { value: Bytes::from(vec![1; (16 << 10) + 1]), ..entry(0) };
    let published = server.published().len();
    one.publish(Channel::ClientReads, 0, &large);
    one.publish(Channel::ClientReads, 0, &entry(6));
    assert_eq!(receiver.recv().await.unwrap(), (0, entry(6)));
    assert_eq!(server.published().len(), published + 1);
}

#[tokio::test]
async fn reports_are_heard_again_when_the_store_is_back() {
    let mut server = Server::start().await;
    let (one, other) = (connected(&server.url(), 1).await, connected(&server.url(), 1).await);
    heard(&one, &other, 3).await;
    server.stop().await;
    server.start_again().await;
    heard(&one, &other, 4).await;
}

#[tokio::test]
async fn a_flood_of_messages_ends_the_connection_that_listens() {
    let server = Server::start().await;
    let (one, other) = (connected(&server.url(), 1).await, connected(&server.url(), 1).await);
    heard(&one, &other, 3).await;
    // More than a second's messages at once.
    (0..32).for_each(|_| server.publish(Channel::Heads, &vec![1; 64 << 10]));
    // Over another connection.
    heard(&one, &other, 4).await;
    assert!(other.status().refused < 32);
}

#[tokio::test]
async fn entries_of_another_secret_are_refused_and_counted() {
    let server = Server::start().await;
    let (one, other) = (connected(&server.url(), 1).await, connected(&server.url(), 2).await);
    put(&one, 0..3).await;
    assert_eq!(get(&other, 3).await, []);
    assert_eq!((other.status().refused, other.status().hits), (3, 0));
    // What it writes itself takes their place.
    put(&other, [0]).await;
    assert_eq!(get(&other, 1).await, [(0, entry(0))]);
}

#[tokio::test]
async fn poisoned_truncated_and_replayed_values_are_refused() {
    type Change = fn(&mut Vec<Option<Vec<u8>>>);
    let changes: [(&str, Change); 6] = [
        ("poisoned", |values| values[0].as_mut().unwrap()[70] ^= 1),
        ("truncated", |values| values[0].as_mut().unwrap().truncate(60)),
        ("emptied", |values| values[0] = Some(Vec::new())),
        ("of another key", |values| values[0] = values[1].clone()),
        ("too large", |values| values[0] = Some(vec![1; 8 << 10])),
        ("made up", |values| values[0] = Some([[0; 64].as_slice(), b"value 0"].concat())),
    ];
    for (what, change) in changes {
        let server = Server::start().await;
        let store = connected(&server.url(), 1).await;
        put(&store, 0..2).await;
        server.set(Mood::Changing(change));
        assert_eq!(get(&store, 2).await, [(1, entry(1))], "{what}");
        assert_eq!((store.status().refused, store.status().hits), (1, 1), "{what}");
    }
}

#[tokio::test]
async fn replies_of_another_form_are_misses() {
    for reply in ["*1\r\n$-1\r\n", "+OK\r\n", ":7\r\n", "*-1\r\n", "-ERR no\r\n", "*2\r\n*0\r\n*0\r\n", "$1\r\nx\r\n"] {
        let server = Server::start().await;
        let store = connected(&server.url(), 1).await;
        put(&store, 0..2).await;
        server.set(Mood::Saying(reply));
        assert_eq!(get(&store, 2).await, [], "{reply:?}");
        assert_eq!(store.status().misses, 2, "{reply:?}");
    }
}

#[tokio::test]
async fn bytes_that_are_not_a_reply_end_the_connection_and_another_is_made() {
    for reply in ["hello\r\n", "*2\r\n$99999999999\r\n", "*999999999999\r\n", "%-1\r\n", "|-2\r\n"] {
        let server = Server::start().await;
        let store = connected(&server.url(), 1).await;
        put(&store, 0..2).await;
        server.set(Mood::Saying(reply));
        assert_eq!(get(&store, 2).await, [], "{reply:?}");
        server.set(Mood::Sound);
        until_found(&store).await;
    }
}

/// Looks an entry up until it is found again.
async fn until_found(store: &SharedStore) {
    until_found_by(store, 0).await;
}

async fn until_found_by(store: &SharedStore, number: u64) {
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(20)));
    while store.get(KIND, CHAIN, &[key(number)]).await != [(0, entry(number))] {
        assert!(begin.elapsed() < WITHIN, "not found again: {:?}", store.status());
        looks.tick().await;
    }
}

#[tokio::test]
async fn a_flood_ends_the_connection() {
    let server = Server::start().await;
    let store = connected(&server.url(), 1).await;
    put(&store, [0]).await;
    server.set(Mood::Flooding);
    get(&store, 1).await;
    let store = &store;
    until("the end of the flood", store, |_| server.flooded().is_some()).await;
    let flooded = server.flooded().unwrap();
    // What the kernel buffers of a connection comes on top of what is allowed.
    assert!(flooded < 64 << 20, "{flooded} bytes were taken");
    server.set(Mood::Sound);
    until_found(store).await;
}

#[tokio::test]
async fn a_hung_store_costs_its_bound_three_times_and_is_left_alone() {
    let server = Server::start().await;
    let wait = Duration::from_millis(100);
    let store = SharedStore::start(settings(&server.url(), 1, wait));
    until("a connection", &store, |status| status.connected).await;
    put(&store, [0]).await;
    server.set(Mood::Hung);
    let began = Instant::now();
    for _ in 0..200 {
        assert_eq!(get(&store, 1).await, []);
    }
    let took = began.elapsed();
    assert!(took >= wait * 3 && took < wait * 8, "200 look-ups took {took:?}");
    assert!((3..=4).contains(&store.status().late) && store.status().paused, "{:?}", store.status());
    server.set(Mood::Sound);
    until_found(&store).await;
    assert!(!store.status().paused);
}

#[tokio::test]
async fn a_slow_store_costs_its_bound_three_times_and_loses_nothing_else() {
    let server = Server::start().await;
    let store = SharedStore::start(settings(&server.url(), 1, Duration::from_millis(20)));
    until("a connection", &store, |status| status.connected).await;
    put(&store, [0]).await;
    server.set(Mood::Slow(Duration::from_millis(200)));
    for _ in 0..300 {
        assert_eq!(get(&store, 1).await, []);
    }
    // A look-up at the end of a pause may be the fourth.
    let SharedStoreStatus { late, misses, refused, dropped, .. } = store.status();
    assert!((3..=4).contains(&late), "{late}");
    assert_eq!((misses, refused, dropped), (300, 0, 0));
    server.set(Mood::Sound);
    until_found(&store).await;
}

#[tokio::test]
async fn no_look_up_waits_for_more_than_the_bound() {
    let server = Server::start().await;
    let store = SharedStore::start(settings(&server.url(), 1, Duration::from_millis(5)));
    until("a connection", &store, |status| status.connected).await;
    server.set(Mood::Hung);
    // All at once, before the breaker knows.
    let began = Instant::now();
    let gets = futures_util::future::join_all((0..100).map(|_| get(&store, 3))).await;
    assert!(gets.iter().all(Vec::is_empty));
    assert!(began.elapsed() < Duration::from_millis(250), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_store_that_is_gone_costs_nothing_and_is_found_when_it_is_back() {
    let mut server = Server::start().await;
    let store = connected(&server.url(), 1).await;
    put(&store, [0]).await;
    server.stop().await;
    until("the end of the connection", &store, |status| !status.connected).await;
    let began = Instant::now();
    for _ in 0..1_000 {
        assert_eq!(get(&store, 1).await, []);
    }
    assert!(began.elapsed() < WAIT, "{:?}", began.elapsed());
    store.put(KIND, CHAIN, &key(1), &entry(1), HOUR);
    assert_eq!(store.status().dropped, 1, "nothing is queued for a store that is gone");
    server.start_again().await;
    until_found(&store).await;
}

#[tokio::test]
async fn a_store_that_was_never_there_keeps_nobody_from_starting() {
    let mut server = Server::start().await;
    server.stop().await;
    let store = SharedStore::start(settings(&server.url(), 1, WAIT));
    let began = Instant::now();
    assert_eq!(get(&store, 3).await, []);
    assert!(began.elapsed() < WAIT && !store.status().connected);
    assert_eq!((store.status().misses, store.status().late), (3, 0));
}

#[tokio::test]
async fn a_full_store_takes_nothing_and_still_answers() {
    let server = Server::start().await;
    let store = connected(&server.url(), 1).await;
    put(&store, [0]).await;
    server.set(Mood::Full);
    for number in 1..10 {
        store.put(KIND, CHAIN, &key(number), &entry(number), HOUR);
    }
    until("drops", &store, |status| status.dropped > 0).await;
    assert_eq!(get(&store, 10).await, [(0, entry(0))]);
    server.set(Mood::Sound);
    let written = store.status().written;
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(20)));
    while store.status().written == written {
        assert!(begin.elapsed() < WITHIN, "{:?}", store.status());
        store.put(KIND, CHAIN, &key(1), &entry(1), HOUR);
        looks.tick().await;
    }
}

/// Puts an entry again and again until it is found.
async fn until_put(store: &SharedStore, number: u64) {
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(20)));
    loop {
        store.put(KIND, CHAIN, &key(number), &entry(number), HOUR);
        if store.get(KIND, CHAIN, &[key(number)]).await == [(0, entry(number))] {
            return;
        }
        assert!(begin.elapsed() < WITHIN, "it takes nothing: {:?}", store.status());
        looks.tick().await;
    }
}

#[tokio::test]
async fn a_primary_that_takes_no_writes_any_more_is_left_for_the_one_that_the_sentinel_names() {
    let (one, two, sentinel) = (Server::start().await, Server::start().await, Server::start().await);
    let store = SharedStore::start(settings(&sentinel.url_of_primary(), 1, WAIT));
    // A sentinel that knows no primary, then one that names a replica.
    two.set(Mood::ReadOnly);
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(5)));
    while two.commands("ROLE") == 0 {
        assert!(begin.elapsed() < WITHIN && !store.status().connected);
        if sentinel.commands("SENTINEL") > 0 {
            sentinel.name(&two);
        }
        looks.tick().await;
    }
    assert!(!store.status().connected);
    sentinel.name(&one);
    until_put(&store, 0).await;
    assert_eq!((one.commands("SUBSCRIBE"), two.commands("SET"), sentinel.commands("SET")), (1, 0, 0));
    one.set(Mood::ReadOnly);
    two.set(Mood::Sound);
    sentinel.name(&two);
    until_put(&store, 1).await;
    assert!(two.commands("SET") > 0);
    heard(&store, &store, 3).await;
    assert_eq!(two.commands("SUBSCRIBE"), 1, "reports come from the same server");
}

#[tokio::test]
async fn an_emptied_store_is_written_again() {
    let server = Server::start().await;
    let store = connected(&server.url(), 1).await;
    put(&store, 0..3).await;
    server.clear();
    assert_eq!(get(&store, 3).await, []);
    put(&store, [1]).await;
    assert_eq!(get(&store, 3).await, [(1, entry(1))]);
}

#[tokio::test]
async fn what_lives_for_no_time_or_is_too_large_is_not_written() {
    let server = Server::start().await;
    let store = connected(&server.url(), 1).await;
    store.put(KIND, CHAIN, &key(0), &entry(0), Duration::ZERO);
    let large = Entry { value: Bytes::from(vec![1; 4_097]), ..entry(0) };
    store.put(KIND, CHAIN, &key(0), &large, HOUR);
    assert_eq!((store.status().dropped, server.commands("SET")), (2, 0));
}
