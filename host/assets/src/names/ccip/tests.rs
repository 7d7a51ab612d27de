//! Gateways that are good, slow, huge, redirecting, elsewhere, or missing.

use alloy::primitives::{address, bytes};
use alloy::sol_types::SolValue;

use super::service::{Reply, Service};
use super::*;

const SENDER: Address = address!("226159d592E2b063810a10Ebf6dcbADA94Ed68b8");
/// Upper bound; only a test that hangs waits this long.
const LONG: Duration = Duration::from_secs(60);

fn request(urls: &[String]) -> GatewayRequest {
    GatewayRequest { sender: SENDER, named_by: SENDER, urls: urls.to_vec(), data: bytes!("d5fa2b00") }
}

fn gateways(services: &[&Service]) -> Gateways {
    Gateways::new(services.iter().map(|service| service.host()).collect(), None)
}

async fn resolve(gateways: &Gateways, urls: &[String]) -> Result<Bytes, GatewayError> {
    find(gateways, &request(urls), LONG).await.map(|found| found.data)
}

async fn find(gateways: &Gateways, request: &GatewayRequest, within: Duration) -> Result<GatewayData, GatewayError> {
    gateways.query(request, &OutgoingBudget::new(16, 4), 0, Instant::now() + within).await
}

async fn resolve_one(reply: Reply) -> Result<Bytes, GatewayError> {
    let service = Service::start(reply).await;
    resolve(&gateways(&[&service]), &[service.get_url()]).await
}

#[tokio::test]
async fn a_url_with_the_data_in_it_is_requested_by_get_and_another_by_post() {
    let service = Service::start(Reply::data(&[0xde, 0xad])).await;
    let gateways = gateways(&[&service]);
    for url in [service.get_url(), service.post_url()] {
        assert_eq!(resolve(&gateways, &[url]).await, Ok(bytes!("dead")));
    }
    let sender = "0x226159d592e2b063810a10ebf6dcbada94ed68b8";
    assert_eq!(
        service.requests(),
        [
            format!("GET /{sender}/0xd5fa2b00.json"),
            format!("POST /{sender} {{\"data\":\"0xd5fa2b00\",\"sender\":\"{sender}\"}}"),
        ]
    );
}

