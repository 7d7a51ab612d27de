//! The guard of connections: limits how many are open, and how long and how much each may hold.
//!
//! A connection is closed if its first request is late or if it is idle. An answer is given up if its client stops
//! reading it. HTTP/2 streams beyond the limits, per client and in total, get an answer without a body. If all slots
//! are taken, the client with the most connections loses its least recently used one. If too many bytes wait to be
//! sent, the answers that stalled longest are given up. The work that one client opens starts one at a time, and each
//! client has its share of the workers' time. Connections, streams and bytes count for the address that connects, but
//! for trusted proxies, which have no other bound than the total; the time of a request counts for its own client.
//! Invariant: listeners share limits only if they share a guard; the operators' listener has a guard of its own.

pub(in crate::http) mod files;

mod request_client;
mod stream_host;
mod turn;
mod unsent;
mod worker_time;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::thread::available_parallelism;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, sleep_until};

pub(in crate::http) use self::request_client::RequestClient;
pub(in crate::http) use self::stream_host::ConnectionStream;
pub(in crate::http) use self::turn::in_turn;
pub(in crate::http) use self::unsent::{AnswerBody, Streams, is_of_refused_stream};
use self::unsent::{Charge, LastSought, UnsentAnswer, UnsentBytes};
use self::worker_time::{Sharers, WorkerTime};
use crate::clients::Clients;
use crate::clients::usage::ClientUsage;
use crate::config::ConnectionLimits;
use crate::http::event_stream::EventReceiver;
use crate::memory::Memory;
use portolan_reader::ClientId;

/// Guard of one or several listeners.
#[derive(Debug)]
pub(in crate::http) struct Guard {
    limits: ConnectionLimits,
    known: Arc<Clients>,
    open: Mutex<OpenConnections>,
    unsent_bytes: UnsentBytes,
    /// Open HTTP/2 streams.
    streams: AtomicUsize,
    sought: LastSought,
    /// Threads of the runtime.
    workers: u32,
    sharers: Mutex<Sharers>,
    /// Causes refusals of answers and streams while memory is short; `None` for operators, who are always answered.
    memory: Option<Arc<Memory>>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next_id: u64,
    by_id: BTreeMap<u64, Arc<Connection>>,
    clients: HashMap<ClientId, Arc<Client>>,
    /// Eviction candidates per client and overall (`None`). First come those of the client with the most connections,
    /// then the longest unused. Entries of connections used since are stale and skipped.
    oldest: HashMap<Option<ClientId>, VecDeque<(Instant, u64)>>,
}

/// Candidates found per scan. If thousands connect at once, a scan for each takes a whole core.
const OLDEST_MAX: usize = 64;

/// One client that has connections or requests.
#[derive(Debug)]
struct Client {
    id: ClientId,
    usage: Arc<ClientUsage>,
    /// Changed only under the lock of the open connections.
    connections: AtomicUsize,
    /// Requests on connections of others; changed likewise.
    requests: AtomicUsize,
    unsent_bytes: UnsentBytes,
    streams: AtomicUsize,
    sought: LastSought,
    /// Held to start work (`turn.rs`).
    turn: Semaphore,
    worker_time: Mutex<WorkerTime>,
    /// Held to wait for worker time (`worker_time.rs`).
    step: Semaphore,
}

/// Permission to keep a connection open; released on drop.
#[derive(Debug)]
pub(in crate::http) struct ConnectionSlot {
    id: u64,
    pub(in crate::http) connection: Arc<Connection>,
}

/// The guard's state of a connection.
#[derive(Debug)]
pub(in crate::http) struct Connection {
    guard: Arc<Guard>,
    client: Arc<Client>,
    /// The address at the other end.
    pub(in crate::http) peer: IpAddr,
    /// True if that is a trusted proxy.
    is_of_proxy: bool,
    /// Nanoseconds of steps that counted for the clients of requests, and not for the connection's.
    elsewhere_ns: AtomicU64,
    activity: Mutex<Activity>,
    /// Notified when its slot or its bytes are needed.
    evicted: Notify,
}

#[derive(Debug)]
struct Activity {
    /// Requests being answered.
    under_way: usize,
    /// When the connection began, a request ended or some of an answer was taken, whichever was last.
    used: Instant,
    /// True once there was a request.
    had_request: bool,
    /// Answers that the client has not taken yet.
    unsent: Vec<UnsentAnswer>,
    next_unsent: u64,
}

/// A request being answered, until it is dropped.
#[derive(Debug)]
pub(in crate::http) struct UnderWay(Arc<Connection>);

/// The limit of bytes that wait to be sent is reached.
#[derive(Debug, thiserror::Error)]
#[error("too many bytes wait to be sent")]
pub(in crate::http) struct NoRoom;

/// The limit whose slots are all in use by requests under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum NoSlot {
    /// `per_client_max` of one client.
    Client,
    /// `max` of all clients.
    All,
}

