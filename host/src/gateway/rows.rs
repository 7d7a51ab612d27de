//! Rows of an answer from validated findings: tokens, symbols in names, ids.
//!
//! Invariant: a leg, a reward or a payment whose token could not be read is left out and reported, never shown in
//! part.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use portolan_abi::map::{self, LegRole};
use portolan_abi::reply_rules::{leg_key, payment_key};
use portolan_assets::resolve::{TokenFailure, Tokens};
use portolan_assets::token::{NATIVE, Token};
use portolan_base::network::Networks;
use portolan_base::sanitize::text::Text;
use portolan_validation::{ClaimTransaction, ValidFinding, price_tokens};

use crate::gateway::answer::{ClaimItem, PositionItem, Row, RowItem};
use crate::gateway::claims::cost::{self, ClaimCost, ClaimFees};
use crate::gateway::claims::paid;
use crate::gateway::claims::planned_claim::PlannedClaim;
use crate::gateway::claims::verdict::{ClaimSimulation, Verdict};
use crate::jobs::plan::JobPlan;

/// Kind of a query's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKind {
    /// A row for each payment of a claim.
    Payments,
    /// A row for each leg of these roles.
    Legs(&'static [LegRole]),
    /// A row for each position.
    Positions,
    /// A row for each position with a debt.
    Debts,
}

/// Simulation and cost of a claim.
#[derive(Clone, Debug, Default)]
pub(super) struct ClaimEvaluation {
    pub(super) simulation: Option<ClaimSimulation>,
    pub(super) cost: Option<ClaimCost>,
}

impl ClaimEvaluation {
    /// Adds the data gas to the gas limits. The cost is known only if both the gas and the fees are.
    pub(super) fn new(
        claim: &PlannedClaim<'_>,
        mut simulation: Option<ClaimSimulation>,
        fees: Option<ClaimFees>,
    ) -> Self {
        if let (Some(simulation), Some(fees)) = (&mut simulation, fees) {
            simulation.add_data_gas(fees.data_gas);
        }
        let gas = simulation.as_ref().and_then(ClaimSimulation::gas);
        let cost = fees.zip(gas).map(|(fees, gas)| ClaimCost::of(claim, fees, gas));
        Self { simulation, cost }
    }
}

/// Tokens that a finding needs: those of its amounts, and those in its names.
pub(super) fn tokens(finding: &ValidFinding) -> BTreeSet<Address> {
    let mut tokens = finding.tokens();
    match finding {
        ValidFinding::Claim(found, _) => {
            let names = found.payments.iter().filter_map(|payment| payment.name.as_deref());
            tokens.extend(names.chain([found.name.as_str()]).flat_map(symbols));
            // The claim's cost is paid in the native token.
            tokens.insert(NATIVE);
        }
        ValidFinding::Position(found) => {
            let names = found.legs.iter().filter_map(|leg| leg.name.as_deref());
            tokens.extend(names.chain([found.name.as_str()]).flat_map(symbols));
        }
    }
    tokens
}

/// Returns the rows of a finding, without their provenance, and the tokens whose lack left a part of it out.
pub(super) fn rows(
    plan: &JobPlan,
    finding: ValidFinding,
    evaluation: ClaimEvaluation,
    kind: RowKind,
    tokens: &Tokens,
) -> (Vec<Row>, Vec<(Address, TokenFailure)>) {
    let row = |key: &str, item| Row {
        id: id(plan, key),
        protocol: Arc::clone(&plan.protocol),
        network: Arc::clone(&plan.network),
        account: plan.account,
        plugin: Arc::clone(&plan.instance.label),
        provenance: None,
        item,
    };
    let mut builder = RowBuilder { tokens, found: BTreeMap::new(), missing: Vec::new() };
    let key = finding.key();
    let rows = match finding {
        ValidFinding::Claim(found, transactions) => {
            builder.claim(id(plan, &key), found, transactions, evaluation).map(|claim| {
                let payments = claim.found.payments.iter().enumerate();
                let shown = payments.filter(|(_, payment)| claim.tokens.contains_key(&payment.token));
                let item = |(place, payment)| {
                    row(&payment_key(&claim.found, payment), RowItem::Payment { claim: Arc::clone(&claim), place })
                };
                shown.map(item).collect()
            })
        }
        ValidFinding::Position(found) => builder.position(id(plan, &key), *found).map(|position| match kind {
            RowKind::Legs(roles) => {
                let legs = position.found.legs.iter().enumerate();
                let shown =
                    legs.filter(|(_, leg)| roles.contains(&leg.role) && position.tokens.contains_key(&leg.token));
                let item = |(place, leg)| {
                    row(&leg_key(&position.found, leg), RowItem::Leg { position: Arc::clone(&position), place })
                };
                shown.map(item).collect()
            }
            RowKind::Debts if !position.found.legs.iter().any(|leg| leg.role == LegRole::BORROWED) => Vec::new(),
            RowKind::Payments | RowKind::Positions | RowKind::Debts => {
                vec![row(&key, RowItem::Position(position))]
            }
        }),
    };
    (rows.unwrap_or_default(), builder.missing)
}

fn id(plan: &JobPlan, key: &str) -> String {
    format!("{}-{}-{key}", plan.protocol.slug, plan.network.slug)
}

