//! The plugin through the real binary interface: Ethereum's deployments at once, MiniChefs, and settings files.
//!
//! The kit's tests cover pools that misbehave; these cover what SushiSwap makes of them.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::{ETHEREUM, POLYGON};
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult, map};
use portolan_plugin_api::{Address, Protocol, Question, Settings, SolCall, SolValue, U256, address, sol};

use crate::Sushiswap;

sol! {
    function poolLength() external view returns (uint256);
    function totalAllocPoint() external view returns (uint256);
    function userInfo(uint256 pid, address account) external view returns (uint256, int256);
    function poolInfo(uint256 pid) external view returns (address, uint256, uint256, uint256);
    function lpToken(uint256 pid) external view returns (address);
    function rewarder(uint256 pid) external view returns (address);
    function pendingSushi(uint256 pid, address account) external view returns (uint256);
    function pendingBOO(uint256 pid, address account) external view returns (uint256);
    function pendingTokens(uint256 pid, address account, uint256 amount) external view
        returns (address[], uint256[]);
    function sushi() external view returns (address);
    function SUSHI() external view returns (address);
    function boo() external view returns (address);
    function sushiPerSecond() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

const CHEF: Address = address!("0xc2edad668740f1aa35e4d8f227fb8e17dca888cd");
const CHEF_V2: Address = address!("0xef0881ec094552b2e128cf945ef17a6752b4ec5d");
const BAR: Address = address!("0x8798249c2e607446efb7ad49ec89dd1865ff4272");
const SUSHI: Address = address!("0x6b3595068778dd592e39a122f4f5a5cf09c90fe2");
const MINI: Address = address!("0x0769fd68dfb93167989c6f7254cd0d766fb2841f");
const WETH: Address = address!("0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
const ALCX: Address = address!("0xdbdb4d16eda451d0503b854cf79d55697f90c8df");
const PAIR: Address = address!("0x1111111111111111111111111111111111111111");
const REWARDER: Address = address!("0x2222222222222222222222222222222222222222");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

/// Replies of one network.
struct Replies(u64, CannedReplies);

impl Replies {
    fn reply<C: SolCall>(self, to: Address, call: &C, value: &impl SolValue) -> Self {
        Self(self.0, self.1.reply(self.0, to, call, value))
    }

    fn amount<C: SolCall>(self, to: Address, call: &C, amount: u64) -> Self {
        self.reply(to, call, &U256::from(amount))
    }

    /// A chef with one pool, which has one of `points`, and a stake in it.
    fn chef(self, chef: Address, points: u64, stake: u64, pending: u64) -> Self {
        let (pid, account) = (U256::ZERO, ACCOUNT);
        self.amount(chef, &poolLengthCall {}, 1)
            .amount(chef, &totalAllocPointCall {}, points)
            .reply(chef, &userInfoCall { pid, account }, &(U256::from(stake), U256::ZERO))
            .amount(chef, &pendingSushiCall { pid, account }, pending)
            .amount(PAIR, &balanceOfCall { account: chef }, 900)
    }

    /// Adds the replies that only the later versions give.
    fn later(self, chef: Address, rewarder: Address) -> Self {
        let pid = U256::ZERO;
        self.reply(chef, &SUSHICall {}, &SUSHI)
            .reply(chef, &lpTokenCall { pid }, &PAIR)
            .reply(chef, &rewarderCall { pid }, &rewarder)
            .reply(chef, &poolInfoCall { pid }, &(U256::ZERO, U256::ZERO, U256::from(1)))
    }

    /// Sets the amount that the rewarder owes, whatever is harvested.
    fn bonus(self, owed: u64) -> Self {
        let reply = ReadResult::Ok((vec![ALCX], vec![U256::from(owed)]).abi_encode_params().into());
        let harvests = [U256::ZERO, U256::from(10).pow(U256::from(24))];
        harvests.into_iter().fold(self, |Self(network, canned), amount| {
            let call = pendingTokensCall { pid: U256::ZERO, account: ACCOUNT, amount };
            Self(network, canned.result(network, REWARDER, &call, reply.clone()))
        })
    }
}

/// Ethereum: a stake in each chef, one of them with a rewarder, and shares of the bar.
fn ethereum() -> Replies {
    let (pid, account) = (U256::ZERO, ACCOUNT);
    Replies(ETHEREUM, CannedReplies::default())
        .reply(PAIR, &token0Call {}, &WETH)
        .reply(PAIR, &token1Call {}, &ALCX)
        .chef(CHEF, 4, 60, 7)
        .reply(CHEF, &sushiCall {}, &SUSHI)
        .reply(CHEF, &poolInfoCall { pid }, &(PAIR, U256::from(1), U256::ZERO, U256::ZERO))
        .chef(CHEF_V2, 4, 70, 8)
        .later(CHEF_V2, REWARDER)
        .bonus(5)
        .amount(BAR, &balanceOfCall { account }, 1_000)
        .amount(BAR, &totalSupplyCall {}, 3_000)
        .amount(SUSHI, &balanceOfCall { account: BAR }, 4_000)
}

fn run(network: u64, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("sushiswap", network, question, ACCOUNT).run::<Sushiswap>(chain)
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

#[test]
fn every_chef_reports_what_it_owes() {
    let outcome = run(ETHEREUM, Question::CLAIMABLES, &ethereum().1);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found: Vec<_> = outcome
        .payments()
        .into_iter()
        .map(|row| (row.claimable.market.as_str(), row.contract, row.token, row.amount, row.claim.template))
        .collect();
    let expected = [
        ("master-chef", CHEF, SUSHI, word(7), 1),
        ("master-chef-v2", CHEF_V2, SUSHI, word(8), 2),
        ("master-chef-v2", CHEF_V2, ALCX, word(5), 2),
    ];
    assert_eq!(found, expected);
    let name = format!("{{{WETH:#x}}}/{{{ALCX:#x}}} reward");
    assert!(outcome.payments().iter().all(|row| row.mechanism == "sushi-masterchef" && row.name == name));
    assert_eq!(outcome.batches.len(), 4);
}

#[test]
fn every_stake_is_reported_with_what_it_earns() {
    let outcome = run(ETHEREUM, Question::FARMING, &ethereum().1);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let rows = outcome.legs();
    let stake = |market: &str| {
        let row = rows.iter().find(|row| row.market == market).expect("the market has a stake");
        let paid: Vec<_> = row.rewards.iter().map(|reward| (reward.token, reward.per_second)).collect();
        (row.token, row.amount, row.underlying_amount, paid, row.total, row.mechanism.as_str())
    };
    assert_eq!(rows.len(), 3);
    let (pair, sushi, total) = (PAIR, (SUSHI, None), Some(word(900)));
    let kind = "sushi-masterchef";
    assert_eq!(stake("master-chef"), (pair, word(60), word(60), vec![sushi], total, kind));
    assert_eq!(stake("master-chef-v2"), (pair, word(70), word(70), vec![sushi, (ALCX, None)], total, kind));
    // A third of 4,000 SUSHI, rounded down as the bar does.
    assert_eq!(stake("xsushi"), (SUSHI, word(1_000), word(1_333), vec![sushi], None, "xsushi"));
}

#[test]
fn the_bars_shares_redeem_to_all_the_sushi_that_it_holds() {
    let of = |tokens: &[Address]| JobTest::for_tokens("sushiswap", ETHEREUM, tokens).run::<Sushiswap>(&ethereum().1);
    let outcome = of(&[PAIR, BAR]);
    let share = map::Composition {
        token: BAR,
        kind: "SHARE".to_owned(),
        supply: word(3_000),
        parts: vec![map::Part { token: SUSHI, amount: word(4_000) }],
    };
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![&share]), "{}", outcome.message);
    assert_eq!(of(&[PAIR, SUSHI]).findings.len(), 0);
}

#[test]
fn a_minichef_is_paid_by_the_second() {
    let polygon = Replies(POLYGON, CannedReplies::default()).chef(MINI, 4, 50, 6).later(MINI, Address::ZERO);
    let polygon = polygon.amount(MINI, &sushiPerSecondCall {}, 100);
    let outcome = run(POLYGON, Question::FARMING, &polygon.1);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.legs()[0];
    assert_eq!((row.market.as_str(), row.mechanism.as_str()), ("mini-chef", "sushi-minichefV2"));
    assert_eq!((row.rewards[0].token, row.rewards[0].per_second), (SUSHI, Some(word(25))));
    let outcome = run(POLYGON, Question::CLAIMABLES, &polygon.1);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.payments()[0].claim.arguments, [word(0).to_be_bytes(), ACCOUNT.into_word().0].concat());
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let nothing = ethereum().chef(CHEF, 4, 0, 0).chef(CHEF_V2, 4, 0, 0).bonus(0);
    let nothing = nothing.amount(BAR, &balanceOfCall { account: ACCOUNT }, 0);
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(ETHEREUM, question, &nothing.1);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        let batches = 2 + usize::from(question == Question::CLAIMABLES);
        assert_eq!(outcome.batches.len(), batches, "the chefs, the account, and for claims the rewarder");
    }
}

