//! What transactions of an account would do at a block: how each ends, what it costs in gas, and which balances and
//! approvals of the account it changes.
//!
//! A simulation is a read like any other: its data says what is run and watched, and its reply what came of it. There
//! are three methods. A program at the account's own address makes all runs in one request; `eth_simulateV1` leaves the
//! account as it is; `eth_call` alone tells only whether the call succeeds. Invariant: decoders take any bytes, and a
//! reply is of this simulation or malformed.

mod program;
mod wire;

use alloy::primitives::{Address, Bytes, U256};

pub(crate) use self::program::{PROGRAM, decode, encode, encoded_bytes};
pub(crate) use self::wire::{SimulatedBlock, SimulationRequest, decode_blocks, only_step};
use crate::packed::{Malformed, big_endian, length, take};
use crate::{Freshness, Kind, Outcome, Read, ReadFailure};

/// The gas that a run may use, unless it says otherwise: many times what claims need.
pub const RUN_GAS: u32 = 5_000_000;

/// What a transaction costs before its first instruction (EIP-2028), and at least for its data (EIP-7623).
const TRANSACTION_GAS: u64 = 21_000;
const ZERO_BYTE_GAS: u64 = 4;
const BYTE_GAS: u64 = 16;
const ZERO_BYTE_FLOOR_GAS: u64 = 10;
const BYTE_FLOOR_GAS: u64 = 40;

/// How much may be spent on a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// It is run together with others, where the endpoint takes state overrides; alone only once more if it fails.
    Packed,
    /// It is run by whatever the endpoint supports.
    Any,
}

/// Transactions of an account that are made one after the other, until one fails, and undone again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    pub steps: Vec<RunStep>,
    pub watched: Watched,
    /// The gas of all steps.
    pub gas: u32,
}

/// One transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    pub to: Address,
    /// Wei.
    pub value: U256,
    pub data: Bytes,
}

/// What is watched besides the native balance of the account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Tokens whose balances are watched.
    pub tokens: Vec<Address>,
    /// So many of them, from the first on, are watched for approvals of the spenders too.
    pub own: u8,
    pub spenders: Vec<Address>,
}

/// What came of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub method: SimulationMethod,
    /// The steps that were made, in order; only the last one can have failed.
    pub steps: Vec<StepEnd>,
    /// `None` where the method does not tell.
    pub changes: Option<Changes>,
}

impl Run {
    /// The data of the step that reverted, if one did.
    pub fn reverted(&self) -> Option<&Bytes> {
        self.steps.last().and_then(|step| step.reverted.as_ref())
    }

    /// The gas of all steps, where the method tells.
    pub fn gas(&self) -> Option<u64> {
        self.steps.iter().map(|step| step.gas).sum()
    }
}

/// How one step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepEnd {
    /// What the transaction uses, where the method tells: before refunds by [`SimulationMethod::Override`], after them
    /// by [`SimulationMethod::SimulateV1`].
    pub gas: Option<u64>,
    /// The data with which it reverted, if it did; 1,024 bytes at most.
    pub reverted: Option<Bytes>,
}

/// What is another than it was. Nothing is here twice, or the same before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Before and after, wei.
    pub native: Option<(U256, U256)>,
    /// Tokens with the balance before and after, in the order in which they are watched.
    pub tokens: Vec<(Address, U256, U256)>,
    pub approvals: Vec<Approval>,
}

/// An approval that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approval {
    pub token: Address,
    pub spender: Address,
    /// `setApprovalForAll`, not an allowance.
    pub of_all: bool,
    /// The allowance before and after; 0 or 1 where it is of all.
    pub before: U256,
    pub after: U256,
}

/// How a simulation was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimulationMethod {
    /// By a program that a state override puts at the account's address.
    Override,
    /// By `eth_simulateV1`.
    SimulateV1,
    /// By `eth_call`, which tells success alone.
    Call,
}

/// The methods by the first byte of a reply.
const METHODS: [(u8, SimulationMethod); 3] =
    [(1, SimulationMethod::Override), (2, SimulationMethod::SimulateV1), (3, SimulationMethod::Call)];

impl Simulation {
    /// Makes the read of it. `None` where it is more than a request can say: 255 steps, tokens or spenders, 65,535 bytes
    /// of data, or 2^128 wei.
    pub fn read(&self, account: Address, effort: Effort) -> Option<Read> {
        Some(Read {
            kind: Kind::Simulation(effort),
            to: account,
            data: self.body()?.into(),
            from: None,
            freshness: Freshness::Pinned,
            isolated: false,
            gas_cap: Some(self.gas),
        })
    }

    /// What came of it, as the reply to its read says.
    ///
    /// # Errors
    /// Why it could not be made; `Ok(None)` where the network's endpoints have no method that costs so little.
    pub fn run(&self, outcome: &Outcome) -> Result<Option<Run>, ReadFailure> {
        match outcome {
            Outcome::Ok(reply) => self.decode(reply).map(Some).map_err(|_| ReadFailure::Upstream),
            Outcome::Failed(failure) => Err(*failure),
            Outcome::OverBudget => Err(ReadFailure::OverBudget),
            Outcome::Unsupported | Outcome::GasCap | Outcome::NoCode | Outcome::Reverted(_) => Ok(None),
        }
    }

    /// The program's body of this run.
    fn body(&self) -> Option<Vec<u8>> {
        let Self { steps, watched: Watched { tokens, own, spenders }, gas: _ } = self;
        let small = |count: usize| u8::try_from(count).ok();
        let mut body = vec![small(tokens.len())?, *own, small(spenders.len())?];
        tokens.iter().chain(spenders).for_each(|address| body.extend_from_slice(address.as_slice()));
        body.push(small(steps.len())?);
        for RunStep { to, value, data } in steps {
            body.extend_from_slice(to.as_slice());
            body.extend(u128::try_from(*value).ok()?.to_be_bytes());
            body.extend(u16::try_from(data.len()).ok()?.to_be_bytes());
            body.extend_from_slice(data);
        }
        Some(body)
    }

