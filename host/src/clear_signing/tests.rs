//! Formats of claim functions, as their templates make them.

mod check;

use alloy::dyn_abi::DynSolValue;
use alloy::primitives::{U256, address};
use portolan_abi::map::{Catalogue, ClaimTemplate, Deployment, Lineage, Protocol as DeclaredProtocol, Role, caller};
use portolan_plugins::Snapshot;
use portolan_plugins::testing::ScriptedPlugin;

use super::*;

const FARM: Address = address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
const OTHER: Address = address!("fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359");

fn template(signature: &str, roles: impl Into<Vec<Role>>) -> ClaimTemplate {
    ClaimTemplate { signature: signature.to_owned(), roles: roles.into(), ..ClaimTemplate::default() }
}

fn deployment(protocol: &str, chain_id: u64, contracts: &[Address], question: Question) -> Deployment {
    Deployment {
        protocol: protocol.to_owned(),
        chain_id,
        market: format!("{chain_id}-{}", question.name()),
        questions: vec![question],
        contracts: contracts.to_vec(),
        ..Deployment::default()
    }
}

fn snapshot(claims: Vec<ClaimTemplate>, deployments: Vec<Deployment>, lineages: Option<Vec<Lineage>>) -> Snapshot {
    let protocols =
        ["farm", "bank"].map(|slug| DeclaredProtocol { slug: slug.to_owned(), ..DeclaredProtocol::default() });
    let catalogue = Catalogue { protocols: protocols.to_vec(), deployments, claims, lineages, ..Catalogue::default() };
    Snapshot::of_test([Arc::new(ScriptedPlugin::new("acme", catalogue).instance())])
}

/// The formats of these templates.
fn formats_of(claims: Vec<ClaimTemplate>) -> Vec<CallFormat> {
    let farming = deployment("farm", 1, &[FARM], Question::CLAIMABLES);
    ClaimDescriptor::of(snapshot(claims, vec![farming], None).served("farm").unwrap()).unwrap().formats
}

/// A line for each field.
fn fields(format: &CallFormat) -> Vec<String> {
    let line = |field: &CallField| format!("{} = {}: {:?}", format.path(field), format.label(field), field.used);
    format.fields.iter().map(line).collect()
}

#[test]
fn arguments_are_named_by_the_words_of_the_table_and_numbered_where_these_are_equal() {
    let key = Role::tuple([Role::TOKEN, Role::TOKEN, Role::MARKET, Role::NUMBER]);
    let formats = formats_of(vec![
        template(
            "claimRewards(address[],uint256,address,address)",
            [Role::array(Role::MARKET), Role::NUMBER, Role::ACCOUNT, Role::TOKEN],
        ),
        template("collectRewards((address,address,address,uint256)[],uint256)", [Role::array(key), Role::NUMBER]),
        template("getReward()", []),
    ]);
    let keys: Vec<String> = formats.iter().map(|format| format.signature.key()).collect();
    assert_eq!(
        keys,
        [
            "claimRewards(address[] market,uint256 number,address account,address token)",
            "collectRewards((address token1,address token2,address market,uint256 number1)[] all,uint256 number2)",
            "getReward()",
        ]
    );
    let expected = [
        "market.[] = Contract: Contract",
        "number = Number: Value",
        "account = Account: Sender",
        "token = Token: Token",
    ];
    assert_eq!(fields(&formats[0]), expected);
    assert_eq!(
        fields(&formats[1]),
        [
            "all.[].token1 = Token 1: Token",
            "all.[].token2 = Token 2: Token",
            "all.[].market = Contract: Contract",
            "all.[].number1 = Number 1: Value",
            "number2 = Number 2: Value",
        ]
    );
    assert_eq!((fields(&formats[2]).len(), formats[2].intent().as_str()), (0, "Claim: getReward"));
}

