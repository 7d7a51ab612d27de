//! A bad pool, farm or market costs its own row, is reported, and nothing else.

use anyhow::Result;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::protocol::{PLUGINS, Question};
use portolan_tests::truth::{self, ACCOUNTS, Call, Detail};
use portolan_tests::world::{Shared, World};

/// Where nothing stands on any chain.
const NOTHING: &str = "0x00000000000000000000000000000000000bad22";

/// Rows of settings that name nothing, or the wrong thing, beside those that are right: the words that each must be
/// reported with.
const WRONG_ROWS: [(&str, &str, &str); 4] = [
    ("sushiswap", "kind = \"mini-chef\"\nchef = \"0x00000000000000000000000000000000000bad22\"\n", NOTHING),
    // The bar is a token: it has no pools.
    ("sushiswap", "kind = \"master-chef-v1\"\nchef = \"0x8798249c2e607446efb7ad49ec89dd1865ff4272\"\n", "0x8798249c"),
    ("quickswap", "farms = [\"0x00000000000000000000000000000000000bad22\"]\n", NOTHING),
    (
        "aave-v3",
        "pool = \"0x00000000000000000000000000000000000bad22\"\ndata_provider = \"0x00000000000000000000000000000000000bad22\"\nrewards_controller = \"0x00000000000000000000000000000000000bad22\"\n",
        NOTHING,
    ),
];

struct Fixture {
    gateway: Gateway,
    world: World,
}

impl Fixture {
    /// All plugins, each with its wrong rows on Ethereum beside the right ones.
    fn start() -> Result<Self> {
        let world = World::start()?;
        let mut setup = world.without_endpoints()?;
        for plugin in &PLUGINS {
            let mut file = world.settings(plugin)?;
            let own = WRONG_ROWS.iter().filter(|row| row.0 == plugin.name).enumerate();
            for (place, (_, keys, _)) in own {
                let slug = slug_of(plugin.name);
                file.push_str(&format!(
                    "[[deployment]]\nprotocol = {slug:?}\nnetwork = \"ethereum\"\nmarket = \"wrong-{place}\"\n{keys}"
                ));
            }
            setup = setup.settings(plugin.name, &file);
        }
        Ok(Self { gateway: world.on_chains(setup).start()?, world })
    }

    fn fetch(&self, who: &str, question: Question, slug: &str) -> Response {
        self.gateway.get(&question.path(slug, self.world.address(who).unwrap())).unwrap()
    }
}

fn slug_of(plugin: &str) -> String {
    plugin.replace('-', "_")
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn assert_rows(what: &str, response: &Response, expected: &[Json]) {
    let faults = truth::faults(&response.json().unwrap(), expected).unwrap();
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
}

/// Returns the detail that the job of a protocol on Ethereum reports.
fn detail(fixture: &Fixture, who: &str, question: Question, slug: &str) -> String {
    let path = format!("{}?detail=full", question.path(slug, fixture.world.address(who).unwrap()));
    let full = fixture.gateway.get(&path).unwrap().json().unwrap();
    let jobs = full.at("report/jobs").unwrap().items().unwrap();
    let job = jobs.iter().find(|job| job.text_at("network").unwrap() == "ethereum").unwrap();
    assert_eq!(job.text_at("status").unwrap(), "partial", "{job}");
    job.text_at("detail").unwrap().to_lowercase()
}

#[test]
fn a_deployment_that_is_none_is_reported_and_the_others_rows_stand() {
    let fixture = FIXTURE.get(Fixture::start).unwrap();
    for plugin in &PLUGINS {
        let slug = slug_of(plugin.name);
        for question in plugin.questions {
            for who in ACCOUNTS {
                let response = fixture.fetch(who, *question, &slug);
                let what = format!("{question:?} of {who} in {slug}");
                // Beside what nobody could be told of the other networks.
                let others = fixture.world.partial(who, *question, Some(&slug)).unwrap().unwrap_or_default();
                let others = others.split(", ").filter(|row| !row.is_empty() && !row.contains("/ethereum;"));
                let wrong = format!("{slug}/ethereum;reason=plugin-error");
                let reported: Vec<&str> = std::iter::once(wrong.as_str()).chain(others).collect();
                assert_eq!(response.header("portolan-partial"), Some(reported.join(", ").as_str()), "{what}");
                assert_rows(&what, &response, &fixture.world.answer(who, *question, &slug, Detail::Plain).unwrap());
            }
            let detail = detail(&fixture, "farmer", *question, &slug);
            for (_, _, named) in WRONG_ROWS.iter().filter(|row| row.0 == plugin.name) {
                assert!(detail.contains(named), "{question:?} of {slug} does not name {named}: {detail}");
            }
        }
    }
}

#[test]
fn protocols_of_other_networks_know_nothing_of_it() {
    let fixture = FIXTURE.get(Fixture::start).unwrap();
    for slug in ["harbour_farms", "harbour_lend", "harbourswap", "pangolin"] {
        let response = fixture.fetch("farmer", Question::Claimables, slug);
        assert_eq!(response.header("portolan-partial"), None, "{slug}");
    }
    let aggregate = fixture.gateway.get(&format!("/claimables/{}", fixture.world.address("whale").unwrap())).unwrap();
    assert_rows("aggregate", &aggregate, &fixture.world.claimables("whale", None, Call::Aggregate).unwrap());
}

#[test]
fn a_pool_whose_token_burns_all_gas_costs_what_it_owes_and_nothing_else() {
    let world = World::start().unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let (_, truth) = world.chain("ethereum").unwrap();
    let broken = truth.unreadable("odd", "sushiswap").unwrap();
    assert_eq!(broken.len(), 1, "{broken:?}");
    let pid = broken[0].at("pid").unwrap().to_string();
    for who in ACCOUNTS {
        let path = Question::Claimables.path("sushiswap", world.address(who).unwrap());
        let full = gateway.get(&format!("{path}?detail=full")).unwrap();
        let rows = world.answer(who, Question::Claimables, "sushiswap", Detail::Plain).unwrap();
        assert_rows(who, &gateway.get(&path).unwrap(), &rows);
        let reported = (who == "odd").then_some("sushiswap/ethereum;reason=plugin-error");
        assert_eq!(full.header("portolan-partial"), reported, "{who}");
        let json = full.json().unwrap();
        let jobs = json.at("report/jobs").unwrap().items().unwrap();
        let job = jobs.iter().find(|job| job.text_at("network").unwrap() == "ethereum").unwrap();
        let detail = job.text_at("detail").unwrap();
        let names_it = detail.contains(&pid) && detail.to_lowercase().contains(broken[0].text_at("contract").unwrap());
        assert_eq!(names_it, who == "odd", "{who}: {detail}");
    }
    // The chef itself knows what is staked, but nobody what an amount of that is.
    let response = gateway.get(&Question::Farming.path("sushiswap", world.address("odd").unwrap())).unwrap();
    assert_eq!(response.header("portolan-partial"), Some("sushiswap/ethereum;reason=upstream"));
    assert_rows("farming", &response, &world.answer("odd", Question::Farming, "sushiswap", Detail::Plain).unwrap());
}