    /// Decodes a method, and behind it what a run says.
    fn decode(&self, mut reply: &[u8]) -> Result<Run, Malformed> {
        let reply = &mut reply;
        let first = u8::try_from(number(reply, 1)?).map_err(|_| Malformed::Count)?;
        let known = METHODS.iter().find(|(own, _)| *own == first);
        let method = known.ok_or(Malformed::Kind(first))?.1;
        let (made, mut steps) = (length(reply, 1)?, Vec::new());
        for step in self.steps.get(..made).ok_or(Malformed::Count)? {
            let (success, gas) = (number(reply, 1)?, number(reply, 4)?);
            let reverted = if success == 0 { Some(data(reply)?) } else { None };
            let gas = match method {
                SimulationMethod::Override => Some(transaction_gas(gas, step)),
                SimulationMethod::SimulateV1 => Some(gas),
                SimulationMethod::Call => None,
            };
            let is_last = reverted.is_some();
            steps.push(StepEnd { gas, reverted });
            if is_last {
                break;
            }
        }
        let ended = steps.len() == self.steps.len() || steps.last().is_some_and(|step| step.reverted.is_some());
        if steps.len() != made || !ended {
            return Err(Malformed::Count);
        }
        let changes = if method == SimulationMethod::Call { None } else { Some(self.changes(reply)?) };
        if reply.is_empty() { Ok(Run { method, steps, changes }) } else { Err(Malformed::Count) }
    }

    fn changes(&self, reply: &mut &[u8]) -> Result<Changes, Malformed> {
        let Watched { tokens, own, spenders } = &self.watched;
        let (mut changes, count) = (Changes::default(), length(reply, 2)?);
        let mut next = 0;
        for _ in 0..count {
            let place = length(reply, 2)?;
            let (before, after) = (word(reply)?, word(reply)?);
            if place < next || before == after {
                return Err(Malformed::Count);
            }
            next = place + 1;
            if place == 0 {
                changes.native = Some((before, after));
            } else if let Some(token) = tokens.get(place - 1) {
                changes.tokens.push((*token, before, after));
            } else {
                let pair = (place - 1 - tokens.len()) / 2;
                let of_all = (place - 1 - tokens.len()) % 2 == 1;
                let token = tokens.get(pair.checked_div(spenders.len()).ok_or(Malformed::Count)?);
                let token = token.filter(|_| pair < usize::from(*own) * spenders.len()).ok_or(Malformed::Count)?;
                let spender = spenders.get(pair % spenders.len()).ok_or(Malformed::Count)?;
                changes.approvals.push(Approval { token: *token, spender: *spender, of_all, before, after });
            }
        }
        Ok(changes)
    }
}

/// Puts the method before what a run says.
pub(crate) fn reply(method: SimulationMethod, run: &[u8]) -> Bytes {
    let number = METHODS.iter().find(|(_, own)| *own == method).map_or(0, |(number, _)| *number);
    [&[number], run].concat().into()
}

/// Says how the only step of a run ended, and nothing else.
pub(crate) fn end_of_call(reverted: Option<&[u8]>) -> Vec<u8> {
    let mut run = vec![1];
    put_end(&mut run, 0, reverted);
    run
}

/// The longest data of a revert that is kept.
const REVERT_MAX_BYTES: usize = 1024;

fn put_end(run: &mut Vec<u8>, gas: u64, reverted: Option<&[u8]>) {
    run.push(u8::from(reverted.is_none()));
    run.extend(u32::try_from(gas).unwrap_or(u32::MAX).to_be_bytes());
    if let Some(data) = reverted {
        let data = data.get(..REVERT_MAX_BYTES).unwrap_or(data);
        run.extend_from_slice(&(data.len() as u64).to_be_bytes()[6..]);
        run.extend_from_slice(data);
    }
}

/// Whether a step of what a run says failed; a run without bytes used up its gas.
pub(crate) fn has_failed(run: &[u8]) -> bool {
    failed_step(run).unwrap_or(true)
}

fn failed_step(mut run: &[u8]) -> Result<bool, Malformed> {
    for _ in 0..length(&mut run, 1)? {
        let success = number(&mut run, 1)?;
        take(&mut run, 4)?;
        if success == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The gas of a transaction whose call used so much.
fn transaction_gas(used: u64, step: &RunStep) -> u64 {
    let zeros = step.data.iter().filter(|byte| **byte == 0).count() as u64;
    let others = step.data.len() as u64 - zeros;
    let used = used.saturating_sub(program::CALL_GAS + if step.value.is_zero() { 0 } else { program::VALUE_GAS });
    let data = zeros * ZERO_BYTE_GAS + others * BYTE_GAS;
    let floor = zeros * ZERO_BYTE_FLOOR_GAS + others * BYTE_FLOOR_GAS;
    TRANSACTION_GAS + (data + used).max(floor)
}

fn number(rest: &mut &[u8], bytes: usize) -> Result<u64, Malformed> {
    take(rest, bytes).map(big_endian)
}

fn data(rest: &mut &[u8]) -> Result<Bytes, Malformed> {
    let bytes = length(rest, 2)?;
    take(rest, bytes).map(Bytes::copy_from_slice)
}

fn word(rest: &mut &[u8]) -> Result<U256, Malformed> {
    take(rest, 32).map(U256::from_be_slice)
}

#[cfg(test)]
mod tests;
