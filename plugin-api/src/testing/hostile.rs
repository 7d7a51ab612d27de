//! Jobs of a test once more, with replies as strangers choose them: whoever deploys a contract chooses what it returns.
//!
//! Invariant: the same test makes the same jobs, and a bounded number of them.

use alloy::primitives::{Address, Bytes, U256};
use portolan_abi::row::kind;

use super::{ReadRequest, ReadResult};

/// Jobs that are made of one test.
const JOBS_MAX: usize = 48;
/// Reads that they may make together, as some lists are long.
const READS_MAX: usize = 4_000;
/// Words of a reply that are changed one by one; the widest struct of a view has some twenty.
const WORDS_MAX: usize = 24;
const WORD: usize = 32;
/// Bytes of the replies that are all alike.
const ALIKE_BYTES: usize = 40 * WORD;

/// The reply to a read in place of the honest one.
type Bend<'a> = dyn FnMut(&ReadRequest, ReadResult) -> ReadResult + 'a;

/// Runs jobs with bent replies: `run` gets words for the replies and what makes them, and checks what becomes of the job.
/// `honest` are the replies of the test, read by read.
pub(super) fn withstand(
    account: Address,
    honest: &[(ReadRequest, ReadResult)],
    mut run: impl FnMut(&str, &mut Bend<'_>),
) {
    let words = words(account);
    for (name, reply) in alike() {
        run(&format!("all replies are {name}"), &mut |request, _| of_contract(request, reply.clone()));
    }
    let bent: Vec<(&ReadRequest, ReadResult)> = honest
        .iter()
        .flat_map(|(request, result)| bent(request, result, &words).map(move |result| (request, result)))
        .collect();
    let jobs = JOBS_MAX.min(READS_MAX / honest.len().max(1));
    for job in 0..jobs.min(bent.len()) {
        let Some((bent, other)) = bent.get(job * bent.len() / jobs.min(bent.len())) else { continue };
        let how = format!("{:#x} replies {other:?} to {}", bent.to, bent.data);
        run(&how, &mut |request, result| if request == *bent { other.clone() } else { result });
    }
}

/// What a contract can do; a balance is a word always, and documents are another's.
fn of_contract(request: &ReadRequest, result: ReadResult) -> ReadResult {
    match (request.kind, &result) {
        (kind::CALL | kind::HTTP, _) => result,
        (_, ReadResult::Ok(bytes)) if bytes.len() >= WORD => ReadResult::Ok(bytes.slice(..WORD)),
        _ => ReadResult::Unavailable,
    }
}

/// Replies that all contracts give alike.
fn alike() -> impl Iterator<Item = (&'static str, ReadResult)> {
    let filled = |byte: u8| ReadResult::Ok(vec![byte; ALIKE_BYTES].into());
    let repeated =
        |number: u64| ReadResult::Ok(U256::from(number).to_be_bytes::<WORD>().repeat(ALIKE_BYTES / WORD).into());
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

/// The words that a stranger may put in the place of any.
fn words(account: Address) -> Vec<[u8; WORD]> {
    let word = |number: U256| number.to_be_bytes::<WORD>();
    let numbers =
        [U256::ZERO, U256::ONE, U256::from(0x20), U256::from(u64::MAX), U256::MAX, U256::MAX >> 1, U256::ONE << 255];
    numbers.into_iter().map(word).chain([account.into_word().0]).collect()
}

/// A reply as others would give it: cut, turned into a refusal, and with each of its words exchanged.
fn bent<'a>(
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
    let exchanged = places.flat_map(move |place| {
        let bytes = bytes.clone();
        words.iter().copied().chain(own).map(move |word| {
            let mut bytes = bytes.to_vec();
            bytes[place * WORD..][..WORD].copy_from_slice(&word);
            ReadResult::Ok(bytes.into())
        })
    });
    whole.into_iter().chain(exchanged).map(|result| of_contract(request, result))
}
