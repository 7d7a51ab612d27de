//! A query: a request whose inputs were all validated, before anything is looked up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use alloy::primitives::{Address, B256};
use portolan_abi::map::{LegRole, PositionKind};
use portolan_assets::names::{CoinType, Name};
use portolan_assets::price::Currency;
use portolan_base::network::Network;
use portolan_events::Kind;
use portolan_reader::BlockRef;

use crate::gateway::problem::Problem;
use crate::gateway::rows::RowKind;
use crate::jobs::plan::Question;

/// A validated request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Query {
    /// All networks, in order.
    Networks,
    /// The protocols that are served now.
    Protocols,
    /// The questions that each protocol answers on each network.
    Coverage,
    /// What wallets show of the claims of the protocol with this slug.
    ClearSigning(String),
    /// The address that a name resolves to.
    Address(Name, Lookup),
    /// The events of a transaction.
    Events(EventsQuery),
    Of(Account, About),
    /// About several accounts, each named once.
    OfAll(Vec<Account>, AboutRows),
}

impl Query {
    /// Returns true if the answer is made of rows that jobs find about one account, so that a client can follow them.
    pub(crate) fn is_followed_by_job(&self) -> bool {
        matches!(self, Self::Of(_, About::Rows(_)))
    }
}

/// A query for the events of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EventsQuery {
    pub(crate) chain_id: u64,
    pub(crate) hash: B256,
    /// Types to show; all if empty.
    pub(crate) types: BTreeSet<Kind>,
    /// Maximum number of logs that the client accepts. A transaction with more is a problem; its logs are never cut.
    pub(crate) logs_max: usize,
    /// Account whose effects are wanted too.
    pub(crate) account: Option<Account>,
}

/// Limits of what one request may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputLimits {
    /// Logs of a transaction.
    pub(crate) logs_max: usize,
    pub(crate) accounts_max: usize,
}

/// The account of a query. A name is resolved to its address before anything else is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Account {
    Address(Address),
    Name(Name),
}

/// Options of any query: the blocks to read at, the oldest of them that the client takes, whether to trace the sources
/// of amounts, and the currency of values beside dollars.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct AnswerOptions {
    pub(crate) blocks: BlockChoice,
    pub(crate) min_blocks: MinBlocks,
    pub(crate) is_traced: bool,
    pub(crate) currency: Option<Currency>,
}

/// The block of each network to answer at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BlockChoice {
    #[default]
    Newest,
    /// This block on every network read. A number or a hash is allowed for one network only.
    Named(BlockRef),
    /// Blocks by chain id; no other network is read.
    Each(BTreeMap<u64, BlockRef>),
}

impl BlockChoice {
    /// The block named for a network; `None` for its newest block.
    pub(crate) fn of(&self, chain_id: u64) -> Option<BlockRef> {
        match self {
            Self::Newest => None,
            Self::Named(named) => Some(*named),
            Self::Each(named) => named.get(&chain_id).copied(),
        }
    }

    /// Returns true if the network may be read.
    pub(crate) fn reads(&self, chain_id: u64) -> bool {
        !matches!(self, Self::Each(named) if !named.contains_key(&chain_id))
    }

    /// Checks that this choice fits these networks.
    ///
    /// # Errors
    /// Returns [`Problem::InvalidBlock`].
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
                Err(Problem::InvalidBlock("block names none of the requested networks".into()))
            }
            _ => Ok(()),
        }
    }
}

/// The numbers below which newest blocks are too old for the client, who has seen newer ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MinBlocks {
    /// By chain id; other networks have none.
    Each(BTreeMap<u64, u64>),
    /// A lone number is meant for the one network that is requested.
    OfOne(u64),
}

impl Default for MinBlocks {
    fn default() -> Self {
        Self::Each(BTreeMap::new())
    }
}

impl MinBlocks {
    /// Returns the lowest number of a network's block, if it is known which network is meant.
    pub(crate) fn of(&self, chain_id: u64) -> Option<u64> {
        match self {
            Self::Each(each) => each.get(&chain_id).copied(),
            Self::OfOne(_) => None,
        }
    }

