//! The effects of a transaction on one account.
//!
//! Invariant: unknown values are null, never zero.

use portolan_base::sanitize::text::Text;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{Number, TokenView, fraction, lower, raw_text};
use super::schema::{AddressText, Digits, TokenAddress};
use crate::gateway::answer::{AccountEffects, AccountMovement};
use crate::http::view::number;

/// Decimals of every native token.
const NATIVE_DECIMALS: u8 = 18;

/// What a transaction did for one account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccountEffects")]
pub(super) struct AccountEffectsView<'a> {
    /// The account.
    #[schemars(with = "AddressText")]
    address: String,
    /// The effects in one sentence.
    summary: &'a Text,
    /// What the account received.
    #[serde(rename = "in")]
    incoming: Vec<MovementView<'a>>,
    /// What the account gave.
    #[serde(rename = "out")]
    outgoing: Vec<MovementView<'a>>,
    /// Number of movements beyond the limit.
    omitted: usize,
    /// Gas paid by the account as sender or by its own user operations; null for others, or if the node does not
    /// report it.
    gas: Option<GasView<'a>>,
    /// False if movements are omitted or may be missing.
    complete: bool,
    /// Reason why it may be incomplete.
    incomplete_reason: Option<&'a Text>,
}

/// An amount of a token that the account received or gave.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Movement")]
struct MovementView<'a> {
    /// Null if it could not be read.
    token: Option<TokenView<'a>>,
    /// `0x0` for the native token.
    #[schemars(with = "TokenAddress")]
    token_address: String,
    /// A string, since it may exceed clients' number types. Null for tokens that are not in a collection.
    #[schemars(with = "Option<Digits>")]
    token_id: Option<String>,
    /// In whole units of the token; pieces of a collection. Null if the token could not be read.
    amount: Option<Number>,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
    /// Null if the price is not known.
    dollar_value: Option<Number>,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
}

/// The fee of a transaction.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GasPaid")]
struct GasView<'a> {
    /// The native token; null if it could not be read.
    token: Option<TokenView<'a>>,
    /// Total fee in whole units of the native token.
    amount: Number,
    /// Total fee in wei.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
    /// Null if the price is not known.
    dollar_value: Option<Number>,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// Units of gas.
    used: u64,
    /// Wei per unit of gas.
    #[schemars(with = "Digits")]
    price: String,
    /// Wei for data, on networks that charge for it.
    #[schemars(with = "Digits")]
    data_fee: String,
    /// Wei for the network's operator, on networks that charge for it.
    #[schemars(with = "Digits")]
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
