//! Answers: typed rows, the blocks that they are true at, and what is missing.
//!
//! Invariant: amounts are integers here; `http::view` alone turns them into text.

use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};
use portolan_events::{Kind, Transaction};

use crate::assets::token::Token;
use crate::jobs::failure::Reason;
use crate::jobs::report::JobReport;
use crate::jobs::validate::ValidFinding;
use crate::names::Resolved;
use crate::network::Network;
use crate::registry::protocol::Protocol;
use portolan_reader::Block;

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
}

/// The rows of an answer, in the order of the body.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    Networks(Vec<Arc<Network>>),
    Protocols(Vec<Arc<Protocol>>),
    /// What jobs found; `aggregate` is the call to all protocols.
    Rows {
        rows: Vec<Row>,
        aggregate: bool,
    },
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
    pub(crate) events: Vec<Event>,
    /// Places of the logs without an event, in order.
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
    /// `name@version`; `None` where it is from the host.
    pub(crate) plugin: Option<Arc<str>>,
    /// Each name once; what is not known is absent.
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

/// A name and its address, whichever was looked up.
#[derive(Clone, Debug)]
pub(crate) struct NameRecord {
    pub(crate) resolved: Resolved,
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
    /// Of tokens.
    pub(crate) count: Option<usize>,
}

/// What a job found, with what the finding only names.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Stable between calls.
    pub(crate) id: String,
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) network: Arc<Network>,
    /// The finding's, with symbols in the place of addresses.
    pub(crate) name: String,
    pub(crate) account: Address,
    /// `name@version`.
    pub(crate) plugin: Arc<str>,
    pub(crate) finding: ValidFinding,
    /// The token that the finding is about.
    pub(crate) token: Arc<Token>,
    /// In the order of the finding's rewards.
    pub(crate) reward_tokens: Vec<Arc<Token>>,
}

/// What an account holds of a token.
#[derive(Clone, Debug)]
pub(crate) struct Balance {
    pub(crate) account: Address,
    pub(crate) token: Arc<Token>,
    /// Smallest units.
    pub(crate) amount: U256,
}
