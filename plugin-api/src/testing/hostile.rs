//! Hostile replies: runs the job of a test again with replies as whoever deploys a contract may choose them.
//!
//! Invariant: the same test runs the same jobs, and a bounded number of them.

use std::collections::BTreeSet;

use alloy::primitives::{Address, Bytes, U256};
use portolan_abi::map::Claimable;
use portolan_abi::row::kind;

use super::{ReadRequest, ReadResult};

/// Maximum number of jobs per test.
const JOBS_MAX: usize = 48;
/// Maximum number of reads of all these jobs, as some lists are long.
const READS_MAX: usize = 4_000;
/// Words of a reply that are replaced, one by one; the widest struct of a view has some twenty.
const WORDS_MAX: usize = 24;
const WORD: usize = 32;
const SELECTOR: usize = 4;
/// Maximum number of jobs with other numbers than those of claims.
const NUMBERS_MAX: usize = 8;
/// Numbers up to this one coincide by chance in a test.
const SMALL_MAX: u64 = 10_000;
/// First number that takes the place of another; it fits into a byte, and is greater than most numbers of tests.
const OTHER_MIN: u64 = 101;
/// Bytes of a uniform reply.
const UNIFORM_BYTES: usize = 40 * WORD;

/// Returns the hostile reply to a read; takes the honest one.
pub(super) type Alter<'a> = dyn FnMut(&ReadRequest, ReadResult) -> ReadResult + 'a;

