//! Simulates claims before they are shown: all claims of one network in one request, or in one for each account.
//!
//! Invariant: a simulation is at the answer's block, within its budget and its deadline. It watches the tokens of the
//! other claims too, so that a claim which takes another's payment is noticed even if the method returns no logs. A
//! claim whose logs name an unwatched token or spender is simulated once more, with that watched.

use std::collections::{BTreeMap, HashMap};

use alloy::primitives::{Address, Bytes, U256};
use portolan_base::network::Network;
use portolan_reader::{
    AccountCode, Effort, Kind, LogKind, Outcome, Read, ReadFailure, Reply, Run, RunStep, Sender, Session, Simulation,
    Watched,
};
use portolan_validation::ClaimTransaction;

use crate::gateway::claims::gas_limit;
use crate::gateway::claims::planned_claim::PlannedClaim;
use crate::gateway::claims::verdict::{self, ClaimSimulation, SimulationRun};
use crate::gateway::context::Context;
use crate::gateway::query::{ClaimOptions, SimulateWhen};

/// Maximum number of claims of one plugin that are simulated for an account on one network; further ones are not.
const CLAIMS_MAX: usize = 200;
/// Maximum number of claims of one network that are simulated for an answer: twenty batches of `eth_simulateV1`.
const ALL_CLAIMS_MAX: usize = 2_000;
/// Gas limit of a plan's transaction whose own limit is unknown.
const UNKNOWN_GAS: u32 = 5_000_000;

/// Limits on what a simulation watches.
struct WatchLimits {
    /// Tokens of the claim itself, also for approvals.
    own: usize,
    /// Tokens of other claims.
    others: usize,
    /// Contracts whose approvals are watched.
    spenders: usize,
}

const CLAIM_LIMITS: WatchLimits = WatchLimits { own: 40, others: 16, spenders: 4 };
/// Limits of a second simulation, which adds the tokens and spenders that the logs named.
const AGAIN_LIMITS: WatchLimits = WatchLimits { own: 48, others: 16, spenders: 8 };
/// Limits of a plan, which has the tokens and contracts of all its claims.
const PLAN_LIMITS: WatchLimits = WatchLimits { own: 32, others: 64, spenders: 32 };

/// Returns the effort that these options allow for simulations; `None` for no simulation.
pub(in crate::gateway) fn effort(context: &Context, options: ClaimOptions) -> Option<Effort> {
    match (options.simulate, context.sources.simulate_claims) {
        (Some(true), _) => Some(Effort::Any),
        (None, SimulateWhen::Always) => Some(Effort::Packed),
        (None, SimulateWhen::Asked) | (Some(false), _) => None,
    }
}

/// Reads the code sizes and balances of the claims' senders, together with the first reads of the jobs.
pub(in crate::gateway) async fn read_senders(context: &Context, network: &Network, accounts: &[Address]) {
    if let Ok(session) = context.session(network) {
        session.read_with_next_batch(accounts.iter().flat_map(|account| sender_reads(*account)).collect()).await;
    }
}

fn sender_reads(account: Address) -> [Read; 2] {
    let read = |kind| Read { kind, ..Read::call(account, Bytes::new()) };
    [read(Kind::CodeSize), read(Kind::NativeBalance)]
}

/// Returns the senders at these accounts, in order.
async fn senders(session: &Session, accounts: &[Address]) -> Vec<Result<Sender, ReadFailure>> {
    let replies = session.read(accounts.iter().flat_map(|account| sender_reads(*account)).collect()).await;
    let word = |reply: Option<&Reply>| match reply.map(|reply| &reply.outcome) {
        Some(Outcome::Ok(word)) => Ok(U256::try_from_be_slice(word).unwrap_or_default()),
        Some(Outcome::Failed(failure)) => Err(*failure),
        Some(Outcome::OverBudget) => Err(ReadFailure::OverBudget),
        _ => Err(ReadFailure::Upstream),
    };
    let sender = |(place, account): (usize, &Address)| {
        let (code, balance) = (word(replies.get(place * 2))?, word(replies.get(place * 2 + 1))?);
        Ok(Sender { account: *account, code: AccountCode::of_size(code), balance })
    };
    accounts.iter().enumerate().map(sender).collect()
}

