//! What gateways cost and need at a rate of requests: the table of the book's page on capacity, by formulas from
//! measured figures, and a simulation that checks the formulas.
//!
//! Queries about one account come at random, independently of those about others. So each account can be computed by
//! itself: of what comes between two blocks, the first is read, what comes before its answer joins it, and the rest is
//! answered from memory.

mod inputs;
pub(crate) mod simulation;
#[cfg(test)]
mod tests;

pub(crate) use self::inputs::OWN_POLLS_S;
use self::inputs::{ANSWER, BUSY_MAX, CLIENTS, GATEWAY_MIB, NODE_MS, PINS_S, POLLS_A_SECOND, RATES, REPLICA_CORES};
use super::table::{float, number};

/// Rounds after which the number of answers that are made changes no more.
const ROUNDS: usize = 16;
const DAYS_A_MONTH: f64 = 30.0;
const DAY_S: f64 = 86_400.0;

/// What an answer takes, by where its reads come from. Times are milliseconds; `_ms` are processor time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AnswerCosts {
    /// All from nodes, from the store, from memory; and an answer that waits for an equal one in flight.
    pub(crate) read_ms: f64,
    pub(crate) stored_ms: f64,
    pub(crate) again_ms: f64,
    pub(crate) joined_ms: f64,
    /// Until an answer that reads from nodes is there.
    pub(crate) read_wall_ms: f64,
    /// To nodes, of an answer that reads from nodes, and of one that finds in the store what is shared.
    pub(crate) requests: f64,
    pub(crate) stored_requests: f64,
    pub(crate) written_kb: f64,
    pub(crate) found_kb: f64,
    /// The store's, for what is written and for what is found.
    pub(crate) store_read_ms: f64,
    pub(crate) store_found_ms: f64,
}

/// Who requests something.
#[derive(Clone, Copy, Debug)]
struct Clients {
    name: &'static str,
    /// Accounts are requested once in so many seconds on average.
    every_s: f64,
    /// An account's share is the inverse of its rank to this power, as Zipf's law has it.
    exponent: f64,
    /// The share of requests about accounts that nobody asks about again.
    once: f64,
}

/// How replicas share what they read, beside the balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    None,
    Store,
}

/// Replicas that answer, and the networks that they read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FleetModel<'a> {
    /// Replicas that a query may come to: one if the balancer takes the replica by the path.
    pub(crate) replicas: f64,
    pub(crate) sharing: Sharing,
    /// For each network, the seconds for which answers share a block.
    pub(crate) pins_s: &'a [f64],
}

/// What a number of answers took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) answers: f64,
    pub(crate) joined: f64,
    /// The parts of the other answers that were read from nodes, and that were found in the store.
    pub(crate) read: f64,
    pub(crate) stored: f64,
    pub(crate) processor_ms: f64,
    pub(crate) requests: f64,
    pub(crate) store_kb: f64,
    pub(crate) store_ms: f64,
}

impl Totals {
    pub(crate) fn add(&mut self, times: f64, one: &Self) {
        self.answers += times * one.answers;
        self.joined += times * one.joined;
        self.read += times * one.read;
        self.stored += times * one.stored;
        self.processor_ms += times * one.processor_ms;
        self.requests += times * one.requests;
        self.store_kb += times * one.store_kb;
        self.store_ms += times * one.store_ms;
    }
}

impl AnswerCosts {
    /// One answer, of which these parts are read from nodes and found in the store.
    fn of_answer(&self, read: f64, stored: f64) -> Totals {
        Totals {
            answers: 1.0,
            joined: 0.0,
            read,
            stored,
            processor_ms: self.again_ms
                + (self.read_ms - self.again_ms) * read
                + (self.stored_ms - self.again_ms) * stored,
            requests: self.requests * read + self.stored_requests * stored,
            store_kb: self.written_kb * read + self.found_kb * stored,
            store_ms: self.store_read_ms * read + self.store_found_ms * stored,
        }
    }

    fn wall_ms(&self, reads: bool) -> f64 {
        if reads { self.read_wall_ms } else { self.again_ms }
    }
}

impl Clients {
    /// Accounts of about the same popularity: how many, and how often each is requested in a second.
    fn accounts(&self, a_second: f64) -> Vec<(f64, f64)> {
        let known = a_second * (1.0 - self.once);
        let count = (known * self.every_s).round().max(1.0);
        let (mut groups, mut first) = (Vec::new(), 1.0);
        while first <= count {
            let last = (first * 1.02_f64).floor().clamp(first, count);
            let middle = f64::midpoint(first, last);
            groups.push((last - first + 1.0, middle.powf(-self.exponent)));
            first = last + 1.0;
        }
        let all: f64 = groups.iter().map(|(count, weight)| count * weight).sum();
        groups.into_iter().map(|(count, weight)| (count, known * weight / all)).collect()
    }
}

