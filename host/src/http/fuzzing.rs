//! Fuzz targets for the public listeners: parsing of requests, and views of events.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::LazyLock;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{Method, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use percent_encoding::percent_decode_str;
use portolan_assets::names::Name;
use portolan_base::network::Networks;
use portolan_base::sanitize::fuzzing::{require_document, require_sentence};
use portolan_events::{KINDS, Kind};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::runtime::{Builder, Runtime};

use super::content::Content;
use crate::address;
use crate::gateway::answer::{Answer, Items, TransactionEvents};
use crate::gateway::fuzzed_events;
use crate::gateway::problem::Problem;
use crate::gateway::query::{About, AboutRows, Account, EventsQuery, Filter, InputLimits, POSITION_KINDS, Query};
use crate::http::public::respond;
use crate::http::public::route::{Listener, Request, route};
use crate::http::server::connection;
use crate::http::view;
use crate::http::view::form::Form;
use crate::paths;

/// Maximum number of logs of a transaction.
const LOGS_MAX: usize = 5000;
const ACCOUNTS_MAX: usize = 100;
const LIMITS: InputLimits = InputLimits { logs_max: LOGS_MAX, accounts_max: ACCOUNTS_MAX };

/// Maximum size of a problem document: its detail twice, with escapes.
const PROBLEM_BYTES_MAX: usize = 16 << 10;

/// Maximum size of one value of an event: a token has two texts of 64 characters, its network and some numbers.
const VALUE_BYTES_MAX: usize = 2048;

static NETWORKS: LazyLock<Networks> = LazyLock::new(|| Networks::new([]));

thread_local! {
    static RUNTIME: Runtime =
        Builder::new_current_thread().enable_time().build().unwrap_or_else(|error| unreachable!("{error}"));
}

/// Reads `bytes` as a client's connection; the first byte selects the listener. Each request must become a query that
/// means the same however it is spelled, or a client error.
pub fn request(bytes: &[u8]) {
    let Some((first, sent)) = bytes.split_first() else { return };
    let listener = if first % 2 == 0 { Listener::Base } else { Listener::Claimables };
    let answer = move |request: hyper::Request<Incoming>| async move {
        let (head, body) = request.into_parts();
        let bytes = answer(listener, &head, !body.is_end_stream());
        Ok::<_, Infallible>(Response::new(Full::new(bytes)))
    };
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let (mut client, server) = duplex(1 << 20);
            let builder = connection::builder(TokioExecutor::new());
            let serving = builder.serve_connection(TokioIo::new(server), service_fn(answer));
            let talking = async {
                // The connection may have ended already.
                let _ = client.write_all(sent).await;
                let _ = client.shutdown().await;
                let mut received = Vec::new();
                let _ = client.read_to_end(&mut received).await;
            };
            let _ = tokio::join!(serving, talking);
        });
    });
}

/// Returns the body of a problem; empty if the request is a query.
fn answer(listener: Listener, head: &Parts, has_body: bool) -> Bytes {
    match respond::read_head(listener, head, has_body, &NETWORKS, LIMITS) {
        Ok(Some(request)) => {
            assert!(matches!(head.method, Method::GET | Method::HEAD) && !has_body, "{request:?}");
            require_one_meaning(listener, head, &request);
            require_query(head, &request.query);
            Bytes::new()
        }
        Ok(None) => {
            assert_eq!(head.method, Method::OPTIONS);
            Bytes::new()
        }
        Err(problem) => require_problem(&problem),
    }
}

/// Requires a client error with a document of bounded size and clean text.
fn require_problem(problem: &Problem) -> Bytes {
    let (head, Content { bytes: body, .. }) = problem.response().into_parts();
    assert!([400, 404, 405, 413, 414, 431].contains(&head.status.as_u16()), "{problem:?}");
    assert!(body.len() <= PROBLEM_BYTES_MAX, "{problem:?}");
    let document = require_document(&body);
    let detail = document["detail"].as_str().unwrap_or_default();
    assert!((1..=1001).contains(&detail.chars().count()), "{detail:?}");
    require_sentence(detail);
    assert_eq!((&document["message"], &document["status"]), (&document["detail"], &head.status.as_u16().into()));
    body
}

