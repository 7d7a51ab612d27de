//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::pendle::PendleKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, claimed, n, plugin};

sol! {
    function readTokens() external view returns (address, address, address);
    function _storage() external view returns (int128, int128, uint96, uint16, uint16, uint16);
    function redeemRewards(address) external returns (uint256[]);
    function expiry() external view returns (uint256);
    function pyIndexStored() external view returns (uint256);
    function redeemDueInterestAndRewards(address, bool, bool) external returns (uint256, uint256[]);
    function userInterest(address) external view returns (uint128, uint128);
    function getRewardTokens() external view returns (address[]);
    function userReward(address, address) external view returns (uint128, uint128);
    function exchangeRate() external view returns (uint256);
    function assetInfo() external view returns (uint8, address, uint8);
    function yieldToken() external view returns (address);
    function previewRedeem(address, uint256) external view returns (uint256);
    function claimRewards(address) external returns (uint256[]);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function decimals() external view returns (uint8);
}

const NETWORK: u64 = 1;
/// Two markets; what is said of the first holds of the second at place 1.
const MARKETS: [Address; 2] = [Address::repeat_byte(0x11), Address::repeat_byte(0x12)];
const SY: [Address; 2] = [Address::repeat_byte(0x21), Address::repeat_byte(0x22)];
const PT: [Address; 2] = [Address::repeat_byte(0x31), Address::repeat_byte(0x32)];
const YT: [Address; 2] = [Address::repeat_byte(0x41), Address::repeat_byte(0x42)];
const ASSET: Address = Address::repeat_byte(0x51);
const WRAPPED: Address = Address::repeat_byte(0x52);
const REWARD: Address = Address::repeat_byte(0x61);
const PENDLE: Address = Address::repeat_byte(0x62);
const EXPIRY: u64 = NOW_S + 1;
/// 1 with 18 decimals.
const ONE: u64 = 1_000_000_000_000_000_000;
const TOKEN: u64 = 0;
const BRIDGED: u64 = 2;

plugin! {
    Markets: &PendleKit { principal: "pt", yield_token: "yt", wrapped: "sy", liquidity: "liquidity", share: "PENDLE" },
    ["pendle" = "PENDLE"],
    r#"
    [[deployment]]
    protocol = "pendle"
    network = "ethereum"
    market = "markets"
    pendle_markets = [
        "0x1111111111111111111111111111111111111111",
        "0x1212121212121212121212121212121212121212",
    ]
    "#
}

fn market(chain: CannedReplies, place: usize) -> CannedReplies {
    let (market, sy, pt, yt) = (MARKETS[place], SY[place], PT[place], YT[place]);
    let chain = chain
        .reply(NETWORK, market, &readTokensCall {}, &(sy, pt, yt))
        .reply(NETWORK, market, &getRewardTokensCall {}, &vec![PENDLE])
        .reply(NETWORK, market, &userRewardCall { _0: PENDLE, _1: ACCOUNT }, &(n(0), n(0)))
        .reply(NETWORK, yt, &getRewardTokensCall {}, &Vec::<Address>::new())
        .reply(NETWORK, sy, &getRewardTokensCall {}, &Vec::<Address>::new())
        .reply(NETWORK, yt, &userInterestCall(ACCOUNT), &(n(0), n(0)))
        .reply(NETWORK, yt, &expiryCall {}, &n(EXPIRY))
        .reply(NETWORK, yt, &pyIndexStoredCall {}, &n(ONE));
    let tokens = [market, sy, pt, yt];
    tokens
        .iter()
        .fold(chain, |chain, token| holds(chain, *token, n(0)).reply(NETWORK, *token, &decimalsCall {}, &n(18)))
}

/// An account with nothing, and wrapped assets that are worth 1.25 of the asset.
fn empty() -> CannedReplies {
    let chain = (0..2).fold(CannedReplies::default(), market);
    (0..2).fold(chain, |chain, place| asset(rate(chain, place, 5 * ONE / 4), place, TOKEN, ASSET, 18)).reply(
        NETWORK,
        ASSET,
        &decimalsCall {},
        &n(18),
    )
}

