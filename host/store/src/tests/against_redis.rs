//! The main cases against the real `redis-server`, where it is installed.

use portolan_tests::redis::{Redis, RedisCluster, RedisGroup};
use rustix::process::Signal;

use super::*;

const SKIPPED: &str = "skipped: redis-server is not installed";

#[tokio::test]
async fn entries_are_shared_expire_and_survive_a_flush() {
    let Some(redis) = Redis::start(&[]).unwrap() else { return println!("{SKIPPED}") };
    let (one, other) = (connected(&redis.url(), 1).await, connected(&redis.url(), 1).await);
    put(&one, 0..2_000).await;
    let found = get(&other, 2_000).await;
    assert!((0..).zip(&found).all(|(number, (place, found))| *found == entry(number) && *place as u64 == number));
    assert_eq!(found.len(), 2_000);
    redis.command(&["FLUSHALL"]).unwrap();
    assert_eq!(get(&other, 3).await, []);
    put(&other, [2]).await;
    assert_eq!(get(&one, 3).await, [(2, entry(2))]);
    let written = one.status().written;
    one.put(KIND, CHAIN, &key(0), &entry(0), Duration::from_millis(1));
    until("a write", &one, |status| status.written == written + 1).await;
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(5)));
    while !get(&one, 1).await.is_empty() {
        assert!(begin.elapsed() < WITHIN, "the entry does not expire");
        looks.tick().await;
    }
}

#[tokio::test]
async fn a_stopped_server_is_left_alone_and_found_again() {
    let Some(redis) = Redis::start(&[]).unwrap() else { return println!("{SKIPPED}") };
    let store = connected(&redis.url(), 1).await;
    put(&store, [0]).await;
    redis.signal(Signal::STOP).unwrap();
    let began = Instant::now();
    for _ in 0..50 {
        assert_eq!(get(&store, 1).await, []);
    }
    let took = began.elapsed();
    assert!(took >= WAIT * 3 && took < WAIT * 5, "50 look-ups took {took:?}");
    redis.signal(Signal::CONT).unwrap();
    until_found(&store).await;
}

#[tokio::test]
async fn a_full_server_answers_and_takes_nothing() {
    let Some(redis) = Redis::start(&[]).unwrap() else { return println!("{SKIPPED}") };
    let store = connected(&redis.url(), 1).await;
    put(&store, [0]).await;
    redis.command(&["CONFIG", "SET", "maxmemory", "1"]).unwrap();
    store.put(KIND, CHAIN, &key(1), &entry(1), HOUR);
    until("a drop", &store, |status| status.dropped > 0).await;
    assert_eq!(get(&store, 2).await, [(0, entry(0))]);
}

#[tokio::test]
async fn a_password_is_needed_and_a_wrong_one_is_no_connection() {
    let Some(redis) = Redis::start(&["--requirepass", "p@ss word"]).unwrap() else { return println!("{SKIPPED}") };
    let with = |query: &str| redis.url() + query;
    let right = connected(&with("?pass=p%40ss%20word"), 1).await;
    put(&right, [0]).await;
    let wrong = SharedStore::start(settings(&with("?pass=other"), 1, WAIT));
    assert_eq!(get(&wrong, 1).await, []);
    assert!(!wrong.status().connected);
    assert_eq!(get(&right, 1).await, [(0, entry(0))]);
}

#[tokio::test]
async fn a_user_needs_five_commands_on_the_names_of_entries_and_the_channel() {
    let Some(redis) = Redis::start(&[]).unwrap() else { return println!("{SKIPPED}") };
    // The user of `host/docs/operate/replicas.md`.
    let commands = ["+mget", "+set", "+select", "+publish", "+subscribe"];
    let user = ["ACL", "SETUSER", "portolan", "on", ">word", "~portolan:*", "&portolan:*"];
    redis.command(&[&user[..], &commands].concat()).unwrap();
    let store = connected(&(redis.url() + "?user=portolan&pass=word&db=1"), 1).await;
    put(&store, [0]).await;
    assert_eq!(get(&store, 1).await, [(0, entry(0))]);
    heard(&store, &store, 3).await;
}

