//! A plugin's claim functions beside those of a registry's descriptor.

use portolan_abi::map::lineage;
use portolan_base::network::Networks;
use serde_json::{Value, json};

use super::*;

/// The claims of Lido's queue, as a plugin declares them, and one of a farm.
fn claims() -> Vec<ClaimTemplate> {
    vec![
        template("claimWithdrawals(uint256[],uint256[])", [Role::array(Role::NUMBER), Role::array(Role::NUMBER)]),
        template("getReward(address,address)", [Role::ACCOUNT, Role::TOKEN]),
        template("deposit(uint256,uint256)", [Role::NUMBER, Role::constant(&U256::ZERO)]),
    ]
}

fn checked(formats: &Value, deployments: &Value, lineages: Option<Vec<Lineage>>) -> ClearSigningCheck {
    let document = json!({"context": {"contract": {"deployments": deployments}}, "display": {"formats": formats}});
    let descriptor = RegistryDescriptor::parse("lido.json", &document.to_string()).unwrap();
    let deployments = vec![
        deployment("farm", 1, &[FARM, OTHER], Question::CLAIMABLES),
        deployment("bank", 137, &[OTHER], Question::CLAIMABLES),
    ];
    let snapshot = snapshot(claims(), deployments, lineages);
    ClearSigningCheck::of(&snapshot.iter().collect::<Vec<_>>(), &Networks::new([]), &descriptor)
}

fn of_formats(formats: &Value) -> ClearSigningCheck {
    checked(formats, &json!([{"chainId": 1, "address": FARM}]), None)
}

/// The lines about functions, without the name of the file.
fn lines(check: &ClearSigningCheck) -> Vec<String> {
    check.lines().iter().map(|line| line.strip_prefix("lido.json: ").unwrap().to_owned()).collect()
}

#[test]
fn a_descriptor_that_says_the_same_in_other_words_agrees() {
    // As the public registry has it for Lido's queue, but for the hidden hints.
    let check = of_formats(&json!({
        "claimWithdrawals(uint256[] _requestIds, uint256[] _hints)": {
            "intent": "Claim withdrawals",
            "fields": [
                {"label": "Request ID", "format": "raw", "path": "#._requestIds.[]", "visible": "always"},
                {"label": "Hints", "format": "raw", "path": "#._hints.[]"},
            ],
        },
        "0xa9059cbb": {"intent": "Send", "fields": []},
    }));
    assert!(check.is_sound());
    assert_eq!(
        lines(&check),
        [
            "claimWithdrawals(uint256[],uint256[]) agrees, as \"Claim withdrawals\"",
            "ethereum contracts: 1 in both, 1 only of the plugin, 0 only of the descriptor",
            "polygon contracts: 0 in both, 1 only of the plugin, 0 only of the descriptor",
            "not in the descriptor: deposit(uint256,uint256), getReward(address,address)",
            "in the descriptor, and not called by claims: 0xa9059cbb",
            "1 of 3 claim functions are described; contradictions: 0",
        ]
    );
    let document = check.document();
    assert_eq!(document["functions"][0]["intent"], "Claim withdrawals");
    assert_eq!((&document["sound"], &document["contracts"][0]["inBoth"]), (&json!(true), &json!(1)));
}

#[test]
fn hidden_arguments_and_those_without_names_are_notes() {
    let check = of_formats(&json!({
        "claimWithdrawals(uint256[] ids,uint256[] hints)": {
            "fields": [{"path": "ids", "format": "raw"}, {"path": "hints", "visible": "never"}],
        },
        "getReward(address account,address token)": {"fields": [{"path": "account", "format": "addressName"}]},
        "deposit(uint256,uint256)": {"fields": [{"path": "pid"}]},
    }));
    assert!(check.is_sound(), "{check:?}");
    assert_eq!(
        lines(&check)[..3],
        [
            "claimWithdrawals(uint256[],uint256[]) note: it hides number2.[], which is a value",
            "deposit(uint256,uint256) note: it does not name the arguments, so they are not compared",
            "getReward(address,address) note: it does not show token, which is a token",
        ]
    );
}

