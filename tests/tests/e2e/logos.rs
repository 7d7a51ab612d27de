//! Logos of protocols: published ones, and drawings that the gateway serves itself.

use anyhow::Result;
use bytes::Bytes;
use hyper::Method;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{Response, Version, request};

/// One protocol with a published logo, and two without.
const SLUGS: [&str; 3] = ["bancor", "maverick", "fluid"];

/// A gateway is ready once a chain answers.
fn gateway(chain: &Chain, config: &str) -> Result<Gateway> {
    let exchanges = build::built()?.plugin("libexchanges.so");
    Setup::default().config(config).rpc("ethereum", &chain.url).plugin(&exchanges, &SLUGS).start()
}

fn logo(gateway: &Gateway, slug: &str) -> String {
    let protocols = gateway.get("/protocols").unwrap().json().unwrap();
    let protocols = protocols.items().unwrap();
    let of_slug = protocols.iter().find(|row| row.text_at("slug").unwrap() == slug).unwrap();
    of_slug.text_at("logo").unwrap().to_owned()
}

fn is_drawing(response: &Response) -> bool {
    response.status == 200
        && response.header("content-type") == Some("image/svg+xml")
        && response.header("content-security-policy") == Some("default-src 'none'; sandbox")
        && response.header("x-content-type-options") == Some("nosniff")
        && response.header("cache-control") == Some("public, max-age=2592000")
        && response.body.starts_with("<svg ")
}

#[test]
fn each_logo_is_published_or_served_where_answers_say() {
    let chain = Chain::bare(1).unwrap();
    // In place of the tests' own public_url.
    let gateway = gateway(&chain, "# public_url is not set").unwrap();
    assert_eq!(logo(&gateway, "bancor"), "https://github.com/decentri-fi/data/raw/master/logo/protocol/bancor.png");
    for slug in ["maverick", "fluid"] {
        let url = logo(&gateway, slug);
        let base = format!("http://{}", gateway.base);
        let path = url.strip_prefix(&base).unwrap_or_else(|| panic!("{url} is of another place"));
        assert_eq!(path, format!("/logos/protocol/{slug}.svg"));
        let drawing = gateway.get(path).unwrap();
        assert!(is_drawing(&drawing), "{drawing:?}");
        assert!(is_drawing(&gateway.aggregate(path).unwrap()), "the other public listener");
        // A client that has the logo is told so, and one that requests no valid slug gets a 404.
        let tag = drawing.header("etag").unwrap();
        let known = [("if-none-match", tag)];
        let again = request(gateway.base, Version::Http1, &Method::GET, path, &known, Bytes::new()).unwrap();
        assert_eq!((again.status.as_u16(), again.body.as_str(), again.header("etag")), (304, "", Some(tag)));
    }
    assert_eq!(gateway.get("/logos/protocol/%3Cb%3E.svg").unwrap().status, 404);
    assert_eq!(gateway.get("/logos/protocol/maverick.png").unwrap().status, 404);
}

#[test]
fn drawings_are_named_by_the_url_that_clients_know() {
    let chain = Chain::bare(1).unwrap();
    let gateway = gateway(&chain, "public_url = \"https://portolan.example/api/\"").unwrap();
    assert_eq!(logo(&gateway, "maverick"), "https://portolan.example/api/logos/protocol/maverick.svg");
}
