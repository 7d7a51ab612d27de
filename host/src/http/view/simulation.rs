//! The results of a claim's simulation, for rows of claimables.

use std::borrow::Cow;

use alloy::primitives::{Address, U256};
use portolan_base::sanitize::text::Text;
use portolan_reader::SimulationMethod;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{Number, amount, fraction, lower};
use super::schema::{AddressText, Digits, TokenAddress, Word, WordSet, borrowed};
use crate::gateway::answer::ClaimItem;
use crate::gateway::claims::verdict::{ClaimRun, ClaimSimulation};
use crate::jobs::failure::Reason;

/// The member `simulation` of a row.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Simulation")]
pub(super) struct SimulationView<'a> {
    /// How it was run; null if the simulation could not be made.
    #[schemars(with = "Option<Word<SimulationMethod>>")]
    method: Option<&'static str>,
    /// Reason why it could not be made; a word of `portolan-partial`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Word<Reason>")]
    failure: Option<&'static str>,
    /// False if it reverted; null if it was not run.
    success: Option<bool>,
    /// Revert reason; null if it did not revert.
    error: Option<&'a Text>,
    /// Gas of all transactions together; null if the method does not report it.
    gas_used: Option<u64>,
    /// What the account received; null if the method does not report it.
    receives: Option<Vec<FlowView<'a>>>,
    /// What the account gave; null if the method does not report it.
    gives: Option<Vec<FlowView<'a>>>,
    /// Approvals that it changed.
    approvals: Vec<ApprovalView>,
}

/// An amount of a token that the account received or gave.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TokenFlow")]
struct FlowView<'a> {
    /// `0x0` for the native token.
    #[schemars(with = "TokenAddress")]
    token_address: String,
    /// Null, like the amount, for tokens that the claim does not pay.
    symbol: Option<&'a Text>,
    /// In whole units.
    amount: Option<Number>,
    /// In smallest units.
    #[schemars(with = "Digits")]
    amount_raw: String,
}

/// An approval that changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApprovalChange")]
struct ApprovalView {
    /// The token.
    #[schemars(with = "TokenAddress")]
    token_address: String,
    /// Who may spend it.
    #[schemars(with = "AddressText")]
    spender: String,
    /// True if it is about all pieces of a collection.
    for_all: bool,
    /// In smallest units; 1 or 0 for a collection.
    #[schemars(with = "Digits")]
    before: String,
    /// In smallest units; 1 or 0 for a collection.
    #[schemars(with = "Digits")]
    after: String,
}

impl<'a> SimulationView<'a> {
    pub(super) fn of(claim: &'a ClaimItem) -> Option<Self> {
        let simulation = claim.simulation.as_ref()?;
        let run = match &simulation.run {
            Ok(run) => run,
            Err(failure) => return Some(Self::failed(Reason::from(*failure).as_str())),
        };
        let ClaimRun { method, gas, value: _, reverted, receives, gives, approvals } = run;
        let flows = |flows: &Option<Vec<(Address, U256)>>| {
            Some(flows.as_ref()?.iter().map(|(token, raw)| FlowView::of(claim, *token, *raw)).collect())
        };
        let approvals = approvals.iter().map(|approval| ApprovalView {
            token_address: lower(approval.token),
            spender: lower(approval.spender),
            for_all: approval.of_all,
            before: approval.before.to_string(),
            after: approval.after.to_string(),
        });
        Some(Self {
            method: Some(self::method(*method)),
            failure: None,
            success: Some(reverted.is_none()),
            error: reverted.as_ref(),
            gas_used: *gas,
            receives: flows(receives),
            gives: flows(gives),
            approvals: approvals.collect(),
        })
    }

    fn failed(failure: &'static str) -> Self {
        let (method, success, error, gas_used) = (None, None, None, None);
        let failure = Some(failure);
        Self { method, failure, success, error, gas_used, receives: None, gives: None, approvals: Vec::new() }
    }
}

impl<'a> FlowView<'a> {
    fn of(claim: &'a ClaimItem, token: Address, raw: U256) -> Self {
        let known = claim.tokens.get(&token);
        Self {
            token_address: if token == portolan_assets::token::NATIVE { "0x0".into() } else { lower(token) },
            symbol: known.map(|token| &token.symbol),
            amount: known.map(|token| amount(raw, token)),
            amount_raw: raw.to_string(),
        }
    }
}

/// The member `cost` of a row, in wei unless stated otherwise.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Cost")]
pub(super) struct CostView {
    /// Gas of all transactions.
    gas: u64,
    /// Null if the network has no base fee.
    #[schemars(with = "Option<Digits>")]
    base_fee_per_gas: Option<String>,
    /// Wei per unit of gas for the block's builder.
    #[schemars(with = "Digits")]
    max_priority_fee_per_gas: String,
    /// Fee for the data of all transactions, on networks that charge for it.
    #[schemars(with = "Digits")]
    data_fee: String,
    /// Value sent with the transactions.
    #[schemars(with = "Digits")]
    value: String,
    /// Total cost.
    #[schemars(with = "Digits")]
    native_raw: String,
    /// Total cost in dollars; null if the native token's price is unknown.
    dollars: Option<Number>,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
}

impl CostView {
    pub(super) fn of(claim: &ClaimItem, shape: Shape) -> Option<Self> {
        let cost = claim.cost.as_ref()?;
        let native_usd = claim.native.as_ref().and_then(|native| native.price.as_ref());
        let usd = native_usd.map(|price| cost.dollars(&price.usd));
        Some(Self {
            gas: cost.gas,
            base_fee_per_gas: cost.gas_price.base_fee.map(|wei| wei.to_string()),
            max_priority_fee_per_gas: cost.gas_price.tip.to_string(),
            data_fee: cost.data_fee.to_string(),
            value: cost.value.to_string(),
            native_raw: cost.native().to_string(),
            dollars: usd.as_ref().map(fraction),
            in_currency: shape.in_currency(usd.as_ref()),
        })
    }
}

/// Returns the verdict's word, or null.
pub(super) fn simulated(simulation: Option<&ClaimSimulation>) -> Option<&'static str> {
    simulation?.verdict.map(|verdict| verdict.as_str())
}

pub(super) fn method(method: SimulationMethod) -> &'static str {
    match method {
        SimulationMethod::Override => "override",
        SimulationMethod::SimulateV1 => "eth_simulateV1",
        SimulationMethod::Call => "eth_call",
    }
}

impl WordSet for SimulationMethod {
    const NAME: &str = "SimulationMethod";
    const ABOUT: &str = "How a claim was run.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::Override, Self::SimulateV1, Self::Call].map(method))
    }
}
