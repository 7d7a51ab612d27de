//! Reads of the day that several gateways count together, so that a client's budget holds for all of them.
//!
//! Each gateway counts its own reads and reports them through the store. A count of one gateway only grows, so the
//! largest one that was reported is right, in whatever order and however often reports come. Gateways repeat all counts
//! that they know, for one that starts.
//!
//! Invariant: the store has pseudonyms in place of clients, a report counts for its own day alone, and what is known
//! never exceeds twice [`COUNTS_MAX`].

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use portolan_base::client_share::{DAY, NewReads};
use portolan_store::{Channel, Entry, Pseudonym, REPORT_AGE_MAX, SharedStore, unix_time};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval};

use super::Clients;

/// Interval of reports, so that all know within two seconds what each has counted.
const EVERY: Duration = Duration::from_secs(1);

/// Reports in which all counts are repeated once, if they have room for them.
const REPEATED_IN: usize = 10;

/// Counts of one report.
const COUNTS_PER_REPORT: usize = 500;

/// Counts that are known, each of one client by one gateway. Each takes less than a hundred bytes.
const COUNTS_MAX: usize = 65_536;

/// The part of its day that a client reads before it is reported, so that nobody fills the table with clients that hardly
/// come.
const REPORTED_FROM: u64 = 100;

/// The reports are about no network.
const NO_NETWORK: u64 = 0;

const COUNT_BYTES: usize = 32;

/// Who counted whose reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CountKey {
    client: Pseudonym,
    /// The gateway, which chooses another number at each start.
    sender: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    reads: u64,
    /// True while it waits to be reported.
    is_due: bool,
}

/// The counts of one day.
#[derive(Debug)]
struct ReadsOfFleet {
    /// This gateway.
    sender: u64,
    /// The day since 1970 (UTC).
    day: u64,
    counts: BTreeMap<CountKey, Count>,
    due: VecDeque<CountKey>,
    /// The count that was repeated last.
    repeated: Option<CountKey>,
}

/// Shares the reads of clients with the other gateways; never returns while the store is there.
pub(crate) async fn share(store: Arc<SharedStore>, clients: Arc<Clients>) {
    let (mut fleet, mut published) = (ReadsOfFleet::new(fastrand::u64(..)), store.published(Channel::ClientReads));
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                clients.each_with_daily_reads(|usage| {
                    let collect = |new| usage.pseudonym(&store).and_then(|client| fleet.collect(client, new));
                    usage.share.collect_reads(collect);
                });
                if let Some(entry) = fleet.report(unix_time()) {
                    store.publish(Channel::ClientReads, NO_NETWORK, &entry);
                }
            }
            report = published.recv() => match report {
                Ok((_, entry)) => if let Err(reason) = fleet.take(&entry, unix_time()) {
                    store.note_refused(reason);
                },
                // What was missed is repeated.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
        }
    }
}

fn day_of(time: Duration) -> u64 {
    time.as_secs() / DAY.as_secs()
}

impl ReadsOfFleet {
    fn new(sender: u64) -> Self {
        Self { sender, day: 0, counts: BTreeMap::new(), due: VecDeque::new(), repeated: None }
    }

    /// Forgets what was counted on another day.
    fn begin(&mut self, day: u64) {
        if self.day != day {
            *self = Self { day, ..Self::new(self.sender) };
        }
    }

    /// Counts reads of a client here, and returns those of all gateways; `None` leaves them to the client, which has
    /// hardly read anything or finds no room.
    fn collect(&mut self, client: Pseudonym, new: NewReads) -> Option<u64> {
        self.begin(new.day);
        let is_known = self.of(client).next().is_some();
        let has_room = self.counts.len() < COUNTS_MAX && new.reads.saturating_mul(REPORTED_FROM) >= new.max;
        if !is_known && !has_room {
            return None;
        }
        if new.reads > 0 {
            let key = CountKey { client, sender: self.sender };
            let count = self.counts.entry(key).or_default();
            count.reads = count.reads.saturating_add(new.reads);
            self.make_due(key);
        }
        Some(self.of(client).fold(0, u64::saturating_add))
    }

    /// Returns the reads of a client, by gateway.
    fn of(&self, client: Pseudonym) -> impl Iterator<Item = u64> {
        let range = CountKey { client, sender: 0 }..=CountKey { client, sender: u64::MAX };
        self.counts.range(range).map(|(_, count)| count.reads)
    }

    /// Makes a report: counts that changed, then some of all others in turn; `None` if nothing was counted today.
    fn report(&mut self, now: Duration) -> Option<Entry> {
        self.begin(day_of(now));
        self.repeat();
        let counts = self.due.len().min(COUNTS_PER_REPORT);
        if counts == 0 {
            return None;
        }
        let sent_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let mut value = [sent_ms.to_be_bytes(), self.day.to_be_bytes()].concat();
        for key in self.due.drain(..counts) {
            if let Some(count) = self.counts.get_mut(&key) {
                count.is_due = false;
                value.extend_from_slice(&key.client);
                value.extend_from_slice(&key.sender.to_be_bytes());
                value.extend_from_slice(&count.reads.to_be_bytes());
            }
        }
        Some(Entry { block: [0; 32], value: Bytes::from(value) })
    }

