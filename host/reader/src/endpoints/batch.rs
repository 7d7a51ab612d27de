//! One endpoint's attempt at a batch of reads, by the best method that it supports: packed calls, chunks of
//! Multicall3, or single requests.
//!
//! Invariant: an outcome counts only if its block is proven, where the method can prove it, and if its chain is. The
//! reply itself or a chain id requested after it proves the chain. It is the outcome that the read would have alone.
//! A read that used up its share of the gas is repeated alone; a rejected chunk is made smaller, down to single
//! requests.

mod shared_outcomes;
mod simulate;
mod single;

use std::collections::{BTreeMap, VecDeque};

use alloy::primitives::{Address, Bytes};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use self::shared_outcomes::SharedOutcomes;
use self::simulate::SimulateBy;
use crate::endpoints::client_rates::ClientRates;
use crate::endpoints::endpoint::{Capabilities, Endpoint};
use crate::endpoints::health::RequestKind;
use crate::endpoints::heavy_calls::HeavyCalls;
use crate::endpoints::status::BatchMethod;
use crate::methods::multicall::{self, CHUNK_GAS, CHUNK_READS_MAX, MULTICALL3, Rejected};
use crate::methods::packed::{self, CallResult, Head};
use crate::reads::outcomes::Outcomes;
use crate::reads::read_budget::ReadBudget;
use crate::reads::read_set::{ReadRef, ReadSet};
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::rpc::EthCall;
use crate::{Block, Kind, Outcome, Read};

/// Maximum concurrent requests of one batch: single reads should neither wait for each other nor flood the endpoint.
const IN_FLIGHT_MAX: usize = 16;
/// Number of parts that a rejected chunk is split into. 500 reads are single after three round trips; one bad read
/// among them costs 24 more requests.
const PARTS: usize = 8;
/// Number of ambiguous errors, without a single outcome, after which the endpoint is at fault.
const UNCLEAR_MAX: usize = 16;
/// Gas of a read in a packed call: many times what most views need. A read that needs more is made alone.
const READ_GAS: u32 = 2_000_000;
/// Allowance for the rest of a packed call's body: the program in hex, addresses, names of members.
const BODY_REST_BYTES: usize = 3 << 10;
/// Hex digits of a byte.
const HEX: usize = 2;

/// Reads at one block, for one endpoint.
pub(crate) struct Batch<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) heavy_calls: &'a HeavyCalls,
    pub(crate) client_rates: &'a ClientRates,
    pub(crate) block: &'a Block,
    pub(crate) reads: &'a ReadSet,
    pub(crate) until: Instant,
    /// The budget of the answer that the reads are for.
    pub(crate) budget: &'a ReadBudget,
}

enum Request {
    Chunk(Vec<usize>),
    Single(usize),
    /// Runs simulations together; those by the program are of one account.
    Simulations(SimulateBy, Vec<usize>),
    /// Makes the only transaction of a simulation as a call. Holds the program's report of its failure, if there is
    /// one.
    SimulatedCall(usize, Option<Bytes>),
    /// Checks for code at this address, whose calls returned nothing.
    CodeCheck(Address, Vec<usize>),
    /// Proves the chain of this many outcomes: those that have been unproven for longest.
    ChainCheck(usize),
}

/// The result of one request.
#[derive(Default)]
struct Step {
    more: Vec<Request>,
    proven: bool,
    unclear: Option<i64>,
}

/// Reason why a chunk has no outcomes.
enum ChunkError {
    /// The chunk is too much for the endpoint; smaller ones may work.
    SplitAndRetry,
    /// An error code that may be about the chunk or about the endpoint.
    Unclear(i64),
    Endpoint(EndpointError),
}

