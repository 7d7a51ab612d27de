//! The reads of one block: each has a number, is carried by one flight, and is found by its question.
//!
//! Invariant: a question leads to one number; where its outcome is a failure, it gives way to the next who reads it.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::flight::Flight;
use crate::read_set::{ReadRef, ReadSet, count, index};
use crate::{Outcome, Read};

/// So many consecutive reads that differ only in their target get a table of their own.
const ROW_MIN: usize = 64;

/// The reads, numbered as they came.
#[derive(Default)]
pub(super) struct Table {
    numbers: HashTable<u32>,
    /// The reads of long rows, by the hash of what the row shares. So the reads of many contracts for one account lie
    /// together, however much is read for others.
    rows: HashMap<u64, HashTable<u32>>,
    /// The hash of each read, by its number, so that a growing table does not hash the reads again.
    hashes: Vec<u64>,
    flights: Flights,
    hasher: DefaultHashBuilder,
}

/// Each flight with the numbers of the reads that it carries, in their order.
#[derive(Default)]
struct Flights(Vec<(Range<u32>, Arc<Flight>)>);

impl Flights {
    /// Returns the flight that carries a read, and the read's place there; `None` if the read is new.
    fn carrier(&self, number: u32) -> Option<(&Arc<Flight>, u32)> {
        let (numbers, flight) = self.0.get(self.0.partition_point(|(numbers, _)| numbers.end <= number))?;
        Some((flight, number.checked_sub(numbers.start)?))
    }

    fn carry(&self, number: u32, read: ReadRef<'_>) -> bool {
        self.carrier(number).is_some_and(|(flight, place)| flight.carries(place, read))
    }
}

impl Table {
    /// Returns the outcome of a read, if it is known and no failure.
    pub(super) fn outcome(&self, read: ReadRef<'_>) -> Option<&Outcome> {
        let of_row = self.hasher.hash_one(shared(read.like));
        let hash = self.hasher.hash_one((of_row, read.to));
        let is_it = |number: &u32| self.hashes[index(*number)] == hash && self.flights.carry(*number, read);
        let in_row = || self.rows.get(&of_row)?.find(hash, is_it);
        let (flight, place) = self.flights.carrier(*self.numbers.find(hash, is_it).or_else(in_row)?)?;
        flight.outcome(place).filter(|_| !flight.has_failed(place))
    }

    /// Enters these reads, and names for each in turn the flight that carries it and its place there: one that has not
    /// failed it, else (`None`) the next. Returns the places of those reads that the next one carries.
    pub(super) fn enter(&mut self, reads: &ReadSet, mut carried: impl FnMut(Option<&Arc<Flight>>, u32)) -> Vec<u32> {
        let Self { numbers, rows, hashes, flights, hasher } = self;
        let (first, mut new) = (count(hashes.len()), Vec::with_capacity(reads.len()));
        hashes.reserve(reads.len());
        for (places, like) in reads.rows() {
            let of_row = hasher.hash_one(shared(like));
            let mut row = match places.len() {
                ROW_MIN.. => Some(rows.entry(of_row).or_default()),
                _ => rows.get_mut(&of_row),
            };
            // Reserved at once, so that the present ones are moved at most once.
            match &mut row {
                Some(row) => row.reserve(places.len(), |number| hashes[index(*number)]),
                None => numbers.reserve(reads.len() - places.start, |number| hashes[index(*number)]),
            }
            for (to, place) in reads.targets(places.clone()).iter().zip(count(places.start)..) {
                let (read, hash) = (ReadRef { to: *to, like }, hasher.hash_one((of_row, to)));
                let own = |number: u32| {
                    let known = reads.at(index(*new.get(index(number.checked_sub(first)?))?));
                    Some(known.question() == read.question())
                };
                let carries = |number| own(number).unwrap_or_else(|| flights.carry(number, read));
                let is_it = |number: &u32| hashes[index(*number)] == hash && carries(*number);
                let next = count(hashes.len());
                let (known, table) = match &mut row {
                    Some(row) => (numbers.find_mut(hash, is_it), &mut **row),
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

    /// Attaches the next flight, which carries the new reads.
    pub(super) fn attach(&mut self, flight: &Arc<Flight>, reads: ReadSet) {
        flight.carry(reads);
        let first = self.flights.0.last().map_or(0, |(numbers, _)| numbers.end);
        self.flights.0.push((first..count(self.hashes.len()), Arc::clone(flight)));
    }
}

/// What the reads of a row share.
fn shared(read: &Read) -> impl Hash {
    let (_, data, kind, from, isolated, gas_cap) = ReadRef::from(read).question();
    (data, kind, from, isolated, gas_cap)
}
