//! A host of lists on loopback that returns queued answers and records its requests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::Request;
use hyper::body::{Body, Frame, Incoming};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use portolan_reader::RpcUrl;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// One answer.
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Bytes,
    ends: bool,
    is_silent: bool,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new(), ends: true, is_silent: false }
    }

    pub(crate) fn ok(body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..Self::status(200) }
    }

    /// An answer that never comes.
    pub(crate) fn silence() -> Self {
        Self { is_silent: true, ..Self::status(200) }
    }

    pub(crate) fn with(mut self, header: &'static str, value: &str) -> Self {
        self.headers.push((header, value.to_owned()));
        self
    }

    /// The connection stays open after the body, as if more would follow.
    pub(crate) fn never_ending(self) -> Self {
        Self { ends: false, ..self }
    }

    async fn response(self) -> Response<OnePiece> {
        if self.is_silent {
            std::future::pending::<()>().await;
        }
        let mut response = Response::new(OnePiece { body: Some(self.body), ends: self.ends });
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value.parse().unwrap());
        }
        response
    }
}

/// A body of one piece.
struct OnePiece {
    body: Option<Bytes>,
    ends: bool,
}

impl Body for OnePiece {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.body.take() {
            Some(body) => Poll::Ready(Some(Ok(Frame::data(body)))),
            None if self.ends => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// A host that serves until it is dropped.
pub(crate) struct Host {
    port: u16,
    requests: Arc<Mutex<Vec<Parts>>>,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    _serving: JoinSet<()>,
}

impl Host {
    /// Starts a host with these answers, in order; further requests fail with status 500.
    pub(crate) async fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<Parts>>>::default();
        let answers = Arc::new(Mutex::new(answers.into_iter().collect::<VecDeque<_>>()));
        let (notes, queue) = (Arc::clone(&requests), Arc::clone(&answers));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (notes, queue) = (Arc::clone(&notes), Arc::clone(&queue));
                let answer = service_fn(move |request: Request<Incoming>| {
                    notes.lock().push(request.into_parts().0);
                    let answer = queue.lock().pop_front().unwrap_or_else(|| Answer::status(500));
                    async move { Ok::<_, Infallible>(answer.response().await) }
                });
                // Errors of a client that disconnects are ignored.
                connections.spawn(async move {
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
                });
            }
        });
        Self { port, requests, answers, _serving: serving }
    }

    pub(crate) fn url(&self, path: &str) -> RpcUrl {
        format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap()
    }

    pub(crate) fn then(&self, answer: Answer) {
        self.answers.lock().push_back(answer);
    }

    pub(crate) fn requests(&self) -> Vec<Parts> {
        self.requests.lock().clone()
    }
}
