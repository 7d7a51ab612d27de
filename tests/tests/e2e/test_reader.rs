//! A reader with a runtime of its own, used from a test that waits.

use std::sync::Arc;
use std::time::Duration;

use portolan_reader::{
    BatchMethod, Block, ChainReader, Limits, Outcome, Read, ReadBudget, ReadFailure, Reader, Session, Upstream,
};
use portolan_tests::rpc_fault::RpcFault;
use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;

/// The id of the chain that the tests run.
pub(crate) const CHAIN_ID: u64 = 1;
/// So long that only a fault of the reader uses it up.
pub(crate) const AMPLE: Duration = Duration::from_secs(20);

pub(crate) struct TestReader {
    pub(crate) reader: Arc<ChainReader>,
    pub(crate) runtime: Runtime,
}

impl TestReader {
    /// Behind these endpoints, the preferred one first.
    pub(crate) fn behind(endpoints: &[&RpcFault]) -> Self {
        Self::with(endpoints, Limits::default())
    }

    pub(crate) fn with(endpoints: &[&RpcFault], limits: Limits) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let endpoints = endpoints.iter().map(|endpoint| endpoint.url().parse().unwrap()).collect();
        let upstream = Upstream { chain_id: CHAIN_ID, name: "ethereum".to_owned(), endpoints, verify_receipts: false };
        let _context = runtime.enter();
        Self { reader: ChainReader::new(vec![upstream], limits, None, None), runtime }
    }

    pub(crate) fn pin(&self) -> Result<Block, ReadFailure> {
        self.runtime.block_on(self.reader.pin(CHAIN_ID, Instant::now() + AMPLE))
    }

    pub(crate) fn session(&self, block: Block, deadline: Instant) -> Arc<Session> {
        let budget = Arc::new(ReadBudget::unbounded());
        Session::open(Arc::clone(&self.reader) as Arc<dyn Reader>, CHAIN_ID, block, deadline, budget)
    }

    /// Reads at a block, and returns the outcomes.
    pub(crate) fn read(&self, block: Block, reads: &[Read]) -> Vec<Outcome> {
        self.read_within(block, reads, AMPLE)
    }

    pub(crate) fn read_within(&self, block: Block, reads: &[Read], time: Duration) -> Vec<Outcome> {
        let session = self.session(block, Instant::now() + time);
        let replies = self.runtime.block_on(session.read(reads.to_vec()));
        assert_eq!(replies.len(), reads.len());
        replies.into_iter().map(|reply| reply.outcome).collect()
    }

    /// The one of the preferred endpoint, as operators see it.
    pub(crate) fn batch_method(&self) -> Option<BatchMethod> {
        let status = self.reader.status();
        status.iter().find(|network| network.chain_id == CHAIN_ID).unwrap().endpoints[0].batch_method
    }
}
