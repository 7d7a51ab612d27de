//! Every answer about every account of every chain, member by member, against the arithmetic of the chains' build.

mod amounts;

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bigdecimal::{BigDecimal, One};
use bytes::Bytes;
use hyper::Method;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::{self, Response, Version};
use portolan_tests::json::Json;
use portolan_tests::portfolio;
use portolan_tests::problem;
use portolan_tests::protocol::{PLUGINS, Question};
use portolan_tests::truth::{self, ACCOUNTS, Call, Detail, NETWORKS};
use portolan_tests::world::{Placed, Shared, World};

struct Fixture {
    gateway: Gateway,
    world: World,
}

impl Fixture {
    fn start() -> Result<Self> {
        let world = World::start()?;
        Ok(Self { gateway: world.setup()?.start()?, world })
    }

    fn account(&self, who: &str) -> &str {
        self.world.address(who).unwrap()
    }

    /// An answer about an account: every network's block, and nothing missing but what nobody can read.
    fn answer(&self, path: &str, who: &str, question: Question, slug: Option<&str>) -> Response {
        let response = self.gateway.get(path).unwrap();
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        let partial = self.world.partial(who, question, slug).unwrap();
        assert_eq!(response.header("portolan-partial"), partial.as_deref(), "{path}");
        let pins = self.world.pins(question, slug).unwrap();
        assert_eq!(response.header("portolan-blocks"), Some(pins.as_str()), "{path}");
        assert_eq!(response.header("content-type"), Some("application/json"), "{path}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        // The chains rest, so that nobody knows when they have their next block.
        let is_stored = partial.is_none() && !path.contains("detail=full");
        let control = if is_stored { "private, no-cache" } else { "no-store" };
        assert_eq!(response.header("cache-control"), Some(control), "{path}");
        response
    }

    /// The answer of one protocol.
    fn of_one(&self, who: &str, question: Question, slug: &str, query: &str) -> Response {
        let path = format!("{}{query}", question.path(slug, self.account(who)));
        self.answer(&path, who, question, Some(slug))
    }

    /// The answer of all protocols.
    fn of_all(&self, who: &str, query: &str) -> Response {
        self.answer(&format!("/claimables/{}{query}", self.account(who)), who, Question::Claimables, None)
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn assert_rows(what: &str, actual: &Json, expected: &[Json]) {
    let faults = truth::faults(actual, expected).with_context(|| format!("{what}: {actual}")).unwrap();
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
}

#[test]
fn networks_are_all_eight_in_the_order_of_the_specification() {
    let fixture = fixture();
    let expected = NETWORKS.map(|(slug, name, logo, _)| {
        Json::object([
            ("name", Json::text(name)),
            ("logo", Json::text(truth::network_logo(logo))),
            ("slug", Json::text(slug)),
        ])
    });
    let response = fixture.gateway.get("/networks").unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(response.header("portolan-blocks"), None);
    assert_eq!(response.json().unwrap().differences(&Json::Array(expected.to_vec())), [""; 0]);
}

#[test]
fn protocols_list_the_slugs_with_their_company() {
    let fixture = fixture();
    let expected = Json::Array(fixture.world.protocols().unwrap());
    let protocols = fixture.gateway.get("/protocols").unwrap().json().unwrap();
    assert_eq!(protocols.differences(&expected), [""; 0]);
}

#[test]
fn plugins_in_the_gateways_own_process_answer_byte_for_byte_the_same() {
    let fixture = fixture();
    let own = fixture.world.setup().unwrap().in_process().start().unwrap();
    let slugs = fixture.world.slugs().unwrap();
    let mut bytes = 0;
    for who in ACCOUNTS {
        let account = fixture.account(who);
        let of_one =
            Question::ALL.into_iter().flat_map(|question| slugs.iter().map(move |slug| question.path(slug, account)));
        let of_all = ["claimables", "positions"].map(|kind| format!("/{kind}/{account}"));
        for path in of_one.chain(of_all) {
            let [worker, own] = [&fixture.gateway, &own].map(|gateway| gateway.get(&path).unwrap());
            assert_eq!((worker.status, &worker.body), (own.status, &own.body), "{path}");
            bytes += worker.body.len();
        }
    }
    assert!(bytes > 10_000, "{bytes} bytes say nothing");
}

/// Every protocol's plain answers to a question, about every account.
fn assert_answers(question: Question) {
    let fixture = fixture();
    let mut rows = 0;
    for who in ACCOUNTS {
        for slug in fixture.world.slugs().unwrap() {
            let actual = fixture.of_one(who, question, &slug, "").json().unwrap();
            let expected = fixture.world.answer(who, question, &slug, Detail::Plain).unwrap();
            rows += expected.len();
            assert_rows(&format!("{question:?} of {who} in {slug}"), &actual, &expected);
        }
    }
    assert!(rows > 0, "no chain has any {question:?}");
}

#[test]
fn farming_positions_equal_the_arithmetic() {
    assert_answers(Question::Farming);
}

#[test]
fn lending_positions_equal_the_arithmetic_and_show_no_debts() {
    assert_answers(Question::Lending);
}

#[test]
fn claimables_of_one_protocol_equal_the_arithmetic() {
    assert_answers(Question::Claimables);
}

#[test]
fn all_positions_and_their_sums_equal_the_arithmetic() {
    let fixture = fixture();
    for who in ACCOUNTS {
        let path = format!("/positions/{}", fixture.account(who));
        let response = fixture.gateway.get(&path).unwrap();
        assert_eq!(response.status, 200, "{}", response.body);
        let faults = portfolio::faults(&fixture.world, who, &response.json().unwrap()).unwrap();
        assert!(faults.is_empty(), "{path}:\n{}", faults.join("\n"));
    }
}

#[test]
fn kinds_networks_and_protocols_select_positions() {
    let fixture = fixture();
    let answer = |query: &str| {
        let path = format!("/positions/{}?{query}", fixture.account("farmer"));
        fixture.gateway.get(&path).unwrap().json().unwrap()
    };
    let members = |answer: &Json, member: &str| -> BTreeSet<String> {
        let groups = answer.at("protocols").unwrap().items().unwrap().iter();
        let positions = groups.flat_map(|group| group.at("positions").unwrap().items().unwrap());
        positions.map(|position| position.text_at(member).unwrap().to_owned()).collect()
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(members(&answer(""), "kind"), set(&["borrowed", "staked"]));
    let staked = answer("kind=STAKED");
    assert_eq!(members(&staked, "kind"), set(&["staked"]));
    assert_eq!(*staked.at("totals/claimable").unwrap(), Json::Null, "claims are left out");
    assert_eq!(members(&answer("kind=borrowed&kind=lent"), "kind"), set(&["borrowed"]));
    assert_eq!(members(&answer("kind=lent"), "kind"), set(&[]));
    assert_eq!(members(&answer("network=polygon"), "network/name"), set(&["POLYGON"]));
    assert_eq!(members(&answer("include=quickswap"), "protocol/slug"), set(&["quickswap"]));
    assert!(!members(&answer("exclude=quickswap"), "protocol/slug").contains("quickswap"));
    assert_eq!(members(&answer("kind=locked,vesting,pooled"), "kind"), set(&[]));
    let wrong = fixture.gateway.get(&format!("/positions/{}?kind=rented", fixture.account("farmer"))).unwrap();
    let detail = problem::detail(&wrong, 400, "invalid-filter").unwrap();
    assert!(detail.contains("the kinds are lent, borrowed"), "{detail}");
}

#[test]
fn debts_stand_beside_what_secures_them_in_borrowing() {
    let fixture = fixture();
    let path = format!("/aave_v3/borrowing/{}/positions", fixture.account("farmer"));
    let positions = fixture.gateway.get(&path).unwrap().json().unwrap();
    assert!(!positions.items().unwrap().is_empty());
    for position in positions.items().unwrap() {
        let roles: BTreeSet<&str> =
            position.at("legs").unwrap().items().unwrap().iter().map(|leg| leg.text_at("role").unwrap()).collect();
        assert_eq!(roles, BTreeSet::from(["borrowed", "supplied"]));
        assert_eq!(position.text_at("kind").unwrap(), "borrowed");
        assert!(position.number_at("health/factor").unwrap() > BigDecimal::one(), "{position}");
    }
}

#[test]
fn debts_and_health_factors_stand_in_full_detail() {
    let fixture = fixture();
    let (mut debts, mut healths) = (0, 0);
    for who in ACCOUNTS {
        for slug in fixture.world.slugs().unwrap() {
            let full = fixture.of_one(who, Question::Lending, &slug, "?detail=full").json().unwrap();
            let expected = fixture.world.answer(who, Question::Lending, &slug, Detail::Full).unwrap();
            debts += expected.iter().filter(|row| row.text_at("side").unwrap() == "borrow").count();
            healths += expected.iter().filter(|row| *row.at("healthFactor").unwrap() != Json::Null).count();
            let items = truth::plain(full.at("items").unwrap()).unwrap();
            assert_rows(&format!("lending of {who} in {slug}, in full"), &items, &expected);
        }
    }
    assert!(debts > 0 && healths > debts, "{debts} debts, {healths} health factors");
}

#[test]
fn all_claimables_equal_the_arithmetic_at_both_addresses() {
    let fixture = fixture();
    for who in ACCOUNTS {
        let at_base = fixture.of_all(who, "");
        let expected = fixture.world.claimables(who, None, Call::Aggregate).unwrap();
        assert_rows(&format!("all claimables of {who}"), &at_base.json().unwrap(), &expected);
        let at_own = fixture.gateway.aggregate(&format!("/{}", fixture.account(who))).unwrap();
        assert_eq!((at_own.status, &at_own.body), (at_base.status, &at_base.body));
        assert_eq!(at_own.header("portolan-blocks"), at_base.header("portolan-blocks"));
    }
}

#[test]
fn an_account_with_nothing_gets_empty_lists() {
    let fixture = fixture();
    assert_eq!(fixture.of_all("nothing", "").body.trim(), "[]");
    for slug in fixture.world.slugs().unwrap() {
        for question in Question::ALL {
            assert_eq!(fixture.of_one("nothing", question, &slug, "").body.trim(), "[]", "{question:?} in {slug}");
        }
    }
}

#[test]
fn a_protocol_without_lending_or_farming_has_no_positions_there() {
    let fixture = fixture();
    for (slug, question) in [("quickswap", Question::Lending), ("aave_v3", Question::Farming)] {
        assert_eq!(fixture.world.requested(question, Some(slug)).unwrap(), []);
        assert_eq!(fixture.of_one("whale", question, slug, "").body.trim(), "[]", "{question:?} in {slug}");
    }
}

#[test]
fn the_rows_that_plugins_ship_with_answer_like_those_of_settings() {
    let fixture = fixture();
    let world = &fixture.world;
    let built = portolan_tests::build::built().unwrap();
    let setup = portolan_tests::gateway::Setup::default()
        .config(&world.config().unwrap())
        .plugin(&built.plugin("libsushiswap.so"), &["sushiswap"])
        .plugin(&built.plugin("libaave_v3.so"), &["aave_v3"]);
    let (ethereum, truth) = world.chain("ethereum").unwrap();
    // No settings files: what stands at the real addresses is found there.
    let gateway = setup.rpc("ethereum", &ethereum.url).start().unwrap();
    for (who, question, slug) in [
        ("farmer", Question::Claimables, "sushiswap"),
        ("farmer", Question::Farming, "sushiswap"),
        ("whale", Question::Lending, "aave_v3"),
        ("farmer", Question::Claimables, "aave_v3"),
    ] {
        let expected = match question {
            Question::Claimables => truth.claimables(who, Some(slug), Call::Protocol),
            Question::Farming => truth.farming(who, slug),
            Question::Lending => truth.lending(who, slug, Detail::Plain),
        };
        let response = gateway.get(&question.path(slug, world.address(who).unwrap())).unwrap();
        assert_rows(&format!("shipped {slug}"), &response.json().unwrap(), &expected.unwrap());
        // Rows of other networks have no endpoint here, and some of Aave's markets do not stand on this chain.
        let partial = response.header("portolan-partial").unwrap();
        assert_eq!(partial.contains(&format!("{slug}/ethereum")), slug == "aave_v3", "{partial}");
        assert!(partial.contains("/optimism;reason=not-configured"), "{partial}");
    }
}

#[test]
fn equal_questions_have_equal_answers() {
    let fixture = fixture();
    for slug in fixture.world.slugs().unwrap() {
        for question in Question::ALL {
            let fetch = || fixture.of_one("farmer", question, &slug, "").body;
            assert_eq!(fetch(), fetch(), "{question:?} in {slug}");
        }
    }
    assert_eq!(fixture.of_all("odd", "").body, fixture.of_all("odd", "").body);
}

#[test]
fn another_process_answers_the_same() {
    let fixture = fixture();
    let second = fixture.world.setup().unwrap().start().unwrap();
    let path = format!("/claimables/{}", fixture.account("whale"));
    assert_eq!(second.get(&path).unwrap().body, fixture.of_all("whale", "").body);
    for (question, slug) in [(Question::Farming, "quickswap"), (Question::Lending, "aave_v3")] {
        let path = question.path(slug, fixture.account("farmer"));
        assert_eq!(second.get(&path).unwrap().body, fixture.of_one("farmer", question, slug, "").body, "{path}");
    }
}

#[test]
fn letter_case_and_trailing_slash_change_nothing() {
    let fixture = fixture();
    let account = fixture.account("farmer");
    let plain = fixture.of_all("farmer", "").body;
    let upper = account[2..].to_uppercase();
    for path in [
        format!("/claimables/0x{upper}"),
        format!("/claimables/{account}/"),
        format!("/claimables/{account}/?_x=y&_detail=some"),
    ] {
        assert_eq!(fixture.answer(&path, "farmer", Question::Claimables, None).body, plain, "{path}");
    }
}

#[test]
fn full_detail_adds_raw_amounts_origin_and_report() {
    let fixture = fixture();
    for who in ACCOUNTS {
        let (plain, full) = (fixture.of_all(who, ""), fixture.of_all(who, "?detail=full"));
        assert_full(&fixture, who, Question::Claimables, None, &plain, &full);
        for slug in fixture.world.slugs().unwrap() {
            for question in Question::ALL {
                let plain = fixture.of_one(who, question, &slug, "");
                let full = fixture.of_one(who, question, &slug, "?detail=full");
                assert_full(&fixture, who, question, Some(&slug), &plain, &full);
            }
        }
    }
}

fn assert_full(
    fixture: &Fixture,
    who: &str,
    question: Question,
    slug: Option<&str>,
    plain: &Response,
    full: &Response,
) {
    let full = full.json().unwrap();
    let items = full.at("items").unwrap();
    assert_extras(fixture, who, question, slug, items);
    assert_report(fixture, who, question, slug, full.at("report").unwrap());
    let items = truth::plain(items).unwrap();
    let lent = items.items().unwrap().iter().filter(|item| item.text_at("side").unwrap_or("supply") == "supply");
    let lent: Vec<Json> = lent.map(|item| item.without(&["side", "healthFactor"])).collect();
    assert_eq!(Json::Array(lent).differences(&plain.json().unwrap()), [""; 0], "{question:?} of {who} in {slug:?}");
}

/// The raw amounts, once for each row of the build, and where a row is from.
fn assert_extras(fixture: &Fixture, who: &str, question: Question, slug: Option<&str>, items: &Json) {
    let world = &fixture.world;
    let amounts = |rows: &[&Json]| -> Vec<String> {
        let members = rows.iter().flat_map(|row| ["amountRaw", "underlyingAmountRaw"].map(|name| row.get(name)));
        let mut amounts: Vec<String> = members.flatten().map(ToString::to_string).collect();
        amounts.sort();
        amounts
    };
    let mut expected = Vec::new();
    for (_, truth) in &world.chains {
        expected.extend(truth.shown_rows(who, question, slug).unwrap());
    }
    let items = items.items().unwrap();
    assert_eq!(amounts(&items.iter().collect::<Vec<_>>()), amounts(&expected), "{question:?} of {who} in {slug:?}");
    let placed = world.placed().unwrap();
    for item in items {
        assert_eq!(item.text_at("account").unwrap(), fixture.account(who));
        let slug = item.text_at("protocol/slug").unwrap();
        let plugin = placed.iter().find(|placed| placed.slug == slug).unwrap().plugin;
        assert!(item.text_at("plugin").unwrap().starts_with(&format!("{plugin}@")), "{item}");
    }
}

fn assert_report(fixture: &Fixture, who: &str, question: Question, slug: Option<&str>, report: &Json) {
    let world = &fixture.world;
    let requested = world.requested(question, slug).unwrap();
    for (_, truth) in world.chains.iter().filter(|(_, truth)| requested.iter().any(|at| at.network == truth.network)) {
        let block = report.at(&format!("blocks/{}", truth.network)).unwrap();
        for member in ["number", "hash", "timestamp"] {
            assert_eq!(block.at(member).unwrap(), truth.block(member).unwrap(), "{}", truth.network);
        }
    }
    let jobs = report.at("jobs").unwrap().items().unwrap();
    assert_eq!(jobs.len(), requested.len(), "{report}");
    for Placed { slug, network, .. } in &requested {
        let own = |job: &&Json| job.text_at("protocol").unwrap() == slug && job.text_at("network").unwrap() == network;
        let job = jobs.iter().find(own).unwrap_or_else(|| panic!("no job {slug}/{network}: {report}"));
        let lost = world.partial(who, question, Some(slug)).unwrap();
        let lost = lost.is_some_and(|reported| reported.contains(&format!("{slug}/{network};")));
        assert_eq!(job.text_at("status").unwrap(), if lost { "partial" } else { "ok" }, "{job}");
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
    let fixture = fixture();
    let account = fixture.account("whale");
    let slugs = fixture.world.slugs().unwrap();
    let but = |left_out: &[&str]| {
        let rest = slugs.iter().filter(|slug| !left_out.contains(&slug.as_str()));
        rest.cloned().collect::<Vec<String>>().join(",")
    };
    for (query, kept) in [
        ("include=quickswap", vec!["quickswap"]),
        ("include=QUICKSWAP", vec!["quickswap"]),
        ("include=quickswap,&", vec!["quickswap"]),
        ("include=,,quickswap&include=", vec!["quickswap"]),
        ("include=quickswap&include=quickswap", vec!["quickswap"]),
        ("include=quick%73wap", vec!["quickswap"]),
        ("include=sushiswap,aave_v3", vec!["aave_v3", "sushiswap"]),
        ("include=sushiswap&include=AAVE_V3,", vec!["aave_v3", "sushiswap"]),
        (&format!("exclude={}", but(&["harbour_lend", "pangolin"])), vec!["harbour_lend", "pangolin"]),
        (&format!("exclude={}", but(&["aave_v3"]).to_uppercase()), vec!["aave_v3"]),
        ("include=", slugs.iter().map(String::as_str).collect()),
        ("exclude=,&", slugs.iter().map(String::as_str).collect()),
    ] {
        let response = fixture.gateway.get(&format!("/claimables/{account}?{query}")).unwrap();
        let rows = kept.iter().flat_map(|slug| fixture.world.claimables("whale", Some(slug), Call::Aggregate).unwrap());
        assert_rows(query, &response.json().unwrap(), &rows.collect::<Vec<_>>());
        let own = fixture.gateway.aggregate(&format!("/{account}?{query}")).unwrap();
        assert_eq!(own.body, response.body, "{query}");
    }
    let response = fixture.gateway.get(&format!("/claimables/{account}?exclude={}", but(&[]))).unwrap();
    assert_eq!((response.status.as_u16(), response.body.trim()), (200, "[]"));
}

#[test]
fn a_network_chooses_rows_wherever_it_is_named() {
    let fixture = fixture();
    let account = fixture.account("farmer");
    let rows = |path: &str| -> Vec<Json> {
        let response = fixture.gateway.get(path).unwrap();
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        response.json().unwrap().items().unwrap().to_vec()
    };
    let paths = [
        format!("/claimables/{account}"),
        format!("/sushiswap/{account}/claimables"),
        format!("/sushiswap/farming/{account}/positions"),
        format!("/aave_v3/lending/{}/positions", fixture.account("whale")),
        format!("/aave_v3/borrowing/{account}/positions"),
    ];
    for path in paths {
        let all = rows(&path);
        let is_on = |row: &&Json, name: &str| row.text_at("network/name").unwrap() == name;
        let mut seen = 0;
        for (slug, name, _, chain_id) in NETWORKS.into_iter().filter(|(slug, ..)| fixture.world.chain(slug).is_ok()) {
            let own: Vec<Json> = all.iter().filter(|row| is_on(row, name)).cloned().collect();
            seen += own.len();
            for named in [slug.to_owned(), name.to_owned(), chain_id.to_string(), format!("eip155:{chain_id}")] {
                let chosen = rows(&format!("{path}?network={named}"));
                assert_eq!(Json::Array(chosen).differences(&Json::Array(own.clone())), [""; 0], "{path} on {named}");
            }
        }
        assert!(seen == all.len() && seen > 0, "{path}: {seen} of {}", all.len());
    }
    let own = fixture.gateway.aggregate(&format!("/{account}?network=polygon")).unwrap();
    assert_eq!(own.body, fixture.gateway.get(&format!("/claimables/{account}?network=polygon")).unwrap().body);
    assert_eq!(own.header("portolan-blocks").map(|blocks| blocks.split(',').count()), Some(1));
}

#[test]
fn head_is_get_without_the_body() {
    let fixture = fixture();
    for path in ["/networks".to_owned(), format!("/claimables/{}", fixture.account("farmer"))] {
        let get = fixture.gateway.get(&path).unwrap();
        let head =
            http::request(fixture.gateway.base, Version::Http1, &Method::HEAD, &path, &[], Bytes::new()).unwrap();
        assert_eq!((head.status, head.body.as_str()), (get.status, ""), "{path}");
        for name in ["content-type", "content-length", "portolan-blocks", "access-control-allow-origin"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {path}");
        }
        assert_eq!(get.header("content-length"), Some(get.body.len().to_string().as_str()));
    }
}

#[test]
fn browsers_of_other_origins_may_read_everything() {
    let fixture = fixture();
    let get = fixture.gateway.get("/networks").unwrap();
    assert_eq!(get.header("access-control-allow-origin"), Some("*"));
    let exposed = get.header("access-control-expose-headers").unwrap().to_lowercase();
    assert!(exposed.contains("portolan-blocks") && exposed.contains("portolan-partial"), "{exposed}");
    let requested = [("origin", "https://app.example"), ("access-control-request-method", "GET")];
    let preflight =
        http::request(fixture.gateway.base, Version::Http1, &Method::OPTIONS, "/networks", &requested, Bytes::new())
            .unwrap();
    assert!(preflight.status.is_success(), "{preflight:?}");
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
    assert!(preflight.header("access-control-allow-methods").unwrap().contains("GET"), "{preflight:?}");
}

#[test]
fn http2_answers_like_http1() {
    let fixture = fixture();
    let path = format!("/claimables/{}", fixture.account("exited"));
    let one = fixture.of_all("exited", "");
    let two = http::request(fixture.gateway.base, Version::H2c, &Method::GET, &path, &[], Bytes::new()).unwrap();
    assert_eq!((two.status, &two.body), (one.status, &one.body));
    assert_eq!(two.header("portolan-blocks"), one.header("portolan-blocks"));
}

#[test]
fn the_operators_address_shows_health_and_plugins() {
    let fixture = fixture();
    let health = fixture.gateway.operate("/healthz").unwrap();
    assert_eq!((health.status.as_u16(), health.json().unwrap().text_at("status").unwrap()), (200, "ok"));
    let ready = fixture.gateway.operate("/readyz").unwrap();
    let expected = r#"{"ready":true,"reasons":[],"degraded":[],"plugins":{"isolation":"worker","sandbox":{"landlock":true,"seccomp":true}}}"#;
    assert_eq!((ready.status.as_u16(), ready.body.as_str()), (200, expected));
    let plugins = fixture.gateway.plugins().unwrap();
    let named: Vec<&str> = plugins.iter().map(|plugin| plugin.text_at("plugin").unwrap()).collect();
    assert_eq!(named, PLUGINS.map(|plugin| plugin.name));
    let placed = fixture.world.placed().unwrap();
    for plugin in &plugins {
        assert_eq!(plugin.text_at("state").unwrap(), "active");
        assert_eq!(plugin.text_at("isolation").unwrap(), "worker");
        assert_eq!(plugin.at("reason").unwrap(), &Json::Null);
        let name = plugin.text_at("plugin").unwrap();
        let slugs: BTreeSet<&str> =
            placed.iter().filter(|at| at.plugin == name).map(|placed| placed.slug.as_str()).collect();
        let reported = plugin.at("protocols").unwrap().items().unwrap().iter();
        assert_eq!(
            reported.map(ToString::to_string).collect::<BTreeSet<_>>(),
            slugs.iter().map(|it| format!("{it:?}")).collect()
        );
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
            "sandbox",
            "capabilities",
            "hosts",
            "loadedAt",
            "claims",
            "lineages",
            "targets",
            "failures",
            "breakers",
            "signature",
            "lists",
            "cpuUs",
            "jobs",
            "memoryBytes",
            "unknownNetworks",
            "withoutCode",
        ];
        assert_eq!(members, BTreeSet::from(named));
    }
}

#[test]
fn nothing_that_is_printed_holds_an_endpoint() {
    let fixture = fixture();
    fixture.of_all("farmer", "");
    assert_eq!(fixture.gateway.further_stdout(), [""; 0]);
    for (chain, _) in &fixture.world.chains {
        assert!(!fixture.gateway.log().contains(&chain.url), "{}", fixture.gateway.log());
    }
}
