//! Answers: typed rows, the blocks they were read at, and what is missing.
//!
//! Invariant: amounts are integers here; only `http::view` formats them as text.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::Sign;
use portolan_abi::Question;
use portolan_abi::map::{self, LegRole};
use portolan_assets::names::{Name, ResolvedBy, ResolvedName};
use portolan_assets::price::{Currency, Price};
use portolan_assets::resolve::Tokens;
use portolan_assets::token::Token;
use portolan_base::network::{Network, Networks};
use portolan_base::sanitize::text::Text;
use portolan_events::Transaction;
use portolan_plugins::protocol::Protocol;
use portolan_validation::ClaimTransaction;

use crate::budget::AnswerBudget;
use crate::clear_signing::ClaimDescriptor;
use crate::events::merge::MergedEvent;
use crate::events::movements::Movement;
use crate::gateway::claims::cost::ClaimCost;
use crate::gateway::claims::paid::{self, DollarSum};
use crate::gateway::claims::verdict::{ClaimSimulation, Verdict};
use crate::gateway::provenance::Provenance;
use crate::jobs::failure::Reason;
use crate::jobs::report::JobReport;
use portolan_reader::{Block, GasPaid};
use tokio::sync::OwnedSemaphorePermit;

/// An answer: `items` are the results, `missing` is what could not be read.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) items: Items,
    /// One entry for each network that was read, in the order of networks. Empty for answers that read no chain.
    pub(crate) blocks: Vec<(Arc<Network>, Block)>,
    /// Ordered by network, then by subject.
    pub(crate) missing: Vec<MissingEntry>,
    pub(crate) jobs: Vec<JobReport>,
    /// True if the answer is about an account or a transaction, and so carries the `portolan-blocks` header.
    pub(crate) about_account: bool,
    pub(crate) budget: Arc<AnswerBudget>,
    /// The currency of values beside dollars, if the client wants one.
    pub(crate) currency: Option<AnswerCurrency>,
}

impl Answer {
    /// Adds the currency, and what is missing if it has no rate.
    pub(crate) fn with_currency(mut self, currency: Option<(AnswerCurrency, Option<MissingEntry>)>) -> Self {
        let (currency, missing) = currency.unzip();
        self.missing.extend(missing.flatten());
        Self { currency, ..self }
    }
}

/// A currency and its rate.
#[derive(Clone, Debug)]
pub(crate) struct AnswerCurrency {
    pub(crate) currency: Currency,
    /// The network that the rate was read on, if it was.
    pub(crate) network: Option<Arc<Network>>,
    /// Price of one unit, above zero; `None` if it could not be read.
    pub(crate) rate: Option<Price>,
}

impl AnswerCurrency {
    /// Converts dollars; `None` without a rate.
    pub(crate) fn of_dollars(&self, usd: &BigDecimal) -> Option<BigDecimal> {
        Some(usd / &self.rate.as_ref()?.usd)
    }
}

/// The rows of an answer, in the order of the body.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    Networks(Vec<Arc<Network>>),
    Protocols(Vec<Arc<Protocol>>),
    Coverage(Coverage),
    ClearSigning(Vec<ClaimDescriptor>),
    /// Findings of jobs; `aggregate` is true for a query to all protocols.
    Rows {
        rows: Vec<Row>,
        aggregate: bool,
        /// True if the client requested simulations.
        with_simulations: bool,
    },
    Portfolio(Portfolio),
    /// Rows or portfolios of several accounts, in the order of the request.
    Accounts(Vec<AccountAnswer>),
    ClaimPlan(Box<ClaimPlan>),
    /// The native balance on one network.
    NativeBalance(Balance),
    Balances(Vec<Balance>),
    Approvals(Vec<Allowance>),
    Name(NameRecord),
    Events(TransactionEvents),
}

impl Items {
    /// Number of rows. The logs of a transaction count too, because `detail=full` shows them.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Networks(networks) => networks.len(),
            Self::Protocols(protocols) => protocols.len(),
            Self::Coverage(coverage) => coverage.rows.len(),
            Self::ClearSigning(descriptors) => descriptors.iter().map(ClaimDescriptor::len).sum(),
            Self::Rows { rows, .. } => rows.len(),
            Self::Portfolio(Portfolio { positions, .. }) => positions.len(),
            Self::Accounts(answers) => answers.iter().map(AccountAnswer::len).sum(),
            Self::NativeBalance(_) | Self::Name(_) => 1,
            Self::ClaimPlan(plan) => plan.calls.len() + plan.left_out.len(),
            Self::Balances(balances) => balances.len(),
            Self::Approvals(approvals) => approvals.len(),
            Self::Events(events) => events.events.len() + events.transaction.logs.len(),
        }
    }
}

