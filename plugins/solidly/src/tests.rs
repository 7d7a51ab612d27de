//! Each row of the table decodes a log that another encoder made, and what it shares with Uniswap is reported for its
//! own pools alone. Shipped rows answer about accounts, and settings change whose events are whose.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::{ARBITRUM, BASE, BSC, FANTOM, OPTIMISM};
use portolan_plugin_api::testing::{CannedReplies, End, EventCases, JobTest, map};
use portolan_plugin_api::{Address, Question, Settings, SettingsValue, U256, address, sol, testing};

use super::{Solidly, TABLE};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_row_decodes_a_log_of_an_heir_of_solidly() {
    let cases = EventCases::load(format!("{HERE}/src/events.cases.json"));
    cases.cover(TABLE);
    cases.check::<Solidly>();
}

#[test]
fn what_uniswap_emits_too_is_reported_of_known_pools_alone() {
    EventCases::load(format!("{HERE}/src/attribution.cases.json")).check::<Solidly>();
}

sol! {
    function length() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
}

const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

/// Managers of concentrated positions.
const MANAGERS: [(u64, Address); 9] = [
    (OPTIMISM, address!("0xbb5dfe1380333cee4c2eebd7202c80de2256adf4")),
    (OPTIMISM, address!("0x416b433906b1b72fa758e166e239c43d68dc6f29")),
    (OPTIMISM, address!("0xf7f8ccce99ca2896ec75d3a399d152db96808399")),
    (BASE, address!("0x827922686190790b37229fd06084350e74485b72")),
    (BASE, address!("0xa990c6a764b73bf43cee5bb40339c3322fb9d55f")),
    (BASE, address!("0xe1f8cd9ac4e4a65f54f38a5cdafca44f6dd68b53")),
    (BSC, address!("0xa51adb08cbe6ae398046a23bec013979816b77ab")),
    (BSC, address!("0x643b68bf3f855b8475c0a700b6d1020bfc21d02e")),
    (ARBITRUM, address!("0xaa277cb7914b7e5514946da92cb9de332ce610ef")),
];

#[test]
fn shipped_rows_answer_about_gauges_and_locks() {
    let rows = [
        (
            "velodrome_v2",
            OPTIMISM,
            "0x41c914ee0c7e1a5edcd0295623e6dc557b5abf3c",
            "0xfaf8fd17d9840595845582fcb047df13f006787d",
        ),
        ("aerodrome", BASE, "0x16613524e02ad97edfef371bc883f2f5d6c480a5", "0xebf418fe2512e7e6bd9b87a8f0f294acdc67e6b4"),
        (
            "velodrome_v1",
            OPTIMISM,
            "0x09236cff45047dbee6b921e00704bed6d6b8cf7e",
            "0x9c7305eb78a432ced5c4d14cac27e8ed569a2e26",
        ),
        ("thena", BSC, "0x3a1d0952809f4948d15ebce8d345962a282c4fcb", "0xfbbf371c9b0b994eebfcc977cef603f7f31c070d"),
        (
            "equalizer",
            FANTOM,
            "0xe3d1a117df7dcac2eb0ac8219341bad92f18dac1",
            "0x8313f3551c4d3984ffbadfb42f780d0c8763ce94",
        ),
        ("equalizer", BASE, "0x46abb88ae1f2a35ea559925d99fdc5441b592687", "0x28c9c71c776a1203000b56c0cca48bef1cd51c53"),
        (
            "ramses",
            ARBITRUM,
            "0xaaa2564deb34763e3d05162ed3f5c2658691f499",
            "0xaaa343032aa79ee9a6897dab03bef967c3289a06",
        ),
    ];
    for (slug, network, voter, escrow) in rows {
        let chain = CannedReplies::default().reply(network, voter.parse().unwrap(), &lengthCall {}, &U256::ZERO).reply(
            network,
            escrow.parse().unwrap(),
            &balanceOfCall(ACCOUNT),
            &U256::ZERO,
        );
        // Voters that were replaced.
        let chain = [
            (BSC, address!("0x62ee96e6365ab515ec647c065c2707d1122d7b26")),
            (FANTOM, address!("0x4bebeb8188aef8287f9a7d1e4f01d76cbe060d5b")),
        ]
        .into_iter()
        .fold(chain, |chain, (network, voter)| chain.reply(network, voter, &lengthCall {}, &U256::ZERO));
        let chain = MANAGERS.into_iter().fold(chain, |chain, (network, manager)| {
            chain.reply(network, manager, &balanceOfCall(ACCOUNT), &U256::ZERO)
        });
        for question in [Question::CLAIMABLES, Question::FARMING, Question::POOLING, Question::LOCKED] {
            let outcome = JobTest::new(slug, network, question, ACCOUNT).run::<Solidly>(&chain);
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{slug}: {}", outcome.message);
        }
    }
}

