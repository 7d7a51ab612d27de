//! Feeds arbitrary bytes to every decoder: it returns a value or an error, never panics, and ignores false lengths.

use std::hint::black_box;

use portolan_abi::codec::{self, DecodeError};
use portolan_abi::frame::{BLOCKS_MAX, Frame, FrameWriter};
use portolan_abi::log;
use portolan_abi::map::{
    Catalogue, FactList, Finding, ReadExtension, Selftest, Settings, SettingsError, SettingsValue, Start, StartError,
};
use portolan_abi::row::{FactsRow, JobIn, JobOut, LogRow, Network, Read, Reply, Row};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, proptest};
use proptest::sample::{Index, select};
use proptest::test_runner::Config;

use crate::samples::{each_map, encoded};

/// Cases per property; together they take about a second.
const CASES: u32 = 2_048;

fn config() -> Config {
    Config { cases: CASES, failure_persistence: None, ..Config::default() }
}

/// Passes the bytes to every map decoder.
fn decode_as_everything(bytes: &[u8]) {
    macro_rules! decode {
        ($map:ty, $sample:expr) => {
            let _ = black_box(codec::decode::<$map>(bytes));
        };
    }
    each_map!(decode);
    let _ = black_box(codec::decode::<Vec<Finding>>(bytes));
    let _ = black_box(codec::decode::<SettingsValue>(bytes));
}

/// Passes the frame to every reader, with the blob ranges that its own rows name.
fn read_as_everything(frame: &Frame<'_>, offset: u32, len: u32) {
    fn rows<R: Row>(frame: &Frame<'_>) -> usize {
        (0..BLOCKS_MAX + 2).map(|block| frame.rows::<R>(block).count()).sum()
    }
    black_box([rows::<Read>(frame), rows::<Reply>(frame), rows::<JobIn>(frame), rows::<JobOut>(frame)]);
    black_box([rows::<Network>(frame), rows::<LogRow>(frame), rows::<FactsRow>(frame)]);
    let _ = black_box((frame.bytes(offset, len), frame.extension(offset)));
    for read in (0..BLOCKS_MAX).flat_map(|block| frame.rows::<Read>(block)).take(100) {
        let _ = black_box((frame.bytes(read.data_offset, read.data_len), frame.extension(read.extension)));
    }
}

fn frame() -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let mut put = |text: &[u8]| frame.bytes(text).expect("a small blob");
    let ((data_offset, data_len), (offset, len)) = (put(b"calldata"), put(b"reply"));
    let extension = frame.extension(&codec::encode(&crate::samples::read_extension())).expect("a small blob");
    for network in 0..4 {
        frame.row(0, &JobOut { reads: 4, findings_offset: offset, findings_len: len, ..JobOut::default() });
        frame.row(1, &Network { chain_id: 137 });
        frame.row(2, &Read { network, data_offset, data_len, extension, ..Read::default() });
        frame.row(3, &Reply { offset, len, ..Reply::default() });
    }
    frame.finish().expect("a small frame")
}

/// A valid encoding with bytes overwritten, cut out, repeated or truncated.
fn bent(valid: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    vec((any::<Index>(), any::<u8>(), 0..4_u8), 1..8).prop_map(move |changes| {
        let mut bytes = valid.clone();
        for (place, byte, how) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
        }
        bytes
    })
}

fn bent_map() -> impl Strategy<Value = Vec<u8>> {
    select(encoded()).prop_flat_map(|(_, valid)| bent(valid))
}

