//! The store as its users see it: many keys are looked up at once, within a bound; entries are written later.
//!
//! Invariant: a failure is counted and logged once, and is never more than a miss to the caller.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::broadcast;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::breaker::Breaker;
use crate::connection::{COMMAND_TIMEOUT, Connection};
use crate::entry::{Channel, Entry, EntryKey, EntryKind};
use crate::queue::{Queue, SealedEntry};
use crate::settings::{Pseudonym, SharedStoreSettings};

/// Entries that are written at once, at most.
const WRITES_PER_COMMAND: usize = 128;
/// Keys of one look-up; further ones are not looked up.
const KEYS_MAX: usize = 8_192;
/// Published entries that wait for a receiver; it misses the oldest of more.
const PUBLISHED_MAX: usize = 256;
/// How far the clocks of gateways may be apart. A report that is repeated later is refused.
pub const REPORT_AGE_MAX: Duration = Duration::from_secs(10);
/// Interval at which refused entries are logged; all are counted.
const REFUSALS_LOGGED_EVERY: Duration = Duration::from_secs(60);
/// Pause after a write that failed, for example because the store is full. It doubles with each.
const PAUSE_MIN: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// A store that several gateways share.
pub struct SharedStore {
    inner: Arc<Inner>,
    /// The tasks that connect, write and listen; they end with the store.
    _tasks: JoinSet<()>,
}

struct Inner {
    settings: SharedStoreSettings,
    connection: Connection,
    breaker: Mutex<Breaker>,
    /// When a command was last answered.
    answered: Mutex<Instant>,
    queue: Queue,
    /// What others publish, by channel, with its network.
    published: [broadcast::Sender<(u64, Entry)>; Channel::ALL.len()],
    counts: Counts,
    /// When a refused entry was last logged.
    refusal_logged: Mutex<Option<Instant>>,
}

/// What happened since the start.
#[derive(Debug, Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
    refused: AtomicU64,
    late: AtomicU64,
    written: AtomicU64,
    dropped: AtomicU64,
}

/// The state of the store, and what happened since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedStoreStatus {
    pub connected: bool,
    /// True while the store is left alone because it did not answer in time.
    pub paused: bool,
    /// Keys that were found.
    pub hits: u64,
    /// Keys that were not.
    pub misses: u64,
    /// Entries that were not believed.
    pub refused: u64,
    /// Look-ups that did not end within the bound.
    pub late: u64,
    /// Entries that were written.
    pub written: u64,
    /// Entries that were not, because the store did not take them.
    pub dropped: u64,
}

impl SharedStore {
    /// Takes part in a store, without waiting for it: it is connected to in the background. Must be called within a
    /// runtime.
    pub fn start(settings: SharedStoreSettings) -> Arc<Self> {
        let inner = Arc::new(Inner {
            connection: Connection::new(settings.clone()),
            settings,
            breaker: Mutex::default(),
            answered: Mutex::new(Instant::now()),
            queue: Queue::default(),
            published: Channel::ALL.map(|_| broadcast::Sender::new(PUBLISHED_MAX)),
            counts: Counts::default(),
            refusal_logged: Mutex::default(),
        });
        let mut tasks = JoinSet::new();
        let (connecting, writing, listening) = (Arc::clone(&inner), Arc::clone(&inner), Arc::clone(&inner));
        tasks.spawn(async move { connecting.connection.run().await });
        tasks.spawn(async move { writing.write_all().await });
        tasks.spawn(
            async move { listening.connection.listen(|channel, message| listening.take(channel, message)).await },
        );
        Arc::new(Self { inner, _tasks: tasks })
    }

    /// Returns the entries of these keys, each with the place of its key, rising. Waits no longer than the bound, and
    /// not at all while there is no connection or the breaker pauses. What does not come in time, is missing or is
    /// refused is left out.
    pub async fn get(&self, kind: EntryKind, chain_id: u64, keys: &[Vec<u8>]) -> Vec<(usize, Entry)> {
        self.get_within(self.inner.settings.wait, kind, chain_id, keys).await
    }

    /// Like [`Self::get`], for a caller that can wait longer or shorter than the bound.
    pub async fn get_within(
        &self,
        wait: Duration,
        kind: EntryKind,
        chain_id: u64,
        keys: &[Vec<u8>],
    ) -> Vec<(usize, Entry)> {
        self.inner.get(wait, kind, chain_id, keys).await
    }

    /// Has an entry written soon, unless it is too large or too many wait already. The store forgets it after `lives`.
    pub fn put(&self, kind: EntryKind, chain_id: u64, key: &[u8], entry: &Entry, lives: Duration) {
        self.inner.put(EntryKey { kind, chain_id, key }, entry, lives);
    }

    /// Has a report sent to all who listen now, this gateway among them, unless it is too large.
    pub fn publish(&self, channel: Channel, chain_id: u64, entry: &Entry) {
        self.inner.publish(channel, chain_id, entry);
    }

