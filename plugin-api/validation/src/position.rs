//! Rules for positions.
//!
//! Invariant: a valid position has only legs with known roles and nonzero amounts, each once.

use portolan_abi::Question;
use portolan_abi::map::{self, LegRole, PositionKind, Price};

use crate::rejections::FindingError;
use crate::rules::{JobRules, at_most, check_name, check_texts, place_key};

/// Legs of one position; a lending market with some hundred reserves has two for each.
pub const LEGS_MAX: usize = 256;
/// Reward tokens of one position; gauges have eight.
pub const REWARDS_MAX: usize = 32;
/// Tokens that a leg redeems to; the largest pools have eight.
pub const PARTS_MAX: usize = 16;

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

/// Returns a position's key, unique within one protocol on one network.
pub(crate) fn key(found: &map::Position) -> String {
    let market = if found.market == "main" { String::new() } else { format!("{}-", found.market) };
    let number = found.number.map(|number| format!("-{number}")).unwrap_or_default();
    let nft = found.nft.map(|nft| format!("-{:#x}-{}", nft.collection, nft.token_id)).unwrap_or_default();
    format!("{market}{:#x}{number}{nft}-position", found.contract)
}

/// Returns a leg's key, unique within one protocol on one network.
pub fn leg_key(found: &map::Position, leg: &map::Leg) -> String {
    let place = place_key(&found.market, leg.receipt.unwrap_or(found.contract), leg.token, found.number);
    let nft = found.nft.map(|nft| format!("-{}", nft.token_id)).unwrap_or_default();
    let role = match leg.role {
        LegRole::BORROWED => "-borrow",
        LegRole::REWARD_OWED => "-reward",
        LegRole::FEE_OWED => "-fee",
        _ => "",
    };
    format!("{place}{nft}{role}")
}

/// Checks a position, and drops zero legs.
pub(crate) fn check(rules: &JobRules<'_>, mut found: map::Position) -> Result<map::Position, FindingError> {
    check_texts(rules, &found.market, &found.name, &found.mechanism)?;
    at_most("legs", found.legs.len(), LEGS_MAX)?;
    at_most("reward tokens", found.rewards.len(), REWARDS_MAX)?;
    if found.rewards.iter().any(|reward| reward.divisor.is_some_and(|divisor| divisor.is_zero())) {
        return Err(FindingError::of_reply("the rate of a reward is divided by zero"));
    }
    found.legs.iter().try_for_each(check_leg)?;
    found.legs.retain(|leg| !leg.amount.is_zero());
    if found.legs.iter().any(|leg| OWED.contains(&leg.role)) && !has_claimables(rules, &found.market) {
        let reason = "it is owed something, and its deployment answers no claimables, which alone count what is owed";
        return Err(reason.to_owned().into());
    }
    if let Some(range) = found.range {
        let one_pair = (range.lower.base, range.lower.quote) == (range.upper.base, range.upper.quote);
        let number = |price: &Price| (price.x128, price.rest_x192);
        let is_falling = number(&range.lower) > number(&range.upper);
        if !one_pair || is_falling || range.lower.base.is_zero() && range.lower.quote.is_none() {
            return Err(FindingError::of_reply(
                "its range of prices is not one of the same assets, from lower to upper",
            ));
        }
    }
    let liquidation = found.health.and_then(|health| health.liquidation_price);
    if liquidation.is_some_and(|Price { x128, .. }| x128.is_zero()) {
        return Err(FindingError::of_reply("its liquidation price is zero; it is absent where it is not known"));
    }
    Ok(found)
}

fn has_claimables(rules: &JobRules<'_>, market: &str) -> bool {
    rules.catalogue.deployments.iter().any(|row| {
        let is_own = row.protocol == rules.protocol && row.chain_id == rules.chain_id && row.market == market;
        is_own && row.questions.contains(&Question::CLAIMABLES)
    })
}

fn check_leg(leg: &map::Leg) -> Result<(), FindingError> {
    if !ROLES.contains(&leg.role) {
        return Err(format!("a leg has the unknown role {}", leg.role.0).into());
    }
    let parts = leg.redeems_to.as_deref();
    at_most("tokens that a leg redeems to", parts.map_or(0, <[_]>::len), PARTS_MAX)?;
    leg.name.as_deref().map_or(Ok(()), check_name)
}
