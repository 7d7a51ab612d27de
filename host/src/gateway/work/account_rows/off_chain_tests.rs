//! Off-chain documents in answers, with a scripted plugin and a server on loopback.

use alloy::primitives::Bytes;
use portolan_abi::Question;
use portolan_abi::map::{Catalogue, Finding};
use portolan_abi::off_chain::READS_PER_HOST_MAX;
use portolan_abi::row::{source, state, status};
use portolan_base::net::off_chain::HostGrants;
use portolan_base::net::off_chain::testing::{HOST, Reply, Server};
use portolan_plugins::testing::{ScriptedEnd, ScriptedPlugin, ScriptedRead, ScriptedStep};

use super::script::{FARM, THIEF, acme, chain, claimables, reward};
use super::*;

const URL: &str = "https://merkle.example.org/0xaa";

/// Status, source and bytes of a reply.
type Got = (u8, u8, Bytes);

/// Requests documents, all at once; then finds a claim that goes to `claims_from`, if set, and ends in the state
/// `ends`.
fn proving(urls: &[String], claims_from: Option<Address>, ends: u8) -> ScriptedPlugin {
    let catalogue = Catalogue { hosts: Some(vec![HOST.to_owned()]), ..acme(Question::CLAIMABLES, FARM) };
    let documents: Vec<ScriptedRead> = urls.iter().map(|url| ScriptedRead::document(url)).collect();
    ScriptedPlugin::new("acme", catalogue).script(move |job| {
        if job.replies.is_empty() {
            return ScriptedStep::Reads(documents.clone());
        }
        let findings = claims_from.map(|to| Finding::from(reward(FARM, to))).into_iter().collect();
        ScriptedStep::Ends(ScriptedEnd { state: ends, message: "no proofs", findings, ..ScriptedEnd::default() })
    })
}

/// Returns the replies that a plugin with these requests and this end state received, and the answer.
async fn run(
    urls: &[String],
    grants: &HostGrants,
    claims_from: Option<Address>,
    ends: u8,
) -> (Vec<Got>, Result<Answer, Problem>) {
    let plugin = proving(urls, claims_from, ends);
    let answer = script::answer(&chain(), plugin.instance().granted(grants), claimables()).await;
    let replies = plugin.jobs().into_iter().next_back().and_then(|mut job| job.replies.pop()).unwrap_or_default();
    (replies.into_iter().map(|reply| (reply.status, reply.source, reply.bytes)).collect(), answer)
}

async fn server(body: &[u8]) -> Server {
    Server::start(Reply::Full(200, "age: 61\r\n", body.to_vec())).await.unwrap()
}

fn rows(answer: &Answer) -> usize {
    let Items::Rows { rows, .. } = &answer.items else { panic!("{:?}", answer.items) };
    rows.len()
}

fn missing(answer: &Answer) -> Vec<&'static str> {
    answer.missing.iter().map(|missing| missing.reason.as_str()).collect()
}

#[tokio::test]
async fn the_report_names_the_host_of_a_document_and_its_age() {
    let server = server(b"[\"0x11\"]").await;
    let (got, answer) = run(&[URL.to_owned()], &server.grants(), Some(FARM), state::COMPLETE).await;
    let answer = answer.unwrap();
    assert_eq!(got, [(status::OK, source::OFF_CHAIN, Bytes::from_static(b"[\"0x11\"]"))]);
    assert_eq!((rows(&answer), missing(&answer)), (1, vec![]));
    let age = answer.jobs[0].off_chain[HOST];
    assert!((61..120).contains(&age), "{age}");
    assert_eq!(answer.budget.outgoing.all().used(), 1);
}

#[tokio::test]
async fn that_a_server_has_nothing_there_is_an_answer() {
    let server = Server::start(Reply::Full(404, "", b"none".to_vec())).await.unwrap();
    let (got, answer) = run(&[URL.to_owned()], &server.grants(), None, state::COMPLETE).await;
    assert_eq!(got, [(status::NO_CODE, source::OFF_CHAIN, Bytes::new())]);
    let answer = answer.unwrap();
    assert_eq!((missing(&answer), answer.jobs[0].off_chain.contains_key(HOST)), (vec![], true));
}

