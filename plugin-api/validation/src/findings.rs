//! Validates a plugin's findings before they are used.
//!
//! Invariant: a finding that violates a rule is rejected alone, with a reason.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_abi::Question;
use portolan_abi::map::{self, PaidTo};
use portolan_abi::reply_rules::{
    self, Reported, claimable_keys, claimable_place, payment_key, position_key, position_keys, position_place,
};

use crate::claim;
use crate::position;
use crate::rejections::{FindingError, Rejections};
use crate::rules::{JobRules, check_texts};
use crate::transaction::ClaimTransaction;

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
            Self::Position(found) => position_key(found),
        }
    }

    /// Returns the tokens of its amounts, rates and prices. None of these can be shown without the token's decimals.
    pub fn tokens(&self) -> BTreeSet<Address> {
        match self {
            Self::Claim(found, _) => found.payments.iter().map(|payment| payment.token).collect(),
            Self::Position(found) => {
                let legs = found.legs.iter().map(|leg| leg.token);
                let parts = found.legs.iter().flat_map(|leg| leg.redeems_to.iter().flatten()).map(|part| part.token);
                let rewards = found.rewards.iter().map(|reward| reward.token);
                legs.chain(parts).chain(rewards).chain(price_tokens(found)).collect()
            }
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
            Self::Claim(claimable, _) => claimable_keys(claimable),
            Self::Position(found) => position_keys(found),
        }
    }
}

impl Validated {
    /// Returns true if no finding passed, and at least one was rejected by the plugin's fault or the table of
    /// functions.
    pub fn nothing_left(&self) -> bool {
        self.findings.is_empty() && (self.rejections.broken().is_some() || self.rejections.left_out().is_some())
    }
}

/// Returns the tokens of a position's prices.
pub fn price_tokens(found: &map::Position) -> impl Iterator<Item = Address> + '_ {
    let liquidation = found.health.and_then(|health| health.liquidation_price);
    let prices = found.range.into_iter().flat_map(|range| [range.lower, range.upper]).chain(liquidation);
    prices.flat_map(|price| [Some(price.base), price.quote]).flatten()
}

/// Validates the findings of a job about an account, and drops zero amounts.
pub fn validate(rules: &JobRules<'_>, findings: Vec<map::Finding>) -> Validated {
    let mut validated = Validated::default();
    let mut reported = Reported::default();
    for finding in findings {
        match check(rules, finding) {
            Ok(finding) if finding.is_nothing() => {}
            Ok(finding) => match reported.take_items(finding.item_keys()) {
                Err(error) => validated.rejections.add(error.into()),
                Ok(()) => validated.findings.push(finding),
            },
            Err(error) => validated.rejections.add(error),
        }
    }
    validated
}

/// Checks a finding. Faults of the plugin take precedence over those of a contract's reply.
fn check(rules: &JobRules<'_>, finding: map::Finding) -> Result<ValidFinding, FindingError> {
    let replied = reply_rules::check(&finding);
    let map::Finding { claimable, position, composition: None, event: None } = finding else {
        return Err(NO_ANSWER.to_owned().into());
    };
    match (claimable, position) {
        (Some(found), None) if rules.question == Question::CLAIMABLES => {
            let place = claimable_place(&found);
            let found = check_claimable(rules, found).map_err(|error| error.at(&place))?;
            replied?;
            encoded(rules, found).map_err(|error| error.at(&place))
        }
        (None, Some(found)) if position::question(found.kind) == Some(rules.question) => {
            let place = position_place(&found);
            let found = position::check(rules, found).map_err(|error| error.at(&place))?;
            replied?;
            Ok(ValidFinding::Position(Box::new(found)))
        }
        (None, Some(found)) if position::question(found.kind).is_none() => {
            Err(format!("{}: it is of the unknown kind {}", position_place(&found), found.kind.0).into())
        }
        _ => Err(NO_ANSWER.to_owned().into()),
    }
}

/// Checks a claimable without its calls, and drops zero payments.
fn check_claimable(rules: &JobRules<'_>, mut found: map::Claimable) -> Result<map::Claimable, FindingError> {
    check_texts(rules, &found.market, &found.mechanism)?;
    let is_known = |payment: &&map::Payment| [PaidTo::ACCOUNT, PaidTo::LOCK, PaidTo::VAULT].contains(&payment.paid_to);
    if let Some(payment) = found.payments.iter().find(|payment| !is_known(payment)) {
        return Err(format!("it pays to the unknown place {}", payment.paid_to.0).into());
    }
    found.payments.retain(|payment| !payment.amount.is_zero());
    if found.steps.is_empty() {
        return Err("it has no claim".to_owned().into());
    }
    if found.steps.len() > STEPS_MAX {
        return Err(format!("{} steps are more than {STEPS_MAX}", found.steps.len()).into());
    }
    Ok(found)
}

fn encoded(rules: &JobRules<'_>, found: map::Claimable) -> Result<ValidFinding, FindingError> {
    if found.payments.is_empty() {
        return Ok(ValidFinding::Claim(found, Vec::new()));
    }
    let transactions = claim::encode(rules, &found.steps, &found.payments)?;
    Ok(ValidFinding::Claim(found, transactions))
}
