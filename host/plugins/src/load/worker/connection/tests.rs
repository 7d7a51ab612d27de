//! The connection with a worker that a thread plays.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc::{Receiver as ThreadReceiver, channel};
use std::thread::{self, JoinHandle};

use futures_util::future::{join, join_all, join3};
use tokio::task::spawn_blocking;

use super::super::call::InstanceRecord;
use super::super::client::Client;
use super::super::message::{HEAD_BYTES, Head, message, reply};
use super::super::spawner::Spawner;
use super::*;

const LONG: Duration = Duration::from_secs(60);
const REPLY_BYTES_MAX: usize = 4 << 20;

/// The worker's ends of its pipes.
struct Worker {
    requests: PipeReader,
    replies: PipeWriter,
}

impl Worker {
    /// Returns the kind, id and body of the next request.
    fn receive(&mut self) -> io::Result<(u8, u64, Vec<u8>)> {
        let mut head = [0; HEAD_BYTES];
        self.requests.read_exact(&mut head)?;
        let head = Head::parse(head, message::BODY_BYTES_MAX).map_err(io::Error::other)?;
        let mut body = vec![0; head.len];
        self.requests.read_exact(&mut body)?;
        Ok((head.kind, head.id, body))
    }

    fn reply(&mut self, id: u64, body: &[u8]) -> io::Result<()> {
        self.replies.write_all(&message(reply::DONE, id, &[body]).map_err(io::Error::other)?)
    }
}

/// Returns a client of a worker that a thread plays.
fn client<T: Send + 'static>(
    play: impl FnOnce(&mut Worker) -> io::Result<T> + Send + 'static,
) -> (Client, JoinHandle<io::Result<T>>) {
    let ((requests, own_requests), (own_replies, replies)) = (io::pipe().unwrap(), io::pipe().unwrap());
    let own_replies = Receiver::from_owned_fd(own_replies.into()).unwrap();
    let own_requests = Sender::from_owned_fd(own_requests.into()).unwrap();
    let process = Process::ended(Spawner::start().unwrap());
    let client = Client::connect((own_requests, own_replies), process, Arc::default(), REPLY_BYTES_MAX);
    (client, thread::spawn(move || play(&mut Worker { requests, replies })))
}

fn resume(job: u64, frame: &[u8]) -> Request {
    Request::Resume { job, frame: frame.into() }
}

/// Returns what the thread returned.
async fn played<T: Send + 'static>(worker: JoinHandle<io::Result<T>>) -> T {
    spawn_blocking(|| worker.join().unwrap()).await.unwrap().unwrap()
}

async fn call(client: &Client, request: Request) -> Result<Vec<u8>, WorkerFailure> {
    client.call(request, LONG, || false).await
}

#[tokio::test]
async fn messages_larger_than_a_pipe_arrive_whole_both_ways() {
    let (client, worker) = client(|worker| {
        for _ in 0..3 {
            let (_, id, mut body) = worker.receive()?;
            body.reverse();
            worker.reply(id, &body)?;
        }
        Ok(())
    });
    let bodies = [1_u64, 2, 3].map(|seed| (0..1 << 17).flat_map(|i| (seed * i).to_le_bytes()).collect::<Vec<_>>());
    let calls = bodies.iter().zip(1..).map(|(body, job)| call(&client, resume(job, body)));
    for (mut body, outcome) in bodies.clone().into_iter().zip(join_all(calls).await) {
        body.reverse();
        assert!(outcome == Ok(body));
    }
    played(worker).await;
}

#[tokio::test]
async fn requests_are_in_the_pipe_before_the_first_is_answered() {
    let (client, worker) = client(|worker| {
        let ids: Vec<u64> = (0..SENT_MAX).map(|_| Ok(worker.receive()?.1)).collect::<io::Result<_>>()?;
        ids.iter().try_for_each(|id| worker.reply(*id, &id.to_le_bytes()))?;
        let (_, id, _) = worker.receive()?;
        worker.reply(id, &id.to_le_bytes())
    });
    let jobs = 0..=u64::try_from(SENT_MAX).unwrap();
    let outcomes = join_all(jobs.clone().map(|job| call(&client, resume(job, &[])))).await;
    assert_eq!(outcomes, jobs.map(|job| Ok(job.to_le_bytes().to_vec())).collect::<Vec<_>>());
    played(worker).await;
}

#[tokio::test]
async fn the_first_request_without_a_reply_is_the_one_that_ended_the_worker() {
    let (client, worker) = client(|worker| {
        let [first, _, _] = [worker.receive()?, worker.receive()?, worker.receive()?];
        worker.reply(first.1, b"first")
    });
    let [first, second, third] = [1, 2, 3].map(|job| call(&client, resume(job, &[])));
    let (first, second, third) = join3(first, second, third).await;
    assert_eq!(first, Ok(b"first".to_vec()));
    assert!(matches!(second, Err(WorkerFailure::Died(Death::Unreachable(_)))), "{second:?}");
    assert_eq!(third, Err(WorkerFailure::Lost));
    assert_eq!(call(&client, resume(4, &[])).await, Err(WorkerFailure::Lost));
    assert!(!client.is_alive());
    played(worker).await;
}

