//! A job: the author's future, polled until it waits for reads or ends.
//!
//! Invariant: [`Job::resume`] always returns, whatever the author's code does: panic, wake itself without end, or never
//! read.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use portolan_abi::map::Finding;
use portolan_abi::row::state;

use crate::error::Error;
use crate::job_context::JobContext;
use crate::job_state::{Budget, FactEntries};
use crate::panic;
use crate::read_result::ReadResult;
use crate::request_rows::RequestRows;

/// Polls per resume. `buffered` streams over thousands of reads wake themselves some hundreds of times.
const POLLS_MAX: u32 = 10_000;

/// The author's future; the findings it returns are emitted at the end.
pub(crate) type Findings = Pin<Box<dyn Future<Output = Result<Vec<Finding>, Error>> + Send>>;

/// A running job.
pub(crate) struct Job {
    context: Arc<JobContext>,
    findings: Option<Findings>,
    flag: Arc<Flag>,
    waker: Waker,
}

/// Outcome of a resume.
pub(crate) struct Step {
    /// One of [`state`].
    pub(crate) state: u8,
    pub(crate) requests: RequestRows,
    pub(crate) findings: Vec<Finding>,
    pub(crate) facts: Vec<FactEntries>,
    pub(crate) message: String,
    /// Known gaps of the plugin; empty before the end.
    pub(crate) not_covered: Vec<String>,
    /// Findings dropped because of contracts' replies; empty before the end.
    pub(crate) invalid_replies: String,
}

