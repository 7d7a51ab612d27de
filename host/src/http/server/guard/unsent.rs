//! Answers that clients have not taken yet: their bytes are counted per client and in total, and stalled ones are
//! given up.
//!
//! Giving up ends the stream in HTTP/2 and the connection in HTTP/1.1. Invariant: everything that waits to be sent is
//! counted, refusals too, and no client has more streams than its share, whatever they wait for.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use hyper::body::{Body, Frame, SizeHint};
use hyper::rt::Executor;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Activity, Client, Connection, Expiry, Guard, NoRoom, in_turn};
use crate::http::event_stream::EventReceiver;

/// Bytes that an untaken answer holds besides its body: its head and the state of its stream.
const ANSWER_BYTES: usize = 2048;

/// Refusals have room of their own, an eighth of that for answers, so that a client learns why it gets none.
const REFUSALS_SHARE: usize = 8;

/// An answer may be given up for others once nothing of it was taken for this long. A lost packet takes half of that.
const STALLED: Duration = Duration::from_secs(1);

/// Minimum time between two searches for stalled answers, per client and over all streams. Each search visits all
/// connections, and clients can open tens of thousands of streams in a second.
const SEEK_EVERY: Duration = Duration::from_millis(50);
/// Room is made for one part in this many of a client's streams at a time.
const ROOM_PART: usize = 32;

/// Bodies are sent in pieces of one HTTP/2 frame, so that progress is seen.
const PIECE_BYTES: usize = 16 * 1024;

tokio::task_local! {
    /// The HTTP/2 stream that this task serves.
    static STREAM: Stream;
}

/// The guard's view of an HTTP/2 stream.
#[derive(Clone, Debug)]
enum Stream {
    /// Notified to end the stream.
    Open(Arc<Notify>),
    /// Beyond the limit of streams.
    Refused,
}

impl Stream {
    fn end(&self) -> Weak<Notify> {
        match self {
            Self::Open(end) => Arc::downgrade(end),
            Self::Refused => Weak::new(),
        }
    }
}

/// Returns true if the request's stream is beyond the limit. Such a stream is answered at its first poll or not at
/// all.
pub(in crate::http) fn is_of_refused_stream() -> bool {
    STREAM.try_with(|stream| matches!(stream, Stream::Refused)).unwrap_or(false)
}

/// Time of the last search for stalled answers.
#[derive(Debug, Default)]
pub(super) struct LastSought(Mutex<Option<Instant>>);

impl LastSought {
    /// Returns true if a search is due, and records it.
    fn is_due(&self) -> bool {
        let (mut last, now) = (self.0.lock(), Instant::now());
        let is_due = last.is_none_or(|last| now.saturating_duration_since(last) >= SEEK_EVERY);
        if is_due {
            *last = Some(now);
        }
        is_due
    }
}

/// Permission to keep a stream open; released on drop.
#[derive(Debug)]
struct StreamSlot(Arc<Connection>);

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.0.client.streams.fetch_sub(1, Relaxed);
        self.0.guard.streams.fetch_sub(1, Relaxed);
    }
}

/// Bytes that wait to be sent.
#[derive(Debug, Default)]
pub(super) struct UnsentBytes {
    answers: AtomicUsize,
    refusals: AtomicUsize,
}

impl UnsentBytes {
    fn counter(&self, is_refusal: bool) -> &AtomicUsize {
        if is_refusal { &self.refusals } else { &self.answers }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.answers.load(Relaxed) + self.refusals.load(Relaxed) == 0
    }
}

/// An answer that the client has not taken yet.
#[derive(Debug)]
pub(super) struct UnsentAnswer {
    /// Unique within its connection.
    id: u64,
    /// Counts in the room for refusals.
    is_refusal: bool,
    /// Zero after it is given up.
    bytes: usize,
    /// Time of the last progress.
    since: Instant,
    /// Ends its stream, if it has a task.
    stream: Weak<Notify>,
}

/// The part of a response that counts against the limits; memory that clients share does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    Head,
    HeadAndBody,
    /// Head and body, within the room for refusals.
    Refusal,
}

/// The body of an answer, in pieces.
#[derive(Debug, Default)]
pub(in crate::http) struct AnswerBody {
    rest: Bytes,
    /// Set only for a body of several pieces.
    progress: Option<Progress>,
    /// Events that follow.
    events: Option<EventReceiver>,
}

/// Records the progress of an answer, for all of it that waits.
#[derive(Debug)]
struct Progress {
    connection: Arc<Connection>,
    stream: Weak<Notify>,
}

/// The bytes of an answer; dropped once sent or discarded with their stream.
struct Counted {
    body: Bytes,
    connection: Arc<Connection>,
    id: u64,
}

