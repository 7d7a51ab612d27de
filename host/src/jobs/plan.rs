//! Plan of one job: one plugin, one network and one question.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::map;
use portolan_base::network::Network;
use portolan_plugins::Instance;
use portolan_plugins::breaker::JobInput;
use portolan_plugins::protocol::Protocol;

use crate::jobs::record::JobRecords;

/// One question to a protocol on a network, about an account or tokens; or one to a plugin about a transaction.
#[derive(Clone, Debug)]
pub(crate) struct JobPlan {
    /// Blank if the question is to all protocols of a plugin.
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) instance: Arc<Instance>,
    pub(crate) network: Arc<Network>,
    pub(crate) question: JobQuestion,
    /// Zero if the question is about tokens or a transaction.
    pub(crate) account: Address,
    /// True if its reads are traced, for an answer that shows the provenance of amounts.
    pub(crate) is_traced: bool,
    /// True if zeros that would stand for a while are read again, because the chain says that something happened.
    pub(crate) renews_zeros: bool,
    /// Where the job is recorded, if it is.
    pub(crate) records: Option<Arc<JobRecords>>,
}

/// Question of a job.
#[derive(Clone, Debug)]
pub(crate) enum JobQuestion {
    Account(Question),
    /// The compositions of these tokens.
    Tokens(Arc<[Address]>),
    /// The events in this transaction's logs.
    Transaction(Arc<map::Transaction>),
}

impl JobPlan {
    /// Returns the account, tokens or transaction that the question is about.
    pub(crate) fn input(&self) -> JobInput {
        match &self.question {
            JobQuestion::Account(_) => JobInput::Account(self.account),
            JobQuestion::Tokens(tokens) => JobInput::Tokens(Arc::clone(tokens)),
            JobQuestion::Transaction(transaction) => JobInput::Transaction(transaction.hash),
        }
    }

    /// Name of the job in reports: the protocol, or the plugin if the question is to all of its protocols.
    pub(crate) fn subject(&self) -> &str {
        match self.question {
            JobQuestion::Account(_) | JobQuestion::Tokens(_) => &self.protocol.slug,
            JobQuestion::Transaction(_) => self.instance.name(),
        }
    }
}

impl JobQuestion {
    /// Returns the question if it is about an account.
    pub(crate) fn of_account(&self) -> Option<Question> {
        match self {
            Self::Account(question) => Some(*question),
            Self::Tokens(_) | Self::Transaction(_) => None,
        }
    }

    /// The question as the ABI numbers it.
    pub(crate) fn number(&self) -> portolan_abi::Question {
        match self {
            Self::Account(question) => question.number(),
            Self::Tokens(_) => portolan_abi::Question::COMPOSITION,
            Self::Transaction(_) => portolan_abi::Question::EVENTS,
        }
    }
}

/// A question to protocols about an account; the numbers are those of [`portolan_abi::Question`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Question {
    Claimables = portolan_abi::Question::CLAIMABLES.0,
    Farming = portolan_abi::Question::FARMING.0,
    Lending = portolan_abi::Question::LENDING.0,
    Pooling = portolan_abi::Question::POOLING.0,
    Locked = portolan_abi::Question::LOCKED.0,
}

impl Question {
    /// The question as the ABI numbers it.
    pub(crate) fn number(self) -> portolan_abi::Question {
        portolan_abi::Question(self as u8)
    }
}
