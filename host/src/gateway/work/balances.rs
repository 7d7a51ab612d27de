//! Balances of an account on all networks at once: native tokens, or the tokens of the token lists.
//!
//! Invariant: a token that could not be read is counted and named; it neither hides another token nor counts as zero.

mod holdings;

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use futures_util::future::join_all;
use portolan_base::network::Network;
use tokio::time::Instant;

use self::holdings::Holdings;
use crate::gateway::answer::{Answer, Balance, Items, MissingEntry};
use crate::gateway::context::Context;
use crate::gateway::missing;
use crate::gateway::problem::Problem;
use crate::gateway::query::Assets;
use crate::gateway::work::Work;
use crate::gateway::work::missing_tokens::{MissingTokens, Why};
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::report::{JobReport, JobStatus};

/// The balances of an account.
pub(in crate::gateway) struct BalanceWork {
    account: Address,
    assets: Assets,
    /// The network that the client named, if any.
    chain_id: Option<u64>,
    /// Networks to read, in the order of answers.
    networks: Vec<Arc<Network>>,
}

impl BalanceWork {
    /// Selects the network that was named, or else those where a balance is possible. A network without an endpoint is
    /// included only if its absence would hide something: it has listed tokens, or a plugin has contracts there.
    pub(in crate::gateway) fn new(context: &Context, account: Address, assets: Assets, chain_id: Option<u64>) -> Self {
        let is_listed = |chain_id: u64| !context.token_index.tokens(chain_id).is_empty();
        let is_read = |network: &&Arc<Network>| match (chain_id, assets) {
            (Some(named), _) => named == network.chain_id,
            (None, Assets::Tokens) => is_listed(network.chain_id),
            (None, Assets::Native) => {
                is_listed(network.chain_id)
                    || context.sources.with_endpoint.contains(&network.chain_id)
                    || context.snapshot.contracts(network.chain_id).is_some()
            }
        };
        let networks = context.networks().iter().filter(is_read).cloned().collect();
        Self { account, assets, chain_id, networks }
    }

    /// # Errors
    /// Returns a problem if there is nothing to read because an endpoint or a token list is missing.
    fn check(&self, context: &Context) -> Result<(), Problem> {
        let lists = &context.token_index;
        match self.assets {
            Assets::Native if self.networks.is_empty() => {
                Err(Problem::NetworkNotConfigured("no network has an endpoint".into()))
            }
            Assets::Tokens if lists.is_empty() && lists.lists_missing() > 0 => {
                Err(Problem::Upstream("no token list could be read yet".into()))
            }
            _ => Ok(()),
        }
    }

    /// Reads the balances on one network, ordered by token address, with reports of what is missing there.
    async fn read(&self, context: &Context, network: &Arc<Network>) -> (Vec<Balance>, Vec<JobReport>) {
        let began = Instant::now();
        let blank = JobReport::blank(self.subject(), network);
        let read = context.read(network, |session| holdings::read(self, context, session)).await;
        let (rows, mut report, by_plugins) = match read {
            Ok(holdings) => self.rows(context, holdings, blank).await,
            Err(failure) => (Vec::new(), blank.failed(Failure::from(failure)), Vec::new()),
        };
        report.stats = report.stats.since(began);
        (rows, std::iter::once(report).chain(by_plugins).collect())
    }

    async fn rows(
        &self,
        context: &Context,
        holdings: Holdings,
        blank: JobReport,
    ) -> (Vec<Balance>, JobReport, Vec<JobReport>) {
        let Holdings { reads, mut held, failed, codeless } = holdings;
        context.sources.codeless.note(&blank.network, &codeless);
        let nothing_read = reads > 0 && failed.len() == reads;
        let mut missing = MissingTokens::default();
        missing.extend(failed.into_iter().map(|(token, fault)| (token, Why::NoBalance(fault))));
        held.retain(|(_, amount)| self.shows_zero() || !amount.is_zero());
        held.sort_unstable();
        let wanted: BTreeSet<Address> = held.iter().map(|(token, _)| *token).collect();
        let (tokens, by_plugins) = context.tokens(&blank.network, &wanted).await;
        let mut rows = Vec::with_capacity(held.len());
        for (address, amount) in held {
            match tokens.get(address) {
                Ok(token) => rows.push(Balance { account: self.account, token: Arc::clone(token), amount }),
                Err(failure) => missing.push(address, Why::NoToken(failure)),
            }
        }
        (rows, self.report(blank, reads, nothing_read, &missing), by_plugins)
    }

    fn report(&self, blank: JobReport, reads: usize, nothing_read: bool, missing: &MissingTokens) -> JobReport {
        let report = missing.report(blank, reads);
        JobReport {
            status: if nothing_read && report.reason.is_some() { JobStatus::Failed } else { report.status },
            // A single native balance needs no count.
            missing_tokens: if self.assets == Assets::Tokens { report.missing_tokens } else { Vec::new() },
            ..report
        }
    }

    /// Subject of reports, in the place of a protocol's slug.
    fn subject(&self) -> &'static str {
        match self.assets {
            Assets::Native => "native",
            Assets::Tokens => "tokens",
        }
    }

    /// Returns true if zero balances are shown: only for the native token of a single named network.
    fn shows_zero(&self) -> bool {
        self.assets == Assets::Native && self.chain_id.is_some()
    }

    /// Returns one object if the client requested the native token of one network, otherwise a list.
    fn items(&self, mut rows: Vec<Balance>) -> Result<Items, Problem> {
        if !self.shows_zero() {
            return Ok(Items::Balances(rows));
        }
        rows.pop().map(Items::NativeBalance).ok_or_else(|| Problem::Internal("the balance was lost on its way".into()))
    }

    /// Returns an entry for all networks if a token list was never read; the number of its tokens is unknown.
    fn missing_lists(&self, context: &Context) -> Option<MissingEntry> {
        let is_missing = self.assets == Assets::Tokens && context.token_index.lists_missing() > 0;
        let subject = self.subject().to_owned();
        is_missing.then_some(MissingEntry { subject, network: None, reason: Reason::Upstream, count: None })
    }
}

impl Work for BalanceWork {
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        self.networks.clone()
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        self.check(&context)?;
        let reading = self.networks.iter().map(|network| self.read(&context, network));
        let (mut rows, mut reports) = (Vec::new(), Vec::new());
        for (of_network, about_network) in join_all(reading).await {
            rows.extend(of_network);
            reports.extend(about_network);
        }
        missing::check(&reports)?;
        let mut answer = context.answer(self.items(rows)?, reports);
        answer.missing.extend(self.missing_lists(&context));
        Ok(answer)
    }
}

#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;
