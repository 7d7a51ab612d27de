//! Rows of claimables, farming, lending and balances; `positions.rs` has whole positions.

use std::borrow::Cow;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use portolan_abi::map::{self, LegRole, PaidTo};
use portolan_assets::token::{Price, Token};
use portolan_base::network::Network;
use portolan_base::sanitize::text::Text;
use portolan_validation::{ClaimTransaction, TargetSource};
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::currency::InCurrency;
use super::parts::{NetworkView, Number, ProtocolView, TokenView, amount, fraction, lower, raw_text};
use super::positions::{PositionFacts, PositionView};
use super::provenance::ProvenanceView;
use super::schema::{AddressText, Caip10, Digits, HexData, TokenAddress, Word, WordSet, borrowed};
use super::simulation::{CostView, SimulationView, simulated};
use crate::gateway::answer::{Balance, ClaimItem, PositionItem, Row, RowItem};
use crate::gateway::claims::verdict::Verdict;
use crate::http::view::{number, rate};

/// Members of every row with `detail=full`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RowExtra<'a> {
    /// The account (`detail=full`).
    #[schemars(with = "AddressText")]
    account: String,
    /// CAIP-10 id of the account on the row's network (`detail=full`).
    #[schemars(with = "Caip10")]
    caip10: String,
    /// Name and version of the plugin that found it; absent if no plugin did (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'a str")]
    plugin: Option<&'a str>,
    /// The source of the price; null if it is not known (`detail=full`).
    price_source: Option<&'static str>,
    /// Age of the price; null if it is not known (`detail=full`).
    price_age_seconds: Option<u64>,
    /// The price feeds, or the tokens that the price was derived from (`detail=full`).
    #[schemars(with = "Vec<AddressText>")]
    price_contracts: Vec<String>,
    /// The sources of its amounts (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ProvenanceView<'a>")]
    provenance: Option<ProvenanceView<'a>>,
}

impl<'a> RowExtra<'a> {
    fn of(row: &'a Row, priced: &Token, shape: Shape) -> Option<Self> {
        let provenance = || row.provenance.as_deref().map(ProvenanceView::of);
        shape.full.then(|| Self {
            plugin: Some(&row.plugin),
            provenance: provenance(),
            ..Self::without_plugin(row.account, &row.network, priced)
        })
    }

    pub(super) fn without_plugin(account: Address, network: &Network, priced: &Token) -> Self {
        let price = priced.price.as_ref();
        Self {
            account: lower(account),
            caip10: network.caip10(account),
            plugin: None,
            price_source: price.map(|price| price.source),
            price_age_seconds: price.and_then(|price| price.age_s),
            price_contracts: price.map(contracts).unwrap_or_default(),
            provenance: None,
        }
    }
}

fn contracts(price: &Price) -> Vec<String> {
    price.contracts.iter().map(|contract| lower(*contract)).collect()
}

pub(super) fn dollars(raw: U256, token: &Token) -> Number {
    Number(number::dollars(raw, token.decimals, token.price.as_ref().map(|price| &price.usd)))
}

