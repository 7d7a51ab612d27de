//! The guard of connections: how many there are, and how long and how much each may hold.
//!
//! A connection is closed when its first request is late and when nobody uses it; an answer is given up when its client
//! takes nothing of it. A stream of HTTP/2 that is one too many of its client's or of all gets an answer without a body.
//! Where all slots are taken, the connection goes that has not been used for longest of the client that
//! has most; where too many bytes wait to be sent, the answers go of which nothing was taken for longest. What one client
//! opens begins one after the other, and has its part of the workers' time.
//! Invariant: listeners share fate only if they share a guard, and the operators' shares its with no other.

pub(super) mod files;

mod turn;
mod unsent;
mod worker_time;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::available_parallelism;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, sleep_until};

pub(super) use self::turn::in_turn;
pub(super) use self::unsent::{AnswerBody, Streams, is_of_refused_stream};
use self::unsent::{LastSought, Own, Unsent};
use self::worker_time::{Sharers, WorkerTime};
use crate::client_share::ClientShare;
use crate::config::ConnectionLimits;
use crate::memory::Memory;

/// The guard of one or several listeners.
#[derive(Debug)]
pub(super) struct Guard {
    limits: ConnectionLimits,
    open: Mutex<OpenConnections>,
    unsent_bytes: AtomicUsize,
    /// Streams of HTTP/2 that have not ended.
    streams: AtomicUsize,
    sought: LastSought,
    /// The threads that the tasks of clients run on.
    workers: u32,
    sharers: Mutex<Sharers>,
    /// What refuses answers and streams while it is short; operators are answered all the same.
    memory: Option<Arc<Memory>>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next_id: u64,
    by_id: BTreeMap<u64, Arc<Connection>>,
    clients: HashMap<IpAddr, Arc<Client>>,
    /// The connections that were to go first when they were last looked for, among all and among each client's, with the
    /// time since when they are unused. Whoever was used since is younger than all of its client's.
    oldest: HashMap<Option<IpAddr>, VecDeque<(Instant, u64)>>,
}

/// So many are found at a time: where thousands connect at once, looking for each alone takes a core.
const OLDEST_MAX: usize = 64;

/// Whoever is behind an address.
#[derive(Debug)]
struct Client {
    address: IpAddr,
    share: Arc<ClientShare>,
    /// Changed under the lock of the open connections alone.
    connections: AtomicUsize,
    unsent_bytes: AtomicUsize,
    streams: AtomicUsize,
    sought: LastSought,
    /// One turn (`turn.rs`).
    turn: Semaphore,
    worker_time: Mutex<WorkerTime>,
    /// One step of a task, where it has to wait for it (`worker_time.rs`).
    step: Semaphore,
}

/// The right to have a connection open; ends with it.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    id: u64,
    pub(super) connection: Arc<Connection>,
}

/// What the guard knows about a connection.
#[derive(Debug)]
pub(super) struct Connection {
    guard: Arc<Guard>,
    client: Arc<Client>,
    activity: Mutex<Activity>,
    /// Its slot or its bytes are needed.
    evicted: Notify,
}

#[derive(Debug)]
struct Activity {
    /// Requests whose answers are being made.
    under_way: usize,
    /// Since the connection began, a request ended, or some of an answer was taken.
    used: Instant,
    /// Whether there was a request.
    had_request: bool,
    /// Answers that are not taken yet.
    unsent: Vec<Unsent>,
    next_unsent: u64,
}

/// A request whose answer is being made.
#[derive(Debug)]
pub(super) struct UnderWay(Arc<Connection>);

/// As many bytes as allowed wait to be sent.
#[derive(Debug, thiserror::Error)]
#[error("too many bytes wait to be sent")]
pub(super) struct NoRoom;

/// Whose slots are all in use by requests under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSlot {
    /// `per_client_max` of one client.
    Client,
    /// `max` of all.
    All,
}

impl NoSlot {
    /// In labels of figures.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Client => "per_client_max",
            Self::All => "max",
        }
    }
}

/// Why a connection must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    NoRequest,
    Unused,
    NotTaken,
    Evicted,
}

impl Expiry {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::NoRequest => "no request came in time",
            Self::Unused => "it was not used",
            Self::NotTaken => "an answer was not taken",
            Self::Evicted => "others needed its place",
        }
    }
}

impl Guard {
    pub(super) fn new(limits: ConnectionLimits, memory: Option<Arc<Memory>>) -> Arc<Self> {
        let (unsent_bytes, streams) = (AtomicUsize::new(0), AtomicUsize::new(0));
        // As many as the runtime has of its own accord.
        let workers = available_parallelism().map_or(1, NonZero::get);
        let workers = u32::try_from(workers).unwrap_or(u32::MAX);
        let sharers = Mutex::new(Sharers::none(Instant::now()));
        let sought = LastSought::default();
        Arc::new(Self { limits, open: Mutex::default(), unsent_bytes, streams, sought, workers, sharers, memory })
    }

