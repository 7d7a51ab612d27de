//! Judges a claim by its simulation: whether it pays the stated amounts, takes anything it should not, or reverts.
//!
//! Invariant: a claim that changes an approval of the account, or takes anything from it beyond the declared fee, is
//! refused, whatever it pays. The one exception is a target that burns at most as many units of its own token as it
//! pays, as a vesting contract does. A contract controls its own token with or without a claim.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use alloy::sol_types::decode_revert_reason;
use portolan_abi::map::PaidTo;
use portolan_assets::token::NATIVE;
use portolan_base::sanitize::text::Text;
use portolan_reader::{
    AccountLog, Approval, Changes, LogKind, ReadFailure, Run, Simulation, SimulationMethod, Watched,
};

use crate::gateway::claims::gas_limit;
use crate::gateway::claims::planned_claim::PlannedClaim;

/// Maximum characters of a contract's revert reason.
const REASON_CHARS_MAX: usize = 200;

/// Result of a simulation; serialized as `simulated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Paid,
    /// An allowance is zero after it, and nothing else changed.
    Revoked,
    Differs,
    Reverted,
    Refused,
}

impl Verdict {
    /// Returns true if the claim reverts or is refused, so that nobody should sign it.
    pub(crate) fn is_bad(self) -> bool {
        self >= Self::Reverted
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Revoked => "revoked",
            Self::Differs => "differs",
            Self::Reverted => "reverted",
            Self::Refused => "refused",
        }
    }
}

/// A simulation of a claim, and its run.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct SimulationRun {
    pub(in crate::gateway) simulation: Simulation,
    pub(in crate::gateway) run: Run,
}

/// Judged simulation of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimSimulation {
    /// `None` if the method reports too little, or if the simulation failed.
    pub(crate) verdict: Option<Verdict>,
    /// Effects of the claim that it does not state, in sentences.
    pub(crate) differs: Vec<Text>,
    pub(crate) run: Result<ClaimRun, ReadFailure>,
    /// Gas limit of each transaction, in order; `None` if the method does not report gas.
    pub(crate) gas_limits: Option<Vec<u32>>,
}

impl ClaimSimulation {
    /// Returns true if nobody should sign the claim.
    pub(crate) fn is_bad(&self) -> bool {
        self.verdict.is_some_and(Verdict::is_bad)
    }

    /// Gas of all transactions, if known.
    pub(in crate::gateway) fn gas(&self) -> Option<u64> {
        self.run.as_ref().ok()?.gas
    }

    /// Adds room for gas that pays for data, which no call uses, to each gas limit. It adds twice the gas, because the
    /// price of data changes.
    pub(in crate::gateway) fn add_data_gas(&mut self, gas: u64) {
        let room = u32::try_from(gas.saturating_mul(2)).unwrap_or(u32::MAX);
        self.gas_limits.iter_mut().flatten().for_each(|limit| *limit = limit.saturating_add(room));
    }

    /// Gas limit of one transaction, by its index.
    pub(crate) fn gas_limit(&self, place: usize) -> Option<u32> {
        self.gas_limits.as_ref()?.get(place).copied()
    }

    /// Returns the amount of a token that the account receives, if the verdict is [`Verdict::Differs`].
    pub(in crate::gateway) fn differing(&self, token: Address) -> Option<U256> {
        let run = self.run.as_ref().ok().filter(|_| self.verdict == Some(Verdict::Differs))?;
        Some(paid(run.receives.as_ref()?, run.gives.as_ref()?, token, run.value))
    }

    /// Tokens whose balance changed, if the verdict is [`Verdict::Differs`].
    pub(in crate::gateway) fn moved(&self) -> impl Iterator<Item = Address> + '_ {
        let run = self.run.as_ref().ok().filter(|_| self.verdict == Some(Verdict::Differs));
        let flows = run.into_iter().flat_map(|run| run.receives.iter().chain(&run.gives));
        flows.flatten().map(|(token, _)| *token)
    }
}

#[cfg(test)]
impl ClaimSimulation {
    /// A simulation with this verdict, in which the account receives these tokens and gives none.
    pub(crate) fn of_test(verdict: Verdict, receives: Vec<(Address, U256)>) -> Self {
        let run = ClaimRun {
            method: SimulationMethod::Override,
            gas: None,
            value: U256::ZERO,
            reverted: None,
            receives: Some(receives),
            gives: Some(Vec::new()),
            approvals: Vec::new(),
        };
        Self { verdict: Some(verdict), differs: Vec::new(), run: Ok(run), gas_limits: None }
    }
}

/// Effects of a claim when it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimRun {
    pub(crate) method: SimulationMethod,
    /// Gas of all transactions; `None` if the method does not report it.
    pub(crate) gas: Option<u64>,
    /// Wei that its transactions send.
    pub(crate) value: U256,
    /// The revert reason, if it reverted.
    pub(crate) reverted: Option<Text>,
    /// Tokens that increased for the account; `None` if the method does not report balances.
    pub(crate) receives: Option<Vec<(Address, U256)>>,
    /// Tokens that decreased for the account, including the fee.
    pub(crate) gives: Option<Vec<(Address, U256)>>,
    pub(crate) approvals: Vec<Approval>,
}

