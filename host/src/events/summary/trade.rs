//! Swaps through any number of contracts: what an account gave and what it got for it.
//!
//! Invariant: the sentence says that one token was swapped for another only if swaps lead from the one to the other.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, U256};
use portolan_assets::token::NATIVE;
use portolan_events::Asset;

use super::formatter::{SummaryFormatter, list};
use super::unexplained::Unexplained;
use crate::events::action::Flow;
use crate::events::movements::Movement;

/// Maximum number of tokens on each side of a trade that is described as one.
const TOKENS_MAX: usize = 8;

type Ways = BTreeMap<Address, BTreeSet<Address>>;

/// One swap of a transaction.
#[derive(Clone, Debug)]
pub(super) struct Swap {
    /// Index of its event.
    pub(super) place: usize,
    pub(super) from: Option<Asset>,
    pub(super) to: Option<Asset>,
    pub(super) protocol: Option<String>,
    /// True if it names the account, and no other event reports the same movement.
    pub(super) is_own: bool,
    /// True if no transfer of its output came to the account.
    pub(super) is_elsewhere: bool,
}

/// Native tokens unwrapped by another address than the account.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unwrapping {
    pub(super) by: Address,
    pub(super) asset: Asset,
}

/// Wraps and unwraps by others than the account.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrappings<'a> {
    /// Wrapped native amount, in smallest units.
    pub(super) wrapped: U256,
    pub(super) unwrapped: &'a [Unwrapping],
}

/// Clauses about swaps.
#[derive(Debug, Default)]
pub(super) struct Trade {
    /// Indexes of events, with their texts.
    pub(super) clauses: Vec<(usize, String)>,
    /// True if the sentence accounts for native tokens that were unwrapped.
    pub(super) has_end: bool,
}

/// Swaps of a transaction as a graph of tokens.
struct Routes<'a> {
    swaps: &'a [Swap],
    wrapped: Option<Address>,
    ways: Ways,
}

/// Describes swaps, and subtracts the movements that they explain.
pub(super) fn trade(
    swaps: &[Swap],
    wrappings: Wrappings<'_>,
    unexplained: &mut Unexplained,
    wrapped: Option<Address>,
    formatter: &SummaryFormatter<'_>,
) -> Trade {
    let Some(first) = swaps.first() else { return Trade::default() };
    let routes = Routes::of(swaps, wrapped);
    let is_given = |movement: &Movement| routes.begins(movement);
    let is_got = |movement: &Movement| routes.ends(movement);
    let spent = |movement: &Movement| Movement { raw: routes.spent(movement, wrappings.wrapped), ..*movement };
    let given: Vec<Movement> = unexplained.outgoing.iter().filter(|movement| is_given(movement)).map(spent).collect();
    let got: Vec<Movement> = unexplained.incoming.iter().filter(|movement| is_got(movement)).copied().collect();
    let place = swaps.iter().find(|swap| swap.is_own).unwrap_or(first).place;
    let amounts = |movements: &[Movement]| {
        list(movements.iter().map(|movement| formatter.moved(movement.asset, movement.raw)).collect())
    };
    let (from, to): (Vec<Address>, Vec<Address>) =
        (given.iter().map(|of| of.asset.token).collect(), got.iter().map(|of| of.asset.token).collect());
    let protocols = |to: &[Address]| routes.protocols(&from, to);
    if routes.connect(&from, &to) {
        explain(unexplained, &given);
        unexplained.take(Flow::In, is_got);
        let (given_text, got_text) = (amounts(&given), amounts(&got));
        let text = match (given.as_slice(), got.as_slice()) {
            ([given], [got]) => {
                let at = routes.own(given, got).unwrap_or_else(|| protocols(&to));
                format!("swapped {given_text} for {got_text}{at}")
            }
            _ => format!("gave {given_text} and got {got_text} in {} swaps{}", swaps.len(), protocols(&to)),
        };
        return Trade { clauses: vec![(place, text)], has_end: true };
    }
    if let ([_], [], [unwrapping], Some(wrapped)) = (given.as_slice(), got.as_slice(), wrappings.unwrapped, wrapped)
        && routes.connect(&from, &[wrapped])
        && let Some(amount) = formatter.amount(unwrapping.asset)
    {
        explain(unexplained, &given);
        let native = formatter.native;
        let text = format!(
            "swapped {}{} for {amount}, which {:#x} unwrapped, and the receipt does not show who got the {native}",
            amounts(&given),
            protocols(&[wrapped]),
            unwrapping.by
        );
        return Trade { clauses: vec![(place, text)], has_end: true };
    }
    let mut clauses = Vec::new();
    for swap in swaps.iter().filter(|swap| swap.is_own) {
        swap.from.into_iter().for_each(|asset| unexplained.explain(Flow::Out, asset));
        swap.to.into_iter().for_each(|asset| unexplained.explain(Flow::In, asset));
        clauses.push((swap.place, swap.text(formatter)));
    }
    Trade { clauses, has_end: false }
}