/// Heads of CBOR items with huge lengths, in any order.
fn lying_cbor() -> impl Strategy<Value = Vec<u8>> {
    let heads: Vec<&'static [u8]> = vec![
        &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        &[0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        &[0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe],
        &[0x7a, 0xff, 0xff, 0xff, 0xff],
        &[0x9f],
        &[0xbf],
        &[0x5f],
        &[0xff],
        &[0x81],
        &[0xa1, 0x00],
        &[0xa3, 0x00, 0xf6, 0x01],
        &[0xc1],
        &[0x00],
        &[0xf6],
        &[0xf8, 0xff],
        &[0xfb],
        &[0x1c],
    ];
    vec(select(heads), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arbitrary_bytes_are_no_frame_or_a_frame_that_can_be_read(
        bytes in vec(any::<u8>(), 0..300),
        offset in any::<u32>(),
        len in any::<u32>(),
    ) {
        if let Ok(frame) = Frame::parse(&bytes) {
            read_as_everything(&frame, offset, len);
        }
    }

    #[test]
    fn a_bent_frame_is_no_frame_or_a_frame_that_can_be_read(
        bytes in bent(frame()),
        offset in any::<u32>(),
        len in any::<u32>(),
    ) {
        if let Ok(frame) = Frame::parse(&bytes) {
            read_as_everything(&frame, offset, len);
        }
    }

    #[test]
    fn bent_logs_are_an_error_or_logs_that_are_written_as_they_were_read(
        bytes in bent(crate::samples::start().transaction.expect("it has one").logs.to_vec()),
    ) {
        if let Ok(logs) = log::decode(&bytes.into()) {
            let again = log::encode(&logs).expect("small logs");
            prop_assert!(log::decode(&again).is_ok_and(|again| again == logs));
        }
    }

    #[test]
    fn arbitrary_blocks_can_be_read_whatever_their_stride(
        blocks in vec((0..20_u32, 0..64_u32), 0..BLOCKS_MAX),
        blob in vec(any::<u8>(), 0..64),
        offset in 0..70_u32,
        len in 0..70_u32,
    ) {
        let count = u16::try_from(blocks.len()).expect("few blocks");
        let mut bytes = crate::bytes::head(1, count, u32::try_from(blob.len()).expect("a small blob"));
        for (count, stride) in &blocks {
            let count = if *stride == 0 { 0 } else { *count };
            bytes.extend(crate::bytes::block(count, *stride, &vec![0xa5; (count * stride) as usize]));
        }
        bytes.extend(&blob);
        let frame = Frame::parse(&bytes);
        prop_assert!(frame.is_ok(), "{frame:?}");
        read_as_everything(&frame.expect("checked above"), offset, len);
    }

    #[test]
    fn arbitrary_bytes_are_no_map_or_a_map(bytes in vec(any::<u8>(), 0..200)) {
        decode_as_everything(&bytes);
    }

    #[test]
    fn a_bent_map_is_no_map_or_a_map(bytes in bent_map()) {
        decode_as_everything(&bytes);
    }

    #[test]
    fn heads_that_lie_about_their_length_are_errors_at_once(bytes in lying_cbor()) {
        decode_as_everything(&bytes);
    }

    #[test]
    fn what_decodes_encodes_to_something_that_decodes_to_the_same(bytes in bent_map()) {
        if let Ok(value) = codec::decode::<Catalogue>(&bytes) {
            prop_assert!(codec::decode::<Catalogue>(&codec::encode(&value)).is_ok_and(|again| again == value));
        }
        if let Ok(value) = codec::decode::<Vec<Finding>>(&bytes) {
            prop_assert!(codec::decode::<Vec<Finding>>(&codec::encode(&value)).is_ok_and(|again| again == value));
        }
        if let Ok(value) = codec::decode::<Settings>(&bytes) {
            prop_assert!(codec::decode::<Settings>(&codec::encode(&value)).is_ok_and(|again| again == value));
        }
    }

    #[test]
    fn every_cut_of_a_map_is_an_error((sample, place) in (select(encoded()), any::<Index>())) {
        let (name, bytes) = sample;
        let cut = &bytes[..place.index(bytes.len())];
        macro_rules! cut_is_an_error {
            ($map:ident, $sample:expr) => {
                prop_assert!(name != stringify!($map) || codec::decode::<$map>(cut).is_err());
            };
        }
        each_map!(cut_is_an_error);
    }
}

#[test]
fn settings_values_nest_no_deeper_than_any_other() {
    let nested = |depth: usize| {
        let mut bytes = vec![0x81; depth];
        bytes.push(0x80);
        bytes
    };
    assert!(codec::decode::<SettingsValue>(&nested(codec::NESTING_MAX - 1)).is_ok());
    let deep = codec::decode::<SettingsValue>(&nested(1_000_000));
    assert!(matches!(deep, Err(DecodeError::TooDeep)), "{deep:?}");
}

#[test]
fn tags_count_as_nesting() {
    let mut bytes = vec![0xc1; 1_000_000];
    bytes.push(0);
    assert!(matches!(codec::decode::<Start>(&bytes), Err(DecodeError::TooDeep)));
}

#[test]
fn a_map_that_repeats_itself_for_a_megabyte_is_walked_once() {
    // Two million empty maps in one array: the walk is linear, and none of it is a catalogue.
    let mut bytes = vec![0x9a, 0x00, 0x20, 0x00, 0x00];
    bytes.extend(vec![0xa0; 0x20_0000]);
    assert!(codec::decode::<Catalogue>(&bytes).is_err());
}