#[test]
fn a_claim_that_anyone_may_send_and_one_with_a_proof_or_a_fee_say_so() {
    let claims = vec![
        ClaimTemplate {
            caller: caller::ANYONE,
            ..template("claim(bytes32[],address,bytes)", [Role::array(Role::PROOF), Role::ACCOUNT, Role::BYTES])
        },
        ClaimTemplate {
            fee: Some("fee()".to_owned()),
            ..template("withdraw(address,bool)", [Role::DELEGATE, Role::NUMBER])
        },
    ];
    let formats = formats_of(claims);
    let expected = ["proof.[] = Proof: Opaque", "account = Account: Account", "data = Data: Opaque"];
    assert_eq!((fields(&formats[0]), formats[0].has_fee), (expected.map(str::to_owned).to_vec(), false));
    let expected = ["delegate = Delegate: Delegate", "flag = Flag: Value"];
    assert_eq!((fields(&formats[1]), formats[1].has_fee), (expected.map(str::to_owned).to_vec(), true));
}

#[test]
fn constants_are_taken_apart_to_the_values_of_each_member() {
    let pair = (FARM, [true, true]);
    let formats = formats_of(vec![
        template("deposit(uint256,uint256)", [Role::NUMBER, Role::constant(&U256::ZERO)]),
        template("exit((address,bool[2]),address[])", [Role::constant(&pair), Role::constant(&Vec::<Address>::new())]),
    ]);
    let used = |format: &CallFormat| format.fields.iter().map(|field| field.used.clone()).collect::<Vec<_>>();
    let zero = ArgumentUse::Constant(vec![DynSolValue::Uint(U256::ZERO, 256)]);
    assert_eq!(used(&formats[0]), [ArgumentUse::Value, zero]);
    assert_eq!(formats[0].signature.key(), "deposit(uint256 number,uint256 zero)");
    let farm = ArgumentUse::Constant(vec![DynSolValue::Address(FARM)]);
    let flags = ArgumentUse::Constant(vec![DynSolValue::Bool(true)]);
    // A list that has no member may be required to have none by no rule, so that it is shown.
    assert_eq!(used(&formats[1]), [farm, flags, ArgumentUse::Address]);
}

#[test]
fn a_function_of_several_templates_has_one_format_that_fits_them_all() {
    let same = "claim(address,address,uint256,uint256)";
    let one = [Role::ACCOUNT, Role::TOKEN, Role::NUMBER, Role::constant(&U256::from(1))];
    let other = [Role::ACCOUNT, Role::MARKET, Role::constant(&U256::ZERO), Role::constant(&U256::from(2))];
    let claims = vec![template(same, one), ClaimTemplate { caller: caller::ANYONE, ..template(same, other) }];
    let formats = formats_of(claims);
    let [format] = &formats[..] else { panic!("{formats:?}") };
    assert_eq!(format.signature.key(), "claim(address account,address value1,uint256 value2,uint256 number)");
    let numbers = [1, 2].map(|number| DynSolValue::Uint(U256::from(number), 256)).to_vec();
    let used: Vec<_> = format.fields.iter().map(|field| field.used.clone()).collect();
    let expected = [ArgumentUse::Account, ArgumentUse::Address, ArgumentUse::Value, ArgumentUse::Constant(numbers)];
    assert_eq!(used, expected);
}

#[test]
fn a_descriptor_has_the_contracts_of_its_own_protocol_that_claims_may_call() {
    let claims = vec![template("getReward()", [])];
    let deployments = vec![
        deployment("farm", 137, &[OTHER, FARM], Question::CLAIMABLES),
        deployment("farm", 1, &[OTHER], Question::CLAIMABLES),
        deployment("farm", 10, &[FARM], Question::FARMING),
        deployment("bank", 10, &[FARM], Question::LENDING),
    ];
    let served = snapshot(claims, deployments.clone(), None);
    let of = |slug: &str| ClaimDescriptor::of(served.served(slug).unwrap());
    assert_eq!(of("farm").unwrap().contracts, [(1, OTHER), (137, FARM), (137, OTHER)].into());
    assert!(of("bank").is_none(), "nothing of it can be claimed");
    let without = snapshot(Vec::new(), deployments, None);
    assert!(ClaimDescriptor::of(without.served("farm").unwrap()).is_none(), "no template claims");
}
