//! Answers: typed rows, the blocks that they are true at, and what is missing.
//!
//! Invariant: amounts are integers here; `http::view` alone turns them into text.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::Sign;
use portolan_abi::map::{self, LegRole};
use portolan_events::Transaction;
use portolan_validation::ClaimTransaction;

use crate::assets::resolve::Tokens;
use crate::assets::token::Token;
use crate::budget::AnswerBudget;
use crate::events::merge::MergedEvent;
use crate::events::movements::Movement;
use crate::gateway::cost::ClaimCost;
use crate::gateway::paid::{self, DollarSum};
use crate::gateway::provenance::Provenance;
use crate::gateway::verdict::{ClaimSimulation, Verdict};
use crate::jobs::failure::Reason;
use crate::jobs::report::JobReport;
use crate::names::{ResolvedBy, ResolvedName};
use crate::network::{Network, Networks};
use crate::registry::protocol::Protocol;
use crate::sanitize::text::Text;
use portolan_reader::{Block, GasPaid};
use tokio::sync::OwnedSemaphorePermit;

/// An answer; `items` are what was found, `missing` what could not be read.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) items: Items,
    /// One for each network that was read, in the order of networks. Empty for `/networks` and `/protocols`.
    pub(crate) blocks: Vec<(Arc<Network>, Block)>,
    /// In the order of networks, then of subjects.
    pub(crate) missing: Vec<Missing>,
    pub(crate) jobs: Vec<JobReport>,
    /// Whether it is about an account or a transaction (then it carries `portolan-blocks`).
    pub(crate) about_account: bool,
    pub(crate) budget: Arc<AnswerBudget>,
}

/// The rows of an answer, in the order of the body.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    Networks(Vec<Arc<Network>>),
    Protocols(Vec<Arc<Protocol>>),
    /// The findings of jobs; `aggregate` is the call to all protocols.
    Rows {
        rows: Vec<Row>,
        aggregate: bool,
        /// Whether the client asked for simulations.
        with_simulations: bool,
    },
    Portfolio(Portfolio),
    ClaimPlan(Box<ClaimPlan>),
    /// The native balance on one network.
    NativeBalance(Balance),
    Balances(Vec<Balance>),
    Name(NameRecord),
    Events(TransactionEvents),
}

impl Items {
    /// The number of rows; logs are rows of full detail.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Networks(networks) => networks.len(),
            Self::Protocols(protocols) => protocols.len(),
            Self::Rows { rows, .. } => rows.len(),
            Self::Portfolio(Portfolio { positions, .. }) => positions.len(),
            Self::NativeBalance(_) | Self::Name(_) => 1,
            Self::ClaimPlan(plan) => plan.calls.len() + plan.left_out.len(),
            Self::Balances(balances) => balances.len(),
            Self::Events(events) => events.events.len() + events.transaction.logs.len(),
        }
    }
}

/// The events of a transaction.
#[derive(Clone, Debug)]
pub(crate) struct TransactionEvents {
    pub(crate) transaction: Arc<Transaction>,
    /// The native value first, then in the order of the logs.
    pub(crate) events: Vec<Event>,
    /// Places of the logs without an event, in order.
    pub(crate) undecoded: Vec<usize>,
    /// The tokens that the events name.
    pub(crate) tokens: Arc<Tokens>,
    /// Networks that the events may name.
    pub(crate) networks: Networks,
    /// What it did for one account, where that is wanted.
    pub(crate) account: Option<Box<AccountPart>>,
    /// The part of the room for logs that is held until the answer is written.
    pub(crate) _room: Option<Arc<OwnedSemaphorePermit>>,
}

