//! Which events are part of another, so that the others come to what was moved.
//!
//! Two logs may report one movement: a bridge under its old and its new signature, a pool and the pool that pays its
//! extra rewards, an aggregator and the pools that it went through. Invariant: only events decide, by equal amounts and
//! by who moved them; an event is part of one other at most, and never by way of others of itself.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, B256, U256};
use portolan_events::{Asset, Event, Transaction, Value};

use super::merge::MergedEvent;
use crate::assets::token::NATIVE;

/// Types that report one kind of movement.
const KINDS: [&[&str]; 8] = [
    &["CLAIM"],
    &["BORROW"],
    &["BRIDGE_IN"],
    &["WITHDRAW", "UNSTAKE", "UNLOCK", "VAULT_WITHDRAW", "REMOVE_LIQUIDITY", "COLLECT_FEES"],
    &["REPAY"],
    &["BRIDGE_OUT"],
    &["SUPPLY", "STAKE", "LOCK", "VAULT_DEPOSIT", "ADD_LIQUIDITY"],
    &[SWAP],
];
const SWAP: &str = "SWAP";
/// Types that show a token to have moved.
const TRANSFERS: [&str; 3] = ["TRANSFER", "MINT", "BURN"];
/// Tokens with raw amounts, as far as known, in an order that follows from them or from their roles.
type Amounts = Vec<(Option<Address>, U256)>;

/// What an event moved.
struct Movement {
    /// The place of the event, and of its log.
    event: usize,
    log: usize,
    /// The place of its kind.
    kind: usize,
    /// Whose movement it is, as far as the event says.
    party: Option<Address>,
    amounts: Amounts,
    emitter: Address,
    topic: Option<B256>,
    has_protocol: bool,
    is_swap: bool,
    has_pool: bool,
}

/// Says of each event which log's event it is part of. They come in the order of their logs.
pub(crate) fn relate(events: &mut [MergedEvent], transaction: &Transaction, wrapped_native: Option<Address>) {
    let found = events.iter().enumerate();
    let movements: Vec<Movement> =
        found.filter_map(|(place, merged)| Movement::of(place, merged, transaction)).collect();
    if movements.len() < 2 {
        return;
    }
    let mut wholes = Wholes { of: BTreeMap::new() };
    repeated(&movements, events, &mut wholes);
    moved_on(&movements, &mut wholes);
    routed(&movements, wrapped_native, &mut wholes);
    for (part, whole) in wholes.of {
        let log = movements.get(whole).map(|movement| movement.log);
        if let Some(merged) = movements.get(part).and_then(|movement| events.get_mut(movement.event)) {
            merged.part_of = log;
        }
    }
}

/// Places of movements: those that are part of another, and which.
struct Wholes {
    of: BTreeMap<usize, usize>,
}

impl Wholes {
    fn is_part(&self, place: usize) -> bool {
        self.of.contains_key(&place)
    }

    /// Unless it is part of another already, or the other of it.
    fn add(&mut self, part: usize, whole: usize) {
        let mut root = whole;
        while let Some(next) = self.of.get(&root) {
            root = *next;
        }
        if root != part && !self.is_part(part) {
            self.of.insert(part, whole);
        }
    }
}

impl Movement {
    /// `None` of what moves nothing, or nobody knows how much.
    fn of(place: usize, merged: &MergedEvent, transaction: &Transaction) -> Option<Self> {
        let (event, log) = (&merged.event, merged.log?);
        let kind = KINDS.iter().position(|kinds| kinds.contains(&event.kind.name()))?;
        let is_swap = event.kind.name() == SWAP;
        let single = if is_swap { ["fromAmount", "toAmount"].as_slice() } else { &["amount"] };
        let mut amounts: Amounts = single.iter().filter_map(|name| amount(event, name)).collect();
        match member(event, "assets") {
            // Of several, the single amount is the first.
            Some(Value::Assets(assets)) if !assets.is_empty() => {
                amounts = assets.iter().map(|Asset { token, raw }| (*token, *raw)).collect();
                amounts.sort_unstable();
            }
            _ if is_swap && amounts.len() < 2 => return None,
            _ => {}
        }
        let party = ["user", "recipient", "owner"].iter().find_map(|name| address(event, name));
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
            has_pool: member(event, "pool").is_some(),
        })
    }
}

