//! Converts the result of `eth_simulateV1` to the reply to a simulation.
//!
//! Invariant: it counts only if the simulated block follows the pinned one on the network's chain, as the watcher's
//! calls prove.

use alloy::primitives::{Address, B256, Bytes, U64, U256, address};
use serde::Deserialize;

use super::account_log::{self, SimulatedLog};
use super::request::{SimulationRequest, WATCH_WEI};
use super::{ReplyKind, Sender, put_end, reply};
use crate::Block;
use crate::methods::packed::{Malformed, split_head};

/// The first bytes of the watcher's output.
const MAGIC: [u8; 4] = *b"PTNW";

/// Emitters of a `Transfer` for a movement of the native token: nodes with `traceTransfers`, and networks from
/// Amsterdam on (EIP-7708). Neither address can have code.
const NATIVE_EMITTERS: [Address; 2] =
    [address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"), address!("fffffffffffffffffffffffffffffffffffffffe")];

/// Maximum refund of a transaction, one part in this many of the gas that it used (EIP-3529).
const REFUND_PARTS: u64 = 5;

/// One simulated block.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimulatedBlock {
    number: U64,
    parent_hash: B256,
    calls: Vec<SimulatedCall>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimulatedCall {
    status: U64,
    gas_used: U64,
    /// Before refunds; only newer nodes report it.
    max_used_gas: Option<U64>,
    return_data: Bytes,
    #[serde(default)]
    logs: Vec<SimulatedLog>,
    error: Option<SimulatedError>,
}

#[derive(Clone, Debug, Deserialize)]
struct SimulatedError {
    data: Option<Bytes>,
}

impl SimulatedCall {
    fn has_failed(&self) -> bool {
        self.status.is_zero()
    }

    fn gas_before_refunds(&self) -> u64 {
        let used: u64 = self.gas_used.to();
        self.max_used_gas.map_or_else(|| used + used.div_ceil(REFUND_PARTS - 1), |gas| gas.to())
    }

    fn put_end(&self, limit: u32, run: &mut Vec<u8>) {
        let of_error = self.error.as_ref().and_then(|error| error.data.as_ref());
        let data = of_error.unwrap_or(&self.return_data);
        let gas = [self.gas_used.to(), self.gas_before_refunds(), limit.into()];
        put_end(run, &gas, self.has_failed().then_some(data));
    }
}

/// Chain and block of a simulation.
pub(crate) struct SimulatedAt<'a> {
    pub(crate) chain_id: u64,
    pub(crate) pinned: &'a Block,
    /// True if contracts see the hashes of blocks.
    pub(crate) sees_parent_hash: bool,
}

impl SimulatedAt<'_> {
    /// Returns the watcher's output at the block after the pinned one.
    fn watch<'a>(&self, block: &SimulatedBlock, call: &'a SimulatedCall) -> Result<&'a [u8], Malformed> {
        let (head, words) = split_head(MAGIC, &call.return_data, 0)?;
        let (number, pinned): (u64, _) = (block.number.to(), self.pinned);
        // If contracts do not see the hashes of blocks, the node is believed; test nodes name no parent.
        let is_named = block.parent_hash == pinned.hash || !self.sees_parent_hash && block.parent_hash.is_zero();
        let follows = head.parent == pinned.hash || number == pinned.number + 1 && is_named;
        if head.chain_id != self.chain_id {
            return Err(Malformed::OtherChain(head.chain_id));
        }
        if !follows || words.len() % 32 != 0 {
            return Err(Malformed::Foreign);
        }
        Ok(words)
    }
}

