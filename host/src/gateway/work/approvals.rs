//! What others may take from an account: each token and spender with the allowance, on one network or on all.
//!
//! Logs say which tokens and spenders to look at, and nothing else. Invariant: every allowance and every balance was
//! read from the token at the answer's block; what could not be read is counted and named.

mod history;
mod spenders;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use alloy::sol;
use alloy::sol_types::SolCall;
use futures_util::future::join_all;
use portolan_base::network::Network;
use portolan_reader::{ApprovedPair, Outcome, Read, Session};
use portolan_validation::{ClaimTransaction, TargetSource};
use tokio::time::Instant;

use self::history::SearchedLogs;
use self::spenders::Spenders;
use crate::gateway::answer::{Allowance, Answer, Items};
use crate::gateway::context::Context;
use crate::gateway::missing;
use crate::gateway::problem::Problem;
use crate::gateway::work::Work;
use crate::gateway::work::missing_tokens::{BalanceFailure, MissingTokens, Why};
use crate::jobs::failure::{Failure, Reason};
use crate::jobs::report::JobReport;

sol! {
    /// <https://eips.ethereum.org/EIPS/eip-20>
    interface IAllowance {
        function allowance(address owner, address spender) external view returns (uint256);
        function balanceOf(address account) external view returns (uint256);
        function approve(address spender, uint256 value) external returns (bool);
    }
}

/// Gas of a read of a token that is on no list. Anybody can make such a token and have its logs name the account.
const OTHERS_GAS: u32 = 200_000;

/// Subject of reports, in the place of a protocol's slug.
pub(in crate::gateway::work) const SUBJECT: &str = "approvals";

/// The approvals of an account.
pub(in crate::gateway) struct ApprovalWork {
    account: Address,
    /// True if the client named the network.
    is_named: bool,
    /// Networks to read, in the order of answers.
    networks: Vec<Arc<Network>>,
}

/// What was read on one network.
struct Allowances {
    history: SearchedLogs,
    reads: usize,
    /// Allowances above zero.
    allowed: Vec<(ApprovedPair, U256)>,
    balances: BTreeMap<Address, U256>,
    failed: BTreeMap<Address, BalanceFailure>,
}

impl ApprovalWork {
    /// Selects the network that was named, or else those with an endpoint.
    pub(in crate::gateway) fn new(context: &Context, account: Address, chain_id: Option<u64>) -> Self {
        let has_endpoint = |chain_id: u64| context.sources.with_endpoint.contains(&chain_id);
        let is_read = |network: &&Arc<Network>| match chain_id {
            Some(named) => named == network.chain_id,
            None => has_endpoint(network.chain_id),
        };
        let networks = context.networks().iter().filter(is_read).cloned().collect();
        Self { account, is_named: chain_id.is_some(), networks }
    }

    async fn read(&self, context: &Context, network: &Arc<Network>) -> (Vec<Allowance>, Vec<JobReport>) {
        let began = Instant::now();
        let blank = JobReport::blank(SUBJECT, network);
        let read = context.read(network, |session| self.allowances(context, session)).await;
        let (rows, mut reports) = match read {
            Ok(allowances) => self.rows(context, network, allowances, blank).await,
            Err(failure) => (Vec::new(), vec![blank.failed(Failure::from(failure))]),
        };
        reports.iter_mut().take(1).for_each(|report| report.stats = report.stats.since(began));
        (rows, reports)
    }

    /// Reads every allowance that the history names, and the balances of their tokens, in one batch.
    async fn allowances(&self, context: &Context, session: Arc<Session>) -> Allowances {
        let history = history::read(context, &session, self.account, self.is_named).await;
        let pairs: Vec<ApprovedPair> = history.list.pairs().collect();
        let tokens: BTreeSet<Address> = pairs.iter().map(|(token, _)| *token).collect();
        let owner = self.account;
        let listed = context.token_index.tokens(session.chain_id());
        let capped = |read: Read| {
            let is_listed = listed.binary_search(&read.to).is_ok();
            Read { gas_cap: (!is_listed).then_some(OTHERS_GAS), ..read }
        };
        let allowance = |(token, spender): &ApprovedPair| capped(allowance_read(owner, *token, *spender));
        let balance =
            |token: &Address| capped(Read::call(*token, IAllowance::balanceOfCall { account: owner }.abi_encode()));
        let reads: Vec<Read> = pairs.iter().map(allowance).chain(tokens.iter().map(balance)).collect();
        let count = reads.len();
        let replies = session.read(reads).await;
        let mut read = Allowances {
            history,
            reads: count,
            allowed: Vec::new(),
            balances: BTreeMap::new(),
            failed: BTreeMap::new(),
        };
        let (of_pairs, of_tokens) = replies.split_at(pairs.len().min(replies.len()));
        for (pair, reply) in pairs.iter().zip(of_pairs) {
            match BalanceFailure::or_balance(&reply.outcome) {
                // Nothing can be taken where no contract stands.
                _ if reply.outcome == Outcome::NoCode => {}
                Ok(U256::ZERO) => {}
                Ok(allowance) => read.allowed.push((*pair, allowance)),
                Err(failure) => drop(read.failed.insert(pair.0, failure)),
            }
        }
        let allowing: BTreeSet<Address> = read.allowed.iter().map(|((token, _), _)| *token).collect();
        for (token, reply) in tokens.iter().zip(of_tokens).filter(|(token, _)| allowing.contains(*token)) {
            match BalanceFailure::or_balance(&reply.outcome) {
                Ok(balance) => drop(read.balances.insert(*token, balance)),
                Err(failure) => drop(read.failed.insert(*token, failure)),
            }
        }
        read
    }

