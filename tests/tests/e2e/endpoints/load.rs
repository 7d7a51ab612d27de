//! Endpoints that die and return while many read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use portolan_reader::{Block, Outcome, ReadBudget, Reader, Session};
use portolan_tests::rpc_fault::{Fault, Flaws, Overrides, Replies};
use portolan_tests::wait;
use tokio::task::JoinHandle;

use super::{before, chain, echoes};
use crate::test_reader::{AMPLE, CHAIN_ID, TestReader};

/// Returns the mishaps of one endpoint, in turn.
fn mishaps() -> Vec<(Fault, Flaws)> {
    let faults = [
        Fault::Close,
        Fault::Garbage,
        Fault::WrongShape,
        Fault::Status(502),
        Fault::Hold,
        Fault::Error(-32_603),
        Fault::Throttled(None),
    ];
    let flaws = [
        Flaws { replies: Replies::Cut(30), ..Flaws::default() },
        Flaws { replies: Replies::WrongId, ..Flaws::default() },
        Flaws { off: 1, ..Flaws::default() },
        Flaws { behind: 2, ..Flaws::default() },
        Flaws { overrides: Overrides::Ignored, ..Flaws::default() },
    ];
    let faults = faults.into_iter().map(|fault| (fault, Flaws::default()));
    faults.chain(flaws.into_iter().map(|flaws| (Fault::None, flaws))).collect()
}

const TASKS: usize = 20;

/// How often each task had its answer, and whether they are to end.
#[derive(Default)]
struct Load {
    answers: [AtomicUsize; TASKS],
    over: AtomicBool,
}

impl Load {
    fn answers(&self) -> Vec<usize> {
        self.answers.iter().map(|answers| answers.load(Ordering::SeqCst)).collect()
    }

    /// Reads on and on; the first answer that is wrong ends it.
    async fn put(&self, task: usize, reader: Arc<dyn Reader>, block: Block) -> Result<(), String> {
        for round in 1.. {
            if self.over.load(Ordering::SeqCst) {
                break;
            }
            let (reads, expected) = echoes(u64::try_from(task + TASKS * round).unwrap(), 5);
            let deadline = tokio::time::Instant::now() + AMPLE;
            let budget = Arc::new(ReadBudget::unbounded());
            let replies = Session::open(Arc::clone(&reader), CHAIN_ID, block, deadline, budget).read(reads).await;
            let outcomes: Vec<Outcome> = replies.into_iter().map(|reply| reply.outcome).collect();
            if outcomes != expected {
                return Err(format!("{outcomes:?} instead of {expected:?}"));
            }
            self.answers[task].fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }
}

#[test]
fn no_answer_fails_while_one_endpoint_is_well_however_they_die_and_return() {
    let chain = chain();
    let endpoints = [before(&chain), before(&chain)];
    let reader = TestReader::behind(&endpoints.each_ref());
    let block = reader.pin().unwrap();
    let load = Arc::new(Load::default());
    let put = |task: usize| {
        let (shared, load) = (Arc::clone(&reader.reader), Arc::clone(&load));
        reader.runtime.spawn(async move { load.put(task, shared, block).await })
    };
    let mut tasks: Vec<_> = (0..TASKS).map(put).collect();
    // Two answers of each task: the second one began after the change.
    let settle = |what: &str, tasks: &mut Vec<JoinHandle<_>>| {
        let from = load.answers();
        let answered = || {
            let all = load.answers().iter().zip(&from).all(|(now, before)| *now >= before + 2);
            let failed = tasks.iter().any(JoinHandle::is_finished);
            anyhow::ensure!(all || failed, "{:?} and before {from:?}", load.answers());
            Ok::<_, anyhow::Error>(())
        };
        wait::until(what, AMPLE, answered).unwrap();
        if let Some(place) = tasks.iter().position(JoinHandle::is_finished) {
            panic!("with {what}: {:?}", reader.runtime.block_on(tasks.swap_remove(place)));
        }
    };
    let (mut phases, mut met) = (0, 0);
    for (fault, flaws) in mishaps() {
        for sick in [0, 1] {
            let (what, requested) = (format!("{fault:?} {flaws:?} of {sick}"), endpoints[sick].requested("eth_call"));
            endpoints[sick].flawed(flaws.clone());
            endpoints[sick].set(fault.clone());
            settle(&what, &mut tasks);
            phases += 1;
            met += usize::from(endpoints[sick].requested("eth_call") > requested);
            // It is well again for a while, or an answer could meet it before that, and the other one after it.
            endpoints[sick].set(Fault::None);
            endpoints[sick].flawed(Flaws::default());
            settle(&format!("{what}, well again"), &mut tasks);
        }
    }
    assert!(met * 2 > phases, "reads met {met} of {phases} mishaps");
    load.over.store(true, Ordering::SeqCst);
    for task in tasks {
        reader.runtime.block_on(task).unwrap().unwrap();
    }
}
