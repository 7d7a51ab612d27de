//! Sums of positions and claims in dollars.
//!
//! Invariant: what has no price is counted, and never summed as zero.

use bigdecimal::BigDecimal;
use portolan_abi::map::LegRole;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::parts::{Number, fraction};
use crate::gateway::answer::{ClaimItem, Portfolio, PositionItem, Row, RowItem};
use crate::gateway::claims::paid::DollarSum;
use crate::http::view::rate;

/// Sums of everything with a known price.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Totals")]
pub(super) struct TotalsView {
    #[serde(flatten)]
    dollars: SumsView,
    /// The sums in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SumsView")]
    in_currency: Option<SumsView>,
    /// Number of legs and payments without a known price.
    unpriced: usize,
    /// Number of claims that were not simulated and count as their contracts report them.
    untried: Option<usize>,
}

/// Sums in dollars or in a currency; all null in a currency without a rate.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Sums")]
struct SumsView {
    /// Value of all assets.
    assets: Option<Number>,
    /// Value of all debts.
    debts: Option<Number>,
    /// Assets less debts.
    net: Option<Number>,
    /// Value of the claims, by their simulations; null if the query leaves it out.
    claimable: Option<Number>,
}

#[derive(Default)]
pub(super) struct Totals {
    assets: BigDecimal,
    debts: BigDecimal,
    claimable: BigDecimal,
    unpriced: usize,
    untried: usize,
}

impl Totals {
    pub(super) fn of(position: &PositionItem) -> Self {
        let mut totals = Self::default();
        for leg in position.found.legs.iter().filter(|leg| !is_owed(leg.role)) {
            match rate::leg_usd(position, leg) {
                Some(usd) if leg.role == LegRole::BORROWED => totals.debts += usd,
                Some(usd) => totals.assets += usd,
                None => totals.unpriced += 1,
            }
        }
        totals
    }

    fn of_row(row: &Row) -> Self {
        match &row.item {
            RowItem::Position(position) | RowItem::Leg { position, .. } => Self::of(position),
            RowItem::Payment { .. } => row.counted_claim().map(Self::of_claim).unwrap_or_default(),
        }
    }

    fn of_claim(claim: &ClaimItem) -> Self {
        let DollarSum { usd, unpriced } = claim.dollar_sum();
        Self { claimable: usd, unpriced, untried: usize::from(!claim.is_tried()), ..Self::default() }
    }

    pub(super) fn sum<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        rows.map(Self::of_row).fold(Self::default(), |sum, one| Self {
            assets: sum.assets + one.assets,
            debts: sum.debts + one.debts,
            claimable: sum.claimable + one.claimable,
            unpriced: sum.unpriced + one.unpriced,
            untried: sum.untried + one.untried,
        })
    }

    /// Returns `None` if a price is unknown.
    pub(super) fn net(&self) -> Option<BigDecimal> {
        (self.unpriced == 0).then(|| &self.assets - &self.debts)
    }

    pub(super) fn view(&self, with_claimable: bool, shape: Shape) -> TotalsView {
        let sums = |written: &dyn Fn(&BigDecimal) -> Option<Number>| SumsView {
            assets: written(&self.assets),
            debts: written(&self.debts),
            net: written(&(&self.assets - &self.debts)),
            claimable: written(&self.claimable).filter(|_| with_claimable),
        };
        TotalsView {
            dollars: sums(&|usd| Some(fraction(usd))),
            in_currency: shape.currency.map(|_| sums(&|usd| shape.converted(Some(usd)))),
            unpriced: self.unpriced,
            untried: with_claimable.then_some(self.untried),
        }
    }
}

/// Returns the sums of a portfolio.
pub(super) fn totals(portfolio: &Portfolio, shape: Shape) -> TotalsView {
    Totals::sum(portfolio.rows()).view(portfolio.payments.is_some(), shape)
}

pub(super) fn is_owed(role: LegRole) -> bool {
    [LegRole::REWARD_OWED, LegRole::FEE_OWED].contains(&role)
}
