//! Rules that a contract's reply or log can make a finding break. The SDK leaves such a finding out before it is sent, and
//! a host checks it again.
//!
//! Invariant: only a reply or a log alone can break these rules, so the plugin is not at fault.

mod item_keys;
mod places;
mod reasons;

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;

pub use self::item_keys::{claimable_keys, leg_key, payment_key, position_key, position_keys};
pub use self::places::{claimable_place, composition_place, event_place, position_place};
pub use self::reasons::Reasons;
use crate::invisible::is_invisible;
use crate::map::{Claimable, Composition, Event, Finding, Leg, Position, Price};

/// Characters of a finding's name; the longest pair names have forty.
pub const NAME_CHARS_MAX: usize = 200;
/// Tokens that one claim pays; gauges have eight.
pub const PAYMENTS_MAX: usize = 32;
/// Legs of one position: a lending market with some hundred reserves has two each.
pub const LEGS_MAX: usize = 256;
/// Reward tokens of one position; gauges have eight.
pub const REWARDS_MAX: usize = 32;
/// Tokens that a leg or a share redeems to; the largest pools have eight.
pub const PARTS_MAX: usize = 16;
/// Events of one log: places of a batch.
pub const LOG_EVENTS_MAX: usize = 256;
/// Tokens of one member of an event; the largest pools have eight, a batch of rewards some dozens.
pub const ASSETS_MAX: usize = 64;

/// The rule that a finding breaks because of a contract's reply or log, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReplyError(String);

