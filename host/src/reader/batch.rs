//! One endpoint's try at a batch of reads: chunks of Multicall3, single requests, and looks at code.
//!
//! Invariant: an outcome is given only where the block is proven (wherever Multicall3 is there to prove it), and it is
//! the outcome that the read would have alone. A chunk that is starved, refused or too large is split until what
//! remains is single requests.

use std::collections::{BTreeMap, VecDeque};

use alloy::primitives::{Address, Bytes, U64, U256};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use super::endpoint::{Call, Endpoint};
use super::fault::{Fault, Refusal};
use super::known::Contracts;
use super::multicall::{CHUNK_GAS, MULTICALL3, Rejected, chunks, may_share, pack, unpack};
use super::{Block, Kind, Outcome, Read};

/// Of one batch; a wave of single reads should neither wait for each other nor flood the endpoint.
const IN_FLIGHT_MAX: usize = 16;
/// Into how many parts a refused chunk is split: 500 reads are single after three round trips, and one bad read among
/// them costs 24 more requests.
const PARTS: usize = 8;
/// So many unclear refusals, and not one answer, are about the endpoint.
const UNCLEAR_MAX: usize = 16;
/// What a transaction costs before its first instruction, at most: EIP-2028 and EIP-7623.
const TRANSACTION_GAS: u64 = 21_000;
const DATA_BYTE_GAS: u64 = 40;

/// What one endpoint is asked.
pub(super) struct Batch<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) contracts: &'a Contracts,
    pub(super) block: &'a Block,
    pub(super) reads: &'a [Read],
    pub(super) until: Instant,
}

/// What came of it: outcomes by index, and why the endpoint was left, if it was.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) answered: Vec<(usize, Outcome)>,
    pub(super) fault: Option<Fault>,
}

/// One request.
enum Unit {
    Chunk(Vec<usize>),
    Single(usize),
    /// Calls of this address returned nothing: has it code?
    Code(Address, Vec<usize>),
}

/// What one request brought.
#[derive(Default)]
struct Step {
    answered: Vec<(usize, Outcome)>,
    more: Vec<Unit>,
    proven: bool,
    unclear: Option<i64>,
}

/// Why a chunk brought nothing.
enum Unusable {
    /// By what stands in it; smaller ones may do.
    AsOne,
    Unclear(i64),
    Fault(Fault),
}

