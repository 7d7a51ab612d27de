//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::harvest_pools::HarvestPoolsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, list, n, one_row, paid, plugin, text};

sol! {
    function userInfo(address) external view returns (uint256, uint256, uint256);
    function calculateSharesValueInLOOKS(address) external view returns (uint256);
    function calculatePendingRewards(address) external view returns (uint256);
    function harvest() external;
}

mod plutus {
    portolan_plugin_api::sol! {
        struct Tokens {
            uint128 pls;
            uint128 wbtc;
            uint128 usdt;
            uint128 usdc;
            uint128 dai;
            uint128 weth;
        }

        function pendingRewards(address) external view returns (Tokens);
    }
}

const NETWORK: u64 = 1;
const SHARING: Address = Address::repeat_byte(1);
const POOL: Address = Address::repeat_byte(2);
const CHEF: Address = Address::repeat_byte(3);
const STAKE: Address = Address::repeat_byte(4);
const REWARDS: [Address; 6] = [
    Address::repeat_byte(0x11),
    Address::repeat_byte(0x12),
    Address::repeat_byte(0x13),
    Address::repeat_byte(0x14),
    Address::repeat_byte(0x15),
    Address::repeat_byte(0x16),
];

plugin! {
    Pools: &HarvestPoolsKit { stake: "stake" },
    ["looks" = "LOOKS", "pool" = "POOL", "plutus" = "PLUTUS"],
    r#"
    [[deployment]]
    protocol = "looks"
    network = "ethereum"
    harvest_pools = ["0x0101010101010101010101010101010101010101"]
    harvest_kind = "fee-sharing"
    harvest_stake = "0x0404040404040404040404040404040404040404"
    harvest_rewards = ["0x1111111111111111111111111111111111111111"]

    [[deployment]]
    protocol = "pool"
    network = "ethereum"
    harvest_pools = ["0x0202020202020202020202020202020202020202"]
    harvest_kind = "staking-pool"
    harvest_stake = "0x0404040404040404040404040404040404040404"
    harvest_rewards = ["0x1111111111111111111111111111111111111111"]

    [[deployment]]
    protocol = "plutus"
    network = "ethereum"
    harvest_pools = ["0x0303030303030303030303030303030303030303"]
    harvest_kind = "plutus"
    harvest_stake = "0x0404040404040404040404040404040404040404"
    harvest_rewards = [
        "0x1111111111111111111111111111111111111111",
        "0x1212121212121212121212121212121212121212",
        "0x1313131313131313131313131313131313131313",
        "0x1414141414141414141414141414141414141414",
        "0x1515151515151515151515151515151515151515",
        "0x1616161616161616161616161616161616161616",
    ]
    "#
}

fn chain(stake: u64) -> CannedReplies {
    let owed = plutus::Tokens { pls: 1, wbtc: 0, usdt: 3, usdc: 0, dai: 0, weth: 6 };
    [SHARING, POOL, CHEF].into_iter().fold(CannedReplies::default(), |chain, pool| {
        chain
            .reply(NETWORK, pool, &userInfoCall(ACCOUNT), &(n(stake), n(1), n(2)))
            .reply(NETWORK, pool, &calculateSharesValueInLOOKSCall(ACCOUNT), &n(15))
            .reply(NETWORK, pool, &calculatePendingRewardsCall(ACCOUNT), &n(7))
            .reply(NETWORK, pool, &plutus::pendingRewardsCall(ACCOUNT), &owed)
            .reply(NETWORK, pool, &harvestCall {}, &())
    })
}

fn run(protocol: &str, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new(protocol, NETWORK, question, ACCOUNT).run::<Pools>(chain)
}

#[test]
fn each_kind_counts_stakes_and_rewards_by_its_own_views() {
    let chef = vec![(REWARDS[0], n(1)), (REWARDS[2], n(3)), (REWARDS[5], n(6))];
    for (protocol, worth, owed) in
        [("looks", 15, vec![(REWARDS[0], n(7))]), ("pool", 10, vec![(REWARDS[0], n(7))]), ("plutus", 10, chef)]
    {
        let claims = run(protocol, Question::CLAIMABLES, &chain(10));
        assert_eq!((claims.end, paid(&claims)), (End::Complete, owed.clone()), "{}", claims.message);
        let staked = run(protocol, Question::FARMING, &chain(10));
        let [position] = staked.positions()[..] else { panic!("{:?}", staked.findings) };
        assert_eq!(legs(position)[0], (LegRole::STAKED, STAKE, n(worth), None));
        assert_eq!(position.legs.len(), 1 + owed.len());
        staked.check_totals(&claims);
    }
}

#[test]
fn a_claim_that_its_pool_refuses_is_reported() {
    let outcome = run("plutus", Question::CLAIMABLES, &chain(10).revert(NETWORK, CHEF, &harvestCall {}));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn an_account_with_nothing_costs_one_read_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run("looks", question, &chain(0));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
        assert_ne!(run("looks", question, &CannedReplies::default()).end, End::Complete);
    }
}

#[test]
fn rows_that_no_such_pool_has_are_refused() {
    let row = |kind: &str, rewards: usize| {
        let keys = vec![
            list("harvest_pools", [POOL]),
            text("harvest_kind", kind),
            text("harvest_stake", STAKE),
            list("harvest_rewards", &REWARDS[..rewards]),
        ];
        testing::settings_error::<Pools>(&one_row("looks", NETWORK, keys)).and_then(|error| error.key)
    };
    assert_eq!(row("other", 1).as_deref(), Some("harvest_kind"));
    assert_eq!(row("plutus", 2).as_deref(), Some("harvest_rewards"));
    assert_eq!(row("fee-sharing", 4).as_deref(), Some("harvest_rewards"));
    assert_eq!(row("plutus", 5), None);
}
