//! Holds the rules of numbers and of held addresses against arbitrary reads.

use std::collections::BTreeSet;

use alloy::primitives::{Address, B256, Bytes};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config;

use super::*;

const ACCOUNT: Address = Address::repeat_byte(0xac);
const LISTED: Address = Address::repeat_byte(0xc1);
const CASES: u32 = 512;

fn config() -> Config {
    Config { cases: CASES, failure_persistence: None, ..Config::default() }
}

/// A read of a job: a contract, and the words of its calldata and reply.
#[derive(Clone, Debug)]
struct AnyRead {
    contract: Address,
    arguments: Vec<B256>,
    reply: Vec<B256>,
    is_at_block: bool,
}

fn number(number: u64) -> B256 {
    U256::from(number).into()
}

/// Numbers as claims have them: small ones, offsets, and any.
fn any_number() -> impl Strategy<Value = B256> {
    prop_oneof![
        (2..200_u64).prop_map(number),
        (1..9_u64).prop_map(|word| number(word * 32)),
        any::<u64>().prop_map(number)
    ]
}

fn any_word() -> impl Strategy<Value = B256> {
    prop_oneof![any_number(), any::<[u8; 20]>().prop_map(|bytes| Address::from(bytes).into_word())]
}

fn account_or_word() -> impl Strategy<Value = B256> {
    prop_oneof![Just(ACCOUNT.into_word()), any_word()]
}

fn any_read(contract: impl Strategy<Value = Address>, word: fn() -> BoxedWord) -> impl Strategy<Value = AnyRead> {
    (contract, vec(word(), 1..5), vec(word(), 0..6), any::<bool>())
        .prop_map(|(contract, arguments, reply, is_at_block)| AnyRead { contract, arguments, reply, is_at_block })
}

type BoxedWord = proptest::strategy::BoxedStrategy<B256>;

/// Contracts that the deployment does not list, among them precompiles that return what they are given.
fn unlisted() -> impl Strategy<Value = Address> {
    prop_oneof![
        (1..=0xffff_u64).prop_map(|number| Address::from_word(U256::from(number).into())),
        any::<[u8; 20]>().prop_map(Address::from).prop_filter("not listed", |address| *address != LISTED),
    ]
}

fn of_job(reads: &[AnyRead]) -> ClaimReads {
    let mut job = ClaimReads::new(ACCOUNT);
    for read in reads {
        let arguments = read.arguments.concat();
        let data: Bytes = [&[1, 2, 3, 4][..], &arguments].concat().into();
        job.take(read.contract, data, read.reply.concat().into(), read.is_at_block);
    }
    job
}

fn words_of(reads: &[AnyRead]) -> BTreeSet<B256> {
    reads.iter().flat_map(|read| read.arguments.iter().chain(&read.reply)).copied().collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_contract_but_those_of_the_deployment_gives_anything(
        reads in vec(any_read(unlisted(), || account_or_word().boxed()), 0..12),
    ) {
        let job = of_job(&reads);
        for word in words_of(&reads) {
            prop_assert!(!job.have_number(&word.0, |contract| contract == LISTED));
            prop_assert!(!job.name_beside_account(Address::from_word(word), |contract| contract == LISTED));
        }
    }

    #[test]
    fn nothing_is_given_where_no_call_and_no_reply_has_the_account(
        reads in vec(any_read(Just(LISTED), || any_word().boxed()), 0..12),
    ) {
        let job = of_job(&reads);
        for word in words_of(&reads) {
            prop_assert!(!job.have_number(&word.0, |_| true));
            prop_assert!(!job.name_beside_account(Address::from_word(word), |_| true));
        }
    }

    #[test]
    fn a_number_that_no_read_has_is_never_given(
        reads in vec(any_read(Just(LISTED), || account_or_word().boxed()), 0..12),
        other in any_number(),
    ) {
        let job = of_job(&reads);
        if job.have_number(&other.0, |_| true) {
            prop_assert!(words_of(&reads).contains(&other));
        }
    }

    /// The bytes of one number that stand across two words of a reply are not that number.
    #[test]
    fn a_number_counts_as_a_whole_word_alone(wanted in 1 << 40..u64::MAX, shift in 1..32_usize) {
        let mut bytes = vec![0; 64];
        let word = number(wanted);
        bytes[shift..shift + 32].copy_from_slice(word.as_slice());
        let mut job = ClaimReads::new(ACCOUNT);
        let data: Bytes = [&[1, 2, 3, 4][..], ACCOUNT.into_word().as_slice()].concat().into();
        job.take(LISTED, data, bytes.clone().into(), true);
        let has = bytes.chunks_exact(32).any(|chunk| *chunk == *word);
        prop_assert_eq!(job.have_number(&word.0, |_| true), has);
        prop_assert!(!has);
    }

    /// Ids of the account count whatever they are, where a list of them is the reply.
    #[test]
    fn each_member_of_a_list_of_the_account_counts(ids in vec(any_number(), 1..8)) {
        let mut reply = vec![number(32), number(ids.len() as u64)];
        reply.extend(&ids);
        let read = AnyRead { contract: LISTED, arguments: vec![ACCOUNT.into_word()], reply, is_at_block: true };
        let job = of_job(&[read]);
        for id in ids {
            prop_assert!(job.have_number(&id.0, |contract| contract == LISTED), "{}", id);
        }
    }
}
