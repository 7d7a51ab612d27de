//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::morpho::MorphoKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, list, one_row, plugin, text};

sol! {
    struct Params { address a; address b; address c; address d; uint256 e; }
    struct State { uint128 a; uint128 b; uint128 c; uint128 d; uint128 e; uint128 f; }
    function position(bytes32, address) external view returns (uint256, uint128, uint128);
    function market(bytes32) external view returns (uint128, uint128, uint128, uint128, uint128, uint128);
    function idToMarketParams(bytes32) external view returns (address, address, address, address, uint256);
    function borrowRateView(Params memory, State memory) external view returns (uint256);
    function price() external view returns (uint256);
    function getPrice(Params memory) external view returns (uint256);
    function brokers(bytes32) external view returns (address);
    function getUserTotalDebt(address) external view returns (uint256);
    function withdrawQueueLength() external view returns (uint256);
    function withdrawQueue(uint256) external view returns (bytes32);
    function adaptersLength() external view returns (uint256);
    function adapters(uint256) external view returns (address);
    function marketIdsLength() external view returns (uint256);
    function marketIds(uint256) external view returns (bytes32);
    function marketParamsListLength() external view returns (uint256);
    function marketParamsList(uint256) external view returns (address, address, address, address, uint256);
    function balanceOf(address) external view returns (uint256);
    function asset() external view returns (address);
    function previewRedeem(uint256) external view returns (uint256);
}

const NETWORK: u64 = 1;
const MORPHO: Address = Address::repeat_byte(1);
const VAULT: Address = Address::repeat_byte(2);
const VAULT_V2: Address = Address::repeat_byte(3);
const ADAPTER: Address = Address::repeat_byte(4);
const VAULT_ADAPTER: Address = Address::repeat_byte(5);
const LOAN: Address = Address::repeat_byte(6);
const COLLATERAL: Address = Address::repeat_byte(7);
const ORACLE: Address = Address::repeat_byte(8);
const IRM: Address = Address::repeat_byte(9);
/// Markets of the vault, of the adapter, of both, and of the row's list.
const QUEUED: B256 = B256::repeat_byte(0x11);
const ADAPTED: B256 = B256::repeat_byte(0x22);
const BOTH: B256 = B256::repeat_byte(0x33);
const LISTED: B256 = B256::repeat_byte(0x44);
const ALL: [B256; 4] = [QUEUED, ADAPTED, BOTH, LISTED];

const NOW: u64 = 2_000_000;
const WAD: u128 = 1_000_000_000_000_000_000;
/// 10^-6 a second.
const RATE: u64 = 1_000_000_000_000;
const ELAPSED: u64 = 1_000;

const TYPES: MorphoKit = MorphoKit { market: "market", vault: "vault" };

plugin! {
    /// A contract with a vault of each version.
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    morpho = "0x0101010101010101010101010101010101010101"
    vaults = ["0x0202020202020202020202020202020202020202"]
    vaults_v2 = ["0x0303030303030303030303030303030303030303"]
    markets = ["0x4444444444444444444444444444444444444444444444444444444444444444"]
    "#
}

plugin! {
    /// Its fork, which quotes collateral itself and whose markets may have brokers.
    Moolah: &TYPES,
    ["moolah" = "MOOLAH"],
    r#"
    [[deployment]]
    protocol = "moolah"
    network = "ethereum"
    moolah = "0x0101010101010101010101010101010101010101"
    vaults = ["0x0202020202020202020202020202020202020202"]
    markets = ["0x4444444444444444444444444444444444444444444444444444444444444444"]
    "#
}

const BROKER: Address = Address::repeat_byte(10);

fn n(number: u128) -> U256 {
    U256::from(number)
}

/// Supply shares, borrow shares and collateral of the account in a market.
fn has(chain: CannedReplies, id: B256, held: [u128; 3]) -> CannedReplies {
    chain.reply(NETWORK, MORPHO, &positionCall { _0: id, _1: ACCOUNT }, &held.map(n))
}

/// Totals of a market: deposits and debts with their shares, the seconds since the last accrual, and the fee.
fn totals(chain: CannedReplies, id: B256, totals: [u128; 4], elapsed: u64, fee: u128) -> CannedReplies {
    let [a, b, c, d] = totals;
    let state = State { a, b, c, d, e: u128::from(NOW - elapsed), f: fee };
    let words = [a, b, c, d, u128::from(NOW - elapsed), fee].map(n);
    let rate = borrowRateViewCall { _0: params(), _1: state };
    chain.reply(NETWORK, MORPHO, &marketCall(id), &words).reply(NETWORK, IRM, &rate, &n(RATE.into()))
}