/// The part of an answer that is about one of several accounts.
#[derive(Clone, Debug)]
pub(crate) struct AccountAnswer {
    /// `None` if its name was not resolved.
    pub(crate) account: Option<Address>,
    /// The names by which it was requested.
    pub(crate) names: Vec<Name>,
    /// What an answer about the account alone would have; `None` if that would be a problem.
    pub(crate) items: Option<Items>,
    pub(crate) missing: Vec<MissingEntry>,
}

impl AccountAnswer {
    /// Number of rows, and one for the account.
    fn len(&self) -> usize {
        1 + self.items.as_ref().map_or(0, Items::len)
    }
}

/// What the gateway answers, and how much of the value that protocols hold this is.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    pub(crate) rows: Vec<CoverageRow>,
    pub(crate) value_held: Vec<NetworkValue>,
}

/// What the largest protocols hold on a network.
#[derive(Clone, Debug)]
pub(crate) struct NetworkValue {
    pub(crate) network: Arc<Network>,
    /// The largest first.
    pub(crate) protocols: Vec<HeldValue>,
}

impl NetworkValue {
    /// Sums up the dollars of the protocols for which the condition holds.
    pub(crate) fn dollars(&self, counts: impl Fn(&HeldValue) -> bool) -> u64 {
        self.protocols.iter().filter(|value| counts(value)).map(|value| value.dollars).sum()
    }
}

/// What a protocol holds on a network.
#[derive(Clone, Debug)]
pub(crate) struct HeldValue {
    /// Its name in the list.
    pub(crate) name: &'static str,
    /// Its slug in the list.
    pub(crate) listed: &'static str,
    /// Its slug here, if something is answered about accounts there.
    pub(crate) slug: Option<&'static str>,
    pub(crate) dollars: u64,
    pub(crate) reach: Reach,
    /// What is answered about accounts by the deployments that hold the value.
    pub(crate) questions: Vec<Question>,
    /// Why nothing is answered.
    pub(crate) reason: Option<&'static str>,
}

/// How much of a protocol's value is answered about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// All of it.
    Whole,
    /// A part that the list does not tell apart.
    Part,
    /// None of it.
    Nothing,
}

/// A question that a protocol answers on a network.
#[derive(Clone, Debug)]
pub(crate) struct CoverageRow {
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) network: Arc<Network>,
    pub(crate) question: Question,
    /// The plugin, `name@version`.
    pub(crate) plugin: Arc<str>,
    /// Number of deployments that answer it.
    pub(crate) markets: usize,
}

/// The events of a transaction.
#[derive(Clone, Debug)]
pub(crate) struct TransactionEvents {
    pub(crate) transaction: Arc<Transaction>,
    /// The native value first, then in log order.
    pub(crate) events: Vec<Event>,
    /// Positions of the logs without an event, in log order.
    pub(crate) undecoded: Vec<usize>,
    /// Tokens that the events name.
    pub(crate) tokens: Arc<Tokens>,
    /// Networks that the events may name.
    pub(crate) networks: Networks,
    /// Effects on one account, if the query names one.
    pub(crate) account: Option<Box<AccountEffects>>,
    /// Memory reserved for the logs until the answer is written.
    pub(crate) _log_permit: Option<Arc<OwnedSemaphorePermit>>,
}

/// Effects of a transaction on one account.
#[derive(Clone, Debug)]
pub(crate) struct AccountEffects {
    pub(crate) account: Address,
    /// One sentence.
    pub(crate) summary: Text,
    pub(crate) incoming: Vec<AccountMovement>,
    pub(crate) outgoing: Vec<AccountMovement>,
    /// Number of movements beyond the limit.
    pub(crate) omitted: usize,
    /// `None` if another account sent the transaction, or if the node does not report the gas.
    pub(crate) gas: Option<GasPaid>,
    /// The native token with its price, if known.
    pub(crate) native: Option<Arc<Token>>,
    /// Reason why the list of movements may be incomplete.
    pub(crate) incomplete: Option<Text>,
}

/// Net movement of one asset.
#[derive(Clone, Debug)]
pub(crate) struct AccountMovement {
    pub(crate) movement: Movement,
    /// `None` if the token could not be read.
    pub(crate) token: Option<Arc<Token>>,
}

/// An event with the protocol that its contract belongs to, if known.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) merged: MergedEvent,
    pub(crate) protocol: Option<Arc<Protocol>>,
}

/// A name and its address, for lookups in both directions.
#[derive(Clone, Debug)]
pub(crate) struct NameRecord {
    pub(crate) resolved: ResolvedName,
    pub(crate) resolved_by: ResolvedBy,
    /// True if a CCIP-Read gateway took part in the lookup.
    pub(crate) via_gateway: bool,
}