impl Batch<'_> {
    /// Asks for the reads of these indices.
    pub(super) async fn answer(&self, open: &[usize]) -> Attempt {
        let shares = match self.endpoint.has_multicall(self.block, self.until).await {
            Ok(shares) => shares,
            Err(fault) => return Attempt { fault: Some(fault), ..Attempt::default() },
        };
        let mut attempt = Attempt::default();
        let mut proven = !shares;
        attempt.fault = self.run(self.plan(open, shares), &mut attempt.answered, &mut proven).await.err();
        if !proven || attempt.fault == Some(Fault::IgnoredBlock) {
            attempt.answered.clear();
        }
        attempt
    }

    fn plan(&self, open: &[usize], shares: bool) -> VecDeque<Unit> {
        let together =
            |index: &usize| shares && may_share(&self.reads[*index]) && !self.contracts.is_heavy(&self.reads[*index]);
        let (shared, single): (Vec<_>, Vec<_>) = open.iter().copied().partition(together);
        let mut units: VecDeque<_> = chunks(self.reads, shared).into_iter().map(Unit::Chunk).collect();
        if shares && units.is_empty() {
            units.push_back(Unit::Chunk(Vec::new())); // For its proof.
        }
        units.extend(single.into_iter().map(Unit::Single));
        units
    }

    async fn run(
        &self,
        mut units: VecDeque<Unit>,
        answered: &mut Vec<(usize, Outcome)>,
        proven: &mut bool,
    ) -> Result<(), Fault> {
        let mut flying = FuturesUnordered::new();
        let mut unclear = 0;
        loop {
            while flying.len() < IN_FLIGHT_MAX
                && let Some(unit) = units.pop_front()
            {
                flying.push(self.step(unit));
            }
            let Some(step) = flying.next().await else {
                if *proven {
                    return Ok(());
                }
                // All chunks came down to single requests: the block is still to be proven.
                units.push_back(Unit::Chunk(Vec::new()));
                continue;
            };
            let step = step?;
            answered.extend(step.answered);
            units.extend(step.more);
            *proven |= step.proven;
            if let Some(code) = step.unclear {
                unclear += 1;
                let nothing_left = flying.is_empty() && units.is_empty();
                if answered.is_empty() && (unclear >= UNCLEAR_MAX || nothing_left) {
                    return Err(Fault::Rpc(code));
                }
            }
        }
    }

    async fn step(&self, unit: Unit) -> Result<Step, Fault> {
        match unit {
            Unit::Chunk(members) => self.chunk(members).await,
            Unit::Single(index) => self.single(index).await,
            Unit::Code(address, asking) => self.look_at_code(address, asking).await,
        }
    }

    async fn chunk(&self, members: Vec<usize>) -> Result<Step, Fault> {
        match self.ask_chunk(&members).await {
            Ok(results) => Ok(self.sort(members, results)),
            Err(Unusable::Fault(fault)) => Err(fault),
            Err(Unusable::AsOne) if members.is_empty() => Err(Fault::Malformed),
            Err(Unusable::Unclear(code)) if members.is_empty() => Err(Fault::Rpc(code)),
            Err(Unusable::AsOne) => Ok(Step { more: split(&members), ..Step::default() }),
            // Is it the endpoint or what stands in the chunk? An empty one tells.
            Err(Unusable::Unclear(code)) => match self.ask_chunk(&[]).await {
                Ok(_) => Ok(Step { more: split(&members), proven: true, ..Step::default() }),
                Err(Unusable::Fault(fault)) => Err(fault),
                Err(_) => Err(Fault::Rpc(code)),
            },
        }
    }

    async fn ask_chunk(&self, members: &[usize]) -> Result<Vec<(bool, Bytes)>, Unusable> {
        let data = pack(members.iter().map(|index| &self.reads[*index]));
        let call = Call { from: MULTICALL3, to: MULTICALL3, data, gas: Some(U64::from(CHUNK_GAS)) };
        match self.endpoint.call(call, self.block, self.until).await {
            Ok(reply) if reply.is_empty() => {
                self.endpoint.forget_multicall();
                Err(Unusable::Fault(Fault::Malformed))
            }
            Ok(reply) => unpack(&reply, members.len(), self.block).map_err(|rejected| match rejected {
                Rejected::Malformed => Unusable::Fault(Fault::Malformed),
                Rejected::OtherBlock => Unusable::Fault(Fault::IgnoredBlock),
                Rejected::Starved => Unusable::AsOne,
            }),
            Err(Refusal::Unclear(code)) => Err(Unusable::Unclear(code)),
            Err(Refusal::Fault(fault)) => Err(Unusable::Fault(fault)),
            Err(Refusal::UnknownBlock) => Err(Unusable::Fault(Fault::Lag)),
            Err(Refusal::Reverted(_) | Refusal::Halted | Refusal::OutOfGas | Refusal::TooLarge) => Err(Unusable::AsOne),
        }
    }

    fn sort(&self, members: Vec<usize>, results: Vec<(bool, Bytes)>) -> Step {
        let mut step = Step { proven: true, ..Step::default() };
        let mut silent: BTreeMap<Address, Vec<usize>> = BTreeMap::new();
        for (index, (success, data)) in members.into_iter().zip(results) {
            match success {
                true if self.says_nothing(index, &data) => silent.entry(self.reads[index].to).or_default().push(index),
                true => step.answered.push((index, Outcome::Ok(data))),
                false => step.answered.push((index, Outcome::Reverted(data))),
            }
        }
        step.more = silent.into_iter().map(|(address, asking)| Unit::Code(address, asking)).collect();
        step
    }

    /// Whether it could be that nothing at the address answered.
    fn says_nothing(&self, index: usize, data: &Bytes) -> bool {
        let read = &self.reads[index];
        read.kind == Kind::Call && data.is_empty() && !self.contracts.has_code(read.to)
    }

    async fn single(&self, index: usize) -> Result<Step, Fault> {
        let read = &self.reads[index];
        let told = match read.kind {
            Kind::Call => self.endpoint.call(alone(read), self.block, self.until).await,
            Kind::NativeBalance => self.endpoint.balance(read.to, self.block, self.until).await.map(word),
            Kind::CodeSize => {
                let code = self.endpoint.code(read.to, self.block, self.until).await;
                code.map(|code| word(U256::from(code.len())))
            }
        };
        let is_heavy = matches!(told, Err(Refusal::Halted | Refusal::OutOfGas | Refusal::TooLarge));
        if is_heavy && may_share(read) {
            self.contracts.saw_heavy(read);
        }
        let outcome = match told {
            Ok(data) if self.says_nothing(index, &data) => {
                return Ok(Step { more: vec![Unit::Code(read.to, vec![index])], ..Step::default() });
            }
            Ok(data) => Outcome::Ok(data),
            Err(Refusal::Reverted(data)) => Outcome::Reverted(data),
            Err(Refusal::Halted) => Outcome::Reverted(Bytes::new()),
            Err(Refusal::OutOfGas) => Outcome::GasCap,
            Err(refusal) => return unanswered(refusal),
        };
        Ok(Step { answered: vec![(index, outcome)], ..Step::default() })
    }

    async fn look_at_code(&self, address: Address, asking: Vec<usize>) -> Result<Step, Fault> {
        let outcome = match self.endpoint.code(address, self.block, self.until).await {
            Ok(code) if code.is_empty() => Outcome::NoCode,
            Ok(_) => {
                self.contracts.saw_code(address);
                Outcome::Ok(Bytes::new())
            }
            Err(refusal) => return unanswered(refusal),
        };
        let answered = asking.into_iter().map(|index| (index, outcome.clone())).collect();
        Ok(Step { answered, ..Step::default() })
    }
}

