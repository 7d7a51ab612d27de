//! The author's types as the host sees them: the catalogue, and every kind of finding.

use portolan_abi::map::{self, caller, role};
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{self, End, JobTest, Outcome};
use portolan_plugin_api::{
    Address, Catalogue, Chain, ClaimTemplate, Claimable, Company, Composition, Deployment, Error, FarmingPosition,
    Finding, LendingPosition, Part, Plugin, Protocol, Question, Reward, Role, Settings, SettingsError, Side, U256, sol,
    symbol,
};

use crate::host::{Host, start_map};
use crate::scenario::{ACCOUNT, NETWORK, TARGET, claimCall, contract};

const TOKEN: Address = Address::repeat_byte(0x55);

sol! {
    struct Order { address market; uint256[] ids; bytes proof; }
    function harvest(address account, Order order) external;
    function poke() external;
    function undeclared(uint256 number) external;
}

/// Reports one of everything.
struct Full;

fn protocol() -> Protocol {
    let company = Company { name: "Acme".to_owned(), slug: "acme".to_owned() };
    let (slug, name, website) = ("acme".to_owned(), "ACME".to_owned(), "https://acme.example".to_owned());
    Protocol { slug, name, website, logo: None, primitives: vec!["FARMING".to_owned()], company }
}

impl Plugin for Full {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let order = Role::tuple([Role::MARKET, Role::array(Role::NUMBER), Role::BYTES]);
        let templates = [
            ClaimTemplate::new::<pokeCall>([]).by_anyone(),
            ClaimTemplate::new::<harvestCall>([Role::ACCOUNT, order]),
            ClaimTemplate::new::<claimCall>([Role::constant(&U256::from(5))]),
        ];
        let row =
            Deployment { protocol: "acme".to_owned(), network: NETWORK, market: "side".to_owned(), mechanism: () };
        let questions = [Question::CLAIMABLES, Question::FARMING, Question::LENDING, Question::COMPOSITION];
        Catalogue {
            protocols: vec![protocol()],
            deployments: vec![row.served(&questions, [TARGET, TOKEN])],
            claims: templates.into(),
            event_topics: None,
        }
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        let found = |claim| Claimable {
            market: "side".to_owned(),
            contract: TARGET,
            name: format!("{} reward", symbol(TOKEN)),
            mechanism: "acme-rewards".to_owned(),
            token: TOKEN,
            amount: U256::from(258),
            claim,
            number: Some(U256::from(7)),
        };
        let order = Order { market: TARGET, ids: vec![U256::from(1)], proof: vec![0xab].into() };
        let mut paid = cx.claim(TOKEN, &pokeCall {});
        paid.value = Some(U256::from(9));
        Ok(vec![
            found(cx.claim(TARGET, &harvestCall { account, order })),
            found(paid),
            found(cx.claim(TARGET, &undeclaredCall { number: U256::from(1) })),
        ])
    }

    async fn farming(&self, cx: &Chain, _: Address) -> Result<Vec<FarmingPosition>, Error> {
        let position = FarmingPosition {
            market: "side".to_owned(),
            contract: TARGET,
            name: "stake".to_owned(),
            mechanism: "acme-farm".to_owned(),
            staked_token: TOKEN,
            amount: U256::from(10),
            underlying_amount: U256::from(11),
            rewards: vec![
                Reward { token: TOKEN, per_second: Some(U256::from(12)) },
                Reward { token: TARGET, per_second: None },
            ],
            total_stake: Some(U256::MAX),
            number: Some(U256::from(13)),
        };
        cx.emit(Finding::from(position.clone()));
        Ok(vec![FarmingPosition { total_stake: None, number: None, ..position }])
    }

    async fn lending(&self, _: &Chain, _: Address) -> Result<Vec<LendingPosition>, Error> {
        let position = |side, health_factor_wad| LendingPosition {
            market: "side".to_owned(),
            contract: TARGET,
            name: "loan".to_owned(),
            token: TOKEN,
            amount: U256::from(20),
            rate_ray: U256::from(21),
            side,
            health_factor_wad,
        };
        Ok(vec![position(Side::SUPPLY, None), position(Side::BORROW, Some(U256::from(22)))])
    }

    /// The findings of every token but its own contract, in the order of the question.
    async fn compositions(&self, _: &Chain, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        let parts = vec![Part { token: TARGET, amount: U256::from(31) }, Part { token: ACCOUNT, amount: U256::MAX }];
        let share =
            |token| Composition { token, kind: "ACME".to_owned(), supply: U256::from(30), parts: parts.clone() };
        Ok(tokens.iter().copied().filter(|token| *token != TARGET).map(share).collect())
    }
}

