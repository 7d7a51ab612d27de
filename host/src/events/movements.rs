//! Movements of tokens to and from an account, by the evidence of the transaction's receipt.
//!
//! Invariant: a movement is one of: a transfer in a log; the transaction's own value, or what it brought from the
//! parent chain; shares that a vault reports as minted or burned without a token log; a native amount that an event
//! reports as paid by or to the account. Native transfers between contracts are in no receipt, unless the network logs
//! all of them. They are never guessed here.

use std::collections::{BTreeMap, HashMap, HashSet};

use alloy::primitives::{Address, B256, U256, b256};
use portolan_assets::token::NATIVE;
use portolan_events::{Event, Transaction, Value};

use super::action::{self, Flow};
use super::merge::MergedEvent;
use super::native::NativeLogs;

/// `ExecutionSuccess(bytes32,uint256)` and `ExecutionFromModuleSuccess(address)`.
const SAFE_SUCCESSES: [B256; 2] = [
    b256!("442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e"),
    b256!("6895c13664aa4f67288b25d7a21d7aaa34916e355fb9b6fae0a139a9085becb8"),
];
/// Also `ExecutionFailure(bytes32,uint256)` and `ExecutionFromModuleFailure(address)`.
const SAFE_ENDS: [B256; 4] = [
    SAFE_SUCCESSES[0],
    SAFE_SUCCESSES[1],
    b256!("23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23"),
    b256!("acd2c8702804128fdb0db2bb49f6d127dd0181c13fd45dbfe16de0930e2bd375"),
];

/// A token, or one token id of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MovedAsset {
    pub(crate) token: Address,
    /// Token id, if the token is a collection.
    pub(crate) token_id: Option<U256>,
}

/// A transfer to or from the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Transfer {
    pub(crate) asset: MovedAsset,
    pub(crate) from: Address,
    pub(crate) to: Address,
    /// Smallest units.
    pub(crate) raw: U256,
}

/// Net movement of one asset over all transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Movement {
    pub(crate) asset: MovedAsset,
    /// Smallest units.
    pub(crate) raw: U256,
    /// The counterparty, if all transfers in the movement's direction have the same one.
    pub(crate) other: Option<Address>,
}

/// Net movements by asset, in the order of their first transfers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Movements {
    pub(crate) incoming: Vec<Movement>,
    pub(crate) outgoing: Vec<Movement>,
    /// The transfers that the movements sum up.
    pub(crate) transfers: Vec<Transfer>,
}

impl Movements {
    pub(crate) fn of(events: &[MergedEvent], transaction: &Transaction, account: Address, logs: NativeLogs) -> Self {
        let mut transfers: Vec<Transfer> = events.iter().filter_map(|merged| transfer(merged, account)).collect();
        let shares = shares(events, &transfers, account);
        let pays_gas = account == transaction.from;
        let is_gas = |transfer: &Transfer| {
            let collector = logs.fee_collector.filter(|_| pays_gas && transfer.asset.token == NATIVE);
            collector.is_some_and(|collector| [transfer.from, transfer.to].contains(&collector))
        };
        transfers.retain(|transfer| [transfer.from, transfer.to].contains(&account) && !is_gas(transfer));
        transfers.extend(wrapped(events, &transfers, account));
        transfers.extend(shares);
        if !logs.is_whole {
            transfers.extend(native(events, transaction, account));
        }
        net(transfers, account)
    }

    /// Tokens that moved.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = Address> {
        self.incoming.iter().chain(&self.outgoing).map(|movement| movement.asset.token)
    }
}

/// Returns the transfer that an event of the host's tables, or the transaction itself, shows. Tokens that burn without
/// a recipient do not go to the account of the zero address.
fn transfer(merged: &MergedEvent, account: Address) -> Option<Transfer> {
    let event = &merged.event;
    if merged.part_of.is_some() {
        return None;
    }
    let (asset, raw) = match event.kind.name() {
        "BRIDGE_IN" if merged.log.is_none() => {
            let (asset, to) = (MovedAsset { token: NATIVE, token_id: None }, event.address("recipient")?);
            return Some(Transfer { asset, from: Address::ZERO, to, raw: event.asset("amount")?.raw });
        }
        "TRANSFER" | "MINT" | "BURN" => {
            let Value::Amount { raw, of: Some(token) } = event.member("amount")? else { return None };
            (MovedAsset { token: *token, token_id: None }, *raw)
        }
        "NFT_TRANSFER" => {
            let Value::Number(token_id) = event.member("tokenId")? else { return None };
            let raw = event.asset("amount").map_or(U256::ONE, |asset| asset.raw);
            (MovedAsset { token: event.address("collection")?, token_id: Some(*token_id) }, raw)
        }
        _ => return None,
    };
    let from = event.address("from")?;
    let to = match event.address("to") {
        // A burn without a recipient goes to nobody, so it does not count for the account of the zero address.
        None if event.kind.name() == "BURN" && account != Address::ZERO => Address::ZERO,
        to => to?,
    };
    (merged.plugin.is_none() && !raw.is_zero()).then_some(Transfer { asset, from, to, raw })
}

