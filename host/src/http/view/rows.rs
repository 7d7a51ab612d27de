//! Claimables, positions and balances.

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use serde::Serialize;

use super::Shape;
use super::parts::{NetworkView, Number, ProtocolView, TokenView, lower};
use crate::assets::token::Token;
use crate::gateway::answer::{Balance, Claimable, FarmingPosition, LendingPosition, Row};
use crate::http::number;
use crate::jobs::validate::ClaimTransaction;
use crate::network::Network;

/// Members that every row has with `detail=full`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Extra<'a> {
    account: String,
    /// None where no plugin found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'a str>,
    price_source: Option<&'static str>,
    price_age_seconds: Option<u64>,
}

impl<'a> Extra<'a> {
    fn of(row: &'a Row, priced: &Token, shape: Shape) -> Option<Self> {
        shape.full.then(|| Self { plugin: Some(&row.plugin), ..Self::without_plugin(row.account, priced) })
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClaimableView<'a> {
    id: &'a str,
    name: &'a str,
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
    extra: Option<Extra<'a>>,
}

impl<'a> ClaimableView<'a> {
    pub(super) fn of(claimable: &'a Claimable, shape: Shape) -> Self {
        let Claimable { row, kind, token, amount: raw, transaction } = claimable;
        Self {
            id: &row.id,
            name: &row.name,
            kind: (!shape.aggregate).then_some(kind),
            protocol: ProtocolView::with_company(&row.protocol),
            network: NetworkView::of(&row.network),
            dollar_value: dollars(*raw, token),
            amount: amount(*raw, token),
            amount_raw: raw_text(*raw, shape),
            token: TokenView::with_supply(token, shape),
            claim_transaction: TransactionView::of(transaction, &row.network, shape),
            extra: Extra::of(row, token, shape),
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
    name: &'a str,
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
    extra: Option<Extra<'a>>,
}

impl<'a> FarmingView<'a> {
    pub(super) fn of(position: &'a FarmingPosition, shape: Shape) -> Self {
        let FarmingPosition { row, staked_token: token, amount: raw, underlying_amount: underlying, .. } = position;
        Self {
            id: &row.id,
            network: NetworkView::of(&row.network),
            protocol: ProtocolView::of(&row.protocol),
            // The price is one of the staked token, and that is what the underlying amount counts.
            dollar_value: dollars(*underlying, token),
            name: &row.name,
            contract_address: lower(position.contract),
            vault_type: &position.vault_type,
            apr: position.apr.as_ref().map_or_else(|| Number("0".into()), fraction),
            staked_token: TokenView::of(token),
            amount: amount(*raw, token),
            amount_raw: raw_text(*raw, shape),
            underlying_amount: amount(*underlying, token),
            underlying_amount_raw: raw_text(*underlying, shape),
            reward_tokens: position.reward_tokens.iter().map(|token| TokenView::of(token)).collect(),
            extra: Extra::of(row, token, shape),
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
    name: &'a str,
    amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
    token: TokenView<'a>,
    #[serde(flatten)]
    side: Option<Side>,
    #[serde(flatten)]
    extra: Option<Extra<'a>>,
}

/// Members that lending rows alone have with `detail=full`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Side {
    side: &'static str,
    health_factor: Option<Number>,
}

impl<'a> LendingView<'a> {
    pub(super) fn of(position: &'a LendingPosition, shape: Shape) -> Self {
        let LendingPosition { row, token, amount: raw, .. } = position;
        let side = || Side { side: position.side, health_factor: position.health_factor.as_ref().map(fraction) };
        Self {
            id: &row.id,
            network: NetworkView::of(&row.network),
            protocol: ProtocolView::of(&row.protocol),
            dollar_value: dollars(*raw, token),
            rate: fraction(&position.rate),
            name: &row.name,
            amount: amount(*raw, token),
            amount_raw: raw_text(*raw, shape),
            token: TokenView::of(token),
            side: shape.full.then(side),
            extra: Extra::of(row, token, shape),
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
    extra: Option<Extra<'a>>,
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
            extra: shape.full.then(|| Extra::without_plugin(*account, token)),
        }
    }
}
