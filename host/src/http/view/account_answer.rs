//! The part of an answer that is about one of several accounts.

use schemars::JsonSchema;
use serde::Serialize;

use super::parts::lower;
use super::portfolio::PortfolioView;
use super::rows::{ClaimableView, RowView};
use super::schema::AddressText;
use super::{Shape, header, in_order};
use crate::gateway::answer::{AccountAnswer, Items};
use crate::http::view::form::Form;

/// What an answer has about one of several accounts.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccountAnswer")]
pub(super) struct AccountAnswerView<'a> {
    /// Null if its name was not resolved.
    #[schemars(with = "Option<AddressText>")]
    account: Option<String>,
    /// The names by which it was requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<&'a str>,
    /// The body of an answer about the account alone; null if that would be a problem.
    answer: Option<ItemsView<'a>>,
    /// The header `portolan-partial` of an answer about the account alone; null if nothing is missing.
    partial: Option<String>,
}

/// The body of an answer about one account.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "AccountItems")]
enum ItemsView<'a> {
    #[schemars(with = "Vec<ClaimableView<'_>>")]
    Rows(Vec<RowView<'a>>),
    Portfolio(Box<PortfolioView<'a>>),
}

impl<'a> AccountAnswerView<'a> {
    pub(super) fn of(answer: &'a AccountAnswer, form: Form, of_all: Shape) -> Self {
        Self {
            account: answer.account.map(lower),
            names: answer.names.iter().map(|name| name.as_str()).collect(),
            answer: answer
                .items
                .as_ref()
                .and_then(|items| ItemsView::of(items, Shape::of(items, form, of_all.currency))),
            partial: header::partial(&answer.missing),
        }
    }
}

impl<'a> ItemsView<'a> {
    /// Returns `None` for items that answers about several accounts do not have.
    fn of(items: &'a Items, shape: Shape) -> Option<Self> {
        match items {
            Items::Rows { rows, .. } => {
                Some(Self::Rows(in_order(rows, shape).filter_map(|row| RowView::of(row, shape)).collect()))
            }
            Items::Portfolio(portfolio) => Some(Self::Portfolio(Box::new(PortfolioView::of(portfolio, shape)))),
            _ => None,
        }
    }
}