/// One entry of what is missing from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingEntry {
    /// A protocol's slug, a plugin's name for events, `tokens`, `native`, `events`, `names`, or `*` for the network.
    pub(crate) subject: String,
    /// `None` for all networks.
    pub(crate) network: Option<Arc<Network>>,
    pub(crate) reason: Reason,
    /// Number of missing tokens, if the entry is about tokens.
    pub(crate) count: Option<usize>,
}

/// A row about a finding of a job, with the metadata of the tokens and the protocol it names.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Stable across requests.
    pub(crate) id: String,
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) network: Arc<Network>,
    pub(crate) account: Address,
    /// `name@version`.
    pub(crate) plugin: Arc<str>,
    /// Sources of the amounts, if the client requested them.
    pub(crate) provenance: Option<Arc<Provenance>>,
    pub(crate) item: RowItem,
}

/// Content of a row.
#[derive(Clone, Debug)]
pub(crate) enum RowItem {
    /// One payment of a claim, by its index.
    Payment {
        claim: Arc<ClaimItem>,
        place: usize,
    },
    /// One leg of a position, by its index.
    Leg {
        position: Arc<PositionItem>,
        place: usize,
    },
    Position(Arc<PositionItem>),
}

impl Row {
    /// False for a payment whose claim pays nothing, or costs more than it pays.
    pub(crate) fn is_profitable(&self) -> bool {
        match &self.item {
            RowItem::Payment { claim, .. } => claim.is_profitable(),
            RowItem::Leg { .. } | RowItem::Position(_) => true,
        }
    }

    /// Returns the claim if this row represents it when claims are counted.
    pub(crate) fn counted_claim(&self) -> Option<&ClaimItem> {
        match &self.item {
            RowItem::Payment { claim, place } => (claim.first_shown() == Some(*place)).then_some(&**claim),
            RowItem::Leg { .. } | RowItem::Position(_) => None,
        }
    }

    /// Returns the verdict of the claim's simulation, if the row is a payment.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        match &self.item {
            RowItem::Payment { claim, .. } => claim.simulation.as_ref()?.verdict,
            RowItem::Leg { .. } | RowItem::Position(_) => None,
        }
    }

    /// Returns true if the row is a debt of the account.
    pub(crate) fn is_debt(&self) -> bool {
        match &self.item {
            RowItem::Leg { position, place } => {
                position.found.legs.get(*place).is_some_and(|leg| leg.role == LegRole::BORROWED)
            }
            RowItem::Payment { .. } | RowItem::Position(_) => false,
        }
    }
}

/// A claim with token symbols instead of addresses.
#[derive(Clone, Debug)]
pub(crate) struct ClaimItem {
    /// Stable across requests.
    pub(crate) id: String,
    /// Names of the payments, in order.
    pub(crate) names: Vec<Text>,
    pub(crate) found: map::Claimable,
    /// In order; the last one pays.
    pub(crate) transactions: Vec<ClaimTransaction>,
    /// `None` if it was not simulated.
    pub(crate) simulation: Option<ClaimSimulation>,
    /// `None` if unknown.
    pub(crate) cost: Option<ClaimCost>,
    /// The native token, if known.
    pub(crate) native: Option<Arc<Token>>,
    /// Net value of each payment in dollars; `None` if a price or the cost is unknown.
    pub(crate) net_usd: Option<Vec<BigDecimal>>,
    /// Tokens of the payments, if known.
    pub(crate) tokens: BTreeMap<Address, Arc<Token>>,
}

impl ClaimItem {
    /// Returns the value of what the claim pays. Unknown tokens are not counted; they are reported as missing.
    pub(crate) fn dollar_sum(&self) -> DollarSum {
        let payments = self.found.payments.iter().zip(self.amounts());
        let known = payments.filter_map(|(payment, raw)| Some((Some(&**self.tokens.get(&payment.token)?), raw)));
        DollarSum::of(known.chain(self.beside()))
    }

    /// Returns the sum of the gas limits that are known.
    pub(crate) fn gas_limit(&self) -> u64 {
        let limits = self.simulation.iter().flat_map(|simulation| simulation.gas_limits.iter().flatten());
        limits.map(|limit| u64::from(*limit)).sum()
    }

    /// Returns the value in dollars of the payments that have a price.
    pub(crate) fn dollars(&self) -> BigDecimal {
        self.dollar_sum().usd
    }

    /// Returns true if a simulation has a verdict. Otherwise the amounts that the contracts report count.
    pub(crate) fn is_tried(&self) -> bool {
        self.simulation.as_ref().is_some_and(|simulation| simulation.verdict.is_some())
    }

    /// Index of the payment whose row represents the claim when claims are counted.
    pub(crate) fn first_shown(&self) -> Option<usize> {
        self.found.payments.iter().position(|payment| self.tokens.contains_key(&payment.token))
    }

