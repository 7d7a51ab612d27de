//! Servers that are good, slow, endless, redirecting, elsewhere, or not who they claim to be.

use std::io::Write as _;
use std::net::SocketAddr;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::join_all;
use tokio::net::TcpListener;

use super::testing::{HOST, Reply, Server, granted};
use super::*;

/// Only waited out by what hangs.
const LONG: Duration = Duration::from_secs(60);

async fn get_from(
    off_chain: &OffChain,
    grants: &HostGrants,
    outgoing: &OutgoingBudget,
    path: &str,
) -> Result<DocumentReply, OffChainError> {
    let hosts = PluginHosts::new(&[HOST.to_owned()], grants);
    let url = format!("https://{HOST}{path}");
    let request = DocumentRequest { plugin: "acme", host: hosts.find(HOST).unwrap(), url: &url };
    Documents { off_chain, outgoing }.get(request, Instant::now() + LONG).await
}

async fn get(off_chain: &OffChain, grants: &HostGrants, path: &str) -> Result<DocumentReply, OffChainError> {
    get_from(off_chain, grants, &OutgoingBudget::new(16, 4), path).await
}

async fn get_once(reply: Reply) -> Result<Option<Bytes>, OffChainError> {
    let server = Server::start(reply).await.unwrap();
    get(&OffChain::new(CACHE_BYTES_MAX), &server.grants(), "/x").await.map(|document| document.body)
}

fn ok(lines: &'static str, body: &[u8]) -> Reply {
    Reply::Full(200, lines, body.to_vec())
}

#[tokio::test]
async fn a_document_is_requested_once_for_all_and_says_how_old_it_is() {
    let server = Server::start(ok("age: 7\r\ncache-control: max-age=60\r\n", b"[1]")).await.unwrap();
    let (off_chain, grants) = (OffChain::new(CACHE_BYTES_MAX), server.grants());
    let path = "/0x22/proof.json?a=https://evil.example/";
    let got = join_all((0..20).map(|_| get(&off_chain, &grants, path))).await;
    for document in got.into_iter().chain([get(&off_chain, &grants, path).await]) {
        let DocumentReply { body, age_s } = document.unwrap();
        assert_eq!(body, Some(Bytes::from_static(b"[1]")));
        assert!((7..60).contains(&age_s), "{age_s}");
    }
    assert_eq!(server.requests(), [format!("GET {path}")]);
    get(&off_chain, &grants, "/other").await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn what_is_no_document_is_reported_as_what_it_is() {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::default());
    bomb.write_all(&vec![0; BODY_BYTES_MAX + 1]).unwrap();
    for (reply, expected) in [
        (ok("", b""), Ok(Some(Bytes::new()))),
        (ok("", &vec![7; BODY_BYTES_MAX]), Ok(Some(vec![7; BODY_BYTES_MAX].into()))),
        (Reply::Full(404, "", b"none".to_vec()), Ok(None)),
        (Reply::Full(410, "", Vec::new()), Ok(None)),
        (Reply::Full(403, "", Vec::new()), Err(OffChainError::Status(403))),
        (Reply::Full(500, "", b"{}".to_vec()), Err(OffChainError::Status(500))),
        (Reply::Full(304, "", Vec::new()), Err(OffChainError::Redirect(304))),
        (ok("", &vec![7; BODY_BYTES_MAX + 1]), Err(OffChainError::TooLarge)),
        (ok("content-encoding: gzip\r\n", &bomb.finish().unwrap()), Err(OffChainError::TooLarge)),
        (ok("content-encoding: br\r\n", b"x"), Err(OffChainError::Encoding)),
        (Reply::Endless, Err(OffChainError::TooLarge)),
        (Reply::Close, Err(OffChainError::Unreachable)),
    ] {
        let shown = format!("{reply:?}").chars().take(60).collect::<String>();
        assert_eq!(get_once(reply).await, expected, "{shown}");
    }
}

#[tokio::test]
async fn a_slow_server_fails_for_a_moment_for_all_who_wait() {
    let server = Server::start(Reply::Slow).await.unwrap();
    let off_chain = OffChain { fetch_within: Duration::from_millis(50), ..OffChain::new(CACHE_BYTES_MAX) };
    let grants = server.grants();
    for got in join_all((0..5).map(|_| get(&off_chain, &grants, "/x"))).await {
        assert_eq!(got, Err(OffChainError::Timeout));
    }
    assert_eq!(server.requests().len(), 1, "the failure is remembered");
}

