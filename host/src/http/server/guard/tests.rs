//! Evictions, counts, and the ends of connections and answers.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::HeaderMap;
use hyper::body::Body as _;
use hyper::rt::Executor as _;
use tokio::sync::oneshot;

use super::*;
use crate::clients::ClientSettings;
use crate::clients::addresses::ClientAddresses;
use crate::clients::usage::ClientLimits;
use crate::http::event_stream::{self, StreamHost};

const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// A connection is unused after 5 s, an answer is given up after 3 s; each client has half of all bytes.
fn guard() -> Arc<Guard> {
    Guard::new(
        ConnectionLimits {
            max: 3,
            per_client_max: 2,
            head: Duration::from_secs(1),
            idle: Duration::from_secs(5),
            send: Duration::from_secs(3),
            unready: Duration::ZERO,
            unsent_bytes_max: 20_000,
            streams_per_client_max: 4,
            streams_max: 6,
        },
        known(ClientAddresses::DIRECT),
        None,
    )
}

fn known(addresses: ClientAddresses) -> Arc<Clients> {
    Arc::new(Clients::read(&ClientSettings { addresses, keys: None, limits: ClientLimits::default() }).unwrap())
}

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Sends an answer that counts as `bytes`, of which 2,048 are for its head and its stream.
fn counted(slot: &ConnectionSlot, bytes: usize) -> Result<AnswerBody, NoRoom> {
    slot.connection.send(Bytes::from(vec![0; bytes - 2048]), false)
}

#[tokio::test(start_paused = true)]
async fn the_connection_goes_that_nobody_uses_for_longest() {
    let guard = guard();
    let first = guard.open(address("10.0.0.1")).unwrap();
    tokio::time::advance(Duration::from_millis(1)).await;
    let second = guard.open(address("10.0.0.2")).unwrap();
    let third = guard.open(address("10.0.0.3")).unwrap();
    let work = first.connection.begin();
    let fourth = guard.open(address("10.0.0.4")).unwrap();
    assert_eq!(second.expired().await, Expiry::Evicted);
    let works = [third.connection.begin(), fourth.connection.begin()];
    let refused = guard.open(address("10.0.0.5")).map(drop);
    assert_eq!(refused, Err(NoSlot::All), "all have requests under way");
    drop(work);
    assert!(guard.open(address("10.0.0.5")).is_ok());
    assert_eq!(first.expired().await, Expiry::Evicted);
    drop(works);
}

#[tokio::test(start_paused = true)]
async fn what_was_used_since_the_oldest_were_found_is_not_among_them() {
    let guard = guard();
    let mut open = Vec::new();
    for client in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] {
        open.push(guard.open(address(client)).unwrap());
        tokio::time::advance(Duration::from_millis(1)).await;
    }
    let fourth = guard.open(address("10.0.0.4")).unwrap();
    assert_eq!(open.remove(0).expired().await, Expiry::Evicted);
    tokio::time::advance(Duration::from_millis(1)).await;
    drop(open[0].connection.begin());
    let fifth = guard.open(address("10.0.0.5")).unwrap();
    assert_eq!(open.remove(1).expired().await, Expiry::Evicted);
    let sixth = guard.open(address("10.0.0.6")).unwrap();
    assert_eq!(fourth.expired().await, Expiry::Evicted);
    drop((open, fifth, sixth));
}

