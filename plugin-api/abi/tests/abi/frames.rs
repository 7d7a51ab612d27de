//! A frame byte by byte, and malformed frames.

use alloy::primitives::Address;
use portolan_abi::frame::{Frame, FrameError, FrameWriter, resume_in, resume_out};
use portolan_abi::row::{JobIn, JobOut, LogRow, Network, Read, Reply, Row, kind, mode, state, status};

use crate::bytes::{block, head, join};

/// Job 0 gets one reply of three bytes.
fn resume_in_by_hand() -> Vec<u8> {
    let job = join(&[&1_u32.to_le_bytes(), &500_u32.to_le_bytes(), &7_u32.to_le_bytes(), &4096_u32.to_le_bytes()]);
    let reply = join(&[&[1, 1, 0, 0], &0_u32.to_le_bytes(), &3_u32.to_le_bytes(), &12_u32.to_le_bytes()]);
    join(&[&head(1, 2, 3), &block(1, 16, &job), &block(1, 16, &reply), b"abc"])
}

#[test]
fn what_goes_into_resume_is_written_as_documented() {
    let mut frame = FrameWriter::default();
    frame.row(resume_in::JOBS, &JobIn { replies: 1, ms_left: 500, reads_left: 7, bytes_left: 4096 });
    let (offset, len) = frame.bytes(b"abc").expect("a small blob");
    frame.row(resume_in::REPLIES, &Reply { status: status::REVERTED, source: 1, offset, len, age_s: 12 });
    assert_eq!(frame.finish().expect("a small frame"), resume_in_by_hand());
}

#[test]
fn what_goes_into_resume_is_read_as_documented() {
    let bytes = resume_in_by_hand();
    let frame = Frame::parse(&bytes).expect("a frame");
    let jobs: Vec<JobIn> = frame.rows(resume_in::JOBS).collect();
    assert_eq!(jobs, [JobIn { replies: 1, ms_left: 500, reads_left: 7, bytes_left: 4096 }]);
    let replies: Vec<Reply> = frame.rows(resume_in::REPLIES).collect();
    assert_eq!(replies, [Reply { status: status::REVERTED, source: 1, offset: 0, len: 3, age_s: 12 }]);
    assert_eq!(frame.bytes(0, 3), Ok(&b"abc"[..]));
}

