//! Encoder and decoder against a model of the program, and against bytes written by hand.

use alloy::primitives::{Address, B256, Bytes, bytes};
use proptest::prelude::*;

use super::model::{Call, How};
use super::*;
use crate::reads::read_set::ReadSet;
use crate::{Block, Freshness, Kind, Read};

const CAP: u32 = 1_000_000;
/// The largest chain id but one: it fills all eight bytes in the reply.
const CHAIN_ID: u64 = u64::MAX - 1;
const BLOCK: Block = Block {
    number: 21_000_000,
    hash: B256::repeat_byte(2),
    parent: B256::repeat_byte(1),
    timestamp: 1_700_000_000,
    evm_number: 20_999_999,
};

fn address(last: u8) -> Address {
    Address::with_last_byte(last)
}

/// Few targets and data, so that records often share them.
fn any_read() -> impl Strategy<Value = Read> {
    let kind = prop_oneof![6 => Just(Kind::Call), 1 => Just(Kind::NativeBalance), 1 => Just(Kind::CodeSize)];
    let data = prop_oneof![
        4 => (0_u8..3).prop_map(|length| vec![7; length.into()]),
        1 => proptest::collection::vec(any::<u8>(), 0..300),
    ];
    let cap = proptest::option::weighted(0.2, any::<u32>());
    (kind, 0_u8..4, data, any::<bool>(), cap).prop_map(|(kind, to, data, isolated, gas_cap)| Read {
        kind,
        isolated,
        gas_cap,
        ..Read::call(address(to), data)
    })
}

fn any_result() -> impl Strategy<Value = CallResult> {
    let any_word = (0_usize..=32, any::<[u8; 32]>()).prop_map(|(zeros, mut word)| {
        word[..zeros].fill(0);
        word
    });
    prop_oneof![
        4 => Just(CallResult::Ok(Bytes::from_static(&[0; 32]))),
        4 => proptest::collection::vec(any_word, 1..36).prop_map(|words| CallResult::Ok(words.concat().into())),
        2 => proptest::collection::vec(any::<u8>(), 0..100).prop_map(|data| CallResult::Ok(data.into())),
        1 => proptest::collection::vec(any::<u8>(), 0..100).prop_map(|data| CallResult::Reverted(data.into())),
        1 => Just(CallResult::NoCode),
        1 => Just(CallResult::GasCapped),
        1 => Just(CallResult::TooLong),
    ]
}

/// Returns the call that the program should make of a read.
fn expected_call(read: &Read) -> Call {
    let is_call = read.kind == Kind::Call;
    Call {
        how: match read.kind {
            Kind::Call if read.isolated => How::Isolated,
            Kind::Call => How::Static,
            Kind::NativeBalance => How::Balance,
            Kind::CodeSize | Kind::Simulation(_) => How::CodeSize,
        },
        to: read.to,
        data: if is_call { read.data.clone() } else { Bytes::new() },
        cap: read.gas_cap.filter(|_| is_call).unwrap_or(CAP),
        own_cap: is_call && read.gas_cap.is_some(),
    }
}

/// Reads with their results.
fn any_chunk() -> impl Strategy<Value = Vec<(Read, CallResult)>> {
    proptest::collection::vec((any_read(), any_result()), 0..60)
}

fn reads_of(chunk: &[(Read, CallResult)]) -> ReadSet {
    chunk.iter().map(|(read, _)| read.clone()).collect()
}

fn encode_all(reads: &ReadSet) -> Vec<u8> {
    encode(reads, &(0..reads.len()).collect::<Vec<_>>(), CAP)
}

fn reply_to(chunk: &[(Read, CallResult)], done_max: usize) -> Vec<u8> {
    let calldata = encode_all(&reads_of(chunk));
    let mut rest = chunk.iter();
    model::run(&calldata, CHAIN_ID, &BLOCK, done_max, |one| {
        let (read, result) = rest.next().unwrap();
        let mut one = one.clone();
        if matches!(one.how, How::Balance | How::CodeSize) {
            one.data = Bytes::new(); // Of the read before; no contract is called with it.
        }
        assert_eq!(one, expected_call(read));
        result.clone()
    })
}

/// Returns all results, with the zeros that are not named.
fn all(named: Vec<(usize, CallResult)>, done: usize) -> Vec<CallResult> {
    let mut all = vec![CallResult::Ok(vec![0; 32].into()); done];
    for (place, result) in named {
        all[place] = result;
    }
    all
}