/// Requires that a trailing slash, needless percent-encoding and ignored parameters change nothing.
fn require_one_meaning(listener: Listener, head: &Parts, request: &Request) {
    let path = head.uri.path();
    let inner = path.strip_prefix('/').unwrap_or(path);
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    let encoded = |segment: &str| {
        let decoded = percent_decode_str(segment).decode_utf8_lossy();
        decoded.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>()
    };
    let path = inner.split('/').map(encoded).collect::<Vec<_>>().join("/");
    let search = format!("{}&_unknown=1", head.uri.query().unwrap_or_default());
    let again = route(listener, &format!("/{path}/"), Some(&search), &NETWORKS, LIMITS);
    assert_eq!(again.as_ref(), Ok(request), "{path}");
}

fn require_query(head: &Parts, query: &Query) {
    let path = percent_decode_str(head.uri.path()).decode_utf8_lossy().to_lowercase();
    let is_network = |chain_id: u64| NETWORKS.with_chain_id(chain_id).is_some();
    match query {
        Query::Networks | Query::Protocols | Query::Coverage => {}
        Query::ClearSigning(slug) => require_slug(slug),
        Query::Address(name, _) => require_name(name),
        Query::Events(EventsQuery { chain_id, hash, types, logs_max, account }) => {
            assert!(is_network(*chain_id) && path.contains(&format!("{hash:#x}")), "{path}");
            assert!((1..=LOGS_MAX).contains(logs_max) && types.len() <= KINDS.len(), "{query:?}");
            if let Some(Account::Name(name)) = account {
                require_name(name);
            }
        }
        Query::Of(account, about) => {
            match account {
                Account::Address(account) => assert!(path.contains(&format!("{account:#x}")), "{path}"),
                Account::Name(name) => require_name(name),
            }
            require_about(about);
        }
        Query::OfAll(accounts, about) => {
            assert!((1..=ACCOUNTS_MAX).contains(&accounts.len()), "{query:?}");
            for (place, account) in accounts.iter().enumerate() {
                assert!(!accounts[..place].contains(account), "{query:?}");
                if let Account::Name(name) = account {
                    require_name(name);
                }
            }
            assert!(!matches!(about, AboutRows::Protocol { .. }), "{query:?}");
            require_about(&About::Rows(about.clone()));
        }
    }
}

fn require_slug(slug: &str) {
    assert!(!slug.is_empty() && !paths::is_reserved(slug) && address::parse(slug).is_err(), "{slug}");
}

fn require_about(about: &About) {
    let is_network = |chain_id: u64| NETWORKS.with_chain_id(chain_id).is_some();
    match about {
        About::Rows(AboutRows::Protocol { slug, chain_id, .. }) => {
            assert!(chain_id.is_none_or(is_network), "{about:?}");
            require_slug(slug);
        }
        About::RevokePlan(revoked) => assert!(is_network(revoked.chain_id), "{about:?}"),
        About::Balances { chain_id, .. } | About::Approvals { chain_id } => {
            assert!(chain_id.is_none_or(is_network), "{about:?}");
        }
        About::Rows(AboutRows::Claimables { filter, chain_id, .. }) => {
            require_filter(filter);
            assert!(chain_id.is_none_or(is_network), "{about:?}");
        }
        About::ClaimPlan { filter, chain_id, .. } => {
            require_filter(filter);
            assert!(is_network(*chain_id), "{about:?}");
        }
        About::Rows(AboutRows::Positions { filter, chain_id, kinds, .. }) => {
            require_filter(filter);
            assert!(chain_id.is_none_or(is_network) && kinds.len() <= POSITION_KINDS.len(), "{about:?}");
        }
        About::Name(_) => {}
    }
}

fn require_filter(filter: &Filter) {
    if let Filter::Include(members) | Filter::Exclude(members) = filter {
        let is_member = |member: &String| !member.is_empty() && member.trim() == member;
        assert!(!members.is_empty() && members.iter().all(is_member), "{members:?}");
    }
}

