//! What one network was asked at its last blocks: equal questions at one block are one, while they are under way and
//! for as long as the block is among the last.
//!
//! Invariant: whoever joins a flight gets its outcome or waits no longer than its own deadline; a flight whose asker
//! went away ends all the same, and what failed is asked again.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use alloy::primitives::B256;
use hashbrown::{DefaultHashBuilder, HashTable};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::{Block, Outcome, Read, ReadFailure, Reply};

/// Blocks whose replies are kept: answers under way seldom span more pins.
const BLOCKS_MAX: usize = 4;
/// Of all questions and replies at those blocks; 5,000 reads take two.
const KEPT_MAX_BYTES: usize = 16 << 20;
/// Of a question and its reply besides their bytes.
const ENTRY_BYTES: usize = 250;
/// Who joined a flight that failed asks again, but not for ever.
const TRIES_MAX: u32 = 3;

/// The questions at one network's last blocks.
#[derive(Default)]
pub(crate) struct Asked {
    blocks: Mutex<VecDeque<Arc<AtBlock>>>,
    hasher: DefaultHashBuilder,
}

struct AtBlock {
    hash: B256,
    table: Mutex<Table>,
    bytes: AtomicUsize,
}

/// Each question's place in the flights of the block.
#[derive(Default)]
struct Table {
    entries: HashTable<Entry>,
    flights: Vec<Arc<Flight>>,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    flight: usize,
    place: usize,
}

/// Reads that are asked together.
#[derive(Default)]
struct Flight {
    reads: OnceLock<Vec<Read>>,
    outcomes: OnceLock<Vec<Outcome>>,
    ended: Notify,
}

/// One asker's places in flights, in the order of its reads.
#[derive(Default)]
struct Seats {
    /// With whether this asker started it.
    flights: Vec<(Arc<Flight>, bool)>,
    seats: Vec<Seat>,
}

struct Seat {
    flight: usize,
    place: usize,
    /// Whether the outcome was there already.
    told: bool,
}

/// The duty to end a flight; where nothing else ends it, it ends in failures.
pub(crate) struct Landing {
    flight: Arc<Flight>,
    at: Arc<AtBlock>,
}

impl Landing {
    /// What is to be asked.
    pub(crate) fn reads(&self) -> &[Read] {
        self.flight.reads()
    }

    /// Outcomes in the order of the reads.
    pub(crate) fn land(self, outcomes: Vec<Outcome>) {
        let bytes = outcomes.iter().map(|outcome| match outcome {
            Outcome::Ok(data) | Outcome::Reverted(data) => data.len(),
            _ => 0,
        });
        self.at.bytes.fetch_add(bytes.sum(), Ordering::Relaxed);
        self.flight.end(outcomes);
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        if self.flight.outcomes.get().is_none() {
            self.flight.end(vec![Outcome::Failed(ReadFailure::Upstream); self.reads().len()]);
        }
    }
}

impl Flight {
    fn reads(&self) -> &[Read] {
        self.reads.get().map(Vec::as_slice).unwrap_or_default()
    }

    fn outcome(&self, place: usize) -> Option<&Outcome> {
        self.outcomes.get()?.get(place)
    }

    fn has_failed(&self, place: usize) -> bool {
        matches!(self.outcome(place), Some(Outcome::Failed(_)))
    }

    fn end(&self, outcomes: Vec<Outcome>) {
        if self.outcomes.set(outcomes).is_ok() {
            self.ended.notify_waiters();
        }
    }

    async fn ended(&self, until: Instant) {
        let ended = self.ended.notified();
        if self.outcomes.get().is_none() {
            // What is not there by then is told as failed.
            drop(timeout_at(until, ended).await);
        }
    }
}

impl Table {
    /// The entry of a question, and whether its outcome is a failure. This call's own flight, which comes next, has no
    /// reads yet but those that it carries.
    fn find(&mut self, hash: u64, read: &Read, carried: &[Read]) -> Option<(&mut Entry, bool)> {
        let flights = &self.flights;
        let own = |entry: &Entry| match flights.get(entry.flight) {
            Some(flight) => flight.reads().get(entry.place),
            None => carried.get(entry.place),
        };
        let is_it =
            |entry: &Entry| entry.hash == hash && own(entry).is_some_and(|own| own.question() == read.question());
        let entry = self.entries.find_mut(hash, is_it)?;
        let failed = flights.get(entry.flight).is_some_and(|flight| flight.has_failed(entry.place));
        Some((entry, failed))
    }
}

impl Seats {
    async fn land(&self, until: Instant) {
        for (flight, _) in &self.flights {
            flight.ended(until).await;
        }
    }

    fn replies(&self) -> Vec<Reply> {
        let reply = |seat: &Seat| {
            let outcome = self.flights.get(seat.flight).and_then(|(flight, _)| flight.outcome(seat.place));
            let outcome = outcome.cloned().unwrap_or(Outcome::Failed(ReadFailure::Timeout));
            Reply { outcome, cached: seat.told, age_s: 0 }
        };
        self.seats.iter().map(reply).collect()
    }

