//! What a claim comes to: what its trial paid where it was tried, else what its contracts say.
//!
//! Invariant: nothing is counted twice. What a claim pays of one token is shared out among its payments of that token.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use bigdecimal::num_traits::Zero;
use portolan_abi::map::{Claimable, PaidTo};

use crate::assets::token::{NATIVE, Token};
use crate::gateway::verdict::ClaimSimulation;

/// What the payments of a claim come to, in their order and in smallest units. A claim that fails or is refused pays
/// nothing. What one that differs pays to others than the account is not watched, so that its word counts for that.
pub(super) fn amounts(found: &Claimable, simulation: Option<&ClaimSimulation>) -> Vec<U256> {
    let payments = &found.payments;
    if simulation.is_some_and(ClaimSimulation::is_bad) {
        return vec![U256::ZERO; payments.len()];
    }
    let mut left: BTreeMap<Address, U256> = BTreeMap::new();
    let mut come_to = |place: usize| {
        let payment = &payments[place];
        let differing = simulation.filter(|_| payment.paid_to == PaidTo::ACCOUNT);
        let Some(received) = differing.and_then(|own| own.differing(payment.token)) else { return payment.amount };
        let left = left.entry(payment.token).or_insert(received);
        let is_alike = |paid_to, token| (paid_to, token) == (PaidTo::ACCOUNT, payment.token);
        let is_last = !payments[place + 1..].iter().any(|other| is_alike(other.paid_to, other.token));
        let own = if is_last { *left } else { payment.amount.min(*left) };
        *left -= own;
        own
    };
    (0..payments.len()).map(&mut come_to).collect()
}

/// What the account gets besides, by a claim that differs: tokens that it does not say, and their amounts.
pub(super) fn beside(found: &Claimable, simulation: Option<&ClaimSimulation>) -> Vec<(Address, U256)> {
    let is_said = |token: Address| found.payments.iter().any(|payment| payment.token == token);
    let moved = simulation.into_iter().flat_map(|own| own.moved().map(move |token| (token, own.differing(token))));
    let moved = moved.filter_map(|(token, paid)| Some((token, paid?)));
    moved.filter(|(token, raw)| !is_said(*token) && !raw.is_zero()).collect()
}

/// What amounts are worth together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DollarSum {
    /// It counts those that have a price.
    pub(crate) usd: BigDecimal,
    /// How many have none.
    pub(crate) unpriced: usize,
}

impl DollarSum {
    /// Amounts of zero need no price.
    pub(super) fn of<'a>(amounts: impl IntoIterator<Item = (Option<&'a Token>, U256)>) -> Self {
        let mut sum = Self { usd: BigDecimal::zero(), unpriced: 0 };
        for (token, raw) in amounts.into_iter().filter(|(_, raw)| !raw.is_zero()) {
            match token.and_then(|token| token.dollars(raw)) {
                Some(usd) => sum.usd += usd,
                None => sum.unpriced += 1,
            }
        }
        sum
    }
}

/// The token of an amount that a claim pays besides: the native one alone is known, for it is what claims cost.
pub(super) fn known(token: Address, native: Option<&Token>) -> Option<&Token> {
    native.filter(|_| token == NATIVE)
}

#[cfg(test)]
mod tests;
