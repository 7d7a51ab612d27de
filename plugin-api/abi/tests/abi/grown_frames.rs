//! Frames of an older or newer writer: shorter or longer rows, missing or unknown blocks.

use alloy::primitives::Address;
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::row::{FactsRow, JobIn, JobOut, LogRow, Network, Read, Reply, Row};

use crate::bytes::{block, head, join};

/// The read of a later version: eight more bytes, where 0 means the first version's behaviour.
#[derive(Debug, PartialEq, Eq)]
struct LaterRead {
    first: Read,
    tip: u64,
}

impl Row for LaterRead {
    const SIZE: usize = Read::SIZE + 8;

    fn write(&self, out: &mut Vec<u8>) {
        self.first.write(out);
        out.extend(self.tip.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        let (first, tip) = bytes.split_at_checked(Read::SIZE).unwrap_or((bytes, &[]));
        let mut word = [0; 8];
        word[..tip.len()].copy_from_slice(tip);
        Self { first: Read::read(first), tip: u64::from_le_bytes(word) }
    }
}

fn full_read() -> Read {
    Read {
        kind: 1,
        mode: 1,
        freshness: 3,
        purpose: 1,
        network: 5,
        to: Address::repeat_byte(9),
        data_offset: 10,
        data_len: 20,
        freshness_s: 30,
        gas_cap: 40,
        extension: 50,
    }
}

#[test]
fn an_old_reader_reads_the_rows_of_a_newer_writer() {
    let mut frame = FrameWriter::default();
    let reads = [full_read(), Read { to: Address::repeat_byte(3), ..Read::default() }];
    for first in reads.clone() {
        frame.row(resume_out::READS, &LaterRead { first, tip: u64::MAX });
    }
    let bytes = frame.finish().expect("a small frame");
    let frame = Frame::parse(&bytes).expect("a frame");
    assert_eq!(frame.count(resume_out::READS), 2);
    assert_eq!(frame.rows::<Read>(resume_out::READS).collect::<Vec<_>>(), reads);
}

#[test]
fn a_new_reader_reads_the_rows_of_an_older_writer_with_zero_for_what_is_new() {
    let mut frame = FrameWriter::default();
    frame.row(resume_out::READS, &full_read());
    let bytes = frame.finish().expect("a small frame");
    let frame = Frame::parse(&bytes).expect("a frame");
    let reads: Vec<LaterRead> = frame.rows(resume_out::READS).collect();
    assert_eq!(reads, [LaterRead { first: full_read(), tip: 0 }]);
}

/// Cuts rows at every byte, like ever older writers: present bytes read as they are, missing ones as 0.
fn read_cut_at_every_byte<R: Row>(full: &R) {
    let mut row = Vec::new();
    full.write(&mut row);
    for known in 1..=R::SIZE {
        let stride = u32::try_from(known).expect("a small row");
        let bytes = join(&[&head(1, 1, 0), &block(2, stride, &[&row[..known], &row[..known]].concat())]);
        let frame = Frame::parse(&bytes).expect("a frame");
        let mut expected = row.clone();
        expected[known..].fill(0);
        let read: Vec<R> = frame.rows(0).collect();
        assert_eq!(read.len(), 2);
        for row in read {
            let mut again = Vec::new();
            row.write(&mut again);
            assert_eq!(again, expected, "{known} bytes known");
        }
    }
}

#[test]
fn every_row_reads_zero_where_an_older_writer_ends() {
    read_cut_at_every_byte(&full_read());
    read_cut_at_every_byte(&Reply { status: 1, source: 1, offset: 2, len: 3, age_s: 4 });
    read_cut_at_every_byte(&JobIn { replies: 1, ms_left: 2, reads_left: 3, bytes_left: 4 });
    read_cut_at_every_byte(&JobOut {
        state: 1,
        reads: 2,
        findings_offset: 3,
        findings_len: 4,
        message_offset: 5,
        message_len: 6,
        not_covered_offset: 7,
        not_covered_len: 8,
        invalid_replies_offset: 9,
        invalid_replies_len: 10,
    });
    read_cut_at_every_byte(&FactsRow {
        job: 1,
        list_offset: 2,
        list_len: 3,
        from: 4,
        total: 5,
        entries_offset: 6,
        entries_len: 7,
    });
    read_cut_at_every_byte(&Network { chain_id: u64::MAX });
    let (address, index) = (Address::repeat_byte(9), u64::MAX);
    read_cut_at_every_byte(&LogRow { address, topics: 4, index, topics_offset: 1, data_offset: 2, data_len: 3 });
}

#[test]
fn blocks_that_came_later_are_skipped_and_the_blob_is_still_found() {
    let job = join(&[&[1, 0, 0, 0], &[0; 12]]);
    let reply = join(&[&[0, 0, 0, 0], &1_u32.to_le_bytes(), &2_u32.to_le_bytes(), &[0; 4]]);
    let bytes = join(&[
        &head(1, 4, 3),
        &block(1, 16, &job),
        &block(1, 16, &reply),
        &block(3, 5, &[0xee; 15]),
        &block(0, 77, &[]),
        b"xyz",
    ]);
    let frame = Frame::parse(&bytes).expect("a frame");
    let reply: Reply = frame.rows(resume_in::REPLIES).next().expect("a reply");
    assert_eq!(frame.bytes(reply.offset, reply.len), Ok(&b"yz"[..]));
    assert_eq!((frame.count(2), frame.count(3)), (3, 0));
}

#[test]
fn a_block_that_an_older_writer_did_not_know_is_empty() {
    let bytes = join(&[&head(1, 1, 0), &block(1, 24, &[0; 24])]);
    let frame = Frame::parse(&bytes).expect("a frame");
    assert_eq!(frame.rows::<Read>(resume_out::READS).count(), 0);
}

#[test]
fn the_reserved_bytes_of_the_head_mean_nothing_yet() {
    let mut bytes = join(&[&head(1, 1, 0), &block(1, 8, &137_u64.to_le_bytes())]);
    bytes[12..16].fill(0xff);
    let frame = Frame::parse(&bytes).expect("a frame");
    assert_eq!(frame.rows::<Network>(0).next(), Some(Network { chain_id: 137 }));
}
