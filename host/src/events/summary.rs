//! One sentence about a transaction's effects on an account, made from its events.
//!
//! Invariant: the sentence states only what events and movements show, and says so if no event explains a movement.
//! Text from contracts appears only where it cannot be mistaken for anything else.

mod formatter;
mod ledger;
mod phrase;
mod trade;
mod unexplained;

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, U256};
use portolan_assets::token::NATIVE;
use portolan_base::sanitize::text::Text;
use portolan_events::{Asset, Event, Transaction, Value};
use portolan_reader::TransactionStatus;

pub(crate) use self::formatter::SummaryFormatter;

use self::formatter::list;
use self::ledger::Ledger;
use self::phrase::{Action, phrase};
use self::trade::{Swap, Trade, Unwrapping, Wrappings, trade};
use self::unexplained::Unexplained;
use crate::events::action::{self, ActionRow, Flow, PRINCIPALS};
use crate::events::merge::MergedEvent;
use crate::events::movements::{Movement, Movements, Transfer};
use crate::events::user_operations::UserOperations;

/// Maximum number of clauses of a sentence; further ones are counted.
const CLAUSES_MAX: usize = 6;

/// Maximum number of actions that later ones are merged with; the rest could not be shown.
const MERGED_MAX: usize = 4 * CLAUSES_MAX;

/// Direction, token, amount and counterparty of a transfer.
type Exchange = (Flow, Address, U256, Address);

/// Input for the sentence.
#[derive(Clone, Copy)]
pub(crate) struct Summary<'a> {
    pub(crate) account: Address,
    pub(crate) transaction: &'a Transaction,
    pub(crate) status: TransactionStatus,
    pub(crate) operations: UserOperations,
    pub(crate) events: &'a [MergedEvent],
    pub(crate) movements: &'a Movements,
    /// True if there are logs that nothing decoded.
    pub(crate) has_undecoded: bool,
    /// The token that wraps the native one.
    pub(crate) wrapped: Option<Address>,
    pub(crate) formatter: SummaryFormatter<'a>,
}

/// A part of the sentence, from one event.
#[derive(Debug)]
struct Clause {
    /// Permissions come after all other clauses.
    is_permission: bool,
    place: usize,
    text: String,
}

