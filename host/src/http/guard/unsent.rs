//! Answers until their clients have taken them: their bytes, counted by client and in all, and what becomes of an answer
//! of which nothing is taken.
//!
//! In HTTP/2 such an answer is a stream, which ends alone; in HTTP/1.1 it is the connection. Invariant: whatever waits to
//! be sent is counted, refusals too, and no client has more streams than its share, whatever they wait for.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use hyper::body::{Body, Frame, SizeHint};
use hyper::rt::Executor;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{Activity, Client, Connection, Expiry, Guard, NoRoom, in_turn};

/// What an answer that is not taken yet holds beside its body: its head, and the state of its stream.
const ANSWER_BYTES: usize = 2048;

/// Refusals may use an eighth more than answers, so that a client learns why it gets none.
const REFUSALS_SHARE: usize = 8;

/// An answer of which nothing was taken for this long may go if others need its place. On lossy networks a packet
/// takes half of that.
const STALLED: Duration = Duration::from_secs(1);

/// Stalled answers are sought no more often for the streams of a client, or of all: each time takes a look at every
/// connection, and clients can open tens of thousands of streams in a second.
const SEEK_EVERY: Duration = Duration::from_millis(50);
/// The part of a client's streams for which room is made at a time.
const ROOM_PART: usize = 32;

/// A body leaves in pieces of one frame of HTTP/2, so that it is seen whether its client takes any.
const PIECE_BYTES: usize = 16 * 1024;

tokio::task_local! {
    /// The stream of HTTP/2 whose task this is.
    static STREAM: Stream;
}

/// A stream of HTTP/2, as the guard sees it.
#[derive(Clone, Debug)]
enum Stream {
    /// What ends it.
    Open(Arc<Notify>),
    /// One too many.
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

/// Whether the request that is being answered is of a stream that is one too many. Such a stream is answered at its first
/// poll or not at all.
pub(in crate::http) fn is_of_refused_stream() -> bool {
    STREAM.try_with(|stream| matches!(stream, Stream::Refused)).unwrap_or(false)
}

/// When stalled answers were last sought for streams.
#[derive(Debug, Default)]
pub(super) struct LastSought(Mutex<Option<Instant>>);

impl LastSought {
    /// Whether it is time to seek some again; then the next time is later.
    fn is_due(&self) -> bool {
        let (mut last, now) = (self.0.lock(), Instant::now());
        let is_due = last.is_none_or(|last| now.saturating_duration_since(last) >= SEEK_EVERY);
        if is_due {
            *last = Some(now);
        }
        is_due
    }
}

/// The right to have a stream open; ends with it.
#[derive(Debug)]
struct StreamSlot(Arc<Connection>);

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.0.client.streams.fetch_sub(1, Relaxed);
        self.0.guard.streams.fetch_sub(1, Relaxed);
    }
}

/// An answer that is not taken yet.
#[derive(Debug)]
pub(super) struct Unsent {
    /// Distinguishes it from others of its connection.
    id: u64,
    /// None once it is given up.
    bytes: usize,
    /// Since when nothing of it was taken.
    since: Instant,
    /// What ends its stream, as long as there is a task for it.
    stream: Weak<Notify>,
}

/// What of an answer is in memory for it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    Head,
    HeadAndBody,
    /// With its body, and from the room of refusals.
    Refusal,
}

/// The body of an answer, in pieces.
#[derive(Debug, Default)]
pub(in crate::http) struct AnswerBody {
    rest: Bytes,
    /// Only a body of several pieces has it.
    progress: Option<Progress>,
}

/// Where the progress of an answer is written down.
#[derive(Debug)]
struct Progress {
    connection: Arc<Connection>,
    id: u64,
}

/// The bytes of an answer until they are sent, or thrown away with their stream.
struct Counted {
    body: Bytes,
    connection: Arc<Connection>,
    id: u64,
}

/// Runs the streams of an HTTP/2 connection, each until it ends or is given up.
#[derive(Clone, Debug)]
pub(in crate::http) struct Streams(pub(in crate::http) Arc<Connection>);

