//! The reads of a job, for answers that tell where amounts come from.
//!
//! Invariant: what is told of a read is what was read. Of the plugin it has only the function's name, and that only where
//! the calldata has its selector.

use std::collections::HashMap;
use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256, keccak256};
use portolan_reader::{Kind, Outcome, Read, Reply};

/// Reads that are kept; those whose reply is zero are no source of any amount, and are not.
const READS_MAX: usize = 20_000;
const FUNCTIONS_MAX: usize = 1_000;
const FUNCTION_BYTES_MAX: usize = 512;
/// Reads that are told of for an amount.
const SOURCES_MAX: usize = 8;

/// Reads of a job.
#[derive(Debug, Default)]
pub(crate) struct ReadTrace {
    functions: HashMap<[u8; 4], Arc<str>>,
    reads: Vec<Arc<TracedRead>>,
}

/// A read and its reply.
#[derive(Debug)]
pub(crate) struct TracedRead {
    pub(crate) kind: Kind,
    pub(crate) contract: Address,
    /// The signature of the function that it calls, where the plugin named it.
    pub(crate) function: Option<Arc<str>>,
    /// Calldata.
    pub(crate) data: Bytes,
    reply: Bytes,
    pub(crate) cached: bool,
    /// Seconds between the block that it was read at and the answer's.
    pub(crate) age_s: u32,
}

/// Where an amount comes from.
#[derive(Clone, Debug)]
pub(crate) struct AmountSource {
    pub(crate) token: Address,
    pub(crate) amount: U256,
    /// Whether no read returned the amount itself, so that it was computed from some of these.
    pub(crate) is_computed: bool,
    pub(crate) reads: Vec<Arc<TracedRead>>,
}

impl ReadTrace {
    /// Takes the name that the plugin gives the function of a read.
    pub(super) fn name(&mut self, read: &Read, function: Option<String>) {
        let (Some(function), Some(selector)) = (function, read.data.first_chunk::<4>()) else { return };
        let has_room = self.functions.len() < FUNCTIONS_MAX && function.len() <= FUNCTION_BYTES_MAX;
        if has_room && keccak256(&function)[..4] == *selector {
            self.functions.entry(*selector).or_insert_with(|| function.into());
        }
    }

    /// Takes a read with its reply.
    pub(super) fn take(&mut self, read: &Read, reply: &Reply) {
        let Outcome::Ok(bytes) = &reply.outcome else { return };
        if self.reads.len() >= READS_MAX || bytes.iter().all(|byte| *byte == 0) {
            return;
        }
        let function = read.data.first_chunk::<4>().and_then(|selector| self.functions.get(selector)).cloned();
        let (kind, contract, data) = (read.kind, read.to, read.data.clone());
        let (reply, cached, age_s) = (bytes.clone(), reply.cached, reply.age_s);
        self.reads.push(Arc::new(TracedRead { kind, contract, function, data, reply, cached, age_s }));
    }

    /// The sources of amounts of tokens that were found for an account in contracts.
    ///
    /// An amount comes from the reads that returned it, those about the account before others. Where none did, it was
    /// computed from reads of these contracts and those about the account, the latter first.
    pub(crate) fn sources(
        &self,
        account: Address,
        contracts: &[Address],
        amounts: impl Iterator<Item = (Address, U256)>,
    ) -> Vec<AmountSource> {
        let of = |(token, amount): (Address, U256)| {
            let returning = self.reads.iter().filter(|read| read.returns(amount));
            let exact = most_telling(returning, |read| read.is_about(account));
            if !exact.is_empty() {
                return AmountSource { token, amount, is_computed: false, reads: exact };
            }
            let near = |read: &&Arc<TracedRead>| contracts.contains(&read.contract) || read.is_about(account);
            let near = self.reads.iter().filter(near);
            let reads = most_telling(near, |read| read.is_about(account) && contracts.contains(&read.contract));
            AmountSource { token, amount, is_computed: true, reads }
        };
        amounts.filter(|(_, amount)| !amount.is_zero()).map(of).collect()
    }
}

impl TracedRead {
    /// Whether a word of its reply is this number.
    fn returns(&self, number: U256) -> bool {
        let word = number.to_be_bytes::<32>();
        self.reply.chunks_exact(32).any(|own| own == word)
    }

    fn is_about(&self, account: Address) -> bool {
        let word = account.into_word();
        let arguments = self.data.get(4..).unwrap_or_default();
        self.contract == account && self.kind == Kind::NativeBalance
            || arguments.chunks_exact(32).any(|own| own == word.as_slice())
    }
}

/// Those that tell most; all, where none of them tells more than the others. As many as are told of.
fn most_telling<'a>(
    reads: impl Iterator<Item = &'a Arc<TracedRead>> + Clone,
    tells: impl Fn(&TracedRead) -> bool,
) -> Vec<Arc<TracedRead>> {
    let telling: Vec<_> = reads.clone().filter(|read| tells(read)).take(SOURCES_MAX).cloned().collect();
    if telling.is_empty() { reads.take(SOURCES_MAX).cloned().collect() } else { telling }
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
        let amounts = [(TOKEN, U256::from(amount)), (TOKEN, U256::ZERO)];
        let [source] = &trace.sources(ACCOUNT, &[FARM], amounts.into_iter())[..] else { panic!("zero has no source") };
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
