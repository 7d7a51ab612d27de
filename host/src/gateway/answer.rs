//! What the gateway answers: typed rows, the blocks that they are true at, and what is missing.
//!
//! Invariant: amounts are integers here; `http::view` alone turns them into text.

use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};
use bigdecimal::BigDecimal;
use portolan_events::{Kind, Transaction};

use crate::assets::token::Token;
use crate::jobs::failure::Reason;
use crate::jobs::validate::ClaimTransaction;
use crate::names::Resolved;
use crate::network::Network;
use crate::registry::protocol::Protocol;
use portolan_reader::Block;

/// An answer; `items` hold what was found, `missing` what could not be told.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) items: Items,
    /// One for each network that was asked, in the order of networks. Empty for `/networks` and `/protocols`.
    pub(crate) blocks: Vec<(Arc<Network>, Block)>,
    /// In the order of networks, then of subjects.
    pub(crate) missing: Vec<Missing>,
    pub(crate) jobs: Vec<JobReport>,
    /// Asks accounts or transactions (then it carries `portolan-blocks`).
    pub(crate) about_account: bool,
}

/// The rows of an answer, in the order of the body.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    Networks(Vec<Arc<Network>>),
    Protocols(Vec<Arc<Protocol>>),
    /// Of the aggregate call.
    AllClaimables(Vec<Claimable>),
    /// Of one protocol.
    Claimables(Vec<Claimable>),
    Farming(Vec<FarmingPosition>),
    Lending(Vec<LendingPosition>),
    /// Of one network.
    NativeBalance(Balance),
    Balances(Vec<Balance>),
    Name(NameRecord),
    Events(Events),
}

/// What happened in a transaction.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    pub(crate) transaction: Arc<Transaction>,
    /// The native value first, then in the order of the logs.
    pub(crate) told: Vec<Event>,
    /// Places of the logs that nobody could tell, in order.
    pub(crate) undecoded: Vec<usize>,
}

/// A log in words, or the native value of the transaction.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// Place of its log in the transaction; `None` for the native value.
    pub(crate) log: Option<usize>,
    pub(crate) kind: Kind,
    /// That the emitting contract is known to belong to.
    pub(crate) protocol: Option<Arc<Protocol>>,
    /// `name@version`; `None` where the host told it.
    pub(crate) plugin: Option<Arc<str>>,
    /// Each name once; what cannot be told is absent.
    pub(crate) members: Vec<(&'static str, Member)>,
}

/// A member of an event's metadata.
#[derive(Clone, Debug)]
pub(crate) enum Member {
    Address(Address),
    Token(Arc<Token>),
    Amount(Amount),
    Assets(Vec<Amount>),
    /// An integer that is no amount.
    Number(U256),
    Word(B256),
    Flag(bool),
    Text(String),
    /// Unix seconds.
    Seconds(U256),
    Network(Remote),
}

/// An amount of a token, which may be unknown.
#[derive(Clone, Debug)]
pub(crate) struct Amount {
    pub(crate) token: Option<Arc<Token>>,
    /// Smallest units.
    pub(crate) raw: U256,
}

/// Another network.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub(crate) chain_id: u64,
    /// `None` for one that Portolan does not know.
    pub(crate) network: Option<Arc<Network>>,
}

/// A name and its address, whichever was asked for.
#[derive(Clone, Debug)]
pub(crate) struct NameRecord {
    pub(crate) resolved: Resolved,
    /// Whether a gateway had a part in it.
    pub(crate) via_gateway: bool,
}

/// Something that could not be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// A protocol's slug, a plugin's name where events are asked for, `tokens`, `native`, `events`, or `*` for all of a
    /// network.
    pub(crate) subject: String,
    /// `None` for all networks.
    pub(crate) network: Option<Arc<Network>>,
    pub(crate) reason: Reason,
    /// Of tokens.
    pub(crate) count: Option<usize>,
}

/// What one job did, or a look for balances on one network; for `detail=full`.
#[derive(Clone, Debug)]
pub(crate) struct JobReport {
    /// A slug, a plugin's name where events are asked for, `tokens`, `native` or `events`.
    pub(crate) protocol: String,
    pub(crate) network: Arc<Network>,
    pub(crate) status: JobStatus,
    pub(crate) reason: Option<Reason>,
    pub(crate) detail: String,
    pub(crate) duration_ms: u64,
    pub(crate) waves: u32,
    pub(crate) reads: u32,
    /// Tokens that could not be told, by reason; empty where it is not about a number of them.
    pub(crate) lost: Vec<(Reason, usize)>,
}

impl JobReport {
    /// Of a job that did nothing yet.
    pub(crate) fn blank(protocol: &str, network: &Arc<Network>) -> Self {
        Self {
            protocol: protocol.to_owned(),
            network: Arc::clone(network),
            status: JobStatus::Ok,
            reason: None,
            detail: String::new(),
            duration_ms: 0,
            waves: 0,
            reads: 0,
            lost: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobStatus {
    Ok,
    Partial,
    Failed,
}

impl JobStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Partial => "partial",
            Self::Failed => "failed",
        }
    }
}

/// What every row of an account answer carries.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Stable between calls.
    pub(crate) id: String,
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) network: Arc<Network>,
    /// Symbols filled in.
    pub(crate) name: String,
    pub(crate) account: Address,
    /// `name@version`.
    pub(crate) plugin: Arc<str>,
}

#[derive(Clone, Debug)]
pub(crate) struct Claimable {
    pub(crate) row: Row,
    /// The specification's `type`.
    pub(crate) kind: String,
    pub(crate) token: Arc<Token>,
    /// Smallest units.
    pub(crate) amount: U256,
    pub(crate) transaction: ClaimTransaction,
}

#[derive(Clone, Debug)]
pub(crate) struct FarmingPosition {
    pub(crate) row: Row,
    pub(crate) contract: Address,
    pub(crate) vault_type: String,
    /// A fraction a year; `None` where it cannot be told.
    pub(crate) apr: Option<BigDecimal>,
    pub(crate) staked_token: Arc<Token>,
    /// In units of the staked token's decimals.
    pub(crate) amount: U256,
    /// Smallest units of the staked token.
    pub(crate) underlying_amount: U256,
    pub(crate) reward_tokens: Vec<Arc<Token>>,
}

#[derive(Clone, Debug)]
pub(crate) struct LendingPosition {
    pub(crate) row: Row,
    /// A fraction a year.
    pub(crate) rate: BigDecimal,
    pub(crate) token: Arc<Token>,
    /// Smallest units.
    pub(crate) amount: U256,
    /// `supply` or `borrow`.
    pub(crate) side: &'static str,
    pub(crate) health_factor: Option<BigDecimal>,
}

/// What an account holds of a token.
#[derive(Clone, Debug)]
pub(crate) struct Balance {
    pub(crate) account: Address,
    pub(crate) token: Arc<Token>,
    /// Smallest units.
    pub(crate) amount: U256,
}
