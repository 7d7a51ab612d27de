//! The balance scan: balances of one account in many tokens, of which only those that are not zero are told.
//!
//! Invariant: a token that is not named holds zero; a failure is never a zero. It runs like a packed call, as
//! `packed/scan.yul`, whose head and limits are the same.

use alloy::primitives::{Address, U256};

use crate::packed::{Head, Malformed, big_endian, split_head, take};

/// First bytes of a reply of `scan.yul`.
const SCAN_MAGIC: [u8; 4] = *b"PTNS";
/// Instead of an entry: so many zeros more.
const GAP_FULL: u8 = 0xff;
const BALANCE_MAX_BYTES: u8 = 32;
const FAILED: u8 = 0x21;
const CAPPED: u8 = 0x25;

/// What a token told that is not a plain zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanTold {
    Balance(U256),
    /// It reverted, has no code, or returned less than a word.
    Failed,
    /// It used up its gas, or may have: ask it alone.
    Capped,
}

/// The calldata for [`crate::packed::READS_MAX`] tokens at most; `cap` is the gas that each may use.
pub(crate) fn encode<'a>(account: Address, tokens: impl ExactSizeIterator<Item = &'a Address>, cap: u32) -> Vec<u8> {
    let mut calldata = Vec::with_capacity(4 + 20 * (1 + tokens.len()));
    calldata.extend(cap.to_be_bytes());
    calldata.extend(account);
    tokens.for_each(|token| calldata.extend_from_slice(token.as_slice()));
    calldata
}

/// What the first `done` of `count` tokens told, by place; those that are not named hold zero.
pub(crate) fn decode(reply: &[u8], count: usize) -> Result<(Head, Vec<(usize, ScanTold)>), Malformed> {
    let (head, mut rest) = split_head(reply, SCAN_MAGIC, count)?;
    let mut named = Vec::new();
    let mut place = 0_usize;
    while let Some((&gap, entry)) = rest.split_first() {
        rest = entry;
        place = place.checked_add(gap.into()).filter(|place| *place < head.done).ok_or(Malformed::Count)?;
        if gap == GAP_FULL {
            continue;
        }
        let kind = big_endian(take(&mut rest, 1)?);
        let told = match u8::try_from(kind).map_err(|_| Malformed::Short)? {
            bytes @ 1..=BALANCE_MAX_BYTES => ScanTold::Balance(U256::from_be_slice(take(&mut rest, bytes.into())?)),
            FAILED => ScanTold::Failed,
            CAPPED => ScanTold::Capped,
            unknown => return Err(Malformed::Kind(unknown)),
        };
        named.push((place, told));
        place += 1;
    }
    Ok((head, named))
}

#[cfg(test)]
pub(crate) mod model {
    use super::*;
    use crate::Block;
    use crate::packed::model::head;

