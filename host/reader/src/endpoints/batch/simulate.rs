//! Simulations: all in batches of `eth_simulateV1`, which leaves accounts unchanged; else those of each account in one
//! packed call of a program at the account's address; else one by one with `eth_call`.
//!
//! Invariant: a simulation counts only at the pinned block of the right chain; an `eth_call`, only once the chain id
//! was reported after it. Contracts may treat accounts with code differently. So accounts that have code are not
//! packed, and a revert in the packed call counts only if it also happens without the program.

use alloy::primitives::Bytes;

use super::shared_outcomes::SharedOutcomes;
use super::single::unanswered;
use super::{BODY_REST_BYTES, Batch, ChunkError, HEX, Request, Step, chunk_error};
use crate::endpoints::endpoint::{Capabilities, Simulated, SingleReply};
use crate::endpoints::status::BatchMethod;
use crate::methods::simulation::{self, AccountCode, ReplyKind, RunStep};
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::rpc::EthCall;
use crate::{Effort, Kind, Outcome};

/// Maximum simulations in one batch of requests; geth takes 1,000 requests, some hosted nodes 100.
const BATCH_MAX: usize = 100;
/// Number of parts that a rejected batch is split into.
const BATCH_PARTS: usize = 4;
/// Size of an `eth_simulateV1` request without its data: two calls of the watcher, overrides of three accounts and of
/// the block.
const REQUEST_BYTES: usize = 4 << 10;
/// Maximum number of simulations that are run alone, one request each, unless any effort is allowed.
const ALONE_MAX: usize = 8;

/// Method of simulating an account's transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SimulateBy {
    SimulateV1,
    Program,
}

