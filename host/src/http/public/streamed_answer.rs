//! An answer as a stream of events: `job` for each job as it ends, then `answer` with the plain answer, or `problem`.
//!
//! Invariant: a request that is wrong from the start is answered by a problem, not by a stream.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt as _;
use portolan_base::client_share::ClientShare;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::gateway::Gateway;
use crate::gateway::problem::Problem;
use crate::gateway::progress::{EndedJob, JobProgress};
use crate::http::event_stream::{self, EventReceiver, EventSender, NotSent, StreamHost};
use crate::http::public::answer_event;
use crate::http::public::body::BodyWriter;
use crate::http::public::route::Request;
use crate::http::view::form::Form;

/// The work for one stream.
pub(super) struct StreamedAnswer {
    gateway: Arc<Gateway>,
    request: Request,
    form: Form,
    client: Arc<ClientShare>,
    until: Instant,
}

/// Reason to end a stream early.
enum StreamStop {
    NotSent(NotSent),
    Problem(Problem),
}

impl From<NotSent> for StreamStop {
    fn from(reason: NotSent) -> Self {
        Self::NotSent(reason)
    }
}

impl From<Problem> for StreamStop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl StreamedAnswer {
    pub(super) fn new(
        gateway: &Arc<Gateway>,
        request: Request,
        form: Form,
        client: Arc<ClientShare>,
        until: Instant,
    ) -> Self {
        Self { gateway: Arc::clone(gateway), request, form, client, until }
    }

    /// Begins the work, in a task of its own: jobs do not wait for a client that is slow to read.
    ///
    /// # Errors
    /// The problem to send if there is one before the first event.
    pub(super) async fn begin(self, host: Arc<dyn StreamHost>) -> Result<EventReceiver, Problem> {
        let (events, receiver) = event_stream::open(Arc::clone(&host));
        let (begun, first) = oneshot::channel();
        let stream = JobStream { events, begun: Some(begun) };
        tokio::spawn(host.run(self.send(stream).boxed()));
        let gone = |_| Err(Problem::Internal("the request could not be answered".into()));
        first.await.unwrap_or_else(gone).map(|()| receiver)
    }

    async fn send(self, mut stream: JobStream) {
        match self.send_all(&mut stream).await {
            Ok(()) | Err(StreamStop::NotSent(NotSent::Closed)) => {}
            Err(StreamStop::NotSent(NotSent::NoRoom)) => stream.fail(Problem::Overloaded),
            Err(StreamStop::Problem(problem)) => stream.fail(problem),
        }
    }

    async fn send_all(&self, stream: &mut JobStream) -> Result<(), StreamStop> {
        let (sender, mut ended) = unbounded_channel();
        let (query, options) = (self.request.query.clone(), self.request.options.clone());
        let answering = self.gateway.answer_by_job(query, options, &self.client, JobProgress::new(sender));
        let mut answering = pin!(timeout_at(self.until, answering));
        let answered = loop {
            tokio::select! {
                biased;
                Some(job) = ended.recv() => stream.send("job", &self.job(job).await?)?,
                answered = &mut answering => break answered,
                () = stream.events.closed() => return Err(NotSent::Closed.into()),
            }
        };
        while let Ok(job) = ended.try_recv() {
            stream.send("job", &self.job(job).await?)?;
        }
        let late = |_| Problem::Deadline("the answer was not there in time".into());
        let response = answered.map_err(late)??;
        let data = answer_event::data(self.writer(), self.gateway.cpu_pool(), &self.client, response).await?;
        Ok(stream.send("answer", &data)?)
    }

    fn writer(&self) -> BodyWriter {
        BodyWriter { form: self.form, until: self.until }
    }

    async fn job(&self, job: EndedJob) -> Result<Bytes, Problem> {
        let bytes_max = self.gateway.body_bytes_max();
        self.writer().write_job(self.gateway.cpu_pool(), &self.client, job, bytes_max).await
    }
}

/// The stream, and who waits for its beginning.
struct JobStream {
    events: EventSender,
    begun: Option<oneshot::Sender<Result<(), Problem>>>,
}

impl JobStream {
    fn send(&mut self, name: &str, data: &[u8]) -> Result<(), NotSent> {
        self.events.send(event_stream::event(name, None, data), false)?;
        if let Some(begun) = self.begun.take() {
            // If nobody waits any more, the next event finds the stream closed.
            let _ = begun.send(Ok(()));
        }
        Ok(())
    }

    fn fail(&mut self, problem: Problem) {
        if let Some(begun) = self.begun.take() {
            let _ = begun.send(Err(problem));
            return;
        }
        let body = problem.response().into_body().bytes;
        self.events.send_last(event_stream::event("problem", None, &body));
    }
}
