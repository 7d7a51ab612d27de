//! What one network was asked at its last blocks: equal questions at one block are one, while they are under way and
//! for as long as the block is among the last.
//!
//! Invariant: whoever joins a flight gets its outcome or waits no longer than its own deadline; a flight whose asker
//! went away ends all the same, and what failed is asked again.

mod questions;
mod table;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy::primitives::B256;
use parking_lot::Mutex;
use tokio::time::Instant;

use self::questions::Questions;
use self::table::{Flight, Table, count, index};
use crate::outcomes::Outcomes;
use crate::{Block, Outcome, Read, ReadFailure, Reply};

/// Blocks whose replies are kept: answers under way seldom span more pins.
const BLOCKS_MAX: usize = 4;
/// Of all questions and replies at those blocks: 300,000 balances that are mostly zero, or some 50,000 questions that
/// have nothing in common.
const KEPT_MAX_BYTES: usize = 16 << 20;
/// Target, hash, number, and the slot of its outcome.
const QUESTION_BYTES: usize = 50;
/// Of a row of questions that differ in their target alone, besides its data.
const ROW_BYTES: usize = 150;
/// Of an outcome that is no word of zero, besides its data.
const OUTCOME_BYTES: usize = 100;
/// Who joined a flight that failed asks again, but not for ever.
const TRIES_MAX: u32 = 3;

/// The questions at one network's last blocks.
#[derive(Default)]
pub(crate) struct Asked {
    blocks: Mutex<VecDeque<Arc<AtBlock>>>,
}

struct AtBlock {
    hash: B256,
    table: Mutex<Table>,
    bytes: AtomicUsize,
}

/// One asker's places in flights, in the order of its reads.
#[derive(Default)]
struct Seats {
    flights: Vec<Joined>,
    seats: Vec<Seat>,
}

struct Joined {
    flight: Arc<Flight>,
    /// This asker started it.
    own: bool,
    /// The outcomes were there already.
    told: bool,
}

#[derive(Clone, Copy)]
struct Seat {
    flight: u32,
    place: u32,
}

/// The duty to end a flight; where nothing else ends it, it ends in failures.
pub(crate) struct Landing {
    reads: Vec<Read>,
    flight: Arc<Flight>,
    at: Arc<AtBlock>,
}

impl Landing {
    /// What is to be asked.
    pub(crate) fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// Outcomes in the order of the reads.
    pub(crate) fn land(self, outcomes: Outcomes) {
        let bytes = |outcome: &Outcome| match outcome {
            Outcome::Ok(data) | Outcome::Reverted(data) => OUTCOME_BYTES + data.len(),
            _ => OUTCOME_BYTES,
        };
        let bytes = outcomes.besides_zeros().map(|(_, outcome)| bytes(outcome)).sum();
        self.at.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.flight.end(outcomes);
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        if self.flight.outcomes.get().is_none() {
            let mut outcomes = Outcomes::open(self.reads.len());
            outcomes.close(Outcome::Failed(ReadFailure::Upstream));
            self.flight.end(outcomes);
        }
    }
}

impl Seats {
    async fn land(&self, until: Instant) {
        for joined in &self.flights {
            joined.flight.ended(until).await;
        }
    }

    fn replies(&self) -> Vec<Reply> {
        let reply = |seat: &Seat| {
            let joined = self.flights.get(index(seat.flight));
            let outcome = joined.and_then(|joined| joined.flight.outcome(seat.place));
            let outcome = outcome.cloned().unwrap_or(Outcome::Failed(ReadFailure::Timeout));
            Reply { outcome, cached: joined.is_some_and(|joined| joined.told), age_s: 0 }
        };
        self.seats.iter().map(reply).collect()
    }

    /// What has to be asked again, for another asker's flight did not bring it; with its place here.
    fn lost(&self) -> (Vec<usize>, Vec<Read>) {
        let lost = |(place, seat): (usize, &Seat)| {
            let Joined { flight, own, .. } = self.flights.get(index(seat.flight))?;
            let is_lost = !own && flight.has_failed(seat.place);
            if is_lost { Some((place, flight.read(seat.place)?)) } else { None }
        };
        self.seats.iter().enumerate().filter_map(lost).unzip()
    }