/// RowBuilder and missing tokens of a finding.
struct RowBuilder<'a> {
    tokens: &'a Tokens,
    found: BTreeMap<Address, Arc<Token>>,
    missing: Vec<(Address, TokenFailure)>,
}

impl RowBuilder<'_> {
    /// Returns `None` if the name or all of the payments cannot be shown.
    fn claim(
        &mut self,
        id: String,
        found: map::Claimable,
        transactions: Vec<ClaimTransaction>,
        evaluation: ClaimEvaluation,
    ) -> Option<Arc<ClaimItem>> {
        let name = self.named(&found.name)?;
        let names = found.payments.iter().map(|payment| self.name_of(payment.name.as_deref(), &name)).collect();
        found.payments.iter().for_each(|payment| self.find(payment.token));
        (!self.found.is_empty()).then(|| {
            let tokens = std::mem::take(&mut self.found);
            let native = self.tokens.get(NATIVE).ok().cloned();
            let net_usd = net_usd(&found, &tokens, &evaluation, native.as_deref());
            let ClaimEvaluation { simulation, cost } = evaluation;
            Arc::new(ClaimItem { id, names, found, transactions, simulation, cost, native, net_usd, tokens })
        })
    }

    /// Returns `None` if the name or all of the legs cannot be shown.
    fn position(&mut self, id: String, found: map::Position) -> Option<Arc<PositionItem>> {
        let name = self.named(&found.name)?;
        let leg_names = found.legs.iter().map(|leg| self.name_of(leg.name.as_deref(), &name)).collect();
        found.legs.iter().for_each(|leg| self.find(leg.token));
        if self.found.is_empty() {
            return None;
        }
        let beside = found.legs.iter().flat_map(|leg| leg.redeems_to.iter().flatten()).map(|part| part.token);
        let beside = beside.chain(found.rewards.iter().map(|reward| reward.token)).chain(price_tokens(&found));
        beside.collect::<BTreeSet<_>>().into_iter().for_each(|token| self.find(token));
        let tokens = std::mem::take(&mut self.found);
        Some(Arc::new(PositionItem { id, name, leg_names, found, tokens }))
    }

    fn find(&mut self, token: Address) {
        match self.tokens.get(token) {
            Ok(known) => drop(self.found.insert(token, Arc::clone(known))),
            Err(failure) => self.miss(token, failure),
        }
    }

    fn miss(&mut self, token: Address, failure: TokenFailure) {
        if !self.missing.iter().any(|(missing, _)| *missing == token) {
            self.missing.push((token, failure));
        }
    }

    fn named(&mut self, name: &str) -> Option<Text> {
        with_symbols(name, self.tokens).map_err(|(token, failure)| self.miss(token, failure)).ok()
    }

    fn name_of(&mut self, own: Option<&str>, name: &Text) -> Text {
        own.and_then(|own| self.named(own)).unwrap_or_else(|| name.clone())
    }
}

/// Returns the net value of each payment in dollars. For a claim that differs, the simulated payments count.
pub(super) fn net_usd(
    found: &map::Claimable,
    tokens: &BTreeMap<Address, Arc<Token>>,
    evaluation: &ClaimEvaluation,
    native: Option<&Token>,
) -> Option<Vec<BigDecimal>> {
    let simulation = evaluation.simulation.as_ref();
    if simulation.is_some_and(ClaimSimulation::is_bad) {
        return None;
    }
    // An amount of zero is worth zero at any price.
    let value = |(payment, amount): (&map::Payment, U256)| match amount.is_zero() {
        true => Some(BigDecimal::default()),
        false => tokens.get(&payment.token)?.dollars(amount),
    };
    let amounts = found.payments.iter().zip(paid::amounts(found, simulation));
    let values: Vec<BigDecimal> = amounts.map(value).collect::<Option<_>>()?;
    let cost = evaluation.cost.as_ref()?.dollars(&native?.price.as_ref()?.usd);
    Some(cost::net(&values, &cost))
}

/// Sorts rows by network, protocol slug and id; claims that revert or are refused come last.
pub(super) fn sort(networks: &Networks, rows: &mut [Row]) {
    rows.sort_by_cached_key(|row| {
        let is_bad = row.verdict().is_some_and(Verdict::is_bad);
        (is_bad, networks.position(row.network.chain_id), row.protocol.slug.clone(), row.id.clone())
    });
}

/// A piece of a finding's name.
enum Piece<'a> {
    Text(&'a str),
    Symbol(Address),
}

/// Splits a name at each `{0x…}`; braces around anything else are text.
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

fn symbols(name: &str) -> impl Iterator<Item = Address> + '_ {
    pieces(name).filter_map(|piece| match piece {
        Piece::Symbol(token) => Some(token),
        Piece::Text(_) => None,
    })
}

fn with_symbols(name: &str, tokens: &Tokens) -> Result<Text, (Address, TokenFailure)> {
    pieces(name)
        .map(|piece| match piece {
            Piece::Text(text) => Ok(Text::words(text)),
            Piece::Symbol(token) => {
                tokens.named(token).map(|token| token.symbol.clone()).map_err(|failure| (token, failure))
            }
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