/// Returns shares that vaults report as minted or burned for the account, without a token log.
fn shares(events: &[MergedEvent], transfers: &[Transfer], account: Address) -> Vec<Transfer> {
    let logged: HashSet<(Address, Address, U256)> =
        transfers.iter().map(|transfer| (transfer.from, transfer.to, transfer.raw)).collect();
    let mut found = Vec::new();
    for event in events.iter().filter(|merged| merged.part_of.is_none()).map(|merged| &merged.event) {
        let (from, to) = match event.kind.name() {
            "VAULT_DEPOSIT" => (Address::ZERO, account),
            "VAULT_WITHDRAW" => (account, Address::ZERO),
            _ => continue,
        };
        let Some(Value::Amount { raw, of: Some(vault) }) = event.member("shares") else { continue };
        let is_own = event.address("owner") == Some(account) && !raw.is_zero();
        if is_own && !logged.contains(&(from, to, *raw)) {
            found.push(Transfer { asset: MovedAsset { token: *vault, token_id: None }, from, to, raw: *raw });
        }
    }
    found
}

/// Returns the wrapped tokens of wraps. Some wrappers also log a mint or a burn, which counts once.
fn wrapped(events: &[MergedEvent], transfers: &[Transfer], account: Address) -> Vec<Transfer> {
    let mut logged: HashMap<Transfer, usize> = HashMap::new();
    transfers.iter().for_each(|transfer| *logged.entry(*transfer).or_default() += 1);
    let mut found = Vec::new();
    for (flow, token, raw) in events.iter().filter_map(|merged| wrap(&merged.event, account)) {
        let asset = MovedAsset { token, token_id: None };
        let by = |other| match flow {
            Flow::In => Transfer { asset, from: other, to: account, raw },
            Flow::Out => Transfer { asset, from: account, to: other, raw },
        };
        match logged.get_mut(&by(Address::ZERO)).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => found.push(by(token)),
        }
    }
    found
}

/// Returns the direction of the wrapped token if the account wrapped or unwrapped, with token and amount.
fn wrap(event: &Event, account: Address) -> Option<(Flow, Address, U256)> {
    let flow = match event.kind.name() {
        "WRAP" => Flow::In,
        "UNWRAP" => Flow::Out,
        _ => return None,
    };
    let amount = event.asset("amount").filter(|amount| !amount.raw.is_zero())?;
    (event.address("account") == Some(account)).then_some((flow, amount.token?, amount.raw))
}

/// Events that report one native amount.
struct NativePayment {
    /// Index of the first event.
    place: usize,
    /// The counterparty that the event names, or else the contract that logged it.
    other: Address,
    /// Number of reports by contract and event type.
    counts: HashMap<(Address, &'static str), usize>,
}

/// Returns native amounts that events report as paid by or to the account, and that no transfer shows. A transaction's
/// sender pays only its value, unless it runs code itself. Several contracts may log one payment.
fn native(events: &[MergedEvent], transaction: &Transaction, account: Address) -> Vec<Transfer> {
    let pays_by_value = account == transaction.from && transaction.to != Some(account);
    // By direction and amount.
    let mut paid: BTreeMap<(Flow, U256), NativePayment> = BTreeMap::new();
    for (place, merged) in events.iter().enumerate().filter(|(_, merged)| merged.part_of.is_none()) {
        let Some(emitter) = merged.emitter(transaction) else { continue };
        let wraps = wrap(&merged.event, account).map(|(flow, _, raw)| {
            let opposite = if flow == Flow::In { Flow::Out } else { Flow::In };
            (opposite, raw)
        });
        let payments = action::native_payments(&merged.event).into_iter();
        let payments = payments.filter(|(_, whose, _)| *whose == account).map(|(flow, _, asset)| (flow, asset.raw));
        let safe = safe_payment(&merged.event, account).filter(|_| emitter == account && is_made(merged, transaction));
        let other = safe.map_or(emitter, |(.., other)| other);
        let of_safe = safe.map(|(flow, raw, _)| (flow, raw));
        for (flow, raw) in wraps.into_iter().chain(payments).chain(of_safe) {
            if flow == Flow::Out && pays_by_value {
                continue;
            }
            let first = || NativePayment { place, other, counts: HashMap::new() };
            let NativePayment { counts, .. } = paid.entry((flow, raw)).or_insert_with(first);
            *counts.entry((emitter, merged.event.kind.name())).or_default() += 1;
        }
    }
    let logged = logged_native(events, account);
    let mut found = Vec::new();
    for ((flow, raw), NativePayment { place, other, counts }) in paid {
        let (from, to) = if flow == Flow::In { (other, account) } else { (account, other) };
        let times = counts.into_values().max().unwrap_or_default();
        let times = times.saturating_sub(logged.get(&(flow, raw)).copied().unwrap_or_default());
        let asset = MovedAsset { token: NATIVE, token_id: None };
        found.extend(std::iter::repeat_n((place, Transfer { asset, from, to, raw }), times));
    }
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, transfer)| transfer).collect()
}

