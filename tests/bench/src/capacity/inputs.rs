//! What capacity is computed from: figures that were measured, each with the command that measures it, and assumptions
//! about what clients request.

use super::{AnswerCosts, Clients};
use crate::table::number;

/// Claimables of all plugins on ten networks, about an account that has nothing: a run of `bench fleet -- inputs`.
pub(super) const ANSWER: AnswerCosts = AnswerCosts {
    read_ms: 172.0,
    stored_ms: 157.0,
    again_ms: 125.0,
    joined_ms: 0.178,
    read_wall_ms: 146.0,
    requests: 23.0,
    stored_requests: 15.0,
    written_kb: 1_407.0,
    found_kb: 1_389.0,
    store_read_ms: 3.61,
    store_found_ms: 2.39,
};
/// Reads of an answer that reads from nodes.
const READS: f64 = 41_932.0;
/// The most memory of a gateway, from `bench reads -- shipped`.
pub(super) const GATEWAY_MIB: f64 = 285.0;
/// Processor time that a node takes for a read, from `bench reads`.
const NODE_READ_US: f64 = 4.4;
/// Processor time of nodes for such an answer.
pub(super) const NODE_MS: f64 = READS * NODE_READ_US / 1e3;

/// Seconds between two blocks of each network. A gateway reads at one block for two seconds at least.
pub(super) const PINS_S: [f64; 10] = [12.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0];
/// Polls of a network in a second for its newest block: two for each block, and one in four seconds at least.
pub(super) const POLLS_A_SECOND: f64 = 0.25 + 9.0;
/// With a shared store, each gateway polls each network itself once in so many seconds at least.
pub(crate) const OWN_POLLS_S: f64 = 10.0;

/// Cores of a replica, and the part of them that is busy at the peak.
pub(super) const REPLICA_CORES: f64 = 8.0;
pub(super) const BUSY_MAX: f64 = 0.6;

pub(super) const RATES: [f64; 3] = [10.0, 1_000.0, 100_000.0];
pub(super) const CLIENTS: [Clients; 2] = [
    // Each user looks at an own account.
    Clients { name: "wallets", every_s: 30.0, exponent: 0.0, once: 0.1 },
    // Many look at the accounts that are known.
    Clients { name: "pages", every_s: 300.0, exponent: 1.0, once: 0.3 },
];

/// The rows of the page's table of figures.
pub(super) fn rows() -> Vec<[String; 3]> {
    let of_answer = [
        ("processor time of an answer, ms: its reads come from nodes", ANSWER.read_ms),
        ("from the store", ANSWER.stored_ms),
        ("from memory", ANSWER.again_ms),
        ("it joins an equal one in flight", ANSWER.joined_ms),
        ("time until it is there, ms, from nodes at 50 ms", ANSWER.read_wall_ms),
        ("reads", READS),
        ("requests to nodes", ANSWER.requests),
        ("requests to nodes where the store has all that is shared", ANSWER.stored_requests),
        ("written to the store for it, kB", ANSWER.written_kb),
        ("found in the store for it, kB", ANSWER.found_kb),
        ("processor time of the store, ms: written", ANSWER.store_read_ms),
        ("found", ANSWER.store_found_ms),
    ];
    let others = [
        ("memory of a gateway, MiB", GATEWAY_MIB, "`bench reads -- shipped`"),
        ("processor time of a node for a read, µs", NODE_READ_US, "`bench reads`"),
    ];
    let of_answer = of_answer.map(|(what, value)| (what, value, "`bench fleet -- inputs`"));
    let rows = of_answer.into_iter().chain(others);
    rows.map(|(what, value, command)| [what.to_owned(), number(value), command.to_owned()]).collect()
}
