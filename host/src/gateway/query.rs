//! A query: a validated request, after every input has been checked and before anything is looked up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use alloy::primitives::{Address, B256};
use portolan_abi::map::{LegRole, PositionKind};
use portolan_events::Kind;
use portolan_reader::BlockRef;

use crate::gateway::problem::Problem;
use crate::gateway::rows::RowKind;
use crate::jobs::plan::Question;
use crate::names::{CoinType, Name};
use crate::network::Network;

/// A query.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Query {
    /// The networks, in order.
    Networks,
    /// The protocols that are served now.
    Protocols,
    /// The address that a name leads to.
    Address(Name, Lookup),
    /// The events of a transaction.
    Events(EventsQuery),
    Of(Account, About),
}

/// The transaction whose events are queried.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EventsQuery {
    pub(crate) chain_id: u64,
    pub(crate) hash: B256,
    /// Types that are shown; all of them where none is named.
    pub(crate) types: BTreeSet<Kind>,
    /// Logs that the client takes; a transaction with more is a problem, never cut.
    pub(crate) logs_max: usize,
    /// Whose part of the transaction is wanted besides.
    pub(crate) account: Option<Account>,
}

/// The account that a query is about. A name is resolved to its address before anything else is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Account {
    Address(Address),
    Name(Name),
}

/// What a client says of any query: at which blocks it is answered, and whether with the sources of amounts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct AnswerOptions {
    pub(crate) blocks: BlockChoice,
    pub(crate) is_traced: bool,
}

/// The block of each network that an answer is at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BlockChoice {
    #[default]
    Newest,
    /// The one that is named, of every network that is read. A number or a hash names a block of one network alone.
    Named(BlockRef),
    /// By chain id; no other network is read.
    Each(BTreeMap<u64, BlockRef>),
}

impl BlockChoice {
    /// The block that is named for a network; `None` for its newest.
    pub(crate) fn of(&self, chain_id: u64) -> Option<BlockRef> {
        match self {
            Self::Newest => None,
            Self::Named(named) => Some(*named),
            Self::Each(named) => named.get(&chain_id).copied(),
        }
    }

    /// Whether it leaves a network to be read.
    pub(crate) fn reads(&self, chain_id: u64) -> bool {
        !matches!(self, Self::Each(named) if !named.contains_key(&chain_id))
    }

    /// Checks that these networks have the blocks that it may name.
    ///
    /// # Errors
    /// [`Problem::InvalidBlock`].
    pub(crate) fn check(&self, networks: &[Arc<Network>]) -> Result<(), Problem> {
        let slugs: BTreeSet<&str> = networks.iter().map(|network| network.slug.as_str()).collect();
        match self {
            Self::Named(BlockRef::Number(_) | BlockRef::Hash(_)) if slugs.len() > 1 => {
                let (first, all) =
                    (slugs.first().copied().unwrap_or_default(), Vec::from_iter(slugs.clone()).join(", "));
                let detail = format!("a number or a hash names a block of one network, and {all} are asked about");
                Err(Problem::InvalidBlock(format!("{detail}; block={first}:… names the network")))
            }
            Self::Named(named) if is_to_come(*named) => Err(to_come()),
            Self::Each(named) if named.values().any(|named| is_to_come(*named)) => Err(to_come()),
            Self::Each(_) if slugs.is_empty() => {
                Err(Problem::InvalidBlock("block names no network that is asked about".into()))
            }
            _ => Ok(()),
        }
    }
}

/// Whether it names a time that no block has yet.
fn is_to_come(named: BlockRef) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    matches!(named, BlockRef::At(time) if time > now.as_secs())
}

fn to_come() -> Problem {
    Problem::InvalidBlock("block names a time that is still to come".into())
}

/// The subject of a query about an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum About {
    /// Its claimables from all protocols that the filter leaves, on one network by its chain id or on all.
    Claimables { filter: Filter, chain_id: Option<u64>, options: ClaimOptions },
    /// How it claims all that the filter leaves on one network, by its chain id; only what brings more than it costs where
    /// that is asked for.
    ClaimPlan { filter: Filter, chain_id: u64, worth: bool },
    /// Its positions in all protocols that the filter leaves, on one network by its chain id or on all; of these kinds,
    /// or of all and with what can be claimed where none is named.
    Positions { filter: Filter, chain_id: Option<u64>, kinds: BTreeSet<PositionKind>, options: ClaimOptions },
    /// What it has in one protocol, on one network by its chain id or on all.
    Protocol { slug: String, chain_id: Option<u64>, list: List },
    /// Its balances of native tokens or of listed ones, on one network by its chain id, or on all.
    Balances { assets: Assets, chain_id: Option<u64> },
    /// Its name.
    Name(Lookup),
}

impl About {
    /// Whether it is answered by rows of claims and positions.
    pub(crate) fn has_rows(&self) -> bool {
        match self {
            Self::Claimables { .. } | Self::Positions { .. } | Self::Protocol { .. } => true,
            Self::ClaimPlan { .. } | Self::Balances { .. } | Self::Name(_) => false,
        }
    }
}

/// A list of what an account has in one protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum List {
    Claimables(ClaimOptions),
    Farming,
    Lending,
    Borrowing,
    Pooling,
    Locked,
}

impl List {
    /// The question that it is answered from, and what its rows are.
    pub(crate) fn plan(self) -> (Question, RowKind) {
        match self {
            Self::Claimables(_) => (Question::Claimables, RowKind::Payments),
            Self::Farming => (Question::Farming, RowKind::Legs(&[LegRole::STAKED])),
            Self::Lending => (Question::Lending, RowKind::Legs(&[LegRole::SUPPLIED, LegRole::BORROWED])),
            Self::Borrowing => (Question::Lending, RowKind::Debts),
            Self::Pooling => (Question::Pooling, RowKind::Positions),
            Self::Locked => (Question::Locked, RowKind::Positions),
        }
    }
}

/// The options of a query about claimables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ClaimOptions {
    /// Whether claims are simulated; as the configuration says where the client does not.
    pub(crate) simulate: Option<bool>,
    /// Whether claims that cost more than they bring are left out.
    pub(crate) worth: bool,
}

/// The kinds of positions by their names on the wire.
pub(crate) static POSITION_KINDS: [(&str, PositionKind); 6] = [
    ("lent", PositionKind::LENT),
    ("borrowed", PositionKind::BORROWED),
    ("staked", PositionKind::STAKED),
    ("pooled", PositionKind::POOLED),
    ("locked", PositionKind::LOCKED),
    ("vesting", PositionKind::VESTING),
];

/// The options of a name's lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lookup {
    pub(crate) coin: CoinType,
    /// With all that a resolver knows of the name.
    pub(crate) full: bool,
}

/// The tokens whose balances are queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Assets {
    Native,
    /// The tokens that lists name.
    Tokens,
}

/// The protocols of the aggregate call: slugs or upper-case names, as the client wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Filter {
    #[default]
    All,
    Include(Vec<String>),
    Exclude(Vec<String>),
}
