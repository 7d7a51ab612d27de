//! Simulates transactions of an account: how each ends, what it costs in gas, and which balances and approvals of the
//! account it changes.
//!
//! A simulation is a read like any other: its data holds the sender, the transactions and what is watched, and its
//! reply the results. There are three methods. `eth_simulateV1` runs the transactions as the account would send them
//! in the next block. A program at the account's own address makes all runs of an account in one call. `eth_call`
//! alone shows only if the call succeeds. Invariant: decoders take any bytes, and a reply is of this simulation or
//! malformed.

mod account_log;
mod gas_schedule;
mod program;
mod request;
mod result;

use alloy::primitives::{Address, Bytes, U256};

pub use self::account_log::{AccountLog, LogKind};
pub(crate) use self::program::{PROGRAM, decode, encode, encoded_bytes};
pub(crate) use self::request::{SimulationRequest, TIP_USUAL, only_step, sender_of};
pub(crate) use self::result::{SimulatedAt, SimulatedBlock, decode_blocks};
use crate::methods::packed::{Malformed, big_endian, length, take};
use crate::{Effort, Freshness, Kind, Outcome, Read, ReadFailure};

/// Maximum gas of a step in the packed program: many times what claims need.
const PACKED_STEP_GAS: u32 = 5_000_000;
/// Maximum gas of a whole run in the packed program: what nodes allow for a call, less the rest of the request.
const PACKED_RUN_GAS: u32 = 40_000_000;

/// Maximum gas of a transaction (EIP-7825).
pub const TRANSACTION_GAS_MAX: u32 = 1 << 24;

/// The sender of the transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    pub account: Address,
    pub code: AccountCode,
    /// Wei, at the block of the simulation.
    pub balance: U256,
}

/// The code at an account's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountCode {
    None,
    /// A delegation to a contract whose code runs in its place (EIP-7702).
    Delegation,
    /// The account is a contract, which others call to make it send something.
    Contract,
}

impl AccountCode {
    /// Classifies code by its size: only a delegation may begin with its marker (EIP-3541).
    pub fn of_size(bytes: U256) -> Self {
        match u64::try_from(bytes) {
            Ok(0) => Self::None,
            Ok(DELEGATION_BYTES) => Self::Delegation,
            _ => Self::Contract,
        }
    }
}

/// `0xef0100` and an address.
const DELEGATION_BYTES: u64 = 23;

/// Codes by the first byte of a simulation's data.
const CODES: [AccountCode; 3] = [AccountCode::None, AccountCode::Delegation, AccountCode::Contract];

/// Transactions of an account that run one after the other, until one fails, and are then undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    pub steps: Vec<RunStep>,
    pub watched: Watched,
}

/// One transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    pub to: Address,
    /// Wei.
    pub value: U256,
    pub data: Bytes,
    /// Gas limit of the transaction.
    pub gas: u32,
}

/// The contracts that are watched, besides the native balance of the account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Tokens whose balances are watched.
    pub tokens: Vec<Address>,
    /// Number of tokens, from the first on, that are also watched for approvals of the spenders.
    pub own: u8,
    pub spenders: Vec<Address>,
}

/// The result of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub method: SimulationMethod,
    /// The steps that were made, in order; only the last one can have failed.
    pub steps: Vec<StepEnd>,
    /// `None` if the method does not show them.
    pub changes: Option<Changes>,
}

impl Run {
    /// Returns the data of the step that reverted, if one did.
    pub fn reverted(&self) -> Option<&Bytes> {
        self.steps.last().and_then(|step| step.reverted.as_ref())
    }

    /// Returns the gas of all steps, if the method shows it.
    pub fn gas(&self) -> Option<u64> {
        self.steps.iter().map(|step| step.gas).sum()
    }
}

/// The end of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepEnd {
    /// Gas that the transaction pays for, if the method shows it; after refunds with
    /// [`SimulationMethod::SimulateV1`].
    pub gas: Option<u64>,
    /// Gas used before refunds (EIP-3529): the gas limit must be at least this.
    pub gas_before_refunds: Option<u64>,
    /// Gas limit that it ran with, if it ran as a transaction. Lower than that of its [`RunStep`] if a block has no
    /// room for so much.
    pub gas_limit: Option<u32>,
    /// Revert data, if it reverted; at most 1,024 bytes.
    pub reverted: Option<Bytes>,
}

