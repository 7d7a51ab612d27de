//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::liquity_v2::LiquityV2Kit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, plugin};

sol! {
    function totalCollaterals() external view returns (uint256);
    function boldToken() external view returns (address);
    function getToken(uint256) external view returns (address);
    function getTroveManager(uint256) external view returns (address);
    function troveNFT() external view returns (address);
    function stabilityPool() external view returns (address);
    function borrowerOperations() external view returns (address);
    function getTroveIdsCount() external view returns (uint256);
    function getTroveFromTroveIdsArray(uint256) external view returns (uint256);
    function getLatestTroveData(uint256) external view returns (uint256[10]);
    function balanceOf(address) external view returns (uint256);
    function ownerOf(uint256) external view returns (address);
    function MCR() external view returns (uint256);
    function fetchPrice() external returns (uint256, bool);
    function getCollateral(address) external view returns (uint256);
    function deposits(address) external view returns (uint256);
    function stashedColl(address) external view returns (uint256);
    function getTotalBoldDeposits() external view returns (uint256);
    function getCompoundedBoldDeposit(address) external view returns (uint256);
    function getDepositorYieldGainWithPending(address) external view returns (uint256);
    function getDepositorCollGain(address) external view returns (uint256);
    function withdrawFromSP(uint256, bool) external;
    function claimAllCollGains() external;
    function claimCollateral() external;
}

const NETWORK: u64 = 1;
const REGISTRY: Address = Address::repeat_byte(1);
const BOLD: Address = Address::repeat_byte(2);
/// Token, manager, NFT, pool, operations, source of prices and surplus of each of two branches.
const BRANCHES: [[Address; 7]; 2] = [
    [at(0x11), at(0x12), at(0x13), at(0x14), at(0x15), at(0x16), at(0x17)],
    [at(0x21), at(0x22), at(0x23), at(0x24), at(0x25), at(0x26), at(0x27)],
];
const WAD: u64 = 1_000_000_000_000_000_000;
const KIT: LiquityV2Kit = LiquityV2Kit { trove: "trove", deposit: "pool" };

plugin! {
    Fork: &KIT,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    collateral_registry = "0x0101010101010101010101010101010101010101"
    price_feeds = ["0x1616161616161616161616161616161616161616"]
    surplus_pools = ["0x1717171717171717171717171717171717171717", "0x2727272727272727272727272727272727272727"]
    "#
}

const fn at(byte: u8) -> Address {
    Address::repeat_byte(byte)
}

/// Two branches in which the account has nothing.
fn nothing() -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, REGISTRY, &totalCollateralsCall {}, &n(2)).reply(
        NETWORK,
        REGISTRY,
        &boldTokenCall {},
        &BOLD,
    );
    (0..2).fold(chain, |chain, place: usize| {
        let [token, manager, nft, pool, operations, _, surplus] = BRANCHES[place];
        let index = n(place as u64);
        chain
            .reply(NETWORK, REGISTRY, &getTokenCall(index), &token)
            .reply(NETWORK, REGISTRY, &getTroveManagerCall(index), &manager)
            .reply(NETWORK, manager, &troveNFTCall {}, &nft)
            .reply(NETWORK, manager, &stabilityPoolCall {}, &pool)
            .reply(NETWORK, manager, &borrowerOperationsCall {}, &operations)
            .reply(NETWORK, nft, &balanceOfCall(ACCOUNT), &n(0))
            .reply(NETWORK, pool, &depositsCall(ACCOUNT), &n(0))
            .reply(NETWORK, pool, &stashedCollCall(ACCOUNT), &n(0))
            .reply(NETWORK, surplus, &getCollateralCall(ACCOUNT), &n(0))
    })
}

/// Three troves in a branch, of which the second is the account's; the third was closed since they were listed.
fn trove(chain: CannedReplies, branch: usize, debt: U256, collateral: U256) -> CannedReplies {
    let [_, manager, nft, _, operations, feed, _] = BRANCHES[branch];
    let id = |place: u64| n(70 + place);
    let mut data = [U256::ZERO; 10];
    (data[0], data[1], data[6]) = (debt, collateral, n(WAD / 20));
    let chain = (0..3).fold(chain, |chain, place| {
        chain.reply(NETWORK, manager, &getTroveFromTroveIdsArrayCall(n(place)), &id(place))
    });
    chain
        .reply(NETWORK, nft, &balanceOfCall(ACCOUNT), &n(1))
        .reply(NETWORK, manager, &getTroveIdsCountCall {}, &n(3))
        .reply(NETWORK, nft, &ownerOfCall(id(0)), &BOLD)
        .reply(NETWORK, nft, &ownerOfCall(id(1)), &ACCOUNT)
        .revert(NETWORK, nft, &ownerOfCall(id(2)))
        .reply(NETWORK, manager, &getLatestTroveDataCall(id(1)), &data)
        .reply(NETWORK, operations, &MCRCall {}, &(n(WAD) + n(WAD / 10)))
        .reply(NETWORK, feed, &fetchPriceCall {}, &(n(1_000) * n(WAD), false))
}

