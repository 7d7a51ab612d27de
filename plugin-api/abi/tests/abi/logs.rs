//! The logs of a transaction byte by byte, and malformed ones.

use alloy::primitives::{Address, B256, Bytes};
use portolan_abi::frame::FrameError;
use portolan_abi::log::{self, Log};

use crate::bytes::{block, head, join};

/// Two logs: one with two topics and three bytes, and an anonymous one with nothing.
fn by_hand() -> Vec<u8> {
    let first = join(&[
        &[0x11; 20],
        &[2, 0, 0, 0],
        &5_u64.to_le_bytes(),
        &0_u32.to_le_bytes(),
        &64_u32.to_le_bytes(),
        &3_u32.to_le_bytes(),
    ]);
    let second = join(&[
        &[0x22; 20],
        &[0, 0, 0, 0],
        &6_u64.to_le_bytes(),
        &67_u32.to_le_bytes(),
        &67_u32.to_le_bytes(),
        &0_u32.to_le_bytes(),
    ]);
    let blob = join(&[&[0xaa; 32], &[0xbb; 32], b"abc"]);
    join(&[&head(1, 1, 67), &block(2, 44, &join(&[&first, &second])), &blob])
}

fn logs() -> [Log; 2] {
    let topics = vec![B256::repeat_byte(0xaa), B256::repeat_byte(0xbb)];
    let first = Log { index: 5, address: Address::repeat_byte(0x11), topics, data: Bytes::from_static(b"abc") };
    [first, Log { index: 6, address: Address::repeat_byte(0x22), topics: Vec::new(), data: Bytes::new() }]
}

#[test]
fn logs_are_written_and_read_as_documented() {
    assert_eq!(log::encode(&logs()).expect("small logs"), by_hand());
    assert_eq!(log::decode(&by_hand().into()).expect("logs"), logs());
}

#[test]
fn no_logs_are_logs_too() {
    let bytes = log::encode(&[]).expect("nothing");
    assert_eq!(log::decode(&bytes), Ok(Vec::new()));
}

#[test]
fn a_log_that_points_outside_is_an_error() {
    let row = 16 + 8;
    // The number of topics, the offset of the topics, and the length of the data.
    for (place, byte) in [(row + 20, 3), (row + 33, 1), (row + 40, 4)] {
        let mut bytes = by_hand();
        bytes[place] = byte;
        let read = log::decode(&bytes.into());
        assert!(matches!(read, Err(FrameError::OutsideBlob { .. })), "{place}: {read:?}");
    }
    assert_eq!(log::decode(&Bytes::new()), Err(FrameError::Short));
}

#[test]
fn more_topics_than_a_row_can_count_are_an_error() {
    let many = |topics| log::encode(&[Log { topics: vec![B256::repeat_byte(1); topics], ..Log::default() }]);
    assert!(many(255).is_ok());
    assert_eq!(many(256), Err(FrameError::TooLarge));
}
