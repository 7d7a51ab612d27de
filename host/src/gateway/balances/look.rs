//! A look at one network: what the account holds there, and what its tokens are called and worth.
//!
//! Invariant: all of it is at one block. Where no endpoint knows that block any more, the look starts again at another:
//! once.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_reader::{Block, ReadFailure, ScanFault, Session};
use tokio::time::Instant;

use super::lost::{Lost, Why};
use super::{Asked, Sources};
use crate::assets::resolve;
use crate::assets::token::{At, Token};
use crate::gateway::answer::{Balance, JobReport, JobStatus};
use crate::gateway::deadline::Deadline;
use crate::gateway::pin;
use crate::gateway::query::Assets;
use crate::network::Network;

/// A look at one network.
pub(super) struct Look<'a> {
    pub(super) sources: Sources<'a>,
    pub(super) asked: &'a Asked,
    pub(super) network: &'a Arc<Network>,
    pub(super) deadline: Deadline,
}

/// What a network told.
pub(super) struct Told {
    /// The block that all of it is at.
    pub(super) pinned: Result<Block, ReadFailure>,
    /// In the order of their tokens' addresses.
    pub(super) rows: Vec<Balance>,
    pub(super) report: JobReport,
    /// By whose fault it is not known what some tokens are made of.
    pub(super) by_plugins: Vec<JobReport>,
}

/// What the account holds.
#[derive(Default)]
pub(super) struct Holdings {
    /// Balances that were asked for.
    pub(super) asked: usize,
    pub(super) held: Vec<(Address, U256)>,
    pub(super) failed: Vec<(Address, ScanFault)>,
}

impl Holdings {
    fn block_lost(&self) -> bool {
        self.failed.iter().any(|(_, fault)| *fault == ScanFault::Unread(ReadFailure::BlockLost))
    }
}

impl Look<'_> {
    /// Never fails: what a network did not tell stands in its report.
    pub(super) async fn run(self, pinned: Result<Block, ReadFailure>) -> Told {
        let began = Instant::now();
        let mut told = match self.holdings(pinned).await {
            Ok((block, holdings)) => self.told(block, holdings).await,
            Err(failure) => {
                let (reason, detail) = (Some(failure.into()), failure.to_string());
                let report = JobReport { status: JobStatus::Failed, reason, detail, ..self.blank() };
                Told { pinned: Err(failure), rows: Vec::new(), report, by_plugins: Vec::new() }
            }
        };
        told.report.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        told
    }

    async fn holdings(&self, pinned: Result<Block, ReadFailure>) -> Result<(Block, Holdings), ReadFailure> {
        let block = pinned?;
        let holdings = self.read(block).await;
        if !holdings.block_lost() {
            return Ok((block, holdings));
        }
        tracing::debug!(network = %self.network.slug, block = block.number, "pinned block is unknown, reading again");
        let again = pin::pin(self.sources.reader.as_ref(), [self.network].into_iter(), self.deadline).await;
        let block = again.get(&self.network.chain_id).copied().unwrap_or(Err(ReadFailure::BlockLost))?;
        Ok((block, self.read(block).await))
    }

    async fn read(&self, block: Block) -> Holdings {
        match self.asked.assets {
            Assets::Native => self.native(block).await,
            Assets::Tokens => self.listed(block).await,
        }
    }

    async fn told(&self, block: Block, holdings: Holdings) -> Told {
        let Holdings { asked, mut held, failed } = holdings;
        let nothing_told = asked > 0 && failed.len() == asked;
        let mut lost = Lost::default();
        lost.extend(failed.into_iter().map(|(token, fault)| (token, Why::NoBalance(fault))));
        held.retain(|(_, amount)| self.asked.shows_zero() || !amount.is_zero());
        held.sort_unstable();
        let (tokens, by_plugins) = self.tokens(&block, held, &mut lost).await;
        let by_reason = lost.by_reason();
        let status = match by_reason.first() {
            None => JobStatus::Ok,
            Some(_) if nothing_told => JobStatus::Failed,
            Some(_) => JobStatus::Partial,
        };
        let report = JobReport {
            status,
            reason: by_reason.first().map(|(reason, _)| *reason),
            detail: lost.detail(),
            waves: u32::from(asked > 0),
            reads: u32::try_from(asked).unwrap_or(u32::MAX),
            // A native balance is one, and needs no count.
            lost: if self.asked.assets == Assets::Tokens { by_reason } else { Vec::new() },
            ..self.blank()
        };
        let row = |(token, amount)| Balance { account: self.asked.account, token, amount };
        Told { pinned: Ok(block), rows: tokens.into_iter().map(row).collect(), report, by_plugins }
    }

    /// The chain has the last word on what a token is called and on its decimals; a list has it on the logo.
    async fn tokens(&self, block: &Block, held: Vec<(Address, U256)>, lost: &mut Lost) -> (Vec<Held>, Vec<JobReport>) {
        let wanted: BTreeSet<Address> = held.iter().map(|(token, _)| *token).collect();
        let session = self.session(*block, self.deadline.end());
        let at = At { session: &session, network: self.network };
        let plugins = self.sources.plugins.at(at);
        let tokens = resolve::priced_tokens(at, &plugins, self.sources.prices, &self.asked.index, &wanted).await;
        let mut known = Vec::new();
        for (address, amount) in held {
            match tokens.get(address) {
                Ok(token) => known.push((Arc::clone(token), amount)),
                Err(failure) => lost.push(address, Why::NoMetadata(failure)),
            }
        }
        (known, plugins.lost())
    }

    pub(super) fn session(&self, block: Block, deadline: Instant) -> Arc<Session> {
        Session::open(Arc::clone(self.sources.reader), self.network.chain_id, block, deadline)
    }

    fn blank(&self) -> JobReport {
        JobReport::blank(self.asked.subject(), self.network)
    }
}

/// A token and how much of it is held.
pub(super) type Held = (Arc<Token>, U256);
