//! The plugin through the real binary interface: several markets and protocols at once, and settings files.
//!
//! The kit's tests cover pools that misbehave; these cover what Aave and its forks make of them.

use std::collections::BTreeSet;

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::ETHEREUM;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, map};
use portolan_plugin_api::{Address, LegRole, Protocol, Question, Settings, SolCall, SolValue, U256, address, sol};

use crate::AaveV3;

/// How many deployments that answer the plugin ships with.
const SHIPPED: usize = 37;

sol! {
    function getReservesList() external view returns (address[]);
    function getReserveData(address) external view returns (uint256, uint128, uint128, uint128, uint128, uint128);
    function getUserAccountData(address) external view returns (uint256, uint256, uint256, uint256, uint256, uint256);
    function getReserveTokensAddresses(address) external view returns (address, address, address);
    function balanceOf(address) external view returns (uint256);
    function getRewardsByAsset(address) external view returns (address[]);
    function getUserRewards(address[], address, address) external view returns (uint256);
    function claimRewards(address[] assets, uint256 amount, address to, address reward) external returns (uint256);
}

const MAIN: [Address; 2] =
    [address!("0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2"), address!("0x0a16f2fcc0d44fae41cc54e079281d84a363becd")];
const PRIME: [Address; 2] =
    [address!("0x4e033931ad43597d96d6bcc25c280717730b58b1"), address!("0xb85b2bfebec4f5f401dbf92ac147a3076391fcd5")];
const ETHERFI: [Address; 2] =
    [address!("0x0aa97c284e98396202b6a04024f5e2c65026f3c0"), address!("0x7c8509591f9693d21280d96e149a08a3bf69cd0c")];
const HORIZON: [Address; 2] =
    [address!("0xae05cd22df81871bc7cc2a04becfb516bfe332c8"), address!("0x53519c32f73fe1797d10210c4950ffeba3b21504")];
const SPARK: [Address; 2] =
    [address!("0xc13e21b648a5ee794902342038ff3adab66be987"), address!("0xfc21d6d146e6086b8359705c8b28512a983db0cb")];
