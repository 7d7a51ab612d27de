//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::euler::EulerKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, one_row, plugin, text};

sol! {
    function getAccountOwner(address) external view returns (address);
    function getCollaterals(address) external view returns (address[] memory);
    function getControllers(address) external view returns (address[] memory);
    function getProxyListLength() external view returns (uint256);
    function getProxyListSlice(uint256, uint256) external view returns (address[] memory);
    function asset() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function convertToAssets(uint256) external view returns (uint256);
    function previewRedeem(uint256) external view returns (uint256);
    function debtOf(address) external view returns (uint256);
    function interestRate() external view returns (uint256);
    function interestFee() external view returns (uint16);
    function totalAssets() external view returns (uint256);
    function totalBorrows() external view returns (uint256);
    function accountLiquidity(address, bool) external view returns (uint256, uint256);
    function isVerified(address) external view returns (bool);
    function getVaultListLength() external view returns (uint256);
    function getVaultListSlice(uint256, uint256) external view returns (address[] memory);
}

const NETWORK: u64 = 1;
const EVC: Address = Address::repeat_byte(1);
const FACTORY: Address = Address::repeat_byte(2);
const EARN_FACTORY: Address = Address::repeat_byte(3);
const EARN: Address = Address::repeat_byte(4);
const PERSPECTIVES: [Address; 2] = [Address::repeat_byte(5), Address::repeat_byte(6)];
/// Vaults of three tokens.
const VAULTS: [Address; 3] = [Address::repeat_byte(0x11), Address::repeat_byte(0x22), Address::repeat_byte(0x33)];
const TOKENS: [Address; 3] = [Address::repeat_byte(0x41), Address::repeat_byte(0x42), Address::repeat_byte(0x43)];
const SUB_ACCOUNTS: u8 = 32;

const TYPES: EulerKit = EulerKit { account: "account", earn: "earn" };

plugin! {
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    evc = "0x0101010101010101010101010101010101010101"
    evault_factory = "0x0202020202020202020202020202020202020202"
    earn_factory = "0x0303030303030303030303030303030303030303"
    perspectives = ["0x0505050505050505050505050505050505050505", "0x0606060606060606060606060606060606060606"]
    "#
}

/// Returns the account's address with another last byte.
fn sub(number: u8) -> Address {
    let mut bytes = [0xac; 20];
    bytes[19] = 0xac ^ number;
    Address::from(bytes)
}

/// Sets the connector's collaterals and controllers of an account.
fn connected(
    chain: CannedReplies,
    account: Address,
    controllers: &[Address],
    collaterals: &[Address],
) -> CannedReplies {
    chain.reply(NETWORK, EVC, &getControllersCall(account), &controllers.to_vec()).reply(
        NETWORK,
        EVC,
        &getCollateralsCall(account),
        &collaterals.to_vec(),
    )
}

/// Shares of a vault, each worth two.
fn holds(chain: CannedReplies, account: Address, vault: Address, shares: u64) -> CannedReplies {
    chain
        .reply(NETWORK, vault, &balanceOfCall(account), &n(shares))
        .reply(NETWORK, vault, &convertToAssetsCall(n(shares)), &n(2 * shares))
        .reply(NETWORK, vault, &previewRedeemCall(n(shares)), &n(2 * shares))
}

/// Three vaults, and one that lends to them; nobody has anything. Half of the deposits are borrowed, at 10^-9 per
/// second, with a fee of a tenth.
fn nothing() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, FACTORY, &getProxyListLengthCall {}, &n(3))
        .reply(NETWORK, FACTORY, &getProxyListSliceCall { _0: n(0), _1: n(3) }, &VAULTS.to_vec())
        .reply(NETWORK, EARN_FACTORY, &getVaultListLengthCall {}, &n(1))
        .reply(NETWORK, EARN_FACTORY, &getVaultListSliceCall { _0: n(0), _1: n(1) }, &vec![EARN])
        .reply(NETWORK, EVC, &getAccountOwnerCall(ACCOUNT), &Address::ZERO)
        .reply(NETWORK, EARN, &assetCall {}, &TOKENS[0]);
    let chain = holds(connected(chain, ACCOUNT, &[], &[]), ACCOUNT, EARN, 0);
    let chain = verified(chain, EARN, [true, false]);
    VAULTS.into_iter().zip(TOKENS).fold(chain, |chain, (vault, token)| {
        holds(verified(chain, vault, [false, true]), ACCOUNT, vault, 0)
            .reply(NETWORK, vault, &assetCall {}, &token)
            .reply(NETWORK, vault, &interestRateCall {}, &n(1_000_000_000_000_000_000))
            .reply(NETWORK, vault, &interestFeeCall {}, &n(1_000))
            .reply(NETWORK, vault, &totalAssetsCall {}, &n(1_000))
            .reply(NETWORK, vault, &totalBorrowsCall {}, &n(500))
    })
}