impl FleetModel<'_> {
    /// What the requests of a second take.
    fn expect(&self, clients: &Clients, a_second: f64, costs: &AnswerCosts) -> Totals {
        let mut totals = Totals::default();
        totals.add(a_second * clients.once, &costs.of_answer(1.0, 0.0));
        for (count, queries) in clients.accounts(a_second) {
            totals.add(count, &self.of_account(queries, costs));
        }
        totals
    }

    /// What the requests of a second about one account take.
    fn of_account(&self, queries: f64, costs: &AnswerCosts) -> Totals {
        let per_replica = queries / self.replicas;
        let firsts: Vec<f64> = self.pins_s.iter().map(|pin_s| first(per_replica, *pin_s)).collect();
        let new_blocks: f64 = self.pins_s.iter().map(|pin_s| 1.0 / pin_s).sum();
        // How long an answer takes depends on how many are made, and that on how long others can join one.
        let (mut made, mut wall_s) = (per_replica, costs.wall_ms(true) / 1e3);
        for _ in 0..ROUNDS {
            let reads = 1.0 - firsts.iter().map(|first| 1.0 - (first / made).min(1.0)).product::<f64>();
            wall_s = (costs.wall_ms(true) * reads + costs.wall_ms(false) * (1.0 - reads)) / 1e3;
            // It can be joined until it is made, or until a network has a new block.
            let open_s = (1.0 - (-new_blocks * wall_s).exp()) / new_blocks;
            made = per_replica / (1.0 + per_replica * open_s);
        }
        // One of the replicas reads, and those that are asked before its answer is made.
        let alone = 1.0 + (self.replicas - 1.0) * (1.0 - (-per_replica * wall_s).exp());
        let (mut read, mut stored) = (0.0, 0.0);
        for (pin_s, first_of_one) in self.pins_s.iter().zip(firsts) {
            let all = self.replicas * first_of_one;
            let of_nodes = match self.sharing {
                Sharing::None => all,
                Sharing::Store => (alone * first(queries, *pin_s)).min(all),
            };
            read += of_nodes / float(self.pins_s.len());
            stored += (all - of_nodes) / float(self.pins_s.len());
        }
        let made = made * self.replicas;
        let mut totals = Totals::default();
        totals.add(made, &costs.of_answer(read / made, stored / made));
        let joined = Totals { answers: 1.0, joined: 1.0, processor_ms: costs.joined_ms, ..Totals::default() };
        totals.add(queries - made, &joined);
        totals
    }
}

/// How many of the queries in a second are the first after a new block.
fn first(a_second: f64, pin_s: f64) -> f64 {
    (1.0 - (-a_second * pin_s).exp()) / pin_s
}

/// The tables of the page: each with its name, as Markdown.
pub(crate) fn tables() -> [(&'static str, String); 3] {
    let figures = inputs::rows().into_iter().map(|row| row.to_vec());
    let assumed = CLIENTS.iter().map(|clients| {
        let Clients { name, every_s, exponent, once } = *clients;
        [name.to_owned(), number(every_s), number(exponent), percent(once)].to_vec()
    });
    let steps = RATES.iter().flat_map(|rate| CLIENTS.iter().map(|clients| step(*rate, clients)));
    [
        ("capacity-figures", markdown(&["figure", "value", "command"], figures)),
        (
            "capacity-clients",
            markdown(
                &["clients", "seconds between two requests for an account", "exponent", "accounts requested once, %"],
                assumed,
            ),
        ),
        ("capacity", markdown(&COLUMNS, steps)),
    ]
}

const COLUMNS: [&str; 13] = [
    "requests a second",
    "clients",
    "joined, %",
    "from memory, %",
    "from nodes, %",
    "cores",
    "replicas",
    "memory, GiB",
    "requests to nodes a second",
    "a month, millions",
    "cores of nodes",
    "requests to nodes, balanced otherwise: with the store, without",
    "store: MB a second, cores",
];

/// A row of the table: what a rate takes.
fn step(a_second: f64, clients: &Clients) -> Vec<String> {
    let fleet = |replicas, sharing| FleetModel { replicas, sharing, pins_s: &PINS_S };
    let by_path = fleet(1.0, Sharing::None).expect(clients, a_second, &ANSWER);
    let cores = by_path.processor_ms / 1e3;
    let replicas = (cores / (REPLICA_CORES * BUSY_MAX)).ceil();
    let polls_shared = POLLS_A_SECOND + replicas * float(PINS_S.len()) / OWN_POLLS_S;
    let stored = fleet(replicas, Sharing::Store).expect(clients, a_second, &ANSWER);
    let unshared = fleet(replicas, Sharing::None).expect(clients, a_second, &ANSWER);
    let requests = by_path.requests + polls_shared;
    vec![
        number(a_second),
        clients.name.to_owned(),
        percent(by_path.joined / a_second),
        percent((a_second - by_path.joined - by_path.read) / a_second),
        percent(by_path.read / a_second),
        number(cores),
        number(replicas),
        number(replicas * GATEWAY_MIB / 1024.0),
        number(requests),
        number(requests * DAY_S * DAYS_A_MONTH / 1e6),
        number(by_path.read * NODE_MS / 1e3),
        format!(
            "{}, {}",
            number(stored.requests + polls_shared),
            number(unshared.requests + replicas * POLLS_A_SECOND)
        ),
        format!("{}, {}", number(by_path.store_kb / 1e3), number(by_path.store_ms / 1e3)),
    ]
}

fn percent(part: f64) -> String {
    number((part * 1e3).round() / 10.0)
}

fn markdown(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut lines = Vec::new();
    let mut say = |line: &str| lines.push(line.to_owned());
    super::table::row(&mut say, columns);
    super::table::row(&mut say, &vec!["---"; columns.len()]);
    rows.into_iter().for_each(|cells| super::table::row(&mut say, &cells));
    lines.push(String::new());
    lines.join("\n")
}