const CONTROLLER: Address = address!("0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb");
const HORIZON_CONTROLLER: Address = address!("0x1d5d386a90cea8acea9fa75389e97cf5f1ae21d3");
const SPARK_CONTROLLER: Address = address!("0x4370d3b6c9588e02ce9d22e684387859c7ff5b34");
const WETH: Address = address!("0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
const USDC: Address = address!("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
const REWARD: Address = address!("0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

/// Replies of one network.
struct Replies(u64, CannedReplies);

impl Replies {
    fn reply<C: SolCall>(self, to: Address, call: &C, value: &impl SolValue) -> Self {
        Self(self.0, self.1.reply(self.0, to, call, value))
    }

    /// A pool with one reserve that pays 2 % and takes 4 %. Of its aToken, which pays rewards, the account has `lent`;
    /// of its debt token it has `owed`; it has earned `earned`.
    fn pool(self, [pool, provider]: [Address; 2], controller: Address, reserve: Address, has: [u64; 3]) -> Self {
        let [lent, owed, earned] = has.map(U256::from);
        let [a_token, debt_token] = tokens(pool);
        let two = 20_000_000_000_000_000_000_000_000_u128;
        let [zero, call] = [U256::ZERO, U256::from(2_000_000_000_000_000_000_u128)];
        self.reply(pool, &getReservesListCall {}, &vec![reserve])
            .reply(pool, &getReserveDataCall(reserve), &(zero, 7_u128, two, 8_u128, 2 * two, 9_u128))
            .reply(pool, &getUserAccountDataCall(ACCOUNT), &(zero, zero, zero, zero, zero, call))
            .reply(provider, &getReserveTokensAddressesCall(reserve), &(a_token, Address::ZERO, debt_token))
            .reply(a_token, &balanceOfCall(ACCOUNT), &lent)
            .reply(debt_token, &balanceOfCall(ACCOUNT), &owed)
            .reply(controller, &getRewardsByAssetCall(a_token), &vec![REWARD])
            .reply(controller, &getRewardsByAssetCall(debt_token), &Vec::<Address>::new())
            .reply(controller, &getUserRewardsCall { _0: vec![a_token], _1: ACCOUNT, _2: REWARD }, &earned)
    }
}

/// The aToken and the variable debt token of a pool's reserve.
fn tokens(pool: Address) -> [Address; 2] {
    [1, 2].map(|last| Address::left_padding_from(&[&pool[..19], &[last]].concat()))
}

/// Ethereum: something in Aave's main and Prime market, nothing in the others, and something in Spark.
fn ethereum() -> Replies {
    Replies(ETHEREUM, CannedReplies::default())
        .pool(MAIN, CONTROLLER, USDC, [1_000_000, 400, 31])
        .pool(PRIME, CONTROLLER, WETH, [5, 0, 7])
        .pool(ETHERFI, CONTROLLER, WETH, [0; 3])
        .pool(HORIZON, HORIZON_CONTROLLER, USDC, [0; 3])
        .pool(SPARK, SPARK_CONTROLLER, WETH, [77, 0, 3])
}

fn case(slug: &str, question: Question) -> JobTest {
    JobTest::new(slug, ETHEREUM, question, ACCOUNT)
}

fn word(amount: u128) -> U256 {
    U256::from(amount)
}

#[test]
fn every_market_reports_what_was_lent_and_owed() {
    let outcome = case("aave_v3", Question::LENDING).run::<AaveV3>(&ethereum().1);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [lent, owed] = tokens(MAIN[0]);
    let healthy = Some(word(2_000_000_000_000_000_000));
    let [two, four] = [20_000_000_000_000_000_000_000_000, 40_000_000_000_000_000_000_000_000].map(word);
    let usdc = format!("{{{USDC:#x}}}");
    let expected = [
        (
            "prime",
            tokens(PRIME[0])[0],
            format!("Aave v3 prime {{{WETH:#x}}}"),
            WETH,
            word(5),
            two,
            LegRole::SUPPLIED,
            None,
        ),
        ("main", lent, format!("Aave v3 {usdc}"), USDC, word(1_000_000), two, LegRole::SUPPLIED, healthy),
        ("main", owed, format!("Aave v3 {usdc} variable debt"), USDC, word(400), four, LegRole::BORROWED, healthy),
    ];
    let found: Vec<_> = outcome.legs();
    assert_eq!(found.len(), expected.len());
    for (market, contract, name, token, amount, rate, role, health) in expected {
        let row = found.iter().find(|row| row.contract == contract).expect("the token has a row");
        assert_eq!((row.market.as_str(), row.name, row.token, row.amount), (market, &*name, token, amount));
        assert_eq!((row.rate_ray, row.role, row.health_factor_wad()), (Some(rate), role, health));
    }
}

#[test]
fn markets_that_share_a_controller_are_claimed_apart() {
    let outcome = case("aave_v3", Question::CLAIMABLES).run::<AaveV3>(&ethereum().1);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let rows = outcome.payments();
    assert_eq!(rows.len(), 2);
    for (market, title, pool, amount) in [("main", "Aave v3", MAIN[0], 31), ("prime", "Aave v3 prime", PRIME[0], 7)] {
        let row = rows.iter().find(|row| row.market == market).expect("the market has a row");
        assert_eq!((row.contract, row.claim.to, row.token), (CONTROLLER, CONTROLLER, REWARD));
        assert_eq!((row.amount, row.mechanism.as_str()), (word(amount), "aave-v3-rewards"));
        assert_eq!(row.name, format!("{title} {{{REWARD:#x}}} rewards, claimed on their own"));
        let call = claimRewardsCall::abi_decode_raw(&row.claim.arguments).expect("the call's arguments");
        // The assets of its own market alone: the other market's row has the rest.
        assert_eq!(call.assets, [tokens(pool)[0]]);
        assert_eq!((call.amount, call.to, call.reward), (U256::MAX, ACCOUNT, REWARD));
    }
}

#[test]
fn a_fork_is_a_protocol_of_its_own() {
    let outcome = case("spark", Question::LENDING).run::<AaveV3>(&ethereum().1);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.legs()[0];
    assert_eq!((row.name, row.amount), (&*format!("Spark {{{WETH:#x}}}"), word(77)));
    let outcome = case("spark", Question::CLAIMABLES).run::<AaveV3>(&ethereum().1);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.payments()[0].claim.to, SPARK_CONTROLLER);
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let pools = [(MAIN, CONTROLLER), (PRIME, CONTROLLER), (ETHERFI, CONTROLLER), (HORIZON, HORIZON_CONTROLLER)];
    let chain =
        pools.into_iter().fold(ethereum(), |chain, (pool, controller)| chain.pool(pool, controller, WETH, [0; 3]));
    for (question, batches) in [(Question::LENDING, vec![4, 4, 8]), (Question::CLAIMABLES, vec![4, 4, 8, 4])] {
        let outcome = case("aave_v3", question).run::<AaveV3>(&chain.1);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, batches, "the markets' reads go out together");
    }
}

#[test]
fn a_market_that_fails_leaves_the_others_rows() {
    let chain = ethereum().1.revert(ETHEREUM, PRIME[0], &getReservesListCall {});
    for (question, rows) in [(Question::LENDING, 1), (Question::CLAIMABLES, 1)] {
        let outcome = case("aave_v3", question).run::<AaveV3>(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, rows));
        assert!(outcome.message.contains(&PRIME[0].to_string()), "{}", outcome.message);
    }
}

