//! Checks findings against the rules: which pass, and the messages of those that do not.

mod bound;

use alloy::primitives::{Address, Bytes, U256, address};
use alloy::sol;
use alloy::sol_types::{SolCall, SolValue};
use portolan_abi::Question;
use portolan_abi::map::{
    Catalogue, Claim, ClaimTemplate, Claimable, Company, Deployment, Finding, Leg, LegRole, Lineage, PaidTo, Payment,
    Position, PositionKind, Price, PriceRange, Protocol, Role,
};

use crate::addresses::{Addresses, TargetSource, ViewReply};
use crate::findings::{ValidFinding, Validated, validate};
use crate::functions::ClaimFunctions;
use crate::reads::ClaimReads;
use crate::rules::JobRules;
use crate::templates::ClaimTemplates;
use crate::transaction::ClaimTransaction;

sol! {
    function getReward() external;
    function claim(uint256 index, address account, uint256 amount, bytes32[] proof) external;
    function deposit(uint256 pid, uint256 amount) external;
    function claimToken(address account, address token) external;
    function claimRewards(address[] gauges) external;
    function claimFor(address account, address[3] gauges) external;
    function claimWithFee(address account) external payable;
    function claimFee() external view returns (uint256);
    function withdraw(uint256 id, address to) external payable;
    function minFee(uint256 id) external view returns (uint256);
    function ownerOf(uint256 id) external view returns (address);
    function withdrawDelegated(address validator) external;
    function delegatedTo(address account) external view returns (address validator, uint256 shares);
    function isClaimed(uint256 index) external view returns (bool);
    function userInfo(uint256 pid, address account) external view returns (uint256);
    function gauges(address pool) external view returns (address);
    function rewardTokens() external view returns (address[]);
    function pools() external view returns (address[]);
}

const ACCOUNT: Address = address!("0xacacacacacacacacacacacacacacacacacacacac");
const LISTED: Address = address!("0x1111111111111111111111111111111111111111");
const GAUGE: Address = address!("0x2222222222222222222222222222222222222222");
const TOKEN: Address = address!("0x3333333333333333333333333333333333333333");
const STRANGE: Address = address!("0x6666666666666666666666666666666666666666");

const FUNCTIONS: &str = r#"
    "claimWithFee(address account) payable" = "https://example.org"
    "claimRewards(address[] market)" = "https://example.org"
    "claimFor(address account, address[3] market)" = "https://example.org"
    "withdraw(uint256 number, address account) payable" = "https://example.org"
    "withdrawDelegated(address delegate)" = "https://example.org"
    "claim(uint256 number, address account, uint256 number, bytes32[] proof)" = "https://example.org"
"#;

/// Names of the templates below, by index.
const TEMPLATES: [&str; 9] = [
    "getReward",
    "claim",
    "deposit",
    "claimToken",
    "claimRewards",
    "claimWithFee",
    "claimFor",
    "withdraw",
    "withdrawDelegated",
];

fn catalogue() -> Catalogue {
    Catalogue {
        protocols: vec![Protocol { slug: "acme".into(), company: Company::default(), ..Protocol::default() }],
        deployments: vec![Deployment {
            protocol: "acme".into(),
            chain_id: 1,
            market: "main".into(),
            contracts: vec![LISTED],
            ..Deployment::default()
        }],
        claims: vec![
            ClaimTemplate::new::<getRewardCall>([]),
            ClaimTemplate::new::<claimCall>([Role::NUMBER, Role::ACCOUNT, Role::NUMBER, Role::array(Role::PROOF)]),
            ClaimTemplate::new::<depositCall>([Role::NUMBER, Role::constant(&U256::ZERO)]),
            ClaimTemplate::new::<claimTokenCall>([Role::ACCOUNT, Role::TOKEN]),
            ClaimTemplate::new::<claimRewardsCall>([Role::array(Role::MARKET)]).merging([0]),
            ClaimTemplate::new::<claimWithFeeCall>([Role::ACCOUNT]).with_fee::<claimFeeCall>(),
            ClaimTemplate::new::<claimForCall>([Role::ACCOUNT, Role::array(Role::MARKET)]).merging([1]),
            ClaimTemplate::new::<withdrawCall>([Role::NUMBER, Role::ACCOUNT]).with_fee_of::<minFeeCall>([0]),
            ClaimTemplate::new::<withdrawDelegatedCall>([Role::DELEGATE]),
        ],
        lineages: Some(vec![
            Lineage::targets::<gaugesCall>(),
            Lineage::tokens::<rewardTokensCall>().list().of_given(),
            Lineage::markets::<poolsCall>().list(),
        ]),
        ..Catalogue::default()
    }
}