impl Summary<'_> {
    pub(crate) fn sentence(&self) -> Text {
        let text = match self.status {
            TransactionStatus::Succeeded if self.operations.count == 1 && self.operations.failed == 1 => {
                "the operation of the account failed, and it paid its gas alone".to_owned()
            }
            TransactionStatus::Succeeded => self.of_success(),
            TransactionStatus::Failed | TransactionStatus::Unknown => self.of_failure(),
        };
        let mut letters = text.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        let is_address = text.starts_with("0x");
        let text = if is_address { text } else { first.into_iter().chain(letters).collect() };
        Text::words(&text)
    }

    fn of_failure(&self) -> String {
        let what = match self.status {
            TransactionStatus::Unknown => "the transaction is older than receipts that tell, and probably failed",
            _ => "the transaction failed",
        };
        let deposit =
            self.movements.incoming.first().map(|movement| self.formatter.moved(movement.asset, movement.raw));
        match deposit {
            Some(amount) => format!("received {amount} over a bridge, and {what}"),
            None if self.is_sender() => format!("{what}, and the account paid its gas alone"),
            None => format!("{what}, and did nothing"),
        }
    }

    fn of_success(&self) -> String {
        let mut unexplained = Unexplained::of(self.movements, self.wrapped);
        let exchanges = self.exchanges();
        let mut swaps = self.swaps(&exchanges);
        let counted = self.counted(&exchanges, &mut swaps);
        let actions = self.actions(&counted);
        for action in &actions {
            action.assets.iter().for_each(|asset| unexplained.explain(action.row.flow, *asset));
        }
        let mut clauses = self.phrases(&mut unexplained);
        let unwrappings = self.unwrappings();
        let is_concerned = self.is_sender() || swaps.iter().any(|swap| swap.is_own);
        let swaps = if is_concerned { swaps } else { Vec::new() };
        let wrappings = Wrappings { wrapped: self.wrapped_by_others(), unwrapped: &unwrappings };
        let Trade { clauses: of_swaps, has_end } =
            trade(&swaps, wrappings, &mut unexplained, self.wrapped, &self.formatter);
        let has_trade = !of_swaps.is_empty();
        clauses.extend(of_swaps.into_iter().map(|(place, text)| Clause { is_permission: false, place, text }));
        clauses.extend(self.wraps(&mut unexplained, has_trade));
        clauses.extend(actions.iter().map(|action| Clause {
            is_permission: false,
            place: action.place,
            text: action.text(&self.formatter),
        }));
        let (permissions, clauses) = clauses.into_iter().partition(|clause| clause.is_permission);
        let mut texts = bounded(clauses);
        texts.extend(self.receipts(&actions, &mut unexplained));
        let is_plain = texts.is_empty() && !self.has_undecoded;
        if let Some(text) = self.unexplained_clause(&unexplained) {
            texts.push(if is_plain { text } else { format!("{text}, which no decoded event explains") });
        }
        // If native tokens moved, the recipient of the unwrapped ones is known.
        let has_native = self.movements.transfers.iter().any(|transfer| transfer.asset.token == NATIVE);
        let is_open = self.is_sender() && !texts.is_empty() && !has_end && !has_native;
        if let ([unwrapping], true) = (unwrappings.as_slice(), is_open) {
            texts.extend(self.unwrapped(unwrapping));
        }
        texts.extend(bounded(permissions));
        match texts.as_slice() {
            [] => self.nothing().to_owned(),
            [only] => only.clone(),
            [first, last] if !first.contains(", ") => format!("{first} and {last}"),
            _ => {
                let last = texts.pop().unwrap_or_default();
                format!("{}; and {last}", texts.join("; "))
            }
        }
    }

    fn is_sender(&self) -> bool {
        self.account == self.transaction.from || self.operations.count > 0
    }

    /// Events that are not part of another, with their indexes and emitters.
    fn events(&self) -> impl Iterator<Item = (usize, &MergedEvent, Option<Address>)> {
        let counts = self.events.iter().enumerate().filter(|(_, merged)| merged.part_of.is_none());
        counts.map(|(place, merged)| (place, merged, merged.emitter(self.transaction)))
    }

    /// Returns true if the event names the account as actor or payee.
    fn names_account(&self, event: &Event) -> bool {
        PRINCIPALS.iter().any(|name| event.address(name) == Some(self.account))
    }

    /// Returns the account's transfers; the wrapped native token counts as the native one.
    fn exchanges(&self) -> BTreeSet<Exchange> {
        let exchange = |transfer: &Transfer| {
            let (flow, other) = match transfer.to == self.account {
                true => (Flow::In, transfer.from),
                false => (Flow::Out, transfer.to),
            };
            let token = self.unwrapped_token(transfer.asset.token);
            transfer.asset.token_id.is_none().then_some((flow, token, transfer.raw, other))
        };
        self.movements.transfers.iter().filter_map(exchange).collect()
    }

    fn unwrapped_token(&self, token: Address) -> Address {
        if self.wrapped == Some(token) { NATIVE } else { token }
    }

    /// Returns true if the account exchanged exactly this amount with an address of the event or with its emitter.
    fn is_exchanged(&self, exchanges: &BTreeSet<Exchange>, merged: &MergedEvent, flow: Flow, asset: Asset) -> bool {
        let Some(token) = asset.token.filter(|_| !asset.raw.is_zero()) else { return false };
        let members = merged.event.members.iter().filter_map(|(_, value)| match value {
            Value::Address(address) => Some(*address),
            _ => None,
        });
        let mut others = members.chain(merged.emitter(self.transaction));
        others.any(|other| exchanges.contains(&(flow, self.unwrapped_token(token), asset.raw, other)))
    }

    /// Returns the indexes of the account's actions, except swaps. If several contracts log one movement, the
    /// outermost, which logs last, counts. Swaps inside such an action stop being the account's own.
    fn counted(&self, exchanges: &BTreeSet<Exchange>, swaps: &mut [Swap]) -> BTreeSet<usize> {
        let one = |asset: Asset| Asset { token: asset.token.map(|token| self.unwrapped_token(token)), ..asset };
        let mut ledger = Ledger::of(&self.movements.transfers, self.account, |token| self.unwrapped_token(token));
        for swap in swaps.iter_mut().rev().filter(|swap| swap.is_own) {
            let sides = [(Flow::Out, swap.from.map(one)), (Flow::In, swap.to.map(one))];
            let sides = sides.into_iter().filter_map(|(flow, asset)| Some((flow, asset?)));
            let is_taken = |(flow, asset)| ledger.is_taken(flow, asset).unwrap_or_default();
            swap.is_own = !sides.clone().any(is_taken);
            let got = swap.to.and_then(|asset| one(asset).token);
            swap.is_elsewhere = got.is_some_and(|token| !ledger.has_moved(Flow::In, token));
            if swap.is_own {
                sides.for_each(|(flow, asset)| ledger.take(flow, asset));
            }
        }
        let mut counted = BTreeSet::new();
        for (place, merged, _) in self.events().collect::<Vec<_>>().into_iter().rev() {
            let event = &merged.event;
            let Some(row) = ActionRow::of(event) else { continue };
            let assets = action::assets(event);
            let is_exchanged = |asset: &Asset| self.is_exchanged(exchanges, merged, row.flow, *asset);
            if !self.names_account(event) && !assets.iter().any(is_exchanged) {
                continue;
            }
            let moved = || assets.iter().filter(|asset| !asset.raw.is_zero()).map(|asset| one(*asset));
            let taken: Vec<bool> = moved().filter_map(|asset| ledger.is_taken(row.flow, asset)).collect();
            if taken.is_empty() || taken.contains(&false) {
                moved().for_each(|asset| ledger.take(row.flow, asset));
                counted.insert(place);
            }
        }
        counted
    }

    /// Returns the account's actions; equal ones are merged.
    fn actions(&self, counted: &BTreeSet<usize>) -> Vec<Action> {
        let mut actions: Vec<Action> = Vec::new();
        for (place, merged, emitter) in self.events().filter(|(place, ..)| counted.contains(place)) {
            let event = &merged.event;
            let Some(row) = ActionRow::of(event) else { continue };
            let who = ["user", "sender"].iter().find_map(|name| event.address(name));
            let is_other = |who: &Address| *who != self.account;
            let acts_itself = self.is_sender() || self.transaction.to == Some(self.account) || row.kind == "BRIDGE_IN";
            let by = who.filter(is_other).filter(|_| !acts_itself && self.names_account(event));
            let Some(action) = Action::of(place, event, by, emitter, &self.formatter) else { continue };
            let unmerged =
                actions.iter_mut().take(MERGED_MAX).try_fold(action, |action, known| match known.merge(action) {
                    Ok(()) => Err(()),
                    Err(action) => Ok(action),
                });
            actions.extend(unmerged);
        }
        actions
    }

    /// Returns clauses for events about the account that move nothing, or that move tokens both ways.
    fn phrases(&self, unexplained: &mut Unexplained) -> Vec<Clause> {
        let transfers = self.transfers_by_log();
        let (mut clauses, mut named) = (Vec::new(), BTreeSet::new());
        for (place, merged, _) in self.events() {
            let event = &merged.event;
            let kind = event.kind.name();
            if kind == "APPROVAL" && is_side_effect(merged, &transfers) {
                continue;
            }
            let Some(text) = phrase(event, self.account, self.is_sender(), &self.formatter) else { continue };
            // Several contracts log one registration, and not all of them know its name.
            if kind.starts_with("NAME_") && (!is_best_named(self.events, event) || !named.insert(kind)) {
                continue;
            }
            if let Some(cost) = event.asset("cost") {
                unexplained.explain(Flow::Out, cost);
            }
            if kind == "LIQUIDATION" && event.address("liquidator") == Some(self.account) {
                event.asset("debtAmount").into_iter().for_each(|debt| unexplained.explain(Flow::Out, debt));
                let collateral = event.asset("collateralAmount");
                collateral.into_iter().for_each(|collateral| unexplained.explain(Flow::In, collateral));
            }
            let is_permission = kind.contains("APPROVAL") || kind == "PERMIT2";
            clauses.push(Clause { is_permission, place, text });
        }
        clauses
    }

    /// Token and sender of each transfer, by the index of its log.
    fn transfers_by_log(&self) -> BTreeMap<usize, (Address, Address)> {
        let transfer = |merged: &MergedEvent| {
            let is_transfer = ["TRANSFER", "BURN"].contains(&merged.event.kind.name());
            let token = merged.event.asset("amount")?.token?;
            is_transfer.then_some((merged.log?, (token, merged.event.address("from")?)))
        };
        self.events.iter().filter_map(transfer).collect()
    }

    /// Returns all swaps of the transaction.
    fn swaps(&self, exchanges: &BTreeSet<Exchange>) -> Vec<Swap> {
        let mut swaps = Vec::new();
        let is_swap = |merged: &MergedEvent| merged.event.kind.name() == "SWAP";
        for (place, merged) in self.events.iter().enumerate().filter(|(_, merged)| is_swap(merged)) {
            let event = &merged.event;
            let (from, to) = (event.asset("fromAmount"), event.asset("toAmount"));
            let is_exchanged = |flow, asset: Option<Asset>| {
                asset.is_some_and(|asset| self.is_exchanged(exchanges, merged, flow, asset))
            };
            let is_own = self.names_account(event) || is_exchanged(Flow::Out, from) || is_exchanged(Flow::In, to);
            let protocol = self.formatter.protocol(event.protocol.as_deref());
            let is_maker = !is_own && event.address("maker") == Some(self.account);
            let (from, to) = if is_maker { (to, from) } else { (from, to) };
            let is_own = (is_own || is_maker) && merged.part_of.is_none();
            swaps.push(Swap { place, from, to, protocol, is_own, is_elsewhere: false });
        }
        swaps
    }

    /// Returns the native amount that others than the account wrapped.
    fn wrapped_by_others(&self) -> U256 {
        let is_wrap = |event: &&Event| event.kind.name() == "WRAP" && event.address("account") != Some(self.account);
        let wraps = self.events.iter().map(|merged| &merged.event).filter(is_wrap);
        let amounts = wraps.filter_map(|event| event.asset("amount"));
        amounts.fold(U256::ZERO, |sum, amount| sum.saturating_add(amount.raw))
    }

    /// Returns the unwraps by others than the account. Some wrappers log a burn too, others log only a burn.
    fn unwrappings(&self) -> Vec<Unwrapping> {
        let of = |merged: &MergedEvent, kind: &str, member: &str| {
            let event = &merged.event;
            let by = event.address(member).filter(|by| *by != self.account)?;
            let asset = event.asset("amount").filter(|asset| asset.token == self.wrapped)?;
            (event.kind.name() == kind).then_some(Unwrapping { by, asset })
        };
        let mut found: Vec<Unwrapping> =
            self.events.iter().filter_map(|merged| of(merged, "UNWRAP", "account")).collect();
        let logged: BTreeSet<(Address, U256)> = found.iter().map(|found| (found.by, found.asset.raw)).collect();
        let burns = self.events.iter().filter_map(|merged| of(merged, "BURN", "from"));
        found.extend(burns.filter(|burn| !logged.contains(&(burn.by, burn.asset.raw))));
        found
    }

    /// Returns clauses for the account's own wraps and unwraps. If the account also swapped, a wrap that left no
    /// native movement is part of the swap.
    fn wraps(&self, unexplained: &mut Unexplained, has_trade: bool) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for (place, merged, _) in self.events() {
            let event = &merged.event;
            let (verb, flow) = match event.kind.name() {
                "WRAP" => ("wrapped", Flow::Out),
                "UNWRAP" => ("unwrapped", Flow::In),
                _ => continue,
            };
            let Some(amount) = event.asset("amount").filter(|amount| !amount.raw.is_zero()) else { continue };
            if event.address("account") != Some(self.account) {
                continue;
            }
            let native = Asset { token: Some(NATIVE), raw: amount.raw };
            let movements = if flow == Flow::Out { &unexplained.outgoing } else { &unexplained.incoming };
            if has_trade && !movements.iter().any(|movement| movement.asset.token == NATIVE) {
                continue;
            }
            let back = if flow == Flow::Out { Flow::In } else { Flow::Out };
            unexplained.explain(flow, native);
            unexplained.explain(back, amount);
            let shown = if flow == Flow::Out { native } else { amount };
            let Some(amount) = self.formatter.amount(shown) else { continue };
            clauses.push(Clause { is_permission: false, place, text: format!("{verb} {amount}") });
        }
        clauses
    }

    /// Returns clauses for tokens that contracts gave or took in exchange for a deposit or a withdrawal.
    fn receipts(&self, actions: &[Action], unexplained: &mut Unexplained) -> Vec<String> {
        let mut texts = Vec::new();
        for (flow, verb) in [(Flow::In, "received"), (Flow::Out, "gave up")] {
            let opposite = if flow == Flow::In { Flow::Out } else { Flow::In };
            // Tokens minted or burned for the account. A debt token goes in the same direction as the borrowed tokens.
            let is_own = |movement: &Movement, other: Address| other.is_zero() || other == movement.asset.token;
            let of_contract = |other: Address| {
                actions.iter().any(|action| action.row.flow == opposite && action.others.contains(&other))
            };
            let is_receipt =
                |movement: &Movement| movement.other.is_some_and(|other| is_own(movement, other) || of_contract(other));
            let taken = if actions.is_empty() { Vec::new() } else { unexplained.take(flow, is_receipt) };
            if !taken.is_empty() {
                texts.push(format!("{verb} {}", self.amounts(&taken)));
            }
        }
        texts
    }

    fn amounts(&self, movements: &[Movement]) -> String {
        list(movements.iter().map(|movement| self.formatter.moved(movement.asset, movement.raw)).collect())
    }

    /// Returns a clause for the movements that nothing explained.
    fn unexplained_clause(&self, unexplained: &Unexplained) -> Option<String> {
        let end = |word: &str, movements: &[Movement]| {
            let [first, rest @ ..] = movements else { return String::new() };
            let other = first.other.filter(|other| rest.iter().all(|movement| movement.other == Some(*other)));
            other.map(|other| format!(" {word} {other:#x}")).unwrap_or_default()
        };
        let is_new = |movements: &[Movement]| movements.iter().all(|movement| movement.other == Some(Address::ZERO));
        let sent = |movements: &[Movement]| match is_new(movements) {
            true => format!("burned {}", self.amounts(movements)),
            false => format!("sent {}{}", self.amounts(movements), end("to", movements)),
        };
        let received = |movements: &[Movement]| match is_new(movements) {
            true => format!("received {}, newly minted", self.amounts(movements)),
            false => format!("received {}{}", self.amounts(movements), end("from", movements)),
        };
        match (unexplained.outgoing.as_slice(), unexplained.incoming.as_slice()) {
            ([], []) => None,
            (outgoing, []) => Some(sent(outgoing)),
            ([], incoming) => Some(received(incoming)),
            (outgoing, incoming) => Some(format!("{} and {}", sent(outgoing), received(incoming))),
        }
    }

    fn unwrapped(&self, unwrapping: &Unwrapping) -> Option<String> {
        let (amount, native) = (self.formatter.amount(unwrapping.asset)?, self.formatter.native);
        let by = unwrapping.by;
        Some(format!("{by:#x} unwrapped {amount}, and the receipt does not show who got the {native}"))
    }

    fn nothing(&self) -> &'static str {
        let is_named = |event: &MergedEvent| {
            event.event.members.iter().any(|(_, value)| matches!(value, Value::Address(name) if *name == self.account))
        };
        if self.is_sender() {
            "the account sent the transaction, which moved nothing of it that the receipt shows"
        } else if self.transaction.to == Some(self.account) || self.events.iter().any(is_named) {
            "the transaction moved nothing to or from the account that the receipt shows"
        } else {
            "the receipt shows nothing of the account"
        }
    }
}

