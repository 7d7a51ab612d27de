//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::reward_trackers::RewardTrackersKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies, map};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, list, n, one_row, plugin, text};

sol! {
    function depositBalances(address, address) external view returns (uint256);
    function totalDepositSupply(address) external view returns (uint256);
    function claimable(address) external view returns (uint256);
    function rewardToken() external view returns (address);
    function claim(address) external returns (uint256);
}

const NETWORK: u64 = 42_161;
const STAKES: Address = address!("0xf000000000000000000000000000000000000001");
const FEES: Address = address!("0xf000000000000000000000000000000000000002");
const GMX: Address = address!("0xa000000000000000000000000000000000000001");
const ES_GMX: Address = address!("0xa000000000000000000000000000000000000002");
const WETH: Address = address!("0xa000000000000000000000000000000000000003");

const TYPES: RewardTrackersKit = RewardTrackersKit { stake: "tracker" };

plugin! {
    Gmx: &TYPES,
    ["gmx" = "GMX"],
    r#"
    [[deployment]]
    protocol = "gmx"
    network = "arbitrum"
    stake_tracker = "0xf000000000000000000000000000000000000001"
    staked_tokens = ["0xa000000000000000000000000000000000000001", "0xa000000000000000000000000000000000000002"]
    reward_trackers = [
        "0xf000000000000000000000000000000000000001",
        "0xf000000000000000000000000000000000000002",
    ]
    "#
}

/// Stakes of both tokens, the amount that each tracker counts, and the amount that its claim returns.
fn trackers(staked: [u64; 2], counted: [u64; 2], paid: [u64; 2]) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, STAKES, &rewardTokenCall {}, &ES_GMX).reply(
        NETWORK,
        FEES,
        &rewardTokenCall {},
        &WETH,
    );
    let chain = [GMX, ES_GMX].into_iter().zip(staked).fold(chain, |chain, (token, amount)| {
        let balance = depositBalancesCall { _0: ACCOUNT, _1: token };
        chain.reply(NETWORK, STAKES, &balance, &n(amount)).reply(
            NETWORK,
            STAKES,
            &totalDepositSupplyCall(token),
            &n(900),
        )
    });
    let of_trackers = [STAKES, FEES].into_iter().zip(counted).zip(paid);
    of_trackers.fold(chain, |chain, ((tracker, counted), paid)| {
        let chain = chain.reply(NETWORK, tracker, &claimableCall(ACCOUNT), &n(counted));
        chain.reply(NETWORK, tracker, &claimCall(ACCOUNT), &n(paid))
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("gmx", NETWORK, question, ACCOUNT).run::<Gmx>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &trackers([0; 2], [0; 2], [0; 2]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
    }
}

#[test]
fn a_claim_pays_what_it_returns_and_not_what_is_counted() {
    // The distributor of fees has less than it owes, and the other one has nothing.
    let outcome = run(Question::CLAIMABLES, &trackers([5, 0], [7, 9], [7, 4]));
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, vec![(STAKES, ES_GMX, n(7)), (FEES, WETH, n(4))]));
    assert!(outcome.payments().iter().all(|row| row.claim.arguments == ACCOUNT.abi_encode()));
    let short = run(Question::CLAIMABLES, &trackers([0, 0], [7, 9], [0, 4]));
    assert_eq!((short.end, claimed(&short)), (End::Complete, vec![(FEES, WETH, n(4))]), "{}", short.message);
}

#[test]
fn what_a_claim_returns_is_read_as_the_account_that_sends_it() {
    let chain = trackers([5, 0], [7, 9], [7, 4]);
    let replies = |read: &ReadRequest| {
        let is_claim = read.data.starts_with(&claimCall::SELECTOR);
        assert_eq!(read.from, is_claim.then_some(ACCOUNT));
        (&chain).reply(read)
    };
    let job = JobTest::new("gmx", NETWORK, Question::CLAIMABLES, ACCOUNT);
    assert_eq!(job.run::<Gmx>(replies).payments().len(), 2);
}

#[test]
fn a_stake_has_a_leg_for_each_token() {
    let outcome = run(Question::FARMING, &trackers([5, 6], [7, 9], [7, 4]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let position = outcome.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::STAKED, STAKES));
    let leg = |token, amount| Leg::new(LegRole::STAKED, token, n(amount)).of_total(n(900));
    assert_eq!(position.legs, [leg(GMX, 5), leg(ES_GMX, 6)]);
    assert_eq!(position.rewards, [Reward::new(ES_GMX, None), Reward::new(WETH, None)]);
    assert_eq!(position.name, format!("{{{GMX:#x}}} staking"));
    let one = run(Question::FARMING, &trackers([0, 6], [0, 0], [0, 0]));
    assert_eq!(one.positions()[0].legs, [leg(ES_GMX, 6)]);
}

#[test]
fn a_tracker_that_refuses_to_pay_costs_its_own_claim_and_is_reported() {
    let chain = trackers([5, 6], [7, 9], [7, 4]);
    for bad in [
        chain.clone().revert(NETWORK, STAKES, &claimCall(ACCOUNT)),
        chain.clone().revert(NETWORK, STAKES, &claimableCall(ACCOUNT)),
        chain.clone().revert(NETWORK, STAKES, &rewardTokenCall {}),
    ] {
        let outcome = run(Question::CLAIMABLES, &bad);
        assert_eq!((outcome.end, claimed(&outcome)), (End::Partial, vec![(FEES, WETH, n(4))]), "{}", outcome.message);
        assert!(outcome.message.contains(&STAKES.to_string()), "{}", outcome.message);
    }
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let job = JobTest::new("gmx", NETWORK, question, ACCOUNT);
        assert_eq!(job.run::<Gmx>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn a_fork_is_a_row_of_settings() {
    let all = [text("stake_tracker", STAKES), list("staked_tokens", [GMX]), list("reward_trackers", [FEES, STAKES])];
    let settings = |keys: &[map::SettingsKey]| one_row("gmx", 10, keys.to_vec());
    let catalogue = testing::catalogue::<Gmx>(&settings(&all));
    assert_eq!(catalogue.deployments[0].contracts, [STAKES, FEES]);
    assert_eq!(catalogue.deployments[0].questions, [Question::CLAIMABLES, Question::FARMING]);
    for (count, missing) in [(1, "staked_tokens"), (2, "reward_trackers")] {
        let error = testing::settings_error::<Gmx>(&settings(&all[..count]));
        assert_eq!(error.and_then(|error| error.key).as_deref(), Some(missing));
    }
}
