//! Lists over time: read, cached, changed, refused, restarted.

pub(crate) mod host;

use std::fs;

use alloy::primitives::Address;
use parking_lot::Mutex;
use portolan_base::net::shared_documents::{DocumentSource, SharedDocument};
use serde_json::json;
use tracing::Level;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::{Context, SubscriberExt};

use self::host::{Answer, Host};
use super::*;

const A: Address = Address::repeat_byte(0xaa);
const B: Address = Address::repeat_byte(0xbb);

/// A list of these tokens on Ethereum.
fn list(symbol: &str, tokens: &[Address]) -> String {
    let facts = json!({"chainId": 1, "decimals": 18, "name": "A token", "symbol": symbol});
    let token = |address: &Address| {
        let mut token = facts.clone();
        token["address"] = json!(address);
        token
    };
    let tokens: Vec<_> = tokens.iter().map(token).collect();
    let version = json!({"major": tokens.len(), "minor": 0, "patch": 0});
    json!({"name": "A list", "timestamp": "2026-01-31T12:00:00Z", "version": version, "tokens": tokens}).to_string()
}

/// A refresher that has read the local sources, and has fetched nothing yet.
async fn opened(state_dir: &Path, locations: Vec<ListLocation>) -> Refresher {
    let fetcher = Fetcher::with_deadline(Duration::from_secs(20));
    let mut refresher =
        Refresher::new(locations, state_dir, TrustedOwners::of_process(None), &Networks::new([]), fetcher).unwrap();
    refresher.open().await;
    refresher
}

fn index(refresher: &Refresher) -> Arc<TokenIndex> {
    refresher.published.index.load_full()
}

fn status(refresher: &Refresher) -> ListStatus {
    refresher.published.status.load()[0].clone()
}

fn symbol(refresher: &Refresher, token: Address) -> Option<String> {
    index(refresher).get(1, token).map(|listed| listed.symbol.to_string())
}

/// Records warnings of this thread.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Warnings {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        struct Fields<'a>(&'a mut String);
        impl tracing::field::Visit for Fields<'_> {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
                self.0.push_str(&format!("{field}={value:?} "));
            }
        }
        if *event.metadata().level() <= Level::WARN {
            let mut line = String::new();
            event.record(&mut Fields(&mut line));
            self.0.lock().push(line);
        }
    }
}

impl Warnings {
    fn listen() -> (Self, DefaultGuard) {
        let warnings = Self::default();
        let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(warnings.clone()));
        (warnings, guard)
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

#[tokio::test]
async fn a_changed_file_is_in_force_after_the_next_round() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.json");
    fs::write(&path, list("ONE", &[A])).unwrap();
    let mut refresher = opened(folder.path(), vec![ListLocation::File(path.clone())]).await;
    assert_eq!(symbol(&refresher, A).as_deref(), Some("ONE"));
    let before = index(&refresher);
    refresher.round().await;
    assert!(Arc::ptr_eq(&before, &index(&refresher)), "nothing has changed");
    fs::write(&path, list("TWO", &[A, B])).unwrap();
    refresher.round().await;
    assert_eq!(symbol(&refresher, A).as_deref(), Some("TWO"));
    assert_eq!(before.tokens(1), [A], "whoever holds an index keeps it");
    assert_eq!(index(&refresher).tokens(1), [A, B]);
    let status = status(&refresher);
    assert_eq!((status.tokens, status.version.map(|version| version.to_string())), (2, Some("2.0.0".into())));
}

#[tokio::test]
async fn a_bad_list_is_logged_once_and_the_one_before_stays() {
    let (warnings, _guard) = Warnings::listen();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.json");
    fs::write(&path, list("ONE", &[A])).unwrap();
    let mut refresher = opened(folder.path(), vec![ListLocation::File(path.clone())]).await;
    fs::write(&path, list("a symbol with spaces", &[A])).unwrap();
    refresher.round().await;
    refresher.round().await;
    assert_eq!(symbol(&refresher, A).as_deref(), Some("ONE"));
    assert_eq!(status(&refresher).error.as_deref(), Some("tokens[0].symbol: has white space"));
    let lines = warnings.lines();
    assert!(lines.len() == 1 && lines[0].contains("tokens[0].symbol: has white space"), "{lines:?}");

    fs::remove_file(&path).unwrap();
    refresher.round().await;
    assert_eq!(symbol(&refresher, A).as_deref(), Some("ONE"));
    assert_eq!(warnings.lines().len(), 2, "another error is logged too");

    fs::write(&path, list("TWO", &[A])).unwrap();
    refresher.round().await;
    assert_eq!((symbol(&refresher, A).as_deref(), status(&refresher).error), (Some("TWO"), None));
}