fn explain(unexplained: &mut Unexplained, given: &[Movement]) {
    for movement in given {
        unexplained.explain(Flow::Out, Asset { token: Some(movement.asset.token), raw: movement.raw });
    }
}

impl Swap {
    fn text(&self, formatter: &SummaryFormatter<'_>) -> String {
        let amount = |asset: Option<Asset>| asset.and_then(|asset| formatter.amount(asset));
        let at = self.protocol.as_ref().map(|protocol| format!(" on {protocol}")).unwrap_or_default();
        let what = match (amount(self.from), amount(self.to)) {
            (Some(from), Some(to)) if self.is_elsewhere => {
                return format!(
                    "swapped {from}{at} for {to}, of which the receipt shows nothing that came to the account"
                );
            }
            (Some(from), Some(to)) => format!("swapped {from} for {to}"),
            (Some(from), None) => format!("swapped {from}"),
            (None, Some(to)) => format!("got {to} in a swap"),
            (None, None) => "swapped".to_owned(),
        };
        format!("{what}{at}")
    }
}

impl<'a> Routes<'a> {
    fn of(swaps: &'a [Swap], wrapped: Option<Address>) -> Self {
        let mut routes = Self { swaps, wrapped, ways: Ways::new() };
        let ways: Vec<(Address, Address)> = swaps.iter().filter_map(|swap| routes.way(swap)).collect();
        for (from, to) in ways {
            routes.ways.entry(from).or_default().insert(to);
        }
        routes
    }

    /// Maps the native token to the token that wraps it.
    fn one(&self, token: Address) -> Address {
        if token == NATIVE { self.wrapped.unwrap_or(token) } else { token }
    }

    fn way(&self, swap: &Swap) -> Option<(Address, Address)> {
        Some((self.one(swap.from?.token?), self.one(swap.to?.token?)))
    }

    fn begins(&self, movement: &Movement) -> bool {
        movement.asset.token_id.is_none() && self.ways.contains_key(&self.one(movement.asset.token))
    }

    fn ends(&self, movement: &Movement) -> bool {
        let token = self.one(movement.asset.token);
        movement.asset.token_id.is_none() && self.ways.values().any(|ends| ends.contains(&token))
    }

    /// Returns how much of what was given went into swaps. For the native token, at most what contracts wrapped or
    /// swapped directly: a refund of the rest leaves no log.
    fn spent(&self, given: &Movement, wrapped: U256) -> U256 {
        let own = self.swaps.iter().filter_map(|swap| swap.from).filter(|from| from.token == Some(NATIVE));
        let spent = own.fold(wrapped, |sum, from| sum.saturating_add(from.raw));
        let is_less = given.asset.token == NATIVE && !spent.is_zero() && spent < given.raw;
        if is_less { spent } else { given.raw }
    }

    /// Returns all tokens that swaps lead to from a token; the token itself only if they lead back to it.
    fn reach(&self, from: Address) -> BTreeSet<Address> {
        reach(&self.ways, [self.one(from)])
    }

