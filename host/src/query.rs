//! A validated request: what is asked, after every input has been checked and before anything is looked up.

use alloy::primitives::Address;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Query {
    /// The networks, in order.
    Networks,
    /// The protocols that are served now.
    Protocols,
    /// What the account can claim, over all protocols that the filter leaves.
    Claimables { account: Address, filter: Filter },
    /// A question about an account to one protocol.
    Protocol { slug: String, question: Question, account: Address },
    /// What the account holds of native tokens or of listed ones, on one network by its chain id, or on all.
    Balances { assets: Assets, account: Address, chain_id: Option<u64> },
}

/// A question to protocols; the numbers are those of [`portolan_abi::question`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Question {
    Claimables = portolan_abi::question::CLAIMABLES,
    Farming = portolan_abi::question::FARMING,
    Lending = portolan_abi::question::LENDING,
}

/// What balances are asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Assets {
    Native,
    /// The tokens that lists name.
    Tokens,
}

/// Which protocols the aggregate call asks: slugs or upper-case names, as the client wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Filter {
    #[default]
    All,
    Include(Vec<String>),
    Exclude(Vec<String>),
}
