//! Fuzz target of the messages between the host and a worker.

use super::message::{self, BODY_BYTES_MAX, HEAD_BYTES, Head};

/// Reads any bytes as a message of each side. What is read must be written again as the same bytes.
pub fn worker_message(bytes: &[u8]) {
    let Some((head, body)) = bytes.split_first_chunk::<HEAD_BYTES>() else { return };
    let Ok(parsed) = Head::parse(*head, BODY_BYTES_MAX) else { return };
    if parsed.len == body.len() {
        let written = message::message(parsed.kind, parsed.id, &[body]);
        assert_eq!(written.ok().as_deref(), Some(bytes));
    }
    if let Ok((instance, start, frame)) = message::parse_begin(body) {
        let written = [&message::begin(instance, start)[..], start, frame].concat();
        assert_eq!(written, body);
    }
    if let Ok(outcome) = message::parse_outcome(parsed.kind, body.to_vec()) {
        let (kind, written) = message::outcome(outcome.clone());
        assert_eq!(kind, parsed.kind);
        assert_eq!(message::parse_outcome(kind, written), Ok(outcome));
    }
}