/// A job with the reads of a test.
struct Job {
    catalogue: Catalogue,
    templates: ClaimTemplates,
    addresses: Addresses,
    reads: ClaimReads,
}

impl Job {
    fn new() -> Self {
        let catalogue = catalogue();
        let functions = ClaimFunctions::with(FUNCTIONS).unwrap();
        let templates = ClaimTemplates::parse(&catalogue, &functions).unwrap();
        let addresses = Addresses::listed(&catalogue, "acme", 1, |_| false);
        Self { catalogue, templates, addresses, reads: ClaimReads::new(ACCOUNT) }
    }

    fn read<C: SolCall>(mut self, contract: Address, call: &C, reply: &impl SolValue) -> Self {
        let (data, reply): (Bytes, Bytes) = (call.abi_encode().into(), reply.abi_encode().into());
        self.addresses.give_all(self.templates.lineages(), &[ViewReply { contract, data: &data, reply: &reply }]);
        self.reads.take(contract, data, reply, true);
        self
    }

    fn validate(&self, question: Question, findings: Vec<Finding>) -> Validated {
        let rules = JobRules {
            catalogue: &self.catalogue,
            templates: &self.templates,
            question,
            protocol: "acme",
            chain_id: 1,
            account: ACCOUNT,
            addresses: &self.addresses,
            reads: &self.reads,
        };
        validate(&rules, findings)
    }

    /// Returns why a claim of one token is refused; empty if it passes.
    fn refusal(&self, claim: Claim) -> String {
        self.refusal_of(paying(claim))
    }

    fn refusal_of(&self, claimable: Claimable) -> String {
        let validated = self.validate(Question::CLAIMABLES, vec![claimable.into()]);
        assert_eq!(
            validated.findings.is_empty(),
            !validated.rejections.is_empty(),
            "it passes, or the reason is there"
        );
        validated.rejections.to_string()
    }
}

fn call<C: SolCall>(to: Address, call: &C) -> Claim {
    let name = C::SIGNATURE.split('(').next().unwrap_or_default();
    let template = TEMPLATES.iter().position(|template| *template == name).unwrap_or(99);
    let arguments = call.abi_encode()[4..].to_vec();
    Claim { template: u32::try_from(template).unwrap(), to, arguments, ..Claim::default() }
}

fn paying(claim: Claim) -> Claimable {
    Claimable::new("main", LISTED, claim).named("reward").mechanism("gauge").pays(TOKEN, U256::from(5))
}

fn get_reward(to: Address) -> Claim {
    call(to, &getRewardCall {})
}

#[test]
fn a_target_is_listed_or_given_by_a_declared_view() {
    let gauge = gaugesCall { pool: TOKEN };
    assert_eq!(Job::new().refusal(get_reward(LISTED)), "");
    assert_eq!(Job::new().read(LISTED, &gauge, &GAUGE).refusal(get_reward(GAUGE)), "");
    let refused = [
        ("it was not read", Job::new()),
        ("another contract named it", Job::new().read(STRANGE, &gauge, &GAUGE)),
        ("its name came as a market", Job::new().read(LISTED, &poolsCall {}, &vec![GAUGE])),
        ("its name came from an undeclared view", Job::new().read(LISTED, &claimFeeCall {}, &GAUGE)),
    ];
    for (why, job) in refused {
        let refusal = job.refusal(get_reward(GAUGE));
        assert!(refusal.contains("neither the deployment lists nor a declared lineage gave"), "{why}: {refusal}");
    }
}

#[test]
fn each_transaction_says_where_its_target_comes_from() {
    let source = |job: &Job, to| {
        let validated = job.validate(Question::CLAIMABLES, vec![paying(get_reward(to)).into()]);
        let [ValidFinding::Claim(_, transactions)] = &validated.findings[..] else { panic!("it passes") };
        (transactions[0].target_source.clone(), transactions[0].from)
    };
    let job = Job::new().read(LISTED, &gaugesCall { pool: TOKEN }, &GAUGE);
    assert_eq!(source(&job, LISTED), (TargetSource::Listed, ACCOUNT));
    assert_eq!(source(&job, GAUGE), (TargetSource::View("gauges(address)".into()), ACCOUNT));
}

