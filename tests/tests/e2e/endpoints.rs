//! Endpoints that answer wrongly, late, too little or not at all, before a real chain: no wrong answer is believed, and
//! none fails while some endpoint is well.

mod chunks;
mod lag;
mod limits;
mod load;
mod replies;
mod room;

use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256};
use portolan_reader::{BatchMethod, Block, Outcome, Read};
use portolan_tests::bytecode::{self, CLOCK, ECHO, WEALTHY};
use portolan_tests::chain::Chain;
use portolan_tests::rpc_fault::{Flaws, Overrides, RpcFault};
use portolan_tests::world::Shared;

static CHAIN: Shared<Chain> = Shared::new();

fn placed() -> anyhow::Result<Chain> {
    let chain = Chain::start("ethereum")?;
    bytecode::place(&chain)?;
    Ok(chain)
}

fn chain() -> Arc<Chain> {
    CHAIN.get(placed).unwrap()
}

fn before(chain: &Chain) -> RpcFault {
    RpcFault::before(&chain.url).unwrap()
}

fn at(address: &str) -> Address {
    address.parse().unwrap()
}

fn word(value: u64) -> Bytes {
    U256::from(value).to_be_bytes_vec().into()
}

/// Reads that no other test or round makes, and their replies.
fn echoes(round: u64, count: u64) -> (Vec<Read>, Vec<Outcome>) {
    let words = || (0..count).map(move |number| word((round << 32) + number + 1));
    (words().map(|word| Read::call(at(ECHO.address), word)).collect(), words().map(Outcome::Ok).collect())
}

/// The block's number and time, read in each way that a call can be made: packed, apart, and as a sender.
fn clocks() -> Vec<Vec<Read>> {
    let clock = Read::call(at(CLOCK.address), []);
    let apart = Read { isolated: true, ..clock.clone() };
    let sent = Read { from: Some(at(WEALTHY)), ..clock.clone() };
    let limited = Read { gas_cap: Some(100_000), ..clock.clone() };
    vec![vec![clock], vec![apart], vec![sent], vec![limited]]
}

fn clock_at(block: &Block) -> Outcome {
    Outcome::Ok([word(block.evm_number), word(block.timestamp)].concat().into())
}

fn with_each_batch_method() -> [Flaws; 3] {
    let ignores = Flaws { overrides: Overrides::Ignored, ..Flaws::default() };
    let hides = Flaws { hides_multicall: true, ..ignores.clone() };
    [Flaws::default(), ignores, hides]
}

/// The best one with these flaws.
fn batch_method_with(flaws: &Flaws) -> BatchMethod {
    match (flaws.overrides, flaws.hides_multicall) {
        (Overrides::Taken, _) => BatchMethod::Override,
        (_, false) => BatchMethod::Multicall3,
        (_, true) => BatchMethod::Single,
    }
}

fn all_failed(outcomes: &[Outcome]) -> bool {
    outcomes.iter().all(|outcome| matches!(outcome, Outcome::Failed(_)))
}

/// Runs one case with each batch method at the same time: most of a case is waiting.
fn for_all_batch_methods(case: impl Fn(&Chain, Flaws) + Sync) {
    let chain = chain();
    std::thread::scope(|scope| {
        for flaws in with_each_batch_method() {
            let (chain, case) = (&chain, &case);
            scope.spawn(move || case(chain, flaws));
        }
    });
}