    /// Takes seats in other flights for these places.
    fn move_to(&mut self, places: Vec<usize>, others: Self) {
        let first = count(self.flights.len());
        self.flights.extend(others.flights);
        for (place, seat) in places.into_iter().zip(others.seats) {
            self.seats[place] = Seat { flight: first + seat.flight, ..seat };
        }
    }

    /// The number of a flight here.
    fn number(&mut self, flight: &Arc<Flight>, own: bool) -> u32 {
        let known = self.flights.iter().rposition(|known| Arc::ptr_eq(&known.flight, flight));
        count(known.unwrap_or_else(|| {
            let told = flight.outcomes.get().is_some();
            self.flights.push(Joined { flight: Arc::clone(flight), own, told });
            self.flights.len() - 1
        }))
    }
}

impl Asked {
    /// The replies to these reads, with the place that comes with each, where all of them were answered at the block.
    pub(crate) fn all_told<'a>(
        &self,
        block: &Block,
        reads: impl Iterator<Item = (usize, &'a Read)>,
    ) -> Option<Vec<(usize, Reply)>> {
        let at = self.blocks.lock().iter().find(|at| at.hash == block.hash).cloned()?;
        let table = at.table.lock();
        let told = |(place, read): (usize, &Read)| {
            let outcome = table.told(read)?.clone();
            Some((place, Reply { outcome, cached: true, age_s: 0 }))
        };
        reads.map(told).collect()
    }

    /// Replies in the order of the reads, by then. What was not asked yet is handed to `ask`, which must not wait.
    pub(crate) async fn ask(
        &self,
        block: &Block,
        reads: Vec<Read>,
        until: Instant,
        ask: impl Fn(Landing),
    ) -> Vec<Reply> {
        let mut seats = self.join(block, reads, &ask);
        for _ in 1..TRIES_MAX {
            seats.land(until).await;
            let (places, again) = seats.lost();
            if again.is_empty() || Instant::now() >= until {
                break;
            }
            seats.move_to(places, self.join(block, again, &ask));
        }
        seats.land(until).await;
        seats.replies()
    }

    /// A seat for each read; those that no flight carries start one.
    fn join(&self, block: &Block, mut reads: Vec<Read>, ask: &impl Fn(Landing)) -> Seats {
        let (at, flight) = (self.at(block.hash), Arc::new(Flight::default()));
        let mut seats = Seats { flights: Vec::new(), seats: Vec::with_capacity(reads.len()) };
        let mut table = at.table.lock();
        let new = table.enter(&reads, |other, place| {
            let number = seats.number(other.unwrap_or(&flight), other.is_none());
            seats.seats.push(Seat { flight: number, place });
        });
        if new.is_empty() {
            return seats;
        }
        if new.len() < reads.len() {
            reads = new.into_iter().map(|place| reads[index(place)].clone()).collect();
        }
        let questions = Questions::of(&reads);
        let of_rows: usize = questions.rows().map(|first| ROW_BYTES + first.data.len()).sum();
        let bytes = QUESTION_BYTES * reads.len() + of_rows;
        table.depart(&flight, questions);
        drop(table);
        at.bytes.fetch_add(bytes, Ordering::Relaxed);
        ask(Landing { reads, flight, at });
        self.forget_what_is_too_much();
        seats
    }

    fn at(&self, hash: B256) -> Arc<AtBlock> {
        let mut blocks = self.blocks.lock();
        if let Some(at) = blocks.iter().find(|at| at.hash == hash) {
            return Arc::clone(at);
        }
        if blocks.len() == BLOCKS_MAX {
            blocks.pop_front();
        }
        let at = Arc::new(AtBlock { hash, table: Mutex::default(), bytes: AtomicUsize::default() });
        blocks.push_back(Arc::clone(&at));
        at
    }

    /// The oldest block's questions first; those under way go on for who waits for them.
    fn forget_what_is_too_much(&self) {
        let mut blocks = self.blocks.lock();
        let mut bytes: usize = blocks.iter().map(|at| at.bytes.load(Ordering::Relaxed)).sum();
        while bytes > KEPT_MAX_BYTES
            && let Some(oldest) = blocks.pop_front()
        {
            bytes = bytes.saturating_sub(oldest.bytes.load(Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
mod tests;
