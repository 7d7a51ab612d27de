//! Tokens and amounts of transfers near a log.

use portolan_events::Value;

use crate::*;

const STAKED: &str = "STAKE Staked(address user, uint256 amount) user=user \
                      asset=transfer_token(user, contract, amount) amount=amount";

fn staked(amount: u64) -> Log {
    log("Staked(address,uint256)", &[], &[address(1), number(amount)])
}

fn asset(logs: Vec<Log>) -> Option<Value> {
    let events = decode(STAKED, logs);
    if events.is_empty() { None } else { member(&events, "asset") }
}

#[test]
fn the_token_is_that_of_the_transfer_with_these_parties_and_this_amount() {
    let other = [transfer(0xa1, 1, 2, 5), transfer(0xa2, 2, 0xcc, 5), transfer(0xa3, 1, 0xcc, 6)];
    let logs: Vec<_> = other.into_iter().chain([transfer(0xa4, 1, 0xcc, 5), staked(5)]).collect();
    assert_eq!(asset(logs.clone()), Some(Value::Token(account(0xa4))));
    assert_eq!(asset(logs[..3].iter().cloned().chain([staked(5)]).collect()), None, "none of them is it");
}

#[test]
fn the_nearest_transfer_is_meant() {
    let far = vec![transfer(0xa1, 1, 0xcc, 5), log("Other()", &[], &[]), staked(5), transfer(0xa2, 1, 0xcc, 5)];
    assert_eq!(asset(far), Some(Value::Token(account(0xa2))));
}

#[test]
fn two_tokens_that_are_equally_near_are_undefined() {
    assert_eq!(asset(vec![transfer(0xa1, 1, 0xcc, 5), staked(5), transfer(0xa2, 1, 0xcc, 5)]), None);
    let one = vec![transfer(0xa1, 1, 0xcc, 5), staked(5), transfer(0xa1, 1, 0xcc, 5)];
    assert_eq!(asset(one), Some(Value::Token(account(0xa1))));
    // A nearer one wins.
    let nearer =
        vec![transfer(0xa1, 1, 0xcc, 5), transfer(0xa3, 1, 0xcc, 5), staked(5), staked(6), transfer(0xa2, 1, 0xcc, 5)];
    assert_eq!(asset(nearer), Some(Value::Token(account(0xa3))));
}

#[test]
fn early_tokens_index_nothing_and_those_that_index_all_are_no_amounts() {
    let words = [address(1), address(0xcc), number(5)];
    let early = log_of(0xa5, "Transfer(address,address,uint256)", &[], &words);
    assert_eq!(asset(vec![early, staked(5)]), Some(Value::Token(account(0xa5))));
    let unique = log_of(0xa5, "Transfer(address,address,uint256)", &words, &[]);
    assert_eq!(asset(vec![unique, staked(5)]), None);
}

#[test]
fn a_log_is_not_its_own_transfer() {
    let row =
        "STAKE Transfer(address indexed from, address indexed to, uint256 value) asset=transfer_token(any, any, value)";
    assert_eq!(decode(row, vec![transfer(0xa1, 1, 2, 5)]), []);
    assert_eq!(decode(row, vec![transfer(0xa1, 1, 2, 5), transfer(0xa2, 1, 2, 5)]).len(), 2);
}

#[test]
fn an_amount_is_that_of_the_nearest_transfer_between_these_parties() {
    let row = |paid: &str| format!("UNSTAKE Left(address user) user=user amount={paid} or none");
    let left = || log("Left(address)", &[], &[address(1)]);
    let logs =
        || vec![transfer(0xa1, 0xcc, 1, 50), transfer(0xa2, 0xcc, 1, 60), left(), left(), transfer(0xa1, 2, 1, 9)];
    let paid = |paid: &str| {
        let events = decode(&row(paid), logs());
        (member(&events[..1], "amount"), member(&events[1..], "amount"))
    };
    let nearest = Some(raw(60, None));
    assert_eq!(paid("transfer_amount(contract, user)"), (nearest.clone(), nearest.clone()));
    assert_eq!(paid("transfer_amount(any, user)"), (nearest, Some(raw(9, None))));
    let of = format!("transfer_amount(contract, user, {})", account(0xa1));
    assert_eq!(paid(&of), (Some(raw(50, None)), Some(raw(50, None))));
    assert_eq!(paid("transfer_amount(user, any)"), (None, None));
}

#[test]
fn two_amounts_that_are_equally_near_are_undefined() {
    let row = "UNSTAKE Left(address user) amount=transfer_amount(contract, user) or none";
    let left = || log("Left(address)", &[], &[address(1)]);
    let around = |before: Log, after: Log| member(&decode(row, vec![before, left(), after]), "amount");
    assert_eq!(around(transfer(0xa1, 0xcc, 1, 5), transfer(0xa1, 0xcc, 1, 6)), None);
    assert_eq!(around(transfer(0xa1, 0xcc, 1, 5), transfer(0xa2, 0xcc, 1, 5)), None);
    assert_eq!(around(transfer(0xa1, 0xcc, 1, 5), transfer(0xa1, 0xcc, 1, 5)), Some(raw(5, None)));
}

#[test]
fn a_transfer_behind_hundreds_of_unlike_ones_is_not_found() {
    let behind = |unlike: usize| {
        let others = std::iter::repeat_n(transfer(0xa2, 3, 4, 5), unlike);
        asset([transfer(0xa1, 1, 0xcc, 5)].into_iter().chain(others).chain([staked(5)]).collect())
    };
    assert_eq!(behind(255), Some(Value::Token(account(0xa1))));
    assert_eq!(behind(256), None);
    // Transfers of other amounts do not interfere.
    let others = std::iter::repeat_n(transfer(0xa2, 3, 4, 6), 300);
    let logs = [transfer(0xa1, 1, 0xcc, 5)].into_iter().chain(others).chain([staked(5)]).collect();
    assert_eq!(asset(logs), Some(Value::Token(account(0xa1))));
}