/// Markets of one pair, at 86 %.
fn params() -> Params {
    Params { a: LOAN, b: COLLATERAL, c: ORACLE, d: IRM, e: n(86 * WAD / 100) }
}

/// Four markets in which the account has nothing; 2,000 are lent and half of that is borrowed, with a fee of a tenth.
fn nothing() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, VAULT, &withdrawQueueLengthCall {}, &n(2))
        .reply(NETWORK, VAULT, &withdrawQueueCall(n(0)), &QUEUED)
        .reply(NETWORK, VAULT, &withdrawQueueCall(n(1)), &BOTH)
        .reply(NETWORK, VAULT_V2, &adaptersLengthCall {}, &n(2))
        .reply(NETWORK, VAULT_V2, &adaptersCall(n(0)), &VAULT_ADAPTER)
        .reply(NETWORK, VAULT_V2, &adaptersCall(n(1)), &ADAPTER)
        .revert(NETWORK, VAULT_ADAPTER, &marketIdsLengthCall {})
        .reply(NETWORK, ADAPTER, &marketIdsLengthCall {}, &n(2))
        .reply(NETWORK, ADAPTER, &marketIdsCall(n(0)), &BOTH)
        .reply(NETWORK, ADAPTER, &marketIdsCall(n(1)), &ADAPTED)
        .reply(NETWORK, VAULT, &balanceOfCall(ACCOUNT), &n(0))
        .reply(NETWORK, VAULT_V2, &balanceOfCall(ACCOUNT), &n(0));
    // The price is 3 of the loan's smallest units.
    let chain = chain.reply(NETWORK, ORACLE, &priceCall {}, &(n(3 * WAD) * n(WAD)));
    ALL.into_iter().fold(chain, |chain, id| {
        let word = |address: Address| address.into_word();
        let words = (word(LOAN), word(COLLATERAL), word(ORACLE), word(IRM), n(86 * WAD / 100));
        let chain = chain.reply(NETWORK, MORPHO, &idToMarketParamsCall(id), &words);
        let lent = [2_000 * WAD, 2_000 * WAD * 1_000_000, 1_000 * WAD, 1_000 * WAD * 1_000_000];
        totals(has(chain, id, [0; 3]), id, lent, ELAPSED, WAD / 10)
    })
}

fn run(chain: &CannedReplies) -> Outcome {
    let block = Block { number: 7, hash: B256::ZERO, timestamp: NOW, evm_number: 7 };
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).block(block).run::<Fork>(chain)
}

/// Interest on one: 10^-6 for 1,000 seconds is 10^-3, plus half of its square and a sixth of its cube.
const INTEREST: u128 = WAD / 1_000 + WAD / 2_000_000 + WAD / 6_000_000_000;

#[test]
fn an_account_with_nothing_is_answered_in_few_batches() {
    let outcome = run(&nothing());
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    // Lengths and shares of vaults; the queue and adapters; their lengths; their markets; the account's positions in
    // the four.
    assert_eq!(outcome.batches, [4, 4, 4, 2, 4]);
}

#[test]
fn what_is_lent_has_its_interest_without_the_fee_rounded_down() {
    let shares = 20 * WAD * 1_000_000;
    let outcome = run(&has(nothing(), BOTH, [shares, 0, 0]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::LENT, MORPHO));
    assert_eq!((position.number, position.health), (Some(BOTH.into()), None));
    assert_eq!(position.name, format!("FORK {{{COLLATERAL:#x}}}/{{{LOAN:#x}}}"));
    // Interest on a debt of a thousand; a tenth of it becomes shares, at the price without that tenth.
    let interest = n(1_000 * INTEREST);
    let fee = interest / n(10);
    let (assets, total) = (n(2_000 * WAD) + interest, n(2_000 * WAD * 1_000_000));
    let fee_shares = fee * (total + n(1_000_000)) / (assets - fee + n(1));
    let lent = n(shares) * (assets + n(1)) / (total + fee_shares + n(1_000_000));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, LOAN, lent, Some(false))]);
    // About a hundredth of the nine tenths of the interest.
    assert!(lent > n(20 * WAD + 9 * INTEREST - 2_000) && lent < n(20 * WAD + 9 * INTEREST + 2_000), "{lent}");
    // 31.536 a year on a little more than half of the deposits, less a tenth.
    let rate = position.legs[0].rate_ray.expect("a rate");
    let owed = n(1_000 * WAD) + interest;
    let expected = n(31_536) * n(WAD) * n(1_000_000) * owed / assets * n(9) / n(10);
    assert_eq!(rate, expected);
    assert_eq!(outcome.batches, [4, 4, 4, 2, 4, 2, 1]);
}

