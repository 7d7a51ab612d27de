//! Amounts of claims under various simulation results.

use portolan_abi::map::{Claim, Payment};
use portolan_reader::ReadFailure;

use super::*;
use crate::gateway::claims::verdict::Verdict;

const A: Address = Address::repeat_byte(0xa1);
const B: Address = Address::repeat_byte(0xb1);

fn claim(payments: &[(Address, u64, PaidTo)]) -> Claimable {
    let payment = |(token, amount, paid_to): &(Address, u64, PaidTo)| Payment {
        token: *token,
        amount: U256::from(*amount),
        paid_to: *paid_to,
        ..Payment::default()
    };
    Claimable { payments: payments.iter().map(payment).collect(), ..Claimable::new("main", A, Claim::default()) }
}

/// A simulation with this verdict, in which the account receives these tokens.
fn trial(verdict: Verdict, receives: &[(Address, u64)]) -> ClaimSimulation {
    ClaimSimulation::of_test(verdict, receives.iter().map(|(token, amount)| (*token, U256::from(*amount))).collect())
}

fn amounts_of(payments: &[(Address, u64, PaidTo)], simulation: Option<&ClaimSimulation>) -> Vec<u64> {
    amounts(&claim(payments), simulation).into_iter().map(|amount| amount.to()).collect()
}

const BOTH: [(Address, u64, PaidTo); 2] = [(A, 10, PaidTo::ACCOUNT), (B, 3, PaidTo::ACCOUNT)];

#[test]
fn what_was_not_tried_or_could_not_be_judged_counts_by_its_word() {
    let failed =
        ClaimSimulation { verdict: None, differs: Vec::new(), run: Err(ReadFailure::Timeout), gas_limits: None };
    for simulation in [None, Some(&failed), Some(&trial(Verdict::Paid, &[]))] {
        assert_eq!(amounts_of(&BOTH, simulation), [10, 3], "{simulation:?}");
    }
}

#[test]
fn what_differs_counts_as_it_was_paid_and_what_fails_is_nothing() {
    assert_eq!(amounts_of(&BOTH, Some(&trial(Verdict::Differs, &[(A, 4), (B, 3)]))), [4, 3]);
    assert_eq!(amounts_of(&BOTH, Some(&trial(Verdict::Differs, &[(A, 4)]))), [4, 0]);
    for verdict in [Verdict::Reverted, Verdict::Refused] {
        assert_eq!(amounts_of(&BOTH, Some(&trial(verdict, &[(A, 10), (B, 3)]))), [0, 0]);
    }
}

#[test]
fn what_was_sent_with_a_claim_is_no_loss_of_what_it_paid() {
    let native = [(NATIVE, 10, PaidTo::ACCOUNT)];
    let sent = |value: u64, receives: &[(Address, u64)], gives: &[(Address, u64)]| {
        let mut trial = trial(Verdict::Differs, receives);
        let run = trial.run.as_mut().unwrap();
        run.value = U256::from(value);
        run.gives = Some(gives.iter().map(|(token, amount)| (*token, U256::from(*amount))).collect());
        trial
    };
    // It received 9 against a fee of 7, and 4 against the same fee.
    assert_eq!(amounts_of(&native, Some(&sent(7, &[(NATIVE, 2)], &[]))), [9]);
    assert_eq!(amounts_of(&native, Some(&sent(7, &[], &[(NATIVE, 3)]))), [4]);
    assert_eq!(beside(&claim(&BOTH), Some(&sent(7, &[(NATIVE, 2)], &[]))), [(NATIVE, U256::from(9))]);
    assert_eq!(beside(&claim(&BOTH), Some(&sent(7, &[], &[(NATIVE, 7)]))), []);
}

#[test]
fn two_payments_of_one_token_share_what_came_of_it() {
    let twice = [(A, 10, PaidTo::ACCOUNT), (A, 5, PaidTo::ACCOUNT), (A, 7, PaidTo::LOCK)];
    for (received, expected) in [(4, [4, 0, 7]), (12, [10, 2, 7]), (20, [10, 10, 7])] {
        assert_eq!(amounts_of(&twice, Some(&trial(Verdict::Differs, &[(A, received)]))), expected);
    }
}

#[test]
fn only_what_differs_pays_something_besides() {
    let got = [(A, 4), (NATIVE, 2)];
    assert_eq!(beside(&claim(&BOTH), Some(&trial(Verdict::Differs, &got))), [(NATIVE, U256::from(2))]);
    assert_eq!(beside(&claim(&BOTH), Some(&trial(Verdict::Paid, &got))), []);
    assert_eq!(beside(&claim(&BOTH), None), []);
}
