//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test. Compound's own
//! comptroller is covered end to end; these tests cover other names, and failures.

use portolan_kits::compound_v2::CompoundV2Kit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, one_row, plugin, text};

sol! {
    struct Paid {
        address token;
        uint256 all;
        uint256 forSupply;
        uint256 forBorrow;
    }
    struct PaidFor {
        address market;
        Paid[] paid;
    }

    function getAllMarkets() external view returns (address[]);
    function getAssetsIn(address) external view returns (address[]);
    function getAccountLiquidity(address) external view returns (uint256, uint256, uint256);
    function markets(address) external view returns (bool, uint256, uint256);
    function oracle() external view returns (address);
    function getUnderlyingPrice(address) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function borrowBalanceStored(address) external view returns (uint256);
    function balanceOfUnderlying(address) external returns (uint256);
    function borrowBalanceCurrent(address) external returns (uint256);
    function underlying() external view returns (address);
    function totalSupply() external view returns (uint256);
    function totalBorrows() external view returns (uint256);
    function borrowIndex() external view returns (uint256);
    function getVAIRepayAmount(address) external view returns (uint256);
    function venusAccrued(address) external view returns (uint256);
    function getCompAddress() external view returns (address);
    function getXVSAddress() external view returns (address);
    function qiAddress() external view returns (address);
    function compAccrued(address) external view returns (uint256);
    function venusSupplyState(address) external view returns (uint224, uint32);
    function venusSupplySpeeds(address) external view returns (uint256);
    function venusSupplierIndex(address, address) external view returns (uint256);
    function venusBorrowState(address) external view returns (uint224, uint32);
    function venusBorrowSpeeds(address) external view returns (uint256);
    function venusBorrowerIndex(address, address) external view returns (uint256);
    function rewardAccrued(uint8, address) external view returns (uint256);
    function rewardSupplyState(uint8, address) external view returns (uint224, uint32);
    function supplyRewardSpeeds(uint8, address) external view returns (uint256);
    function rewardSupplierIndex(uint8, address, address) external view returns (uint256);
    function rewardBorrowState(uint8, address) external view returns (uint224, uint32);
    function borrowRewardSpeeds(uint8, address) external view returns (uint256);
    function rewardBorrowerIndex(uint8, address, address) external view returns (uint256);
    function getRewardDistributors() external view returns (address[]);
    function isTimeBased() external view returns (bool);
    function rewardToken() external view returns (address);
    function rewardTokenAccrued(address) external view returns (uint256);
    function rewardTokenSupplyState(address) external view returns (uint224, uint32, uint32);
    function rewardTokenSupplyStateTimeBased(address) external view returns (uint224, uint256, uint256);
    function rewardTokenSupplySpeeds(address) external view returns (uint256);
    function rewardTokenSupplierIndex(address, address) external view returns (uint256);
    function rewardTokenBorrowState(address) external view returns (uint224, uint32, uint32);
    function rewardTokenBorrowStateTimeBased(address) external view returns (uint224, uint256, uint256);
    function rewardTokenBorrowSpeeds(address) external view returns (uint256);
    function rewardTokenBorrowerIndex(address, address) external view returns (uint256);
    function getOutstandingRewardsForUser(address) external view returns (PaidFor[]);
}

const VENUS: u64 = 56;
const BENQI: u64 = 43_114;
const MOONWELL: u64 = 8_453;
const POOLS: u64 = 1;
const COMPTROLLER: Address = Address::repeat_byte(1);
const MINTER: Address = Address::repeat_byte(2);
const DISTRIBUTOR: Address = Address::repeat_byte(3);
const ORACLE: Address = Address::repeat_byte(4);
const BY_BLOCK: Address = Address::repeat_byte(5);
const BY_SECOND: Address = Address::repeat_byte(6);
const MARKET: Address = Address::repeat_byte(0x41);
const OTHER: Address = Address::repeat_byte(0x42);
const TOKEN: Address = Address::repeat_byte(0x51);
const VAI: Address = Address::repeat_byte(0x52);
const REWARD: Address = Address::repeat_byte(0x53);