#[test]
fn the_shipped_rows_are_the_networks_and_each_stands_once() {
    let plugin = testing::catalogue::<AaveV3>(&Settings::default());
    let slugs: Vec<_> = plugin.protocols.iter().map(|protocol| protocol.slug.as_str()).collect();
    assert_eq!(slugs, ["aave_v3", "extra-finance", "kinza", "seamless", "spark", "tydro"]);
    let rows = || plugin.deployments.iter();
    let places: BTreeSet<_> = rows().map(|row| (&row.protocol, row.chain_id, &row.market)).collect();
    assert_eq!(places.len(), rows().count());
    let networks: BTreeSet<_> = rows().filter(|row| row.protocol == "aave_v3").map(|row| row.chain_id).collect();
    let expected = [
        1, 10, 56, 100, 137, 143, 146, 196, 250, 324, 1_088, 1_868, 5_000, 8_453, 9_745, 42_161, 42_220, 43_114,
        59_144, 534_352,
    ];
    assert_eq!(networks.into_iter().collect::<Vec<_>>(), expected);
    for row in rows().filter(|row| !["vesting", "savings"].contains(&row.market.as_str())) {
        // These two have no controller of rewards.
        let is_rewarded = !["kinza", "extra-finance"].contains(&row.protocol.as_str());
        let claimables = is_rewarded.then_some(Question::CLAIMABLES);
        let questions = claimables.into_iter().chain([Question::LENDING, Question::EVENTS]);
        assert_eq!(row.questions, questions.collect::<Vec<_>>());
        assert_eq!(row.contracts.iter().collect::<BTreeSet<_>>().len(), 2 + usize::from(is_rewarded));
    }
}

fn text(key: &str, value: impl ToString) -> map::SettingsKey {
    map::SettingsKey { key: key.to_owned(), value: map::SettingsValue::Text(value.to_string()) }
}

fn row(protocol: &str, chain_id: u64, market: &str, keys: Vec<map::SettingsKey>) -> map::SettingsRow {
    map::SettingsRow { protocol: protocol.to_owned(), chain_id, market: market.to_owned(), keys }
}

