//! The endpoints of one network: which one gets a request, for how long, which one is next, and when all are tried
//! again.
//!
//! Invariant: a hanging endpoint leaves time for those before and after it. An excluded one comes last, but is tried.
//! Reads that one endpoint does not answer go to the next.

mod turns;

mod approvals;
mod cross_check;
mod finality;
mod named_block;
mod receipt_check;

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};

use self::finality::Finality;
use self::receipt_check::ReceiptCheck;
use self::turns::Turn;
use crate::chain::block::unix_s;
use crate::chain::contract_log::ContractLog;
use crate::chain::gas_price::{GasPrice, PriceAt};
use crate::chain::heads::HeadSource;
use crate::chain::transaction::TransactionLookup;
use crate::client_id::ClientId;
use crate::endpoints::batch::Batch;
use crate::endpoints::client_rates::ClientRates;
use crate::endpoints::endpoint::Endpoint;
use crate::endpoints::health::{Health, HealthState};
use crate::endpoints::heavy_calls::HeavyCalls;
use crate::endpoints::limit::Limits;
use crate::endpoints::selector::EndpointSelector;
use crate::endpoints::status::EndpointStatus;
use crate::reads::outcomes::Outcomes;
use crate::reads::read_budget::ReadBudget;
use crate::reads::read_set::ReadSet;
use crate::wire::error::EndpointError;
use crate::wire::transport::Pool;
use crate::{Block, Outcome, ReadFailure, RpcUrl};

/// Maximum rounds over all endpoints; the third outlasts a restart of a node's proxy.
const ROUNDS_MAX: u32 = 3;
/// Longest pause before the second round, of which at least half is taken. Each round adds as much, up to
/// [`ROUND_PAUSE_MAX`].
const ROUND_PAUSE: Duration = Duration::from_millis(120);
/// Upper bound of the pause in the further rounds for a block that the chain has and the endpoints do not find.
const ROUND_PAUSE_MAX: Duration = Duration::from_secs(1);
/// A newest block this old means that the chain rests or the node has stopped: its peers show which.
const OLD_HEAD_S: u64 = 60;
/// How long to wait in that case for peers that reported no block recently.
const PEERS_TIMEOUT: Duration = Duration::from_secs(1);
/// How long to repeat the request for a receipt that is missing though its transaction is in a block: by then the
/// nodes behind one address agree, unless none keeps receipts that old.
const LATE_RECEIPT_MAX: Duration = Duration::from_secs(3);
/// Interval at which endpoints that get no other requests are probed for their lag.
const IDLE_PROBE_EVERY: Duration = Duration::from_secs(30);
const IDLE_PROBE_TIMEOUT: Duration = Duration::from_secs(4);

/// A network and its endpoints, preferred first.
#[derive(Clone, Debug)]
pub struct Upstream {
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// For logs.
    pub name: String,
    pub endpoints: Vec<RpcUrl>,
    /// True if a transaction counts only if the header of its block proves its receipt.
    pub verify_receipts: bool,
}

pub(crate) struct Endpoints {
    name: String,
    pub(crate) list: Vec<Arc<Endpoint>>,
    selector: EndpointSelector,
    heavy_calls: HeavyCalls,
    client_rates: ClientRates,
    finality: Finality,
    verify_receipts: bool,
}

impl Endpoints {
    pub(crate) fn new(upstream: &Upstream, pool: &Pool, limits: Limits) -> Self {
        let endpoint = |url: &RpcUrl| Arc::new(Endpoint::new(upstream.chain_id, url.clone(), pool, limits));
        Self {
            name: upstream.name.clone(),
            list: upstream.endpoints.iter().map(endpoint).collect(),
            selector: EndpointSelector::default(),
            heavy_calls: HeavyCalls::new(),
            client_rates: ClientRates::default(),
            finality: Finality::default(),
            verify_receipts: upstream.verify_receipts,
        }
    }

    /// Waits until a client may cause this many requests.
    pub(crate) async fn wait_for_turn(
        &self,
        client: Option<&ClientId>,
        requests: u32,
        until: Instant,
    ) -> Result<(), ReadFailure> {
        let per_second = self.ranked().first().and_then(|endpoint| endpoint.limiter.per_second());
        let is_in_time = self.client_rates.wait(client, requests, per_second, until).await;
        is_in_time.then_some(()).ok_or(ReadFailure::Timeout)
    }