#[tokio::test]
async fn a_job_is_answered_before_its_own_time_is_over() {
    let server = Server::start(Reply::Slow).await.unwrap();
    let (off_chain, outgoing) = (OffChain::new(CACHE_BYTES_MAX), OutgoingBudget::new(16, 4));
    let hosts = PluginHosts::new(&[HOST.to_owned()], &server.grants());
    let url = format!("https://{HOST}/x");
    let request = DocumentRequest { plugin: "acme", host: hosts.find(HOST).unwrap(), url: &url };
    let deadline = Instant::now() + Duration::from_millis(400);
    let got = Documents { off_chain: &off_chain, outgoing: &outgoing }.get(request, deadline).await;
    assert_eq!((got, Instant::now() < deadline), (Err(OffChainError::Timeout), true));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Server::start(ok("", b"secret")).await.unwrap();
    let location: &'static str = format!("location: http://{}/\r\n", target.address).leak();
    assert_eq!(get_once(Reply::Full(302, location, Vec::new())).await, Err(OffChainError::Redirect(302)));
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn a_granted_host_that_leads_into_the_own_network_is_refused() {
    let server = Server::start(ok("", b"secret")).await.unwrap();
    let off_chain = OffChain::leading_to(server.address);
    let grants = HostGrants([(HOST.to_owned(), None)].into());
    assert_eq!(get(&off_chain, &grants, "/").await, Err(OffChainError::NotPublic));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_server_without_tls_or_with_anybodys_certificate_is_not_believed() {
    let plain = Server::start(ok("", b"x")).await.unwrap();
    let https = |address: SocketAddr| granted(&format!("https://{address}"));
    let hasty = OffChain { fetch_within: Duration::from_millis(100), ..OffChain::new(CACHE_BYTES_MAX) };
    assert!(get(&hasty, &https(plain.address), "/").await.is_err());
    assert!(plain.requests().is_empty());

    let own = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()).into();
    let tls = rustls::ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into());
    let tls = tls.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let tls = tls.with_single_cert(vec![own.cert.der().clone()], key).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        tokio_rustls::TlsAcceptor::from(Arc::new(tls)).accept(stream).await.is_ok()
    });
    assert_eq!(get(&OffChain::new(CACHE_BYTES_MAX), &https(address), "/").await, Err(OffChainError::Unreachable));
    assert!(!served.await.unwrap(), "the handshake does not end");
}

#[tokio::test]
async fn an_answer_makes_so_many_requests_and_no_more() {
    let server = Server::start(ok("", b"x")).await.unwrap();
    let (off_chain, grants, outgoing) = (OffChain::new(CACHE_BYTES_MAX), server.grants(), OutgoingBudget::new(2, 4));
    for (path, expected) in [("/1", true), ("/1", true), ("/2", true), ("/3", false), ("/2", true)] {
        let got = get_from(&off_chain, &grants, &outgoing, path).await;
        assert_eq!(got.is_ok(), expected, "{path}");
    }
    assert_eq!(server.requests(), ["GET /1", "GET /2"]);
}

#[tokio::test]
async fn gateways_share_a_document_and_its_absence_but_no_failure() {
    let store = portolan_store::testing::Server::start().await;
    let shared = async || Arc::new(SharedDocuments::connected_to(&store.url()).await.unwrap());
    let (of_one, of_other) = (shared().await, shared().await);
    let sharing = |shared: &Arc<SharedDocuments>| OffChain::new(CACHE_BYTES_MAX).sharing(Some(Arc::clone(shared)));
    let (mut written, lines) = (0, "age: 7\r\ncache-control: max-age=600\r\n");
    for (reply, expected, is_shared) in [
        (ok(lines, b"[1]"), Ok(Some(Bytes::from_static(b"[1]"))), true),
        (Reply::Full(404, "", Vec::new()), Ok(None), true),
        (Reply::Full(500, "", Vec::new()), Err(OffChainError::Status(500)), false),
    ] {
        let server = Server::start(reply).await.unwrap();
        let (one, other, grants) = (sharing(&of_one), sharing(&of_other), server.grants());
        let body = async |off_chain| get(off_chain, &grants, "/x").await.map(|document| document.body);
        assert_eq!(body(&one).await, expected);
        written += u64::from(is_shared);
        of_one.written(written).await.unwrap();
        assert_eq!(body(&other).await, expected);
        assert_eq!(server.requests().len(), if is_shared { 1 } else { 2 }, "{expected:?}");
        if expected.as_ref().is_ok_and(Option::is_some) {
            let age_s = get(&other, &grants, "/x").await.unwrap().age_s;
            assert!((7..60).contains(&age_s), "{age_s}");
        }
    }
    assert_eq!(of_other.refused(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_kept_as_its_server_says_within_bounds() {
    let body = |age_s, max_age: Option<u64>| {
        let (age, max_age) = (Duration::from_secs(age_s), max_age.map(Duration::from_secs));
        Cached::new(Ok(CacheableBody { body: Bytes::new(), age, max_age }))
    };
    let status = |status| Cached::new(Err(HttpError::Status(status)));
    for (cached, kept_s) in [
        (body(0, None), 30),
        (body(0, Some(0)), 30),
        (body(0, Some(600)), 600),
        (body(100, Some(600)), 500),
        (body(700, Some(600)), 30),
        (body(0, Some(1 << 31)), 3_600),
        (status(404), 30),
        (status(500), 10),
        (Cached::failed(OffChainError::Timeout), 10),
    ] {
        let cached = Cached { at: Instant::now(), ..cached };
        tokio::time::advance(Duration::from_secs(kept_s - 1)).await;
        assert!(cached.is_fresh(), "{kept_s}");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!cached.is_fresh(), "{kept_s}");
    }
    let old = body(100, None);
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(old.document().unwrap().age_s, 105);
}

#[tokio::test]
async fn what_one_document_takes_in_the_cache_counts() {
    for (bytes_max, least) in [(CACHE_BYTES_MAX, 16), (8 << 20, 2)] {
        let off_chain = OffChain::new(bytes_max);
        for number in 0..200 {
            let body = Some(vec![0; BODY_BYTES_MAX].into());
            let cached = Cached { result: Ok(body), age: Duration::ZERO, at: Instant::now(), kept: KEPT_MAX };
            off_chain.cache.insert(number.to_string(), Arc::new(cached));
        }
        assert!(off_chain.cache.weight() <= bytes_max, "{}", off_chain.cache.weight());
        assert!(off_chain.cache.len() >= least, "{}", off_chain.cache.len());
    }
}
