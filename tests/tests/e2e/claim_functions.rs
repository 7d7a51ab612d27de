//! Functions that claims may call: what is not in the table, or goes to another contract than a bound function may, is left
//! out and told, and an operator's row allows it without a restart.

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, IN_FORCE_WITHIN, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const FILE: &str = "claim-functions.toml";
const CALL: &str = "claimFor(address account)";

/// The contract that the claims of the plugin go to.
const LAIR: &str = "0x958d208cdf087843e9ad98d23823d32e17d723a1";

/// The names of the claimables of a protocol, and what the answer tells of others.
fn answered(gateway: &Gateway, protocol: &str) -> Result<(Vec<String>, Option<String>, Json)> {
    let response = gateway.get(&format!("/{protocol}/{ACCOUNT}/claimables?detail=full"))?;
    let json = response.json()?;
    let items = json.at("items").with_context(|| response.body.clone())?.items()?;
    let names = items.iter().map(|item| Ok(item.text_at("name")?.to_owned())).collect::<Result<_>>()?;
    let partial = response.header("portolan-partial").map(str::to_owned);
    Ok((names, partial, json.at("report/jobs")?.items()?[0].clone()))
}

fn plugin_row(gateway: &Gateway) -> Json {
    gateway.plugins().unwrap().into_iter().find(|row| row.text_at("state").unwrap() == "active").unwrap()
}

fn answers(gateway: &Gateway, protocol: &str, names: &[&str]) {
    wait::until("its claims", IN_FORCE_WITHIN, || {
        let (found, ..) = answered(gateway, protocol)?;
        ensure!(found == names, "{found:?}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
}

/// Puts a file there that is refused for this reason.
fn refuses(gateway: &Gateway, file: &str, part: &str) {
    gateway.drop_in(FILE, file.as_bytes()).unwrap();
    wait::until("the refusal", IN_FORCE_WITHIN, || {
        let shown = plugin_row(gateway);
        let reason = shown.text_at("reason").unwrap_or_default();
        ensure!(reason.contains(FILE) && reason.contains(part), "{shown}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
}

#[test]
fn a_function_that_is_not_listed_costs_its_claims_until_an_operator_lists_it() {
    let chain = Chain::start("polygon").unwrap();
    let plugin = build::built().unwrap().plugin("libportolan_hostile.so");
    let setup = Setup::default().rpc("polygon", &chain.url).plugin(&plugin, &["claims_unlisted"]);
    let gateway = setup.start().unwrap();

    let (names, partial, job) = answered(&gateway, "claims_unlisted").unwrap();
    assert_eq!(names, ["good"]);
    assert_eq!(partial.as_deref(), Some("claims_unlisted/polygon;reason=rejected"), "{job}");
    let row = format!("\"{CALL}\" = \"https://…\"");
    let told = job.text_at("detail").unwrap();
    assert!(told.contains(&row) && told.contains(FILE), "{told}");
    assert!(gateway.log().contains(CALL), "{}", gateway.log());
    let shown = plugin_row(&gateway);
    let claims = shown.at("claims").unwrap().items().unwrap();
    let claim = |call: &str| {
        let claim = claims.iter().find(|claim| claim.text_at("call").unwrap() == call);
        claim.with_context(|| format!("{call}: {shown}")).unwrap()
    };
    assert_eq!(
        claim("getReward()").to_string(),
        r#"{"call":"getReward()","shown":"getReward()","allowed":true,"reason":null}"#
    );
    assert_eq!(claim(CALL).text_at("shown").unwrap(), "claimFor(address account = you)");
    assert_eq!(claim(CALL).at("allowed").unwrap().to_string(), "false");
    assert!(claim(CALL).text_at("reason").unwrap().contains(&row), "{shown}");

    gateway.drop_in(FILE, row.replace('…', "code.example/claimFor").as_bytes()).unwrap();
    answers(&gateway, "claims_unlisted", &["good", "unlisted"]);
    let (_, partial, job) = answered(&gateway, "claims_unlisted").unwrap();
    assert_eq!(partial, None, "{job}");

    // A file that cannot be read leaves the one before in force.
    refuses(&gateway, "\"claimFor(address who)\" = \"https://code.example\"", "\"who\" is not one of account");
    answers(&gateway, "claims_unlisted", &["good", "unlisted"]);

    gateway.take_out(FILE).unwrap();
    answers(&gateway, "claims_unlisted", &["good"]);
}

#[test]
fn a_bound_function_costs_its_claims_on_other_contracts_until_an_operator_lists_the_contract() {
    let chain = Chain::start("polygon").unwrap();
    let plugin = build::built().unwrap().plugin("libportolan_hostile.so");
    let setup = Setup::default().rpc("polygon", &chain.url).plugin(&plugin, &["ends_a_stake"]);
    let gateway = setup.start().unwrap();

    // The stake ends in a claim of one step, and in the first of two steps.
    let (names, partial, job) = answered(&gateway, "ends_a_stake").unwrap();
    assert_eq!(names, ["good"]);
    assert_eq!(partial.as_deref(), Some("ends_a_stake/polygon;reason=rejected"), "{job}");
    let row = format!("\"unstake()\" = {{ source = \"https://…\", contracts = [\"{LAIR}\"] }}");
    let told = job.text_at("detail").unwrap();
    assert!(told.contains(&row) && told.contains(FILE), "{told}");
    assert!(told.contains(&format!("claims by unstake() that go to {LAIR} are left out")), "{told}");

    let shown = plugin_row(&gateway);
    let claims = shown.at("claims").unwrap().items().unwrap();
    let unstake = claims.iter().find(|claim| claim.text_at("call").unwrap() == "unstake()").unwrap();
    let contracts = unstake.at("contracts").unwrap().items().unwrap();
    assert_eq!((unstake.at("allowed").unwrap().to_string().as_str(), contracts.len()), ("true", 3), "{unstake}");
    assert!(contracts.iter().all(|contract| *contract != Json::text(LAIR)), "{unstake}");

    // The row of another contract does not help.
    let row = row.replace('…', "code.example");
    gateway.drop_in(FILE, row.replace("0x958d", "0x958e").as_bytes()).unwrap();
    answers(&gateway, "ends_a_stake", &["good"]);
    gateway.drop_in(FILE, row.as_bytes()).unwrap();
    answers(&gateway, "ends_a_stake", &["good", "stake", "stake first"]);

    let with =
        |contracts: &str| format!("\"unstake()\" = {{ source = \"https://code.example\", contracts = [{contracts}] }}");
    let wrong = [
        (with(""), "the row of \"unstake()\": it has 0 contracts".to_owned()),
        (with("\"0x958d\""), "the row of \"unstake()\": the contract \"0x958d\" is not an address".to_owned()),
        (
            with(&format!("\"{LAIR}\", \"{LAIR}\"")),
            format!("the row of \"unstake()\": the contract {LAIR} is repeated"),
        ),
    ];
    for (file, reason) in wrong {
        refuses(&gateway, &file, &reason);
        answers(&gateway, "ends_a_stake", &["good", "stake", "stake first"]);
    }

    // A row without contracts allows all of them.
    gateway.drop_in(FILE, b"\"unstake()\" = \"https://code.example\"").unwrap();
    wait::until("the file", IN_FORCE_WITHIN, || {
        let shown = plugin_row(&gateway);
        ensure!(shown.at("reason")?.to_string() == "null", "{shown}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
    answers(&gateway, "ends_a_stake", &["good", "stake", "stake first"]);
    gateway.take_out(FILE).unwrap();
    answers(&gateway, "ends_a_stake", &["good"]);
}