/// Sets both perspectives' replies about a vault.
fn verified(chain: CannedReplies, vault: Address, said: [bool; 2]) -> CannedReplies {
    let of = |chain: CannedReplies, (at, said)| chain.reply(NETWORK, at, &isVerifiedCall(vault), &said);
    PERSPECTIVES.into_iter().zip(said).fold(chain, of)
}

/// An owner known to the connector, whose sub-accounts are empty.
fn known() -> CannedReplies {
    let chain = nothing().reply(NETWORK, EVC, &getAccountOwnerCall(ACCOUNT), &ACCOUNT);
    (1..=SUB_ACCOUNTS).fold(chain, |chain, number| connected(chain, sub(number), &[], &[]))
}

/// A debt in the first vault against the second's shares: 60 are owed, and 90 may be.
fn borrows(chain: CannedReplies, account: Address, debt: u64) -> CannedReplies {
    let chain = holds(connected(chain, account, &VAULTS[..1], &VAULTS[1..2]), account, VAULTS[1], 50);
    chain.reply(NETWORK, VAULTS[0], &debtOfCall(account), &n(debt)).reply(
        NETWORK,
        VAULTS[0],
        &accountLiquidityCall { _0: account, _1: true },
        &(n(90), n(60)),
    )
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).run::<Fork>(chain)
}

/// Runs a job that already knows the lists.
fn run_again(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).after(&run(chain)).run::<Fork>(chain)
}

/// Role, token, amount, receipt and collateral flag of a leg.
type Told = (LegRole, Address, U256, Option<Address>, Option<bool>);

fn legs(position: &Position) -> Vec<Told> {
    position.legs.iter().map(|leg| (leg.role, leg.token, leg.amount, leg.receipt, leg.is_collateral)).collect()
}

/// A leg of one of the vaults.
fn lent(vault: usize, amount: u64, is_collateral: bool) -> Told {
    (LegRole::SUPPLIED, TOKENS[vault], n(amount), Some(VAULTS[vault]), Some(is_collateral))
}

#[test]
fn an_account_with_nothing_is_answered_in_few_batches() {
    let outcome = run(&nothing());
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    // With known lists: their lengths and the connector's data of the account; its shares of four vaults.
    let again = run_again(&nothing());
    assert_eq!((again.end, again.findings.len(), again.batches), (End::Complete, 0, vec![5, 4]));
    // For an owner known to the connector, also those of 32 sub-accounts.
    assert_eq!(run_again(&known()).batches, [5, 68]);
}

#[test]
fn what_is_lent_has_its_interest_and_the_rate_of_a_year() {
    let outcome = run_again(&holds(holds(nothing(), ACCOUNT, VAULTS[0], 1), ACCOUNT, VAULTS[2], 500));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::LENT, EVC));
    assert_eq!((position.number, position.health, position.name.as_str()), (None, None, "FORK"));
    assert_eq!(legs(position), [lent(0, 2, false), lent(2, 1_000, false)]);
    // 3.1536 % a year of the borrowed half, less a tenth.
    assert_eq!(position.legs[0].rate_ray, Some(U256::from(14_191_200_000_000_000_000_000_000_u128)));
    // For each vault: the token, the amount, the parts of the rate, and the replies of two perspectives.
    assert_eq!(outcome.batches, [5, 4, 16]);
}

#[test]
fn a_debt_has_its_collateral_and_its_health() {
    let outcome = run(&holds(borrows(nothing(), ACCOUNT, 55), ACCOUNT, VAULTS[2], 1));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind), (End::Complete, PositionKind::BORROWED), "{}", outcome.message);
    let debt = (LegRole::BORROWED, TOKENS[0], n(55), None, None);
    assert_eq!(legs(position), [lent(1, 100, true), lent(2, 2, false), debt]);
    assert_eq!(position.legs[2].rate_ray, Some(U256::from(31_536_000_000_000_000_000_000_000_u128)));
    let factor = position.health.expect("a health").factor_wad;
    assert_eq!(factor, Some(n(1_500_000_000_000_000_000)));
}

#[test]
fn sub_accounts_have_positions_of_their_own() {
    let chain = borrows(known(), sub(1), 7);
    let chain = holds(connected(chain, sub(32), &[], &VAULTS[2..]), sub(32), VAULTS[2], 3);
    let outcome = run(&holds(chain, ACCOUNT, VAULTS[0], 1));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 3), "{}", outcome.message);
    let found = |number| outcome.positions().into_iter().find(|row| row.number == number).expect("a position");
    assert_eq!(legs(found(None)), [lent(0, 2, false)]);
    assert_eq!(found(Some(n(1))).name, "FORK sub-account 1");
    assert_eq!(legs(found(Some(n(1)))), [lent(1, 100, true), (LegRole::BORROWED, TOKENS[0], n(7), None, None)]);
    assert!(found(Some(n(1))).health.is_some());
    // Without a controller, nothing is collateral.
    assert_eq!(legs(found(Some(n(32)))), [lent(2, 6, false)]);
}

