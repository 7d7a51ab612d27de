//! Findings as rows of an answer: one for each payment of a claim, one for each leg of a position.

use std::ops::Deref;

use alloy::primitives::{Address, U256};
use portolan_abi::map::{Claim, Claimable, Leg, LegRole, Position};

/// A payment of a claimable; the rest is the claimable's.
///
/// ```
/// use portolan_plugin_api::testing::Outcome;
///
/// /// What each claim of a job pays, with the name and the contract of its claimable.
/// fn lines(outcome: &Outcome) -> Vec<String> {
///     let line = |row: &portolan_plugin_api::testing::PaymentRow<'_>| format!("{} of {}: {}", row.name, row.contract, row.amount);
///     outcome.payments().iter().map(line).collect()
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PaymentRow<'a> {
    /// The whole.
    pub claimable: &'a Claimable,
    /// The token that is paid.
    pub token: Address,
    /// Smallest units.
    pub amount: U256,
    /// The last step, which pays.
    pub claim: &'a Claim,
}

impl Deref for PaymentRow<'_> {
    type Target = Claimable;

    fn deref(&self) -> &Claimable {
        self.claimable
    }
}

/// A leg of a position; the rest is the position's.
///
/// ```
/// use portolan_plugin_api::testing::Outcome;
/// use portolan_plugin_api::{LegRole, U256};
///
/// /// All that is staked, in the underlying token.
/// fn staked(outcome: &Outcome) -> U256 {
///     let staked = outcome.legs().into_iter().filter(|leg| leg.role == LegRole::STAKED);
///     staked.map(|leg| leg.underlying_amount).sum()
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LegRow<'a> {
    /// The whole.
    pub position: &'a Position,
    /// The part that it has in the position.
    pub role: LegRole,
    /// The asset.
    pub token: Address,
    /// Smallest units.
    pub amount: U256,
    /// Amount that it redeems to in the same asset; its own amount if none is given.
    pub underlying_amount: U256,
    /// A fraction a year, times 10^27.
    pub rate_ray: Option<U256>,
    /// Amount that all accounts have in it.
    pub total: Option<U256>,
    /// The token that counts it, or the position's contract.
    pub contract: Address,
    /// Its own, or the position's.
    pub name: &'a str,
}

impl<'a> LegRow<'a> {
    pub(super) fn of(position: &'a Position, leg: &'a Leg) -> Self {
        let redeemed = leg.redeems_to.iter().flatten().find(|part| part.token == leg.token);
        Self {
            position,
            role: leg.role,
            token: leg.token,
            amount: leg.amount,
            underlying_amount: redeemed.map_or(leg.amount, |part| part.amount),
            rate_ray: leg.rate_ray,
            total: leg.total,
            contract: leg.receipt.unwrap_or(position.contract),
            name: leg.name.as_deref().unwrap_or(&position.name),
        }
    }

    /// The position's health factor, times 10^18.
    pub fn health_factor_wad(&self) -> Option<U256> {
        self.position.health?.factor_wad
    }
}

impl Deref for LegRow<'_> {
    type Target = Position;

    fn deref(&self) -> &Position {
        self.position
    }
}