fn holds(chain: CannedReplies, token: Address, amount: U256) -> CannedReplies {
    chain.reply(NETWORK, token, &balanceOfCall(ACCOUNT), &amount)
}

fn rate(chain: CannedReplies, place: usize, rate: u64) -> CannedReplies {
    chain.reply(NETWORK, SY[place], &exchangeRateCall {}, &n(rate))
}

fn asset(chain: CannedReplies, place: usize, kind: u64, token: Address, decimals: u64) -> CannedReplies {
    let chain = chain.reply(NETWORK, SY[place], &assetInfoCall {}, &(n(kind), token, n(decimals)));
    chain.reply(NETWORK, SY[place], &yieldTokenCall {}, &WRAPPED)
}

fn index(chain: CannedReplies, place: usize, index: u64) -> CannedReplies {
    chain.reply(NETWORK, YT[place], &pyIndexStoredCall {}, &n(index))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("pendle", NETWORK, question, ACCOUNT).run::<Markets>(chain)
}

/// Contract, token, amount, what it redeems to, and the end of a lock, of each position.
type Held = (Address, Address, U256, Option<(Address, U256)>, Option<u64>);

fn held(outcome: &Outcome) -> Vec<Held> {
    let row = |row: &&Position| {
        let leg = &row.legs[0];
        let redeems = leg.redeems_to.as_ref().map(|parts| (parts[0].token, parts[0].amount));
        (row.contract, leg.token, leg.amount, redeems, row.lock.as_ref().and_then(|lock| lock.unlocks_at))
    };
    outcome.positions().iter().map(row).collect()
}

#[test]
fn an_account_with_nothing_costs_a_read_per_token() {
    // The tokens of the markets are known after the first answer, and their rewards for some minutes.
    let batches = [
        (Question::FARMING, vec![2, 6]),
        (Question::POOLING, vec![2, 2]),
        // Interest, liquidity, rewards and wrapped assets.
        (Question::CLAIMABLES, vec![2, 2, 8]),
    ];
    for (question, expected) in batches {
        let outcome = run(question, &empty());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, expected);
    }
}

#[test]
fn a_principal_token_pays_its_asset_at_the_highest_rate_so_far() {
    let chain = || holds(holds(empty(), PT[0], n(100)), PT[1], n(100));
    // 100 / 1.25 are 80, at 1.25; 100 / 1.3 are 76, at 1.25.
    let outcome = run(Question::FARMING, &index(chain(), 1, 13 * ONE / 10));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let expected = [
        (PT[0], ASSET, n(100), Some((ASSET, n(100))), Some(EXPIRY)),
        (PT[1], ASSET, n(100), Some((ASSET, n(95))), Some(EXPIRY)),
    ];
    assert_eq!(held(&outcome), expected);
    let first = outcome.positions()[0];
    assert_eq!((first.kind, first.mechanism.as_str()), (PositionKind::STAKED, "pt"));
    assert_eq!((first.name.clone(), first.legs[0].receipt), (format!("{{{:#x}}}", PT[0]), Some(PT[0])));
}

