//! Judges a claim by its simulation: whether it pays what it says, takes what it should not, or fails.
//!
//! Invariant: a claim that changes an approval of the account, or lets anything leave it beyond its declared fee, is
//! refused, whatever it pays. The one exception is a contract that burns of itself no more than it pays, as a vester does
//! with what has vested: what an account has of a contract's own token is that contract's to say, with or without a claim.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use alloy::sol_types::decode_revert_reason;
use portolan_abi::map::PaidTo;
use portolan_reader::{
    AccountLog, Approval, Changes, LogKind, ReadFailure, Run, Simulation, SimulationMethod, Watched,
};

use crate::assets::token::NATIVE;
use crate::gateway::gas_limit;
use crate::gateway::planned_claim::PlannedClaim;
use crate::sanitize::text::Text;

/// Characters of a contract's own words on why it reverted.
const REASON_CHARS_MAX: usize = 200;

/// The outcome of a simulation, by the word of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Paid,
    Differs,
    Reverted,
    Refused,
}

impl Verdict {
    /// Whether the claim fails or is refused, so that nobody should sign it.
    pub(crate) fn is_bad(self) -> bool {
        self >= Self::Reverted
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Differs => "differs",
            Self::Reverted => "reverted",
            Self::Refused => "refused",
        }
    }
}

/// A simulation of a claim, and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    pub(super) simulation: Simulation,
    pub(super) run: Run,
}

/// What a simulation of a claim says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimSimulation {
    /// `None` where the method tells too little, or the simulation could not be made.
    pub(crate) verdict: Option<Verdict>,
    /// What the claim does that it does not say, in words.
    pub(crate) differs: Vec<Text>,
    pub(crate) run: Result<ClaimRun, ReadFailure>,
    /// The gas limit of each transaction, in order; `None` where the method does not tell.
    pub(crate) gas_limits: Option<Vec<u32>>,
}

impl ClaimSimulation {
    /// Whether nobody should sign the claim.
    pub(crate) fn is_bad(&self) -> bool {
        self.verdict.is_some_and(Verdict::is_bad)
    }

    /// The gas of all transactions, where it is known.
    pub(super) fn gas(&self) -> Option<u64> {
        self.run.as_ref().ok()?.gas
    }

    /// Makes room in each gas limit for gas that pays for data and is not used by any call; twice as much, for its price
    /// moves.
    pub(super) fn add_data_gas(&mut self, gas: u64) {
        let room = u32::try_from(gas.saturating_mul(2)).unwrap_or(u32::MAX);
        self.gas_limits.iter_mut().flatten().for_each(|limit| *limit = limit.saturating_add(room));
    }

    /// The gas limit of a transaction, by its place.
    pub(crate) fn gas_limit(&self, place: usize) -> Option<u32> {
        self.gas_limits.as_ref()?.get(place).copied()
    }

    /// What the account gets of a token, where that is not what the claim says.
    pub(super) fn differing(&self, token: Address) -> Option<U256> {
        let run = self.run.as_ref().ok().filter(|_| self.verdict == Some(Verdict::Differs))?;
        Some(paid((run.receives.as_ref()?, run.gives.as_ref()?), token, run.value))
    }

    /// The tokens that the account has more or less of, where the claim pays otherwise than it says.
    pub(super) fn moved(&self) -> impl Iterator<Item = Address> + '_ {
        let run = self.run.as_ref().ok().filter(|_| self.verdict == Some(Verdict::Differs));
        let flows = run.into_iter().flat_map(|run| run.receives.iter().chain(&run.gives));
        flows.flatten().map(|(token, _)| *token)
    }
}

/// What a claim did when it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimRun {
    pub(crate) method: SimulationMethod,
    /// All transactions; `None` where the method does not tell.
    pub(crate) gas: Option<u64>,
    /// Wei that its transactions send.
    pub(crate) value: U256,
    /// Why it reverted, if it did.
    pub(crate) reverted: Option<Text>,
    /// Tokens and what the account has more of; `None` where the method does not tell.
    pub(crate) receives: Option<Vec<(Address, U256)>>,
    /// Tokens and what the account has less of, the fee included.
    pub(crate) gives: Option<Vec<(Address, U256)>>,
    pub(crate) approvals: Vec<Approval>,
}

/// Judges a claim. `None` where no endpoint simulates with so little effort.
pub(super) fn judge(claim: &PlannedClaim<'_>, tried: Result<Tried, ReadFailure>) -> Option<ClaimSimulation> {
    let Tried { simulation, run } = match tried {
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

/// Tokens and how much of each.
type TokenAmounts = [(Address, U256)];

/// What goes to the account and leaves it.
struct Flows {
    receives: Vec<(Address, U256)>,
    gives: Vec<(Address, U256)>,
    approvals: Vec<Approval>,
}

impl Flows {
    /// By the balances and approvals that were watched, and by logs of what was not.
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

/// What a claim pays of a token, by what the account has more and less of. What was sent as a fee is no longer there.
fn paid((receives, gives): (&TokenAmounts, &TokenAmounts), token: Address, fee: U256) -> U256 {
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
        let paid = paid((&flows.receives, &flows.gives), payment.token, fee);
        // It simulates the next block, until which more may be due.
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

/// What a claim takes beyond its declared fee.
fn takes(claim: &PlannedClaim<'_>, flows: &Flows) -> Vec<Text> {
    let fee = claim.fee();
    let beyond = |(token, amount): &&(Address, U256)| match *token {
        NATIVE => *amount > fee,
        token => !is_exchanged(claim, flows, (token, *amount)),
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

/// Whether what is taken is the token of a target of the claim, which pays the account at least as many units of something
/// that it says it pays.
fn is_exchanged(claim: &PlannedClaim<'_>, flows: &Flows, (token, taken): (Address, U256)) -> bool {
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

/// What a contract says on why it reverted, or the selector of its error.
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
