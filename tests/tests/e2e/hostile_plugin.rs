//! Misdeeds of plugins, done by a real dylib: the loss is that protocol's alone, and the answer names it.

use std::sync::Arc;

use anyhow::Result;
use bigdecimal::BigDecimal;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::truth::{self, Call, Truth};
use portolan_tests::world::Shared;

/// Contract and function that the good claims of the plugin go to.
const LAIR: &str = "0x958d208cdf087843e9ad98d23823d32e17d723a1";
const GET_REWARD: &str = "0x3d18b912";

/// Functions of the plugin whose arguments are looked at; approvals and the like stay unlisted.
const ALLOWED: &str = r#"
"claimFor(address account)" = "https://code.example/claimFor"
"claimMany(uint256[] number)" = "https://code.example/claimMany"
"claimToken(address token)" = "https://code.example/claimToken"
"#;

struct Fixture {
    gateway: Gateway,
    truth: Truth,
    _chain: Chain,
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("polygon")?;
        let truth = Truth::new("polygon", &chain.expected.to_string())?;
        let built = build::built()?;
        let gateway = Setup::default()
            .config("[tokens]\nshipped = false")
            .config(&format!("[prices.static]\n{}", truth.price_rows()?))
            .config("[plugins.limits]\nresume_ms = 2500\njob_ms = 6000")
            .rpc("polygon", &chain.url)
            .plugin(&built.plugin("libquickswap.so"), &["quickswap"])
            .plugin(&built.plugin("libportolan_hostile.so"), &["steady", "bad_claims", "never_returns"])
            .settings("claim-functions", ALLOWED)
            .start()?;
        Ok(Self { gateway, truth, _chain: chain })
    }

    /// The aggregate of `quickswap` and one hostile protocol, in full: the hostile items, and the hostile job.
    fn together(&self, slug: &str) -> (Vec<Json>, Json, Option<String>) {
        let farmer = self.truth.address("farmer").unwrap();
        let path = format!("/claimables/{farmer}?include=quickswap,{slug}&detail=full");
        let response = self.gateway.get(&path).unwrap();
        assert_eq!(response.status, 200, "{slug}: {}", response.body);
        let json = response.json().unwrap();
        let (unharmed, hostile): (Vec<Json>, Vec<Json>) = json
            .at("items")
            .unwrap()
            .items()
            .unwrap()
            .iter()
            .cloned()
            .partition(|item| item.text_at("protocol/slug").unwrap() == "quickswap");
        let unharmed = truth::plain(&Json::Array(unharmed)).unwrap();
        let faults =
            truth::faults(&unharmed, &self.truth.claimables("farmer", Some("quickswap"), Call::Aggregate).unwrap())
                .unwrap();
        let report = json.at("report/jobs").unwrap();
        assert!(faults.is_empty(), "{slug} harms another protocol: {report}\n{}", faults.join("\n"));
        let jobs = json.at("report/jobs").unwrap().items().unwrap();
        let job = jobs.iter().find(|job| job.text_at("protocol").unwrap() == slug).unwrap().clone();
        (hostile, job, response.header("portolan-partial").map(str::to_owned))
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// The loss is reported in header and report, with its reason; what was found before it is kept.
fn assert_loss(slug: &str, reason: &str, part: &str, kept: &[&str]) {
    let fixture = fixture();
    let (items, job, partial) = fixture.together(slug);
    assert_eq!(partial, Some(format!("{slug}/polygon;reason={reason}")), "{job}");
    assert_eq!(job.text_at("reason").unwrap(), reason, "{job}");
    let has_failed = kept.is_empty() && reason != "invalid-reply";
    assert_eq!(job.text_at("status").unwrap(), if has_failed { "failed" } else { "partial" }, "{job}");
    let detail = job.text_at("detail").unwrap();
    assert!(detail.contains(part), "{slug}: {detail:?} does not contain {part:?}");
    assert!(detail.len() < 10_000 && !detail.contains(|c: char| c.is_control()), "{slug}: {detail:?}");
    let names: Vec<&str> = items.iter().map(|item| item.text_at("name").unwrap()).collect();
    assert_eq!(names, kept, "{slug}");

    // Requested alone: a problem where nothing is left, else the same rows.
    let path = format!("/{slug}/{}/claimables", fixture.truth.address("farmer").unwrap());
    let alone = fixture.gateway.get(&path).unwrap();
    match (kept, reason) {
        ([], "timeout") => drop(problem::detail(&alone, 504, "deadline").unwrap()),
        ([], "over-budget") => drop(problem::detail(&alone, 413, "over-budget").unwrap()),
        ([], reason) if reason != "invalid-reply" => drop(problem::detail(&alone, 502, "upstream").unwrap()),
        (kept, _) => {
            assert_eq!(alone.json().unwrap().items().unwrap().len(), kept.len(), "{slug}: {}", alone.body);
            assert_eq!(alone.header("portolan-partial"), partial.as_deref(), "{slug}");
        }
    }
}

/// Nothing but the good claim is served, and the report gives each reason.
fn assert_rejected(slug: &str, reasons: &[&str]) {
    let fixture = fixture();
    let (items, job, partial) = fixture.together(slug);
    assert_eq!(partial, Some(format!("{slug}/polygon;reason=invalid-output")), "{job}");
    assert_eq!(
        (job.text_at("status").unwrap(), job.text_at("reason").unwrap()),
        ("partial", "invalid-output"),
        "{job}"
    );
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(items[0].text_at("name").unwrap(), "good");
    let transaction = items[0].at("claimTransaction").unwrap();
    assert_eq!(transaction.text_at("to").unwrap(), LAIR);
    assert_eq!(transaction.text_at("data").unwrap(), GET_REWARD);
    assert_eq!(transaction.text_at("from").unwrap(), fixture.truth.address("farmer").unwrap());
    let detail = job.text_at("detail").unwrap();
    for reason in reasons {
        assert!(detail.contains(reason), "{reason:?} is not reported: {detail}");
    }
}

#[test]
fn each_bad_claim_is_rejected_with_its_reason_and_the_good_one_served() {
    let reasons = [
        "claimFor(address): 0x00000000000000000000000000000000000bad00 is in the place of the account",
        "getReward() goes to 0x00000000000000000000000000000000000bad00, which neither the deployment lists",
        "claims by approve(address market, uint256 number) are left out",
        "claims by multicall(bytes[] data) are left out",
        "getReward() sends native value, though no fee is declared",
        "its claim's template is not declared",
        "claimMany(uint256[]): its arguments do not decode",
        "claimMany(uint256[]): 7 is a number that this job did not read together with the account",
    ];
    assert_rejected("bad_claims", &reasons);
}

#[test]
fn an_address_that_only_a_stranger_named_is_no_target() {
    let reasons = [
        "which neither the deployment lists nor a declared lineage gave",
        "claims by transfer(address account, uint256 number) are left out",
        "claimToken(address): 0x00000000000000000000000000000000000bad00 is not a token that the deployment lists",
        "it pays 0xb5c064f955d8e7f38fe0460c556a72987494ee17 twice",
        "it names a market that the catalogue does not have",
    ];
    assert_rejected("bad_addresses", &reasons);
}

#[test]
fn a_panic_at_once_loses_that_job_alone() {
    assert_loss("panics_at_once", "crashed", "panics at once", &[]);
}

#[test]
fn the_author_of_a_failing_plugin_sees_why() {
    let fixture = fixture();
    let path = format!("/panics_at_once/{}/claimables", fixture.truth.address("farmer").unwrap());
    for detail in ["", "", "?detail=full"] {
        let response = fixture.gateway.get(&format!("{path}{detail}")).unwrap();
        if detail.is_empty() {
            // It has the members of the contract, and no others.
            problem::detail(&response, 502, "upstream").unwrap();
            continue;
        }
        let jobs = problem::jobs(&response, 502, "upstream").unwrap();
        let [job] = &jobs[..] else { panic!("{jobs:?}") };
        let named = ["protocol", "network", "reason"].map(|member| job.text_at(member).unwrap());
        assert_eq!(named, ["panics_at_once", "polygon", "crashed"]);
        assert!(job.text_at("detail").unwrap().contains("panics at once"), "{job}");
    }
    let plugins = fixture.gateway.plugins().unwrap();
    let row = plugins.iter().find(|row| row.text_at("plugin").unwrap() == "portolan-hostile").unwrap();
    let failures = row.at("failures").unwrap().items().unwrap();
    let own = |failure: &&Json| failure.text_at("protocol").unwrap() == "panics_at_once";
    let failure = failures.iter().find(own).unwrap_or_else(|| panic!("{row}"));
    assert_eq!([failure.text_at("network").unwrap(), failure.text_at("reason").unwrap()], ["polygon", "crashed"]);
    assert!(failure.text_at("message").unwrap().contains("panics at once"), "{failure}");
    let count: usize = failure.at("count").unwrap().to_string().parse().unwrap();
    let log = fixture.gateway.log();
    let lines =
        log.lines().filter(|line| line.contains("a job or a claim failed") && line.contains("panics_at_once")).count();
    // One line a minute, however many fail.
    assert!(lines >= 1 && count >= 3 && lines < count, "{lines} lines of {count} failures");
}

#[test]
fn a_panic_in_the_middle_keeps_what_was_found() {
    assert_loss("panics_midway", "crashed", "panics midway", &["early"]);
}

#[test]
fn a_resume_that_never_returns_is_abandoned() {
    assert_loss("never_returns", "timeout", "", &["early"]);
}

#[test]
fn reads_without_end_are_bounded() {
    assert_loss("reads_for_ever", "over-budget", "batches of reads", &["early"]);
}

#[test]
fn too_many_reads_are_over_budget() {
    assert_loss("reads_too_much", "over-budget", "reads", &["early"]);
}

#[test]
fn more_findings_than_the_bound_are_refused() {
    assert_loss("finds_too_much", "over-budget", "findings", &[]);
}

#[test]
fn many_findings_within_the_bound_are_served_and_cost_no_other_protocol_its_answer() {
    let (items, job, partial) = fixture().together("finds_many");
    assert_eq!((items.len(), partial), (4_000, None), "{job}");
}

#[test]
fn a_million_findings_cost_no_more_than_the_job() {
    let (items, job, partial) = fixture().together("finds_a_million");
    // Returning so many takes longer than a resume may, more memory than a worker has, or makes a larger frame than is
    // taken.
    let (reason, detail) = (job.text_at("reason").unwrap(), job.text_at("detail").unwrap());
    let is_too_large = detail.starts_with("resume answered ") && detail.ends_with(" are taken");
    let is_bounded = matches!(reason, "timeout" | "crashed") || (reason == "invalid-output" && is_too_large);
    assert!(is_bounded, "{job}");
    assert_eq!(partial, Some(format!("finds_a_million/polygon;reason={reason}")), "{job}");
    assert_eq!((items.len(), job.text_at("status").unwrap()), (0, "failed"), "{job}");
}

#[test]
fn a_huge_text_is_refused() {
    assert_loss("writes_too_much", "invalid-reply", "", &[]);
}

#[test]
fn control_characters_are_refused() {
    assert_loss("writes_controls", "invalid-reply", "", &[]);
}

#[test]
fn characters_that_turn_the_text_around_are_refused() {
    assert_loss("writes_backwards", "invalid-reply", "", &[]);
}

#[test]
fn a_reward_that_a_contract_lists_twice_costs_its_claim() {
    assert_loss("pays_a_token_twice", "invalid-reply", "it pays 0x", &[]);
}

#[test]
fn an_answer_to_another_question_is_refused() {
    assert_loss("answers_another_question", "invalid-output", "", &[]);
}

#[test]
fn awaiting_what_is_no_read_is_reported() {
    assert_loss("awaits_nothing", "plugin-error", "not a chain read", &["early"]);
}

#[test]
fn a_read_on_an_unknown_network_is_unsupported() {
    assert_loss("reads_nowhere", "plugin-error", "this host does not make such a read", &["early"]);
}

#[test]
fn an_error_keeps_what_was_found_before() {
    assert_loss("fails_late", "plugin-error", "the second half is not to be had", &["early"]);
}

#[test]
fn what_a_plugin_misses_is_reported_in_its_words() {
    assert_loss("misses_some", "plugin-error", "a list was shorter than it says", &["early"]);
}

#[test]
fn what_a_plugin_does_not_cover_is_told_and_is_no_failure() {
    let (items, job, partial) = fixture().together("knows_of_more");
    let sentence = "the first locker holds a stake of this account";
    assert_eq!((items.len(), partial.as_deref()), (0, Some("knows_of_more/polygon;reason=not-covered")), "{job}");
    let told = ["status", "reason", "detail"].map(|member| job.text_at(member).unwrap());
    assert_eq!(told, ["partial", "not-covered", sentence]);
    // Nothing was found and nothing else is asked: still an answer.
    let alone = format!("/knows_of_more/{}/claimables", fixture().truth.address("farmer").unwrap());
    let alone = fixture().gateway.get(&alone).unwrap();
    assert_eq!(
        (alone.status.as_u16(), alone.body.trim(), alone.header("portolan-partial")),
        (200, "[]", partial.as_deref())
    );
}

#[test]
fn what_a_plugin_does_not_cover_stands_beside_what_it_misses() {
    let (items, job, partial) = fixture().together("knows_of_more_and_misses");
    let slug = "knows_of_more_and_misses/polygon";
    assert_eq!(items.len(), 1, "{job}");
    assert_eq!(partial, Some(format!("{slug};reason=plugin-error, {slug};reason=not-covered")), "{job}");
    let sentence = "the first locker holds a stake of this account";
    let told = ["status", "reason", "detail"].map(|member| job.text_at(member).unwrap());
    assert_eq!(told, ["partial", "plugin-error", &format!("a list was shorter than it says; {sentence}")]);
    assert_eq!(job.text_at("notCovered/0").unwrap(), sentence);
}

#[test]
fn the_largest_amount_is_shown_exactly() {
    let (items, job, partial) = fixture().together("finds_huge_amounts");
    assert_eq!((items.len(), partial), (1, None), "{job}");
    // 2^256 - 1 of a token with 18 decimals.
    let raw = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    assert_eq!(items[0].text_at("amountRaw").unwrap(), raw);
    let exact: BigDecimal = format!("{}.{}", &raw[..60], &raw[60..]).parse().unwrap();
    assert_eq!(items[0].number_at("amount").unwrap(), exact);
}

#[test]
fn farming_answers_have_the_same_border() {
    let fixture = fixture();
    let farmer = fixture.truth.address("farmer").unwrap();
    for slug in ["panics_at_once", "answers_another_question"] {
        let response = fixture.gateway.get(&format!("/{slug}/farming/{farmer}/positions")).unwrap();
        problem::detail(&response, 502, "upstream").unwrap_or_else(|error| panic!("{slug}: {error:#}"));
    }
    let response = fixture.gateway.get(&format!("/steady/farming/{farmer}/positions")).unwrap();
    assert_eq!((response.status.as_u16(), response.body.trim()), (200, "[]"));
}

#[test]
fn a_deployment_on_an_unknown_network_is_left_out_and_the_operator_is_told() {
    let fixture = fixture();
    let farmer = fixture.truth.address("farmer").unwrap();
    let response = fixture.gateway.get(&format!("/steady/{farmer}/claimables?detail=full")).unwrap();
    let report = response.json().unwrap();
    let jobs = report.at("report/jobs").unwrap().items().unwrap();
    assert!(jobs.iter().all(|job| job.text_at("network").unwrap() != "999999"), "{jobs:?}");
    assert_eq!(report.at("items").unwrap().items().unwrap().len(), 3, "{report}");
    // Ethereum and optimism have no endpoint here.
    let partial = response.header("portolan-partial").unwrap();
    assert_eq!(partial, "*/ethereum;reason=not-configured, */optimism;reason=not-configured");
    let plugins = fixture.gateway.plugins().unwrap();
    let row = plugins.iter().find(|row| row.text_at("plugin").unwrap() == "portolan-hostile").unwrap();
    assert_eq!(row.at("unknownNetworks").unwrap().to_string(), "[999999]");
    assert!(fixture.gateway.log().contains("as no network has this chain id"));
}
