//! The border: what a plugin found, validated before anything uses it.
//!
//! Invariant: a finding that breaks a rule is rejected with its reason, and only that finding.

mod claim;
mod composition;
mod event;
mod template;

use std::collections::BTreeSet;

use alloy::primitives::U256;
use portolan_abi::map::{self, Side};

pub(crate) use self::claim::ClaimTransaction;
use self::claim::Claims;
pub(crate) use self::composition::compositions;
pub(crate) use self::event::events;
use crate::jobs::job::JobOutcome;
use crate::jobs::plan::{Asked, JobPlan, Question};
use crate::sanitize::visible::is_invisible;

/// Characters of a finding's name; the longest pair names have forty.
const NAME_MAX: usize = 200;
/// Characters of a mechanism.
const MECHANISM_MAX: usize = 64;
/// Reward tokens of one position; gauges have eight.
const REWARDS_MAX: usize = 32;
/// Rejections told in words; the rest are counted.
const REJECTIONS_TOLD: usize = 8;

/// What is said of a finding of another kind than was asked for.
const NO_ANSWER: &str = "a finding that does not answer the question";

/// A finding that passed, still without token metadata.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Claimable { finding: map::Claimable, transaction: ClaimTransaction },
    Farming(map::FarmingPosition),
    Lending(map::LendingPosition),
}

impl Found {
    /// What tells apart the findings of one protocol on one network.
    pub(crate) fn key(&self) -> String {
        let (market, contract, token, number, side) = match self {
            Self::Claimable { finding, .. } => (&finding.market, finding.contract, finding.token, finding.number, ""),
            Self::Farming(finding) => (&finding.market, finding.contract, finding.staked_token, finding.number, ""),
            Self::Lending(finding) if finding.side == Side::BORROW => {
                (&finding.market, finding.contract, finding.token, None, "-borrow")
            }
            Self::Lending(finding) => (&finding.market, finding.contract, finding.token, None, ""),
        };
        let market = if market == "main" { String::new() } else { format!("{market}-") };
        let number = number.map(|number| format!("-{number}")).unwrap_or_default();
        format!("{market}{contract:#x}-{token:#x}{number}{side}")
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
pub(crate) struct Admitted {
    pub(crate) found: Vec<Found>,
    rejected: Rejected,
}

/// Why findings did not pass.
#[derive(Debug, Default)]
struct Rejected(Vec<String>);

impl Rejected {
    /// In one bounded line; `None` if all passed.
    fn told(&self) -> Option<String> {
        let told = self.0.iter().take(REJECTIONS_TOLD).cloned().collect::<Vec<_>>().join("; ");
        match self.0.len().checked_sub(REJECTIONS_TOLD) {
            None | Some(0) => (!told.is_empty()).then_some(told),
            Some(more) => Some(format!("{told}; and {more} more")),
        }
    }
}

impl Admitted {
    /// Whether a plugin told something, and nothing of it could be taken.
    pub(crate) fn nothing_left(&self) -> bool {
        self.found.is_empty() && !self.rejected.0.is_empty()
    }

    /// Why findings were rejected, in one bounded line; `None` if none was.
    pub(crate) fn rejections(&self) -> Option<String> {
        self.rejected.told()
    }
}

/// Validates a job's findings. Zero amounts are left out: there is nothing to say of them.
pub(crate) fn admit(plan: &JobPlan, outcome: &JobOutcome) -> Admitted {
    let mut admitted = Admitted::default();
    let mut keys = BTreeSet::new();
    let claims = Claims::new(plan, &outcome.trusted);
    for finding in &outcome.findings {
        match check(plan, &claims, finding) {
            Ok(found) if found.amount().is_zero() => {}
            Ok(found) if keys.insert(found.key()) => admitted.found.push(found),
            Ok(found) => admitted.rejected.0.push(format!("{} is told twice", found.key())),
            Err(reason) => admitted.rejected.0.push(reason),
        }
    }
    admitted
}

fn check(plan: &JobPlan, claims: &Claims<'_>, finding: &map::Finding) -> Result<Found, String> {
    let map::Finding { claimable, farming, lending, composition: None, event: None } = finding else {
        return Err(NO_ANSWER.into());
    };
    let Asked::Account(question) = plan.asked else { return Err(NO_ANSWER.into()) };
    match (question, claimable, farming, lending) {
        (Question::Claimables, Some(claimable), None, None) => {
            let at = |reason: String| format!("claimable of {:#x}: {reason}", claimable.contract);
            check_texts(plan, &claimable.market, &claimable.name, Some(&claimable.mechanism)).map_err(at)?;
            let transaction = claims.encode(&claimable.claim).map_err(at)?;
            Ok(Found::Claimable { finding: claimable.clone(), transaction })
        }
        (Question::Farming, None, Some(farming), None) => {
            let at = |reason: String| format!("farming position in {:#x}: {reason}", farming.contract);
            check_texts(plan, &farming.market, &farming.name, Some(&farming.mechanism)).map_err(at)?;
            if farming.rewards.len() > REWARDS_MAX {
                return Err(at(format!("{} reward tokens are more than {REWARDS_MAX}", farming.rewards.len())));
            }
            Ok(Found::Farming(farming.clone()))
        }
        (Question::Lending, None, None, Some(lending)) => {
            let at = |reason: String| format!("lending position in {:#x}: {reason}", lending.contract);
            check_texts(plan, &lending.market, &lending.name, None).map_err(at)?;
            if ![Side::SUPPLY, Side::BORROW].contains(&lending.side) {
                return Err(at(format!("unknown side {}", lending.side.0)));
            }
            Ok(Found::Lending(lending.clone()))
        }
        _ => Err(NO_ANSWER.into()),
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
    use alloy::primitives::Address;

    use super::*;

    #[test]
    fn pools_of_one_contract_are_told_apart_by_their_numbers() {
        let contract = Address::repeat_byte(0x11);
        let key = |number: Option<u64>| {
            let number = number.map(U256::from);
            let position = map::FarmingPosition { market: "main".to_owned(), contract, number, ..Default::default() };
            Found::Farming(position).key()
        };
        let alone = format!("0x{}-0x{}", "11".repeat(20), "00".repeat(20));
        assert_eq!(
            [key(None), key(Some(0)), key(Some(12))],
            [alone.clone(), format!("{alone}-0"), format!("{alone}-12")]
        );
    }
}
