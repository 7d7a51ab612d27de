//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::position_chef::PositionChefKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, by_number, fork, legs, n, plugin, text};

sol! {
    function CAKE() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
    function userPositionInfos(uint256) external view
        returns (uint128, uint128, int24, int24, uint256, uint256, address, uint256, uint256);
    function poolInfo(uint256) external view returns (uint256, address, address, address, uint24, uint256, uint256);
    function harvest(uint256, address) external returns (uint256);
    function nonfungiblePositionManager() external view returns (address);
    function slot0() external view returns (bytes32[7]);
    struct Params { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }
    function collect(Params) external returns (uint256, uint256);
}

const NETWORK: u64 = 56;
const CHEF: Address = address!("0xc000000000000000000000000000000000000001");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const BASE: Address = address!("0xa000000000000000000000000000000000000002");
const QUOTE: Address = address!("0xa000000000000000000000000000000000000003");
const MANAGER: Address = address!("0xf000000000000000000000000000000000000001");
const POOL: Address = address!("0x5a00000000000000000000000000000000000001");
/// Mode of a read whose writes no other read sees.
const ISOLATED: u8 = 1;

const CHEFS: PositionChefKit = PositionChefKit { reward: "position-chef" };

plugin! {
    Cake: &CHEFS,
    ["cake" = "CAKE"],
    r#"
    [[deployment]]
    protocol = "cake"
    network = "smartchain"
    position_chef = "0xc000000000000000000000000000000000000001"
    "#
}

fn harvest(id: u64) -> harvestCall {
    harvestCall { _0: n(id), _1: ACCOUNT }
}

fn collect(id: u64) -> collectCall {
    let all = u128::MAX;
    collectCall(Params { tokenId: n(id), recipient: ACCOUNT, amount0Max: all, amount1Max: all })
}

fn info(chain: CannedReplies, id: u64, liquidity: u128, reward: u64) -> CannedReplies {
    let reply =
        (liquidity, liquidity, -10_000_i32, 10_000_i32, n(9), n(reward), ACCOUNT, n(3), n(1)).abi_encode_params();
    chain.result(NETWORK, CHEF, &userPositionInfosCall(n(id)), ReadResult::Ok(reply.into()))
}

/// A pool at a price of one.
fn price_one() -> ReadResult {
    let words = [U256::ONE << 96, n(0), n(9), n(9), n(9), n(9), n(1)];
    ReadResult::Ok(words.abi_encode().into())
}

/// A chef with this balance, and the account's positions: id and the return value of a claim.
fn chef(held: u64, positions: &[(u64, u64)]) -> CannedReplies {
    let count = U256::from(positions.len());
    let pool = (n(5), POOL, BASE, QUOTE, n(500), n(9), n(9));
    let chain = CannedReplies::default()
        .reply(NETWORK, CHEF, &CAKECall {}, &TOKEN)
        .reply(NETWORK, CHEF, &balanceOfCall(ACCOUNT), &count)
        .reply(NETWORK, CHEF, &poolInfoCall(n(3)), &pool)
        .reply(NETWORK, CHEF, &nonfungiblePositionManagerCall {}, &MANAGER)
        .result(NETWORK, POOL, &slot0Call {}, price_one())
        .reply(NETWORK, TOKEN, &balanceOfCall(CHEF), &n(held));
    positions.iter().enumerate().fold(chain, |chain, (place, (id, reward))| {
        let index = tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: U256::from(place) };
        let chain = chain.reply(NETWORK, CHEF, &index, &n(*id)).reply(NETWORK, CHEF, &collect(*id), &[n(0), n(0)]);
        info(chain.reply(NETWORK, CHEF, &harvest(*id), &n(*reward)), *id, 1_000, 0)
    })
}

