//! Rows: claimables, positions and balances.

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use portolan_abi::map;
use serde::Serialize;

use super::Shape;
use super::parts::{NetworkView, Number, ProtocolView, TokenView, lower};
use crate::assets::token::Token;
use crate::gateway::answer::{Balance, Row};
use crate::http::{number, rate};
use crate::jobs::validate::{ClaimTransaction, ValidFinding};
use crate::network::Network;
use crate::sanitize::text::Text;

/// Members that every row has with `detail=full`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowExtra<'a> {
    account: String,
    /// None where no plugin found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'a str>,
    price_source: Option<&'static str>,
    price_age_seconds: Option<u64>,
}

impl<'a> RowExtra<'a> {
    fn of(row: &'a Row, shape: Shape) -> Option<Self> {
        shape.full.then(|| Self { plugin: Some(&row.plugin), ..Self::without_plugin(row.account, &row.token) })
    }

    fn without_plugin(account: Address, priced: &Token) -> Self {
        let price = priced.price.as_ref();
        Self {
            account: lower(account),
            plugin: None,
            price_source: price.map(|price| price.source),
            price_age_seconds: price.and_then(|price| price.age_s),
        }
    }
}

fn amount(raw: U256, token: &Token) -> Number {
    Number(number::amount(raw, token.decimals))
}

fn raw_text(raw: U256, shape: Shape) -> Option<String> {
    shape.full.then(|| raw.to_string())
}

fn dollars(raw: U256, token: &Token) -> Number {
    Number(number::dollars(raw, token.decimals, token.price.as_ref().map(|price| &price.usd)))
}

/// A rate, a ratio or a price.
fn fraction(value: &BigDecimal) -> Number {
    Number(number::rounded(value))
}

