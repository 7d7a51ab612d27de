//! The description of the API as an answer.

use bytes::Bytes;
use hyper::Method;
use portolan_tests::chain::Chain;
use portolan_tests::description::Description;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{Response, Version, request};
use portolan_tests::problem;

const PATH: &str = "/openapi.json";

/// A gateway is ready once a chain answers.
fn start() -> (Chain, Gateway) {
    let chain = Chain::bare(1).unwrap();
    let gateway = Setup::default().rpc("ethereum", &chain.url).start().unwrap();
    (chain, gateway)
}

fn get(gateway: &Gateway, path: &str, headers: &[(&str, &str)]) -> Response {
    request(gateway.base, Version::Http1, &Method::GET, path, headers, Bytes::new()).unwrap()
}

#[test]
fn the_description_is_compressed_once_and_known_by_its_tag() {
    let (_chain, gateway) = start();
    let plain = get(&gateway, PATH, &[]);
    assert_eq!((plain.status.as_u16(), plain.header("content-type")), (200, Some("application/json")));
    assert_eq!(plain.header("cache-control"), Some("public, max-age=60"));
    let coded = get(&gateway, PATH, &[("accept-encoding", "br")]);
    assert_eq!((coded.header("content-encoding"), &coded.body), (Some("br"), &plain.body));
    assert!(coded.sent_bytes * 8 < plain.sent_bytes, "{} of {} bytes", coded.sent_bytes, plain.sent_bytes);
    let known = get(&gateway, PATH, &[("if-none-match", plain.header("etag").unwrap())]);
    assert_eq!((known.status.as_u16(), known.sent_bytes), (304, 0));
    let document = plain.json().unwrap();
    assert_eq!(document.text_at("openapi").unwrap(), "3.1.0");
    assert_eq!(document.text_at("info/version").unwrap(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_description_takes_no_parameter_and_is_on_the_base_listener_alone() {
    let (_chain, gateway) = start();
    let description = Description::of(&gateway).unwrap();
    for query in ["detail=full", "amounts=string", "network=polygon"] {
        let path = format!("{PATH}?{query}");
        let refused = get(&gateway, &path, &[]);
        problem::detail(&refused, 400, "unknown-parameter").unwrap();
        description.check(&path, &refused).unwrap();
    }
    description.check(PATH, &get(&gateway, PATH, &[])).unwrap();
    // There it is a name of an account.
    assert_ne!(gateway.aggregate(PATH).unwrap().status, 200);
}
