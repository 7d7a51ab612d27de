//! Simulates claims before they are shown: all of an account on one network in one request.
//!
//! Invariant: a simulation is read at the answer's block, within its budget and its deadline. What it watches besides the
//! claim's own tokens are those of the other claims, so that a claim which takes what another one pays is seen.

use std::collections::HashMap;

use alloy::primitives::Address;
use portolan_reader::{Effort, RUN_GAS, ReadFailure, Run, RunStep, Simulation, Watched};
use portolan_validation::ClaimTransaction;

use crate::claims::SimulateWhen;
use crate::gateway::context::Context;
use crate::gateway::planned_claim::PlannedClaim;
use crate::gateway::query::ClaimOptions;
use crate::gateway::verdict::{self, ClaimSimulation};

/// Claims of one plugin that are simulated for an account on one network; of more, nothing is said of the rest.
const CLAIMS_MAX: usize = 200;
/// The gas of a whole plan: what nodes allow for a call, less the rest of the request.
const PLAN_GAS: u32 = 40_000_000;

/// How much is watched.
struct WatchLimits {
    /// Tokens of the claim itself, also for approvals.
    own: usize,
    /// Tokens of other claims.
    others: usize,
    /// Contracts whose approvals are watched.
    spenders: usize,
}

const CLAIM_LIMITS: WatchLimits = WatchLimits { own: 8, others: 16, spenders: 4 };
/// A plan pays tokens and calls contracts of all its claims.
const PLAN_LIMITS: WatchLimits = WatchLimits { own: 32, others: 64, spenders: 32 };

/// How much these options allow to spend on simulations; `None` for nothing.
pub(super) fn effort(context: &Context, options: ClaimOptions) -> Option<Effort> {
    match (options.simulate, context.sources.simulate_claims) {
        (Some(true), _) => Some(Effort::Any),
        (None, SimulateWhen::Always) => Some(Effort::Packed),
        (None, SimulateWhen::Asked) | (Some(false), _) => None,
    }
}

/// Runs all transactions of a plan one after the other.
///
/// # Errors
/// Why that could not be done; `Ok(None)` where no endpoint has a method for it.
pub(super) async fn run_plan(context: &Context, plan: &PlannedClaim<'_>) -> Result<Option<Run>, ReadFailure> {
    let session = context.session_for_simulations(plan.network).ok_or(ReadFailure::NotConfigured)?;
    let tokens: Vec<Address> = plan.tokens().into_iter().collect();
    let simulation = simulation(plan, &tokens, &PLAN_LIMITS, PLAN_GAS);
    let runs = session.simulate(plan.account(), &[simulation], Effort::Any).await;
    runs.into_iter().next().unwrap_or(Ok(None))
}

/// Simulates the claims of one account on one network, in their order and as many; `None` for one of which nothing can be
/// said.
pub(super) async fn simulate(
    context: &Context,
    claims: &[&PlannedClaim<'_>],
    effort: Effort,
) -> Vec<Option<ClaimSimulation>> {
    let nothing = || claims.iter().map(|_| None).collect();
    let Some(first) = claims.first() else { return nothing() };
    let Some(session) = context.session_for_simulations(first.network) else { return nothing() };
    let order = in_turn(claims);
    let tokens = tokens_in_turn(claims, &order);
    let simulations: Vec<Simulation> =
        order.iter().map(|place| simulation(claims[*place], &tokens, &CLAIM_LIMITS, RUN_GAS)).collect();
    let runs = session.simulate(first.account(), &simulations, effort).await;
    let mut judged: Vec<Option<ClaimSimulation>> =
        claims.iter().map(|claim| verdict::judge(claim, Err(ReadFailure::OverBudget))).collect();
    for (place, run) in order.into_iter().zip(runs) {
        judged[place] = run.transpose().and_then(|run| verdict::judge(claims[place], run));
    }
    judged
}

/// The places of the claims that are simulated: the first of each plugin, then the second of each, and so on, so that no
/// plugin's claims take the gas or the time of another's.
fn in_turn(claims: &[&PlannedClaim<'_>]) -> Vec<usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut turns: Vec<usize> = Vec::with_capacity(claims.len());
    for claim in claims {
        let count = counts.entry(claim.plugin).or_default();
        *count += 1;
        turns.push(*count);
    }
    let mut order: Vec<usize> = (0..claims.len()).filter(|place| turns[*place] <= CLAIMS_MAX).collect();
    order.sort_by_key(|place| turns[*place]);
    order
}

/// The tokens that claims pay, as many as any claim needs to watch.
fn tokens_in_turn(claims: &[&PlannedClaim<'_>], order: &[usize]) -> Vec<Address> {
    let mut tokens: Vec<Address> = Vec::new();
    for token in order.iter().flat_map(|place| claims[*place].tokens()) {
        if tokens.len() < CLAIM_LIMITS.own + CLAIM_LIMITS.others && !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    tokens
}

fn simulation(claim: &PlannedClaim<'_>, tokens: &[Address], limits: &WatchLimits, gas: u32) -> Simulation {
    let step = |transaction: &ClaimTransaction| RunStep {
        to: transaction.to,
        value: transaction.value,
        data: transaction.data.clone(),
    };
    let steps = claim.transactions.iter().map(step).collect();
    Simulation { steps, watched: watched(claim, tokens, limits), gas }
}

fn watched(claim: &PlannedClaim<'_>, tokens: &[Address], limits: &WatchLimits) -> Watched {
    let named = claim.contracts();
    let mut watched: Vec<Address> = Vec::new();
    for token in claim.tokens().into_iter().chain(claim.network.wrapped_native).chain(named.iter().copied()) {
        if !watched.contains(&token) {
            watched.push(token);
        }
    }
    watched.truncate(limits.own);
    let own = watched.len();
    let others = tokens.iter().copied().filter(|token| !watched.contains(token));
    let others: Vec<Address> = others.take(limits.others).collect();
    watched.extend(others);
    let spenders = named.into_iter().take(limits.spenders).collect();
    Watched { tokens: watched, own: u8::try_from(own).unwrap_or(u8::MAX), spenders }
}