/// A row of any question.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum RowView<'a> {
    Claimable(Box<ClaimableView<'a>>),
    Farming(Box<FarmingView<'a>>),
    Lending(Box<LendingView<'a>>),
    Position(Box<PositionView<'a>>),
}

impl<'a> RowView<'a> {
    /// Returns `None` if the row's token is unknown, which never happens.
    pub(super) fn of(row: &'a Row, shape: Shape) -> Option<Self> {
        Some(match &row.item {
            RowItem::Payment { claim, place } => {
                Self::Claimable(Box::new(ClaimableView::of(row, PaymentAt::of(claim, *place)?, shape)))
            }
            RowItem::Leg { position, place } => {
                let leg = LegAt::of(position, *place)?;
                match leg.leg.role {
                    LegRole::SUPPLIED | LegRole::BORROWED => Self::Lending(Box::new(LendingView::of(row, leg, shape))),
                    _ => Self::Farming(Box::new(FarmingView::of(row, leg, shape))),
                }
            }
            RowItem::Position(position) => Self::Position(Box::new(PositionView::of(row, position, shape))),
        })
    }
}

/// A payment of a claim.
#[derive(Clone, Copy)]
struct PaymentAt<'a> {
    claim: &'a ClaimItem,
    payment: &'a map::Payment,
    name: &'a Text,
    token: &'a Token,
    net: Option<&'a BigDecimal>,
}

impl<'a> PaymentAt<'a> {
    fn of(claim: &'a ClaimItem, place: usize) -> Option<Self> {
        let payment = claim.found.payments.get(place)?;
        let net = claim.net_usd.as_ref().and_then(|net| net.get(place));
        Some(Self { claim, payment, name: claim.names.get(place)?, token: claim.tokens.get(&payment.token)?, net })
    }
}

/// A leg of a position.
#[derive(Clone, Copy)]
struct LegAt<'a> {
    position: &'a PositionItem,
    leg: &'a map::Leg,
    name: &'a Text,
    token: &'a Token,
}

impl<'a> LegAt<'a> {
    fn of(position: &'a PositionItem, place: usize) -> Option<Self> {
        let leg = position.found.legs.get(place)?;
        Some(Self { position, leg, name: position.leg_names.get(place)?, token: position.tokens.get(&leg.token)? })
    }
}

/// A payment that an account can claim.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Claimable")]
pub(super) struct ClaimableView<'a> {
    /// Id of the row, the same in every answer.
    id: &'a str,
    /// Shared by the rows of one transaction, which is to be sent once.
    claim_id: &'a str,
    /// For people.
    name: &'a Text,
    /// Mechanism; only in answers of one protocol.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'a str")]
    kind: Option<&'a str>,
    /// The protocol that pays.
    protocol: ProtocolView<'a>,
    /// The network of the claim.
    network: NetworkView<'a>,
    /// Value in dollars; 0 if the price is not known.
    dollar_value: Number,
    /// `dollarValue` less the payment's share of the claim's cost; null if the cost or a price is unknown.
    net_dollar_value: Option<Number>,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// In whole units of the token.
    amount: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
    /// Destination of the payment, if it is not the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Word<PaidTo>")]
    paid_to: Option<&'static str>,
    /// What is paid.
    token: TokenView<'a>,
    /// `paid`, `differs`, `reverted` or `refused`; null if it was not simulated or too little is known.
    #[schemars(with = "Option<Word<Verdict>>")]
    simulated: Option<&'static str>,
    /// Effects of the claim that it does not declare, in words.
    #[serde(skip_serializing_if = "<[Text]>::is_empty")]
    differs: &'a [Text],
    /// The transaction to sign. Null if the claim is refused.
    claim_transaction: Option<TransactionView<'a>>,
    /// All transactions in order if there are several; the last one is the claim's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claim_steps: Vec<TransactionView<'a>>,
    /// All payments of the transaction (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<PaymentView<'a>>")]
    pays: Option<Vec<PaymentView<'a>>>,
    /// The run of the claim, with `simulate=true` or `detail=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SimulationView<'a>")]
    simulation: Option<SimulationView<'a>>,
    /// The cost of the claim, with `simulate=true` or `detail=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CostView")]
    cost: Option<CostView>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
}

/// One of a claim's payments.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Payment")]
pub(super) struct PaymentView<'a> {
    /// Null if the token could not be read.
    token: Option<TokenView<'a>>,
    /// `0x0` for the native token.
    #[schemars(with = "TokenAddress")]
    token_address: String,
    /// In whole units; null if the token could not be read.
    amount: Option<Number>,
    /// In smallest units.
    #[schemars(with = "Digits")]
    amount_raw: String,
    /// Who receives it.
    #[schemars(with = "Word<PaidTo>")]
    paid_to: &'static str,
}

impl<'a> PaymentView<'a> {
    pub(super) fn of(claim: &'a ClaimItem, payment: &map::Payment, shape: Shape) -> Self {
        let token = claim.tokens.get(&payment.token);
        Self {
            token: token.map(|token| TokenView::of(token, shape)),
            token_address: lower(payment.token),
            amount: token.map(|token| amount(payment.amount, token)),
            amount_raw: payment.amount.to_string(),
            paid_to: paid_to(payment.paid_to),
        }
    }
}

pub(super) fn paid_to(place: PaidTo) -> &'static str {
    match place {
        PaidTo::LOCK => "lock",
        PaidTo::VAULT => "vault",
        _ => "account",
    }
}

