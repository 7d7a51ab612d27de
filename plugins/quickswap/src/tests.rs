//! The plugin through the real binary interface: all of Polygon's deployments at once, and settings files.
//!
//! The kit's tests cover farms that misbehave; these cover what QuickSwap makes of them.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::POLYGON;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, ReadResult, map};
use portolan_plugin_api::{Address, Protocol, Question, Settings, SolCall, SolValue, U256, address, sol};

use crate::Quickswap;

sol! {
    function stakingTokens(uint256 index) external view returns (address);
    function stakingRewardsInfoByStakingToken(address token) external view returns (address, uint256, uint256);
    function earned(address account) external view returns (uint256);
    function earnedA(address account) external view returns (uint256);
    function earnedB(address account) external view returns (uint256);
    function rewardsToken() external view returns (address);
    function rewardsTokenA() external view returns (address);
    function rewardsTokenB() external view returns (address);
    function rewardRate() external view returns (uint256);
    function rewardRateA() external view returns (uint256);
    function rewardRateB() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
}

const FACTORY: Address = address!("0x8aaa5e259f74c8114e0a471d9f2adfc66bfe09ed");
const DEPRECATED: Address = address!("0x5eec262b05a57da9beb5fe96a34aa4ed0c5e029f");
const DUAL: Address = address!("0x9dd12421c637689c3fc6e661c9e2f02c2f61b3eb");
const DQUICK: Address = address!("0x958d208cdf087843e9ad98d23823d32e17d723a1");
const OLD_DQUICK: Address = address!("0xf28164a485b0b2c90639e47b0f377b4a438a16b1");
const QUICK: Address = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
const OLD_QUICK: Address = address!("0x831753dd7087cac61ab5644b308642cc1c33dc13");
const WMATIC: Address = address!("0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270");
const USDC: Address = address!("0x2791bca1f2de4661ed88a30c99a7a9449aa84174");
const PAIR: Address = address!("0x1111111111111111111111111111111111111111");
const FARM: Address = address!("0xf111111111111111111111111111111111111111");
const OLD_FARM: Address = address!("0xf222222222222222222222222222222222222222");
const DUAL_FARM: Address = address!("0xf333333333333333333333333333333333333333");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");
const NOW_S: u64 = 1_700_000_000; // The block of a `JobTest`.

/// Replies of one network.
struct Replies(u64, CannedReplies);

impl Replies {
    fn reply<C: SolCall>(self, to: Address, call: &C, value: &impl SolValue) -> Self {
        Self(self.0, self.1.reply(self.0, to, call, value))
    }

    fn amount<C: SolCall>(self, to: Address, call: &C, amount: u64) -> Self {
        self.reply(to, call, &U256::from(amount))
    }

    /// A factory that lists one farm; beyond its list it burns all gas, as the real ones do.
    fn factory(mut self, factory: Address, token: Address, farm: Address) -> Self {
        for index in 1..32 {
            let call = stakingTokensCall { index: U256::from(index) };
            self.1 = self.1.result(self.0, factory, &call, ReadResult::GasCap);
        }
        let info = stakingRewardsInfoByStakingTokenCall { token };
        self.reply(factory, &stakingTokensCall { index: U256::ZERO }, &token).reply(
            factory,
            &info,
            &(farm, U256::ZERO, U256::from(86_400)),
        )
    }

    /// A lair with the account's shares, all shares, and what it holds.
    fn lair(self, lair: Address, quick: Address, shares: u64, [supply, held]: [u64; 2]) -> Self {
        self.amount(lair, &balanceOfCall { account: ACCOUNT }, shares).amount(lair, &totalSupplyCall {}, supply).amount(
            quick,
            &balanceOfCall { account: lair },
            held,
        )
    }

    fn period(self, farm: Address, stake: u64, total: u64, finish_s: u64) -> Self {
        self.amount(farm, &balanceOfCall { account: ACCOUNT }, stake).amount(farm, &totalSupplyCall {}, total).amount(
            farm,
            &periodFinishCall {},
            finish_s,
        )
    }
}

