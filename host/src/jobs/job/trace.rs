//! The reads of a job, for answers that show the provenance of amounts.
//!
//! Invariant: a traced read shows what was read. The plugin contributes only the function's name, and only if the
//! calldata has its selector.

use std::collections::HashMap;
use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256, keccak256};
use portolan_reader::{Kind, Outcome, Read, Reply};
use portolan_validation::has_argument;

/// Maximum number of traced reads. Reads whose reply is zero cannot be the source of an amount and are not traced.
const READS_MAX: usize = 20_000;
const FUNCTIONS_MAX: usize = 1_000;
const FUNCTION_BYTES_MAX: usize = 512;
/// Maximum size of calldata; reads with more are not traced.
const DATA_BYTES_MAX: usize = 4 << 10;
/// Maximum number of words of replies in which amounts are searched.
const WORDS_MAX: usize = 500_000;
/// Maximum number of reads listed for an amount.
const SOURCES_MAX: usize = 8;

/// Traced reads of a job.
#[derive(Debug, Default)]
pub(crate) struct ReadTrace {
    functions: HashMap<[u8; 4], Arc<str>>,
    reads: Vec<Arc<TracedRead>>,
    /// Contracts that replied, each with the function that returned first, if the plugin named it.
    answered: HashMap<Address, Option<Arc<str>>>,
}

/// A read and its reply.
#[derive(Debug)]
pub(crate) struct TracedRead {
    pub(crate) kind: Kind,
    pub(crate) contract: Address,
    /// Signature of the called function, if the plugin named it.
    pub(crate) function: Option<Arc<str>>,
    pub(crate) data: Bytes,
    reply: Bytes,
    pub(crate) cached: bool,
    /// Seconds between the block it was read at and the answer's block.
    pub(crate) age_s: u32,
}

/// Source of an amount.
#[derive(Clone, Debug)]
pub(crate) struct AmountSource {
    pub(crate) token: Address,
    pub(crate) amount: U256,
    /// True if no read returned the amount itself, so that it was computed from some of `reads`.
    pub(crate) is_computed: bool,
    pub(crate) reads: Vec<Arc<TracedRead>>,
}

impl ReadTrace {
    /// Records the plugin's name for the function of a read.
    pub(super) fn name(&mut self, read: &Read, function: Option<String>) {
        let (Some(function), Some(selector)) = (function, read.data.first_chunk::<4>()) else { return };
        let has_room = self.functions.len() < FUNCTIONS_MAX && function.len() <= FUNCTION_BYTES_MAX;
        if has_room && keccak256(&function)[..4] == *selector {
            self.functions.entry(*selector).or_insert_with(|| function.into());
        }
    }

    /// Records a read with its reply.
    pub(super) fn take(&mut self, read: &Read, reply: &Reply) {
        let Outcome::Ok(bytes) = &reply.outcome else { return };
        let named = || read.data.first_chunk::<4>().and_then(|selector| self.functions.get(selector)).cloned();
        if self.answered.len() < READS_MAX && read.kind == Kind::Call {
            self.answered.entry(read.to).or_insert_with(named);
        }
        let has_room = self.reads.len() < READS_MAX && read.data.len() <= DATA_BYTES_MAX;
        if !has_room || bytes.iter().all(|byte| *byte == 0) {
            return;
        }
        let function = named();
        let (kind, contract, data) = (read.kind, read.to, read.data.clone());
        let (reply, cached, age_s) = (bytes.clone(), reply.cached, reply.age_s);
        self.reads.push(Arc::new(TracedRead { kind, contract, function, data, reply, cached, age_s }));
    }

    /// Contracts that replied, even with zero, each with the function that returned first, if the plugin named it.
    pub(crate) fn answered(&self) -> impl Iterator<Item = (&Address, &Option<Arc<str>>)> {
        self.answered.iter()
    }

    /// Builds the index for finding the sources of amounts that the job found for an account.
    pub(crate) fn index(&self, account: Address) -> SourceIndex<'_> {
        let mut index = SourceIndex::new(self);
        let mut words = 0;
        for (place, read) in self.reads.iter().enumerate() {
            let is_about = read.is_about(account);
            if is_about {
                index.about.note(place, true);
            }
            index.by_contract.entry(read.contract).or_default().note(place, is_about);
            for word in read.reply.as_chunks::<32>().0.iter().filter(|word| **word != [0; 32]) {
                words += 1;
                if words <= WORDS_MAX {
                    index.by_word.entry(word).or_default().note(place, is_about);
                }
            }
        }
        index
    }
}

/// Reads of a job indexed by what they are a source of. A lookup takes the same time for any number of reads.
#[derive(Debug)]
pub(crate) struct SourceIndex<'a> {
    trace: &'a ReadTrace,
    by_word: HashMap<&'a [u8; 32], FirstReads>,
    by_contract: HashMap<Address, FirstReads>,
    about: FirstReads,
}

