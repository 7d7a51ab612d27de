//! The author's types as the host sees them: the catalogue and every kind of finding.

use portolan_abi::map::{self, caller, role};
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{self, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::{
    Address, Catalogue, ClaimTemplate, Claimable, Company, Composition, Deployment, Error, Finding, Health, JobContext,
    Leg, LegRole, Lineage, Lock, Part, Plugin, Position, PositionKind, Protocol, Question, Reward, Role, Settings,
    SettingsError, U256, sol, symbol,
};

use crate::host::{Host, start_map};
use crate::scenario::{self, ACCOUNT, NETWORK, TARGET, claimCall, contract};

const TOKEN: Address = Address::repeat_byte(0x55);
const OTHER: Address = Address::repeat_byte(0x56);

sol! {
    struct Order { address market; uint256[] ids; bytes proof; }
    function harvest(address account, Order order) external;
    function poke() external;
    function order(address account, uint256 id) external view returns (uint256);
    function gauge() external view returns (address);
}

/// Reports one of everything.
struct Full;

fn protocol() -> Protocol {
    let company = Company { name: "Acme".to_owned(), slug: "acme".to_owned() };
    let (slug, name, website) = ("acme".to_owned(), "ACME".to_owned(), "https://acme.example".to_owned());
    Protocol { slug, name, website, logo: None, primitives: vec!["FARMING".to_owned()], company }
}

const QUESTIONS: [Question; 6] = [
    Question::CLAIMABLES,
    Question::FARMING,
    Question::LENDING,
    Question::POOLING,
    Question::LOCKED,
    Question::COMPOSITION,
];

fn stake() -> Position {
    let leg = Leg::new(LegRole::STAKED, TOKEN, U256::from(10)).redeeming(U256::from(11)).of_total(U256::MAX);
    let rewards = [Reward::new(TOKEN, U256::from(12)), Reward::new(TARGET, None)];
    let position = Position::new(PositionKind::STAKED, "side", TARGET).named("stake").mechanism("acme-farm").leg(leg);
    rewards.into_iter().fold(position.numbered(U256::from(13)), Position::reward)
}

fn loan() -> Position {
    let legs = [LegRole::SUPPLIED, LegRole::BORROWED].map(|role| Leg::new(role, TOKEN, U256::from(20)));
    let legs = legs.map(|leg| leg.rate_ray(U256::from(21)));
    let position =
        Position::new(PositionKind::BORROWED, "side", TARGET).named("loan").mechanism("acme-loan").legs(legs);
    Position { health: Some(Health { factor_wad: Some(U256::from(22)), liquidation_price: None }), ..position }
}

fn lock() -> Position {
    let leg = Leg::new(LegRole::LOCKED, TOKEN, U256::from(30));
    let position = Position::new(PositionKind::LOCKED, "side", TARGET).named("lock").mechanism("acme-lock").leg(leg);
    Position { lock: Some(Lock { unlocks_at: Some(1_800_000_000), is_permanent: Some(false) }), ..position }
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
        Catalogue {
            protocols: vec![protocol()],
            deployments: vec![row.served(&QUESTIONS, [TARGET, TOKEN])],
            claims: templates.into(),
            lineages: Some(vec![Lineage::targets::<gaugeCall>()]),
            ..Catalogue::default()
        }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        let order = Order { market: TARGET, ids: vec![U256::from(1)], proof: vec![0xab].into() };
        cx.try_call(TARGET, orderCall { account, id: U256::from(1) }).await?.ok();
        let harvest = cx.claim(TARGET, &harvestCall { account, order });
        let claimable = Claimable::new("side", TARGET, harvest).mechanism("acme-rewards").numbered(U256::from(7));
        let claimable = claimable.named(format!("{} reward", symbol(TOKEN)));
        Ok(vec![
            claimable.after(cx.claim(TARGET, &pokeCall {})).pays(TOKEN, U256::from(258)).pays(OTHER, U256::from(1)),
        ])
    }

    async fn farming(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        cx.emit(Finding::from(stake()));
        Ok(vec![Position { number: None, ..stake() }])
    }

    async fn lending(&self, _: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        Ok(vec![loan()])
    }

    async fn pooling(&self, _: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        Ok(vec![Position { kind: PositionKind::POOLED, ..stake() }])
    }

    async fn locked(&self, _: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        Ok(vec![lock()])
    }

    /// Returns a composition of every token except its own contract, in the order of the question.
    async fn compositions(&self, _: &JobContext, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
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

/// Functions that the operator allows.
const ALLOWED: &str = r#"
"poke()" = "https://code.example/poke"
"harvest(address account, (address market, uint256[] number, bytes data) all)" = "https://code.example/harvest"
"#;

fn five(_: &ReadRequest) -> ReadResult {
    scenario::word(5)
}

fn run(question: Question) -> Outcome {
    let test = JobTest::new("acme", NETWORK, question, ACCOUNT).claim_functions(ALLOWED);
    let outcome = test.run::<Full>(five);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
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
    let template = |signature: &str, roles, caller| ClaimTemplate {
        signature: signature.to_owned(),
        roles,
        caller,
        ..ClaimTemplate::default()
    };
    let expected = Catalogue {
        protocols: vec![protocol()],
        deployments: vec![map::Deployment {
            protocol: "acme".to_owned(),
            chain_id: 137,
            market: "side".to_owned(),
            questions: QUESTIONS.to_vec(),
            contracts: vec![TARGET, TOKEN],
            tokens: None,
        }],
        claims: vec![
            template("poke()", vec![], caller::ANYONE),
            template("harvest(address,(address,uint256[],bytes))", vec![role(role::ACCOUNT), order], caller::ACCOUNT),
            template("claim(uint256)", vec![five], caller::ACCOUNT),
        ],
        lineages: Some(vec![Lineage { view: "gauge()".to_owned(), gives: map::lineage::TARGET, ..Lineage::default() }]),
        ..Catalogue::default()
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
    assert_eq!((first.contract, found.len(), first.steps.len()), (TARGET, 1, 2));
    let paid: Vec<_> = outcome.payments().iter().map(|row| (row.token, row.amount, row.claim.template)).collect();
    assert_eq!(paid, [(TOKEN, U256::from(258), 1), (OTHER, U256::from(1), 1)]);

    // harvest(account, (market, [1], 0xab)): head, then the tuple, its array and its bytes.
    let address = |address: Address| [&[0; 12][..], address.as_slice()].concat();
    let mut proof = vec![0xab];
    proof.resize(32, 0);
    let parts =
        [address(ACCOUNT), word(0x40), address(TARGET), word(0x60), word(0xa0), word(1), word(1), word(1), proof];
    let claim = map::Claim { template: 1, to: TARGET, arguments: parts.concat(), ..map::Claim::default() };
    let poke = map::Claim { template: 0, to: TARGET, ..map::Claim::default() };
    assert_eq!(first.steps, [poke, claim]);
}

#[test]
#[should_panic = "claims by poke() are left out"]
fn a_claim_of_a_function_that_is_not_listed_fails_the_test() {
    JobTest::new("acme", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Full>(five);
}

#[test]
fn positions_arrive_whole() {
    let positions = |question| run(question).positions().into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(positions(Question::FARMING), [stake(), Position { number: None, ..stake() }]);
    assert_eq!(positions(Question::LENDING), [loan()]);
    assert_eq!(positions(Question::POOLING), [Position { kind: PositionKind::POOLED, ..stake() }]);
    assert_eq!(positions(Question::LOCKED), [lock()]);
    let stake = run(Question::FARMING);
    let row = stake.legs()[0];
    assert_eq!((row.token, row.amount, row.underlying_amount), (TOKEN, U256::from(10), U256::from(11)));
    assert_eq!(run(Question::LENDING).legs()[1].health_factor_wad(), Some(U256::from(22)));
}

#[test]
fn compositions_are_reported_for_the_tokens_that_the_question_is_about() {
    let outcome = JobTest::for_tokens("acme", NETWORK, &[TOKEN, TARGET, OTHER]).run::<Full>(contract);
    assert_eq!((outcome.end, outcome.batches.len()), (End::Complete, 0), "{}", outcome.message);
    let share = |token| Composition {
        token,
        kind: "ACME".to_owned(),
        supply: U256::from(30),
        parts: vec![Part { token: TARGET, amount: U256::from(31) }, Part { token: ACCOUNT, amount: U256::MAX }],
    };
    assert_eq!(outcome.compositions(), [&share(TOKEN), &share(OTHER)]);
    let line = format!("redeem 30 of {TOKEN:#x} to 31 of {TARGET:#x}, {} of {ACCOUNT:#x}", U256::MAX);
    assert_eq!(testing::line(&outcome.findings[0]), line);
}

#[test]
fn a_question_about_no_tokens_is_answered_with_nothing() {
    let outcome = JobTest::for_tokens("acme", NETWORK, &[]).run::<Full>(contract);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0));
    // A start without the key, as an older host would write it.
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
    for question in QUESTIONS {
        let (host, start) = (Host::<Silent>::new(), map::Start { question, ..start_map() });
        let mut jobs = [host.start_with(&portolan_abi::codec::encode(&start)).expect("the plugin starts the job")];
        let step = host.resume(&mut jobs, &[&[]]).remove(0);
        assert_eq!((step.state, step.findings.len()), (portolan_abi::row::state::COMPLETE, 0));
    }
}
