//! The request of `eth_simulateV1` for one simulation: the account's transactions as it would send them in the next
//! block, between two calls of a watcher that reads its balances and approvals.
//!
//! Invariant: the account keeps its code, delegation, nonce and storage, and its balance if that pays for the gas.
//! Everything else that a contract can see is as it would be.

use alloy::primitives::{Address, Bytes, U256};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{AccountCode, CODES, RunStep, Sender};
use crate::Read;
use crate::chain::next_block::NextBlock;
use crate::methods::packed::{bytes, length, take};
use crate::wire::rpc::BlockId;

const HEX: &[u8] = include_bytes!("watch.hex");

/// Runtime code of `watch.yul`.
const WATCH_CODE: &[u8] = &bytes::<{ HEX.len() / 2 }>(HEX);

/// More than the gas of any call of the watcher costs.
const OBSERVER_WEI: U256 = U256::from_limbs([0, 0, 1, 0]);
/// Value of the first call to the watcher: a node that reports native movements reports this one.
pub(super) const WATCH_WEI: U256 = U256::from_limbs([1, 0, 0, 0]);

/// Gas of a call of the watcher, and of each of its reads; a read that takes more counts as zero.
const WATCH_GAS: u64 = 200_000;
const WATCH_READ_GAS: u64 = 60_000;
const WATCH_GAS_MAX: u64 = 5_000_000;

/// The gas limit of a usual claim.
const GAS_USUAL: u64 = 200_000;

/// Tip that wallets offer by default, wei.
pub(crate) const TIP_USUAL: u128 = 1_000_000_000;

/// The request for one simulation.
#[derive(Debug)]
pub(crate) struct SimulationRequest {
    params: (Value, BlockId),
    pub(super) sender: Sender,
    /// Gas limit of each step.
    pub(super) gas_limits: Vec<u32>,
    /// Wei per gas.
    pub(super) price: u128,
    /// Number of tokens, from the first on, that the watcher reads.
    pub(super) own: usize,
    /// Number of tokens after those, for which logs are used.
    pub(super) others: usize,
}

/// Serializes as the method's parameters: what is simulated, and at which block.
impl Serialize for SimulationRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.params.serialize(serializer)
    }
}

impl SimulationRequest {
    /// Makes a request; `None` if the read's data is not a simulation, or is more than one request can carry.
    pub(crate) fn new(read: &Read, account: Address, at: BlockId, next: &NextBlock, tip: u128) -> Option<Self> {
        let ParsedSimulation { sender, mut steps, watched, own, others } = parse(&read.data, account)?;
        let fees = Fees { next, tip };
        let (watcher, observer) = (nobody(), nobody());
        let gas = watch_gas(&watched)?;
        let data = [account.as_slice(), &watched].concat().into();
        let watch = fees.step(observer, &RunStep { to: watcher, value: U256::ZERO, data, gas });
        let watch_gas = u64::from(gas);
        let gas_max = gas_max(next, watch_gas);
        steps.iter_mut().for_each(|step| step.gas = step.gas.min(gas_max));
        let mut blocks: Vec<Vec<Value>> = vec![vec![with_value(&watch, WATCH_WEI)]];
        let (mut left, mut gas) = (next.gas_limit.saturating_sub(watch_gas), 0_u64);
        for step in &steps {
            if left < u64::from(step.gas) {
                blocks.push(Vec::new());
                left = next.gas_limit;
            }
            left = left.saturating_sub(step.gas.into());
            gas = gas.saturating_add(step.gas.into());
            blocks.last_mut()?.push(fees.step(account, step));
        }
        if left < watch_gas {
            blocks.push(Vec::new());
        }
        blocks.last_mut()?.push(watch);
        let mut overrides = json!({
            watcher.to_string(): {"code": Bytes::from_static(WATCH_CODE)},
            observer.to_string(): {"balance": OBSERVER_WEI},
        });
        let value = steps.iter().fold(U256::ZERO, |sum, step| sum.saturating_add(step.value));
        if let Some(balance) = fees.balance_that_suffices(sender.balance, gas, value) {
            overrides[account.to_string()] = json!({"balance": balance});
        }
        let mut state = Some(overrides);
        let blocks: Vec<Value> = blocks
            .into_iter()
            .enumerate()
            .map(|(place, calls)| {
                let mut block = json!({"blockOverrides": fees.block(place as u64), "calls": calls});
                if let Some(state) = state.take() {
                    block["stateOverrides"] = state;
                }
                block
            })
            .collect();
        // A contract sends no transactions (EIP-3607), so its own are not validated.
        let validation = sender.code != AccountCode::Contract;
        let params = json!({"blockStateCalls": blocks, "validation": validation, "traceTransfers": true});
        let gas_limits = steps.into_iter().map(|step| step.gas).collect();
        Some(Self { params: (params, at), sender, gas_limits, price: fees.price(), own, others })
    }
}

/// The next block, and the tip for its builder.
struct Fees<'a> {
    next: &'a NextBlock,
    tip: u128,
}

