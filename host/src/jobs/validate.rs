//! Validates the findings of plugins before anything uses them. The rules are those of [`portolan_validation`], which
//! plugins' tests use too.
//!
//! Invariant: a finding that breaks a rule is rejected with its reason, and no other finding is. Afterwards no amount
//! is in a second address of the native token, so simulations, prices and sums have one token.

use std::collections::BTreeMap;

use portolan_abi::map::{self, Claimable, PaidTo, Payment, Position, Price};
use portolan_base::network::Network;
use portolan_validation::{Addresses, ClaimReads, JobRules, ValidFinding, Validated, validate};

use crate::jobs::plan::JobPlan;

/// Validates the findings of a job about an account, without those whose amounts are zero. Claims are judged by the
/// addresses that the plugin named; only then is the native token renamed to its one address.
pub(crate) fn validate_findings(
    plan: &JobPlan,
    findings: Vec<map::Finding>,
    addresses: &Addresses,
    reads: &ClaimReads,
) -> Validated {
    let rules = JobRules {
        catalogue: &plan.instance.catalogue,
        templates: &plan.instance.claim_templates,
        question: plan.question.number(),
        protocol: &plan.protocol.slug,
        chain_id: plan.network.chain_id,
        account: plan.account,
        addresses,
        reads,
    };
    let mut validated = validate(&rules, findings);
    validated.findings.iter_mut().for_each(|finding| name_native_once(&plan.network, finding));
    validated
}

/// Renames the native token to its one address, because plugins and contracts know it under several.
fn name_native_once(network: &Network, finding: &mut ValidFinding) {
    match finding {
        ValidFinding::Claim(found, _) => in_claim(network, found),
        ValidFinding::Position(found) => in_position(network, found),
    }
}

/// Renames the tokens of a claim, and merges payments of one token to one recipient.
fn in_claim(network: &Network, found: &mut Claimable) {
    found.payments.iter_mut().for_each(|payment| payment.token = network.named_token(payment.token));
    let mut firsts: BTreeMap<(_, u8), usize> = BTreeMap::new();
    let mut merged: Vec<Payment> = Vec::with_capacity(found.payments.len());
    for payment in std::mem::take(&mut found.payments) {
        let PaidTo(place) = payment.paid_to;
        let first = *firsts.entry((payment.token, place)).or_insert(merged.len());
        match merged.get_mut(first) {
            Some(known) => known.amount = known.amount.saturating_add(payment.amount),
            None => merged.push(payment),
        }
    }
    found.payments = merged;
}

fn in_position(network: &Network, found: &mut Position) {
    for leg in &mut found.legs {
        leg.token = network.named_token(leg.token);
        leg.redeems_to.iter_mut().flatten().for_each(|part| part.token = network.named_token(part.token));
    }
    found.rewards.iter_mut().for_each(|reward| reward.token = network.named_token(reward.token));
    let range = found.range.iter_mut().flat_map(|range| [&mut range.lower, &mut range.upper]);
    let liquidation = found.health.iter_mut().filter_map(|health| health.liquidation_price.as_mut());
    range.chain(liquidation).for_each(|price| in_price(network, price));
}

fn in_price(network: &Network, price: &mut Price) {
    price.base = network.named_token(price.base);
    price.quote = price.quote.map(|quote| network.named_token(quote));
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, U256, address};
    use portolan_abi::NATIVE;
    use portolan_abi::map::{Claim, Leg, LegRole, Part, PriceRange, Reward};
    use portolan_base::network::Networks;

    use super::*;

    const POL: Address = address!("0000000000000000000000000000000000001010");
    const PLACEHOLDER: Address = address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
    const FARM: Address = Address::repeat_byte(0xfa);
    const COIN: Address = Address::repeat_byte(0xc0);

    fn named_on(network: &str, mut finding: ValidFinding) -> ValidFinding {
        name_native_once(Networks::new([]).named(network).unwrap(), &mut finding);
        finding
    }

    fn payments(network: &str, of: &[(Address, u64)]) -> Vec<(Address, U256)> {
        let claim = Claimable::new("main", FARM, Claim::default());
        let pays = |claim: Claimable, (token, amount): &(Address, u64)| claim.pays(*token, U256::from(*amount));
        let claim = of.iter().fold(claim, pays);
        let ValidFinding::Claim(found, _) = named_on(network, ValidFinding::Claim(claim, Vec::new())) else {
            panic!("no claim")
        };
        found.payments.into_iter().map(|payment| (payment.token, payment.amount)).collect()
    }

    #[test]
    fn a_payment_in_a_second_address_is_one_of_the_native_token_on_its_own_network_alone() {
        let paid = [(POL, 2), (COIN, 3)];
        assert_eq!(payments("polygon", &paid), [(NATIVE, U256::from(2)), (COIN, U256::from(3))]);
        assert_eq!(payments("ethereum", &paid), [(POL, U256::from(2)), (COIN, U256::from(3))]);
    }

    #[test]
    fn payments_of_the_native_token_under_two_addresses_are_one() {
        assert_eq!(
            payments("polygon", &[(NATIVE, 2), (COIN, 1), (POL, 5)]),
            [(NATIVE, U256::from(7)), (COIN, U256::from(1))]
        );
    }

    #[test]
    fn all_that_a_position_names_is_the_native_token() {
        let price = Price { base: PLACEHOLDER, quote: Some(POL), x128: U256::from(1), rest_x192: None };
        let part = Part { token: PLACEHOLDER, amount: U256::from(1) };
        let leg = Leg { role: LegRole::STAKED, token: POL, redeems_to: Some(vec![part]), ..Leg::default() };
        let range = Some(PriceRange { lower: price, upper: price, is_in_range: None });
        let reward = Reward { token: POL, ..Default::default() };
        let position = Position { legs: vec![leg], rewards: vec![reward], range, ..Position::default() };
        let ValidFinding::Position(found) = named_on("polygon", ValidFinding::Position(Box::new(position))) else {
            panic!("no position")
        };
        assert_eq!((found.legs[0].token, found.rewards[0].token), (NATIVE, NATIVE));
        assert_eq!(found.legs[0].redeems_to.as_ref().unwrap()[0].token, NATIVE);
        let range = found.range.unwrap();
        assert_eq!((range.lower.base, range.upper.quote), (NATIVE, Some(NATIVE)));
    }
}
