//! Documents that are fresh, old, of the future, of another source, or no documents at all.

use portolan_store::testing::Server;

use super::testing::WITHIN;
use super::*;

const URL: &str = "https://merkle.example.org/proof.json";
const HOUR: Duration = Duration::from_secs(3_600);

/// Two gateways at one store.
async fn two(server: &Server) -> [SharedDocuments; 2] {
    let url = server.url();
    let connected = || SharedDocuments::connected_to(&url);
    [connected().await.unwrap(), connected().await.unwrap()]
}

fn document(body: Option<&'static [u8]>, etag: Option<&str>) -> SharedDocument {
    let (age, kept) = (Duration::from_secs(61), HOUR);
    SharedDocument { body: body.map(Bytes::from_static), etag: etag.map(str::to_owned), age, kept }
}

/// Writes a value as a document, and waits until the store has it.
async fn write(documents: &SharedDocuments, url: &str, value: Bytes) {
    let written = documents.0.status().written;
    let entry = Entry { block: [0; 32], value };
    documents.0.put(EntryKind::Document, NO_CHAIN, &DocumentSource::TokenList.key(url), &entry, HOUR);
    documents.written(written + 1).await.unwrap();
}

#[test]
fn a_document_comes_back_as_it_was_and_other_bytes_are_none() {
    let fetched = Duration::from_millis(1_700_000_000_123);
    for (body, etag) in [(Some(&b"[1]"[..]), Some("W/\"1\"")), (Some(b""), Some("")), (None, None), (Some(b"x"), None)]
    {
        let document = document(body, etag);
        let value = encode(&document, fetched);
        assert_eq!(decode(&value), Some((document, fetched)));
        let head = value.len() - body.map_or(0, <[u8]>::len);
        assert_eq!((0..head).find(|length| decode(&value.slice(..*length)).is_some()), None);
    }
    let nothing_and_more = [&encode(&document(None, None), fetched)[..], b"x"].concat();
    assert_eq!(decode(&nothing_and_more.into()), None);
}

#[tokio::test]
async fn what_one_gateway_fetched_another_takes_by_the_same_way_alone() {
    let server = Server::start().await;
    let [one, other] = two(&server).await;
    let document = document(Some(b"[1]"), Some("1"));
    one.put(DocumentSource::Mirror, URL, &document);
    one.written(1).await.unwrap();
    let (found, ago) = other.get(DocumentSource::Mirror, URL, None).await.unwrap();
    assert_eq!((found, ago < WITHIN), (document, true));
    for source in [DocumentSource::GrantedHost, DocumentSource::TokenList] {
        assert_eq!(other.get(source, URL, None).await, None);
    }
    assert_eq!(other.get(DocumentSource::Mirror, "https://merkle.example.org/", None).await, None);
    assert_eq!(other.0.status().refused, 0);
}

#[tokio::test]
async fn a_document_that_is_too_old_or_of_the_future_is_refused() {
    let server = Server::start().await;
    let [one, other] = two(&server).await;
    let fetched = [unix_time() - HOUR, unix_time() + HOUR, unix_time() + REPORT_AGE_MAX / 2, unix_time() - HOUR / 2];
    for (fetched, is_taken) in fetched.into_iter().zip([false, false, true, true]) {
        write(&one, URL, encode(&document(Some(b"[1]"), None), fetched)).await;
        let refused = other.0.status().refused;
        assert_eq!(other.get(DocumentSource::TokenList, URL, None).await.is_some(), is_taken, "{fetched:?}");
        assert_eq!(other.0.status().refused - refused, u64::from(!is_taken));
    }
    write(&one, URL, Bytes::from_static(b"no document")).await;
    assert_eq!(other.get(DocumentSource::TokenList, URL, None).await, None);
    assert_eq!(other.0.status().refused, 3);
}

#[tokio::test]
async fn a_document_that_is_too_large_is_not_shared() {
    let server = Server::start().await;
    let [one, other] = two(&server).await;
    for (bytes, is_taken) in [((1 << 20) + 512, false), (1 << 20, true)] {
        let body = Some(vec![7; bytes].into());
        one.put(DocumentSource::TokenList, URL, &SharedDocument { body, ..document(None, None) });
        one.written(u64::from(is_taken)).await.unwrap();
        assert_eq!(other.get(DocumentSource::TokenList, URL, Some(WITHIN)).await.is_some(), is_taken);
    }
    assert_eq!(one.0.status().dropped, 1);
}