/// Decodes the result of this request as the reply to the read of its simulation.
pub(crate) fn decode_blocks(
    blocks: &[SimulatedBlock],
    request: &SimulationRequest,
    at: &SimulatedAt<'_>,
) -> Result<Bytes, Malformed> {
    let SimulationRequest { sender: Sender { account, balance, .. }, gas_limits, price, own, others, .. } = request;
    let first = blocks.first().ok_or(Malformed::Count)?;
    let calls: Vec<&SimulatedCall> = blocks.iter().flat_map(|block| &block.calls).collect();
    let [watched_before, steps @ .., watched_after] = &calls[..] else { return Err(Malformed::Count) };
    let before = at.watch(first, watched_before)?;
    let after = split_head(MAGIC, &watched_after.return_data, 0)?.1;
    if before.len() != after.len() {
        return Err(Malformed::Count);
    }
    let made = steps.iter().position(|step| step.has_failed()).map_or(steps.len(), |failed| failed + 1);
    let steps = steps.get(..made).unwrap_or_default();
    let mut run = vec![u8::try_from(made).map_err(|_| Malformed::Count)?];
    steps.iter().zip(gas_limits).for_each(|(step, limit)| step.put_end(*limit, &mut run));
    let words = |bytes: &[u8]| bytes.chunks_exact(32).map(U256::from_be_slice).collect::<Vec<U256>>();
    let (mut before, mut after) = (words(before), words(after));
    let logs = || steps.iter().flat_map(|step| &step.logs);
    if let (Some(was), Some(is)) = (before.first_mut(), after.first_mut()) {
        let spent =
            steps.iter().map(|step| U256::from(step.gas_used.to::<u64>())).fold(U256::ZERO, U256::saturating_add);
        let spent = spent.saturating_mul(U256::from(*price));
        *is = match native_emitter(watched_before) {
            Some(emitter) => moved(*balance, *account, logs().filter(|log| log.address == emitter)),
            // The node reports no movements, and charges only for gas.
            None => balance.saturating_add(is.saturating_add(spent)).saturating_sub(*was),
        };
        *was = *balance;
    }
    put_changes(&before, &after, |place| if place > *own { place + others } else { place }, &mut run);
    let of_tokens = logs().filter(|log| !NATIVE_EMITTERS.contains(&log.address));
    account_log::encode(&account_log::of_account(of_tokens, *account)?, &mut run);
    Ok(reply(ReplyKind::SimulateV1, &run))
}

/// Returns the emitter of native movements, as shown by the watcher's first call, which sends value.
fn native_emitter(watch: &SimulatedCall) -> Option<Address> {
    let is_of_watch = |log: &SimulatedLog| log.transfer().is_some_and(|(_, _, wei)| wei == WATCH_WEI);
    let tells = |emitter: &Address| watch.logs.iter().any(|log| log.address == *emitter && is_of_watch(log));
    NATIVE_EMITTERS.into_iter().find(tells)
}

/// Returns the balance after these movements. Adds incoming amounts first, so that the order does not matter.
fn moved<'a>(balance: U256, account: Address, logs: impl Iterator<Item = &'a SimulatedLog> + Clone) -> U256 {
    let sum = |is_own: fn(&(Address, Address, U256), Address) -> bool| {
        let own = logs.clone().filter_map(SimulatedLog::transfer).filter(|log| is_own(log, account));
        own.fold(U256::ZERO, |sum, (_, _, wei)| sum.saturating_add(wei))
    };
    let (came, went) = (sum(|log, account| log.1 == account), sum(|log, account| log.0 == account));
    balance.saturating_add(came).saturating_sub(went)
}

/// Writes the words that changed, each with its place among all that the simulation watches.
fn put_changes(before: &[U256], after: &[U256], place_of: impl Fn(usize) -> usize, run: &mut Vec<u8>) {
    let changed: Vec<_> = before.iter().zip(after).enumerate().filter(|(_, (was, is))| was != is).collect();
    run.extend_from_slice(&(changed.len() as u64).to_be_bytes()[6..]);
    for (place, (was, is)) in changed {
        run.extend_from_slice(&(place_of(place) as u64).to_be_bytes()[6..]);
        run.extend(was.to_be_bytes::<32>());
        run.extend(is.to_be_bytes::<32>());
    }
}

#[cfg(test)]
mod tests;