impl Fees<'_> {
    fn price(&self) -> u128 {
        self.next.base_fee.unwrap_or_default().saturating_add(self.tip)
    }

    /// Returns the balance for an account that cannot pay for so much gas. During the transaction it has its present
    /// balance less the cost of a usual claim.
    fn balance_that_suffices(&self, balance: U256, gas: u64, value: U256) -> Option<U256> {
        let cost = |gas: u64| U256::from(gas).saturating_mul(U256::from(self.price()));
        let needed = cost(gas).saturating_add(value);
        let left = balance.saturating_sub(cost(GAS_USUAL)).max(value);
        (balance < needed).then(|| cost(gas).saturating_add(left))
    }

    /// Returns the block that is `later` blocks after the next one.
    fn block(&self, later: u64) -> Value {
        let NextBlock { number, timestamp, fee_recipient, gas_limit, base_fee, prev_randao, .. } = self.next;
        let hex = |number: u64| format!("{number:#x}");
        let mut block = json!({
            "number": hex(number.saturating_add(later)),
            "time": hex(timestamp.saturating_add(later)),
            "gasLimit": hex(*gas_limit),
            "feeRecipient": fee_recipient,
            "prevRandao": prev_randao,
        });
        if let Some(base_fee) = base_fee {
            block["baseFeePerGas"] = json!(U256::from(*base_fee));
        }
        block
    }

    fn offer(&self, mut call: Value) -> Value {
        let price = U256::from(self.price());
        match self.next.base_fee {
            Some(_) => {
                call["maxFeePerGas"] = json!(price);
                call["maxPriorityFeePerGas"] = json!(U256::from(self.tip));
            }
            None => call["gasPrice"] = json!(price),
        }
        call
    }

    fn step(&self, account: Address, step: &RunStep) -> Value {
        let RunStep { to, value, data, gas } = step;
        let gas = U256::from(*gas);
        self.offer(json!({"from": account, "to": to, "value": value, "input": data, "gas": gas}))
    }
}

/// Returns an address that nobody has, a new one each time, so that no contract can check for it.
fn nobody() -> Address {
    Address::from(std::array::from_fn(|_| fastrand::u8(..)))
}

fn with_value(call: &Value, wei: U256) -> Value {
    let mut call = call.clone();
    call["value"] = json!(wei);
    call
}

fn watch_gas(watched: &[u8]) -> Option<u32> {
    let [tokens, own, spenders] = watched.first_chunk()?.map(u64::from);
    let reads = tokens + own * spenders * 2;
    u32::try_from((WATCH_GAS + reads * WATCH_READ_GAS).min(WATCH_GAS_MAX)).ok()
}

/// Returns the maximum gas of a step that fits into a block between two calls of the watcher.
fn gas_max(next: &NextBlock, watch_gas: u64) -> u32 {
    u32::try_from(next.gas_limit.saturating_sub(2 * watch_gas)).unwrap_or(u32::MAX)
}

/// Parses the sender from a simulation's data.
pub(crate) fn sender_of(data: &[u8], account: Address) -> Option<Sender> {
    parse(data, account).map(|parsed| parsed.sender)
}

/// Returns the only step of a simulation, if it has exactly one, and that is without value.
pub(crate) fn only_step(data: &[u8]) -> Option<RunStep> {
    let mut steps = parse(data, Address::ZERO)?.steps;
    steps.pop().filter(|step| step.value.is_zero() && steps.is_empty())
}

/// Offset of the steps, after the sender's code and balance.
const STEPS_AT: usize = 1 + 32;

/// Splits the program's body from a simulation's data.
pub(super) fn body(data: &[u8]) -> Option<&[u8]> {
    let steps = usize::from(*data.get(STEPS_AT)?);
    data.get(STEPS_AT + 1 + steps * 4..)
}

/// The parsed data of a simulation.
struct ParsedSimulation {
    sender: Sender,
    steps: Vec<RunStep>,
    /// Input of the watcher: the tokens that it reads, and the spenders.
    watched: Vec<u8>,
    /// Number of tokens that the watcher reads.
    own: usize,
    /// Number of other tokens.
    others: usize,
}

fn parse(data: &[u8], account: Address) -> Option<ParsedSimulation> {
    let body = body(data)?;
    let code = *CODES.get(usize::from(*data.first()?))?;
    let sender = Sender { account, code, balance: U256::from_be_slice(data.get(1..STEPS_AT)?) };
    let limits = data.get(STEPS_AT + 1..data.len() - body.len())?.chunks_exact(4);
    let ([tokens, own, spenders], mut rest) = (*body.first_chunk()?, body.get(3..)?);
    let rest = &mut rest;
    let mut addresses = |count: u8| take(rest, usize::from(count) * Address::len_bytes()).ok();
    let (own_tokens, _, named) = (addresses(own)?, addresses(tokens.checked_sub(own)?)?, addresses(spenders)?);
    let watched = [&[own, own, spenders], own_tokens, named].concat();
    let count = length(rest, 1).ok()?;
    let mut steps = Vec::with_capacity(limits.len());
    for gas in limits {
        let to = Address::from_slice(take(rest, 20).ok()?);
        let value = U256::from_be_slice(take(rest, 16).ok()?);
        let bytes = length(rest, 2).ok()?;
        let data = Bytes::copy_from_slice(take(rest, bytes).ok()?);
        steps.push(RunStep { to, value, data, gas: u32::from_be_bytes(*gas.first_chunk()?) });
    }
    let (own, others) = (usize::from(own), usize::from(tokens - own));
    (rest.is_empty() && count == steps.len()).then_some(ParsedSimulation { sender, steps, watched, own, others })
}
