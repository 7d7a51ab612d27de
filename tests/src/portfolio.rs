//! An account's holdings in all protocols, against the arithmetic of the chains' builds: every leg and every sum.

use anyhow::{Context as _, Result};
use bigdecimal::{BigDecimal, Zero};

use crate::json::Json;
use crate::protocol::Question;
use crate::truth::{Call, Detail};
use crate::world::World;

/// Digits in which a sum of rounded dollars may differ from the rounded sum.
const DIGITS: i64 = 12;

/// A leg: protocol, network, role, token and amount.
type Leg = (String, String, String, String, BigDecimal);

/// Dollars of an account in all protocols, by the arithmetic of the chains' builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    pub assets: BigDecimal,
    pub debts: BigDecimal,
    pub claimable: BigDecimal,
}

/// The sums of an account.
///
/// # Errors
/// Where the chains' values are incomplete.
pub fn sums(world: &World, who: &str) -> Result<Sums> {
    Ok(expected(world, who)?.1)
}

/// The amounts of an account's legs: what it supplied, staked and owes.
///
/// # Errors
/// Where the chains' values are incomplete.
pub fn amounts(world: &World, who: &str) -> Result<Vec<BigDecimal>> {
    Ok(expected(world, who)?.0.into_iter().map(|(.., amount)| amount).collect())
}

/// Everything that is wrong with an account's portfolio.
///
/// # Errors
/// Where it has no shape at all, or the chains' values are incomplete.
pub fn faults(world: &World, who: &str, answer: &Json) -> Result<Vec<String>> {
    let mut legs = Vec::new();
    for group in answer.at("protocols")?.items()? {
        for position in group.at("positions")?.items()? {
            legs.extend(shown(position)?);
        }
    }
    let (mut wanted, sums) = expected(world, who)?;
    let mut wrong = Vec::new();
    for leg in legs {
        match wanted.iter().position(|wanted| *wanted == leg) {
            Some(place) => drop(wanted.swap_remove(place)),
            None => wrong.push(format!("{leg:?} should not be there")),
        }
    }
    wrong.extend(wanted.iter().map(|leg| format!("{leg:?} is missing")));
    let Sums { assets, debts, claimable } = sums;
    let net = &assets - &debts;
    for (name, sum) in [("assets", assets), ("debts", debts), ("net", net), ("claimable", claimable)] {
        let shown = answer.number_at(&format!("totals/{name}"))?;
        if (&shown - &sum).abs() > sum.abs() * BigDecimal::new(1.into(), DIGITS) {
            wrong.push(format!("{name} are {shown}, expected {sum}"));
        }
    }
    let untried = answer.number_at("totals/untried")?;
    if !untried.is_zero() {
        wrong.push(format!("{untried} claims were not tried"));
    }
    Ok(wrong)
}

/// The legs of an account, and what they are worth.
fn expected(world: &World, who: &str) -> Result<(Vec<Leg>, Sums)> {
    let mut legs = Vec::new();
    let (mut assets, mut debts) = (BigDecimal::zero(), BigDecimal::zero());
    for slug in world.slugs()? {
        for row in world.answer(who, Question::Farming, &slug, Detail::Plain)? {
            assets += row.number_at("dollarValue")?;
            legs.push(leg(&row, "staked", &row, "stakedToken")?);
        }
        for row in world.answer(who, Question::Lending, &slug, Detail::Full)? {
            let is_debt = row.text_at("side")? == "borrow";
            *if is_debt { &mut debts } else { &mut assets } += row.number_at("dollarValue")?;
            legs.push(leg(&row, if is_debt { "borrowed" } else { "supplied" }, &row, "token")?);
        }
    }
    let claimable = world.claimables(who, None, Call::Aggregate)?;
    let claimable = claimable.iter().map(|row| row.number_at("dollarValue")).sum::<Result<BigDecimal>>()?;
    Ok((legs, Sums { assets, debts, claimable }))
}

/// The legs of a position whose token is known.
fn shown(position: &Json) -> Result<Vec<Leg>> {
    let is_known = |leg: &&Json| leg.get("token").is_some_and(|token| *token != Json::Null);
    let legs = position.at("legs")?.items()?.iter().filter(is_known);
    legs.map(|own| leg(position, own.text_at("role")?, own, "token")).collect()
}

fn leg(row: &Json, role: &str, amounts: &Json, token: &str) -> Result<Leg> {
    let (protocol, network) = (row.text_at("protocol/slug")?.to_owned(), row.text_at("network/name")?.to_owned());
    let token = amounts.text_at(&format!("{token}/address"))?.to_owned();
    let amount = amounts.number_at("amount").with_context(|| format!("{amounts}"))?.normalized();
    Ok((protocol, network, role.to_owned(), token, amount))
}
