//! Answers about several accounts: each part is the answer about its account alone, at the same blocks.

mod named;

use std::sync::Arc;

use anyhow::Result;
use bytes::Bytes;
use hyper::Method;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::{Response, Version, request};
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::truth::ACCOUNTS;
use portolan_tests::world::{Shared, World};

struct Fixture {
    gateway: Gateway,
    world: World,
}

impl Fixture {
    fn start() -> Result<Self> {
        let world = World::start()?;
        Ok(Self { gateway: world.setup()?.start()?, world })
    }

    /// The addresses of all accounts, with commas.
    fn all(&self) -> String {
        ACCOUNTS.map(|who| self.world.address(who).unwrap()).join(",")
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// The parts of a whole or partial answer.
fn parts(response: &Response) -> Vec<Json> {
    assert_eq!(response.status, 200, "{}", response.body);
    let answer = response.json().unwrap();
    answer.get("items").unwrap_or(&answer).items().unwrap().to_vec()
}

fn text<'a>(part: &'a Json, member: &str) -> Option<&'a str> {
    match part.at(member).unwrap() {
        Json::Null => None,
        _ => Some(part.text_at(member).unwrap()),
    }
}

/// Returns true for a difference in where a reply came from, and how old it was.
fn is_of_cache(difference: &str) -> bool {
    ["/cached is ", "/ageSeconds is "].iter().any(|member| difference.contains(member))
}

/// Requires that the answer about all accounts consists of the answers about each of them.
fn assert_parts_are_single_answers(fixture: &Fixture, path: &str, search: &str) {
    let all = fixture.gateway.get(&format!("/{path}?accounts={}&{search}", fixture.all())).unwrap();
    let parts = parts(&all);
    assert_eq!(parts.len(), ACCOUNTS.len());
    let (mut filled, mut partial) = (0, Vec::new());
    for (who, part) in ACCOUNTS.iter().zip(&parts) {
        let account = fixture.world.address(who).unwrap();
        let one = fixture.gateway.get(&format!("/{path}/{account}?{search}")).unwrap();
        assert_eq!(one.status, 200, "{who}: {}", one.body);
        let answer = one.json().unwrap();
        // With `detail=full`, a portfolio is the only member of the items.
        let expected = match answer.get("items") {
            Some(items) if path == "positions" => items.at("0").unwrap(),
            Some(items) => items,
            None => &answer,
        };
        let own = part.at("answer").unwrap();
        assert_eq!(own.differences(expected), [""; 0], "{who}: /{path}?{search}");
        assert_eq!(part.text_at("account").unwrap(), account);
        assert!(part.get("names").is_none(), "{who}: {part}");
        assert_eq!(text(part, "partial"), one.header("portolan-partial"), "{who}: /{path}?{search}");
        assert_eq!(all.header("portolan-blocks"), one.header("portolan-blocks"), "{who}: /{path}?{search}");
        filled += usize::from(own.get("protocols").unwrap_or(own).items().unwrap().len() > 1);
        partial
            .extend(one.header("portolan-partial").iter().flat_map(|entries| entries.split(", ").map(str::to_owned)));
    }
    assert!(filled > 1, "/{path}?{search}: {filled} accounts have something");
    let named: Vec<&str> =
        all.header("portolan-partial").map(|entries| entries.split(", ").collect()).unwrap_or_default();
    assert!(partial.iter().all(|entry| named.contains(&entry.as_str())), "{partial:?} in {named:?}");
    assert!(named.iter().all(|entry| partial.iter().any(|own| own == entry)), "{named:?} in {partial:?}");
    assert_eq!(all.header("cache-control"), Some(if named.is_empty() { "private, no-cache" } else { "no-store" }));
}

