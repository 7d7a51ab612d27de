//! The main cases against the real `redis-server`, where it is installed.

use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tokio::time::timeout;

use super::*;

/// A server of its own at a socket, without a port; it ends with the test.
struct Redis {
    process: Child,
    folder: TempDir,
}

impl Redis {
    /// Starts the server; `None`, after saying so, if it is not installed.
    fn start(settings: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no", "--unixsocket"]);
        command.arg(folder.path().join("socket")).arg("--dir").arg(folder.path()).args(settings);
        match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(process) => Some(Self { process, folder }),
            Err(error) => {
                eprintln!("skipped: redis-server cannot be started ({error})");
                None
            }
        }
    }

    fn url(&self) -> String {
        format!("redis+unix://{}", self.folder.path().join("socket").display())
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.process.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    async fn run(&self, command: &[&str]) {
        let client = redis::Client::open(self.url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let mut sent = redis::cmd(command[0]);
        command[1..].iter().for_each(|argument| {
            sent.arg(argument);
        });
        timeout(WITHIN, sent.exec_async(&mut connection)).await.unwrap().unwrap();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[tokio::test]
async fn entries_are_shared_expire_and_survive_a_flush() {
    let Some(redis) = Redis::start(&[]) else { return };
    let (one, other) = (connected(&redis.url(), 1).await, connected(&redis.url(), 1).await);
    put(&one, 0..2_000).await;
    let found = get(&other, 2_000).await;
    assert!((0..).zip(&found).all(|(number, (place, found))| *found == entry(number) && *place as u64 == number));
    assert_eq!(found.len(), 2_000);
    redis.run(&["FLUSHALL"]).await;
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
    let Some(redis) = Redis::start(&[]) else { return };
    let store = connected(&redis.url(), 1).await;
    put(&store, [0]).await;
    redis.signal("-STOP");
    let began = Instant::now();
    for _ in 0..50 {
        assert_eq!(get(&store, 1).await, []);
    }
    let took = began.elapsed();
    assert!(took >= WAIT * 3 && took < WAIT * 5, "50 look-ups took {took:?}");
    redis.signal("-CONT");
    until_found(&store).await;
}

#[tokio::test]
async fn a_full_server_answers_and_takes_nothing() {
    let Some(redis) = Redis::start(&[]) else { return };
    let store = connected(&redis.url(), 1).await;
    put(&store, [0]).await;
    redis.run(&["CONFIG", "SET", "maxmemory", "1"]).await;
    store.put(KIND, CHAIN, &key(1), &entry(1), HOUR);
    until("a drop", &store, |status| status.dropped > 0).await;
    assert_eq!(get(&store, 2).await, [(0, entry(0))]);
}

#[tokio::test]
async fn a_password_is_needed_and_a_wrong_one_is_no_connection() {
    let Some(redis) = Redis::start(&["--requirepass", "p@ss word"]) else { return };
    let with = |query: &str| redis.url() + query;
    let right = connected(&with("?pass=p%40ss%20word"), 1).await;
    put(&right, [0]).await;
    let wrong = SharedStore::start(settings(&with("?pass=other"), 1, WAIT));
    assert_eq!(get(&wrong, 1).await, []);
    assert!(!wrong.status().connected);
    assert_eq!(get(&right, 1).await, [(0, entry(0))]);
}

#[tokio::test]
async fn a_user_needs_three_commands_on_the_names_of_entries() {
    let Some(redis) = Redis::start(&[]) else { return };
    // Waits until the server is there.
    drop(connected(&redis.url(), 1).await);
    // The user of `host/docs/operate/replicas.md`.
    redis.run(&["ACL", "SETUSER", "portolan", "on", ">word", "~portolan:*", "+mget", "+set", "+select"]).await;
    let store = connected(&(redis.url() + "?user=portolan&pass=word&db=1"), 1).await;
    put(&store, [0]).await;
    assert_eq!(get(&store, 1).await, [(0, entry(0))]);
}