#[test]
fn an_asset_of_another_network_is_what_the_wrapped_asset_redeems_to() {
    let preview = previewRedeemCall { _0: WRAPPED, _1: n(80) };
    let chain = || holds(empty(), PT[0], n(100)).reply(NETWORK, SY[0], &preview, &n(79));
    let elsewhere = [
        asset(chain(), 0, BRIDGED, ASSET, 18),
        // It calls itself a token of this network, and no contract stands there.
        asset(chain(), 0, TOKEN, PENDLE, 18).result(NETWORK, PENDLE, &decimalsCall {}, ReadResult::NoCode),
    ];
    for chain in elsewhere {
        let outcome = run(Question::FARMING, &chain);
        let expected = [(PT[0], WRAPPED, n(100), Some((WRAPPED, n(79))), Some(EXPIRY))];
        assert_eq!((outcome.end, held(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    }
}

#[test]
fn the_native_token_and_an_asset_with_fewer_decimals_are_assets_too() {
    let chain = asset(holds(empty(), SY[0], n(400)), 0, TOKEN, NATIVE, 18);
    let chain = asset(holds(chain, SY[1], n(4_000_000_000_000)), 1, TOKEN, ASSET, 18);
    let outcome = run(Question::FARMING, &chain.reply(NETWORK, ASSET, &decimalsCall {}, &n(6)));
    let expected = [
        (SY[0], NATIVE, n(400), Some((NATIVE, n(500))), None),
        (SY[1], ASSET, n(4_000_000_000_000), Some((ASSET, n(5))), None),
    ];
    assert_eq!((outcome.end, held(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
}

#[test]
fn a_yield_token_is_itself_until_its_expiry() {
    let chain = holds(holds(empty(), YT[0], n(7)), YT[1], n(8));
    let outcome = run(Question::FARMING, &chain.reply(NETWORK, YT[1], &expiryCall {}, &n(NOW_S)));
    let expected = [(YT[0], YT[0], n(7), None, None)];
    assert_eq!((outcome.end, held(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].rewards[0].token, SY[0]);
}

/// Reserves of 300 wrapped assets and 75 principal tokens, for 150 shares.
fn reserves(chain: CannedReplies, place: usize, [pt, sy]: [i64; 2]) -> CannedReplies {
    let word = |amount: i64| if amount < 0 { U256::MAX } else { U256::from(amount.unsigned_abs()) };
    let stored = (word(pt), word(sy), n(9), n(9), n(9), n(9));
    let chain = chain.reply(NETWORK, MARKETS[place], &_storageCall {}, &stored);
    chain.reply(NETWORK, MARKETS[place], &totalSupplyCall {}, &n(150))
}

#[test]
fn liquidity_is_a_share_of_both_reserves() {
    let chain = |[first, second]: [u64; 2], stored| {
        let chain = holds(holds(empty(), MARKETS[0], n(first)), MARKETS[1], n(second));
        reserves(reserves(chain, 0, [75, 300]), 1, stored)
    };
    let legs = |row: &Position| {
        let leg = |leg: &Leg| (leg.role, leg.token, leg.amount, leg.redeems_to.as_ref().map(|parts| parts[0]));
        row.legs.iter().map(leg).collect::<Vec<_>>()
    };
    let pays = |amount| Some(Part { token: ASSET, amount });
    // 41 of 150: 82 and 20.5, which are worth 102.5 and 20.
    let expected = [(LegRole::POOLED, SY[0], n(82), pays(n(102))), (LegRole::POOLED, PT[0], n(20), pays(n(20)))];
    let outcome = run(Question::POOLING, &chain([41, 0], [75, 300]));
    let [row] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, row.contract, legs(row)), (End::Complete, MARKETS[0], expected.to_vec()));
    // More shares than there are, and a reserve below zero.
    for hostile in [chain([41, 151], [75, 300]), chain([41, 1], [-1, 300])] {
        let outcome = run(Question::POOLING, &hostile);
        let [row] = outcome.positions()[..] else { panic!("{}", outcome.message) };
        assert_eq!((outcome.end, legs(row)), (End::Partial, expected.to_vec()), "{}", outcome.message);
    }
}

/// The first yield token pays 5 of its wrapped asset and 6 of a reward, the second market 7 PENDLE to an account without
/// shares, the first wrapped asset 8 of the reward.
fn owing() -> CannedReplies {
    let yields = redeemDueInterestAndRewardsCall { _0: ACCOUNT, _1: true, _2: true };
    let chain =
        [REWARD, PENDLE].iter().fold(empty(), |chain, token| chain.reply(NETWORK, *token, &decimalsCall {}, &n(18)));
    let paid = (n(5), vec![n(6)]).abi_encode_params();
    holds(chain, SY[0], n(1))
        .reply(NETWORK, YT[0], &userInterestCall(ACCOUNT), &(n(ONE), n(0)))
        .reply(NETWORK, YT[0], &getRewardTokensCall {}, &vec![REWARD])
        .result(NETWORK, YT[0], &yields, ReadResult::Ok(paid.into()))
        .reply(NETWORK, MARKETS[1], &userRewardCall { _0: PENDLE, _1: ACCOUNT }, &(n(2), n(0)))
        .reply(NETWORK, MARKETS[1], &redeemRewardsCall(ACCOUNT), &vec![n(7)])
        .reply(NETWORK, SY[0], &getRewardTokensCall {}, &vec![REWARD])
        .reply(NETWORK, SY[0], &claimRewardsCall(ACCOUNT), &vec![n(8)])
}

#[test]
fn claims_pay_what_their_simulation_returns() {
    let outcome = run(Question::CLAIMABLES, &owing());
    let mut found = claimed(&outcome);
    found.sort();
    let expected = [(MARKETS[1], PENDLE, n(7)), (SY[0], REWARD, n(8)), (YT[0], SY[0], n(5)), (YT[0], REWARD, n(6))];
    assert_eq!((outcome.end, found), (End::Complete, expected.to_vec()), "{}", outcome.message);
    let rows = outcome.claimables();
    let words: Vec<_> = rows.iter().map(|row| (row.mechanism.as_str(), row.contract)).collect();
    assert_eq!(words, [("yt", YT[0]), ("liquidity", MARKETS[1]), ("sy", SY[0])]);
    assert_eq!(rows[0].steps[0].arguments[..], (ACCOUNT, true, true).abi_encode_params());
    assert_eq!(rows[1].steps[0].arguments[..], ACCOUNT.abi_encode());
}

#[test]
fn a_simulation_that_pays_nothing_is_no_claim_and_one_that_fails_loses_only_its_own() {
    let nothing = owing().reply(NETWORK, MARKETS[1], &redeemRewardsCall(ACCOUNT), &vec![n(0)]);
    let outcome = run(Question::CLAIMABLES, &nothing);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 2), "{}", outcome.message);
    let uneven = owing().reply(NETWORK, MARKETS[1], &redeemRewardsCall(ACCOUNT), &vec![n(7), n(7)]);
    let broken = [uneven, owing().revert(NETWORK, MARKETS[1], &redeemRewardsCall(ACCOUNT))];
    for chain in broken {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 2), "{}", outcome.message);
    }
}

#[test]
fn a_market_that_cannot_be_read_loses_only_its_own_rows() {
    let chain = holds(holds(empty(), PT[0], n(100)), PT[1], n(100));
    for broken in [
        chain.clone().result(NETWORK, MARKETS[1], &readTokensCall {}, ReadResult::Unavailable),
        chain.clone().result(NETWORK, PT[1], &balanceOfCall(ACCOUNT), ReadResult::Unavailable),
        chain.clone().result(NETWORK, SY[1], &exchangeRateCall {}, ReadResult::Unavailable),
        rate(index(chain, 1, 0), 1, 0),
    ] {
        let outcome = run(Question::FARMING, &broken);
        let rows: Vec<_> = held(&outcome).into_iter().map(|(contract, ..)| contract).collect();
        assert_eq!((outcome.end, rows), (End::Partial, vec![PT[0]]), "{}", outcome.message);
    }
    assert_eq!(run(Question::FARMING, &CannedReplies::default()).end, End::Failed);
}

#[test]
fn shares_wrapped_assets_and_principal_tokens_that_are_due_have_compositions() {
    let chain = reserves(empty(), 0, [75, 300]);
    let whole =
        [SY[0], PT[0], PT[1]].iter().fold(chain, |chain, token| chain.reply(NETWORK, *token, &decimalsCall {}, &n(2)));
    let due = whole.reply(NETWORK, YT[1], &expiryCall {}, &n(NOW_S));
    let tokens = [MARKETS[0], SY[0], PT[0], PT[1], ASSET];
    let outcome = JobTest::for_tokens("pendle", NETWORK, &tokens).run::<Markets>(&due);
    let part = |token, amount| Part { token, amount: n(amount) };
    let found: Vec<_> = outcome.compositions().iter().map(|it| (it.token, it.supply, it.parts.clone())).collect();
    let expected = [
        (MARKETS[0], n(150), vec![part(SY[0], 300), part(PT[0], 75)]),
        (SY[0], n(100), vec![part(ASSET, 125)]),
        (PT[1], n(100), vec![part(ASSET, 100)]),
    ];
    assert_eq!((outcome.end, found), (End::Complete, expected.to_vec()), "{}", outcome.message);
    assert!(outcome.compositions().iter().all(|it| it.kind == "PENDLE"));
}
