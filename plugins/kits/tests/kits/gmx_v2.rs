//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test; keys of the store are
//! encoded by hand.

use portolan_kits::gmx_v2::GmxV2Kit;
use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, plugin};

sol! {
    function getUint(bytes32) external view returns (uint256);
    function getAddress(bytes32) external view returns (address);
    function getBool(bytes32) external view returns (bool);
    function getAddressCount(bytes32) external view returns (uint256);
    function getAddressValuesAt(bytes32, uint256, uint256) external view returns (address[]);
    function getBytes32Count(bytes32) external view returns (uint256);
    function getBytes32ValuesAt(bytes32, uint256, uint256) external view returns (bytes32[]);
    function balanceOf(address) external view returns (uint256);
    function claimFundingFees(address[], address[], address) external returns (uint256[]);
}

const NETWORK: u64 = 42_161;
const STORE: Address = Address::repeat_byte(1);
const ROUTER: Address = Address::repeat_byte(2);
const WETH: Address = Address::repeat_byte(3);
const USDC: Address = Address::repeat_byte(4);
/// A market of two tokens, and one of a single token.
const MARKETS: [Address; 2] = [Address::repeat_byte(0x11), Address::repeat_byte(0x12)];
const VAULT: Address = Address::repeat_byte(0x21);
const KIT: GmxV2Kit = GmxV2Kit { perpetual: "perpetual", share: "share" };

plugin! {
    Gmx: &KIT,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "arbitrum"
    data_store = "0x0101010101010101010101010101010101010101"
    exchange_router = "0x0202020202020202020202020202020202020202"
    "#
}

/// The key of a name: the hash of the ABI encoding of a string.
fn named(name: &str) -> B256 {
    let mut words = [0_u8; 96];
    words[31] = 32;
    words[56..64].copy_from_slice(&name.len().to_be_bytes());
    words[64..64 + name.len()].copy_from_slice(name.as_bytes());
    keccak256(words)
}

/// The hash of these words.
fn hashed(words: &[B256]) -> B256 {
    keccak256(words.concat())
}

fn funding(market: Address, token: Address) -> getUintCall {
    let words = [market, token, ACCOUNT].map(|address| address.into_word());
    getUintCall(hashed(&[named("CLAIMABLE_FUNDING_AMOUNT"), words[0], words[1], words[2]]))
}

fn positions() -> B256 {
    hashed(&[named("ACCOUNT_POSITION_LIST"), ACCOUNT.into_word()])
}

/// Two markets and a vault, in which the account has nothing.
fn nothing() -> CannedReplies {
    let tokens = |chain: CannedReplies, of: Address, long: Address, short: Address| {
        let key = |name| getAddressCall(hashed(&[of.into_word(), named(name)]));
        chain.reply(NETWORK, STORE, &key("LONG_TOKEN"), &long).reply(NETWORK, STORE, &key("SHORT_TOKEN"), &short)
    };
    let (markets, vaults) = (named("MARKET_LIST"), named("GLV_LIST"));
    let all = |list, count| getAddressValuesAtCall { _0: list, _1: n(0), _2: n(count) };
    let chain = CannedReplies::default()
        .reply(NETWORK, STORE, &getAddressCountCall(markets), &n(2))
        .reply(NETWORK, STORE, &all(markets, 2), &MARKETS.to_vec())
        .reply(NETWORK, STORE, &getAddressCountCall(vaults), &n(1))
        .reply(NETWORK, STORE, &all(vaults, 1), &vec![VAULT])
        .reply(NETWORK, STORE, &getBytes32CountCall(positions()), &n(0))
        .reply(NETWORK, STORE, &funding(MARKETS[0], WETH), &n(0))
        .reply(NETWORK, STORE, &funding(MARKETS[0], USDC), &n(0))
        .reply(NETWORK, STORE, &funding(MARKETS[1], WETH), &n(0));
    let chain = [MARKETS[0], MARKETS[1], VAULT]
        .into_iter()
        .fold(chain, |chain, share| chain.reply(NETWORK, share, &balanceOfCall(ACCOUNT), &n(0)));
    tokens(tokens(tokens(chain, MARKETS[0], WETH, USDC), MARKETS[1], WETH, WETH), VAULT, WETH, USDC)
}

