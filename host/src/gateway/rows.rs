//! From validated findings to rows of an answer: token metadata, prices, symbols in names, APR, ids.
//!
//! Invariant: a row whose tokens could not be read is left out and told, never shown half.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::{BigDecimal, Zero};
use portolan_abi::map;

use crate::assets::amount::decimal;
use crate::assets::resolve::Tokens;
use crate::assets::token::{Price, Token};
use crate::gateway::answer::{Claimable, FarmingPosition, LendingPosition, Row};
use crate::jobs::plan::JobPlan;
use crate::jobs::validate::Found;
use portolan_reader::ReadFailure;

/// Rewards are paid by the second, rates are told by the year of 365 days.
const SECONDS_A_YEAR: u32 = 31_536_000;
/// Decimals of a ray.
const RAY_DECIMALS: i64 = 27;
/// Decimals of a wad.
const WAD_DECIMALS: i64 = 18;

/// A row of an answer, of whichever question.
#[derive(Clone, Debug)]
pub(crate) enum Enriched {
    Claimable(Claimable),
    Farming(FarmingPosition),
    Lending(LendingPosition),
}

impl Enriched {
    pub(crate) fn row(&self) -> &Row {
        match self {
            Self::Claimable(claimable) => &claimable.row,
            Self::Farming(position) => &position.row,
            Self::Lending(position) => &position.row,
        }
    }
}

/// The tokens that a row needs: those that it is about, and those that its name shows.
pub(crate) fn tokens(found: &Found) -> BTreeSet<Address> {
    let (name, about): (&str, Vec<Address>) = match found {
        Found::Claimable { finding, .. } => (&finding.name, vec![finding.token]),
        Found::Farming(finding) => {
            let rewards = finding.rewards.iter().map(|reward| reward.token);
            (&finding.name, rewards.chain([finding.staked_token]).collect())
        }
        Found::Lending(finding) => (&finding.name, vec![finding.token]),
    };
    let shown = pieces(name).filter_map(|piece| match piece {
        Piece::Symbol(token) => Some(token),
        Piece::Text(_) => None,
    });
    about.into_iter().chain(shown).collect()
}

/// The row of a finding.
///
/// # Errors
/// Why a token that it needs could not be read.
pub(crate) fn enrich(plan: &JobPlan, found: Found, tokens: &Tokens) -> Result<Enriched, ReadFailure> {
    let id = format!("{}-{}-{}", plan.protocol.slug, plan.network.slug, found.key());
    let row = |name: &str| -> Result<Row, ReadFailure> {
        Ok(Row {
            id,
            protocol: Arc::clone(&plan.protocol),
            network: Arc::clone(&plan.network),
            name: show(name, tokens)?,
            account: plan.account,
            plugin: Arc::clone(&plan.instance.label),
        })
    };
    let token = |named: Address| tokens.get(named).cloned();
    Ok(match found {
        Found::Claimable { finding, transaction } => Enriched::Claimable(Claimable {
            row: row(&finding.name)?,
            kind: finding.mechanism,
            token: token(finding.token)?,
            amount: finding.amount,
            transaction,
        }),
        Found::Farming(finding) => {
            let staked_token = token(finding.staked_token)?;
            let rewards = finding.rewards.iter().map(|reward| token(reward.token));
            let reward_tokens = rewards.collect::<Result<Vec<_>, _>>()?;
            Enriched::Farming(FarmingPosition {
                row: row(&finding.name)?,
                contract: finding.contract,
                apr: apr(&finding, &staked_token, &reward_tokens),
                vault_type: finding.mechanism,
                staked_token,
                amount: finding.amount,
                underlying_amount: finding.underlying_amount,
                reward_tokens,
            })
        }
        Found::Lending(finding) => Enriched::Lending(LendingPosition {
            row: row(&finding.name)?,
            rate: decimal(finding.rate_ray, RAY_DECIMALS),
            token: token(finding.token)?,
            amount: finding.amount,
            side: if finding.side == map::Side::BORROW { "borrow" } else { "supply" },
            health_factor: finding.health_factor_wad.map(|wad| decimal(wad, WAD_DECIMALS)),
        }),
    })
}

/// Value of the rewards of a year over the value of the stake; `None` where a rate, a price or the stake is unknown.
fn apr(finding: &map::FarmingPosition, staked: &Token, rewards: &[Arc<Token>]) -> Option<BigDecimal> {
    let mut paid_usd = BigDecimal::zero();
    for (reward, token) in finding.rewards.iter().zip(rewards) {
        let per_second = reward.per_second?;
        // What pays nothing needs no price.
        if !per_second.is_zero() {
            paid_usd += value_usd(per_second, token.decimals, token.price.as_ref()?);
        }
    }
    if paid_usd.is_zero() {
        return Some(paid_usd);
    }
    let staked_usd = value_usd(finding.total_stake?, staked.decimals, staked.price.as_ref()?);
    (!staked_usd.is_zero()).then(|| paid_usd * BigDecimal::from(SECONDS_A_YEAR) / staked_usd)
}

/// Dollars, exact.
pub(crate) fn value_usd(raw: U256, decimals: u8, price: &Price) -> BigDecimal {
    decimal(raw, i64::from(decimals)) * &price.usd
}

/// A piece of a finding's name.
enum Piece<'a> {
    Text(&'a str),
    Symbol(Address),
}

/// Splits a name at its `{0x…}`; braces around anything else are text.
fn pieces(name: &str) -> impl Iterator<Item = Piece<'_>> {
    name.split_inclusive('}')
        .flat_map(|part| {
            let symbol = part.rsplit_once('{').and_then(|(before, rest)| {
                let address = rest.strip_suffix('}')?.parse::<Address>().ok()?;
                rest.starts_with("0x").then_some((before, address))
            });
            match symbol {
                Some((before, token)) => [Some(Piece::Text(before)), Some(Piece::Symbol(token))],
                None => [Some(Piece::Text(part)), None],
            }
        })
        .flatten()
}

fn show(name: &str, tokens: &Tokens) -> Result<String, ReadFailure> {
    pieces(name)
        .map(|piece| match piece {
            Piece::Text(text) => Ok(text.to_owned()),
            Piece::Symbol(token) => tokens.get(token).map(|token| token.symbol.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(name: &str) -> Vec<String> {
        let show = |piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Symbol(token) => format!("<{token:#x}>"),
        };
        pieces(name).map(show).filter(|piece| !piece.is_empty()).collect()
    }

    #[test]
    fn braces_around_an_address_are_a_symbol_and_other_braces_are_text() {
        let (a, b) = (Address::repeat_byte(0x11), Address::repeat_byte(0x22));
        let name = format!("{{{a:#x}}}/{{{b:#x}}} LP {{x}} reward {{");
        let expected = [format!("<{a:#x}>"), "/".into(), format!("<{b:#x}>"), " LP {x}".into(), " reward {".into()];
        assert_eq!(split(&name), expected);
        assert_eq!(split("plain"), ["plain"]);
    }
}