#[tokio::test]
async fn a_host_that_is_not_granted_is_missing_with_that_reason_whatever_the_plugin_says() {
    for ends in [state::COMPLETE, state::PARTIAL] {
        let (got, answer) = run(&[URL.to_owned()], &HostGrants::default(), Some(FARM), ends).await;
        assert_eq!(got, [(status::NOT_ALLOWED, source::OFF_CHAIN, Bytes::new())]);
        let answer = answer.unwrap();
        assert_eq!((rows(&answer), missing(&answer)), (1, vec!["not-allowed"]));
        let job = &answer.jobs[0];
        assert!(job.detail.contains("merkle.example.org is not among the hosts that [plugins.acme] grants"), "{job:?}");
        assert!(job.off_chain.is_empty());
    }
    let (_, answer) = run(&[URL.to_owned()], &HostGrants::default(), None, state::FAILED).await;
    assert_eq!(answer.unwrap_err().response().status().as_u16(), 503);
}

#[tokio::test]
async fn a_server_that_fails_is_upstream() {
    let server = Server::start(Reply::Full(500, "", Vec::new())).await.unwrap();
    let (got, answer) = run(&[URL.to_owned()], &server.grants(), Some(FARM), state::PARTIAL).await;
    assert_eq!(got, [(status::UNAVAILABLE, source::OFF_CHAIN, Bytes::new())]);
    let answer = answer.unwrap();
    assert_eq!(missing(&answer), ["upstream"]);
    assert_eq!(answer.jobs[0].detail, "no proofs (merkle.example.org: the server answered with status 500)");
}

#[tokio::test]
async fn a_url_that_only_looks_like_the_granted_host_is_not_requested() {
    let server = server(b"x").await;
    for url in [
        "http://merkle.example.org/",
        "https://merkle.example.org.evil.com/",
        "https://merkle.example.org./",
        "https://MERKLE.example.org/",
        "https://merkle.example.org:443/",
        "https://merkle.example.org:8443/",
        "https://user@merkle.example.org/",
        "https://merkle.example.org@evil.com/",
        "https://merkle.example.org\\@evil.com/",
        "https://mérkle.example.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "merkle.example.org",
        "",
    ] {
        let (got, answer) = run(&[url.to_owned()], &server.grants(), Some(FARM), state::COMPLETE).await;
        assert_eq!(got, [(status::NOT_ALLOWED, source::OFF_CHAIN, Bytes::new())], "{url}");
        assert_eq!(missing(&answer.unwrap()), ["plugin-error"], "{url}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_thousand_documents_are_too_many_for_one_job() {
    let server = server(b"x").await;
    let urls: Vec<String> = (0..1_000).map(|number| format!("{URL}/{number}")).collect();
    let (got, answer) = run(&urls, &server.grants(), Some(FARM), state::PARTIAL).await;
    let count = |wanted| got.iter().filter(|(status, ..)| *status == wanted).count();
    assert_eq!((count(status::OK), count(status::OVER_BUDGET)), (READS_PER_HOST_MAX, 1_000 - READS_PER_HOST_MAX));
    assert_eq!(server.requests().len(), READS_PER_HOST_MAX);
    assert_eq!(missing(&answer.unwrap()), ["over-budget"]);
}

#[tokio::test]
async fn an_address_in_a_document_is_no_target_of_a_claim() {
    let server = server(THIEF.into_word().as_slice()).await;
    let (got, answer) = run(&[URL.to_owned()], &server.grants(), Some(THIEF), state::COMPLETE).await;
    assert_eq!(got[0].2.as_ref(), THIEF.into_word().as_slice());
    assert_eq!(answer.unwrap_err().response().status().as_u16(), 502, "its only row is refused");
    let (_, answer) = run(&[URL.to_owned()], &server.grants(), Some(FARM), state::COMPLETE).await;
    assert_eq!(rows(&answer.unwrap()), 1);
}
