//! Links events that are part of another, so that the remaining ones add up to what was moved.
//!
//! Two logs may report one movement: a bridge under its old and its new signature, a pool and the pool that pays its
//! extra rewards, an aggregator and the pools it routed through. Invariant: the links follow from events alone, by
//! equal amounts and by who moved them. An event is part of at most one other, and there are no cycles.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use alloy::primitives::{Address, B256, U256};
use portolan_assets::token::NATIVE;
use portolan_events::{Asset, Event, Transaction, Value};

use super::merge::MergedEvent;

/// Kind of movement that an event type reports, if any; several types may have the same kind.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "WITHDRAW" | "UNSTAKE" | "UNLOCK" | "VAULT_WITHDRAW" | "REMOVE_LIQUIDITY" | "COLLECT_FEES" => "taken out",
        "SUPPLY" | "STAKE" | "LOCK" | "VAULT_DEPOSIT" | "ADD_LIQUIDITY" => "put in",
        "CLAIM" => "claimed",
        "BORROW" => "borrowed",
        "REPAY" => "repaid",
        "BRIDGE_IN" => "arrived",
        "BRIDGE_OUT" => "left",
        SWAP => "swapped",
        _ => return None,
    })
}

const SWAP: &str = "SWAP";
/// Event types that show that a token moved.
const TRANSFERS: [&str; 3] = ["TRANSFER", "MINT", "BURN"];
/// Tokens with raw amounts, if known, sorted or in the order of their roles.
type Amounts = Vec<(Option<Address>, U256)>;

/// The movement that an event reports.
struct ReportedMovement {
    /// Indexes of the event and of its log.
    event: usize,
    log: usize,
    kind: &'static str,
    /// The account that moved the tokens, if the event names it.
    party: Option<Address>,
    amounts: Amounts,
    emitter: Address,
    topic: Option<B256>,
    has_protocol: bool,
    is_swap: bool,
    has_pool: bool,
}

/// Sets `part_of` of each event that is part of another. Events are in log order.
pub(crate) fn link(events: &mut [MergedEvent], transaction: &Transaction, wrapped_native: Option<Address>) {
    let found = events.iter().enumerate();
    let movements: Vec<ReportedMovement> =
        found.filter_map(|(place, merged)| ReportedMovement::of(place, merged, transaction)).collect();
    if movements.len() < 2 {
        return;
    }
    let mut parents = Parents { of: vec![None; movements.len()] };
    repeated(&movements, events, &mut parents);
    let repeats: Vec<bool> = parents.of.iter().map(Option::is_some).collect();
    moved_on(&movements, &mut parents);
    routed(&movements, wrapped_native, &mut parents);
    for ((part, parent), is_repeat) in movements.iter().zip(parents.of).zip(repeats) {
        let parent = parent.and_then(|parent| movements.get(parent));
        if let (Some(parent), Some(merged)) = (parent, events.get_mut(part.event)) {
            merged.part_of = Some(parent.log);
            merged.is_repeat = is_repeat;
        }
    }
}

/// If the original was filtered out, its duplicate becomes the original.
pub(crate) fn keep_last_reports(events: &mut [MergedEvent]) {
    if !events.iter().any(|merged| merged.is_repeat) {
        return;
    }
    let logs: HashSet<Option<usize>> = events.iter().map(|merged| merged.log).collect();
    for merged in events.iter_mut().filter(|merged| merged.is_repeat) {
        merged.is_repeat = logs.contains(&merged.part_of);
    }
}

/// For each movement, the index of the one that it is part of.
struct Parents {
    of: Vec<Option<usize>>,
}

impl Parents {
    fn parent(&self, place: usize) -> Option<usize> {
        self.of.get(place).copied().flatten()
    }

    /// Adds a link, unless the part already has one or the link would close a cycle.
    fn add(&mut self, part: usize, parent: usize) {
        let mut root = parent;
        while let Some(next) = self.parent(root) {
            root = next;
        }
        if let Some(free @ None) = self.of.get_mut(part).filter(|_| root != part) {
            *free = Some(parent);
        }
    }
}

