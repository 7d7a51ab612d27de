//! Off-chain documents: their use by a job, and that a test refuses what a gateway refuses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::off_chain::{BODY_BYTES_MAX, READS_PER_HOST_MAX};
use portolan_plugin_api::testing::{CannedReplies, End, Fixture, JobTest, Outcome, ReadResult, Replies};
use portolan_plugin_api::{
    Address, Bytes, Catalogue, Claimable, Error, JobContext, NoDocument, Plugin, Settings, SettingsError, U256,
};

use crate::scenario::{NETWORK, TARGET, case, catalogue, found, found_all, in_place, numbers, value, valueCall};

const HOST: &str = "merkle.example.org";
const URL: &str = "https://merkle.example.org/0x2222";

/// Requests of a plugin, and the hosts that it declares.
trait Documents: Send + Sync + 'static {
    const HOSTS: &[&str];

    fn play(cx: &JobContext) -> impl Future<Output = Result<Vec<Claimable>, Error>> + Send;
}

struct Reading<D>(std::marker::PhantomData<D>);

impl<D: Documents> Plugin for Reading<D> {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self(std::marker::PhantomData))
    }

    fn catalogue(&self) -> Catalogue {
        let hosts = D::HOSTS.iter().map(|host| (*host).to_owned()).collect();
        Catalogue { hosts: Some(hosts), ..catalogue() }
    }

    async fn claimables(&self, cx: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
        let found = D::play(cx).await?;
        Ok(found.into_iter().enumerate().map(|(place, found)| in_place(found, place)).collect())
    }
}

impl<D: Documents> Exported for Reading<D> {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

macro_rules! documents {
    ($name:ident, $hosts:expr, |$cx:ident| $body:block) => {
        struct $name;

        impl Documents for $name {
            const HOSTS: &[&str] = $hosts;

            async fn play($cx: &JobContext) -> Result<Vec<Claimable>, Error> {
                $body
            }
        }
    };
}

fn run<D: Documents>(replies: impl Replies) -> Outcome {
    case().run::<Reading<D>>(replies)
}

/// Returns the message that a test fails with.
fn refused<D: Documents>() -> String {
    let failed = catch_unwind(AssertUnwindSafe(|| run::<D>(&CannedReplies::default()))).expect_err("a refusal");
    failed.downcast_ref::<String>().expect("a sentence").clone()
}

/// Returns the size of the document, and a number from the chain.
async fn both(cx: &JobContext) -> Result<Vec<Claimable>, Error> {
    let (document, on_chain): (Bytes, U256) = cx.join((cx.http_get(URL), value(cx, 3))).await?;
    Ok(found_all([U256::from(document.len()), on_chain]))
}

documents!(Both, &[HOST], |cx| { both(cx).await });
documents!(Tried, &[HOST], |cx| {
    let amount = match cx.try_http_get(URL).await? {
        Ok(body) => body.len(),
        Err(NoDocument::NotFound) => 404,
        Err(_) => 403,
    };
    Ok(vec![found(U256::from(amount))])
});

fn chain() -> CannedReplies {
    CannedReplies::default().reply(NETWORK, TARGET, &valueCall { of: U256::from(3) }, &U256::from(7))
}

#[test]
fn a_document_leaves_in_the_batch_of_what_is_awaited_with_it() {
    let outcome = run::<Both>(&chain().document(URL, b"{\"a\":1}".as_slice()));
    assert_eq!((outcome.end, outcome.batches.as_slice()), (End::Complete, &[2][..]), "{}", outcome.message);
    assert_eq!(numbers(&outcome), [7, 7]);
}

#[test]
fn what_became_of_a_document_is_an_error_that_names_the_host_alone() {
    for (result, why) in [
        (ReadResult::NoCode, "the server has no such document"),
        (ReadResult::NotAllowed, "the operator does not allow this host"),
        (ReadResult::Unavailable, "the server did not answer in time with a document"),
        (ReadResult::Ok(vec![0; BODY_BYTES_MAX + 1].into()), "the server did not answer in time with a document"),
        (ReadResult::OverBudget, "the job's budget of off-chain reads is used up"),
        (ReadResult::Unsupported, "this host makes no off-chain reads"),
    ] {
        let outcome = run::<Both>(&chain().document_result(URL, result));
        assert_eq!((outcome.end, outcome.message), (End::Failed, format!("{HOST}: {why}")));
    }
}

#[test]
fn what_is_not_there_and_what_is_not_allowed_can_be_values() {
    for (result, expected) in [
        (ReadResult::Ok(vec![0; BODY_BYTES_MAX].into()), BODY_BYTES_MAX as u64),
        (ReadResult::NoCode, 404),
        (ReadResult::NotAllowed, 403),
    ] {
        let outcome = run::<Tried>(&CannedReplies::default().document_result(URL, result));
        assert_eq!((outcome.end, numbers(&outcome)), (End::Complete, vec![expected]), "{}", outcome.message);
    }
    let outcome = run::<Tried>(&CannedReplies::default().document_result(URL, ReadResult::Unavailable));
    assert_eq!(outcome.end, End::Failed, "that a server is down says nothing about the account");
    assert_eq!(numbers(&run::<Tried>(&CannedReplies::default())), [404]);
}

documents!(Undeclared, &[HOST], |cx| {
    cx.try_http_get("https://merkle.example.org.evil.com/").await?.ok();
    Ok(Vec::new())
});
documents!(Plain, &[HOST], |cx| {
    cx.try_http_get("http://merkle.example.org/").await?.ok();
    Ok(Vec::new())
});
documents!(Address4, &["127.0.0.1"], |_cx| { Ok(Vec::new()) });

#[test]
fn a_test_fails_with_the_gateways_sentence_where_no_gateway_makes_the_read() {
    assert_eq!(
        refused::<Undeclared>(),
        "an off-chain read is of the host \"merkle.example.org.evil.com\", which the catalogue's hosts do not name"
    );
    assert!(refused::<Plain>().starts_with("an off-chain read is of no https URL"));
    assert!(refused::<Address4>().starts_with("\"127.0.0.1\" is not a lower-case DNS name"));
}

documents!(Greedy, &[HOST], |cx| {
    let urls = (0..1_000).map(|number| format!("https://{HOST}/{number}"));
    let gets = urls.map(|url| async move {
        let document = cx.try_http_get(&url).await;
        Ok(document.is_ok())
    });
    let made = cx.join(gets.collect::<Vec<_>>()).await?;
    Ok(vec![found(U256::from(made.iter().filter(|made| **made).count()))])
});

#[test]
fn a_job_gets_so_many_documents_of_one_host_and_no_more() {
    assert_eq!(numbers(&run::<Greedy>(&CannedReplies::default())), [READS_PER_HOST_MAX as u64]);
}

#[test]
fn a_document_is_recorded_and_replayed() {
    let test: JobTest = case();
    for result in [ReadResult::Ok(b"[]".as_slice().into()), ReadResult::NoCode, ReadResult::NotAllowed] {
        let replies = CannedReplies::default().document_result(URL, result);
        let (outcome, fixture) = Fixture::record::<Reading<Tried>>(&test, &replies);
        assert_eq!(fixture.replay::<Reading<Tried>>(Settings::default()).expect("a fixture"), outcome);
    }
}