    async fn rows(
        &self,
        context: &Context,
        network: &Arc<Network>,
        read: Allowances,
        blank: JobReport,
    ) -> (Vec<Allowance>, Vec<JobReport>) {
        let Allowances { history, reads, allowed, balances, failed } = read;
        let wanted: BTreeSet<Address> = balances.keys().copied().collect();
        let (tokens, by_plugins) = context.tokens(network, &wanted).await;
        let spenders = Spenders::of(&context.snapshot, network.chain_id, allowed.iter().map(|((_, by), _)| *by));
        let mut missing = MissingTokens::default();
        missing.extend(failed.into_iter().map(|(token, failure)| (token, Why::NoBalance(failure))));
        let mut unknown = BTreeSet::new();
        let mut rows = Vec::with_capacity(allowed.len());
        for ((token, spender), allowance) in allowed {
            let Some(balance) = balances.get(&token) else { continue };
            match tokens.get(token) {
                Ok(known) => rows.push(Allowance {
                    account: self.account,
                    token: Arc::clone(known),
                    spender: spenders.get(spender),
                    amount: allowance,
                    balance: *balance,
                    revocation: revocation(self.account, token, spender),
                }),
                Err(failure) if unknown.insert(token) => missing.push(token, Why::NoToken(failure)),
                Err(_) => {}
            }
        }
        rows.sort_by_cached_key(|row| {
            let at_risk = row.token.dollars(row.at_risk()).unwrap_or_default();
            (!row.token.is_listed, Reverse(at_risk), row.token.address, row.spender.address)
        });
        let of_tokens = missing.report(blank.clone(), reads);
        let cut = history
            .list
            .is_cut
            .then(|| Failure::new(Reason::OverBudget, "logs name more tokens and spenders than one answer reads"));
        let of_history = |failure: Failure| match history.is_blank {
            true => blank.clone().failed(failure),
            false => {
                let mut report = blank.clone();
                report.mark_partial(failure.reason, &failure.detail);
                report
            }
        };
        let failures: Vec<JobReport> = history.missing.clone().into_iter().chain(cut).map(of_history).collect();
        // Without any history the empty list of tokens would look like an answer.
        let of_tokens = (!history.is_blank || failures.is_empty()).then_some(of_tokens);
        (rows, of_tokens.into_iter().chain(failures).chain(by_plugins).collect())
    }
}

/// The read of an allowance.
pub(in crate::gateway::work) fn allowance_read(owner: Address, token: Address, spender: Address) -> Read {
    Read::call(token, IAllowance::allowanceCall { owner, spender }.abi_encode())
}

/// The transaction that takes an allowance back: `approve(spender, 0)` of the token, and nothing else.
pub(in crate::gateway::work) fn revocation(account: Address, token: Address, spender: Address) -> ClaimTransaction {
    ClaimTransaction {
        to: token,
        target_source: TargetSource::Listed,
        from: account,
        is_by_anyone: false,
        value: U256::ZERO,
        data: IAllowance::approveCall { spender, value: U256::ZERO }.abi_encode().into(),
        function: "approve".to_owned(),
        inputs: vec![("address".to_owned(), format!("{spender:#x}")), ("uint256".to_owned(), "0".to_owned())],
        mergeable: None,
    }
}

impl Work for ApprovalWork {
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        self.networks.clone()
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        if self.networks.is_empty() {
            return Err(Problem::NetworkNotConfigured("no network has an endpoint".into()));
        }
        let reading = self.networks.iter().map(|network| self.read(&context, network));
        let (mut rows, mut reports) = (Vec::new(), Vec::new());
        for (of_network, about_network) in join_all(reading).await {
            rows.extend(of_network);
            reports.extend(about_network);
        }
        missing::check(&reports)?;
        Ok(context.answer(Items::Approvals(rows), reports))
    }
}

#[cfg(test)]
mod tests;
