//! The rows of a watched portfolio, each as it is sent when it changes.

use std::collections::BTreeMap;

use portolan_base::sanitize::output;
use serde::Serialize;
use serde_json::value::RawValue;

use super::rows::RowView;
use super::{Shape, header, totals};
use crate::gateway::answer::{Answer, Items, Portfolio, Row};
use crate::http::view::form::Form;

/// What watchers know of a portfolio.
#[derive(Debug, Default)]
pub(in crate::http) struct WatchedRows {
    blocks: String,
    partial: Option<String>,
    totals: Option<Box<RawValue>>,
    /// In the order of the list.
    claimables: Vec<(String, Box<RawValue>)>,
    positions: Vec<(String, Box<RawValue>)>,
}

/// The event of what changed.
#[derive(Serialize)]
struct ChangeView<'a> {
    blocks: &'a str,
    partial: Option<&'a str>,
    totals: Option<&'a RawValue>,
    positions: ListChange<'a>,
    claimables: ListChange<'a>,
}

/// Rows of a list that are new or other than before, and the ids of those that are gone.
#[derive(Serialize)]
struct ListChange<'a> {
    changed: Vec<&'a RawValue>,
    removed: Vec<&'a str>,
}

/// The event of newer blocks.
#[derive(Serialize)]
struct BlocksView<'a> {
    blocks: &'a str,
}

impl WatchedRows {
    /// Writes the rows of a portfolio; other items have none.
    pub(in crate::http) fn of(answer: &Answer, form: Form) -> Result<Self, serde_json::Error> {
        let Items::Portfolio(portfolio) = &answer.items else { return Ok(Self::default()) };
        let shape = Shape::of(&answer.items, form, None);
        let write = |shape| move |row| written(row, shape);
        let of_claims = Shape { aggregate: true, ..shape };
        Ok(Self {
            blocks: header::blocks(answer).unwrap_or_default(),
            partial: header::partial(&answer.missing),
            totals: Some(output::raw(&totals::totals(portfolio, shape), form.numbers)?),
            claimables: payments(portfolio).filter_map(write(of_claims)).collect::<Result<_, _>>()?,
            positions: portfolio.positions.iter().filter_map(write(shape)).collect::<Result<_, _>>()?,
        })
    }

    /// Writes the list of claimables.
    pub(in crate::http) fn claimables(&self) -> Result<Vec<u8>, serde_json::Error> {
        output::json(&self.claimables.iter().map(|(_, row)| row).collect::<Vec<_>>())
    }

    /// Writes what changed since; `None` if nothing but blocks did.
    pub(in crate::http) fn change(&self, before: &Self) -> Result<Option<Vec<u8>>, serde_json::Error> {
        let change = ChangeView {
            blocks: &self.blocks,
            partial: self.partial.as_deref(),
            totals: self.totals.as_deref(),
            positions: ListChange::of(&before.positions, &self.positions),
            claimables: ListChange::of(&before.claimables, &self.claimables),
        };
        let is_same = |one: &Option<Box<RawValue>>, other: &Option<Box<RawValue>>| {
            one.as_ref().map(|text| text.get()) == other.as_ref().map(|text| text.get())
        };
        let is_unchanged = change.positions.is_empty() && change.claimables.is_empty();
        if is_unchanged && self.partial == before.partial && is_same(&self.totals, &before.totals) {
            return Ok(None);
        }
        output::json(&change).map(Some)
    }

    /// Writes the event of newer blocks; `None` if there are none.
    pub(in crate::http) fn newer_blocks(&self, before: &Self) -> Result<Option<Vec<u8>>, serde_json::Error> {
        let view = BlocksView { blocks: &self.blocks };
        (self.blocks != before.blocks).then(|| output::json(&view)).transpose()
    }
}

impl<'a> ListChange<'a> {
    fn of(before: &'a [(String, Box<RawValue>)], now: &'a [(String, Box<RawValue>)]) -> Self {
        let known: BTreeMap<&str, &str> = before.iter().map(|(id, row)| (id.as_str(), row.get())).collect();
        let ids: BTreeMap<&str, ()> = now.iter().map(|(id, _)| (id.as_str(), ())).collect();
        let is_other = |(id, row): &&(String, Box<RawValue>)| known.get(id.as_str()) != Some(&row.get());
        Self {
            changed: now.iter().filter(is_other).map(|(_, row)| &**row).collect(),
            removed: known.into_keys().filter(|id| !ids.contains_key(id)).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

fn payments(portfolio: &Portfolio) -> impl Iterator<Item = &Row> {
    portfolio.payments.iter().flatten()
}

fn written(row: &Row, shape: Shape<'_>) -> Option<Result<(String, Box<RawValue>), serde_json::Error>> {
    let view = RowView::of(row, shape)?;
    Some(output::raw(&view, shape.numbers).map(|text| (row.id.clone(), text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(blocks: &str, positions: &[(&str, &str)]) -> WatchedRows {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let positions = positions.iter().map(|(id, row)| ((*id).to_owned(), raw(row))).collect();
        let totals = Some(raw("{}"));
        WatchedRows { blocks: blocks.into(), partial: None, totals, claimables: Vec::new(), positions }
    }

    fn change(before: &WatchedRows, now: &WatchedRows) -> Option<String> {
        now.change(before).unwrap().map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn a_change_has_new_and_other_rows_and_the_ids_of_those_that_are_gone() {
        let before = rows("ethereum=1", &[("a", "1"), ("b", "2"), ("c", "3")]);
        let now = rows("ethereum=2", &[("b", "2"), ("c", "4"), ("d", "5")]);
        let expected = concat!(
            r#"{"blocks":"ethereum=2","partial":null,"totals":{},"#,
            r#""positions":{"changed":[4,5],"removed":["a"]},"claimables":{"changed":[],"removed":[]}}"#
        );
        assert_eq!(change(&before, &now).as_deref(), Some(expected));
    }

    #[test]
    fn newer_blocks_alone_change_nothing() {
        let (before, now) = (rows("ethereum=1", &[("a", "1")]), rows("ethereum=2", &[("a", "1")]));
        assert_eq!(change(&before, &now), None);
        assert_eq!(now.newer_blocks(&before).unwrap().unwrap(), br#"{"blocks":"ethereum=2"}"#);
        assert_eq!(now.newer_blocks(&now).unwrap(), None);
    }

    #[test]
    fn what_is_missing_is_a_change() {
        let before = rows("ethereum=1", &[]);
        let now = WatchedRows { partial: Some("aave_v3/ethereum;reason=timeout".into()), ..rows("ethereum=1", &[]) };
        assert!(change(&before, &now).unwrap().contains(r#""partial":"aave_v3/ethereum;reason=timeout""#));
        assert!(change(&now, &before).unwrap().contains(r#""partial":null"#));
    }
}
