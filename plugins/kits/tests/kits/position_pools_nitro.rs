//! Nitro pools through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::position_pools::PositionPoolsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, n, plugin};

sol! {
    function publishedNitroPoolsLength() external view returns (uint256);
    function getPublishedNitroPool(uint256) external view returns (address);
    function poolsLength() external view returns (uint256);
    function pools(uint256) external view returns (address);
    function nftPool() external view returns (address);
    function rewardsToken1() external view returns (address, uint256, uint256, uint256);
    function rewardsToken2() external view returns (address, uint256, uint256, uint256);
    function rewardsToken1PerSecond() external view returns (uint256);
    function rewardsToken2PerSecond() external view returns (uint256);
    function settings() external view
        returns (uint256, uint256, uint256, uint256, uint256, uint256, uint256, bool, string);
    function customReqContract() external view returns (address);
    function totalDepositAmount() external view returns (uint256);
    function userTokenIdsLength(address) external view returns (uint256);
    function userTokenId(address, uint256) external view returns (uint256);
    function harvest() external;
    function canHarvest(address) external view returns (bool);
    function balanceOf(address) external view returns (uint256);
    function getPoolInfo() external view
        returns (address, address, address, uint256, uint256, uint256, uint256, uint256);
    function xGrailRewardsShare() external view returns (uint256);
    function isUnlocked() external view returns (bool);
    function getStakingPosition(uint256) external view
        returns (uint256, uint256, uint256, uint256, uint256, uint256, uint256, uint256);
    function harvestPositionTo(uint256, address) external;
}

/// A pool's view of an NFT; it has the same name as a nitro pool's view of an account.
mod of_nft {
    portolan_plugin_api::sol! {
        function pendingRewards(uint256) external view returns (uint256);
    }
}

/// The nitro pool's view of an account.
mod of_account {
    portolan_plugin_api::sol! {
        function pendingRewards(address) external view returns (uint256, uint256);
    }
}

const NETWORK: u64 = 42_161;
const FACTORY: Address = address!("0xc000000000000000000000000000000000000001");
const NFT_FACTORY: Address = address!("0xc000000000000000000000000000000000000002");
const GRAIL: Address = address!("0xa000000000000000000000000000000000000001");
const XGRAIL: Address = address!("0xa000000000000000000000000000000000000002");
const ARB: Address = address!("0xa000000000000000000000000000000000000003");
const GMX: Address = address!("0xa000000000000000000000000000000000000004");
const ASKED: Address = address!("0xc000000000000000000000000000000000000003");
const POOLS: PositionPoolsKit = PositionPoolsKit { stake: "nft-pool", nitro: "nitro-pool" };

plugin! {
    Camelot: &POOLS,
    ["camelot" = "CAMELOT"],
    r#"
    [[deployment]]
    protocol = "camelot"
    network = "arbitrum"
    market = "nitro"
    nitro_factory = "0xc000000000000000000000000000000000000001"
    nft_pool_factory = "0xc000000000000000000000000000000000000002"
    "#
}

fn at(kind: u8, place: u64) -> Address {
    Address::left_padding_from(&[&[kind][..], &place.to_be_bytes()].concat())
}

fn nitro(place: u64) -> Address {
    at(0x41, place)
}

/// Returns the pool whose NFTs the nitro pool at this index takes.
fn nft_pool(place: u64) -> Address {
    at(0x5a, place)
}

fn lp(place: u64) -> Address {
    at(0x1b, place)
}

/// The settings of a nitro pool, with a start, an end and a first harvest.
fn times(chain: CannedReplies, place: u64, [start_s, end_s, harvest_s]: [u64; 3]) -> CannedReplies {
    let text = "what it is for".to_owned();
    let settings = (n(start_s), n(end_s), n(harvest_s), n(0), n(0), n(0), n(0), false, text);
    chain.result(NETWORK, nitro(place), &settingsCall {}, ReadResult::Ok(settings.abi_encode_params().into()))
}

