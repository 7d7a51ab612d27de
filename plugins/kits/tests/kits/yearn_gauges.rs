//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::yearn_gauges::YearnGaugesKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, one_row, plugin, text};

sol! {
    function getVaults() external view returns (address[]);
    function gauges(address) external view returns (address);
    function REWARD_TOKEN() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function earned(address) external view returns (uint256);
    function recipients(address) external view returns (address);
    function getReward() external returns (bool);
}

const NETWORK: u64 = 1;
const REGISTRY: Address = address!("0xf000000000000000000000000000000000000001");
const DYFI: Address = address!("0xa000000000000000000000000000000000000001");

const TYPES: YearnGaugesKit = YearnGaugesKit { gauge: "gauge" };

plugin! {
    Yearn: &TYPES,
    ["yearn" = "YEARN"],
    r#"
    [[deployment]]
    protocol = "yearn"
    network = "ethereum"
    market = "gauges"
    yearn_gauge_registry = "0xf000000000000000000000000000000000000001"
    "#
}

fn vault(number: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &number.to_be_bytes()].concat())
}

fn gauge(number: u64) -> Address {
    Address::left_padding_from(&[&[0x6a][..], &number.to_be_bytes()].concat())
}

/// A registry of three vaults, the last without a gauge; the account's stakes and rewards in the others.
fn registry(has: [(u64, u64); 2]) -> CannedReplies {
    let vaults: Vec<Address> = (0..3).map(vault).collect();
    let chain = CannedReplies::default().reply(NETWORK, REGISTRY, &getVaultsCall {}, &vaults).reply(
        NETWORK,
        REGISTRY,
        &gaugesCall(vault(2)),
        &Address::ZERO,
    );
    (0..).zip(has).fold(chain, |chain, (number, (staked, earned))| {
        let at = gauge(number);
        chain
            .reply(NETWORK, REGISTRY, &gaugesCall(vault(number)), &at)
            .reply(NETWORK, at, &REWARD_TOKENCall {}, &DYFI)
            .reply(NETWORK, at, &balanceOfCall(ACCOUNT), &n(staked))
            .reply(NETWORK, at, &totalSupplyCall {}, &n(1_000))
            .reply(NETWORK, at, &earnedCall(ACCOUNT), &n(earned))
            .reply(NETWORK, at, &recipientsCall(ACCOUNT), &Address::ZERO)
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("yearn", NETWORK, question, ACCOUNT).run::<Yearn>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &registry([(0, 0), (0, 0)]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1, 3, 2]);
    }
}

#[test]
fn a_stake_has_its_share_of_all_and_what_it_has_earned() {
    let outcome = run(Question::FARMING, &registry([(40, 0), (60, 7)]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 2), "{}", outcome.message);
    outcome.check_totals(&run(Question::CLAIMABLES, &registry([(40, 0), (60, 7)])));
    for (number, (staked, earned)) in (0..).zip([(40, 0), (60, 7)]) {
        let position = outcome.positions()[usize::try_from(number).unwrap()];
        assert_eq!((position.kind, position.contract), (PositionKind::STAKED, gauge(number)));
        assert_eq!(position.name, format!("{{{:#x}}} gauge", vault(number)));
        let stake = Leg::new(LegRole::STAKED, vault(number), n(staked)).of_total(n(1_000));
        assert_eq!(position.legs, [stake, Leg::new(LegRole::REWARD_OWED, DYFI, n(earned))]);
        assert_eq!(position.rewards, [Reward::new(DYFI, None)]);
    }
}

#[test]
fn rewards_are_claimed_of_each_gauge_also_after_the_stake_has_left() {
    let outcome = run(Question::CLAIMABLES, &registry([(0, 3), (60, 7)]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    assert_eq!(found, [(gauge(0), DYFI, n(3)), (gauge(1), DYFI, n(7))]);
    assert!(outcome.payments().iter().all(|row| row.claim.arguments.is_empty()));
}

#[test]
fn what_would_pay_somebody_else_or_cannot_be_read_is_reported() {
    let both = || registry([(0, 3), (60, 7)]);
    let bad = [
        both().reply(NETWORK, gauge(0), &recipientsCall(ACCOUNT), &REGISTRY),
        both().revert(NETWORK, gauge(0), &earnedCall(ACCOUNT)),
        both().revert(NETWORK, REGISTRY, &gaugesCall(vault(0))),
    ];
    for chain in bad {
        let outcome = run(Question::CLAIMABLES, &chain);
        let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.amount)).collect();
        assert_eq!((outcome.end, found), (End::Partial, vec![(gauge(1), n(7))]), "{}", outcome.message);
    }
    let own = both().reply(NETWORK, gauge(0), &recipientsCall(ACCOUNT), &ACCOUNT);
    assert_eq!(run(Question::CLAIMABLES, &own).payments().len(), 2);
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let job = JobTest::new("yearn", NETWORK, question, ACCOUNT);
        assert_eq!(job.run::<Yearn>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<Yearn>(&one_row("yearn", 10, vec![text("yearn_gauge_registry", REGISTRY)]));
    assert_eq!(catalogue.deployments[0].contracts, [REGISTRY]);
    assert_eq!(catalogue.deployments[0].questions, [Question::CLAIMABLES, Question::FARMING]);
}
