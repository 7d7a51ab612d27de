//! Answers with the claimables or positions of several accounts, each as an answer about it alone would have them.
//!
//! Invariant: all accounts are read at the same blocks. What could not be read of one is missing from its own part, and
//! never from another's.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_assets::names::{Name, NameFailure};
use portolan_base::network::Network;

use crate::gateway::answer::{AccountAnswer, Answer, Items, MissingEntry};
use crate::gateway::context::Context;
use crate::gateway::missing;
use crate::gateway::problem::Problem;
use crate::gateway::query::{Account, BlockChoice};
use crate::gateway::work::Work;
use crate::gateway::work::account_rows::RowWork;
use crate::gateway::work::names;
use crate::gateway::work::protocols::{AccountRows, rows_of_each};
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::report::JobReport;

/// Maximum number of jobs that run together. Each keeps its replies and its calls until it ends, and has to get through
/// its calls within `plugins.limits.job_ms`; this many fill more requests to each network than leave at once.
const JOBS_MAX: usize = 4_096;

/// The work for several accounts.
pub(in crate::gateway) struct AccountsWork {
    accounts: Vec<Account>,
    /// The work for each of them.
    each: RowWork,
}

/// A requested account.
struct Requested {
    account: Result<Address, NameFailure>,
    /// The names by which it was requested.
    names: Vec<Name>,
}

impl AccountsWork {
    pub(in crate::gateway) fn new(accounts: Vec<Account>, each: RowWork) -> Self {
        Self { accounts, each }
    }

    /// Resolves all names, and returns each account once, in the order of the request.
    async fn requested(&self, context: &Context) -> Vec<Requested> {
        let mut named: Vec<Name> = Vec::new();
        named.extend(self.accounts.iter().filter_map(|account| match account {
            Account::Name(name) => Some(name.clone()),
            Account::Address(_) => None,
        }));
        let mut resolved = self.resolved(context, &named).await.into_iter();
        let mut requested: Vec<Requested> = Vec::new();
        for account in &self.accounts {
            let (account, name) = match account {
                Account::Address(account) => (Ok(*account), None),
                Account::Name(name) => (resolved.next().unwrap_or(Err(NameFailure::BareRevert)), Some(name.clone())),
            };
            match requested.iter_mut().find(|other| account.is_ok() && other.account == account) {
                Some(other) => other.names.extend(name),
                None => requested.push(Requested { account, names: name.into_iter().collect() }),
            }
        }
        requested
    }

    /// A name leads to its current account, even if the answer is about an older block.
    async fn resolved(&self, context: &Context, names: &[Name]) -> Vec<Result<Address, NameFailure>> {
        match context.options.blocks {
            _ if names.is_empty() => Vec::new(),
            BlockChoice::Newest => names::accounts(context, names).await,
            BlockChoice::Named(_) | BlockChoice::Each(_) => names::accounts(&context.at_newest(), names).await,
        }
    }

    /// Reads the rows of all accounts: of as many together as the number of jobs allows.
    async fn rows(&self, context: &Context, accounts: &[Address]) -> BTreeMap<Address, AccountRows> {
        let together = (JOBS_MAX / self.each.plans.jobs.len().max(1)).max(1);
        let mut rows = BTreeMap::new();
        for some in accounts.chunks(together) {
            let found = if context.reads_are_over() {
                some.iter().map(|_| self.late()).collect()
            } else {
                let kind = |plan: &_| self.each.list.kind(plan);
                rows_of_each(context, some, &self.each.plans, kind, self.each.simulating).await
            };
            rows.extend(some.iter().copied().zip(found));
        }
        rows
    }

    /// Reports of the jobs of an account for which no time is left.
    fn late(&self) -> AccountRows {
        let failure = || Failure::new(Reason::Timeout, "the time of the answer was over before the job began");
        let plans = self.each.plans.jobs.iter();
        let reports = plans.map(|plan| JobReport::blank(plan.subject(), &plan.network).failed(failure()));
        let mut reports: Vec<JobReport> = reports.collect();
        self.each.plans.unavailable.iter().for_each(|report| report.clone().add_to(&mut reports));
        AccountRows { rows: Vec::new(), reports }
    }
}

impl Work for AccountsWork {
    fn networks(&self, context: &Context) -> Vec<Arc<Network>> {
        let mut networks = self.each.networks(context);
        let has_names = self.accounts.iter().any(|account| matches!(account, Account::Name(_)));
        if has_names && context.options.blocks == BlockChoice::Newest {
            networks.extend(names::mainnet(context));
        }
        networks
    }

    fn count(&self) -> usize {
        self.accounts.len()
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let requested = self.requested(&context).await;
        let accounts: Vec<Address> = requested.iter().filter_map(|one| one.account.ok()).collect();
        let mut rows = self.rows(&context, &accounts).await;
        let (pins, mut answers, mut jobs) = (context.pins(), Vec::new(), Vec::new());
        for Requested { account, names } in &requested {
            let (items, missing) = match account {
                Ok(address) => {
                    let AccountRows { rows, reports } = rows.remove(address).unwrap_or_default();
                    let missing = missing::missing(context.networks(), &pins, &reports);
                    let items = missing::check(&reports).is_ok().then(|| self.each.items(rows));
                    jobs.extend(reports.into_iter().map(|report| JobReport { account: Some(*address), ..report }));
                    (items, missing)
                }
                Err(failure) => (None, vec![names::missing(&context, *failure)]),
            };
            answers.push(AccountAnswer { account: account.ok(), names: names.clone(), items, missing });
        }
        if answers.iter().all(|answer| answer.items.is_none()) {
            return Err(problem(&requested, &jobs));
        }
        let missing = missing_of_all(&context, &answers);
        Ok(Answer { missing, ..context.answer(Items::Accounts(answers), jobs) })
    }
}

/// Returns the problem to send if there is nothing about any account.
fn problem(requested: &[Requested], jobs: &[JobReport]) -> Problem {
    let unresolved = requested.iter().find_map(|one| Some((one.names.first()?, one.account.err()?)));
    match unresolved {
        Some((name, failure)) if jobs.is_empty() => names::problem(name.as_str(), failure),
        _ => missing::problem(jobs),
    }
}

/// Returns what is missing from the answer about any account, each entry once, in the order of networks.
fn missing_of_all(context: &Context, answers: &[AccountAnswer]) -> Vec<MissingEntry> {
    let mut missing: Vec<MissingEntry> = Vec::new();
    for entry in answers.iter().flat_map(|answer| &answer.missing) {
        if !missing.contains(entry) {
            missing.push(entry.clone());
        }
    }
    let place = |entry: &MissingEntry| {
        let network = entry.network.as_ref().map(|network| context.networks().position(network.chain_id));
        (network, entry.subject.clone())
    };
    missing.sort_by_cached_key(place);
    missing
}

#[cfg(test)]
mod tests;
