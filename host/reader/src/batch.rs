//! One endpoint's try at a batch of reads, on the rung of the ladder that it serves: packed calls, chunks of
//! Multicall3, or single requests.
//!
//! Invariant: an outcome is given only where the block is proven (wherever something is there to prove it), and it is
//! the outcome that the read would have alone. A read that used up its share of the gas is asked again alone; a chunk
//! that is refused is made smaller until what remains is single requests.

mod single;

use std::collections::{BTreeMap, VecDeque};

use alloy::primitives::{Address, Bytes};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::ask::Ask;
use crate::endpoint::{Capabilities, Endpoint};
use crate::error::{EndpointError, RequestError};
use crate::heavy_calls::HeavyCalls;
use crate::multicall::{self, CHUNK_GAS, CHUNK_READS_MAX, MULTICALL3, Rejected};
use crate::outcomes::Outcomes;
use crate::packed::{self, Head, Told};
use crate::rpc::EthCall;
use crate::status::BatchMethod;
use crate::{Block, Kind, Outcome};

/// Of one batch; a wave of single reads should neither wait for each other nor flood the endpoint.
const IN_FLIGHT_MAX: usize = 16;
/// Into how many parts a refused chunk is split: 500 reads are single after three round trips, and one bad read among
/// them costs 24 more requests.
const PARTS: usize = 8;
/// So many unclear refusals, and not one answer, are about the endpoint.
const UNCLEAR_MAX: usize = 16;
/// Whatever else stands in the body of a packed call: the program in hex, addresses, names of members.
const BODY_REST_BYTES: usize = 3 << 10;
/// Digits of a byte in hex.
const HEX: usize = 2;

/// What one endpoint is asked.
pub(crate) struct Batch<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) heavy_calls: &'a HeavyCalls,
    pub(crate) block: &'a Block,
    pub(crate) ask: &'a dyn Ask,
    pub(crate) until: Instant,
}

/// The outcomes of a batch by place, where requests under way put what they brought.
struct Slots<'a>(Mutex<Filled<'a>>);

struct Filled<'a> {
    outcomes: &'a mut Outcomes,
    any: bool,
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
    more: Vec<Unit>,
    proven: bool,
    unclear: Option<i64>,
}

/// Why a chunk brought nothing.
enum Unusable {
    /// By what stands in it; smaller ones may do.
    AsOne,
    Unclear(i64),
    Endpoint(EndpointError),
}

