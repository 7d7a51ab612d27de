//! State shared by a job's code and its host: requests and findings out, results in.
//!
//! Invariant: a result belongs to the read with its index. Each read gets one result; until then it is open.

use std::ops::Range;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use portolan_abi::map::Finding;
use portolan_abi::row::purpose;

use crate::finding_filter::FindingFilter;
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;
use crate::request_rows::{CallList, RequestRows};

/// Remaining budget of a job.
///
/// ```
/// use portolan_plugin_api::JobContext;
///
/// /// Returns true if there is room to read a list of this length, or else says what is left out.
/// fn has_room(cx: &JobContext, length: u32) -> bool {
///     let fits = cx.budget().reads > length;
///     if !fits {
///         cx.report_not_covered(format!("{length} vaults are more than one answer may read"));
///     }
///     fits
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Milliseconds left when the job was last resumed.
    pub ms: u32,
    /// Reads that it may still request.
    pub reads: u32,
    /// Reply bytes that it may still get.
    pub bytes: u32,
}

/// Entries for a fact list.
#[derive(Debug)]
pub(crate) struct FactEntries {
    /// `market/key`.
    pub(crate) list: String,
    pub(crate) from: u32,
    /// Length of the whole list.
    pub(crate) total: u32,
    /// Entries as [`portolan_abi::fact_entries`] writes them.
    pub(crate) entries: Vec<u8>,
}

/// State of a job beside its future.
#[derive(Debug, Default)]
pub(crate) struct JobState(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// One slot per read of the job; the index is the read's number.
    slots: Vec<Slot>,
    /// Numbers of the reads without a result, ascending.
    open: Vec<usize>,
    requests: RequestRows,
    findings: Vec<Finding>,
    filter: FindingFilter,
    missing: Vec<String>,
    not_covered: Vec<String>,
    /// True if a question called a function that the plugin does not implement.
    met_default: bool,
    budget: Budget,
    facts: Vec<FactEntries>,
    /// True while the future that walks a fact list is polled.
    walking: bool,
    walk_reads: u64,
    /// The job's own waker.
    root: Option<Waker>,
}

#[derive(Debug, Default)]
struct Slot {
    result: Option<ReadResult>,
    waker: Option<Waker>,
}

impl Inner {
    /// Returns the waker to store; `None` if it is the job's own.
    fn waker(&self, cx: &Context<'_>) -> Option<Waker> {
        let is_root = self.root.as_ref().is_some_and(|root| root.will_wake(cx.waker()));
        (!is_root).then(|| cx.waker().clone())
    }

    /// Marks reads of a request as part of a walk, if one is being polled.
    fn begin(&mut self, request: &mut ReadRequest, reads: usize) {
        if self.walking {
            request.purpose = purpose::WALK;
            self.walk_reads += u64::try_from(reads).unwrap_or(u64::MAX);
        }
    }

    /// Numbers new reads; `cx` is woken when the first has a result.
    fn open(&mut self, reads: usize, cx: &Context<'_>) -> Range<usize> {
        let numbers = self.slots.len()..self.slots.len() + reads;
        self.slots.resize_with(numbers.end, Slot::default);
        self.open.extend(numbers.clone());
        self.wait(numbers.start, cx);
        numbers
    }

    /// Wakes `cx` when a read has its result.
    fn wait(&mut self, number: usize, cx: &Context<'_>) {
        let waker = self.waker(cx);
        if let Some(slot) = self.slots.get_mut(number) {
            slot.waker = waker;
        }
    }
}

impl JobState {
    /// Sets the waker that the job's future is polled with at every delivery. A read that waits with it needs no wake.
    pub(crate) fn set_root(&self, waker: Waker) {
        self.0.lock().root = Some(waker);
    }

    pub(crate) fn budget(&self) -> Budget {
        self.0.lock().budget
    }

    /// Adds a finding, unless a contract's reply made it invalid.
    pub(crate) fn emit(&self, finding: Finding) {
        let mut inner = self.0.lock();
        if inner.filter.accepts(&finding) {
            inner.findings.push(finding);
        }
    }

    pub(crate) fn report_missing(&self, why: String) {
        self.0.lock().missing.push(why);
    }

    /// Adds a sentence once: several rows of a plugin may report the same gap.
    pub(crate) fn report_not_covered(&self, why: String) {
        let mut inner = self.0.lock();
        if !inner.not_covered.contains(&why) {
            inner.not_covered.push(why);
        }
    }

    /// Records that a default function was called, one that the plugin does not implement.
    pub(crate) fn note_default(&self) {
        self.0.lock().met_default = true;
    }