/// The differences. Nothing is listed twice, or with equal values before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Before and after, in wei, without the cost of gas.
    pub native: Option<(U256, U256)>,
    /// Tokens with the balance before and after, in the order in which they are watched.
    pub tokens: Vec<(Address, U256, U256)>,
    pub approvals: Vec<Approval>,
    /// Reports of the logs about the account; only with [`SimulationMethod::SimulateV1`].
    pub logs: Vec<AccountLog>,
}

/// An approval that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approval {
    pub token: Address,
    pub spender: Address,
    /// True for `setApprovalForAll`, false for an allowance.
    pub of_all: bool,
    /// The allowance before and after; 0 or 1 if it is of all.
    pub before: U256,
    pub after: U256,
}

/// Method of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimulationMethod {
    /// A program that a state override puts at the account's address.
    Override,
    /// `eth_simulateV1`.
    SimulateV1,
    /// `eth_call`, which shows success only.
    Call,
}

/// The author of a reply, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyKind {
    /// The program, if a transaction's gas follows from the gas that its call used.
    Override,
    SimulateV1,
    Call,
    /// The program, if the gas of a call does not show what its transaction costs: gas for state (EIP-8037).
    OverrideWithoutGas,
}

const REPLY_KINDS: [ReplyKind; 4] =
    [ReplyKind::Override, ReplyKind::SimulateV1, ReplyKind::Call, ReplyKind::OverrideWithoutGas];

impl ReplyKind {
    fn method(self) -> SimulationMethod {
        match self {
            Self::Override | Self::OverrideWithoutGas => SimulationMethod::Override,
            Self::SimulateV1 => SimulationMethod::SimulateV1,
            Self::Call => SimulationMethod::Call,
        }
    }
}

impl Simulation {
    /// Makes its read. `None` if it exceeds what a request can hold: 255 steps, tokens or spenders, 65,535 bytes of
    /// data, or 2^128 wei.
    pub fn read(&self, sender: &Sender, effort: Effort) -> Option<Read> {
        let gas = self.steps.iter().map(|step| step.gas.min(PACKED_STEP_GAS)).fold(0, u32::saturating_add);
        Some(Read {
            kind: Kind::Simulation(effort),
            to: sender.account,
            data: self.data(sender)?.into(),
            from: None,
            freshness: Freshness::Pinned,
            isolated: false,
            gas_cap: Some(gas.min(PACKED_RUN_GAS)),
        })
    }

    /// Decodes the result on this chain from the outcome of its read.
    ///
    /// # Errors
    /// The reason why it could not be made; `Ok(None)` if the network's endpoints have no method that costs so
    /// little.
    pub fn run(&self, chain_id: u64, outcome: &Outcome) -> Result<Option<Run>, ReadFailure> {
        match outcome {
            Outcome::Ok(reply) => self.decode(chain_id, reply).map(Some).map_err(|_| ReadFailure::Upstream),
            Outcome::Failed(failure) => Err(*failure),
            Outcome::OverBudget => Err(ReadFailure::OverBudget),
            Outcome::Unsupported | Outcome::GasCap | Outcome::NoCode | Outcome::Reverted(_) => Ok(None),
        }
    }

    /// Encodes the sender's code (1) and balance (32), the number of steps (1), their gas limits (4 each), and the
    /// body.
    fn data(&self, sender: &Sender) -> Option<Vec<u8>> {
        let code = CODES.iter().position(|code| *code == sender.code)?;
        let mut data = vec![u8::try_from(code).ok()?];
        data.extend(sender.balance.to_be_bytes::<32>());
        data.push(u8::try_from(self.steps.len()).ok()?);
        self.steps.iter().for_each(|step| data.extend(step.gas.to_be_bytes()));
        data.extend(self.body()?);
        Some(data)
    }

