//! Amounts that a claim pays: what its simulation paid, or what its contracts report if it was not simulated.
//!
//! Invariant: nothing is counted twice. The amount of one token that a claim pays is divided among its payments of
//! that token.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use bigdecimal::num_traits::Zero;
use portolan_abi::map::{Claimable, PaidTo};
use portolan_assets::token::{NATIVE, Token};

use crate::gateway::claims::verdict::ClaimSimulation;

/// Returns the amounts of a claim's payments, in order and in smallest units. A claim that reverts or is refused pays
/// nothing. For a claim that differs, payments to others than the account are not simulated, so the reported amount
/// counts.
pub(in crate::gateway) fn amounts(found: &Claimable, simulation: Option<&ClaimSimulation>) -> Vec<U256> {
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

/// Returns tokens that a claim with differences pays to the account without declaring them, with their amounts.
pub(in crate::gateway) fn beside(found: &Claimable, simulation: Option<&ClaimSimulation>) -> Vec<(Address, U256)> {
    let is_said = |token: Address| found.payments.iter().any(|payment| payment.token == token);
    let moved = simulation.into_iter().flat_map(|own| own.moved().map(move |token| (token, own.differing(token))));
    let moved = moved.filter_map(|(token, paid)| Some((token, paid?)));
    moved.filter(|(token, raw)| !is_said(*token) && !raw.is_zero()).collect()
}

/// Sum of amounts in dollars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DollarSum {
    /// Value of the amounts that have a price.
    pub(crate) usd: BigDecimal,
    /// Number of amounts without a price.
    pub(crate) unpriced: usize,
}

impl DollarSum {
    /// Sums up these amounts. Amounts of zero need no price.
    pub(in crate::gateway) fn of<'a>(amounts: impl IntoIterator<Item = (Option<&'a Token>, U256)>) -> Self {
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

/// Returns the token of an undeclared payment if it is the native one; others are unknown.
pub(in crate::gateway) fn known(token: Address, native: Option<&Token>) -> Option<&Token> {
    native.filter(|_| token == NATIVE)
}

#[cfg(test)]
mod tests;
