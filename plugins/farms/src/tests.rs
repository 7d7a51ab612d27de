//! The plugin through the real binary interface: stakes, rewards, locks and vaults.
//!
//! The expected events stand in `events.cases.json`, written by hand; another encoder made the logs.

use portolan_plugin_api::networks::ETHEREUM;
use portolan_plugin_api::testing::{self, CannedReplies, End, EventCases, JobTest, map};
use portolan_plugin_api::{Address, Question, Settings, U256, address, sol};

use portolan_kits::accounts::AccountProtocols;

use crate::Farms;

/// The file has more; a test of an empty one would say nothing.
const CASES_MIN: usize = 50;

#[test]
fn every_case_is_reported_as_it_is_written() {
    let cases = EventCases::load("src/events.cases.json");
    assert!(cases.check::<Farms>() >= CASES_MIN);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    EventCases::load("src/events.cases.json").cover(&Farms::TABLES.join("\n"));
}

/// A settings row with these keys.
fn row(keys: &[(&str, map::SettingsValue)]) -> map::SettingsRow {
    let key =
        |(key, value): &(&str, map::SettingsValue)| map::SettingsKey { key: (*key).to_owned(), value: value.clone() };
    let keys = keys.iter().map(key).collect();
    map::SettingsRow { protocol: "biswap".to_owned(), chain_id: 137, market: "fork".to_owned(), keys }
}

#[test]
fn a_settings_row_belongs_to_the_mechanism_of_which_it_has_keys() {
    let text = |text: &str| map::SettingsValue::Text(text.to_owned());
    let address = || text("0x1111111111111111111111111111111111111111");
    let list = || map::SettingsValue::List(vec![address()]);
    let questions = |keys: &[(&str, map::SettingsValue)]| {
        let settings = Settings::from_rows(false, Vec::new(), vec![row(keys)]);
        testing::catalogue::<Farms>(&settings).deployments[0].questions.clone()
    };
    let account = [Question::CLAIMABLES, Question::FARMING];
    assert_eq!(questions(&[("kind", text("mini-chef")), ("chef", address())])[..2], account);
    assert_eq!(questions(&[("farms", list())])[..2], account);
    assert_eq!(questions(&[("booster", address())])[..2], account);
    let locks = [Question::CLAIMABLES, Question::LOCKED];
    assert_eq!(questions(&[("locker", address()), ("boosted", map::SettingsValue::Bool(true))])[..2], locks);
    assert_eq!(questions(&[("cvx_staking", address())])[..2], account);
    assert_eq!(questions(&[("cvx_crv_wrapper", address())])[..2], account);
    assert_eq!(questions(&[("gauges", list())])[..2], account);
    assert_eq!(questions(&[("nitro_factory", address()), ("nft_pool_factory", address())])[..2], account);
    assert_eq!(questions(&[("vote_escrow", address())])[..], [Question::LOCKED]);
    assert_eq!(questions(&[("contracts", list())]), [Question::EVENTS]);
    let refused = |keys: &[(&str, map::SettingsValue)]| {
        let settings = Settings::from_rows(false, Vec::new(), vec![row(keys)]);
        testing::settings_error::<Farms>(&settings).and_then(|error| error.key)
    };
    assert_eq!(refused(&[("chef", address())]).as_deref(), Some("kind"));
    assert_eq!(refused(&[("farms", list()), ("chef", address())]).as_deref(), Some("kind"));
    let both = [("cvx_staking", address()), ("cvx_crv_wrapper", address())];
    assert_eq!(refused(&[("nitro_factory", address())]).as_deref(), Some("nft_pool_factory"));
    assert_eq!(refused(&both).as_deref(), Some("cvx_crv_wrapper"));
}

sol! {
    function user_point_epoch(address) external view returns (uint256);
    function lp_token() external view returns (address);
    function staking_token() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function reward_count() external view returns (uint256);
    function n_gauges() external view returns (int128);
    function gauges(uint256) external view returns (address);
    function poolLength() external view returns (uint256);
    function sdt() external view returns (address);
}

/// Stake DAO's first gauge, as its address book has it.
const SDCRV_GAUGE: Address = address!("0x7f50786a0b15723d741727882ee99a0bf34e3466");
const VESDT: Address = address!("0x0c30476f66034e11782938df8e4384970b6c9e8a");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");
const STRATEGIES: Address = address!("0x3f3f0776d411eb97cfa4e3eb25f33c01ca4e7ca8");
const STRATEGY_GAUGE: Address = address!("0x531167abe95375ec212f2b5417ef05a9953410c1");
const SDT_CHEF: Address = address!("0xfea5e213bbd81a8a94d0e1edb09dbd7ceab61e1c");
const SDCRV: Address = address!("0xd1b5651e55d4ceed36251c61c50c889b36f6abb5");

