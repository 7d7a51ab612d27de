//! The plugin through the real binary interface: all three generations at once.
//!
//! The kit's tests cover pools that misbehave; these cover what SpookySwap makes of them.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::FANTOM;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::{Address, Question, Settings, SolCall, SolValue, U256, address, sol};

use crate::Spookyswap;

sol! {
    function poolLength() external view returns (uint256);
    function totalAllocPoint() external view returns (uint256);
    function userInfo(uint256 pid, address account) external view returns (uint256, uint256);
    function poolInfo(uint256 pid) external view returns (address, uint256, uint256, uint256);
    function lpToken(uint256 pid) external view returns (address);
    function rewarder(uint256 pid) external view returns (address);
    function pendingBOO(uint256 pid, address account) external view returns (uint256);
    function boo() external view returns (address);
    function BOO() external view returns (address);
    function booPerSecond() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
}

const V1: Address = address!("0x2b2929e785374c651a81a63878ab22742656dcdd");
const V2: Address = address!("0x18b4f774fdc7bf685daeef66c2990b1ddd9ea6ad");
const V3: Address = address!("0x9c9c920e51778c4abf727b8bb223e78132f00aa4");
const BOO_TOKEN: Address = address!("0x841fad6eae12c286d1fd18d1d525dffa75c7effe");
const PAIR: Address = address!("0x1111111111111111111111111111111111111111");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

fn reply<C: SolCall>(chain: CannedReplies, to: Address, call: &C, value: &impl SolValue) -> CannedReplies {
    chain.reply(FANTOM, to, call, value)
}

fn n(number: u64) -> U256 {
    U256::from(number)
}

/// A chef with two pools; the account is in the second.
fn chef(mut chain: CannedReplies, chef: Address, stake: u64, pending: u64) -> CannedReplies {
    let (pid, account) = (n(1), ACCOUNT);
    chain = reply(chain, chef, &poolLengthCall {}, &n(2));
    chain = reply(chain, chef, &totalAllocPointCall {}, &n(10));
    chain = reply(chain, chef, &booPerSecondCall {}, &n(1_000));
    chain = reply(chain, chef, &userInfoCall { pid: n(0), account }, &(n(0), n(0)));
    chain = reply(chain, chef, &userInfoCall { pid, account }, &(n(stake), n(0)));
    chain = reply(chain, chef, &pendingBOOCall { pid, account }, &n(pending));
    for pid in [n(0), n(1)] {
        let lp = if pid.is_zero() { BOO_TOKEN } else { PAIR };
        chain = match chef {
            V1 => reply(chain, chef, &poolInfoCall { pid }, &(lp, n(3), n(0), n(0))),
            _ => {
                let chain = reply(chain, chef, &poolInfoCall { pid }, &(n(0), n(0), n(3)));
                let chain = reply(chain, chef, &rewarderCall { pid }, &Address::ZERO);
                reply(chain, chef, &lpTokenCall { pid }, &lp)
            }
        };
    }
    chain = reply(chain, PAIR, &balanceOfCall { account: chef }, &n(77));
    if chef == V1 { reply(chain, chef, &booCall {}, &BOO_TOKEN) } else { reply(chain, chef, &BOOCall {}, &BOO_TOKEN) }
}

fn fantom() -> CannedReplies {
    chef(chef(chef(CannedReplies::default(), V1, 10, 1), V2, 20, 2), V3, 30, 3)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("spookyswap", FANTOM, question, ACCOUNT).run::<Spookyswap>(chain)
}

fn word(amount: u64) -> U256 {
    n(amount)
}

#[test]
fn every_generation_pays_with_a_withdrawal_of_nothing() {
    let outcome = run(Question::CLAIMABLES, &fantom());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found: Vec<_> = outcome
        .payments()
        .into_iter()
        .map(|row| (row.claimable.market.as_str(), row.claimable.mechanism.as_str(), row.contract, row.amount))
        .collect();
    let expected = [
        ("farms-v1", "master-chef-v1", V1, word(1)),
        ("farms-v2", "master-chef-v2", V2, word(2)),
        ("farms-v3", "master-chef-v2", V3, word(3)),
    ];
    assert_eq!(found, expected);
    for row in outcome.payments() {
        assert_eq!((row.token, row.claim.template), (BOO_TOKEN, 1));
        assert_eq!(row.claim.arguments, [word(1), word(0)].map(|word| word.to_be_bytes::<32>()).concat());
    }
}

#[test]
fn every_generation_counts_in_seconds() {
    let outcome = run(Question::FARMING, &fantom());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found: Vec<_> =
        outcome.legs().into_iter().map(|row| (row.amount, row.token, row.rewards[0].per_second, row.total)).collect();
    let row = |amount| (word(amount), PAIR, Some(word(300)), Some(word(77)));
    assert_eq!(found, [row(10), row(20), row(30)]);
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let nothing = [V1, V2, V3].into_iter().fold(fantom(), |chain, at| chef(chain, at, 0, 0));
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &nothing);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn a_generation_that_fails_leaves_the_others_rows() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &fantom().result(FANTOM, V2, &poolLengthCall {}, ReadResult::Unavailable));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 2));
        assert!(outcome.message.contains(&V2.to_string()), "{}", outcome.message);
    }
}

#[test]
fn the_catalogue_names_its_protocol_and_deployments() {
    let plugin = testing::catalogue::<Spookyswap>(&Settings::default());
    assert_eq!(plugin.protocols.iter().map(|protocol| protocol.slug.as_str()).collect::<Vec<_>>(), ["spookyswap"]);
    assert!(plugin.deployments.iter().all(|row| row.chain_id == FANTOM));
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Spookyswap>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

#[test]
fn events_of_its_own_pools_are_reported_and_no_others() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");
    testing::EventCases::load(cases).check::<Spookyswap>();
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Spookyswap>(&[&[("kind", "master-chef-v1"), ("chef", FORKED), ("pending", "pendingFork")]]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Spookyswap>(Spookyswap::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