impl Exported for Full {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

/// What an operator allows who has read these functions.
const ALLOWED: &str = r#"
"poke()" = "https://code.example/poke"
"harvest(address account, (address market, uint256[] number, bytes data) all)" = "https://code.example/harvest"
"#;

fn run(question: Question) -> Outcome {
    let test = JobTest::new("acme", NETWORK, question, ACCOUNT).claim_functions(ALLOWED);
    let outcome = test.run::<Full>(contract);
    assert_eq!((outcome.end, outcome.batches.len()), (End::Complete, 0), "{}", outcome.message);
    outcome
}

/// A number as a big-endian word.
fn word(number: u16) -> Vec<u8> {
    let mut word = vec![0; 32];
    word[30..].copy_from_slice(&number.to_be_bytes());
    word
}

#[test]
fn a_catalogue_reports_protocols_deployments_and_claim_templates() {
    let role = |kind| Role { kind, constant: None, members: None };
    let of = |kind, members| Role { members: Some(members), ..role(kind) };
    let array = of(role::ARRAY, vec![role(role::NUMBER)]);
    let order = of(role::TUPLE, vec![role(role::MARKET), array, role(role::BYTES)]);
    let five = Role { constant: Some(word(5)), ..role(role::CONSTANT) };
    let template = |signature: &str, roles, caller| ClaimTemplate { signature: signature.to_owned(), roles, caller };
    let expected = Catalogue {
        protocols: vec![protocol()],
        deployments: vec![map::Deployment {
            protocol: "acme".to_owned(),
            chain_id: 137,
            market: "side".to_owned(),
            questions: vec![Question::CLAIMABLES, Question::FARMING, Question::LENDING, Question::COMPOSITION],
            contracts: vec![TARGET, TOKEN],
        }],
        claims: vec![
            template("poke()", vec![], caller::ANYONE),
            template("harvest(address,(address,uint256[],bytes))", vec![role(role::ACCOUNT), order], caller::ACCOUNT),
            template("claim(uint256)", vec![five], caller::ACCOUNT),
        ],
        event_topics: None,
    };
    assert_eq!(Host::<Full>::new().catalogue(), expected);
}

#[test]
fn a_claim_names_its_template_and_carries_its_arguments_without_the_selector() {
    let outcome = run(Question::CLAIMABLES);
    let found = outcome.claimables();
    let first = found[0];
    assert_eq!((first.market.as_str(), first.mechanism.as_str()), ("side", "acme-rewards"));
    assert_eq!(first.name, format!("{{0x{}}} reward", "55".repeat(20)));
    assert_eq!((first.contract, first.token, first.amount), (TARGET, TOKEN, U256::from(258)));

    // harvest(account, (market, [1], 0xab)): head, then the tuple, its array and its bytes.
    let address = |address: Address| [&[0; 12][..], address.as_slice()].concat();
    let mut proof = vec![0xab];
    proof.resize(32, 0);
    let parts =
        [address(ACCOUNT), word(0x40), address(TARGET), word(0x60), word(0xa0), word(1), word(1), word(1), proof];
    let claim = map::Claim { template: 1, to: TARGET, arguments: parts.concat(), value: None };
    assert_eq!(first.claim, claim);

    let paid = map::Claim { template: 0, to: TOKEN, arguments: Vec::new(), value: Some(U256::from(9)) };
    assert_eq!(found[1].claim, paid);
}

#[test]
#[should_panic = "claims by harvest(address account, (address market, uint256[] number, bytes data) all) are left out"]
fn a_claim_of_a_function_that_is_not_listed_fails_the_test() {
    JobTest::new("acme", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Full>(contract);
}

#[test]
fn a_claim_without_a_template_has_a_number_that_no_catalogue_has() {
    assert_eq!(run(Question::CLAIMABLES).claimables()[2].claim.template, u32::MAX);
}

#[test]
fn a_farming_position_arrives_whole() {
    let outcome = run(Question::FARMING);
    let expected = FarmingPosition {
        market: "side".to_owned(),
        contract: TARGET,
        name: "stake".to_owned(),
        mechanism: "acme-farm".to_owned(),
        staked_token: TOKEN,
        amount: U256::from(10),
        underlying_amount: U256::from(11),
        rewards: vec![
            Reward { token: TOKEN, per_second: Some(U256::from(12)) },
            Reward { token: TARGET, per_second: None },
        ],
        total_stake: Some(U256::MAX),
        number: Some(U256::from(13)),
    };
    let without = FarmingPosition { total_stake: None, number: None, ..expected.clone() };
    assert_eq!(outcome.farming(), [&expected, &without]);
}

#[test]
fn a_lending_position_arrives_whole() {
    let outcome = run(Question::LENDING);
    let supply = LendingPosition {
        market: "side".to_owned(),
        contract: TARGET,
        name: "loan".to_owned(),
        token: TOKEN,
        amount: U256::from(20),
        rate_ray: U256::from(21),
        side: Side::SUPPLY,
        health_factor_wad: None,
    };
    let borrow = LendingPosition { side: Side::BORROW, health_factor_wad: Some(U256::from(22)), ..supply.clone() };
    assert_eq!(outcome.lending(), [&supply, &borrow]);
}

#[test]
fn compositions_are_reported_for_the_tokens_that_the_question_is_about() {
    let outcome = JobTest::for_tokens("acme", NETWORK, &[TOKEN, TARGET, ACCOUNT]).run::<Full>(contract);
    assert_eq!((outcome.end, outcome.batches.len()), (End::Complete, 0), "{}", outcome.message);
    let share = |token| Composition {
        token,
        kind: "ACME".to_owned(),
        supply: U256::from(30),
        parts: vec![Part { token: TARGET, amount: U256::from(31) }, Part { token: ACCOUNT, amount: U256::MAX }],
    };
    assert_eq!(outcome.compositions(), [&share(TOKEN), &share(ACCOUNT)]);
    let line = format!("redeem 30 of {TOKEN:#x} to 31 of {TARGET:#x}, {} of {ACCOUNT:#x}", U256::MAX);
    assert_eq!(testing::line(&outcome.findings[0]), line);
}

#[test]
fn a_question_about_no_tokens_is_answered_with_nothing() {
    let outcome = JobTest::for_tokens("acme", NETWORK, &[]).run::<Full>(contract);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0));
    // A start without the key, as one that never heard of it would write.
    let host = Host::<Full>::new();
    let start = map::Start { question: Question::COMPOSITION, tokens: None, ..start_map() };
    let mut jobs = [host.start_with(&portolan_abi::codec::encode(&start)).expect("the plugin starts the job")];
    let step = host.resume(&mut jobs, &[&[]]).remove(0);
    assert_eq!((step.state, step.findings.len()), (portolan_abi::row::state::COMPLETE, 0));
}

/// A plugin that answers no question.
struct Silent;

impl Plugin for Silent {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue::default()
    }
}

impl Exported for Silent {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

#[test]
fn a_question_that_a_plugin_does_not_answer_finds_nothing() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LENDING, Question::COMPOSITION] {
        let outcome = JobTest::new("acme", NETWORK, question, ACCOUNT).run::<Silent>(contract);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0));
    }
}
