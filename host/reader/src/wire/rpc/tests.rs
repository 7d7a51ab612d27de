//! Requests to a node on loopback that replies with canned bytes.

use std::io::Write;
use std::time::Duration;

use alloy::primitives::{Address, B256, U64, bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;
use crate::wire::transport::BODY_MAX_BYTES;

/// Maximum wait of a test, whatever goes wrong.
const PATIENCE: Duration = Duration::from_secs(20);
const CALL: EthCall<'_> =
    EthCall { from: Address::repeat_byte(1), to: Address::repeat_byte(2), data: &[3], gas: None, code: None };
const AT: BlockId = BlockId::Hash(B256::repeat_byte(4));
/// The reply to an endpoint's first request, whose id is 1.
const GOOD: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":"0x0102"}"#;

/// A node that replies to every request with the same bytes, and closes. It records the requests.
struct CannedNode {
    url: String,
    seen: mpsc::UnboundedReceiver<String>,
}

impl CannedNode {
    async fn replying(bytes: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (record, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                record.send(read_request(&mut stream).await).unwrap();
                stream.write_all(&bytes).await.unwrap();
            }
        });
        Self { url, seen }
    }

    async fn call(&self) -> Result<Bytes, RequestError> {
        call(&self.url).await
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = String::new();
    loop {
        let mut piece = [0; 4096];
        let length = stream.read(&mut piece).await.unwrap();
        request.push_str(str::from_utf8(&piece[..length]).unwrap());
        if let Some((head, body)) = request.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() == length.parse::<usize>().unwrap() {
                return request;
            }
        }
        assert!(length > 0, "{request}");
    }
}

fn rpc(url: &str) -> JsonRpc {
    JsonRpc::new(Pool::default(), &url.parse().unwrap())
}

async fn call(url: &str) -> Result<Bytes, RequestError> {
    timeout(PATIENCE, rpc(url).call(&CALL, AT)).await.unwrap()
}

fn http(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain).unwrap();
    packed.finish().unwrap()
}

