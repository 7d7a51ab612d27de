//! The requests that one answer causes, as its nodes count them.

use std::sync::Arc;

use super::node::{self, Chain, Node};
use super::{ample, echo, echoed, reader};
use crate::methods::multicall::MULTICALL3;
use crate::{ChainReader, Outcome, Read, ReadBudget, ReadFailure, Reader, Session};

const OVER: Outcome = Outcome::Failed(ReadFailure::OverBudget);

fn session(reader: &Arc<ChainReader>, budget: &Arc<ReadBudget>) -> Arc<Session> {
    let reader = Arc::clone(reader) as Arc<dyn Reader>;
    Session::open(reader, super::ETHEREUM, node::BLOCK, ample(), Arc::clone(budget))
}

async fn outcomes(session: &Session, reads: Vec<Read>) -> Vec<Outcome> {
    session.read(reads).await.into_iter().map(|reply| reply.outcome).collect()
}

#[tokio::test]
async fn a_node_gets_no_more_requests_than_the_budget_and_what_came_counts() {
    // Isolated reads are requests of their own with Multicall3.
    let node = Node::truthful(Chain::multicall()).await;
    let reader = reader(&[&node]);
    let budget = Arc::new(ReadBudget::new(1_000, 30));
    let isolated = |number| Read { isolated: true, ..echo(number) };
    let read = outcomes(&session(&reader, &budget), (0..100).map(isolated).collect()).await;
    let alone = node.count("eth_call") - node.calls(MULTICALL3);
    assert!((20..=30).contains(&alone), "{alone} requests of one read");
    let (good, over): (Vec<_>, Vec<_>) = (0..100).zip(read).partition(|(_, outcome)| *outcome != OVER);
    assert!(good.iter().all(|(number, outcome)| *outcome == echoed(*number)) && good.len() == alone, "{good:?}");
    assert_eq!(over.len(), 100 - alone);
    assert!(budget.has_failures());
    // The next answer has its own budget, and reads what the first one left.
    let ample = Arc::new(ReadBudget::unbounded());
    let read = outcomes(&session(&reader, &ample), (0..100).map(isolated).collect()).await;
    assert!(read.into_iter().eq((0..100).map(echoed)));
    assert!(!ample.has_failures());
}

#[tokio::test]
async fn all_sessions_of_an_answer_share_its_reads_and_what_is_cached_counts() {
    let node = Node::truthful(Chain::multicall()).await;
    let reader = reader(&[&node]);
    let used = async || {
        let budget = Arc::new(ReadBudget::new(70, 100));
        let (one, other) = (session(&reader, &budget), session(&reader, &budget));
        let until = other.until(ample());
        let all = [(&one, 0..30), (&other, 30..60), (&until, 60..80)];
        let mut over = 0;
        for (session, numbers) in all {
            let read = outcomes(session, numbers.map(echo).collect()).await;
            over += read.iter().filter(|outcome| **outcome == OVER).count();
        }
        assert_eq!(over, 20, "so many do not fit into the 10 that are left");
        (budget.reads().used(), budget.requests())
    };
    let cold = used().await;
    assert_eq!(cold.0, 60);
    assert_eq!(used().await, cold, "another answer's reads change nothing");
}
