//! The questions of one block: each is carried by one flight, and found by what it asks.
//!
//! Invariant: a question has one entry, that of the flight that carries it; one whose outcome is a failure gives way to
//! the next who asks.

use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::{Outcome, Read};

/// Each question's place in the flights of the block.
#[derive(Default)]
pub(super) struct Table {
    entries: HashTable<Entry>,
    pub(super) flights: Vec<Arc<Flight>>,
}

/// Of questions.
pub(super) struct Hashes<'a>(pub(super) &'a DefaultHashBuilder);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Of the question, so that a table that grows does not look at the questions again.
    hash: u64,
    pub(super) flight: u32,
    pub(super) place: u32,
}

/// Reads that are asked together.
#[derive(Default)]
pub(super) struct Flight {
    pub(super) reads: OnceLock<Vec<Read>>,
    pub(super) outcomes: OnceLock<Vec<Outcome>>,
    ended: Notify,
}

impl Flight {
    pub(super) fn reads(&self) -> &[Read] {
        self.reads.get().map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn outcome(&self, place: u32) -> Option<&Outcome> {
        self.outcomes.get()?.get(index(place))
    }

    pub(super) fn has_failed(&self, place: u32) -> bool {
        matches!(self.outcome(place), Some(Outcome::Failed(_)))
    }

    pub(super) fn end(&self, outcomes: Vec<Outcome>) {
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

impl Table {
    /// Whether an entry carries a question. The flight of who is asking now comes next, and has no reads yet but these.
    fn carries<'a>(
        flights: &'a [Arc<Flight>],
        asking: &'a [Read],
        read: &'a Read,
    ) -> impl Fn(&Entry) -> bool + use<'a> {
        move |entry| Self::read(flights, asking, *entry).is_some_and(|own| own.question() == read.question())
    }

    fn read<'a>(flights: &'a [Arc<Flight>], asking: &'a [Read], entry: Entry) -> Option<&'a Read> {
        match flights.get(index(entry.flight)) {
            Some(flight) => flight.reads().get(index(entry.place)),
            None => asking.get(index(entry.place)),
        }
    }

    /// The outcome of a question, where it is known and no failure.
    pub(super) fn told(&self, hash: u64, read: &Read) -> Option<&Outcome> {
        let entry = self.entries.find(hash, Self::carries(&self.flights, &[], read))?;
        let flight = self.flights.get(index(entry.flight)).filter(|flight| !flight.has_failed(entry.place))?;
        flight.outcome(entry.place)
    }

    /// So that entering this many does not move the others more than once.
    pub(super) fn make_room(&mut self, reads: usize) {
        self.entries.reserve(reads, |entry| entry.hash);
    }

    /// The entry that carries the question at this place: one that is there and has not failed, else a new one.
    pub(super) fn enter(&mut self, asking: &[Read], place: usize, hash: u64) -> Entry {
        let new = Entry { hash, flight: count(self.flights.len()), place: count(place) };
        let (flights, read) = (&self.flights, &asking[place]);
        match self.entries.entry(hash, Self::carries(flights, asking, read), |entry| entry.hash) {
            hash_table::Entry::Vacant(room) => drop(room.insert(new)),
            hash_table::Entry::Occupied(mut known) => {
                let Entry { flight, place, .. } = *known.get();
                if flights.get(index(flight)).is_none_or(|flight| !flight.has_failed(place)) {
                    return *known.get();
                }
                *known.get_mut() = new;
            }
        }
        new
    }

    /// Has an entry of the next flight stand at another place.
    pub(super) fn move_entry(&mut self, hash: u64, from: u32, to: u32) {
        let from = Entry { hash, flight: count(self.flights.len()), place: from };
        if let Some(entry) = self.entries.find_mut(hash, |entry| *entry == from) {
            entry.place = to;
        }
    }
}

impl Hashes<'_> {
    pub(super) fn of(&self, read: &Read) -> u64 {
        self.with(read, self.of_data(&read.data))
    }

    fn with(&self, read: &Read, data: u64) -> u64 {
        let (to, _, kind, from, isolated, gas_cap) = read.question();
        self.0.hash_one((to, data, kind, from, isolated, gas_cap))
    }

    fn of_data(&self, data: &[u8]) -> u64 {
        self.0.hash_one(data)
    }

    /// Of reads in a row, which mostly have the same data.
    pub(super) fn each<'a>(&self, reads: &'a [Read]) -> impl Iterator<Item = u64> + use<'a, '_> {
        let mut last = (&[] as &[u8], self.of_data(&[]));
        reads.iter().map(move |read| {
            if *read.data != *last.0 {
                last = (&read.data, self.of_data(&read.data));
            }
            self.with(read, last.1)
        })
    }
}

/// Of reads or flights: there is no memory for more than this counts.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}
