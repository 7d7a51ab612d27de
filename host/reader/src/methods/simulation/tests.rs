//! Bodies and replies by hand, after the head of `simulate.yul`.

use alloy::primitives::{address, bytes, hex};
use proptest::prelude::*;

use super::*;

const TOKEN: Address = address!("00000000000000000000000000000000000000aa");
const OTHER: Address = address!("00000000000000000000000000000000000000bb");
const SPENDER: Address = address!("00000000000000000000000000000000000000cc");
const ACCOUNT: Address = address!("00000000000000000000000000000000000000ff");

const CHAIN: u64 = 1;

fn simulation() -> Simulation {
    let step = RunStep { to: SPENDER, value: U256::ZERO, data: bytes!("00010002"), gas: 6_000_000 };
    let watched = Watched { tokens: vec![TOKEN, OTHER], own: 1, spenders: vec![SPENDER] };
    Simulation { steps: vec![step], watched }
}

fn sender() -> Sender {
    Sender { account: ACCOUNT, code: AccountCode::Delegation, balance: U256::from(5) }
}

fn ok(reply: &[u8]) -> Outcome {
    Outcome::Ok(Bytes::copy_from_slice(reply))
}

fn change(place: u8, before: u8, after: u8) -> Vec<u8> {
    let word = |last: u8| [&[0; 31][..], &[last]].concat();
    [vec![0, place], word(before), word(after)].concat()
}

#[test]
fn the_data_of_a_simulation_is_this() {
    let read = simulation().read(&sender(), Effort::Packed).unwrap();
    let prefix = format!("01{:064x}01{:08x}", 5, 6_000_000);
    let expected = concat!(
        "020101",
        "00000000000000000000000000000000000000aa",
        "00000000000000000000000000000000000000bb",
        "00000000000000000000000000000000000000cc",
        "01",
        "00000000000000000000000000000000000000cc",
        "00000000000000000000000000000000",
        "0004",
        "00010002",
    );
    assert_eq!(hex::encode(&read.data), format!("{prefix}{expected}"));
    assert_eq!((read.to, read.kind), (ACCOUNT, Kind::Simulation(Effort::Packed)));
    let calldata = encode(ACCOUNT, [&read, &read].into_iter());
    let record = format!("00006a004c4b40{expected}");
    assert_eq!(hex::encode(calldata), format!("00{ACCOUNT:x}00006a{record}{record}"));
}

#[test]
fn what_a_request_cannot_say_is_no_read() {
    let (mut long, mut rich, mut many) = (simulation(), simulation(), simulation());
    long.steps[0].data = vec![0; 1 << 16].into();
    rich.steps[0].value = U256::from(1) << 128;
    many.steps = vec![many.steps[0].clone(); 256];
    for simulation in [long, rich, many] {
        assert_eq!(simulation.read(&sender(), Effort::Any), None);
    }
}

#[test]
fn a_run_tells_gas_and_changes() {
    let reply = [
        &[0, 1, 1, 0, 0, 0x10, 0x7e, 0, 4][..],
        &change(0, 1, 2),
        &change(2, 7, 9),
        &change(3, 0, 5),
        &change(4, 0, 1),
    ];
    let run = simulation().run(CHAIN, &ok(&reply.concat())).unwrap().unwrap();
    // 4,222 were measured, 131 of them around the call. Two of the four bytes of data are zero.
    let gas = 21_000 + 4_091 + 2 * 4 + 2 * 16;
    assert_eq!(run.steps, [StepEnd { gas: Some(gas), gas_before_refunds: Some(gas), gas_limit: None, reverted: None }]);
    assert_eq!((run.gas(), run.reverted()), (Some(gas), None));
    let changes = run.changes.unwrap();
    let (of, n) = (|of_all, after| (TOKEN, SPENDER, of_all, U256::from(after)), |n: u8| U256::from(n));
    assert_eq!(changes.native, Some((n(1), n(2))));
    assert_eq!(changes.tokens, [(OTHER, n(7), n(9))]);
    let approvals: Vec<_> =
        changes.approvals.iter().map(|one| (one.token, one.spender, one.of_all, one.after)).collect();
    assert_eq!(approvals, [of(false, 5), of(true, 1)]);
}

#[test]
fn the_gas_of_a_call_is_not_told_where_state_costs_gas_of_its_own() {
    let run = simulation().run(CHAIN, &ok(&[3, 1, 1, 0, 0, 0x10, 0x7e, 0, 0])).unwrap().unwrap();
    assert_eq!((run.method, run.gas()), (SimulationMethod::Override, None));
}

#[test]
fn a_revert_is_told_with_its_data() {
    let run = simulation().run(CHAIN, &ok(&[0, 1, 0, 0, 0, 0, 0x7e, 0, 2, 0xde, 0xad, 0, 0])).unwrap().unwrap();
    assert_eq!(run.reverted(), Some(&bytes!("dead")));
    let by_call = reply(ReplyKind::Call, &end_of_call(Some(&[0xde; 2_000])));
    let run = simulation().run(CHAIN, &Outcome::Ok(by_call)).unwrap().unwrap();
    assert_eq!(run.reverted().map(|data| data.len()), Some(1_024));
    assert_eq!((run.gas(), run.changes), (None, None));
    assert!(has_failed(&[1, 0, 0, 0, 0, 0]) && has_failed(&[]) && !has_failed(&[1, 1, 0, 0, 0, 0]));
}

#[test]
fn what_is_no_reply_to_this_simulation_is_malformed() {
    let good = [0, 1, 1, 0, 0, 0, 0, 0, 0];
    assert!(simulation().run(CHAIN, &ok(&good)).unwrap().is_some());
    for (at, byte) in [(0, 1), (0, 5), (1, 0), (1, 2), (8, 1)] {
        let mut bad = good;
        bad[at] = byte;
        assert_eq!(simulation().run(CHAIN, &ok(&bad)), Err(ReadFailure::Upstream), "{bad:?}");
    }
    let of = |changes: &[Vec<u8>]| {
        let count = u8::try_from(changes.len()).unwrap();
        let reply = [&good[..8], &[count], &changes.concat()].concat();
        simulation().run(CHAIN, &ok(&reply)).map(|_| ())
    };
    assert_eq!(of(&[change(4, 0, 1)]), Ok(()));
    let bad = [vec![change(5, 0, 1)], vec![change(1, 1, 1)], vec![change(1, 0, 1), change(1, 0, 2)]];
    bad.iter().for_each(|changes| assert_eq!(of(changes), Err(ReadFailure::Upstream)));
    for len in 0..good.len() {
        assert_eq!(simulation().run(CHAIN, &ok(&good[..len])), Err(ReadFailure::Upstream));
    }
    assert_eq!(simulation().run(CHAIN, &Outcome::Unsupported), Ok(None));
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_or_malformed(bytes: Vec<u8>) {
        drop(simulation().run(CHAIN, &ok(&bytes)));
        drop(decode(&bytes, 3));
        has_failed(&bytes);
        drop(only_step(&bytes));
        sender_of(&bytes, ACCOUNT);
    }
}