proptest! {
    #[test]
    fn what_the_contracts_answer_is_what_is_decoded(chunk in any_chunk(), left_out in 0_usize..5) {
        let done = chunk.len().saturating_sub(left_out);
        let (head, named) = decode(&reply_to(&chunk, done), chunk.len()).unwrap();
        let gas_start = 30_000_000;
        let gas_end = 29_000_000;
        let (number, timestamp, parent) = (20_999_999, 1_700_000_000, BLOCK.parent);
        let expected = Head { chain_id: CHAIN_ID, number, timestamp, parent, gas_start, gas_end, done };
        prop_assert_eq!(head, expected);
        prop_assert_eq!(all(named, done), chunk.into_iter().take(done).map(|(_, result)| result).collect::<Vec<_>>());
    }

    #[test]
    fn a_record_adds_no_more_than_planned(chunk in any_chunk()) {
        let reads = reads_of(&chunk);
        let planned: Vec<usize> = encoded_bytes(&reads, &(0..reads.len()).collect::<Vec<_>>()).collect();
        prop_assert_eq!(planned.len(), reads.len());
        prop_assert!(encode_all(&reads).len() <= 11 + planned.into_iter().sum::<usize>());
    }

    #[test]
    fn any_bytes_are_decoded_or_malformed(
        reply in proptest::collection::vec(any::<u8>(), 0..200),
        count in 0_usize..9,
    ) {
        let _ = decode(&reply, count);
        let entries = [&model::head(b"PTNC", CHAIN_ID, &BLOCK, count), &*reply].concat();
        if let Ok((_, named)) = decode(&entries, count) {
            prop_assert!(named.iter().all(|(place, _)| *place < count));
        }
    }

    #[test]
    fn a_changed_reply_is_decoded_or_malformed(
        chunk in any_chunk(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut reply = reply_to(&chunk, chunk.len());
        let place = place.index(reply.len());
        reply[place] = byte;
        if let Ok((head, named)) = decode(&reply, chunk.len()) {
            prop_assert!(named.iter().all(|(place, _)| *place < head.done));
        }
    }

    #[test]
    fn a_reply_cut_short_or_followed_by_more_is_malformed(
        chunk in any_chunk(),
        place in any::<prop::sample::Index>(),
    ) {
        let reply = reply_to(&chunk, chunk.len());
        prop_assert!(decode(&reply[..place.index(reply.len())], chunk.len()).is_err());
        prop_assert!(decode(&[&*reply, &[0x24]].concat(), chunk.len() + 1).is_err());
    }
}

#[test]
fn calldata_shares_target_and_data_with_the_record_before() {
    let to = |last, data: Bytes| Read::call(address(last), data);
    let data = bytes!("70a08231");
    let reads = [
        to(1, data.clone()),
        to(2, data.clone()),
        to(2, Bytes::new()),
        Read { isolated: true, gas_cap: Some(5), ..to(2, Bytes::new()) },
        Read { kind: Kind::NativeBalance, ..to(3, data) },
        Read { kind: Kind::CodeSize, ..to(3, Bytes::new()) },
    ];
    let head = bytes!("00 000f4240 000000000004");
    let first = [&[0x00][..], address(1).as_slice(), &[0, 4, 0x70, 0xa0, 0x82, 0x31]].concat();
    let second = [&[0x08][..], address(2).as_slice()].concat();
    let third = [0x04, 0, 0];
    let fourth = [0x1d, 0, 0, 0, 5];
    let fifth = [&[0x0a][..], address(3).as_slice()].concat();
    let sixth = [0x0f];
    let expected = [&head[..], &first, &second, &third, &fourth, &fifth, &sixth].concat();
    assert_eq!(Bytes::from(encode_all(&ReadSet::from(reads.to_vec()))), Bytes::from(expected));
}

#[test]
fn a_thousand_zeros_are_three_bytes() {
    let reply = [model::head(b"PTNC", CHAIN_ID, &BLOCK, 1000), vec![0, 0x03, 0xe8]].concat();
    let (head, named) = decode(&reply, 1000).unwrap();
    assert_eq!((head.done, named), (1000, Vec::new()));
}

#[test]
fn replies_of_other_programs_and_false_counts_are_malformed() {
    let reply = |done, entries: &[u8]| [&model::head(b"PTNC", CHAIN_ID, &BLOCK, done), entries].concat();
    assert_eq!(decode(b"", 1), Err(Malformed::Foreign));
    assert_eq!(decode(&[0; 64], 1), Err(Malformed::Foreign));
    assert_eq!(decode(&model::head(b"PTNS", CHAIN_ID, &BLOCK, 0), 0), Err(Malformed::Foreign));
    assert_eq!(decode(&reply(2, &[0, 0, 2]), 1), Err(Malformed::Count), "more than were in the request");
    assert_eq!(decode(&reply(2, &[0, 0, 1]), 2), Err(Malformed::Count), "fewer than said");
    assert_eq!(decode(&reply(1, &[0, 0xff, 0xff]), 1), Err(Malformed::Count), "a long run");
    assert_eq!(decode(&reply(1, &[0x21]), 1), Err(Malformed::Kind(0x21)));
    assert_eq!(decode(&reply(1, &[1, 33]), 1), Err(Malformed::Kind(33)), "a word of 33 bytes");
    assert_eq!(decode(&reply(1, &[2, 0]), 1), Err(Malformed::Short), "one word of two");
}

#[test]
fn reads_that_the_program_would_answer_otherwise_are_not_packed() {
    let read = || Read::call(address(1), vec![0; 65_535]);
    assert!(may_pack(&read()));
    assert!(!may_pack(&Read { data: vec![0; 65_536].into(), ..read() }), "too long");
    assert!(!may_pack(&Read { from: Some(address(2)), ..read() }), "of another sender");
    assert!(may_pack(&read().fresh(Freshness::Immutable)));
}
