//! The store as its users see it: many keys are looked up at once, within a bound; entries are written later.
//!
//! Invariant: a failure is counted and logged once, and is never more than a miss to the caller.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use parking_lot::Mutex;
use redis::{Cmd, ErrorKind, Pipeline, RedisResult, ServerErrorKind};
use serde::Serialize;
use tokio::sync::broadcast;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::breaker::Breaker;
use crate::connection::{COMMAND_TIMEOUT, Connection, LiveConnection};
use crate::entry::{Channel, Entry, EntryKey, EntryKind, HEAD_BYTES};
use crate::queue::{Queue, SealedEntry};
use crate::settings::{Pseudonym, SharedStoreSettings};

/// Entries that are written at once, at most.
const WRITES_PER_COMMAND: usize = 128;
/// Keys of one look-up; further ones are not looked up.
const KEYS_MAX: usize = 8_192;
/// Bytes of the protocol around each value.
const FRAME_BYTES: usize = 32;
/// Bytes of the reply to a command that writes: a word, or an error.
const WRITTEN_BYTES: usize = 512;
/// Published entries that wait for a receiver; it misses the oldest of more.
const PUBLISHED_MAX: usize = 256;
/// How far the time in a report may be from the local clock. A report that is repeated later is refused.
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
        self.inner.get(kind, chain_id, keys).await
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

/// The values of one command: those of this many keys, from this place on.
type Values = (usize, RedisResult<Vec<Option<Bytes>>>);

impl Inner {
    async fn get(&self, kind: EntryKind, chain_id: u64, keys: &[Vec<u8>]) -> Vec<(usize, Entry)> {
        let keys = &keys[..keys.len().min(KEYS_MAX)];
        if keys.is_empty() {
            return Vec::new();
        }
        let live = self.connection.live();
        let Some(live) = live.filter(|_| self.breaker.lock().allows(Instant::now())) else {
            add(&self.counts.misses, keys.len());
            return Vec::new();
        };
        let until = Instant::now() + self.settings.wait;
        let key = |key| EntryKey { kind, chain_id, key };
        let per_command = kind.keys_per_command();
        let commands = keys.chunks(per_command).enumerate();
        let mut commands: FuturesUnordered<_> = commands
            .map(|(place, keys)| {
                get_values(live.clone(), kind, place * per_command, keys.iter().map(|own| key(own).name()))
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
            let Some((first, values)) = next else {
                is_late = true;
                break;
            };
            let own = keys.get(first..).unwrap_or_default().iter().take(per_command);
            let Some(values) = values.ok().filter(|values| values.len() == own.len()) else {
                has_failed = true;
                continue;
            };
            *self.answered.lock() = Instant::now();
            for (place, (own, value)) in (first..).zip(own.zip(values)) {
                match value.map(|value| key(own).open(&self.settings.secret, &value)) {
                    Some(Some(entry)) => found.push((place, entry)),
                    Some(None) => refused += 1,
                    None => {}
                }
            }
        }
        found.sort_unstable_by_key(|(place, _)| *place);
        add(&self.counts.hits, found.len());
        add(&self.counts.misses, keys.len() - found.len() - refused);
        add(&self.counts.late, usize::from(is_late));
        self.note_refused(refused, "its authenticator is not one of this key and secret");
        // A large batch of which some is late does not show a slow store.
        self.note(!has_failed && refused == 0 && (!is_late || !found.is_empty()), is_late);
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
        let (mut pause, mut has_logged) = (PAUSE_MIN, false);
        loop {
            let entries = self.queue.take(WRITES_PER_COMMAND).await;
            let count = entries.iter().filter(|entry| entry.lives.is_some()).count();
            let reason = match self.connection.live() {
                None => None,
                Some(live) => match timeout(COMMAND_TIMEOUT, set_values(live, entries)).await {
                    Ok(Ok(())) => {
                        *self.answered.lock() = Instant::now();
                        add(&self.counts.written, count);
                        (pause, has_logged) = (PAUSE_MIN, false);
                        continue;
                    }
                    Ok(Err(error)) => {
                        if error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly) {
                            self.connection.note_read_only();
                        }
                        Some(error.category().to_owned())
                    }
                    Err(_) => {
                        self.connection.replace();
                        Some("it does not answer".to_owned())
                    }
                },
            };
            add(&self.counts.dropped, count);
            if let Some(reason) = reason.filter(|_| !has_logged) {
                let address = &self.settings.url;
                tracing::warn!(%address, reason, "the shared store takes no entries");
                has_logged = true;
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}

async fn get_values(
    live: LiveConnection,
    kind: EntryKind,
    first: usize,
    names: impl Iterator<Item = Vec<u8>>,
) -> Values {
    let mut command = Cmd::new();
    command.arg("MGET");
    let mut count = 0;
    for name in names {
        command.arg(name);
        count += 1;
    }
    live.allow(count * (HEAD_BYTES + kind.value_bytes_max() + FRAME_BYTES) + WRITTEN_BYTES);
    let mut commands = live.commands;
    (first, command.query_async(&mut commands).await)
}

async fn set_values(live: LiveConnection, entries: Vec<SealedEntry>) -> RedisResult<()> {
    let mut commands = Pipeline::with_capacity(entries.len());
    live.allow(entries.len() * WRITTEN_BYTES);
    for SealedEntry { name, bytes, lives } in entries {
        match lives {
            None => commands.cmd("PUBLISH").arg(name).arg(bytes).ignore(),
            Some(lives) => {
                let lives_ms = u64::try_from(lives.as_millis()).unwrap_or(u64::MAX);
                commands.cmd("SET").arg(name).arg(bytes).arg("PX").arg(lives_ms).ignore()
            }
        };
    }
    let mut connection = live.commands;
    commands.query_async(&mut connection).await
}

fn add(count: &AtomicU64, more: usize) {
    count.fetch_add(u64::try_from(more).unwrap_or(u64::MAX), Ordering::Relaxed);
}