const TYPES: CompoundV2Kit = CompoundV2Kit { market: "fork", reward: "fork-rewards" };

plugin! {
    /// A comptroller on each of four networks.
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "smartchain"
    comptroller = "0x0101010101010101010101010101010101010101"
    minted = "0x0202020202020202020202020202020202020202"
    minted_token = "0x5252525252525252525252525252525252525252"
    rewards = "venus"
    reward_tokens = ["0x5353535353535353535353535353535353535353"]

    [[deployment]]
    protocol = "fork"
    network = "avalanchex"
    comptroller = "0x0101010101010101010101010101010101010101"
    native_market = "0x4141414141414141414141414141414141414141"
    rewards = "typed"
    reward_tokens = ["0x5353535353535353535353535353535353535353", "0x0000000000000000000000000000000000000000"]

    [[deployment]]
    protocol = "fork"
    network = "base"
    comptroller = "0x0101010101010101010101010101010101010101"
    distributor = "0x0303030303030303030303030303030303030303"

    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    comptroller = "0x0101010101010101010101010101010101010101"
    rewards = "listed"
    "#
}

/// Ten to this power.
fn e(exponent: u64) -> U256 {
    n(10).pow(n(exponent))
}

/// Two markets; the account has something in the first.
fn market(network: u64, shares: u64, debt: u64) -> CannedReplies {
    let nothing = n(0);
    CannedReplies::default()
        .reply(network, COMPTROLLER, &getAllMarketsCall {}, &vec![MARKET, OTHER])
        .reply(network, COMPTROLLER, &getAssetsInCall(ACCOUNT), &vec![MARKET])
        .reply(network, COMPTROLLER, &oracleCall {}, &ORACLE)
        .reply(network, COMPTROLLER, &getAccountLiquidityCall(ACCOUNT), &(nothing, n(30), nothing))
        .reply(network, ORACLE, &getUnderlyingPriceCall(MARKET), &e(18))
        .reply(network, MARKET, &balanceOfCall(ACCOUNT), &n(shares))
        .reply(network, MARKET, &borrowBalanceStoredCall(ACCOUNT), &n(debt))
        .reply(network, MARKET, &balanceOfUnderlyingCall(ACCOUNT), &n(2 * shares))
        .reply(network, MARKET, &borrowBalanceCurrentCall(ACCOUNT), &n(debt + 1))
        .reply(network, MARKET, &underlyingCall {}, &TOKEN)
        .reply(network, MARKET, &totalSupplyCall {}, &n(1_000))
        .reply(network, MARKET, &totalBorrowsCall {}, &n(500))
        .reply(network, MARKET, &borrowIndexCall {}, &e(18))
        .reply(network, OTHER, &balanceOfCall(ACCOUNT), &nothing)
        .reply(network, OTHER, &borrowBalanceStoredCall(ACCOUNT), &nothing)
        .reply(network, MINTER, &getVAIRepayAmountCall(ACCOUNT), &nothing)
}

fn run(network: u64, question: Question, chain: &CannedReplies) -> Outcome {
    let block = Block { number: 1_000, hash: B256::ZERO, timestamp: 5_000, evm_number: 1_000 };
    JobTest::new("fork", network, question, ACCOUNT).block(block).run::<Fork>(chain)
}

/// Returns role, token, amount and collateral flag of each leg of the only position.
#[expect(clippy::panic, reason = "anything but one position is the failure of the test that asks for it")]
fn legs(outcome: &Outcome) -> Vec<(LegRole, Address, U256, Option<bool>)> {
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    position.legs.iter().map(|leg| (leg.role, leg.token, leg.amount, leg.is_collateral)).collect()
}

fn health(outcome: &Outcome) -> Option<U256> {
    outcome.positions()[0].health.and_then(|health| health.factor_wad)
}

