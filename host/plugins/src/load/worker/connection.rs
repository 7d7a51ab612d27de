//! The pipes of one worker: sends requests, and reads their replies in the same order.
//!
//! Several requests are in the pipe at once, so that the worker has the next one when it has answered one: it runs one
//! at a time, and each reply leaves it before it takes the next request. So the first request without a reply is the
//! one that it runs.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{io, mem};

use bytes::BytesMut;
use futures_util::StreamExt;
use portolan_base::client_share::ClientShare;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};
use tokio_util::codec::FramedRead;

use super::call::{CONFIGURE_LIMIT, Death, Request, RunningCall, WorkerCall, WorkerCalls, WorkerFailure};
use super::message::{self, Message, MessageDecoder, MessageError, READ_BYTES, request};
use super::spawner::Process;
use crate::load::run_failure::RunFailure;

/// Maximum number of requests in a worker's pipe without a reply, for a further call to be sent.
const SENT_MAX: usize = 8;
/// Processor time of a drop.
const DROP_LIMIT: Duration = Duration::from_secs(1);
/// How many times the limit of its processor time a call may take on a machine that is busy with other work.
const WALL_FACTOR: u32 = 4;
/// Time for a reply that was sent to be read.
const REPLY_ARRIVES: Duration = Duration::from_millis(20);
/// Time without a call after which a worker ends; the next call starts another one.
const IDLE_LIMIT: Duration = Duration::from_secs(300);
/// Calls in the mean of the latest ones.
const LATEST: u64 = 16;

/// The worker's pipes and process.
#[derive(Debug)]
pub(super) struct Connection {
    requests: Sender,
    replies: FramedRead<Receiver, MessageDecoder>,
    process: Process,
    calls: UnboundedReceiver<WorkerCall>,
    shared: Arc<WorkerCalls>,
    /// Instances that this worker has configured.
    configured: HashSet<u64>,
    /// Requests that the pipe has not taken yet.
    unsent: BytesMut,
    /// Requests without a reply. The worker runs the first.
    sent: VecDeque<Sent>,
    /// Processor time of the process when the worker began to run the first.
    spent: Duration,
    /// Time since then at which it is checked; `None` if its reply has to arrive now.
    wait: Option<Duration>,
    check_at: Instant,
}

/// A request without a reply.
#[derive(Debug)]
struct Sent {
    id: u64,
    limit: Duration,
    purpose: Purpose,
}

#[derive(Debug)]
enum Purpose {
    /// Nobody waits for it.
    Drop,
    /// Configures the instance of a call that begins a job. Nothing is sent behind it before it is answered.
    Configure(WorkerCall),
    Answer(WorkerCall),
}

impl Sent {
    fn call(&self) -> Option<&WorkerCall> {
        match &self.purpose {
            Purpose::Drop => None,
            Purpose::Configure(call) | Purpose::Answer(call) => Some(call),
        }
    }

    fn client(&self) -> Option<&ClientShare> {
        self.call().and_then(|call| call.share.as_deref())
    }
}

impl Connection {
    pub(super) fn new(
        (requests, replies): (Sender, Receiver),
        process: Process,
        reply_bytes_max: usize,
        calls: UnboundedReceiver<WorkerCall>,
        shared: Arc<WorkerCalls>,
    ) -> Self {
        Self {
            requests,
            replies: FramedRead::with_capacity(replies, MessageDecoder { body_bytes_max: reply_bytes_max }, READ_BYTES),
            process,
            calls,
            shared,
            configured: HashSet::new(),
            unsent: BytesMut::new(),
            sent: VecDeque::new(),
            spent: Duration::ZERO,
            wait: None,
            check_at: Instant::now() + IDLE_LIMIT,
        }
    }

