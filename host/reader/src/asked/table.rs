//! The questions of one block: each has a number, is carried by one flight, and is found by what it asks.
//!
//! Invariant: what is asked leads to one number; where its outcome is a failure, it gives way to the next who asks.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::questions::Questions;
use crate::outcomes::Outcomes;
use crate::{Outcome, Read};

/// So many reads in a row that have the same data are put together.
const ALIKE_MIN: usize = 64;

/// The questions, numbered as they came.
#[derive(Default)]
pub(super) struct Table {
    /// Of questions.
    numbers: HashTable<u32>,
    /// Those that came in long rows with the same data, by its hash: what a batch that asks many contracts for one
    /// account looks at lies together, however much is asked for others.
    alike: HashMap<u64, HashTable<u32>>,
    /// Of each question, by its number: a table that grows does not look at the questions again.
    hashes: Vec<u64>,
    flights: Flights,
    hasher: DefaultHashBuilder,
}

/// Each with the numbers of the questions that it carries, in their order.
#[derive(Default)]
struct Flights(Vec<(Range<u32>, Arc<Flight>)>);

/// Reads that are asked together.
#[derive(Default)]
pub(super) struct Flight {
    questions: OnceLock<Questions>,
    pub(super) outcomes: OnceLock<Outcomes>,
    ended: Notify,
}

impl Flight {
    fn asks(&self, place: u32, read: &Read) -> bool {
        self.questions.get().is_some_and(|questions| questions.asks(index(place), read))
    }

    /// What asks the same as the read that stood at this place.
    pub(super) fn read(&self, place: u32) -> Option<Read> {
        self.questions.get()?.read(index(place))
    }

    pub(super) fn outcome(&self, place: u32) -> Option<&Outcome> {
        self.outcomes.get()?.get(index(place))
    }

    pub(super) fn has_failed(&self, place: u32) -> bool {
        matches!(self.outcome(place), Some(Outcome::Failed(_)))
    }

    pub(super) fn end(&self, outcomes: Outcomes) {
        if self.outcomes.set(outcomes).is_ok() {
            self.ended.notify_waiters();
        }
    }

    pub(super) async fn ended(&self, until: Instant) {
        let ended = self.ended.notified();
        if self.outcomes.get().is_none() {
            // What is not there by then is told as failed.
            drop(timeout_at(until, ended).await);
        }
    }
}

impl Flights {
    /// Who carries a question, and at which place; nobody if it is new.
    fn carrier(&self, number: u32) -> Option<(&Arc<Flight>, u32)> {
        let (numbers, flight) = self.0.get(self.0.partition_point(|(numbers, _)| numbers.end <= number))?;
        Some((flight, number.checked_sub(numbers.start)?))
    }

    fn ask(&self, number: u32, read: &Read) -> bool {
        self.carrier(number).is_some_and(|(flight, place)| flight.asks(place, read))
    }
}

impl Table {
    /// The outcome of a question, where it is known and no failure.
    pub(super) fn told(&self, read: &Read) -> Option<&Outcome> {
        let of_data = self.hasher.hash_one(&read.data);
        let hash = self.hasher.hash_one((of_data, rest(read)));
        let is_it = |number: &u32| self.hashes[index(*number)] == hash && self.flights.ask(*number, read);
        let alike = || self.alike.get(&of_data)?.find(hash, is_it);
        let (flight, place) = self.flights.carrier(*self.numbers.find(hash, is_it).or_else(alike)?)?;
        flight.outcome(place).filter(|_| !flight.has_failed(place))
    }

    /// Takes in what these reads ask, and tells of each in turn who carries it and where: a flight that has not failed
    /// it, else (`None`) the next. Gives the places of those reads that the next one carries.
    pub(super) fn enter(&mut self, reads: &[Read], mut carried: impl FnMut(Option<&Arc<Flight>>, u32)) -> Vec<u32> {
        let Self { numbers, alike, hashes, flights, hasher } = self;
        let (first, mut new) = (count(hashes.len()), Vec::with_capacity(reads.len()));
        hashes.reserve(reads.len());
        let mut places = 0_u32..;
        for run in reads.chunk_by(|one, next| one.data == next.data) {
            let of_data = hasher.hash_one(&run[0].data);
            let mut alike = match run.len() {
                ALIKE_MIN.. => Some(alike.entry(of_data).or_default()),
                _ => alike.get_mut(&of_data),
            };
            // At once, so that the others are moved no more than once.
            match &mut alike {
                Some(alike) => alike.reserve(run.len(), |number| hashes[index(*number)]),
                None => numbers.reserve(reads.len() - index(places.start), |number| hashes[index(*number)]),
            }
            for (read, place) in run.iter().zip(&mut places) {
                let hash = hasher.hash_one((of_data, rest(read)));
                let own = |number: u32| {
                    let known = reads.get(index(*new.get(index(number.checked_sub(first)?))?))?;
                    Some(known.question() == read.question())
                };
                let asks = |number| own(number).unwrap_or_else(|| flights.ask(number, read));
                let is_it = |number: &u32| hashes[index(*number)] == hash && asks(*number);
                let next = count(hashes.len());
                let (known, table) = match &mut alike {
                    Some(alike) => (numbers.find_mut(hash, is_it), &mut **alike),
                    None => (None, &mut *numbers),
                };
                let number = match known {
                    Some(known) => known,
                    None => table.entry(hash, is_it, |number| hashes[index(*number)]).or_insert(next).into_mut(),
                };
                if *number < first
                    && let Some((flight, place)) = flights.carrier(*number)
                {
                    if !flight.has_failed(place) {
                        carried(Some(flight), place);
                        continue;
                    }
                    *number = next;
                }
                carried(None, *number - first);
                if *number == next {
                    hashes.push(hash);
                    new.push(place);
                }
            }
        }
        new
    }

    /// Has the next flight carry what is new, which are these questions.
    pub(super) fn depart(&mut self, flight: &Arc<Flight>, questions: Questions) {
        // Nobody has met it yet.
        drop(flight.questions.set(questions));
        let first = self.flights.0.last().map_or(0, |(numbers, _)| numbers.end);
        self.flights.0.push((first..count(self.hashes.len()), Arc::clone(flight)));
    }
}

/// What a read asks besides its data.
fn rest(read: &Read) -> impl Hash {
    let (to, _, kind, from, isolated, gas_cap) = read.question();
    (to, kind, from, isolated, gas_cap)
}

/// Of reads or flights: there is no memory for more than this counts.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}
