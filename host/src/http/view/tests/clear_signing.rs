//! Descriptors of ERC-7730.

use portolan_abi::Question;
use portolan_abi::map::{Catalogue, ClaimTemplate, Company, Deployment, Protocol as DeclaredProtocol, Role};
use portolan_plugins::Snapshot;
use portolan_plugins::testing::ScriptedPlugin;

use super::*;
use crate::clear_signing::ClaimDescriptor;

fn descriptor(name: &str, claims: Vec<ClaimTemplate>) -> ClaimDescriptor {
    let company = Company { name: name.to_owned(), slug: "acme".to_owned() };
    let protocol = DeclaredProtocol {
        slug: "acme_v2".to_owned(),
        website: "https://acme.example".to_owned(),
        company,
        ..DeclaredProtocol::default()
    };
    let deployment = Deployment {
        protocol: "acme_v2".to_owned(),
        chain_id: 137,
        questions: vec![Question::CLAIMABLES],
        contracts: vec![address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")],
        ..Deployment::default()
    };
    let (protocols, deployments) = (vec![protocol], vec![deployment]);
    let catalogue = Catalogue { protocols, deployments, claims, ..Catalogue::default() };
    let snapshot = Snapshot::of_test([Arc::new(ScriptedPlugin::new("acme", catalogue).instance())]);
    ClaimDescriptor::of(snapshot.served("acme_v2").unwrap()).unwrap()
}

#[test]
fn a_descriptor_is_a_file_of_its_own_with_a_format_for_each_function() {
    let roles = vec![Role::ACCOUNT, Role::array(Role::TOKEN), Role::MARKET, Role::DELEGATE];
    let claims = vec![
        ClaimTemplate {
            signature: "claim(address,address[],address,address)".to_owned(),
            roles,
            fee: Some("fee()".to_owned()),
            ..ClaimTemplate::default()
        },
        ClaimTemplate {
            signature: "exit(uint256,bytes32,bool,uint256,address)".to_owned(),
            roles: vec![
                Role::NUMBER,
                Role::PROOF,
                Role::constant(&true),
                Role::constant(&U256::MAX),
                Role::constant(&Address::ZERO),
            ],
            ..ClaimTemplate::default()
        },
    ];
    let expected = concat!(
        r#"[{"$schema":"https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json","#,
        r#""context":{"$id":"Claims of acme_v2","contract":{"deployments":[{"chainId":137,"#,
        r#""address":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}]}},"#,
        r#""metadata":{"owner":"Acme","info":{"url":"https://acme.example"}},"display":{"formats":{"#,
        r#""claim(address account,address[] token,address market,address delegate)":{"intent":"Claim: claim","fields":["#,
        r#"{"path":"account","label":"Account","format":"addressName","params":{"types":["wallet"]}},"#,
        r#"{"path":"token.[]","label":"Token","format":"addressName","params":{"types":["token"]}},"#,
        r#"{"path":"market","label":"Contract","format":"addressName","params":{"types":["contract"]}},"#,
        r#"{"path":"delegate","label":"Delegate","format":"addressName"},"#,
        r#"{"path":"@.value","label":"Claim fee","format":"amount"}]},"#,
        r#""exit(uint256 number1,bytes32 proof,bool flag,uint256 number2,address zero)":{"intent":"Claim: exit","fields":["#,
        r#"{"path":"number1","label":"Number 1","format":"raw"},"#,
        r#"{"path":"proof","label":"Proof","format":"raw","visible":"never"},"#,
        r#"{"path":"flag","label":"Flag","format":"raw","visible":{"mustMatch":[true]}},"#,
        r#"{"path":"number2","label":"Number 2","format":"raw","visible":{"mustMatch":["#,
        r#""115792089237316195423570985008687907853269984665640564039457584007913129639935"]}},"#,
        r#"{"path":"zero","label":"Zero","format":"raw","visible":{"mustMatch":["#,
        r#""0x0000000000000000000000000000000000000000"]}}]}}}}]"#
    );
    assert_eq!(text(&answer(Items::ClearSigning(vec![descriptor("Acme", claims)])), false), expected);
    assert_eq!(text(&answer(Items::ClearSigning(Vec::new())), false), "[]");
}

#[test]
fn no_name_of_a_plugin_turns_around_what_a_wallet_shows() {
    let claims = vec![ClaimTemplate { signature: "getReward()".to_owned(), ..ClaimTemplate::default() }];
    let text = text(&answer(Items::ClearSigning(vec![descriptor("A\u{202e}B\n{token}", claims)])), false);
    assert!(text.contains(r#""owner":"AB {token}""#) || text.contains(r#""owner":"AB{token}""#), "{text}");
    assert!(!text.contains("interpolatedIntent"), "a name may have braces");
}
