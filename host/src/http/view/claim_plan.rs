//! Claim plans: one object with the body of `wallet_sendCalls` (EIP-5792) and the single transactions.

use crate::gateway::claims::verdict::Verdict;
use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use portolan_base::sanitize::text::Text;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{NetworkView, Number, fraction, lower};
use super::rows::{PaymentView, TransactionView};
use super::schema::{AddressText, Caip10, HexData, Quantity, Word};
use super::simulation::{CostView, SimulationView, simulated};
use crate::gateway::answer::{ClaimItem, ClaimPlan, PlannedCall};
use crate::gateway::claims::verdict::ClaimSimulation;

/// All claims of an account on one network, in the order in which to send them.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ClaimPlan")]
pub(super) struct ClaimPlanView<'a> {
    /// The network of all calls.
    network: NetworkView<'a>,
    /// The account that claims.
    #[schemars(with = "AddressText")]
    account: String,
    /// CAIP-10 id of the account (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Caip10")]
    caip10: Option<String>,
    /// Outcome of the whole plan, in the words of a row's `simulated`; null without a plan.
    #[schemars(with = "Option<Word<Verdict>>")]
    simulated: Option<&'static str>,
    /// What the plan does otherwise than it declares, in sentences.
    #[serde(skip_serializing_if = "<[Text]>::is_empty")]
    differs: &'a [Text],
    /// The request for a wallet (EIP-5792). Null if there is nothing to send.
    wallet_send_calls: Option<SendCalls<'a>>,
    /// Transactions for the calls, to be sent one by one in this order.
    transactions: Vec<StepView<'a>>,
    /// Payments of all claims together.
    pays: Vec<PaymentView<'a>>,
    /// Value of the payments whose price is known.
    dollar_value: Number,
    /// `dollarValue` less the cost; null if the cost or a price is unknown.
    net_dollar_value: Option<Number>,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// The run of all calls in order; null if there was none.
    simulation: Option<SimulationView<'a>>,
    /// The cost of all calls; null if it is not known.
    cost: Option<CostView>,
    /// Claims that are not in the plan.
    left_out: Vec<LeftOutView<'a>>,
}

/// The request for a wallet.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WalletSendCalls")]
struct SendCalls<'a> {
    /// Always `wallet_sendCalls`.
    method: &'static str,
    /// One object.
    params: [SendCallsParams<'a>; 1],
}

/// The parameter of `wallet_sendCalls`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WalletSendCallsParams")]
struct SendCallsParams<'a> {
    /// Version of the method.
    version: &'static str,
    /// Chain id.
    #[schemars(with = "Quantity")]
    chain_id: String,
    /// The account.
    #[schemars(with = "AddressText")]
    from: String,
    /// Always false: a claim that fails does not undo the others.
    atomic_required: bool,
    /// The calls in order.
    calls: Vec<CallView<'a>>,
}

/// One call of a plan.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WalletCall")]
struct CallView<'a> {
    /// The contract.
    #[schemars(with = "AddressText")]
    to: String,
    /// Wei to send with it.
    #[schemars(with = "Quantity")]
    value: String,
    /// Call data.
    #[schemars(with = "HexData")]
    data: &'a alloy::primitives::Bytes,
    /// Gas limit if the call is sent as a transaction of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Quantity")]
    gas: Option<String>,
}

/// A transaction and the ids of its claims.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlannedTransaction")]
struct StepView<'a> {
    /// Claims that it executes.
    claim_ids: Vec<&'a str>,
    #[serde(flatten)]
    transaction: TransactionView<'a>,
}

/// A claim that is not in the plan.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LeftOut")]
struct LeftOutView<'a> {
    /// Id of the claim.
    claim_id: &'a str,
    /// Why, in a sentence.
    reason: &'a Text,
}

impl<'a> ClaimPlanView<'a> {
    pub(super) fn of(plan: &'a ClaimPlan, shape: Shape) -> Self {
        let whole = plan.whole.as_ref();
        let simulation = whole.and_then(|whole| whole.simulation.as_ref());
        // Calls that together take something from the account must not be signed.
        let is_bad = simulation.is_some_and(ClaimSimulation::is_bad);
        let calls = plan.calls.iter().filter(|_| !is_bad);
        let step = |call: &'a PlannedCall| StepView {
            claim_ids: call.claims.iter().map(|claim| claim.id.as_str()).collect(),
            transaction: TransactionView::of(
                &call.transaction,
                call.gas,
                &plan.network,
                Shape { aggregate: false, ..shape },
            ),
        };
        let net: Option<BigDecimal> = whole.and_then(|whole| Some(whole.net_usd.as_ref()?.iter().sum()));
        let usd = whole.map(ClaimItem::dollars).unwrap_or_default();
        let left_out = plan.left_out.iter();
        Self {
            network: NetworkView::of(&plan.network, shape),
            account: lower(plan.account),
            caip10: shape.full.then(|| plan.network.caip10(plan.account)),
            simulated: simulated(simulation),
            differs: simulation.map_or(&[], |simulation| &simulation.differs),
            wallet_send_calls: whole.filter(|_| !is_bad).map(|_| SendCalls::of(plan)),
            transactions: calls.map(step).collect(),
            pays: whole.map_or_else(Vec::new, |whole| pays(whole, shape)),
            dollar_value: fraction(&usd),
            net_dollar_value: net.as_ref().map(fraction),
            in_currency: shape.in_currency(Some(&usd)).map(|value| value.with_net(net.as_ref(), shape)),
            simulation: whole.and_then(SimulationView::of),
            cost: whole.and_then(|whole| CostView::of(whole, shape)),
            left_out: left_out.map(|own| LeftOutView { claim_id: &own.claim.id, reason: &own.reason }).collect(),
        }
    }
}

fn pays<'a>(whole: &'a ClaimItem, shape: Shape) -> Vec<PaymentView<'a>> {
    whole.found.payments.iter().map(|payment| PaymentView::of(whole, payment, shape)).collect()
}

impl<'a> SendCalls<'a> {
    fn of(plan: &'a ClaimPlan) -> Self {
        let call = |PlannedCall { transaction, gas, .. }: &'a PlannedCall| CallView {
            to: lower(transaction.to),
            value: quantity(transaction.value),
            data: &transaction.data,
            gas: gas.map(|gas| quantity(U256::from(gas))),
        };
        let params = SendCallsParams {
            version: "2.0.0",
            chain_id: quantity(U256::from(plan.network.chain_id)),
            from: lower(plan.account),
            atomic_required: false,
            calls: plan.calls.iter().map(call).collect(),
        };
        Self { method: "wallet_sendCalls", params: [params] }
    }
}

fn quantity(number: U256) -> String {
    format!("{number:#x}")
}