/// Returns the call merged from the claims in each gauge.
fn merged<C: SolCall>(job: &Job, call_for: impl Fn(Address) -> C, gauges: &[Address]) -> Option<ClaimTransaction> {
    let mergeable = |gauge: &Address| {
        let claim = get_reward(*gauge).mergeable_as(call(LISTED, &call_for(*gauge)));
        let validated = job.validate(Question::CLAIMABLES, vec![paying(claim).into()]);
        let [ValidFinding::Claim(_, transactions)] = &validated.findings[..] else { panic!("it passes") };
        assert_eq!(transactions[0].function, "getReward", "the claim itself stays");
        transactions[0].mergeable.as_deref().cloned().expect("it can be merged")
    };
    let merged = gauges.iter().map(mergeable).map(Some).reduce(|all, one| all?.merge(&one?));
    merged.flatten().map(|call| call.transaction().clone())
}

#[test]
fn claims_are_merged_into_one_call_of_all_their_lists() {
    let gauges = [Address::repeat_byte(0x71), Address::repeat_byte(0x72), Address::repeat_byte(0x73)];
    let given = |job: Job, gauge: &Address| job.read(LISTED, &gaugesCall { pool: *gauge }, gauge);
    let job = gauges.iter().fold(Job::new(), given);

    let list = |gauge| claimRewardsCall { gauges: vec![gauge] };
    let all = merged(&job, list, &gauges).unwrap();
    assert_eq!(all.data.as_ref(), claimRewardsCall { gauges: gauges.to_vec() }.abi_encode());
    assert_eq!((all.to, all.from, all.function.as_str()), (LISTED, ACCOUNT, "claimRewards"));
    let [first, second, third] = gauges;
    assert_eq!(all.inputs, [("address[]".to_owned(), format!("[{first:#x},{second:#x},{third:#x}]"))]);

    let zero = Address::ZERO;
    let fixed = |gauge| claimForCall { account: ACCOUNT, gauges: [gauge, zero, zero] };
    let two = merged(&job, fixed, &gauges[..2]).unwrap();
    assert_eq!(two.data.as_ref(), claimForCall { account: ACCOUNT, gauges: [first, second, zero] }.abi_encode());
    assert!(merged(&job, fixed, &gauges).is_some());
    assert!(merged(&job, fixed, &[first, second, third, first]).is_none(), "a list of three has no room for four");
    assert!(merged(&job, list, &vec![first; 600]).is_none(), "its arguments are too long");
}

#[test]
fn a_call_that_claims_are_merged_by_keeps_all_rules() {
    let job = Job::new().read(LISTED, &gaugesCall { pool: TOKEN }, &GAUGE);
    let refusal = |mergeable| job.refusal(get_reward(GAUGE).mergeable_as(mergeable));
    let list = |gauge| claimRewardsCall { gauges: vec![gauge] };
    assert_eq!(refusal(call(LISTED, &list(GAUGE))), "");
    assert!(refusal(call(LISTED, &list(STRANGE))).contains("is not a contract that the deployment lists"));
    assert!(refusal(call(STRANGE, &list(GAUGE))).contains("neither the deployment lists"));
    assert!(refusal(get_reward(LISTED)).contains("does not merge claims by its template"));
    let nobody = [Address::ZERO; 3];
    let of = |account, gauges| call(LISTED, &claimForCall { account, gauges });
    assert!(refusal(of(ACCOUNT, nobody)).contains("is not a contract that the deployment lists"));
    assert!(refusal(of(ACCOUNT, [Address::ZERO, GAUGE, Address::ZERO])).contains("is not a contract"));
    assert!(refusal(of(STRANGE, [GAUGE, GAUGE, GAUGE])).contains("in the place of the account"));

    // Claims may not call its function: the claim itself stays.
    let mut shipped = Job::new();
    shipped.templates = ClaimTemplates::parse(&shipped.catalogue, ClaimFunctions::shipped()).unwrap();
    let claim = get_reward(LISTED).mergeable_as(of(ACCOUNT, [LISTED, Address::ZERO, Address::ZERO]));
    let validated = shipped.validate(Question::CLAIMABLES, vec![paying(claim).into()]);
    let [ValidFinding::Claim(_, transactions)] = &validated.findings[..] else { panic!("it passes") };
    assert_eq!((transactions[0].mergeable.as_deref(), validated.rejections.broken()), (None, None));
}