/// Executor for the streams of an HTTP/2 connection: runs each until it ends or is given up.
#[derive(Clone, Debug)]
pub(in crate::http) struct Streams(pub(in crate::http) Arc<Connection>);

impl<F> Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        // Boxed once: the futures around it hold it by value, some of them twice.
        let task = Box::pin(task);
        let Some(slot) = self.0.open_stream() else {
            // Its answer has no body and is complete after one poll.
            let _ = STREAM.scope(Stream::Refused, task).now_or_never();
            return;
        };
        let end = Arc::new(Notify::new());
        tokio::spawn(async move {
            tokio::select! {
                () = in_turn(&slot.0, STREAM.scope(Stream::Open(Arc::clone(&end)), task)) => {}
                () = end.notified() => {}
            }
        });
    }
}

pub(super) fn send(connection: &Arc<Connection>, body: Bytes, charge: Charge) -> Result<AnswerBody, NoRoom> {
    if body.is_empty() {
        return Ok(AnswerBody::default());
    }
    let progress = (body.len() > PIECE_BYTES).then(|| Progress::of(connection));
    Ok(AnswerBody { rest: count(connection, body, charge, own_stream())?, progress, events: None })
}

/// Returns the body of a stream of events, each of which is counted before it comes.
pub(super) fn send_events(connection: &Arc<Connection>, events: EventReceiver) -> AnswerBody {
    AnswerBody { rest: Bytes::new(), progress: Some(Progress::of(connection)), events: Some(events) }
}

/// The HTTP/2 stream that this task serves, if any.
pub(super) fn own_stream() -> Weak<Notify> {
    STREAM.try_with(Stream::end).unwrap_or_default()
}

/// Counts bytes of a stream until they are sent or dropped.
pub(super) fn count(
    connection: &Arc<Connection>,
    body: Bytes,
    charge: Charge,
    stream: Weak<Notify>,
) -> Result<Bytes, NoRoom> {
    let (bytes, is_refusal) =
        (ANSWER_BYTES + if charge == Charge::Head { 0 } else { body.len() }, charge == Charge::Refusal);
    connection.guard.reserve(connection, bytes, is_refusal)?;
    let mut activity = connection.activity.lock();
    let id = activity.next_unsent;
    activity.next_unsent += 1;
    activity.unsent.push(UnsentAnswer { id, is_refusal, bytes, since: Instant::now(), stream });
    drop(activity);
    Ok(Bytes::from_owner(Counted { body, connection: Arc::clone(connection), id }))
}

impl Guard {
    /// Reserves room for bytes to send; without room, stalled answers are given up.
    fn reserve(&self, connection: &Connection, bytes: usize, is_refusal: bool) -> Result<(), NoRoom> {
        let client = &connection.client;
        let part = |max: usize| if is_refusal { max / REFUSALS_SHARE } else { max };
        let (client_max, max) = (part(connection.unsent_bytes_max()), part(self.limits.unsent_bytes_max));
        let (of_client, of_all) = (client.unsent_bytes.counter(is_refusal), self.unsent_bytes.counter(is_refusal));
        if !is_refusal && self.refuses() {
            return Err(NoRoom);
        }
        if !take(of_client, bytes, client_max) {
            let is_own = |connection: &Connection| Arc::ptr_eq(&connection.client, client);
            self.make_room(bytes, is_refusal, is_own);
            take(of_client, bytes, client_max).then_some(()).ok_or(NoRoom)?;
        }
        if !take(of_all, bytes, max) {
            self.make_room(bytes, is_refusal, |_| true);
            if !take(of_all, bytes, max) {
                of_client.fetch_sub(bytes, Relaxed);
                return Err(NoRoom);
            }
        }
        Ok(())
    }

    /// Gives up stalled answers or refusals, longest stalled first; returns the bytes freed.
    fn make_room(&self, bytes: usize, of_refusals: bool, is_candidate: impl Fn(&Connection) -> bool) -> usize {
        let open = self.open.lock();
        let mut stalled = Vec::new();
        for connection in open.by_id.values().filter(|connection| is_candidate(connection)) {
            let activity = connection.activity.lock();
            let is_stalled =
                |unsent: &&UnsentAnswer| unsent.is_refusal == of_refusals && unsent.since.elapsed() > STALLED;
            let of_connection = activity.unsent.iter().filter(is_stalled);
            stalled.extend(of_connection.map(|unsent| (unsent.since, unsent.id, Arc::clone(connection))));
        }
        drop(open);
        stalled.sort_unstable_by_key(|(since, ..)| *since);
        let mut freed = 0;
        for (_, id, connection) in stalled {
            if freed >= bytes {
                break;
            }
            freed += connection.cut(id);
        }
        freed
    }