impl ReportedMovement {
    /// Returns `None` if the event moves nothing, or if the amount is unknown.
    fn of(place: usize, merged: &MergedEvent, transaction: &Transaction) -> Option<Self> {
        let (event, log) = (&merged.event, merged.log?);
        let kind = kind(event.kind.name())?;
        let is_swap = event.kind.name() == SWAP;
        let single = if is_swap { ["fromAmount", "toAmount"].as_slice() } else { &["amount"] };
        let mut amounts: Amounts = single.iter().filter_map(|name| amount(event, name)).collect();
        match event.member("assets") {
            // With several assets, the single amount is the first of them.
            Some(Value::Assets(assets)) if !assets.is_empty() => {
                amounts = assets.iter().map(|Asset { token, raw }| (*token, *raw)).collect();
                amounts.sort_unstable();
            }
            _ if is_swap && amounts.len() < 2 => return None,
            _ => {}
        }
        let party = ["user", "recipient", "owner"].iter().find_map(|name| event.address(name));
        let emitted = transaction.logs.get(log)?;
        amounts.iter().any(|(_, raw)| !raw.is_zero()).then_some(Self {
            event: place,
            log,
            kind,
            party,
            amounts,
            emitter: emitted.address,
            topic: emitted.topics.first().copied(),
            has_protocol: event.protocol.is_some(),
            is_swap,
            has_pool: event.member("pool").is_some(),
        })
    }

    /// Kind, account and amounts; equal for reports of the same movement.
    fn what(&self) -> (&'static str, Option<Address>, &Amounts) {
        (self.kind, self.party, &self.amounts)
    }

    fn source(&self) -> (Address, Option<B256>) {
        (self.emitter, self.topic)
    }

    /// Returns true if a transfer between these ends matches the movement: from the party if it puts in, repays or
    /// bridges out, to it if it takes out. A swap matches both.
    fn is_moved_by(&self, [from, to]: [Address; 2], party: Address) -> bool {
        match self.kind {
            "put in" | "repaid" | "left" => from == party,
            "swapped" => [from, to].contains(&party),
            _ => to == party,
        }
    }
}

/// Links reports of one movement of one party by several contracts or topics: there are more reports than transfers
/// that match. The report of the contract at the transfers' other end is the original.
fn repeated(movements: &[ReportedMovement], events: &[MergedEvent], parents: &mut Parents) {
    let of_somebody = movements.iter().enumerate().filter(|(_, movement)| movement.party.is_some());
    let mut reports: Vec<(usize, &ReportedMovement)> = of_somebody.collect();
    reports.sort_by(|(_, one), (_, other)| one.what().cmp(&other.what()));
    let mut known_transfers = None;
    for same in reports.chunk_by(|(_, one), (_, other)| one.what() == other.what()) {
        let Some((_, first)) = same.first() else { continue };
        let is_of_one = same.iter().all(|(_, one)| one.source() == first.source());
        let Some(party) = first.party.filter(|_| !is_of_one) else { continue };
        let transfers = known_transfers.get_or_insert_with(|| transfers(events));
        // An unknown token matches any. The rarest known transfer tells how often all of it moved.
        let known = first.amounts.iter().filter_map(|(token, raw)| transfers.get(&((*token)?, *raw)));
        let own = known.map(|ends| ends.iter().filter(|ends| first.is_moved_by(**ends, party)).collect::<Vec<_>>());
        let made = own.filter(|own| !own.is_empty()).min_by_key(Vec::len).unwrap_or_default();
        let ends: HashSet<Address> = made.iter().flat_map(|ends| **ends).collect();
        let mut same = same.to_vec();
        same.sort_by_key(|(place, one)| (!ends.contains(&one.emitter), !one.has_protocol, std::cmp::Reverse(*place)));
        let (kept, others) = same.split_at(made.len().clamp(1, same.len()));
        let parent = kept.first().map(|(place, _)| *place);
        others.iter().for_each(|(place, _)| parents.add(*place, parent.unwrap_or(*place)));
    }
}