    /// Has the next counts repeated, after the last one the first, as far as there is room.
    fn repeat(&mut self) {
        let room = COUNTS_PER_REPORT.saturating_sub(self.due.len());
        let next = self.counts.len().div_ceil(REPEATED_IN).min(room);
        let after = self.counts.range((self.repeated.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded));
        let before = self.repeated.iter().flat_map(|last| self.counts.range(..=*last));
        let keys: Vec<CountKey> = after.chain(before).take(next).map(|(key, _)| *key).collect();
        self.repeated = keys.last().copied().or(self.repeated);
        keys.into_iter().for_each(|key| self.make_due(key));
    }

    fn make_due(&mut self, key: CountKey) {
        if let Some(count) = self.counts.get_mut(&key)
            && !std::mem::replace(&mut count.is_due, true)
        {
            self.due.push_back(key);
        }
    }

    /// Takes the counts of a report.
    fn take(&mut self, entry: &Entry, now: Duration) -> Result<(), &'static str> {
        const FORM: &str = "its value is not a report of reads";
        let (&sent_ms, rest) = entry.value.split_first_chunk().ok_or(FORM)?;
        let (&day, rest) = rest.split_first_chunk().ok_or(FORM)?;
        let (counts, []) = rest.as_chunks::<COUNT_BYTES>() else { return Err(FORM) };
        let sent = Duration::from_millis(u64::from_be_bytes(sent_ms));
        if sent.abs_diff(now) > REPORT_AGE_MAX {
            return Err("it was not reported just now by the local clock");
        }
        self.begin(day_of(now));
        // Around midnight, the clocks of two gateways are on two days.
        if u64::from_be_bytes(day) != self.day {
            return Ok(());
        }
        for count in counts {
            let (&client, rest) = count.split_first_chunk().ok_or(FORM)?;
            let (&sender, reads) = rest.split_first_chunk().ok_or(FORM)?;
            let (key, reads) = (
                CountKey { client, sender: u64::from_be_bytes(sender) },
                u64::from_be_bytes(reads.try_into().map_err(|_| FORM)?),
            );
            self.raise(key, reads);
        }
        Ok(())
    }

    /// Raises a count to what was reported.
    fn raise(&mut self, key: CountKey, reads: u64) {
        let has_room = self.counts.len() < COUNTS_MAX;
        if let Some(count) = self.counts.get_mut(&key) {
            count.reads = count.reads.max(reads);
        } else if has_room {
            self.counts.insert(key, Count { reads, is_due: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noon of a day.
    const NOON: Duration = Duration::from_secs(20_000 * 86_400 + 43_200);
    const ONE: Pseudonym = [1; 16];
    const OTHER: Pseudonym = [2; 16];

    fn new(reads: u64) -> NewReads {
        NewReads { day: 20_000, reads, max: 1_000 }
    }

    fn client(number: usize) -> Pseudonym {
        let mut client = Pseudonym::default();
        client[..8].copy_from_slice(&number.to_be_bytes());
        client
    }

    /// Has one gateway report to others.
    fn send(from: &mut ReadsOfFleet, to: &mut [&mut ReadsOfFleet]) -> Entry {
        let report = from.report(NOON).unwrap();
        for other in to {
            assert_eq!(other.take(&report, NOON), Ok(()));
        }
        report
    }

    #[test]
    fn reads_of_all_gateways_are_summed_once_each() {
        let (mut a, mut b, mut c) = (ReadsOfFleet::new(1), ReadsOfFleet::new(2), ReadsOfFleet::new(3));
        assert_eq!(a.collect(ONE, new(100)), Some(100));
        assert_eq!(b.collect(ONE, new(20)), Some(20));
        assert_eq!(b.collect(OTHER, new(50)), Some(50));
        let first = send(&mut a, &mut [&mut b, &mut c]);
        send(&mut b, &mut [&mut a, &mut c]);
        for gateway in [&mut a, &mut b, &mut c] {
            assert_eq!(gateway.collect(ONE, new(0)), Some(120));
            assert_eq!(gateway.collect(OTHER, new(0)), Some(50));
        }
        assert_eq!(a.collect(ONE, new(7)), Some(127));
        send(&mut a, &mut [&mut b]);
        assert_eq!(b.collect(ONE, new(3)), Some(130));
        // An older report, and one that comes twice, change nothing.
        for _ in 0..2 {
            assert_eq!(b.take(&first, NOON), Ok(()));
        }
        assert_eq!(b.collect(ONE, new(0)), Some(130));
    }

    #[test]
    fn a_gateway_that_starts_again_learns_what_it_had_counted_from_the_others() {
        let (mut a, mut b) = (ReadsOfFleet::new(1), ReadsOfFleet::new(2));
        assert_eq!(a.collect(ONE, new(400)), Some(400));
        send(&mut a, &mut [&mut b]);
        let mut again = ReadsOfFleet::new(3);
        // It has answered before it hears of the others.
        assert_eq!(again.collect(ONE, new(30)), Some(30));
        send(&mut b, &mut [&mut again]);
        assert_eq!(again.collect(ONE, new(1)), Some(431));
        send(&mut again, &mut [&mut b]);
        assert_eq!(b.collect(ONE, new(0)), Some(431));
    }

    #[test]
    fn a_client_is_reported_once_it_has_read_a_hundredth_of_its_day() {
        let mut fleet = ReadsOfFleet::new(1);
        assert_eq!(fleet.collect(ONE, new(9)), None);
        assert!(fleet.report(NOON).is_none());
        assert_eq!(fleet.collect(ONE, new(10)), Some(10));
        assert_eq!(fleet.collect(ONE, new(1)), Some(11), "from then on each read");
        assert_eq!(fleet.report(NOON).unwrap().value.len(), 8 + 8 + 32);
    }

    #[test]
    fn reports_of_another_time_or_day_or_form_change_nothing() {
        let (mut a, mut b) = (ReadsOfFleet::new(1), ReadsOfFleet::new(2));
        a.collect(ONE, new(100));
        let report = a.report(NOON).unwrap();
        for time in [NOON + Duration::from_secs(11), NOON - Duration::from_secs(11), NOON + DAY, Duration::ZERO] {
            assert!(b.take(&report, time).is_err(), "{time:?}");
        }
        assert_eq!(b.take(&report, NOON + Duration::from_secs(10)), Ok(()));
        for length in 0..report.value.len() {
            let cut = Entry { value: report.value.slice(..length), ..report.clone() };
            // Without a single count it is a report too.
            assert_eq!(b.take(&cut, NOON).is_ok(), length == 16, "{length} bytes");
        }
        // Sent right before midnight, and taken right after it.
        let midnight = DAY * 20_001;
        let mut late = ReadsOfFleet::new(1);
        late.collect(ONE, new(100));
        let report = late.report(midnight - Duration::from_secs(1)).unwrap();
        assert_eq!(b.take(&report, midnight + Duration::from_secs(1)), Ok(()));
        assert_eq!(b.collect(ONE, NewReads { day: 20_001, reads: 0, max: 1_000 }), None, "a new day has none");
        assert!(b.counts.is_empty());
    }

    #[test]
    fn all_counts_are_repeated_in_ten_reports_and_changed_ones_come_first() {
        let mut fleet = ReadsOfFleet::new(1);
        for number in 0..1_234 {
            fleet.collect(client(number), new(10));
        }
        // Three reports have all of them, one time.
        let clients = |entry: &Entry| {
            let counts = entry.value[16..].as_chunks::<32>().0;
            counts.iter().map(|count| Pseudonym::try_from(&count[..16]).unwrap()).collect::<Vec<_>>()
        };
        let changed: Vec<_> = (0..3).flat_map(|_| clients(&fleet.report(NOON).unwrap())).collect();
        assert!(changed[..1_234].iter().copied().eq((0..1_234).map(client)));
        let mut repeated = Vec::new();
        for round in 0..10 {
            fleet.collect(ONE, new(10));
            let report = clients(&fleet.report(NOON).unwrap());
            assert!(report[0] == ONE && report.len() <= 125, "{round}: {}", report.len());
            repeated.extend(report);
        }
        repeated.sort_unstable();
        repeated.dedup();
        assert_eq!(repeated.len(), 1_235);
    }

    #[test]
    fn what_is_known_has_a_bound_and_no_report_is_too_large() {
        let (mut sender, mut fleet) = (ReadsOfFleet::new(1), ReadsOfFleet::new(2));
        for number in 0..COUNTS_MAX + 1_000 {
            sender.collect(client(number), new(1_000));
        }
        assert_eq!(sender.counts.len(), COUNTS_MAX);
        assert_eq!(sender.collect(client(COUNTS_MAX + 1), new(1_000)), None, "it counts here alone");
        for _ in 0..COUNTS_MAX.div_ceil(COUNTS_PER_REPORT) {
            assert!(send(&mut sender, &mut [&mut fleet]).value.len() <= 16 << 10);
        }
        fleet.raise(CountKey { client: client(COUNTS_MAX + 1), sender: 3 }, 1);
        assert_eq!(fleet.counts.len(), COUNTS_MAX);
        for number in 0..COUNTS_MAX {
            assert_eq!(fleet.collect(client(number), new(1)), Some(1_001), "known clients find room");
        }
        assert_eq!(fleet.counts.len(), 2 * COUNTS_MAX);
    }
}
