//! Simulations: all of an account in one packed request where the endpoint takes state overrides; those that fail there
//! once more as the account is, by `eth_simulateV1`; and else by `eth_call` alone.
//!
//! Invariant: a run of the program counts only at the pinned block, and what another method says only once the chain id
//! was reported after it. A contract may treat an account with code otherwise, so the word of the program is not the last
//! one on a failure.

use alloy::primitives::Bytes;

use super::shared_outcomes::SharedOutcomes;
use super::single::unanswered;
use super::{BODY_REST_BYTES, Batch, ChunkError, HEX, Request, Step, chunk_error};
use crate::endpoint::Capabilities;
use crate::error::{EndpointError, RequestError};
use crate::rpc::EthCall;
use crate::simulation::{self, Effort, RunStep, SimulationMethod};
use crate::status::BatchMethod;
use crate::{Kind, Outcome};

/// Simulations that are run alone after one request of many; each is a request. What the program says of further
/// failures is the last word, unless any effort is allowed.
const RETRIES_MAX: usize = 8;

impl Batch<'_> {
    /// Parts the simulations that the endpoint does not make with so little effort from all other reads.
    pub(super) fn without_unsupported(&self, capabilities: Capabilities, open: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let is_packed = capabilities.batch_method == BatchMethod::Override;
        open.iter()
            .partition(|place| !is_packed && self.reads.at(**place).like.kind == Kind::Simulation(Effort::Packed))
    }

    /// Cuts simulations into requests of one account each, none larger than the endpoint takes.
    pub(super) fn simulations(&self, places: &[usize]) -> Vec<Request> {
        let bytes_max = self.endpoint.budget.plan().body_bytes.saturating_sub(BODY_REST_BYTES) / HEX;
        let (mut requests, mut members, mut bytes) = (Vec::new(), Vec::<usize>::new(), 0);
        for place in places {
            let size = simulation::encoded_bytes(self.reads.at(*place).like);
            let fits = members
                .last()
                .is_none_or(|last| self.reads.target(*last) == self.reads.target(*place) && bytes + size <= bytes_max);
            if !fits {
                requests.push(Request::Simulations(std::mem::take(&mut members)));
                bytes = 0;
            }
            members.push(*place);
            bytes += size;
        }
        if !members.is_empty() {
            requests.push(Request::Simulations(members));
        }
        requests
    }

    /// Runs simulations of one account together.
    pub(super) async fn simulate(
        &self,
        capabilities: Capabilities,
        members: Vec<usize>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        match self.send_simulations(capabilities, &members, outcomes).await {
            Ok(step) => Ok(step),
            Err(ChunkError::Endpoint(error)) => Err(error),
            Err(ChunkError::SplitAndRetry | ChunkError::Unclear(_)) if members.len() > 1 => {
                let (some, others) = members.split_at(members.len() / 2);
                let more = vec![Request::Simulations(some.to_vec()), Request::Simulations(others.to_vec())];
                Ok(Step { more, ..Step::default() })
            }
            // The node does not run it at the account's address. An empty chunk proves the block in its place.
            Err(ChunkError::SplitAndRetry | ChunkError::Unclear(_)) => {
                let alone = members.into_iter().map(|place| Request::Simulation(place, None));
                Ok(Step { more: alone.chain([Request::Chunk(Vec::new())]).collect(), ..Step::default() })
            }
        }
    }

    async fn send_simulations(
        &self,
        capabilities: Capabilities,
        members: &[usize],
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, ChunkError> {
        let Some(first) = members.first() else { return Ok(Step::default()) };
        let (account, budget) = (self.reads.target(*first), &self.endpoint.budget);
        let data = simulation::encode(account, self.reads.at_each(members).map(|read| read.like));
        let (gas, code) = (Some(budget.plan().gas), Some(simulation::PROGRAM));
        let call = EthCall { from: account, to: account, data: &data, gas, code };
        let reply = match self.endpoint.call(&call, self.block, self.until).await {
            Ok(reply) => reply,
            Err(error) => {
                if matches!(error, RequestError::GasTooHigh | RequestError::OutOfGas) {
                    budget.on_gas_too_high();
                } else if error == RequestError::TooLarge {
                    budget.on_too_large(data.len() * HEX + BODY_REST_BYTES);
                }
                return Err(chunk_error(error));
            }
        };
        let (head, runs) = simulation::decode(&reply, members.len()).map_err(|_| self.changed())?;
        self.endpoint.confirm_chain(head.chain_id).map_err(ChunkError::Endpoint)?;
        if !self.proves(capabilities, &head) {
            return Err(ChunkError::Endpoint(self.ignored()));
        }
        let (done, rest) = members.split_at(head.done);
        let mut step = Step { proven: true, ..Step::default() };
        for (place, run) in done.iter().zip(runs) {
            let said = (!run.is_empty()).then(|| simulation::reply(SimulationMethod::Override, run));
            let is_last_word = said.is_some() && !simulation::has_failed(run);
            let is_packed = self.reads.at(*place).like.kind == Kind::Simulation(Effort::Packed);
            if !is_last_word && (!is_packed || step.more.len() < RETRIES_MAX) {
                step.more.push(Request::Simulation(*place, said));
            } else {
                outcomes.lock().put(*place, said.map_or(Outcome::Unsupported, Outcome::Ok));
            }
        }
        step.more.extend(match done {
            [] => rest.iter().map(|place| Request::Simulation(*place, None)).collect(),
            _ => self.simulations(rest),
        });
        Ok(step)
    }

    /// Runs a simulation without an override of the account. `other` is what a run with it says, which counts where no
    /// method does better.
    pub(super) async fn simulate_alone(
        &self,
        place: usize,
        other: Option<Bytes>,
        outcomes: &SharedOutcomes<'_>,
    ) -> Result<Step, EndpointError> {
        let read = self.reads.at(place);
        if let Some(reply) = self.endpoint.simulate_v1(read, self.block, self.until).await? {
            outcomes.lock().put_unproven(place, Outcome::Ok(reply));
            return Ok(Step::default());
        }
        let outcome = match simulation::only_step(&read.like.data) {
            None => other.map_or(Outcome::Unsupported, Outcome::Ok),
            Some(RunStep { to, data, .. }) => {
                let call = EthCall { from: read.to, to, data: &data, gas: None, code: None };
                match self.endpoint.call(&call, self.block, self.until).await {
                    Ok(_) => called(None),
                    Err(RequestError::Reverted(_) | RequestError::Halted | RequestError::OutOfGas)
                        if other.is_some() =>
                    {
                        other.map_or(Outcome::Unsupported, Outcome::Ok)
                    }
                    Err(RequestError::Reverted(data)) => called(Some(&data)),
                    Err(RequestError::Halted | RequestError::OutOfGas) => called(Some(&[])),
                    Err(error) => return unanswered(error),
                }
            }
        };
        outcomes.lock().put_unproven(place, outcome);
        Ok(Step::default())
    }
}

fn called(reverted: Option<&[u8]>) -> Outcome {
    Outcome::Ok(simulation::reply(SimulationMethod::Call, &simulation::end_of_call(reverted)))
}