    /// Returns the number of reads that fit well into one request to the preferred endpoint.
    pub(crate) fn chunk_reads(&self) -> usize {
        self.ranked().first().map_or(1, |endpoint| endpoint.chunk_reads())
    }

    /// Returns outcomes in the order of the reads, each from the first endpoint that gave one, while the budget's
    /// requests last.
    pub(crate) async fn read(
        &self,
        block: &Block,
        reads: &ReadSet,
        deadline: Instant,
        budget: &ReadBudget,
    ) -> Outcomes {
        let mut outcomes = Outcomes::open(reads.len());
        let mut open: Vec<usize> = (0..reads.len()).collect();
        let mut errors = Vec::new();
        let now = Instant::now();
        // The rest is for reads at another block.
        let half = now + deadline.saturating_duration_since(now) / 2;
        for round in 1.. {
            errors.clear();
            let reading = self.read_round(round, block, reads, deadline, budget, &mut open, &mut outcomes, &mut errors);
            let is_whole = reading.await;
            if open.is_empty() || budget.is_spent() {
                break;
            }
            let may_succeed = !is_whole
                || (round < ROUNDS_MAX && errors.iter().any(EndpointError::is_retryable))
                || (errors.contains(&EndpointError::UnknownBlock) && self.has_block(block, half).await);
            if !may_succeed || !self.pause(round, deadline).await {
                break;
            }
        }
        let failure = if budget.is_spent() { ReadFailure::OverBudget } else { EndpointError::summarize(&errors) };
        outcomes.close(Outcome::Failed(failure));
        outcomes
    }

    /// Returns true if the chain still has the block, so that endpoints will find it again. Tries until `until`.
    async fn has_block(&self, block: &Block, until: Instant) -> bool {
        let at_height =
            self.first_reply(until, |endpoint, until| endpoint.block_by_number(block.number, until).boxed());
        matches!(at_height.await, Ok(Some(found)) if found.hash == block.hash)
    }

    /// Sends each endpoint the reads that those before it left open. In the first round, if some endpoints are known
    /// to answer, the others are skipped until those were tried again. Returns true if none was skipped.
    #[allow(clippy::too_many_arguments, reason = "the state of one read, in one place")]
    async fn read_round(
        &self,
        round: u32,
        block: &Block,
        reads: &ReadSet,
        deadline: Instant,
        budget: &ReadBudget,
        open: &mut Vec<usize>,
        outcomes: &mut Outcomes,
        errors: &mut Vec<EndpointError>,
    ) -> bool {
        let turns = self.turns(round);
        let is_choosy = round == 1 && turns.iter().any(|turn| turn.is_promising);
        let is_whole = !is_choosy || turns.iter().all(|turn| turn.is_promising);
        let turns = turns.into_iter().filter(|turn| turn.endpoint.may_have_state(block));
        for turn in turns.filter(|turn| !is_choosy || turn.is_promising) {
            if open.is_empty() || budget.is_spent() {
                break;
            }
            let (endpoint, until) = (turn.endpoint, turn.until(deadline));
            if let Err(error) = endpoint.ensure_usable(until).await {
                errors.push(self.log(endpoint, error));
                continue;
            }
            let (heavy_calls, client_rates) = (&self.heavy_calls, &self.client_rates);
            let batch = Batch { endpoint, heavy_calls, client_rates, block, reads, until, budget };
            match batch.read(open, outcomes).await {
                Ok(()) => outcomes.note_answering(self.place(endpoint)),
                Err(error) => errors.push(self.log(endpoint, error)),
            }
            outcomes.note_endpoint(open, self.place(endpoint));
            open.retain(|place| outcomes.get(*place).is_none());
        }
        is_whole
    }

    /// Waits before the next round; if all endpoints are paused, first until one of them is not. Returns false,
    /// without waiting, if that leaves no time.
    async fn pause(&self, round: u32, deadline: Instant) -> bool {
        let now = Instant::now();
        let pauses: Option<Vec<Instant>> = self.list.iter().map(|endpoint| endpoint.health.paused_until(now)).collect();
        let all_paused = pauses.and_then(|pauses| pauses.into_iter().min());
        let pause = (ROUND_PAUSE * round).min(ROUND_PAUSE_MAX).mul_f64(0.5 + fastrand::f64() / 2.0);
        let pause = all_paused.map_or(pause, |until| pause + until.saturating_duration_since(now));
        if now + pause * 2 >= deadline {
            return false;
        }
        sleep(pause).await;
        true
    }

