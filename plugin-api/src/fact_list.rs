//! Fact lists: entries derived from reads of an append-only list, which later jobs reuse and extend.
//!
//! Invariant: the returned entries are the first of the contract's list, in order. If some are missing, the answer says
//! so.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use alloy::primitives::U256;
use alloy::sol_types::{SolType, SolValue};
use portolan_abi::limits::FACT_ENTRIES_MAX;
use portolan_abi::map::FactList;
use portolan_abi::{codec, fact_entries};

use crate::error::Error;
use crate::job_context::JobContext;
use crate::job_state::{FactEntries, JobState};
use crate::read::Read;
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;

/// Entries that a job walks first; few, since the reads per entry are unknown.
const FIRST_CHUNK: usize = 500;
/// Entries of each later chunk; a deadline loses at most one chunk.
const CHUNK: usize = 2_000;

impl JobContext {
    /// Returns the entries of an append-only list (gauges, pools, markets), each derived from reads once for all jobs.
    ///
    /// The host keeps what earlier jobs derived. `count` reads the length; with [`Read::within`](crate::Read::within) a
    /// job that has the list does not wait for it. `walk` derives the entries of a range. Its reads are at this job's
    /// block and have a budget of their own. Several jobs walk a long list; until it is complete, answers are partial.
    /// Entries must never change; hosts check them after hours, and drop a list that changed.
    ///
    /// Use entries only to find out what to read. They are no evidence for the target of a claim: for entries that
    /// matter to the account, read the contract that names the target again.
    ///
    /// `market` is the deployment's; `key` names the list in lower-case letters, digits and hyphens.
    ///
    /// ```
    /// # use portolan_plugin_api::*;
    /// # sol! {
    /// #     function length() external view returns (uint256);
    /// #     function pools(uint256 index) external view returns (address);
    /// #     function gauges(address pool) external view returns (address);
    /// # }
    /// # async fn example(cx: &JobContext, voter: Address) -> Result<(), Error> {
    /// let walk = |places: std::ops::Range<u64>| {
    ///     cx.join(places.map(move |place| async move {
    ///         let pool = cx.call(voter, poolsCall { index: U256::from(place) }).await?;
    ///         Ok((pool, cx.call(voter, gaugesCall { pool }).await?))
    ///     }))
    /// };
    /// let gauges: Vec<(Address, Address)> = cx.facts("main", "gauges", cx.call(voter, lengthCall {}), walk).await?;
    /// # let _ = gauges;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If `count` fails, the host has no such list, or `walk` returns a wrong number of entries.
    pub async fn facts<T, C, W, F>(&self, market: &str, key: &str, count: C, walk: W) -> Result<Vec<T>, Error>
    where
        T: SolValue + From<<T::SolType as SolType>::RustType>,
        C: Future<Output = Result<U256, Error>>,
        W: Fn(Range<u64>) -> F,
        F: Future<Output = Result<Vec<T>, Error>> + Send,
    {
        let name = format!("{market}/{key}");
        let request = ReadRequest::facts(self.network(), name.clone().into_bytes().into());
        let (known, total) = self.join((Read::new(&self.state, request, |_, result| known(result)), count)).await?;
        let total = usize::try_from(total).ok().filter(|total| u32::try_from(*total).is_ok());
        let total = total.ok_or_else(|| Error::new(format!("{name}: no list has so many entries")))?;
        let entries = decoded(&known).unwrap_or_default();
        let mut list = WalkedList { context: self, name, total, known, entries };
        if list.is_cut() {
            return Ok(list.entries);
        }
        list.drop_if_wrong();
        let walked = list.go_on(&walk).await?;
        if !walked {
            list.read_again(&walk).await;
        }
        Ok(list.entries)
    }
}

/// A list while one job uses it.
struct WalkedList<'c, T> {
    context: &'c JobContext,
    name: String,
    total: usize,
    known: FactList,
    entries: Vec<T>,
}