    /// Answers calls until nobody can make one, none came for long, or the worker ends by one.
    pub(super) async fn run(mut self) {
        let end = self.serve().await;
        // Callers see that it has ended before they hear of their calls.
        self.calls.close();
        *self.shared.running.lock() = None;
        let guilty = self.sent.pop_front();
        self.charge(guilty.as_ref().and_then(Sent::client));
        let status = self.process.end().await;
        if let (Err(death), Some(sent)) = (end, guilty) {
            match sent.purpose {
                Purpose::Configure(call) | Purpose::Answer(call) => call.answer(Err(death.explained(status))),
                // No answer depends on it.
                Purpose::Drop => {}
            }
        }
    }

    async fn serve(&mut self) -> Result<(), Death> {
        loop {
            while self.may_send()
                && let Ok(call) = self.calls.try_recv()
            {
                self.send(call);
            }
            tokio::select! {
                biased;
                reply = self.replies.next(), if !self.sent.is_empty() => self.take(reply)?,
                written = self.requests.write_buf(&mut self.unsent), if !self.unsent.is_empty() => {
                    written?;
                    if self.unsent.is_empty() {
                        // A long request does not keep its room.
                        self.unsent = BytesMut::new();
                    }
                },
                call = self.calls.recv(), if self.may_send() => match call {
                    Some(call) => self.send(call),
                    None => return Ok(()),
                },
                () = sleep_until(self.check_at) => match self.sent.front().map(|sent| sent.limit) {
                    Some(limit) => self.check_time(limit)?,
                    None => return Ok(()),
                },
            }
        }
    }

    fn may_send(&self) -> bool {
        self.sent.len() < SENT_MAX && !matches!(self.sent.back(), Some(Sent { purpose: Purpose::Configure(_), .. }))
    }

    /// Sends a call, behind the drops that are due.
    fn send(&mut self, call: WorkerCall) {
        if call.reply.is_closed() {
            return;
        }
        let dropped = mem::take(&mut *self.shared.dropped.lock());
        for request in dropped {
            if let Request::DropInstance(id) = request {
                self.configured.remove(&id);
            }
            let written = self.write(&request);
            self.push(written, DROP_LIMIT, Purpose::Drop);
        }
        match &call.request {
            Request::Begin { instance, .. } if !self.configured.contains(&instance.id) => {
                let configure = Request::Configure { id: instance.id, settings: Arc::clone(&instance.settings) };
                let written = self.write(&configure);
                self.push(written, CONFIGURE_LIMIT, Purpose::Configure(call));
            }
            request => {
                let written = self.write(request);
                self.push(written, call.limit, Purpose::Answer(call));
            }
        }
    }

    /// Appends a request to those that the pipe takes next, and returns its id.
    fn write(&mut self, request: &Request) -> Result<u64, MessageError> {
        let unsent = &mut self.unsent;
        let mut put = |kind, id, parts: &[&[u8]]| message::put(unsent, kind, id, parts).map(|()| id);
        match request {
            Request::Restrict(body) => put(request::RESTRICT, 0, &[body]),
            Request::Open(manifest) => put(request::OPEN, 0, &[manifest.as_bytes()]),
            Request::Probe => put(request::PROBE, 0, &[]),
            Request::Configure { id, settings } => put(request::CONFIGURE, *id, &[settings]),
            Request::Begin { instance, job, start, frame } => {
                put(request::BEGIN, *job, &[&message::begin(instance.id, start), start, frame])
            }
            Request::Resume { job, frame } => put(request::RESUME, *job, &[frame]),
            Request::DropJob(job) => put(request::DROP_JOB, *job, &[]),
            Request::DropInstance(id) => put(request::DROP_INSTANCE, *id, &[]),
        }
    }

    /// Waits for the reply to a request of this id behind those that were sent before, unless it is too long.
    fn push(&mut self, written: Result<u64, MessageError>, limit: Duration, purpose: Purpose) {
        match written {
            Ok(id) => {
                self.sent.push_back(Sent { id, limit, purpose });
                if self.sent.len() == 1 {
                    self.start_clock();
                }
            }
            Err(error) => {
                if let Purpose::Configure(call) | Purpose::Answer(call) = purpose {
                    call.answer(Err(RunFailure::Fault(error.to_string()).into()));
                }
            }
        }
    }