impl Batch<'_> {
    /// Cuts simulations into requests, none too large for the endpoint, by the best method that it may have.
    pub(super) fn simulations(
        &self,
        capabilities: Capabilities,
        places: &[usize],
        outcomes: &SharedOutcomes<'_>,
    ) -> Vec<Request> {
        if !self.endpoint.may_simulate() {
            return self.without_v1(capabilities, places, outcomes);
        }
        if self.endpoint.takes_batches() || places.len() == 1 {
            return self.cut(SimulateBy::SimulateV1, places);
        }
        let alone = |place| Request::Simulations(SimulateBy::SimulateV1, vec![place]);
        self.packed_or_alone(capabilities, places, outcomes, alone)
    }

    /// Cuts simulations for the methods that are left without `eth_simulateV1`.
    fn without_v1(&self, capabilities: Capabilities, places: &[usize], outcomes: &SharedOutcomes<'_>) -> Vec<Request> {
        self.packed_or_alone(capabilities, places, outcomes, |place| Request::SimulatedCall(place, None))
    }

    /// Runs the program where it may be placed at the account's address; a few of the others get a request of their
    /// own.
    fn packed_or_alone(
        &self,
        capabilities: Capabilities,
        places: &[usize],
        outcomes: &SharedOutcomes<'_>,
        alone: impl Fn(usize) -> Request,
    ) -> Vec<Request> {
        let (packed, others): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|place| self.may_be_packed(capabilities, **place));
        let alone = self.few(&others, outcomes).into_iter().map(alone);
        self.cut(SimulateBy::Program, &packed).into_iter().chain(alone).collect()
    }

    /// Returns true if the program can be placed at the account's address without hiding the account's own code.
    fn may_be_packed(&self, capabilities: Capabilities, place: usize) -> bool {
        let read = self.reads.at(place);
        let sender = simulation::sender_of(&read.like.data, read.to);
        capabilities.batch_method == BatchMethod::Override
            && sender.is_some_and(|sender| sender.code == AccountCode::None)
    }

    /// Returns the simulations that may have a request of their own; the others become [`Outcome::Unsupported`].
    fn few(&self, places: &[usize], outcomes: &SharedOutcomes<'_>) -> Vec<usize> {
        let is_packed = |place: usize| self.reads.at(place).like.kind == Kind::Simulation(Effort::Packed);
        let (mut few, mut left) = (Vec::new(), ALONE_MAX);
        for place in places {
            if !is_packed(*place) || left > 0 {
                few.push(*place);
                left = left.saturating_sub(1);
            } else {
                outcomes.lock().put(*place, Outcome::Unsupported);
            }
        }
        few
    }

    fn cut(&self, by: SimulateBy, places: &[usize]) -> Vec<Request> {
        let bytes_max = self.endpoint.chunk_sizer.plan().body_bytes.saturating_sub(BODY_REST_BYTES);
        let (mut requests, mut members, mut bytes) = (Vec::new(), Vec::<usize>::new(), 0);
        for place in places {
            let data = simulation::encoded_bytes(self.reads.at(*place).like) * HEX;
            // Both calls of the watcher contain what is watched.
            let size = if by == SimulateBy::Program { data } else { 2 * data + REQUEST_BYTES };
            let is_full = by == SimulateBy::SimulateV1 && members.len() == BATCH_MAX;
            // The program is placed at the address of one account.
            let fits = members.last().is_none_or(|last| {
                let goes_with = by == SimulateBy::SimulateV1 || self.reads.target(*last) == self.reads.target(*place);
                goes_with && bytes + size <= bytes_max && !is_full
            });
            if !fits {
                requests.push(Request::Simulations(by, std::mem::take(&mut members)));
                bytes = 0;
            }
            members.push(*place);
            bytes += size;
        }
        if !members.is_empty() {
            requests.push(Request::Simulations(by, members));
        }
        requests
    }

    /// Runs simulations by `eth_simulateV1`. Those that it does not run go to another method.
    pub(super) async fn simulate_v1(
        &self,
        capabilities: Capabilities,
        members: Vec<usize>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        let Some(next) = self.endpoint.next_block(self.block, self.until).await? else {
            return Ok(Step { more: self.without_v1(capabilities, &members, outcomes), ..Step::default() });
        };
        let reads: Vec<_> = self.reads.at_each(&members).collect();
        let more = match self.endpoint.simulate_v1(&reads, self.block, &next, self.until).await? {
            Simulated::Each(replies) => {
                let mut left = Vec::new();
                let mut filled = outcomes.lock();
                for (place, reply) in members.into_iter().zip(replies) {
                    match reply {
                        Some(reply) => filled.put(place, Outcome::Ok(reply)),
                        None => left.push(place),
                    }
                }
                drop(filled);
                // A simulation that was run proves the block.
                let more = self.without_v1(capabilities, &left, outcomes);
                return Ok(Step { more, proven: outcomes.any(), ..Step::default() });
            }
            Simulated::Unsupported => self.without_v1(capabilities, &members, outcomes),
            Simulated::BatchRejected => {
                let part = members.len().div_ceil(BATCH_PARTS);
                if part == 1 {
                    self.endpoint.refuses_batches();
                    self.simulations(capabilities, &members, outcomes)
                } else {
                    let parts = members.chunks(part);
                    parts.map(|part| Request::Simulations(SimulateBy::SimulateV1, part.to_vec())).collect()
                }
            }
        };
        Ok(Step { more, ..Step::default() })
    }

    /// Runs simulations of one account by the program at the account's address.
    pub(super) async fn simulate_packed(
        &self,
        capabilities: Capabilities,
        members: Vec<usize>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        match self.send_packed_simulations(capabilities, &members, outcomes).await {
            Ok(step) => Ok(step),
            Err(ChunkError::Endpoint(error)) => Err(error),
            Err(ChunkError::SplitAndRetry | ChunkError::Unclear(_)) if members.len() > 1 => {
                let (some, others) = members.split_at(members.len() / 2);
                let halves = [some, others].map(|half| Request::Simulations(SimulateBy::Program, half.to_vec()));
                Ok(Step { more: halves.into(), ..Step::default() })
            }
            // The node does not run the program at the account's address. An empty chunk proves the block instead.
            Err(ChunkError::SplitAndRetry | ChunkError::Unclear(_)) => {
                let alone = members.into_iter().map(|place| Request::SimulatedCall(place, None));
                Ok(Step { more: alone.chain([Request::Chunk(Vec::new())]).collect(), ..Step::default() })
            }
        }
    }

    async fn send_packed_simulations(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, ChunkError> {
        let Some(first) = members.first() else { return Ok(Step::default()) };
        let (account, sizer) = (self.reads.target(*first), &self.endpoint.chunk_sizer);
        let next = self.endpoint.next_block(self.block, self.until).await.map_err(ChunkError::Endpoint)?;
        let data = simulation::encode(account, self.reads.at_each(members).map(|read| read.like));
        let (gas, code) = (Some(sizer.plan().gas), Some(simulation::PROGRAM));
        let call = EthCall { from: account, to: account, data: &data, gas, code };
        let reply = match self.endpoint.call(&call, self.block, self.until).await {
            Ok(reply) => reply,
            Err(error) => {
                if matches!(error, RequestError::GasTooHigh | RequestError::OutOfGas) {
                    sizer.on_gas_too_high();
                } else if error == RequestError::TooLarge {
                    sizer.on_too_large(data.len() * HEX + BODY_REST_BYTES);
                }
                return Err(chunk_error(error));
            }
        };
        let Ok((head, runs)) = simulation::decode(&reply, members.len()) else {
            return Err(self.reject(EndpointError::Malformed).await);
        };
        self.endpoint.confirm_chain(head.chain_id).map_err(ChunkError::Endpoint)?;
        if !self.proves(capabilities, &head) {
            return Err(self.reject(EndpointError::IgnoredBlock).await);
        }
        let has_state_gas = next.is_some_and(|next| next.has_state_gas);
        let kind = if has_state_gas { ReplyKind::OverrideWithoutGas } else { ReplyKind::Override };
        let (done, rest) = members.split_at(head.done);
        let mut step = Step { proven: true, ..Step::default() };
        let mut failed: Vec<(usize, Option<Bytes>)> = Vec::new();
        for (place, run) in done.iter().zip(runs) {
            let said = (!run.is_empty()).then(|| simulation::reply(kind, run));
            match said {
                Some(reply) if !simulation::has_failed(run) => outcomes.lock().put(*place, Outcome::Ok(reply)),
                said => failed.push((*place, said)),
            }
        }
        let few = self.few(&failed.iter().map(|(place, _)| *place).collect::<Vec<_>>(), outcomes);
        let checks = failed.into_iter().filter(|(place, _)| few.contains(place));
        step.more.extend(checks.map(|(place, said)| Request::SimulatedCall(place, said)));
        step.more.extend(match done {
            [] => rest.iter().map(|place| Request::SimulatedCall(*place, None)).collect(),
            _ => self.cut(SimulateBy::Program, rest),
        });
        Ok(step)
    }

    /// Makes the only transaction of a simulation as a call, which shows whether it succeeds. `other` is the
    /// program's report of its failure, which counts only if the call fails, too.
    pub(super) async fn simulated_call(
        &self,
        place: usize,
        other: Option<Bytes>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        let read = self.reads.at(place);
        let Some(RunStep { to, data, gas, .. }) = simulation::only_step(&read.like.data) else {
            outcomes.lock().put(place, Outcome::Unsupported);
            return Ok(Step::default());
        };
        let call = EthCall { from: read.to, to, data: &data, gas: Some(gas.into()), code: None };
        let SingleReply { result, proves_chain } = self.endpoint.single_call(&call, self.block, self.until).await;
        let outcome = match result {
            Ok(_) => called(None),
            Err(RequestError::Reverted(data)) => other.map_or_else(|| called(Some(&data)), Outcome::Ok),
            Err(RequestError::Halted | RequestError::OutOfGas) => other.map_or_else(|| called(Some(&[])), Outcome::Ok),
            Err(error) => return unanswered(error),
        };
        outcomes.lock().put_single(place, outcome, proves_chain);
        Ok(Step::default())
    }
}

fn called(reverted: Option<&[u8]>) -> Outcome {
    Outcome::Ok(simulation::reply(ReplyKind::Call, &simulation::end_of_call(reverted)))
}
