//! An account's portfolio of all protocols.

use portolan_plugins::protocol::Protocol;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::parts::ProtocolView;
use super::positions::PositionView;
use super::totals::{Totals, TotalsView, totals};
use crate::gateway::answer::{Portfolio, Row, RowItem};

/// An account's positions in all protocols.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Portfolio")]
pub(super) struct PortfolioView<'a> {
    /// Sums of all protocols.
    totals: TotalsView,
    /// Groups, by slug.
    protocols: Vec<ProtocolPositions<'a>>,
}

/// An account's positions in one protocol.
#[derive(Serialize, JsonSchema)]
struct ProtocolPositions<'a> {
    /// The protocol.
    protocol: ProtocolView<'a>,
    /// Sums of this protocol.
    totals: TotalsView,
    /// The positions in it.
    positions: Vec<PositionView<'a>>,
}

impl<'a> PortfolioView<'a> {
    pub(super) fn of(portfolio: &'a Portfolio, shape: Shape) -> Self {
        let rows = || portfolio.rows();
        let with_claimable = portfolio.payments.is_some();
        let mut protocols: Vec<&Protocol> = rows().map(|row| &*row.protocol).collect();
        protocols.sort_by(|a, b| a.slug.cmp(&b.slug));
        protocols.dedup_by(|a, b| a.slug == b.slug);
        let group = |protocol: &'a Protocol| {
            let is_own = |row: &&Row| row.protocol.slug == protocol.slug;
            let positions = portfolio.positions.iter().filter(is_own).filter_map(|row| match &row.item {
                RowItem::Position(position) => Some(PositionView::of(row, position, shape)),
                RowItem::Payment { .. } | RowItem::Leg { .. } => None,
            });
            ProtocolPositions {
                protocol: ProtocolView::with_company(protocol),
                totals: Totals::sum(rows().filter(is_own)).view(with_claimable, shape),
                positions: positions.collect(),
            }
        };
        Self { totals: totals(portfolio, shape), protocols: protocols.into_iter().map(group).collect() }
    }
}