/// Polygon: a running farm of a pair, a finished deprecated one, a dual one, and shares in both lairs.
fn polygon() -> Replies {
    let account = ACCOUNT;
    Replies(POLYGON, CannedReplies::default())
        .reply(PAIR, &token0Call {}, &WMATIC)
        .reply(PAIR, &token1Call {}, &USDC)
        .factory(FACTORY, PAIR, FARM)
        .period(FARM, 600, 1_000, NOW_S + 60)
        .reply(FARM, &rewardsTokenCall {}, &QUICK)
        .amount(FARM, &rewardRateCall {}, 5)
        .amount(FARM, &earnedCall { account }, 77)
        .factory(DEPRECATED, OLD_QUICK, OLD_FARM)
        .period(OLD_FARM, 3, 4, NOW_S - 60)
        .reply(OLD_FARM, &rewardsTokenCall {}, &OLD_QUICK)
        .amount(OLD_FARM, &rewardRateCall {}, 9)
        .amount(OLD_FARM, &earnedCall { account }, 1)
        .factory(DUAL, PAIR, DUAL_FARM)
        .period(DUAL_FARM, 8, 16, NOW_S + 1)
        .reply(DUAL_FARM, &rewardsTokenACall {}, &QUICK)
        .reply(DUAL_FARM, &rewardsTokenBCall {}, &WMATIC)
        .amount(DUAL_FARM, &rewardRateACall {}, 2)
        .amount(DUAL_FARM, &rewardRateBCall {}, 3)
        .amount(DUAL_FARM, &earnedACall { account }, 21)
        .amount(DUAL_FARM, &earnedBCall { account }, 34)
        .lair(DQUICK, QUICK, 1_000, [3_000, 3_944])
        .lair(OLD_DQUICK, OLD_QUICK, 10, [20, 38])
}