/// A read that this endpoint does not answer is left to the next one; only a fault ends the attempt.
fn unanswered(refusal: Refusal) -> Result<Step, Fault> {
    match refusal {
        Refusal::Fault(fault) => Err(fault),
        Refusal::UnknownBlock => Err(Fault::Lag),
        Refusal::Unclear(code) => Ok(Step { unclear: Some(code), ..Step::default() }),
        Refusal::TooLarge | Refusal::Reverted(_) | Refusal::Halted | Refusal::OutOfGas => Ok(Step::default()),
    }
}

/// A read without a sender is sent by Multicall3, together or alone: contracts that look at the sender see the same.
fn alone(read: &Read) -> Call {
    let data_gas = DATA_BYTE_GAS.saturating_mul(u64::try_from(read.data.len()).unwrap_or(u64::MAX));
    let gas =
        read.gas_cap.map(|cap| U64::from(u64::from(cap).saturating_add(TRANSACTION_GAS).saturating_add(data_gas)));
    Call { from: read.from.unwrap_or(MULTICALL3), to: read.to, data: read.data.clone(), gas }
}

fn word(value: U256) -> Bytes {
    Bytes::copy_from_slice(&value.to_be_bytes::<32>())
}

fn split(members: &[usize]) -> Vec<Unit> {
    let part = members.len().div_ceil(PARTS).max(1);
    let parts = members.chunks(part);
    parts.map(|part| if let [index] = part { Unit::Single(*index) } else { Unit::Chunk(part.to_vec()) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_hundred_reads_are_single_after_three_splits() {
        let mut units = vec![Unit::Chunk((0..500).collect())];
        for _ in 0..3 {
            let smaller = units.into_iter().flat_map(|unit| match unit {
                Unit::Chunk(members) => split(&members),
                single => vec![single],
            });
            units = smaller.collect();
        }
        let singles = units.iter().map(|unit| if let Unit::Single(index) = unit { *index } else { usize::MAX });
        assert!(singles.eq(0..500));
    }

    #[test]
    fn a_gas_cap_is_what_the_call_itself_may_use() {
        let read = Read { gas_cap: Some(100_000), ..Read::call(Address::ZERO, vec![1; 4]) };
        assert_eq!(alone(&read).gas, Some(U64::from(121_160)));
        assert_eq!(alone(&Read::call(Address::ZERO, vec![1; 4])).gas, None);
    }
}