/// Ends a primary in some way, and expects the store to work again.
async fn fails_over(end: impl FnOnce(&mut Redis)) {
    let Some(mut group) = RedisGroup::start().unwrap() else { return println!("{SKIPPED}") };
    // The first sentinel is not there.
    let url = format!("redis+sentinel://127.0.0.1:1,127.0.0.1:{}/{}", group.sentinel.port(), RedisGroup::NAME);
    let (one, other) = (connected(&url, 1).await, connected(&url, 1).await);
    put(&one, 0..100).await;
    assert_eq!(get(&other, 100).await.len(), 100);
    heard(&one, &other, 3).await;
    end(&mut group.primary);
    let began = Instant::now();
    until_put(&one, 100).await;
    println!("the store works {:?} after its primary ended", began.elapsed());
    until_found_by(&other, 100).await;
    heard(&one, &other, 4).await;
    assert!(group.replica.command(&["ROLE"]).unwrap().starts_with("master"));
}

#[tokio::test]
async fn after_the_primary_was_killed_the_one_that_the_sentinel_names_is_used() {
    fails_over(Redis::kill).await;
}

#[tokio::test]
async fn after_the_primary_hangs_the_one_that_the_sentinel_names_is_used() {
    fails_over(|primary| primary.signal(Signal::STOP).unwrap()).await;
}

#[tokio::test]
async fn a_fail_over_while_both_servers_answer_loses_nothing_that_comes_later() {
    let Some(group) = RedisGroup::start().unwrap() else { return println!("{SKIPPED}") };
    let url = format!("redis+sentinel://127.0.0.1:{}/{}", group.sentinel.port(), RedisGroup::NAME);
    let store = connected(&url, 1).await;
    put(&store, 0..100).await;
    group.sentinel.command(&["SENTINEL", "FAILOVER", RedisGroup::NAME]).unwrap();
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(20)));
    while !group.primary.command(&["ROLE"]).unwrap().starts_with("slave") {
        assert!(begin.elapsed() < WITHIN, "the primary stays one");
        looks.tick().await;
    }
    until_put(&store, 100).await;
    assert!(group.replica.command(&["ROLE"]).unwrap().starts_with("master"));
    heard(&store, &store, 3).await;
}

#[tokio::test]
async fn sentinels_and_servers_have_users_of_their_own() {
    let Some(server) = Redis::start_with_port(&["--requirepass", "s@ver"]).unwrap() else {
        return println!("{SKIPPED}");
    };
    let Some(sentinel) = Redis::start_sentinel(&["--requirepass", "s@ntinel"]).unwrap() else { return };
    let port = server.port().to_string();
    sentinel.command(&["-a", "s@ntinel", "SENTINEL", "MONITOR", "main", "127.0.0.1", &port, "1"]).unwrap();
    // The users of `host/docs/operate/replicas.md`.
    let commands = ["+mget", "+set", "+select", "+publish", "+subscribe", "+role"];
    let user = ["-a", "s@ver", "ACL", "SETUSER", "portolan", "on", ">word", "~portolan:*", "&portolan:*"];
    server.command(&[&user[..], &commands].concat()).unwrap();
    let user = ["-a", "s@ntinel", "ACL", "SETUSER", "portolan", "on", ">w@rd", "+sentinel|get-master-addr-by-name"];
    sentinel.command(&user).unwrap();
    let at = format!("127.0.0.1:{}/main/1?sentinel_username=portolan", sentinel.port());
    let store = connected(&format!("redis+sentinel://portolan:word@{at}&sentinel_password=w%40rd"), 1).await;
    put(&store, [0]).await;
    assert_eq!(get(&store, 1).await, [(0, entry(0))]);
    for (url, refusing, password) in [
        (format!("redis+sentinel://portolan:word@{at}&sentinel_password=other"), &sentinel, "s@ntinel"),
        (format!("redis+sentinel://portolan:other@{at}&sentinel_password=w%40rd"), &server, "s@ver"),
    ] {
        let store = SharedStore::start(settings(&url, 1, WAIT));
        let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(20)));
        while !refusing.command(&["-a", password, "ACL", "LOG"]).unwrap().contains("auth") {
            assert!(begin.elapsed() < WITHIN, "no password is refused");
            looks.tick().await;
        }
        assert!(!store.status().connected);
    }
}

/// Looks up so many entries again and again until all are found.
async fn until_all(store: &SharedStore, count: u64) {
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(20)));
    loop {
        let found = get(store, count).await;
        if found.len() as u64 == count {
            return assert!(
                (0..).zip(&found).all(|(number, (place, found))| *found == entry(number) && *place as u64 == number)
            );
        }
        assert!(begin.elapsed() < WITHIN, "{} of {count}: {:?}", found.len(), store.status());
        looks.tick().await;
    }
}

#[tokio::test]
async fn a_cluster_has_each_entry_where_it_belongs_and_goes_on_after_a_node_was_killed() {
    loses_a_node(Redis::kill).await;
}

