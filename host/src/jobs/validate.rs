//! Validates what a plugin found before anything uses it.
//!
//! Invariant: a finding that breaks a rule is rejected with its reason, and only that finding.

mod claim;
mod composition;
mod event;

use std::collections::BTreeSet;

use alloy::primitives::{Address, U256};
use portolan_abi::map::{self, Side};

pub(crate) use self::claim::ClaimTransaction;
use self::claim::Claims;
pub(crate) use self::composition::validate_compositions;
pub(crate) use self::event::{TEXT_CHARS_MAX as EVENT_TEXT_CHARS_MAX, validate_events};
use crate::jobs::plan::{JobPlan, JobQuestion, Question};
use crate::sanitize::visible::is_invisible;

/// Characters of a finding's name; the longest pair names have forty.
const NAME_MAX: usize = 200;
/// Characters of a mechanism.
const MECHANISM_MAX: usize = 64;
/// Reward tokens of one position; gauges have eight.
const REWARDS_MAX: usize = 32;
/// Rejections that are given in words; the rest are counted.
const REJECTIONS_NAMED: usize = 8;

/// The rejection of a finding that is of another kind than the question.
const NO_ANSWER: &str = "a finding that does not answer the question";

/// A finding that passed, still without token metadata.
#[derive(Clone, Debug)]
pub(crate) enum ValidFinding {
    Claimable { finding: map::Claimable, transaction: ClaimTransaction },
    Farming(map::FarmingPosition),
    Lending(map::LendingPosition),
}

impl ValidFinding {
    /// Identifies a finding among those of one protocol on one network.
    pub(crate) fn key(&self) -> String {
        let (market, contract, token, number, side) = match self {
            Self::Claimable { finding, .. } => (&finding.market, finding.contract, finding.token, finding.number, ""),
            Self::Farming(finding) => (&finding.market, finding.contract, finding.staked_token, finding.number, ""),
            Self::Lending(finding) => {
                let side = if self.is_debt() { "-borrow" } else { "" };
                (&finding.market, finding.contract, finding.token, None, side)
            }
        };
        let market = if market == "main" { String::new() } else { format!("{market}-") };
        let number = number.map(|number| format!("-{number}")).unwrap_or_default();
        format!("{market}{contract:#x}-{token:#x}{number}{side}")
    }

    /// Whether the account owes it.
    pub(crate) fn is_debt(&self) -> bool {
        matches!(self, Self::Lending(finding) if finding.side == Side::BORROW)
    }

    /// The name, in which `{0x…}` stands for a token's symbol.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Claimable { finding, .. } => &finding.name,
            Self::Farming(finding) => &finding.name,
            Self::Lending(finding) => &finding.name,
        }
    }

    /// The token that it is about.
    pub(crate) fn token(&self) -> Address {
        match self {
            Self::Claimable { finding, .. } => finding.token,
            Self::Farming(finding) => finding.staked_token,
            Self::Lending(finding) => finding.token,
        }
    }

    /// The rewards of a farming position.
    pub(crate) fn rewards(&self) -> &[map::Reward] {
        match self {
            Self::Farming(finding) => &finding.rewards,
            Self::Claimable { .. } | Self::Lending(_) => &[],
        }
    }

    fn amount(&self) -> U256 {
        match self {
            Self::Claimable { finding, .. } => finding.amount,
            Self::Farming(finding) => finding.amount,
            Self::Lending(finding) => finding.amount,
        }
    }
}

/// The findings that passed, in their order, and why others did not.
#[derive(Debug, Default)]
pub(crate) struct Validated {
    pub(crate) findings: Vec<ValidFinding>,
    rejections: Rejections,
    left_out: BTreeSet<String>,
}

/// Why a finding does not stay.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FindingError {
    /// It breaks a rule.
    Broken(String),
    /// It is sound, and its claim is of a function that claims may not call.
    LeftOut(String),
}

impl From<String> for FindingError {
    fn from(reason: String) -> Self {
        Self::Broken(reason)
    }
}

impl FindingError {
    fn at(self, place: &str) -> Self {
        match self {
            Self::Broken(reason) => Self::Broken(format!("{place}: {reason}")),
            left_out @ Self::LeftOut(_) => left_out,
        }
    }
}

/// Why findings did not pass.
#[derive(Debug, Default)]
struct Rejections(Vec<String>);

impl Rejections {
    /// All of them in one bounded line; `None` if everything passed.
    fn summary(&self) -> Option<String> {
        let named = self.0.iter().take(REJECTIONS_NAMED).cloned().collect::<Vec<_>>().join("; ");
        match self.0.len().checked_sub(REJECTIONS_NAMED) {
            None | Some(0) => (!named.is_empty()).then_some(named),
            Some(more) => Some(format!("{named}; and {more} more")),
        }
    }
}

impl Validated {
    /// Whether the plugin found something, and nothing of it passed.
    pub(crate) fn nothing_left(&self) -> bool {
        self.findings.is_empty() && !(self.rejections.0.is_empty() && self.left_out.is_empty())
    }