fn case(question: Question) -> JobTest {
    JobTest::new("quickswap", POLYGON, question, ACCOUNT)
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

#[test]
fn every_farm_reports_what_it_owes() {
    let outcome = case(Question::CLAIMABLES).run::<Quickswap>(&polygon().1);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let single = "quickswap-reward-rewardPool";
    let dual = "quickswap-dual-reward-pool";
    let pair = format!("{{{WMATIC:#x}}}/{{{USDC:#x}}} reward");
    let expected = [
        ("farms", FARM, single, pair.clone(), QUICK, 77),
        ("deprecated-farms", OLD_FARM, single, format!("{{{OLD_QUICK:#x}}} reward"), OLD_QUICK, 1),
        ("dual-farms", DUAL_FARM, dual, pair.clone(), QUICK, 21),
        ("dual-farms", DUAL_FARM, dual, pair, WMATIC, 34),
    ];
    let found: Vec<_> = outcome
        .payments()
        .into_iter()
        .map(|row| (row.market.clone(), row.contract, row.mechanism.clone(), row.name.clone(), row.token, row.amount))
        .collect();
    let expected = expected.map(|(market, farm, kind, name, token, amount)| {
        (market.to_owned(), farm, kind.to_owned(), name, token, word(amount))
    });
    assert_eq!(found, expected);
    assert!(outcome.payments().iter().all(|row| row.claim.to == row.contract && row.claim.arguments.is_empty()));
}

#[test]
fn every_stake_is_reported_with_what_it_earns() {
    let outcome = case(Question::FARMING).run::<Quickswap>(&polygon().1);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let rows = outcome.legs();
    let stake = |market: &str| {
        let row = rows.iter().find(|row| row.market == market).expect("the market has a stake");
        let paid: Vec<_> = row.rewards.iter().map(|reward| (reward.token, reward.per_second)).collect();
        (row.contract, row.token, row.amount, row.underlying_amount, paid, row.total)
    };
    let pays = |token: Address, rate: u64| (token, Some(word(rate)));
    let [many, few] = [word(600), word(3)];
    assert_eq!(rows.len(), 5);
    assert_eq!(stake("farms"), (FARM, PAIR, many, many, vec![pays(QUICK, 5)], Some(word(1_000))));
    let over = vec![pays(OLD_QUICK, 0)];
    assert_eq!(stake("deprecated-farms"), (OLD_FARM, OLD_QUICK, few, few, over, Some(word(4))));
    let both = vec![pays(QUICK, 2), pays(WMATIC, 3)];
    assert_eq!(stake("dual-farms"), (DUAL_FARM, PAIR, word(8), word(8), both, Some(word(16))));
    // A lair's rate is unknown: what it earns is in what shares redeem to.
    let lair = |quick: Address| vec![(quick, None)];
    assert_eq!(stake("dquick"), (DQUICK, QUICK, word(1_000), word(1_314), lair(QUICK), None));
    assert_eq!(stake("old-dquick"), (OLD_DQUICK, OLD_QUICK, word(10), word(19), lair(OLD_QUICK), None));
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let account = ACCOUNT;
    let nothing = polygon()
        .amount(FARM, &earnedCall { account }, 0)
        .amount(OLD_FARM, &earnedCall { account }, 0)
        .amount(DUAL_FARM, &earnedACall { account }, 0)
        .amount(DUAL_FARM, &earnedBCall { account }, 0);
    let holders = [FARM, OLD_FARM, DUAL_FARM, DQUICK, OLD_DQUICK];
    let nothing = holders.into_iter().fold(nothing, |chain, at| chain.amount(at, &balanceOfCall { account }, 0));
    // Without shares, what they redeem to is not read.
    let call = totalSupplyCall {};
    let chain = nothing.1.revert(POLYGON, DQUICK, &call).revert(POLYGON, OLD_DQUICK, &call);
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = case(question).run::<Quickswap>(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches.len(), 5, "two of guesses, the list, the farms, the account");
    }
}

#[test]
fn a_deployment_that_fails_leaves_the_others_rows() {
    let index = stakingTokensCall { index: U256::ZERO };
    let chain = polygon().1.result(POLYGON, FACTORY, &index, ReadResult::Unavailable);
    let outcome = case(Question::CLAIMABLES).run::<Quickswap>(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 3));
    assert!(outcome.message.contains(&FACTORY.to_string()), "{}", outcome.message);
    let outcome = case(Question::FARMING).run::<Quickswap>(&polygon().1.revert(POLYGON, DQUICK, &totalSupplyCall {}));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 4));
    assert!(outcome.message.contains(&DQUICK.to_string()), "{}", outcome.message);
}