#[tokio::test]
async fn a_cluster_goes_on_after_a_node_hangs() {
    loses_a_node(|node| node.signal(Signal::STOP).unwrap()).await;
}

/// Ends a primary of a cluster in some way, and expects that all is found again.
async fn loses_a_node(end: impl FnOnce(&mut Redis)) {
    let Some(mut cluster) = RedisCluster::start().unwrap() else { return println!("{SKIPPED}") };
    // The first node of the URL is not there, and the second one has none of the slots of most entries.
    let url = format!("redis+cluster://127.0.0.1:1,127.0.0.1:{}", cluster.primaries[2].port());
    let (one, other) = (connected(&url, 1).await, connected(&url, 1).await);
    put(&one, 0..1_000).await;
    until_all(&other, 1_000).await;
    let sizes: Vec<u64> =
        cluster.primaries.iter().map(|node| node.command(&["DBSIZE"]).unwrap().trim().parse().unwrap()).collect();
    assert!(sizes.iter().sum::<u64>() == 1_000 && sizes.iter().all(|size| *size > 200), "{sizes:?}");
    heard(&one, &other, 3).await;
    cluster.replica_has(sizes[0]).unwrap();
    end(&mut cluster.primaries[0]);
    let began = Instant::now();
    for store in [&one, &other] {
        // As a gateway does, it writes what it did not find.
        let (mut looks, mut count) = (interval(Duration::from_millis(20)), 0);
        while count < 1_000 {
            assert!(began.elapsed() < WITHIN, "{count}: {:?}", store.status());
            count = get(store, 1_000).await.len();
            (0..1_000).filter(|_| count < 1_000).for_each(|number| {
                store.put(KIND, CHAIN, &key(number), &entry(number), HOUR);
            });
            looks.tick().await;
        }
    }
    println!("all of the cluster is found again {:?} after a node ended", began.elapsed());
    until_put(&one, 1_000).await;
    heard(&one, &other, 4).await;
    assert_eq!(one.status().refused, 0);
}

#[tokio::test]
async fn slots_that_moved_to_another_node_are_found_there() {
    let Some(cluster) = RedisCluster::start().unwrap() else { return println!("{SKIPPED}") };
    let store = connected(&format!("redis+cluster://127.0.0.1:{}", cluster.primaries[1].port()), 1).await;
    put(&store, 0..300).await;
    let size = cluster.primaries[0].command(&["DBSIZE"]).unwrap().trim().parse().unwrap();
    cluster.replica_has(size).unwrap();
    cluster.replica.command(&["CLUSTER", "FAILOVER"]).unwrap();
    let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(20)));
    while !cluster.primaries[0].command(&["ROLE"]).unwrap().starts_with("slave") {
        assert!(begin.elapsed() < WITHIN, "the primary stays one");
        looks.tick().await;
    }
    until_all(&store, 300).await;
    for number in 300..330 {
        until_put(&store, number).await;
    }
}

#[tokio::test]
async fn a_user_of_a_cluster_needs_five_commands() {
    let Some(cluster) = RedisCluster::start().unwrap() else { return println!("{SKIPPED}") };
    // The user of `host/docs/operate/replicas.md`.
    let commands = ["+get", "+set", "+publish", "+subscribe", "+cluster|slots"];
    let user = ["ACL", "SETUSER", "portolan", "on", ">word", "~portolan:*", "&portolan:*"];
    for node in &cluster.primaries {
        node.command(&[&user[..], &commands].concat()).unwrap();
    }
    let store = connected(&format!("redis+cluster://portolan:word@127.0.0.1:{}", cluster.primaries[0].port()), 1).await;
    put(&store, 0..30).await;
    until_all(&store, 30).await;
    heard(&store, &store, 3).await;
}

#[tokio::test]
async fn one_node_that_hangs_costs_its_bound_three_times() {
    let Some(cluster) = RedisCluster::start().unwrap() else { return println!("{SKIPPED}") };
    let store = connected(&format!("redis+cluster://127.0.0.1:{}", cluster.primaries[1].port()), 1).await;
    put(&store, 0..300).await;
    until_all(&store, 300).await;
    cluster.primaries[0].signal(Signal::STOP).unwrap();
    let began = Instant::now();
    for _ in 0..50 {
        assert!(get(&store, 300).await.len() < 300);
    }
    let took = began.elapsed();
    assert!(took >= WAIT * 3 && took < WAIT * 5, "50 look-ups took {took:?}");
}