#[test]
fn amounts_have_their_interest_and_health_is_what_secures_over_what_is_owed() {
    let outcome = run(VENUS, Question::LENDING, &market(VENUS, 100, 50));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let lent = (LegRole::SUPPLIED, TOKEN, n(200), Some(true));
    assert_eq!(legs(&outcome), [lent, (LegRole::BORROWED, TOKEN, n(51), None)]);
    // Fifty are owed, and thirty more may be borrowed.
    assert_eq!(health(&outcome), Some(n(80) * e(18) / n(50)));
    assert_eq!(run(VENUS, Question::LENDING, &market(VENUS, 0, 0)).findings.len(), 0);
    assert_eq!(health(&run(VENUS, Question::LENDING, &market(VENUS, 100, 0))), None);
}

#[test]
fn what_was_minted_is_owed_and_counts_as_a_dollar() {
    let minted = market(VENUS, 100, 50).reply(VENUS, MINTER, &getVAIRepayAmountCall(ACCOUNT), &n(10));
    let lacks = (n(0), n(0), n(15));
    let outcome =
        run(VENUS, Question::LENDING, &minted.reply(VENUS, COMPTROLLER, &getAccountLiquidityCall(ACCOUNT), &lacks));
    assert_eq!(legs(&outcome)[2], (LegRole::BORROWED, VAI, n(10), None));
    // Sixty are owed, fifteen of them unsecured.
    assert_eq!(health(&outcome), Some(n(45) * e(18) / n(60)));
}

#[test]
fn a_market_without_underlying_lends_the_native_token() {
    let outcome = run(BENQI, Question::LENDING, &market(BENQI, 100, 0));
    assert_eq!(legs(&outcome), [(LegRole::SUPPLIED, NATIVE, n(200), Some(true))], "{}", outcome.message);
}

#[test]
fn an_oracle_that_fails_costs_the_health_alone() {
    let refused = market(VENUS, 100, 50).result(
        VENUS,
        COMPTROLLER,
        &getAccountLiquidityCall(ACCOUNT),
        ReadResult::Reverted(Bytes::new()),
    );
    let outcome = run(VENUS, Question::LENDING, &refused);
    assert_eq!((outcome.end, legs(&outcome).len(), health(&outcome)), (End::Partial, 2, None));
    let error =
        market(VENUS, 100, 50).reply(VENUS, COMPTROLLER, &getAccountLiquidityCall(ACCOUNT), &(n(13), n(0), n(0)));
    let outcome = run(VENUS, Question::LENDING, &error);
    assert_eq!((outcome.end, health(&outcome)), (End::Partial, None));
    assert!(outcome.message.contains("error 13"), "{}", outcome.message);
}

#[test]
fn a_market_that_cannot_be_read_costs_its_own_leg() {
    let broken = market(VENUS, 100, 0).result(VENUS, OTHER, &balanceOfCall(ACCOUNT), ReadResult::Unavailable);
    let outcome = run(VENUS, Question::LENDING, &broken);
    assert_eq!((outcome.end, legs(&outcome).len()), (End::Partial, 1));
}

