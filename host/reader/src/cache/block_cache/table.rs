//! The reads of one block: each has a number, is carried by one flight, and is found by its question.
//!
//! Invariant: a question maps to one number; if its outcome is a failure, the next read of it gets a new number.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use alloy::primitives::Address;
use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::flight::Flight;
use crate::Outcome;
use crate::reads::read_set::{ReadRef, ReadSet, count, index, shared};

/// Minimum length of a row (consecutive reads that differ only in their target) that is taken unchecked, even if it
/// repeats a read.
const ROW_MIN: usize = 64;
/// Maximum length of a row whose targets are compared with each other, which is faster than to index them.
const COMPARED_MAX: usize = 16;

/// The reads, numbered in order of arrival.
#[derive(Default)]
pub(super) struct Table {
    /// Reads by the hash of what they share with the others of their row: all but the target. So the reads for one account
    /// are apart from what is read for others.
    rows: HashMap<u64, TableRow>,
    /// Hash of each read, by number, so that a growing table does not hash the reads again; zero if it is not
    /// indexed.
    hashes: Vec<u64>,
    flights: Flights,
    hasher: DefaultHashBuilder,
}

/// The reads that share the same.
#[derive(Default)]
struct TableRow {
    numbers: HashTable<u32>,
    /// Reads of the first row, until another read that shares the same is looked up. Most never are.
    unindexed: Range<u32>,
}

impl TableRow {
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
        let Self { rows, hashes, flights, hasher } = self;
        let of_row = hasher.hash_one(shared(read.like));
        let hash = |to: Address| hasher.hash_one((of_row, to));
        let row = rows.get_mut(&of_row)?;
        row.index(hashes, hash, |number| flights.read(number).map(|read| read.to).unwrap_or_default());
        let hash = hash(read.to);
        let is_it = |number: &u32| hashes[index(*number)] == hash && flights.carry(*number, read);
        let number = row.numbers.find(hash, is_it)?;
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
        let Self { rows, hashes, flights, hasher } = self;
        let (first, mut new) = (count(hashes.len()), Vec::with_capacity(reads.len()));
        hashes.reserve(reads.len());
        for (places, like) in reads.rows() {
            let of_row = hasher.hash_one(shared(like));
            let hash = |to: Address| hasher.hash_one((of_row, to));
            let row = match rows.entry(of_row) {
                Entry::Vacant(row) if is_unrepeated(reads.targets(places.clone())) => {
                    let unindexed = count(hashes.len())..count(hashes.len() + places.len());
                    hashes.resize(index(unindexed.end), 0);
                    new.extend(count(places.start)..count(places.end));
                    carried(None, unindexed.start - first..unindexed.end - first);
                    row.insert(TableRow { unindexed, ..TableRow::default() });
                    continue;
                }
                row => row.or_default(),
            };
            let own = |number: u32, new: &[u32]| Some(reads.at(index(*new.get(index(number.checked_sub(first)?))?)));
            let read = |number| own(number, &new).or_else(|| flights.read(number));
            row.index(hashes, hash, |number| read(number).map(|read| read.to).unwrap_or_default());
            // Reserve at once, so that existing entries are moved at most once.
            row.numbers.reserve(places.len(), |number| hashes[index(*number)]);
            for (to, place) in reads.targets(places.clone()).iter().zip(count(places.start)..) {
                let (read, hash) = (ReadRef { to: *to, like }, hash(*to));
                let is_own = |number| own(number, &new).map(|own| own.question() == read.question());
                let carries = |number| is_own(number).unwrap_or_else(|| flights.carry(number, read));
                let is_it = |number: &u32| hashes[index(*number)] == hash && carries(*number);
                let next = count(hashes.len());
                let number = row.numbers.entry(hash, is_it, |number| hashes[index(*number)]).or_insert(next).into_mut();
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

/// Returns true if a row's targets differ, or if it is so long that it is not worth to compare them.
fn is_unrepeated(targets: &[Address]) -> bool {
    let differ = || (1..targets.len()).all(|place| !targets[..place].contains(&targets[place]));
    targets.len() >= ROW_MIN || (targets.len() <= COMPARED_MAX && differ())
}
