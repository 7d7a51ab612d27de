//! The body of a response, on its way from the handler to the guard that counts it.

use bytes::Bytes;

use crate::http::event_stream::EventReceiver;

/// Body of a response.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(super) bytes: Bytes,
    /// True if all clients share this memory.
    pub(super) is_shared: bool,
    /// Set if the body is a stream of events.
    pub(super) events: Option<EventReceiver>,
}

impl Content {
    /// A body whose memory all clients share if `is_shared`.
    pub(super) fn of(bytes: Bytes, is_shared: bool) -> Self {
        Self { bytes, is_shared, events: None }
    }

    /// A stream of events.
    pub(super) fn stream(events: EventReceiver) -> Self {
        Self { events: Some(events), ..Self::default() }
    }
}

impl<B: Into<Bytes>> From<B> for Content {
    fn from(bytes: B) -> Self {
        Self::of(bytes.into(), false)
    }
}
