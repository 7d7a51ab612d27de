//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::vault_supervisor::VaultSupervisorKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, n, plugin};

sol! {
    struct WithdrawRequest { address[] vaults; uint256[] shares; address withdrawer; }
    struct QueuedWithdrawal {
        address staker; address delegatedTo; uint256 nonce; uint256 start; WithdrawRequest request;
    }
    function getDeposits(address) external view returns (address[], address[], uint256[], uint256[]);
    function getVaults() external view returns (address[]);
    function delegationSupervisor() external view returns (address);
    function fetchQueuedWithdrawals(address) external view returns (QueuedWithdrawal[]);
    function isWithdrawPending(QueuedWithdrawal) external view returns (bool);
    function withdrawalDelay() external view returns (uint256);
    function finishWithdraw(QueuedWithdrawal[]) external;
    function asset() external view returns (address);
    function convertToAssets(uint256) external view returns (uint256);
}

const NETWORK: u64 = 1;
const SUPERVISOR: Address = address!("0xc000000000000000000000000000000000000001");
const QUEUE: Address = address!("0xc000000000000000000000000000000000000002");
const VAULTS: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const TOKENS: [Address; 2] = [Address::repeat_byte(3), Address::repeat_byte(4)];
const OPERATOR: Address = Address::repeat_byte(0x0b);
const WEEK: u64 = 604_800;

plugin! {
    Karak: &VaultSupervisorKit { restake: "restake" },
    ["karak" = "KARAK"],
    r#"
    [[deployment]]
    protocol = "karak"
    network = "ethereum"
    vault_supervisor = "0xc000000000000000000000000000000000000001"
    "#
}

/// A supervisor without anything of the account. A share of the first vault is worth two, of the second one three.
fn empty() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, SUPERVISOR, &delegationSupervisorCall {}, &QUEUE)
        .reply(NETWORK, SUPERVISOR, &getVaultsCall {}, &VAULTS.to_vec())
        .reply(NETWORK, QUEUE, &withdrawalDelayCall {}, &n(WEEK));
    let chain = VAULTS.into_iter().zip(TOKENS).zip([2, 3]).fold(chain, |chain, ((vault, token), rate)| {
        let chain = chain.reply(NETWORK, vault, &assetCall {}, &token);
        [5, 10].into_iter().fold(chain, |chain, shares| {
            chain.reply(NETWORK, vault, &convertToAssetsCall(n(shares)), &n(rate * shares))
        })
    });
    queued(deposited(chain, &[]), &[])
}

/// Deposits in the first vaults that are worth these amounts.
fn deposited(chain: CannedReplies, assets: &[u64]) -> CannedReplies {
    let (vaults, tokens) = (VAULTS[..assets.len()].to_vec(), TOKENS[..assets.len()].to_vec());
    let assets: Vec<U256> = assets.iter().copied().map(n).collect();
    let reply = (vaults, tokens, assets.clone(), assets).abi_encode_params();
    chain.result(NETWORK, SUPERVISOR, &getDepositsCall(ACCOUNT), ReadResult::Ok(reply.into()))
}

fn withdrawal(nonce: u64, start: u64, vaults: &[Address], shares: &[u64]) -> QueuedWithdrawal {
    let shares = shares.iter().copied().map(n).collect();
    let request = WithdrawRequest { vaults: vaults.to_vec(), shares, withdrawer: ACCOUNT };
    QueuedWithdrawal { staker: ACCOUNT, delegatedTo: Address::ZERO, nonce: n(nonce), start: n(start), request }
}

/// These withdrawals, none of which is finished.
fn queued(chain: CannedReplies, withdrawals: &[QueuedWithdrawal]) -> CannedReplies {
    let chain = chain.reply(NETWORK, QUEUE, &fetchQueuedWithdrawalsCall(ACCOUNT), &withdrawals.to_vec());
    withdrawals.iter().fold(chain, |chain, one| chain.reply(NETWORK, QUEUE, &isWithdrawPendingCall(one.clone()), &true))
}

fn finish(withdrawal: &QueuedWithdrawal) -> finishWithdrawCall {
    finishWithdrawCall(vec![withdrawal.clone()])
}

fn paid(chain: CannedReplies, withdrawal: &QueuedWithdrawal) -> CannedReplies {
    chain.result(NETWORK, QUEUE, &finish(withdrawal), ReadResult::Ok(Bytes::new()))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("karak", NETWORK, question, ACCOUNT).run::<Karak>(chain)
}

/// Number, token and amount of each leg.
fn legs(outcome: &Outcome) -> Vec<(Option<U256>, Address, U256)> {
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    outcome.legs().iter().map(|leg| (leg.number, leg.token, leg.amount)).collect()
}

#[test]
fn a_deposit_is_worth_what_the_supervisor_says() {
    let outcome = run(Question::FARMING, &deposited(empty(), &[7, 9]));
    assert_eq!(legs(&outcome), [(None, TOKENS[0], n(7)), (None, TOKENS[1], n(9))]);
    assert_eq!(outcome.positions().iter().map(|row| row.contract).collect::<Vec<_>>(), VAULTS);
    assert_eq!(outcome.batches, [1]);
    assert_eq!(legs(&run(Question::FARMING, &deposited(empty(), &[0, 9]))), [(None, TOKENS[1], n(9))]);
}

