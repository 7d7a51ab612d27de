//! The encoding of a reply: the key holds the network and the read, the value its origin and the reply.
//!
//! Invariant: every read has one key, and no two reads share one. Decoded rows encode to the same bytes. Every change
//! of the layout needs a new [`LAYOUT`]: tables of another layout are dropped unread.

use std::sync::Arc;

use alloy::primitives::Bytes;

use crate::cache::read_key;
use crate::cache::reply_cache::Row;

/// Part of the tables' names.
pub(super) const LAYOUT: u32 = 2;

/// Maximum length of a host, which is stored in one byte.
const HOST_MAX: usize = 255;

/// Encodes the network and the read.
pub(super) fn key(row: &Row) -> Vec<u8> {
    read_key::encode(row.chain_id, (&row.read).into())
}

/// A reply as it is stored, with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredRow {
    pub(crate) row: Row,
    /// Host and port of the endpoint that confirmed it; the row's own if there was no other.
    pub(crate) confirmed_by: Arc<str>,
    /// Unix seconds.
    pub(crate) written_s: u64,
}

/// Encodes `written (8) | timestamp (8) | block number (8) | endpoint | confirmed by | reply`, where a host is a
/// length (1) and its text. Longer hosts are cut.
pub(super) fn value(stored: &StoredRow) -> Vec<u8> {
    let StoredRow { row, confirmed_by, written_s } = stored;
    let mut value = [written_s.to_be_bytes(), row.timestamp.to_be_bytes(), row.number.to_be_bytes()].concat();
    for host in [&row.endpoint, confirmed_by] {
        let end = host.floor_char_boundary(HOST_MAX);
        value.push(u8::try_from(end).unwrap_or(u8::MAX));
        value.extend_from_slice(&host.as_bytes()[..end]);
    }
    value.extend_from_slice(&row.reply);
    value
}

/// Decodes a row; `None` if this program did not write the bytes.
pub(super) fn decode(key: &[u8], value: &[u8]) -> Option<StoredRow> {
    let (chain_id, read) = read_key::decode(key)?;
    let (written_s, rest) = value.split_first_chunk()?;
    let (timestamp, rest) = rest.split_first_chunk()?;
    let (number, rest) = rest.split_first_chunk()?;
    let (endpoint, rest) = host(rest)?;
    let (confirmed_by, reply) = host(rest)?;
    if reply.is_empty() {
        return None;
    }
    let [number, timestamp, written_s] = [number, timestamp, written_s].map(|bytes| u64::from_be_bytes(*bytes));
    let row = Row { chain_id, read, number, timestamp, endpoint, reply: Bytes::copy_from_slice(reply) };
    Some(StoredRow { row, confirmed_by, written_s })
}

fn host(bytes: &[u8]) -> Option<(Arc<str>, &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (host, rest) = rest.split_at_checked(usize::from(*length))?;
    Some((std::str::from_utf8(host).ok()?.into(), rest))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, address, bytes};
    use proptest::collection::vec;
    use proptest::option::of;
    use proptest::prelude::*;

    use super::*;
    use crate::{Freshness, Kind, Read};

    fn rows() -> impl Strategy<Value = StoredRow> {
        let kind = prop_oneof![Just(Kind::Call), Just(Kind::NativeBalance), Just(Kind::CodeSize)];
        let short = vec(any::<u8>(), 0..40);
        let question = (any::<[u8; 20]>(), short, of(any::<[u8; 20]>()), any::<bool>(), of(any::<u32>()));
        let origin = (any::<[u64; 3]>(), "[a-zé.:0-9]{0,100}", "[a-z.:0-9]{0,255}");
        (any::<u64>(), kind, question, origin, vec(any::<u8>(), 1..70)).prop_map(
            |(chain_id, kind, (to, data, from, isolated, gas_cap), (figures, endpoint, confirmed_by), reply)| {
                let ([number, timestamp, written_s], endpoint) = (figures, endpoint.into());
                let (to, from) = (to.into(), from.map(Address::from));
                let freshness = Freshness::Immutable;
                let read = Read { kind, to, data: data.into(), from, freshness, isolated, gas_cap };
                let row = Row { chain_id, read, number, timestamp, endpoint, reply: reply.into() };
                StoredRow { row, confirmed_by: confirmed_by.into(), written_s }
            },
        )
    }

    proptest! {
        #[test]
        fn a_row_comes_back_as_it_was(stored in rows()) {
            prop_assert_eq!(decode(&key(&stored.row), &value(&stored)), Some(stored));
        }

        #[test]
        fn bytes_are_one_row_or_none(key_bytes in vec(any::<u8>(), 0..80), value_bytes in vec(0_u8..40, 0..60)) {
            // Most random bytes have an unknown kind; half of them get a known one.
            for code in [None, Some(0)] {
                let mut key_bytes = key_bytes.clone();
                if let (Some(code), Some(flags)) = (code, key_bytes.get(9).copied()) {
                    key_bytes[8] = code;
                    key_bytes[9] = flags & 7;
                }
                if let Some(stored) = decode(&key_bytes, &value_bytes) {
                    prop_assert_eq!((key(&stored.row), value(&stored)), (key_bytes, value_bytes.clone()));
                }
            }
        }

        #[test]
        fn cut_keys_are_no_rows(stored in rows(), cut in 1_usize..54) {
            let whole = key(&stored.row);
            let fixed = whole.len() - stored.row.read.data.len();
            let cut = &whole[..fixed.saturating_sub(cut)];
            prop_assert_eq!(decode(cut, &value(&stored)), None);
        }
    }

    #[test]
    fn the_layout_is_the_one_of_its_number() {
        let read = Read {
            from: Some(address!("0x2222222222222222222222222222222222222222")),
            isolated: true,
            gas_cap: Some(7),
            freshness: Freshness::Immutable,
            ..Read::call(address!("0x1111111111111111111111111111111111111111"), bytes!("313ce567"))
        };
        let endpoint = "a.b:1".into();
        let row = Row { chain_id: 137, read, number: 3, timestamp: 258, endpoint, reply: bytes!("12") };
        let expected = bytes!(
            "0000000000000089 00 07 1111111111111111111111111111111111111111
             2222222222222222222222222222222222222222 00000007 313ce567"
        );
        assert_eq!((LAYOUT, key(&row)), (2, expected.to_vec()));
        let expected = bytes!("0000000000000304 0000000000000102 0000000000000003 05 612e623a31 01 63 12");
        assert_eq!(value(&StoredRow { row, confirmed_by: "c".into(), written_s: 772 }), expected);
    }

    #[test]
    fn an_empty_reply_is_no_row() {
        let (read, endpoint) = (Read::call(Address::ZERO, []), "c".into());
        let row = Row { chain_id: 1, read, number: 1, timestamp: 1, endpoint, reply: Bytes::new() };
        let key = key(&row);
        assert_eq!(decode(&key, &value(&StoredRow { row, confirmed_by: "c".into(), written_s: 1 })), None);
    }
}
