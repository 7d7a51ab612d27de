//! What moved and no event has explained yet.

use alloy::primitives::{Address, U256};
use portolan_events::Asset;

use crate::assets::token::NATIVE;
use crate::events::act::Flow;
use crate::events::movements::{Movement, Movements};

/// Rebasing tokens move a few units less than their events say.
const ROUNDING_MAX: U256 = U256::from_limbs([10, 0, 0, 0]);

/// The movements of an account, less what events say of them.
#[derive(Clone, Debug)]
pub(super) struct Residue {
    pub(super) incoming: Vec<Movement>,
    pub(super) outgoing: Vec<Movement>,
    /// The token that stands for the native one.
    wrapped: Option<Address>,
}

impl Residue {
    pub(super) fn of(movements: &Movements, wrapped: Option<Address>) -> Self {
        let Movements { incoming, outgoing, .. } = movements.clone();
        Self { incoming, outgoing, wrapped }
    }

    /// Takes what an event explains; the wrapped native token explains the native one where it did not move itself.
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

    /// Takes the movements that are like this.
    pub(super) fn take(&mut self, flow: Flow, is_like: impl Fn(&Movement) -> bool) -> Vec<Movement> {
        let movements = if flow == Flow::In { &mut self.incoming } else { &mut self.outgoing };
        let (taken, left) = std::mem::take(movements).into_iter().partition(|movement| is_like(movement));
        *movements = left;
        taken
    }
}
