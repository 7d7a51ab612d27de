//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::silo::SiloKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, plugin};

sol! {
    struct ConfigData {
        uint256 daoFee;
        uint256 deployerFee;
        address silo;
        address token;
        address protectedShareToken;
        address collateralShareToken;
        address debtShareToken;
        address solvencyOracle;
        address maxLtvOracle;
        address interestRateModel;
        uint256 maxLtv;
        uint256 lt;
        uint256 liquidationTargetLtv;
        uint256 liquidationFee;
        uint256 flashloanFee;
        address hookReceiver;
        bool callBeforeQuote;
    }

    function getSilos() external view returns (address, address);
    function getConfig(address) external view returns (ConfigData memory);
    function borrowerCollateralSilo(address) external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function previewRedeem(uint256, uint8) external view returns (uint256);
    function maxRepay(address) external view returns (uint256);
    function getCollateralAssets() external view returns (uint256);
    function getDebtAssets() external view returns (uint256);
    function getCurrentInterestRate(address, uint256) external view returns (uint256);
    function quote(uint256, address) external view returns (uint256);
}

const NETWORK: u64 = 1;
/// Two pairs; the second is empty unless a test says otherwise.
const PAIRS: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const MODEL: Address = Address::repeat_byte(3);
const ORACLES: [Address; 2] = [Address::repeat_byte(4), Address::repeat_byte(5)];
const TOKENS: [Address; 2] = [Address::repeat_byte(0x41), Address::repeat_byte(0x42)];
const NOW: u64 = 1_750_000_000;

plugin! {
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    silo_configs = ["0x0101010101010101010101010101010101010101", "0x0202020202020202020202020202020202020202"]
    "#
}

const TYPES: SiloKit = SiloKit { pair: "pair" };

/// A percentage, with 18 decimals.
fn percent(number: u64) -> U256 {
    n(number) * n(10).pow(n(16))
}

/// A silo of a pair; its address is also that of its collateral's shares, and those of the other shares follow.
fn silo(pair: usize, side: usize) -> Address {
    Address::repeat_byte([[0x11, 0x21], [0x31, 0x51]][pair][side])
}

fn protected(pair: usize, side: usize) -> Address {
    Address::repeat_byte(silo(pair, side).0[0] + 1)
}

fn debt(pair: usize, side: usize) -> Address {
    Address::repeat_byte(silo(pair, side).0[0] + 2)
}

/// A pair in which nobody has anything. Half of the deposits are borrowed, at a tenth a year, with fees of a fifth.
fn pair(chain: CannedReplies, pair: usize, oracles: [Address; 2]) -> CannedReplies {
    let chain = chain.reply(NETWORK, PAIRS[pair], &getSilosCall {}, &(silo(pair, 0), silo(pair, 1))).reply(
        NETWORK,
        PAIRS[pair],
        &borrowerCollateralSiloCall(ACCOUNT),
        &Address::ZERO,
    );
    (0..2).fold(chain, |chain, side| {
        let its = silo(pair, side);
        let config = ConfigData {
            daoFee: percent(15),
            deployerFee: percent(5),
            silo: its,
            token: TOKENS[side],
            protectedShareToken: protected(pair, side),
            collateralShareToken: its,
            debtShareToken: debt(pair, side),
            solvencyOracle: oracles[side],
            maxLtvOracle: Address::ZERO,
            interestRateModel: MODEL,
            maxLtv: percent(70),
            lt: percent(80),
            liquidationTargetLtv: percent(75),
            liquidationFee: percent(5),
            flashloanFee: n(0),
            hookReceiver: Address::ZERO,
            callBeforeQuote: true,
        };
        [its, protected(pair, side), debt(pair, side)]
            .into_iter()
            .fold(chain, |chain, token| chain.reply(NETWORK, token, &balanceOfCall(ACCOUNT), &n(0)))
            .reply(NETWORK, PAIRS[pair], &getConfigCall(its), &config)
            .reply(NETWORK, its, &getCollateralAssetsCall {}, &n(1_000))
            .reply(NETWORK, its, &getDebtAssetsCall {}, &n(500))
            .reply(NETWORK, MODEL, &getCurrentInterestRateCall { _0: its, _1: n(NOW) }, &percent(10))
    })
}

