//! Listed contracts that have no code: where others of the list answer, nobody has anything there, so that no answer is
//! partial for it, and the operator is told. Where none answers, the answer says that something is wrong.

use std::time::Duration;

use alloy::primitives::{Address, U256, address};
use alloy::sol;
use alloy::sol_types::{SolCall, SolValue};
use anyhow::{Result, ensure};
use portolan_tests::bytecode::{answering, mine};
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::{build, wait};
use serde_json::json;

sol! {
    function stakingToken() external view returns (address);
    function rewardsToken() external view returns (address);
    function earned(address) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
}

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const QUICK: Address = address!("b5c064f955d8e7f38fe0460c556a72987494ee17");
/// Owes the account something.
const PAYS: Address = address!("00000000000000000000000000000000fa000001");
/// Owes it nothing.
const QUIET: Address = address!("00000000000000000000000000000000fa000002");
const GONE: Address = address!("00000000000000000000000000000000fa000003");
const OWED: u64 = 7;
const SOON: Duration = Duration::from_secs(30);

/// The code of a farm that owes so much to whoever asks.
fn farm(owed: u64) -> String {
    answering(&[
        (stakingTokenCall::SELECTOR, QUICK.abi_encode()),
        (rewardsTokenCall::SELECTOR, QUICK.abi_encode()),
        (earnedCall::SELECTOR, U256::from(owed).abi_encode()),
        (balanceOfCall::SELECTOR, U256::ZERO.abi_encode()),
    ])
}

fn put(chain: &Chain, at: Address, code: &str) {
    chain.rpc("anvil_setCode", json!([at, code])).unwrap();
    mine(chain).unwrap();
}

/// Two of the three farms answer.
fn start(chain: &Chain) -> Gateway {
    put(chain, PAYS, &farm(OWED));
    put(chain, QUIET, &farm(0));
    let farms = [PAYS, QUIET, GONE].map(|farm| format!("\"{farm:#x}\"")).join(", ");
    let settings = format!(
        "shipped = false\n[[deployment]]\nprotocol = \"quickswap\"\nnetwork = \"polygon\"\nfarms = [{farms}]\n"
    );
    let plugin = build::built().unwrap().plugin("libquickswap.so");
    let setup = Setup::default().rpc("polygon", &chain.url).plugin(&plugin, &["quickswap"]);
    setup.settings("quickswap", &settings).start().unwrap()
}

fn claimables(gateway: &Gateway) -> Response {
    gateway.get(&format!("/quickswap/{ACCOUNT}/claimables?detail=full")).unwrap()
}

/// The addresses that the plugin's row tells of.
fn told(gateway: &Gateway) -> Result<Vec<String>> {
    let rows = gateway.plugins()?;
    let gone = rows[0].at("withoutCode")?.items()?;
    gone.iter().map(|row| Ok(row.text_at("address")?.to_owned())).collect()
}

#[test]
fn a_contract_that_is_gone_makes_no_answer_partial_and_is_told_to_the_operator_once() {
    let chain = Chain::start("polygon").unwrap();
    let gateway = start(&chain);
    for _ in 0..3 {
        let response = claimables(&gateway);
        let json = response.json().unwrap();
        assert_eq!((response.status.as_u16(), response.header("portolan-partial")), (200, None), "{json}");
        let items = json.at("items").unwrap().items().unwrap();
        assert_eq!((items.len(), items[0].text_at("amountRaw").unwrap()), (1, "7"), "{json}");
        assert_eq!(json.text_at("report/jobs/0/status").unwrap(), "ok");
        assert_eq!(json.text_at("report/jobs/0/withoutCode/0").unwrap(), format!("{GONE:#x}"));
        mine(&chain).unwrap();
    }
    let farming = gateway.get(&format!("/quickswap/farming/{ACCOUNT}/positions")).unwrap();
    assert_eq!((farming.body.trim(), farming.header("portolan-partial")), ("[]", None));
    assert_eq!(told(&gateway).unwrap(), [format!("{GONE:#x}")]);
    assert_eq!(gateway.log().matches("a listed contract has no code").count(), 1);

    put(&chain, GONE, &farm(0));
    wait::until("an answer of the contract that is there now", SOON, || {
        claimables(&gateway);
        let told = told(&gateway)?;
        ensure!(told.is_empty(), "{told:?}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_deployment_of_which_nothing_answers_is_no_empty_answer() {
    let chain = Chain::start("polygon").unwrap();
    let gateway = start(&chain);
    put(&chain, PAYS, "0x");
    put(&chain, QUIET, "0x");
    let is_reported = || {
        let response = claimables(&gateway);
        ensure!(response.status == 502, "{}", response.body);
        let job: Json = response.json()?.at("jobs/0")?.clone();
        let detail = job.text_at("detail")?;
        ensure!(job.text_at("reason")? == "plugin-error" && detail.contains("no contract there: "), "{job}");
        Ok(())
    };
    wait::until("the failure", SOON, is_reported).unwrap();
    let mut told = told(&gateway).unwrap();
    told.sort();
    assert_eq!(told, [PAYS, QUIET, GONE].map(|farm| format!("{farm:#x}")));
}