#[tokio::test]
async fn a_list_that_was_never_read_is_missing_and_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.json");
    fs::write(&good, list("GOOD", &[A])).unwrap();
    let locations = vec![
        ListLocation::File(folder.path().join("none.json")),
        ListLocation::File(folder.path().into()),
        ListLocation::File(good),
    ];
    let refresher = opened(folder.path(), locations).await;
    assert_eq!((index(&refresher).lists_missing(), symbol(&refresher, A).as_deref()), (2, Some("GOOD")));
    let status = refresher.published.status.load_full();
    assert!(status[0].error.as_ref().unwrap().starts_with("cannot be read"), "{status:?}");
    assert_eq!(status[1].error.as_deref(), Some("it is a folder, not a regular file"));
    assert_eq!((status[2].number, status[2].error.as_deref()), (3, None));
    assert!(status[2].at(SystemTime::now() + Duration::from_secs(60)).age_s.is_some_and(|age_s| age_s >= 60));
    assert_eq!(status[0].at(SystemTime::now()).age_s, None);
}

#[tokio::test]
async fn a_list_of_the_configuration_goes_before_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let wrapped = Networks::new([]).with_chain_id(1).unwrap().wrapped_native.unwrap();
    let path = folder.path().join("my.json");
    fs::write(&path, list("MINE", &[wrapped])).unwrap();
    let refresher = opened(folder.path(), vec![ListLocation::File(path), ListLocation::Shipped]).await;
    assert_eq!(symbol(&refresher, wrapped).as_deref(), Some("MINE"));
    let refresher = opened(folder.path(), vec![ListLocation::Shipped]).await;
    assert_eq!(symbol(&refresher, wrapped).as_deref(), Some("WETH"));
    assert!(index(&refresher).len() > 1000);
}

#[tokio::test]
async fn a_fetched_list_is_requested_by_its_tag_and_cached_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::answering([Answer::ok(list("ONE", &[A])).with("etag", "\"1\"")]).await;
    let locations = vec![ListLocation::Url(host.url("/s3cret"))];
    let mut refresher = opened(folder.path(), locations.clone()).await;
    assert_eq!((index(&refresher).lists_missing(), index(&refresher).len()), (1, 0));
    refresher.round().await;
    assert_eq!((index(&refresher).lists_missing(), symbol(&refresher, A).as_deref()), (0, Some("ONE")));

    let mut refresher = opened(folder.path(), locations).await;
    assert_eq!(symbol(&refresher, A).as_deref(), Some("ONE"), "the cached copy");
    let before = index(&refresher);
    host.then(Answer::status(304));
    refresher.round().await;
    assert!(Arc::ptr_eq(&before, &index(&refresher)));
    let row = status(&refresher);
    assert_eq!((row.error, row.location.contains("s3cret")), (None, false));
    host.then(Answer::ok(list("TWO", &[A])).with("etag", "\"2\""));
    refresher.round().await;
    assert_eq!(symbol(&refresher, A).as_deref(), Some("TWO"));
    let tags = host.requests().into_iter().map(|request| request.headers.get("if-none-match").cloned());
    let tags: Vec<_> = tags.map(|tag| tag.map(|tag| tag.to_str().unwrap().to_owned())).collect();
    assert_eq!(tags, [None, Some("\"1\"".into()), Some("\"1\"".into())]);
}

#[tokio::test]
async fn a_host_that_fails_leaves_the_last_good_list_in_force_and_on_disk() {
    let (warnings, _guard) = Warnings::listen();
    let folder = tempfile::tempdir().unwrap();
    let host = Host::answering([Answer::ok(list("ONE", &[A]))]).await;
    let locations = vec![ListLocation::Url(host.url("/s3cret"))];
    let mut refresher = opened(folder.path(), locations.clone()).await;
    refresher.round().await;
    let failures = [
        (Answer::status(500), "answered with status 500"),
        (Answer::ok("<html>").with("etag", "\"bad\""), "the list: "),
        (Answer::ok(vec![b' '; schema::DOCUMENT_BYTES_MAX + 1]), "answered more than"),
        (Answer::status(302).with("location", "http://127.0.0.1/"), "answered with a redirect (302)"),
    ];
    for (answer, expected) in failures {
        host.then(answer);
        refresher.round().await;
        let error = status(&refresher).error.unwrap();
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(symbol(&refresher, A).as_deref(), Some("ONE"));
    }
    assert_eq!(warnings.lines().len(), 4);
    assert!(warnings.lines().iter().all(|line| line.contains("127.0.0.1") && !line.contains("s3cret")));
    let requests = host.requests();
    assert!(
        requests.iter().all(|request| !request.headers.contains_key("if-none-match")),
        "a refused list's tag is not cached"
    );
    let refresher = opened(folder.path(), locations).await;
    assert_eq!(symbol(&refresher, A).as_deref(), Some("ONE"));
}

