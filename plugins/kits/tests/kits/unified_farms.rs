//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::unified_farms::UnifiedFarmsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, list, n, one_row, plugin};

sol! {
    function stakingToken() external view returns (address);
    function getAllRewardTokens() external view returns (address[]);
    function lockedLiquidityOf(address) external view returns (uint256);
    function lockedStakesOf(address) external view returns ((bytes32, uint256, uint256, uint256, uint256)[]);
    function totalLiquidityLocked() external view returns (uint256);
    function stakesUnlocked() external view returns (bool);
    function getReward(address) external returns (uint256[]);
    function token0() external view returns (address);
    function token1() external view returns (address);
}

const NETWORK: u64 = 1;
const FARM: Address = address!("0xf000000000000000000000000000000000000001");
const OTHER: Address = address!("0xf000000000000000000000000000000000000002");
const LP: Address = address!("0xa000000000000000000000000000000000000001");
const FXS: Address = address!("0xa000000000000000000000000000000000000002");
const CRV: Address = address!("0xa000000000000000000000000000000000000003");

const TYPES: UnifiedFarmsKit = UnifiedFarmsKit { farm: "farm" };

plugin! {
    Frax: &TYPES,
    ["frax" = "FRAX"],
    r#"
    [[deployment]]
    protocol = "frax"
    network = "ethereum"
    market = "farms"
    unified_farms = ["0xf000000000000000000000000000000000000001", "0xf000000000000000000000000000000000000002"]
    "#
}

/// Two farms in which the account has nothing.
fn farms() -> CannedReplies {
    [FARM, OTHER].into_iter().fold(CannedReplies::default(), |chain, farm| {
        chain
            .reply(NETWORK, farm, &lockedLiquidityOfCall(ACCOUNT), &n(0))
            .reply(NETWORK, farm, &stakingTokenCall {}, &LP)
            .reply(NETWORK, farm, &getAllRewardTokensCall {}, &vec![FXS, CRV])
            .reply(NETWORK, farm, &totalLiquidityLockedCall {}, &n(1_000))
            .reply(NETWORK, farm, &stakesUnlockedCall {}, &false)
            .revert(NETWORK, LP, &token0Call {})
            .revert(NETWORK, LP, &token1Call {})
    })
}

/// Stakes in a farm, each with its end, and the return value of a claim.
fn stake(chain: CannedReplies, farm: Address, stakes: &[(u64, u64)], owed: &[u64]) -> CannedReplies {
    let all: u64 = stakes.iter().map(|(amount, _)| amount).sum();
    let words = |(amount, end): &(u64, u64)| (B256::repeat_byte(7), n(NOW_S - 9), n(*amount), n(*end), n(5));
    let stakes: Vec<_> = stakes.iter().map(words).collect();
    let owed: Vec<U256> = owed.iter().map(|owed| n(*owed)).collect();
    chain
        .reply(NETWORK, farm, &lockedLiquidityOfCall(ACCOUNT), &n(all))
        .reply(NETWORK, farm, &lockedStakesOfCall(ACCOUNT), &stakes)
        .reply(NETWORK, farm, &getRewardCall(ACCOUNT), &owed)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("frax", NETWORK, question, ACCOUNT).run::<Frax>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &farms());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
    }
}

#[test]
fn a_claim_pays_all_tokens_that_it_returns() {
    let chain = stake(stake(farms(), FARM, &[(5, NOW_S + 1)], &[7, 9]), OTHER, &[(1, NOW_S)], &[0, 3]);
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 2), "{}", outcome.message);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    assert_eq!(found, [(FARM, FXS, n(7)), (FARM, CRV, n(9)), (OTHER, CRV, n(3))]);
    assert!(outcome.payments().iter().all(|row| row.claim.arguments == ACCOUNT.abi_encode()));
    assert_eq!(outcome.payments()[0].name, format!("{{{LP:#x}}} rewards"));
    let nothing = run(Question::CLAIMABLES, &stake(farms(), FARM, &[(5, NOW_S + 1)], &[0, 0]));
    assert_eq!((nothing.end, nothing.findings.len()), (End::Complete, 0), "{}", nothing.message);
}

#[test]
fn what_a_claim_returns_is_read_as_the_account_that_sends_it() {
    let chain = stake(farms(), FARM, &[(5, NOW_S + 1)], &[7, 9]);
    let replies = |read: &ReadRequest| {
        let is_claim = read.data.starts_with(&getRewardCall::SELECTOR);
        assert_eq!(read.from, is_claim.then_some(ACCOUNT));
        (&chain).reply(read)
    };
    let job = JobTest::new("frax", NETWORK, Question::CLAIMABLES, ACCOUNT);
    assert_eq!(job.run::<Frax>(replies).payments().len(), 2);
}

#[test]
fn each_stake_has_its_own_end() {
    // The first was withdrawn, the second can be, the third cannot.
    let stakes = [(0, 0), (4, NOW_S - 1), (6, NOW_S + 1)];
    let outcome = run(Question::FARMING, &stake(farms(), FARM, &stakes, &[]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 2), "{}", outcome.message);
    for (place, position) in [1, 2].into_iter().zip(outcome.positions()) {
        let (amount, end) = stakes[place];
        assert_eq!(
            (position.kind, position.contract, position.number),
            (PositionKind::STAKED, FARM, Some(U256::from(place)))
        );
        assert_eq!(position.lock, Some(Lock { unlocks_at: Some(end), is_permanent: Some(false) }));
        assert_eq!(position.legs, [Leg::new(LegRole::STAKED, LP, n(amount)).of_total(n(1_000))]);
        assert_eq!(position.rewards, [Reward::new(FXS, None), Reward::new(CRV, None)]);
        assert_eq!(position.name, format!("{{{LP:#x}}} farm"));
    }
    let open = stake(farms(), FARM, &stakes, &[]).reply(NETWORK, FARM, &stakesUnlockedCall {}, &true);
    assert!(run(Question::FARMING, &open).positions().iter().all(|position| position.lock.is_none()));
}

#[test]
fn a_farm_that_refuses_to_pay_costs_its_own_claim_and_is_reported() {
    let chain = stake(stake(farms(), FARM, &[(5, NOW_S + 1)], &[7, 9]), OTHER, &[(1, NOW_S)], &[0, 3]);
    let bad = [
        chain.clone().revert(NETWORK, OTHER, &getRewardCall(ACCOUNT)),
        chain.clone().reply(NETWORK, OTHER, &getRewardCall(ACCOUNT), &vec![n(3)]),
        chain.clone().revert(NETWORK, OTHER, &lockedLiquidityOfCall(ACCOUNT)),
    ];
    for chain in bad {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 1), "{}", outcome.message);
        assert!(outcome.message.contains(&OTHER.to_string()), "{}", outcome.message);
    }
    let stakes = run(Question::FARMING, &chain.clone().revert(NETWORK, OTHER, &lockedStakesOfCall(ACCOUNT)));
    assert_eq!((stakes.end, stakes.positions().len()), (End::Partial, 1), "{}", stakes.message);
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let job = JobTest::new("frax", NETWORK, question, ACCOUNT);
        assert_eq!(job.run::<Frax>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<Frax>(&one_row("frax", 10, vec![list("unified_farms", [FARM])]));
    assert_eq!(catalogue.deployments[0].contracts, [FARM]);
    assert_eq!(catalogue.deployments[0].questions, [Question::CLAIMABLES, Question::FARMING]);
}