impl Batch<'_> {
    /// Makes the reads at these places, which have no outcome yet. An error means that another endpoint should be
    /// tried.
    pub(crate) async fn read(&self, open: &[usize], outcomes: &mut Outcomes) -> Result<(), EndpointError> {
        let capabilities = self.endpoint.capabilities(self.until).await?;
        let mut proven = capabilities.batch_method == BatchMethod::Single;
        let outcomes = SharedOutcomes::new(outcomes);
        let ran = self.run(capabilities, open, &outcomes, &mut proven).await;
        let ran = if let Err(error) = ran { Err(self.explain(error).await) } else { ran };
        if !proven || matches!(ran, Err(EndpointError::IgnoredBlock | EndpointError::WrongChain(_))) {
            outcomes.clear(open);
        } else {
            outcomes.clear_unproven();
        }
        ran
    }

    /// Checks the chain of a node that ignores the pinned block or does not know it: it may serve another one.
    async fn explain(&self, error: EndpointError) -> EndpointError {
        if !matches!(error, EndpointError::UnknownBlock | EndpointError::IgnoredBlock) {
            return error;
        }
        match self.endpoint.check_chain(self.until).await {
            Err(wrong @ EndpointError::WrongChain(_)) => wrong,
            _ => error,
        }
    }

    fn requests(&self, capabilities: Capabilities, open: &[usize], outcomes: &SharedOutcomes<'_>) -> VecDeque<Request> {
        let (mut shared, mut single) = (Vec::with_capacity(open.len()), Vec::new());
        let mut simulations: Vec<usize> = Vec::new();
        for (like, places) in self.reads.by_row(open) {
            let is_alone = |place: usize| self.is_alone(capabilities, self.reads.at_row(place, like));
            if matches!(like.kind, Kind::Simulation(_)) {
                simulations.extend(places);
            } else if !may_share(capabilities, like) {
                single.extend(places);
            } else if places.iter().any(|place| is_alone(*place)) {
                places.iter().for_each(|place| if is_alone(*place) { &mut single } else { &mut shared }.push(*place));
            } else {
                shared.extend(places);
            }
        }
        let mut requests: VecDeque<_> = self.chunks(capabilities, &shared).into_iter().map(Request::Chunk).collect();
        if !simulations.is_empty() {
            requests.extend(self.simulations(capabilities, &simulations, outcomes));
        }
        if capabilities.batch_method != BatchMethod::Single && requests.is_empty() {
            requests.push_back(Request::Chunk(Vec::new())); // Only to prove the block.
        }
        requests.extend(single.into_iter().map(Request::Single));
        requests
    }

    /// Returns true if a read must be made alone: it is heavy, or the packed program hides the code of its target.
    fn is_alone(&self, capabilities: Capabilities, read: ReadRef<'_>) -> bool {
        let is_hidden = capabilities.batch_method == BatchMethod::Override && read.to == MULTICALL3;
        is_hidden || !self.heavy_calls.is_empty() && self.heavy_calls.contains(read)
    }

    /// Cuts reads into chunks, in order: as few as the chunk sizer allows, and of about equal size.
    fn chunks(&self, capabilities: Capabilities, shared: &[usize]) -> Vec<Vec<usize>> {
        let plan = self.endpoint.chunk_sizer.plan();
        let reads_max = match capabilities.batch_method {
            BatchMethod::Override => plan.reads.min(packed::READS_MAX),
            BatchMethod::Multicall3 | BatchMethod::Single => CHUNK_READS_MAX,
        };
        let bytes_max = plan.body_bytes.saturating_sub(BODY_REST_BYTES) / HEX;
        let sizes = self.sizes(capabilities, shared);
        let by_bytes = sizes.iter().sum::<usize>().div_ceil(bytes_max.max(1));
        let count = shared.len().div_ceil(reads_max).max(by_bytes).max(1);
        let even = shared.len().div_ceil(count);
        let (mut chunks, mut first, mut bytes) = (Vec::with_capacity(count), 0, 0);
        for (place, size) in sizes.into_iter().enumerate() {
            if place > first && (place - first == even || bytes + size > bytes_max) {
                chunks.push(shared[first..place].to_vec());
                (first, bytes) = (place, 0);
            }
            bytes += size;
        }
        if first < shared.len() {
            chunks.push(shared[first..].to_vec());
        }
        chunks
    }

    /// Returns the calldata bytes that each read adds to a chunk. The first of a chunk adds a little more, because it
    /// shares nothing.
    fn sizes(&self, capabilities: Capabilities, shared: &[usize]) -> Vec<usize> {
        match capabilities.batch_method {
            BatchMethod::Override => packed::encoded_bytes(self.reads, shared).collect(),
            BatchMethod::Multicall3 | BatchMethod::Single => {
                self.reads.at_each(shared).map(|read| multicall::encoded_bytes(read.like)).collect()
            }
        }
    }

    async fn run(
        &self,
        capabilities: Capabilities,
        open: &[usize],
        outcomes: &SharedOutcomes<'_>,
        proven: &mut bool,
    ) -> Result<(), EndpointError> {
        let mut requests = self.requests(capabilities, open, outcomes);
        let mut flying = FuturesUnordered::new();
        let (mut unclear, mut is_spent) = (0, false);
        loop {
            while flying.len() < IN_FLIGHT_MAX
                && let Some(request) = requests.pop_front()
            {
                if !self.budget.take_request() {
                    // The remaining reads stay open. Outcomes that arrived are still proven: chain checks are free.
                    is_spent = true;
                    requests.clear();
                    break;
                }
                flying.push(self.step(capabilities, request, outcomes));
            }
            flying.extend(outcomes.next_check().map(|check| self.step(capabilities, check, outcomes)));
            let Some(step) = flying.next().await else {
                if *proven || is_spent {
                    return Ok(());
                }
                // All chunks were split into single requests; the block is still to be proven.
                requests.push_back(Request::Chunk(Vec::new()));
                continue;
            };
            let step = step?;
            requests.extend(step.more);
            *proven |= step.proven;
            if let Some(code) = step.unclear {
                unclear += 1;
                let nothing_left = flying.is_empty() && requests.is_empty();
                if !outcomes.any() && (unclear >= UNCLEAR_MAX || nothing_left) {
                    return Err(EndpointError::Rpc(code));
                }
            }
        }
    }

    async fn step(
        &self,
        capabilities: Capabilities,
        request: Request,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        let per_second = self.endpoint.limiter.per_second();
        if !self.client_rates.wait(self.budget.client(), 1, per_second, self.until).await {
            return Err(EndpointError::Timeout);
        }
        match request {
            Request::Chunk(members) => self.chunk(capabilities, members, outcomes).await,
            Request::Single(place) => self.single(place, outcomes).await,
            Request::Simulations(SimulateBy::SimulateV1, members) => {
                self.simulate_v1(capabilities, members, outcomes).await
            }
            Request::Simulations(SimulateBy::Program, members) => {
                self.simulate_packed(capabilities, members, outcomes).await
            }
            Request::SimulatedCall(place, other) => self.simulated_call(place, other, outcomes).await,
            Request::CodeCheck(address, asking) => self.check_code(address, asking, outcomes).await,
            Request::ChainCheck(count) => self.prove_chain(count, outcomes).await,
        }
    }

    async fn chunk(
        &self,
        capabilities: Capabilities,
        members: Vec<usize>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        match self.send_chunk(capabilities, &members, outcomes).await {
            Ok(step) => Ok(step),
            Err(ChunkError::Endpoint(error)) => Err(error),
            Err(ChunkError::SplitAndRetry) if members.is_empty() => Err(EndpointError::Malformed),
            Err(ChunkError::Unclear(code)) if members.is_empty() => Err(EndpointError::Rpc(code)),
            Err(ChunkError::SplitAndRetry) => {
                Ok(Step { more: self.smaller(capabilities, &members), ..Step::default() })
            }
            // An empty chunk shows whether the error is about the endpoint or about the reads.
            Err(ChunkError::Unclear(code)) => match self.send_chunk(capabilities, &[], outcomes).await {
                Ok(_) => Ok(Step { more: split(&members), proven: true, ..Step::default() }),
                Err(ChunkError::Endpoint(error)) => Err(error),
                Err(_) => Err(EndpointError::Rpc(code)),
            },
        }
    }

    /// Cuts a chunk anew after the chunk sizer's limits have fallen. Splits it if that gives the same chunk again.
    fn smaller(&self, capabilities: Capabilities, members: &[usize]) -> Vec<Request> {
        let chunks = self.chunks(capabilities, members);
        if chunks.len() > 1 { chunks.into_iter().map(request).collect() } else { split(members) }
    }

    async fn send_chunk(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, ChunkError> {
        match capabilities.batch_method {
            BatchMethod::Override => self.send_packed(capabilities, members, outcomes).await,
            BatchMethod::Multicall3 | BatchMethod::Single => self.send_multicall(members, outcomes).await,
        }
    }

    async fn send_packed(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, ChunkError> {
        let sizer = &self.endpoint.chunk_sizer;
        let (gas, data) = (sizer.plan().gas, packed::encode(self.reads, members, READ_GAS));
        let call =
            EthCall { from: MULTICALL3, to: MULTICALL3, data: &data, gas: Some(gas), code: Some(packed::PROGRAM) };
        match self.endpoint.call(&call, self.block, self.until).await {
            Ok(reply) => {
                let Ok((head, named)) = packed::decode(&reply, members.len()) else {
                    return Err(self.reject(EndpointError::Malformed).await);
                };
                self.endpoint.confirm_chain(head.chain_id).map_err(ChunkError::Endpoint)?;
                if !self.proves(capabilities, &head) {
                    return Err(self.reject(EndpointError::IgnoredBlock).await);
                }
                Ok(self.take_packed(capabilities, members, &head, named, outcomes))
            }
            Err(RequestError::GasTooHigh | RequestError::OutOfGas) if sizer.on_gas_too_high() => {
                Err(ChunkError::SplitAndRetry)
            }
            Err(RequestError::TooLarge) => {
                sizer.on_too_large(data.len() * HEX + BODY_REST_BYTES);
                Err(ChunkError::SplitAndRetry)
            }
            Err(error) => Err(chunk_error(error)),
        }
    }

    /// Blames the endpoint for a reply of the wrong form or at the wrong block. Its capabilities may have changed, or
    /// its address may lead to another chain.
    async fn reject(&self, error: EndpointError) -> ChunkError {
        self.endpoint.forget_capabilities();
        let chain = Box::pin(self.endpoint.check_chain(self.until)).await;
        ChunkError::Endpoint(match chain {
            Err(wrong @ EndpointError::WrongChain(_)) => wrong,
            _ => self.endpoint.blame(RequestKind::Read, error),
        })
    }

    /// Returns true if the program ran at the pinned block. If contracts see another chain's block number (Arbitrum:
    /// Ethereum's), it is not compared: nodes differ on it inside calls.
    fn proves(&self, capabilities: Capabilities, head: &Head) -> bool {
        let block = self.block;
        let same_number = block.evm_number != block.number || head.number == block.number;
        let same_parent = !capabilities.sees_parent_hash || head.parent == block.parent;
        head.timestamp == block.timestamp && same_number && same_parent
    }

    fn take_packed(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        head: &Head,
        named: Vec<(usize, CallResult)>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Step {
        let (done, rest) = members.split_at(head.done);
        let used = head.gas_start.saturating_sub(head.gas_end);
        self.endpoint.chunk_sizer.on_success(done.len(), head.gas_start, used);
        let mut step = Step { proven: true, ..Step::default() };
        let mut filled = outcomes.lock();
        done.iter().for_each(|place| filled.put_zero(*place));
        for (place, result) in named {
            let place = done[place];
            let outcome = match result {
                CallResult::Ok(data) => Outcome::Ok(data),
                CallResult::Reverted(data) => Outcome::Reverted(data),
                CallResult::NoCode => Outcome::NoCode,
                CallResult::GasCapped if self.reads.at(place).like.gas_cap.is_some() => Outcome::GasCap,
                CallResult::GasCapped | CallResult::TooLong => {
                    self.heavy_calls.record(self.reads.at(place));
                    filled.take_back(place);
                    step.more.push(Request::Single(place));
                    continue;
                }
            };
            filled.put(place, outcome);
        }
        drop(filled);
        if !rest.is_empty() {
            self.endpoint.chunk_sizer.on_partial(done.len(), used);
            step.more.extend(self.rest(capabilities, done.len(), rest));
        }
        step
    }

    /// Requests the reads that a partial reply left open. If not even one read got its gas, the endpoint allows too
    /// little for chunks.
    fn rest(&self, capabilities: Capabilities, done: usize, rest: &[usize]) -> Vec<Request> {
        match done {
            0 => rest.iter().map(|place| Request::Single(*place)).collect(),
            _ => self.chunks(capabilities, rest).into_iter().map(Request::Chunk).collect(),
        }
    }

    async fn send_multicall(&self, members: &[usize], outcomes: &SharedOutcomes<'_>) -> Result<Step, ChunkError> {
        let reads = self.reads.at_each(members);
        let chain_id = self.endpoint.chain_id;
        let (sizer, data) = (&self.endpoint.chunk_sizer, multicall::pack(chain_id, reads));
        let gas = sizer.plan().gas.min(CHUNK_GAS);
        let to = multicall::multicall3(chain_id);
        let call = EthCall { from: to, to, data: &data, gas: Some(gas), code: None };
        match self.endpoint.call(&call, self.block, self.until).await {
            Ok(reply) if reply.is_empty() => Err(self.reject(EndpointError::Malformed).await),
            Ok(reply) => match multicall::unpack(&reply, members.len(), chain_id, self.block) {
                Ok(results) => Ok(self.take_multicall(members, results, outcomes)),
                Err(Rejected::Malformed) => Err(self.reject(EndpointError::Malformed).await),
                Err(Rejected::OtherChain(chain_id)) => Err(ChunkError::Endpoint(self.endpoint.wrong_chain(chain_id))),
                Err(Rejected::OtherBlock) => Err(self.reject(EndpointError::IgnoredBlock).await),
                Err(Rejected::Starved) => Err(ChunkError::SplitAndRetry),
            },
            Err(RequestError::GasTooHigh) if sizer.on_gas_too_high() => Err(ChunkError::SplitAndRetry),
            Err(RequestError::TooLarge) => {
                sizer.on_too_large(data.len() * HEX);
                Err(ChunkError::SplitAndRetry)
            }
            Err(error) => Err(chunk_error(error)),
        }
    }

    fn take_multicall(&self, members: &[usize], results: Vec<(bool, Bytes)>, outcomes: &SharedOutcomes<'_>) -> Step {
        let mut step = Step { proven: true, ..Step::default() };
        let mut silent: BTreeMap<Address, Vec<usize>> = BTreeMap::new();
        let mut filled = outcomes.lock();
        for (place, (success, data)) in members.iter().zip(results) {
            let read = self.reads.at(*place);
            match success {
                true if read.like.kind == Kind::Call && data.is_empty() => {
                    silent.entry(read.to).or_default().push(*place);
                }
                true => filled.put(*place, Outcome::Ok(data)),
                false => filled.put(*place, Outcome::Reverted(data)),
            }
        }
        step.more = silent.into_iter().map(|(address, asking)| Request::CodeCheck(address, asking)).collect();
        step
    }
}

/// Returns true if reads like this one may share a request.
fn may_share(capabilities: Capabilities, like: &Read) -> bool {
    match capabilities.batch_method {
        BatchMethod::Override => packed::may_pack(like),
        BatchMethod::Multicall3 => multicall::may_share(like),
        BatchMethod::Single => false,
    }
}

fn chunk_error(error: RequestError) -> ChunkError {
    match error {
        RequestError::Ambiguous(code) => ChunkError::Unclear(code),
        RequestError::Endpoint(error) => ChunkError::Endpoint(error),
        RequestError::UnknownBlock => ChunkError::Endpoint(EndpointError::UnknownBlock),
        RequestError::Reverted(_)
        | RequestError::Halted
        | RequestError::OutOfGas
        | RequestError::GasTooHigh
        | RequestError::TooLarge => ChunkError::SplitAndRetry,
    }
}

fn request(members: Vec<usize>) -> Request {
    if let [place] = members[..] { Request::Single(place) } else { Request::Chunk(members) }
}

fn split(members: &[usize]) -> Vec<Request> {
    let part = members.len().div_ceil(PARTS).max(1);
    members.chunks(part).map(|part| request(part.to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_hundred_reads_are_single_after_three_splits() {
        let mut requests = vec![Request::Chunk((0..500).collect())];
        for _ in 0..3 {
            let smaller = requests.into_iter().flat_map(|request| match request {
                Request::Chunk(members) => split(&members),
                single => vec![single],
            });
            requests = smaller.collect();
        }
        let singles = requests.iter().map(|unit| if let Request::Single(place) = unit { *place } else { usize::MAX });
        assert!(singles.eq(0..500));
    }
}
