//! The plugin through the real binary interface: what it makes of logs that another encoder made, and of contracts.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::ETHEREUM;
use portolan_plugin_api::testing::{self, CannedReplies, End, EventCases, JobTest, ReadRequest, Replies};
use portolan_plugin_api::{Address, Question, Settings, SolCall as _, U256, address, sol};

use crate::{Distributors, TABLE};

sol! {
    function balanceOf(address) external view returns (uint256);
    function nextStreamId() external view returns (uint256);
    function ownerOf(uint256) external view returns (address);
    function getUnderlyingToken(uint256) external view returns (address);
    function getAsset(uint256) external view returns (address);
    function withdrawableAmountOf(uint256) external view returns (uint128);
    function calculateMinFeeWei(uint256) external view returns (uint256);
}

/// The third version's contract on Ethereum.
const LOCKUP: Address = address!("0xcf8ce57fa442ba50acbc57147a62ad03873ffa73");
const TOKEN: Address = Address::repeat_byte(0xa1);
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

fn cases() -> EventCases {
    EventCases::load(concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json"))
}

#[test]
fn logs_are_reported_as_what_they_mean() {
    assert!(cases().check::<Distributors>() >= 12);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    cases().cover(TABLE);
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Distributors>(&[
        &[
            ("merkl_distributor", FORKED),
            ("merkl_creator", FORKED),
            ("rewards", "https://merkl.example.org/{account}?chain={network}"),
        ],
        &[
            ("merkle_stash", FORKED),
            ("stash_tokens", FORKED_LIST),
            ("entries", "https://merkle.example.org/{account}.json"),
        ],
        &[("lockups", FORKED_LIST)],
        &[("token_plans", FORKED_LIST)],
        &[("escrow_factories", FORKED_LIST)],
        &[("reward_escrow", FORKED), ("escrowed_token", FORKED)],
        &[("pair_lockers", FORKED_LIST)],
        &[("token_lockers", FORKED_LIST)],
        &[("super_tokens", FORKED_LIST), ("flow_forwarder", FORKED), ("pool_forwarder", FORKED)],
        &[("merkle_distributor", FORKED), ("proofs", "https://merkle.example.org/{account}.json")],
        &[("contracts", FORKED_LIST)],
        &[("registry", FORKED), ("view", "isDistributor")],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Distributors>(Distributors::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}

#[test]
fn a_stream_of_a_later_version_is_withdrawn_with_its_fee() {
    let one = U256::from(1);
    let chain = CannedReplies::default()
        .reply(ETHEREUM, LOCKUP, &balanceOfCall(ACCOUNT), &one)
        .reply(ETHEREUM, LOCKUP, &nextStreamIdCall {}, &U256::from(2))
        .reply(ETHEREUM, LOCKUP, &ownerOfCall(one), &ACCOUNT)
        .reply(ETHEREUM, LOCKUP, &getUnderlyingTokenCall(one), &TOKEN)
        .revert(ETHEREUM, LOCKUP, &getAssetCall(one))
        .reply(ETHEREUM, LOCKUP, &withdrawableAmountOfCall(one), &U256::from(9))
        .reply(ETHEREUM, LOCKUP, &calculateMinFeeWeiCall(one), &U256::from(5));
    let others = CannedReplies::default();
    let replies = |read: &ReadRequest| {
        let is_other = read.to != LOCKUP && read.data.starts_with(&balanceOfCall::SELECTOR);
        let none = others.clone().reply(ETHEREUM, read.to, &balanceOfCall(ACCOUNT), &U256::ZERO);
        if is_other { (&none).reply(read) } else { (&chain).reply(read) }
    };
    let outcome = JobTest::new("sablier", ETHEREUM, Question::CLAIMABLES, ACCOUNT).run::<Distributors>(replies);
    let [row] = outcome.claimables()[..] else { panic!("{}", outcome.message) };
    let catalogue = testing::catalogue::<Distributors>(&Settings::default());
    let template = &catalogue.claims[usize::try_from(row.steps[0].template).unwrap()];
    assert_eq!(template.fee.as_deref(), Some("calculateMinFeeWei(uint256)"));
    assert_eq!(
        (outcome.end, row.steps[0].value, row.payments[0].amount),
        (End::Complete, Some(U256::from(5)), U256::from(9))
    );
    assert_eq!((row.mechanism.as_str(), row.name.clone()), ("lockup-stream", format!("{{{TOKEN:#x}}} stream")));
    assert_eq!(catalogue.hosts, None, "no server sees accounts unless an operator adds a row");
}