/// This many nitro pools, each with a pool, in which the account has nothing. Each pays 3 ARB and 5 GMX per second, and
/// its pool restricts 80% of its rewards.
fn factory(count: u64) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, FACTORY, &publishedNitroPoolsLengthCall {}, &n(count)).reply(
        NETWORK,
        NFT_FACTORY,
        &poolsLengthCall {},
        &n(count),
    );
    (0..count).fold(chain, |chain, place| {
        let (at, pool) = (nitro(place), nft_pool(place));
        let token = |address: Address| (address, n(900), n(100), n(1));
        let info = (lp(place), GRAIL, XGRAIL, n(9), n(9), n(4_000), n(8_000), n(1));
        times(chain, place, [NOW_S - 10, NOW_S + 10, NOW_S])
            .reply(NETWORK, FACTORY, &getPublishedNitroPoolCall(n(place)), &at)
            .reply(NETWORK, NFT_FACTORY, &poolsCall(n(place)), &pool)
            .reply(NETWORK, at, &nftPoolCall {}, &pool)
            .reply(NETWORK, at, &rewardsToken1Call {}, &token(ARB))
            .reply(NETWORK, at, &rewardsToken2Call {}, &token(GMX))
            .reply(NETWORK, at, &rewardsToken1PerSecondCall {}, &n(3))
            .reply(NETWORK, at, &rewardsToken2PerSecondCall {}, &n(5))
            .reply(NETWORK, at, &customReqContractCall {}, &Address::ZERO)
            .reply(NETWORK, at, &totalDepositAmountCall {}, &n(700))
            .reply(NETWORK, at, &userTokenIdsLengthCall(ACCOUNT), &U256::ZERO)
            .reply(NETWORK, at, &of_account::pendingRewardsCall(ACCOUNT), &(U256::ZERO, U256::ZERO))
            .reply(NETWORK, ARB, &balanceOfCall(at), &n(1_000))
            .reply(NETWORK, GMX, &balanceOfCall(at), &n(1_000))
            .reply(NETWORK, pool, &getPoolInfoCall {}, &info)
            .reply(NETWORK, pool, &xGrailRewardsShareCall {}, &n(8_000))
            .reply(NETWORK, pool, &isUnlockedCall {}, &false)
    })
}

/// An NFT: id, amount, end of its lock, and rewards pending in its own pool.
type Nft = (u64, u64, u64, u64);

fn nfts(chain: CannedReplies, place: u64, nfts: &[Nft]) -> CannedReplies {
    let chain = chain.reply(NETWORK, nitro(place), &userTokenIdsLengthCall(ACCOUNT), &U256::from(nfts.len()));
    nfts.iter().enumerate().fold(chain, |chain, (index, (id, amount, ends_s, pending))| {
        let position = (n(*amount), n(2 * amount), n(ends_s - 100), n(100), n(9), n(9), n(9), n(9));
        chain
            .reply(NETWORK, nitro(place), &userTokenIdCall { _0: ACCOUNT, _1: U256::from(index) }, &n(*id))
            .reply(NETWORK, nft_pool(place), &getStakingPositionCall(n(*id)), &position)
            .reply(NETWORK, nft_pool(place), &of_nft::pendingRewardsCall(n(*id)), &n(*pending))
    })
}