impl<F> Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        // Once, as the futures around it hold it by value, some of them twice.
        let task = Box::pin(task);
        let Some(slot) = self.0.open_stream() else {
            // Its answer has no body, so that it is whole after one poll.
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

pub(super) fn send(connection: &Arc<Connection>, body: Bytes, own: Own) -> Result<AnswerBody, NoRoom> {
    if body.is_empty() {
        return Ok(AnswerBody::default());
    }
    let bytes = ANSWER_BYTES + if own == Own::Head { 0 } else { body.len() };
    connection.guard.reserve(&connection.client, bytes, own == Own::Refusal)?;
    let stream = STREAM.try_with(Stream::end).unwrap_or_default();
    let mut activity = connection.activity.lock();
    let id = activity.next_unsent;
    activity.next_unsent += 1;
    activity.unsent.push(Unsent { id, bytes, since: Instant::now(), stream });
    drop(activity);
    let progress = (body.len() > PIECE_BYTES).then(|| Progress { connection: Arc::clone(connection), id });
    let counted = Counted { body, connection: Arc::clone(connection), id };
    Ok(AnswerBody { rest: Bytes::from_owner(counted), progress })
}

impl Guard {
    /// Counts bytes that wait to be sent. Where there is no room, answers go of which nothing is taken.
    fn reserve(&self, client: &Arc<Client>, bytes: usize, is_refusal: bool) -> Result<(), NoRoom> {
        let slack = |max: usize| if is_refusal { max + max / REFUSALS_SHARE } else { max };
        let (client_max, max) = (slack(self.client_unsent_bytes_max()), slack(self.limits.unsent_bytes_max));
        let of_client = |connection: &Connection| Arc::ptr_eq(&connection.client, client);
        if !is_refusal && self.refuses() {
            return Err(NoRoom);
        }
        if !take(&client.unsent_bytes, bytes, client_max) {
            self.make_room(bytes, of_client);
            take(&client.unsent_bytes, bytes, client_max).then_some(()).ok_or(NoRoom)?;
        }
        if !take(&self.unsent_bytes, bytes, max) {
            self.make_room(bytes, |_| true);
            if !take(&self.unsent_bytes, bytes, max) {
                client.unsent_bytes.fetch_sub(bytes, Relaxed);
                return Err(NoRoom);
            }
        }
        Ok(())
    }

    /// Gives up stalled answers, those first that have stalled for longest, and returns the bytes that this freed.
    fn make_room(&self, bytes: usize, is_candidate: impl Fn(&Connection) -> bool) -> usize {
        let open = self.open.lock();
        let mut stalled = Vec::new();
        for connection in open.by_id.values().filter(|connection| is_candidate(connection)) {
            let activity = connection.activity.lock();
            let of_connection = activity.unsent.iter().filter(|unsent| unsent.since.elapsed() > STALLED);
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

    fn release(&self, client: &Client, bytes: usize) {
        client.unsent_bytes.fetch_sub(bytes, Relaxed);
        self.unsent_bytes.fetch_sub(bytes, Relaxed);
    }
}

/// One answer alone may be larger than all that may wait.
fn take(counter: &AtomicUsize, bytes: usize, max: usize) -> bool {
    let fits = |held: usize| (held == 0 || held + bytes <= max).then_some(held + bytes);
    counter.fetch_update(Relaxed, Relaxed, fits).is_ok()
}

impl Activity {
    /// Ends the streams of which nothing was taken for `wait`; the time when the next one is due. An error where what must
    /// end is the connection.
    pub(super) fn give_up(&mut self, now: Instant, wait: Duration) -> Result<Option<Instant>, Expiry> {
        let mut next: Option<Instant> = None;
        for unsent in &mut self.unsent {
            if unsent.since + wait <= now {
                unsent.stream.upgrade().ok_or(Expiry::NotTaken)?.notify_one();
                // A stream that ends takes its bytes along.
                unsent.since = now;
            }
            let due = unsent.since + wait;
            next = Some(next.map_or(due, |next| next.min(due)));
        }
        Ok(next)
    }
}

impl Connection {
    /// A slot for a new stream, or for one in the place of a stalled answer, whose stream ends soon; `None` where there is
    /// neither.
    fn open_stream(self: &Arc<Self>) -> Option<StreamSlot> {
        let (guard, limits) = (&self.guard, &self.guard.limits);
        let is_full = |counter: &AtomicUsize, max: usize| counter.load(Relaxed) >= max;
        let of_client = |connection: &Self| Arc::ptr_eq(&connection.client, &self.client);
        if guard.refuses() {
            return None;
        }
        // Of so many answers, each with its head at least.
        let bytes = (limits.streams_per_client_max / ROOM_PART).max(1) * ANSWER_BYTES;
        let own_room = || self.client.sought.is_due() && guard.make_room(bytes, of_client) > 0;
        if is_full(&self.client.streams, limits.streams_per_client_max) && !own_room() {
            return None;
        }
        let room_of_all = || guard.sought.is_due() && guard.make_room(bytes, |_| true) > 0;
        if is_full(&guard.streams, limits.streams_max) && !room_of_all() {
            return None;
        }
        self.client.streams.fetch_add(1, Relaxed);
        guard.streams.fetch_add(1, Relaxed);
        Some(StreamSlot(Arc::clone(self)))
    }

    /// Gives an answer up at once; its bytes.
    fn cut(&self, id: u64) -> usize {
        let mut activity = self.activity.lock();
        let Some(unsent) = activity.unsent.iter_mut().find(|unsent| unsent.id == id) else { return 0 };
        let bytes = std::mem::take(&mut unsent.bytes);
        self.guard.release(&self.client, bytes);
        unsent.stream.upgrade().as_deref().unwrap_or(&self.evicted).notify_one();
        bytes
    }
}

impl Progress {
    fn made(&self) {
        let mut activity = self.connection.activity.lock();
        let now = Instant::now();
        activity.used = now;
        if let Some(unsent) = activity.unsent.iter_mut().find(|unsent| unsent.id == self.id) {
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
            let Unsent { bytes, .. } = activity.unsent.remove(place);
            self.connection.guard.release(&self.connection.client, bytes);
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(progress) = &self.progress {
            progress.made();
        }
        let piece_bytes = match self.rest.len() {
            0 => return Poll::Ready(None),
            // The last piece of several is one byte: HTTP/2 asks for it once everything before it fits into what the
            // client takes, and until then the task of the stream lives and can be ended.
            left @ 2..=PIECE_BYTES if self.progress.is_some() => left - 1,
            left => left.min(PIECE_BYTES),
        };
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece_bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