/// Judges a claim by its simulation. `None` if no endpoint simulates with the allowed effort.
pub(in crate::gateway) fn judge(
    claim: &PlannedClaim<'_>,
    tried: Result<SimulationRun, ReadFailure>,
) -> Option<ClaimSimulation> {
    let SimulationRun { simulation, run } = match tried {
        Ok(tried) => tried,
        Err(failure) => {
            let (verdict, differs, run) = (None, Vec::new(), Err(failure));
            return Some(ClaimSimulation { verdict, differs, run, gas_limits: None });
        }
    };
    let chain_id = claim.network.chain_id;
    let limits: Option<Vec<u32>> = run.steps.iter().map(|end| gas_limit::gas_limit(chain_id, end)).collect();
    let gas_limits = limits.filter(|limits| limits.len() == claim.transactions.len() && run.reverted().is_none());
    let reverted = run.reverted().map(|data| reason(data));
    let flows = run.changes.as_ref().map(|changes| Flows::of(changes, &simulation.watched));
    let (verdict, differs) = match (&reverted, &flows) {
        (Some(reason), _) => (Some(Verdict::Reverted), vec![words(&format!("It reverts: {}.", reason.as_str()))]),
        (None, None) => (None, Vec::new()),
        (None, Some(flows)) => compare(claim, flows, run.method),
    };
    let (receives, gives, approvals) = match flows {
        Some(Flows { receives, gives, approvals }) => (Some(receives), Some(gives), approvals),
        None => (None, None, Vec::new()),
    };
    let (method, gas, value) = (run.method, run.gas(), claim.fee());
    let run = ClaimRun { method, gas, value, reverted, receives, gives, approvals };
    Some(ClaimSimulation { verdict, differs, run: Ok(run), gas_limits })
}

/// Judges the call that takes an allowance back: it must be zero afterwards, and nothing else may change.
pub(in crate::gateway) fn judge_revocation(
    claim: &PlannedClaim<'_>,
    mut tried: Result<SimulationRun, ReadFailure>,
    (token, spender): (Address, Address),
) -> Option<ClaimSimulation> {
    let mut revoked: Vec<Approval> = Vec::new();
    if let Ok(SimulationRun { run: Run { changes: Some(changes), .. }, .. }) = &mut tried {
        let is_meant = |approval: &Approval| {
            let Approval { of_all, after, .. } = *approval;
            (approval.token, approval.spender) == (token, spender) && !of_all && after.is_zero()
        };
        revoked.extend(changes.approvals.iter().filter(|approval| is_meant(approval)));
        changes.approvals.retain(|approval| !is_meant(approval));
    }
    let mut judged = judge(claim, tried)?;
    if judged.verdict == Some(Verdict::Paid) {
        let is_revoked = !revoked.is_empty();
        judged.verdict = Some(if is_revoked { Verdict::Revoked } else { Verdict::Refused });
        judged.differs.extend((!is_revoked).then(|| words("It leaves the allowance as it is.")));
    }
    if let Ok(run) = &mut judged.run {
        run.approvals.splice(0..0, revoked);
    }
    Some(judged)
}

/// Amounts by token.
type TokenAmounts = [(Address, U256)];

/// Changes of the account's balances and approvals.
struct Flows {
    receives: Vec<(Address, U256)>,
    gives: Vec<(Address, U256)>,
    approvals: Vec<Approval>,
}

impl Flows {
    /// Combines the watched balances and approvals with the logs about everything unwatched.
    fn of(changes: &Changes, watched: &Watched) -> Self {
        let native = changes.native.map(|(before, after)| (NATIVE, before, after));
        let mut flows = Self { receives: Vec::new(), gives: Vec::new(), approvals: changes.approvals.clone() };
        for (token, before, after) in native.into_iter().chain(changes.tokens.iter().copied()) {
            flows.add(token, before, after);
        }
        let own: Vec<Address> = watched.tokens.iter().take(watched.own.into()).copied().collect();
        let mut logged: BTreeMap<Address, (U256, U256)> = BTreeMap::new();
        for log in &changes.logs {
            let AccountLog { kind, emitter: token, other: spender, amount } = *log;
            let is_watched = own.contains(&token) && watched.spenders.contains(&spender);
            let approval = |of_all, after| Approval { token, spender, of_all, before: U256::ZERO, after };
            match kind {
                LogKind::Received | LogKind::ItemsReceived if !own.contains(&token) => {
                    let came = &mut logged.entry(token).or_default().0;
                    *came = came.saturating_add(amount);
                }
                LogKind::Sent | LogKind::ItemsSent if !own.contains(&token) => {
                    let went = &mut logged.entry(token).or_default().1;
                    *went = went.saturating_add(amount);
                }
                LogKind::Allowance if !amount.is_zero() && !is_watched => {
                    flows.approvals.push(approval(false, amount));
                }
                LogKind::ItemApproved => flows.approvals.push(approval(false, amount)),
                LogKind::OperatorApproved => flows.approvals.push(approval(true, amount)),
                LogKind::Received
                | LogKind::Sent
                | LogKind::ItemsReceived
                | LogKind::ItemsSent
                | LogKind::Allowance => {}
            }
        }
        logged.into_iter().for_each(|(token, (came, went))| flows.add(token, went, came));
        flows
    }