#[test]
fn the_account_and_tokens_are_no_targets() {
    let job = Job::new().read(LISTED, &gaugesCall { pool: TOKEN }, &ACCOUNT);
    assert!(job.refusal(get_reward(ACCOUNT)).contains("goes to the account"));
    let job = Job::new().read(LISTED, &gaugesCall { pool: STRANGE }, &TOKEN);
    assert!(job.refusal(get_reward(TOKEN)).contains("goes to the token"), "it is what the claim pays");
    let job = Job::new().read(LISTED, &gaugesCall { pool: STRANGE }, &GAUGE);
    let job = job.read(GAUGE, &rewardTokensCall {}, &vec![GAUGE]);
    assert!(job.refusal(get_reward(GAUGE)).contains("goes to the token"), "it is known as a token");
}

#[test]
fn tokens_and_markets_are_named_only_as_what_they_were_given_for() {
    let gauge = gaugesCall { pool: TOKEN };
    let of_token = |token| call(LISTED, &claimTokenCall { account: ACCOUNT, token });
    let of_markets = |markets: &[Address]| call(LISTED, &claimRewardsCall { gauges: markets.to_vec() });
    let job = Job::new().read(LISTED, &gauge, &GAUGE).read(GAUGE, &rewardTokensCall {}, &vec![TOKEN]);
    assert_eq!(job.refusal(of_token(TOKEN)), "");
    assert_eq!(job.refusal(of_markets(&[GAUGE, LISTED])), "");
    assert!(job.refusal(of_token(GAUGE)).contains("is not a token that"));
    assert!(job.refusal(of_markets(&[GAUGE, TOKEN])).contains("is not a contract that"));
    let foreign = call(LISTED, &claimTokenCall { account: STRANGE, token: TOKEN });
    assert!(job.refusal(foreign).contains("is in the place of the account"));
}

#[test]
fn a_number_was_read_together_with_the_account() {
    let deposit = |pid: u64| call(LISTED, &depositCall { pid: U256::from(pid), amount: U256::ZERO });
    let of = |pid: u64, account| userInfoCall { pid: U256::from(pid), account };
    let job = Job::new().read(LISTED, &of(7, ACCOUNT), &U256::from(40)).read(LISTED, &of(8, STRANGE), &U256::from(41));
    assert_eq!(job.refusal(deposit(7)), "");
    assert_eq!(job.refusal(deposit(40)), "");
    for pid in [8, 41, 9] {
        assert!(job.refusal(deposit(pid)).contains("did not read together with the account"), "{pid}");
    }
    let amount = call(LISTED, &depositCall { pid: U256::from(7), amount: U256::from(1) });
    assert!(job.refusal(amount).contains("is not its declared constant"));
}

#[test]
fn a_fee_is_what_the_target_says_is_due() {
    let claim = |wei: u64| call(LISTED, &claimWithFeeCall { account: ACCOUNT }).with_fee(U256::from(wei));
    let job = Job::new().read(LISTED, &claimFeeCall {}, &U256::from(3));
    assert_eq!(job.refusal(claim(3)), "");
    assert!(job.refusal(claim(4)).contains("sends 4 wei, though its target says that 3 are due"));
    assert!(job.refusal(claim(0)).contains("sends 0 wei"));
    assert!(Job::new().refusal(claim(3)).contains("did not read from its target"));
    let elsewhere = Job::new().read(STRANGE, &claimFeeCall {}, &U256::from(3));
    assert!(elsewhere.refusal(claim(3)).contains("did not read from its target"));
    assert!(job.refusal(get_reward(LISTED).with_fee(U256::from(3))).contains("no fee is declared"));
}

#[test]
fn a_fee_of_a_view_with_arguments_is_what_it_says_for_those_of_the_claim() {
    let id = U256::from(70);
    let claim = |wei: u64| call(LISTED, &withdrawCall { id, to: ACCOUNT }).with_fee(U256::from(wei));
    let job = Job::new().read(LISTED, &ownerOfCall { id }, &ACCOUNT);
    assert!(job.refusal(claim(3)).contains("did not read from its target"));
    let job = job.read(LISTED, &minFeeCall { id: U256::from(71) }, &U256::from(3));
    assert!(job.refusal(claim(3)).contains("did not read from its target"), "the fee of another");
    let job = job.read(LISTED, &minFeeCall { id }, &U256::from(5));
    assert_eq!(job.refusal(claim(5)), "");
    assert!(job.refusal(claim(3)).contains("sends 3 wei, though its target says that 5 are due"));
}