/// Returns a native payment to or from a Safe that it logs: direction, amount and counterparty.
fn safe_payment(event: &Event, account: Address) -> Option<(Flow, U256, Address)> {
    let (flow, other) = match event.kind.name() {
        "SAFE_RECEIVED" => (Flow::In, event.address("sender")?),
        "SAFE_SENT" => (Flow::Out, event.address("recipient")?),
        _ => return None,
    };
    let raw = event.asset("amount").map(|amount| amount.raw).filter(|raw| !raw.is_zero())?;
    (event.address("contract") == Some(account)).then_some((flow, raw, other))
}

/// Returns true unless it is a payment of a Safe whose success the Safe does not log afterwards.
fn is_made(merged: &MergedEvent, transaction: &Transaction) -> bool {
    let Some(place) = merged.log.filter(|_| merged.event.kind.name() == "SAFE_SENT") else { return true };
    let emitter = transaction.logs.get(place).map(|log| log.address);
    let later = transaction.logs.iter().skip(place + 1).filter(|log| Some(log.address) == emitter);
    let topic = later.filter_map(|log| log.topics.first()).find(|topic| SAFE_ENDS.contains(topic));
    topic.is_some_and(|topic| SAFE_SUCCESSES.contains(topic))
}

/// Counts logged native transfers to or from the account by amount. What the transaction itself brought to the account
/// counts too, because the account may log it again.
fn logged_native(events: &[MergedEvent], account: Address) -> BTreeMap<(Flow, U256), usize> {
    let is_shown = |merged: &&MergedEvent| merged.log.is_some() || merged.event.address("to") == Some(account);
    let shown = events.iter().filter(is_shown).filter_map(|merged| transfer(merged, account));
    let of_account = shown.filter(|shown| shown.asset.token == NATIVE && [shown.from, shown.to].contains(&account));
    let mut logged = BTreeMap::new();
    for transfer in of_account {
        let flow = if transfer.to == account { Flow::In } else { Flow::Out };
        *logged.entry((flow, transfer.raw)).or_default() += 1;
    }
    logged
}

/// Sums of one asset.
#[derive(Default)]
struct Sums {
    incoming: U256,
    outgoing: U256,
    /// Counterparties by direction.
    others: [Vec<Address>; 2],
}

fn net(transfers: Vec<Transfer>, account: Address) -> Movements {
    let (mut order, mut sums) = (Vec::new(), HashMap::<MovedAsset, Sums>::new());
    // Transfers from the account to itself move nothing.
    for transfer in transfers.iter().filter(|transfer| transfer.from != transfer.to) {
        let of_asset = sums.entry(transfer.asset).or_insert_with(|| {
            order.push(transfer.asset);
            Sums::default()
        });
        let is_in = transfer.to == account;
        let (sum, other) =
            if is_in { (&mut of_asset.incoming, transfer.from) } else { (&mut of_asset.outgoing, transfer.to) };
        *sum = sum.saturating_add(transfer.raw);
        let [others_in, others_out] = &mut of_asset.others;
        let others = if is_in { others_in } else { others_out };
        // Two are enough to know that there are several.
        if others.len() < 2 && !others.contains(&other) {
            others.push(other);
        }
    }
    let (mut incoming, mut outgoing) = (Vec::new(), Vec::new());
    for asset in order {
        let Some(Sums { incoming: sum_in, outgoing: sum_out, others }) = sums.remove(&asset) else { continue };
        let only = |others: &[Address]| match others {
            [other] => Some(*other),
            _ => None,
        };
        let [others_in, others_out] = &others;
        if sum_in > sum_out {
            incoming.push(Movement { asset, raw: sum_in - sum_out, other: only(others_in) });
        } else if sum_out > sum_in {
            outgoing.push(Movement { asset, raw: sum_out - sum_in, other: only(others_out) });
        }
    }
    Movements { incoming, outgoing, transfers }
}

#[cfg(test)]
mod tests;