#[test]
fn a_debt_is_rounded_up_and_has_its_collateral_and_its_health() {
    let shares = 10 * WAD * 1_000_000;
    let outcome = run(&has(nothing(), QUEUED, [0, shares, 5 * WAD]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind), (End::Complete, PositionKind::BORROWED), "{}", outcome.message);
    let (assets, total) = (n(1_000 * WAD + 1_000 * INTEREST) + n(1), n(1_000 * WAD * 1_000_000 + 1_000_000));
    let product = n(shares) * assets;
    let owed = product / total + n(u128::from(product % total != U256::ZERO));
    assert!(product % total != U256::ZERO, "rounding matters here");
    let expected = [(LegRole::BORROWED, LOAN, owed, None), (LegRole::SUPPLIED, COLLATERAL, n(5 * WAD), Some(true))];
    assert_eq!(legs(position), expected);
    assert_eq!(position.legs[0].rate_ray, Some(n(31_536) * n(WAD) * n(1_000_000)));
    // Five at 3 are 15; 86 % of that may be borrowed.
    let health = position.health.expect("a health");
    assert_eq!(health.factor_wad, Some(n(12_900 * WAD / 1_000) * n(WAD) / owed));
    let price = health.liquidation_price.expect("a price");
    assert_eq!((price.base, price.quote), (COLLATERAL, Some(LOAN)));
    assert_eq!(price.x128, (owed << 128) / n(5 * WAD) * n(WAD) / n(86 * WAD / 100));
    // The rate and the price together.
    assert_eq!(outcome.batches, [4, 4, 4, 2, 4, 2, 2]);
}

#[test]
fn at_the_second_of_the_last_interest_there_is_none_and_one_share_is_not_nothing() {
    let chain = totals(has(nothing(), LISTED, [0, 1, 1]), LISTED, [2 * WAD, 2 * WAD, WAD, WAD], 0, 0);
    let outcome = run(&chain);
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    // The debt is a fraction of a unit, which the contract rounds up.
    let expected = [(LegRole::BORROWED, LOAN, n(1), None), (LegRole::SUPPLIED, COLLATERAL, n(1), Some(true))];
    assert_eq!(legs(position), expected);
    // One at 3 is 3; 86 % of that are 2, over 1.
    assert_eq!(position.health.expect("a health").factor_wad, Some(n(2 * WAD)));
    let whole = totals(has(nothing(), LISTED, [WAD, 0, 0]), LISTED, [2 * WAD, 2 * WAD, WAD, WAD], 0, WAD / 10);
    let outcome = run(&whole);
    // Half of the shares: (2 × 10^18 + 1) over (2 × 10^18 + 10^6).
    let expected = n(WAD) * n(2 * WAD + 1) / n(2 * WAD + 1_000_000);
    assert_eq!(outcome.positions()[0].legs[0].amount, expected);
}

#[test]
fn collateral_alone_needs_no_rate_and_no_price() {
    let silent = nothing().revert(NETWORK, ORACLE, &priceCall {});
    let outcome = run(&has(silent, ADAPTED, [0, 0, 7]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, COLLATERAL, n(7), Some(true))]);
    assert_eq!(outcome.batches, [4, 4, 4, 2, 4, 2]);
}

#[test]
fn a_market_without_a_rate_has_no_interest() {
    let idle = (LOAN.into_word(), B256::ZERO, B256::ZERO, B256::ZERO, n(0));
    let chain = has(nothing(), QUEUED, [WAD, 0, 0]).reply(NETWORK, MORPHO, &idToMarketParamsCall(QUEUED), &idle);
    let outcome = run(&totals(chain, QUEUED, [2 * WAD, 2 * WAD * 1_000_000, 0, 0], ELAPSED, 0));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!(position.name, format!("FORK {{{LOAN:#x}}}"));
    // The virtual unit is the millionth of a million virtual shares.
    assert_eq!((position.legs[0].amount, position.legs[0].rate_ray), (n(WAD / 1_000_000), Some(U256::ZERO)));
}