    /// Returns true if the claim pays anything, and its cost is unknown or at most what it pays.
    pub(crate) fn is_profitable(&self) -> bool {
        let is_nothing = self.beside().next().is_none() && self.amounts().iter().all(U256::is_zero);
        let beside = DollarSum::of(self.beside());
        let left = self.net_usd.as_ref().filter(|_| beside.unpriced == 0);
        let left: Option<BigDecimal> = left.map(|net| net.iter().sum::<BigDecimal>() + beside.usd);
        !is_nothing && left.is_none_or(|left| left.sign() != Sign::Minus)
    }

    fn amounts(&self) -> Vec<U256> {
        paid::amounts(&self.found, self.simulation.as_ref())
    }

    fn beside(&self) -> impl Iterator<Item = (Option<&Token>, U256)> {
        let beside = paid::beside(&self.found, self.simulation.as_ref());
        beside.into_iter().map(|(token, raw)| (paid::known(token, self.native.as_deref()), raw))
    }
}

/// A position with token symbols instead of addresses.
#[derive(Clone, Debug)]
pub(crate) struct PositionItem {
    /// Stable across requests.
    pub(crate) id: String,
    pub(crate) name: Text,
    /// Names of the legs, in order.
    pub(crate) leg_names: Vec<Text>,
    pub(crate) found: map::Position,
    /// Tokens of legs, parts, rewards and prices, if known.
    pub(crate) tokens: BTreeMap<Address, Arc<Token>>,
}

/// Holdings of an account in all protocols.
#[derive(Clone, Debug)]
pub(crate) struct Portfolio {
    pub(crate) positions: Vec<Row>,
    /// Payments of claims; `None` if the query excludes claims.
    pub(crate) payments: Option<Vec<Row>>,
}

/// Number of claims in a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClaimCount {
    /// Claims counted by what their simulation paid.
    pub(crate) tried: usize,
    /// Claims counted by what their contracts report.
    pub(crate) untried: usize,
}

impl Portfolio {
    /// Positions, then payments of claims.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.positions.iter().chain(self.payments.iter().flatten())
    }

    /// Counts the claims; `None` if the query excludes claims.
    pub(crate) fn claims(&self) -> Option<ClaimCount> {
        let counted = self.payments.as_ref()?.iter().filter_map(Row::counted_claim);
        let (tried, untried): (Vec<_>, Vec<_>) = counted.partition(|claim| claim.is_tried());
        Some(ClaimCount { tried: tried.len(), untried: untried.len() })
    }
}

/// Plan for claiming everything an account can claim on one network.
#[derive(Clone, Debug)]
pub(crate) struct ClaimPlan {
    pub(crate) network: Arc<Network>,
    pub(crate) account: Address,
    /// In order of execution.
    pub(crate) calls: Vec<PlannedCall>,
    /// The calls combined into one claim; `None` if there are no calls.
    pub(crate) whole: Option<ClaimItem>,
    pub(crate) left_out: Vec<LeftOutClaim>,
}

/// A transaction of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) transaction: ClaimTransaction,
    /// Gas limit, if known.
    pub(crate) gas: Option<u32>,
    /// The claims that this call makes; several if they are merged into one call.
    pub(crate) claims: Vec<Arc<ClaimItem>>,
}

/// A claim that is not part of the plan.
#[derive(Clone, Debug)]
pub(crate) struct LeftOutClaim {
    pub(crate) claim: Arc<ClaimItem>,
    /// One sentence.
    pub(crate) reason: Text,
}

/// The balance of a token.
#[derive(Clone, Debug)]
pub(crate) struct Balance {
    pub(crate) account: Address,
    pub(crate) token: Arc<Token>,
    /// Smallest units.
    pub(crate) amount: U256,
}

/// An amount that another may take from the account.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    pub(crate) account: Address,
    pub(crate) token: Arc<Token>,
    pub(crate) spender: Spender,
    /// What may be taken, in smallest units; more than zero.
    pub(crate) amount: U256,
    /// Smallest units that the account has.
    pub(crate) balance: U256,
    /// The transaction that sets the allowance to zero.
    pub(crate) revocation: ClaimTransaction,
}

impl Allowance {
    /// Returns what the spender could take now, in smallest units.
    pub(crate) fn at_risk(&self) -> U256 {
        self.amount.min(self.balance)
    }

    /// Returns true if the amount is above half of the largest number, or above all that there is of the token.
    /// Tokens that count in fewer bits have a smaller largest number, which is above their supply.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.amount.bit(255) || (!self.token.total_supply.is_zero() && self.amount > self.token.total_supply)
    }
}

/// Who may take it.
#[derive(Clone, Debug)]
pub(crate) struct Spender {
    pub(crate) address: Address,
    /// Name of a contract that is the same on every network.
    pub(crate) name: Option<&'static str>,
    /// The protocol that has the contract in a deployment.
    pub(crate) protocol: Option<Arc<Protocol>>,
}