#[test]
fn a_fee_takes_arguments_of_its_claim_and_no_others() {
    let template = || ClaimTemplate::new::<withdrawCall>([Role::NUMBER, Role::ACCOUNT]);
    let refusal = |template: ClaimTemplate| {
        let catalogue = Catalogue { claims: vec![template], ..catalogue() };
        ClaimTemplates::parse(&catalogue, ClaimFunctions::shipped()).err().map(|error| error.to_string())
    };
    assert_eq!(refusal(template().with_fee_of::<minFeeCall>([0])), None);
    for wrong in [
        template().with_fee_of::<minFeeCall>([1]),
        template().with_fee_of::<minFeeCall>([2]),
        template().with_fee_of::<minFeeCall>([0, 1]),
        template().with_fee::<minFeeCall>(),
        template().with_fee_of::<claimFeeCall>([0]),
    ] {
        let refusal = refusal(wrong).unwrap_or_default();
        assert!(refusal.contains("which does not take the claim's arguments"), "{refusal}");
    }
    let without = ClaimTemplate { fee_arguments: Some(vec![0]), ..template() };
    assert!(refusal(without).unwrap_or_default().contains("has arguments of a fee, and no fee"));
}

#[test]
fn a_delegate_is_whom_a_contract_of_the_deployment_holds_for_the_account() {
    let to = |validator| call(LISTED, &withdrawDelegatedCall { validator });
    let held = |at, account| {
        let call = delegatedToCall { account };
        Job::new().read(at, &call, &(GAUGE, U256::from(5)))
    };
    assert_eq!(held(LISTED, ACCOUNT).refusal(to(GAUGE)), "");
    let wrong = "is not an address that a contract holds for the account";
    assert!(held(LISTED, ACCOUNT).refusal(to(STRANGE)).contains(wrong));
    assert!(held(LISTED, STRANGE).refusal(to(GAUGE)).contains(wrong), "that of another account");
    assert!(held(STRANGE, ACCOUNT).refusal(to(GAUGE)).contains(wrong), "a contract of nobody");
    assert!(held(LISTED, ACCOUNT).refusal(to(Address::ZERO)).contains(wrong));
}

#[test]
fn what_a_proof_pays_is_what_is_left_of_it() {
    let index = U256::from(12);
    let claim = |account, amount: u64| {
        let proof = vec![U256::from(99).into()];
        call(LISTED, &claimCall { index, account, amount: U256::from(amount), proof })
    };
    let open = Job::new().read(LISTED, &isClaimedCall { index }, &false);
    assert_eq!(open.refusal(claim(ACCOUNT, 5)), "");
    assert!(open.refusal(claim(ACCOUNT, 6)).contains("is not what its proof says less"));
    assert!(open.refusal(claim(STRANGE, 5)).contains("in the place of the account"));
    let claimed = Job::new().read(LISTED, &isClaimedCall { index }, &true);
    assert!(claimed.refusal(claim(ACCOUNT, 5)).contains("is not what its proof says less"));
    assert!(Job::new().refusal(claim(ACCOUNT, 5)).contains("is not what its proof says less"), "nothing was read");
    // If the contract counts claimed amounts, the rest is due.
    let partly = Job::new().read(LISTED, &userInfoCall { pid: U256::ZERO, account: ACCOUNT }, &U256::from(15));
    assert_eq!(partly.refusal(claim(ACCOUNT, 20)), "");
}

