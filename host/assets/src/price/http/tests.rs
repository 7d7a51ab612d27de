//! The HTTP source against a service that is good, down, slow, lying, partial, or redirecting.

use super::service::{Service, ServiceAnswer, body};
use super::*;

const A: Address = Address::repeat_byte(0xaa);
const B: Address = Address::repeat_byte(0xbb);
/// Upper bound; only a test that hangs waits this long.
const LONG: Duration = Duration::from_secs(30);

fn source(service: &Service) -> Arc<HttpPrices> {
    Arc::new(HttpPrices::new(service.base()))
}

async fn fetch(prices: &Arc<HttpPrices>, tokens: &[Address]) -> HashMap<Address, String> {
    let quotes = prices.quotes(1, tokens, Instant::now() + LONG).await;
    quotes.into_iter().map(|(token, quote)| (token, quote.usd.to_string())).collect()
}

fn quotes(prices: &[(Address, &str)]) -> HashMap<Address, String> {
    prices.iter().map(|(token, usd)| (*token, (*usd).to_owned())).collect()
}

#[tokio::test]
async fn all_coins_are_one_request_and_are_requested_once_while_fresh() {
    let service = Service::start(ServiceAnswer::Body(body(&[(A, "1840.25"), (B, "0.25")]))).await;
    let prices = source(&service);
    let expected = quotes(&[(A, "1840.25"), (B, "0.25")]);
    assert_eq!(fetch(&prices, &[A, B]).await, expected);
    assert_eq!(fetch(&prices, &[B, A]).await, expected);
    assert_eq!(service.requests(), [format!("/key/prices/current/ethereum:{A:#x},ethereum:{B:#x}")]);
    prices.cache.insert((1, A), CachedQuote { quote: None, at: Instant::now().checked_sub(FRESH_FOR).unwrap() });
    assert_eq!(fetch(&prices, &[A, B]).await, expected);
    assert_eq!(service.requests()[1..], [format!("/key/prices/current/ethereum:{A:#x}")]);
}