#[test]
fn a_lairs_shares_redeem_to_all_the_quick_that_it_holds() {
    let of = |tokens: &[Address], chain: &CannedReplies| {
        JobTest::for_tokens("quickswap", POLYGON, tokens).run::<Quickswap>(chain)
    };
    let chain = polygon().1;
    let outcome = of(&[USDC, OLD_DQUICK, DQUICK, PAIR], &chain);
    assert_eq!((outcome.end, outcome.batches.as_slice()), (End::Complete, &[4][..]), "{}", outcome.message);
    let share = |lair, supply, quick, held| map::Composition {
        token: lair,
        kind: "SHARE".to_owned(),
        supply: word(supply),
        parts: vec![map::Part { token: quick, amount: word(held) }],
    };
    let (new, old) = (share(DQUICK, 3_000, QUICK, 3_944), share(OLD_DQUICK, 20, OLD_QUICK, 38));
    assert_eq!(outcome.compositions(), [&new, &old]);
    let others = of(&[USDC, PAIR, FARM], &chain);
    assert_eq!((others.end, others.findings.len(), others.batches.len()), (End::Complete, 0, 0));
    let empty = polygon().lair(DQUICK, QUICK, 0, [0, 5]).1;
    assert!(of(&[DQUICK], &empty).findings.is_empty(), "nobody holds what nothing redeems to");
    let broken = of(&[OLD_DQUICK, DQUICK], &polygon().1.revert(POLYGON, DQUICK, &totalSupplyCall {}));
    assert_eq!((broken.end, broken.compositions()), (End::Partial, vec![&old]));
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
    let rows = vec![row("acme", 10, "main", vec![text("factory", FACTORY)])];
    let settings = Settings::from_rows(true, vec![fork], rows);
    let plugin = testing::catalogue::<Quickswap>(&settings);
    let slugs: Vec<_> = plugin.protocols.iter().map(|protocol| protocol.slug.as_str()).collect();
    assert_eq!(slugs, ["quickswap", "acme"]);
    assert_eq!(plugin.deployments.len(), 6);
    let account = ACCOUNT;
    let optimism = Replies(10, CannedReplies::default())
        .factory(FACTORY, WMATIC, FARM)
        .reply(FARM, &rewardsTokenCall {}, &USDC)
        .amount(FARM, &earnedCall { account }, 6);
    let outcome =
        JobTest::new("acme", 10, Question::CLAIMABLES, ACCOUNT).settings(settings).run::<Quickswap>(&optimism.1);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!((outcome.payments()[0].token, outcome.payments()[0].amount), (USDC, word(6)));
}

#[test]
fn a_settings_file_replaces_a_shipped_row_and_may_leave_out_the_rest() {
    let lair = vec![text("lair", DQUICK), text("staked_token", USDC)];
    let settings = Settings::from_rows(false, Vec::new(), vec![row("quickswap", POLYGON, "dquick", lair.clone())]);
    let chain = polygon().lair(DQUICK, USDC, 1_000, [3_000, 6_000]).1;
    let outcome = case(Question::FARMING).settings(settings).run::<Quickswap>(&chain);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let stake = outcome.legs()[0];
    assert_eq!((stake.token, stake.underlying_amount), (USDC, word(2_000)));
    let replaced = Settings::from_rows(true, Vec::new(), vec![row("quickswap", POLYGON, "dquick", lair)]);
    assert_eq!(testing::catalogue::<Quickswap>(&replaced).deployments.len(), 5);
}

#[test]
fn wrong_settings_are_refused_with_row_and_key() {
    let cases = [
        (vec![], "factory", "missing; give `factory` or `farms`"),
        (vec![text("lair", DQUICK)], "staked_token", "missing; a lair needs `lair` and `staked_token`"),
        (vec![text("staked_token", QUICK)], "lair", "missing; a lair needs `lair` and `staked_token`"),
        (vec![text("lair", DQUICK), text("staked_token", QUICK), text("factory", FACTORY)], "factory", "unknown key"),
        (vec![text("factory", FACTORY), text("pool", FACTORY)], "pool", "unknown key"),
        (vec![text("factory", "0x8AAA5e259F74c8114e0a471d9f2ADFc66Bfe09ed")], "factory", "wrong checksum"),
    ];
    for (keys, key, message) in cases {
        let good = row("quickswap", POLYGON, "more", vec![text("factory", FACTORY)]);
        let settings = Settings::from_rows(true, Vec::new(), vec![good, row("quickswap", POLYGON, "farms", keys)]);
        let refused = testing::settings_error::<Quickswap>(&settings).expect("the settings are wrong");
        assert_eq!((refused.row, refused.key.as_deref()), (Some(1), Some(key)), "{}", refused.message);
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Quickswap>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

#[test]
fn events_of_its_own_pools_are_reported_and_no_others() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");
    testing::EventCases::load(cases).check::<Quickswap>();
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Quickswap>(&[
        &[("factory", FORKED)],
        &[("farms", FORKED_LIST)],
        &[("lair", FORKED), ("staked_token", FORKED)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Quickswap>(Quickswap::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