/// Returns the distinct texts in order, and the number of those beyond the limit.
fn bounded(mut clauses: Vec<Clause>) -> Vec<String> {
    clauses.sort_by_key(|clause| clause.place);
    let mut known = BTreeSet::new();
    clauses.retain(|clause| known.insert(clause.text.clone()));
    let further = clauses.len().saturating_sub(CLAUSES_MAX);
    let shown = clauses.into_iter().take(CLAUSES_MAX).map(|clause| clause.text);
    shown.chain((further > 0).then(|| format!("{further} more"))).collect()
}

/// Returns true if no other event of this type has a name or a cost that this one lacks.
fn is_best_named(events: &[MergedEvent], event: &Event) -> bool {
    let count = |event: &Event| {
        let has = |name: &str| event.member(name).is_some();
        usize::from(has("name")) + usize::from(has("cost"))
    };
    let others = events.iter().filter(|other| other.event.kind == event.kind);
    others.map(|other| count(&other.event)).all(|other| other <= count(event))
}

/// Returns true if a transfer by the owner is logged next to the approval: some tokens log the remaining allowance.
fn is_side_effect(approval: &MergedEvent, transfers: &BTreeMap<usize, (Address, Address)>) -> bool {
    let token = approval.event.asset("amount").and_then(|amount| amount.token);
    let of_owner = token.zip(approval.event.address("owner"));
    let Some(log) = approval.log else { return false };
    let beside = [log.checked_sub(1), log.checked_add(1)].into_iter().flatten();
    of_owner.is_some() && beside.map(|log| transfers.get(&log).copied()).any(|transfer| transfer == of_owner)
}

#[cfg(test)]
mod tests;
