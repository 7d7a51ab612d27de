//! The effects of a transaction on one account.
//!
//! Invariant: unknown values are null, never zero.

use portolan_base::sanitize::text::Text;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{Number, TokenView, fraction, lower, raw_text};
use crate::gateway::answer::{AccountEffects, AccountMovement};
use crate::http::view::number;

/// Decimals of every native token.
const NATIVE_DECIMALS: u8 = 18;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccountEffectsView<'a> {
    address: String,
    summary: &'a Text,
    #[serde(rename = "in")]
    incoming: Vec<MovementView<'a>>,
    #[serde(rename = "out")]
    outgoing: Vec<MovementView<'a>>,
    /// Number of movements beyond the limit.
    omitted: usize,
    /// Gas paid by the account as sender or by its own user operations; null for others, or if the node does not
    /// report it.
    gas: Option<GasView<'a>>,
    complete: bool,
    /// Reason why it may be incomplete.
    incomplete_reason: Option<&'a Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MovementView<'a> {
    /// Null if it could not be read.
    token: Option<TokenView<'a>>,
    token_address: String,
    /// A string, since it may exceed clients' number types. Null for tokens that are not in a collection.
    token_id: Option<String>,
    amount: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
    dollar_value: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_currency: Option<InCurrency>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GasView<'a> {
    token: Option<TokenView<'a>>,
    /// Total fee.
    amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
    dollar_value: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_currency: Option<InCurrency>,
    used: u64,
    /// Wei per unit of gas.
    price: String,
    /// Wei for data, on networks that charge for it.
    data_fee: String,
    /// Wei for the network's operator, on networks that charge for it.
    operator_fee: String,
}

impl<'a> AccountEffectsView<'a> {
    pub(super) fn of(effects: &'a AccountEffects, shape: Shape) -> Self {
        let movements = |movements: &'a [AccountMovement]| {
            movements.iter().map(|movement| MovementView::of(movement, shape)).collect()
        };
        Self {
            address: lower(effects.account),
            summary: &effects.summary,
            incoming: movements(&effects.incoming),
            outgoing: movements(&effects.outgoing),
            omitted: effects.omitted,
            gas: GasView::of(effects, shape),
            complete: effects.incomplete.is_none() && effects.omitted == 0,
            incomplete_reason: effects.incomplete.as_ref(),
        }
    }
}

impl<'a> MovementView<'a> {
    fn of(AccountMovement { movement, token }: &'a AccountMovement, shape: Shape) -> Self {
        let is_collection = movement.asset.token_id.is_some();
        let token = token.as_deref();
        // Amounts of a collection count pieces and have no price.
        let decimals = token.map(|token| if is_collection { 0 } else { token.decimals });
        let dollars = token.filter(|_| !is_collection).and_then(|token| token.dollars(movement.raw));
        Self {
            token: token
                .map(|token| TokenView::of(token, shape))
                .map(|view| if is_collection { view.without_asset_id() } else { view }),
            token_address: if movement.asset.token.is_zero() { "0x0".into() } else { lower(movement.asset.token) },
            token_id: movement.asset.token_id.map(|token_id| token_id.to_string()),
            amount: decimals.map(|decimals| Number(number::amount(movement.raw, decimals))),
            amount_raw: raw_text(movement.raw, shape),
            dollar_value: dollars.as_ref().map(fraction),
            in_currency: shape.in_currency(dollars.as_ref()),
        }
    }
}

impl<'a> GasView<'a> {
    fn of(effects: &'a AccountEffects, shape: Shape) -> Option<Self> {
        let (gas, native) = (effects.gas?, effects.native.as_deref());
        let dollars = native.and_then(|native| native.dollars(gas.total()));
        Some(Self {
            token: native.map(|native| TokenView::of(native, shape)),
            amount: Number(number::amount(gas.total(), NATIVE_DECIMALS)),
            amount_raw: raw_text(gas.total(), shape),
            dollar_value: dollars.as_ref().map(fraction),
            in_currency: shape.in_currency(dollars.as_ref()),
            used: gas.used,
            price: gas.price.to_string(),
            data_fee: gas.data_fee.to_string(),
            operator_fee: gas.operator_fee.to_string(),
        })
    }
}
