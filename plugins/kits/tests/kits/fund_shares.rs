//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::fund_shares::FundSharesKit;
use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, bound, by_number, n, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
    function slotOf(uint256) external view returns (uint256);
    function valueDecimals() external view returns (uint256);
    function concrete() external view returns (address);
    function poolInfos(bytes32) external view returns (uint256);
    function getSubscribeNav(bytes32 pool, uint256 time) external view returns (uint256, uint256);
    function getRedeemInfo(uint256) external view returns (bytes32, address, uint256, uint256);
    function getRedemptionFeeRate(uint256) external view returns (uint256);
    function claimableValue(uint256) external view returns (uint256);
    function claimTo(address to, uint256 id, address currency, uint256 value) external;
}

mod of_number {
    portolan_plugin_api::sol! {
        function balanceOf(uint256) external view returns (uint256);
    }
}

const NETWORK: u64 = 56;
const MARKET: Address = address!("0xc000000000000000000000000000000000000001");
const SHARES: Address = address!("0xc000000000000000000000000000000000000002");
const REDEMPTIONS: Address = address!("0xc000000000000000000000000000000000000003");
const CONCRETE: Address = address!("0xc000000000000000000000000000000000000004");
const ORACLE: Address = address!("0xc000000000000000000000000000000000000005");
const USDT: Address = address!("0xa000000000000000000000000000000000000001");
/// Kinds of a share, of a redemption that was closed, and of one that was not.
const SLOTS: [u64; 3] = [11, 12, 13];
/// A whole share.
const ONE: u64 = 1_000_000_000_000_000_000;
const DOLLAR: u64 = 1_000_000;

plugin! {
    Funds: &FundSharesKit { share: "share", redemption: "redemption" },
    ["funds" = "FUNDS"],
    r#"
    [[deployment]]
    protocol = "funds"
    network = "smartchain"
    fund_market = "0xc000000000000000000000000000000000000001"
    fund_shares = "0xc000000000000000000000000000000000000002"
    fund_redemptions = "0xc000000000000000000000000000000000000003"
    "#
}

/// The number of the pool of a share.
fn pool() -> B256 {
    keccak256((SHARES, n(SLOTS[0])).abi_encode())
}

/// What the market stores about a pool, of which the kit needs two words.
fn stored(currency: Address, oracle: Address) -> ReadResult {
    let mut words = [B256::ZERO; 21];
    (words[16], words[17]) = (currency.into_word(), oracle.into_word());
    ReadResult::Ok(words.concat().into())
}

/// Pools in which a share is worth 1.2 dollars, and the account's NFTs: number, kind and value of each.
fn chain(shares: &[(u64, u64, u64)], redemptions: &[(u64, u64, u64)]) -> CannedReplies {
    let chain = CannedReplies::default()
        .result(NETWORK, MARKET, &poolInfosCall(pool()), stored(USDT, ORACLE))
        .reply(NETWORK, ORACLE, &getSubscribeNavCall { pool: pool(), time: n(0) }, &(n(1_200_000), n(1_699_920_000)))
        .reply(NETWORK, REDEMPTIONS, &concreteCall {}, &CONCRETE);
    [(SHARES, shares), (REDEMPTIONS, redemptions)].into_iter().fold(chain, |chain, (of, owned)| {
        let count = U256::from(owned.len());
        let chain = chain.reply(NETWORK, of, &balanceOfCall(ACCOUNT), &count);
        let chain = chain.reply(NETWORK, of, &valueDecimalsCall {}, &n(18));
        owned.iter().enumerate().fold(chain, |chain, (place, (id, slot, value))| {
            chain
                .reply(NETWORK, of, &tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: U256::from(place) }, &n(*id))
                .reply(NETWORK, of, &slotOfCall(n(*id)), &n(*slot))
                .reply(NETWORK, of, &of_number::balanceOfCall(n(*id)), &n(*value))
        })
    })
}

