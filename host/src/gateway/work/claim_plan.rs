//! Plans how an account claims everything it can on one network: the claims in order, simulated together, with what
//! they pay and cost in total.
//!
//! Invariant: a plan contains no claim that failed in simulation, alone or after the others, and nothing is sent.

mod calls;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use bigdecimal::BigDecimal;
use portolan_abi::map::{Claimable, Payment};
use portolan_assets::token::Token;
use portolan_base::network::Network;
use portolan_base::sanitize::text::Text;
use portolan_reader::{Effort, ReadFailure};
use portolan_validation::ClaimTransaction;

use crate::gateway::answer::{Answer, ClaimItem, ClaimPlan, Items, LeftOutClaim, PlannedCall, Row, RowItem};
use crate::gateway::claims::gas_limit;
use crate::gateway::claims::planned_claim::PlannedClaim;
use crate::gateway::claims::verdict::{self, ClaimSimulation, SimulationRun, Verdict};
use crate::gateway::context::Context;
use crate::gateway::plan::{self, Plans};
use crate::gateway::problem::Problem;
use crate::gateway::query::Filter;
use crate::gateway::rows::{self, ClaimEvaluation, RowKind};
use crate::gateway::work::Work;
use crate::gateway::work::fees;
use crate::gateway::work::protocols::rows_of;
use crate::gateway::work::simulation;
use crate::jobs::plan::Question;

/// Maximum numbers of claims and transactions in a plan; further claims are left out.
const CLAIMS_MAX: usize = 50;
const TRANSACTIONS_MAX: usize = 100;
/// Maximum gas of all transactions of a plan: what nodes allow for a simulation, minus the rest of the request.
const PLAN_GAS_MAX: u64 = 40_000_000;
/// Maximum number of simulations of a plan, each without the claims that failed before.
const TRIES: usize = 8;

/// The plan for one network.
pub(in crate::gateway) struct ClaimPlanWork {
    plans: Plans,
    network: Arc<Network>,
    account: Address,
    worth: bool,
}

impl ClaimPlanWork {
    /// Plans the account's claimables from all protocols on one network.
    ///
    /// # Errors
    /// Returns a problem if the filter names an unknown protocol.
    pub(in crate::gateway) fn new(
        context: &Context,
        account: Address,
        filter: &Filter,
        network: Arc<Network>,
        worth: bool,
    ) -> Result<Self, Problem> {
        let questions = [Question::Claimables];
        let plans = plan::for_all(&context.snapshot, context.networks(), filter, &questions, account)?;
        let plans = plans.on(Some(network.chain_id));
        Ok(Self { plans, network, account, worth })
    }
}

impl Work for ClaimPlanWork {
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        vec![Arc::clone(&self.network)]
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let Self { plans, network, account, worth } = self;
        let (rows, reports) = rows_of(&context, &plans, |_| RowKind::Payments, Some(Effort::Any)).await?;
        let (mut claims, mut left_out) = (Vec::new(), Vec::new());
        for claim in claims_of(rows) {
            match unfit(&claim, worth, &claims) {
                Some(reason) => left_out.push(LeftOutClaim { claim, reason: Text::words(reason) }),
                None => claims.push(claim),
            }
        }
        let (calls, whole) = try_all(&context, &network, claims, &mut left_out).await;
        let plan = ClaimPlan { network, account, calls, whole, left_out };
        Ok(context.answer(Items::ClaimPlan(Box::new(plan)), reports))
    }
}

/// Returns each claim of the rows once, by net value in descending order; claims whose net value is unknown come last.
fn claims_of(rows: Vec<Row>) -> Vec<Arc<ClaimItem>> {
    // Rows of one claim may not be adjacent.
    let (mut claims, mut ids): (Vec<Arc<ClaimItem>>, BTreeSet<String>) = Default::default();
    for row in rows {
        if let RowItem::Payment { claim, .. } = row.item
            && ids.insert(claim.id.clone())
        {
            claims.push(claim);
        }
    }
    let left = |claim: &Arc<ClaimItem>| claim.net_usd.as_ref().map(|shares| shares.iter().sum::<BigDecimal>());
    claims.sort_by_cached_key(|claim| Reverse(left(claim)));
    claims
}

/// Returns the reason why a claim does not fit into a plan that contains the claims `before`.
fn unfit(claim: &ClaimItem, worth: bool, before: &[Arc<ClaimItem>]) -> Option<&'static str> {
    let transactions: usize = before.iter().map(|claim| claim.transactions.len()).sum();
    let gas: u64 = before.iter().map(|claim| &**claim).chain([claim]).map(ClaimItem::gas_limit).sum();
    let is_full =
        before.len() >= CLAIMS_MAX || transactions + claim.transactions.len() > TRANSACTIONS_MAX || gas > PLAN_GAS_MAX;
    let Some(simulation) = &claim.simulation else { return Some("It was not tried.") };
    match simulation.verdict {
        Some(Verdict::Reverted) => Some("It reverts."),
        Some(Verdict::Refused) => Some("It takes what it should not."),
        _ if simulation.run.is_err() => Some("It could not be tried."),
        _ if worth && !claim.is_profitable() => Some("It costs more than it brings."),
        _ if is_full => Some("The plan is full."),
        Some(Verdict::Paid | Verdict::Revoked | Verdict::Differs) | None => None,
    }
}