    pub(crate) fn met_default(&self) -> bool {
        self.0.lock().met_default
    }

    pub(crate) fn put_facts(&self, entries: FactEntries) {
        self.0.lock().facts.push(entries);
    }

    /// Sets if new reads belong to a walk; returns the previous value.
    pub(crate) fn set_walking(&self, walking: bool) -> bool {
        std::mem::replace(&mut self.0.lock().walking, walking)
    }

    /// Returns the number of reads requested to walk fact lists.
    pub(crate) fn walk_reads(&self) -> u64 {
        self.0.lock().walk_reads
    }

    /// Queues a read and returns its number. `cx` is woken when it has a result.
    pub(crate) fn request(&self, request: &mut ReadRequest, cx: &Context<'_>) -> usize {
        let mut inner = self.0.lock();
        inner.begin(request, 1);
        inner.requests.push(request);
        inner.open(1, cx).start
    }

    /// Queues one read per call, otherwise equal to `request`; returns their numbers. `cx` is woken when the first has
    /// a result.
    pub(crate) fn request_each(&self, request: &mut ReadRequest, of: &CallList, cx: &Context<'_>) -> Range<usize> {
        let mut inner = self.0.lock();
        inner.begin(request, of.len());
        inner.requests.push_each(request, of);
        inner.open(of.len(), cx)
    }

    /// Returns the result of a read, or stores the waker.
    pub(crate) fn poll_result(&self, number: usize, cx: &Context<'_>) -> Poll<ReadResult> {
        let mut inner = self.0.lock();
        match inner.slots.get_mut(number).and_then(|slot| slot.result.take()) {
            Some(result) => Poll::Ready(result),
            None => {
                inner.wait(number, cx);
                Poll::Pending
            }
        }
    }

    /// Returns the results of several reads once all have one; stores the waker until then.
    pub(crate) fn poll_results(&self, numbers: Range<usize>, cx: &Context<'_>) -> Poll<Vec<ReadResult>> {
        let mut inner = self.0.lock();
        let slots = inner.slots.get_mut(numbers.clone()).unwrap_or_default();
        match slots.iter().position(|slot| slot.result.is_none()) {
            None => Poll::Ready(slots.iter_mut().filter_map(|slot| slot.result.take()).collect()),
            Some(first) => {
                inner.wait(numbers.start + first, cx);
                Poll::Pending
            }
        }
    }

    /// Takes one outcome per open read, in order, and wakes waiting futures. Reads without a result stay open.
    ///
    /// # Errors
    /// If the number of outcomes differs from the number of open reads.
    pub(crate) fn deliver(
        &self,
        budget: Budget,
        results: impl ExactSizeIterator<Item = Option<ReadResult>>,
    ) -> Result<(), String> {
        let mut wakers = Vec::new();
        {
            let mut inner = self.0.lock();
            inner.budget = budget;
            let open = std::mem::take(&mut inner.open);
            if results.len() != open.len() {
                return Err(format!("{} replies to {} open reads", results.len(), open.len()));
            }
            for (number, result) in open.into_iter().zip(results) {
                match (result, inner.slots.get_mut(number)) {
                    (Some(result), Some(slot)) => {
                        slot.result = Some(result);
                        wakers.extend(slot.waker.take());
                    }
                    _ => inner.open.push(number),
                }
            }
        }
        wakers.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Drops results and wakers. Wakers of the author may panic when dropped.
    pub(crate) fn close(&self) {
        let slots = std::mem::take(&mut self.0.lock().slots);
        drop(slots);
    }

    /// Returns true if a read waits for the host.
    pub(crate) fn has_open_reads(&self) -> bool {
        !self.0.lock().open.is_empty()
    }

    pub(crate) fn take_requests(&self) -> RequestRows {
        std::mem::take(&mut self.0.lock().requests)
    }

    pub(crate) fn take_findings(&self) -> Vec<Finding> {
        std::mem::take(&mut self.0.lock().findings)
    }

    pub(crate) fn take_facts(&self) -> Vec<FactEntries> {
        std::mem::take(&mut self.0.lock().facts)
    }

    pub(crate) fn take_missing(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().missing)
    }

    /// Returns true if findings were dropped because of contracts' replies.
    pub(crate) fn has_invalid_replies(&self) -> bool {
        self.0.lock().filter.has_left_out()
    }

    pub(crate) fn take_invalid_replies(&self) -> String {
        self.0.lock().filter.take_left_out()
    }

    pub(crate) fn has_not_covered(&self) -> bool {
        !self.0.lock().not_covered.is_empty()
    }

    pub(crate) fn take_not_covered(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().not_covered)
    }
}
