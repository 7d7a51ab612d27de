//! Validates what a plugin found before anything uses it.
//!
//! Invariant: a finding that breaks a rule is rejected with its reason, and only that finding.

use std::collections::BTreeSet;

use portolan_abi::Question;
use portolan_abi::map::{self, PaidTo};

use crate::claim;
use crate::position;
use crate::rules::{FindingError, JobRules, at_most, check_name, check_texts, place_key};
use crate::transaction::ClaimTransaction;

/// Tokens that one claim pays; gauges have eight.
pub const PAYMENTS_MAX: usize = 32;
/// Transactions of one claim.
pub const STEPS_MAX: usize = 4;
/// Rejections that are given in words; the rest are counted.
const REJECTIONS_NAMED: usize = 8;

/// The rejection of a finding that is of another kind than the question.
pub(crate) const NO_ANSWER: &str = "a finding that does not answer the question";

/// A finding that passed, still without token metadata.
#[derive(Clone, Debug)]
pub enum ValidFinding {
    /// With its transactions, in order.
    Claim(map::Claimable, Vec<ClaimTransaction>),
    /// A position.
    Position(Box<map::Position>),
}

/// The findings that passed, in their order, and why others did not.
#[derive(Debug, Default)]
pub struct Validated {
    /// Those that passed; zeros are left out.
    pub findings: Vec<ValidFinding>,
    rejections: Vec<String>,
    left_out: BTreeSet<String>,
}

impl ValidFinding {
    /// Identifies a finding among those of one protocol on one network.
    pub fn key(&self) -> String {
        match self {
            Self::Claim(claimable, _) => {
                claimable.payments.first().map(|payment| payment_key(claimable, payment)).unwrap_or_default()
            }
            Self::Position(found) => position::key(found),
        }
    }

    /// Whether there is nothing in it.
    fn is_nothing(&self) -> bool {
        match self {
            Self::Claim(claimable, _) => claimable.payments.is_empty(),
            Self::Position(found) => found.legs.is_empty(),
        }
    }

    /// Identifies the items that it comes to among all of one protocol on one network.
    fn item_keys(&self) -> Vec<String> {
        match self {
            Self::Claim(claimable, _) => {
                claimable.payments.iter().map(|payment| payment_key(claimable, payment)).collect()
            }
            Self::Position(found) => {
                found.legs.iter().map(|leg| position::leg_key(found, leg)).chain([position::key(found)]).collect()
            }
        }
    }
}

/// Identifies a payment of a claim among all of one protocol on one network.
pub fn payment_key(claimable: &map::Claimable, payment: &map::Payment) -> String {
    place_key(&claimable.market, claimable.contract, payment.token, claimable.number)
}

impl Validated {
    /// Whether the plugin found something, and nothing of it passed.
    pub fn nothing_left(&self) -> bool {
        self.findings.is_empty() && !(self.rejections.is_empty() && self.left_out.is_empty())
    }

    /// Why claims are left out whose functions claims may not call, in one bounded line; `None` if none was.
    pub fn left_out(&self) -> Option<String> {
        let reasons: Vec<_> = self.left_out.iter().take(REJECTIONS_NAMED).map(String::as_str).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Why findings were rejected, in one bounded line; `None` if none was.
    pub fn rejections(&self) -> Option<String> {
        summary(&self.rejections)
    }
}

/// Reasons in one bounded line; `None` if there are none.
pub(crate) fn summary(reasons: &[String]) -> Option<String> {
    let named = reasons.iter().take(REJECTIONS_NAMED).cloned().collect::<Vec<_>>().join("; ");
    match reasons.len().checked_sub(REJECTIONS_NAMED) {
        None | Some(0) => (!named.is_empty()).then_some(named),
        Some(more) => Some(format!("{named}; and {more} more")),
    }
}

/// Validates the findings of a job about an account. Amounts of zero are left out.
pub fn validate(rules: &JobRules<'_>, findings: Vec<map::Finding>) -> Validated {
    let mut validated = Validated::default();
    let mut keys = BTreeSet::new();
    for finding in findings {
        match check(rules, finding) {
            Ok(finding) if finding.is_nothing() => {}
            Ok(finding) => match finding.item_keys().into_iter().find(|key| !keys.insert(key.clone())) {
                Some(key) => validated.rejections.push(format!("{key} is reported twice")),
                None => validated.findings.push(finding),
            },
            Err(FindingError::Broken(reason)) => validated.rejections.push(reason),
            Err(FindingError::LeftOut(reason)) => drop(validated.left_out.insert(reason)),
        }
    }
    validated
}

fn check(rules: &JobRules<'_>, finding: map::Finding) -> Result<ValidFinding, FindingError> {
    let map::Finding { claimable, position, composition: None, event: None } = finding else {
        return Err(NO_ANSWER.to_owned().into());
    };
    match (claimable, position) {
        (Some(found), None) if rules.question == Question::CLAIMABLES => {
            let place = format!("claimable of {:#x}", found.contract);
            check_claimable(rules, found).map_err(|error| error.at(&place))
        }
        (None, Some(found)) if position::question(found.kind) == Some(rules.question) => {
            let place = format!("position in {:#x}", found.contract);
            let found = position::check(rules, found).map_err(|reason| format!("{place}: {reason}"))?;
            Ok(ValidFinding::Position(Box::new(found)))
        }
        (None, Some(found)) if position::question(found.kind).is_none() => {
            Err(format!("position in {:#x}: it is of the unknown kind {}", found.contract, found.kind.0).into())
        }
        _ => Err(NO_ANSWER.to_owned().into()),
    }
}

fn check_claimable(rules: &JobRules<'_>, mut found: map::Claimable) -> Result<ValidFinding, FindingError> {
    check_texts(rules, &found.market, &found.name, &found.mechanism)?;
    at_most("payments", found.payments.len(), PAYMENTS_MAX)?;
    let mut tokens = BTreeSet::new();
    for payment in &found.payments {
        if !tokens.insert(payment.token) {
            return Err(format!("it pays {:#x} twice", payment.token).into());
        }
        if ![PaidTo::ACCOUNT, PaidTo::LOCK, PaidTo::VAULT].contains(&payment.paid_to) {
            return Err(format!("it pays to the unknown place {}", payment.paid_to.0).into());
        }
        payment.name.as_deref().map_or(Ok(()), check_name)?;
    }
    found.payments.retain(|payment| !payment.amount.is_zero());
    if found.steps.is_empty() {
        return Err("it has no claim".to_owned().into());
    }
    at_most("steps", found.steps.len(), STEPS_MAX)?;
    if found.payments.is_empty() {
        return Ok(ValidFinding::Claim(found, Vec::new()));
    }
    let transactions = claim::encode(rules, &found.steps, &found.payments)?;
    Ok(ValidFinding::Claim(found, transactions))
}