impl NoSlot {
    /// Returns the metric's label.
    pub(in crate::http) fn as_str(self) -> &'static str {
        match self {
            Self::Client => "per_client_max",
            Self::All => "max",
        }
    }
}

/// Reason to close a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Expiry {
    NoRequest,
    Unused,
    NotTaken,
    Evicted,
}

impl Expiry {
    pub(in crate::http) fn as_str(self) -> &'static str {
        match self {
            Self::NoRequest => "no request came in time",
            Self::Unused => "it was not used",
            Self::NotTaken => "an answer was not taken",
            Self::Evicted => "others needed its place",
        }
    }
}

impl Guard {
    pub(in crate::http) fn new(
        limits: ConnectionLimits,
        known: Arc<Clients>,
        memory: Option<Arc<Memory>>,
    ) -> Arc<Self> {
        let (unsent_bytes, streams) = (UnsentBytes::default(), AtomicUsize::new(0));
        // The runtime starts as many by default.
        let workers = available_parallelism().map_or(1, NonZero::get);
        let workers = u32::try_from(workers).unwrap_or(u32::MAX);
        let sharers = Mutex::new(Sharers::none(Instant::now()));
        let sought = LastSought::default();
        let open = Mutex::default();
        Arc::new(Self { limits, known, open, unsent_bytes, streams, sought, workers, sharers, memory })
    }

    /// Returns true if answers and streams are refused because memory is short.
    fn refuses(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.refuses())
    }

    /// Returns the client that the connections of an address count for.
    pub(in crate::http) fn client(&self, peer: IpAddr) -> ClientId {
        self.known.addresses.id(peer)
    }

    /// Opens a slot for a new connection, evicting another one if none is free.
    ///
    /// # Errors
    /// All slots are in use by requests under way.
    pub(in crate::http) fn open(self: &Arc<Self>, peer: IpAddr) -> Result<ConnectionSlot, NoSlot> {
        let (client, is_of_proxy) = (self.client(peer), self.known.addresses.is_proxy(peer));
        let is_short = self.memory.as_ref().is_some_and(|memory| memory.is_short());
        let mut open = self.open.lock();
        let is_full = |client: &Arc<Client>| client.connections.load(Relaxed) >= self.limits.per_client_max;
        if !is_of_proxy && open.clients.get(&client).is_some_and(is_full) {
            open.evict(Some(&client)).ok_or(NoSlot::Client)?;
        } else if open.by_id.len() >= self.limits.max || is_short && !open.by_id.is_empty() {
            open.evict(None).ok_or(NoSlot::All)?;
        }
        let client = open.client(client, |id| self.known.usage(id));
        client.connections.fetch_add(1, Relaxed);
        let id = open.next_id;
        open.next_id += 1;
        let connection = Arc::new(Connection::new(Arc::clone(self), client, peer, is_of_proxy));
        open.by_id.insert(id, Arc::clone(&connection));
        Ok(ConnectionSlot { id, connection })
    }
}

impl OpenConnections {
    /// Returns a client, which must be counted under the same lock.
    fn client(&mut self, id: ClientId, usage: impl FnOnce(ClientId) -> Arc<ClientUsage>) -> Arc<Client> {
        let new = |id: &ClientId| Arc::new(Client::new(id.clone(), usage(id.clone())));
        Arc::clone(self.clients.entry(id).or_insert_with_key(new))
    }

    /// Forgets a client that has neither connections nor requests.
    fn forget_unused(&mut self, client: &Client) {
        if client.connections.load(Relaxed) == 0 && client.requests.load(Relaxed) == 0 {
            self.clients.remove(&client.id);
            self.oldest.remove(&Some(client.id.clone()));
        }
    }

    /// Closes the least recently used connection of `client`, or of the client with the most. Returns `None` if all
    /// have requests under way.
    fn evict(&mut self, client: Option<&ClientId>) -> Option<()> {
        let id = self.take_oldest(client).or_else(|| {
            self.find_oldest(client);
            self.take_oldest(client)
        })?;
        self.close(id)?.evicted.notify_one();
        Some(())
    }

    fn take_oldest(&mut self, client: Option<&ClientId>) -> Option<u64> {
        let oldest = self.oldest.get_mut(&client.cloned())?;
        let by_id = &self.by_id;
        let is_unused = |(since, id): &(Instant, u64)| {
            by_id.get(id).is_some_and(|connection| connection.unused_since() == Some(*since))
        };
        std::iter::from_fn(|| oldest.pop_front()).find(is_unused).map(|(_, id)| id)
    }

    fn find_oldest(&mut self, client: Option<&ClientId>) {
        let candidates =
            self.by_id.iter().filter(|(_, connection)| client.is_none_or(|own| *own == connection.client.id));
        let of_whom_with_most = |connection: &Connection| Reverse(connection.client.connections.load(Relaxed));
        let mut unused: Vec<_> = candidates
            .filter_map(|(id, connection)| Some((of_whom_with_most(connection), connection.unused_since()?, *id)))
            .collect();
        if unused.len() > OLDEST_MAX {
            unused.select_nth_unstable(OLDEST_MAX);
            unused.truncate(OLDEST_MAX);
        }
        unused.sort_unstable();
        self.oldest.insert(client.cloned(), unused.into_iter().map(|(_, since, id)| (since, id)).collect());
    }