impl<T> WalkedList<'_, T>
where
    T: SolValue + From<<T::SolType as SolType>::RustType>,
{
    /// Drops entries of blocks newer than the job's; returns true if there were any.
    fn is_cut(&mut self) -> bool {
        let is_newer = self.entries.len() > self.total && self.known.block > self.context.block().number;
        if is_newer {
            self.entries.truncate(self.total);
        }
        is_newer
    }

    /// Resets the list if the host has more entries than the contract, or entries that do not decode.
    fn drop_if_wrong(&mut self) {
        if self.entries.len() > self.total || (self.entries.is_empty() && !self.known.entries.is_empty()) {
            self.put(0, &[]);
            self.entries.clear();
            self.known.again_from = None;
        }
    }

    /// Walks on until reads or half of the time are used up. Returns true if there was anything to walk.
    async fn go_on<W, F>(&mut self, walk: &W) -> Result<bool, Error>
    where
        W: Fn(Range<u64>) -> F,
        F: Future<Output = Result<Vec<T>, Error>> + Send,
    {
        let (state, end) = (&self.context.state, self.total.min(FACT_ENTRIES_MAX));
        if self.entries.len() == self.total {
            return Ok(false);
        }
        let half = state.budget().ms / 2;
        let (mut reads, mut chunk) = (u64::from(self.known.reads), FIRST_CHUNK);
        let mut lacks = String::new();
        while self.known.may_walk && self.entries.len() < end && chunk > 0 && state.budget().ms >= half {
            let from = self.entries.len();
            let places = from..end.min(from + chunk);
            let before = state.walk_reads();
            let found = match self.walked(walk, places.clone()).await {
                Ok(found) => found,
                Err(error) => {
                    lacks = format!(" ({error})");
                    break;
                }
            };
            if found.len() != places.len() {
                let (name, expected) = (&self.name, places.len());
                return Err(Error::new(format!("{name}: walked {} entries instead of {expected}", found.len())));
            }
            self.put(from, &encoded(&found));
            self.entries.extend(found);
            let used = state.walk_reads() - before;
            reads = reads.saturating_sub(used);
            let affordable = (reads * as_u64(places.len())).checked_div(used).unwrap_or(u64::MAX);
            chunk = usize::try_from(affordable).unwrap_or(CHUNK).min(CHUNK);
        }
        let (name, known, total) = (&self.name, self.entries.len(), self.total);
        if known < total {
            self.context.report_missing(format!("{name}: {known} of {total} known, the rest is being read{lacks}"));
        }
        Ok(true)
    }

    /// Reads due entries again, and reports changes. Entries that fail stay due for the next job.
    async fn read_again<W, F>(&mut self, walk: &W)
    where
        W: Fn(Range<u64>) -> F,
        F: Future<Output = Result<Vec<T>, Error>> + Send,
    {
        let (Some(from), Some(count), true) = (self.known.again_from, self.known.again_count, self.known.may_walk)
        else {
            return;
        };
        let (from, count) = (from as usize, count as usize);
        let Some(before) = from.checked_add(count).and_then(|end| self.entries.get(from..end)).map(encoded) else {
            return;
        };
        let Ok(found) = self.walked(walk, from..from + count).await else { return };
        if found.len() != count {
            return;
        }
        let now = encoded(&found);
        self.put(from, &now);
        if now != before {
            self.context.report_missing(format!("{}: entries have changed, the list is read anew", self.name));
            self.entries.splice(from..from + count, found);
        }
    }

    async fn walked<W, F>(&self, walk: &W, places: Range<usize>) -> Result<Vec<T>, Error>
    where
        W: Fn(Range<u64>) -> F,
        F: Future<Output = Result<Vec<T>, Error>> + Send,
    {
        let walk = Box::pin(walk(as_u64(places.start)..as_u64(places.end)));
        Walking { state: &self.context.state, walk }.await
    }

    fn put(&self, from: usize, entries: &[u8]) {
        let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
        let (from, total, entries) = (number(from), number(self.total), entries.to_vec());
        self.context.state.put_facts(FactEntries { list: self.name.clone(), from, total, entries });
    }
}

/// Polls the author's walk, and marks its reads as reads of a walk.
struct Walking<'c, F> {
    state: &'c JobState,
    walk: Pin<Box<F>>,
}

impl<F: Future> Future for Walking<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let before = self.state.set_walking(true);
        let polled = self.walk.as_mut().poll(cx);
        self.state.set_walking(before);
        polled
    }
}

fn known(result: ReadResult) -> Result<FactList, Error> {
    match result {
        ReadResult::Ok(bytes) => {
            codec::decode(&bytes).map_err(|error| Error::new(format!("the host's fact list: {error}")))
        }
        ReadResult::OverBudget => Err(Error::new("the job reads too many fact lists")),
        _ => Err(Error::new("the host has no such fact list")),
    }
}

/// Decodes the entries; `None` if they are of another type.
fn decoded<T>(known: &FactList) -> Option<Vec<T>>
where
    T: SolValue + From<<T::SolType as SolType>::RustType>,
{
    fact_entries::entries(&known.entries)?.into_iter().map(|entry| T::abi_decode(entry).ok()).collect()
}

fn encoded<T: SolValue>(entries: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        fact_entries::push(&mut bytes, &entry.abi_encode());
    }
    bytes
}

fn as_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