#[test]
fn a_deployment_that_fails_leaves_the_others_rows() {
    let chain = ethereum().1.result(ETHEREUM, CHEF, &poolLengthCall {}, ReadResult::Unavailable);
    let outcome = run(ETHEREUM, Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 2));
    assert!(outcome.message.contains(&CHEF.to_string()), "{}", outcome.message);
    // A bar that cannot say what shares redeem to.
    let outcome = run(ETHEREUM, Question::FARMING, &ethereum().amount(BAR, &totalSupplyCall {}, 0).1);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 2));
    assert!(outcome.message.contains("1000 shares of 0 in 4000 are not a valid amount"), "{}", outcome.message);
}

#[test]
fn every_network_that_has_a_minichef_has_a_row() {
    let plugin = testing::catalogue::<Sushiswap>(&Settings::default());
    let networks: Vec<_> = plugin.deployments.iter().map(|row| (row.chain_id, row.market.as_str())).collect();
    let mini = |network: u64| networks.contains(&(network, "mini-chef"));
    assert!([10, 56, 137, 250, 42_161, 43_114].into_iter().all(mini));
    assert_eq!(networks.len(), 9);
}

fn text(key: &str, value: impl ToString) -> map::SettingsKey {
    map::SettingsKey { key: key.to_owned(), value: map::SettingsValue::Text(value.to_string()) }
}