#[test]
fn each_part_is_the_answer_about_its_account_alone() {
    let fixture = fixture();
    for (path, search) in [
        ("claimables", ""),
        ("claimables", "simulate=true&include=quickswap,sushiswap,pangolin"),
        ("claimables", "simulate=false&network=polygon"),
        ("claimables", "worth=true&exclude=quickswap&amounts=string"),
        ("positions", ""),
        ("positions", "kind=staked,lent&network=eip155:137"),
        ("positions", "simulate=false&exclude=aave_v3"),
    ] {
        assert_parts_are_single_answers(&fixture, path, search);
    }
}

#[test]
fn a_named_block_is_that_of_all_accounts() {
    let fixture = fixture();
    let (_, truth) = fixture.world.chain("polygon").unwrap();
    let number = truth.block("number").unwrap();
    for path in ["claimables", "positions"] {
        assert_parts_are_single_answers(&fixture, path, &format!("network=polygon&block={number}"));
    }
}

#[test]
fn full_detail_has_the_members_of_single_answers_and_one_report_that_names_accounts() {
    let fixture = fixture();
    let accounts = fixture.all();
    for path in ["claimables", "positions"] {
        let all = fixture.gateway.get(&format!("/{path}?accounts={accounts}&detail=full")).unwrap();
        let report = all.json().unwrap().at("report").unwrap().clone();
        let of_job = |job: &Json| {
            let of = |member: &str| job.at(member).unwrap().to_string();
            ["protocol", "network", "status", "reason", "detail", "reads"].map(of)
        };
        for (who, part) in ACCOUNTS.iter().zip(parts(&all)) {
            let account = fixture.world.address(who).unwrap();
            let one = fixture.gateway.get(&format!("/{path}/{account}?detail=full")).unwrap().json().unwrap();
            let expected = if path == "positions" { one.at("items/0") } else { one.at("items") };
            // What the first answer read, the second finds in the cache.
            let differences = part.at("answer").unwrap().differences(expected.unwrap()).into_iter();
            let others: Vec<_> = differences.filter(|line| !is_of_cache(line)).collect();
            assert_eq!(others, [""; 0], "{who}: {path}");
            let jobs = report.at("jobs").unwrap().items().unwrap().iter();
            let mut own: Vec<_> = jobs.filter(|job| job.text_at("account").unwrap() == account).map(of_job).collect();
            let mut alone: Vec<_> = one.at("report/jobs").unwrap().items().unwrap().iter().map(of_job).collect();
            own.sort_unstable();
            alone.sort_unstable();
            assert_eq!(own, alone, "{who}: {path}");
            assert_eq!(report.at("blocks").unwrap(), one.at("report/blocks").unwrap());
        }
        // Six accounts may read six times as much as one.
        assert_eq!(report.at("budget/reads/max").unwrap().to_string(), (6 * 200_000).to_string());
        assert_eq!(report.at("budget/bytes/max").unwrap().to_string(), (16 << 20).to_string());
    }
}

#[test]
fn an_account_that_is_named_twice_has_one_part() {
    let fixture = fixture();
    let (farmer, whale) = (fixture.world.address("farmer").unwrap(), fixture.world.address("whale").unwrap());
    let upper = whale.to_uppercase().replace("0X", "0x");
    let path = format!("/claimables?accounts={whale},{farmer},eip155:0:{farmer},{upper}&include=quickswap");
    let parts = parts(&fixture.gateway.get(&path).unwrap());
    let named: Vec<&str> = parts.iter().map(|part| part.text_at("account").unwrap()).collect();
    assert_eq!(named, [whale, farmer]);
}

