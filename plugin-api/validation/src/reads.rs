//! Reads that a job's claims rely on: numbers of the account, addresses that a contract holds for it, and due fees.
//!
//! A number is the account's if it stands beside the account in a call, or in the reply to one; if the reply to a call
//! with that number alone names the account, as `ownerOf` does; or if it is in the reply to a call with a number of the
//! account, as a hint for an id is. Offsets and lengths of lists in arguments do not count; a reply does not say which of
//! its words are some. Invariants: only contracts of the
//! deployment and those that a lineage gave make a number the account's, and no precompile does. A contract returned each
//! fee and each claimed amount at the answer's block.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use alloy::primitives::{Address, Bytes, U256, address};

/// Size of an ABI word, and of a selector, in bytes.
const WORD: usize = 32;
const SELECTOR: usize = 4;
/// Words that are searched for numbers: 50,000 reads of twenty words.
const WORDS_MAX: usize = 1 << 20;
/// Calls from a number of the account to one that its reply has: an id, its hint, and what is read with that.
const STEPS_MAX: usize = 3;
/// Addresses up to this one are precompiles or system contracts, which return what they are given.
const PRECOMPILES_END: Address = address!("0x000000000000000000000000000000000000ffff");

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

    fn is_about_account(&self, data: &[u8]) -> bool {
        has_argument(data, self.account)
    }

    /// Adds a read and its reply; `is_at_block` is true if it was read at the answer's block.
    pub fn take(&mut self, contract: Address, data: Bytes, reply: Bytes, is_at_block: bool) {
        match <[u8; SELECTOR]>::try_from(data.as_ref()) {
            Ok(selector) => {
                if let Some(word) = words(&reply).next().filter(|_| is_at_block) {
                    self.views.insert((contract, selector), U256::from_be_bytes(*word));
                }
            }
            // What is about others is asked for at the answer's block alone.
            Err(_) if is_at_block || self.is_about_account(&data) => {
                self.reads.push(ClaimRead { contract, data, reply, is_at_block });
            }
            Err(_) => {}
        }
    }

    /// Returns true if the word is a number of the account. `is_known` says which contracts are the deployment's or a
    /// lineage's; it has to be the same each time.
    pub(crate) fn have_number(&self, word: &[u8; WORD], is_known: impl Fn(Address) -> bool) -> bool {
        self.numbers.get_or_init(|| self.numbers_of_account(is_known)).contains(word)
    }

    fn numbers_of_account(&self, is_known: impl Fn(Address) -> bool) -> HashSet<[u8; WORD]> {
        let reads = self.reads.iter().filter(|read| read.contract > PRECOMPILES_END && is_known(read.contract));
        let (about, mut others): (Vec<_>, Vec<_>) = reads.partition(|read| self.is_about_account(&read.data));
        let mut left = WORDS_MAX;
        let mut numbers = HashSet::new();
        let mut add = |numbers: &mut HashSet<_>, words: &mut dyn Iterator<Item = &[u8; WORD]>| {
            for word in words {
                left = left.saturating_sub(1);
                if left > 0 {
                    numbers.insert(*word);
                }
            }
        };
        for read in about {
            add(&mut numbers, &mut values(argument_bytes(&read.data)));
            add(&mut numbers, &mut words(&read.reply));
        }
        // What is older than the answer's block may have been another account's since.
        others.retain(|read| read.is_at_block);
        for read in &others {
            if self.names_account(&read.data, &read.reply) {
                add(&mut numbers, &mut arguments(&read.data));
            }
        }
        for _ in 0..STEPS_MAX {
            let has_number = |read: &&ClaimRead| values(argument_bytes(&read.data)).any(|word| numbers.contains(word));
            let (with_number, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(has_number);
            if with_number.is_empty() {
                break;
            }
            with_number.iter().for_each(|read| add(&mut numbers, &mut words(&read.reply)));
            others = rest;
        }
        numbers
    }

    /// Returns true if the reply to a call with one argument has the account.
    fn names_account(&self, data: &[u8], reply: &[u8]) -> bool {
        data.len() == SELECTOR + WORD && words(reply).any(|word| *word == self.account.into_word().0)
    }

    /// Returns true if the reply to a call with the account, at the answer's block, has this address. `is_known` is that
    /// of [`Self::have_number`].
    pub(crate) fn name_beside_account(&self, address: Address, is_known: impl Fn(Address) -> bool) -> bool {
        let counts = |read: &&ClaimRead| {
            read.is_at_block && read.contract > PRECOMPILES_END && self.is_about_account(&read.data)
        };
        let names = |read: &ClaimRead| words(&read.reply).any(|word| *word == address.into_word().0);
        !address.is_zero() && self.reads.iter().filter(counts).any(|read| names(read) && is_known(read.contract))
    }

    /// Iterates over the contracts of calls with the account that have one of these words beside it, or in the reply:
    /// those that claims with such arguments rest on.
    pub fn contracts_with<'a>(&'a self, words: &'a HashSet<[u8; WORD]>) -> impl Iterator<Item = Address> + 'a {
        let about = self.reads.iter().filter(|read| self.is_about_account(&read.data));
        let has_word = |bytes: &[u8]| self::words(bytes).any(|word| words.contains(word));
        about
            .filter(move |read| has_word(argument_bytes(&read.data)) || has_word(&read.reply))
            .map(|read| read.contract)
    }

    /// Returns the first word of the reply to this call, at the answer's block.
    pub(crate) fn first_word(&self, contract: Address, data: &[u8]) -> Option<U256> {
        if let Ok(selector) = data.try_into() {
            return self.views.get(&(contract, selector)).copied();
        }
        let is_it = |read: &&ClaimRead| read.is_at_block && read.contract == contract && *read.data == *data;
        let word = self.reads.iter().find(is_it).and_then(|read| words(&read.reply).next())?;
        Some(U256::from_be_bytes(*word))
    }

    /// Returns true if a contract returned this number first, in a call with the account or one of `beside`.
    pub(crate) fn returned(&self, contract: Address, number: U256, beside: &[U256]) -> bool {
        let number = number.to_be_bytes::<WORD>();
        let names = |data: &Bytes| arguments(data).any(|word| beside.contains(&U256::from_be_bytes(*word)));
        let mut reads = self.reads.iter().filter(|read| read.contract == contract && read.is_at_block);
        reads.any(|read| {
            words(&read.reply).next() == Some(&number) && (self.is_about_account(&read.data) || names(&read.data))
        })
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8; WORD]> {
    bytes.as_chunks().0.iter()
}

/// Returns the words of arguments that are values: without the offsets of lists, and their lengths.
fn values(bytes: &[u8]) -> impl Iterator<Item = &[u8; WORD]> {
    let all = bytes.as_chunks::<WORD>().0;
    let number = |word: &[u8; WORD]| usize::try_from(U256::from_be_bytes(*word)).ok();
    // The place of the length that an offset names, if it is a later one and as many words follow it.
    let length_at = |own: usize| {
        let place = number(all.get(own)?).filter(|offset| offset % WORD == 0)? / WORD;
        let length = number(all.get(place).filter(|_| place > own)?)?;
        (length < all.len() - place).then_some(place)
    };
    let (mut own, mut head_end, mut skipped) = (0, all.len(), HashSet::new());
    // Offsets stand before all that they name: members of a list are never any.
    while own < head_end {
        if let Some(place) = length_at(own) {
            head_end = head_end.min(place);
            skipped.extend([own, place]);
        }
        own += 1;
    }
    all.iter().enumerate().filter(move |(place, _)| !skipped.contains(place)).map(|(_, word)| word)
}

/// Returns true if an argument word of the call is this address.
pub fn has_argument(data: &[u8], address: Address) -> bool {
    arguments(data).any(|word| *word == address.into_word().0)
}

fn arguments(data: &[u8]) -> impl Iterator<Item = &[u8; WORD]> {
    words(argument_bytes(data))
}

fn argument_bytes(data: &[u8]) -> &[u8] {
    data.get(SELECTOR..).unwrap_or_default()
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use alloy::sol_types::SolValue;

    use super::*;

    const ACCOUNT: Address = Address::repeat_byte(0xac);
    const CHEF: Address = Address::repeat_byte(0xc1);

    /// Returns true if the number counts, where the chef is the only contract of the deployment.
    fn has(reads: &ClaimReads, number: u64) -> bool {
        reads.have_number(&U256::from(number).to_be_bytes(), |contract| contract == CHEF)
    }

    fn read(reads: &mut ClaimReads, contract: Address, data: Bytes, reply: &impl SolValue) {
        reads.take(contract, data, reply.abi_encode().into(), true);
    }

    #[test]
    fn a_number_whose_owner_is_the_account_counts_and_that_of_another_does_not() {
        let mut reads = ClaimReads::new(ACCOUNT);
        read(&mut reads, CHEF, data(&U256::from(70)), &ACCOUNT);
        read(&mut reads, CHEF, data(&U256::from(71)), &CHEF);
        reads.take(CHEF, data(&U256::from(72)), ACCOUNT.abi_encode().into(), false);
        assert_eq!([70, 71, 72].map(|number| has(&reads, number)), [true, false, false]);
    }

    #[test]
    fn what_is_read_with_a_number_of_the_account_counts_as_hints_for_ids_do() {
        let mut reads = ClaimReads::new(ACCOUNT);
        let ids = vec![U256::from(4_001), U256::from(4_002)];
        read(&mut reads, CHEF, data(&(ACCOUNT,)), &ids);
        // `findCheckpointHints(uint256[] ids, uint256 first, uint256 last)`
        let call = (ids, U256::from(1), U256::from(900)).abi_encode_params();
        let hints = vec![U256::from(555), U256::from(556)];
        read(&mut reads, CHEF, [&[9, 9, 9, 9][..], &call].concat().into(), &hints);
        read(&mut reads, CHEF, data(&(U256::from(1), U256::from(901))), &U256::from(777));
        for (number, is_there) in [(4_001, true), (4_002, true), (555, true), (556, true), (777, false), (901, false)] {
            assert_eq!(has(&reads, number), is_there, "{number}");
        }
    }

    #[test]
    fn offsets_and_lengths_of_lists_in_arguments_are_no_numbers() {
        let of_list = |ids: Vec<U256>| [&[9, 9, 9, 9][..], &(ids, ACCOUNT).abi_encode_params()].concat();
        let mut reads = ClaimReads::new(ACCOUNT);
        read(&mut reads, CHEF, of_list(vec![U256::from(4_001), U256::from(4_002)]).into(), &true);
        assert_eq!([64, 2, 4_002].map(|number| has(&reads, number)), [false, false, true]);
        // A number that is no offset, because what it would name is no length.
        let mut reads = ClaimReads::new(ACCOUNT);
        read(&mut reads, CHEF, data(&(U256::from(32), U256::from(2), ACCOUNT)), &true);
        assert_eq!([32, 2].map(|number| has(&reads, number)), [true, true]);
    }

    #[test]
    fn precompiles_give_no_numbers_and_contracts_of_nobody_no_owners() {
        let (identity, foreign) = (Address::with_last_byte(4), Address::repeat_byte(0xec));
        let mut reads = ClaimReads::new(ACCOUNT);
        read(&mut reads, identity, data(&(ACCOUNT, U256::from(66))), &(ACCOUNT, U256::from(66)));
        for (contract, id) in [(identity, 67), (foreign, 68)] {
            read(&mut reads, contract, data(&U256::from(id)), &ACCOUNT);
            read(&mut reads, contract, data(&(U256::from(id), U256::from(1))), &U256::from(id + 10));
        }
        // The same beside the account.
        read(&mut reads, foreign, data(&(ACCOUNT, U256::from(69))), &(U256::from(79), foreign));
        let is_known = |contract| contract == CHEF || contract == identity;
        for number in [66, 67, 68, 69, 77, 78, 79] {
            assert!(!reads.have_number(&U256::from(number).to_be_bytes(), is_known), "{number}");
        }
        assert!(!reads.name_beside_account(foreign, is_known));
    }

    fn data(arguments: &impl SolValue) -> Bytes {
        [&[1, 2, 3, 4][..], &arguments.abi_encode()].concat().into()
    }

    #[test]
    fn numbers_are_those_beside_the_account_and_those_that_came_back() {
        let call = data(&(U256::from(7), ACCOUNT));
        let mut reads = ClaimReads::new(ACCOUNT);
        let foreign = data(&(U256::from(6), CHEF));
        assert!(reads.is_about_account(&call) && !reads.is_about_account(&foreign));
        reads.take(CHEF, foreign, U256::from(8).abi_encode().into(), true);
        reads.take(CHEF, call, U256::from(9).abi_encode().into(), true);
        for (number, is_there) in [(7, true), (9, true), (6, false), (8, false), (0, false)] {
            assert_eq!(has(&reads, number), is_there, "{number}");
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
        reads.take(CHEF, fee, U256::from(5).abi_encode().into(), true);
        assert_eq!(reads.first_word(CHEF, &[9, 9, 9, 9]), Some(U256::from(5)));
        assert_eq!((reads.first_word(ACCOUNT, &[9, 9, 9, 9]), reads.first_word(CHEF, &[9, 9, 9, 8])), (None, None));
    }

    #[test]
    fn a_view_with_arguments_is_found_by_its_calldata_at_the_answers_block() {
        let mut reads = ClaimReads::new(ACCOUNT);
        read(&mut reads, CHEF, data(&U256::from(70)), &(U256::from(5), U256::from(6)));
        reads.take(CHEF, data(&(ACCOUNT, U256::from(71))), U256::from(7).abi_encode().into(), false);
        assert_eq!(reads.first_word(CHEF, &data(&U256::from(70))), Some(U256::from(5)));
        assert_eq!(reads.first_word(CHEF, &data(&(ACCOUNT, U256::from(71)))), None, "read earlier");
        assert_eq!(reads.first_word(ACCOUNT, &data(&U256::from(70))), None);
    }

    #[test]
    fn an_address_that_a_contract_holds_for_the_account_is_in_a_reply_about_it() {
        let (validator, other) = (Address::repeat_byte(0xda), Address::repeat_byte(0xdb));
        let is_known = |contract| contract == CHEF;
        let mut reads = ClaimReads::new(ACCOUNT);
        read(&mut reads, CHEF, data(&(ACCOUNT,)), &(U256::from(3), validator));
        // In the arguments, of somebody else, and before the answer's block.
        read(&mut reads, CHEF, data(&(ACCOUNT, other)), &true);
        read(&mut reads, CHEF, data(&(validator,)), &other);
        reads.take(CHEF, data(&(ACCOUNT, U256::from(1))), other.abi_encode().into(), false);
        assert!(reads.name_beside_account(validator, is_known));
        assert!(!reads.name_beside_account(other, is_known));
        assert!(!reads.name_beside_account(Address::ZERO, is_known));
        assert!(!reads.name_beside_account(validator, |_| false));
    }
}
