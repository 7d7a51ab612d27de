//! Verdicts on one claim for the possible results of a run.

use std::sync::Arc;

use alloy::primitives::{Bytes, hex};
use portolan_abi::map::{Claimable, Payment};
use portolan_base::network::{Network, Networks};
use portolan_reader::StepEnd;
use portolan_validation::{ClaimTransaction, TargetSource};

use super::*;

const ACCOUNT: Address = Address::repeat_byte(0xac);
const FARM: Address = Address::repeat_byte(0xfa);
const TOKEN: Address = Address::repeat_byte(0xa1);
const OTHER: Address = Address::repeat_byte(0xa2);
const FEE: u64 = 7;

fn network() -> Arc<Network> {
    Arc::clone(Networks::new([]).named("ethereum").unwrap())
}

fn n(number: u64) -> U256 {
    U256::from(number)
}

/// A claim on the farm, for a fee of seven wei.
fn verdict(payments: &[(Address, u64, PaidTo)], run: Run) -> (Option<Verdict>, Vec<String>) {
    let payment = |(token, amount, paid_to): &(Address, u64, PaidTo)| Payment {
        token: *token,
        amount: n(*amount),
        paid_to: *paid_to,
        name: None,
    };
    let found = Claimable { payments: payments.iter().map(payment).collect(), ..Claimable::default() };
    let transaction = ClaimTransaction {
        to: FARM,
        target_source: TargetSource::Listed,
        from: ACCOUNT,
        is_by_anyone: false,
        value: n(FEE),
        data: Bytes::new(),
        function: "claim".into(),
        inputs: Vec::new(),
        mergeable: None,
    };
    let network = network();
    let claim = PlannedClaim { plugin: "farming", network: &network, found: &found, transactions: &[transaction] };
    let watched = Watched { tokens: vec![TOKEN, OTHER], own: 2, spenders: vec![FARM] };
    let simulation = Simulation { steps: Vec::new(), watched };
    let judged = judge(&claim, Ok(SimulationRun { simulation, run })).unwrap();
    (judged.verdict, judged.differs.iter().map(|text| text.as_str().to_owned()).collect())
}

fn run(native: Option<(u64, u64)>, tokens: &[(Address, u64, u64)]) -> Run {
    let tokens = tokens.iter().map(|(token, before, after)| (*token, n(*before), n(*after))).collect();
    let native = native.map(|(before, after)| (n(before), n(after)));
    let changes = Changes { native, tokens, ..Changes::default() };
    let steps = vec![end(None)];
    Run { method: SimulationMethod::Override, steps, changes: Some(changes) }
}

fn end(reverted: Option<Bytes>) -> StepEnd {
    StepEnd { gas: Some(50_000), gas_before_refunds: Some(50_000), gas_limit: None, reverted }
}

const TEN: &[(Address, u64, PaidTo)] = &[(TOKEN, 10, PaidTo::ACCOUNT)];

#[test]
fn a_claim_that_pays_what_it_says_for_its_fee_is_paid() {
    assert_eq!(verdict(TEN, run(Some((100, 93)), &[(TOKEN, 5, 15)])), (Some(Verdict::Paid), vec![]));
    let native = &[(NATIVE, 10, PaidTo::ACCOUNT)];
    assert_eq!(verdict(native, run(Some((100, 103)), &[])), (Some(Verdict::Paid), vec![]));
    let three = &[(NATIVE, 3, PaidTo::ACCOUNT)];
    assert_eq!(verdict(three, run(Some((100, 96)), &[])), (Some(Verdict::Paid), vec![]));
    let locked = &[(TOKEN, 10, PaidTo::LOCK)];
    assert_eq!(verdict(locked, run(None, &[(OTHER, 0, 9)])), (Some(Verdict::Paid), vec![]));
}

#[test]
fn a_claim_that_pays_otherwise_differs_in_words() {
    let paid = |payments, run, expected: &str| {
        assert_eq!(verdict(payments, run), (Some(Verdict::Differs), vec![expected.to_owned()]));
    };
    let (token, other) = (format!("{TOKEN:#x}"), format!("{OTHER:#x}"));
    paid(TEN, run(None, &[(TOKEN, 0, 9)]), &format!("It pays 9 of {token}, not 10."));
    paid(TEN, run(None, &[(TOKEN, 0, 11)]), &format!("It pays 11 of {token}, not 10."));
    paid(TEN, run(None, &[]), &format!("It pays 0 of {token}, not 10."));
    let more = run(None, &[(TOKEN, 0, 10), (OTHER, 1, 3)]);
    paid(TEN, more, &format!("It pays 2 of {other}, which it does not say."));
    let native = &[(NATIVE, 10, PaidTo::ACCOUNT)];
    paid(native, run(Some((100, 102)), &[]), "It pays 9 of the native token, not 10.");
}

#[test]
fn the_next_block_may_pay_more_and_no_less() {
    let later = |tokens| Run { method: SimulationMethod::SimulateV1, ..run(None, tokens) };
    assert_eq!(verdict(TEN, later(&[(TOKEN, 0, 11)])).0, Some(Verdict::Paid));
    assert_eq!(verdict(TEN, later(&[(TOKEN, 0, 11), (OTHER, 0, 1)])).0, Some(Verdict::Differs), "nobody named it");
    assert_eq!(verdict(TEN, later(&[(TOKEN, 0, 9)])).0, Some(Verdict::Differs));
}