    /// Frees a slot.
    fn close(&mut self, id: u64) -> Option<Arc<Connection>> {
        let connection = self.by_id.remove(&id)?;
        connection.client.connections.fetch_sub(1, Relaxed);
        self.forget_unused(&connection.client);
        Some(connection)
    }
}

impl Client {
    fn new(id: ClientId, usage: Arc<ClientUsage>) -> Self {
        Self {
            id,
            usage,
            connections: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            unsent_bytes: UnsentBytes::default(),
            streams: AtomicUsize::new(0),
            sought: LastSought::default(),
            turn: Semaphore::new(1),
            worker_time: Mutex::new(WorkerTime::new(Instant::now())),
            step: Semaphore::new(1),
        }
    }
}

impl ConnectionSlot {
    /// Completes when the connection must be closed.
    pub(in crate::http) async fn expired(&self) -> Expiry {
        let limits = &self.connection.guard.limits;
        // Nothing that begins during the sleep can expire before it ends.
        let shortest = limits.head.min(limits.idle).min(limits.send);
        loop {
            let now = Instant::now();
            let wake = match self.connection.expiry(now) {
                Err(expiry) => return expiry,
                Ok(at) => at.map_or(now + shortest, |at| at.min(now + shortest)),
            };
            tokio::select! {
                () = self.connection.evicted.notified() => return Expiry::Evicted,
                () = sleep_until(wake) => {}
            }
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connection.guard.open.lock().close(self.id);
    }
}

impl Connection {
    fn new(guard: Arc<Guard>, client: Arc<Client>, peer: IpAddr, is_of_proxy: bool) -> Self {
        let activity =
            Activity { under_way: 0, used: Instant::now(), had_request: false, unsent: Vec::new(), next_unsent: 0 };
        let (activity, evicted) = (Mutex::new(activity), Notify::new());
        Self { guard, client, peer, is_of_proxy, elsewhere_ns: AtomicU64::new(0), activity, evicted }
    }

    /// Starts the time for the first request. The wait for the client's turn does not count.
    pub(in crate::http) fn start(&self) {
        self.activity.lock().used = Instant::now();
    }

    /// Returns true once there was a request.
    pub(in crate::http) fn had_request(&self) -> bool {
        self.activity.lock().had_request
    }

    /// Marks a request as under way until the returned value is dropped.
    pub(in crate::http) fn begin(self: &Arc<Self>) -> UnderWay {
        let mut activity = self.activity.lock();
        activity.under_way += 1;
        activity.had_request = true;
        UnderWay(Arc::clone(self))
    }

    /// Returns a body that is counted until the client has taken it; of a body that `is_shared`, only the head counts.
    pub(in crate::http) fn send(self: &Arc<Self>, body: Bytes, is_shared: bool) -> Result<AnswerBody, NoRoom> {
        unsent::send(self, body, if is_shared { Charge::Head } else { Charge::HeadAndBody })
    }

    /// Returns the body of a stream of events.
    pub(in crate::http) fn send_events(self: &Arc<Self>, events: EventReceiver) -> AnswerBody {
        unsent::send_events(self, events)
    }

    /// Returns a small body that takes room for refusals; fails if too many of them wait.
    pub(in crate::http) fn send_refusal(self: &Arc<Self>, body: Bytes) -> Result<AnswerBody, NoRoom> {
        unsent::send(self, body, Charge::Refusal)
    }

    /// Bytes that may wait for its client, whose share is the same as of connections; a proxy has all.
    fn unsent_bytes_max(&self) -> usize {
        let ConnectionLimits { max, per_client_max, unsent_bytes_max, .. } = self.guard.limits;
        if self.is_of_proxy { unsent_bytes_max } else { unsent_bytes_max / max.div_ceil(per_client_max).max(1) }
    }

    /// Returns since when it is unused; `None` while a request is under way.
    fn unused_since(&self) -> Option<Instant> {
        let activity = self.activity.lock();
        (activity.under_way == 0).then_some(activity.used)
    }

    /// Returns when to check again, or why the connection must be closed now.
    fn expiry(&self, now: Instant) -> Result<Option<Instant>, Expiry> {
        let limits = &self.guard.limits;
        let mut activity = self.activity.lock();
        let taken_by = activity.give_up(now, limits.send)?;
        if activity.under_way > 0 || !activity.unsent.is_empty() {
            return Ok(taken_by);
        }
        let (wait, expiry) =
            if activity.had_request { (limits.idle, Expiry::Unused) } else { (limits.head, Expiry::NoRequest) };
        let at = activity.used + wait;
        if at <= now { Err(expiry) } else { Ok(Some(at)) }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut activity = self.0.activity.lock();
        activity.under_way -= 1;
        activity.used = Instant::now();
    }
}

#[cfg(test)]
mod tests;
