//! The endpoints of one network: who is asked, for how long, who next, and when all of them once more.
//!
//! Invariant: a hanging endpoint leaves time for those after it, one that is excluded is asked last, but asked, and
//! what one endpoint does not answer the next one is asked.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::{Instant, sleep};

use crate::ask::Ask;
use crate::batch::Batch;
use crate::contracts::Contracts;
use crate::endpoint::Endpoint;
use crate::error::EndpointError;
use crate::heads::HeadSource;
use crate::health::Health;
use crate::limit::Limits;
use crate::order::Order;
use crate::outcomes::Outcomes;
use crate::status::EndpointStatus;
use crate::transaction::Told;
use crate::transport::Pool;
use crate::{Block, Outcome, ReadFailure, RpcUrl, Upstream};

/// Rounds over all endpoints; the third finds what a restart of a node's proxy takes.
const ROUNDS_MAX: u32 = 3;
/// Before the next round, at most; half of it at least, and twice that before the one after it.
const ROUND_PAUSE: Duration = Duration::from_millis(120);
/// How often those that are not asked otherwise are looked at, for their lag.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Of a look.
const LOOK_MAX: Duration = Duration::from_secs(4);

pub(crate) struct Endpoints {
    name: String,
    pub(crate) list: Vec<Arc<Endpoint>>,
    order: Order,
    contracts: Contracts,
}

impl Endpoints {
    pub(crate) fn new(upstream: &Upstream, pool: &Pool, limits: Limits) -> Self {
        let endpoint = |url: &RpcUrl| Arc::new(Endpoint::new(upstream.chain_id, url.clone(), pool, limits));
        Self {
            name: upstream.name.clone(),
            list: upstream.endpoints.iter().map(endpoint).collect(),
            order: Order::default(),
            contracts: Contracts::new(),
        }
    }

    /// How many reads one request to the preferred endpoint carries well.
    pub(crate) fn chunk_reads(&self) -> usize {
        self.in_turn().next().map_or(1, |(endpoint, _)| endpoint.chunk_reads())
    }

    /// Outcomes in the order of the reads, each from the first endpoint that gave one.
    pub(crate) async fn read(&self, block: &Block, ask: &dyn Ask, deadline: Instant) -> Outcomes {
        let mut outcomes = Outcomes::open(ask.len());
        let mut open: Vec<usize> = (0..ask.len()).collect();
        let mut errors = Vec::new();
        for round in 1..=ROUNDS_MAX {
            errors.clear();
            self.round(block, ask, deadline, &mut open, &mut outcomes, &mut errors).await;
            let again = errors.iter().any(EndpointError::is_retryable);
            if open.is_empty() || !again || !self.pause(round, deadline).await {
                break;
            }
        }
        outcomes.close(Outcome::Failed(EndpointError::summarize(&errors)));
        outcomes
    }

    /// Waits before the next round, where all are paused until the first of them is not; not if that leaves no time.
    async fn pause(&self, round: u32, deadline: Instant) -> bool {
        let now = Instant::now();
        let pauses: Option<Vec<Instant>> = self.list.iter().map(|endpoint| endpoint.health.paused_until(now)).collect();
        let all_paused = pauses.and_then(|pauses| pauses.into_iter().min());
        let pause = ROUND_PAUSE.mul_f64(f64::from(round) * (0.5 + fastrand::f64() / 2.0));
        let pause = all_paused.map_or(pause, |until| pause + until.saturating_duration_since(now));
        if now + pause * 2 >= deadline {
            return false;
        }
        sleep(pause).await;
        true
    }

    /// Asks each endpoint once for what those before it left open.
    async fn round(
        &self,
        block: &Block,
        ask: &dyn Ask,
        deadline: Instant,
        open: &mut Vec<usize>,
        outcomes: &mut Outcomes,
        errors: &mut Vec<EndpointError>,
    ) {
        for (endpoint, left) in self.in_turn() {
            if open.is_empty() {
                break;
            }
            let until = share(endpoint, deadline, left);
            if let Err(error) = endpoint.on_chain(until).await {
                errors.push(self.note(endpoint, error));
                continue;
            }
            let batch = Batch { endpoint, contracts: &self.contracts, block, ask, until };
            if let Err(error) = batch.answer(open, outcomes).await {
                errors.push(self.note(endpoint, error));
            }
            open.retain(|place| outcomes.get(*place).is_none());
        }
    }

