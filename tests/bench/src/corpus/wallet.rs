//! The wallet tier: each leg that a wallet's user would name is told by an event of one of its actions, in the slot of
//! its direction, with its asset, its amount and its account; or by several events together.

use std::collections::BTreeSet;
use std::str::FromStr as _;

use bigdecimal::num_bigint::BigInt;

use super::answer::{Amount, Event};
use super::files::{Direction, Leg, NATIVE, Transaction};
use super::judgement::{Judgement, Subject, Tier, Wrong};

const SWAP: &str = "SWAP";
const ZERO: &str = "0x0000000000000000000000000000000000000000";
const TRANSFERS: [&str; 3] = ["TRANSFER", "MINT", "BURN"];
const WRAPPING: [&str; 2] = ["WRAP", "UNWRAP"];
/// Wrapped native tokens whose wrapping is a mint and whose unwrapping is a burn, without a log of its own:
/// <https://github.com/OffchainLabs/token-bridge-contracts/blob/main/contracts/tokenbridge/libraries/aeWETH.sol>.
const MINTED: [(u64, &str); 1] = [(42_161, "0x82af49447d8a07e3bd95bd0d56f35241523fbab1")];
/// Types whose asset goes out of the account.
const OUT: [&str; 10] = [
    "ADD_LIQUIDITY",
    "BRIDGE_OUT",
    "BURN",
    "LOCK",
    "NAME_REGISTERED",
    "NAME_RENEWED",
    "REPAY",
    "STAKE",
    "SUPPLY",
    "VAULT_DEPOSIT",
];
/// Types whose asset comes in.
const IN: [&str; 10] = [
    "BORROW",
    "BRIDGE_IN",
    "CLAIM",
    "COLLECT_FEES",
    "MINT",
    "REMOVE_LIQUIDITY",
    "UNLOCK",
    "UNSTAKE",
    "VAULT_WITHDRAW",
    "WITHDRAW",
];
/// Actions that a loan's event may stand for, by what it says of its collateral.
const LOANS: [(&str, &str); 2] = [("SUPPLY", "BORROW"), ("WITHDRAW", "REPAY")];

/// The judgements on a transaction.
pub(super) fn judge(mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    let judgement = |(place, leg): (usize, &Leg)| Judgement {
        tier: Tier::Wallet,
        kind: leg.action.join("/"),
        subject: Subject::Leg(place),
        wrong: LegView::of(mined, events, leg).wrong(),
    };
    mined.legs.iter().enumerate().map(judgement).collect()
}

/// The events of an answer as a leg sees them.
struct LegView<'a> {
    leg: &'a Leg,
    /// The events of its actions, and loans whose collateral may be its asset.
    events: Vec<&'a Event>,
    /// The tokens that count as its asset.
    tokens: BTreeSet<String>,
    /// Addresses that stand for the account.
    accounts: BTreeSet<String>,
    /// True if the account sent the transaction, or was called by it, and the leg is native: such a movement leaves no
    /// transfer that could join it.
    is_sender: bool,
}

impl<'a> LegView<'a> {
    fn of(mined: &Transaction, events: &'a [Event], leg: &'a Leg) -> Self {
        let is_native = leg.asset.as_deref() == Some(NATIVE);
        let mut tokens: BTreeSet<String> = leg.asset.iter().chain(&leg.also_asset).cloned().collect();
        if is_native {
            tokens.extend(events.iter().filter_map(|event| wrapped(mined, event)));
        }
        let sent = [mined.sender(), mined.callee()].into_iter().flatten().filter(|_| is_native);
        let start = sent.chain([leg.account.clone()]).collect();
        let accounts = joined(events, start, &tokens, leg.direction);
        let events = events.iter().filter(|event| leg.action.contains(&event.kind) || is_loan_of(event, leg)).collect();
        let account = Some(&leg.account);
        let is_sender = is_native && (account == mined.sender().as_ref() || account == mined.callee().as_ref());
        Self { leg, events, tokens, accounts, is_sender }
    }

    fn wrong(&self) -> Option<Wrong> {
        if self.events.is_empty() {
            return Some(Wrong::untold());
        }
        let Some(raw) = self.leg.raw.as_deref().and_then(|raw| BigInt::from_str(raw).ok()) else {
            let named = |event: &Event| {
                let own = addresses(event);
                own.contains(&self.leg.account) || self.leg.with.as_ref().is_some_and(|with| own.contains(with))
            };
            let is_right = self.events.iter().any(|event| named(event));
            return (!is_right).then(|| Wrong::new("account", "no event names the account or the contract"));
        };
        let also = self.leg.also_raw.iter().filter_map(|raw| BigInt::from_str(raw).ok());
        let raws: BTreeSet<BigInt> = also.chain([raw]).collect();
        let slots: Vec<Slot<'_>> = self.events.iter().flat_map(|event| self.slots(event)).collect();
        let (own, others): (Vec<Slot<'_>>, Vec<Slot<'_>>) =
            slots.into_iter().partition(|slot| self.is_joined(slot.event));
        if own.iter().any(|slot| slot.sign > 0 && self.matches(&raws, &slot.amount.raw, &[slot])) {
            return None;
        }
        let all: Vec<&Slot<'_>> = own.iter().chain(others.iter().filter(|slot| slot.event.kind == SWAP)).collect();
        let is_sum = sums(&all).iter().any(|sum| {
            let has_own = sum.iter().any(|slot| self.is_joined(slot.event));
            let total = sum.iter().map(|slot| &slot.amount.raw * slot.sign).sum();
            has_own && self.matches(&raws, &total, sum)
        });
        if is_sum {
            return None;
        }
        let lacks = match (own.is_empty(), others.is_empty()) {
            (true, true) => "asset",
            (true, false) => "account",
            (false, _) => "amount",
        };
        Some(Wrong::new(lacks, format!("{raws:?} of {:?} for {:?}", self.tokens, self.accounts)))
    }

