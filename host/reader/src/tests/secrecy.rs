//! The key in an endpoint's URL reaches the endpoint and nothing else.

use std::io::Write;
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::Dispatch;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::{NoSubscriber, set_default};

use super::node::{BLOCK, Chain, Node, NodeReply};
use super::{ETHEREUM, ample, echo, echoed, outcomes, reader_of};
use crate::{Block, Outcome, ReadFailure, Reader};

#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_log_of_any_level_holds_the_url() {
    let log = LogBuffer::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_writer(move || log.clone());
    let _guard = set_default(subscriber.finish());
    // With a single subscriber, a callsite that is first reached on a thread without it is disabled for all threads.
    let _second = Dispatch::new(NoSubscriber::default());
    let good = Node::truthful(Chain::default()).await;
    let wrong = Node::truthful(Chain { id: 5, ..Chain::default() }).await;
    let bad = Node::start(|_, _| NodeReply::Raw(500, b"no project s3cret".to_vec())).await;
    let secret = |node: &Node| node.url().replace("http://", "http://s3cret-user:s3cret-word@");
    let unreachable = "http://s3cret-user:s3cret-word@127.0.0.1:1/s3cret".to_owned();
    let reader = reader_of(&[secret(&bad), unreachable.clone(), secret(&wrong), secret(&good)]);
    // A callsite that another test first reached, just as the subscriber was set, may have missed it.
    tracing::callsite::rebuild_interest_cache();
    assert_eq!(outcomes(&reader, vec![echo(1)], ample()).await, [echoed(1)]);
    assert_eq!(reader_of(&[unreachable]).pin(ETHEREUM, ample()).await, Err(ReadFailure::Upstream));
    let log = String::from_utf8(written.0.lock().clone()).unwrap();
    assert!(log.contains("endpoint stepped over"), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
}

#[tokio::test]
async fn user_and_password_travel_as_a_header() {
    let node = Node::truthful(Chain::default()).await;
    let url = node.url().replace("http://", "http://user:word@");
    assert_eq!(outcomes(&reader_of(&[url]), vec![echo(1)], ample()).await, [echoed(1)]);
    // base64 of "user:word"
    assert_eq!(node.seen()[0].authorization.as_deref(), Some("Basic dXNlcjp3b3Jk"));
}

#[tokio::test]
async fn replies_that_prove_to_be_wrong_are_logged_once() {
    let log = LogBuffer::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_writer(move || log.clone());
    let _guard = set_default(subscriber.finish());
    let _second = Dispatch::new(NoSubscriber::default());
    let later = Block { timestamp: BLOCK.timestamp + 12, ..BLOCK };
    let node = Node::truthful(Chain { runs_at: later, ..Chain::default() }).await;
    let reader = reader_of(&[node.url()]);
    tracing::callsite::rebuild_interest_cache();
    for number in 0..3 {
        assert_eq!(outcomes(&reader, vec![echo(number)], ample()).await, [Outcome::Failed(ReadFailure::Upstream)]);
    }
    let log = String::from_utf8(written.0.lock().clone()).unwrap();
    assert_eq!(log.matches("prove to be wrong").count(), 1, "{log}");
    assert!(reader.status()[0].endpoints[0].errors >= 3);
}