#[test]
fn rewards_are_what_is_noted_and_what_the_indexes_grew_since() {
    let side = |speed: u64| (e(36), 900_u32, n(speed));
    let ((supply, at, for_supply), (borrow, _, for_borrow)) = (side(10), side(3));
    let chain = market(VENUS, 100, 50)
        .reply(VENUS, COMPTROLLER, &marketsCall(MARKET), &(true, n(0), n(0)))
        .reply(VENUS, COMPTROLLER, &venusAccruedCall(ACCOUNT), &n(7))
        .reply(VENUS, COMPTROLLER, &venusSupplyStateCall(MARKET), &(supply, at))
        .reply(VENUS, COMPTROLLER, &venusSupplySpeedsCall(MARKET), &for_supply)
        .reply(VENUS, COMPTROLLER, &venusSupplierIndexCall { _0: MARKET, _1: ACCOUNT }, &n(0))
        .reply(VENUS, COMPTROLLER, &venusBorrowStateCall(MARKET), &(borrow, at))
        .reply(VENUS, COMPTROLLER, &venusBorrowSpeedsCall(MARKET), &for_borrow)
        .reply(VENUS, COMPTROLLER, &venusBorrowerIndexCall { _0: MARKET, _1: ACCOUNT }, &e(36));
    let outcome = run(VENUS, Question::CLAIMABLES, &chain);
    let [claim] = outcome.claimables()[..] else { panic!("one claim: {}", outcome.message) };
    // A hundred blocks: a tenth of a thousand for the deposit, and a tenth of three hundred for the debt.
    assert_eq!((claim.payments[0].token, claim.payments[0].amount), (REWARD, n(7 + 100 + 30)));
    assert_eq!(claim.steps[0].arguments, (ACCOUNT, vec![MARKET]).abi_encode_params());
    let unlisted = chain.clone().reply(VENUS, COMPTROLLER, &marketsCall(MARKET), &(false, n(0), n(0)));
    assert_eq!(run(VENUS, Question::CLAIMABLES, &unlisted).payments()[0].amount, n(7));
    let shrunk = chain.reply(VENUS, COMPTROLLER, &venusSupplierIndexCall { _0: MARKET, _1: ACCOUNT }, &e(37));
    let outcome = run(VENUS, Question::CLAIMABLES, &shrunk);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn rewards_of_two_types_are_two_claims() {
    let chain = (0_u8..2).fold(market(BENQI, 100, 0), |chain, kind| {
        chain
            .reply(BENQI, COMPTROLLER, &rewardAccruedCall { _0: kind, _1: ACCOUNT }, &n(u64::from(kind)))
            .reply(BENQI, COMPTROLLER, &rewardSupplyStateCall { _0: kind, _1: MARKET }, &(e(36), 4_900_u32))
            .reply(BENQI, COMPTROLLER, &supplyRewardSpeedsCall { _0: kind, _1: MARKET }, &n(20))
            .reply(BENQI, COMPTROLLER, &rewardSupplierIndexCall { _0: kind, _1: MARKET, _2: ACCOUNT }, &e(36))
    });
    let outcome = run(BENQI, Question::CLAIMABLES, &chain);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.token, row.amount)).collect();
    // A hundred seconds, and a tenth of the deposits.
    assert_eq!(found, [(REWARD, n(200)), (NATIVE, n(201))], "{}", outcome.message);
    assert_eq!(outcome.claimables()[1].steps[0].arguments, (n(1), ACCOUNT).abi_encode_params());
}

#[test]
fn a_debt_that_a_typed_index_has_not_begun_to_count_earns_nothing() {
    let owing = |index: U256| {
        let chain = market(BENQI, 0, 50);
        (0_u8..2).fold(chain, |chain, kind| {
            chain
                .reply(BENQI, COMPTROLLER, &rewardAccruedCall { _0: kind, _1: ACCOUNT }, &n(0))
                .reply(BENQI, COMPTROLLER, &rewardBorrowStateCall { _0: kind, _1: MARKET }, &(e(36), 4_900_u32))
                .reply(BENQI, COMPTROLLER, &borrowRewardSpeedsCall { _0: kind, _1: MARKET }, &n(20))
                .reply(BENQI, COMPTROLLER, &rewardBorrowerIndexCall { _0: kind, _1: MARKET, _2: ACCOUNT }, &index)
        })
    };
    let found = |index| -> Vec<U256> {
        run(BENQI, Question::CLAIMABLES, &owing(index)).payments().iter().map(|row| row.amount).collect()
    };
    // A hundred seconds, and a tenth of the debts.
    assert_eq!(found(e(36)), [n(200), n(200)]);
    assert!(found(n(0)).is_empty());
}

#[test]
fn a_distributor_says_itself_what_it_owes() {
    let paid = |token, all: u64| Paid { token, all: n(all), forSupply: n(0), forBorrow: n(0) };
    let of = |market, paid| PaidFor { market, paid };
    let owed = vec![of(MARKET, vec![paid(REWARD, 5), paid(TOKEN, 0)]), of(OTHER, vec![paid(REWARD, 6)])];
    let chain =
        CannedReplies::default().reply(MOONWELL, DISTRIBUTOR, &getOutstandingRewardsForUserCall(ACCOUNT), &owed);
    let outcome = run(MOONWELL, Question::CLAIMABLES, &chain);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.token, row.amount)).collect();
    assert_eq!(found, [(REWARD, n(11))], "{}", outcome.message);
    let nothing: Vec<PaidFor> = Vec::new();
    let chain =
        CannedReplies::default().reply(MOONWELL, DISTRIBUTOR, &getOutstandingRewardsForUserCall(ACCOUNT), &nothing);
    assert_eq!(run(MOONWELL, Question::CLAIMABLES, &chain).findings.len(), 0);
}

