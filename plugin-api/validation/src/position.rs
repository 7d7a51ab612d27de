//! Rules for positions.
//!
//! Invariant: a valid position has only legs with known roles and nonzero amounts, each once.

use portolan_abi::Question;
use portolan_abi::map::{self, LegRole, PositionKind};

use crate::rejections::FindingError;
use crate::rules::{JobRules, check_texts};

const ROLES: [LegRole; 8] = [
    LegRole::SUPPLIED,
    LegRole::BORROWED,
    LegRole::STAKED,
    LegRole::POOLED,
    LegRole::LOCKED,
    LegRole::VESTING,
    LegRole::REWARD_OWED,
    LegRole::FEE_OWED,
];

/// Owed amounts are reported beside a position, and only count in the claimable that pays them.
const OWED: [LegRole; 2] = [LegRole::REWARD_OWED, LegRole::FEE_OWED];

/// Returns the question that positions of a kind answer; `None` for an unknown kind.
pub fn question(kind: PositionKind) -> Option<Question> {
    match kind {
        PositionKind::LENT | PositionKind::BORROWED => Some(Question::LENDING),
        PositionKind::STAKED => Some(Question::FARMING),
        PositionKind::POOLED => Some(Question::POOLING),
        PositionKind::LOCKED | PositionKind::VESTING => Some(Question::LOCKED),
        _ => None,
    }
}

/// Checks a position, and drops zero legs.
pub(crate) fn check(rules: &JobRules<'_>, mut found: map::Position) -> Result<map::Position, FindingError> {
    check_texts(rules, &found.market, &found.mechanism)?;
    if let Some(leg) = found.legs.iter().find(|leg| !ROLES.contains(&leg.role)) {
        return Err(format!("a leg has the unknown role {}", leg.role.0).into());
    }
    found.legs.retain(|leg| !leg.amount.is_zero());
    if found.legs.iter().any(|leg| OWED.contains(&leg.role)) && !has_claimables(rules, &found.market) {
        let reason = "it is owed something, and its deployment answers no claimables, which alone count what is owed";
        return Err(reason.to_owned().into());
    }
    Ok(found)
}

fn has_claimables(rules: &JobRules<'_>, market: &str) -> bool {
    rules.catalogue.deployments.iter().any(|row| {
        let is_own = row.protocol == rules.protocol && row.chain_id == rules.chain_id && row.market == market;
        is_own && row.questions.contains(&Question::CLAIMABLES)
    })
}
