//! Plans how an account claims all that it can on one network: the claims in order, tried together as one, and what that
//! pays and costs.
//!
//! Invariant: a plan holds no claim that failed when it was tried, alone or after the others, and nothing is sent.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use bigdecimal::BigDecimal;
use portolan_abi::map::{Claimable, Payment};
use portolan_reader::Effort;
use portolan_validation::ClaimTransaction;

use crate::assets::token::Token;
use crate::gateway::answer::{Answer, ClaimItem, ClaimPlan, Items, LeftOut, Row, RowItem};
use crate::gateway::context::Context;
use crate::gateway::cost::ClaimFees;
use crate::gateway::plan;
use crate::gateway::planned_claim::PlannedClaim;
use crate::gateway::problem::Problem;
use crate::gateway::protocols::rows_of;
use crate::gateway::query::Filter;
use crate::gateway::rows::{self, RowKind, TriedClaim};
use crate::gateway::simulation;
use crate::gateway::verdict::{self, Verdict};
use crate::gateway::work::Work;
use crate::jobs::plan::{JobPlan, Question};
use crate::network::Network;
use crate::sanitize::text::Text;

/// Claims and transactions of one plan; more are left out.
const CLAIMS_MAX: usize = 50;
const TRANSACTIONS_MAX: usize = 100;
/// How often a plan is tried without the claim that failed among the others.
const TRIES: usize = 8;

/// The plan of one network.
pub(super) struct ClaimPlanWork {
    plans: Vec<JobPlan>,
    network: Arc<Network>,
    account: Address,
    worth: bool,
}

impl ClaimPlanWork {
    /// Plans the claimables of the account from all protocols on one network.
    ///
    /// # Errors
    /// The filter names a protocol that is not served.
    pub(super) fn new(
        context: &Context,
        account: Address,
        filter: &Filter,
        network: Arc<Network>,
        worth: bool,
    ) -> Result<Self, Problem> {
        let (questions, chain_id) = ([Question::Claimables], Some(network.chain_id));
        let plans = plan::for_all(&context.snapshot, context.networks(), (filter, chain_id), &questions, account)?;
        Ok(Self { plans, network, account, worth })
    }
}

impl Work for ClaimPlanWork {
    fn networks(&self, _: &Context) -> Vec<Arc<Network>> {
        vec![Arc::clone(&self.network)]
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let Self { plans, network, account, worth } = self;
        let (rows, reports) = rows_of(&context, plans, |_| RowKind::Payments, Some(Effort::Any)).await?;
        let (mut claims, mut left_out) = (Vec::new(), Vec::new());
        for claim in claims_of(rows) {
            match unfit(&claim, worth, &claims) {
                Some(reason) => left_out.push(LeftOut { claim, reason: Text::words(reason) }),
                None => claims.push(claim),
            }
        }
        let whole = whole(&context, &network, &mut claims, &mut left_out).await;
        let plan = ClaimPlan { network, account, claims, whole, left_out };
        Ok(context.answer(Items::ClaimPlan(Box::new(plan)), reports))
    }
}

/// The claims of rows, each once: first those of which most is left, last those of which that is not known.
fn claims_of(rows: Vec<Row>) -> Vec<Arc<ClaimItem>> {
    // Rows of one claim need not stand together.
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

/// Why a claim is no part of a plan that has these already.
fn unfit(claim: &ClaimItem, worth: bool, before: &[Arc<ClaimItem>]) -> Option<&'static str> {
    let transactions: usize = before.iter().map(|claim| claim.transactions.len()).sum();
    let is_full = before.len() >= CLAIMS_MAX || transactions + claim.transactions.len() > TRANSACTIONS_MAX;
    let Some(simulation) = &claim.simulation else { return Some("It was not tried.") };
    match simulation.verdict {
        Some(Verdict::Reverted) => Some("It reverts."),
        Some(Verdict::Refused) => Some("It takes what it should not."),
        _ if simulation.run.is_err() => Some("It could not be tried."),
        _ if worth && !claim.is_profitable() => Some("It costs more than it brings."),
        _ if is_full => Some("The plan is full."),
        Some(Verdict::Paid | Verdict::Differs) | None => None,
    }
}

/// All claims as one. A claim that fails among the others is left out, and the rest is tried again.
async fn whole(
    context: &Context,
    network: &Arc<Network>,
    claims: &mut Vec<Arc<ClaimItem>>,
    left_out: &mut Vec<LeftOut>,
) -> Option<ClaimItem> {
    for _ in 0..TRIES {
        let (found, transactions) = joined(claims);
        if claims.is_empty() {
            return None;
        }
        let claim = PlannedClaim { plugin: "", network, found: &found, transactions: &transactions };
        let run = simulation::run_plan(context, &claim).await;
        let failed =
            run.as_ref().ok().and_then(Option::as_ref).and_then(|run| run.reverted().map(|_| run.steps.len() - 1));
        if let Some(place) = failed.and_then(|step| place_of(claims, step)) {
            let claim = claims.remove(place);
            left_out.push(LeftOut { claim, reason: Text::words("It fails after the others.") });
            continue;
        }
        let simulation = run.transpose().and_then(|run| verdict::judge(&claim, run));
        let fees = ClaimFees::together(claims.iter().map(|claim| claim.cost.as_ref()));
        let tried = TriedClaim::new(&claim, simulation, fees);
        return Some(item(claims, found, transactions, tried));
    }
    let rest = std::mem::take(claims).into_iter();
    left_out.extend(rest.map(|claim| LeftOut { claim, reason: Text::words("The plan fails without it too.") }));
    None
}

/// The claim that a step belongs to.
fn place_of(claims: &[Arc<ClaimItem>], step: usize) -> Option<usize> {
    let mut end = 0;
    claims.iter().position(|claim| {
        end += claim.transactions.len();
        step < end
    })
}

/// What all claims pay together, each token once in each place, and their transactions in order.
fn joined(claims: &[Arc<ClaimItem>]) -> (Claimable, Vec<ClaimTransaction>) {
    let mut payments: Vec<Payment> = Vec::new();
    for payment in claims.iter().flat_map(|claim| &claim.found.payments) {
        let same = |other: &&mut Payment| (other.token, other.paid_to) == (payment.token, payment.paid_to);
        match payments.iter_mut().find(same) {
            Some(other) => other.amount = other.amount.saturating_add(payment.amount),
            None => payments.push(Payment { name: None, ..payment.clone() }),
        }
    }
    let transactions = claims.iter().flat_map(|claim| claim.transactions.iter().cloned()).collect();
    (Claimable { payments, ..Claimable::default() }, transactions)
}

fn item(
    claims: &[Arc<ClaimItem>],
    found: Claimable,
    transactions: Vec<ClaimTransaction>,
    tried: TriedClaim,
) -> ClaimItem {
    let tokens: BTreeMap<Address, Arc<Token>> = claims
        .iter()
        .flat_map(|claim| claim.tokens.iter().map(|(address, token)| (*address, Arc::clone(token))))
        .collect();
    let native = claims.iter().find_map(|claim| claim.native.clone());
    rows::claim_item(("claim-plan".to_owned(), Vec::new()), found, transactions, tried, (native, tokens))
}