fn keys([pool, provider]: [Address; 2]) -> Vec<map::SettingsKey> {
    vec![text("pool", pool), text("data_provider", provider)]
}

#[test]
fn a_settings_file_adds_a_fork_on_another_network() {
    let fork = Protocol::new("acme", "ACME", "https://example.org", &[]);
    let mut contracts = keys(MAIN);
    contracts.push(text("rewards_controller", CONTROLLER));
    let settings = Settings::from_rows(true, vec![fork], vec![row("acme", 250, "main", contracts)]);
    let plugin = testing::catalogue::<AaveV3>(&settings);
    assert_eq!((plugin.protocols.len(), plugin.deployments.len()), (7, SHIPPED + 1));
    let fantom = Replies(250, CannedReplies::default()).pool(MAIN, CONTROLLER, USDC, [6, 0, 8]).1;
    let acme =
        |question| JobTest::new("acme", 250, question, ACCOUNT).settings(settings.clone()).run::<AaveV3>(&fantom);
    let outcome = acme(Question::LENDING);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.legs()[0].name, format!("Acme {{{USDC:#x}}}"));
    let outcome = acme(Question::CLAIMABLES);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.payments()[0].amount, word(8));
}

#[test]
fn a_settings_file_replaces_a_shipped_row_and_may_leave_out_the_rest() {
    let settings =
        |shipped| Settings::from_rows(shipped, Vec::new(), vec![row("aave_v3", ETHEREUM, "main", keys(SPARK))]);
    let outcome = case("aave_v3", Question::LENDING).settings(settings(false)).run::<AaveV3>(&ethereum().1);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.legs()[0].contract, tokens(SPARK[0])[0]);
    // The row names no controller, so there is nothing to claim.
    let alone = testing::catalogue::<AaveV3>(&settings(false));
    assert_eq!((alone.protocols.len(), alone.deployments.len()), (1, 1));
    assert_eq!(alone.deployments[0].questions, [Question::LENDING, Question::EVENTS]);
    assert_eq!(testing::catalogue::<AaveV3>(&settings(true)).deployments.len(), SHIPPED);
}

#[test]
fn wrong_settings_are_refused_with_row_and_key() {
    let with = |key: &str, value: &str| [keys(MAIN), vec![text(key, value)]].concat();
    let cases = [
        (vec![], None, "no keys of any mechanism"),
        (vec![text("pool", MAIN[0])], Some("data_provider"), "missing"),
        (with("rewards_controller", "none"), Some("rewards_controller"), "40 hex digits"),
        (with("oracle", "0x54586be62e3c3580375ae3723c145253060ca0c2"), Some("oracle"), "unknown key"),
        (
            with("rewards_controller", "0x8164cc65827dcFe994AB23944CBC90e0aa80bFcb"),
            Some("rewards_controller"),
            "checksum",
        ),
    ];
    for (wrong, key, message) in cases {
        let rows = vec![row("aave_v3", ETHEREUM, "more", keys(PRIME)), row("aave_v3", ETHEREUM, "main", wrong)];
        let settings = Settings::from_rows(true, Vec::new(), rows);
        let refused = testing::settings_error::<AaveV3>(&settings).expect("the settings are wrong");
        assert_eq!((refused.row, refused.key.as_deref()), (Some(1), key), "{}", refused.message);
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<AaveV3>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

#[test]
fn events_are_reported_of_its_own_contracts_alone() {
    assert!(testing::EventCases::load("src/events.cases.json").check::<AaveV3>() >= 5, "the file has lost cases");
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<AaveV3>(&[
        &[("pool", FORKED), ("data_provider", FORKED)],
        &[("tokenized_vaults", FORKED_LIST)],
        &[("known_gaps", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<AaveV3>(AaveV3::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
