//! Problem documents for malformed requests. hyper answers a request whose head it cannot parse with a bare status, and
//! has no hook for that answer (`Http1Transaction::on_error`), so this stream replaces it on its way to the client.
//!
//! Invariant: no other answer is touched. hyper writes its own in one piece, as a 4xx head without content and without
//! the `x-request-id` that every answer of a service has. It then closes the connection.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use hyper::{Response, StatusCode};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::http::content::Content;
use crate::http::request_id::REQUEST_ID;

/// Content header of hyper's own answers.
const NO_CONTENT: &str = "content-length: 0\r\n";

/// The client's stream. After a malformed request it is read for a while longer, so that the client sees the answer and
/// not a connection reset.
pub(in crate::http) struct MalformedRequestStream<S, A> {
    stream: S,
    /// Makes the answer for a status.
    answer: A,
    /// Unsent bytes of an answer that replaces hyper's.
    unsent: Bytes,
    /// Set once such an answer is made.
    reading: Option<ReadingOn>,
    reading_max: (Duration, usize),
}

/// Bounds on what is still read and discarded.
struct ReadingOn {
    until: Pin<Box<Sleep>>,
    room_bytes: usize,
}

impl<S, A> MalformedRequestStream<S, A>
where
    S: AsyncRead + AsyncWrite + Unpin,
    A: FnMut(StatusCode) -> Response<Content> + Unpin,
{
    pub(in crate::http) fn answered_by(answer: A, stream: S, reading_max: (Duration, usize)) -> Self {
        Self { stream, answer, unsent: Bytes::new(), reading: None, reading_max }
    }

    /// Takes over what hyper wrote if it is an answer of its own; returns the number of bytes taken.
    fn take(&mut self, written: &[u8]) -> Option<usize> {
        let own = OwnAnswer::read(written)?;
        self.unsent = own.with((self.answer)(own.status));
        let (time, room_bytes) = self.reading_max;
        self.reading = Some(ReadingOn { until: Box::pin(sleep(time)), room_bytes });
        Some(written.len())
    }

    fn poll_unsent(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.unsent))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unsent.advance(sent);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads and discards what the client still sends. Errors are ignored, because the answer is already sent.
    fn poll_reading(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(reading) = &mut self.reading else { return Poll::Ready(()) };
        let mut chunk = [0; 4096];
        while reading.room_bytes > 0 && reading.until.as_mut().poll(cx).is_pending() {
            let mut chunk = ReadBuf::new(&mut chunk);
            if ready!(Pin::new(&mut self.stream).poll_read(cx, &mut chunk)).is_err() || chunk.filled().is_empty() {
                break;
            }
            reading.room_bytes = reading.room_bytes.saturating_sub(chunk.filled().len());
        }
        Poll::Ready(())
    }
}

/// An answer made by hyper.
#[derive(Debug, PartialEq, Eq)]
struct OwnAnswer<'a> {
    status: StatusCode,
    /// The head up to its content header; `after` is the rest.
    before: &'a str,
    after: &'a str,
}

impl<'a> OwnAnswer<'a> {
    fn read(written: &'a [u8]) -> Option<Self> {
        if !(written.starts_with(b"HTTP/1.") && written.get(9) == Some(&b'4') && written.ends_with(b"\r\n\r\n")) {
            return None;
        }
        let head = str::from_utf8(written).ok().filter(|head| !head.contains(REQUEST_ID.as_str()))?;
        let status = StatusCode::from_bytes(head.get(9..12)?.as_bytes()).ok()?;
        let (before, after) = head.split_once(NO_CONTENT)?;
        Some(Self { status, before, after })
    }

    /// Returns this head with the headers and the content of `response`.
    fn with(&self, response: Response<Content>) -> Bytes {
        let (head, content) = response.into_parts();
        let mut bytes = self.before.as_bytes().to_vec();
        for (name, value) in &head.headers {
            bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        bytes.extend_from_slice(self.after.as_bytes());
        bytes.extend_from_slice(&content.bytes);
        bytes.into()
    }
}

impl<S: AsyncRead + Unpin, A: Unpin> AsyncRead for MalformedRequestStream<S, A> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S, A> AsyncWrite for MalformedRequestStream<S, A>
where
    S: AsyncRead + AsyncWrite + Unpin,
    A: FnMut(StatusCode) -> Response<Content> + Unpin,
{
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.take(buf) {
            Some(taken) => Poll::Ready(Ok(taken)),
            None => Pin::new(&mut self.stream).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let taken = if let [only] = bufs { self.take(only) } else { None };
        match taken {
            Some(taken) => Poll::Ready(Ok(taken)),
            None => Pin::new(&mut self.stream).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_unsent(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_unsent(cx))?;
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        self.poll_reading(cx).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n";

    #[test]
    fn only_an_answer_of_hypers_own_is_taken() {
        let own = OwnAnswer::read(OWN.as_bytes()).unwrap();
        assert_eq!((own.status, own.after), (StatusCode::BAD_REQUEST, "date: x\r\n\r\n"));
        let of_a_service = OWN.replace("date: x", "x-request-id: 1");
        let to_head = OWN.replace("content-length: 0", "content-length: 10");
        let (fine, informal) = (OWN.replace("400", "200"), "HTTP/1.1 100 Continue\r\n\r\n".to_owned());
        for other in [of_a_service, to_head, fine, informal, OWN[1..].to_owned(), OWN[..OWN.len() - 1].to_owned()] {
            assert_eq!(OwnAnswer::read(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_document_stands_in_the_head_that_hyper_wrote() {
        let mut response = Response::new(Content::from("{}"));
        response.headers_mut().insert("content-length", 2.into());
        let sent = OwnAnswer::read(OWN.as_bytes()).unwrap().with(response);
        let expected = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 2\r\ndate: x\r\n\r\n{}";
        assert_eq!(sent, expected.as_bytes());
    }
}