#[test]
fn a_withdrawal_that_has_waited_is_claimed_and_another_is_locked_until_its_end() {
    let ripe = withdrawal(1, NOW_S - WEEK, &VAULTS, &[10, 5]);
    let young = withdrawal(2, NOW_S - WEEK + 1, &VAULTS[..1], &[10]);
    let chain = paid(queued(empty(), &[ripe.clone(), young]), &ripe);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!(claims.end, End::Complete, "{}", claims.message);
    assert_eq!(by_number(&claims), [(Some(n(1)), TOKENS[0], n(20)), (Some(n(1)), TOKENS[1], n(15))]);
    let row = claims.payments()[0];
    assert_eq!((row.claim.to, &row.claim.arguments[..]), (QUEUE, &finish(&ripe).abi_encode()[4..]));
    assert_eq!(row.claim.template, 1);
    let locked = run(Question::LOCKED, &chain);
    assert_eq!(legs(&locked), [(Some(n(2)), TOKENS[0], n(20))]);
    assert_eq!(locked.positions()[0].lock, Some(Lock { unlocks_at: Some(NOW_S + 1), is_permanent: Some(false) }));
    locked.check_totals(&claims);
}

#[test]
fn a_withdrawal_from_an_operator_is_claimed_by_the_other_template() {
    let ripe = QueuedWithdrawal { delegatedTo: OPERATOR, ..withdrawal(1, 5, &VAULTS[..1], &[10]) };
    let claims = run(Question::CLAIMABLES, &paid(queued(empty(), std::slice::from_ref(&ripe)), &ripe));
    assert_eq!(by_number(&claims), [(Some(n(1)), TOKENS[0], n(20))]);
    assert_eq!(claims.payments()[0].claim.template, 0);
}

#[test]
fn shares_of_one_vault_in_one_withdrawal_are_one_amount() {
    let ripe = withdrawal(1, 5, &[VAULTS[1], VAULTS[1]], &[10, 5]);
    let claims = run(Question::CLAIMABLES, &paid(queued(empty(), std::slice::from_ref(&ripe)), &ripe));
    assert_eq!(by_number(&claims), [(Some(n(1)), TOKENS[1], n(45))]);
}

#[test]
fn a_finished_withdrawal_is_nothing() {
    let done = withdrawal(1, 5, &VAULTS[..1], &[10]);
    let chain = queued(empty(), std::slice::from_ref(&done));
    let chain = chain.reply(NETWORK, QUEUE, &isWithdrawPendingCall(done), &false);
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn a_withdrawal_that_would_not_be_paid_stays_locked() {
    let ripe = withdrawal(1, 5, &VAULTS[..1], &[10]);
    let chain = queued(empty(), std::slice::from_ref(&ripe)).revert(NETWORK, QUEUE, &finish(&ripe));
    assert_eq!(run(Question::CLAIMABLES, &chain).findings.len(), 0);
    assert_eq!(legs(&run(Question::LOCKED, &chain)), [(Some(n(1)), TOKENS[0], n(20))]);
    // Somebody else would be paid.
    let other = WithdrawRequest { withdrawer: OPERATOR, ..ripe.request.clone() };
    let other = QueuedWithdrawal { request: other, ..ripe };
    let chain = queued(empty(), std::slice::from_ref(&other));
    assert_eq!(run(Question::CLAIMABLES, &paid(chain, &other)).findings.len(), 0);
}

#[test]
fn a_vault_that_the_supervisor_does_not_list_is_not_claimed() {
    let ripe = withdrawal(1, 5, &VAULTS[..1], &[10]);
    let chain = paid(queued(empty(), std::slice::from_ref(&ripe)), &ripe);
    let chain = chain.reply(NETWORK, SUPERVISOR, &getVaultsCall {}, &VAULTS[1..].to_vec());
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn old_withdrawals_beyond_the_bound_are_reported() {
    let all: Vec<_> = (0..130).map(|nonce| withdrawal(nonce, NOW_S, &VAULTS[..1], &[10])).collect();
    let outcome = run(Question::LOCKED, &queued(empty(), &all));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 128), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].number, Some(n(129)));
}

#[test]
fn lists_of_other_lengths_are_a_failure_and_not_an_empty_answer() {
    let reply = (VAULTS.to_vec(), TOKENS.to_vec(), vec![n(1)], vec![n(1)]).abi_encode_params();
    let chain = empty().result(NETWORK, SUPERVISOR, &getDepositsCall(ACCOUNT), ReadResult::Ok(reply.into()));
    assert_eq!(run(Question::FARMING, &chain).end, End::Failed);
    let lacks = withdrawal(1, 5, &VAULTS, &[10]);
    assert_eq!(run(Question::LOCKED, &queued(empty(), &[lacks])).end, End::Failed);
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        assert_eq!(run(question, &CannedReplies::default()).end, End::Failed);
    }
}