/// Simulates all transactions of a plan in sequence, each with its gas limit if known.
///
/// # Errors
/// Returns the read failure; `Ok(None)` if no endpoint has a method for it.
pub(in crate::gateway) async fn run_plan(
    context: &Context,
    plan: &PlannedClaim<'_>,
    gas: &[Option<u32>],
) -> Result<Option<SimulationRun>, ReadFailure> {
    let session = context.session_for_simulations(plan.network).ok_or(ReadFailure::NotConfigured)?;
    let sender = senders(&session, &[plan.account()]).await.pop().unwrap_or(Err(ReadFailure::Upstream))?;
    let tokens: Vec<Address> = plan.tokens().into_iter().collect();
    let mut simulation = simulation(plan, &watched(plan, &tokens, &PLAN_LIMITS), |_| UNKNOWN_GAS);
    simulation.steps.iter_mut().zip(gas).for_each(|(step, gas)| step.gas = gas.unwrap_or(UNKNOWN_GAS));
    let runs = session.simulate(&[(&sender, &simulation)], Effort::Any).await;
    let run = runs.into_iter().next().unwrap_or(Ok(None))?;
    Ok(run.map(|run| SimulationRun { simulation, run }))
}

/// Simulates claims of accounts on one network; one result per claim, in order. `None` if nothing is known about a
/// claim.
pub(in crate::gateway) async fn simulate(
    context: &Context,
    claims: &[&PlannedClaim<'_>],
    effort: Effort,
) -> Vec<Option<ClaimSimulation>> {
    let nothing = || claims.iter().map(|_| None).collect();
    let Some(first) = claims.first() else { return nothing() };
    let Some(session) = context.session_for_simulations(first.network) else { return nothing() };
    let (chain_id, limits, block) = (first.network.chain_id, &context.sources.gas_limits, session.block().number);
    let mut of_accounts: BTreeMap<Address, Vec<usize>> = BTreeMap::new();
    for place in in_turn(claims) {
        of_accounts.entry(claims[place].account()).or_default().push(place);
    }
    let accounts: Vec<Address> = of_accounts.keys().copied().collect();
    let mut judged: Vec<Option<ClaimSimulation>> =
        claims.iter().map(|claim| verdict::judge(claim, Err(ReadFailure::OverBudget))).collect();
    let mut trials: Vec<Trial> = Vec::new();
    for (sender, places) in senders(&session, &accounts).await.into_iter().zip(of_accounts.into_values()) {
        let sender = match sender {
            Ok(sender) => sender,
            Err(failure) => {
                places.into_iter().for_each(|place| judged[place] = verdict::judge(claims[place], Err(failure)));
                continue;
            }
        };
        let tokens = tokens_in_turn(claims, &places);
        let gas = |step: &RunStep| limits.of(chain_id, block, sender.account, step);
        let trial = |place: usize| {
            let watched = watched(claims[place], &tokens, &CLAIM_LIMITS);
            Trial { place, sender, simulation: simulation(claims[place], &watched, gas) }
        };
        trials.extend(places.into_iter().map(trial));
    }
    for (Trial { place, sender, .. }, tried) in run(&session, trials, effort).await {
        if let Ok(Some(tried)) = &tried {
            for (step, end) in tried.simulation.steps.iter().zip(&tried.run.steps) {
                if let Some(gas) = gas_limit::gas_limit(chain_id, end) {
                    limits.learn(chain_id, block, sender.account, step, gas);
                }
            }
        }
        judged[place] = tried.transpose().and_then(|tried| verdict::judge(claims[place], tried));
    }
    judged
}

/// A simulation of a claim, by the claim's index.
struct Trial {
    place: usize,
    sender: Sender,
    simulation: Simulation,
}

/// Runs all trials together, and once more, together too, those that need a better simulation.
async fn run(
    session: &Session,
    trials: Vec<Trial>,
    effort: Effort,
) -> Vec<(Trial, Result<Option<SimulationRun>, ReadFailure>)> {
    let runs = run_each(session, trials.iter().map(|trial| (&trial.sender, &trial.simulation)), effort).await;
    let again = |(place, (trial, run)): (usize, (&Trial, &Result<Option<SimulationRun>, ReadFailure>))| {
        Some((place, trial.sender, better(session.chain_id(), run.as_ref().ok()?.as_ref()?, effort)?))
    };
    let again: Vec<(usize, Sender, Simulation)> = trials.iter().zip(&runs).enumerate().filter_map(again).collect();
    let mut tried: Vec<_> = trials.into_iter().zip(runs).collect();
    if again.is_empty() {
        return tried;
    }
    let better = run_each(session, again.iter().map(|(_, sender, simulation)| (sender, simulation)), effort).await;
    for ((place, ..), run) in again.iter().zip(better) {
        if let (Ok(Some(_)), Some((_, own))) = (&run, tried.get_mut(*place)) {
            *own = run;
        }
    }
    tried
}

async fn run_each<'a>(
    session: &Session,
    simulations: impl Iterator<Item = (&'a Sender, &'a Simulation)>,
    effort: Effort,
) -> Vec<Result<Option<SimulationRun>, ReadFailure>> {
    let simulations: Vec<(&Sender, &Simulation)> = simulations.collect();
    let runs = session.simulate(&simulations, effort).await.into_iter().zip(simulations);
    runs.map(|(run, (_, simulation))| Ok(run?.map(|run| SimulationRun { simulation: simulation.clone(), run })))
        .collect()
}

