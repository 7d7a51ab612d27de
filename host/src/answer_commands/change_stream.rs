//! The stream by which a gateway says that an account's portfolio changed.
//!
//! Invariant: only the names of events are read. What changed is requested as any answer.

use std::collections::VecDeque;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use crate::http::event_stream::EventReceiver;

/// Bytes of an event's first line; the rest of the event is skipped.
const LINE_BYTES_MAX: usize = 256;
const EVENT: &[u8] = b"event: ";
/// Events after which an answer is another one.
const CHANGES: [&[u8]; 2] = [b"answer", b"change"];

/// An open stream.
#[derive(Debug)]
pub(super) struct ChangeStream {
    source: ChangeSource,
    lines: LineReader,
    /// Set once the first event was seen, which has what is known already.
    has_begun: bool,
}

/// Who sends the events.
#[derive(Debug)]
pub(super) enum ChangeSource {
    Remote(Incoming),
    Own(EventReceiver),
}

impl ChangeStream {
    pub(super) fn new(source: ChangeSource) -> Self {
        Self { source, lines: LineReader::default(), has_begun: false }
    }

    /// Waits for a change; returns false once the stream has ended.
    pub(super) async fn changed(&mut self) -> bool {
        loop {
            while let Some(event) = self.lines.next_event() {
                let is_change = CHANGES.contains(&event.as_slice());
                if is_change && std::mem::replace(&mut self.has_begun, true) {
                    return true;
                }
            }
            let bytes = match &mut self.source {
                ChangeSource::Own(events) => events.next().await,
                ChangeSource::Remote(body) => match body.frame().await {
                    Some(Ok(frame)) => Some(frame.into_data().unwrap_or_default()),
                    Some(Err(_)) | None => None,
                },
            };
            let Some(bytes) = bytes else { return false };
            self.lines.take(&bytes);
        }
    }
}

/// Finds the names of events in the bytes of a stream.
#[derive(Debug, Default)]
struct LineReader {
    /// The beginning of the current line.
    line: Vec<u8>,
    events: VecDeque<Vec<u8>>,
}

impl LineReader {
    fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if *byte == b'\n' {
                self.events.extend(self.line.strip_prefix(EVENT).map(<[u8]>::to_vec));
                self.line.clear();
            } else if self.line.len() < LINE_BYTES_MAX {
                self.line.push(*byte);
            }
        }
    }

    fn next_event(&mut self) -> Option<Vec<u8>> {
        self.events.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_events_are_found_however_their_bytes_come() {
        let text =
            format!(":\n\nevent: answer\nid: a-1\ndata: {}\n\nevent: blocks\ndata: event: x\n\n", "x".repeat(5_000));
        for step in [1, 7, 6_000] {
            let mut lines = LineReader::default();
            text.as_bytes().chunks(step).for_each(|part| lines.take(part));
            let found: Vec<_> = std::iter::from_fn(|| lines.next_event()).collect();
            assert_eq!(found, [b"answer".to_vec(), b"blocks".to_vec()], "{step}");
        }
    }
}