fn nothing(oracles: [Address; 2]) -> CannedReplies {
    pair(pair(CannedReplies::default(), 0, oracles), 1, oracles)
}

/// Shares of deposits that redeem to these amounts.
fn holds(chain: CannedReplies, side: usize, lent: u64, kept: u64) -> CannedReplies {
    let its = silo(0, side);
    chain
        .reply(NETWORK, its, &balanceOfCall(ACCOUNT), &n(1_000 * lent))
        .reply(NETWORK, protected(0, side), &balanceOfCall(ACCOUNT), &n(1_000 * kept))
        .reply(NETWORK, its, &previewRedeemCall { _0: n(1_000 * lent), _1: 1 }, &n(lent))
        .reply(NETWORK, its, &previewRedeemCall { _0: n(1_000 * kept), _1: 0 }, &n(kept))
}

/// A debt to the second silo of the first pair, secured by the first.
fn owes(chain: CannedReplies, amount: u64) -> CannedReplies {
    chain
        .reply(NETWORK, PAIRS[0], &borrowerCollateralSiloCall(ACCOUNT), &silo(0, 0))
        .reply(NETWORK, debt(0, 1), &balanceOfCall(ACCOUNT), &n(1))
        .reply(NETWORK, silo(0, 1), &maxRepayCall(ACCOUNT), &n(amount))
}

fn run(chain: &CannedReplies) -> Outcome {
    let block = Block { number: 1_000, hash: B256::ZERO, timestamp: NOW, evm_number: 1_000 };
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).block(block).run::<Fork>(chain)
}

/// Role, token, amount, receipt and collateral flag of a leg.
type Told = (LegRole, Address, U256, Option<Address>, Option<bool>);

#[expect(clippy::panic, reason = "anything but one position is the failure of the test that asks for it")]
fn position(outcome: &Outcome) -> &Position {
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    position
}

fn legs(outcome: &Outcome) -> Vec<Told> {
    position(outcome).legs.iter().map(|leg| (leg.role, leg.token, leg.amount, leg.receipt, leg.is_collateral)).collect()
}

fn health(outcome: &Outcome) -> Option<U256> {
    position(outcome).health.and_then(|health| health.factor_wad)
}

#[test]
fn an_account_with_nothing_has_no_position() {
    let outcome = run(&nothing(ORACLES));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    // For two pairs: their silos; the config of each silo; three balances of each.
    assert_eq!(outcome.batches, [2, 4, 12]);
}

#[test]
fn deposits_that_are_lent_earn_and_protected_ones_do_not() {
    let outcome = run(&holds(nothing(ORACLES), 1, 70, 30));
    assert_eq!((outcome.end, position(&outcome).kind), (End::Complete, PositionKind::LENT), "{}", outcome.message);
    assert_eq!(position(&outcome).contract, PAIRS[0]);
    let lent = (LegRole::SUPPLIED, TOKENS[1], n(70), Some(silo(0, 1)), Some(false));
    assert_eq!(legs(&outcome), [lent, (LegRole::SUPPLIED, TOKENS[1], n(30), Some(protected(0, 1)), Some(false))]);
    // A tenth on the borrowed half, less a fifth.
    let rates: Vec<_> = position(&outcome).legs.iter().map(|leg| leg.rate_ray).collect();
    assert_eq!(rates, [Some(n(4) * n(10).pow(n(25))), Some(n(0))]);
    assert_eq!(health(&outcome), None);
}

#[test]
fn a_debt_has_the_health_of_what_secures_it() {
    let chain = owes(holds(holds(nothing(ORACLES), 0, 70, 30), 1, 9, 0), 40)
        .reply(NETWORK, ORACLES[0], &quoteCall { _0: n(100), _1: TOKENS[0] }, &n(1_000))
        .reply(NETWORK, ORACLES[1], &quoteCall { _0: n(40), _1: TOKENS[1] }, &n(500));
    let outcome = run(&chain);
    assert_eq!((outcome.end, position(&outcome).kind), (End::Complete, PositionKind::BORROWED), "{}", outcome.message);
    let supplied =
        |side, amount, receipt, secures| (LegRole::SUPPLIED, TOKENS[side], n(amount), Some(receipt), Some(secures));
    let of_first = [supplied(0, 70, silo(0, 0), true), supplied(0, 30, protected(0, 0), true)];
    let of_other = [supplied(1, 9, silo(0, 1), false), (LegRole::BORROWED, TOKENS[1], n(40), None, None)];
    assert_eq!(legs(&outcome), [of_first, of_other].concat());
    assert_eq!(position(&outcome).legs[3].rate_ray, Some(n(10).pow(n(26))));
    // Eight tenths of 1,000 over 500.
    assert_eq!(health(&outcome), Some(percent(160)));
    // Four amounts and the securing silo, each for its leg and for the health; three reads for the rate of each silo,
    // and one for that of the debt; then two prices.
    assert_eq!(outcome.batches[3..], [17, 2]);
}

