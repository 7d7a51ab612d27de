//! Streams of events (`text/event-stream`, WHATWG HTML 9.2) on their way from who makes them to the connection.
//!
//! Invariant: an event that waits to be sent is counted by its connection, and a stream without room ends. Nobody waits
//! for a client that does not read.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub(crate) const MEDIA_TYPE: &str = "text/event-stream";

/// A comment, which keeps the connection open.
pub(super) const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// What a stream needs of the connection that it is sent on.
pub(super) trait StreamHost: Send + Sync {
    /// Counts an event until it is sent or dropped; of one that `is_shared`, only what it takes beside its bytes. Returns
    /// `None` without room.
    fn count(&self, event: Bytes, is_shared: bool) -> Option<Bytes>;

    /// Counts the event that ends a stream, for which there is room beside that of others. Returns `None` without room.
    fn count_last(&self, event: Bytes) -> Option<Bytes>;

    /// Does work on behalf of the client; the connection is not idle meanwhile.
    fn run(self: Arc<Self>, work: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        work
    }
}

/// The host of streams that are read by this process itself.
pub(super) struct OwnProcess;

impl StreamHost for OwnProcess {
    fn count(&self, event: Bytes, _: bool) -> Option<Bytes> {
        Some(event)
    }

    fn count_last(&self, event: Bytes) -> Option<Bytes> {
        Some(event)
    }
}

/// Reason why an event was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotSent {
    /// The client is gone.
    Closed,
    /// Too much waits to be sent to it.
    NoRoom,
}

/// The end of a stream that events are put into.
pub(super) struct EventSender {
    host: Arc<dyn StreamHost>,
    events: UnboundedSender<Bytes>,
    waiting: Arc<AtomicUsize>,
}

/// The end of a stream that the connection takes events from.
#[derive(Debug)]
pub(crate) struct EventReceiver {
    events: UnboundedReceiver<Bytes>,
    waiting: Arc<AtomicUsize>,
}

/// Opens a stream on a connection.
pub(super) fn open(host: Arc<dyn StreamHost>) -> (EventSender, EventReceiver) {
    let (sender, receiver) = unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let sender = EventSender { host, events: sender, waiting: Arc::clone(&waiting) };
    (sender, EventReceiver { events: receiver, waiting })
}

impl EventSender {
    /// Sends an event; its memory `is_shared` if other clients get the same.
    ///
    /// # Errors
    /// The client is gone, or too much waits to be sent.
    pub(super) fn send(&self, event: Bytes, is_shared: bool) -> Result<(), NotSent> {
        if self.events.is_closed() {
            return Err(NotSent::Closed);
        }
        let counted = self.host.count(event, is_shared).ok_or(NotSent::NoRoom)?;
        self.waiting.fetch_add(1, Relaxed);
        self.events.send(counted).map_err(|_| NotSent::Closed)
    }

    /// Sends a small event that says why the stream ends. A client that is gone, or that leaves no room even for that, sees
    /// the end alone.
    pub(super) fn send_last(&self, event: Bytes) {
        if let Some(counted) = self.host.count_last(event) {
            self.waiting.fetch_add(1, Relaxed);
            drop(self.events.send(counted));
        }
    }

    /// Number of events that the connection has not taken.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    /// Completes when the client is gone.
    pub(super) async fn closed(&self) {
        self.events.closed().await;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.events.is_closed()
    }
}

impl EventReceiver {
    /// A stream without events.
    pub(super) fn ended() -> Self {
        let (_, events) = unbounded_channel();
        Self { events, waiting: Arc::default() }
    }

    /// Returns the next event; `None` once the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Takes the next event; `None` once the stream has ended.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let taken = self.events.poll_recv(context);
        if let Poll::Ready(Some(_)) = taken {
            self.waiting.fetch_sub(1, Relaxed);
        }
        taken
    }
}

/// Writes an event whose data is one line.
pub(super) fn event(name: &str, id: Option<&str>, data: &[u8]) -> Bytes {
    let mut text = Vec::with_capacity(data.len() + 64);
    text.extend_from_slice(b"event: ");
    text.extend_from_slice(name.as_bytes());
    if let Some(id) = id {
        text.extend_from_slice(b"\nid: ");
        text.extend_from_slice(id.as_bytes());
    }
    text.extend_from_slice(b"\ndata: ");
    text.extend_from_slice(data);
    text.extend_from_slice(b"\n\n");
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host with room for one event.
    struct OneEvent;

    impl StreamHost for OneEvent {
        fn count(&self, event: Bytes, _: bool) -> Option<Bytes> {
            (event != "second").then_some(event)
        }

        fn count_last(&self, event: Bytes) -> Option<Bytes> {
            Some(event)
        }
    }

    #[test]
    fn an_event_has_a_name_an_id_and_a_line_of_data() {
        assert_eq!(event("job", None, b"{}"), "event: job\ndata: {}\n\n");
        assert_eq!(event("change", Some("a-1"), b"[1]"), "event: change\nid: a-1\ndata: [1]\n\n");
    }

    #[tokio::test]
    async fn events_are_taken_in_order_and_an_event_without_room_is_not_sent() {
        let (sender, mut receiver) = open(Arc::new(OneEvent));
        assert_eq!(sender.send("first".into(), false), Ok(()));
        assert_eq!(sender.send("second".into(), false), Err(NotSent::NoRoom));
        assert_eq!(sender.waiting(), 1);
        assert_eq!(receiver.next().await.unwrap(), "first");
        assert_eq!(sender.waiting(), 0);
        drop(receiver);
        assert_eq!(sender.send("third".into(), false), Err(NotSent::Closed));
        sender.closed().await;
    }
}