#[test]
fn one_claim_pays_each_token_once_and_its_zeros_are_left_out() {
    let job = Job::new();
    let claimable = paying(get_reward(LISTED)).pays(GAUGE, U256::ZERO).pays(STRANGE, U256::from(6));
    let validated = job.validate(Question::CLAIMABLES, vec![claimable.into()]);
    let [ValidFinding::Claim(found, transactions)] = &validated.findings[..] else { panic!("it passes") };
    let paid: Vec<_> = found.payments.iter().map(|payment| (payment.token, payment.amount)).collect();
    assert_eq!((paid, transactions.len()), (vec![(TOKEN, U256::from(5)), (STRANGE, U256::from(6))], 1));

    let twice = paying(get_reward(LISTED)).pays(TOKEN, U256::from(6));
    assert!(job.refusal_of(twice).contains("twice"));
    let nowhere = Payment { token: GAUGE, amount: U256::from(1), paid_to: PaidTo(9), name: None };
    assert!(job.refusal_of(paying(get_reward(LISTED)).payment(nowhere)).contains("unknown place 9"));
    let no_steps = Claimable { steps: Vec::new(), ..paying(get_reward(LISTED)) };
    assert!(job.refusal_of(no_steps).contains("it has no claim"));
    let many = (0..4).fold(paying(get_reward(LISTED)), |claimable, _| claimable.after(get_reward(LISTED)));
    assert!(job.refusal_of(many).contains("5 steps are more than 4"));
    let foreign_step = paying(get_reward(LISTED)).after(get_reward(STRANGE));
    assert!(job.refusal_of(foreign_step).contains("neither the deployment lists"));
    let nothing = Claimable { payments: Vec::new(), ..paying(get_reward(LISTED)) };
    let validated = job.validate(Question::CLAIMABLES, vec![nothing.into()]);
    assert!(validated.findings.is_empty() && !validated.nothing_left(), "it is nothing, and no failure");
}

#[test]
fn what_a_reply_can_cause_is_not_the_fault_of_the_plugin() {
    let sound = || paying(get_reward(LISTED));
    let many_tokens =
        (1..=40_u8).fold(sound(), |claimable, byte| claimable.pays(Address::repeat_byte(byte), U256::from(1)));
    let of_replies = [
        // The farm is its own reward token.
        Claimable::new("main", LISTED, get_reward(LISTED)).named("own").mechanism("gauge").pays(LISTED, U256::from(1)),
        sound().pays(TOKEN, U256::from(6)),
        many_tokens,
        sound().named("\u{202e}drawer"),
    ];
    for claimable in of_replies {
        let validated = Job::new().validate(Question::CLAIMABLES, vec![claimable.into()]);
        let rejections = &validated.rejections;
        assert!(rejections.of_replies().is_some() && rejections.broken().is_none(), "{rejections}");
        assert!(!validated.nothing_left(), "{rejections}");
    }
    let broken = [
        paying(get_reward(STRANGE)),
        Claimable { steps: Vec::new(), ..sound() },
        Claimable { market: "other".to_owned(), ..sound() },
        sound().mechanism("a mechanism with spaces"),
        // Not excused by a contract's reply that breaks a rule too.
        Claimable { market: "other".to_owned(), ..sound().named("\u{202e}drawer").pays(TOKEN, U256::from(6)) },
        Claimable::new("main", STRANGE, get_reward(STRANGE))
            .named("own")
            .mechanism("gauge")
            .pays(STRANGE, U256::from(1)),
    ];
    for claimable in broken {
        let validated = Job::new().validate(Question::CLAIMABLES, vec![claimable.into()]);
        let rejections = &validated.rejections;
        assert!(rejections.broken().is_some() && rejections.of_replies().is_none(), "{rejections}");
        assert!(validated.nothing_left(), "{rejections}");
    }
}

#[test]
fn two_claims_of_the_same_do_not_stand_side_by_side() {
    let claimables = vec![paying(get_reward(LISTED)).into(), paying(get_reward(LISTED)).into()];
    let validated = Job::new().validate(Question::CLAIMABLES, claimables);
    assert_eq!(validated.findings.len(), 1);
    assert!(validated.rejections.of_replies().unwrap().contains("is reported twice"));
}

#[test]
fn a_claim_that_is_not_listed_is_left_out_and_others_stay() {
    let mut job = Job::new();
    job.templates = ClaimTemplates::parse(&job.catalogue, ClaimFunctions::shipped()).unwrap();
    let unlisted = paying(call(LISTED, &claimWithFeeCall { account: ACCOUNT })).numbered(U256::from(1));
    let validated = job.validate(Question::CLAIMABLES, vec![unlisted.into(), paying(get_reward(LISTED)).into()]);
    assert_eq!((validated.findings.len(), validated.rejections.broken()), (1, None));
    assert!(validated.rejections.left_out().unwrap().contains("\"claimWithFee(address account) payable\" = "));
}