/// Two distributors; the first is too old to have a view that says that it counts blocks. The account has a tenth of
/// the market's deposits and a tenth of its debts; block 1,000 is at second 5,000.
fn pool(end: u32) -> CannedReplies {
    let index = |chain: CannedReplies, of, supplied, owed| {
        chain
            .reply(POOLS, of, &rewardTokenSupplySpeedsCall(MARKET), &n(supplied))
            .reply(POOLS, of, &rewardTokenBorrowSpeedsCall(MARKET), &n(owed))
            .reply(POOLS, of, &rewardTokenSupplierIndexCall { _0: MARKET, _1: ACCOUNT }, &e(36))
            .reply(POOLS, of, &rewardTokenBorrowerIndexCall { _0: MARKET, _1: ACCOUNT }, &n(0))
    };
    let (block, second) = ((e(36), 900_u32, end), (e(36), n(4_800), n(u64::from(end) * 5)));
    let chain = market(POOLS, 100, 50)
        .reply(POOLS, COMPTROLLER, &marketsCall(MARKET), &(true, n(0), n(0)))
        .reply(POOLS, COMPTROLLER, &getRewardDistributorsCall {}, &vec![BY_BLOCK, BY_SECOND])
        .result(POOLS, BY_BLOCK, &isTimeBasedCall {}, ReadResult::Reverted(Bytes::new()))
        .reply(POOLS, BY_SECOND, &isTimeBasedCall {}, &true)
        .reply(POOLS, BY_BLOCK, &rewardTokenCall {}, &REWARD)
        .reply(POOLS, BY_SECOND, &rewardTokenCall {}, &TOKEN)
        .reply(POOLS, BY_BLOCK, &rewardTokenAccruedCall(ACCOUNT), &n(7))
        .reply(POOLS, BY_SECOND, &rewardTokenAccruedCall(ACCOUNT), &n(0))
        .reply(POOLS, BY_BLOCK, &rewardTokenSupplyStateCall(MARKET), &block)
        .reply(POOLS, BY_BLOCK, &rewardTokenBorrowStateCall(MARKET), &block)
        .reply(POOLS, BY_SECOND, &rewardTokenSupplyStateTimeBasedCall(MARKET), &second)
        .reply(POOLS, BY_SECOND, &rewardTokenBorrowStateTimeBasedCall(MARKET), &second);
    index(index(chain, BY_BLOCK, 10, 3), BY_SECOND, 20, 0)
}

/// Returns target, token and amount of each claim.
fn claims(outcome: &Outcome) -> Vec<(Address, Address, U256)> {
    let rows = outcome.claimables();
    rows.iter().map(|row| (row.contract, row.payments[0].token, row.payments[0].amount)).collect()
}

#[test]
fn each_distributor_that_a_comptroller_lists_is_a_claim() {
    let outcome = run(POOLS, Question::CLAIMABLES, &pool(0));
    // A hundred blocks at 10 and at 3, and two hundred seconds at 20; a tenth is the account's.
    assert_eq!(
        claims(&outcome),
        [(BY_BLOCK, REWARD, n(7 + 100 + 30)), (BY_SECOND, TOKEN, n(400))],
        "{}",
        outcome.message
    );
    assert_eq!(outcome.claimables()[1].steps[0].to, BY_SECOND);
    assert_eq!(outcome.claimables()[1].steps[0].arguments, (ACCOUNT, vec![MARKET]).abi_encode_params());
}

