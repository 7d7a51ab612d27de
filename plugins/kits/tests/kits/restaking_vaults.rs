//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::restaking_vaults::RestakingVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, n, plugin};

sol! {
    function version() external view returns (uint64);
    function activeBalanceOf(address) external view returns (uint256);
    function collateral() external view returns (address);
    function epochDurationInit() external view returns (uint48);
    function epochDuration() external view returns (uint48);
    function slashableBalanceOf(address) external view returns (uint256);
    function withdrawalsOf(uint256, address) external view returns (uint256);
    function isWithdrawalsClaimed(uint256, address) external view returns (bool);
    function claim(address, uint256) external returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function asset() external view returns (address);
    function convertToAssets(uint256) external view returns (uint256);
}

const NETWORK: u64 = 1;
const FIRST: Address = Address::repeat_byte(1);
const SECOND: Address = Address::repeat_byte(2);
const COLLATERAL: Address = Address::repeat_byte(3);
const WSTETH: Address = Address::repeat_byte(4);
const USDC: Address = Address::repeat_byte(5);
const WEEK: u64 = 604_800;
/// The ninth epoch runs for a second.
const START: u64 = NOW_S - 9 * WEEK - 1;
const WAD: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

plugin! {
    Vaults: &RestakingVaultsKit { vault: "vault", collateral: "COLLATERAL" },
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    restaking_vaults = [
        "0x0101010101010101010101010101010101010101",
        "0x0202020202020202020202020202020202020202",
    ]
    default_collaterals = ["0x0303030303030303030303030303030303030303"]
    "#
}

/// Vaults in which the account has nothing.
fn empty() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, FIRST, &versionCall {}, &n(2))
        .reply(NETWORK, FIRST, &collateralCall {}, &WSTETH)
        .reply(NETWORK, FIRST, &epochDurationInitCall {}, &n(START))
        .reply(NETWORK, FIRST, &epochDurationCall {}, &n(WEEK))
        .reply(NETWORK, FIRST, &activeBalanceOfCall(ACCOUNT), &n(0))
        .reply(NETWORK, FIRST, &slashableBalanceOfCall(ACCOUNT), &n(0))
        .reply(NETWORK, SECOND, &versionCall {}, &n(3))
        .reply(NETWORK, SECOND, &assetCall {}, &USDC)
        .reply(NETWORK, SECOND, &balanceOfCall(ACCOUNT), &n(0))
        .reply(NETWORK, COLLATERAL, &assetCall {}, &WSTETH)
        .reply(NETWORK, COLLATERAL, &balanceOfCall(ACCOUNT), &n(0));
    (5..=10).fold(chain, |chain, epoch| withdrawal(chain, epoch, 0, false))
}

fn withdrawal(chain: CannedReplies, epoch: u64, amount: u64, is_claimed: bool) -> CannedReplies {
    let claimed = isWithdrawalsClaimedCall { _0: n(epoch), _1: ACCOUNT };
    let withdrawn = withdrawalsOfCall { _0: n(epoch), _1: ACCOUNT };
    chain.reply(NETWORK, FIRST, &withdrawn, &n(amount)).reply(NETWORK, FIRST, &claimed, &is_claimed)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Vaults>(chain)
}

/// Contract, token and amount of each stake, and what counts it.
fn staked(outcome: &Outcome) -> Vec<(Address, Address, U256, Option<Address>)> {
    let row = |row: &&Position| {
        let leg = &row.legs[0];
        assert_eq!(row.legs.len(), 1);
        (row.contract, leg.token, leg.amount, leg.receipt)
    };
    outcome.positions().iter().map(row).collect()
}

/// Stakes in all three.
fn stakes() -> CannedReplies {
    empty()
        .reply(NETWORK, FIRST, &activeBalanceOfCall(ACCOUNT), &n(70))
        .reply(NETWORK, SECOND, &balanceOfCall(ACCOUNT), &n(50))
        .reply(NETWORK, SECOND, &convertToAssetsCall(n(50)), &n(55))
        .reply(NETWORK, COLLATERAL, &balanceOfCall(ACCOUNT), &n(8))
}

#[test]
fn stakes_are_those_of_both_generations_and_of_collaterals() {
    let outcome = run(Question::FARMING, &stakes());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let expected = [
        (FIRST, WSTETH, n(70), None),
        (SECOND, USDC, n(55), Some(SECOND)),
        (COLLATERAL, WSTETH, n(8), Some(COLLATERAL)),
    ];
    assert_eq!(staked(&outcome), expected);
}