#[tokio::test(start_paused = true)]
async fn a_client_over_its_share_loses_its_own_connection() {
    let guard = guard();
    let other = guard.open(address("10.0.0.1")).unwrap();
    let own = [guard.open(address("2001:db8::1")).unwrap(), guard.open(address("2001:db8::2")).unwrap()];
    let newest = guard.open(address("2001:db8::3")).unwrap();
    assert_eq!(own[0].expired().await, Expiry::Evicted);
    for slot in [&other, &own[1], &newest] {
        assert_eq!(slot.expired().await, Expiry::NoRequest);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_whose_share_is_all_under_way_is_refused_by_its_own_bound() {
    let guard = guard();
    let own = [guard.open(CLIENT).unwrap(), guard.open(CLIENT).unwrap()];
    let works = own.each_ref().map(|slot| slot.connection.begin());
    assert_eq!(guard.open(CLIENT).map(drop), Err(NoSlot::Client));
    assert!(guard.open(address("10.0.0.2")).is_ok());
    drop(works);
}

#[tokio::test(start_paused = true)]
async fn where_all_slots_are_taken_the_client_with_most_of_them_loses_one() {
    let guard = guard();
    let oldest = guard.open(address("10.0.0.1")).unwrap();
    tokio::time::advance(Duration::from_millis(1)).await;
    let of_one = [guard.open(address("10.0.0.2")).unwrap(), guard.open(address("10.0.0.2")).unwrap()];
    let newest = guard.open(address("10.0.0.3")).unwrap();
    assert_eq!(of_one[0].expired().await, Expiry::Evicted);
    for slot in [&oldest, &of_one[1], &newest] {
        assert_eq!(slot.expired().await, Expiry::NoRequest);
    }
}

#[tokio::test]
async fn what_one_client_opens_at_once_begins_after_what_others_open() {
    let guard = Guard::new(
        ConnectionLimits { max: 101, per_client_max: 100, ..guard().limits.clone() },
        known(ClientAddresses::DIRECT),
        None,
    );
    let order = Arc::new(Mutex::new(Vec::new()));
    let opened: Vec<_> = (0..100).map(|_| CLIENT).chain([address("10.0.0.2")]).collect();
    let begun = opened.iter().map(|client| {
        let (slot, order) = (guard.open(*client).unwrap(), Arc::clone(&order));
        tokio::spawn(async move {
            let client = slot.connection.peer;
            in_turn(&slot.connection, async { order.lock().push(client) }).await;
        })
    });
    for task in begun.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(order.lock().iter().position(|client| *client != CLIENT), Some(1));
    assert_eq!(order.lock().len(), 101);
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_free_again_at_its_end() {
    let guard = guard();
    for _ in 0..10 {
        drop(guard.open(CLIENT).unwrap());
    }
    assert!(guard.open.lock().clients.is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_wait_has_its_own_bound() {
    let guard = guard();
    let start = Instant::now();
    let slot = guard.open(CLIENT).unwrap();
    let work = slot.connection.begin();
    tokio::time::advance(Duration::from_secs(60)).await;
    let body = counted(&slot, 3000).unwrap();
    drop(work);
    assert_eq!((slot.expired().await, start.elapsed().as_secs()), (Expiry::NotTaken, 63));
    drop(body);
    assert_eq!((slot.expired().await, start.elapsed().as_secs()), (Expiry::Unused, 68));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_some_of_an_answer_has_time_for_the_rest() {
    let guard = guard();
    let start = Instant::now();
    let slot = guard.open(CLIENT).unwrap();
    drop(slot.connection.begin());
    let mut body = slot.connection.send(Bytes::from(vec![1; 40_000]), false).unwrap();
    for _ in 0..2 {
        tokio::select! {
            expiry = slot.expired() => panic!("{expiry:?}"),
            () = tokio::time::sleep(Duration::from_secs(2)) => drop(body.frame().await.unwrap().unwrap()),
        }
    }
    assert_eq!((slot.expired().await, start.elapsed().as_secs()), (Expiry::NotTaken, 7));
}

/// The host of a stream whose events share their memory.
struct OnConnection(Arc<Connection>);

impl StreamHost for OnConnection {
    fn count(&self, event: Bytes, _: bool) -> Option<Bytes> {
        unsent::count(&self.0, event, Charge::Head, unsent::own_stream()).ok()
    }

    fn count_last(&self, event: Bytes) -> Option<Bytes> {
        self.count(event, true)
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_some_of_an_event_has_time_for_the_rest_and_for_those_behind_it() {
    let slot = guard().open(CLIENT).unwrap();
    let (sender, receiver) = event_stream::open(Arc::new(OnConnection(Arc::clone(&slot.connection))));
    let mut body = slot.connection.send_events(receiver);
    for bytes in [40_000, 100] {
        sender.send(Bytes::from(vec![0; bytes]), true).unwrap();
    }
    let mut sizes = Vec::new();
    for _ in 0..4 {
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(slot.connection.expiry(Instant::now()).is_ok(), "after {sizes:?}");
        sizes.push(body.frame().await.unwrap().unwrap().into_data().unwrap().len());
    }
    assert_eq!(sizes, [16_384, 16_384, 7_232, 100]);
    sender.send(Bytes::from_static(b"not taken"), true).unwrap();
    tokio::time::advance(Duration::from_secs(3)).await;
    assert_eq!(slot.connection.expiry(Instant::now()), Err(Expiry::NotTaken));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_not_taken_ends_without_its_connection() {
    let guard = guard();
    let start = Instant::now();
    let slot = guard.open(CLIENT).unwrap();
    let (alive, ended) = oneshot::channel::<()>();
    let connection = Arc::clone(&slot.connection);
    Streams(Arc::clone(&connection)).execute(async move {
        let _alive = alive;
        let work = connection.begin();
        let _body = connection.send(Bytes::from_static(b"x"), false).unwrap();
        drop(work);
        std::future::pending::<()>().await;
    });
    tokio::select! {
        expiry = slot.expired() => panic!("{expiry:?}"),
        _ = ended => assert_eq!(start.elapsed().as_secs(), 3),
    }
    assert_eq!((slot.expired().await, start.elapsed().as_secs()), (Expiry::Unused, 8));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_one_too_many_is_polled_once_and_refused() {
    let guard = guard();
    let slots = ["10.0.0.1", "10.0.0.2"].map(|client| guard.open(address(client)).unwrap());
    let refused = Arc::new(Mutex::new(Vec::new()));
    let open = |slot: &ConnectionSlot, name: &'static str| {
        let refused = Arc::clone(&refused);
        Streams(Arc::clone(&slot.connection)).execute(async move {
            if is_of_refused_stream() {
                refused.lock().push(name);
                return;
            }
            std::future::pending::<()>().await;
        });
    };
    (0..5).for_each(|_| open(&slots[0], "fifth of one client"));
    assert_eq!(*refused.lock(), ["fifth of one client"]);
    (0..3).for_each(|_| open(&slots[1], "seventh of all"));
    assert_eq!(*refused.lock(), ["fifth of one client", "seventh of all"]);
    assert_eq!(guard.streams.load(Relaxed), 6);
}

#[tokio::test(start_paused = true)]
async fn a_stream_takes_the_place_of_a_stalled_answer_of_its_client() {
    let guard = guard();
    let slot = guard.open(CLIENT).unwrap();
    let (ended, mut ends) = tokio::sync::mpsc::unbounded_channel();
    let open = |place: usize| {
        let (connection, ended) = (Arc::clone(&slot.connection), ended.clone());
        Streams(Arc::clone(&slot.connection)).execute(async move {
            assert!(!is_of_refused_stream(), "{place}");
            let _body = connection.send(Bytes::from_static(b"x"), false).unwrap();
            let _ended = Ended(place, ended);
            std::future::pending::<()>().await;
        });
    };
    for place in 0..4 {
        open(place);
        tokio::time::advance(Duration::from_millis(400)).await;
    }
    open(4);
    assert_eq!(ends.recv().await, Some(0), "the one that stalls for longest");
    // A task that was ended is dropped with its slot.
    tokio::task::yield_now().await;
    assert_eq!(guard.streams.load(Relaxed), 4);
}

struct Ended(usize, tokio::sync::mpsc::UnboundedSender<usize>);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.1.send(self.0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_bounded_and_what_stalls_makes_room() {
    let guard = guard();
    let [one, two, three] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|client| guard.open(address(client)).unwrap());
    let of_one = counted(&one, 10_000).unwrap();
    assert!(counted(&one, 2049).is_err(), "a client has half");
    let of_two = counted(&two, 10_000).unwrap();
    assert!(counted(&three, 2049).is_err(), "all is taken");
    let refusal = || three.connection.send_refusal(Bytes::from_static(b"busy"));
    let refused = refusal().unwrap();
    assert!(refusal().is_err(), "refusals have an eighth");
    tokio::time::advance(Duration::from_millis(1100)).await;
    let of_three = counted(&three, 10_000).unwrap();
    assert_eq!(one.expired().await, Expiry::Evicted);
    drop((of_one, of_two, of_three, refused));
    assert!(guard.unsent_bytes.is_empty() && three.connection.client.unsent_bytes.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_larger_than_all_that_may_wait_is_sent_alone() {
    let guard = guard();
    let slot = guard.open(CLIENT).unwrap();
    let sent = counted(&slot, 100_000).unwrap();
    assert!(counted(&slot, 2049).is_err());
    assert!(slot.connection.send_refusal(Bytes::from_static(b"busy")).is_ok(), "refusals have room of their own");
    drop(sent);
    assert!(counted(&slot, 2049).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_body_leaves_in_pieces_of_which_the_last_is_one_byte() {
    let guard = guard();
    let slot = guard.open(CLIENT).unwrap();
    for (len, expected) in [
        (0, vec![]),
        (1, vec![1]),
        (16_384, vec![16_384]),
        (16_385, vec![16_384, 1]),
        (16_386, vec![16_384, 1, 1]),
        (40_000, vec![16_384, 16_384, 7231, 1]),
    ] {
        let mut body = slot.connection.send((0..=255).cycle().take(len).collect(), true).unwrap();
        assert_eq!(body.size_hint().exact(), Some(len as u64));
        let (mut pieces, mut bytes) = (Vec::new(), Vec::new());
        while let Some(frame) = body.frame().await {
            let piece = frame.unwrap().into_data().unwrap();
            pieces.push(piece.len());
            bytes.extend_from_slice(&piece);
        }
        assert_eq!(pieces, expected, "{len}");
        assert!(body.is_end_stream() && bytes == (0..=255).cycle().take(len).collect::<Vec<u8>>(), "{len}");
    }
    assert!(guard.unsent_bytes.is_empty());
}

/// A guard that trusts a proxy at 10.0.0.1, and a head that names the proxy's client.
fn guard_behind_proxy() -> Arc<Guard> {
    let addresses =
        ClientAddresses { trusted_proxies: vec!["10.0.0.1/32".parse().unwrap()], ..ClientAddresses::DIRECT };
    let known = known(addresses);
    Guard::new(ConnectionLimits { max: 10, ..guard().limits.clone() }, known, None)
}

fn of_client(slot: &ConnectionSlot, client: &str) -> RequestClient {
    let mut headers = HeaderMap::new();
    headers.insert("x-forwarded-for", client.parse().unwrap());
    RequestClient::new(&slot.connection, &headers)
}

#[tokio::test(start_paused = true)]
async fn behind_a_proxy_each_client_counts_for_itself() {
    let guard = guard_behind_proxy();
    let through: Vec<_> = (0..3).map(|_| guard.open(address("10.0.0.1")).unwrap()).collect();
    assert_eq!(guard.open.lock().by_id.len(), 3, "a proxy has more than two, the bound of one client");
    let (first, again) = (of_client(&through[0], "203.0.113.1"), of_client(&through[1], "203.0.113.1"));
    let other = of_client(&through[2], "203.0.113.2");
    assert!(
        Arc::ptr_eq(&first.caller.usage.share, &again.caller.usage.share)
            && !Arc::ptr_eq(&first.caller.usage.share, &other.caller.usage.share)
    );
    assert_eq!(other.caller.address, Some(address("203.0.113.2")));
    // One that also connects by itself is the same client.
    let direct = guard.open(address("203.0.113.2")).unwrap();
    assert!(Arc::ptr_eq(
        &RequestClient::new(&direct.connection, &HeaderMap::new()).caller.usage.share,
        &other.caller.usage.share
    ));
    assert!(
        !Arc::ptr_eq(&of_client(&direct, "203.0.113.1").caller.usage.share, &first.caller.usage.share),
        "nobody else is believed"
    );
    drop((first, again, other, direct));
    assert_eq!(guard.open.lock().clients.len(), 1, "the proxy's connections are left");
    drop(through);
    assert!(guard.open.lock().clients.is_empty());
}

#[tokio::test]
async fn the_time_of_a_request_counts_for_its_client_alone() {
    let guard = guard_behind_proxy();
    let slot = guard.open(address("10.0.0.1")).unwrap();
    let (busy, idle) = (of_client(&slot, "203.0.113.1"), of_client(&slot, "203.0.113.2"));
    busy.run(async { busy.caller.usage.share.charge(Duration::from_secs(60)) }).await;
    idle.run(async {}).await;
    let even_in = |request_client: &RequestClient| request_client.client.worker_time.lock().even_in(Instant::now());
    // Alone, a client is at most 20 ms ahead of its share.
    assert!(even_in(&busy) > Duration::from_millis(1) && even_in(&idle) < Duration::from_millis(1));
    assert_eq!(slot.connection.client.worker_time.lock().even_in(Instant::now()), Duration::ZERO);
}
