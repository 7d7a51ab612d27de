//! Equal reads of a job: made once, for all futures that await one. The questions of a job read much alike, as they are
//! about the same account and the same contracts.
//!
//! Invariant: what a job reads depends on the replies alone, and not on when they come. So a read is known to the end of
//! its job.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::task::Waker;

use alloy::primitives::Address;
use portolan_abi::row::kind;

use crate::read_request::ReadRequest;
use crate::request_rows::CallList;

/// The reads of a job, by what they ask.
#[derive(Debug, Default)]
pub(crate) struct SharedReads {
    reads: HashMap<ReadRequest, usize>,
    /// Calls of many, by the first target and their number.
    lists: HashMap<(Option<Address>, usize), Vec<MadeList>>,
    /// The futures that wait for a read, by its number.
    waiting: HashMap<usize, Vec<Waker>>,
}

/// Calls of many that are made.
#[derive(Debug)]
struct MadeList {
    request: ReadRequest,
    calls: Arc<CallList>,
    first: usize,
}

impl SharedReads {
    /// Returns the number of the last equal read.
    pub(crate) fn read(&self, request: &ReadRequest) -> Option<usize> {
        self.reads.get(request).copied()
    }

    /// Returns the numbers of the last equal calls.
    pub(crate) fn reads(&self, request: &ReadRequest, calls: &CallList) -> Option<Range<usize>> {
        let equal = |made: &&MadeList| made.request == *request && *made.calls == *calls;
        let made = self.lists.get(&key(calls))?.iter().rev().find(equal)?;
        Some(made.first..made.first + calls.len())
    }

    /// Takes a new read. A fact list is none: the host lets one reader alone extend it.
    pub(crate) fn put(&mut self, request: &ReadRequest, number: usize) {
        if request.kind != kind::FACTS {
            self.reads.insert(request.clone(), number);
        }
    }

    /// Takes new calls of many.
    pub(crate) fn put_each(&mut self, request: &ReadRequest, calls: &Arc<CallList>, first: usize) {
        let made = MadeList { request: request.clone(), calls: Arc::clone(calls), first };
        self.lists.entry(key(calls)).or_default().push(made);
    }

    /// Keeps a waker until the read has its result.
    pub(crate) fn wait(&mut self, number: usize, waker: Waker) {
        let waiting = self.waiting.entry(number).or_default();
        if !waiting.iter().any(|known| known.will_wake(&waker)) {
            waiting.push(waker);
        }
    }

    /// Takes the wakers of a read.
    pub(crate) fn take_waiting(&mut self, number: usize) -> Vec<Waker> {
        self.waiting.remove(&number).unwrap_or_default()
    }
}

fn key(calls: &CallList) -> (Option<Address>, usize) {
    (calls.targets().next(), calls.len())
}