/// A deposit in the first branch's pool, its two gains, and stashed collateral.
fn deposit(initial: u64, gains: [u64; 2], stashed: u64) -> CannedReplies {
    let pool = BRANCHES[0][3];
    nothing()
        .reply(NETWORK, pool, &depositsCall(ACCOUNT), &n(initial))
        .reply(NETWORK, pool, &stashedCollCall(ACCOUNT), &n(stashed))
        .reply(NETWORK, pool, &getTotalBoldDepositsCall {}, &n(1_000))
        .reply(NETWORK, pool, &getCompoundedBoldDepositCall(ACCOUNT), &n(initial / 2))
        .reply(NETWORK, pool, &getDepositorYieldGainWithPendingCall(ACCOUNT), &n(gains[0]))
        .reply(NETWORK, pool, &getDepositorCollGainCall(ACCOUNT), &n(gains[1]))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Fork>(chain)
}

#[test]
fn a_trove_is_found_by_its_owner_and_has_its_health() {
    let outcome = run(Question::LENDING, &trove(nothing(), 0, n(10_000) * n(WAD), n(22) * n(WAD)));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    let [token, manager, nft, ..] = BRANCHES[0];
    assert_eq!((position.contract, position.number, position.kind), (manager, Some(n(71)), PositionKind::BORROWED));
    assert_eq!(position.nft, Some(Nft { collection: nft, token_id: n(71) }));
    let supplied = (LegRole::SUPPLIED, token, n(22) * n(WAD), Some(true));
    assert_eq!(legs(position), [supplied, (LegRole::BORROWED, BOLD, n(10_000) * n(WAD), None)]);
    // A twentieth, with 27 decimals.
    assert_eq!(position.legs[1].rate_ray, Some(n(10).pow(n(27)) / n(20)));
    // 22 at 1,000 are 2.2 times the debt, of at least 1.1.
    let health = position.health.unwrap();
    assert_eq!(health.factor_wad, Some(n(2) * n(WAD)));
    assert_eq!(health.liquidation_price.unwrap().x128, n(500) << 128);
}

#[test]
fn a_branch_without_a_source_of_prices_has_troves_without_health() {
    let outcome = run(Question::LENDING, &trove(nothing(), 1, n(10), n(22)));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].health, None);
}

#[test]
fn a_health_that_cannot_be_told_is_absent_and_reported() {
    let (feed, operations) = (BRANCHES[0][5], BRANCHES[0][4]);
    let whole = || trove(nothing(), 0, n(10), n(22));
    let broken = [
        whole().revert(NETWORK, feed, &fetchPriceCall {}),
        whole().reply(NETWORK, feed, &fetchPriceCall {}, &(U256::MAX, false)),
        whole().reply(NETWORK, operations, &MCRCall {}, &n(0)),
        trove(nothing(), 0, n(10), n(0)),
    ];
    for chain in broken {
        let outcome = run(Question::LENDING, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].health, None);
    }
}

#[test]
fn a_trove_that_is_not_found_is_told() {
    let chain = trove(nothing(), 0, n(10), n(22)).reply(NETWORK, BRANCHES[0][2], &balanceOfCall(ACCOUNT), &n(2));
    let outcome = run(Question::LENDING, &chain);
    assert_eq!((outcome.end, outcome.positions().len(), outcome.not_covered.len()), (End::Partial, 1, 1));
}

#[test]
fn both_gains_of_a_deposit_are_one_claim_that_withdraws_nothing() {
    let [token, _, _, pool, ..] = BRANCHES[0];
    let outcome = run(Question::CLAIMABLES, &deposit(100, [7, 5], 3));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(claimed(&outcome), [(pool, BOLD, n(7)), (pool, token, n(8))]);
    let call = withdrawFromSPCall { _0: n(0), _1: true };
    assert_eq!(&outcome.claimables()[0].steps[0].arguments[..], &call.abi_encode()[4..]);
    let farming = run(Question::FARMING, &deposit(100, [7, 5], 3));
    let [position] = farming.positions()[..] else { panic!("one position") };
    let owed = |token, amount| (LegRole::REWARD_OWED, token, n(amount), None);
    assert_eq!(legs(position), [(LegRole::STAKED, BOLD, n(50), None), owed(BOLD, 7), owed(token, 8)]);
}

#[test]
fn stashed_collateral_and_what_is_left_over_have_claims_of_their_own() {
    let [token, _, _, pool, operations, _, surplus] = BRANCHES[0];
    let chain = deposit(0, [0, 0], 3).reply(NETWORK, surplus, &getCollateralCall(ACCOUNT), &n(4));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(claimed(&outcome), [(pool, token, n(3)), (operations, token, n(4))], "{}", outcome.message);
}

#[test]
fn an_account_with_nothing_costs_three_reads_a_branch_at_most() {
    for (question, reads) in [(Question::CLAIMABLES, 6), (Question::FARMING, 4), (Question::LENDING, 2)] {
        let outcome = run(question, &nothing());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        // Before them what never changes: the registry's views, its branches, their contracts.
        assert_eq!(outcome.batches, [2, 4, 6, reads]);
    }
}

#[test]
fn a_branch_that_cannot_be_read_loses_its_own_rows_alone() {
    let outcome =
        run(Question::CLAIMABLES, &deposit(100, [7, 5], 3).revert(NETWORK, BRANCHES[1][3], &depositsCall(ACCOUNT)));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 2), "{}", outcome.message);
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LENDING] {
        assert_eq!(run(question, &CannedReplies::default()).end, End::Failed);
    }
    let many = nothing().reply(NETWORK, REGISTRY, &totalCollateralsCall {}, &U256::MAX);
    assert_ne!(run(Question::FARMING, &many).end, End::Complete);
    let odd = trove(nothing(), 0, n(10), n(22)).revert(NETWORK, BRANCHES[0][1], &getTroveIdsCountCall {});
    assert_eq!(run(Question::LENDING, &odd).end, End::Partial);
}