    /// Encodes the program's body of this run.
    fn body(&self) -> Option<Vec<u8>> {
        let Self { steps, watched: Watched { tokens, own, spenders } } = self;
        let small = |count: usize| u8::try_from(count).ok();
        let mut body = vec![small(tokens.len())?, *own, small(spenders.len())?];
        tokens.iter().chain(spenders).for_each(|address| body.extend_from_slice(address.as_slice()));
        body.push(small(steps.len())?);
        for RunStep { to, value, data, gas: _ } in steps {
            body.extend_from_slice(to.as_slice());
            body.extend(u128::try_from(*value).ok()?.to_be_bytes());
            body.extend(u16::try_from(data.len()).ok()?.to_be_bytes());
            body.extend_from_slice(data);
        }
        Some(body)
    }

    /// Decodes the author of a reply, and then the result of the run.
    fn decode(&self, chain_id: u64, mut reply: &[u8]) -> Result<Run, Malformed> {
        let reply = &mut reply;
        let first = length(reply, 1)?;
        let kind = *REPLY_KINDS.get(first).ok_or(Malformed::Count)?;
        let (made, mut steps) = (length(reply, 1)?, Vec::new());
        for step in self.steps.get(..made).ok_or(Malformed::Count)? {
            let end = step_end(reply, kind, chain_id, step)?;
            let is_last = end.reverted.is_some();
            steps.push(end);
            if is_last {
                break;
            }
        }
        let ended = steps.len() == self.steps.len() || steps.last().is_some_and(|step| step.reverted.is_some());
        if steps.len() != made || !ended {
            return Err(Malformed::Count);
        }
        let mut changes = if kind == ReplyKind::Call { None } else { Some(self.changes(reply)?) };
        if let Some(changes) = changes.as_mut().filter(|_| kind == ReplyKind::SimulateV1) {
            changes.logs = account_log::decode(reply)?;
        }
        if reply.is_empty() { Ok(Run { method: kind.method(), steps, changes }) } else { Err(Malformed::Count) }
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

fn step_end(reply: &mut &[u8], kind: ReplyKind, chain_id: u64, step: &RunStep) -> Result<StepEnd, Malformed> {
    let (success, used) = (number(reply, 1)?, number(reply, 4)?);
    let (gas, gas_before_refunds, gas_limit) = match kind {
        ReplyKind::Override => {
            let gas = gas_schedule::transaction_gas(chain_id, used, step);
            (Some(gas), Some(gas), None)
        }
        ReplyKind::SimulateV1 => {
            let before_refunds = number(reply, 4)?;
            (Some(used), Some(before_refunds), u32::try_from(number(reply, 4)?).ok())
        }
        ReplyKind::Call | ReplyKind::OverrideWithoutGas => (None, None, None),
    };
    let reverted = if success == 0 { Some(data(reply)?) } else { None };
    Ok(StepEnd { gas, gas_before_refunds, gas_limit, reverted })
}

/// Puts the author in front of the result of a run.
pub(crate) fn reply(kind: ReplyKind, run: &[u8]) -> Bytes {
    let number = REPLY_KINDS.iter().position(|own| *own == kind).and_then(|place| u8::try_from(place).ok());
    [&[number.unwrap_or(u8::MAX)], run].concat().into()
}

/// Encodes how the only step of a run ended, and nothing else.
pub(crate) fn end_of_call(reverted: Option<&[u8]>) -> Vec<u8> {
    let mut run = vec![1];
    put_end(&mut run, &[0], reverted);
    run
}

/// Maximum length of revert data; the rest is cut off.
const REVERT_MAX_BYTES: usize = 1024;

fn put_end(run: &mut Vec<u8>, gas: &[u64], reverted: Option<&[u8]>) {
    run.push(u8::from(reverted.is_none()));
    gas.iter().for_each(|gas| run.extend(u32::try_from(*gas).unwrap_or(u32::MAX).to_be_bytes()));
    if let Some(data) = reverted {
        let data = data.get(..REVERT_MAX_BYTES).unwrap_or(data);
        run.extend_from_slice(&(data.len() as u64).to_be_bytes()[6..]);
        run.extend_from_slice(data);
    }
}

/// Returns true if a step in the program's result of a run failed; an empty result means that the run used up its
/// gas.
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