fn staked(legs: impl IntoIterator<Item = Leg>) -> Position {
    Position::new(PositionKind::STAKED, "main", LISTED).named("stake").mechanism("gauge").legs(legs)
}

fn leg(role: LegRole, amount: u64) -> Leg {
    Leg::new(role, TOKEN, U256::from(amount))
}

fn refusal_of_position(position: Position) -> String {
    let validated = Job::new().validate(Question::FARMING, vec![position.into()]);
    validated.rejections.to_string()
}

#[test]
fn a_position_answers_the_question_of_its_kind_alone() {
    let kinds = [
        (PositionKind::LENT, Question::LENDING),
        (PositionKind::BORROWED, Question::LENDING),
        (PositionKind::STAKED, Question::FARMING),
        (PositionKind::POOLED, Question::POOLING),
        (PositionKind::LOCKED, Question::LOCKED),
        (PositionKind::VESTING, Question::LOCKED),
    ];
    for (kind, own) in kinds {
        for question in
            [Question::CLAIMABLES, Question::FARMING, Question::LENDING, Question::POOLING, Question::LOCKED]
        {
            let position = Position { kind, ..staked([leg(LegRole::STAKED, 1)]) };
            let validated = Job::new().validate(question, vec![position.into()]);
            assert_eq!(validated.findings.len(), usize::from(question == own), "{kind:?} {question:?}");
        }
    }
    let later = Position { kind: PositionKind(99), ..staked([leg(LegRole::STAKED, 1)]) };
    assert!(refusal_of_position(later).contains("unknown kind 99"));
}

#[test]
fn legs_of_zero_are_left_out_and_a_position_without_legs_is_nothing() {
    let validate = |legs: Vec<Leg>| Job::new().validate(Question::FARMING, vec![staked(legs).into()]);
    let validated = validate(vec![leg(LegRole::STAKED, 4), leg(LegRole::REWARD_OWED, 0)]);
    let [ValidFinding::Position(found)] = &validated.findings[..] else { panic!("it passes") };
    assert_eq!(found.legs, [leg(LegRole::STAKED, 4)]);
    let nothing = validate(vec![leg(LegRole::STAKED, 0)]);
    assert!(nothing.findings.is_empty() && !nothing.nothing_left());
}

#[test]
fn what_is_owed_needs_claimables_that_count_it() {
    let owed = || staked([leg(LegRole::STAKED, 1), leg(LegRole::FEE_OWED, 2)]);
    assert!(refusal_of_position(owed()).contains("its deployment answers no claimables"));
    let mut job = Job::new();
    job.catalogue.deployments[0].questions = vec![Question::CLAIMABLES, Question::FARMING];
    let validated = job.validate(Question::FARMING, vec![owed().into()]);
    let [ValidFinding::Position(found)] = &validated.findings[..] else { panic!("it passes") };
    assert_eq!(found.legs, owed().legs);
}

#[test]
fn a_position_that_breaks_a_rule_is_refused_with_the_sentence() {
    let sound = || staked([leg(LegRole::STAKED, 1)]);
    let price = |base, x128: u64| Price { base, quote: Some(TOKEN), x128: U256::from(x128), rest_x192: None };
    let range = |lower, upper| Some(PriceRange { lower, upper, is_in_range: None });
    let cases = [
        (Position { market: "other".into(), ..sound() }, "names a market"),
        (sound().named(""), "its name is empty"),
        (sound().named("a\u{202e}b"), "its name is empty"),
        (sound().mechanism("staking rewards"), "its mechanism is not a word"),
        (staked((0..257).map(|_| leg(LegRole::STAKED, 1))), "257 legs are more than 256"),
        (staked([leg(LegRole(77), 1)]), "unknown role 77"),
        (staked([leg(LegRole::STAKED, 1).named("\n")]), "its name is empty"),
        (staked([leg(LegRole::STAKED, 1), leg(LegRole::STAKED, 2)]), "is reported twice"),
        (Position { range: range(price(LISTED, 2), price(LISTED, 1)), ..sound() }, "range of prices"),
        (Position { range: range(price(LISTED, 1), price(GAUGE, 2)), ..sound() }, "range of prices"),
    ];
    for (position, reason) in cases {
        let refusal = refusal_of_position(position);
        assert!(refusal.contains(reason), "{reason}: {refusal}");
    }
    assert_eq!(refusal_of_position(sound()), "");
}
