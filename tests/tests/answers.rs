//! Every answer about every account of every chain, member by member, against the arithmetic of the chains' build.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use hyper::Method;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::{self, Response, Version};
use portolan_tests::json::Json;
use portolan_tests::truth::{self, ACCOUNTS, Call, NETWORKS};
use portolan_tests::world::{Shared, World};

struct Scene {
    gateway: Gateway,
    world: World,
}

impl Scene {
    fn start() -> Result<Self> {
        let world = World::start()?;
        Ok(Self { gateway: world.setup()?.start()?, world })
    }

    fn account(&self, who: &str) -> &str {
        self.world.address(who).unwrap()
    }

    /// A complete answer about an account: every network's block, nothing missing.
    fn complete(&self, path: &str) -> Response {
        let response = self.gateway.get(path).unwrap();
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{path}");
        assert_eq!(response.header("portolan-blocks"), Some(self.world.pins().unwrap().as_str()), "{path}");
        assert_eq!(response.header("content-type"), Some("application/json"), "{path}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
        response
    }
}

static SCENE: Shared<Scene> = Shared::new();

macro_rules! scene {
    () => {
        SCENE.get(Scene::start).unwrap()
    };
}

fn assert_rows(what: &str, actual: &Json, expected: &[Json]) {
    let faults = truth::faults(actual, expected).with_context(|| format!("{what}: {actual}")).unwrap();
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
}

#[test]
fn networks_are_all_eight_in_the_order_of_the_specification() {
    let scene = scene!();
    let expected = NETWORKS.map(|(slug, name, logo, _)| {
        Json::object([
            ("name", Json::text(name)),
            ("logo", Json::text(truth::network_logo(logo))),
            ("slug", Json::text(slug)),
        ])
    });
    let response = scene.gateway.get("/networks").unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(response.header("portolan-blocks"), None);
    assert_eq!(response.json().unwrap().differences(&Json::Array(expected.to_vec())), [""; 0]);
}

#[test]
fn protocols_tell_the_slugs_with_their_company() {
    let expected = Json::Array(vec![truth::quickswap()]);
    let protocols = scene!().gateway.get("/protocols").unwrap().json().unwrap();
    assert_eq!(protocols.differences(&expected), [""; 0]);
}

#[test]
fn farming_positions_equal_the_arithmetic() {
    let scene = scene!();
    for who in ACCOUNTS {
        let path = format!("/quickswap/farming/{}/positions", scene.account(who));
        let actual = scene.complete(&path).json().unwrap();
        assert_rows(&format!("farming of {who}"), &actual, &scene.world.farming(who).unwrap());
    }
}

#[test]
fn claimables_of_one_protocol_equal_the_arithmetic() {
    let scene = scene!();
    for who in ACCOUNTS {
        let actual = scene.complete(&format!("/quickswap/{}/claimables", scene.account(who))).json().unwrap();
        let expected = scene.world.claimables(who, Call::Protocol).unwrap();
        assert_rows(&format!("claimables of {who}"), &actual, &expected);
    }
}

#[test]
fn all_claimables_equal_the_arithmetic_at_both_addresses() {
    let scene = scene!();
    for who in ACCOUNTS {
        let at_base = scene.complete(&format!("/claimables/{}", scene.account(who)));
        let expected = scene.world.claimables(who, Call::Aggregate).unwrap();
        assert_rows(&format!("all claimables of {who}"), &at_base.json().unwrap(), &expected);
        let at_own = scene.gateway.aggregate(&format!("/{}", scene.account(who))).unwrap();
        assert_eq!((at_own.status, &at_own.body), (at_base.status, &at_base.body));
        assert_eq!(at_own.header("portolan-blocks"), at_base.header("portolan-blocks"));
    }
}

#[test]
fn an_account_with_nothing_gets_empty_lists() {
    let scene = scene!();
    let nothing = scene.account("nothing");
    for path in [
        format!("/claimables/{nothing}"),
        format!("/quickswap/{nothing}/claimables"),
        format!("/quickswap/farming/{nothing}/positions"),
        format!("/quickswap/lending/{nothing}/positions"),
    ] {
        let response = scene.gateway.get(&path).unwrap();
        assert_eq!((response.status.as_u16(), response.body.trim()), (200, "[]"), "{path}");
    }
}

#[test]
fn a_protocol_without_lending_has_no_positions_there() {
    let scene = scene!();
    let response = scene.gateway.get(&format!("/quickswap/lending/{}/positions", scene.account("whale"))).unwrap();
    assert_eq!((response.status.as_u16(), response.body.trim()), (200, "[]"));
    assert_eq!(response.header("portolan-partial"), None);
}

#[test]
fn equal_questions_have_equal_answers() {
    let scene = scene!();
    for path in [
        format!("/claimables/{}", scene.account("odd")),
        format!("/quickswap/farming/{}/positions", scene.account("odd")),
    ] {
        assert_eq!(scene.complete(&path).body, scene.complete(&path).body, "{path}");
    }
}

#[test]
fn another_process_answers_the_same() {
    let scene = scene!();
    let second = scene.world.setup().unwrap().start().unwrap();
    for path in [
        format!("/claimables/{}", scene.account("whale")),
        format!("/quickswap/farming/{}/positions", scene.account("farmer")),
    ] {
        assert_eq!(second.get(&path).unwrap().body, scene.complete(&path).body, "{path}");
    }
}

#[test]
fn letter_case_and_trailing_slash_change_nothing() {
    let scene = scene!();
    let account = scene.account("farmer");
    let plain = scene.complete(&format!("/claimables/{account}")).body;
    let upper = account[2..].to_uppercase();
    for path in [
        format!("/claimables/0x{upper}"),
        format!("/claimables/{account}/"),
        format!("/claimables/{account}/?x=y&detail=some"),
    ] {
        assert_eq!(scene.complete(&path).body, plain, "{path}");
    }
}

#[test]
fn full_detail_adds_raw_amounts_origin_and_report() {
    let scene = scene!();
    for who in ACCOUNTS {
        let account = scene.account(who);
        for (path, kind) in [
            (format!("/claimables/{account}"), "claimables"),
            (format!("/quickswap/{account}/claimables"), "claimables"),
            (format!("/quickswap/farming/{account}/positions"), "farming"),
        ] {
            let plain = scene.complete(&path).json().unwrap();
            let full = scene.complete(&format!("{path}?detail=full")).json().unwrap();
            let items = full.at("items").unwrap();
            assert_eq!(truth::plain(items).unwrap().differences(&plain), [""; 0], "{path}");
            assert_extras(&scene, who, kind, items);
            assert_report(&scene, full.at("report").unwrap());
        }
    }
}

/// The raw amounts, once for each row of the build, and where a row is from.
fn assert_extras(scene: &Scene, who: &str, kind: &str, items: &Json) {
    let amounts = |rows: &[Json]| -> Vec<String> {
        let members = rows.iter().flat_map(|row| ["amountRaw", "underlyingAmountRaw"].map(|name| row.get(name)));
        let mut amounts: Vec<String> = members.flatten().map(ToString::to_string).collect();
        amounts.sort();
        amounts
    };
    let expected: Vec<Json> =
        scene.world.chains.iter().flat_map(|(_, truth)| truth.rows(who, kind).unwrap().to_vec()).collect();
    assert_eq!(amounts(items.items().unwrap()), amounts(&expected), "{kind} of {who}");
    for item in items.items().unwrap() {
        assert_eq!(item.text_at("account").unwrap(), scene.account(who));
        assert!(item.text_at("plugin").unwrap().starts_with("quickswap@"), "{item}");
    }
}

fn assert_report(scene: &Scene, report: &Json) {
    for (_, truth) in &scene.world.chains {
        let block = report.at(&format!("blocks/{}", truth.network)).unwrap();
        for member in ["number", "hash", "timestamp"] {
            assert_eq!(block.at(member).unwrap(), truth.block(member).unwrap(), "{}", truth.network);
        }
    }
    let jobs = report.at("jobs").unwrap().items().unwrap();
    assert_eq!(jobs.len(), scene.world.chains.len(), "{report}");
    for (job, (_, truth)) in jobs.iter().zip(&scene.world.chains) {
        assert_eq!(job.text_at("protocol").unwrap(), "quickswap");
        assert_eq!(job.text_at("network").unwrap(), truth.network);
        assert_eq!(job.text_at("status").unwrap(), "ok", "{job}");
        for member in ["durationMs", "waves", "reads"] {
            assert!(job.number_at(member).unwrap().to_string().parse::<u64>().is_ok(), "{job}");
        }
        let members: BTreeSet<&str> = job.members().unwrap().iter().map(|(name, _)| name.as_str()).collect();
        let named = ["protocol", "network", "status", "reason", "detail", "durationMs", "waves", "reads"];
        assert_eq!(members, BTreeSet::from(named));
    }
}

#[test]
fn include_and_exclude_choose_the_protocols() {
    let scene = scene!();
    let account = scene.account("whale");
    let all = scene.complete(&format!("/claimables/{account}")).body;
    for query in [
        "include=quickswap",
        "include=QUICKSWAP",
        "?include=quickswap,&",
        "include=quickswap,&",
        "include=,,quickswap&include=",
        "include=quickswap&include=quickswap",
        "include=quick%73wap",
        "include=",
        "exclude=",
        "exclude=,&",
    ] {
        let query = query.trim_start_matches('?');
        assert_eq!(scene.complete(&format!("/claimables/{account}?{query}")).body, all, "{query}");
        let own = scene.gateway.aggregate(&format!("/{account}?{query}")).unwrap();
        assert_eq!(own.body, all, "{query}");
    }
    for query in ["exclude=quickswap", "exclude=QUICKSWAP,"] {
        let response = scene.gateway.get(&format!("/claimables/{account}?{query}")).unwrap();
        assert_eq!((response.status.as_u16(), response.body.trim()), (200, "[]"), "{query}");
    }
}

#[test]
fn head_is_get_without_the_body() {
    let scene = scene!();
    for path in ["/networks".to_owned(), format!("/claimables/{}", scene.account("farmer"))] {
        let get = scene.gateway.get(&path).unwrap();
        let head = http::request(scene.gateway.base, Version::Http1, &Method::HEAD, &path, &[], Bytes::new()).unwrap();
        assert_eq!((head.status, head.body.as_str()), (get.status, ""), "{path}");
        for name in ["content-type", "content-length", "portolan-blocks", "access-control-allow-origin"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {path}");
        }
        assert_eq!(get.header("content-length"), Some(get.body.len().to_string().as_str()));
    }
}

#[test]
fn browsers_of_other_origins_may_read_everything() {
    let scene = scene!();
    let get = scene.gateway.get("/networks").unwrap();
    assert_eq!(get.header("access-control-allow-origin"), Some("*"));
    let exposed = get.header("access-control-expose-headers").unwrap().to_lowercase();
    assert!(exposed.contains("portolan-blocks") && exposed.contains("portolan-partial"), "{exposed}");
    let asked = [("origin", "https://app.example"), ("access-control-request-method", "GET")];
    let preflight =
        http::request(scene.gateway.base, Version::Http1, &Method::OPTIONS, "/networks", &asked, Bytes::new()).unwrap();
    assert!(preflight.status.is_success(), "{preflight:?}");
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
    assert!(preflight.header("access-control-allow-methods").unwrap().contains("GET"), "{preflight:?}");
}

#[test]
fn http2_answers_like_http1() {
    let scene = scene!();
    let path = format!("/claimables/{}", scene.account("exited"));
    let one = scene.complete(&path);
    let two = http::request(scene.gateway.base, Version::H2c, &Method::GET, &path, &[], Bytes::new()).unwrap();
    assert_eq!((two.status, &two.body), (one.status, &one.body));
    assert_eq!(two.header("portolan-blocks"), one.header("portolan-blocks"));
}

#[test]
fn the_operators_address_tells_health_and_plugins() {
    let scene = scene!();
    let health = scene.gateway.operate("/healthz").unwrap();
    assert_eq!((health.status.as_u16(), health.json().unwrap().text_at("status").unwrap()), (200, "ok"));
    let ready = scene.gateway.operate("/readyz").unwrap();
    assert_eq!((ready.status.as_u16(), ready.json().unwrap()), (200, Json::object([("ready", Json::Bool(true))])));
    let plugins = scene.gateway.plugins().unwrap();
    assert_eq!(plugins.len(), 1, "{plugins:?}");
    let plugin = &plugins[0];
    assert_eq!(plugin.text_at("plugin").unwrap(), "quickswap");
    assert_eq!(plugin.text_at("state").unwrap(), "active");
    assert_eq!(plugin.text_at("isolation").unwrap(), "in-process");
    assert_eq!(plugin.at("reason").unwrap(), &Json::Null);
    assert_eq!(plugin.at("protocols").unwrap(), &Json::Array(vec![Json::text("quickswap")]));
    let members: BTreeSet<&str> = plugin.members().unwrap().iter().map(|(name, _)| name.as_str()).collect();
    let named = [
        "plugin",
        "file",
        "digest",
        "version",
        "apiRev",
        "state",
        "reason",
        "protocols",
        "generation",
        "isolation",
        "loadedAt",
    ];
    assert_eq!(members, BTreeSet::from(named));
}

#[test]
fn nothing_that_is_printed_holds_an_endpoint() {
    let scene = scene!();
    scene.complete(&format!("/claimables/{}", scene.account("farmer")));
    assert_eq!(scene.gateway.further_stdout(), [""; 0]);
    for (chain, _) in &scene.world.chains {
        assert!(!scene.gateway.log().contains(&chain.url), "{}", scene.gateway.log());
    }
}
