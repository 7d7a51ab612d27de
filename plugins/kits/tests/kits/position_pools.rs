//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::position_pools::PositionPoolsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, n, plugin};

sol! {
    function poolsLength() external view returns (uint256);
    function getPoolAddressByIndex(uint256) external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
    function getPoolInfo() external view
        returns (address, address, address, uint256, uint256, uint256, uint256, uint256);
    function xGrailRewardsShare() external view returns (uint256);
    function isUnlocked() external view returns (bool);
    function getStakingPosition(uint256) external view
        returns (uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256);
    function pendingRewards(uint256) external view returns (uint256);
    function harvestPosition(uint256) external;
}

const NETWORK: u64 = 42_161;
const MASTER: Address = address!("0xc000000000000000000000000000000000000001");
const GRAIL: Address = address!("0xa000000000000000000000000000000000000001");
const XGRAIL: Address = address!("0xa000000000000000000000000000000000000002");
const POOLS: PositionPoolsKit = PositionPoolsKit { stake: "nft-pool", nitro: "nitro-pool" };

plugin! {
    Camelot: &POOLS,
    ["camelot" = "CAMELOT"],
    r#"
    [[deployment]]
    protocol = "camelot"
    network = "arbitrum"
    position_master = "0xc000000000000000000000000000000000000001"
    "#
}

fn pool(place: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &place.to_be_bytes()].concat())
}

fn lp(place: u64) -> Address {
    Address::left_padding_from(&[&[0x1b][..], &place.to_be_bytes()].concat())
}

/// A master with this many pools, in which the account has nothing. Each restricts 80% of its rewards.
fn master(count: u64) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, MASTER, &poolsLengthCall {}, &n(count));
    (0..count).fold(chain, |chain, place| {
        let info = (lp(place), GRAIL, XGRAIL, n(9), n(9), n(4_000), n(8_000), n(1));
        chain
            .reply(NETWORK, MASTER, &getPoolAddressByIndexCall(n(place)), &pool(place))
            .reply(NETWORK, pool(place), &balanceOfCall(ACCOUNT), &U256::ZERO)
            .reply(NETWORK, pool(place), &getPoolInfoCall {}, &info)
            .reply(NETWORK, pool(place), &xGrailRewardsShareCall {}, &n(8_000))
            .reply(NETWORK, pool(place), &isUnlockedCall {}, &false)
    })
}

/// An NFT: id, amount, end of its lock, and pending rewards.
type Nft = (u64, u64, u64, u64);

fn nfts(chain: CannedReplies, place: u64, nfts: &[Nft]) -> CannedReplies {
    let chain = chain.reply(NETWORK, pool(place), &balanceOfCall(ACCOUNT), &U256::from(nfts.len()));
    nfts.iter().enumerate().fold(chain, |chain, (index, (id, amount, ends_s, pending))| {
        let index = tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: U256::from(index) };
        let position = (n(*amount), n(2 * amount), n(ends_s - 100), n(100), n(9), n(9), n(9), n(9));
        chain
            .reply(NETWORK, pool(place), &index, &n(*id))
            .reply(NETWORK, pool(place), &getStakingPositionCall(n(*id)), &position)
            .reply(NETWORK, pool(place), &pendingRewardsCall(n(*id)), &n(*pending))
    })
}

fn case(question: Question) -> JobTest {
    JobTest::new("camelot", NETWORK, question, ACCOUNT)
}

fn claimables(chain: impl Replies) -> Outcome {
    case(Question::CLAIMABLES).run::<Camelot>(chain)
}