    /// Returns true if it is the amount, and each part of it is exact in token units.
    fn matches(&self, raws: &BTreeSet<BigInt>, raw: &BigInt, parts: &[&Slot<'_>]) -> bool {
        let is_exact = |slot: &&Slot<'_>| self.leg.decimals.is_none_or(|decimals| slot.amount.is_exact(decimals));
        raws.contains(raw) && parts.iter().all(is_exact)
    }

    /// Returns the amounts of the asset that an event moves: in the leg's direction, and for swaps against it too.
    fn slots<'b>(&self, event: &'b Event) -> Vec<Slot<'b>> {
        let slot = |direction: Direction, sign: i32| {
            let own = amounts(event, direction).into_iter();
            let own = own.filter(|amount| amount.token.as_ref().is_some_and(|token| self.tokens.contains(token)));
            own.map(move |amount| Slot { event, amount, sign })
        };
        let (along, against) = match self.leg.direction {
            Direction::Out => (Direction::Out, Direction::In),
            _ => (Direction::In, Direction::Out),
        };
        let net = slot(against, -1).filter(|_| event.kind == SWAP);
        slot(along, 1).chain(net).collect()
    }

    fn is_joined(&self, event: &Event) -> bool {
        self.is_sender || addresses(event).iter().any(|address| self.accounts.contains(address))
    }
}

/// A part of a leg.
struct Slot<'a> {
    event: &'a Event,
    amount: Amount,
    sign: i32,
}

/// The sets of slots that may make up a leg: all together, those of one type, and those of one contract. What is part
/// of another movement does not count again.
fn sums<'a, 'b>(slots: &[&'a Slot<'b>]) -> Vec<Vec<&'a Slot<'b>>> {
    let slots: Vec<&Slot<'_>> = slots.iter().copied().filter(|slot| slot.event.moves()).collect();
    let mut sets = vec![slots.clone()];
    for slot in &slots {
        sets.push(slots.iter().copied().filter(|other| other.event.kind == slot.event.kind).collect());
        sets.push(slots.iter().copied().filter(|other| other.event.contract == slot.event.contract).collect());
    }
    sets
}

/// Returns true if it is the event of a loan with collateral, which may report that the collateral was supplied or
/// withdrawn.
fn is_loan_of(event: &Event, leg: &Leg) -> bool {
    let stands = LOANS.iter().any(|(action, loan)| event.kind == *loan && leg.action.iter().any(|own| own == action));
    stands && event.amount("collateralAmount").is_some()
}

/// Returns the amounts that an event moves out of its account, or into it.
fn amounts(event: &Event, direction: Direction) -> Vec<Amount> {
    let member = |name: &str| event.amount(name).into_iter().collect::<Vec<Amount>>();
    let own = || event.moved().into_iter().chain(event.amount("cost")).collect();
    let (out, kind) = (direction == Direction::Out, event.kind.as_str());
    match kind {
        SWAP => member(if out { "fromAmount" } else { "toAmount" }),
        "LIQUIDATION" => member(if out { "debtAmount" } else { "collateralAmount" }),
        // The amount that a loan itself moves is neither a supply nor a withdrawal.
        "BORROW" if out => member("collateralAmount"),
        "REPAY" if !out => member("collateralAmount"),
        // The shares are what the other side moves.
        "VAULT_DEPOSIT" if !out => member("shares"),
        "VAULT_WITHDRAW" if out => member("shares"),
        "WRAP" | "UNWRAP" => own(),
        _ if out && OUT.contains(&kind) || !out && IN.contains(&kind) => own(),
        _ => Vec::new(),
    }
}

/// The token that an event wraps or unwraps.
fn wrapped(mined: &Transaction, event: &Event) -> Option<String> {
    let token = event.member("asset")?;
    let is_minted = MINTED.contains(&(mined.chain_id, &token)) && ["MINT", "BURN"].contains(&event.kind.as_str());
    (is_minted || WRAPPING.contains(&event.kind.as_str())).then_some(token)
}

/// The addresses of an event, its emitter's among them.
fn addresses(event: &Event) -> Vec<String> {
    event.addresses().into_iter().chain(event.contract.clone()).collect()
}

/// Returns the addresses that reported transfers of these tokens reach from the first ones: along the transfers for
/// what goes out, and against them for what comes in.
fn joined(
    events: &[Event],
    first: BTreeSet<String>,
    tokens: &BTreeSet<String>,
    direction: Direction,
) -> BTreeSet<String> {
    let transfer = |event: &Event| {
        let is_of = TRANSFERS.contains(&event.kind.as_str()) && tokens.contains(&event.member("asset")?);
        let (from, to) = (event.member("from")?, event.member("to")?);
        is_of.then_some(if direction == Direction::Out { (from, to) } else { (to, from) })
    };
    let edges: Vec<(String, String)> = events.iter().filter_map(transfer).collect();
    let mut reached = first;
    loop {
        let next = edges.iter().filter(|(near, far)| reached.contains(near) && !reached.contains(far) && far != ZERO);
        let next: Vec<String> = next.map(|(_, far)| far.clone()).collect();
        if next.is_empty() {
            return reached;
        }
        reached.extend(next);
    }
}