#[test]
fn withdrawals_wait_for_the_end_of_their_epoch() {
    let chain = withdrawal(withdrawal(empty(), 9, 4, false), 10, 6, false);
    let chain = chain.reply(NETWORK, FIRST, &slashableBalanceOfCall(ACCOUNT), &n(10));
    let outcome = run(Question::LOCKED, &withdrawal(chain, 8, 100, false));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let row = |row: &&Position| (row.number, row.legs[0].amount, row.lock.as_ref().unwrap().unlocks_at);
    let rows: Vec<_> = outcome.positions().iter().map(row).collect();
    let ends = [START + 10 * WEEK, START + 11 * WEEK];
    assert_eq!(rows, [(Some(n(9)), n(4), Some(ends[0])), (Some(n(10)), n(6), Some(ends[1]))]);
}

#[test]
fn withdrawals_of_the_last_epochs_that_were_not_claimed_are_claimed() {
    // The first of them is too old, and another was claimed.
    let chain = [(4, false), (5, false), (7, true), (8, false), (9, false)]
        .into_iter()
        .fold(empty(), |chain, (epoch, is_claimed)| withdrawal(chain, epoch, 10 + epoch, is_claimed));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(n(5)), WSTETH, n(15)), (Some(n(8)), WSTETH, n(18))]);
    let claim = claimCall { _0: ACCOUNT, _1: n(5) };
    let row = outcome.payments()[0];
    assert_eq!((row.claim.to, &row.claim.arguments[..]), (FIRST, &claim.abi_encode()[4..]));
}

#[test]
fn a_young_vault_has_no_epochs_that_are_over() {
    let chain = empty().reply(NETWORK, FIRST, &epochDurationInitCall {}, &n(NOW_S));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    let chain = withdrawal(withdrawal(chain, 0, 0, false), 1, 3, false);
    let chain = chain.reply(NETWORK, FIRST, &slashableBalanceOfCall(ACCOUNT), &n(3));
    let outcome = run(Question::LOCKED, &chain);
    let end = outcome.positions()[0].lock.as_ref().unwrap().unlocks_at;
    assert_eq!((outcome.end, end), (End::Complete, Some(NOW_S + 2 * WEEK)), "{}", outcome.message);
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for question in [Question::FARMING, Question::LOCKED, Question::CLAIMABLES] {
        let outcome = run(question, &empty());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn a_collateral_stands_for_its_asset() {
    let outcome = JobTest::for_tokens("fork", NETWORK, &[WSTETH, COLLATERAL]).run::<Vaults>(&empty());
    let [found] = outcome.compositions()[..] else { panic!("{:?}", outcome.findings) };
    assert_eq!((found.token, found.supply, found.kind.as_str()), (COLLATERAL, WAD, "COLLATERAL"));
    assert_eq!(found.parts, [Part { token: WSTETH, amount: WAD }]);
}

#[test]
fn a_vault_that_cannot_be_read_loses_only_its_own_rows() {
    let rest = [(SECOND, USDC, n(55), Some(SECOND)), (COLLATERAL, WSTETH, n(8), Some(COLLATERAL))];
    let broken = [
        stakes().revert(NETWORK, FIRST, &versionCall {}),
        stakes().revert(NETWORK, FIRST, &epochDurationCall {}),
        stakes().reply(NETWORK, FIRST, &epochDurationCall {}, &n(0)),
        stakes().reply(NETWORK, FIRST, &epochDurationInitCall {}, &n(NOW_S + 1)),
        stakes().revert(NETWORK, FIRST, &collateralCall {}),
    ];
    for chain in broken {
        let outcome = run(Question::FARMING, &chain);
        assert_eq!((outcome.end, staked(&outcome)), (End::Partial, rest.to_vec()), "{}", outcome.message);
    }
    let chain = withdrawal(withdrawal(empty(), 8, 4, false), 7, 5, false);
    let unknown = isWithdrawalsClaimedCall { _0: n(8), _1: ACCOUNT };
    let outcome = run(Question::CLAIMABLES, &chain.revert(NETWORK, FIRST, &unknown));
    assert_eq!((outcome.end, by_number(&outcome)), (End::Partial, vec![(Some(n(7)), WSTETH, n(5))]));
    for question in [Question::FARMING, Question::LOCKED, Question::CLAIMABLES] {
        assert_eq!(run(question, &CannedReplies::default()).end, End::Failed);
    }
}