#[test]
fn a_token_without_an_oracle_is_worth_as_much_as_it_is() {
    let chain = owes(holds(nothing([ORACLES[0], Address::ZERO]), 0, 100, 0), 40);
    let chain = chain.reply(NETWORK, ORACLES[0], &quoteCall { _0: n(100), _1: TOKENS[0] }, &n(50));
    assert_eq!(health(&run(&chain)), Some(percent(100)));
    // The collateral may be gone: zero is worth zero, without the oracle.
    let empty = owes(nothing([ORACLES[0], Address::ZERO]), 40);
    let outcome = run(&empty);
    assert_eq!((outcome.end, health(&outcome)), (End::Complete, Some(n(0))), "{}", outcome.message);
}

#[test]
fn a_collateral_that_stands_without_a_debt_secures_nothing() {
    let chain = holds(nothing(ORACLES), 0, 70, 0);
    let outcome = run(&chain.reply(NETWORK, PAIRS[0], &borrowerCollateralSiloCall(ACCOUNT), &silo(0, 0)));
    assert_eq!((legs(&outcome)[0].4, health(&outcome)), (Some(false), None), "{}", outcome.message);
}

#[test]
fn a_debt_whose_collateral_is_not_known_has_no_health_and_the_answer_says_so() {
    let owing = || owes(holds(nothing(ORACLES), 0, 100, 0), 40);
    let call = borrowerCollateralSiloCall(ACCOUNT);
    for chain in [
        owing().result(NETWORK, PAIRS[0], &call, ReadResult::Unavailable),
        owing().reply(NETWORK, PAIRS[0], &call, &Address::repeat_byte(0x99)),
    ] {
        let outcome = run(&chain);
        assert_eq!((outcome.end, health(&outcome)), (End::Partial, None));
        assert_eq!(legs(&outcome)[0], (LegRole::SUPPLIED, TOKENS[0], n(100), Some(silo(0, 0)), None));
    }
}

#[test]
fn an_oracle_that_fails_costs_the_health_and_a_model_that_fails_the_rate() {
    let owing = owes(holds(nothing(ORACLES), 0, 100, 0), 40);
    let refused = |chain: CannedReplies, to, call: &quoteCall| {
        chain.result(NETWORK, to, call, ReadResult::Reverted(Bytes::new()))
    };
    let outcome = run(&refused(owing, ORACLES[0], &quoteCall { _0: n(100), _1: TOKENS[0] }));
    assert_eq!((outcome.end, legs(&outcome).len(), health(&outcome)), (End::Partial, 2, None));
    let model = getCurrentInterestRateCall { _0: silo(0, 1), _1: n(NOW) };
    let unrated = holds(nothing(ORACLES), 1, 70, 0);
    let outcome = run(&unrated.result(NETWORK, MODEL, &model, ReadResult::Reverted(Bytes::new())));
    assert_eq!((outcome.end, position(&outcome).legs[0].rate_ray), (End::Complete, None), "{}", outcome.message);
}

#[test]
fn a_pair_that_cannot_be_read_costs_its_own_row() {
    let broken = holds(nothing(ORACLES), 1, 70, 0).result(NETWORK, PAIRS[1], &getSilosCall {}, ReadResult::Unavailable);
    let outcome = run(&broken);
    assert_eq!((outcome.end, legs(&outcome).len()), (End::Partial, 1));
    let unread = holds(nothing(ORACLES), 1, 70, 30).result(
        NETWORK,
        silo(0, 1),
        &previewRedeemCall { _0: n(70_000), _1: 1 },
        ReadResult::Unavailable,
    );
    let outcome = run(&unread);
    assert_eq!((outcome.end, legs(&outcome).len()), (End::Partial, 1));
}
