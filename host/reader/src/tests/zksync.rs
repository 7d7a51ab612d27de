//! ZKsync: its nodes run no program of another EVM, Multicall3 stands at its own address, and a pairing of no points is
//! free there.

use std::sync::Arc;

use alloy::primitives::{U256, bytes};

use super::node::{self, Chain, Node, ZKSYNC_ERA};
use super::{ample, call, echo, echoed, reader_on};
use crate::methods::multicall::{MULTICALL3, multicall3};
use crate::{BatchMethod, ChainReader, Kind, Outcome, Read, ReadBudget, Reader, Session};

async fn outcomes(reader: &Arc<ChainReader>, reads: Vec<Read>) -> Vec<Outcome> {
    let reader = Arc::clone(reader) as Arc<dyn Reader>;
    let session = Session::open(reader, ZKSYNC_ERA, node::BLOCK, ample(), Arc::new(ReadBudget::unbounded()));
    session.read(reads).await.into_iter().map(|reply| reply.outcome).collect()
}

#[tokio::test]
async fn reads_go_through_multicall3_at_its_address_there() {
    let node = Node::truthful(Chain { id: ZKSYNC_ERA, ..Chain::multicall() }).await;
    let reader = reader_on(ZKSYNC_ERA, &[node.url()]);
    let balance = Read { kind: Kind::NativeBalance, ..call(node::ECHO) };
    let reads = vec![echo(1), call(node::REVERTER), call(node::NOBODY), balance, call(MULTICALL3)];
    let reverted = Outcome::Reverted(bytes!("deadbeef"));
    let balance = Outcome::Ok(node::word(U256::from(node::ECHO[19])));
    let found = outcomes(&reader, reads).await;
    assert_eq!(found[..4], [echoed(1), reverted, Outcome::NoCode, balance]);
    assert_eq!(reader.status()[0].endpoints[0].batch_method, Some(BatchMethod::Multicall3));
    assert_eq!(node.calls(multicall3(ZKSYNC_ERA)), 1, "all reads are one call");
}

#[tokio::test]
async fn a_gas_burner_is_found_out_where_a_pairing_of_no_points_is_free() {
    let node = Node::truthful(Chain { id: ZKSYNC_ERA, thrifty: true, ..Chain::multicall() }).await;
    let mut reads: Vec<_> = (0..500).map(echo).collect();
    let mut expected: Vec<_> = (0..500).map(echoed).collect();
    reads[250] = call(node::BURNER);
    expected[250] = Outcome::GasCap;
    reads[300] = call(node::COSTLY);
    expected[300] = Outcome::Ok(bytes!("01020304"));
    assert_eq!(outcomes(&reader_on(ZKSYNC_ERA, &[node.url()]), reads).await, expected);
}