fn claimables(chain: impl Replies) -> Outcome {
    JobTest::new("cake", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Cake>(chain)
}

fn farming(chain: impl Replies) -> Outcome {
    JobTest::new("cake", NETWORK, Question::FARMING, ACCOUNT).run::<Cake>(chain)
}

#[test]
fn an_account_without_positions_gets_a_complete_empty_answer() {
    for outcome in [claimables(&chef(100, &[])), farming(&chef(100, &[]))] {
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn each_position_is_claimed_by_its_number() {
    let outcome = claimables(&chef(100, &[(7, 5), (9, 0), (12, 1)]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(n(7)), TOKEN, n(5)), (Some(n(12)), TOKEN, n(1))]);
    let row = outcome.payments()[0];
    assert_eq!(row.name, format!("{{{BASE:#x}}}/{{{QUOTE:#x}}} position reward"));
    assert_eq!((row.contract, row.claim.to, row.claim.template), (CHEF, CHEF, 0));
    assert_eq!(row.claim.arguments, harvest(7).abi_encode()[4..]);
    // The number of positions; their ids; both claims, the token and the info of each; the chef's balance and the pool.
    assert_eq!(outcome.batches, [1, 3, 4 * 3, 2 * 3]);
}

#[test]
fn a_claim_is_tried_as_the_account_and_seen_by_no_other_read() {
    let chain = chef(100, &[(7, 5)]);
    let mut tried = Vec::new();
    claimables(|request: &ReadRequest| {
        if request.data[..4] == harvestCall::SELECTOR {
            tried.push((request.from, request.mode));
        }
        (&chain).reply(request)
    });
    assert_eq!(tried, [(Some(ACCOUNT), ISOLATED)]);
}

#[test]
fn a_chef_pays_what_it_holds_at_most() {
    assert_eq!(
        by_number(&claimables(&chef(4, &[(7, 5), (9, 3)]))),
        [(Some(n(7)), TOKEN, n(4)), (Some(n(9)), TOKEN, n(3))]
    );
    let outcome = claimables(&chef(0, &[(7, 5)]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn a_position_with_nothing_is_refused_by_the_chef_and_no_failure() {
    let chain = info(chef(100, &[(7, 5), (9, 3)]).revert(NETWORK, CHEF, &harvest(9)), 9, 0, 0);
    let outcome = claimables(&chain);
    assert_eq!(
        (outcome.end, by_number(&outcome)),
        (End::Complete, vec![(Some(n(7)), TOKEN, n(5))]),
        "{}",
        outcome.message
    );
    // A position that is not empty is a failure: with liquidity, or with recorded rewards.
    for (liquidity, reward) in [(1, 0), (0, 1)] {
        let outcome = claimables(&info(chain.clone(), 9, liquidity, reward));
        assert_eq!((outcome.end, by_number(&outcome).len()), (End::Partial, 1), "{}", outcome.message);
        assert!(
            outcome.message.starts_with(&format!("main: harvest(uint256,address) of {CHEF}: ")),
            "{}",
            outcome.message
        );
    }
}

#[test]
fn only_the_first_positions_are_answered_and_the_answer_says_so() {
    let positions: Vec<(u64, u64)> = (0..70).map(|id| (id, 1)).collect();
    let outcome = claimables(&chef(100, &positions));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 64));
    assert_eq!(outcome.not_covered, [format!("main: {CHEF}: 70 NFTs, of which 64 are answered")]);
}

#[test]
fn what_fails_is_never_an_empty_answer() {
    let gone = claimables(|_: &ReadRequest| ReadResult::Unavailable);
    assert_eq!(gone.end, End::Failed);
    let all = chef(100, &[(7, 5)]).revert(NETWORK, CHEF, &harvest(7));
    let held = chef(100, &[(7, 5)]).result(NETWORK, TOKEN, &balanceOfCall(CHEF), ReadResult::Unavailable);
    for broken in [&all, &held] {
        // That it has no fees was read.
        assert_eq!((claimables(broken).end, claimables(broken).findings.len()), (End::Partial, 0));
        assert_eq!(farming(broken).end, End::Failed);
    }
    let neither = all.revert(NETWORK, CHEF, &collect(7));
    assert_eq!(claimables(&neither).end, End::Failed);
    let unnamed = chef(100, &[(7, 5), (9, 3)]).revert(NETWORK, CHEF, &poolInfoCall(n(3)));
    assert_eq!((claimables(&unnamed).end, claimables(&unnamed).findings.len()), (End::Partial, 0));
}

#[test]
fn a_staked_position_is_both_tokens_in_its_range_beside_what_it_is_owed() {
    let chain = chef(100, &[(7, 5)]).reply(NETWORK, CHEF, &collect(7), &[n(0), n(3)]);
    let chain = info(chain, 7, 1_000_000, 0);
    let outcome = farming(&chain);
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::STAKED, CHEF));
    // 1,000,000 * (1 - 1.0001^-5,000) of each token at a price of one.
    let expected = [
        (LegRole::STAKED, BASE, n(393_454), None),
        (LegRole::STAKED, QUOTE, n(393_454), None),
        (LegRole::FEE_OWED, QUOTE, n(3), None),
        (LegRole::REWARD_OWED, TOKEN, n(5), None),
    ];
    assert_eq!(legs(position), expected);
    assert_eq!(position.nft, Some(Nft { collection: MANAGER, token_id: n(7) }));
    assert_eq!(position.range.and_then(|range| range.is_in_range), Some(true));
    let owed = claimables(&chain);
    assert_eq!(by_number(&owed), [(Some(n(7)), TOKEN, n(5)), (Some(n(7)), BASE, n(0)), (Some(n(7)), QUOTE, n(3))]);
    let fees = owed.claimables()[1];
    assert_eq!((fees.contract, fees.steps[0].to), (MANAGER, CHEF), "the chef owns the NFT, and may collect");
    assert_eq!(fees.steps[0].arguments, collect(7).abi_encode()[4..]);
    outcome.check_totals(&owed);
}

#[test]
fn fees_that_cannot_be_collected_do_not_hide_the_reward() {
    let outcome = claimables(&chef(100, &[(7, 5)]).revert(NETWORK, CHEF, &collect(7)));
    assert_eq!(
        (outcome.end, by_number(&outcome)),
        (End::Partial, vec![(Some(n(7)), TOKEN, n(5))]),
        "{}",
        outcome.message
    );
}

fn settings(value: &str) -> Settings {
    fork(NETWORK, vec![text("position_chef", value)])
}

#[test]
fn a_row_of_a_settings_file_is_a_fork() {
    let case = JobTest::new("fork", NETWORK, Question::CLAIMABLES, ACCOUNT).settings(settings(&CHEF.to_string()));
    assert_eq!(by_number(&case.run::<Cake>(&chef(100, &[(7, 5)]))), [(Some(n(7)), TOKEN, n(5))]);
    let refused = testing::settings_error::<Cake>(&settings("chef")).expect("the settings are wrong");
    assert_eq!(refused.key.as_deref(), Some("position_chef"));
}
