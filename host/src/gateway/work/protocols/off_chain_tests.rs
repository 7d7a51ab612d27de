//! Off-chain documents in answers, with a scripted plugin and a server on loopback.

use alloy::primitives::{Bytes, U256};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::codec;
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{self, Catalogue, ClaimTemplate, Deployment};
use portolan_abi::off_chain::READS_PER_HOST_MAX;
use portolan_abi::row::{self, JobOut, kind, source, state, status};
use portolan_assets::metadata::Erc20;
use portolan_base::net::off_chain::HostGrants;
use portolan_base::net::off_chain::testing::{Reply, Server};
use portolan_plugins::limits::Limits;
use portolan_plugins::runner::{Configured, InstanceId, IsLast, JobId, JobLease, RunFailure, Runner};
use portolan_plugins::{Instance, Snapshot};
use portolan_reader::testing::ScriptedChain;

use super::*;

const ETHEREUM: u64 = 1;
const ACCOUNT: Address = Address::repeat_byte(0xaa);
const FARM: Address = Address::repeat_byte(0xfa);
const THIEF: Address = Address::repeat_byte(0x66);
const TOKEN: Address = Address::repeat_byte(0xa1);
const HOST: &str = "merkle.example.org";
const URL: &str = "https://merkle.example.org/0xaa";

/// Status, source and bytes of a reply.
type Got = (u8, u8, Bytes);

/// Requests documents, all at once; then finds a claim that goes to `claims_from`, if set, and ends in the state
/// `ends`.
#[derive(Debug)]
struct Proving {
    urls: Vec<String>,
    claims_from: Option<Address>,
    ends: u8,
    got: Mutex<Vec<Got>>,
}

impl Runner for Proving {
    fn configure(self: Arc<Self>, _: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn begin(
        self: Arc<Self>,
        _: InstanceId,
        _: Vec<u8>,
        _: Vec<u8>,
        _: IsLast,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        let mut frame = FrameWriter::default();
        let reads = u32::try_from(self.urls.len()).unwrap();
        frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads, ..JobOut::default() });
        for url in &self.urls {
            let (data_offset, data_len) = frame.bytes(url.as_bytes()).unwrap();
            frame
                .row(resume_out::READS, &row::Read { kind: kind::HTTP, data_offset, data_len, ..row::Read::default() });
        }
        async move { Ok((JobLease::new(self, JobId(0)), frame.finish().unwrap())) }.boxed()
    }

    fn resume(self: Arc<Self>, _: JobId, frame: Vec<u8>, _: IsLast) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        let replies = Frame::parse(&frame).unwrap();
        let bytes = |row: &row::Reply| Bytes::copy_from_slice(replies.bytes(row.offset, row.len).unwrap());
        let rows = replies.rows::<row::Reply>(resume_in::REPLIES);
        *self.got.lock() = rows.map(|row| (row.status, row.source, bytes(&row))).collect();
        async move { Ok(self.ending()) }.boxed()
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}

impl Proving {
    fn ending(&self) -> Vec<u8> {
        let claimable = |to| {
            let claim = map::Claim { to, ..map::Claim::default() };
            map::Claimable::new("main", FARM, claim).named("reward").mechanism("merkle").pays(TOKEN, U256::from(7))
        };
        let findings = self.claims_from.map(claimable);
        let findings = findings.map(map::Finding::from);
        let mut frame = FrameWriter::default();
        let (findings_offset, findings_len) =
            frame.bytes(&codec::encode(&findings.into_iter().collect::<Vec<_>>())).unwrap();
        let (message_offset, message_len) = frame.bytes(b"no proofs").unwrap();
        let state = self.ends;
        let job = JobOut { state, findings_offset, findings_len, message_offset, message_len, ..JobOut::default() };
        frame.row(resume_out::JOBS, &job);
        frame.finish().unwrap()
    }
}

/// Returns the replies that a plugin with these requests and this end state received, and the answer.
async fn run(
    urls: &[String],
    grants: &HostGrants,
    claims_from: Option<Address>,
    ends: u8,
) -> (Vec<Got>, Result<Answer, Problem>) {
    let catalogue = Catalogue {
        protocols: vec![map::Protocol { slug: "acme".to_owned(), ..map::Protocol::default() }],
        deployments: vec![Deployment {
            protocol: "acme".to_owned(),
            chain_id: ETHEREUM,
            market: "main".to_owned(),
            questions: vec![portolan_abi::Question::CLAIMABLES],
            contracts: vec![FARM],
            tokens: None,
        }],
        claims: vec![ClaimTemplate { signature: "getReward()".to_owned(), ..ClaimTemplate::default() }],
        hosts: Some(vec![HOST.to_owned()]),
        ..Catalogue::default()
    };
    let mut script = ScriptedChain::default();
    script
        .call(TOKEN, &Erc20::nameCall {}, "Token".to_owned())
        .call(TOKEN, &Erc20::symbolCall {}, "T".to_owned())
        .call(TOKEN, &Erc20::decimalsCall {}, U256::from(0))
        .call(TOKEN, &Erc20::totalSupplyCall {}, U256::from(1000));
    let runner = Arc::new(Proving { urls: urls.to_vec(), claims_from, ends, got: Mutex::default() });
    let limits = Limits { resume_ms: 1000, job_ms: 10_000 };
    let instance = Instance::run_by(Arc::clone(&runner) as _, "acme@1.0.0", limits, catalogue).granted(grants);
    let context = Context::over(script.reader(), Snapshot::of_test([Arc::new(instance)]));
    let work =
        ProtocolWork::for_protocol(&context, ACCOUNT, "acme", None, List::Claimables(ClaimOptions::default())).unwrap();
    context.open(&work.networks(&context)).await;
    let answer = work.answer(context).await;
    (std::mem::take(&mut *runner.got.lock()), answer)
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
