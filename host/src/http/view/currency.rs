//! Values in the currency of `?currency=`, beside those in dollars.
//!
//! Invariant: a value without a known price, or in a currency without a rate, is null.

use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use portolan_assets::token::Token;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::parts::{Number, fraction, lower};
use crate::gateway::answer::AnswerCurrency;

/// The values in dollars of a row, a leg or a cost, in the currency of `?currency=`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct InCurrency {
    /// `dollarValue` converted.
    value: Option<Number>,
    /// `netDollarValue` converted; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>")]
    net_value: Option<Option<Number>>,
    /// `price` converted; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Number>")]
    price: Option<Option<Number>>,
}

impl InCurrency {
    pub(super) fn with_net(self, net_usd: Option<&BigDecimal>, shape: Shape) -> Self {
        Self { net_value: Some(shape.converted(net_usd)), ..self }
    }

    pub(super) fn with_price(self, usd: Option<&BigDecimal>, shape: Shape) -> Self {
        Self { price: Some(shape.converted(usd)), ..self }
    }
}

impl Shape<'_> {
    /// Converts a value in dollars; `None` if the client wants no currency.
    pub(super) fn in_currency(self, usd: Option<&BigDecimal>) -> Option<InCurrency> {
        self.currency.map(|_| InCurrency { value: self.converted(usd), net_value: None, price: None })
    }

    /// Converts the value of an amount of a token, which is computed only where the client wants a currency.
    pub(super) fn amount_in_currency(self, raw: U256, token: &Token) -> Option<InCurrency> {
        self.currency?;
        self.in_currency(token.dollars(raw).as_ref())
    }

    /// Converts dollars; `None` if they are unknown, or the rate is.
    pub(super) fn converted(self, usd: Option<&BigDecimal>) -> Option<Number> {
        self.currency?.of_dollars(usd?).as_ref().map(fraction)
    }
}

/// Where the rate of the currency comes from.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CurrencyRate")]
pub(super) struct CurrencyView<'a> {
    /// Code of ISO 4217, `BTC` or `ETH`.
    code: &'static str,
    /// Slug of the network that the rate was read on; null if it was not.
    network: Option<&'a str>,
    /// Price of one unit; null if it could not be read.
    dollars: Option<Number>,
    /// As in `priceSource` of a row.
    source: Option<&'static str>,
    /// Age of the rate at the answer's block; null if it is not known.
    age_seconds: Option<u64>,
    /// The price feeds.
    contracts: Vec<String>,
}

impl<'a> CurrencyView<'a> {
    pub(super) fn of(AnswerCurrency { currency, network, rate }: &'a AnswerCurrency) -> Self {
        let contracts = rate.iter().flat_map(|rate| &rate.contracts);
        Self {
            code: currency.code,
            network: network.as_ref().map(|network| network.slug.as_str()),
            dollars: rate.as_ref().map(|rate| fraction(&rate.usd)),
            source: rate.as_ref().map(|rate| rate.source),
            age_seconds: rate.as_ref().and_then(|rate| rate.age_s),
            contracts: contracts.map(|contract| lower(*contract)).collect(),
        }
    }
}