#[tokio::test]
async fn what_is_no_answer_is_reported_as_what_it_is() {
    let json = |body: &str| Reply::Json(200, body.to_owned());
    let huge = format!("{{\"data\":\"0x{}\"}}", "00".repeat(BODY_BYTES_MAX));
    for (reply, partial_error) in [
        (json("<html>"), GatewayError::Malformed),
        (json("{}"), GatewayError::Malformed),
        (json("{\"data\":7}"), GatewayError::Malformed),
        (json("{\"data\":\"dead\"}"), GatewayError::Malformed),
        (json("{\"data\":\"0xdea\"}"), GatewayError::Malformed),
        (json(&huge), GatewayError::TooLarge),
        (Reply::Json(404, "{\"message\":\"no\"}".into()), GatewayError::Status(404)),
        (Reply::Json(500, "{\"data\":\"0xdead\"}".into()), GatewayError::Status(500)),
        (Reply::Head(302, "location: https://gateway.example/\r\n".into()), GatewayError::Redirect(302)),
        (Reply::Close, GatewayError::Unreachable),
    ] {
        let shown = format!("{reply:?}").chars().take(80).collect::<String>();
        assert_eq!(resolve_one(reply).await, Err(partial_error), "{shown}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Service::start(Reply::data(&[1])).await;
    let away = Service::start(Reply::Head(307, format!("location: http://{}/\r\n", target.address))).await;
    let found = resolve(&gateways(&[&away, &target]), &[away.get_url()]).await;
    assert_eq!(found, Err(GatewayError::Redirect(307)));
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn after_a_refusal_no_other_gets_a_request_and_after_a_failure_the_next_does() {
    let good = Service::start(Reply::data(&[7])).await;
    for (reply, answer) in [
        (Reply::Json(400, String::new()), Err(GatewayError::Status(400))),
        (Reply::Json(499, String::new()), Err(GatewayError::Status(499))),
        (Reply::Json(500, String::new()), Ok(bytes!("07"))),
        (Reply::Json(200, String::new()), Ok(bytes!("07"))),
        (Reply::Close, Ok(bytes!("07"))),
    ] {
        let bad = Service::start(reply.clone()).await;
        let found = resolve(&gateways(&[&bad, &good]), &[bad.get_url(), good.get_url()]).await;
        assert_eq!(found, answer, "{reply:?}");
    }
}

#[tokio::test]
async fn a_gateway_that_nobody_named_is_requested_over_https_at_public_addresses() {
    let service = Service::start(Reply::data(&[1])).await;
    let (strict, port) = (gateways(&[]), service.address.port());
    for (url, partial_error) in [
        (service.get_url(), GatewayError::NotHttps),
        (format!("http://gateway.example:{port}/{{data}}"), GatewayError::NotHttps),
        ("ftp://gateway.example/{data}".into(), GatewayError::NotHttps),
        ("file:///etc/passwd?{data}".into(), GatewayError::NotHttps),
        (format!("https://127.0.0.1:{port}/{{data}}"), GatewayError::Port),
        (format!("https://localhost:{port}/{{data}}"), GatewayError::Port),
        (format!("https://[::ffff:127.0.0.1]:{port}/{{data}}"), GatewayError::Port),
        (format!("https://gateway.example@127.0.0.1:{port}/{{data}}"), GatewayError::Port),
        ("https://127.0.0.1/{data}".into(), GatewayError::NotPublic),
        ("https://localhost/{data}".into(), GatewayError::NotPublic),
        ("https://[::ffff:127.0.0.1]:443/{data}".into(), GatewayError::NotPublic),
        ("https://gateway.example@127.0.0.1/{data}".into(), GatewayError::NotPublic),
        ("https://gateway.example:8443/{data}".into(), GatewayError::Port),
        ("https://169.254.169.254/latest/{data}".into(), GatewayError::NotPublic),
        ("https://10.0.0.1/{data}".into(), GatewayError::NotPublic),
        ("no url".into(), GatewayError::NoUrl),
    ] {
        assert_eq!(resolve(&strict, std::slice::from_ref(&url)).await, Err(partial_error), "{url}");
    }
    assert!(service.requests().is_empty());
}

#[tokio::test]
async fn a_named_host_is_no_way_to_another_port_or_host() {
    let (named, other) = (Service::start(Reply::data(&[1])).await, Service::start(Reply::data(&[2])).await);
    let gateways = gateways(&[&named]);
    assert_eq!(resolve(&gateways, &[other.get_url()]).await, Err(GatewayError::NotHttps));
    assert_eq!(resolve(&gateways, &[named.get_url()]).await, Ok(bytes!("01")));
}

#[tokio::test]
async fn a_gateway_that_is_silent_leaves_time_for_the_next() {
    let (silent, good) = (Service::start(Reply::Silence).await, Service::start(Reply::data(&[7])).await);
    let soon = Duration::from_millis(50);
    let found = find(&gateways(&[&silent]), &request(&[silent.get_url()]), soon).await;
    assert_eq!(found, Err(GatewayError::Timeout), "the answer's time");
    let gateways = Gateways { fetch_within: soon, ..gateways(&[&silent, &good]) };
    assert_eq!(resolve(&gateways, &[silent.get_url()]).await, Err(GatewayError::Timeout), "its own time");
    assert_eq!(resolve(&gateways, &[silent.get_url(), good.get_url()]).await, Ok(bytes!("07")));
}

#[tokio::test]
async fn the_number_and_the_size_of_requests_are_bounded() {
    let bad = Service::start(Reply::Json(500, String::new())).await;
    let gateways = gateways(&[&bad]);
    let urls = vec![bad.get_url(); 100];
    assert_eq!(resolve(&gateways, &urls).await, Err(GatewayError::Status(500)));
    assert_eq!(bad.requests().len(), URLS_MAX);
    let long = GatewayRequest { data: vec![0; URL_BYTES_MAX].into(), ..request(&[bad.get_url()]) };
    assert_eq!(find(&gateways, &long, LONG).await, Err(GatewayError::NoUrl));
    let repeated = format!("http://{}/{}", bad.address, "{data}".repeat(10_000));
    assert_eq!(resolve(&gateways, &[repeated]).await, Err(GatewayError::NoUrl));
    assert_eq!(resolve(&gateways, &[]).await, Err(GatewayError::NoUrl));
}

#[tokio::test]
async fn one_answer_makes_so_many_requests_and_no_more_to_one_host_that_nobody_named() {
    let outgoing = OutgoingBudget::new(6, 2);
    let named = Service::start(Reply::data(&[7])).await;
    let gateways = gateways(&[&named]);
    let query = async |url: String| {
        let until = Instant::now() + LONG;
        gateways.query(&request(&[url]), &outgoing, 0, until).await.map(|found| found.data)
    };
    // Refused for its address, which is checked last.
    for expected in [GatewayError::NotPublic, GatewayError::NotPublic, GatewayError::TooManyOfHost] {
        assert_eq!(query("https://127.0.0.1/{data}".into()).await, Err(expected));
    }
    assert_eq!(query("https://10.0.0.1/{data}".into()).await, Err(GatewayError::NotPublic));
    for _ in 0..2 {
        assert_eq!(query(named.get_url()).await, Ok(bytes!("07")));
    }
    assert_eq!(query(named.get_url()).await, Err(GatewayError::TooMany));
    assert_eq!(named.requests().len(), 2);
}

fn batch(requests: Vec<(Address, Vec<String>, Bytes)>) -> GatewayRequest {
    let requests = requests.into_iter().map(|(sender, urls, data)| BatchGateway::Request { sender, urls, data });
    let data = BatchGateway::queryCall { requests: requests.collect() }.abi_encode().into();
    GatewayRequest { data, ..request(&["https://batch.example/".into(), LOCAL_BATCH.into()]) }
}

#[tokio::test]
async fn a_batch_is_requested_by_us_and_reports_what_failed() {
    let good = Service::start(Reply::data(&[7])).await;
    let bad = Service::start(Reply::Json(404, String::new())).await;
    let request = batch(vec![
        (SENDER, vec![good.get_url()], bytes!("01")),
        (SENDER, vec![bad.get_url()], bytes!("02")),
        (SENDER, vec!["https://10.0.0.1/{data}".into()], bytes!("03")),
    ]);
    let found = find(&gateways(&[&good, &bad]), &request, LONG).await.unwrap();
    assert_eq!(found.partial_error, Some(GatewayError::Status(404)));
    let (failures, responses) = <(Vec<bool>, Vec<Bytes>)>::abi_decode_params(&found.data).unwrap();
    assert_eq!(failures, [false, true, true]);
    assert_eq!(responses[0], bytes!("07"));
    // The selectors given by ENSIP-21 and Solidity.
    assert_eq!(responses[1][..4], [0x01, 0x80, 0x01, 0x52]);
    assert_eq!(responses[1][4..36], [[0; 30].as_slice(), &404_u16.to_be_bytes()].concat());
    assert_eq!(responses[2][..4], [0x08, 0xc3, 0x79, 0xa0]);
}

#[tokio::test]
async fn batches_of_batches_end() {
    let good = Service::start(Reply::data(&[7])).await;
    let gateways = gateways(&[&good]);
    let mut request = request(&[good.get_url()]);
    for depth in 1..=BATCH_DEPTH_MAX + 1 {
        request = batch(vec![(SENDER, request.urls, request.data)]);
        let found = find(&gateways, &request, LONG).await.unwrap();
        let partial_error = (depth > BATCH_DEPTH_MAX).then_some(GatewayError::TooMany);
        assert_eq!(found.partial_error, partial_error, "{depth}");
    }
    let wide = batch(vec![(SENDER, vec![good.get_url()], Bytes::new()); BATCH_REQUESTS_MAX + 1]);
    assert_eq!(find(&gateways, &wide, LONG).await, Err(GatewayError::TooMany));
    let requests = good.requests().len();
    let broad = batch(vec![(SENDER, vec!["http://10.0.0.1/{data}".into(); 4], Bytes::new()); BATCH_REQUESTS_MAX]);
    let found = find(&gateways, &broad, LONG).await.unwrap();
    let (failures, _) = <(Vec<bool>, Vec<Bytes>)>::abi_decode_params(&found.data).unwrap();
    assert_eq!(failures, [true; BATCH_REQUESTS_MAX]);
    assert_eq!(good.requests().len(), requests);
    let broken = GatewayRequest { data: bytes!("00"), ..wide };
    assert_eq!(find(&gateways, &broken, LONG).await, Err(GatewayError::Lookup));
}
