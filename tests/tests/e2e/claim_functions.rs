//! Functions that claims may call: what is not in the table is left out and told, and an operator's row allows it without
//! a restart.

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, IN_FORCE_WITHIN, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const FILE: &str = "claim-functions.toml";
const CALL: &str = "claimFor(address account)";

/// The names of the claimables, and what the answer tells of others.
fn answered(gateway: &Gateway) -> Result<(Vec<String>, Option<String>, Json)> {
    let response = gateway.get(&format!("/claims_unlisted/{ACCOUNT}/claimables?detail=full"))?;
    let json = response.json()?;
    let items = json.at("items").with_context(|| response.body.clone())?.items()?;
    let names = items.iter().map(|item| Ok(item.text_at("name")?.to_owned())).collect::<Result<_>>()?;
    let partial = response.header("portolan-partial").map(str::to_owned);
    Ok((names, partial, json.at("report/jobs")?.items()?[0].clone()))
}

fn plugin_row(gateway: &Gateway) -> Json {
    gateway.plugins().unwrap().into_iter().find(|row| row.text_at("state").unwrap() == "active").unwrap()
}

fn answers(gateway: &Gateway, names: &[&str]) {
    wait::until("its claims", IN_FORCE_WITHIN, || {
        let (found, ..) = answered(gateway)?;
        ensure!(found == names, "{found:?}");
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

    let (names, partial, job) = answered(&gateway).unwrap();
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
    answers(&gateway, &["good", "unlisted"]);
    let (_, partial, job) = answered(&gateway).unwrap();
    assert_eq!(partial, None, "{job}");

    // A file that cannot be read leaves the one before in force.
    gateway.drop_in(FILE, b"\"claimFor(address who)\" = \"https://code.example\"").unwrap();
    wait::until("the refusal", IN_FORCE_WITHIN, || {
        let shown = plugin_row(&gateway);
        let reason = shown.text_at("reason").unwrap_or_default();
        ensure!(reason.contains(FILE) && reason.contains("\"who\" is not one of account"), "{shown}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
    answers(&gateway, &["good", "unlisted"]);

    gateway.take_out(FILE).unwrap();
    answers(&gateway, &["good"]);
}