impl<'a> ClaimableView<'a> {
    fn of(row: &'a Row, PaymentAt { claim, payment, name, token, net }: PaymentAt<'a>, shape: Shape) -> Self {
        let gas = |place| claim.simulation.as_ref().and_then(|simulation| simulation.gas_limit(place));
        let transaction = |(place, transaction)| TransactionView::of(transaction, gas(place), &row.network, shape);
        let is_refused = row.verdict() == Some(Verdict::Refused);
        let transactions = if is_refused { &[][..] } else { &claim.transactions };
        let several = transactions.len() > 1;
        let payments = claim.found.payments.iter();
        Self {
            id: &row.id,
            claim_id: &claim.id,
            name,
            kind: (!shape.aggregate).then_some(&claim.found.mechanism),
            protocol: ProtocolView::with_company(&row.protocol),
            network: NetworkView::of(&row.network, shape),
            dollar_value: dollars(payment.amount, token),
            net_dollar_value: net.map(fraction),
            in_currency: shape.amount_in_currency(payment.amount, token).map(|value| value.with_net(net, shape)),
            amount: amount(payment.amount, token),
            amount_raw: raw_text(payment.amount, shape),
            paid_to: (payment.paid_to != PaidTo::ACCOUNT).then(|| paid_to(payment.paid_to)),
            token: TokenView::with_supply(token, shape),
            simulated: simulated(claim.simulation.as_ref()),
            differs: claim.simulation.as_ref().map_or(&[], |simulation| &simulation.differs),
            claim_transaction: transactions.iter().enumerate().last().map(transaction),
            claim_steps: transactions.iter().enumerate().filter(|_| several).map(transaction).collect(),
            pays: shape.full.then(|| payments.map(|payment| PaymentView::of(claim, payment, shape)).collect()),
            simulation: (shape.full || shape.simulation).then(|| SimulationView::of(claim)).flatten(),
            cost: (shape.full || shape.simulation).then(|| CostView::of(claim, shape)).flatten(),
            extra: RowExtra::of(row, token, shape),
        }
    }
}

/// A transaction to sign.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Transaction")]
pub(super) struct TransactionView<'a> {
    /// The network to send it on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NetworkView<'a>")]
    network: Option<NetworkView<'a>>,
    /// The function that it calls: in answers of one protocol, and with `detail=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Function<'a>")]
    function: Option<Function<'a>>,
    /// The contract.
    #[schemars(with = "AddressText")]
    to: String,
    /// The account.
    #[schemars(with = "AddressText")]
    from: String,
    /// Call data.
    #[schemars(with = "HexData")]
    data: String,
    /// Gas limit to send it with; absent if it was not simulated or the method does not report gas.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    gas: Option<u32>,
    /// Wei to send with it; absent if zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    value: Option<String>,
    #[serde(flatten)]
    origin: Option<TargetOrigin<'a>>,
}

/// Members of transactions with `detail=full`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TargetOrigin<'a> {
    /// Where `to` comes from (`detail=full`).
    #[schemars(with = "Word<TargetSource>")]
    target_source: &'static str,
    /// The view that returned it, if it comes from a factory (`detail=full`).
    target_view: Option<&'a str>,
    /// True if others than the account may send it (`detail=full`).
    by_anyone: bool,
}

/// A function of a contract.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Function<'a> {
    /// Name.
    name: &'a str,
    /// Arguments in order.
    input_parameters: Vec<FunctionParameter<'a>>,
    /// Always empty, as in the specification.
    output_parameters: [(); 0],
}

/// An argument of a call.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FunctionParameter<'a> {
    /// As text.
    value: &'a str,
    /// Solidity type.
    type_as_string: &'a str,
}

/// Returns the word for a target's source, and the view that returned the target.
pub(super) fn target(source: &TargetSource) -> (&'static str, Option<&str>) {
    match source {
        TargetSource::Listed => ("listed", None),
        TargetSource::Settings => ("settings", None),
        TargetSource::View(view) => ("factory", Some(&**view)),
    }
}