#[tokio::test]
async fn a_coin_that_the_service_does_not_know_is_missing_and_not_requested_again() {
    let service = Service::start(ServiceAnswer::Body(body(&[(A, "1")]))).await;
    let prices = source(&service);
    assert_eq!(fetch(&prices, &[A, B]).await, quotes(&[(A, "1")]));
    assert_eq!(fetch(&prices, &[B]).await, quotes(&[]));
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn a_lie_about_one_coin_does_not_cost_the_other() {
    for lie in ["\"NaN\"", "-1", "0", "1e300", "\"1\"", "null"] {
        let service = Service::start(ServiceAnswer::Body(body(&[(A, lie), (B, "2")]))).await;
        assert_eq!(fetch(&source(&service), &[A, B]).await, quotes(&[(B, "2")]), "{lie}");
    }
}

#[tokio::test]
async fn a_service_that_fails_is_left_alone_for_a_while() {
    let huge = format!("{{\"coins\":{{}},\"x\":\"{}\"}}", "x".repeat(300 * 1024));
    let endless = b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{\"coins\":{".to_vec();
    for answer in [
        ServiceAnswer::Close,
        ServiceAnswer::Body("<html>".into()),
        ServiceAnswer::Body(body(&[(A, "NaN"), (B, "1")])),
        ServiceAnswer::Body(huge),
        ServiceAnswer::Raw(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n".to_vec()),
        ServiceAnswer::Raw(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()),
        ServiceAnswer::Raw(b"nonsense\r\n\r\n".to_vec()),
        ServiceAnswer::Raw(endless),
    ] {
        let shown = format!("{answer:?}").chars().take(120).collect::<String>();
        let service = Service::start(answer).await;
        let prices = source(&service);
        assert_eq!(fetch(&prices, &[A]).await, quotes(&[]), "{shown}");
        assert!(prices.is_paused(), "{shown}");
        let before = service.requests().len();
        assert!(before > 0, "{shown}");
        assert_eq!(fetch(&prices, &[A, B]).await, quotes(&[]), "{shown}");
        assert_eq!(service.requests().len(), before, "{shown}");
    }
}

#[tokio::test]
async fn a_service_that_is_down_is_left_at_once() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let prices = Arc::new(HttpPrices::new(BaseUrl::parse(&format!("http://{address}"), false).unwrap()));
    assert_eq!(fetch(&prices, &[A]).await, quotes(&[]));
    assert!(prices.is_paused());
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Service::start(ServiceAnswer::Body(body(&[(A, "1")]))).await;
    let redirect = format!("HTTP/1.1 302 Found\r\nlocation: http://{}/\r\ncontent-length: 0\r\n\r\n", target.address);
    let service = Service::start(ServiceAnswer::Raw(redirect.into_bytes())).await;
    assert_eq!(fetch(&source(&service), &[A]).await, quotes(&[]));
    assert_eq!(service.requests().len(), 1);
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn nobody_waits_for_a_slow_service_and_what_it_brings_serves_the_next() {
    let service = Service::start(ServiceAnswer::Late(body(&[(A, "3")]))).await;
    let prices = source(&service);
    let started = Instant::now();
    assert!(prices.quotes(1, &[A], started + Duration::from_millis(50)).await.is_empty());
    assert!(started.elapsed() < REQUEST_MAX / 2);
    service.release();
    assert_eq!(fetch(&prices, &[A]).await, quotes(&[(A, "3")]));
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn callers_at_the_same_time_share_a_request() {
    let service = Service::start(ServiceAnswer::Body(body(&[(A, "3"), (B, "4")]))).await;
    let prices = source(&service);
    let (both, one) = tokio::join!(fetch(&prices, &[A, B]), fetch(&prices, &[A]));
    assert_eq!(both, quotes(&[(A, "3"), (B, "4")]));
    assert_eq!(one, quotes(&[(A, "3")]));
    assert_eq!(service.requests().len(), 1);
    assert!(prices.in_flight.lock().is_empty());
}

#[tokio::test]
async fn more_requests_than_may_be_at_once_go_without() {
    let service = Service::start(ServiceAnswer::Late(body(&[]))).await;
    let prices = source(&service);
    let tokens: Vec<Address> = (0..2000_u64).map(|place| Address::left_padding_from(&place.to_be_bytes())).collect();
    assert!(prices.quotes(1, &tokens, Instant::now()).await.is_empty());
    assert_eq!(prices.requests.available_permits(), 0);
    let first: usize = batches("ethereum", &tokens).take(REQUESTS_MAX).map(<[Address]>::len).sum();
    assert_eq!(prices.in_flight.lock().len(), first);
}

#[tokio::test]
async fn a_network_without_a_name_there_is_not_queried() {
    let service = Service::start(ServiceAnswer::Body(body(&[(A, "1")]))).await;
    let prices = source(&service);
    assert!(prices.quotes(80001, &[A], Instant::now() + LONG).await.is_empty());
    assert!(service.requests().is_empty());
}

#[tokio::test]
async fn a_name_that_leads_into_the_own_network_is_not_connected_to() {
    let service = Service::start(ServiceAnswer::Body(body(&[(A, "1")]))).await;
    let lookup: HostLookup = {
        let address = service.address;
        Arc::new(move |_| async move { Ok(vec![address]) }.boxed())
    };
    let port = service.address.port();
    let foreign = BaseUrl::parse(&format!("https://prices.example:{port}"), false).unwrap();
    let prices = Arc::new(HttpPrices::with_lookup(foreign, Arc::clone(&lookup)));
    assert_eq!(fetch(&prices, &[A]).await, quotes(&[]));
    assert!(prices.is_paused() && service.requests().is_empty());
    let own = BaseUrl::parse(&format!("http://prices.example:{port}"), true).unwrap();
    assert_eq!(fetch(&Arc::new(HttpPrices::with_lookup(own, lookup)), &[A]).await, quotes(&[(A, "1")]));
}

#[test]
fn a_request_names_at_most_a_hundred_coins_in_four_kibibytes() {
    let tokens: Vec<Address> = (0..1000_u64).map(|place| Address::left_padding_from(&place.to_be_bytes())).collect();
    for chain in portolan_networks::NETWORKS.iter().filter_map(|network| network.price_service) {
        let batches: Vec<&[Address]> = batches(chain, &tokens).collect();
        assert_eq!(batches.concat(), tokens);
        for batch in batches {
            assert!(batch.len() <= COINS_MAX && target(chain, batch).len() <= TARGET_MAX_BYTES, "{chain}");
        }
    }
}