    /// Whether an answer or a stream is refused for want of memory.
    fn refuses(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.refuses())
    }

    /// A slot for a new connection.
    ///
    /// # Errors
    /// All are in use by requests under way.
    pub(super) fn open(self: &Arc<Self>, address: IpAddr) -> Result<ConnectionSlot, NoSlot> {
        let address = client_address(address);
        let is_short = self.memory.as_ref().is_some_and(|memory| memory.is_short());
        let mut open = self.open.lock();
        let is_full = |client: &Arc<Client>| client.connections.load(Relaxed) >= self.limits.per_client_max;
        if open.clients.get(&address).is_some_and(is_full) {
            open.evict(Some(address)).ok_or(NoSlot::Client)?;
        } else if open.by_id.len() >= self.limits.max || is_short && !open.by_id.is_empty() {
            open.evict(None).ok_or(NoSlot::All)?;
        }
        let client = Arc::clone(open.clients.entry(address).or_insert_with(|| Arc::new(Client::new(address))));
        client.connections.fetch_add(1, Relaxed);
        let id = open.next_id;
        open.next_id += 1;
        let connection = Arc::new(Connection::new(Arc::clone(self), client));
        open.by_id.insert(id, Arc::clone(&connection));
        Ok(ConnectionSlot { id, connection })
    }

    /// The bytes that may wait for one client: its share of them is that of connections.
    fn client_unsent_bytes_max(&self) -> usize {
        let ConnectionLimits { max, per_client_max, unsent_bytes_max, .. } = self.limits;
        unsent_bytes_max / max.div_ceil(per_client_max).max(1)
    }
}

impl OpenConnections {
    /// Closes the connection that has not been used for longest, of this client or of the one that has most; `None` where
    /// all have requests under way.
    fn evict(&mut self, client: Option<IpAddr>) -> Option<()> {
        let id = self.take_oldest(client).or_else(|| {
            self.find_oldest(client);
            self.take_oldest(client)
        })?;
        self.close(id)?.evicted.notify_one();
        Some(())
    }

    fn take_oldest(&mut self, client: Option<IpAddr>) -> Option<u64> {
        let oldest = self.oldest.get_mut(&client)?;
        let by_id = &self.by_id;
        let is_unused = |(since, id): &(Instant, u64)| {
            by_id.get(id).is_some_and(|connection| connection.unused_since() == Some(*since))
        };
        std::iter::from_fn(|| oldest.pop_front()).find(is_unused).map(|(_, id)| id)
    }

    fn find_oldest(&mut self, client: Option<IpAddr>) {
        let candidates =
            self.by_id.iter().filter(|(_, connection)| client.is_none_or(|own| own == connection.client.address));
        let of_whom_with_most = |connection: &Connection| Reverse(connection.client.connections.load(Relaxed));
        let mut unused: Vec<_> = candidates
            .filter_map(|(id, connection)| Some((of_whom_with_most(connection), connection.unused_since()?, *id)))
            .collect();
        if unused.len() > OLDEST_MAX {
            unused.select_nth_unstable(OLDEST_MAX);
            unused.truncate(OLDEST_MAX);
        }
        unused.sort_unstable();
        self.oldest.insert(client, unused.into_iter().map(|(_, since, id)| (since, id)).collect());
    }

    /// Frees a slot.
    fn close(&mut self, id: u64) -> Option<Arc<Connection>> {
        let connection = self.by_id.remove(&id)?;
        if connection.client.connections.fetch_sub(1, Relaxed) == 1 {
            self.clients.remove(&connection.client.address);
            self.oldest.remove(&Some(connection.client.address));
        }
        Some(connection)
    }
}

impl Client {
    fn new(address: IpAddr) -> Self {
        Self {
            address,
            share: ClientShare::new(Some(address)),
            connections: AtomicUsize::new(0),
            unsent_bytes: AtomicUsize::new(0),
            streams: AtomicUsize::new(0),
            sought: LastSought::default(),
            turn: Semaphore::new(1),
            worker_time: Mutex::new(WorkerTime::new(Instant::now())),
            step: Semaphore::new(1),
        }
    }
}

impl ConnectionSlot {
    /// Ends when the connection must be closed.
    pub(super) async fn expired(&self) -> Expiry {
        let limits = &self.connection.guard.limits;
        // What begins while this sleeps ends no sooner than that.
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
    fn new(guard: Arc<Guard>, client: Arc<Client>) -> Self {
        let activity =
            Activity { under_way: 0, used: Instant::now(), had_request: false, unsent: Vec::new(), next_unsent: 0 };
        Self { guard, client, activity: Mutex::new(activity), evicted: Notify::new() }
    }

    /// What its client takes of what all share.
    pub(super) fn client_share(&self) -> &Arc<ClientShare> {
        &self.client.share
    }

    /// Marks a request as under way until the mark is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> UnderWay {
        let mut activity = self.activity.lock();
        activity.under_way += 1;
        activity.had_request = true;
        UnderWay(Arc::clone(self))
    }

    /// A body that is counted until the client has taken it; one that `is_shared` takes no memory of its own.
    pub(super) fn send(self: &Arc<Self>, body: Bytes, is_shared: bool) -> Result<AnswerBody, NoRoom> {
        unsent::send(self, body, if is_shared { Own::Head } else { Own::HeadAndBody })
    }

    /// A small body that is sent even if there is no room for an answer; an error where too many of these wait as well.
    pub(super) fn send_refusal(self: &Arc<Self>, body: Bytes) -> Result<AnswerBody, NoRoom> {
        unsent::send(self, body, Own::Refusal)
    }

    /// Since when nobody uses it; `None` while a request is under way.
    fn unused_since(&self) -> Option<Instant> {
        let activity = self.activity.lock();
        (activity.under_way == 0).then_some(activity.used)
    }

    /// When to look again; the error is why the connection must be closed now.
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

/// Who is behind an address: in IPv6, one customer has a whole network of 64 bits.
fn client_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests;