fn farming(chain: impl Replies) -> Outcome {
    case(Question::FARMING).run::<Camelot>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for outcome in [claimables(&master(3)), farming(&master(3)), claimables(&master(0))] {
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
    let known = case(Question::CLAIMABLES).facts("main", "pools", &[pool(0), pool(1), pool(2)]);
    let outcome = known.run::<Camelot>(&master(3));
    assert_eq!((outcome.end, outcome.batches), (End::Complete, vec![1, 3]), "{}", outcome.message);
}

#[test]
fn one_claim_of_each_nft_pays_both_tokens() {
    let chain = nfts(nfts(master(3), 0, &[(4, 10, NOW_S, 11)]), 2, &[(7, 20, NOW_S, 1), (8, 20, NOW_S, 0)]);
    let outcome = claimables(&chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    // 80% of 11 is 8.8: the restricted token gets 8 and the other one the rest. Of 1, the restricted token gets
    // nothing.
    let expected = [(Some(n(4)), GRAIL, n(3)), (Some(n(4)), XGRAIL, n(8)), (Some(n(7)), GRAIL, n(1))];
    assert_eq!(by_number(&outcome), expected);
    let rows = outcome.payments();
    assert_eq!((rows[0].contract, rows[0].claim.to), (pool(0), pool(0)));
    assert_eq!(rows[0].claim, rows[1].claim);
    assert_eq!(rows[0].claim.arguments, harvestPositionCall(n(4)).abi_encode()[4..]);
    assert_eq!(rows[2].name, format!("{{{:#x}}} reward", lp(2)));
    let known = case(Question::CLAIMABLES).facts("main", "pools", &[pool(0), pool(1), pool(2)]);
    // The list; NFTs in each pool; the two pools and their NFTs; the pending rewards and the pairs.
    let outcome = known.run::<Camelot>(&chain);
    assert_eq!(outcome.batches, [1, 3, 2 * 3 + 3, 3 + 2 * 3], "{}", outcome.message);
}

#[test]
fn a_stake_is_with_questions_its_lock_while_it_lasts() {
    let all = [(4, 10, NOW_S + 1, 0), (5, 1, NOW_S, 0), (6, 0, NOW_S + 1, 0)];
    let outcome = farming(&nfts(master(2), 1, &all));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 2), "{}", outcome.message);
    let legs = outcome.legs();
    assert_eq!((legs[0].contract, legs[0].token, legs[0].number), (pool(1), lp(1), Some(n(4))));
    let amounts: Vec<_> = legs.iter().map(|leg| (leg.amount, leg.total)).collect();
    assert_eq!(amounts, [(n(10), Some(n(4_000))), (n(1), Some(n(4_000)))]);
    let rewards = [Reward::new(GRAIL, None), Reward::new(XGRAIL, None)];
    assert!(legs.iter().all(|leg| leg.rewards == rewards));
    let locks: Vec<_> = outcome.positions().into_iter().map(|row| row.lock).collect();
    assert_eq!(locks, [Some(Lock { unlocks_at: Some(NOW_S + 1), is_permanent: None }), None]);
    // An unlocked pool locks nothing.
    let free = nfts(master(2), 1, &all).reply(NETWORK, pool(1), &isUnlockedCall {}, &true);
    assert!(farming(&free).positions().iter().all(|row| row.lock.is_none()));
}

#[test]
fn a_bad_pool_or_nft_costs_its_own_rows_and_is_reported() {
    let chain = nfts(nfts(master(3), 0, &[(4, 10, NOW_S, 11), (5, 10, NOW_S, 11)]), 2, &[(7, 20, NOW_S, 5)]);
    let last = vec![(Some(n(7)), GRAIL, n(1)), (Some(n(7)), XGRAIL, n(4))];
    let bad = [
        chain.clone().revert(NETWORK, pool(0), &balanceOfCall(ACCOUNT)),
        chain.clone().revert(NETWORK, pool(0), &getPoolInfoCall {}),
        chain.clone().reply(NETWORK, pool(0), &xGrailRewardsShareCall {}, &n(10_001)),
        // The master names another pool now.
        chain.clone().reply(NETWORK, MASTER, &getPoolAddressByIndexCall(n(0)), &ACCOUNT),
    ];
    for chain in bad {
        let known = case(Question::CLAIMABLES).facts("main", "pools", &[pool(0), pool(1), pool(2)]);
        let outcome = known.run::<Camelot>(&chain);
        assert_eq!((outcome.end, by_number(&outcome)), (End::Partial, last.clone()), "{}", outcome.message);
        assert!(outcome.message.starts_with("main: "), "{}", outcome.message);
    }
    let outcome = claimables(&chain.clone().revert(NETWORK, pool(0), &pendingRewardsCall(n(4))));
    assert_eq!((outcome.end, by_number(&outcome).len()), (End::Partial, 4), "{}", outcome.message);
    let outcome = claimables(&chain.reply(NETWORK, pool(0), &pendingRewardsCall(n(4)), &U256::MAX));
    assert_eq!((outcome.end, by_number(&outcome).len()), (End::Partial, 4), "{}", outcome.message);
    for question in [Question::CLAIMABLES, Question::FARMING] {
        assert_eq!(case(question).run::<Camelot>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn only_the_first_nfts_of_a_pool_are_answered_and_the_answer_says_so() {
    let many: Vec<Nft> = (0..65).map(|id| (id, 1, NOW_S, 5)).collect();
    let outcome = farming(&nfts(master(1), 0, &many));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 64));
    assert!(outcome.not_covered[0].contains("65 NFTs, of which 64 are answered"), "{:?}", outcome.not_covered);
}