/// Returns a more informative simulation, if there is one. It watches what the logs named, and adds gas where gas ran
/// out. With any effort allowed, it uses the gas limits that the claim is sent with.
fn better(chain_id: u64, tried: &SimulationRun, effort: Effort) -> Option<Simulation> {
    let SimulationRun { simulation, run } = tried;
    let mut again = simulation.clone();
    let unwatched = unwatched(run, &simulation.watched);
    if let Some(watched) = unwatched {
        again.watched = watched;
    }
    for (step, end) in again.steps.iter_mut().zip(&run.steps) {
        if gas_limit::ran_out(end) {
            step.gas = gas_limit::gas_max(chain_id);
        } else if effort == Effort::Any && end.reverted.is_none() {
            step.gas = gas_limit::gas_limit(chain_id, end).unwrap_or(step.gas);
        }
    }
    (again != *simulation).then_some(again)
}

/// Returns the watch list extended by what the logs say the account sends or approves, if any of it is unwatched.
fn unwatched(run: &Run, watched: &Watched) -> Option<Watched> {
    let logs = &run.changes.as_ref()?.logs;
    let own = || watched.tokens.iter().take(watched.own.into());
    let is_named = |kind: LogKind| matches!(kind, LogKind::Sent | LogKind::Allowance);
    let named = logs.iter().filter(|log| is_named(log.kind) && !log.amount.is_zero());
    let (mut tokens, mut spenders): (Vec<Address>, Vec<Address>) = (own().copied().collect(), watched.spenders.clone());
    for log in named {
        if !tokens.contains(&log.emitter) {
            tokens.push(log.emitter);
        }
        if log.kind == LogKind::Allowance && !spenders.contains(&log.other) {
            spenders.push(log.other);
        }
    }
    tokens.truncate(AGAIN_LIMITS.own);
    spenders.truncate(AGAIN_LIMITS.spenders);
    if tokens.len() == usize::from(watched.own) && spenders.len() == watched.spenders.len() {
        return None;
    }
    let own = u8::try_from(tokens.len()).ok()?;
    let others: Vec<Address> = watched.tokens.iter().copied().filter(|token| !tokens.contains(token)).collect();
    tokens.extend(others.into_iter().take(AGAIN_LIMITS.others));
    Some(Watched { tokens, own, spenders })
}

/// Returns the indexes of the claims to simulate: the first claim of each plugin and account, then the second of each,
/// and so on, so that no plugin's claims use up the gas, the time or the places of another's.
fn in_turn(claims: &[&PlannedClaim<'_>]) -> Vec<usize> {
    let mut counts: HashMap<(&str, Address), usize> = HashMap::new();
    let mut turns: Vec<usize> = Vec::with_capacity(claims.len());
    for claim in claims {
        let count = counts.entry((claim.plugin, claim.account())).or_default();
        *count += 1;
        turns.push(*count);
    }
    let mut order: Vec<usize> = (0..claims.len()).filter(|place| turns[*place] <= CLAIMS_MAX).collect();
    order.sort_by_key(|place| turns[*place]);
    order.truncate(ALL_CLAIMS_MAX);
    order
}

/// Returns the tokens that claims pay, at most as many as one claim watches.
fn tokens_in_turn(claims: &[&PlannedClaim<'_>], order: &[usize]) -> Vec<Address> {
    let mut tokens: Vec<Address> = Vec::new();
    for token in order.iter().flat_map(|place| claims[*place].tokens()) {
        if tokens.len() < CLAIM_LIMITS.own + CLAIM_LIMITS.others && !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    tokens
}

fn simulation(claim: &PlannedClaim<'_>, watched: &Watched, gas: impl Fn(&RunStep) -> u32) -> Simulation {
    let gas_max = gas_limit::gas_max_of_each(claim.transactions.len());
    let step = |transaction: &ClaimTransaction| {
        let ClaimTransaction { to, value, data, .. } = transaction;
        let step = RunStep { to: *to, value: *value, data: data.clone(), gas: 0 };
        RunStep { gas: gas(&step).min(gas_max), ..step }
    };
    Simulation { steps: claim.transactions.iter().map(step).collect(), watched: watched.clone() }
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
