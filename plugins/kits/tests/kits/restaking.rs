//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::restaking::RestakingKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, by_number, n, plugin};

sol! {
    struct Withdrawal {
        address staker; address delegatedTo; address withdrawer; uint256 nonce; uint32 startBlock;
        address[] strategies; uint256[] scaledShares;
    }
    function getDepositedShares(address) external view returns (address[], uint256[]);
    function getWithdrawableShares(address, address[]) external view returns (uint256[], uint256[]);
    function getQueuedWithdrawals(address) external view returns (Withdrawal[], uint256[][]);
    function minWithdrawalDelayBlocks() external view returns (uint32);
    function completeQueuedWithdrawal(Withdrawal, address[], bool) external;
    function beaconChainETHStrategy() external view returns (address);
    function strategyIsWhitelistedForDeposit(address) external view returns (bool);
    function underlyingToken() external view returns (address);
    function sharesToUnderlyingView(uint256) external view returns (uint256);
}

const NETWORK: u64 = 1;
const MANAGER: Address = address!("0xc000000000000000000000000000000000000001");
const STRATEGIES: Address = address!("0xc000000000000000000000000000000000000002");
const STRATEGY: Address = address!("0xc000000000000000000000000000000000000003");
const BEACON: Address = address!("0xbeac0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeebeac0");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const OPERATOR: Address = Address::repeat_byte(0x0b);
const DELAY: u32 = 100;

const TYPES: RestakingKit = RestakingKit { restake: "restake" };

plugin! {
    Eigen: &TYPES,
    ["eigen" = "EIGEN"],
    r#"
    [[deployment]]
    protocol = "eigen"
    network = "ethereum"
    delegation_manager = "0xc000000000000000000000000000000000000001"
    strategy_manager = "0xc000000000000000000000000000000000000002"
    "#
}

/// A manager without anything of the account, and a strategy whose shares are worth double.
fn empty() -> CannedReplies {
    let nothing = (Vec::<Address>::new(), Vec::<U256>::new()).abi_encode_params();
    let chain = CannedReplies::default()
        .result(NETWORK, MANAGER, &getDepositedSharesCall(ACCOUNT), ReadResult::Ok(nothing.into()))
        .reply(NETWORK, MANAGER, &minWithdrawalDelayBlocksCall {}, &n(DELAY.into()))
        .reply(NETWORK, MANAGER, &beaconChainETHStrategyCall {}, &BEACON)
        .reply(NETWORK, STRATEGIES, &strategyIsWhitelistedForDepositCall(STRATEGY), &true)
        .reply(NETWORK, STRATEGY, &underlyingTokenCall {}, &TOKEN);
    let chain = (1..=100).fold(chain, |chain, shares| {
        chain.reply(NETWORK, STRATEGY, &sharesToUnderlyingViewCall(n(shares)), &n(2 * shares))
    });
    queued(chain, &[])
}

/// Deposits of 100 shares each, of which these can be withdrawn.
fn deposits(strategies: &[Address], withdrawable: &[u64]) -> CannedReplies {
    let all = vec![n(100); strategies.len()];
    let deposited = (strategies.to_vec(), all.clone()).abi_encode_params();
    let shares: Vec<U256> = withdrawable.iter().copied().map(n).collect();
    let withdrawable = getWithdrawableSharesCall { _0: ACCOUNT, _1: strategies.to_vec() };
    empty().result(NETWORK, MANAGER, &getDepositedSharesCall(ACCOUNT), ReadResult::Ok(deposited.into())).result(
        NETWORK,
        MANAGER,
        &withdrawable,
        ReadResult::Ok((shares, all).abi_encode_params().into()),
    )
}

fn withdrawal(nonce: u64, start: u32, strategies: &[Address]) -> Withdrawal {
    Withdrawal {
        staker: ACCOUNT,
        delegatedTo: OPERATOR,
        withdrawer: ACCOUNT,
        nonce: n(nonce),
        startBlock: start,
        strategies: strategies.to_vec(),
        scaledShares: vec![n(10); strategies.len()],
    }
}

/// Withdrawals that pay 9 of 10 shares.
fn queued(chain: CannedReplies, withdrawals: &[Withdrawal]) -> CannedReplies {
    let shares: Vec<Vec<U256>> = withdrawals.iter().map(|one| vec![n(9); one.strategies.len()]).collect();
    let reply = (withdrawals.to_vec(), shares).abi_encode_params();
    chain.result(NETWORK, MANAGER, &getQueuedWithdrawalsCall(ACCOUNT), ReadResult::Ok(reply.into()))
}

fn completion(withdrawal: &Withdrawal, tokens: &[Address]) -> completeQueuedWithdrawalCall {
    completeQueuedWithdrawalCall { _0: withdrawal.clone(), _1: tokens.to_vec(), _2: true }
}

