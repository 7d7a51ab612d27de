//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::credit_accounts::CreditAccountsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, list, n, one_row, plugin, text};

sol! {
    struct Managers { address[] configurators; address[] creditManagers; address[] pools; address underlying; }
    struct Owned { address owner; bool includeZeroDebt; uint256 min; uint256 max; bool reverting; }
    struct Held { address token; uint256 mask; uint256 balance; uint256 quota; bool success; }
    struct State {
        address creditAccount;
        address creditManager;
        address creditFacade;
        address underlying;
        address owner;
        uint256 expirationDate;
        uint256 enabledTokensMask;
        uint256 debt;
        uint256 accruedInterest;
        uint256 accruedFees;
        uint256[4] values;
        uint256 healthFactor;
        bool success;
        Held[] tokens;
    }
    function countCreditAccounts(Managers, Owned) external view returns (uint256);
    function getCreditAccounts(Managers, Owned, uint256) external view returns (State[], uint256);
    function getLatestPatchVersion(bytes32, uint256) external view returns (uint256);
    function getAddressOrRevert(bytes32, uint256) external view returns (address);
    function contractsRegister() external view returns (address);
    function getPools() external view returns (address[] memory);
    function balanceOf(address) external view returns (uint256);
    function asset() external view returns (address);
    function previewRedeem(uint256) external view returns (uint256);
}

const NETWORK: u64 = 1;
const CURATORS: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const PROVIDER: Address = Address::repeat_byte(3);
const REGISTERS: [Address; 2] = [Address::repeat_byte(4), Address::repeat_byte(5)];
const COMPRESSOR: Address = Address::repeat_byte(6);
const POOLS: [Address; 2] = [Address::repeat_byte(7), Address::repeat_byte(8)];
const USDC: Address = Address::repeat_byte(9);
const WETH: Address = Address::repeat_byte(10);
const DAI: Address = Address::repeat_byte(11);
const HELD_BY: Address = Address::repeat_byte(12);
const OTHER: Address = Address::repeat_byte(13);
const WAD: u64 = 1_000_000_000_000_000_000;
/// "GLOBAL::ACCOUNT_COMPRESSOR" and six zeros.
const KEY: B256 = b256!("474c4f42414c3a3a4143434f554e545f434f4d50524553534f52000000000000");

const TYPES: CreditAccountsKit = CreditAccountsKit { account: "account", pool: "pool" };

plugin! {
    Credit: &TYPES,
    ["credit" = "CREDIT"],
    r#"
    [[deployment]]
    protocol = "credit"
    network = "ethereum"
    market_configurators = ["0x0101010101010101010101010101010101010101", "0x0202020202020202020202020202020202020202"]
    address_provider = "0x0303030303030303030303030303030303030303"
    "#
}

fn filters() -> (Managers, Owned) {
    let managers = Managers {
        configurators: CURATORS.to_vec(),
        creditManagers: Vec::new(),
        pools: Vec::new(),
        underlying: Address::ZERO,
    };
    (managers, Owned { owner: ACCOUNT, includeZeroDebt: true, min: n(0), max: n(0), reverting: false })
}

fn count() -> countCreditAccountsCall {
    let (managers, owned) = filters();
    countCreditAccountsCall { _0: managers, _1: owned }
}

fn page(offset: u64) -> getCreditAccountsCall {
    let (managers, owned) = filters();
    getCreditAccountsCall { _0: managers, _1: owned, _2: n(offset) }
}

fn states(rows: Vec<State>, next: u64) -> ReadResult {
    ReadResult::Ok((rows, n(next)).abi_encode_params().into())
}

fn held(token: Address, mask: u64, balance: u64, success: bool) -> Held {
    Held { token, mask: n(mask), balance: n(balance), quota: n(99), success }
}