#[test]
fn a_claim_that_takes_anything_is_refused() {
    let refused = |run, expected: String| {
        assert_eq!(verdict(TEN, run), (Some(Verdict::Refused), vec![expected]));
    };
    let other = format!("{OTHER:#x}");
    refused(run(Some((100, 92)), &[(TOKEN, 0, 10)]), "It takes 1 of the native token from the account.".into());
    refused(run(None, &[(TOKEN, 0, 10), (OTHER, 3, 1)]), format!("It takes 2 of {other} from the account."));
    let mut approving = run(None, &[(TOKEN, 0, 10)]);
    let approval = Approval { token: OTHER, spender: FARM, of_all: false, before: n(0), after: n(5) };
    approving.changes.as_mut().unwrap().approvals.push(approval);
    let (farm, of_all) = (format!("{FARM:#x}"), Approval { of_all: true, after: n(1), ..approval });
    refused(approving.clone(), format!("It changes the allowance of {farm} in {other} from 0 to 5."));
    approving.changes.as_mut().unwrap().approvals = vec![of_all];
    refused(approving, format!("It changes the approval for all of {farm} in {other} from 0 to 1."));
}

#[test]
fn a_target_may_burn_of_itself_no_more_than_it_pays() {
    assert_eq!(verdict(TEN, run(None, &[(FARM, 30, 20), (TOKEN, 0, 10)])), (Some(Verdict::Paid), vec![]));
    let refused = |payments, tokens: &[(Address, u64, u64)], taken: u64, of: Address| {
        let words = format!("It takes {taken} of {of:#x} from the account.");
        assert_eq!(verdict(payments, run(None, tokens)), (Some(Verdict::Refused), vec![words]));
    };
    refused(TEN, &[(FARM, 30, 19), (TOKEN, 0, 10)], 11, FARM);
    // Payments that are undeclared, or that go elsewhere, do not make up for what is taken.
    refused(TEN, &[(FARM, 30, 20), (TOKEN, 0, 9), (OTHER, 0, 10)], 10, FARM);
    refused(&[(TOKEN, 10, PaidTo::LOCK)], &[(FARM, 30, 20), (TOKEN, 0, 10)], 10, FARM);
    refused(TEN, &[(OTHER, 30, 20), (TOKEN, 0, 10)], 10, OTHER);
}

#[test]
fn logs_count_for_what_is_not_watched() {
    const UNWATCHED: Address = Address::repeat_byte(0xa3);
    let logged = |logs: &[(LogKind, Address, Address, u64)]| {
        let log = |(kind, emitter, other, amount): &(LogKind, Address, Address, u64)| AccountLog {
            kind: *kind,
            emitter: *emitter,
            other: *other,
            amount: n(*amount),
        };
        let mut run = run(None, &[(TOKEN, 0, 10)]);
        run.method = SimulationMethod::SimulateV1;
        run.changes.as_mut().unwrap().logs = logs.iter().map(log).collect();
        verdict(TEN, run)
    };
    let paid = (Some(Verdict::Paid), vec![]);
    // Balances of watched tokens are right, whatever a log says.
    assert_eq!(logged(&[(LogKind::Sent, OTHER, FARM, 5), (LogKind::Allowance, TOKEN, FARM, 5)]), paid);
    // The token came back, and the allowance ends at zero.
    let back = [(LogKind::Sent, UNWATCHED, FARM, 5), (LogKind::Received, UNWATCHED, FARM, 5)];
    assert_eq!(logged(&back), paid);
    assert_eq!(logged(&[(LogKind::Allowance, UNWATCHED, FARM, 0)]), paid);
    let unwatched = format!("{UNWATCHED:#x}");
    let refused = |log, words: String| assert_eq!(logged(&[log]), (Some(Verdict::Refused), vec![words]));
    for kind in [LogKind::Sent, LogKind::ItemsSent] {
        refused((kind, UNWATCHED, FARM, 5), format!("It takes 5 of {unwatched} from the account."));
    }
    for (kind, what) in [
        (LogKind::Allowance, "the allowance"),
        (LogKind::ItemApproved, "the allowance"),
        (LogKind::OperatorApproved, "the approval for all"),
    ] {
        let words = format!("It changes {what} of {OTHER:#x} in {unwatched} from 0 to 1.");
        refused((kind, UNWATCHED, OTHER, 1), words);
    }
}

#[test]
fn a_claim_that_reverts_says_why() {
    let reverted = |data: &[u8]| {
        let steps = vec![end(Some(Bytes::copy_from_slice(data)))];
        verdict(TEN, Run { method: SimulationMethod::Call, steps, changes: None })
    };
    let text = hex!("08c379a0" "0000000000000000000000000000000000000000000000000000000000000020"
        "0000000000000000000000000000000000000000000000000000000000000005"
        "656d707479000000000000000000000000000000000000000000000000000000");
    for (data, expected) in [
        (&text[..], "It reverts: revert: empty."),
        (&[], "It reverts: without a reason."),
        (&hex!("deadbeef00"), "It reverts: custom error 0xdeadbeef."),
    ] {
        assert_eq!(reverted(data), (Some(Verdict::Reverted), vec![expected.to_owned()]));
    }
}

#[test]
fn a_method_that_tells_too_little_gives_no_verdict() {
    let called = Run { method: SimulationMethod::Call, changes: None, ..run(None, &[]) };
    assert_eq!(verdict(TEN, called), (None, vec![]));
}