/// An open position with 500 as collateral.
fn open() -> CannedReplies {
    let key = B256::repeat_byte(9);
    let member = |name| hashed(&[key, named(name)]);
    nothing()
        .reply(NETWORK, STORE, &getBytes32CountCall(positions()), &n(1))
        .reply(NETWORK, STORE, &getBytes32ValuesAtCall { _0: positions(), _1: n(0), _2: n(1) }, &vec![key])
        .reply(NETWORK, STORE, &getAddressCall(member("MARKET")), &MARKETS[0])
        .reply(NETWORK, STORE, &getAddressCall(member("COLLATERAL_TOKEN")), &USDC)
        .reply(NETWORK, STORE, &getUintCall(member("COLLATERAL_AMOUNT")), &n(500))
        .reply(NETWORK, STORE, &getBoolCall(member("IS_LONG")), &true)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Gmx>(chain)
}

#[test]
fn fees_of_several_markets_are_one_claim() {
    let chain = nothing()
        .reply(NETWORK, STORE, &funding(MARKETS[0], WETH), &n(2))
        .reply(NETWORK, STORE, &funding(MARKETS[0], USDC), &n(30))
        .reply(NETWORK, STORE, &funding(MARKETS[1], WETH), &n(3));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(claimed(&outcome), [(ROUTER, WETH, n(5)), (ROUTER, USDC, n(30))]);
    let markets = vec![MARKETS[0], MARKETS[0], MARKETS[1]];
    let call = claimFundingFeesCall { _0: markets, _1: vec![WETH, USDC, WETH], _2: ACCOUNT };
    let [claimable] = outcome.claimables()[..] else { panic!("one claim") };
    assert_eq!(&claimable.steps[0].arguments[..], &call.abi_encode()[4..]);
}

#[test]
fn an_open_position_is_told_by_its_collateral() {
    let outcome = run(Question::LENDING, &open());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.contract, position.name.as_str()), (MARKETS[0], "FORK long"));
    assert_eq!(position.number, Some(U256::from_be_bytes([9; 32])));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, USDC, n(500), Some(true))]);
}

#[test]
fn shares_of_markets_and_vaults_are_positions() {
    let chain = nothing().reply(NETWORK, MARKETS[1], &balanceOfCall(ACCOUNT), &n(7)).reply(
        NETWORK,
        VAULT,
        &balanceOfCall(ACCOUNT),
        &n(11),
    );
    let outcome = run(Question::POOLING, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let told: Vec<_> = outcome.positions().iter().map(|position| legs(position)).collect();
    let share = |token, amount| vec![(LegRole::POOLED, token, n(amount), None)];
    assert_eq!(told, [share(MARKETS[1], 7), share(VAULT, 11)]);
}

#[test]
fn an_account_with_nothing_costs_a_read_of_each_list_and_what_it_names() {
    // Lists first, which stand for minutes, then tokens, which never change.
    for (question, batches) in
        [(Question::CLAIMABLES, vec![1, 1, 4, 3]), (Question::LENDING, vec![1]), (Question::POOLING, vec![2, 2, 3])]
    {
        let outcome = run(question, &nothing());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, batches);
    }
}

#[test]
fn what_cannot_be_read_is_reported() {
    for question in [Question::CLAIMABLES, Question::LENDING, Question::POOLING] {
        assert_eq!(run(question, &CannedReplies::default()).end, End::Failed);
    }
    let broken = run(Question::CLAIMABLES, &nothing().revert(NETWORK, STORE, &funding(MARKETS[0], WETH)));
    assert_eq!(broken.end, End::Partial, "{}", broken.message);
    let sums = nothing().reply(NETWORK, STORE, &funding(MARKETS[0], WETH), &U256::MAX).reply(
        NETWORK,
        STORE,
        &funding(MARKETS[1], WETH),
        &n(1),
    );
    assert_eq!(run(Question::CLAIMABLES, &sums).end, End::Failed);
    let many = open().reply(NETWORK, STORE, &getBytes32CountCall(positions()), &U256::MAX);
    assert_ne!(run(Question::LENDING, &many).end, End::Complete);
}
