//! The messages between the host and a worker: a head of 16 bytes, then a body.
//!
//! A worker answers requests in the order in which they come, each before it takes the next, so that whatever happens
//! before a reply happened by its request.

use std::io;

use bytes::{Buf, BufMut, BytesMut};
use portolan_abi::codec;
use portolan_abi::map::SettingsError;
use tokio_util::codec::Decoder;

use crate::load::cells::ANSWER_BYTES_MAX;
use crate::load::run_failure::RunFailure;

/// Length of the body (`u32`), kind (`u8`), three zero bytes, id (`u64`); little-endian.
pub(super) const HEAD_BYTES: usize = 16;
/// Maximum bytes of a body: a frame of replies with its start. An answer has [`ANSWER_BYTES_MAX`] at most.
pub(super) const BODY_BYTES_MAX: usize = 2 * ANSWER_BYTES_MAX;
/// Bytes of messages that are read at once.
pub(super) const READ_BYTES: usize = 64 << 10;

/// Kinds of requests. The id names the instance or the job, as the host numbers them.
pub(super) mod request {
    /// Restrict this process. Body: JSON [`super::super::sandbox::Restrictions`]; reply: JSON `SandboxStatus`.
    pub(in super::super) const RESTRICT: u8 = 1;
    /// Load the dylib. Body: the manifest that it must have, as JSON; reply: empty.
    pub(in super::super) const OPEN: u8 = 2;
    /// Run the plugin's self-test and configure it with the settings it ships with. Both bodies are empty.
    pub(in super::super) const PROBE: u8 = 3;
    /// Body: CBOR `Settings`; reply: CBOR `Catalogue`.
    pub(in super::super) const CONFIGURE: u8 = 4;
    /// Body: [`super::begin`]; reply: a frame.
    pub(in super::super) const BEGIN: u8 = 5;
    /// Body: a frame; reply: a frame. A job ends with its last frame.
    pub(in super::super) const RESUME: u8 = 6;
    /// Both bodies are empty.
    pub(in super::super) const DROP_JOB: u8 = 7;
    /// Both bodies are empty.
    pub(in super::super) const DROP_INSTANCE: u8 = 8;
}

/// Kinds of replies. The id is that of the request.
pub(super) mod reply {
    pub(in super::super) const DONE: u8 = 129;
    /// Body: CBOR `SettingsError`.
    pub(in super::super) const SETTINGS: u8 = 130;
    /// Body: the plugin's reason, in UTF-8.
    pub(in super::super) const START: u8 = 131;
    /// Body: what was wrong, in UTF-8.
    pub(in super::super) const FAULT: u8 = 132;
}

/// Head of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: u8,
    pub(super) id: u64,
    pub(super) len: usize,
}

/// Reason why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MessageError {
    #[error("a message of {len} bytes, at most {max} are taken")]
    TooLong { len: usize, max: usize },
    #[error("a message of a kind that nobody waits for")]
    Kind,
    #[error("a message that is cut short")]
    Cut,
}

impl Head {
    /// Takes a head whose body has at most so many bytes.
    pub(super) fn parse(bytes: [u8; HEAD_BYTES], max: usize) -> Result<Self, MessageError> {
        let [l0, l1, l2, l3, kind, p0, p1, p2, id @ ..] = bytes;
        let len = usize::try_from(u32::from_le_bytes([l0, l1, l2, l3])).unwrap_or(usize::MAX);
        if len > max {
            return Err(MessageError::TooLong { len, max });
        }
        if [p0, p1, p2] != [0; 3] {
            return Err(MessageError::Kind);
        }
        Ok(Self { kind, id: u64::from_le_bytes(id), len })
    }
}

/// A message that was read.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
}

/// Reads messages, up to the first that is none. Room is made as bytes come, whatever a head says.
#[derive(Debug)]
pub(super) struct MessageDecoder {
    pub(super) body_bytes_max: usize,
}

impl Decoder for MessageDecoder {
    type Item = Result<Message, MessageError>;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        let Some(head) = bytes.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let head = match Head::parse(*head, self.body_bytes_max) {
            Ok(head) => head,
            Err(error) => return Ok(Some(Err(error))),
        };
        let Some(body) = bytes.get(HEAD_BYTES..).and_then(|rest| rest.get(..head.len)) else { return Ok(None) };
        let body = body.to_vec();
        bytes.advance(HEAD_BYTES + head.len);
        if head.len > READ_BYTES {
            // A long message does not keep its room.
            *bytes = BytesMut::from(&bytes[..]);
        }
        Ok(Some(Ok(Message { head, body })))
    }
}