    /// Returns the state of a transaction. It is mined if one endpoint says so, in a block whose hash is not known to
    /// be wrong at its height, and that proves the receipt if receipts are verified. It counts as not mined only if
    /// all endpoints say so and none reports it in a block. `known` returns the hash last seen at a height.
    pub(crate) async fn transaction(
        &self,
        hash: B256,
        deadline: Instant,
        known: impl Fn(u64) -> Option<B256>,
    ) -> Result<TransactionLookup, ReadFailure> {
        let (mut errors, mut lookup, mut is_in_block) = (Vec::new(), None, false);
        let half = deadline.saturating_duration_since(Instant::now()) / 2;
        let late = Instant::now() + half.min(LATE_RECEIPT_MAX);
        for round in 1.. {
            errors.clear();
            for turn in self.turns(round) {
                let endpoint = turn.endpoint;
                let mut found = endpoint.transaction(hash, turn.until(deadline)).await;
                if let Ok(TransactionLookup::Mined(receipt)) = &found {
                    let check = ReceiptCheck { endpoints: self, turn: &turn, transaction: hash, receipt, deadline };
                    if let Err(error) = check.run(known(receipt.block_number)).await {
                        found = Err(error);
                    }
                }
                match found {
                    Ok(mined @ TransactionLookup::Mined(_)) => return Ok(mined),
                    Ok(TransactionLookup::Unknown) => lookup = lookup.or(Some(TransactionLookup::Unknown)),
                    Ok(TransactionLookup::Pending) => lookup = Some(TransactionLookup::Pending),
                    Err(error) => {
                        is_in_block |= error == EndpointError::HalfKnown;
                        errors.push(self.log(endpoint, error));
                    }
                }
            }
            let may_succeed = (round < ROUNDS_MAX && errors.iter().any(EndpointError::is_retryable))
                || (is_in_block && Instant::now() < late);
            if !may_succeed || !self.pause(round, deadline).await {
                break;
            }
        }
        // An endpoint that serves another chain or is still syncing does not count.
        let all_replied = errors.iter().all(EndpointError::is_not_counted);
        lookup.filter(|_| all_replied && !is_in_block).ok_or_else(|| EndpointError::summarize(&errors))
    }

    /// Returns the block with this hash, from the first endpoint that knows it: a block that one of them reported may
    /// not have reached the others yet.
    pub(crate) async fn block(&self, hash: B256, deadline: Instant) -> Result<Block, ReadFailure> {
        let mut errors = Vec::new();
        for round in 1..=ROUNDS_MAX {
            errors.clear();
            for turn in self.turns(round) {
                let error = match turn.endpoint.block_by_hash(hash, turn.until(deadline)).await {
                    Ok(Some(block)) if block.hash == hash => return Ok(block),
                    Ok(Some(_)) => EndpointError::Malformed,
                    Ok(None) => EndpointError::UnknownBlock,
                    Err(error) => error,
                };
                errors.push(self.log(turn.endpoint, error));
            }
            if !self.pause(round, deadline).await {
                break;
            }
        }
        Err(EndpointError::summarize(&errors))
    }

    /// Returns true if each movement of the native token in a block left a log. Requests its header if the reported
    /// ones leave that open.
    pub(crate) async fn logs_native(&self, number: u64, hash: B256, deadline: Instant) -> Result<bool, ReadFailure> {
        let known = || self.list.iter().filter_map(|endpoint| endpoint.logs_native(number)).max();
        if known().is_none() {
            self.block(hash, deadline).await?;
        }
        // An endpoint that turned out to serve another chain has shown nothing.
        Ok(known().unwrap_or_default())
    }

    pub(crate) async fn gas_price(&self, at: PriceAt, deadline: Instant) -> Result<GasPrice, ReadFailure> {
        self.first_reply(deadline, move |endpoint, until| endpoint.gas_price(at, until).boxed()).await
    }

    /// Returns the logs of these contracts after one block, up to and with a later one.
    pub(crate) async fn contract_logs(
        &self,
        after: Block,
        to: Block,
        contracts: &Arc<[Address]>,
        deadline: Instant,
    ) -> Result<Vec<ContractLog>, ReadFailure> {
        let contracts = Arc::clone(contracts);
        self.first_reply(deadline, move |endpoint, until| {
            let contracts = Arc::clone(&contracts);
            async move { endpoint.contract_logs(&after, &to, &contracts, until).await }.boxed()
        })
        .await
    }