    /// Runs `scan.yul`: `outcome` answers each token, and the gas suffices for `done_max` of them.
    pub(crate) fn run(
        calldata: &[u8],
        block: &Block,
        done_max: usize,
        mut outcome: impl FnMut(Address, Address) -> ScanTold,
    ) -> Vec<u8> {
        let account = Address::from_slice(&calldata[4..24]);
        let tokens: Vec<_> = calldata[24..].chunks_exact(20).map(Address::from_slice).take(done_max).collect();
        let mut reply = head(b"PTNS", block, tokens.len());
        let mut gap = 0;
        for token in tokens {
            let entry = match outcome(account, token) {
                ScanTold::Balance(U256::ZERO) => {
                    gap += 1;
                    continue;
                }
                ScanTold::Balance(balance) => {
                    let bytes = balance.to_be_bytes_trimmed_vec();
                    [vec![u8::try_from(bytes.len()).unwrap()], bytes].concat()
                }
                ScanTold::Failed => vec![0x21],
                ScanTold::Capped => vec![0x25],
            };
            reply.extend(vec![0xff; gap / 255]);
            reply.push(u8::try_from(gap % 255).unwrap());
            reply.extend(entry);
            gap = 0;
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{B256, bytes};
    use proptest::prelude::*;

    use super::*;
    use crate::Block;
    use crate::packed::model::head;

    const BLOCK: Block =
        Block { number: 9, hash: B256::ZERO, parent: B256::repeat_byte(1), timestamp: 8, evm_number: 7 };

    fn tokens(count: usize) -> Vec<Address> {
        (1..=count).map(|token| Address::left_padding_from(&token.to_be_bytes())).collect()
    }

    fn any_told() -> impl Strategy<Value = ScanTold> {
        prop_oneof![
            20 => Just(ScanTold::Balance(U256::ZERO)),
            2 => (any::<[u8; 32]>(), 0_usize..256).prop_map(|(word, bits)| {
                ScanTold::Balance(U256::from_be_bytes(word) >> bits)
            }),
            1 => Just(ScanTold::Failed),
            1 => Just(ScanTold::Capped),
        ]
    }

    proptest! {
        #[test]
        fn what_the_tokens_answer_is_what_is_decoded(
            told in proptest::collection::vec(any_told(), 0..700),
            lead in 0_usize..600,
            left_out in 0_usize..3,
        ) {
            let told = [vec![ScanTold::Balance(U256::ZERO); lead], told].concat();
            let done = told.len().saturating_sub(left_out);
            let account = Address::repeat_byte(7);
            let tokens = tokens(told.len());
            let mut rest = tokens.iter().zip(&told);
            let reply = model::run(&encode(account, tokens.iter(), 5), &BLOCK, done, |asked, token| {
                let (expected, told) = rest.next().unwrap();
                assert_eq!((asked, token), (account, *expected));
                *told
            });
            let (head, named) = decode(&reply, told.len()).unwrap();
            prop_assert_eq!((head.done, head.number, head.timestamp, head.parent), (done, 7, 8, BLOCK.parent));
            let expected = told.iter().copied().enumerate().take(done);
            let expected = expected.filter(|(_, told)| *told != ScanTold::Balance(U256::ZERO));
            prop_assert_eq!(named, expected.collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_decoded_or_malformed(
            entries in proptest::collection::vec(any::<u8>(), 0..99),
            count in 0..999_usize,
        ) {
            let _ = decode(&entries, count);
            if let Ok((_, named)) = decode(&[head(b"PTNS", &BLOCK, count), entries].concat(), count) {
                prop_assert!(named.iter().all(|(place, _)| *place < count));
            }
        }
    }

    #[test]
    fn the_calldata_is_cap_account_and_tokens() {
        let encoded = encode(Address::repeat_byte(7), tokens(2).iter(), 0x0102_0304);
        let account = bytes!("0707070707070707070707070707070707070707");
        let (first, second) = (Address::with_last_byte(1), Address::with_last_byte(2));
        assert_eq!(encoded, [&[1, 2, 3, 4][..], &account, first.as_slice(), second.as_slice()].concat());
    }

    #[test]
    fn entries_beyond_what_was_done_are_malformed() {
        let reply = |done, entries: &[u8]| [&head(b"PTNS", &BLOCK, done), entries].concat();
        assert_eq!(decode(&reply(2, &[1, 1, 5]), 2).unwrap().1, [(1, ScanTold::Balance(U256::from(5)))]);
        assert_eq!(decode(&reply(300, &[0xff, 3, 0x21]), 300).unwrap().1, [(258, ScanTold::Failed)]);
        assert_eq!(decode(&reply(1, &[1, 1, 5]), 2), Err(Malformed::Count));
        assert_eq!(decode(&reply(3, &[]), 2), Err(Malformed::Count), "more than asked");
        assert_eq!(decode(&reply(2, &[0, 0]), 2), Err(Malformed::Kind(0)), "a balance of zero bytes");
        assert_eq!(decode(&reply(2, &[0, 2, 5]), 2), Err(Malformed::Short));
        assert_eq!(decode(&head(b"PTNC", &BLOCK, 0), 0), Err(Malformed::Foreign));
    }
}