    /// Why claims are left out whose functions claims may not call, in one bounded line; `None` if none was.
    pub(crate) fn left_out(&self) -> Option<String> {
        let reasons: Vec<_> = self.left_out.iter().take(REJECTIONS_NAMED).map(String::as_str).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Why findings were rejected, in one bounded line; `None` if none was.
    pub(crate) fn rejections(&self) -> Option<String> {
        self.rejections.summary()
    }
}

/// Validates the findings of a job about an account. Those with an amount of zero are left out.
pub(crate) fn validate_findings(
    plan: &JobPlan,
    findings: Vec<map::Finding>,
    trusted_addresses: &BTreeSet<Address>,
) -> Validated {
    let mut validated = Validated::default();
    let mut keys = BTreeSet::new();
    let claims = Claims::new(plan, trusted_addresses);
    for finding in findings {
        let is_nothing = finding.claimable.as_ref().is_some_and(|claimable| claimable.amount.is_zero());
        match validate(plan, &claims, finding) {
            Ok(finding) if finding.amount().is_zero() => {}
            Ok(finding) if keys.insert(finding.key()) => validated.findings.push(finding),
            Ok(finding) => validated.rejections.0.push(format!("{} is reported twice", finding.key())),
            Err(FindingError::Broken(reason)) => validated.rejections.0.push(reason),
            Err(FindingError::LeftOut(_)) if is_nothing => {}
            Err(FindingError::LeftOut(reason)) => drop(validated.left_out.insert(reason)),
        }
    }
    validated
}

fn validate(plan: &JobPlan, claims: &Claims<'_>, finding: map::Finding) -> Result<ValidFinding, FindingError> {
    let map::Finding { claimable, farming, lending, composition: None, event: None } = finding else {
        return Err(NO_ANSWER.to_owned().into());
    };
    let JobQuestion::Account(question) = plan.question else { return Err(NO_ANSWER.to_owned().into()) };
    match (question, claimable, farming, lending) {
        (Question::Claimables, Some(finding), None, None) => {
            let place = format!("claimable of {:#x}", finding.contract);
            let texts = check_texts(plan, &finding.market, &finding.name, Some(&finding.mechanism));
            texts.map_err(|reason| FindingError::from(reason).at(&place))?;
            let transaction = claims.encode(&finding.claim).map_err(|refusal| refusal.at(&place))?;
            Ok(ValidFinding::Claimable { finding, transaction })
        }
        (Question::Farming, None, Some(finding), None) => {
            let at = |reason: String| format!("farming position in {:#x}: {reason}", finding.contract);
            check_texts(plan, &finding.market, &finding.name, Some(&finding.mechanism)).map_err(at)?;
            if finding.rewards.len() > REWARDS_MAX {
                return Err(at(format!("{} reward tokens are more than {REWARDS_MAX}", finding.rewards.len())).into());
            }
            Ok(ValidFinding::Farming(finding))
        }
        (Question::Lending, None, None, Some(finding)) => {
            let at = |reason: String| format!("lending position in {:#x}: {reason}", finding.contract);
            check_texts(plan, &finding.market, &finding.name, None).map_err(at)?;
            if ![Side::SUPPLY, Side::BORROW].contains(&finding.side) {
                return Err(at(format!("unknown side {}", finding.side.0)).into());
            }
            Ok(ValidFinding::Lending(finding))
        }
        _ => Err(NO_ANSWER.to_owned().into()),
    }
}

fn check_texts(plan: &JobPlan, market: &str, name: &str, mechanism: Option<&str>) -> Result<(), String> {
    let deployed =
        plan.instance.catalogue.deployments.iter().any(|row| {
            row.protocol == plan.protocol.slug && row.chain_id == plan.network.chain_id && row.market == market
        });
    if !deployed {
        return Err("names a market that the catalogue does not have on this network".into());
    }
    if name.is_empty() || name.chars().count() > NAME_MAX || name.chars().any(is_invisible) {
        return Err(format!(
            "its name is empty, longer than {NAME_MAX} characters, or has control or direction characters"
        ));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match mechanism {
        Some(text) if text.is_empty() || text.len() > MECHANISM_MAX || !text.chars().all(plain) => {
            Err("its mechanism is not a word of letters, digits, - and _".into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_of_one_contract_differ_by_their_numbers() {
        let contract = Address::repeat_byte(0x11);
        let key = |number: Option<u64>| {
            let number = number.map(U256::from);
            let position = map::FarmingPosition { market: "main".to_owned(), contract, number, ..Default::default() };
            ValidFinding::Farming(position).key()
        };
        let alone = format!("0x{}-0x{}", "11".repeat(20), "00".repeat(20));
        assert_eq!(
            [key(None), key(Some(0)), key(Some(12))],
            [alone.clone(), format!("{alone}-0"), format!("{alone}-12")]
        );
    }
}
