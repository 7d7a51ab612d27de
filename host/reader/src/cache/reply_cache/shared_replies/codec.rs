//! Replies and prices of gas as bytes of the store.
//!
//! Invariant: a value has one encoding. Every change needs a new format of entries.

use alloy::primitives::{B256, Bytes};
use portolan_store::Entry;

use super::{Group, SharedGroup};
use crate::reads::outcomes::ZERO_WORD;
use crate::{Block, GasPrice, Outcome};

const OK: u8 = 0;
const REVERTED: u8 = 1;
const NO_CODE: u8 = 2;
const GAS_CAP: u8 = 3;

/// Encodes `block number (8) | timestamp (8) | length of the host (1) | host`, then each outcome other than a zero word
/// as `zero words before it (4) | code (1) | length (4) | bytes`, then the zero words behind them (4). `None` if an
/// outcome is not one of a contract.
pub(super) fn encode<'a>(
    block: &Block,
    host: &str,
    outcomes: impl Iterator<Item = Option<&'a Outcome>>,
) -> Option<Entry> {
    let mut value = [block.number.to_be_bytes(), block.timestamp.to_be_bytes()].concat();
    value.push(u8::try_from(host.len()).ok()?);
    value.extend_from_slice(host.as_bytes());
    let mut zeros = 0_u32;
    for outcome in outcomes {
        let (code, data): (u8, &[u8]) = match outcome? {
            Outcome::Ok(data) if data[..] == ZERO_WORD => {
                zeros += 1;
                continue;
            }
            Outcome::Ok(data) => (OK, data),
            Outcome::Reverted(data) => (REVERTED, data),
            Outcome::NoCode => (NO_CODE, &[]),
            Outcome::GasCap => (GAS_CAP, &[]),
            Outcome::OverBudget | Outcome::Unsupported | Outcome::Failed(_) => return None,
        };
        value.extend_from_slice(&std::mem::take(&mut zeros).to_be_bytes());
        value.push(code);
        value.extend_from_slice(&u32::try_from(data.len()).ok()?.to_be_bytes());
        value.extend_from_slice(data);
    }
    value.extend_from_slice(&zeros.to_be_bytes());
    Some(Entry { block: block.hash.0, value: value.into() })
}

/// Decodes the replies to a group; `None` if the bytes are not one reply for each read.
pub(super) fn decode(group: Group, entry: &Entry) -> Option<SharedGroup> {
    let count: usize = group.runs.iter().map(ExactSizeIterator::len).sum();
    let (number, rest) = entry.value.split_first_chunk()?;
    let (timestamp, rest) = rest.split_first_chunk()?;
    let (&length, rest) = rest.split_first()?;
    let (endpoint, mut rest) = rest.split_at_checked(usize::from(length))?;
    let mut outcomes = Vec::with_capacity(count);
    let zero = Outcome::Ok(Bytes::from_static(&ZERO_WORD));
    loop {
        let (zeros, behind) = rest.split_first_chunk()?;
        let zeros =
            usize::try_from(u32::from_be_bytes(*zeros)).ok().filter(|zeros| *zeros <= count - outcomes.len())?;
        outcomes.resize(outcomes.len() + zeros, zero.clone());
        if behind.is_empty() {
            break;
        }
        let (&code, behind) = behind.split_first()?;
        let (length, behind) = behind.split_first_chunk()?;
        let (data, behind) = behind.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        if outcomes.len() == count {
            return None;
        }
        outcomes.push(match code {
            OK if data != ZERO_WORD => Outcome::Ok(Bytes::copy_from_slice(data)),
            REVERTED => Outcome::Reverted(Bytes::copy_from_slice(data)),
            NO_CODE if data.is_empty() => Outcome::NoCode,
            GAS_CAP if data.is_empty() => Outcome::GasCap,
            _ => return None,
        });
        rest = behind;
    }
    let is_whole = outcomes.len() == count;
    is_whole.then_some(SharedGroup {
        group,
        number: u64::from_be_bytes(*number),
        hash: B256::from(entry.block),
        timestamp: u64::from_be_bytes(*timestamp),
        endpoint: std::str::from_utf8(endpoint).ok()?.into(),
        outcomes,
    })
}