fn pending(chain: CannedReplies, place: u64, amounts: [u64; 2]) -> CannedReplies {
    let call = of_account::pendingRewardsCall(ACCOUNT);
    chain.reply(NETWORK, nitro(place), &call, &(n(amounts[0]), n(amounts[1])))
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

/// Returns contract, number, token and amount of each payment.
fn paid(outcome: &Outcome) -> Vec<(Address, Option<U256>, Address, U256)> {
    outcome.payments().into_iter().map(|row| (row.contract, row.number, row.token, row.amount)).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for outcome in [claimables(&factory(3)), farming(&factory(3)), claimables(&factory(0))] {
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
    let places = [nitro(0), nitro(1), nitro(2)];
    let known = case(Question::CLAIMABLES).facts("nitro", "nitro-pools", &places);
    let known = known.facts("nitro", "nft-pools", &[nft_pool(0), nft_pool(1), nft_pool(2)]);
    let outcome = known.run::<Camelot>(&factory(3));
    // The lengths of both lists; the owed amounts and the number of NFTs of each pool.
    assert_eq!((outcome.end, outcome.batches), (End::Complete, vec![2, 2 * 3]), "{}", outcome.message);
}

#[test]
fn a_nitro_pool_pays_both_of_its_tokens_and_each_nft_those_of_its_own_pool() {
    let chain = pending(nfts(factory(3), 1, &[(4, 10, NOW_S, 11), (5, 10, NOW_S, 0)]), 1, [7, 9]);
    // Owed to an account that has left.
    let outcome = claimables(&pending(chain, 2, [0, 6]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    // 80% of 11 is 8.8: the restricted token gets 8 and the other one the rest.
    let expected = [
        (nitro(1), None, ARB, n(7)),
        (nitro(1), None, GMX, n(9)),
        (nitro(2), None, GMX, n(6)),
        (nft_pool(1), Some(n(4)), GRAIL, n(3)),
        (nft_pool(1), Some(n(4)), XGRAIL, n(8)),
    ];
    assert_eq!(paid(&outcome), expected);
    let rows = outcome.payments();
    assert_eq!((rows[0].claim.to, &rows[0].claim), (nitro(1), &rows[1].claim));
    assert_eq!(rows[0].claim.arguments, harvestCall {}.abi_encode()[4..]);
    assert_eq!(rows[0].name, format!("{{{:#x}}} nitro reward", lp(1)));
    assert_eq!((rows[3].claim.to, &rows[3].claim), (nft_pool(1), &rows[4].claim));
    // It names the account: the nitro pool owns the NFT.
    let claim = harvestPositionToCall { _0: n(4), _1: ACCOUNT };
    assert_eq!(rows[3].claim.arguments, claim.abi_encode()[4..]);
}

#[test]
fn what_a_harvest_would_not_pay_is_not_told() {
    let owed = pending(factory(1), 0, [7, 9]);
    let asked = owed.clone().reply(NETWORK, nitro(0), &customReqContractCall {}, &ASKED);
    let empty = [ARB, GMX]
        .into_iter()
        .fold(owed.clone(), |chain, token| chain.reply(NETWORK, token, &balanceOfCall(nitro(0)), &U256::ZERO));
    let unpaid = [
        // Harvests begin later.
        times(owed.clone(), 0, [NOW_S - 10, NOW_S + 10, NOW_S + 1]),
        asked.clone().reply(NETWORK, ASKED, &canHarvestCall(ACCOUNT), &false),
        empty,
    ];
    for chain in unpaid {
        let outcome = claimables(&chain);
        assert_eq!((outcome.end, paid(&outcome)), (End::Complete, vec![]), "{}", outcome.message);
    }
    let both = vec![(nitro(0), None, ARB, n(7)), (nitro(0), None, GMX, n(9))];
    let allowed = asked.clone().reply(NETWORK, ASKED, &canHarvestCall(ACCOUNT), &true);
    assert_eq!(paid(&claimables(&allowed)), both);
    // It pays at most its balance.
    let short = owed.clone().reply(NETWORK, GMX, &balanceOfCall(nitro(0)), &n(2));
    assert_eq!(paid(&claimables(&short)), [(nitro(0), None, ARB, n(7)), (nitro(0), None, GMX, n(2))]);
    // An unreadable condition is not a refusal.
    let outcome = claimables(&asked.revert(NETWORK, ASKED, &canHarvestCall(ACCOUNT)));
    assert_eq!((outcome.end, paid(&outcome)), (End::Partial, vec![]), "{}", outcome.message);
}

#[test]
fn a_stake_is_with_questions_its_lock_and_with_what_is_paid_a_second() {
    let all = [(4, 10, NOW_S + 1, 0), (5, 1, NOW_S, 0), (6, 0, NOW_S + 1, 0)];
    let chain = nfts(factory(2), 1, &all);
    let outcome = farming(&chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 2), "{}", outcome.message);
    let legs = outcome.legs();
    assert_eq!((legs[0].contract, legs[0].token, legs[0].number), (nitro(1), lp(1), Some(n(4))));
    let amounts: Vec<_> = legs.iter().map(|leg| (leg.amount, leg.total)).collect();
    assert_eq!(amounts, [(n(10), Some(n(700))), (n(1), Some(n(700)))]);
    let weighed = [Reward::new(GRAIL, None), Reward::new(XGRAIL, None)];
    let paying = |arb: u64, gmx: u64| {
        let own = [Reward::new(ARB, n(arb)), Reward::new(GMX, n(gmx))];
        own.into_iter().chain(weighed).collect::<Vec<_>>()
    };
    assert!(legs.iter().all(|leg| leg.rewards == paying(3, 5)));
    let locks: Vec<_> = outcome.positions().into_iter().map(|row| row.lock).collect();
    assert_eq!(locks, [Some(Lock { unlocks_at: Some(NOW_S + 1), is_permanent: None }), None]);
    // Before its start and after its end it pays nothing, whatever its view returns.
    for (start_s, end_s) in [(NOW_S + 1, NOW_S + 10), (NOW_S - 10, NOW_S)] {
        let chain = times(chain.clone(), 1, [start_s, end_s, NOW_S]);
        assert!(farming(&chain).legs().iter().all(|leg| leg.rewards == paying(0, 0)));
    }
    // The second token may be missing; the first may be one that the NFT's own pool also pays.
    let chain = chain.reply(NETWORK, nitro(1), &rewardsToken1Call {}, &(XGRAIL, n(1), n(1), n(1))).reply(
        NETWORK,
        nitro(1),
        &rewardsToken2Call {},
        &(Address::ZERO, n(0), n(0), n(0)),
    );
    let both = [Reward::new(XGRAIL, None), Reward::new(GRAIL, None)];
    assert!(farming(&chain).legs().iter().all(|leg| leg.rewards == both));
}

#[test]
fn a_nitro_pool_of_a_contract_that_is_no_pool_is_left_out() {
    let chain = pending(nfts(factory(2), 0, &[(4, 10, NOW_S, 11)]), 0, [7, 9]);
    let chain = chain.reply(NETWORK, nitro(0), &nftPoolCall {}, &at(0x66, 0));
    for outcome in [claimables(&chain), farming(&chain)] {
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn a_bad_pool_or_nft_costs_its_own_rows_and_is_reported() {
    let chain = nfts(nfts(factory(3), 0, &[(4, 10, NOW_S, 11)]), 2, &[(7, 20, NOW_S, 5)]);
    let chain = pending(pending(chain, 0, [7, 9]), 2, [1, 0]);
    let last = vec![
        (nitro(2), None, ARB, n(1)),
        (nft_pool(2), Some(n(7)), GRAIL, n(1)),
        (nft_pool(2), Some(n(7)), XGRAIL, n(4)),
    ];
    let bad = [
        chain.clone().revert(NETWORK, nft_pool(0), &getPoolInfoCall {}),
        chain.clone().revert(NETWORK, nitro(0), &nftPoolCall {}),
        // The factories name other pools now.
        chain.clone().reply(NETWORK, FACTORY, &getPublishedNitroPoolCall(n(0)), &ACCOUNT),
        chain.clone().reply(NETWORK, NFT_FACTORY, &poolsCall(n(0)), &ACCOUNT),
    ];
    for chain in bad {
        let known = case(Question::CLAIMABLES).facts("nitro", "nitro-pools", &[nitro(0), nitro(1), nitro(2)]);
        let known = known.facts("nitro", "nft-pools", &[nft_pool(0), nft_pool(1), nft_pool(2)]);
        let outcome = known.run::<Camelot>(&chain);
        assert_eq!((outcome.end, paid(&outcome)), (End::Partial, last.clone()), "{}", outcome.message);
        assert!(outcome.message.starts_with("nitro: "), "{}", outcome.message);
    }
    let outcome = claimables(&chain.clone().revert(NETWORK, nft_pool(0), &of_nft::pendingRewardsCall(n(4))));
    assert_eq!((outcome.end, paid(&outcome).len()), (End::Partial, 5), "{}", outcome.message);
    let outcome = farming(&chain.clone().revert(NETWORK, nft_pool(0), &getStakingPositionCall(n(4))));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 1), "{}", outcome.message);
    let outcome = farming(&chain.revert(NETWORK, nitro(0), &totalDepositAmountCall {}));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 1), "{}", outcome.message);
    for question in [Question::CLAIMABLES, Question::FARMING] {
        assert_eq!(case(question).run::<Camelot>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn only_the_first_nfts_of_a_nitro_pool_are_answered_and_the_answer_says_so() {
    let many: Vec<Nft> = (0..65).map(|id| (id, 1, NOW_S, 5)).collect();
    let outcome = farming(&nfts(factory(1), 0, &many));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 64));
    assert!(outcome.not_covered[0].contains("65 NFTs, of which 64 are answered"), "{:?}", outcome.not_covered);
}
