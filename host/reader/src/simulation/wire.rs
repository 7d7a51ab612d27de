//! The request and the result of `eth_simulateV1`: one block with a watcher's call, the account's calls, and the watcher's
//! call again. The watcher is the same program at an address that nobody has, and the account stays as it is.

use alloy::primitives::{Address, B256, Bytes, U64, U256, address};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::program::{MAGIC, PROGRAM, encode_watch};
use super::{RunStep, SimulationMethod, put_end, reply};
use crate::packed::{Malformed, split_head};
use crate::rpc::BlockId;
use crate::{Block, Read};

/// No account has this address; its last bytes are the project's name.
const WATCHER: Address = address!("77617463686572000000000000706f72746f6c61");

/// The parameters of the request for one run.
#[derive(Debug, Serialize)]
pub(crate) struct SimulationRequest(Value, BlockId);

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
    return_data: Bytes,
    error: Option<SimulatedError>,
}

#[derive(Clone, Debug, Deserialize)]
struct SimulatedError {
    data: Option<Bytes>,
}

impl SimulationRequest {
    /// `None` if the read's data is no body of a run.
    pub(crate) fn new(read: &Read, account: Address, at: BlockId) -> Option<Self> {
        let watch = || json!({"from": WATCHER, "to": WATCHER, "input": encode_watch(account, &read.data)});
        let steps = steps(&read.data)?;
        let call = |(to, value, data): (Address, U256, &[u8])| json!({"from": account, "to": to, "value": value, "input": Bytes::copy_from_slice(data)});
        let calls: Vec<Value> = [watch()].into_iter().chain(steps.into_iter().map(call)).chain([watch()]).collect();
        let code = Bytes::from_static(PROGRAM);
        let block = json!({"stateOverrides": {WATCHER.to_string(): {"code": code}}, "calls": calls});
        Some(Self(json!({"blockStateCalls": [block], "validation": false}), at))
    }
}

/// The only step of a body, if it has one, and that is without value.
pub(crate) fn only_step(body: &[u8]) -> Option<RunStep> {
    match steps(body)?[..] {
        [(to, value, data)] if value.is_zero() => Some(RunStep { to, value, data: Bytes::copy_from_slice(data) }),
        _ => None,
    }
}

/// Reads the steps of a body again.
fn steps(body: &[u8]) -> Option<Vec<(Address, U256, &[u8])>> {
    let [tokens, _, spenders] = *body.first_chunk()?;
    let addresses = (usize::from(tokens) + usize::from(spenders)) * Address::len_bytes();
    let (count, mut rest) = body.get(3 + addresses..)?.split_first()?;
    let mut steps = Vec::new();
    for _ in 0..*count {
        let (to, behind) = rest.split_first_chunk::<20>()?;
        let (value, behind) = behind.split_first_chunk::<16>()?;
        let (length, behind) = behind.split_first_chunk::<2>()?;
        let (data, behind) = behind.split_at_checked(u16::from_be_bytes(*length).into())?;
        steps.push((Address::from(to), U256::from(u128::from_be_bytes(*value)), data));
        rest = behind;
    }
    rest.is_empty().then_some(steps)
}

/// Decodes the result as the reply to a read. The block has to be the one after the pinned one.
pub(crate) fn decode_blocks(blocks: &[SimulatedBlock], chain_id: u64, pinned: &Block) -> Result<Bytes, Malformed> {
    let [block] = blocks else { return Err(Malformed::Count) };
    let number: u64 = block.number.to();
    let is_child = number == pinned.number + 1 && block.parent_hash == pinned.hash;
    // Some test nodes simulate the pinned block once more, without a parent.
    let is_again = block.parent_hash.is_zero() && (pinned.number..=pinned.number + 1).contains(&number);
    if !is_child && !is_again {
        return Err(Malformed::Foreign);
    }
    let [before, steps @ .., after] = &block.calls[..] else { return Err(Malformed::Count) };
    let watched = |call: &SimulatedCall| -> Result<Vec<U256>, Malformed> {
        let (head, words) = split_head(MAGIC, &call.return_data, 0)?;
        if head.chain_id != chain_id || words.len() % 32 != 0 {
            return Err(Malformed::Foreign);
        }
        Ok(words.chunks_exact(32).map(U256::from_be_slice).collect())
    };
    let (before, after) = (watched(before)?, watched(after)?);
    let has_failed = |step: &SimulatedCall| step.status.is_zero();
    let made = steps.iter().position(has_failed).map_or(steps.len(), |failed| failed + 1);
    let mut run = vec![u8::try_from(made).map_err(|_| Malformed::Count)?];
    for step in steps.iter().take(made) {
        let of_error = step.error.as_ref().and_then(|error| error.data.as_ref());
        let data = of_error.unwrap_or(&step.return_data);
        put_end(&mut run, step.gas_used.to(), has_failed(step).then_some(data));
    }
    if before.len() != after.len() {
        return Err(Malformed::Count);
    }
    let changed: Vec<_> = before.iter().zip(&after).enumerate().filter(|(_, (was, is))| was != is).collect();
    run.extend_from_slice(&(changed.len() as u64).to_be_bytes()[6..]);
    for (place, (was, is)) in changed {
        run.extend_from_slice(&(place as u64).to_be_bytes()[6..]);
        run.extend(was.to_be_bytes::<32>());
        run.extend(is.to_be_bytes::<32>());
    }
    Ok(reply(SimulationMethod::SimulateV1, &run))
}
