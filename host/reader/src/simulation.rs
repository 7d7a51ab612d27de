//! What transactions of an account would do: how each ends, what it costs in gas, and which balances and approvals of the
//! account it changes.
//!
//! A simulation is a read like any other: its data says who sends what and what is watched, and its reply what came of
//! it. There are three methods. `eth_simulateV1` makes the transactions as the account would send them in the next block;
//! a program at the account's own address makes all runs of an account in one call; `eth_call` alone tells only whether
//! the call succeeds. Invariant: decoders take any bytes, and a reply is of this simulation or malformed.

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
use crate::packed::{Malformed, big_endian, length, take};
use crate::{Freshness, Kind, Outcome, Read, ReadFailure};

/// The gas of a step in the packed program, unless it has less: many times what claims need.
const PACKED_STEP_GAS: u32 = 5_000_000;
/// The gas of a whole run in the packed program: what nodes allow for a call, less the rest of the request.
const PACKED_RUN_GAS: u32 = 40_000_000;

/// The most gas that a transaction may have (EIP-7825).
pub const TRANSACTION_GAS_MAX: u32 = 1 << 24;

/// How much may be spent on a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// It is run together with others of the account.
    Packed,
    /// It is run by whatever the endpoint supports, alone if need be.
    Any,
}

/// Who sends the transactions.
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
    /// It names a contract whose code runs in its place (EIP-7702).
    Delegation,
    /// The account is a contract, which others call to have it send something.
    Contract,
}

impl AccountCode {
    /// By its size: that of a delegation is the only one that may begin with its marker (EIP-3541).
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

/// The codes by the first byte of a simulation's data.
const CODES: [AccountCode; 3] = [AccountCode::None, AccountCode::Delegation, AccountCode::Contract];

/// Transactions of an account that are made one after the other, until one fails, and undone again.
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
    /// The gas limit that it is sent with.
    pub gas: u32,
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
    /// What the transaction pays for, where the method tells: after refunds by [`SimulationMethod::SimulateV1`].
    pub gas: Option<u64>,
    /// What it used before refunds (EIP-3529): at least so much it needs as its limit.
    pub gas_before_refunds: Option<u64>,
    /// The limit that it was made with, where it was made as a transaction; lower than that of its [`RunStep`] where a
    /// block has no room for so much.
    pub gas_limit: Option<u32>,
    /// The data with which it reverted, if it did; 1,024 bytes at most.
    pub reverted: Option<Bytes>,
}

/// What is another than it was. Nothing is here twice, or the same before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Before and after, wei, without what the gas costs.
    pub native: Option<(U256, U256)>,
    /// Tokens with the balance before and after, in the order in which they are watched.
    pub tokens: Vec<(Address, U256, U256)>,
    pub approvals: Vec<Approval>,
    /// What the logs say of the account; by [`SimulationMethod::SimulateV1`] alone.
    pub logs: Vec<AccountLog>,
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

/// Who wrote a reply, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyKind {
    /// The program, where the gas of a transaction follows from what its call used.
    Override,
    SimulateV1,
    Call,
    /// The program, where a call's use does not show what its transaction costs: gas for state (EIP-8037).
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
    /// Makes the read of it. `None` where it is more than a request can say: 255 steps, tokens or spenders, 65,535 bytes
    /// of data, or 2^128 wei.
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

    /// What came of it on this chain, as the reply to its read says.
    ///
    /// # Errors
    /// Why it could not be made; `Ok(None)` where the network's endpoints have no method that costs so little.
    pub fn run(&self, chain_id: u64, outcome: &Outcome) -> Result<Option<Run>, ReadFailure> {
        match outcome {
            Outcome::Ok(reply) => self.decode(chain_id, reply).map(Some).map_err(|_| ReadFailure::Upstream),
            Outcome::Failed(failure) => Err(*failure),
            Outcome::OverBudget => Err(ReadFailure::OverBudget),
            Outcome::Unsupported | Outcome::GasCap | Outcome::NoCode | Outcome::Reverted(_) => Ok(None),
        }
    }

    /// The sender's code (1) and balance (32), the number of steps (1), their gas limits (4 each), and the program's body.
    fn data(&self, sender: &Sender) -> Option<Vec<u8>> {
        let code = CODES.iter().position(|code| *code == sender.code)?;
        let mut data = vec![u8::try_from(code).ok()?];
        data.extend(sender.balance.to_be_bytes::<32>());
        data.push(u8::try_from(self.steps.len()).ok()?);
        self.steps.iter().for_each(|step| data.extend(step.gas.to_be_bytes()));
        data.extend(self.body()?);
        Some(data)
    }

    /// The program's body of this run.
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

    /// Decodes who wrote a reply, and behind it what a run says.
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

/// Puts who wrote it before what a run says.
pub(crate) fn reply(kind: ReplyKind, run: &[u8]) -> Bytes {
    let number = REPLY_KINDS.iter().position(|own| *own == kind).and_then(|place| u8::try_from(place).ok());
    [&[number.unwrap_or(u8::MAX)], run].concat().into()
}

/// Says how the only step of a run ended, and nothing else.
pub(crate) fn end_of_call(reverted: Option<&[u8]>) -> Vec<u8> {
    let mut run = vec![1];
    put_end(&mut run, &[0], reverted);
    run
}

/// The longest data of a revert that is kept.
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

/// Whether a step of what the program says of a run failed; a run without bytes used up its gas.
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