#[test]
fn what_comes_out_of_resume_is_written_as_documented() {
    let read = Read {
        kind: kind::CODE_SIZE,
        mode: mode::ISOLATED,
        freshness: 2,
        purpose: 4,
        network: 0x0102,
        to: Address::repeat_byte(0x11),
        data_offset: 1,
        data_len: 2,
        freshness_s: 3600,
        gas_cap: 1_000_000,
        extension: 9,
    };
    let by_hand = join(&[
        &[2, 1, 2, 4, 0x02, 0x01, 0, 0],
        &[0x11; 20],
        &[1, 0, 0, 0],
        &[2, 0, 0, 0],
        &[0x10, 0x0e, 0, 0],
        &[0x40, 0x42, 0x0f, 0],
        &[9, 0, 0, 0],
    ]);
    let mut written = Vec::new();
    read.write(&mut written);
    assert_eq!(written, by_hand);
    assert_eq!(Read::read(&by_hand), read);

    let job = JobOut {
        state: state::PARTIAL,
        reads: 1,
        findings_offset: 2,
        findings_len: 3,
        message_offset: 4,
        message_len: 5,
        not_covered_offset: 6,
        not_covered_len: 7,
        invalid_replies_offset: 8,
        invalid_replies_len: 9,
    };
    let fields = [2_u32, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    let by_hand: Vec<u8> = fields.into_iter().flat_map(u32::to_le_bytes).collect();
    let mut written = Vec::new();
    job.write(&mut written);
    assert_eq!(written, by_hand);
    assert_eq!(JobOut::read(&by_hand), job);

    let mut written = Vec::new();
    Network { chain_id: 42161 }.write(&mut written);
    assert_eq!(written, [0xb1, 0xa4, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn every_row_writes_the_bytes_that_it_announces() {
    fn written<R: Row + Default>() -> (usize, usize) {
        let mut out = Vec::new();
        R::default().write(&mut out);
        (out.len(), R::SIZE)
    }
    let sizes = [written::<Read>(), written::<Reply>(), written::<JobIn>(), written::<JobOut>(), written::<Network>()];
    assert_eq!(sizes, [(48, 48), (16, 16), (16, 16), (40, 40), (8, 8)]);
    assert_eq!(written::<LogRow>(), (44, 44));
}

#[test]
fn blocks_may_be_written_in_any_order_and_left_out() {
    let mut frame = FrameWriter::default();
    frame.row(resume_out::READS, &Read { to: Address::repeat_byte(7), ..Read::default() });
    frame.row(resume_out::JOBS, &JobOut { reads: 1, ..JobOut::default() });
    let bytes = frame.finish().expect("a small frame");
    let frame = Frame::parse(&bytes).expect("a frame");
    let counts = [resume_out::JOBS, resume_out::NETWORKS, resume_out::READS, 3, 100].map(|block| frame.count(block));
    assert_eq!(counts, [1, 0, 1, 0, 0]);
    assert_eq!(frame.rows::<Read>(resume_out::READS).next().expect("a read").to, Address::repeat_byte(7));
}

#[test]
fn an_empty_frame_is_a_frame() {
    let bytes = FrameWriter::default().finish().expect("a small frame");
    assert_eq!(bytes, head(1, 0, 0));
    assert_eq!(Frame::parse(&bytes).expect("a frame").count(0), 0);
}

#[test]
fn what_is_no_frame_is_told_apart() {
    let good = resume_in_by_hand();
    let cases: [(&str, Vec<u8>, FrameError); 11] = [
        ("nothing", Vec::new(), FrameError::Short),
        ("half a head", good[..9].to_vec(), FrameError::Short),
        ("another magic", join(&[b"PTLM", &good[4..]]), FrameError::Magic),
        ("another version", join(&[&head(2, 2, 3), &good[16..]]), FrameError::Version(2)),
        ("more blocks than there can be", head(1, 9, 0), FrameError::Blocks(9)),
        ("a block without its head", head(1, 1, 0), FrameError::Short),
        ("rows of no bytes", join(&[&head(1, 1, 0), &block(4_000_000_000, 0, &[])]), FrameError::Stride),
        ("a row short", join(&[&head(1, 1, 0), &block(2, 16, &[0; 31])]), FrameError::Short),
        ("16 EiB of rows", join(&[&head(1, 1, 0), &block(u32::MAX, u32::MAX, &[0; 64])]), FrameError::Short),
        ("a blob short", join(&[&head(1, 0, u32::MAX), b"abc"]), FrameError::Short),
        ("a byte too many", join(&[&good, b"d"]), FrameError::Trailing(1)),
    ];
    for (what, bytes, error) in cases {
        assert_eq!(Frame::parse(&bytes).err(), Some(error), "{what}");
    }
}

#[test]
fn every_cut_of_a_frame_is_an_error() {
    let good = resume_in_by_hand();
    for len in 0..good.len() {
        assert_eq!(Frame::parse(&good[..len]).err(), Some(FrameError::Short), "cut at {len}");
    }
}

#[test]
fn a_row_that_points_outside_the_blob_is_found_out_when_it_is_read() {
    let bytes = resume_in_by_hand();
    let frame = Frame::parse(&bytes).expect("a frame");
    for (offset, len) in [(0, 4), (3, 1), (4, 0), (u32::MAX, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
        assert_eq!(frame.bytes(offset, len), Err(FrameError::OutsideBlob { offset, len, blob: 3 }));
    }
    assert_eq!(frame.bytes(3, 0), Ok(&[][..]));
}

#[test]
fn an_extension_carries_its_length_and_0_is_none() {
    let mut frame = FrameWriter::default();
    let first = frame.extension(b"one").expect("a small blob");
    let second = frame.extension(b"").expect("a small blob");
    let bytes = frame.finish().expect("a small frame");
    let frame = Frame::parse(&bytes).expect("a frame");
    assert_eq!((first, second), (1, 8));
    assert_eq!(frame.extension(0), Ok(None));
    assert_eq!(frame.extension(first), Ok(Some(&b"one"[..])));
    assert_eq!(frame.extension(second), Ok(Some(&[][..])));
}

#[test]
fn an_extension_whose_length_lies_is_an_error() {
    let blob = [0xff, 0xff, 0xff, 0xff, 1, 2];
    let bytes = join(&[&head(1, 0, 6), &blob]);
    let frame = Frame::parse(&bytes).expect("a frame");
    for extension in [1, 2, 3, 4, 6, 7, u32::MAX] {
        assert!(frame.extension(extension).is_err(), "{extension}");
    }
}