#[test]
fn a_field_that_fits_no_claim_contradicts() {
    let of = |function: &str, field: Value| {
        let check = of_formats(&json!({function: {"fields": [field]}}));
        let contradicting =
            lines(&check).into_iter().filter_map(|line| Some(line.split_once(" CONTRADICTS: it ")?.1.to_owned()));
        let contradicting: Vec<String> = contradicting.collect();
        assert_eq!(check.is_sound(), contradicting.is_empty());
        contradicting.join("; ")
    };
    let reward = "getReward(address who,address what)";
    let deposit = "deposit(uint256 pid,uint256 amount)";
    let shown_as =
        |path: &str, format: &str, types: &[&str]| json!({"path": path, "format": format, "params": {"types": types}});
    for (function, field, reason) in [
        (
            reward,
            shown_as("who", "addressName", &["token"]),
            "shows account, which is the account, as addressName of token",
        ),
        (
            reward,
            shown_as("who", "addressName", &["contract"]),
            "shows account, which is the account, as addressName of contract",
        ),
        (reward, shown_as("who", "tokenTicker", &[]), "shows account, which is the account, as tokenTicker"),
        (reward, shown_as("who", "amount", &[]), "shows account, which is the account, as amount"),
        (
            reward,
            shown_as("what", "addressName", &["eoa", "wallet"]),
            "shows token, which is a token, as addressName of eoa, wallet",
        ),
        (reward, shown_as("whom", "addressName", &[]), "has a field at \"whom\", which is not an argument"),
        (deposit, shown_as("pid", "addressName", &[]), "shows number, which is a value, as addressName"),
        (
            deposit,
            json!({"path": "amount", "visible": {"mustMatch": [1]}}),
            "requires a value of zero that claims do not have",
        ),
        (
            deposit,
            json!({"path": "pid", "visible": {"mustMatch": [1]}}),
            "requires a value of number, which is a value and differs between claims",
        ),
        (reward, shown_as("who", "addressName", &["eoa", "contract"]), ""),
        (reward, shown_as("who", "raw", &[]), ""),
        (reward, shown_as("what", "tokenTicker", &[]), ""),
        (reward, shown_as("what", "addressName", &["token"]), ""),
        (deposit, shown_as("pid", "enum", &[]), ""),
        (deposit, shown_as("amount", "tokenAmount", &[]), ""),
        (deposit, json!({"path": "amount", "visible": {"mustMatch": ["0x0"]}}), ""),
        (deposit, json!({"path": "@.value", "format": "amount"}), ""),
    ] {
        assert_eq!(of(function, field.clone()), reason, "{field}");
    }
}

#[test]
fn contracts_contradict_where_a_network_has_none_in_common_and_the_plugin_finds_none_on_the_chain() {
    let formats = json!({"getReward(address a,address b)": {"fields": []}});
    let elsewhere = json!([{"chainId": 1, "address": "0xdAC17F958D2ee523a2206206994597C13D831ec7"}]);
    let check = checked(&formats, &elsewhere, None);
    assert!(!check.is_sound());
    let line = "ethereum contracts CONTRADICT: 0 in both, 2 only of the plugin, 1 only of the descriptor";
    assert!(lines(&check).iter().any(|shown| shown == line), "{:?}", lines(&check));
    assert_eq!(check.document()["contracts"][0]["contradicts"], true);
    let factory = Lineage { view: "pools(uint256)".to_owned(), gives: lineage::TARGET, ..Lineage::default() };
    assert!(checked(&formats, &elsewhere, Some(vec![factory])).is_sound(), "a view may return the other contract");
    assert!(checked(&json!({}), &elsewhere, None).is_sound(), "no function is in both");
    let gnosis = json!([{"chainId": 424_242, "address": FARM}]);
    let check = checked(&formats, &gnosis, None);
    assert!(check.is_sound() && lines(&check).iter().any(|line| line.starts_with("chain 424242 contracts: 0")));
}