impl Batch<'_> {
    /// Asks for the reads at these places, which have no outcome yet; an error is why the endpoint was left.
    pub(crate) async fn answer(&self, open: &[usize], outcomes: &mut Outcomes) -> Result<(), EndpointError> {
        let capabilities = self.endpoint.capabilities(self.until).await?;
        let mut proven = capabilities.batch_method == BatchMethod::Single;
        let slots = Slots::new(outcomes);
        let ran = self.run(capabilities, open, &slots, &mut proven).await;
        if !proven || ran == Err(EndpointError::IgnoredBlock) {
            slots.clear(open);
        }
        ran
    }

    fn units(&self, capabilities: Capabilities, open: &[usize]) -> VecDeque<Unit> {
        let together = |place: &usize| self.may_share(capabilities, *place);
        let (shared, single): (Vec<_>, Vec<_>) = open.iter().copied().partition(together);
        let mut units: VecDeque<_> = self.chunks(capabilities, &shared).into_iter().map(Unit::Chunk).collect();
        if capabilities.batch_method != BatchMethod::Single && units.is_empty() {
            units.push_back(Unit::Chunk(Vec::new())); // For its proof.
        }
        units.extend(single.into_iter().map(Unit::Single));
        units
    }

    fn may_share(&self, capabilities: Capabilities, place: usize) -> bool {
        let fits = match capabilities.batch_method {
            BatchMethod::Override => self.ask.may_pack(place),
            BatchMethod::Multicall3 => multicall::may_share(&self.ask.read(place)),
            BatchMethod::Single => false,
        };
        fits && (self.heavy_calls.is_empty() || !self.heavy_calls.contains(&self.ask.read(place)))
    }

    /// Cuts reads into chunks, in their order: as few as the budget allows, and of about one size.
    fn chunks(&self, capabilities: Capabilities, shared: &[usize]) -> Vec<Vec<usize>> {
        let plan = self.endpoint.budget.plan();
        let reads_max = match capabilities.batch_method {
            BatchMethod::Override => plan.reads.min(packed::READS_MAX),
            BatchMethod::Multicall3 | BatchMethod::Single => CHUNK_READS_MAX,
        };
        let bytes_max = plan.body_bytes.saturating_sub(BODY_REST_BYTES) / HEX;
        let sizes: Vec<usize> = (0..shared.len()).map(|at| self.size(capabilities, shared, at)).collect();
        let by_bytes = sizes.iter().sum::<usize>().div_ceil(bytes_max.max(1));
        let count = shared.len().div_ceil(reads_max).max(by_bytes).max(1);
        let even = shared.len().div_ceil(count);
        let mut chunks: Vec<Vec<usize>> = Vec::with_capacity(count);
        let mut bytes = 0;
        for (place, size) in shared.iter().zip(sizes) {
            match chunks.last_mut() {
                Some(chunk) if chunk.len() < even && bytes + size <= bytes_max => chunk.push(*place),
                _ => {
                    let mut chunk = Vec::with_capacity(even);
                    chunk.push(*place);
                    chunks.push(chunk);
                    bytes = 0;
                }
            }
            bytes += size;
        }
        chunks
    }

    /// What a read adds to the calldata of a chunk behind the one before it. The first of a chunk adds a little more,
    /// for it shares nothing.
    fn size(&self, capabilities: Capabilities, shared: &[usize], at: usize) -> usize {
        match capabilities.batch_method {
            BatchMethod::Override => self.ask.packed_bytes(at.checked_sub(1).map(|before| shared[before]), shared[at]),
            BatchMethod::Multicall3 | BatchMethod::Single => multicall::encoded_bytes(&self.ask.read(shared[at])),
        }
    }

    async fn run(
        &self,
        capabilities: Capabilities,
        open: &[usize],
        slots: &Slots<'_>,
        proven: &mut bool,
    ) -> Result<(), EndpointError> {
        let mut units = self.units(capabilities, open);
        let mut flying = FuturesUnordered::new();
        let mut unclear = 0;
        loop {
            while flying.len() < IN_FLIGHT_MAX
                && let Some(unit) = units.pop_front()
            {
                flying.push(self.step(capabilities, unit, slots));
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
            units.extend(step.more);
            *proven |= step.proven;
            if let Some(code) = step.unclear {
                unclear += 1;
                let nothing_left = flying.is_empty() && units.is_empty();
                if !slots.any() && (unclear >= UNCLEAR_MAX || nothing_left) {
                    return Err(EndpointError::Rpc(code));
                }
            }
        }
    }

    async fn step(&self, capabilities: Capabilities, unit: Unit, slots: &Slots<'_>) -> Result<Step, EndpointError> {
        match unit {
            Unit::Chunk(members) => self.chunk(capabilities, members, slots).await,
            Unit::Single(place) => self.single(place, slots).await,
            Unit::Code(address, asking) => self.look_at_code(address, asking, slots).await,
        }
    }

    async fn chunk(
        &self,
        capabilities: Capabilities,
        members: Vec<usize>,
        slots: &Slots<'_>,
    ) -> Result<Step, EndpointError> {
        match self.ask_chunk(capabilities, &members, slots).await {
            Ok(step) => Ok(step),
            Err(Unusable::Endpoint(error)) => Err(error),
            Err(Unusable::AsOne) if members.is_empty() => Err(EndpointError::Malformed),
            Err(Unusable::Unclear(code)) if members.is_empty() => Err(EndpointError::Rpc(code)),
            Err(Unusable::AsOne) => Ok(Step { more: self.smaller(capabilities, &members), ..Step::default() }),
            // Is it the endpoint or what stands in the chunk? An empty one tells.
            Err(Unusable::Unclear(code)) => match self.ask_chunk(capabilities, &[], slots).await {
                Ok(_) => Ok(Step { more: split(&members), proven: true, ..Step::default() }),
                Err(Unusable::Endpoint(error)) => Err(error),
                Err(_) => Err(EndpointError::Rpc(code)),
            },
        }
    }

    /// By the budget, which has just learned; in parts where that would be the same chunk again.
    fn smaller(&self, capabilities: Capabilities, members: &[usize]) -> Vec<Unit> {
        let chunks = self.chunks(capabilities, members);
        if chunks.len() > 1 { chunks.into_iter().map(unit).collect() } else { split(members) }
    }

    async fn ask_chunk(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        slots: &Slots<'_>,
    ) -> Result<Step, Unusable> {
        match capabilities.batch_method {
            BatchMethod::Override => self.ask_packed(capabilities, members, slots).await,
            BatchMethod::Multicall3 | BatchMethod::Single => self.ask_multicall(members, slots).await,
        }
    }

    async fn ask_packed(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        slots: &Slots<'_>,
    ) -> Result<Step, Unusable> {
        let budget = &self.endpoint.budget;
        let (gas, data) = (budget.plan().gas, self.ask.encode(members));
        let call =
            EthCall { from: MULTICALL3, to: MULTICALL3, data: &data, gas: Some(gas), code: Some(self.ask.program()) };
        match self.endpoint.call(&call, self.block, self.until).await {
            Ok(reply) => {
                let (head, named) = self.ask.decode(&reply, members.len()).map_err(|_| self.changed())?;
                if !self.proves(capabilities, &head) {
                    return Err(Unusable::Endpoint(self.ignored()));
                }
                Ok(self.sort_packed(capabilities, members, &head, named, slots))
            }
            Err(RequestError::GasTooHigh | RequestError::OutOfGas) if budget.on_gas_too_high() => Err(Unusable::AsOne),
            Err(RequestError::TooLarge) => {
                budget.on_too_large(data.len() * HEX + BODY_REST_BYTES);
                Err(Unusable::AsOne)
            }
            Err(error) => Err(unusable(error)),
        }
    }

    /// A reply that is not the program's: the endpoint does not serve this rung any more.
    fn changed(&self) -> Unusable {
        self.endpoint.forget_capabilities();
        Unusable::Endpoint(EndpointError::Malformed)
    }

    fn ignored(&self) -> EndpointError {
        self.endpoint.forget_capabilities();
        EndpointError::IgnoredBlock
    }

    /// Whether the program ran at the pinned block. Where contracts see another chain's number (Arbitrum: Ethereum's),
    /// nodes differ on it inside of calls.
    fn proves(&self, capabilities: Capabilities, head: &Head) -> bool {
        let block = self.block;
        let same_number = block.evm_number != block.number || head.number == block.number;
        let same_parent = !capabilities.sees_parent_hash || head.parent == block.parent;
        head.timestamp == block.timestamp && same_number && same_parent
    }

    fn sort_packed(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        head: &Head,
        named: Vec<(usize, Told)>,
        slots: &Slots<'_>,
    ) -> Step {
        let (done, rest) = members.split_at(head.done);
        let used = head.gas_start.saturating_sub(head.gas_end);
        self.endpoint.budget.on_success(done.len(), head.gas_start, used);
        let mut step = Step { proven: true, ..Step::default() };
        let mut filled = slots.lock();
        done.iter().for_each(|place| filled.put_zero(*place));
        for (place, told) in named {
            let place = done[place];
            let outcome = match told {
                Told::Ok(data) => Outcome::Ok(data),
                Told::Reverted(data) => Outcome::Reverted(data),
                Told::NoCode => Outcome::NoCode,
                Told::Capped if self.ask.read(place).gas_cap.is_some() => Outcome::GasCap,
                Told::Capped | Told::Long => {
                    self.heavy_calls.record(&self.ask.read(place));
                    filled.take_back(place);
                    step.more.push(Unit::Single(place));
                    continue;
                }
            };
            filled.put(place, outcome);
        }
        drop(filled);
        if !rest.is_empty() {
            self.endpoint.budget.on_partial(done.len(), used);
            step.more.extend(self.rest(capabilities, done.len(), rest));
        }
        step
    }

    /// What a partial reply left; where not even one read had its gas, the endpoint's gas is too little for chunks.
    fn rest(&self, capabilities: Capabilities, done: usize, rest: &[usize]) -> Vec<Unit> {
        match done {
            0 => rest.iter().map(|place| Unit::Single(*place)).collect(),
            _ => self.chunks(capabilities, rest).into_iter().map(Unit::Chunk).collect(),
        }
    }

    async fn ask_multicall(&self, members: &[usize], slots: &Slots<'_>) -> Result<Step, Unusable> {
        let reads: Vec<_> = members.iter().map(|place| self.ask.read(*place)).collect();
        let (budget, data) = (&self.endpoint.budget, multicall::pack(&reads));
        let gas = budget.plan().gas.min(CHUNK_GAS);
        let call = EthCall { from: MULTICALL3, to: MULTICALL3, data: &data, gas: Some(gas), code: None };
        match self.endpoint.call(&call, self.block, self.until).await {
            Ok(reply) if reply.is_empty() => Err(self.changed()),
            Ok(reply) => match multicall::unpack(&reply, members.len(), self.block) {
                Ok(results) => Ok(self.sort_multicall(members, results, slots)),
                Err(Rejected::Malformed) => Err(self.changed()),
                Err(Rejected::OtherBlock) => Err(Unusable::Endpoint(self.ignored())),
                Err(Rejected::Starved) => Err(Unusable::AsOne),
            },
            Err(RequestError::GasTooHigh) if budget.on_gas_too_high() => Err(Unusable::AsOne),
            Err(RequestError::TooLarge) => {
                budget.on_too_large(data.len() * HEX);
                Err(Unusable::AsOne)
            }
            Err(error) => Err(unusable(error)),
        }
    }

    fn sort_multicall(&self, members: &[usize], results: Vec<(bool, Bytes)>, slots: &Slots<'_>) -> Step {
        let mut step = Step { proven: true, ..Step::default() };
        let mut silent: BTreeMap<Address, Vec<usize>> = BTreeMap::new();
        let mut filled = slots.lock();
        for (place, (success, data)) in members.iter().zip(results) {
            let read = self.ask.read(*place);
            match success {
                true if read.kind == Kind::Call && data.is_empty() => silent.entry(read.to).or_default().push(*place),
                true => filled.put(*place, Outcome::Ok(data)),
                false => filled.put(*place, Outcome::Reverted(data)),
            }
        }
        step.more = silent.into_iter().map(|(address, asking)| Unit::Code(address, asking)).collect();
        step
    }
}