/// Simulates all claims as one, and returns their calls and the combined claim; `None` if no call is left. Calls that
/// fail among the others are split if they were merged, and left out otherwise.
async fn try_all(
    context: &Context,
    network: &Arc<Network>,
    mut claims: Vec<Arc<ClaimItem>>,
    left_out: &mut Vec<LeftOutClaim>,
) -> (Vec<PlannedCall>, Option<ClaimItem>) {
    let mut apart: BTreeSet<String> = BTreeSet::new();
    for _ in 0..TRIES {
        let calls = calls::merged(&claims, &apart, gas_limit::gas_max(network.chain_id));
        if calls.is_empty() {
            return (calls, None);
        }
        let found = Claimable { payments: payments(&claims), ..Claimable::default() };
        let transactions: Vec<ClaimTransaction> = calls.iter().map(|call| call.transaction.clone()).collect();
        let claim = PlannedClaim { plugin: "", network, found: &found, transactions: &transactions };
        let only = [&claim];
        let gas: Vec<Option<u32>> = calls.iter().map(|call| call.gas).collect();
        let (tried, fees) = tokio::join!(simulation::run_plan(context, &claim, &gas), fees::fees(context, &only));
        if let Some(failed) = failed_step(&tried).and_then(|step| calls.get(step)) {
            if let [claim] = &failed.claims[..] {
                claims.retain(|own| own.id != claim.id);
                left_out
                    .push(LeftOutClaim { claim: Arc::clone(claim), reason: Text::words("It fails after the others.") });
            } else {
                apart.extend(failed.claims.iter().map(|claim| claim.id.clone()));
            }
            continue;
        }
        let simulation = tried.transpose().and_then(|tried| verdict::judge(&claim, tried));
        let merged = calls.iter().filter(|call| call.claims.len() > 1).flat_map(|call| &call.claims);
        let mut merged = merged.map(|claim| claim.id.clone()).peekable();
        if simulation.as_ref().is_some_and(ClaimSimulation::is_bad) && merged.peek().is_some() {
            apart.extend(merged);
            continue;
        }
        let evaluation = ClaimEvaluation::new(&claim, simulation, fees.into_iter().next().flatten());
        let limit = |place| evaluation.simulation.as_ref().and_then(|simulation| simulation.gas_limit(place));
        let with_gas =
            |(place, call): (usize, PlannedCall)| PlannedCall { gas: call.gas.or_else(|| limit(place)), ..call };
        let calls = calls.into_iter().enumerate().map(with_gas).collect();
        let whole = item(&claims, found, transactions, evaluation);
        return (calls, Some(whole));
    }
    left_out.extend(
        claims.into_iter().map(|claim| LeftOutClaim { claim, reason: Text::words("The plan fails without it too.") }),
    );
    (Vec::new(), None)
}

/// Returns the index of the transaction that failed.
fn failed_step(tried: &Result<Option<SimulationRun>, ReadFailure>) -> Option<usize> {
    let SimulationRun { run, .. } = tried.as_ref().ok()?.as_ref()?;
    run.reverted().and_then(|_| run.steps.len().checked_sub(1))
}

/// Sums the payments of all claims by token and recipient.
fn payments(claims: &[Arc<ClaimItem>]) -> Vec<Payment> {
    let mut payments: Vec<Payment> = Vec::new();
    for payment in claims.iter().flat_map(|claim| &claim.found.payments) {
        let same = |other: &&mut Payment| (other.token, other.paid_to) == (payment.token, payment.paid_to);
        match payments.iter_mut().find(same) {
            Some(other) => other.amount = other.amount.saturating_add(payment.amount),
            None => payments.push(Payment { name: None, ..payment.clone() }),
        }
    }
    payments
}

fn item(
    claims: &[Arc<ClaimItem>],
    found: Claimable,
    transactions: Vec<ClaimTransaction>,
    evaluation: ClaimEvaluation,
) -> ClaimItem {
    let tokens: BTreeMap<Address, Arc<Token>> = claims
        .iter()
        .flat_map(|claim| claim.tokens.iter().map(|(address, token)| (*address, Arc::clone(token))))
        .collect();
    let native = claims.iter().find_map(|claim| claim.native.clone());
    let net_usd = rows::net_usd(&found, &tokens, &evaluation, native.as_deref());
    let (id, names, ClaimEvaluation { simulation, cost }) = ("claim-plan".to_owned(), Vec::new(), evaluation);
    ClaimItem { id, names, found, transactions, simulation, cost, native, net_usd, tokens }
}