/// Links what the contract of an event moved on in its own name: the same amount, with that contract as the user.
fn moved_on(movements: &[ReportedMovement], parents: &mut Parents) {
    let emitters: BTreeSet<Address> = movements.iter().map(|movement| movement.emitter).collect();
    let is_of_emitter = |movement: &ReportedMovement| movement.party.is_some_and(|party| emitters.contains(&party));
    if !movements.iter().any(is_of_emitter) {
        return;
    }
    let mut first: HashMap<(&str, &Amounts, Address), usize> = HashMap::new();
    for (place, movement) in movements.iter().enumerate() {
        if movement.party != Some(movement.emitter) {
            first.entry((movement.kind, &movement.amounts, movement.emitter)).or_insert(place);
        }
    }
    for (place, movement) in movements.iter().enumerate() {
        let parent = movement.party.and_then(|party| first.get(&(movement.kind, &movement.amounts, party)));
        if let Some(parent) = parent.filter(|_| movement.party != Some(movement.emitter)) {
            parents.add(place, *parent);
        }
    }
}

/// Links the swaps of pools to the route that an aggregator reports: the pools take all of its input or give all of
/// its output, and no other token is left over.
fn routed(movements: &[ReportedMovement], wrapped_native: Option<Address>, parents: &mut Parents) {
    let swaps = movements.iter().enumerate().filter(|(_, movement)| movement.is_swap);
    let swaps: Vec<(usize, &ReportedMovement)> = swaps.filter(|(place, _)| parents.parent(*place).is_none()).collect();
    let (pools, routes): (Vec<_>, Vec<_>) = swaps.iter().copied().partition(|(_, swap)| swap.has_pool);
    let mut before = Vec::new();
    for (place, swap) in &swaps {
        if swap.has_pool {
            before.push((*place, *swap));
            continue;
        }
        let since = std::mem::take(&mut before);
        // An order book reports before it trades.
        let all = if routes.len() == 1 { pools.as_slice() } else { &[] };
        let route = [since.as_slice(), all].into_iter().find(|pools| makes_up(pools, swap, wrapped_native));
        route.into_iter().flatten().for_each(|(pool, _)| parents.add(*pool, *place));
    }
}

fn makes_up(
    pools: &[(usize, &ReportedMovement)],
    reported: &ReportedMovement,
    wrapped_native: Option<Address>,
) -> bool {
    let plain = |token: Option<Address>| token.map(|token| if Some(token) == wrapped_native { NATIVE } else { token });
    // By token: the amounts that went in and came out.
    let mut sums: BTreeMap<Address, [U256; 2]> = BTreeMap::new();
    for (_, pool) in pools {
        for (side, (token, raw)) in pool.amounts.iter().enumerate() {
            let Some(sum) = plain(*token).and_then(|token| sums.entry(token).or_default().get_mut(side)) else {
                return false;
            };
            *sum = sum.saturating_add(*raw);
        }
    }
    let [(from, taken), (to, given)] = reported.amounts.as_slice() else { return false };
    let (Some(from), Some(to)) = (plain(*from), plain(*to)) else { return false };
    let net = |token: Address, side: usize| {
        let [into, out] = sums.get(&token).copied().unwrap_or_default();
        if side == 0 { into.checked_sub(out) } else { out.checked_sub(into) }
    };
    let (Some(into), Some(out)) = (net(from, 0), net(to, 1)) else { return false };
    let others = || sums.iter().filter(|(token, _)| **token != from && **token != to);
    let (whole, within) = (into == *taken || out == *given, into <= *taken && out >= *given);
    from != to && whole && within && others().all(|(_, [into, out])| into == out)
}

/// Returns the two ends of each transfer, by token and amount.
fn transfers(events: &[MergedEvent]) -> HashMap<(Address, U256), Vec<[Address; 2]>> {
    let mut found: HashMap<(Address, U256), Vec<[Address; 2]>> = HashMap::new();
    for event in events.iter().map(|merged| &merged.event).filter(|event| TRANSFERS.contains(&event.kind.name())) {
        let ends = (event.address("from"), event.address("to"), amount(event, "amount"));
        if let (Some(from), Some(to), Some((Some(token), raw))) = ends {
            found.entry((token, raw)).or_default().push([from, to]);
        }
    }
    found
}

fn amount(event: &Event, name: &str) -> Option<(Option<Address>, U256)> {
    event.asset(name).map(|Asset { token, raw }| (token, raw))
}