/// Appends a message of a head and the parts of its body; nothing if it is too long.
pub(super) fn put(bytes: &mut impl BufMut, kind: u8, id: u64, parts: &[&[u8]]) -> Result<(), MessageError> {
    let len = parts.iter().map(|part| part.len()).sum();
    let max = BODY_BYTES_MAX;
    let short = u32::try_from(len).ok().filter(|_| len <= max).ok_or(MessageError::TooLong { len, max })?;
    bytes.put_u32_le(short);
    bytes.put_slice(&[kind, 0, 0, 0]);
    bytes.put_u64_le(id);
    parts.iter().for_each(|part| bytes.put_slice(part));
    Ok(())
}

/// Returns a message of a head and the parts of its body.
pub(super) fn message(kind: u8, id: u64, parts: &[&[u8]]) -> Result<Vec<u8>, MessageError> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + parts.iter().map(|part| part.len()).sum::<usize>());
    put(&mut bytes, kind, id, parts)?;
    Ok(bytes)
}

/// The head of the body of [`request::BEGIN`]: the instance, and the length of the start that comes before the frame.
pub(super) fn begin(instance: u64, start: &[u8]) -> [u8; 12] {
    let mut head = [0; 12];
    let len = u32::try_from(start.len()).unwrap_or(u32::MAX);
    head[..8].copy_from_slice(&instance.to_le_bytes());
    head[8..].copy_from_slice(&len.to_le_bytes());
    head
}

/// Returns the instance, the start and the frame of [`request::BEGIN`].
pub(super) fn parse_begin(body: &[u8]) -> Result<(u64, &[u8], &[u8]), MessageError> {
    let (instance, rest) = body.split_first_chunk().ok_or(MessageError::Cut)?;
    let (len, rest) = rest.split_first_chunk().ok_or(MessageError::Cut)?;
    let len = usize::try_from(u32::from_le_bytes(*len)).unwrap_or(usize::MAX);
    let (start, frame) = rest.split_at_checked(len).ok_or(MessageError::Cut)?;
    Ok((u64::from_le_bytes(*instance), start, frame))
}

/// Returns the kind and body of the reply that reports an outcome.
pub(super) fn outcome(outcome: Result<Vec<u8>, RunFailure>) -> (u8, Vec<u8>) {
    match outcome {
        Ok(body) => (reply::DONE, body),
        Err(RunFailure::Settings(error)) => (reply::SETTINGS, codec::encode(&error)),
        Err(RunFailure::Start(message)) => (reply::START, message.into_bytes()),
        Err(failure) => (reply::FAULT, failure.to_string().into_bytes()),
    }
}

/// Reads the outcome that a reply reports.
pub(super) fn parse_outcome(kind: u8, body: Vec<u8>) -> Result<Result<Vec<u8>, RunFailure>, MessageError> {
    let text = |body: &[u8]| String::from_utf8_lossy(body).into_owned();
    match kind {
        reply::DONE => Ok(Ok(body)),
        reply::SETTINGS => {
            let error = codec::decode::<SettingsError>(&body).map_err(|_| MessageError::Cut)?;
            Ok(Err(RunFailure::Settings(error)))
        }
        reply::START => Ok(Err(RunFailure::Start(text(&body)))),
        reply::FAULT => Ok(Err(RunFailure::Fault(text(&body)))),
        _ => Err(MessageError::Kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let bytes = message(request::BEGIN, 7, &[&begin(3, b"ab"), b"ab", b"frame"]).unwrap();
        let (head, body) = bytes.split_first_chunk().unwrap();
        assert_eq!(Head::parse(*head, body.len()), Ok(Head { kind: request::BEGIN, id: 7, len: body.len() }));
        assert_eq!(parse_begin(body), Ok((3, &b"ab"[..], &b"frame"[..])));
    }

    #[test]
    fn a_head_that_lies_is_refused() {
        let mut head: [u8; HEAD_BYTES] = message(reply::DONE, 0, &[]).unwrap().try_into().unwrap();
        head[6] = 1;
        assert_eq!(Head::parse(head, 0), Err(MessageError::Kind));
        head[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        let len = usize::try_from(u32::MAX).unwrap();
        assert_eq!(Head::parse(head, 5), Err(MessageError::TooLong { len, max: 5 }));
    }

    #[test]
    fn a_start_longer_than_its_message_is_cut() {
        let long = begin(3, &[0; 9]);
        assert_eq!(parse_begin(&[&long[..], b"short"].concat()), Err(MessageError::Cut));
        assert_eq!(parse_begin(&long[..11]), Err(MessageError::Cut));
    }

    #[test]
    fn each_outcome_is_told_as_it_was() {
        let outcomes = [
            Ok(b"frame".to_vec()),
            Err(RunFailure::Settings(SettingsError { message: "no".into(), ..SettingsError::default() })),
            Err(RunFailure::Start("another question".into())),
            Err(RunFailure::Fault("resume answered no bytes".into())),
        ];
        for told in outcomes {
            let (kind, body) = outcome(told.clone());
            assert_eq!(parse_outcome(kind, body), Ok(told));
        }
        assert_eq!(parse_outcome(request::OPEN, Vec::new()), Err(MessageError::Kind));
    }
}