impl<'a> Slots<'a> {
    fn new(outcomes: &'a mut Outcomes) -> Self {
        Self(Mutex::new(Filled { outcomes, any: false }))
    }

    fn lock(&self) -> MutexGuard<'_, Filled<'a>> {
        self.0.lock()
    }

    /// Whether any request brought something.
    fn any(&self) -> bool {
        self.lock().any
    }

    /// Takes back all that was put at these places.
    fn clear(&self, places: &[usize]) {
        let mut filled = self.lock();
        places.iter().for_each(|place| filled.take_back(*place));
    }
}

impl Filled<'_> {
    fn put(&mut self, place: usize, outcome: Outcome) {
        self.outcomes.put(place, outcome);
        self.any = true;
    }

    fn put_zero(&mut self, place: usize) {
        self.outcomes.put_zero(place);
        self.any = true;
    }

    fn take_back(&mut self, place: usize) {
        self.outcomes.take_back(place);
    }
}

fn unusable(error: RequestError) -> Unusable {
    match error {
        RequestError::Ambiguous(code) => Unusable::Unclear(code),
        RequestError::Endpoint(error) => Unusable::Endpoint(error),
        RequestError::UnknownBlock => Unusable::Endpoint(EndpointError::UnknownBlock),
        RequestError::Reverted(_)
        | RequestError::Halted
        | RequestError::OutOfGas
        | RequestError::GasTooHigh
        | RequestError::TooLarge => Unusable::AsOne,
    }
}

fn unit(members: Vec<usize>) -> Unit {
    if let [place] = members[..] { Unit::Single(place) } else { Unit::Chunk(members) }
}

fn split(members: &[usize]) -> Vec<Unit> {
    let part = members.len().div_ceil(PARTS).max(1);
    members.chunks(part).map(|part| unit(part.to_vec())).collect()
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
        let singles = units.iter().map(|unit| if let Unit::Single(place) = unit { *place } else { usize::MAX });
        assert!(singles.eq(0..500));
    }
}
