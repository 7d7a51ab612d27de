//! Keys that identify the items of a finding among all of one protocol on one network.

use alloy::primitives::{Address, U256};

use crate::map::{Claimable, Leg, LegRole, Payment, Position};

/// Identifies a payment of a claim.
pub fn payment_key(claimable: &Claimable, payment: &Payment) -> String {
    place_key(&claimable.market, claimable.contract, payment.token, claimable.number)
}

/// Identifies a leg.
pub fn leg_key(found: &Position, leg: &Leg) -> String {
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

/// Identifies a position.
pub fn position_key(found: &Position) -> String {
    let market = if found.market == "main" { String::new() } else { format!("{}-", found.market) };
    let number = found.number.map(|number| format!("-{number}")).unwrap_or_default();
    let nft = found.nft.map(|nft| format!("-{:#x}-{}", nft.collection, nft.token_id)).unwrap_or_default();
    format!("{market}{:#x}{number}{nft}-position", found.contract)
}

/// The keys of a claim's payments of an amount.
pub fn claimable_keys(found: &Claimable) -> Vec<String> {
    let paid = found.payments.iter().filter(|payment| !payment.amount.is_zero());
    paid.map(|payment| payment_key(found, payment)).collect()
}

/// The keys of a position and of its legs of an amount; none where it has no such leg.
pub fn position_keys(found: &Position) -> Vec<String> {
    let legs = found.legs.iter().filter(|leg| !leg.amount.is_zero());
    let mut keys: Vec<String> = legs.map(|leg| leg_key(found, leg)).collect();
    if !keys.is_empty() {
        keys.push(position_key(found));
    }
    keys
}

fn place_key(market: &str, contract: Address, token: Address, number: Option<U256>) -> String {
    let market = if market == "main" { String::new() } else { format!("{market}-") };
    let number = number.map(|number| format!("-{number}")).unwrap_or_default();
    format!("{market}{contract:#x}-{token:#x}{number}")
}
