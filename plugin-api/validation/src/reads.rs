//! Reads that a job's claims rely on, beside addresses: numbers of the account, and due fees.
//!
//! Invariant: a contract returned each fee and each claimed amount at the answer's block.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use alloy::primitives::{Address, Bytes, U256};

/// Size of an ABI word, and of a selector, in bytes.
const WORD: usize = 32;
const SELECTOR: usize = 4;
/// Words that are searched for numbers: 50,000 reads of twenty words.
const WORDS_MAX: usize = 1 << 20;

/// Reads of a job that its claims may rely on.
#[derive(Debug)]
pub struct ClaimReads {
    account: Address,
    reads: Vec<ClaimRead>,
    numbers: OnceLock<HashSet<[u8; WORD]>>,
    views: BTreeMap<(Address, [u8; SELECTOR]), U256>,
}

#[derive(Debug)]
struct ClaimRead {
    contract: Address,
    data: Bytes,
    reply: Bytes,
    is_at_block: bool,
}

impl ClaimReads {
    /// Creates an empty set for a job about this account.
    pub fn new(account: Address) -> Self {
        Self { account, reads: Vec::new(), numbers: OnceLock::new(), views: BTreeMap::new() }
    }

    /// Returns true if this calldata has the account as an argument, or has no arguments.
    pub fn concern(&self, data: &[u8]) -> bool {
        data.len() == SELECTOR || has_argument(data, self.account)
    }

    /// Adds a read and its reply; `is_at_block` is true if it was read at the answer's block.
    pub fn take(&mut self, contract: Address, data: Bytes, reply: Bytes, is_at_block: bool) {
        match <[u8; SELECTOR]>::try_from(data.as_ref()) {
            Ok(selector) => {
                if let Some(word) = words(&reply).next().filter(|_| is_at_block) {
                    self.views.insert((contract, selector), U256::from_be_bytes(*word));
                }
            }
            Err(_) => self.reads.push(ClaimRead { contract, data, reply, is_at_block }),
        }
    }

    /// Returns true if the word is in the calldata or the reply of a read about the account.
    pub(crate) fn have_number(&self, word: &[u8; WORD]) -> bool {
        let numbers = self.numbers.get_or_init(|| {
            let of_account = self.reads.iter().filter(|read| self.concern(&read.data));
            of_account
                .flat_map(|read| arguments(&read.data).chain(words(&read.reply)))
                .take(WORDS_MAX)
                .copied()
                .collect()
        });
        numbers.contains(word)
    }

    /// Returns the reply of a view without arguments, at the answer's block.
    pub(crate) fn view(&self, contract: Address, selector: [u8; SELECTOR]) -> Option<U256> {
        self.views.get(&(contract, selector)).copied()
    }

    /// Returns true if a contract returned this number first, in a call with the account or one of `beside`.
    pub(crate) fn returned(&self, contract: Address, number: U256, beside: &[U256]) -> bool {
        let number = number.to_be_bytes::<WORD>();
        let names = |data: &Bytes| arguments(data).any(|word| beside.contains(&U256::from_be_bytes(*word)));
        let mut reads = self.reads.iter().filter(|read| read.contract == contract && read.is_at_block);
        reads.any(|read| words(&read.reply).next() == Some(&number) && (self.concern(&read.data) || names(&read.data)))
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8; WORD]> {
    bytes.as_chunks().0.iter()
}

/// Returns true if an argument word of the call is this address.
pub fn has_argument(data: &[u8], address: Address) -> bool {
    arguments(data).any(|word| *word == address.into_word().0)
}

fn arguments(data: &[u8]) -> impl Iterator<Item = &[u8; WORD]> {
    words(data.get(SELECTOR..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use alloy::sol_types::SolValue;

    use super::*;

    const ACCOUNT: Address = Address::repeat_byte(0xac);
    const CHEF: Address = Address::repeat_byte(0xc1);

    fn data(arguments: &impl SolValue) -> Bytes {
        [&[1, 2, 3, 4][..], &arguments.abi_encode()].concat().into()
    }

    #[test]
    fn numbers_are_those_beside_the_account_and_those_that_came_back() {
        let call = data(&(U256::from(7), ACCOUNT));
        let mut reads = ClaimReads::new(ACCOUNT);
        let foreign = data(&(U256::from(6), CHEF));
        assert!(reads.concern(&call) && !reads.concern(&foreign));
        reads.take(CHEF, foreign, U256::from(8).abi_encode().into(), true);
        reads.take(CHEF, call, U256::from(9).abi_encode().into(), true);
        for (number, is_there) in [(7, true), (9, true), (6, false), (8, false), (0, false)] {
            assert_eq!(reads.have_number(&U256::from(number).to_be_bytes()), is_there, "{number}");
        }
        assert!(reads.returned(CHEF, U256::from(9), &[]));
        assert!(!reads.returned(ACCOUNT, U256::from(9), &[]));
        assert!(reads.returned(CHEF, U256::from(8), &[U256::from(6)]));
        assert!(!reads.returned(CHEF, U256::from(8), &[U256::from(5)]));
    }

    #[test]
    fn a_view_without_arguments_is_found_by_its_contract_and_selector() {
        let fee = Bytes::from_static(&[9, 9, 9, 9]);
        let mut reads = ClaimReads::new(ACCOUNT);
        assert!(reads.concern(&fee));
        reads.take(CHEF, fee, U256::from(5).abi_encode().into(), true);
        assert_eq!(reads.view(CHEF, [9, 9, 9, 9]), Some(U256::from(5)));
        assert_eq!((reads.view(ACCOUNT, [9, 9, 9, 9]), reads.view(CHEF, [9, 9, 9, 8])), (None, None));
    }
}