    /// Returns the reply of the first endpoint that gives one.
    async fn first_reply<R>(
        &self,
        deadline: Instant,
        request: impl for<'a> Fn(&'a Endpoint, Instant) -> BoxFuture<'a, Result<R, EndpointError>> + Sync,
    ) -> Result<R, ReadFailure> {
        let mut errors = Vec::new();
        for turn in self.turns(1) {
            match request(turn.endpoint, turn.until(deadline)).await {
                Ok(reply) => return Ok(reply),
                Err(error) => errors.push(self.log(turn.endpoint, error)),
            }
        }
        Err(EndpointError::summarize(&errors))
    }

    pub(crate) fn status(&self) -> Vec<EndpointStatus> {
        let now = Instant::now();
        let placements = self.selector.placements(now, &self.health());
        self.list.iter().zip(placements).map(|(endpoint, placement)| endpoint.status(placement, now)).collect()
    }

    fn health(&self) -> Vec<&Health> {
        self.list.iter().map(|endpoint| &endpoint.health).collect()
    }

    /// Returns the endpoints in the order in which they are tried now.
    fn ranked(&self) -> Vec<&Arc<Endpoint>> {
        let ranked = self.selector.ranked(Instant::now(), &self.health());
        ranked.into_iter().filter_map(|place| self.list.get(place)).collect()
    }

    /// Returns the turns of this round, counted from 1.
    fn turns(&self, round: u32) -> Vec<Turn<'_>> {
        turns::turns(&self.ranked(), round)
    }

    fn log(&self, endpoint: &Endpoint, error: EndpointError) -> EndpointError {
        tracing::debug!(network = %self.name, %endpoint, %error, "endpoint stepped over");
        error
    }

    /// Probes, in the background, endpoints that get no other requests: whether they are back, how far they lag, and
    /// if they sync. Returns the probes of the healthy ones.
    fn probe_idle(&self) -> Vec<JoinHandle<Result<Block, EndpointError>>> {
        let now = Instant::now();
        let mut probes = Vec::new();
        for endpoint in &self.list {
            let is_idle = endpoint.health.head_age(now).is_none_or(|age| age >= IDLE_PROBE_EVERY);
            if endpoint.health.may_probe(now) || is_idle {
                let endpoint = Arc::clone(endpoint);
                let until = now + IDLE_PROBE_TIMEOUT;
                let is_healthy = endpoint.health.state(now) == HealthState::Healthy;
                let probe = tokio::spawn(async move { endpoint.poll_idle(until).await });
                probes.extend(Some(probe).filter(|_| is_healthy));
            }
        }
        probes
    }
}

/// Returns the newest block of these probes and of `known`, which is replaced only by a much newer one.
async fn newest_of(probes: Vec<JoinHandle<Result<Block, EndpointError>>>, known: Block, until: Instant) -> Block {
    let mut probes: FuturesUnordered<_> = probes.into_iter().collect();
    let mut newest = known;
    while let Ok(Some(probed)) = timeout_at(until, probes.next()).await {
        let is_newer = |block: &Block| {
            block.timestamp > newest.timestamp && block.timestamp.saturating_sub(known.timestamp) >= OLD_HEAD_S
        };
        newest = probed.ok().and_then(Result::ok).filter(is_newer).unwrap_or(newest);
    }
    newest
}

impl HeadSource for Endpoints {
    fn newest(&self, until: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async move {
            let newest =
                self.first_reply(until, |endpoint, until| endpoint.newest_block_and_probe(until).boxed()).await;
            let probes = self.probe_idle();
            let newest = newest?;
            if newest.timestamp.saturating_add(OLD_HEAD_S) > unix_s() {
                return Ok(newest);
            }
            let (now, half) = (Instant::now(), until.saturating_duration_since(Instant::now()) / 2);
            Ok(newest_of(probes, newest, now + half.min(PEERS_TIMEOUT)).await)
        }
        .boxed()
    }

    fn block(&self, hash: B256, until: Instant) -> BoxFuture<'_, Result<Option<Block>, ReadFailure>> {
        self.first_reply(until, move |endpoint, until| endpoint.block_by_hash(hash, until).boxed()).boxed()
    }
}
