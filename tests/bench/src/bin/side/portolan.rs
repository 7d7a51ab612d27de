//! Portolan's reader, as the gateway uses it: pin, then read in a session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall as _;
use anyhow::{Context as _, Result, bail, ensure};
use futures_util::future::{BoxFuture, FutureExt as _, join_all, poll_immediate};
use portolan_reader::{
    AccountCode, BatchMethod, Block, ChainReader, Effort, Limits, Outcome, Read, ReadBudget, ReadSet, Reader, Reply,
    Run, RunStep, Sender, Session, Simulation, SimulationMethod, Upstream, Watched,
};
use tokio::time::Instant;

use super::BalanceQuery;
use portolan_bench::peer::Way;

/// The gas limit that each claim is tried with.
const CLAIM_GAS: u32 = 200_000;
/// Longer than any answer takes.
const DEADLINE: Duration = Duration::from_secs(60);

alloy::sol! {
    function balanceOf(address owner) external view returns (uint256);
    function claim() external;
}

/// A reader for each URL.
pub(super) struct Portolan {
    chain_id: u64,
    readers: BTreeMap<String, Arc<ChainReader>>,
}

impl Portolan {
    pub(super) fn new(chain_id: u64) -> Self {
        Self { chain_id, readers: BTreeMap::new() }
    }

    pub(super) async fn balances(&mut self, query: &BalanceQuery<'_>) -> Result<Vec<U256>> {
        let (reader, block, deadline) = self.begin(query).await?;
        let session = Session::open(reader, self.chain_id, block, deadline, Arc::new(ReadBudget::unbounded()));
        amounts(&session.read(reads(query)).await)
    }

    /// Reads the balances that are not zero, by the place of their token.
    pub(super) async fn held(&mut self, query: &BalanceQuery<'_>) -> Result<Vec<(usize, U256)>> {
        let (reader, block, deadline) = self.begin(query).await?;
        let session = Session::open(reader, self.chain_id, block, deadline, Arc::new(ReadBudget::unbounded()));
        let balance_of = Read::call(Address::ZERO, balanceOfCall { owner: query.account }.abi_encode());
        let replies = session.read_set(ReadSet::of_each(query.tokens.to_vec(), balance_of)).await;
        replies.besides_zeros().map(|(place, outcome)| Ok((place, amount(outcome)?))).collect()
    }

    /// Simulates the claims of the first farms, and returns what they pay.
    pub(super) async fn claims(&mut self, query: &BalanceQuery<'_>, way: Way) -> Result<Vec<U256>> {
        let (reader, block, deadline) = self.begin(query).await?;
        let session = Session::open(reader, self.chain_id, block, deadline, Arc::new(ReadBudget::unbounded()));
        let data = Bytes::from(claimCall {}.abi_encode());
        let simulation = |(farm, token): (&Address, &Address)| Simulation {
            steps: vec![RunStep { to: *farm, value: U256::ZERO, data: data.clone(), gas: CLAIM_GAS }],
            watched: Watched { tokens: vec![*token, *farm], own: 2, spenders: vec![*farm] },
        };
        let simulations: Vec<Simulation> = query.world.farms.iter().zip(query.tokens).map(simulation).collect();
        // The gateway reads what it has along with the first reads of its jobs.
        let sender = Sender { account: query.account, code: AccountCode::None, balance: U256::ZERO };
        let claims: Vec<_> = simulations.iter().map(|simulation| (&sender, simulation)).collect();
        let runs = session.simulate(&claims, Effort::Packed).await;
        let method = match way {
            Way::SimulationByOverride => SimulationMethod::Override,
            _ => SimulationMethod::SimulateV1,
        };
        runs.into_iter().map(|run| paid(run?.context("not simulated")?, method)).collect()
    }

    /// Figures of another batch method are figures of something else.
    pub(super) fn verify_batch_method(&self, query: &BalanceQuery<'_>) -> Result<()> {
        let status = self.readers.get(&query.url).context("no reader")?.status();
        let methods: Vec<_> =
            status.iter().flat_map(|network| &network.endpoints).map(|endpoint| endpoint.batch_method).collect();
        ensure!(methods == [Some(BatchMethod::Override)], "the reads went by {methods:?}");
        Ok(())
    }

    /// Equal batches at one block.
    pub(super) async fn batches(&mut self, query: &BalanceQuery<'_>, count: usize) -> Result<Batches> {
        let (reader, block, deadline) = self.begin(query).await?;
        let batches = vec![reads(query); count];
        Ok(Batches { chain_id: self.chain_id, reader, block, deadline, batches })
    }

    /// How every answer begins.
    async fn begin(&mut self, query: &BalanceQuery<'_>) -> Result<(Arc<ChainReader>, Block, Instant)> {
        if !self.readers.contains_key(&query.url) {
            let endpoints = vec![query.url.parse()?];
            let upstream =
                Upstream { chain_id: self.chain_id, name: "bench".to_owned(), endpoints, verify_receipts: false };
            self.readers.insert(query.url.clone(), ChainReader::new(vec![upstream], Limits::default(), None, None));
        }
        let reader = Arc::clone(self.readers.get(&query.url).context("no reader")?);
        let deadline = Instant::now() + DEADLINE;
        let block = reader.pin(self.chain_id, deadline).await?;
        Ok((reader, block, deadline))
    }
}

fn reads(query: &BalanceQuery<'_>) -> Vec<Read> {
    let data = Bytes::from(balanceOfCall { owner: query.account }.abi_encode());
    query.tokens.iter().map(|token| Read::call(*token, data.clone())).collect()
}

/// Returns the amount that a claim pays, in the only token that changes.
fn paid(run: Run, method: SimulationMethod) -> Result<U256> {
    ensure!(run.method == method, "it was simulated by {:?}", run.method);
    let changes = run.changes.context("no changes")?;
    match changes.tokens[..] {
        [(_, before, after)] if changes.approvals.is_empty() => Ok(after - before),
        _ => bail!("a claim came to {changes:?}"),
    }
}

/// The numbers in the replies to reads of balances.
pub(super) fn amounts(replies: &[Reply]) -> Result<Vec<U256>> {
    let mut amounts = Vec::with_capacity(replies.len());
    for reply in replies {
        amounts.push(amount(&reply.outcome)?);
    }
    Ok(amounts)
}

fn amount(outcome: &Outcome) -> Result<U256> {
    match outcome {
        Outcome::Ok(bytes) => Ok(balanceOfCall::abi_decode_returns(bytes)?),
        other => bail!("a balance came to {other:?}"),
    }
}

/// Equal batches that are read at once.
pub(super) struct Batches {
    chain_id: u64,
    reader: Arc<ChainReader>,
    block: Block,
    deadline: Instant,
    batches: Vec<Vec<Read>>,
}

impl Batches {
    /// Begins all of them, calls `begun`, and waits for their replies.
    pub(super) async fn read(self, begun: &mut impl FnMut() -> Result<()>) -> Result<Vec<Vec<Reply>>> {
        let Self { chain_id, reader, block, deadline, batches } = self;
        let mut under_way = Vec::new();
        for batch in batches {
            let budget = Arc::new(ReadBudget::unbounded());
            let session = Session::open(Arc::clone(&reader) as Arc<dyn Reader>, chain_id, block, deadline, budget);
            let mut answer: BoxFuture<'_, Vec<Reply>> = async move { session.read(batch).await }.boxed();
            ensure!(poll_immediate(&mut answer).await.is_none(), "answered while the node is held");
            under_way.push(answer);
        }
        begun()?;
        Ok(join_all(under_way).await)
    }
}