#[tokio::test]
async fn a_closed_pipe_fails_the_request_that_is_written_to_it() {
    let (client, worker) = client(|_| Ok(()));
    played(worker).await;
    let sent = call(&client, resume(1, &[])).await;
    assert!(matches!(sent, Err(WorkerFailure::Died(Death::Unreachable(_)))), "{sent:?}");
}

#[tokio::test]
async fn a_reply_that_nobody_waits_for_ends_the_worker_by_the_request_that_it_ran() {
    let expected = Err(WorkerFailure::Died(Death::Message(MessageError::Kind)));
    // For another request, and a second one.
    for (ids, lost) in [(vec![2], true), (vec![1, 1], false)] {
        let (client, worker) = client(move |worker| {
            worker.receive()?;
            let all: Vec<u8> = ids.iter().filter_map(|id| message(reply::DONE, *id, &[]).ok()).flatten().collect();
            worker.replies.write_all(&all)?;
            // Until the host ends it.
            while worker.receive().is_ok() {}
            Ok(())
        });
        if lost {
            let [first, second] = [1, 2].map(|job| call(&client, resume(job, &[])));
            assert_eq!(join(first, second).await, (expected.clone(), Err(WorkerFailure::Lost)));
        } else {
            assert_eq!(call(&client, resume(1, &[])).await, expected);
        }
        played(worker).await;
    }
}

#[tokio::test]
async fn calls_leave_a_worker_that_another_call_holds_up_and_their_late_replies_reach_nobody() {
    let (go_on, held) = channel::<()>();
    let hold = move |worker: &mut Worker, held: ThreadReceiver<()>| {
        let (_, id, _) = worker.receive()?;
        held.recv_timeout(LONG).map_err(io::Error::other)?;
        worker.reply(id, b"slow")?;
        let mut ids = Vec::new();
        while let Ok((kind, id, _)) = worker.receive() {
            worker.reply(id, &id.to_le_bytes())?;
            ids.push((kind, id));
        }
        Ok(ids)
    };
    let (client, worker) = client(move |worker| hold(worker, held));
    let may_leave = || true;
    let mut slow = Box::pin(client.call(resume(1, &[]), LONG, may_leave));
    let left = client.call(resume(2, &[]), LONG, may_leave);
    tokio::select! {
        biased;
        // The one that the worker runs stays, though it may leave.
        slow = &mut slow => panic!("{slow:?}"),
        left = left => assert_eq!(left, Err(WorkerFailure::Lost)),
    }
    client.drop_later(Request::DropJob(2));
    go_on.send(()).unwrap();
    assert_eq!(slow.await, Ok(b"slow".to_vec()));
    assert_eq!(call(&client, resume(3, &[])).await, Ok(3_u64.to_le_bytes().to_vec()));
    drop(client);
    let expected = [(request::RESUME, 2), (request::DROP_JOB, 2), (request::RESUME, 3)];
    assert_eq!(played(worker).await, expected);
}

#[tokio::test]
async fn a_worker_configures_an_instance_before_its_first_job_and_again_if_the_catalogue_differs() {
    let (client, worker) = client(|worker| {
        let mut kinds = Vec::new();
        while let Ok((kind, id, _)) = worker.receive() {
            let is_first = kinds.is_empty();
            kinds.push(kind);
            worker.reply(id, if is_first { b"another catalogue" } else { b"catalogue" })?;
        }
        Ok(kinds)
    });
    let instance = InstanceRecord { id: 7, settings: b"settings"[..].into(), catalogue: b"catalogue".to_vec() };
    let instance = Arc::new(instance);
    let begin =
        |job| Request::Begin { instance: Arc::clone(&instance), job, start: [][..].into(), frame: [][..].into() };
    let [first, second, third] = [1, 2, 3].map(|job| call(&client, begin(job)));
    let (first, second, third) = join3(first, second, third).await;
    let fault = RunFailure::Fault("its catalogue differs from the one that it returned before".into());
    assert_eq!(first, Err(WorkerFailure::Run(fault)));
    assert_eq!([second, third], [const { Ok(b"catalogue".as_slice()) }; 2].map(|body| body.map(<[u8]>::to_vec)));
    drop(client);
    let expected = [request::CONFIGURE, request::CONFIGURE, request::BEGIN, request::BEGIN];
    assert_eq!(played(worker).await, expected);
}

#[tokio::test]
async fn a_request_that_is_too_long_fails_alone() {
    let (client, worker) = client(|worker| {
        let (_, id, _) = worker.receive()?;
        worker.reply(id, b"reply")
    });
    let too_long = vec![0; message::BODY_BYTES_MAX + 1];
    let failed = call(&client, resume(1, &too_long)).await;
    assert!(matches!(failed, Err(WorkerFailure::Run(RunFailure::Fault(_)))), "{failed:?}");
    assert_eq!(call(&client, resume(2, &[])).await, Ok(b"reply".to_vec()));
    played(worker).await;
}
