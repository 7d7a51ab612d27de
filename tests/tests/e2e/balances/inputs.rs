//! Wrong input to the balance calls, as a table.

use bytes::Bytes;
use hyper::Method;
use portolan_tests::http::{self, Version};
use portolan_tests::problem;

use super::fixture;

const CALLS: [&str; 3] = ["/{}/native-balance", "/balance/{}/native-balance", "/balance/{}/token-balances"];

#[test]
fn wrong_accounts_and_networks_are_reported() {
    let fixture = fixture();
    let good = fixture.account("farmer");
    // An address of EIP-55's own list with the case of one letter changed.
    let wrong_case = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD";
    let cases = [
        (wrong_case, "", 400, "invalid-address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"),
        (
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe",
            "",
            400,
            "invalid-address",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe",
        ),
        (good, "?network=mars", 400, "invalid-network", "ETHEREUM"),
        (good, "?network=mars", 400, "invalid-network", "POLYGON_MUMBAI"),
        (good, "?network=", 400, "invalid-network", "POLYGON"),
        (good, "?network=31337", 400, "invalid-network", "POLYGON"),
        (good, "?network=fantom", 503, "network-not-configured", "FANTOM"),
        (good, "?network=FANTOM", 503, "network-not-configured", "FANTOM"),
        // A malformed value is reported before a missing one.
        (wrong_case, "?network=fantom", 400, "invalid-address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"),
    ];
    for call in CALLS {
        for (account, query, status, name, part) in cases {
            let path = format!("{}{query}", call.replace("{}", account));
            let detail = problem::detail(&fixture.gateway.get(&path).unwrap(), status, name)
                .unwrap_or_else(|error| panic!("{path}: {error:#}"));
            assert!(
                detail.to_lowercase().contains(&part.to_lowercase()),
                "{path}: {detail:?} does not contain {part:?}"
            );
        }
    }
}

#[test]
fn other_methods_and_paths_are_refused() {
    let fixture = fixture();
    let account = fixture.account("farmer");
    for call in CALLS {
        let path = call.replace("{}", account);
        let fetch = |method: &Method| {
            http::request(fixture.gateway.base, Version::Http1, method, &path, &[], Bytes::new()).unwrap()
        };
        let refused = fetch(&Method::POST);
        problem::detail(&refused, 405, "method-not-allowed").unwrap();
        assert_eq!(refused.header("allow"), Some("GET, HEAD, OPTIONS"), "{path}");
        let head = fetch(&Method::HEAD);
        assert_eq!((head.status.as_u16(), head.body.as_str()), (200, ""), "{path}");
        assert!(head.header("portolan-blocks").is_some(), "{path}");
        problem::detail(&fixture.gateway.get(&format!("{path}/x")).unwrap(), 404, "unknown-path").unwrap();
    }
    problem::detail(&fixture.gateway.get(&format!("/{account}/token-balances")).unwrap(), 404, "unknown-path").unwrap();
}