#[test]
fn the_gauges_and_the_lock_of_stake_dao_are_read() {
    let chain = CannedReplies::default()
        .reply(ETHEREUM, VESDT, &user_point_epochCall(ACCOUNT), &U256::ZERO)
        .revert(ETHEREUM, SDCRV_GAUGE, &lp_tokenCall {})
        .reply(ETHEREUM, SDCRV_GAUGE, &staking_tokenCall {}, &SDCRV)
        .reply(ETHEREUM, SDCRV_GAUGE, &balanceOfCall(Address::ZERO), &U256::ZERO)
        .reply(ETHEREUM, SDCRV_GAUGE, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(ETHEREUM, SDCRV_GAUGE, &reward_countCall {}, &U256::ZERO)
        .reply(ETHEREUM, SDT_CHEF, &poolLengthCall {}, &U256::ZERO)
        .reply(ETHEREUM, SDT_CHEF, &sdtCall {}, &SDCRV)
        .reply(ETHEREUM, STRATEGIES, &n_gaugesCall {}, &U256::ONE)
        .reply(ETHEREUM, STRATEGIES, &gaugesCall(U256::ZERO), &STRATEGY_GAUGE)
        .revert(ETHEREUM, STRATEGY_GAUGE, &lp_tokenCall {})
        .reply(ETHEREUM, STRATEGY_GAUGE, &staking_tokenCall {}, &SDCRV)
        .reply(ETHEREUM, STRATEGY_GAUGE, &balanceOfCall(Address::ZERO), &U256::ZERO)
        .reply(ETHEREUM, STRATEGY_GAUGE, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(ETHEREUM, STRATEGY_GAUGE, &reward_countCall {}, &U256::ZERO);
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = JobTest::new("stake-dao", ETHEREUM, question, ACCOUNT).run::<Farms>(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        let gauges = outcome.facts::<(Address, Address, bool)>("main", "gauges");
        let read = if question == Question::LOCKED { 0 } else { 11 };
        assert_eq!(gauges.len(), read);
        assert!(read == 0 || gauges[0] == (SDCRV_GAUGE, SDCRV, true), "{gauges:?}");
        let listed = outcome.facts::<(Address, Address, bool)>("strategies", "gauges");
        assert_eq!(listed, if read == 0 { vec![] } else { vec![(STRATEGY_GAUGE, SDCRV, true)] });
    }
}

/// Angle's first gauge, as its package has it.
const SAN_DAI_GAUGE: Address = address!("0x8e2c0cbda6ba7b65dbca333798a3949b07638026");
const VEANGLE: Address = address!("0x0c462dbb9ec8cd1630f1728b2cfd2769d09f0dd5");
const ST_USD: Address = address!("0x0022228a2cc5e7ef0274a7baa600d44da5ab5776");
const ST_EUR: Address = address!("0x004626a008b1acdc4c74ab51644093b155e59a23");
const SAN_DAI: Address = address!("0x7b8e89b0ce7bac2cfec92a371da899ea8cbdb450");
const ANGLE: Address = address!("0x31429d1856ad1377a8a0079410b297e1a9e214c2");
const FEES: Address = address!("0x7f82ff050128e29fd89d85d01b93246f744e62a0");

sol! {
    function reward_tokens(uint256) external view returns (address);
    function claimable_reward(address, address) external view returns (uint256);
    function rewards_receiver(address) external view returns (address);
    function locked(address) external view returns (int128, uint256);
    function token() external view returns (address);
    function totalSupply() external view returns (uint256);
    function claim(address) external returns (uint256);
}

#[test]
fn the_gauges_and_the_lock_of_angle_are_read() {
    let owed = claimable_rewardCall { _0: ACCOUNT, _1: ANGLE };
    let end_s = U256::from(1_800_000_000_u64);
    let chain = CannedReplies::default()
        .revert(ETHEREUM, SAN_DAI_GAUGE, &lp_tokenCall {})
        .reply(ETHEREUM, SAN_DAI_GAUGE, &staking_tokenCall {}, &SAN_DAI)
        .reply(ETHEREUM, SAN_DAI_GAUGE, &balanceOfCall(Address::ZERO), &U256::ZERO)
        .reply(ETHEREUM, SAN_DAI_GAUGE, &balanceOfCall(ACCOUNT), &U256::from(5))
        .reply(ETHEREUM, SAN_DAI_GAUGE, &totalSupplyCall {}, &U256::from(50))
        .reply(ETHEREUM, SAN_DAI_GAUGE, &reward_countCall {}, &U256::ONE)
        .reply(ETHEREUM, SAN_DAI_GAUGE, &reward_tokensCall(U256::ZERO), &ANGLE)
        .reply(ETHEREUM, SAN_DAI_GAUGE, &owed, &U256::from(7))
        .reply(ETHEREUM, SAN_DAI_GAUGE, &rewards_receiverCall(ACCOUNT), &Address::ZERO)
        .reply(ETHEREUM, ST_USD, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(ETHEREUM, ST_EUR, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(ETHEREUM, FEES, &tokenCall {}, &SAN_DAI)
        .reply(ETHEREUM, FEES, &claimCall(ACCOUNT), &U256::from(3))
        .reply(ETHEREUM, VEANGLE, &user_point_epochCall(ACCOUNT), &U256::ONE)
        .reply(ETHEREUM, VEANGLE, &tokenCall {}, &ANGLE)
        .reply(ETHEREUM, VEANGLE, &lockedCall(ACCOUNT), &(U256::from(9), end_s));
    let run = |question| JobTest::new("angle", ETHEREUM, question, ACCOUNT).run::<Farms>(&chain);
    let claims = run(Question::CLAIMABLES);
    let paid: Vec<_> = claims.payments().into_iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    let both = [(FEES, SAN_DAI, U256::from(3)), (SAN_DAI_GAUGE, ANGLE, U256::from(7))];
    assert_eq!((claims.end, paid), (End::Complete, both.to_vec()), "{}", claims.message);
    let farming = run(Question::FARMING);
    let legs: Vec<_> = farming.legs().iter().map(|leg| (leg.contract, leg.token, leg.amount)).collect();
    // The stake, and the reward that it is owed.
    let both = [(SAN_DAI_GAUGE, SAN_DAI, U256::from(5)), (SAN_DAI_GAUGE, ANGLE, U256::from(7))];
    assert_eq!((farming.end, legs), (End::Complete, both.to_vec()), "{}", farming.message);
    let locked = run(Question::LOCKED);
    let locks: Vec<_> = locked.legs().iter().map(|leg| (leg.contract, leg.token, leg.amount)).collect();
    assert_eq!((locked.end, locks), (End::Complete, vec![(VEANGLE, ANGLE, U256::from(9))]), "{}", locked.message);
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Farms>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Farms>(&[
        &[("kind", "master-chef-v1"), ("chef", FORKED), ("pending", "pendingFork")],
        &[("kind", "cake-chef"), ("chef", FORKED), ("pending", "pendingFork")],
        &[("kind", "joe-chef"), ("chef", FORKED), ("getter", "fork")],
        &[("position_manager", FORKED), ("manager_kind", "algebra")],
        &[("kind", "wombat-chef"), ("chef", FORKED), ("getter", "fork")],
        &[("kind", "alien-base-chef"), ("chef", FORKED), ("getter", "fork")],
        &[("factory", FORKED)],
        &[("farms", FORKED_LIST)],
        &[("position_master", FORKED)],
        &[("nitro_factory", FORKED), ("nft_pool_factory", FORKED)],
        &[("booster", FORKED), ("minting", "aura")],
        &[("side_booster", FORKED)],
        &[("locker", FORKED)],
        &[("cvx_staking", FORKED)],
        &[("cvx_crv_wrapper", FORKED)],
        &[("fee_staking", FORKED), ("staked_token", FORKED)],
        &[("tokenized_vaults", FORKED_LIST)],
        &[("quoted_vaults", FORKED_LIST), ("quoted_by", "reports")],
        &[("ledger_vaults", FORKED_LIST), ("ledger_tokens", FORKED_LIST)],
        &[("meta_vault_factory", FORKED)],
        &[("fund_market", FORKED), ("fund_shares", FORKED), ("fund_redemptions", FORKED)],
        &[("liquid_token", FORKED), ("staked_token", FORKED), ("rate_view", "getRate")],
        &[("cooldown_vaults", FORKED_LIST)],
        &[("request_vaults", FORKED_LIST)],
        &[("beefy_vaults", FORKED_LIST)],
        &[("gauges", FORKED_LIST)],
        &[("gauge_controller", FORKED)],
        &[("vote_escrow", FORKED), ("fee_distributors", FORKED_LIST), ("points", "epoch")],
        &[("yearn_v2_registries", FORKED_LIST)],
        &[("yearn_v3_registries", FORKED_LIST)],
        &[("yearn_gauge_registry", FORKED)],
        &[("accountants", FORKED_LIST)],
        &[("staked_aave_token", FORKED)],
        &[("known_gaps", FORKED_LIST)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Farms>(Farms::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