    /// What has to be asked again, for another asker's flight did not bring it; with its place here.
    fn lost(&self) -> (Vec<usize>, Vec<Read>) {
        let lost = |(place, seat): (usize, &Seat)| {
            let (flight, own) = self.flights.get(seat.flight)?;
            let read = flight.reads().get(seat.place)?;
            (!own && flight.has_failed(seat.place)).then(|| (place, read.clone()))
        };
        self.seats.iter().enumerate().filter_map(lost).unzip()
    }

    /// Takes seats in other flights for these places.
    fn move_to(&mut self, places: Vec<usize>, others: Self) {
        let first = self.flights.len();
        self.flights.extend(others.flights);
        for (place, seat) in places.into_iter().zip(others.seats) {
            self.seats[place] = Seat { flight: first + seat.flight, ..seat };
        }
    }

    /// The number of a flight here.
    fn number(&mut self, flight: &Arc<Flight>, own: bool) -> usize {
        let known = self.flights.iter().rposition(|(known, _)| Arc::ptr_eq(known, flight));
        known.unwrap_or_else(|| {
            self.flights.push((Arc::clone(flight), own));
            self.flights.len() - 1
        })
    }
}

impl Asked {
    /// The reply to a question that was answered at the block.
    pub(crate) fn told(&self, block: &Block, read: &Read) -> Option<Reply> {
        let at = lock(&self.blocks).iter().find(|at| at.hash == block.hash).cloned()?;
        let mut table = lock(&at.table);
        let (entry, failed) = table.find(self.hash(read), read, &[])?;
        let Entry { flight, place, .. } = *entry;
        let outcome = table.flights.get(flight)?.outcome(place).filter(|_| !failed)?.clone();
        Some(Reply { outcome, cached: true, age_s: 0 })
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
    fn join(&self, block: &Block, reads: Vec<Read>, ask: &impl Fn(Landing)) -> Seats {
        let at = self.at(block.hash);
        let (flight, mut carried) = (Arc::new(Flight::default()), Vec::with_capacity(reads.len()));
        let mut seats = Seats { flights: Vec::new(), seats: Vec::with_capacity(reads.len()) };
        let mut bytes = 0;
        let mut table = lock(&at.table);
        let next = table.flights.len();
        table.entries.reserve(reads.len(), |entry| entry.hash);
        for read in reads {
            let hash = self.hash(&read);
            let entry = Entry { hash, flight: next, place: carried.len() };
            let joined = match table.find(hash, &read, &carried) {
                Some((known, false)) => Some(*known),
                Some((failed, true)) => {
                    *failed = entry;
                    None
                }
                None => {
                    table.entries.insert_unique(hash, entry, |entry| entry.hash);
                    None
                }
            };
            let seat = match joined.map(|known| (known.place, table.flights.get(known.flight))) {
                Some((place, Some(other))) => {
                    Seat { flight: seats.number(other, false), place, told: other.outcomes.get().is_some() }
                }
                Some((place, None)) => Seat { flight: seats.number(&flight, true), place, told: false },
                None => {
                    bytes += ENTRY_BYTES + read.data.len();
                    carried.push(read);
                    Seat { flight: seats.number(&flight, true), place: carried.len() - 1, told: false }
                }
            };
            seats.seats.push(seat);
        }
        let starts = !carried.is_empty();
        if starts {
            // Told before the table is free: nobody else meets a flight without its reads.
            drop(flight.reads.set(carried));
            table.flights.push(Arc::clone(&flight));
        }
        drop(table);
        at.bytes.fetch_add(bytes, Ordering::Relaxed);
        if starts {
            ask(Landing { flight, at });
            self.forget_what_is_too_much();
        }
        seats
    }

    fn at(&self, hash: B256) -> Arc<AtBlock> {
        let mut blocks = lock(&self.blocks);
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
        let mut blocks = lock(&self.blocks);
        let mut bytes: usize = blocks.iter().map(|at| at.bytes.load(Ordering::Relaxed)).sum();
        while bytes > KEPT_MAX_BYTES
            && let Some(oldest) = blocks.pop_front()
        {
            bytes = bytes.saturating_sub(oldest.bytes.load(Ordering::Relaxed));
        }
    }

    fn hash(&self, read: &Read) -> u64 {
        self.hasher.hash_one(read.question())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No change of a table can be left half done by a panic: the parts are whole after each line.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::Duration;

    use alloy::primitives::{Address, Bytes};
    use futures_util::FutureExt;
    use tokio::join;

    use super::*;
    use crate::Freshness;

    fn block(number: u8) -> Block {
        let hash = B256::repeat_byte(number);
        Block { number: number.into(), hash, parent: B256::ZERO, timestamp: 1, evm_number: 1 }
    }

    fn read(number: u8) -> Read {
        Read::call(Address::repeat_byte(number), [number])
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    fn echo(reads: &[Read]) -> Vec<Outcome> {
        reads.iter().map(|read| Outcome::Ok(read.data.clone())).collect()
    }

    fn told(numbers: &[u8]) -> Vec<Outcome> {
        numbers.iter().map(|number| Outcome::Ok(Bytes::from(vec![*number]))).collect()
    }

    fn outcomes(replies: Vec<Reply>) -> Vec<Outcome> {
        replies.into_iter().map(|reply| reply.outcome).collect()
    }

    #[tokio::test]
    async fn ten_equal_questions_are_one() {
        let (asked, started) = (Asked::default(), RefCell::new(Vec::new()));
        let ask = |numbers: &[u8]| {
            let reads = numbers.iter().map(|number| read(*number)).collect();
            let (asked, started) = (&asked, &started);
            async move { asked.ask(&block(1), reads, soon(), |landing| started.borrow_mut().push(landing)).await }
        };
        let mut ten: Vec<_> = (0..10).map(|_| ask(&[1, 2, 1]).boxed_local()).collect();
        for asker in &mut ten {
            assert!(asker.now_or_never().is_none());
        }
        let landing = started.borrow_mut().pop().unwrap();
        assert!(started.borrow().is_empty());
        assert_eq!(landing.reads(), [read(1), read(2)]);
        landing.land(echo(&[read(1), read(2)]));
        for asker in ten {
            assert_eq!(outcomes(asker.await), told(&[1, 2, 1]));
        }
        let fresh = Read { freshness: Freshness::Within(9), ..read(2) };
        assert_eq!(
            asked.told(&block(1), &fresh),
            Some(Reply { outcome: told(&[2])[0].clone(), cached: true, age_s: 0 })
        );
        assert_eq!(asked.told(&block(2), &read(2)), None, "another block");
        for other in [
            Read { from: Some(Address::ZERO), ..read(2) },
            Read { isolated: true, ..read(2) },
            Read { gas_cap: Some(7), ..read(2) },
            Read { kind: crate::Kind::CodeSize, ..read(2) },
            Read { data: Bytes::new(), ..read(2) },
        ] {
            assert_eq!(asked.told(&block(1), &other), None, "{other:?}");
        }
    }

    #[tokio::test]
    async fn what_is_not_under_way_is_asked_beside_it() {
        let (asked, started, first) = (Asked::default(), RefCell::new(Vec::new()), block(1));
        let keep = |landing: Landing| started.borrow_mut().push(landing);
        let mut one = asked.ask(&first, vec![read(1), read(2)], soon(), keep).boxed_local();
        let mut two = asked.ask(&first, vec![read(3), read(2)], soon(), keep).boxed_local();
        assert!(one.as_mut().now_or_never().is_none() && two.as_mut().now_or_never().is_none());
        let landings = started.take();
        assert_eq!(landings.iter().map(Landing::reads).collect::<Vec<_>>(), [&[read(1), read(2)][..], &[read(3)]]);
        for landing in landings {
            let outcomes = echo(landing.reads());
            landing.land(outcomes);
        }
        let (one, two) = join!(one, two);
        assert_eq!((outcomes(one), outcomes(two)), (told(&[1, 2]), told(&[3, 2])));
    }

    #[tokio::test(start_paused = true)]
    async fn one_with_more_time_asks_again_what_another_did_not_get() {
        let (asked, started, first) = (Asked::default(), RefCell::new(Vec::new()), block(1));
        let keep = |landing: Landing| started.borrow_mut().push(landing);
        let hasty = asked.ask(&first, vec![read(1)], Instant::now() + Duration::from_secs(1), keep);
        let patient = asked.ask(&first, vec![read(1)], Instant::now() + Duration::from_secs(9), |landing| {
            let outcomes = echo(landing.reads());
            landing.land(outcomes);
        });
        let fails = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            drop(started.borrow_mut().pop());
        };
        let (hasty, patient, ()) = join!(hasty, patient, fails);
        assert_eq!(outcomes(hasty), [Outcome::Failed(ReadFailure::Timeout)]);
        assert_eq!(outcomes(patient), told(&[1]));
        assert!(asked.told(&block(1), &read(1)).is_some(), "the answer took the failure's place");
    }

    #[tokio::test]
    async fn a_flight_that_nobody_lands_ends_in_failures() {
        let (asked, first) = (Asked::default(), block(1));
        let replies = asked.ask(&first, vec![read(1), read(2)], soon(), drop).await;
        assert_eq!(outcomes(replies), vec![Outcome::Failed(ReadFailure::Upstream); 2]);
    }

    #[tokio::test]
    async fn the_last_blocks_are_kept_within_their_bytes() {
        let asked = Asked::default();
        let ask = async |number: u8, reply: usize| {
            let land = |landing: Landing| {
                let outcomes = vec![Outcome::Ok(vec![1; reply].into()); landing.reads().len()];
                landing.land(outcomes);
            };
            asked.ask(&block(number), vec![read(number)], soon(), land).await
        };
        for number in 1..=6 {
            ask(number, 10).await;
        }
        let kept = |numbers: std::ops::RangeInclusive<u8>| -> Vec<bool> {
            numbers.map(|number| asked.told(&block(number), &read(number)).is_some()).collect()
        };
        assert_eq!(kept(1..=6), [false, false, true, true, true, true]);
        ask(7, 10 << 20).await;
        ask(8, 10 << 20).await;
        ask(9, 10).await;
        assert_eq!(kept(4..=9), [false, false, false, false, true, true]);
    }
}