/// Runs jobs with hostile replies. `run` gets a description of the replies and the function that makes them, and checks
/// the outcome. `honest` are the reads of the test with their replies.
pub(super) fn run_jobs(
    account: Address,
    honest: &[(ReadRequest, ReadResult)],
    mut run: impl FnMut(&str, &mut Alter<'_>),
) {
    let words = words(account);
    for (name, reply) in uniform() {
        run(&format!("all replies are {name}"), &mut |request, _| of_contract(request, reply.clone()));
    }
    let altered: Vec<(&ReadRequest, ReadResult)> = honest
        .iter()
        .flat_map(|(request, result)| alter(request, result, &words).map(move |result| (request, result)))
        .collect();
    let jobs = JOBS_MAX.min(READS_MAX / honest.len().max(1));
    for job in 0..jobs.min(altered.len()) {
        let Some((read, other)) = altered.get(job * altered.len() / jobs.min(altered.len())) else { continue };
        let how = format!("{:#x} replies {other:?} to {}", read.to, read.data);
        run(&how, &mut |request, result| if request == *read { other.clone() } else { result });
    }
}

/// Runs jobs that show which small numbers of claims the job did not read. In each of them another number stands wherever a
/// reply has one of the claims' numbers: a claim that keeps its number did not get it from a reply.
pub(super) fn run_renumbered(
    honest: &[(ReadRequest, ReadResult)],
    claims: &[&Claimable],
    mut run: impl FnMut(&str, &mut Alter<'_>),
) {
    let arguments = claims.iter().flat_map(|claim| &claim.steps).flat_map(|step| words_of(&step.arguments));
    let numbers: BTreeSet<U256> = arguments.filter(|number| *number <= U256::from(SMALL_MAX)).collect();
    let known: BTreeSet<U256> = honest
        .iter()
        .flat_map(|(request, result)| {
            words_of(result.parts().1).chain(words_of(request.data.get(SELECTOR..).unwrap_or_default()))
        })
        .collect();
    let is_new = |other: &U256| !known.contains(other) && !numbers.contains(other);
    let Some(other) = (OTHER_MIN..).map(U256::from).find(is_new) else { return };
    for number in numbers.iter().take(NUMBERS_MAX) {
        let how = format!("with {other} wherever a reply has {number}, as a small number is there by chance");
        run(&how, &mut |_, result| match result {
            ReadResult::Ok(bytes) => ReadResult::Ok(renumbered(&bytes, *number, other)),
            result => result,
        });
    }
}

fn words_of(bytes: &[u8]) -> impl Iterator<Item = U256> + '_ {
    bytes.as_chunks::<WORD>().0.iter().map(|word| U256::from_be_bytes(*word))
}

/// Replaces a number in a reply, but not where it is the offset or the length of a list.
fn renumbered(bytes: &Bytes, number: U256, other: U256) -> Bytes {
    let words: Vec<U256> = words_of(bytes).collect();
    let length_at = |word: &U256| {
        let place = usize::try_from(*word).ok().filter(|offset| *offset > 0 && offset % WORD == 0)? / WORD;
        let length = usize::try_from(*words.get(place)?).ok()?;
        (length < words.len() - place).then_some(place)
    };
    let lengths: BTreeSet<usize> = words.iter().filter_map(length_at).collect();
    let mut altered = bytes.to_vec();
    for (place, word) in words.iter().enumerate() {
        if *word == number && !lengths.contains(&place) && length_at(word).is_none() {
            altered[place * WORD..][..WORD].copy_from_slice(&other.to_be_bytes::<WORD>());
        }
    }
    altered.into()
}

/// Limits a result to what a contract can cause: a balance is always a word, and documents come from servers.
fn of_contract(request: &ReadRequest, result: ReadResult) -> ReadResult {
    match (request.kind, &result) {
        (kind::CALL | kind::HTTP, _) => result,
        (_, ReadResult::Ok(bytes)) if bytes.len() >= WORD => ReadResult::Ok(bytes.slice(..WORD)),
        _ => ReadResult::Unavailable,
    }
}

/// Replies that all contracts give.
fn uniform() -> impl Iterator<Item = (&'static str, ReadResult)> {
    let filled = |byte: u8| ReadResult::Ok(vec![byte; UNIFORM_BYTES].into());
    let repeated =
        |number: u64| ReadResult::Ok(U256::from(number).to_be_bytes::<WORD>().repeat(UNIFORM_BYTES / WORD).into());
    [
        ("zero", filled(0)),
        ("all ones", filled(0xff)),
        ("one", repeated(1)),
        ("two", repeated(2)),
        ("offsets", repeated(0x20)),
        ("empty", ReadResult::Ok(Bytes::new())),
        ("short", ReadResult::Ok(vec![0; WORD - 1].into())),
        ("reverts", ReadResult::Reverted(Bytes::new())),
        ("no contracts", ReadResult::NoCode),
        ("out of gas", ReadResult::GasCap),
        ("unavailable", ReadResult::Unavailable),
    ]
    .into_iter()
}

/// Hostile words.
fn words(account: Address) -> Vec<[u8; WORD]> {
    let word = |number: U256| number.to_be_bytes::<WORD>();
    let numbers =
        [U256::ZERO, U256::ONE, U256::from(0x20), U256::from(u64::MAX), U256::MAX, U256::MAX >> 1, U256::ONE << 255];
    numbers.into_iter().map(word).chain([account.into_word().0]).collect()
}

/// Returns hostile versions of a reply: cut, failed, and with each of its words replaced.
fn alter<'a>(
    request: &'a ReadRequest,
    result: &'a ReadResult,
    words: &'a [[u8; WORD]],
) -> impl Iterator<Item = ReadResult> + 'a {
    let bytes = match result {
        ReadResult::Ok(bytes) if !bytes.is_empty() => bytes.clone(),
        _ => vec![0; 2 * WORD].into(),
    };
    let whole = [
        ReadResult::Ok(Bytes::new()),
        ReadResult::Ok(bytes.slice(..bytes.len() - 1)),
        ReadResult::Ok(vec![0xff; bytes.len()].into()),
        ReadResult::Ok(vec![0; bytes.len()].into()),
        ReadResult::Reverted(Bytes::new()),
        ReadResult::NoCode,
        ReadResult::GasCap,
    ];
    let own = [request.to.into_word().0];
    let places = 0..(bytes.len() / WORD).min(WORDS_MAX);
    let replaced = places.flat_map(move |place| {
        let bytes = bytes.clone();
        words.iter().copied().chain(own).map(move |word| {
            let mut bytes = bytes.to_vec();
            bytes[place * WORD..][..WORD].copy_from_slice(&word);
            ReadResult::Ok(bytes.into())
        })
    });
    whole.into_iter().chain(replaced).map(|result| of_contract(request, result))
}