/// Makes a reply of the given length, with the longest result that fits.
fn long_reply(length: usize) -> Vec<u8> {
    let frame = br#"{"id":1,"result":"0x"}"#.len();
    let digits = "0".repeat((length - frame) & !1);
    let mut reply = format!(r#"{{"id":1,"result":"0x{digits}"}}"#).into_bytes();
    reply.resize(length, b' ');
    reply
}

const GZIP: &str = "content-encoding: gzip\r\n";

#[tokio::test]
async fn the_request_is_these_bytes() {
    let mut node = CannedNode::replying(http(200, "", GOOD)).await;
    let url = node.url.replace("http://", "http://us%65r:w%3Ard@") + "/v3/key?a=b#c";
    assert_eq!(call(&url).await, Ok(bytes!("0102")));
    let seen = node.seen.recv().await.unwrap();
    let (head, body) = seen.split_once("\r\n\r\n").unwrap();
    assert_eq!(body.as_bytes(), body::call(1, &CALL, AT));
    let mut lines: Vec<_> = head.lines().collect();
    lines.sort_unstable();
    let host = format!("host: {}", node.url.trim_start_matches("http://"));
    let length = format!("content-length: {}", body.len());
    assert_eq!(
        lines,
        [
            "POST /v3/key?a=b HTTP/1.1",
            "accept-encoding: gzip",
            // The base64 of user:w:rd
            "authorization: Basic dXNlcjp3OnJk",
            &length,
            "content-type: application/json",
            &host,
        ]
    );
}

#[tokio::test]
async fn ids_count_per_endpoint() {
    let mut node = CannedNode::replying(http(200, "", br#"{"id":2,"result":"0x07"}"#)).await;
    let rpc = rpc(&node.url);
    assert_eq!(rpc.request::<U64>("eth_chainId", &[(); 0]).await, Err(EndpointError::Malformed.into()));
    assert_eq!(rpc.request::<U64>("eth_chainId", &[(); 0]).await, Ok(U64::from(7)));
    assert_eq!(rpc.call(&CALL, AT).await, Err(EndpointError::Malformed.into()));
    for id in 1..=3 {
        let seen = node.seen.recv().await.unwrap();
        assert!(seen.contains(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{seen}");
    }
}

#[tokio::test]
async fn a_good_reply_is_taken_in_every_wrapping() {
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
        14\r\n{\"id\":1,\"result\":\"0x\r\n6;x=y\r\n0102\"}\r\n0\r\n\r\n";
    let until_closed = [b"HTTP/1.1 200 OK\r\n\r\n", GOOD].concat();
    let (one, two) = GOOD.split_at(9);
    for (name, bytes) in [
        ("of a known length", http(200, "", GOOD)),
        ("of status 201", http(201, "content-type: text/html\r\n", GOOD)),
        ("chunked", chunked.to_vec()),
        ("until the end of the connection", until_closed),
        ("identity", http(200, "content-encoding: identity\r\n", GOOD)),
        ("gzip", http(200, GZIP, &gzip(GOOD))),
        ("x-gzip", http(200, "Content-Encoding: X-GZIP\r\n", &gzip(GOOD))),
        ("gzip of two members", http(200, GZIP, &[gzip(one), gzip(two)].concat())),
    ] {
        assert_eq!(CannedNode::replying(bytes).await.call().await, Ok(bytes!("0102")), "{name}");
    }
}

#[tokio::test]
async fn a_bad_reply_is_an_error_of_its_kind() {
    let malformed = || RequestError::Endpoint(EndpointError::Malformed);
    let unreachable = || RequestError::Endpoint(EndpointError::Unreachable);
    let packed = gzip(GOOD);
    let flipped: Vec<_> = packed.iter().map(|byte| byte ^ 0x55).collect();
    let cut = http(200, "", GOOD);
    for (name, bytes, expected) in [
        ("nothing at all", Vec::new(), unreachable()),
        ("no HTTP", b"SSH-2.0-x\r\n".to_vec(), unreachable()),
        ("cut in its head", cut[..20].to_vec(), unreachable()),
        ("cut in its body", cut[..cut.len() - 1].to_vec(), unreachable()),
        ("truncated JSON", http(200, "", &GOOD[..GOOD.len() - 1]), malformed()),
        ("trailing bytes", http(200, "", &[GOOD, b"x"].concat()), malformed()),
        ("an empty body", http(200, "", b""), malformed()),
        ("a batch", http(200, "", &[b"[", GOOD, b"]"].concat()), malformed()),
        ("another id", http(200, "", br#"{"id":2,"result":"0x0102"}"#), malformed()),
        ("a duplicate result", http(200, "", br#"{"id":1,"result":"0x01","result":"0x01"}"#), malformed()),
        ("gzip that is none", http(200, GZIP, GOOD), malformed()),
        ("garbled gzip", http(200, GZIP, &flipped), malformed()),
        ("truncated gzip", http(200, GZIP, &packed[..packed.len() - 4]), malformed()),
        ("gzip and garbage", http(200, GZIP, &[&*packed, b"garbage"].concat()), malformed()),
        ("an encoding that was not accepted", http(200, "content-encoding: br\r\n", GOOD), malformed()),
        ("an error", http(200, "", br#"{"id":1,"error":{"code":3,"message":"","data":"0xab"}}"#), {
            RequestError::Reverted(bytes!("ab"))
        }),
        ("an error without an id", http(200, "", br#"{"error":{"code":-32000,"message":"header not found"}}"#), {
            RequestError::UnknownBlock
        }),
    ] {
        assert_eq!(CannedNode::replying(bytes).await.call().await, Err(expected), "{name}");
    }
}

#[tokio::test]
async fn status_and_body_together_decide() {
    let revert = br#"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted"}}"#;
    let infura = br#"{"id":1,"error":{"code":-32005,"message":"x","data":{"rate":{"backoff_seconds":9}}}}"#;
    let throttled =
        |seconds: Option<u64>| RequestError::Endpoint(EndpointError::Throttled(seconds.map(Duration::from_secs)));
    let date = "date: Wed, 21 Oct 2015 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2015 07:28:05 GMT\r\n";
    for (status, headers, body, expected) in [
        (500, "", GOOD, RequestError::Endpoint(EndpointError::Http(500))),
        (302, "location: /\r\n", b"", RequestError::Endpoint(EndpointError::Http(302))),
        (401, "", b"no project", RequestError::Endpoint(EndpointError::Http(401))),
        (404, "", br#"{"id":9,"error":{"code":3}}"#, RequestError::Endpoint(EndpointError::Http(404))),
        (400, "", revert, RequestError::Reverted(Bytes::new())),
        (500, "", revert, RequestError::Reverted(Bytes::new())),
        (413, "", revert, RequestError::TooLarge),
        (413, "", b"<html>", RequestError::TooLarge),
        (429, "", b"slow down", throttled(None)),
        (429, "", GOOD, throttled(None)),
        (429, "retry-after: 3\r\n", b"", throttled(Some(3))),
        (429, "retry-after: 3600\r\n", b"", throttled(Some(60))),
        (429, "retry-after: soon\r\n", b"", throttled(None)),
        (429, date, b"", throttled(Some(5))),
        (429, "", infura, throttled(Some(9))),
        (429, "retry-after: 2\r\n", infura, throttled(Some(2))),
        (200, "", infura, throttled(Some(9))),
        (503, "retry-after: 4\r\n", b"<html>", throttled(Some(4))),
        (503, "", b"<html>", RequestError::Endpoint(EndpointError::Http(503))),
        (502, "retry-after: 4\r\n", b"<html>", RequestError::Endpoint(EndpointError::Http(502))),
    ] {
        let node = CannedNode::replying(http(status, headers, body)).await;
        assert_eq!(node.call().await, Err(expected), "{status} {headers} {}", String::from_utf8_lossy(body));
    }
}

#[tokio::test]
async fn a_body_is_bounded_on_the_wire_and_decompressed() {
    let full = long_reply(BODY_MAX_BYTES);
    let result = Bytes::from(vec![0; (BODY_MAX_BYTES - br#"{"id":1,"result":"0x"}"#.len()) / 2]);
    let longer = long_reply(BODY_MAX_BYTES + 1);
    let bomb = gzip(&vec![b' '; 8 * BODY_MAX_BYTES]);
    assert!(bomb.len() < BODY_MAX_BYTES / 8, "{} bytes", bomb.len());
    for (name, bytes, outcome) in [
        ("plain", http(200, "", &full), Ok(result.clone())),
        ("plain and longer", http(200, "", &longer), Err(RequestError::TooLarge)),
        ("packed", http(200, GZIP, &gzip(&full)), Ok(result)),
        ("packed and longer", http(200, GZIP, &gzip(&longer)), Err(RequestError::TooLarge)),
        ("a bomb", http(200, GZIP, &bomb), Err(RequestError::TooLarge)),
    ] {
        let reply = CannedNode::replying(bytes).await.call().await;
        assert!(reply == outcome, "{name}: {:?}", reply.map(|bytes| bytes.len()));
    }
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(call(&url).await, Err(EndpointError::Unreachable.into()));
}

#[tokio::test]
async fn a_refused_key_is_told_by_its_status_whatever_the_body_is() {
    let broken =
        |status: u16| format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: 90\r\n\r\nno").into_bytes();
    let rpc_error = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"invalid key"}}"#;
    for status in [401, 403] {
        for (what, reply) in [
            ("plain text", http(status, "content-type: text/plain\r\n", b"invalid api key")),
            ("nothing", http(status, "", b"")),
            ("text that breaks off", broken(status)),
            ("an unknown encoding", http(status, "content-encoding: br\r\n", b"\x0b\x02\x80")),
            ("bytes that are not text", http(status, "", &[0xff, 0xfe, 0])),
            ("a JSON object", http(status, "", br#"{"message":"invalid key"}"#)),
            ("a JSON-RPC error", http(status, "", rpc_error)),
        ] {
            let node = CannedNode::replying(reply).await;
            assert_eq!(node.call().await, Err(EndpointError::Http(status).into()), "{status} with {what}");
        }
    }
}