    /// Returns what is published from now on, with its network.
    pub fn published(&self, channel: Channel) -> broadcast::Receiver<(u64, Entry)> {
        self.inner.published[channel as usize].subscribe()
    }

    /// Returns what stands in the store for a name that must not be read there: the same for all who have the secret.
    pub fn pseudonym(&self, name: &[u8]) -> Pseudonym {
        self.inner.settings.secret.pseudonym(name)
    }

    /// Notes that the caller does not believe an entry.
    pub fn note_refused(&self, reason: &str) {
        self.inner.note_refused(1, reason);
    }

    /// Returns the state of the store.
    pub fn status(&self) -> SharedStoreStatus {
        let Inner { connection, breaker, counts, .. } = &*self.inner;
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        SharedStoreStatus {
            connected: connection.live().is_some(),
            paused: breaker.lock().is_open(),
            hits: read(&counts.hits),
            misses: read(&counts.misses),
            refused: read(&counts.refused),
            late: read(&counts.late),
            written: read(&counts.written),
            dropped: read(&counts.dropped),
        }
    }
}

impl fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedStore").field("url", &self.inner.settings.url).finish_non_exhaustive()
    }
}

impl Inner {
    async fn get(&self, wait: Duration, kind: EntryKind, chain_id: u64, keys: &[Vec<u8>]) -> Vec<(usize, Entry)> {
        let keys = &keys[..keys.len().min(KEYS_MAX)];
        if keys.is_empty() {
            return Vec::new();
        }
        let live = self.connection.live();
        let Some(live) = live.filter(|_| self.breaker.lock().allows(Instant::now())) else {
            add(&self.counts.misses, keys.len());
            return Vec::new();
        };
        let until = Instant::now() + wait;
        let key = |key| EntryKey { kind, chain_id, key };
        let names = keys.iter().map(|own| key(own).name()).enumerate();
        let parts = live.split(names, |(_, name)| name, kind.keys_per_command());
        let mut silent: BTreeSet<usize> = parts.iter().map(|(server, _)| *server).collect();
        let mut commands: FuturesUnordered<_> = parts
            .into_iter()
            .map(async |(server, part)| {
                let (places, names): (Vec<usize>, Vec<_>) = part.into_iter().unzip();
                (server, places, live.get(server, kind, &names).await)
            })
            .collect();
        let (mut found, mut refused, mut has_failed, mut is_late) = (Vec::new(), 0, false, false);
        while !commands.is_empty() {
            let next = match timeout_at(until, commands.next()).await {
                Ok(next) => next,
                // This process may be late itself: what has come meanwhile counts, and nothing is waited for.
                Err(_) => {
                    yield_now().await;
                    commands.next().now_or_never().flatten()
                }
            };
            let Some((server, places, values)) = next else {
                is_late = true;
                break;
            };
            let Some(values) = values.ok().filter(|values| values.len() == places.len()) else {
                has_failed = true;
                continue;
            };
            *self.answered.lock() = Instant::now();
            silent.remove(&server);
            has_failed |= values.iter().all(Result::is_err);
            for (place, value) in places.into_iter().zip(values) {
                match value.map(|value| Some(key(keys.get(place)?).open(&self.settings.secret, &value?))) {
                    Ok(Some(Some(entry))) => found.push((place, entry)),
                    Ok(Some(None)) => refused += 1,
                    Ok(None) => {}
                    Err(error) => self.connection.note_error(&error),
                }
            }
        }
        found.sort_unstable_by_key(|(place, _)| *place);
        add(&self.counts.hits, found.len());
        add(&self.counts.misses, keys.len() - found.len() - refused);
        add(&self.counts.late, usize::from(is_late));
        self.note_refused(refused, "its authenticator is not one of this key and secret");
        // A large batch of which some is late does not show a slow store, but a server that answers nothing in time does.
        self.note(!has_failed && refused == 0 && silent.is_empty(), is_late);
        found
    }

    /// Notes the result of a look-up for the breaker.
    fn note(&self, is_good: bool, is_late: bool) {
        if !self.breaker.lock().note(is_good, Instant::now()) {
            return;
        }
        let (address, late) = (&self.settings.url, self.counts.late.load(Ordering::Relaxed));
        tracing::warn!(%address, late, "the shared store is left alone for a while");
        // A connection that answers nothing hangs: the next request goes over another one. One that answers, if late,
        // is kept with what is written over it.
        if is_late && self.answered.lock().elapsed() >= COMMAND_TIMEOUT {
            self.connection.replace();
        }
    }

