//! Approvals: a row for each token and spender, with the transaction that ends it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{NetworkView, Number, ProtocolView, TokenView, amount, fraction, lower, raw_text};
use super::rows::{RowExtra, TransactionView, dollars};
use super::schema::{AddressText, Digits};
use crate::gateway::answer::{Allowance, Spender};

/// An amount of a token that another may take from the account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Approval")]
pub(super) struct AllowanceView<'a> {
    /// The network of the token.
    network: NetworkView<'a>,
    /// What may be taken.
    token: TokenView<'a>,
    /// True if a token list has the token. Anybody can make others, and have them name any account.
    listed: bool,
    /// Who may take it.
    spender: SpenderView<'a>,
    /// What may be taken in all, in whole units of the token.
    allowance: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    allowance_raw: Option<String>,
    /// True if the allowance is at least 2^255, or above the supply of the token.
    unlimited: bool,
    /// What the account has of the token, in whole units.
    balance: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    balance_raw: Option<String>,
    /// What may be taken now: the allowance, or the balance if that is less.
    amount_at_risk: Number,
    /// Value of `amountAtRisk` in dollars; 0 if the price is not known.
    dollar_value: Number,
    /// Dollars for one whole unit; 0 if it is not known.
    price: Number,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// The transaction that ends it: `approve` of the token, with the spender and zero.
    revoke_transaction: TransactionView<'a>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
}

/// A contract or an account that may take tokens.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Spender")]
struct SpenderView<'a> {
    /// Address.
    #[schemars(with = "AddressText")]
    address: String,
    /// Name of its protocol, or of a contract that is the same on every network; null if it is not known.
    name: Option<&'a str>,
    /// The protocol that lists the contract; null if none that is served here does.
    protocol: Option<ProtocolView<'a>>,
}

impl<'a> SpenderView<'a> {
    fn of(spender: &'a Spender) -> Self {
        let protocol = spender.protocol.as_deref();
        Self {
            address: lower(spender.address),
            name: spender.name.or(protocol.map(|protocol| protocol.name.as_str())),
            protocol: protocol.map(ProtocolView::of),
        }
    }
}

impl<'a> AllowanceView<'a> {
    pub(super) fn of(allowance: &'a Allowance, shape: Shape) -> Self {
        let Allowance { account, token, spender, amount: raw, balance, revocation } = allowance;
        let (at_risk, usd) = (allowance.at_risk(), token.price.as_ref().map(|price| &price.usd));
        Self {
            network: NetworkView::of(&token.network, shape),
            token: TokenView::with_supply(token, shape),
            listed: token.is_listed,
            spender: SpenderView::of(spender),
            allowance: amount(*raw, token),
            allowance_raw: raw_text(*raw, shape),
            unlimited: allowance.is_unlimited(),
            balance: amount(*balance, token),
            balance_raw: raw_text(*balance, shape),
            amount_at_risk: amount(at_risk, token),
            dollar_value: dollars(at_risk, token),
            price: usd.map_or_else(|| Number("0".into()), fraction),
            in_currency: shape.amount_in_currency(at_risk, token).map(|value| value.with_price(usd, shape)),
            revoke_transaction: TransactionView::of_gateway(revocation, &token.network, shape),
            extra: shape.full.then(|| RowExtra::without_plugin(*account, &token.network, token)),
        }
    }
}