impl ReplyError {
    /// The same error with the place where it is.
    #[must_use]
    pub fn at(self, place: &str) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

/// Checks a finding on its own; [`Reported`] has the rule for several.
///
/// # Errors
/// The first rule that it breaks, with its contract.
pub fn check(finding: &Finding) -> Result<(), ReplyError> {
    let Finding { claimable, position, composition, event } = finding;
    if let Some(found) = claimable {
        check_claimable(found).map_err(|error| error.at(&claimable_place(found)))?;
    }
    if let Some(found) = position {
        check_position(found).map_err(|error| error.at(&position_place(found)))?;
    }
    if let Some(found) = composition {
        check_composition(found).map_err(|error| error.at(&composition_place(found)))?;
    }
    if let Some(found) = event {
        check_event(found).map_err(|error| error.at(&event_place(found)))?;
    }
    Ok(())
}

fn check_claimable(found: &Claimable) -> Result<(), ReplyError> {
    check_name(&found.name)?;
    at_most("payments", found.payments.len(), PAYMENTS_MAX)?;
    let mut tokens = BTreeSet::new();
    for payment in &found.payments {
        if !tokens.insert(payment.token) {
            return Err(ReplyError(format!("it pays {:#x} twice", payment.token)));
        }
        payment.name.as_deref().map_or(Ok(()), check_name)?;
    }
    Ok(())
}

fn check_position(found: &Position) -> Result<(), ReplyError> {
    check_name(&found.name)?;
    at_most("legs", found.legs.len(), LEGS_MAX)?;
    at_most("reward tokens", found.rewards.len(), REWARDS_MAX)?;
    if found.rewards.iter().any(|reward| reward.divisor.is_some_and(|divisor| divisor.is_zero())) {
        return Err(ReplyError("the rate of a reward is divided by zero".to_owned()));
    }
    found.legs.iter().try_for_each(check_leg)?;
    if let Some(range) = found.range {
        let one_pair = (range.lower.base, range.lower.quote) == (range.upper.base, range.upper.quote);
        let number = |price: &Price| (price.x128, price.rest_x192);
        let is_falling = number(&range.lower) > number(&range.upper);
        if !one_pair || is_falling || range.lower.base.is_zero() && range.lower.quote.is_none() {
            return Err(ReplyError(
                "its range of prices is not one of the same assets, from lower to upper".to_owned(),
            ));
        }
    }
    let liquidation = found.health.and_then(|health| health.liquidation_price);
    if liquidation.is_some_and(|Price { x128, .. }| x128.is_zero()) {
        return Err(ReplyError("its liquidation price is zero; it is absent where it is not known".to_owned()));
    }
    Ok(())
}

fn check_leg(leg: &Leg) -> Result<(), ReplyError> {
    let parts = leg.redeems_to.as_deref();
    at_most("tokens that a leg redeems to", parts.map_or(0, <[_]>::len), PARTS_MAX)?;
    leg.name.as_deref().map_or(Ok(()), check_name)
}

fn check_composition(found: &Composition) -> Result<(), ReplyError> {
    if found.supply.is_zero() {
        return Err(ReplyError("its supply is zero".to_owned()));
    }
    if found.parts.is_empty() || found.parts.len() > PARTS_MAX {
        return Err(ReplyError(format!("it has {} parts, not 1 to {PARTS_MAX}", found.parts.len())));
    }
    let distinct: BTreeSet<Address> = found.parts.iter().map(|part| part.token).chain([found.token]).collect();
    if distinct.len() <= found.parts.len() {
        return Err(ReplyError("a part is the token itself, or appears twice".to_owned()));
    }
    Ok(())
}

fn check_event(found: &Event) -> Result<(), ReplyError> {
    let too_many = |assets: &Vec<_>| assets.len() > ASSETS_MAX;
    match found.members.iter().find(|member| member.value.assets.as_ref().is_some_and(too_many)) {
        Some(_) => Err(ReplyError(format!("the tokens of a member are more than {ASSETS_MAX}"))),
        None => Ok(()),
    }
}

/// Checks a name, which often contains a symbol that a contract returned.
fn check_name(name: &str) -> Result<(), ReplyError> {
    let is_too_long = name.chars().nth(NAME_CHARS_MAX).is_some();
    if name.is_empty() || is_too_long || name.chars().any(is_invisible) {
        return Err(ReplyError(format!(
            "its name is empty, longer than {NAME_CHARS_MAX} characters, or has control or direction characters"
        )));
    }
    Ok(())
}

/// Checks the number of items that contracts list.
fn at_most(what: &str, count: usize, max: usize) -> Result<(), ReplyError> {
    if count > max { Err(ReplyError(format!("{count} {what} are more than {max}"))) } else { Ok(()) }
}

/// Items that the findings of one job have reported, each at most once: a contract's list may name another one twice.
#[derive(Debug, Default)]
pub struct Reported {
    items: BTreeSet<String>,
    events: BTreeMap<u32, usize>,
}

impl Reported {
    /// Adds a finding of the job; the first report of an item counts.
    ///
    /// # Errors
    /// The finding reports an item that was reported before, or its log has too many events.
    pub fn take(&mut self, finding: &Finding) -> Result<(), ReplyError> {
        let Finding { claimable, position, composition, event } = finding;
        claimable.as_ref().map_or(Ok(()), |found| self.take_items(claimable_keys(found)))?;
        position.as_ref().map_or(Ok(()), |found| self.take_items(position_keys(found)))?;
        composition.as_ref().map_or(Ok(()), |found| self.take_items(vec![format!("{:#x}", found.token)]))?;
        event.as_ref().map_or(Ok(()), |found| self.take_event(found))
    }

    /// Adds the items of a finding, all or none.
    ///
    /// # Errors
    /// One of them was reported before.
    pub fn take_items(&mut self, keys: Vec<String>) -> Result<(), ReplyError> {
        let mut own = BTreeSet::new();
        for key in keys {
            if self.items.contains(&key) || own.contains(&key) {
                return Err(ReplyError(format!("{key} is reported twice")));
            }
            own.insert(key);
        }
        self.items.append(&mut own);
        Ok(())
    }

    fn take_event(&mut self, found: &Event) -> Result<(), ReplyError> {
        let count = self.events.entry(found.log).or_default();
        if *count >= LOG_EVENTS_MAX {
            let error = ReplyError(format!("it is decoded into more than {LOG_EVENTS_MAX}"));
            return Err(error.at(&event_place(found)));
        }
        *count += 1;
        Ok(())
    }
}