impl<'a> TransactionView<'a> {
    pub(super) fn of(transaction: &'a ClaimTransaction, gas: Option<u32>, network: &'a Network, shape: Shape) -> Self {
        let parameter = |(kind, value): &'a (String, String)| FunctionParameter { value, type_as_string: kind };
        let function = || Function {
            name: &transaction.function,
            input_parameters: transaction.inputs.iter().map(parameter).collect(),
            output_parameters: [],
        };
        let (target_source, target_view) = target(&transaction.target_source);
        let origin = TargetOrigin { target_source, target_view, by_anyone: transaction.is_by_anyone };
        Self {
            network: Some(NetworkView::of(network, shape)),
            // With `detail=full` the aggregate answer has it too, so that signers can read what they sign.
            function: (!shape.aggregate || shape.full).then(function),
            to: lower(transaction.to),
            from: lower(transaction.from),
            data: transaction.data.to_string(),
            gas,
            value: (!transaction.value.is_zero()).then(|| transaction.value.to_string()),
            origin: shape.full.then_some(origin),
        }
    }

    /// Without where its target comes from: the gateway made it, and no plugin has a say in it.
    pub(super) fn of_gateway(transaction: &'a ClaimTransaction, network: &'a Network, shape: Shape) -> Self {
        Self { origin: None, ..Self::of(transaction, None, network, shape) }
    }
}

/// A stake.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FarmingRow")]
pub(super) struct FarmingView<'a> {
    /// Id of the row, the same in every answer.
    id: &'a str,
    /// The network of the stake.
    network: NetworkView<'a>,
    /// The protocol of the stake.
    protocol: ProtocolView<'a>,
    /// Value of `underlyingAmount` in dollars; 0 if the price is not known.
    dollar_value: Number,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// For people.
    name: &'a Text,
    /// Where it is staked.
    #[schemars(with = "AddressText")]
    contract_address: String,
    /// Mechanism.
    vault_type: &'a str,
    /// A year's rewards over the value of the stake, as a fraction; 0 if it is not known.
    apr: Number,
    /// What is staked.
    staked_token: TokenView<'a>,
    /// In whole units of the staked token.
    amount: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
    /// What the stake redeems to, in whole units of the staked token; the same as `amount` if it redeems to nothing
    /// else.
    underlying_amount: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    underlying_amount_raw: Option<String>,
    /// The tokens that it earns.
    reward_tokens: Vec<TokenView<'a>>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
    /// With `detail=full`: members of the position that this row has no place for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PositionFacts<'a>")]
    position: Option<PositionFacts<'a>>,
}

impl<'a> FarmingView<'a> {
    fn of(row: &'a Row, LegAt { position, leg, name, token }: LegAt<'a>, shape: Shape) -> Self {
        let (found, raw) = (&position.found, leg.amount);
        let redeemed = leg.redeems_to.iter().flatten().find(|part| part.token == leg.token);
        let underlying = redeemed.map_or(raw, |part| part.amount);
        let rewards = found.rewards.iter().filter_map(|reward| position.tokens.get(&reward.token));
        Self {
            id: &row.id,
            network: NetworkView::of(&row.network, shape),
            protocol: ProtocolView::of(&row.protocol),
            // The price is that of the staked token, in which the underlying amount is counted.
            dollar_value: dollars(underlying, token),
            in_currency: shape.amount_in_currency(underlying, token),
            name,
            contract_address: lower(found.contract),
            vault_type: &found.mechanism,
            apr: rate::apr(position, leg).as_ref().map_or_else(|| Number("0".into()), fraction),
            staked_token: TokenView::of(token, shape),
            amount: amount(raw, token),
            amount_raw: raw_text(raw, shape),
            underlying_amount: amount(underlying, token),
            underlying_amount_raw: raw_text(underlying, shape),
            reward_tokens: rewards.map(|token| TokenView::of(token, shape)).collect(),
            extra: RowExtra::of(row, token, shape),
            position: shape.full.then(|| PositionFacts::of(position, Some(leg), shape)),
        }
    }
}