/// Encodes `base fee (16) | tip (16)`, or the tip alone.
pub(super) fn encode_gas_price(price: GasPrice) -> Vec<u8> {
    let GasPrice { base_fee, tip } = price;
    base_fee.into_iter().chain([tip]).flat_map(u128::to_be_bytes).collect()
}

pub(super) fn decode_gas_price(value: &[u8]) -> Option<GasPrice> {
    let (first, rest) = value.split_first_chunk()?;
    let first = u128::from_be_bytes(*first);
    match rest.as_array() {
        Some(tip) => Some(GasPrice { base_fee: Some(first), tip: u128::from_be_bytes(*tip) }),
        None => rest.is_empty().then_some(GasPrice { base_fee: None, tip: first }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::tests::{BLOCK, group};
    use super::*;

    #[test]
    fn the_layout_is_the_one_of_its_format() {
        let outcomes = [Outcome::Ok(ZERO_WORD.into()), Outcome::Ok([0x12].into()), Outcome::Ok(ZERO_WORD.into())];
        let entry = encode(&BLOCK, "a.b:1", outcomes.iter().map(Some)).unwrap();
        let expected = alloy::primitives::bytes!(
            "0000000000000007 0000000000000102 05 612e623a31 00000001 00 00000001 12 00000001"
        );
        assert_eq!((entry.value.to_vec(), entry.block), (expected.to_vec(), [7; 32]));
    }

    #[test]
    fn a_group_with_a_failure_or_a_long_host_is_not_shared() {
        for outcome in [Outcome::Failed(crate::ReadFailure::Timeout), Outcome::Unsupported, Outcome::OverBudget] {
            assert_eq!(encode(&BLOCK, "a", [Some(&outcome)].into_iter()), None);
        }
        assert_eq!(encode(&BLOCK, "a", [None].into_iter()), None);
        assert_eq!(encode(&BLOCK, &"a".repeat(256), [Some(&Outcome::NoCode)].into_iter()), None);
    }

    fn outcome() -> impl Strategy<Value = Outcome> {
        prop_oneof![
            3 => Just(Outcome::Ok(Bytes::from_static(&ZERO_WORD))),
            1 => vec(any::<u8>(), 0..40).prop_map(|data| Outcome::Ok(data.into())),
            1 => vec(any::<u8>(), 0..40).prop_map(|data| Outcome::Reverted(data.into())),
            1 => Just(Outcome::NoCode),
            1 => Just(Outcome::GasCap),
        ]
    }

    proptest! {
        #[test]
        fn a_price_of_gas_comes_back_as_it_was(base_fee: Option<u128>, tip: u128, bytes in vec(any::<u8>(), 0..40)) {
            let price = GasPrice { base_fee, tip };
            prop_assert_eq!(decode_gas_price(&encode_gas_price(price)), Some(price));
            prop_assert_eq!(decode_gas_price(&bytes).map(encode_gas_price).unwrap_or(bytes.clone()), bytes);
        }

        #[test]
        fn outcomes_come_back_as_they_were(outcomes in vec(outcome(), 0..40), host in "[a-z.:0-9]{0,100}") {
            let entry = encode(&BLOCK, &host, outcomes.iter().map(Some)).unwrap();
            let found = decode(group(outcomes.len()), &entry).unwrap();
            prop_assert_eq!((found.number, found.timestamp, found.hash), (7, 258, BLOCK.hash));
            prop_assert_eq!((&*found.endpoint, &found.outcomes), (&*host, &outcomes));
            for other in [outcomes.len() + 1, outcomes.len().saturating_sub(1)] {
                prop_assert!(other == outcomes.len() || decode(group(other), &entry).is_none());
            }
        }

        #[test]
        fn bytes_are_one_set_of_outcomes_or_none(value in vec(0_u8..5, 0..60), count in 0..9_usize) {
            let entry = Entry { block: [7; 32], value: value.into() };
            if let Some(found) = decode(group(count), &entry) {
                let block = Block { number: found.number, timestamp: found.timestamp, ..BLOCK };
                let again = encode(&block, &found.endpoint, found.outcomes.iter().map(Some));
                prop_assert_eq!(again, Some(entry));
            }
        }
    }
}