    fn release(&self, client: &Client, bytes: usize, is_refusal: bool) {
        for unsent_bytes in [&client.unsent_bytes, &self.unsent_bytes] {
            unsent_bytes.counter(is_refusal).fetch_sub(bytes, Relaxed);
        }
    }
}

/// Counts the bytes if they fit and returns true. A single answer may exceed the limit.
fn take(counter: &AtomicUsize, bytes: usize, max: usize) -> bool {
    let fits = |held: usize| (held == 0 || held + bytes <= max).then_some(held + bytes);
    counter.fetch_update(Relaxed, Relaxed, fits).is_ok()
}

impl Activity {
    /// Ends streams without progress for `wait`; returns when the next is due. Fails if the connection must end.
    pub(super) fn give_up(&mut self, now: Instant, wait: Duration) -> Result<Option<Instant>, Expiry> {
        let mut next: Option<Instant> = None;
        for unsent in &mut self.unsent {
            if unsent.since + wait <= now {
                unsent.stream.upgrade().ok_or(Expiry::NotTaken)?.notify_one();
                // The bytes are released with the stream.
                unsent.since = now;
            }
            let due = unsent.since + wait;
            next = Some(next.map_or(due, |next| next.min(due)));
        }
        Ok(next)
    }
}

impl Connection {
    /// Opens a slot for a stream, if necessary in place of stalled answers, whose streams end soon. Returns `None` if
    /// there are none or memory is short.
    fn open_stream(self: &Arc<Self>) -> Option<StreamSlot> {
        let (guard, limits) = (&self.guard, &self.guard.limits);
        let is_full = |counter: &AtomicUsize, max: usize| counter.load(Relaxed) >= max;
        let of_client = |connection: &Self| Arc::ptr_eq(&connection.client, &self.client);
        if guard.refuses() {
            return None;
        }
        // Room for this many answers, which have at least a head each.
        let bytes = (limits.streams_per_client_max / ROOM_PART).max(1) * ANSWER_BYTES;
        let own_room = || self.client.sought.is_due() && guard.make_room(bytes, false, of_client) > 0;
        if !self.is_of_proxy && is_full(&self.client.streams, limits.streams_per_client_max) && !own_room() {
            return None;
        }
        let room_of_all = || guard.sought.is_due() && guard.make_room(bytes, false, |_| true) > 0;
        if is_full(&guard.streams, limits.streams_max) && !room_of_all() {
            return None;
        }
        self.client.streams.fetch_add(1, Relaxed);
        guard.streams.fetch_add(1, Relaxed);
        Some(StreamSlot(Arc::clone(self)))
    }

    /// Gives up an answer at once; returns the bytes freed.
    fn cut(&self, id: u64) -> usize {
        let mut activity = self.activity.lock();
        let Some(unsent) = activity.unsent.iter_mut().find(|unsent| unsent.id == id) else { return 0 };
        let bytes = std::mem::take(&mut unsent.bytes);
        self.guard.release(&self.client, bytes, unsent.is_refusal);
        unsent.stream.upgrade().as_deref().unwrap_or(&self.evicted).notify_one();
        bytes
    }
}

impl Progress {
    fn of(connection: &Arc<Connection>) -> Self {
        Self { connection: Arc::clone(connection), stream: own_stream() }
    }

    fn made(&self) {
        let mut activity = self.connection.activity.lock();
        let now = Instant::now();
        activity.used = now;
        for unsent in activity.unsent.iter_mut().filter(|unsent| unsent.stream.ptr_eq(&self.stream)) {
            unsent.since = now;
        }
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut activity = self.connection.activity.lock();
        activity.used = Instant::now();
        if let Some(place) = activity.unsent.iter().position(|unsent| unsent.id == self.id) {
            let UnsentAnswer { bytes, is_refusal, .. } = activity.unsent.remove(place);
            self.connection.guard.release(&self.connection.client, bytes, is_refusal);
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty()
            && let Some(events) = &mut self.events
        {
            let Some(event) = ready!(events.poll(context)) else { return Poll::Ready(None) };
            self.rest = event;
        }
        if let Some(progress) = &self.progress {
            progress.made();
        }
        let piece_bytes = match self.rest.len() {
            0 => return Poll::Ready(None),
            // The last of several pieces is one byte. HTTP/2 requests it only once everything before it fits into the
            // client's window; until then the stream's task lives and can be ended. That of events lives until their end.
            left @ 2..=PIECE_BYTES if self.progress.is_some() && self.events.is_none() => left - 1,
            left => left.min(PIECE_BYTES),
        };
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece_bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.events.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.events {
            None => SizeHint::with_exact(self.rest.len() as u64),
            Some(_) => SizeHint::default(),
        }
    }
}