/// A settings row of Velodrome v2 on Optimism.
fn row(market: &str, keys: &[(&str, &str)]) -> map::SettingsRow {
    let key = |(key, value): &(&str, &str)| map::SettingsKey {
        key: (*key).to_owned(),
        value: SettingsValue::Text((*value).to_owned()),
    };
    map::SettingsRow {
        protocol: "velodrome_v2".to_owned(),
        chain_id: OPTIMISM,
        market: market.to_owned(),
        keys: keys.iter().map(key).collect(),
    }
}

#[test]
fn settings_rows_are_of_gauges_of_airdrops_or_of_events() {
    let one = format!("{:#x}", Address::repeat_byte(7));
    let rows = vec![
        row("fork", &[("voter", &one)]),
        row("airdrop", &[("merkle_distributor", &one), ("proofs", "https://merkle.example.org/{account}")]),
        row("escrow", &[("registry", &one), ("view", "isEscrow")]),
    ];
    let catalogue = testing::catalogue::<Solidly>(&Settings::from_rows(true, Vec::new(), rows));
    assert_eq!(catalogue.hosts, Some(vec!["merkle.example.org".to_owned()]));
    let of_market = |market: &str| {
        let rows = catalogue.deployments.iter().filter(|row| row.protocol == "velodrome_v2" && row.market == market);
        rows.map(|row| (row.questions.clone(), row.contracts.clone())).collect::<Vec<_>>()
    };
    let contracts = vec![Address::repeat_byte(7)];
    assert_eq!(
        of_market("fork"),
        [(vec![Question::CLAIMABLES, Question::FARMING, Question::POOLING], contracts.clone())]
    );
    assert_eq!(of_market("airdrop"), [(vec![Question::CLAIMABLES], contracts.clone())]);
    assert_eq!(of_market("escrow"), [(vec![Question::EVENTS], contracts)], "in the place of the shipped row");
    assert_eq!(of_market("voter").len(), 1, "the other shipped rows stay");
    let wrong = [
        (vec![("voter", one.as_str()), ("registry", &one), ("view", "isGauge")], "registry"),
        (vec![("merkle_distributor", &one)], "missing beside `merkle_distributor`"),
        (vec![], "missing; give `contracts`, `registry` or `factory`"),
    ];
    for (keys, message) in wrong {
        let settings = Settings::from_rows(true, Vec::new(), vec![row("fork", &keys)]);
        let refused = testing::settings_error::<Solidly>(&settings).expect("the row is wrong").to_string();
        assert!(refused.contains(message), "{refused}");
    }
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Solidly>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Solidly>(&[
        &[("voter", FORKED), ("escrow", FORKED), ("distributor", FORKED)],
        &[("position_manager", FORKED), ("manager_kind", "slipstream")],
        &[("generation", "velodrome-v1"), ("voter", FORKED), ("distributor", FORKED)],
        &[("generation", "equalizer"), ("voter", FORKED), ("escrow", FORKED)],
        &[("generation", "thena"), ("voter", FORKED), ("distributor", FORKED)],
        &[("generation", "thena-v1"), ("voter", FORKED)],
        &[("merkle_distributor", FORKED), ("proofs", "https://merkle.example.org/{account}.json")],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Solidly>(Solidly::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