    fn add(&mut self, token: Address, before: U256, after: U256) {
        if before != after {
            let flow = if after > before { &mut self.receives } else { &mut self.gives };
            flow.push((token, after.abs_diff(before)));
        }
    }

    fn received(&self, token: Address) -> U256 {
        amount_of(&self.receives, token)
    }
}

fn amount_of(flow: &TokenAmounts, token: Address) -> U256 {
    flow.iter().find(|(own, _)| *own == token).map_or(U256::ZERO, |(_, amount)| *amount)
}

/// Returns what a claim pays of a token, from the account's balance changes; the fee that was sent is added back.
fn paid(receives: &TokenAmounts, gives: &TokenAmounts, token: Address, fee: U256) -> U256 {
    let received = amount_of(receives, token);
    if token == NATIVE { (received + fee).saturating_sub(amount_of(gives, NATIVE)) } else { received }
}

fn compare(claim: &PlannedClaim<'_>, flows: &Flows, method: SimulationMethod) -> (Option<Verdict>, Vec<Text>) {
    let taken = takes(claim, flows);
    if !taken.is_empty() {
        return (Some(Verdict::Refused), taken);
    }
    let mut differs = Vec::new();
    let fee = claim.fee();
    let is_later = method == SimulationMethod::SimulateV1;
    let to_account = claim.found.payments.iter().filter(|payment| payment.paid_to == PaidTo::ACCOUNT);
    for payment in to_account {
        let paid = paid(&flows.receives, &flows.gives, payment.token, fee);
        // `eth_simulateV1` runs in the next block, by which more rewards may be due.
        if paid < payment.amount || (paid > payment.amount && !is_later) {
            differs.push(words(&format!("It pays {paid} of {}, not {}.", name(payment.token), payment.amount)));
        }
    }
    let pays_elsewhere = claim.found.payments.iter().any(|payment| payment.paid_to != PaidTo::ACCOUNT);
    let contracts = claim.contracts();
    let is_said = |token: Address| {
        claim.found.payments.iter().any(|payment| payment.token == token) || contracts.contains(&token)
    };
    for (token, amount) in flows.receives.iter().filter(|(token, _)| !is_said(*token)) {
        if !pays_elsewhere {
            differs.push(words(&format!("It pays {amount} of {}, which it does not say.", name(*token))));
        }
    }
    (Some(if differs.is_empty() { Verdict::Paid } else { Verdict::Differs }), differs)
}

/// Returns what a claim takes beyond its declared fee, as sentences.
fn takes(claim: &PlannedClaim<'_>, flows: &Flows) -> Vec<Text> {
    let fee = claim.fee();
    let beyond = |(token, amount): &&(Address, U256)| match *token {
        NATIVE => *amount > fee,
        token => !is_exchanged(claim, flows, token, *amount),
    };
    let leaves = flows.gives.iter().filter(beyond).map(|(token, amount)| {
        let left = if *token == NATIVE { *amount - fee } else { *amount };
        words(&format!("It takes {left} of {} from the account.", name(*token)))
    });
    let approvals = flows.approvals.iter().map(|approval| {
        let Approval { token, spender, of_all, before, after } = approval;
        let what = if *of_all { "the approval for all" } else { "the allowance" };
        words(&format!("It changes {what} of {spender:#x} in {token:#x} from {before} to {after}."))
    });
    leaves.chain(approvals).collect()
}

/// Returns true if the taken token is a target of the claim, and the account receives at least as many units of a token
/// that the claim states.
fn is_exchanged(claim: &PlannedClaim<'_>, flows: &Flows, token: Address, taken: U256) -> bool {
    let to_account = claim.found.payments.iter().filter(|payment| payment.paid_to == PaidTo::ACCOUNT);
    claim.transactions.iter().any(|transaction| transaction.to == token)
        && to_account.map(|payment| flows.received(payment.token)).any(|paid| paid >= taken)
}

fn name(token: Address) -> String {
    if token == NATIVE { "the native token".into() } else { format!("{token:#x}") }
}

fn words(text: &str) -> Text {
    Text::clean(text, REASON_CHARS_MAX * 2)
}

/// Returns the revert reason of a contract, or the selector of its error.
fn reason(data: &[u8]) -> Text {
    let text = match (decode_revert_reason(data), data.first_chunk::<4>()) {
        (Some(reason), _) if !reason.is_empty() => reason,
        (_, Some(selector)) => format!("custom error {}", alloy::hex::encode_prefixed(selector)),
        (_, None) => "without a reason".into(),
    };
    Text::clean(&text, REASON_CHARS_MAX)
}

#[cfg(test)]
mod tests;