#[test]
fn shares_of_vaults_are_told_in_what_they_redeem_to() {
    let chain = nothing()
        .reply(NETWORK, VAULT, &balanceOfCall(ACCOUNT), &n(1))
        .reply(NETWORK, VAULT, &assetCall {}, &LOAN)
        .reply(NETWORK, VAULT, &previewRedeemCall(n(1)), &n(9))
        .reply(NETWORK, VAULT_V2, &balanceOfCall(ACCOUNT), &n(100))
        .reply(NETWORK, VAULT_V2, &assetCall {}, &LOAN)
        .reply(NETWORK, VAULT_V2, &previewRedeemCall(n(100)), &n(101));
    let outcome = run(&chain);
    let found: Vec<_> = outcome.positions().iter().map(|row| (row.contract, legs(row), row.legs[0].receipt)).collect();
    let leg = |amount| vec![(LegRole::SUPPLIED, LOAN, n(amount), None)];
    assert_eq!(found, [(VAULT, leg(9), Some(VAULT)), (VAULT_V2, leg(101), Some(VAULT_V2))], "{}", outcome.message);
    let [first, _] = outcome.positions()[..] else { panic!("two positions") };
    assert_eq!((first.mechanism.as_str(), first.name.clone()), ("vault", format!("FORK {{{VAULT:#x}}}")));
}

#[test]
fn a_part_that_fails_costs_its_own_row_and_is_reported() {
    let both = || has(has(nothing(), QUEUED, [WAD, 0, 0]), BOTH, [0, WAD * 1_000_000, WAD]);
    assert_eq!(run(&both()).findings.len(), 2);
    let fails = |chain: CannedReplies, left: usize| {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, left), "{}", outcome.message);
        outcome
    };
    fails(both().revert(NETWORK, MORPHO, &positionCall { _0: QUEUED, _1: ACCOUNT }), 1);
    fails(both().revert(NETWORK, MORPHO, &marketCall(BOTH)), 1);
    fails(both().revert(NETWORK, VAULT, &balanceOfCall(ACCOUNT)), 2);
    // The other vault lends to one of the markets too.
    fails(both().revert(NETWORK, VAULT, &withdrawQueueLengthCall {}), 1);
    fails(both().revert(NETWORK, VAULT_V2, &adaptersLengthCall {}), 2);
    for price in
        [both().revert(NETWORK, ORACLE, &priceCall {}), both().reply(NETWORK, ORACLE, &priceCall {}, &U256::MAX)]
    {
        let outcome = fails(price, 2);
        let debt = outcome.positions().into_iter().find(|row| row.kind == PositionKind::BORROWED).expect("a debt");
        assert_eq!((debt.legs.len(), debt.health), (2, None));
    }
    assert_eq!(run(&CannedReplies::default()).end, End::Failed, "nothing can be read");
}

#[test]
fn an_adapter_of_the_first_kind_names_markets_by_their_parameters() {
    let words =
        [LOAN.into_word(), COLLATERAL.into_word(), ORACLE.into_word(), IRM.into_word(), n(86 * WAD / 100).into()];
    let id = alloy::primitives::keccak256(words.abi_encode());
    let chain = nothing()
        .reply(NETWORK, VAULT_ADAPTER, &marketParamsListLengthCall {}, &n(1))
        .reply(NETWORK, VAULT_ADAPTER, &marketParamsListCall(n(0)), &words)
        .reply(NETWORK, MORPHO, &idToMarketParamsCall(id), &words);
    let outcome = run(&totals(has(chain, id, [0, 0, 5]), id, [1, 1, 1, 1], 0, 0));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.number), (End::Complete, Some(id.into())), "{}", outcome.message);
    assert_eq!(legs(position), [(LegRole::SUPPLIED, COLLATERAL, n(5), Some(true))]);
}