/// An account that owes 100, 10 of interest and 5 of fees, in USDC. It has WETH and USDC that count, DAI that does not,
/// and a smallest unit of another token. The factor is 1.5.
fn state() -> State {
    State {
        creditAccount: HELD_BY,
        creditManager: OTHER,
        creditFacade: OTHER,
        underlying: USDC,
        owner: ACCOUNT,
        expirationDate: n(0),
        enabledTokensMask: n(0b1011),
        debt: n(100),
        accruedInterest: n(10),
        accruedFees: n(5),
        values: [n(99); 4],
        healthFactor: n(WAD / 2 * 3),
        success: true,
        tokens: vec![
            held(USDC, 0b1, 40, true),
            held(WETH, 0b10, 7, true),
            held(DAI, 0b100, 3, true),
            held(OTHER, 0b1000, 1, true),
        ],
    }
}

/// No shares of the two pools, and so many credit accounts.
fn chain(accounts: u64) -> CannedReplies {
    let mut chain = CannedReplies::default()
        .reply(NETWORK, PROVIDER, &getLatestPatchVersionCall { _0: KEY, _1: n(310) }, &n(312))
        .reply(NETWORK, PROVIDER, &getAddressOrRevertCall { _0: KEY, _1: n(312) }, &COMPRESSOR)
        .reply(NETWORK, COMPRESSOR, &count(), &n(accounts));
    for (place, curator) in CURATORS.into_iter().enumerate() {
        chain = chain
            .reply(NETWORK, curator, &contractsRegisterCall {}, &REGISTERS[place])
            .reply(NETWORK, REGISTERS[place], &getPoolsCall {}, &vec![POOLS[place]])
            .reply(NETWORK, POOLS[place], &balanceOfCall(ACCOUNT), &n(0))
            .reply(NETWORK, POOLS[place], &assetCall {}, &USDC);
    }
    chain
}

fn with(rows: Vec<State>) -> CannedReplies {
    let count = u64::try_from(rows.len()).unwrap_or_default();
    chain(count).result(NETWORK, COMPRESSOR, &page(0), states(rows, 0))
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("credit", NETWORK, Question::LENDING, ACCOUNT).run::<Credit>(chain)
}

#[test]
fn a_credit_account_owes_with_interest_and_fees() {
    let outcome = run(&with(vec![state()]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract), (PositionKind::BORROWED, HELD_BY));
    assert_eq!(
        (position.mechanism.as_str(), &position.name),
        ("account", &format!("CREDIT {{{USDC:#x}}} credit account"))
    );
    let expected = [
        (LegRole::SUPPLIED, USDC, n(40), Some(true)),
        (LegRole::SUPPLIED, WETH, n(7), Some(true)),
        (LegRole::SUPPLIED, DAI, n(3), Some(false)),
        (LegRole::BORROWED, USDC, n(115), None),
    ];
    assert_eq!(legs(position), expected);
    let health = position.health.expect("a health");
    assert_eq!((health.factor_wad, health.liquidation_price), (Some(n(WAD / 2 * 3)), None));
}

#[test]
fn an_account_without_debt_has_its_tokens_and_no_health() {
    let none = State { debt: n(0), accruedInterest: n(0), accruedFees: n(0), healthFactor: U256::MAX, ..state() };
    let outcome = run(&with(vec![none]));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    let expected = [(USDC, 40), (WETH, 7), (DAI, 3)];
    assert_eq!(legs(position), expected.map(|(token, held)| (LegRole::SUPPLIED, token, n(held), Some(false))));
}

#[test]
fn shares_of_pools_are_told_in_what_they_redeem_to() {
    let chain = chain(0).reply(NETWORK, POOLS[1], &balanceOfCall(ACCOUNT), &n(10)).reply(
        NETWORK,
        POOLS[1],
        &previewRedeemCall(n(10)),
        &n(12),
    );
    let outcome = run(&chain);
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::LENT, POOLS[1]));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, USDC, n(12), None)]);
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let outcome = run(&chain(0));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    // Version and registers; address and lists; the count and the shares.
    assert_eq!(outcome.batches, [3, 3, 3]);
}

