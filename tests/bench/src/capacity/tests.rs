//! The page has the tables that are computed, and the formulas agree with the simulation.

use portolan_tests::{build, tables};

use super::simulation::Arrival;
use super::*;

const PAGE: &str = "host/docs/operate/capacity.md";
/// Seconds that warm the fleet, and seconds that are counted: several of the longest time between two blocks.
const WARM_S: f64 = 24.0;
const COUNTED_S: f64 = 120.0;

#[test]
fn the_page_has_the_tables_that_are_computed() {
    for (name, table) in tables() {
        tables::check(&build::workspace().join(PAGE), name, &table).unwrap();
    }
}

#[test]
fn the_simulation_takes_what_the_formulas_expect() {
    for (a_second, replicas) in [(10.0, 1_usize), (10.0, 3), (200.0, 3)] {
        for clients in &CLIENTS {
            for sharing in [Sharing::None, Sharing::Store] {
                let fleet = FleetModel { replicas: float(replicas), sharing, pins_s: &PINS_S };
                let expected = fleet.expect(clients, a_second, &ANSWER);
                let found = fleet.simulate(WARM_S, arrivals(clients, a_second, replicas));
                let what = format!(
                    "{} at {a_second} on {replicas}, {sharing:?}: {found:?}, {expected:?} a second",
                    clients.name
                );
                let agree = |found: f64, expected: f64| (found / COUNTED_S / expected - 1.0).abs() < 0.05;
                assert!(agree(found.answers, expected.answers), "{what}");
                assert!(agree(found.requests, expected.requests), "{what}");
                assert!(agree(found.processor_ms, expected.processor_ms), "{what}");
            }
        }
    }
}

#[test]
fn what_one_replica_reads_is_found_by_the_others_once_its_answer_is_made() {
    let costs = AnswerCosts {
        read_ms: 10.0,
        again_ms: 1.0,
        stored_ms: 4.0,
        read_wall_ms: 100.0,
        requests: 5.0,
        ..AnswerCosts::default()
    };
    // Two networks, of which one has a new block before the last arrival.
    let fleet = FleetModel { replicas: 2.0, sharing: Sharing::Store, pins_s: &[1_000.0, 20.0] };
    let arrival = |at_s, replica| Arrival { at_s, query: 7, replica, costs };
    let took = |arrivals: &[Arrival]| {
        let totals = fleet.simulate(0.0, arrivals.iter().copied());
        (totals.joined, totals.requests, totals.processor_ms)
    };
    let first = arrival(1.0, 0);
    assert_eq!(took(&[first]), (0.0, 5.0, 10.0));
    assert_eq!(took(&[first, arrival(1.05, 0)]), (1.0, 5.0, 10.0), "it joins");
    assert_eq!(took(&[first, arrival(1.05, 1)]), (0.0, 10.0, 20.0), "nothing is there yet");
    assert_eq!(took(&[first, arrival(1.2, 0)]), (0.0, 5.0, 11.0), "it is in memory");
    assert_eq!(took(&[first, arrival(1.2, 1)]), (0.0, 5.0, 14.0), "it is in the store");
    assert_eq!(took(&[first, arrival(19.0, 0)]), (0.0, 7.5, 15.5), "one network has a new block");
}

/// Queries that come at random, each to any replica.
fn arrivals(clients: &Clients, a_second: f64, replicas: usize) -> Vec<Arrival> {
    let mut random = fastrand::Rng::with_seed(45);
    let accounts = clients.accounts(a_second);
    let (mut arrivals, mut at_s, mut next) = (Vec::new(), 0.0, 0_u64);
    loop {
        at_s -= (1.0 - random.f64()).ln() / a_second;
        if at_s >= WARM_S + COUNTED_S {
            return arrivals;
        }
        next += 1;
        let query = if random.f64() < clients.once { u64::MAX - next } else { pick(&accounts, &mut random) };
        arrivals.push(Arrival { at_s, query, replica: random.usize(..replicas), costs: ANSWER });
    }
}

/// An account, by how often each is requested.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number of an account")]
fn pick(accounts: &[(f64, f64)], random: &mut fastrand::Rng) -> u64 {
    let all: f64 = accounts.iter().map(|(count, queries)| count * queries).sum();
    let (mut left, mut number) = (random.f64() * all, 0.0);
    for (count, queries) in accounts {
        if left < count * queries {
            return (number + left / queries) as u64;
        }
        (left, number) = (left - count * queries, number + count);
    }
    number as u64
}