#[test]
fn a_list_without_end_is_cut_and_the_answer_says_so() {
    let long = nothing().reply(NETWORK, VAULT, &withdrawQueueLengthCall {}, &U256::MAX);
    let chain = (0..100).fold(long, |chain, place| chain.reply(NETWORK, VAULT, &withdrawQueueCall(n(place)), &BOTH));
    let outcome = run(&has(chain, BOTH, [WAD, 0, 0]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1), "{}", outcome.message);
    assert!(outcome.not_covered[0].contains("of which 100 are read"), "{:?}", outcome.not_covered);
}

#[test]
fn a_row_of_settings_names_the_contract_and_where_to_look() {
    let morpho = || text("morpho", MORPHO);
    let served = |keys| testing::catalogue::<Fork>(&one_row("fork", 10, keys)).deployments[0].clone();
    let of_vaults = served(vec![morpho(), list("vaults", [VAULT])]);
    assert_eq!((of_vaults.contracts, of_vaults.questions), (vec![MORPHO, VAULT], vec![Question::LENDING]));
    assert_eq!(served(vec![morpho(), list("markets", [LISTED])]).contracts, [MORPHO]);
    let refused = |keys| testing::settings_error::<Fork>(&one_row("fork", 10, keys)).and_then(|error| error.key);
    assert_eq!(refused(vec![morpho()]).as_deref(), Some("vaults"));
    assert_eq!(refused(vec![morpho(), list("markets", ["0x11"])]).as_deref(), Some("markets"));
}

/// Ten are owed against five in the row's own market; no oracle answers.
fn brokered(broker: Address) -> CannedReplies {
    let chain = has(nothing(), LISTED, [0, 10 * WAD * 1_000_000, 5 * WAD]).revert(NETWORK, ORACLE, &priceCall {});
    let price = n(4 * WAD) * n(WAD);
    let chain = chain.reply(NETWORK, MORPHO, &getPriceCall(params()), &price);
    ALL.into_iter().fold(chain, |chain, id| chain.reply(NETWORK, MORPHO, &brokersCall(id), &broker))
}

fn run_moolah(chain: &CannedReplies) -> Outcome {
    let block = Block { number: 7, hash: B256::ZERO, timestamp: NOW, evm_number: 7 };
    JobTest::new("moolah", NETWORK, Question::LENDING, ACCOUNT).block(block).run::<Moolah>(chain)
}

#[test]
fn moolah_quotes_collateral_itself() {
    let outcome = run_moolah(&brokered(Address::ZERO));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind), (End::Complete, PositionKind::BORROWED), "{}", outcome.message);
    let owed = legs(position)[0].2;
    // Five at 4 are 20; 86 % of that may be borrowed.
    assert_eq!(position.health.expect("a health").factor_wad, Some(n(17_200 * WAD / 1_000) * n(WAD) / owed));
    assert_eq!(position.legs[0].rate_ray, Some(n(31_536) * n(WAD) * n(1_000_000)));
}

#[test]
fn what_is_owed_in_a_market_with_a_broker_is_what_the_broker_says() {
    let chain = brokered(BROKER).reply(NETWORK, BROKER, &getUserTotalDebtCall(ACCOUNT), &n(12 * WAD));
    let outcome = run_moolah(&chain);
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    let expected =
        [(LegRole::BORROWED, LOAN, n(12 * WAD), None), (LegRole::SUPPLIED, COLLATERAL, n(5 * WAD), Some(true))];
    assert_eq!((outcome.end, legs(position)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    // 17.2 over 12; the broker's rate is another one than the market's.
    let factor = n(17_200 * WAD / 1_000) * n(WAD) / n(12 * WAD);
    assert_eq!((position.health.expect("a health").factor_wad, position.legs[0].rate_ray), (Some(factor), None));
}

#[test]
fn a_broker_that_does_not_answer_costs_its_market_alone() {
    let silent = has(brokered(BROKER), BOTH, [WAD, 0, 0]).revert(NETWORK, BROKER, &getUserTotalDebtCall(ACCOUNT));
    let outcome = run_moolah(&silent);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].number, Some(BOTH.into()));
}

#[test]
fn a_row_has_one_contract_of_markets() {
    let keys = vec![text("morpho", MORPHO), text("moolah", MORPHO), list("vaults", [VAULT])];
    let refused = testing::settings_error::<Moolah>(&one_row("moolah", 10, keys)).and_then(|error| error.key);
    assert_eq!(refused.as_deref(), Some("moolah"));
}