/// Requires that a parsed name is its own normalised form.
fn require_name(name: &Name) {
    assert_eq!(Name::parse(name.as_str()).as_ref(), Ok(name));
    assert!(
        name.as_str().split('.').count() <= 32 && name.as_str().split('.').all(|label| !label.is_empty()),
        "{name}"
    );
    assert!(!name.as_str().bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_control()), "{name}");
}

/// Reads `bytes` as a transaction's logs and what contracts and plugins say about them, and writes its events. The
/// document must be of bounded size and name each log once, decoded or not.
pub fn event_view(bytes: &[u8]) {
    let (events, found) = fuzzed_events(bytes);
    let values: usize = events.events.iter().map(|event| values(&event.merged.event)).sum();
    let logs_bytes: usize = events.transaction.logs.iter().map(|log| 32 * log.topics.len() + log.data.len() + 20).sum();
    let logs = events.transaction.logs.len();
    // A batch has seven values per two words of its log.
    let most = 64 + 16 * logs + logs_bytes / 4 + bytes.len();
    assert!(values <= most, "{values} values of {logs_bytes} bytes of logs");
    // A movement is no longer than its event, and a wrap has two tokens.
    let movements = events.account.as_ref().map_or(0, |part| part.incoming.len() + part.outgoing.len());
    let sentence = events.account.as_ref().map_or(0, |part| part.summary.as_str().len());
    let bound =
        4096 + VALUE_BYTES_MAX * (values + events.events.len() + movements) + 3 * logs_bytes + 256 * logs + sentence;
    let answer = Answer { items: Items::Events(events), ..found };
    for full in [false, true] {
        let (mut body, written) = (Vec::new(), Cell::new(0));
        let wrote = view::write(&answer, Form { full, ..Form::default() }, &mut body, &written);
        wrote.unwrap_or_else(|error| unreachable!("{error}"));
        assert!(body.len() <= bound, "{} bytes, more than {bound}", body.len());
        let document = require_document(&body);
        let Items::Events(events) = &answer.items else { return };
        let items = if full || events.account.is_some() { &document["items"] } else { &document };
        require_items(items, events);
        if full {
            require_logs(&document, events);
        }
    }
}

fn values(event: &portolan_events::Event) -> usize {
    let of = |value: &portolan_events::Value| match value {
        portolan_events::Value::Assets(assets) => 1 + assets.len(),
        _ => 1,
    };
    event.members.iter().map(|(_, value)| of(value)).sum()
}

/// Requires a known type and all of its members for each item.
fn require_items(items: &Value, events: &TransactionEvents) {
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    assert_eq!(items.len(), events.events.iter().filter(|event| !event.merged.is_repeat).count());
    for item in items {
        let kind = item["type"].as_str().and_then(Kind::named);
        let metadata = item["metadata"].as_object();
        let (Some(kind), Some(metadata)) = (kind, metadata) else { unreachable!("{item}") };
        assert!(kind.members().iter().all(|member| metadata.contains_key(*member)), "{item}");
    }
}

/// Requires each log exactly once, with an event or as undecoded.
fn require_logs(document: &Value, events: &TransactionEvents) {
    let indexes = |name: &str| -> Vec<u64> {
        let rows = document[name].as_array().map(Vec::as_slice).unwrap_or_default();
        rows.iter().filter_map(|row| row["logIndex"].as_u64()).collect()
    };
    let (logs, undecoded) = (indexes("logs"), indexes("undecoded"));
    let decoded: BTreeSet<u64> = indexes("items").into_iter().chain(indexes("repeated")).collect();
    assert!(logs.is_sorted_by(|one, next| one < next), "{logs:?}");
    assert!(undecoded.iter().all(|log| !decoded.contains(log)), "{undecoded:?}");
    let named: BTreeSet<u64> = undecoded.iter().chain(&decoded).copied().collect();
    assert_eq!(logs, named.into_iter().collect::<Vec<_>>());
    assert!(logs.len() <= events.transaction.logs.len());
    assert_eq!(document["report"]["jobs"].as_array().map(Vec::len), Some(0));
}