#[test]
fn a_distributor_stops_at_its_end() {
    // Ends at block 940 and at second 4,700, before the last update of the index.
    let outcome = run(POOLS, Question::CLAIMABLES, &pool(940));
    assert_eq!(claims(&outcome), [(BY_BLOCK, REWARD, n(7 + 40 + 12))], "{}", outcome.message);
    let outcome = run(POOLS, Question::CLAIMABLES, &pool(980));
    assert_eq!(claims(&outcome)[1], (BY_SECOND, TOKEN, n(200)), "{}", outcome.message);
    let to_come = run(POOLS, Question::CLAIMABLES, &pool(1_001));
    assert_eq!(claims(&to_come), claims(&run(POOLS, Question::CLAIMABLES, &pool(0))));
}

#[test]
fn a_market_that_was_taken_off_the_list_earns_nothing_and_is_not_claimed() {
    let unlisted = pool(0).reply(POOLS, COMPTROLLER, &marketsCall(MARKET), &(false, n(0), n(0)));
    let outcome = run(POOLS, Question::CLAIMABLES, &unlisted);
    assert_eq!(claims(&outcome), [(BY_BLOCK, REWARD, n(7))], "{}", outcome.message);
    assert_eq!(outcome.claimables()[0].steps[0].arguments, (ACCOUNT, Vec::<Address>::new()).abi_encode_params());
}

#[test]
fn a_distributor_that_cannot_be_read_costs_its_own_claim() {
    let broken = pool(0).result(POOLS, BY_BLOCK, &rewardTokenAccruedCall(ACCOUNT), ReadResult::Unavailable);
    let outcome = run(POOLS, Question::CLAIMABLES, &broken);
    assert_eq!((outcome.end, claims(&outcome)), (End::Partial, vec![(BY_SECOND, TOKEN, n(400))]));
    let unknown = pool(0).result(POOLS, BY_SECOND, &isTimeBasedCall {}, ReadResult::Unavailable);
    assert_eq!(run(POOLS, Question::CLAIMABLES, &unknown).end, End::Partial);
}

#[test]
fn a_row_without_reward_tokens_has_those_that_the_comptroller_names() {
    let settings =
        |rewards: &str| one_row("fork", POOLS, vec![text("comptroller", COMPTROLLER), text("rewards", rewards)]);
    let chain = || {
        market(POOLS, 0, 0)
            .reply(POOLS, COMPTROLLER, &getCompAddressCall {}, &REWARD)
            .reply(POOLS, COMPTROLLER, &getXVSAddressCall {}, &TOKEN)
            .reply(POOLS, COMPTROLLER, &qiAddressCall {}, &OTHER)
            .reply(POOLS, COMPTROLLER, &compAccruedCall(ACCOUNT), &n(7))
            .reply(POOLS, COMPTROLLER, &venusAccruedCall(ACCOUNT), &n(8))
            .reply(POOLS, COMPTROLLER, &rewardAccruedCall { _0: 0, _1: ACCOUNT }, &n(9))
            .reply(POOLS, COMPTROLLER, &rewardAccruedCall { _0: 1, _1: ACCOUNT }, &n(10))
    };
    let cases = [
        ("comp", vec![(REWARD, n(7))]),
        ("venus", vec![(TOKEN, n(8))]),
        ("typed", vec![(OTHER, n(9)), (NATIVE, n(10))]),
    ];
    for (rewards, expected) in cases {
        let case = JobTest::new("fork", POOLS, Question::CLAIMABLES, ACCOUNT).settings(settings(rewards));
        let outcome = case.run::<Fork>(&chain());
        let paid: Vec<_> = outcome.payments().iter().map(|row| (row.token, row.amount)).collect();
        assert_eq!((outcome.end, paid), (End::Complete, expected), "{rewards}: {}", outcome.message);
    }
    let unnamed = chain().revert(POOLS, COMPTROLLER, &getCompAddressCall {});
    let case = JobTest::new("fork", POOLS, Question::CLAIMABLES, ACCOUNT).settings(settings("comp"));
    assert_ne!(case.run::<Fork>(&unnamed).end, End::Complete);
}