/// A row of whichever question.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum RowView<'a> {
    Claimable(ClaimableView<'a>),
    Farming(FarmingView<'a>),
    Lending(LendingView<'a>),
}

impl<'a> RowView<'a> {
    pub(super) fn of(row: &'a Row, shape: Shape) -> Self {
        match &row.finding {
            ValidFinding::Claimable { finding, transaction } => {
                Self::Claimable(ClaimableView::of(row, finding, transaction, shape))
            }
            ValidFinding::Farming(finding) => Self::Farming(FarmingView::of(row, finding, shape)),
            ValidFinding::Lending(finding) => Self::Lending(LendingView::of(row, finding, shape)),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClaimableView<'a> {
    id: &'a str,
    name: &'a Text,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    protocol: ProtocolView<'a>,
    network: NetworkView<'a>,
    dollar_value: Number,
    amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
    token: TokenView<'a>,
    claim_transaction: TransactionView<'a>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
}

impl<'a> ClaimableView<'a> {
    fn of(row: &'a Row, finding: &'a map::Claimable, transaction: &'a ClaimTransaction, shape: Shape) -> Self {
        let (token, raw) = (&row.token, finding.amount);
        Self {
            id: &row.id,
            name: &row.name,
            kind: (!shape.aggregate).then_some(&finding.mechanism),
            protocol: ProtocolView::with_company(&row.protocol),
            network: NetworkView::of(&row.network),
            dollar_value: dollars(raw, token),
            amount: amount(raw, token),
            amount_raw: raw_text(raw, shape),
            token: TokenView::with_supply(token, shape),
            claim_transaction: TransactionView::of(transaction, &row.network, shape),
            extra: RowExtra::of(row, shape),
        }
    }
}

#[derive(Serialize)]
struct TransactionView<'a> {
    network: NetworkView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Function<'a>>,
    to: String,
    from: Option<String>,
    data: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Function<'a> {
    name: &'a str,
    input_parameters: Vec<Parameter<'a>>,
    /// The specification shows an empty array and nothing else.
    output_parameters: [(); 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parameter<'a> {
    value: &'a str,
    type_as_string: &'a str,
}

impl<'a> TransactionView<'a> {
    fn of(transaction: &'a ClaimTransaction, network: &'a Network, shape: Shape) -> Self {
        let parameter = |(kind, value): &'a (String, String)| Parameter { value, type_as_string: kind };
        let function = || Function {
            name: &transaction.function,
            input_parameters: transaction.inputs.iter().map(parameter).collect(),
            output_parameters: [],
        };
        Self {
            network: NetworkView::of(network),
            function: (!shape.aggregate).then(function),
            to: lower(transaction.to),
            from: transaction.from.map(lower),
            data: transaction.data.to_string(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FarmingView<'a> {
    id: &'a str,
    network: NetworkView<'a>,
    protocol: ProtocolView<'a>,
    dollar_value: Number,
    name: &'a Text,
    contract_address: String,
    vault_type: &'a str,
    apr: Number,
    staked_token: TokenView<'a>,
    amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
    underlying_amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    underlying_amount_raw: Option<String>,
    reward_tokens: Vec<TokenView<'a>>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
}

impl<'a> FarmingView<'a> {
    fn of(row: &'a Row, finding: &'a map::FarmingPosition, shape: Shape) -> Self {
        let (token, raw) = (&row.token, finding.amount);
        let underlying = finding.underlying_amount;
        Self {
            id: &row.id,
            network: NetworkView::of(&row.network),
            protocol: ProtocolView::of(&row.protocol),
            // The price is one of the staked token, and that is what the underlying amount counts.
            dollar_value: dollars(underlying, token),
            name: &row.name,
            contract_address: lower(finding.contract),
            vault_type: &finding.mechanism,
            apr: rate::apr(finding, token, &row.reward_tokens).as_ref().map_or_else(|| Number("0".into()), fraction),
            staked_token: TokenView::of(token, shape),
            amount: amount(raw, token),
            amount_raw: raw_text(raw, shape),
            underlying_amount: amount(underlying, token),
            underlying_amount_raw: raw_text(underlying, shape),
            reward_tokens: row.reward_tokens.iter().map(|token| TokenView::of(token, shape)).collect(),
            extra: RowExtra::of(row, shape),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LendingView<'a> {
    id: &'a str,
    network: NetworkView<'a>,
    protocol: ProtocolView<'a>,
    dollar_value: Number,
    rate: Number,
    name: &'a Text,
    amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
    token: TokenView<'a>,
    #[serde(flatten)]
    side: Option<Side>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
}

/// Members that lending rows alone have with `detail=full`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Side {
    side: &'static str,
    health_factor: Option<Number>,
}

impl<'a> LendingView<'a> {
    fn of(row: &'a Row, finding: &'a map::LendingPosition, shape: Shape) -> Self {
        let (token, raw) = (&row.token, finding.amount);
        let health_factor = || finding.health_factor_wad.map(|wad| fraction(&rate::wad(wad)));
        let side =
            || Side { side: if row.finding.is_debt() { "borrow" } else { "supply" }, health_factor: health_factor() };
        Self {
            id: &row.id,
            network: NetworkView::of(&row.network),
            protocol: ProtocolView::of(&row.protocol),
            dollar_value: dollars(raw, token),
            rate: fraction(&rate::ray(finding.rate_ray)),
            name: &row.name,
            amount: amount(raw, token),
            amount_raw: raw_text(raw, shape),
            token: TokenView::of(token, shape),
            side: shape.full.then(side),
            extra: RowExtra::of(row, shape),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BalanceView<'a> {
    amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
    network: NetworkView<'a>,
    token: TokenView<'a>,
    dollar_value: Number,
    price: Number,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
}

impl<'a> BalanceView<'a> {
    pub(super) fn of(balance: &'a Balance, shape: Shape) -> Self {
        let Balance { account, token, amount: raw } = balance;
        Self {
            amount: amount(*raw, token),
            amount_raw: raw_text(*raw, shape),
            network: NetworkView::of(&token.network),
            token: TokenView::with_supply(token, shape),
            dollar_value: dollars(*raw, token),
            price: token.price.as_ref().map_or_else(|| Number("0".into()), |price| fraction(&price.usd)),
            extra: shape.full.then(|| RowExtra::without_plugin(*account, token)),
        }
    }
}