/// One movement that several contracts, or several topics, report of one party: there are more reports than transfers
/// that it could have been. The contract that the tokens went to, or came from, reports its own.
fn repeated(movements: &[Movement], events: &[MergedEvent], wholes: &mut Wholes) {
    let mut groups: BTreeMap<(usize, Address, &Amounts), Vec<usize>> = BTreeMap::new();
    for (place, movement) in movements.iter().enumerate() {
        if let Some(party) = movement.party {
            groups.entry((movement.kind, party, &movement.amounts)).or_default().push(place);
        }
    }
    let is_repeated = |places: &[usize]| {
        let sources = places.iter().filter_map(|place| movements.get(*place));
        sources.map(|movement| (movement.emitter, movement.topic)).collect::<BTreeSet<_>>().len() > 1
    };
    groups.retain(|_, places| is_repeated(places));
    if groups.is_empty() {
        return;
    }
    let transfers = transfers(events);
    for ((_, party, amounts), mut places) in groups {
        // A token of which nothing is known may be any.
        let known = amounts.iter().filter_map(|(token, raw)| transfers.get(&((*token)?, *raw)));
        let own = known.map(|ends| ends.iter().filter(|ends| ends.contains(&party)).collect::<Vec<_>>());
        let made = own.max_by_key(Vec::len).unwrap_or_default();
        places.sort_by_key(|place| {
            let movement = movements.get(*place);
            let is_end = movement.is_some_and(|movement| made.iter().any(|ends| ends.contains(&movement.emitter)));
            (!is_end, movement.is_none_or(|movement| !movement.has_protocol), std::cmp::Reverse(*place))
        });
        let (kept, others) = places.split_at(made.len().clamp(1, places.len()));
        others.iter().for_each(|place| wholes.add(*place, kept.first().copied().unwrap_or(*place)));
    }
}

/// What the contract of an event moved on, as much of the same, in its own name: the event's user is who moved it.
fn moved_on(movements: &[Movement], wholes: &mut Wholes) {
    let mut first: BTreeMap<(usize, &Amounts, Address), usize> = BTreeMap::new();
    for (place, movement) in movements.iter().enumerate() {
        if movement.party != Some(movement.emitter) {
            first.entry((movement.kind, &movement.amounts, movement.emitter)).or_insert(place);
        }
    }
    for (place, movement) in movements.iter().enumerate() {
        let whole = movement.party.and_then(|party| first.get(&(movement.kind, &movement.amounts, party)));
        if let Some(whole) = whole.filter(|_| movement.party != Some(movement.emitter)) {
            wholes.add(place, *whole);
        }
    }
}

/// The swaps of pools that come to what an aggregator reports: all that it took went into them, or all that it gave came
/// out of them, and nothing of any other token was left.
fn routed(movements: &[Movement], wrapped_native: Option<Address>, wholes: &mut Wholes) {
    let swaps = || movements.iter().enumerate().filter(|(_, movement)| movement.is_swap);
    let routers: Vec<usize> =
        swaps().filter(|(place, swap)| !swap.has_pool && !wholes.is_part(*place)).map(|(place, _)| place).collect();
    for (order, router) in routers.iter().enumerate() {
        let free = |place: &usize| !wholes.is_part(*place);
        let pools = || swaps().filter(|(_, swap)| swap.has_pool).map(|(place, _)| place).filter(free);
        let since = order.checked_sub(1).and_then(|before| routers.get(before)).copied();
        let before: Vec<usize> = pools().filter(|place| place < router && Some(*place) > since).collect();
        // An order book reports before it trades.
        let all: Vec<usize> = if routers.len() == 1 { pools().collect() } else { Vec::new() };
        let of = |places: &[usize]| places.iter().filter_map(|place| movements.get(*place)).collect::<Vec<_>>();
        let Some(reported) = movements.get(*router) else { continue };
        let routes = [before, all].into_iter().find(|places| makes_up(&of(places), reported, wrapped_native));
        routes.into_iter().flatten().for_each(|place| wholes.add(place, *router));
    }
}

fn makes_up(pools: &[&Movement], reported: &Movement, wrapped_native: Option<Address>) -> bool {
    let plain = |token: Option<Address>| token.map(|token| if Some(token) == wrapped_native { NATIVE } else { token });
    // What went in, and what came out.
    let mut sums: BTreeMap<Address, [U256; 2]> = BTreeMap::new();
    for pool in pools {
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

/// The two ends of the transfers of each token and amount.
fn transfers(events: &[MergedEvent]) -> BTreeMap<(Address, U256), Vec<[Address; 2]>> {
    let mut found: BTreeMap<(Address, U256), Vec<[Address; 2]>> = BTreeMap::new();
    for event in events.iter().map(|merged| &merged.event).filter(|event| TRANSFERS.contains(&event.kind.name())) {
        let ends = (address(event, "from"), address(event, "to"), amount(event, "amount"));
        if let (Some(from), Some(to), Some((Some(token), raw))) = ends {
            found.entry((token, raw)).or_default().push([from, to]);
        }
    }
    found
}

fn member<'a>(event: &'a Event, name: &str) -> Option<&'a Value> {
    event.members.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn address(event: &Event, name: &str) -> Option<Address> {
    match member(event, name)? {
        Value::Address(address) => Some(*address),
        _ => None,
    }
}

fn amount(event: &Event, name: &str) -> Option<(Option<Address>, U256)> {
    match member(event, name)? {
        Value::Amount { raw, of } => Some((*of, *raw)),
        _ => None,
    }
}
