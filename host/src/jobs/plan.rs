//! What one job is about: one plugin, one network and one question.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::map;

use crate::network::Network;
use crate::registry::Instance;
use crate::registry::protocol::Protocol;

/// One protocol, one network, one question about one account or about tokens; or one plugin and a transaction.
#[derive(Clone, Debug)]
pub(crate) struct JobPlan {
    /// Blank where a plugin is asked for all of its protocols.
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) instance: Arc<Instance>,
    pub(crate) network: Arc<Network>,
    pub(crate) asked: Asked,
    /// Zero where the question is about tokens or a transaction.
    pub(crate) account: Address,
}

/// What a job is asked.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Account(Question),
    /// What these tokens are made of.
    Tokens(Arc<[Address]>),
    /// What the logs of this transaction mean.
    Transaction(Arc<map::Transaction>),
}

impl JobPlan {
    /// What reports call it: the protocol, or the plugin where it is asked for all of them.
    pub(crate) fn subject(&self) -> &str {
        match self.asked {
            Asked::Account(_) | Asked::Tokens(_) => &self.protocol.slug,
            Asked::Transaction(_) => self.instance.name(),
        }
    }
}

impl Asked {
    /// The question, as the binary interface has it.
    pub(crate) fn question(&self) -> portolan_abi::Question {
        match self {
            Self::Account(question) => portolan_abi::Question(*question as u8),
            Self::Tokens(_) => portolan_abi::Question::COMPOSITION,
            Self::Transaction(_) => portolan_abi::Question::EVENTS,
        }
    }
}

/// A question to protocols; the numbers are those of [`portolan_abi::Question`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Question {
    Claimables = portolan_abi::Question::CLAIMABLES.0,
    Farming = portolan_abi::Question::FARMING.0,
    Lending = portolan_abi::Question::LENDING.0,
}
