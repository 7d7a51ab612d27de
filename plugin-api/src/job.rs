//! A job: the author's future, polled until it requests reads or ends.
//!
//! Invariant: nothing that the author's code does (a panic anywhere, a waker that never rests, a future that never
//! reads) leaves [`Job::resume`] otherwise than by its return.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use portolan_abi::map::Finding;
use portolan_abi::row::state;

use crate::chain::Chain;
use crate::error::Error;
use crate::job_state::{Budget, FactEntries};
use crate::panic;
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;

/// Polls of one resume; `buffered` streams over thousands of reads wake themselves some hundreds of times.
const POLLS_MAX: u32 = 10_000;

/// The author's future; what it returns is emitted at the end.
pub(crate) type Findings = Pin<Box<dyn Future<Output = Result<Vec<Finding>, Error>> + Send>>;

/// A job under way.
pub(crate) struct Job {
    chain: Arc<Chain>,
    findings: Option<Findings>,
    flag: Arc<Flag>,
    waker: Waker,
}

/// What a resume gives back.
pub(crate) struct Step {
    /// One of [`state`].
    pub(crate) state: u8,
    pub(crate) requests: Vec<ReadRequest>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) facts: Vec<FactEntries>,
    pub(crate) message: String,
}

impl Job {
    pub(crate) fn new(chain: Arc<Chain>, findings: Findings) -> Self {
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&flag));
        Self { chain, findings: Some(findings), flag, waker }
    }

    /// Takes replies and runs on.
    pub(crate) fn resume(&mut self, budget: Budget, results: impl Iterator<Item = ReadResult>) -> Step {
        let Some(mut findings) = self.findings.take() else {
            return self.step(state::FAILED, "resumed after its end".into());
        };
        // A delivery wakes, and a waker may be the author's own.
        let polled = panic::catch(|| match self.chain.state.deliver(budget, results) {
            Ok(()) => self.poll(&mut findings),
            Err(message) => Polled::Refused(message),
        });
        match polled {
            Err(message) => self.end(findings, state::PANICKED, message),
            Ok(Polled::Refused(message)) => self.end(findings, state::FAILED, message),
            Ok(Polled::Ended(Ok(found))) => {
                found.into_iter().for_each(|finding| self.chain.state.emit(finding));
                let missing = self.chain.state.take_missing();
                let state = if missing.is_empty() { state::COMPLETE } else { state::PARTIAL };
                self.end(findings, state, missing.join("; "))
            }
            Ok(Polled::Ended(Err(error))) => self.end(findings, state::FAILED, error.to_string()),
            Ok(Polled::Misused(message)) => self.end(findings, state::MISUSE, message.into()),
            Ok(Polled::Reading) => {
                self.findings = Some(findings);
                self.step(state::READING, String::new())
            }
        }
    }

    fn poll(&self, findings: &mut Findings) -> Polled {
        let mut cx = Context::from_waker(&self.waker);
        for _ in 0..POLLS_MAX {
            self.flag.0.store(false, Ordering::Release);
            match findings.as_mut().poll(&mut cx) {
                Poll::Ready(outcome) => return Polled::Ended(outcome),
                Poll::Pending if self.flag.0.load(Ordering::Acquire) => {}
                Poll::Pending if self.chain.state.has_requests() => return Polled::Reading,
                Poll::Pending => return Polled::Misused("awaited something that is not a chain read"),
            }
        }
        Polled::Misused("woke itself too often without asking for a read")
    }

    /// Drops the author's future, which may panic too; the first trouble is the one that is reported.
    fn end(&self, findings: Findings, state: u8, message: String) -> Step {
        let dropped = panic::catch(|| drop(findings)).and_then(|()| panic::catch(|| self.chain.state.close()));
        let mut step = match dropped {
            Err(panic) if state != state::PANICKED => self.step(state::PANICKED, panic),
            _ => self.step(state, message),
        };
        step.requests.clear();
        step
    }

    fn step(&self, state: u8, message: String) -> Step {
        let (jobs, requests) = (&self.chain.state, self.chain.state.take_requests());
        Step { state, requests, findings: jobs.take_findings(), facts: jobs.take_facts(), message }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let findings = self.findings.take();
        // A job that is dropped cannot report a panic, and nobody waits for it.
        drop(panic::catch(|| drop(findings)));
        drop(panic::catch(|| self.chain.state.close()));
    }
}

enum Polled {
    Refused(String),
    Ended(Result<Vec<Finding>, Error>),
    Reading,
    Misused(&'static str),
}

/// Set by every wake: poll once more.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}
