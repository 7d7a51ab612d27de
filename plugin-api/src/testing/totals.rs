//! Holds positions against the claimables of the same account at the same block: each amount counts in one total.
//!
//! A portfolio's `assets` are the legs that are held, its `claimable` the payments of claimables. Invariant: what this
//! passes is in one of them, and in no two.
#![expect(clippy::panic, reason = "an amount in no total, or in two, is the failure of the test that runs this")]

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use portolan_abi::map::{Claimable, LegRole, Position};

use super::Outcome;

impl Outcome {
    /// Checks the positions of this outcome against the claimables of another one, of the same account at the same block:
    /// what positions are owed is paid by claimables, and what is locked or vesting is paid by none.
    ///
    /// # Panics
    /// If an amount is in no total, or in two.
    pub fn check_totals(&self, claimables: &Self) {
        let (positions, claimables) = (self.positions(), claimables.claimables());
        check_owed(&positions, &claimables);
        positions.iter().for_each(|position| check_held(position, &claimables));
    }
}

/// Checks that claimables pay at least the amount owed in each token of a market.
fn check_owed(positions: &[&Position], claimables: &[&Claimable]) {
    let mut owed: BTreeMap<(&str, Address), U256> = BTreeMap::new();
    for position in positions {
        let legs = position.legs.iter().filter(|leg| [LegRole::REWARD_OWED, LegRole::FEE_OWED].contains(&leg.role));
        for leg in legs {
            *owed.entry((&position.market, leg.token)).or_default() += leg.amount;
        }
    }
    for ((market, token), owed) in owed {
        let own = claimables.iter().filter(|claimable| claimable.market == market);
        let payments = own.flat_map(|claimable| &claimable.payments).filter(|payment| payment.token == token);
        let paid: U256 = payments.map(|payment| payment.amount).sum();
        if paid < owed {
            panic!(
                "positions in {market:?} are owed {owed} of {token:#x}, of which claimables pay {paid}: the rest is in no total"
            );
        }
    }
}

/// A claimable that pays a leg of a position pays what has left the position.
fn check_held(position: &Position, claimables: &[&Claimable]) {
    let is_own = |claimable: &&&Claimable| {
        (&claimable.market, claimable.contract, claimable.number)
            == (&position.market, position.contract, position.number)
    };
    let held = position.legs.iter().filter(|leg| [LegRole::LOCKED, LegRole::VESTING].contains(&leg.role));
    for leg in held {
        let payments = claimables.iter().filter(is_own).flat_map(|claimable| &claimable.payments);
        let is_same = |token, amount| (token, amount) == (leg.token, leg.amount);
        if payments.into_iter().any(|payment| is_same(payment.token, payment.amount)) {
            let (amount, token, contract) = (leg.amount, leg.token, position.contract);
            panic!("{amount} of {token:#x} in {contract:#x} is a leg and is paid by a claimable: it is in two totals");
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_abi::map::{Claim, Finding, Leg, PositionKind};

    use super::*;
    use crate::testing::End;

    const FARM: Address = Address::repeat_byte(0xfa);
    const TOKEN: Address = Address::repeat_byte(0xa1);

    fn outcome(findings: Vec<Finding>) -> Outcome {
        let (message, not_covered, invalid_replies, batches, facts) = Default::default();
        Outcome { end: End::Complete, message, not_covered, invalid_replies, findings, batches, facts }
    }

    fn holds(kind: PositionKind, legs: &[(LegRole, u64)]) -> Outcome {
        let legs = legs.iter().map(|(role, amount)| Leg::new(*role, TOKEN, U256::from(*amount)));
        outcome(vec![Position::new(kind, "main", FARM).named("stake").mechanism("farm").legs(legs).into()])
    }

    fn pays(market: &str, amounts: &[u64]) -> Outcome {
        let claim =
            |amount: &u64| Claimable::new(market, FARM, Claim::default()).pays(TOKEN, U256::from(*amount)).into();
        outcome(amounts.iter().map(claim).collect())
    }

    #[test]
    fn what_is_owed_is_paid_by_one_claimable_or_several() {
        let owed = [(LegRole::STAKED, 100), (LegRole::REWARD_OWED, 5), (LegRole::FEE_OWED, 2)];
        let positions = holds(PositionKind::STAKED, &owed);
        for amounts in [&[7][..], &[5, 2], &[9]] {
            positions.check_totals(&pays("main", amounts));
        }
    }

    #[test]
    #[should_panic = "are owed 7 of 0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1, of which claimables pay 5"]
    fn a_fee_that_no_claimable_pays_is_in_no_total() {
        let owed = [(LegRole::POOLED, 100), (LegRole::REWARD_OWED, 5), (LegRole::FEE_OWED, 2)];
        holds(PositionKind::POOLED, &owed).check_totals(&pays("main", &[5]));
    }

    #[test]
    #[should_panic = "of which claimables pay 0"]
    fn claimables_of_another_market_do_not_count() {
        holds(PositionKind::STAKED, &[(LegRole::REWARD_OWED, 5)]).check_totals(&pays("other", &[5]));
    }

    #[test]
    #[should_panic = "it is in two totals"]
    fn what_can_be_claimed_is_no_longer_locked() {
        holds(PositionKind::LOCKED, &[(LegRole::LOCKED, 100)]).check_totals(&pays("main", &[100]));
    }
}