/// A fund repaid 4 of 10 shares that were closed at 1.1 dollars, and none of 5 others, which have no value yet.
fn redeemed(fee: Option<u64>) -> CannedReplies {
    let chain = chain(&[], &[(7, SLOTS[1], 10 * ONE), (8, SLOTS[2], 5 * ONE)]);
    let info = |nav: u64| (pool(), USDT, n(1_690_000_000), n(nav));
    let chain = chain
        .reply(NETWORK, CONCRETE, &getRedeemInfoCall(n(SLOTS[1])), &info(1_100_000))
        .reply(NETWORK, CONCRETE, &getRedeemInfoCall(n(SLOTS[2])), &info(0))
        .reply(NETWORK, CONCRETE, &claimableValueCall(n(7)), &n(4 * ONE))
        .reply(NETWORK, CONCRETE, &claimableValueCall(n(8)), &n(0));
    [SLOTS[1], SLOTS[2]].iter().fold(chain, |chain, slot| match fee {
        Some(fee) => chain.reply(NETWORK, CONCRETE, &getRedemptionFeeRateCall(n(*slot)), &n(fee)),
        None => chain.revert(NETWORK, CONCRETE, &getRedemptionFeeRateCall(n(*slot))),
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("funds", NETWORK, question, ACCOUNT)
        .claim_functions(&bound(
            "claimTo(address account, uint256 number, address token, uint256 number)",
            &[REDEMPTIONS],
        ))
        .run::<Funds>(chain)
}

/// Number, token and amount of each leg.
fn told(outcome: &Outcome) -> Vec<(Option<U256>, Address, U256)> {
    outcome.legs().iter().map(|leg| (leg.number, leg.token, leg.amount)).collect()
}

#[test]
fn a_share_is_worth_the_last_value_of_its_pool() {
    // 3 at 1.2, and one without value.
    let outcome = run(Question::FARMING, &chain(&[(5, SLOTS[0], 3 * ONE), (6, SLOTS[0], 0)], &[]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(told(&outcome), [(Some(n(5)), USDT, n(3_600_000))]);
    assert_eq!(outcome.positions()[0].nft, Some(Nft { collection: SHARES, token_id: n(5) }));
}

#[test]
fn what_was_repaid_is_a_claim_without_the_fee_and_the_rest_waits() {
    for (fee, paid) in [(None, 4_400_000), (Some(0), 4_400_000), (Some(ONE / 100), 4_356_000)] {
        let chain = redeemed(fee);
        let claims = run(Question::CLAIMABLES, &chain);
        assert_eq!(claims.end, End::Complete, "{}", claims.message);
        assert_eq!(by_number(&claims), [(Some(n(7)), USDT, n(paid))]);
        let row = claims.payments()[0];
        let call = claimToCall { to: ACCOUNT, id: n(7), currency: USDT, value: n(4 * ONE) };
        assert_eq!((row.claim.to, &row.claim.arguments[..]), (REDEMPTIONS, &call.abi_encode()[4..]));
        // 6 at 1.1, and 5 at the pool's 1.2.
        let waits = run(Question::LOCKED, &chain);
        assert_eq!(waits.end, End::Complete, "{}", waits.message);
        assert_eq!(told(&waits), [(Some(n(7)), USDT, n(6_600_000)), (Some(n(8)), USDT, n(6 * DOLLAR))]);
        waits.check_totals(&claims);
    }
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = run(question, &chain(&[], &[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn an_nft_that_cannot_be_read_loses_only_itself() {
    let two = || chain(&[(5, SLOTS[0], 3 * ONE), (6, SLOTS[0], 2 * ONE)], &[]);
    let outcome = run(Question::FARMING, &two().revert(NETWORK, SHARES, &slotOfCall(n(5))));
    assert_eq!((outcome.end, told(&outcome)), (End::Partial, vec![(Some(n(6)), USDT, n(2_400_000))]));
    let broken = [
        two().result(NETWORK, MARKET, &poolInfosCall(pool()), stored(Address::ZERO, Address::ZERO)),
        two().reply(NETWORK, ORACLE, &getSubscribeNavCall { pool: pool(), time: n(0) }, &(n(0), n(0))),
        two().reply(NETWORK, ORACLE, &getSubscribeNavCall { pool: pool(), time: n(0) }, &(U256::MAX, n(0))),
        two().reply(NETWORK, SHARES, &valueDecimalsCall {}, &n(200)),
        CannedReplies::default(),
    ];
    for chain in broken {
        let outcome = run(Question::FARMING, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{}", outcome.message);
    }
    let redeemed = || redeemed(Some(ONE / 100));
    let first = [
        redeemed().reply(NETWORK, CONCRETE, &claimableValueCall(n(7)), &n(11 * ONE)),
        redeemed().reply(NETWORK, CONCRETE, &getRedemptionFeeRateCall(n(SLOTS[1])), &n(2 * ONE)),
        redeemed().revert(NETWORK, REDEMPTIONS, &of_number::balanceOfCall(n(7))),
    ];
    for chain in first {
        let outcome = run(Question::LOCKED, &chain);
        assert_eq!((outcome.end, told(&outcome)), (End::Partial, vec![(Some(n(8)), USDT, n(6 * DOLLAR))]));
        assert_eq!(run(Question::CLAIMABLES, &chain).end, End::Partial);
    }
}