    /// Starts the time of the request that the worker runs now, or of its idleness.
    fn start_clock(&mut self) {
        let (now, first) = (Instant::now(), self.sent.front());
        let running = first.map(|sent| RunningCall { number: sent.call().map(|call| call.number), since: now });
        self.wait = first.map(|sent| sent.limit);
        self.check_at = now + self.wait.unwrap_or(IDLE_LIMIT);
        *self.shared.running.lock() = running;
    }

    /// Lets the request that the worker runs go on if it may.
    fn check_time(&mut self, limit: Duration) -> Result<(), Death> {
        let wait = self.wait.take().ok_or(Death::Late)?;
        // A worker that waits for the processor has not used its time; one that sleeps does not return.
        let left = limit.saturating_sub(self.process.cpu().saturating_sub(self.spent));
        if left.is_zero() || wait >= limit * WALL_FACTOR || !self.process.is_runnable() {
            // It may sleep because it has just replied.
            self.check_at = Instant::now() + REPLY_ARRIVES;
        } else {
            let next = (wait + left).min(limit * WALL_FACTOR);
            self.check_at += next - wait;
            self.wait = Some(next);
        }
        Ok(())
    }

    /// Takes the reply to the request that the worker ran. Where this fails, that request is still the first.
    fn take(&mut self, reply: Option<io::Result<Result<Message, MessageError>>>) -> Result<(), Death> {
        let Message { head, body } = reply.ok_or_else(|| Death::Unreachable("its pipe is closed".into()))???;
        let is_asked = self.sent.front().is_some_and(|sent| sent.id == head.id);
        // It speaks only when it is asked.
        if !is_asked || (self.sent.len() == 1 && !self.replies.read_buffer().is_empty()) {
            return Err(MessageError::Kind.into());
        }
        let outcome = message::parse_outcome(head.kind, body)?;
        let Some(sent) = self.sent.pop_front() else { return Ok(()) };
        self.charge(sent.client());
        self.start_clock();
        match sent.purpose {
            Purpose::Drop => {}
            Purpose::Answer(call) => {
                if let (Request::Configure { id, .. }, Ok(_)) = (&call.request, &outcome) {
                    self.configured.insert(*id);
                }
                call.answer(outcome.map_err(WorkerFailure::Run));
            }
            Purpose::Configure(call) => match self.configure(&call, outcome) {
                Ok(()) => self.send(call),
                Err(failure) => call.answer(Err(failure.into())),
            },
        }
        Ok(())
    }

    /// Takes the catalogue of an instance that another worker has configured first.
    fn configure(&mut self, call: &WorkerCall, outcome: Result<Vec<u8>, RunFailure>) -> Result<(), RunFailure> {
        let catalogue = outcome?;
        if let Request::Begin { instance, .. } = &call.request {
            if catalogue != instance.catalogue {
                return Err(RunFailure::Fault("its catalogue differs from the one that it returned before".into()));
            }
            self.configured.insert(instance.id);
        }
        Ok(())
    }

    /// Charges the processor time since the latest reply. Where the worker had its next request by then, a part of that
    /// one's time is in it: nothing is lost, and what is charged to the wrong client is what the worker does until the
    /// host has read a reply.
    fn charge(&mut self, client: Option<&ClientShare>) {
        let spent = self.process.cpu().max(self.spent);
        let took = spent - mem::replace(&mut self.spent, spent);
        let took_ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let mean = self.shared.call_ns.load(Ordering::Relaxed);
        self.shared.call_ns.store(mean - mean / LATEST + took_ns / LATEST, Ordering::Relaxed);
        self.shared.cpu_ns.fetch_add(took_ns, Ordering::Relaxed);
        if let Some(client) = client {
            client.charge(took);
        }
    }
}

impl WorkerCall {
    fn answer(self, outcome: Result<Vec<u8>, WorkerFailure>) {
        // Its caller may have gone.
        let _ = self.reply.send(outcome);
    }
}

#[cfg(test)]
mod tests;
