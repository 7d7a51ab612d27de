//! Tracks which transfers events have reported, so that a movement logged by several contracts counts once.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use portolan_events::Asset;

use crate::events::action::Flow;
use crate::events::movements::Transfer;

/// Amounts by direction and token; the wrapped native token counts as the native one.
pub(super) struct Ledger {
    entries: BTreeMap<(Flow, Address), LedgerEntry>,
}

/// Total movement in one direction.
#[derive(Clone, Copy, Default)]
struct LedgerEntry {
    moved: U256,
    /// The amount that no event has reported.
    left: U256,
}

impl Ledger {
    /// `one` maps the wrapped native token to the native one.
    pub(super) fn of(transfers: &[Transfer], account: Address, one: impl Fn(Address) -> Address) -> Self {
        let mut entries: BTreeMap<(Flow, Address), LedgerEntry> = BTreeMap::new();
        for transfer in transfers.iter().filter(|transfer| transfer.asset.token_id.is_none()) {
            let flow = if transfer.to == account { Flow::In } else { Flow::Out };
            let entry = entries.entry((flow, one(transfer.asset.token))).or_default();
            entry.moved = entry.moved.saturating_add(transfer.raw);
            entry.left = entry.moved;
        }
        Self { entries }
    }

    pub(super) fn has_moved(&self, flow: Flow, token: Address) -> bool {
        self.entries.contains_key(&(flow, token))
    }

    /// Returns true if other events leave less than half of this amount; `None` if the token did not move.
    pub(super) fn is_taken(&self, flow: Flow, asset: Asset) -> Option<bool> {
        let entry = self.entries.get(&(flow, asset.token?))?;
        let is_short = entry.left.saturating_mul(U256::from(2)) < asset.raw;
        Some(entry.left < entry.moved && is_short)
    }

    pub(super) fn take(&mut self, flow: Flow, asset: Asset) {
        let entry = asset.token.and_then(|token| self.entries.get_mut(&(flow, token)));
        if let Some(entry) = entry {
            entry.left = entry.left.saturating_sub(asset.raw);
        }
    }
}