#[tokio::test]
async fn a_broken_copy_is_logged_and_fetched_anew() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::answering([Answer::ok(list("ONE", &[A])), Answer::ok(list("ONE", &[A]))]).await;
    let locations = vec![ListLocation::Url(host.url("/"))];
    opened(folder.path(), locations.clone()).await.round().await;
    let copy = fs::read_dir(folder.path().join("lists")).unwrap().next().unwrap().unwrap().path();
    fs::write(&copy, "{\"etag\":\"x\",\"fetched_at_s\":1}\n{}").unwrap();
    let mut refresher = opened(folder.path(), locations).await;
    assert!(status(&refresher).error.is_some());
    assert_eq!(index(&refresher).lists_missing(), 1);
    refresher.round().await;
    assert_eq!((symbol(&refresher, A).as_deref(), status(&refresher).error), (Some("ONE"), None));
    assert!(host.requests().iter().all(|request| !request.headers.contains_key("if-none-match")));
}

#[tokio::test]
async fn one_gateway_fetches_a_list_and_the_others_take_it() {
    let hour = Duration::from_secs(3600);
    let store = portolan_store::testing::Server::start().await;
    let host = Host::answering([Answer::ok(list("ONE", &[A])).with("etag", "\"1\"")]).await;
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let sharing = async |folder: &tempfile::TempDir| {
        let mut refresher = opened(folder.path(), vec![ListLocation::Url(host.url("/s3cret"))]).await;
        let shared = Arc::new(SharedDocuments::connected_to(&store.url()).await.unwrap());
        (refresher.context.shared, refresher.context.refresh) = (Some(Arc::clone(&shared)), hour);
        (refresher, shared)
    };
    let (mut one, of_one) = sharing(&folders[0]).await;
    one.round().await;
    of_one.written(1).await.unwrap();
    let (mut other, of_other) = sharing(&folders[1]).await;
    other.round().await;
    assert_eq!((symbol(&one, A).as_deref(), symbol(&other, A).as_deref()), (Some("ONE"), Some("ONE")));
    assert_eq!(host.requests().len(), 1);

    // A list that has not changed is shared again by the one that found that out, from its copy.
    store.clear();
    host.then(Answer::status(304));
    one.round().await;
    of_one.written(2).await.unwrap();
    other.round().await;
    assert_eq!(host.requests().len(), 2);

    // What is no list is fetched, whoever shares it.
    let bad = SharedDocument { body: Some("{}".into()), etag: None, age: Duration::ZERO, kept: hour };
    of_one.put(DocumentSource::TokenList, host.url("/s3cret").expose().as_str(), &bad);
    of_one.written(3).await.unwrap();
    host.then(Answer::ok(list("TWO", &[A])));
    let refused = of_other.refused();
    other.round().await;
    assert_eq!((symbol(&other, A).as_deref(), of_other.refused() - refused), (Some("TWO"), 1));
    assert_eq!(host.requests().len(), 3);
}

#[tokio::test]
async fn the_process_starts_with_what_it_has_and_fetches_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::answering([Answer::ok(list("ONE", &[A]))]).await;
    let locations = vec![ListLocation::Url(host.url("/")), ListLocation::Shipped];
    let (hour, networks) = (Duration::from_secs(3600), Networks::new([]));
    let lists = TokenLists::start(locations, hour, folder.path(), TrustedOwners::of_process(None), &networks, None)
        .await
        .unwrap();
    assert!(lists.index().len() > 1000);
    let fetched = async {
        while lists.index().get(1, A).is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), fetched).await.expect("the list comes");
    assert_eq!(lists.status().len(), 2);
}

#[test]
fn a_place_is_a_file_or_an_http_url_and_shows_no_more_than_its_host() {
    let shown = |text: &str| ListLocation::parse(text).map(|place| place.to_string());
    assert_eq!(shown("./my.json").as_deref(), Ok("./my.json"));
    assert_eq!(shown("https://l.example:1/s3cret?key=s3cret").as_deref(), Ok("l.example:1"));
    assert_eq!(shown(""), Err(ListLocationError::Empty));
    assert_eq!(shown("https://me:s3cret@l.example/"), Err(ListLocationError::User));
    assert_eq!(shown("ipfs://s3cret"), Err(ListLocationError::Url(RpcUrlError::Scheme)));
    for text in ["ipfs://s3cret", "https://me:s3cret@l.example/"] {
        assert!(!shown(text).unwrap_err().to_string().contains("s3cret"));
    }
}