/// What a transaction did for one account.
#[derive(Clone, Debug)]
pub(crate) struct AccountPart {
    pub(crate) account: Address,
    /// A sentence.
    pub(crate) summary: Text,
    pub(crate) incoming: Vec<AccountMovement>,
    pub(crate) outgoing: Vec<AccountMovement>,
    /// Movements beyond the bound.
    pub(crate) omitted: usize,
    /// `None` where another sent it, or the node does not say what it cost.
    pub(crate) gas: Option<GasPaid>,
    /// The native token with its price, where it is known.
    pub(crate) native: Option<Arc<Token>>,
    /// Why there may be more movements than these.
    pub(crate) incomplete: Option<Text>,
}

/// What moved of one asset.
#[derive(Clone, Debug)]
pub(crate) struct AccountMovement {
    pub(crate) movement: Movement,
    /// `None` where it could not be read.
    pub(crate) token: Option<Arc<Token>>,
}

/// An event with the protocol that its contract is known to belong to.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) merged: MergedEvent,
    pub(crate) protocol: Option<Arc<Protocol>>,
}

/// A name and its address, whichever was looked up.
#[derive(Clone, Debug)]
pub(crate) struct NameRecord {
    pub(crate) resolved: ResolvedName,
    pub(crate) resolved_by: ResolvedBy,
    /// Whether a gateway had a part in it.
    pub(crate) via_gateway: bool,
}

/// Something that is missing from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// A protocol's slug, a plugin's name where it is about events, `tokens`, `native`, `events`, `names`, or `*` for all
    /// of a network.
    pub(crate) subject: String,
    /// `None` for all networks.
    pub(crate) network: Option<Arc<Network>>,
    pub(crate) reason: Reason,
    /// The number of tokens, where it is about tokens.
    pub(crate) count: Option<usize>,
}

/// A row about a finding of a job, with the tokens and the protocol that it only names.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Stable between calls.
    pub(crate) id: String,
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) network: Arc<Network>,
    pub(crate) account: Address,
    /// `name@version`.
    pub(crate) plugin: Arc<str>,
    /// Where the amounts of its finding come from, for those who ask.
    pub(crate) provenance: Option<Arc<Provenance>>,
    pub(crate) item: RowItem,
}

/// What a row shows.
#[derive(Clone, Debug)]
pub(crate) enum RowItem {
    /// One of the payments of a claim, by its place.
    Payment {
        claim: Arc<ClaimItem>,
        place: usize,
    },
    /// One of the legs of a position, by its place.
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

    /// Its claim, where it is the row that stands for it where claims are counted.
    pub(crate) fn counted_claim(&self) -> Option<&ClaimItem> {
        match &self.item {
            RowItem::Payment { claim, place } => (claim.first_shown() == Some(*place)).then_some(&**claim),
            RowItem::Leg { .. } | RowItem::Position(_) => None,
        }
    }

    /// What the simulation of its claim says, where it is a payment.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        match &self.item {
            RowItem::Payment { claim, .. } => claim.simulation.as_ref()?.verdict,
            RowItem::Leg { .. } | RowItem::Position(_) => None,
        }
    }

    /// Whether it is about what the account owes.
    pub(crate) fn is_debt(&self) -> bool {
        match &self.item {
            RowItem::Leg { position, place } => {
                position.found.legs.get(*place).is_some_and(|leg| leg.role == LegRole::BORROWED)
            }
            RowItem::Payment { .. } | RowItem::Position(_) => false,
        }
    }
}

/// A claim, with symbols in the place of addresses.
#[derive(Clone, Debug)]
pub(crate) struct ClaimItem {
    /// Stable between calls.
    pub(crate) id: String,
    /// The names of the payments, in their order.
    pub(crate) names: Vec<Text>,
    pub(crate) found: map::Claimable,
    /// In order; the last one pays.
    pub(crate) transactions: Vec<ClaimTransaction>,
    /// `None` where it was not simulated.
    pub(crate) simulation: Option<ClaimSimulation>,
    /// `None` where it is not known.
    pub(crate) cost: Option<ClaimCost>,
    /// The native token, where it is known.
    pub(crate) native: Option<Arc<Token>>,
    /// What is left of each payment, in dollars; `None` where its price or the cost is not known.
    pub(crate) net_usd: Option<Vec<BigDecimal>>,
    /// Those of the payments that are known.
    pub(crate) tokens: BTreeMap<Address, Arc<Token>>,
}