fn paid(chain: CannedReplies, withdrawal: &Withdrawal, tokens: &[Address]) -> CannedReplies {
    chain.result(NETWORK, MANAGER, &completion(withdrawal, tokens), ReadResult::Ok(Bytes::new()))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    let block = Block { number: 1_000, evm_number: 1_000, ..Block::default() };
    JobTest::new("eigen", NETWORK, question, ACCOUNT).block(block).run::<Eigen>(chain)
}

/// Number, token and amount of each leg.
fn legs(outcome: &Outcome) -> Vec<(Option<U256>, Address, U256)> {
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    outcome.legs().iter().map(|leg| (leg.number, leg.token, leg.amount)).collect()
}

#[test]
fn a_deposit_is_worth_the_shares_that_can_be_withdrawn() {
    let outcome = run(Question::FARMING, &deposits(&[STRATEGY, BEACON], &[90, 32]));
    assert_eq!(legs(&outcome), [(None, TOKEN, n(180)), (None, NATIVE, n(32))]);
    let contracts: Vec<_> = outcome.positions().iter().map(|row| row.contract).collect();
    assert_eq!(contracts, [STRATEGY, MANAGER]);
    // The strategies; what can be withdrawn of them; the token and its amount.
    assert_eq!(outcome.batches, [1, 1, 2]);
    // All of it was slashed.
    assert_eq!(legs(&run(Question::FARMING, &deposits(&[STRATEGY], &[0]))), []);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = run(question, &empty());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn a_withdrawal_that_has_waited_is_claimed_and_another_is_locked() {
    let [ripe, young] = [withdrawal(1, 899, &[STRATEGY, BEACON]), withdrawal(2, 900, &[STRATEGY])];
    let chain = queued(empty(), &[ripe.clone(), young]);
    let chain = paid(chain, &ripe, &[TOKEN, MANAGER]);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!(claims.end, End::Complete, "{}", claims.message);
    assert_eq!(by_number(&claims), [(Some(n(1)), TOKEN, n(18)), (Some(n(1)), NATIVE, n(9))]);
    let row = claims.payments()[0];
    let arguments = &completion(&ripe, &[TOKEN, MANAGER]).abi_encode()[4..];
    assert_eq!((row.claim.to, &row.claim.arguments[..]), (MANAGER, arguments));
    assert_eq!(row.claim.template, 0);
    let locked = run(Question::LOCKED, &chain);
    assert_eq!(legs(&locked), [(Some(n(2)), TOKEN, n(18))]);
    locked.check_totals(&claims);
}

#[test]
fn a_withdrawal_from_no_operator_is_claimed_too() {
    let ripe = Withdrawal { delegatedTo: Address::ZERO, ..withdrawal(1, 899, &[STRATEGY]) };
    let claims = run(Question::CLAIMABLES, &paid(queued(empty(), std::slice::from_ref(&ripe)), &ripe, &[TOKEN]));
    assert_eq!(claims.end, End::Complete, "{}", claims.message);
    assert_eq!(by_number(&claims), [(Some(n(1)), TOKEN, n(18))]);
    assert_eq!(claims.payments()[0].claim.template, 1);
}

#[test]
fn a_withdrawal_that_would_not_be_paid_stays_locked() {
    let ripe = withdrawal(1, 5, &[BEACON]);
    let chain = queued(empty(), std::slice::from_ref(&ripe)).revert(NETWORK, MANAGER, &completion(&ripe, &[MANAGER]));
    assert_eq!(run(Question::CLAIMABLES, &chain).findings.len(), 0);
    assert_eq!(legs(&run(Question::LOCKED, &chain)), [(Some(n(1)), NATIVE, n(9))]);
    // Somebody else would be paid.
    let other = Withdrawal { withdrawer: OPERATOR, ..ripe };
    let chain = queued(empty(), std::slice::from_ref(&other));
    assert_eq!(run(Question::CLAIMABLES, &paid(chain, &other, &[MANAGER])).findings.len(), 0);
}

#[test]
fn a_strategy_that_nobody_knows_is_not_claimed() {
    let ripe = withdrawal(1, 5, &[STRATEGY]);
    let chain = paid(queued(empty(), std::slice::from_ref(&ripe)), &ripe, &[TOKEN]);
    let chain = chain.reply(NETWORK, STRATEGIES, &strategyIsWhitelistedForDepositCall(STRATEGY), &false);
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn lists_of_other_lengths_are_a_failure_and_not_an_empty_answer() {
    assert_eq!(run(Question::FARMING, &deposits(&[STRATEGY], &[])).end, End::Failed);
    let reply = (vec![withdrawal(1, 5, &[STRATEGY])], Vec::<Vec<U256>>::new()).abi_encode_params();
    let chain = empty().result(NETWORK, MANAGER, &getQueuedWithdrawalsCall(ACCOUNT), ReadResult::Ok(reply.into()));
    assert_eq!(run(Question::LOCKED, &chain).end, End::Failed);
    assert_eq!(run(Question::FARMING, &CannedReplies::default()).end, End::Failed);
}