#[test]
fn a_finished_debt_leaves_what_is_lent() {
    let outcome = run(&borrows(nothing(), ACCOUNT, 0));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    assert_eq!(legs(position), [lent(1, 100, true)]);
}

#[test]
fn shares_of_vaults_that_lend_to_others_are_told_in_what_they_redeem_to() {
    let outcome = run(&holds(nothing(), ACCOUNT, EARN, 9));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((position.contract, position.mechanism.as_str()), (EARN, "earn"));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, TOKENS[0], n(18), Some(EARN), None)]);
}

#[test]
fn shares_of_a_vault_that_nobody_verifies_are_told_as_such() {
    let held = || holds(holds(nothing(), ACCOUNT, VAULTS[0], 7), ACCOUNT, EARN, 9);
    let told = |chain: &CannedReplies| {
        let outcome = run(chain);
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let rows = outcome.positions();
        let of = |at| rows.iter().find(|row| row.contract == at).map(|row| legs(row)[0]).expect("a position");
        [of(EVC), of(EARN)].map(|(_, token, amount, ..)| (token, amount))
    };
    let unverified = || verified(verified(held(), VAULTS[0], [false; 2]), EARN, [false; 2]);
    assert_eq!(told(&held()), [(TOKENS[0], n(14)), (TOKENS[0], n(18))]);
    assert_eq!(told(&unverified()), [(VAULTS[0], n(7)), (EARN, n(9))]);
    // A vault without debts holds everything that its shares redeem to.
    let idle = unverified().reply(NETWORK, VAULTS[0], &totalBorrowsCall {}, &n(0));
    assert_eq!(told(&idle), [(TOKENS[0], n(14)), (EARN, n(9))]);
    // Before the perspectives existed.
    let revert = |chain: CannedReplies, at, vault| chain.revert(NETWORK, at, &isVerifiedCall(vault));
    let one = |chain, at| revert(revert(chain, at, VAULTS[0]), at, EARN);
    assert_eq!(told(&one(one(unverified(), PERSPECTIVES[0]), PERSPECTIVES[1])), told(&held()));
    assert_eq!(told(&one(unverified(), PERSPECTIVES[0])), told(&unverified()));
    // An unreadable perspective does not verify.
    let unread = unverified().result(NETWORK, PERSPECTIVES[0], &isVerifiedCall(VAULTS[0]), ReadResult::Unavailable);
    assert_eq!((run(&unread).end, run(&unread).findings.len()), (End::Partial, 1));
}

#[test]
fn a_part_that_fails_costs_its_own_leg_and_is_reported() {
    let both = || holds(borrows(known(), ACCOUNT, 55), ACCOUNT, VAULTS[2], 1);
    assert_eq!(run(&both()).positions()[0].legs.len(), 3);
    let fails = |chain: CannedReplies, left: usize| {
        let outcome = run(&chain);
        assert_eq!(outcome.end, End::Partial, "{}", outcome.message);
        assert_eq!(outcome.positions()[0].legs.len(), left, "{}", outcome.message);
        outcome
    };
    fails(both().revert(NETWORK, VAULTS[2], &balanceOfCall(ACCOUNT)), 2);
    fails(both().revert(NETWORK, VAULTS[2], &interestRateCall {}), 2);
    fails(both().revert(NETWORK, EVC, &getControllersCall(sub(9))), 3);
    fails(both().revert(NETWORK, EVC, &getAccountOwnerCall(ACCOUNT)), 3);
    fails(both().revert(NETWORK, EARN_FACTORY, &getVaultListLengthCall {}), 3);
    let unpriced = fails(both().revert(NETWORK, VAULTS[0], &accountLiquidityCall { _0: ACCOUNT, _1: true }), 3);
    assert_eq!((unpriced.positions()[0].kind, unpriced.positions()[0].health), (PositionKind::BORROWED, None));
    assert_eq!(run(&CannedReplies::default()).end, End::Failed, "nothing can be read");
}

#[test]
fn a_row_of_settings_has_a_connector_and_a_factory() {
    let settings = |keys| one_row("fork", 10, keys);
    let keys = vec![text("evc", EVC), text("evault_factory", FACTORY)];
    let row = testing::catalogue::<Fork>(&settings(keys)).deployments[0].clone();
    assert_eq!((row.contracts, row.questions), (vec![EVC, FACTORY], vec![Question::LENDING]));
    let refused = testing::settings_error::<Fork>(&settings(vec![text("evc", EVC)]));
    assert_eq!(refused.and_then(|error| error.key).as_deref(), Some("evault_factory"));
}
