//! A job: the author's future, polled until it asks for reads or ends.
//!
//! Invariant: nothing that the author's code does (a panic anywhere, a waker that never rests, a future that never
//! asks) leaves [`Job::resume`] otherwise than by its return.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use portolan_abi::map::ClaimTemplate;
use portolan_abi::row::state;

use crate::chain::{Chain, Left};
use crate::error::Error;
use crate::finding::Finding;
use crate::panic;
use crate::read::{Ask, RawReply};

/// Polls of one resume; `buffered` streams over thousands of reads wake themselves some hundreds of times.
const POLLS_MAX: u32 = 10_000;

/// The author's future: what it returns is told at the end.
pub(crate) type Question = Pin<Box<dyn Future<Output = Result<Vec<Finding>, Error>> + Send>>;

/// A job under way.
pub(crate) struct Job {
    chain: Arc<Chain>,
    question: Option<Question>,
    templates: Arc<[ClaimTemplate]>,
    flag: Arc<Flag>,
    waker: Waker,
}

/// What a resume gives back.
pub(crate) struct Step {
    /// One of [`state`].
    pub(crate) state: u8,
    pub(crate) asks: Vec<Ask>,
    pub(crate) told: Vec<Finding>,
    pub(crate) message: String,
}

impl Job {
    pub(crate) fn new(chain: Arc<Chain>, question: Question, templates: Arc<[ClaimTemplate]>) -> Self {
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&flag));
        Self { chain, question: Some(question), templates, flag, waker }
    }

    pub(crate) fn templates(&self) -> &[ClaimTemplate] {
        &self.templates
    }

    /// The network that its reads are on unless they say otherwise.
    pub(crate) fn network(&self) -> u64 {
        self.chain.network()
    }

    /// Takes replies and runs on.
    pub(crate) fn resume(&mut self, left: Left, replies: impl Iterator<Item = RawReply>) -> Step {
        let Some(mut question) = self.question.take() else {
            return self.step(state::FAILED, "resumed after its end".into());
        };
        // A delivery wakes, and a waker may be the author's own.
        let polled = panic::catch(|| match self.chain.deliver(left, replies) {
            Ok(()) => self.poll(&mut question),
            Err(message) => Polled::Refused(message),
        });
        match polled {
            Err(message) => self.end(question, state::PANICKED, message),
            Ok(Polled::Refused(message)) => self.end(question, state::FAILED, message),
            Ok(Polled::Ended(Ok(found))) => {
                found.into_iter().for_each(|finding| self.chain.tell(finding));
                let missing = self.chain.take_missing();
                let state = if missing.is_empty() { state::COMPLETE } else { state::PARTIAL };
                self.end(question, state, missing.join("; "))
            }
            Ok(Polled::Ended(Err(error))) => self.end(question, state::FAILED, error.to_string()),
            Ok(Polled::Misused(message)) => self.end(question, state::MISUSE, message.into()),
            Ok(Polled::Reading) => {
                self.question = Some(question);
                self.step(state::READING, String::new())
            }
        }
    }

    fn poll(&self, question: &mut Question) -> Polled {
        let mut cx = Context::from_waker(&self.waker);
        for _ in 0..POLLS_MAX {
            self.flag.0.store(false, Ordering::Release);
            match question.as_mut().poll(&mut cx) {
                Poll::Ready(outcome) => return Polled::Ended(outcome),
                Poll::Pending if self.flag.0.load(Ordering::Acquire) => {}
                Poll::Pending if self.chain.is_asking() => return Polled::Reading,
                Poll::Pending => return Polled::Misused("awaited something that is not a chain read"),
            }
        }
        Polled::Misused("woke itself too often without asking for a read")
    }

    /// Drops the author's future, which may panic too; the first trouble is the one that is told.
    fn end(&self, question: Question, state: u8, message: String) -> Step {
        let dropped = panic::catch(|| drop(question)).and_then(|()| panic::catch(|| self.chain.close()));
        let mut step = match dropped {
            Err(panic) if state != state::PANICKED => self.step(state::PANICKED, panic),
            _ => self.step(state, message),
        };
        step.asks.clear();
        step
    }

    fn step(&self, state: u8, message: String) -> Step {
        Step { state, asks: self.chain.take_asks(), told: self.chain.take_told(), message }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let question = self.question.take();
        // A job that is dropped has no way to tell; its host no longer asks.
        drop(panic::catch(|| drop(question)));
        drop(panic::catch(|| self.chain.close()));
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
