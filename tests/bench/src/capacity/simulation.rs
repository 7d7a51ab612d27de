//! A fleet, request by request: which answer joins an equal one in flight, which finds what was read at the same block,
//! in the gateway that answers or in the store, and which goes to the nodes.
//!
//! Invariant: an answer joins one that is in flight at the same blocks, and a read one that is in flight at the same block,
//! in one gateway alone. Others find what was read once its answer is made.

use std::collections::HashMap;

use super::{AnswerCosts, FleetModel, Sharing, Totals};
use crate::table::float;

/// A question about an account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) at_s: f64,
    /// Equal numbers are equal queries.
    pub(crate) query: u64,
    /// The replica that answers it.
    pub(crate) replica: usize,
    pub(crate) costs: AnswerCosts,
}

/// What was read about a query last.
struct LastRead {
    /// The block of each network, counted from the begin.
    pins: Vec<u64>,
    /// When it was there.
    from_s: f64,
}

impl FleetModel<'_> {
    /// Answers everything that arrives, and counts what is answered from a second on.
    pub(crate) fn simulate(self, from_s: f64, arrivals: impl IntoIterator<Item = Arrival>) -> Totals {
        let mut in_memory: HashMap<(usize, u64), LastRead> = HashMap::new();
        let mut in_store: HashMap<u64, LastRead> = HashMap::new();
        let mut totals = Totals::default();
        for Arrival { at_s, query, replica, costs } in arrivals {
            let pins: Vec<u64> = self.pins_s.iter().enumerate().map(|(place, s)| pin(at_s, place, *s)).collect();
            let own = in_memory.get(&(replica, query));
            let took = if own.is_some_and(|own| own.from_s > at_s && own.pins == pins) {
                Totals { answers: 1.0, joined: 1.0, processor_ms: costs.joined_ms, ..Totals::default() }
            } else {
                let is_there = |shared: &&LastRead| self.sharing == Sharing::Store && shared.from_s <= at_s;
                let shared = in_store.get(&query).filter(is_there);
                let (mut read, mut stored) = (0_usize, 0_usize);
                for (network, pin) in pins.iter().enumerate() {
                    let has = |last: Option<&LastRead>| last.is_some_and(|last| last.pins.get(network) == Some(pin));
                    match (has(own), has(shared)) {
                        (true, _) => {}
                        (false, true) => stored += 1,
                        (false, false) => read += 1,
                    }
                }
                let took = costs.of_answer(float(read) / float(pins.len()), float(stored) / float(pins.len()));
                let from_s = at_s + costs.wall_ms(read + stored > 0) / 1e3;
                if read > 0 {
                    in_store.insert(query, LastRead { pins: pins.clone(), from_s });
                }
                in_memory.insert((replica, query), LastRead { pins, from_s });
                took
            };
            if at_s >= from_s {
                totals.add(1.0, &took);
            }
        }
        totals
    }
}

/// The number of the block that answers share at this time. Networks change theirs at different moments.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time after the begin")]
fn pin(at_s: f64, place: usize, share_s: f64) -> u64 {
    (at_s / share_s + float(place) * 0.37).floor() as u64
}
