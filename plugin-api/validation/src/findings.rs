//! Validates a plugin's findings before they are used.
//!
//! Invariant: a finding that violates a rule is rejected alone, with a reason.

use std::collections::BTreeSet;

use portolan_abi::Question;
use portolan_abi::map::{self, PaidTo};

use crate::claim;
use crate::position;
use crate::rejections::{FindingError, Rejections};
use crate::rules::{JobRules, at_most, check_name, check_texts, place_key};
use crate::transaction::ClaimTransaction;

/// Tokens that one claim pays; gauges have eight.
pub const PAYMENTS_MAX: usize = 32;
/// Transactions of one claim.
pub const STEPS_MAX: usize = 4;
/// Rejection of a finding that does not fit the question.
pub(crate) const NO_ANSWER: &str = "a finding that does not answer the question";

/// A valid finding, before token metadata is added.
#[derive(Clone, Debug)]
pub enum ValidFinding {
    /// A claimable with its transactions, in order.
    Claim(map::Claimable, Vec<ClaimTransaction>),
    /// A position.
    Position(Box<map::Position>),
}

/// Valid findings, in order, and why others were rejected.
#[derive(Debug, Default)]
pub struct Validated {
    /// Valid findings, without zero amounts.
    pub findings: Vec<ValidFinding>,
    /// Why others were rejected.
    pub rejections: Rejections,
}

impl ValidFinding {
    /// Returns a key that is unique within one protocol on one network.
    pub fn key(&self) -> String {
        match self {
            Self::Claim(claimable, _) => {
                claimable.payments.first().map(|payment| payment_key(claimable, payment)).unwrap_or_default()
            }
            Self::Position(found) => position::key(found),
        }
    }

    /// Returns true if no amount is left.
    fn is_nothing(&self) -> bool {
        match self {
            Self::Claim(claimable, _) => claimable.payments.is_empty(),
            Self::Position(found) => found.legs.is_empty(),
        }
    }

    /// Returns the keys of its items, unique within one protocol on one network.
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

/// Returns a payment's key, unique within one protocol on one network.
pub fn payment_key(claimable: &map::Claimable, payment: &map::Payment) -> String {
    place_key(&claimable.market, claimable.contract, payment.token, claimable.number)
}

impl Validated {
    /// Returns true if no finding passed, and at least one was rejected by the plugin's fault or the table of
    /// functions.
    pub fn nothing_left(&self) -> bool {
        self.findings.is_empty() && (self.rejections.broken().is_some() || self.rejections.left_out().is_some())
    }
}

/// Validates the findings of a job about an account, and drops zero amounts.
pub fn validate(rules: &JobRules<'_>, findings: Vec<map::Finding>) -> Validated {
    let mut validated = Validated::default();
    let mut keys = BTreeSet::new();
    for finding in findings {
        match check(rules, finding) {
            Ok(finding) if finding.is_nothing() => {}
            Ok(finding) => match finding.item_keys().into_iter().find(|key| !keys.insert(key.clone())) {
                Some(key) => validated.rejections.add(FindingError::of_reply(format!("{key} is reported twice"))),
                None => validated.findings.push(finding),
            },
            Err(error) => validated.rejections.add(error),
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
            let found = position::check(rules, found).map_err(|error| error.at(&place))?;
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
            return Err(FindingError::of_reply(format!("it pays {:#x} twice", payment.token)));
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
    if found.steps.len() > STEPS_MAX {
        return Err(format!("{} steps are more than {STEPS_MAX}", found.steps.len()).into());
    }
    if found.payments.is_empty() {
        return Ok(ValidFinding::Claim(found, Vec::new()));
    }
    let transactions = claim::encode(rules, &found.steps, &found.payments)?;
    Ok(ValidFinding::Claim(found, transactions))
}