/// Indexes of the first reads, and of the first about the account.
#[derive(Debug, Default)]
struct FirstReads {
    all: Vec<usize>,
    about: Vec<usize>,
}

impl FirstReads {
    fn note(&mut self, place: usize, is_about: bool) {
        for places in [Some(&mut self.all), is_about.then_some(&mut self.about)].into_iter().flatten() {
            // A word may occur twice in a reply.
            if places.len() < SOURCES_MAX && places.last() != Some(&place) {
                places.push(place);
            }
        }
    }
}

impl<'a> SourceIndex<'a> {
    fn new(trace: &'a ReadTrace) -> Self {
        let (by_word, by_contract, about) = Default::default();
        Self { trace, by_word, by_contract, about }
    }

    /// Returns the source of an amount of a token that was found in these contracts.
    ///
    /// The sources are the reads that returned the amount, preferably those about the account. If none did, it was
    /// computed from reads of these contracts about the account. Failing that, the sources are other reads about the
    /// account or of these contracts.
    pub(crate) fn source(&self, token: Address, amount: U256, contracts: &[Address]) -> AmountSource {
        let returning = self.by_word.get(&amount.to_be_bytes::<32>());
        let exact = returning.map_or(&[][..], |own| if own.about.is_empty() { &own.all } else { &own.about });
        if !exact.is_empty() {
            return AmountSource { token, amount, is_computed: false, reads: self.reads(exact) };
        }
        let own = || contracts.iter().filter_map(|contract| self.by_contract.get(contract));
        let mut near: Vec<usize> = own().flat_map(|own| own.about.iter().copied()).take(SOURCES_MAX).collect();
        if near.is_empty() {
            let others = own().flat_map(|own| &own.all);
            near = self.about.all.iter().chain(others).copied().take(SOURCES_MAX).collect();
        }
        AmountSource { token, amount, is_computed: true, reads: self.reads(&near) }
    }

    fn reads(&self, places: &[usize]) -> Vec<Arc<TracedRead>> {
        places.iter().filter_map(|place| self.trace.reads.get(*place)).cloned().collect()
    }
}

impl TracedRead {
    fn is_about(&self, account: Address) -> bool {
        self.contract == account && self.kind == Kind::NativeBalance || has_argument(&self.data, account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: Address = Address::repeat_byte(0xac);
    const FARM: Address = Address::repeat_byte(0xfa);
    const POOL: Address = Address::repeat_byte(0x90);
    const TOKEN: Address = Address::repeat_byte(0x70);

    fn call(contract: Address, signature: &str, argument: Option<Address>) -> Read {
        let mut data = keccak256(signature)[..4].to_vec();
        data.extend(argument.iter().flat_map(|address| address.into_word().0));
        Read::call(contract, data)
    }

    fn trace(reads: &[(Read, u64)]) -> ReadTrace {
        let mut trace = ReadTrace::default();
        for (read, number) in reads {
            let reply = U256::from(*number).to_be_bytes::<32>().to_vec();
            trace.name(read, Some("earned(address)".into()));
            trace.take(read, &Reply::fresh(Outcome::Ok(reply.into())));
        }
        trace
    }

    fn source(trace: &ReadTrace, amount: u64) -> (bool, Vec<Address>) {
        let source = trace.index(ACCOUNT).source(TOKEN, U256::from(amount), &[FARM]);
        (source.is_computed, source.reads.iter().map(|read| read.contract).collect())
    }

    #[test]
    fn an_amount_comes_from_what_returned_it_or_else_from_what_is_near() {
        let other = Address::repeat_byte(0x0e);
        let trace = trace(&[
            (call(FARM, "earned(address)", Some(ACCOUNT)), 77),
            (call(POOL, "supply()", None), 77),
            (call(POOL, "supply()", None), 88),
            (call(FARM, "rate()", None), 5),
            (call(other, "rate()", None), 6),
            (call(other, "balanceOf(address)", Some(ACCOUNT)), 0),
        ]);
        assert_eq!(source(&trace, 77), (false, vec![FARM]), "what is about the account comes before chance");
        assert_eq!(source(&trace, 88), (false, vec![POOL]));
        assert_eq!(source(&trace, 99), (true, vec![FARM]), "of the farm, about the account");
    }

    #[test]
    fn functions_have_the_names_that_their_selectors_confirm() {
        let trace = trace(&[(call(FARM, "earned(address)", Some(ACCOUNT)), 1), (call(FARM, "rate()", None), 2)]);
        let names: Vec<Option<&str>> = trace.reads.iter().map(|read| read.function.as_deref()).collect();
        assert_eq!(names, [Some("earned(address)"), None]);
    }
}
