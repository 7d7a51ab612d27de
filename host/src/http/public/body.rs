//! Writes bodies of answers: large ones in the CPU pool, off the runtime's workers, and each up to its limit of bytes.
//!
//! Invariant: a body neither exceeds the answer's limit nor is written past its deadline.

use std::cell::Cell;
use std::io;

use bytes::Bytes;
use hyper::header::HeaderValue;
use tokio::time::{Instant, timeout_at};

use crate::cpu_pool::CpuPool;
use crate::gateway::GatewayResponse;
use crate::gateway::problem::Problem;
use crate::gateway::progress::EndedJob;
use crate::http::problem::unwritable;
use crate::http::public::caching;
use crate::http::view;
use crate::http::view::form::Form;
use portolan_base::client_share::ClientShare;

/// Answers with fewer rows are written in less time than it takes to pass them to another thread.
const SMALL_ROWS: usize = 64;

/// The clock is read once per this many bytes.
const CLOCK_EVERY_BYTES: u64 = 64 * 1024;

/// A body and its tag.
#[derive(Debug)]
pub(in crate::http) struct Written {
    pub(in crate::http) bytes: Bytes,
    /// `None` with `detail=full`: no two reports are equal.
    pub(in crate::http) tag: Option<HeaderValue>,
}

/// Writes one body.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) struct BodyWriter {
    pub(in crate::http) form: Form,
    /// The deadline.
    pub(in crate::http) until: Instant,
}

impl BodyWriter {
    /// Writes the body of an answer.
    ///
    /// # Errors
    /// The body is too long, late or cannot be serialized.
    pub(in crate::http) async fn write(
        self,
        cpu_pool: &CpuPool,
        client: &ClientShare,
        response: GatewayResponse,
    ) -> Result<Written, Problem> {
        let rows = response.answer.items.len();
        self.in_pool(cpu_pool, client, rows, move || {
            let (answer, bytes_max) = (&response.answer, response.answer.budget.limits.body_bytes_max);
            let bytes = self.fill(bytes_max, |sink, length| view::write(answer, self.form, sink, length))?;
            let tag = if self.form.full { None } else { caching::tag(&bytes) };
            // The rows, perhaps thousands, are freed here, before the next body is written.
            Ok(Written { bytes, tag })
        })
        .await
    }

    /// Writes the rows of a job that ended.
    ///
    /// # Errors
    /// The text is too long, late or cannot be serialized.
    pub(in crate::http) async fn write_job(
        self,
        cpu_pool: &CpuPool,
        client: &ClientShare,
        job: EndedJob,
        bytes_max: u64,
    ) -> Result<Bytes, Problem> {
        let rows = job.items.len();
        self.in_pool(cpu_pool, client, rows, move || {
            self.fill(bytes_max, |sink, _| view::write_job(&job, self.form, sink))
        })
        .await
    }

    async fn in_pool<T: Send + 'static>(
        self,
        cpu_pool: &CpuPool,
        client: &ClientShare,
        rows: usize,
        write: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        if rows < SMALL_ROWS {
            return write();
        }
        let written = timeout_at(self.until, cpu_pool.run(client, write)).await.map_err(|_| late())?;
        written.unwrap_or_else(|error| Err(unwritable(&error)))
    }

    fn fill(
        self,
        bytes_max: u64,
        write: impl FnOnce(&mut Sink<'_>, &Cell<u64>) -> Result<(), serde_json::Error>,
    ) -> Result<Bytes, Problem> {
        let length = Cell::new(0);
        let mut sink = Sink { stored: Vec::new(), length: &length, bytes_max, until: self.until, stop: None };
        let written = write(&mut sink, &length);
        match (written, sink.stop) {
            (Ok(()), _) => Ok(sink.stored.into()),
            (Err(_), Some(WriteStop::TooLong)) => Err(Problem::AnswerTooLarge { bytes_max }),
            (Err(_), Some(WriteStop::Late)) => Err(late()),
            (Err(error), None) => Err(unwritable(&error)),
        }
    }
}

fn late() -> Problem {
    Problem::Deadline("the answer could not be written in time".into())
}

/// Writer that stops at the size limit or at the deadline.
struct Sink<'a> {
    stored: Vec<u8>,
    length: &'a Cell<u64>,
    bytes_max: u64,
    until: Instant,
    stop: Option<WriteStop>,
}

/// Reason to stop writing.
#[derive(Clone, Copy, Debug)]
enum WriteStop {
    TooLong,
    Late,
}

impl Sink<'_> {
    fn stop(&mut self, stop: WriteStop) -> io::Error {
        self.stop = Some(stop);
        io::ErrorKind::Other.into()
    }
}

impl io::Write for Sink<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let before = self.length.get();
        let after = before.saturating_add(u64::try_from(part.len()).unwrap_or(u64::MAX));
        if after > self.bytes_max {
            return Err(self.stop(WriteStop::TooLong));
        }
        if before / CLOCK_EVERY_BYTES != after / CLOCK_EVERY_BYTES && Instant::now() >= self.until {
            return Err(self.stop(WriteStop::Late));
        }
        self.length.set(after);
        self.stored.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::Duration;

    use super::*;

    fn sink(length: &Cell<u64>, until: Instant) -> Sink<'_> {
        Sink { stored: Vec::new(), length, bytes_max: 200_000, until, stop: None }
    }

    #[test]
    fn a_sink_takes_its_last_byte_and_none_more() {
        let length = Cell::new(0);
        let mut sink = sink(&length, Instant::now() + Duration::from_secs(60));
        sink.write_all(&[b'a'; 199_999]).unwrap();
        sink.write_all(b"b").unwrap();
        assert!(sink.write_all(b"c").is_err());
        assert!(matches!(sink.stop, Some(WriteStop::TooLong)));
        assert_eq!((sink.stored.len(), length.into_inner()), (200_000, 200_000));
    }

    #[test]
    fn a_sink_takes_nothing_more_when_the_time_is_over() {
        let length = Cell::new(0);
        let mut sink = sink(&length, Instant::now());
        let taken = (0..200).take_while(|_| sink.write_all(&[b'a'; 1_000]).is_ok()).count();
        assert_eq!(taken, 65, "the clock is read when 64 KiB are full");
        assert!(matches!(sink.stop, Some(WriteStop::Late)));
    }
}
