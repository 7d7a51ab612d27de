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
use hashbrown::{DefaultHashBuilder, HashTable, hash_table};
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

/// Of questions.
struct Hashes<'a>(&'a DefaultHashBuilder);

#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    flight: u32,
    place: u32,
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

    fn outcome(&self, place: u32) -> Option<&Outcome> {
        self.outcomes.get()?.get(index(place))
    }

    fn has_failed(&self, place: u32) -> bool {
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
    /// The question of an entry. The flight of who is asking now comes next, and has no reads yet but these.
    fn read<'a>(flights: &'a [Arc<Flight>], asking: &'a [Read], entry: Entry) -> Option<&'a Read> {
        match flights.get(index(entry.flight)) {
            Some(flight) => flight.reads().get(index(entry.place)),
            None => asking.get(index(entry.place)),
        }
    }

    /// The outcome of a question, where it is known and no failure.
    fn told(&self, hash: u64, read: &Read) -> Option<&Outcome> {
        let is_it =
            |entry: &Entry| Self::read(&self.flights, &[], *entry).is_some_and(|own| own.question() == read.question());
        let entry = self.entries.find(hash, is_it)?;
        let flight = self.flights.get(index(entry.flight)).filter(|flight| !flight.has_failed(entry.place))?;
        flight.outcome(entry.place)
    }

    /// So that entering this many does not move the others more than once.
    fn make_room(&mut self, reads: usize, hashes: &Hashes<'_>) {
        let flights = &self.flights;
        self.entries.reserve(reads, |entry| Self::read(flights, &[], *entry).map_or(0, |own| hashes.of(own)));
    }

    /// The entry that carries the question at this place: one that is there and has not failed, else a new one.
    fn enter(&mut self, asking: &[Read], place: usize, hashes: &Hashes<'_>, hash: u64) -> Entry {
        let new = Entry { flight: count(self.flights.len()), place: count(place) };
        let (flights, read) = (&self.flights, &asking[place]);
        let own = |entry: &Entry| Self::read(flights, asking, *entry);
        let is_it = |entry: &Entry| own(entry).is_some_and(|own| own.question() == read.question());
        match self.entries.entry(hash, is_it, |entry| own(entry).map_or(0, |own| hashes.of(own))) {
            hash_table::Entry::Vacant(room) => drop(room.insert(new)),
            hash_table::Entry::Occupied(mut known) => {
                let Entry { flight, place } = *known.get();
                if flights.get(index(flight)).is_none_or(|flight| !flight.has_failed(place)) {
                    return *known.get();
                }
                *known.get_mut() = new;
            }
        }
        new
    }

    /// Has an entry of the next flight stand at another place.
    fn move_entry(&mut self, hash: u64, from: u32, to: u32) {
        let from = Entry { flight: count(self.flights.len()), place: from };
        if let Some(entry) = self.entries.find_mut(hash, |entry| *entry == from) {
            entry.place = to;
        }
    }
}