    fn note_refused(&self, count: usize, reason: &str) {
        add(&self.counts.refused, count);
        if count == 0 {
            return;
        }
        let (mut logged, now) = (self.refusal_logged.lock(), Instant::now());
        if logged.is_none_or(|logged| now >= logged + REFUSALS_LOGGED_EVERY) {
            *logged = Some(now);
            let (address, refused) = (&self.settings.url, self.counts.refused.load(Ordering::Relaxed));
            tracing::warn!(%address, refused, reason, "an entry of the shared store is refused");
        }
    }

    fn put(&self, key: EntryKey<'_>, entry: &Entry, lives: Duration) {
        let is_queued = !lives.is_zero()
            && self.connection.live().is_some()
            && key
                .seal(&self.settings.secret, entry)
                .is_some_and(|bytes| self.queue.push(SealedEntry { name: key.name(), bytes, lives: Some(lives) }));
        add(&self.counts.dropped, usize::from(!is_queued));
    }

    fn publish(&self, channel: Channel, chain_id: u64, entry: &Entry) {
        let key = EntryKey { kind: channel.kind(), chain_id, key: &[] };
        if self.connection.live().is_some()
            && let Some(sealed) = key.seal(&self.settings.secret, entry)
        {
            let bytes = [&chain_id.to_be_bytes()[..], &sealed].concat();
            let is_queued = self.queue.push(SealedEntry { name: channel.name().to_vec(), bytes, lives: None });
            add(&self.counts.dropped, usize::from(!is_queued));
        }
    }

    /// Takes a message of a channel: `chain id (8) | entry`.
    fn take(&self, channel: Channel, message: &[u8]) {
        let open = |(chain_id, sealed): (&[u8; 8], &[u8])| {
            let chain_id = u64::from_be_bytes(*chain_id);
            let key = EntryKey { kind: channel.kind(), chain_id, key: &[] };
            Some((chain_id, key.open(&self.settings.secret, &Bytes::copy_from_slice(sealed))?))
        };
        match message.split_first_chunk().and_then(open) {
            // Nobody may listen.
            Some(entry) => drop(self.published[channel as usize].send(entry)),
            None => self.note_refused(1, "what was published is not of this secret"),
        }
    }

    /// Writes what is queued; never returns.
    async fn write_all(&self) {
        let (mut pause, mut has_logged, mut lives) = (PAUSE_MIN, false, self.connection.lives());
        loop {
            let entries = self.queue.take(WRITES_PER_COMMAND).await;
            lives.mark_unchanged();
            let reason = match self.write(entries).await {
                Ok(()) => {
                    (pause, has_logged) = (PAUSE_MIN, false);
                    continue;
                }
                // What is queued for a connection that is gone is dropped at once.
                Err(None) => continue,
                Err(Some(reason)) => reason,
            };
            if !has_logged {
                let address = &self.settings.url;
                tracing::warn!(%address, reason, "the shared store takes no entries");
                has_logged = true;
            }
            tokio::select! {
                () = sleep(pause) => pause = (pause * 2).min(PAUSE_MAX),
                // Another connection may be to another server.
                _ = lives.changed() => pause = PAUSE_MIN,
            }
        }
    }

    /// Writes entries. Returns the reason if some are not written; `None` if there is no connection.
    async fn write(&self, entries: Vec<SealedEntry>) -> Result<(), Option<String>> {
        let held = |entry: &SealedEntry| usize::from(entry.lives.is_some());
        let Some(live) = self.connection.live() else {
            add(&self.counts.dropped, entries.iter().map(held).sum());
            return Err(None);
        };
        let parts = live.split(entries, |entry| &entry.name, WRITES_PER_COMMAND);
        let writes = parts.iter().map(|(server, entries)| timeout(COMMAND_TIMEOUT, live.set(*server, entries)));
        let mut failure = None;
        for ((_, entries), replies) in parts.iter().zip(join_all(writes).await) {
            let replies = match replies {
                Ok(Ok(replies)) => {
                    *self.answered.lock() = Instant::now();
                    replies
                }
                // What a server refuses is a reply, so that this is one that hangs or sends something else.
                failed => {
                    self.connection.replace();
                    let reason = if let Ok(Err(error)) = &failed { error.category() } else { "it does not answer" };
                    failure = Some(reason.to_owned());
                    Vec::new()
                }
            };
            let mut replies = replies.into_iter();
            for entry in entries {
                let reply = replies.next();
                if let Some(Err(error)) = &reply {
                    self.connection.note_error(error);
                    failure = Some(error.category().to_owned());
                }
                let count = if matches!(reply, Some(Ok(_))) { &self.counts.written } else { &self.counts.dropped };
                add(count, held(entry));
            }
        }
        failure.map_or(Ok(()), |reason| Err(Some(reason)))
    }
}

/// Returns the time since 1970 by the local clock. It may be wrong: what other gateways report and share is refused then,
/// and the gateway goes on by itself.
pub fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn add(count: &AtomicU64, more: usize) {
    count.fetch_add(u64::try_from(more).unwrap_or(u64::MAX), Ordering::Relaxed);
}
