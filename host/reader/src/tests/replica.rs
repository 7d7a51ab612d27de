//! A reader that takes part in a store.

use std::sync::Arc;
use std::time::Duration;

use portolan_store::testing::Server;
use portolan_store::{
    SECRET_BYTES_MIN, SharedStore, SharedStoreSettings, SharedStoreStatus, StoreAuthorities, StoreSecret, StoreUrl,
};
use tokio::time::{Instant, interval};

use super::node::{self, Chain, Node};
use super::{AMPLE, ETHEREUM, ample, session};
use crate::{ChainReader, Limits, Read, Reply, Upstream};

/// Many times the default, so that a busy machine does not pass for a slow store.
pub(super) const WAIT: Duration = Duration::from_secs(2);

/// A reader with a node and a part in the store.
pub(super) struct Replica {
    pub(super) node: Node,
    pub(super) reader: Arc<ChainReader>,
    pub(super) store: Arc<SharedStore>,
}

impl Replica {
    pub(super) async fn start(server: &Server, secret: u8) -> Self {
        let node = Node::truthful(Chain::multicall()).await;
        let store = SharedStore::start(SharedStoreSettings {
            url: StoreUrl::parse(&server.url()).unwrap(),
            secret: StoreSecret::new(&[secret; SECRET_BYTES_MIN]).unwrap(),
            authorities: StoreAuthorities::of_the_web().unwrap(),
            wait: WAIT,
        });
        let endpoints = vec![node.url().parse().unwrap()];
        let ethereum = Upstream { chain_id: ETHEREUM, name: "ethereum".into(), endpoints, verify_receipts: false };
        let reader = ChainReader::new(vec![ethereum], Limits::default(), None, Some(Arc::clone(&store)));
        let replica = Self { node, reader, store };
        replica.until(|status| status.connected).await;
        replica
    }

    pub(super) async fn until(&self, is_it: impl Fn(&SharedStoreStatus) -> bool) {
        let (begin, mut looks) = (Instant::now(), interval(Duration::from_millis(5)));
        while !is_it(&self.store.status()) {
            assert!(begin.elapsed() < AMPLE, "{:?}", self.store.status());
            looks.tick().await;
        }
    }

    pub(super) async fn read(&self, reads: Vec<Read>) -> Vec<Reply> {
        session(&self.reader, node::BLOCK, ample()).read(reads).await
    }

    /// Reads, and waits until the store has this many entries more.
    pub(super) async fn read_and_share(&self, reads: Vec<Read>, entries: u64) {
        let written = self.store.status().written;
        self.read(reads).await;
        self.until(|status| status.written == written + entries).await;
    }
}