    /// Returns true if each given token leads to a received one, and each received token is reached from a given one.
    fn connect(&self, from: &[Address], to: &[Address]) -> bool {
        let reached: Vec<BTreeSet<Address>> = from.iter().take(TOKENS_MAX).map(|token| self.reach(*token)).collect();
        let is_one_way = |token: &Address| reached.iter().any(|ends| ends.contains(&self.one(*token)));
        let leads = |ends: &BTreeSet<Address>| to.iter().any(|token| ends.contains(&self.one(*token)));
        let is_few = |tokens: &[Address]| (1..=TOKENS_MAX).contains(&tokens.len());
        is_few(from) && is_few(to) && to.iter().all(is_one_way) && reached.iter().all(leads)
    }

    /// Returns the protocols of the swaps between these tokens, as the end of a clause.
    fn protocols(&self, from: &[Address], to: &[Address]) -> String {
        let starts: BTreeSet<Address> = from.iter().map(|token| self.one(*token)).collect();
        let ends: BTreeSet<Address> = to.iter().map(|token| self.one(*token)).collect();
        let mut back = Ways::new();
        for (from, to) in self.swaps.iter().filter_map(|swap| self.way(swap)) {
            back.entry(to).or_default().insert(from);
        }
        let (mut reached, mut leads) = (reach(&self.ways, starts.iter().copied()), reach(&back, ends.iter().copied()));
        reached.extend(starts);
        leads.extend(ends);
        let is_on_way =
            |swap: &&Swap| self.way(swap).is_some_and(|(from, to)| reached.contains(&from) && leads.contains(&to));
        at(self.swaps.iter().filter(is_on_way))
    }

    /// Returns the same text if the account's own swaps make up the whole trade, unlike those of an aggregator, which
    /// go through many contracts.
    fn own(&self, given: &Movement, got: &Movement) -> Option<String> {
        let way = Some((self.one(given.asset.token), self.one(got.asset.token)));
        let own = || self.swaps.iter().filter(|swap| swap.is_own && self.way(swap) == way);
        let raw = |asset: Option<Asset>| asset.map(|asset| asset.raw);
        // The outermost contract logs last.
        let whole = own().rfind(|swap| raw(swap.from) == Some(given.raw) && raw(swap.to) == Some(got.raw));
        if let Some(whole) = whole.filter(|whole| whole.protocol.is_some()) {
            return Some(at(std::iter::once(whole)));
        }
        let sum = |amount: fn(&Swap) -> Option<Asset>| {
            own().filter_map(amount).fold(U256::ZERO, |sum, asset| sum.saturating_add(asset.raw))
        };
        let is_all = sum(|swap| swap.from) == given.raw || sum(|swap| swap.to) == got.raw;
        is_all.then(|| at(own()))
    }
}

/// Returns the protocols of swaps, as the end of a clause.
fn at<'a>(swaps: impl Iterator<Item = &'a Swap>) -> String {
    let (mut names, mut is_unnamed): (Vec<String>, bool) = (Vec::new(), false);
    for swap in swaps {
        match &swap.protocol {
            Some(name) if !names.contains(name) => names.push(name.clone()),
            Some(_) => {}
            None => is_unnamed = true,
        }
    }
    if names.is_empty() {
        return String::new();
    }
    if is_unnamed {
        names.push("contracts of no known protocol".into());
    }
    format!(" on {}", list(names))
}

/// Returns all tokens that the graph leads to from these.
fn reach(ways: &Ways, from: impl IntoIterator<Item = Address>) -> BTreeSet<Address> {
    let (mut reached, mut open): (_, Vec<Address>) = (BTreeSet::new(), from.into_iter().collect());
    while let Some(token) = open.pop() {
        let ends = ways.get(&token).into_iter().flatten();
        open.extend(ends.copied().filter(|end| reached.insert(*end)).collect::<Vec<_>>());
    }
    reached
}