impl ClaimItem {
    /// What it pays is worth this; payments of tokens that are not known are told as missing.
    pub(crate) fn dollar_sum(&self) -> DollarSum {
        let payments = self.found.payments.iter().zip(self.amounts());
        let known = payments.filter_map(|(payment, raw)| Some((Some(&**self.tokens.get(&payment.token)?), raw)));
        DollarSum::of(known.chain(self.beside()))
    }

    /// The gas limits of its transactions together, as far as they are known.
    pub(crate) fn gas_limit(&self) -> u64 {
        let limits = self.simulation.iter().flat_map(|simulation| simulation.gas_limits.iter().flatten());
        limits.map(|limit| u64::from(*limit)).sum()
    }

    /// What it pays in dollars, as far as that has a price.
    pub(crate) fn dollars(&self) -> BigDecimal {
        self.dollar_sum().usd
    }

    /// Whether a trial says what it pays. Where none does, its contracts' word counts.
    pub(crate) fn is_tried(&self) -> bool {
        self.simulation.as_ref().is_some_and(|simulation| simulation.verdict.is_some())
    }

    /// The place of the payment whose row stands for the whole claim where claims are counted.
    pub(crate) fn first_shown(&self) -> Option<usize> {
        self.found.payments.iter().position(|payment| self.tokens.contains_key(&payment.token))
    }

    /// Whether it pays anything, and brings more than it costs or that is not known.
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

/// A position, with symbols in the place of addresses.
#[derive(Clone, Debug)]
pub(crate) struct PositionItem {
    /// Stable between calls.
    pub(crate) id: String,
    pub(crate) name: Text,
    /// The names of the legs, in their order.
    pub(crate) leg_names: Vec<Text>,
    pub(crate) found: map::Position,
    /// Those of legs, parts, rewards and prices that are known.
    pub(crate) tokens: BTreeMap<Address, Arc<Token>>,
}

/// What an account holds in all protocols.
#[derive(Clone, Debug)]
pub(crate) struct Portfolio {
    /// Positions.
    pub(crate) positions: Vec<Row>,
    /// Payments of claims; `None` where the query leaves them out.
    pub(crate) payments: Option<Vec<Row>>,
}

/// How many claims a sum counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClaimCount {
    /// By what their trials paid.
    pub(crate) tried: usize,
    /// By their contracts' word.
    pub(crate) untried: usize,
}

impl Portfolio {
    /// `None` where the query leaves claims out.
    pub(crate) fn claims(&self) -> Option<ClaimCount> {
        let counted = self.payments.as_ref()?.iter().filter_map(Row::counted_claim);
        let (tried, untried): (Vec<_>, Vec<_>) = counted.partition(|claim| claim.is_tried());
        Some(ClaimCount { tried: tried.len(), untried: untried.len() })
    }
}

/// How an account claims all that it can on one network.
#[derive(Clone, Debug)]
pub(crate) struct ClaimPlan {
    pub(crate) network: Arc<Network>,
    pub(crate) account: Address,
    /// In the order in which they are made.
    pub(crate) calls: Vec<PlannedCall>,
    /// All of them as one; `None` where there is none.
    pub(crate) whole: Option<ClaimItem>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// A transaction of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) transaction: ClaimTransaction,
    /// Its gas limit, where it is known.
    pub(crate) gas: Option<u32>,
    /// Those that it claims; several where they are merged into one call.
    pub(crate) claims: Vec<Arc<ClaimItem>>,
}

/// A claim that is no part of a plan.
#[derive(Clone, Debug)]
pub(crate) struct LeftOut {
    pub(crate) claim: Arc<ClaimItem>,
    /// A sentence.
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