#[test]
fn a_network_that_fails_is_missing_from_each_part_and_one_that_is_alone_is_a_problem() {
    let world = fixture();
    let world = &world.world;
    let before = RpcFault::before(&world.chain("ethereum").unwrap().0.url).unwrap();
    before.set(Fault::Status(500));
    let others = world.chains.iter().filter(|(_, truth)| truth.network != "ethereum");
    let setup = world.without_endpoints().unwrap().rpc("ethereum", &before.url());
    let gateway = others.fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url)).start().unwrap();
    let (farmer, nothing) = (world.address("farmer").unwrap(), world.address("nothing").unwrap());
    let accounts = format!("accounts={farmer},{nothing}");
    for path in ["claimables", "positions"] {
        let response = gateway.get(&format!("/{path}?{accounts}")).unwrap();
        assert_eq!(response.header("portolan-partial"), Some("*/ethereum;reason=upstream"), "{}", response.body);
        for part in parts(&response) {
            assert_eq!(text(&part, "partial"), Some("*/ethereum;reason=upstream"));
            assert_ne!(part.at("answer").unwrap(), &Json::Null);
        }
        let alone = gateway.get(&format!("/{path}?{accounts}&network=ethereum")).unwrap();
        problem::detail(&alone, 502, "upstream").unwrap();
        let unnamed = gateway.get(&format!("/{path}?{accounts}&network=avalanchex")).unwrap();
        problem::detail(&unnamed, 503, "network-not-configured").unwrap();
    }
}

#[test]
fn a_client_that_has_the_answer_gets_304() {
    let fixture = fixture();
    let accounts = ["farmer", "nothing"].map(|who| fixture.world.address(who).unwrap()).join(",");
    let path = format!("/claimables?accounts={accounts}&include=quickswap");
    let first = fixture.gateway.get(&path).unwrap();
    assert_eq!((first.header("portolan-partial"), first.header("vary")), (None, Some("accept, accept-encoding")));
    let tag = first.header("etag").unwrap();
    let get =
        |headers| request(fixture.gateway.base, Version::Http1, &Method::GET, &path, headers, Bytes::new()).unwrap();
    let again = get(&[("if-none-match", tag)]);
    assert_eq!((again.status.as_u16(), again.body.as_str()), (304, ""));
}

#[test]
fn accounts_and_their_reads_are_bounded() {
    let fixture = fixture();
    let number = |number: usize| format!("0x{number:040x}");
    let accounts = |count: usize| (1..=count).map(number).collect::<Vec<_>>().join(",");
    let include = "include=quickswap&network=polygon";
    let most = fixture.gateway.get(&format!("/claimables?accounts={}&{include}", accounts(100))).unwrap();
    assert_eq!(parts(&most).len(), 100);
    let more = fixture.gateway.get(&format!("/claimables?accounts={}&{include}", accounts(101))).unwrap();
    let detail = problem::detail(&more, 400, "invalid-filter").unwrap();
    assert_eq!(detail, "accounts names 101 accounts, more than the bound of 100");
    let long = fixture.gateway.get(&format!("/claimables?accounts={}", accounts(200))).unwrap();
    problem::detail(&long, 414, "request-too-large").unwrap();
    let missing = fixture.gateway.get("/positions").unwrap();
    problem::detail(&missing, 400, "invalid-address").unwrap();
    // Each account may read as much as if it were alone, and a gateway for one answer at a time gives one about many.
    let farmer = fixture.world.address("farmer").unwrap();
    let reads = |search: &str| {
        let full = fixture.gateway.get(&format!("{search}{include}&detail=full")).unwrap().json().unwrap();
        full.at("report/budget/reads/used").unwrap().to_string().parse::<u64>().unwrap()
    };
    let alone = reads(&format!("/claimables/{farmer}?"));
    let config = format!("[answers]\naccounts_max = 3\nin_flight_max = 1\nreads_max = {alone}\n");
    let small = fixture.world.setup().unwrap().config(&config).start().unwrap();
    let three = format!("/claimables?accounts={farmer},{}&{include}", accounts(2));
    assert_eq!(small.get(&three).unwrap().header("portolan-partial"), None);
    let four = small.get(&format!("/claimables?accounts={farmer},{}", accounts(3))).unwrap();
    problem::detail(&four, 400, "invalid-filter").unwrap();
}
