//! The reads of one block: each has a number, is carried by one flight, and is found by its question.
//!
//! Invariant: a question maps to one number; if its outcome is a failure, the next read of it gets a new number.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use alloy::primitives::Address;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet, HashTable};

use super::flight::Flight;
use crate::Outcome;
use crate::reads::read_set::{ReadRef, ReadSet, count, index, shared};

/// Minimum length of a row (consecutive reads that differ only in their target) that gets a table of its own.
const ROW_MIN: usize = 64;

/// The reads, numbered in order of arrival.
#[derive(Default)]
pub(super) struct Table {
    numbers: HashTable<u32>,
    /// Hashes of what the reads of `numbers` share with others: all but the target. A long row with another hash has
    /// no read in common with them.
    shared: HashSet<u64>,
    /// Reads of long rows, by the hash of what the row shares. So the reads of many contracts for one account are
    /// close in memory, however much is read for others.
    rows: HashMap<u64, LongRow>,
    /// Hash of each read, by number, so that a growing table does not hash the reads again; zero if it is not
    /// indexed.
    hashes: Vec<u64>,
    flights: Flights,
    hasher: DefaultHashBuilder,
}

/// The reads of long rows that share the same. The first row is taken unchecked, even if it repeats a read.
#[derive(Default)]
struct LongRow {
    numbers: HashTable<u32>,
    /// Reads of the first row, until another read that shares the same is looked up. Most never are.
    unindexed: Range<u32>,
}

impl LongRow {
    /// Indexes the first row by the targets of its reads.
    fn index(&mut self, hashes: &mut [u64], hash: impl Fn(Address) -> u64, target: impl Fn(u32) -> Address) {
        let numbers = std::mem::take(&mut self.unindexed);
        self.numbers.reserve(numbers.len(), |number| hashes[index(*number)]);
        for number in numbers {
            let to = target(number);
            let hash = hash(to);
            hashes[index(number)] = hash;
            let is_equal = |other: &u32| hashes[index(*other)] == hash && target(*other) == to;
            self.numbers.entry(hash, is_equal, |number| hashes[index(*number)]).or_insert(number);
        }
    }
}

/// Each flight with the numbers of the reads that it carries, in order.
#[derive(Default)]
struct Flights(Vec<(Range<u32>, Arc<Flight>)>);

impl Flights {
    /// Returns the flight that carries a read, and the read's place there; `None` if the read is new.
    fn carrier(&self, number: u32) -> Option<(&Arc<Flight>, u32)> {
        let (numbers, flight) = self.0.get(self.0.partition_point(|(numbers, _)| numbers.end <= number))?;
        Some((flight, number.checked_sub(numbers.start)?))
    }

    fn carry(&self, number: u32, read: ReadRef<'_>) -> bool {
        self.read(number).is_some_and(|carried| carried.question() == read.question())
    }

    fn read(&self, number: u32) -> Option<ReadRef<'_>> {
        self.carrier(number).and_then(|(flight, place)| flight.reads().get(index(place)))
    }
}

impl Table {
    /// Returns the outcome of a read, if it is known and not a failure.
    pub(super) fn outcome(&mut self, read: ReadRef<'_>) -> Option<&Outcome> {
        let Self { numbers, shared: _, rows, hashes, flights, hasher } = self;
        let of_row = hasher.hash_one(shared(read.like));
        let hash = |to: Address| hasher.hash_one((of_row, to));
        let row = rows.get_mut(&of_row);
        let row = row.map(|row| {
            row.index(hashes, hash, |number| flights.read(number).map(|read| read.to).unwrap_or_default());
            &row.numbers
        });
        let hash = hash(read.to);
        let is_it = |number: &u32| hashes[index(*number)] == hash && flights.carry(*number, read);
        let number = numbers.find(hash, is_it).or_else(|| row?.find(hash, is_it))?;
        let (flight, place) = flights.carrier(*number)?;
        flight.outcome(place).filter(|_| !flight.has_failed(place))
    }

    /// Enters these reads. Calls `carried` for each run of places in a flight that has not failed them, or (`None`)
    /// in the next flight. Returns the places of the reads that the next flight carries.
    pub(super) fn enter(
        &mut self,
        reads: &ReadSet,
        mut carried: impl FnMut(Option<&Arc<Flight>>, Range<u32>),
    ) -> Vec<u32> {
        let Self { numbers, shared: of_numbers, rows, hashes, flights, hasher } = self;
        let (first, mut new) = (count(hashes.len()), Vec::with_capacity(reads.len()));
        hashes.reserve(reads.len());
        for (places, like) in reads.rows() {
            let of_row = hasher.hash_one(shared(like));
            let hash = |to: Address| hasher.hash_one((of_row, to));
            let is_long = places.len() >= ROW_MIN;
            if is_long && !rows.contains_key(&of_row) && !of_numbers.contains(&of_row) {
                let unindexed = count(hashes.len())..count(hashes.len() + places.len());
                hashes.resize(index(unindexed.end), 0);
                new.extend(count(places.start)..count(places.end));
                carried(None, unindexed.start - first..unindexed.end - first);
                rows.insert(of_row, LongRow { unindexed, ..LongRow::default() });
                continue;
            }
            let own = |number: u32, new: &[u32]| Some(reads.at(index(*new.get(index(number.checked_sub(first)?))?)));
            let mut row = if is_long { Some(rows.entry(of_row).or_default()) } else { rows.get_mut(&of_row) };
            // Reserve at once, so that existing entries are moved at most once.
            match &mut row {
                Some(row) => {
                    let read = |number| own(number, &new).or_else(|| flights.read(number));
                    row.index(hashes, hash, |number| read(number).map(|read| read.to).unwrap_or_default());
                    row.numbers.reserve(places.len(), |number| hashes[index(*number)]);
                }
                None => {
                    of_numbers.insert(of_row);
                    numbers.reserve(reads.len() - places.start, |number| hashes[index(*number)]);
                }
            }
            for (to, place) in reads.targets(places.clone()).iter().zip(count(places.start)..) {
                let (read, hash) = (ReadRef { to: *to, like }, hash(*to));
                let is_own = |number| own(number, &new).map(|own| own.question() == read.question());
                let carries = |number| is_own(number).unwrap_or_else(|| flights.carry(number, read));
                let is_it = |number: &u32| hashes[index(*number)] == hash && carries(*number);
                let next = count(hashes.len());
                let (known, table) = match &mut row {
                    Some(row) => (numbers.find_mut(hash, is_it), &mut row.numbers),
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
                        carried(Some(flight), place..place + 1);
                        continue;
                    }
                    *number = next;
                }
                carried(None, *number - first..*number - first + 1);
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