/// A loan to a protocol, or with `detail=full` a debt.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LendingRow")]
pub(super) struct LendingView<'a> {
    /// Id of the row, the same in every answer.
    id: &'a str,
    /// The network of the loan.
    network: NetworkView<'a>,
    /// The protocol of the loan.
    protocol: ProtocolView<'a>,
    /// Value in dollars; 0 if the price is not known.
    dollar_value: Number,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    /// Fraction per year; 0 if it is not known.
    rate: Number,
    /// For people.
    name: &'a Text,
    /// In whole units of the token.
    amount: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
    /// What is lent.
    token: TokenView<'a>,
    #[serde(flatten)]
    side: Option<Side>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
    /// With `detail=full`: members of the position that this row has no place for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PositionFacts<'a>")]
    position: Option<PositionFacts<'a>>,
}

/// Members of lending rows with `detail=full`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LoanSideExtra")]
struct Side {
    /// What the row is to the loan (`detail=full`).
    #[schemars(with = "Word<LoanSide>")]
    side: &'static str,
    /// Health factor of the whole loan: below 1 it can be liquidated; null if there is no debt (`detail=full`).
    health_factor: Option<Number>,
}

pub(super) fn side(role: LegRole) -> &'static str {
    if role == LegRole::BORROWED { "borrow" } else { "supply" }
}

impl<'a> LendingView<'a> {
    fn of(row: &'a Row, LegAt { position, leg, name, token }: LegAt<'a>, shape: Shape) -> Self {
        let raw = leg.amount;
        let factor = position.found.health.and_then(|health| health.factor_wad);
        let side = || Side { side: side(leg.role), health_factor: factor.map(|wad| fraction(&rate::wad(wad))) };
        Self {
            id: &row.id,
            network: NetworkView::of(&row.network, shape),
            protocol: ProtocolView::of(&row.protocol),
            dollar_value: dollars(raw, token),
            in_currency: shape.amount_in_currency(raw, token),
            rate: leg.rate_ray.map_or_else(|| Number("0".into()), |ray| fraction(&rate::ray(ray))),
            name,
            amount: amount(raw, token),
            amount_raw: raw_text(raw, shape),
            token: TokenView::of(token, shape),
            side: shape.full.then(side),
            extra: RowExtra::of(row, token, shape),
            position: shape.full.then(|| PositionFacts::of(position, Some(leg), shape)),
        }
    }
}

/// An amount of a token that an account holds.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Balance")]
pub(super) struct BalanceView<'a> {
    /// In whole units of the token.
    amount: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
    /// The network of the token.
    network: NetworkView<'a>,
    /// What is held.
    token: TokenView<'a>,
    /// Value in dollars; 0 if the price is not known.
    dollar_value: Number,
    /// Dollars for one whole unit; 0 if it is not known.
    price: Number,
    /// The values in dollars, in the currency of `?currency=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InCurrency")]
    in_currency: Option<InCurrency>,
    #[serde(flatten)]
    extra: Option<RowExtra<'a>>,
}

impl<'a> BalanceView<'a> {
    pub(super) fn of(balance: &'a Balance, shape: Shape) -> Self {
        let Balance { account, token, amount: raw } = balance;
        let usd = token.price.as_ref().map(|price| &price.usd);
        Self {
            amount: amount(*raw, token),
            amount_raw: raw_text(*raw, shape),
            network: NetworkView::of(&token.network, shape),
            token: TokenView::with_supply(token, shape),
            dollar_value: dollars(*raw, token),
            price: usd.map_or_else(|| Number("0".into()), fraction),
            in_currency: shape.amount_in_currency(*raw, token).map(|value| value.with_price(usd, shape)),
            extra: shape.full.then(|| RowExtra::without_plugin(*account, &token.network, token)),
        }
    }
}

impl WordSet for PaidTo {
    const NAME: &str = "PaidTo";
    const ABOUT: &str = "Who receives a payment.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::ACCOUNT, Self::LOCK, Self::VAULT].map(paid_to))
    }
}

impl WordSet for TargetSource {
    const NAME: &str = "TargetSource";
    const ABOUT: &str = "Where a contract's address comes from: `listed` by the plugin, the operator's `settings`, or a \
                         `factory`.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([&Self::Listed, &Self::Settings, &Self::View("".into())].map(|source| target(source).0))
    }
}

/// The side of a loan.
pub(super) struct LoanSide;

impl WordSet for LoanSide {
    const NAME: &str = "LoanSide";
    const ABOUT: &str = "What a row is to a loan.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([LegRole::SUPPLIED, LegRole::BORROWED].map(side))
    }
}