    /// What becomes of a transaction: mined where one endpoint tells it. That it is not, all of them have to tell.
    pub(crate) async fn transaction(&self, hash: B256, deadline: Instant) -> Result<Told, ReadFailure> {
        let mut errors = Vec::new();
        let mut told = None;
        for round in 1..=ROUNDS_MAX {
            errors.clear();
            for (endpoint, left) in self.in_turn() {
                match endpoint.transaction(hash, share(endpoint, deadline, left)).await {
                    Ok(mined @ Told::Mined(_)) => return Ok(mined),
                    Ok(Told::Unknown) => told = told.or(Some(Told::Unknown)),
                    Ok(Told::Pending) => told = Some(Told::Pending),
                    Err(error) => errors.push(self.note(endpoint, error)),
                }
            }
            if !errors.iter().any(EndpointError::is_retryable) || !self.pause(round, deadline).await {
                break;
            }
        }
        // One that serves another chain has no say.
        let all_told = errors.iter().all(|error| matches!(error, EndpointError::WrongChain(_)));
        told.filter(|_| all_told).ok_or_else(|| EndpointError::summarize(&errors))
    }

    /// The answer of the first endpoint that gives one.
    async fn first<R>(
        &self,
        deadline: Instant,
        ask: impl for<'a> Fn(&'a Endpoint, Instant) -> BoxFuture<'a, Result<R, EndpointError>> + Sync,
    ) -> Result<R, ReadFailure> {
        let mut errors = Vec::new();
        for (endpoint, left) in self.in_turn() {
            match ask(endpoint, share(endpoint, deadline, left)).await {
                Ok(told) => return Ok(told),
                Err(error) => errors.push(self.note(endpoint, error)),
            }
        }
        Err(EndpointError::summarize(&errors))
    }

    /// The hash of the block that is at this height now.
    pub(crate) async fn hash_at(&self, number: u64, deadline: Instant) -> Result<Option<B256>, ReadFailure> {
        let block = self.first(deadline, |endpoint, until| endpoint.block_at(number, until).boxed()).await?;
        Ok(block.map(|block| block.hash))
    }

    pub(crate) fn status(&self) -> Vec<EndpointStatus> {
        let placed = self.order.placed(Instant::now(), &self.health());
        self.list.iter().zip(placed).map(|(endpoint, placed)| endpoint.status(placed)).collect()
    }

    fn health(&self) -> Vec<&Health> {
        self.list.iter().map(|endpoint| &endpoint.health).collect()
    }

    /// In the order in which they are asked now, each with the number of those from it to the end.
    fn in_turn(&self) -> impl Iterator<Item = (&Arc<Endpoint>, u32)> {
        let turn = self.order.in_turn(Instant::now(), &self.health());
        let left = (1..=u32::try_from(turn.len()).unwrap_or(u32::MAX)).rev();
        turn.into_iter().filter_map(|place| self.list.get(place)).zip(left)
    }

    fn note(&self, endpoint: &Endpoint, error: EndpointError) -> EndpointError {
        tracing::debug!(network = %self.name, %endpoint, %error, "endpoint stepped over");
        error
    }

    /// Looks at those that nobody asks, in the background: whether they are back, and how far behind.
    fn look_around(&self) {
        let now = Instant::now();
        for endpoint in &self.list {
            if endpoint.health.may_probe(now) || endpoint.health.head_age(now).is_none_or(|age| age >= LOOK_EVERY) {
                let endpoint = Arc::clone(endpoint);
                tokio::spawn(async move { endpoint.introduce(Instant::now() + LOOK_MAX).await });
            }
        }
    }
}

impl HeadSource for Endpoints {
    fn newest(&self, until: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move {
            let newest = self.first(until, |endpoint, until| endpoint.introduce(until).boxed()).await;
            self.look_around();
            newest
        }
        .boxed()
    }

    fn block(&self, hash: B256, until: Instant) -> BoxFuture<'_, Result<Option<Block>, ReadFailure>> {
        self.first(until, move |endpoint, until| endpoint.block(hash, until).boxed()).boxed()
    }
}

/// An equal part of the time that is left; less where there are others, and this one is known to be faster.
fn share(endpoint: &Endpoint, deadline: Instant, left: u32) -> Instant {
    let now = Instant::now();
    let share = deadline.saturating_duration_since(now) / left.max(1);
    let patience = if left > 1 { endpoint.health.patience() } else { None };
    now + patience.map_or(share, |patience| patience.min(share))
}
