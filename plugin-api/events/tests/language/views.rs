//! Views of contracts: when they are called, and the values of their results.

use portolan_events::Value;

use crate::*;

#[test]
fn a_view_has_arguments_and_a_word_of_the_reply() {
    let row = "STAKE Deposit(address indexed user, uint256 indexed pid, uint256 amount) \
               user=user asset=contract.poolInfo(uint256 pid)[3] amount=amount";
    let deposit = log("Deposit(address,uint256,uint256)", &[address(1), number(6)], &[number(5)]);
    let calls = view(0xcc, "poolInfo(uint256)", &[number(6)]);
    let words = [number(1), number(2), number(3), address(0xa0), number(5)];
    for (reply, asset) in [
        (reply(&words), Some(Value::Token(account(0xa0)))),
        (reply(&words[..3]), None),
        (reply(&[]), None),
        (reply(&[number(1), number(2), number(3), B256::repeat_byte(1)]), None),
        (ViewResult::Reverted, None),
    ] {
        let decoded = decode_with(&table(row), &transaction(vec![deposit.clone()]), &[(calls.clone(), reply.clone())]);
        let found = decoded.events.first().and_then(|(event, _)| member(std::slice::from_ref(event), "asset"));
        assert_eq!((found, decoded.incomplete_logs), (asset, 0), "{reply:?}");
    }
}

#[test]
fn arguments_are_encoded_by_their_types() {
    let row = "STAKE Put(bytes32 id, int128 place, bool up) \
               asset=contract.at(bytes32 id, int128 place, bool up, address contract, uint256 3)";
    let words = [B256::repeat_byte(9), below_zero(2), number(1)];
    let (table, put) = (table(row), transaction(vec![log("Put(bytes32,int128,bool)", &[], &words)]));
    let arguments = [words[0], words[1], words[2], address(0xcc), number(3)];
    let calls = Decoding::new(&table, &put, network()).next_calls();
    assert_eq!(calls, [view(0xcc, "at(bytes32,int128,bool,address,uint256)", &arguments)]);
}

#[test]
fn an_argument_that_its_type_does_not_hold_is_missing() {
    let row = "STAKE Put(uint256 place) asset=contract.at(uint8 place)";
    let (table, put) = (table(row), transaction(vec![log("Put(uint256)", &[], &[number(256)])]));
    let mut decoding = Decoding::new(&table, &put, network());
    assert_eq!(decoding.next_calls(), []);
    assert_eq!(decoding.finish().events, []);
}

#[test]
fn a_view_of_a_view_is_read_when_the_first_has_returned() {
    let row = "STAKE Put(address pool) asset=contract.minter().coin() fromToken=pool.token0()";
    let (table, put) = (table(row), transaction(vec![log("Put(address)", &[], &[address(2)])]));
    let mut decoding = Decoding::new(&table, &put, network());
    assert_eq!(decoding.next_calls(), [view(0xcc, "minter()", &[]), view(2, "token0()", &[])]);
    decoding.record(vec![reply(&[address(3)]), reply(&[address(4)])]);
    assert_eq!(decoding.next_calls(), [view(3, "coin()", &[])]);
    decoding.record(vec![reply(&[address(5)])]);
    assert_eq!(decoding.next_calls(), []);
    let events: Vec<_> = decoding.finish().events.into_iter().map(|(event, _)| event).collect();
    assert_eq!(member(&events, "asset"), Some(Value::Token(account(5))));
}

#[test]
fn a_view_is_read_once_for_all_logs_and_rows() {
    let rows = "\
SWAP Swap(uint256 a) pool=contract if contract.factory() = 0x0101010101010101010101010101010101010101
STAKE Swap(uint256 a) pool=contract asset=contract.token() if contract.factory() = 0x0202020202020202020202020202020202020202";
    let swap = || log("Swap(uint256)", &[], &[number(1)]);
    let (table, swaps) = (table(rows), transaction(vec![swap(), swap()]));
    let mut decoding = Decoding::new(&table, &swaps, network());
    // The second row is evaluated with the first, so one round of reads suffices.
    assert_eq!(decoding.next_calls(), [view(0xcc, "factory()", &[]), view(0xcc, "token()", &[])]);
    assert_eq!(decoding.next_calls(), []);
    decoding.record(vec![reply(&[address(2)]), reply(&[address(7)])]);
    assert_eq!(decoding.next_calls(), []);
    let kinds: Vec<_> = decoding.finish().events.iter().map(|(event, _)| event.kind.name()).collect();
    assert_eq!(kinds, ["STAKE", "STAKE"]);
}

