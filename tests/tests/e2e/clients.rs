//! Who the clients are: behind proxies, and by API keys; and what each may use.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::crowd::connect;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{self, Response, Version};
use portolan_tests::redis::Redis;
use portolan_tests::{problem, wait};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The time that another client waits at most, whatever the others do.
const SERVED_WITHIN: Duration = Duration::from_secs(8);
/// File events come at once, and the timer each ten seconds.
const READ_WITHIN: Duration = Duration::from_secs(30);
/// An answer that reads no chain.
const LIST: &str = "/networks?detail=full";

fn get(gateway: &Gateway, path: &str, headers: &[(&str, &str)]) -> Response {
    http::request(gateway.base, Version::Http1, &Method::GET, path, headers, Bytes::new()).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Requests the list again and again, up to the first refusal; returns it and the number of answers before it.
fn up_to_refusal(gateway: &Gateway, headers: &[(&str, &str)]) -> (u32, Response) {
    for answers in 0..200 {
        let response = get(gateway, LIST, headers);
        if response.status != 200 {
            return (answers, response);
        }
    }
    panic!("200 requests are answered");
}

#[test]
fn behind_a_trusted_proxy_each_client_has_limits_of_its_own() {
    let config = "access_log = true\n[clients]\ntrusted_proxies = ['127.0.0.1']\nper_second_max = 1\nburst_max = 3";
    let gateway = Setup::default().config(config).listening().unwrap();
    let (noisy, quiet) = ([("x-forwarded-for", "198.51.100.7, 203.0.113.1")], [("x-forwarded-for", "203.0.113.2")]);
    let first = get(&gateway, LIST, &noisy);
    assert_eq!(first.header("ratelimit-policy"), Some("\"requests\";q=3;w=3"));
    assert_eq!(first.header("ratelimit"), Some("\"requests\";r=2;t=1"));
    let exposed = first.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("ratelimit, ") || exposed.contains("ratelimit-policy"), "{exposed}");
    let (answers, refusal) = up_to_refusal(&gateway, &noisy);
    assert!(answers >= 2, "a burst of three is answered");
    problem::detail(&refusal, 429, "too-many-requests").unwrap();
    assert_eq!(refusal.header("retry-after"), Some("1"));
    assert_eq!(refusal.header("ratelimit"), Some("\"requests\";r=0;t=1"));
    assert_eq!(get(&gateway, LIST, &quiet).status, 200);
    assert_eq!(get(&gateway, "/llms.txt", &noisy).status, 200, "pages do not count");
    // Nobody else is believed: what 127.0.1.1 names is ignored.
    let answer = runtime().block_on(async {
        let mut stream = connect(1, gateway.base).await.unwrap();
        let head =
            format!("GET {LIST} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.1\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // The line of an answer comes after its last byte.
    for client in ["203.0.113.1", "203.0.113.2", "127.0.1.1"] {
        let line = format!("client={client} ");
        let is_logged = || gateway.log().contains(&line).then_some(()).with_context(|| gateway.log());
        wait::until(client, READ_WITHIN, is_logged).unwrap();
    }
    let figures = gateway.operate("/metrics").unwrap().body;
    let refused = "portolan_client_refusals_total{key=\"none\",limit=\"requests\"} ";
    assert!(figures.lines().any(|line| line.starts_with(refused) && !line.ends_with(" 0")), "{figures}");
}

/// Makes a key with the command; returns it and its lines for the file.
fn new_key(name: &str) -> (String, String) {
    let made = Command::new(build::built().unwrap().host()).args(["key", "new", name]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let (note, lines) = (String::from_utf8(made.stderr).unwrap(), String::from_utf8(made.stdout).unwrap());
    let key = note.trim_end().rsplit(' ').next().unwrap().to_owned();
    assert!(!lines.contains(&key), "the file has no key");
    (key, lines)
}

/// Waits until requests with a key get this status.
fn has_status(gateway: &Gateway, key: &str, status: u16) {
    let look = || -> Result<()> {
        let answer = get(gateway, LIST, &[("x-api-key", key)]);
        ensure!(answer.status == status, "{}", answer.status);
        Ok(())
    };
    wait::until("the keys", READ_WITHIN, look).unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()));
}

/// Replaces a file as editors do.
fn replace(file: &Path, text: &str) {
    let new = file.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(new, file).unwrap();
}

#[test]
fn keys_are_required_changed_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.toml");
    let ((key, lines), (other, other_lines)) = (new_key("acme"), new_key("other"));
    fs::write(&file, &lines).unwrap();
    let config = format!("access_log = true\n[clients]\nkeys = 'required'\nkeys_file = {file:?}");
    let gateway = Setup::default().config(&config).listening().unwrap();
    let bearer = format!("Bearer {key}");
    for headers in [[("authorization", bearer.as_str())], [("x-api-key", key.as_str())]] {
        assert_eq!(get(&gateway, LIST, &headers).status, 200);
    }
    let of_key = get(&gateway, "/networks", &[("x-api-key", &key)]);
    assert_eq!(of_key.header("cache-control"), Some("private, max-age=60"));
    for headers in [&[][..], &[("authorization", "Bearer nobody")], &[("x-api-key", &other)]] {
        let refusal = get(&gateway, LIST, headers);
        problem::detail(&refusal, 401, "unauthorized").unwrap();
        assert_eq!(refusal.header("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(get(&gateway, "/openapi.json", &[]).status, 200, "pages need no key");
    let preflight = http::request(gateway.base, Version::Http1, &Method::OPTIONS, LIST, &[], Bytes::new()).unwrap();
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-headers"), Some("*, authorization"));

    replace(&file, &format!("{lines}{other_lines}"));
    has_status(&gateway, &other, 200);
    replace(&file, "[acme");
    let is_said = || gateway.log().contains("the keys before it stay in force").then_some(()).context("no line");
    wait::until("the error of the file", READ_WITHIN, is_said).unwrap();
    has_status(&gateway, &other, 200);
    replace(&file, &other_lines);
    has_status(&gateway, &key, 401);
    has_status(&gateway, &other, 200);

    let (log, figures) = (gateway.log(), gateway.operate("/metrics").unwrap().body);
    for secret in [&key, &other] {
        assert!(!log.contains(secret.as_str()) && !figures.contains(secret.as_str()));
    }
    assert!(log.contains("key=\"acme\""), "{log}");
    assert!(figures.contains("portolan_client_requests_total{key=\"acme\"} "), "{figures}");
}

#[test]
fn a_gateway_with_a_broken_file_of_keys_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.toml");
    fs::write(&file, "[acme]\nsha256 = 'SECRET'").unwrap();
    let config = format!("[clients]\nkeys_file = {file:?}");
    let Err(error) = Setup::default().config(&config).listening() else { panic!("it starts") };
    let text = format!("{error:#}");
    assert!(
        text.contains("clients.keys_file: acme: sha256 is not 64 hex digits") && !text.contains("SECRET"),
        "{text}"
    );
}

/// Returns the reads that a client has left of its day, by an answer that reads nothing.
fn reads_left(gateway: &Gateway, client: &str) -> Result<u64> {
    let answer = get(gateway, LIST, &[("x-forwarded-for", client)]);
    let left = answer.header("ratelimit").context("no limit")?;
    let (_, rest) = left.split_once("\"reads\";r=").with_context(|| left.to_owned())?;
    Ok(rest.split(';').next().unwrap_or_default().parse()?)
}

/// Waits until a gateway knows what a client has left.
fn has_left(gateway: &Gateway, client: &str, reads: u64) {
    let look = || {
        let left = reads_left(gateway, client)?;
        ensure!(left == reads, "{left} of {reads} are left");
        Ok::<_, anyhow::Error>(())
    };
    wait::until("the reads", READ_WITHIN, look).unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()));
}

#[test]
fn the_reads_of_a_day_are_those_of_all_gateways_and_one_that_starts_again_knows_them() {
    const MAX: u64 = 200;
    let (client, other) = ("203.0.113.1", "203.0.113.2");
    let Some(mut redis) = Redis::start(&[]).unwrap() else { return println!("skipped: redis-server is not installed") };
    let chain = Chain::bare(1).unwrap();
    chain.rpc("anvil_mine", serde_json::json!(["0x4"])).unwrap();
    let clients = format!("[clients]\ntrusted_proxies = ['127.0.0.1']\nreads_per_day_max = {MAX}");
    let config = format!("{clients}\n[store]\nurl = '{}'", redis.url());
    let start = || {
        let setup = Setup::default().config(&config).rpc("ethereum", &chain.url);
        setup.variable("PORTOLAN_STORE_SECRET", "a secret of thirty-two bytes or more").start().unwrap()
    };
    let (one, mut two) = (start(), start());
    let read = |gateway: &Gateway, account: u32| get(gateway, &balance(account), &[("x-forwarded-for", client)]);

    let mut left = MAX;
    for (account, (reading, looking)) in (1..).zip([(&one, &two), (&two, &one), (&one, &two)]) {
        assert_eq!(read(reading, account).status, 200);
        let counted = || {
            let now = reads_left(reading, client)?;
            ensure!(now < left, "nothing is counted");
            Ok::<_, anyhow::Error>(now)
        };
        (left, _) = wait::until("the reads", READ_WITHIN, counted).unwrap();
        assert!(left > 0, "{MAX} reads are more than three answers take");
        has_left(looking, client, left);
        has_left(looking, other, MAX);
    }

    two.kill_and_restart(&[], |_| Ok(())).unwrap();
    has_left(&two, client, left);

    for account in 5.. {
        if read(&one, account).status != 200 {
            break;
        }
    }
    has_left(&two, client, 0);
    problem::detail(&read(&two, 1_000), 429, "too-many-requests").unwrap();
    assert_eq!(get(&two, &balance(1_000), &[("x-forwarded-for", other)]).status, 200);

    // Without the store, each goes on with what it knows.
    redis.kill();
    for gateway in [&one, &two] {
        assert_eq!(reads_left(gateway, client).unwrap(), 0);
        let log = gateway.log();
        assert!(!log.contains("an entry of the shared store is refused"), "{log}");
    }
}

/// What the noisy client got.
#[derive(Debug, Default)]
struct Noise {
    sent: AtomicU32,
    answered: AtomicU32,
    refused: AtomicU32,
}

fn balance(of: u32) -> String {
    format!("/0x{of:040x}/native-balance?network=ETHEREUM")
}

/// Sends requests of one client on a connection until all are sent or it is over.
async fn make_noise(to: SocketAddr, noise: Arc<Noise>, all: u32, (name, value): (&str, &str)) -> Result<()> {
    let stream = TokioIo::new(TcpStream::connect(to).await?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
    tokio::spawn(connection);
    loop {
        let number = noise.sent.fetch_add(1, Ordering::Relaxed);
        if number >= all {
            return Ok(());
        }
        let request = Request::get(balance(1_000 + number)).header("host", "x").header(name, value);
        sender.ready().await?;
        let response = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
        let status = response.status();
        response.into_body().collect().await?;
        let count = match status.as_u16() {
            200 => &noise.answered,
            503 => &noise.refused,
            other => anyhow::bail!("the noisy client gets {other}"),
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn ten_thousand_requests_of_one_client_do_not_starve_another() {
    const ALL: u32 = 10_000;
    const CONNECTIONS: usize = 64;
    let chain = Chain::bare(1).unwrap();
    chain.rpc("anvil_mine", serde_json::json!(["0x4"])).unwrap();
    // Both come through one proxy, which has one address.
    let config = "[answers]\nin_flight_max = 16\n[clients]\ntrusted_proxies = ['127.0.0.1']";
    let gateway = Setup::default().config(config).rpc("ethereum", &chain.url).start().unwrap();
    let (base, noise, waits) = (gateway.base, Arc::new(Noise::default()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let noisy = Arc::clone(&noise);
        let crowd = scope.spawn(move || {
            runtime().block_on(async {
                let mut all = JoinSet::new();
                for _ in 0..CONNECTIONS {
                    all.spawn(make_noise(base, Arc::clone(&noisy), ALL, ("x-forwarded-for", "203.0.113.1")));
                }
                all.join_all().await.into_iter().collect::<Result<()>>()
            })
        });
        let is_loud = || (noise.refused.load(Ordering::Relaxed) > 0).then_some(()).context("nothing is refused yet");
        wait::until("the noise", SERVED_WITHIN, is_loud).unwrap();
        let mut account = 1;
        while account <= 30 && noise.sent.load(Ordering::Relaxed) < ALL {
            let began = Instant::now();
            let answer = get(&gateway, &balance(account), &[("x-forwarded-for", "203.0.113.2")]);
            assert_eq!((answer.status.as_u16(), answer.header("portolan-partial")), (200, None), "{}", answer.body);
            waits.lock().unwrap().push(began.elapsed());
            account += 1;
        }
        crowd.join().unwrap().unwrap();
    });
    let mut waits = waits.into_inner().unwrap();
    waits.sort_unstable();
    let (median, last) = (waits[waits.len() / 2], *waits.last().unwrap());
    println!("the quiet client waits {median:?}, at most {last:?}, {} times; noise: {noise:?}", waits.len());
    assert!(waits.len() >= 5, "it has asked while the other did");
    assert!(last < SERVED_WITHIN, "{last:?}");
}
