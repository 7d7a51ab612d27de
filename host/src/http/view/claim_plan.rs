//! Claim plans: one object with the body of `wallet_sendCalls` (EIP-5792) and the single transactions.

use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use portolan_base::sanitize::text::Text;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{NetworkView, Number, fraction, lower};
use super::rows::{PaymentView, TransactionView};
use super::simulation::{CostView, SimulationView, simulated};
use crate::gateway::answer::{ClaimItem, ClaimPlan, PlannedCall};
use crate::gateway::claims::verdict::ClaimSimulation;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClaimPlanView<'a> {
    network: NetworkView<'a>,
    account: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    caip10: Option<String>,
    /// Outcome of the whole plan, in the words of a row's `simulated`; null without a plan.
    simulated: Option<&'static str>,
    #[serde(skip_serializing_if = "<[Text]>::is_empty")]
    differs: &'a [Text],
    /// Null if there is nothing to send.
    wallet_send_calls: Option<SendCalls<'a>>,
    /// Transactions for the calls, to be sent one by one in this order.
    transactions: Vec<StepView<'a>>,
    /// Payments of all claims together.
    pays: Vec<PaymentView<'a>>,
    /// Value of the payments whose price is known.
    dollar_value: Number,
    /// `dollar_value` less the cost; null if the cost or a price is unknown.
    net_dollar_value: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_currency: Option<InCurrency>,
    simulation: Option<SimulationView<'a>>,
    cost: Option<CostView>,
    left_out: Vec<LeftOutView<'a>>,
}

/// The request for a wallet.
#[derive(Serialize)]
struct SendCalls<'a> {
    method: &'static str,
    params: [SendCallsParams<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SendCallsParams<'a> {
    version: &'static str,
    chain_id: String,
    from: String,
    atomic_required: bool,
    calls: Vec<CallView<'a>>,
}

#[derive(Serialize)]
struct CallView<'a> {
    to: String,
    value: String,
    data: &'a alloy::primitives::Bytes,
    /// Gas limit if the call is sent as a transaction of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    gas: Option<String>,
}

/// A transaction and the ids of its claims.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepView<'a> {
    claim_ids: Vec<&'a str>,
    #[serde(flatten)]
    transaction: TransactionView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LeftOutView<'a> {
    claim_id: &'a str,
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