impl Job {
    pub(crate) fn new(context: Arc<JobContext>, findings: Findings) -> Self {
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&flag));
        context.state.set_root(waker.clone());
        Self { context, findings: Some(findings), flag, waker }
    }

    /// Delivers replies to open reads and continues the job.
    pub(crate) fn resume(
        &mut self,
        budget: Budget,
        results: impl ExactSizeIterator<Item = Option<ReadResult>>,
    ) -> Step {
        let Some(mut findings) = self.findings.take() else {
            return self.step(state::FAILED, "resumed after its end".into());
        };
        // Inside `catch`: a delivery calls wakers, which may be the author's.
        let polled = panic::catch(|| match self.context.state.deliver(budget, results) {
            Ok(()) => self.poll(&mut findings),
            Err(message) => Polled::Refused(message),
        });
        match polled {
            Err(message) => self.end(findings, state::PANICKED, message),
            Ok(Polled::Refused(message)) => self.end(findings, state::FAILED, message),
            Ok(Polled::Ended(Ok(found))) => {
                found.into_iter().for_each(|finding| self.context.state.emit(finding));
                let (is_whole, missing) = self.missing();
                let state = if is_whole { state::COMPLETE } else { state::PARTIAL };
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

    /// Returns true if the answer is complete, and the sentences about what is missing. They include known gaps and
    /// dropped findings if the host has no other place for them.
    fn missing(&self) -> (bool, Vec<String>) {
        let state = &self.context.state;
        let mut missing = state.take_missing();
        if !self.context.tells_not_covered() {
            missing.extend(state.take_not_covered());
        }
        if !self.context.tells_invalid_replies() {
            missing.extend(Some(state.take_invalid_replies()).filter(|line| !line.is_empty()));
        }
        (missing.is_empty() && !state.has_not_covered() && !state.has_invalid_replies(), missing)
    }

    fn poll(&self, findings: &mut Findings) -> Polled {
        let mut cx = Context::from_waker(&self.waker);
        for _ in 0..POLLS_MAX {
            self.flag.0.store(false, Ordering::Release);
            match findings.as_mut().poll(&mut cx) {
                Poll::Ready(outcome) => return Polled::Ended(outcome),
                Poll::Pending if self.flag.0.load(Ordering::Acquire) => {}
                Poll::Pending if self.context.state.has_open_reads() => return Polled::Reading,
                Poll::Pending => return Polled::Misused("awaited something that is not a chain read"),
            }
        }
        Polled::Misused("woke itself too often without asking for a read")
    }

    /// Drops the author's future, which may panic too. Reports the first failure only.
    fn end(&self, findings: Findings, state: u8, message: String) -> Step {
        let dropped = panic::catch(|| drop(findings)).and_then(|()| panic::catch(|| self.context.state.close()));
        let mut step = match dropped {
            Err(panic) if state != state::PANICKED => self.step(state::PANICKED, panic),
            _ => self.step(state, message),
        };
        step.requests = RequestRows::default();
        if self.context.tells_not_covered() {
            step.not_covered = self.context.state.take_not_covered();
        }
        if self.context.tells_invalid_replies() {
            step.invalid_replies = self.context.state.take_invalid_replies();
        }
        step
    }

    fn step(&self, state: u8, message: String) -> Step {
        let (jobs, requests) = (&self.context.state, self.context.state.take_requests());
        Step {
            state,
            requests,
            findings: jobs.take_findings(),
            facts: jobs.take_facts(),
            message,
            not_covered: Vec::new(),
            invalid_replies: String::new(),
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let findings = self.findings.take();
        // A dropped job cannot report a panic.
        drop(panic::catch(|| drop(findings)));
        drop(panic::catch(|| self.context.state.close()));
    }
}

enum Polled {
    Refused(String),
    Ended(Result<Vec<Finding>, Error>),
    Reading,
    Misused(&'static str),
}

/// Set by every wake; asks for another poll.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use alloy::primitives::{Address, Bytes};
    use futures_util::future::join;
    use portolan_abi::map::Start;

    use super::*;

    /// A job that reads 1, and concurrently 2, then 3.
    fn job() -> Job {
        let context = Arc::new(JobContext::new(Start::default(), Arc::new([])));
        let cx = Arc::clone(&context);
        let findings = Box::pin(async move {
            let read = |number| cx.native_balance(Address::with_last_byte(number));
            let steps = async {
                read(2).await?;
                read(3).await
            };
            let (one, other) = join(async { read(1).await }, steps).await;
            one.and(other).map(|_| Vec::new())
        });
        Job::new(context, findings)
    }

    /// Resumes the job; each flag says if an open read has a reply. Returns the state and the last bytes of requested
    /// targets.
    fn resume(job: &mut Job, are_answered: &[bool]) -> (u8, Vec<u8>) {
        let word = || ReadResult::Ok(Bytes::from(vec![0; 32]));
        let results: Vec<_> = are_answered.iter().map(|answered| answered.then(word)).collect();
        let step = job.resume(Budget::default(), results.into_iter());
        (step.state, step.requests.rows.iter().map(|(_, row)| row.to.0[19]).collect())
    }

    #[test]
    fn a_job_runs_on_with_some_of_its_replies_while_the_others_are_open() {
        let mut job = job();
        assert_eq!(resume(&mut job, &[]), (state::READING, vec![1, 2]));
        assert_eq!(resume(&mut job, &[false, true]), (state::READING, vec![3]));
        assert_eq!(resume(&mut job, &[false, false]), (state::READING, vec![]), "nothing is asked twice");
        assert_eq!(resume(&mut job, &[false, true]), (state::READING, vec![]), "1 is still open");
        assert_eq!(resume(&mut job, &[true]), (state::COMPLETE, vec![]));
    }

    #[test]
    fn calls_of_many_go_on_once_all_have_replies() {
        crate::sol! { function value() external view returns (uint256); }
        let context = Arc::new(JobContext::new(Start::default(), Arc::new([])));
        let cx = Arc::clone(&context);
        let findings = Box::pin(async move {
            let calls = (1..4).map(|number| (Address::with_last_byte(number), valueCall {}));
            let values = cx.call_each(calls).await;
            values.into_iter().collect::<Result<Vec<_>, _>>().map(|_| Vec::new())
        });
        let mut job = Job::new(context, findings);
        assert_eq!(resume(&mut job, &[]), (state::READING, vec![1, 2, 3]));
        assert_eq!(resume(&mut job, &[false, true, false]), (state::READING, vec![]));
        assert_eq!(resume(&mut job, &[true, false]), (state::READING, vec![]), "3 is still open");
        assert_eq!(resume(&mut job, &[true]), (state::COMPLETE, vec![]));
    }

    #[test]
    fn another_number_of_replies_than_open_reads_fails_the_job() {
        for replies in [&[][..], &[true], &[false; 3], &[true; 3]] {
            let mut job = job();
            resume(&mut job, &[]);
            assert_eq!(resume(&mut job, replies).0, state::FAILED, "{replies:?}");
        }
        let mut job = job();
        resume(&mut job, &[]);
        resume(&mut job, &[true, false]);
        assert_eq!(resume(&mut job, &[true, true]).0, state::FAILED, "the second alone is open");
    }
}
