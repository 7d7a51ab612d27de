//! Heads that readers report to each other through a store.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use portolan_store::testing::Server;
use tokio::time::{Instant, interval};

use super::replica::Replica;
use super::{AMPLE, ETHEREUM, ample, echo, node, session};
use crate::cache::shared_heads::{Report, SharedHeads};
use crate::{Block, Outcome, ReadFailure, Reader};

#[tokio::test]
async fn a_head_that_own_endpoints_do_not_know_costs_one_more_pin_and_its_reports_end() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    assert_eq!(one.reader.pin(ETHEREUM, ample()).await, Ok(node::BLOCK));
    let reports = SharedHeads::new(Arc::clone(&other.store));
    let Block { number, hash, .. } = node::BLOCK;
    let lie = Block { number: number + 1, hash: B256::repeat_byte(7), parent: hash, ..node::BLOCK };
    let (begin, mut again) = (Instant::now(), interval(Duration::from_millis(200)));
    while one.reader.pin(ETHEREUM, ample()).await != Ok(lie) {
        assert!(begin.elapsed() < AMPLE, "the report does not count");
        reports.send(ETHEREUM, Report { block: lie, is_pin: false });
        again.tick().await;
    }
    let replies = session(&one.reader, lie, ample()).read(vec![echo(1)]).await;
    assert_eq!(replies[0].outcome, Outcome::Failed(ReadFailure::BlockLost));
    for number in 2..12 {
        let block = Block { number: lie.number + number, hash: B256::left_padding_from(&[9, 9]), ..lie };
        reports.send(ETHEREUM, Report { block, is_pin: false });
        reports.send(ETHEREUM, Report { block, is_pin: true });
        assert_eq!(one.reader.pin(ETHEREUM, ample()).await, Ok(node::BLOCK));
        again.tick().await;
    }
    // Its own head was published, and came back to it without a refusal.
    assert!(!server.published().is_empty());
    assert_eq!(one.store.status().refused, 0);
}

#[tokio::test]
async fn reports_of_another_time_are_refused() {
    let server = Server::start().await;
    let (one, other) = (Replica::start(&server, 1).await, Replica::start(&server, 1).await);
    let reports = SharedHeads::new(Arc::clone(&other.store));
    let (begin, mut again) = (Instant::now(), interval(Duration::from_millis(100)));
    for late in [Duration::from_secs(20), Duration::from_secs(3_600)] {
        let refused = one.store.status().refused;
        while one.store.status().refused == refused {
            assert!(begin.elapsed() < AMPLE, "it is not refused");
            reports.send_at(ETHEREUM, Report { block: node::BLOCK, is_pin: false }, late);
            again.tick().await;
        }
    }
}