impl Hashes<'_> {
    fn of(&self, read: &Read) -> u64 {
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
    fn each<'a>(&self, reads: &'a [Read]) -> impl Iterator<Item = u64> + use<'a, '_> {
        let mut last = (&[] as &[u8], self.of_data(&[]));
        reads.iter().map(move |read| {
            if *read.data != *last.0 {
                last = (&read.data, self.of_data(&read.data));
            }
            self.with(read, last.1)
        })
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
            let read = flight.reads().get(index(seat.place))?;
            (!own && flight.has_failed(seat.place)).then(|| (place, read.clone()))
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
    /// The reply to a question that was answered at the block.
    pub(crate) fn told(&self, block: &Block, read: &Read) -> Option<Reply> {
        let at = lock(&self.blocks).iter().find(|at| at.hash == block.hash).cloned()?;
        let outcome = lock(&at.table).told(self.hashes().of(read), read)?.clone();
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
    fn join(&self, block: &Block, mut reads: Vec<Read>, ask: &impl Fn(Landing)) -> Seats {
        let (at, flight) = (self.at(block.hash), Arc::new(Flight::default()));
        let mut seats = Seats { flights: Vec::new(), seats: Vec::with_capacity(reads.len()) };
        let mut table = lock(&at.table);
        let hashes = self.hashes();
        table.make_room(reads.len(), &hashes);
        let mut own = 0;
        for (place, hash) in hashes.each(&reads).enumerate() {
            let entry = table.enter(&reads, place, &hashes, hash);
            let other = table.flights.get(index(entry.flight));
            own += usize::from(other.is_none() && index(entry.place) == place);
            let number = seats.number(other.unwrap_or(&flight), other.is_none());
            seats.seats.push(Seat { flight: number, place: entry.place });
        }
        if own == 0 {
            return seats;
        }
        if own < reads.len() {
            self.leave_own(&mut reads, &mut seats, &flight, &mut table);
        }
        let bytes = reads.iter().map(|read| ENTRY_BYTES + read.data.len()).sum();
        // Told before the table is free: nobody else meets a flight without its reads.
        drop(flight.reads.set(reads));
        table.flights.push(Arc::clone(&flight));
        drop(table);
        at.bytes.fetch_add(bytes, Ordering::Relaxed);
        ask(Landing { flight, at });
        self.forget_what_is_too_much();
        seats
    }

    /// Drops the reads that others carry; what the asker's own flight carries moves up.
    fn leave_own(&self, reads: &mut Vec<Read>, seats: &mut Seats, flight: &Arc<Flight>, table: &mut Table) {
        let number = seats.number(flight, true);
        let is_own = |(place, seat): (usize, &Seat)| seat.flight == number && index(seat.place) == place;
        let own: Vec<u32> =
            seats.seats.iter().enumerate().filter(|each| is_own(*each)).map(|(place, _)| count(place)).collect();
        for (to, from) in own.iter().enumerate() {
            table.move_entry(self.hashes().of(&reads[index(*from)]), *from, count(to));
        }
        let new = |from: u32| own.binary_search(&from);
        for seat in seats.seats.iter_mut().filter(|seat| seat.flight == number) {
            seat.place = new(seat.place).map_or(seat.place, count);
        }
        let mut from = 0..;
        reads.retain(|_| from.next().is_some_and(|from| new(from).is_ok()));
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

    fn hashes(&self) -> Hashes<'_> {
        Hashes(&self.hasher)
    }
}

/// Of reads or flights: there is no memory for more than this counts.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
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

    #[tokio::test]
    async fn twins_and_strangers_in_one_batch_find_their_seats() {
        let (asked, started, first) = (Asked::default(), RefCell::new(Vec::new()), block(1));
        let keep = |landing: Landing| started.borrow_mut().push(landing);
        let reads = |numbers: &[u8]| numbers.iter().map(|number| read(*number)).collect::<Vec<_>>();
        let mut one = asked.ask(&first, reads(&[1, 2]), soon(), keep).boxed_local();
        let mut two = asked.ask(&first, reads(&[3, 2, 3, 4, 1, 4, 5]), soon(), keep).boxed_local();
        assert!(one.as_mut().now_or_never().is_none() && two.as_mut().now_or_never().is_none());
        let mut three = asked.ask(&first, reads(&[5, 4, 3]), soon(), keep).boxed_local();
        assert!(three.as_mut().now_or_never().is_none());
        let landings = started.take();
        assert_eq!(
            landings.iter().map(|landing| landing.reads().to_vec()).collect::<Vec<_>>(),
            [reads(&[1, 2]), reads(&[3, 4, 5])]
        );
        for landing in landings {
            let outcomes = echo(landing.reads());
            landing.land(outcomes);
        }
        assert_eq!(outcomes(two.await), told(&[3, 2, 3, 4, 1, 4, 5]));
        assert_eq!(outcomes(three.await), told(&[5, 4, 3]));
        assert_eq!(asked.told(&first, &read(5)).map(|reply| reply.outcome), told(&[5]).pop());
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
