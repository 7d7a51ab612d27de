//! Plans how an account takes one allowance back: `approve(spender, 0)` of the token, tried at the answer's block.
//!
//! Invariant: the plan has this one call and no other. It is withheld if it reverts, leaves the allowance as it is, or
//! changes anything else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_abi::map::Claimable;
use portolan_assets::token::NATIVE;
use portolan_base::network::Network;
use portolan_reader::Read;
use tokio::time::Instant;

use crate::gateway::answer::{Answer, ClaimItem, ClaimPlan, Items, PlannedCall};
use crate::gateway::claims::planned_claim::PlannedClaim;
use crate::gateway::claims::verdict;
use crate::gateway::context::Context;
use crate::gateway::missing;
use crate::gateway::problem::Problem;
use crate::gateway::query::Revocation;
use crate::gateway::rows::{self, ClaimEvaluation};
use crate::gateway::work::Work;
use crate::gateway::work::approvals::{SUBJECT, allowance_read, revocation};
use crate::gateway::work::missing_tokens::{BalanceFailure, Why};
use crate::gateway::work::{fees, simulation};
use crate::jobs::failure::Failure;
use crate::jobs::report::JobReport;

/// The plan for one allowance.
pub(in crate::gateway) struct RevokePlanWork {
    pub(in crate::gateway) network: Arc<Network>,
    pub(in crate::gateway) account: Address,
    pub(in crate::gateway) revoked: Revocation,
}

impl RevokePlanWork {
    /// Returns the allowance, or why it is unknown.
    async fn allowance(&self, context: &Context) -> Result<Result<U256, BalanceFailure>, Failure> {
        let Revocation { token, spender, .. } = self.revoked;
        let read = allowance_read(self.account, token, spender);
        Ok(context.read(&self.network, move |session| session_read(session, read.clone())).await?)
    }

    /// Returns the problem of an unknown allowance.
    fn unknown(&self, failure: BalanceFailure, report: JobReport) -> Problem {
        let token = self.revoked.token;
        if failure == BalanceFailure::Refused {
            let network = &self.network.slug;
            return Problem::InvalidAddress(format!("{token:#x} is not a token with allowances on {network}"));
        }
        let detail = format!("the allowance of {token:#x} could not be read");
        missing::problem(&[report.failed(Failure::new(Why::NoBalance(failure).reason(), detail))])
    }

    /// Tries the call.
    async fn tried(self, context: &Context) -> ClaimPlan {
        let Self { network, account, revoked: Revocation { token, spender, .. } } = self;
        let transactions = vec![revocation(account, token, spender)];
        let found = Claimable::default();
        let claim = PlannedClaim { plugin: "", network: &network, found: &found, transactions: &transactions };
        let (only, natives) = ([&claim], BTreeSet::from([NATIVE]));
        let (tried, fees, (tokens, _)) = tokio::join!(
            simulation::run_plan(context, &claim, &[None]),
            fees::fees(context, &only),
            context.tokens(&network, &natives)
        );
        let simulation = tried.transpose().and_then(|tried| verdict::judge_revocation(&claim, tried, (token, spender)));
        let evaluation = ClaimEvaluation::new(&claim, simulation, fees.into_iter().next().flatten());
        let native = tokens.get(NATIVE).ok().cloned();
        let known = BTreeMap::new();
        let net_usd = rows::net_usd(&found, &known, &evaluation, native.as_deref());
        let gas = evaluation.simulation.as_ref().and_then(|simulation| simulation.gas_limit(0));
        let calls = transactions.iter().map(|call| PlannedCall { transaction: call.clone(), gas, claims: Vec::new() });
        let (calls, ClaimEvaluation { simulation, cost }) = (calls.collect(), evaluation);
        let (id, names) = ("revoke-plan".to_owned(), Vec::new());
        let whole = ClaimItem { id, names, found, transactions, simulation, cost, native, net_usd, tokens: known };
        ClaimPlan { network, account, calls, whole: Some(whole), left_out: Vec::new() }
    }
}

async fn session_read(session: Arc<portolan_reader::Session>, read: Read) -> Result<U256, BalanceFailure> {
    let reply = session.read(vec![read]).await.pop();
    reply.map_or(Err(BalanceFailure::Refused), |reply| BalanceFailure::or_balance(&reply.outcome))
}

impl Work for RevokePlanWork {
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        vec![Arc::clone(&self.network)]
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let began = Instant::now();
        let mut report = JobReport::blank(SUBJECT, &self.network);
        report.stats.batches = 1;
        report.stats.reads = 1;
        let plan = match self.allowance(&context).await {
            Ok(Ok(U256::ZERO)) => {
                let Self { network, account, .. } = self;
                ClaimPlan { network, account, calls: Vec::new(), whole: None, left_out: Vec::new() }
            }
            Ok(Ok(_)) => self.tried(&context).await,
            Ok(Err(failure)) => return Err(self.unknown(failure, report)),
            Err(failure) => return Err(missing::problem(&[report.failed(failure)])),
        };
        report.stats = report.stats.since(began);
        Ok(context.answer(Items::ClaimPlan(Box::new(plan)), vec![report]))
    }
}