fn row(protocol: &str, chain_id: u64, market: &str, keys: Vec<map::SettingsKey>) -> map::SettingsRow {
    map::SettingsRow { protocol: protocol.to_owned(), chain_id, market: market.to_owned(), keys }
}

#[test]
fn a_settings_file_adds_a_fork_on_another_network() {
    let fork = Protocol::new("acme", "ACME", "https://example.org", &[]);
    let keys = vec![
        text("kind", "master-chef-v1"),
        text("chef", CHEF),
        text("pending", "pendingBOO"),
        text("claim", "deposit"),
    ];
    let settings = Settings::from_rows(true, vec![fork], vec![row("acme", 250, "main", keys)]);
    let plugin = testing::catalogue::<Sushiswap>(&settings);
    let slugs: Vec<_> = plugin.protocols.iter().map(|protocol| protocol.slug.as_str()).collect();
    assert_eq!(slugs, ["sushiswap", "acme"]);
    let (pid, account) = (U256::ZERO, ACCOUNT);
    let fantom = Replies(250, CannedReplies::default())
        .chef(CHEF, 1, 10, 0)
        .amount(CHEF, &pendingBOOCall { pid, account }, 6)
        .reply(CHEF, &booCall {}, &ALCX)
        .reply(CHEF, &poolInfoCall { pid }, &(PAIR, U256::from(1), U256::ZERO, U256::ZERO));
    let case = JobTest::new("acme", 250, Question::CLAIMABLES, ACCOUNT).settings(settings);
    let outcome = case.run::<Sushiswap>(&fantom.1);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.token, row.amount, row.claim.template), (ALCX, word(6), 0));
}

#[test]
fn wrong_settings_are_refused_with_row_and_key() {
    let cases = [
        (vec![], "kind", "missing; give `master-chef-v1`, `master-chef-v2`, `mini-chef`, `beets-chef`"),
        (vec![text("bar", BAR)], "staked_token", "missing; a bar needs `bar` and `staked_token`"),
        (vec![text("staked_token", SUSHI)], "bar", "missing; a bar needs `bar` and `staked_token`"),
        (vec![text("bar", BAR), text("staked_token", SUSHI), text("chef", CHEF)], "chef", "unknown key"),
        (vec![text("kind", "mini-chef"), text("chef", CHEF), text("pool", CHEF)], "pool", "unknown key"),
    ];
    for (keys, key, message) in cases {
        let good = row("sushiswap", 1, "more", vec![text("kind", "mini-chef"), text("chef", MINI)]);
        let settings = Settings::from_rows(true, Vec::new(), vec![good, row("sushiswap", 1, "xsushi", keys)]);
        let refused = testing::settings_error::<Sushiswap>(&settings).expect("the settings are wrong");
        assert_eq!((refused.row, refused.key.as_deref()), (Some(1), Some(key)), "{}", refused.message);
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Sushiswap>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

#[test]
fn events_of_its_own_pools_are_reported_and_no_others() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");
    testing::EventCases::load(cases).check::<Sushiswap>();
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Sushiswap>(&[
        &[("kind", "master-chef-v2"), ("chef", FORKED)],
        &[("kind", "mini-chef"), ("chef", FORKED), ("pending", "pendingFork")],
        &[("bar", FORKED), ("staked_token", FORKED)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Sushiswap>(Sushiswap::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