#[test]
fn further_accounts_are_read_from_where_the_gas_ended() {
    let second = State { creditAccount: OTHER, ..state() };
    let two = chain(2).result(NETWORK, COMPRESSOR, &page(0), states(vec![state()], 7)).result(
        NETWORK,
        COMPRESSOR,
        &page(7),
        states(vec![second], 0),
    );
    let outcome = run(&two);
    let contracts: Vec<Address> = outcome.positions().iter().map(|position| position.contract).collect();
    assert_eq!((outcome.end, contracts), (End::Complete, vec![HELD_BY, OTHER]), "{}", outcome.message);
    // A list that never ends is given up, and reported.
    let endless = (0_u8..9).fold(chain(9), |chain, offset| {
        let state = State { creditAccount: Address::with_last_byte(offset), ..state() };
        let offset = u64::from(offset);
        chain.result(NETWORK, COMPRESSOR, &page(offset), states(vec![state], offset + 1))
    });
    let outcome = run(&endless);
    assert_eq!((outcome.end, outcome.positions().len(), outcome.not_covered.len()), (End::Partial, 4, 1));
}

#[test]
fn a_part_that_cannot_be_read_is_reported_and_loses_only_itself() {
    let unpriced = run(&with(vec![State { success: false, healthFactor: n(0), ..state() }]));
    assert_eq!((unpriced.end, unpriced.positions()[0].legs.len()), (End::Partial, 4), "{}", unpriced.message);
    assert_eq!(unpriced.positions()[0].health, None);
    let mut untold = state();
    untold.tokens[1].success = false;
    let untold = run(&with(vec![untold]));
    assert_eq!((untold.end, untold.positions()[0].legs.len()), (End::Partial, 3), "{}", untold.message);
    let wrong = [State { owner: OTHER, ..state() }, State { debt: U256::MAX, ..state() }];
    for state_of in wrong {
        let outcome = run(&with(vec![state_of, state()]));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    }
    // Without the accounts, the pools; without one curator's pools, the others; without both, nothing.
    let shares = chain(1)
        .reply(NETWORK, POOLS[1], &balanceOfCall(ACCOUNT), &n(10))
        .reply(NETWORK, POOLS[1], &previewRedeemCall(n(10)), &n(12))
        .revert(NETWORK, REGISTERS[0], &getPoolsCall {});
    let outcome = run(&shares.revert(NETWORK, COMPRESSOR, &page(0)));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    assert_eq!(run(&CannedReplies::default()).end, End::Failed);
}

#[test]
fn long_lists_are_cut_and_reported() {
    let account = |place| State { creditAccount: Address::with_last_byte(place), ..state() };
    let outcome = run(&with((0..80).map(account).collect()));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 64), "{}", outcome.message);
    let tokens = (0..80).map(|place| held(Address::with_last_byte(place), 1, 5, true)).collect();
    let outcome = run(&with(vec![State { tokens, ..state() }]));
    assert_eq!((outcome.end, outcome.positions()[0].legs.len()), (End::Partial, 65), "{}", outcome.message);
}

#[test]
fn a_row_without_a_provider_answers_pools_alone() {
    let pools = CannedReplies::default()
        .reply(NETWORK, CURATORS[0], &contractsRegisterCall {}, &REGISTERS[0])
        .reply(NETWORK, REGISTERS[0], &getPoolsCall {}, &vec![POOLS[0]])
        .reply(NETWORK, POOLS[0], &balanceOfCall(ACCOUNT), &n(5))
        .reply(NETWORK, POOLS[0], &assetCall {}, &USDC)
        .reply(NETWORK, POOLS[0], &previewRedeemCall(n(5)), &n(5));
    let settings = one_row("credit", NETWORK, vec![list("market_configurators", [CURATORS[0]])]);
    let job = JobTest::new("credit", NETWORK, Question::LENDING, ACCOUNT).settings(settings);
    let outcome = job.run::<Credit>(&pools);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let none = one_row("credit", NETWORK, vec![text("address_provider", PROVIDER)]);
    assert!(testing::settings_error::<Credit>(&none).is_some());
}