    /// Names the network of a number without one.
    ///
    /// # Errors
    /// Returns [`Problem::InvalidBlock`] if several networks are requested.
    pub(crate) fn of_networks(self, networks: &[Arc<Network>]) -> Result<Self, Problem> {
        let Self::OfOne(number) = self else { return Ok(self) };
        let requested: BTreeMap<u64, &str> = networks.iter().map(|one| (one.chain_id, one.slug.as_str())).collect();
        if let Some((_, slug)) = requested.first_key_value().filter(|_| requested.len() > 1) {
            let all = requested.values().copied().collect::<Vec<_>>().join(", ");
            return Err(Problem::InvalidBlock(format!(
                "a number is a block of one network, and {all} are asked about; min-block={slug}:… names the network"
            )));
        }
        Ok(Self::Each(requested.into_keys().map(|chain_id| (chain_id, number)).collect()))
    }
}

/// Returns true if the block is named by a time in the future.
fn is_to_come(named: BlockRef) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    matches!(named, BlockRef::At(time) if time > now.as_secs())
}

fn to_come() -> Problem {
    Problem::InvalidBlock("block names a time that is still to come".into())
}

/// Subject of a query about an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum About {
    /// Claims or positions.
    Rows(AboutRows),
    /// Plan for claiming everything that the filter selects on one network; with `worth`, only claims that pay at
    /// least their cost.
    ClaimPlan { filter: Filter, chain_id: u64, worth: bool },
    /// Balances of native or of listed tokens, on one network or on all.
    Balances { assets: Assets, chain_id: Option<u64> },
    /// What others may take from the account, on one network or on all.
    Approvals { chain_id: Option<u64> },
    /// Plan for taking one allowance back.
    RevokePlan(Revocation),
    /// The account's ENS name.
    Name(Lookup),
}

/// Subject of a query whose answer consists of rows of claims and positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AboutRows {
    /// Claimables from all protocols that the filter selects, on one network or on all.
    Claimables { filter: Filter, chain_id: Option<u64>, options: ClaimOptions },
    /// Positions in all protocols that the filter selects, on one network or on all. Without `kinds`, positions of all
    /// kinds and claimables.
    Positions { filter: Filter, chain_id: Option<u64>, kinds: BTreeSet<PositionKind>, options: ClaimOptions },
    /// One list from one protocol, on one network or on all.
    Protocol { slug: String, chain_id: Option<u64>, list: List },
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
    /// Returns the question that answers this list, and the kind of its rows.
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

/// The setting `[claims] simulate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SimulateWhen {
    /// For every list of claimables, on networks whose endpoints make all simulations of an account in one request.
    #[default]
    Always,
    /// Only for lists that are requested with `?simulate=true`.
    Asked,
}

/// Options of a query for claimables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ClaimOptions {
    /// Overrides the configuration's choice whether claims are simulated, if set.
    pub(crate) simulate: Option<bool>,
    /// True if claims that cost more than they pay are left out.
    pub(crate) worth: bool,
}

/// Kinds of positions by their names in the API.
pub(crate) static POSITION_KINDS: [(&str, PositionKind); 6] = [
    ("lent", PositionKind::LENT),
    ("borrowed", PositionKind::BORROWED),
    ("staked", PositionKind::STAKED),
    ("pooled", PositionKind::POOLED),
    ("locked", PositionKind::LOCKED),
    ("vesting", PositionKind::VESTING),
];

/// An allowance to take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Revocation {
    pub(crate) chain_id: u64,
    pub(crate) token: Address,
    pub(crate) spender: Address,
}

/// Options of a name lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lookup {
    pub(crate) coin: CoinType,
    /// True if all records of the name are requested.
    pub(crate) full: bool,
}

/// The tokens whose balances are queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Assets {
    Native,
    /// The tokens of the token lists.
    Tokens,
}

/// Selection of protocols: slugs or upper-case names, as the client wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Filter {
    #[default]
    All,
    Include(Vec<String>),
    Exclude(Vec<String>),
}
