//! Movements that no event has explained yet.

use alloy::primitives::{Address, U256};
use portolan_assets::token::NATIVE;
use portolan_events::Asset;

use crate::events::action::Flow;
use crate::events::movements::{Movement, Movements};

/// Tolerance: rebasing tokens move a few units less than their events say.
const ROUNDING_MAX: U256 = U256::from_limbs([10, 0, 0, 0]);

/// Movements of an account, minus what events explain.
#[derive(Clone, Debug)]
pub(super) struct Unexplained {
    pub(super) incoming: Vec<Movement>,
    pub(super) outgoing: Vec<Movement>,
    /// The token that wraps the native one.
    wrapped: Option<Address>,
}

impl Unexplained {
    pub(super) fn of(movements: &Movements, wrapped: Option<Address>) -> Self {
        let Movements { incoming, outgoing, .. } = movements.clone();
        Self { incoming, outgoing, wrapped }
    }

    /// Subtracts what an event explains. The wrapped native token explains the native one if it did not move itself,
    /// and vice versa.
    pub(super) fn explain(&mut self, flow: Flow, asset: Asset) {
        let Some(token) = asset.token else { return };
        let other = match Some(token) {
            wrapped if wrapped == self.wrapped => Some(NATIVE),
            Some(NATIVE) => self.wrapped,
            _ => None,
        };
        let movements = if flow == Flow::In { &mut self.incoming } else { &mut self.outgoing };
        let mut left = asset.raw;
        for token in std::iter::once(token).chain(other) {
            let is_of = |of: &Movement| of.asset.token == token && of.asset.token_id.is_none();
            let Some(place) = movements.iter().position(is_of) else { continue };
            let Some(movement) = movements.get_mut(place).filter(|_| !left.is_zero()) else { continue };
            let explained = left.min(movement.raw);
            (movement.raw, left) = (movement.raw - explained, left - explained);
            if movement.raw <= ROUNDING_MAX {
                movements.remove(place);
            }
        }
    }

    /// Removes and returns the movements that match.
    pub(super) fn take(&mut self, flow: Flow, is_like: impl Fn(&Movement) -> bool) -> Vec<Movement> {
        let movements = if flow == Flow::In { &mut self.incoming } else { &mut self.outgoing };
        let (taken, left) = std::mem::take(movements).into_iter().partition(|movement| is_like(movement));
        *movements = left;
        taken
    }
}
