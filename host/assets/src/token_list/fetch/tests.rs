//! Fetches from a host on loopback with scripted answers.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{ACCEPT_ENCODING, HeaderValue, IF_NONE_MATCH};

use super::*;
use crate::token_list::tests::host::{Answer, Host};

/// Longer than any of these answers takes.
const LONG: Duration = Duration::from_secs(20);

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

async fn fetched(answer: Answer, etag: Option<&str>) -> Result<Fetched, FetchError> {
    let host = Host::answering([answer]).await;
    Fetcher::with_deadline(LONG).fetch(&host.url("/list.json"), etag).await
}

fn document(body: impl Into<Bytes>) -> Result<Fetched, FetchError> {
    Ok(Fetched::Document { body: body.into(), etag: None })
}

#[tokio::test]
async fn a_document_comes_with_its_entity_tag_and_is_requested_with_it() {
    let host = Host::answering([Answer::ok("one").with("etag", "W/\"1\""), Answer::status(304)]).await;
    let (fetcher, url) = (Fetcher::with_deadline(LONG), host.url("/a/list.json?key=s3cret"));
    let expected = Fetched::Document { body: "one".into(), etag: Some("W/\"1\"".into()) };
    assert_eq!(fetcher.fetch(&url, None).await, Ok(expected));
    assert_eq!(fetcher.fetch(&url, Some("W/\"1\"")).await, Ok(Fetched::Unchanged));
    let requests = host.requests();
    assert_eq!(requests.iter().map(|one| one.uri.to_string()).collect::<Vec<_>>(), ["/a/list.json?key=s3cret"; 2]);
    let tags = requests.iter().map(|one| one.headers.get(IF_NONE_MATCH).cloned());
    assert_eq!(tags.collect::<Vec<_>>(), [None, Some(HeaderValue::from_static("W/\"1\""))]);
}

#[tokio::test]
async fn gzip_is_requested_and_unpacked() {
    let host = Host::answering([Answer::ok(gzip(b"plain")).with("content-encoding", "gzip")]).await;
    assert_eq!(Fetcher::with_deadline(LONG).fetch(&host.url("/"), None).await, document("plain"));
    assert_eq!(host.requests()[0].headers.get(ACCEPT_ENCODING), Some(&HeaderValue::from_static("gzip")));
    let encoded = |name: &str, body: Vec<u8>| Answer::ok(body).with("content-encoding", name);
    assert_eq!(fetched(encoded("br", vec![1]), None).await, Err(FetchError::Encoding));
    assert_eq!(fetched(encoded("gzip", b"no gzip".to_vec()), None).await, Err(FetchError::Encoding));
}

#[tokio::test]
async fn a_body_above_the_bound_is_refused_packed_or_not() {
    let full = vec![b' '; DOCUMENT_BYTES_MAX];
    let longer = vec![b' '; DOCUMENT_BYTES_MAX + 1];
    let packed = |plain: &[u8]| Answer::ok(gzip(plain)).with("content-encoding", "gzip");
    assert_eq!(fetched(packed(&full), None).await, document(full.clone()));
    assert_eq!(fetched(packed(&longer), None).await, Err(FetchError::TooLarge));
    assert_eq!(fetched(Answer::ok(full.clone()), None).await, document(full));
    assert_eq!(fetched(Answer::ok(longer), None).await, Err(FetchError::TooLarge));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Host::answering([Answer::ok("there")]).await;
    for status in [301, 302, 303, 307, 308] {
        let answer = Answer::status(status).with("location", target.url("/").expose().as_str());
        assert_eq!(fetched(answer, None).await, Err(FetchError::Redirect(status)));
    }
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn any_other_status_is_an_error() {
    for status in [201, 204, 206, 401, 404, 429, 500, 503] {
        assert_eq!(fetched(Answer::status(status), Some("\"1\"")).await, Err(FetchError::Status(status)));
    }
    assert_eq!(fetched(Answer::status(304), None).await, Err(FetchError::Status(304)), "no request named a tag");
}

#[tokio::test]
async fn a_host_that_does_not_answer_in_time_is_left() {
    let within = Duration::from_secs(1);
    for answer in [Answer::silence(), Answer::ok("begun").never_ending()] {
        let host = Host::answering([answer]).await;
        let fetched = Fetcher::with_deadline(within).fetch(&host.url("/"), None).await;
        assert_eq!(fetched, Err(FetchError::Timeout(within)));
        assert_eq!(host.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_host_that_is_not_there_is_unreachable() {
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/s3cret").parse().unwrap();
    let error = Fetcher::with_deadline(LONG).fetch(&url, None).await.unwrap_err();
    assert_eq!(error, FetchError::Unreachable);
    assert!(!error.to_string().contains("s3cret"));
}

#[tokio::test]
async fn an_entity_tag_beyond_its_bound_is_not_cached() {
    let long = format!("\"{}\"", "x".repeat(ETAG_BYTES_MAX));
    assert_eq!(fetched(Answer::ok("one").with("etag", &long), None).await, document("one"));
}