#[test]
fn nothing_is_read_for_a_row_that_does_not_match() {
    let row = "STAKE Put(uint256 a) asset=contract.token() if a > 5";
    let (table, put) = (table(row), transaction(vec![log("Put(uint256)", &[], &[number(5)])]));
    assert_eq!(Decoding::new(&table, &put, network()).next_calls(), []);
}

#[test]
fn no_view_is_read_of_the_native_token() {
    let row = "STAKE Put(address pool) asset=pool.token() or none";
    let (table, put) = (table(row), transaction(vec![log("Put(address)", &[], &[address(0xee)])]));
    assert_eq!(Decoding::new(&table, &put, network()).next_calls(), []);
}

#[test]
fn alternatives_are_read_together_and_the_first_that_is_defined_is_taken() {
    let row = "STAKE Put() asset=contract.first() or contract.second() or wrapped";
    let (table, put) = (table(row), transaction(vec![log("Put()", &[], &[])]));
    let asset = |answers: [ViewResult; 2]| {
        let mut decoding = Decoding::new(&table, &put, network());
        assert_eq!(decoding.next_calls(), [view(0xcc, "first()", &[]), view(0xcc, "second()", &[])]);
        decoding.record(answers.to_vec());
        let decoded = decoding.finish();
        let found = decoded.events.first().and_then(|(event, _)| member(std::slice::from_ref(event), "asset"));
        (found, decoded.incomplete_logs)
    };
    let token = |byte| Some(Value::Token(account(byte)));
    let answer = |byte| reply(&[address(byte)]);
    assert_eq!(asset([answer(1), answer(2)]), (token(1), 0));
    assert_eq!(asset([ViewResult::Reverted, answer(2)]), (token(2), 0));
    assert_eq!(asset([ViewResult::Reverted, ViewResult::Reverted]), (token(0xaa), 0));
    assert_eq!(asset([ViewResult::ReadFailed, answer(2)]), (None, 1), "the first may have been it");
}

#[test]
fn what_could_not_be_read_is_counted_and_never_taken_for_no() {
    let rows = "\
STAKE Put(uint256 a) amount=a if contract.pool() exists
UNSTAKE Put(uint256 a) amount=a";
    let (table, put) = (table(rows), transaction(vec![log("Put(uint256)", &[], &[number(1)])]));
    let decoded = |results: Option<Vec<ViewResult>>| {
        let mut decoding = Decoding::new(&table, &put, network());
        assert_eq!(decoding.next_calls().len(), 1);
        if let Some(results) = results {
            decoding.record(results);
        }
        let decoded = decoding.finish();
        (decoded.events.first().map(|(event, _)| event.kind.name()), decoded.incomplete_logs)
    };
    assert_eq!(decoded(Some(vec![reply(&[number(0)])])), (Some("STAKE"), 0));
    assert_eq!(decoded(Some(vec![ViewResult::Reverted])), (Some("UNSTAKE"), 0));
    assert_eq!(decoded(Some(vec![ViewResult::ReadFailed])), (None, 1));
    assert_eq!(decoded(Some(Vec::new())), (None, 1), "a result that is missing");
    assert_eq!(decoded(None), (None, 1), "none at all");
}

#[test]
fn an_optional_member_that_could_not_be_read_is_absent_and_counted() {
    let row = "STAKE Put(uint256 a) amount=a asset=contract.token() or none";
    let put = transaction(vec![log("Put(uint256)", &[], &[number(1)])]);
    let decoded = decode_with(&table(row), &put, &[(view(0xcc, "token()", &[]), ViewResult::ReadFailed)]);
    let events: Vec<_> = decoded.events.into_iter().map(|(event, _)| event).collect();
    assert_eq!(member(&events, "asset"), None);
    assert_eq!(member(&events, "amount"), Some(raw(1, None)));
    assert_eq!(decoded.incomplete_logs, 1);
}

#[test]
fn bytes_are_cut_to_the_length_that_an_argument_has() {
    let row = "SWAP Put(bytes32 id) fromToken=contract.poolKeys(bytes25 id)";
    let (table, put) = (table(row), transaction(vec![log("Put(bytes32)", &[], &[B256::repeat_byte(0xab)])]));
    let mut cut = B256::repeat_byte(0xab);
    cut[25..].fill(0);
    assert_eq!(Decoding::new(&table, &put, network()).next_calls(), [view(0xcc, "poolKeys(bytes25)", &[cut])]);
}
