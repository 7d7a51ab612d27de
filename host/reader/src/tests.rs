//! The reader against nodes on loopback that behave as real ones do, rightly and wrongly.

mod approvals;
mod block_hashes;
pub(crate) mod blocks;
mod budgets;
mod endpoints;
mod hundreds;
mod node;
mod reads;
mod replica;
mod secrecy;
mod shared_facts;
mod shared_heads;
mod shared_replies;
mod syncing;
mod transactions;
mod verified_receipts;
mod wrong_chain;
mod zksync;

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use tokio::time::Instant;

use self::node::Node;
use crate::{Block, ChainReader, Limits, Outcome, Read, ReadBudget, Reader, RpcUrl, Session, Upstream};

/// Long enough that only a bug of the reader could use it up.
const AMPLE: Duration = Duration::from_secs(20);

const ETHEREUM: u64 = 1;

fn reader_of(urls: &[String]) -> Arc<ChainReader> {
    reader_on(ETHEREUM, urls)
}

fn reader_on(chain_id: u64, urls: &[String]) -> Arc<ChainReader> {
    let endpoints: Vec<RpcUrl> = urls.iter().map(|url| url.parse().unwrap()).collect();
    let upstream = Upstream { chain_id, name: "ethereum".into(), endpoints, verify_receipts: false };
    ChainReader::new(vec![upstream], Limits::default(), None, None)
}

fn reader(nodes: &[&Node]) -> Arc<ChainReader> {
    reader_of(&nodes.iter().map(|node| node.url()).collect::<Vec<_>>())
}

fn ample() -> Instant {
    Instant::now() + AMPLE
}

fn session(reader: &Arc<ChainReader>, block: Block, deadline: Instant) -> Arc<Session> {
    Session::open(Arc::clone(reader) as Arc<dyn Reader>, ETHEREUM, block, deadline, Arc::new(ReadBudget::unbounded()))
}

/// Returns the outcomes at the node's own block.
async fn outcomes(reader: &Arc<ChainReader>, reads: Vec<Read>, deadline: Instant) -> Vec<Outcome> {
    let replies = session(reader, node::BLOCK, deadline).read(reads).await;
    replies.into_iter().map(|reply| reply.outcome).collect()
}

/// Makes a call of the echo contract with a number.
fn echo(number: u32) -> Read {
    Read::call(node::ECHO, number.to_be_bytes())
}

fn echoed(number: u32) -> Outcome {
    Outcome::Ok(Bytes::copy_from_slice(&number.to_be_bytes()))
}

fn call(to: Address) -> Read {
    Read::call(to, [1, 2, 3, 4])
}
