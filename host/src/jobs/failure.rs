//! Reasons why a job found less than it should have.
//!
//! Invariant: the reasons are the words of the `portolan-partial` header.

mod reasons;

use portolan_base::net::off_chain::OffChainError;
use portolan_plugins::RunFailure;
use portolan_reader::ReadFailure;

pub(crate) use self::reasons::ReasonText;

/// Reason why something is missing; a word of the `portolan-partial` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    Timeout,
    Upstream,
    WrongChain,
    NotConfigured,
    Crashed,
    Quarantined,
    Disabled,
    InvalidOutput,
    /// A contract replied with or logged data that no finding can be made of.
    InvalidReply,
    PluginError,
    OverBudget,
    Rejected,
    /// A named block that no endpoint knows.
    UnknownBlock,
    /// A named block whose state no endpoint has.
    NoState,
    /// The network's newest block is too old.
    Stale,
    /// An off-chain host that the operator did not grant.
    NotAllowed,
    /// The plugin knows that the account may have something that the plugin does not read.
    NotCovered,
    /// The name of an account that resolves to no address, among other accounts.
    NameNotFound,
    /// Blocks whose logs were not searched.
    History,
}

impl Reason {
    /// All reasons, by word.
    pub(crate) const ALL: [Self; 19] = [
        Self::Crashed,
        Self::Disabled,
        Self::History,
        Self::InvalidOutput,
        Self::InvalidReply,
        Self::NameNotFound,
        Self::NotAllowed,
        Self::NotConfigured,
        Self::NotCovered,
        Self::OverBudget,
        Self::PluginError,
        Self::Quarantined,
        Self::Rejected,
        Self::Stale,
        Self::NoState,
        Self::Timeout,
        Self::UnknownBlock,
        Self::Upstream,
        Self::WrongChain,
    ];

    /// Returns true if the plugin is or may be at fault.
    pub(crate) fn is_of_plugin(self) -> bool {
        match self {
            Self::Timeout | Self::Crashed | Self::InvalidOutput | Self::PluginError => true,
            Self::OverBudget | Self::Rejected => true,
            Self::Upstream | Self::WrongChain | Self::NotConfigured | Self::Quarantined | Self::Disabled => false,
            Self::NotAllowed | Self::UnknownBlock | Self::NoState | Self::Stale | Self::NotCovered => false,
            Self::InvalidReply | Self::NameNotFound | Self::History => false,
        }
    }

    /// Returns true if only the plugin can be at fault.
    pub(crate) fn is_fault(self) -> bool {
        matches!(self, Self::Crashed | Self::InvalidOutput)
    }

    /// Returns the word of `portolan-partial`.
    pub(crate) fn as_str(self) -> &'static str {
        self.text().word
    }

    /// Returns the reason in words.
    pub(crate) fn text(self) -> &'static ReasonText {
        match self {
            Self::Crashed => &reasons::CRASHED,
            Self::Disabled => &reasons::DISABLED,
            Self::History => &reasons::HISTORY,
            Self::InvalidOutput => &reasons::INVALID_OUTPUT,
            Self::InvalidReply => &reasons::INVALID_REPLY,
            Self::NameNotFound => &reasons::NAME_NOT_FOUND,
            Self::NotAllowed => &reasons::NOT_ALLOWED,
            Self::NotConfigured => &reasons::NOT_CONFIGURED,
            Self::NotCovered => &reasons::NOT_COVERED,
            Self::OverBudget => &reasons::OVER_BUDGET,
            Self::PluginError => &reasons::PLUGIN_ERROR,
            Self::Quarantined => &reasons::QUARANTINED,
            Self::Rejected => &reasons::REJECTED,
            Self::Stale => &reasons::STALE,
            Self::NoState => &reasons::NO_STATE,
            Self::Timeout => &reasons::TIMEOUT,
            Self::UnknownBlock => &reasons::UNKNOWN_BLOCK,
            Self::Upstream => &reasons::UPSTREAM,
            Self::WrongChain => &reasons::WRONG_CHAIN,
        }
    }
}

/// A failure of a job, with its reason and details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) reason: Reason,
    pub(crate) detail: String,
    /// True if the plugin broke a rule, whatever a node did.
    pub(crate) is_fault: bool,
}

impl Failure {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), is_fault: reason.is_fault() }
    }

    /// A failure by which the plugin broke a rule.
    pub(crate) fn fault(reason: Reason, detail: impl Into<String>) -> Self {
        Self { is_fault: true, ..Self::new(reason, detail) }
    }
}

impl From<RunFailure> for Failure {
    fn from(failure: RunFailure) -> Self {
        let reason = match failure {
            RunFailure::Timeout | RunFailure::Stuck => Reason::Timeout,
            RunFailure::Crashed(_) => Reason::Crashed,
            RunFailure::Limit(_) => return Self::new(Reason::OverBudget, failure.to_string()),
            RunFailure::Lost(_) => return Self { is_fault: false, ..Self::new(Reason::Crashed, failure.to_string()) },
            _ => Reason::InvalidOutput,
        };
        Self::fault(reason, failure.to_string())
    }
}

impl From<ReadFailure> for Failure {
    fn from(failure: ReadFailure) -> Self {
        Self::new(Reason::from(failure), failure.to_string())
    }
}

impl From<ReadFailure> for Reason {
    fn from(failure: ReadFailure) -> Self {
        match failure {
            ReadFailure::Timeout => Self::Timeout,
            ReadFailure::Upstream | ReadFailure::BlockLost | ReadFailure::Unproven => Self::Upstream,
            ReadFailure::WrongChain => Self::WrongChain,
            ReadFailure::NotConfigured => Self::NotConfigured,
            ReadFailure::OverBudget => Self::OverBudget,
            ReadFailure::Stale | ReadFailure::Syncing | ReadFailure::Behind => Self::Stale,
            ReadFailure::UnknownBlock => Self::UnknownBlock,
            ReadFailure::NoState => Self::NoState,
        }
    }
}

impl From<OffChainError> for Reason {
    fn from(error: OffChainError) -> Self {
        match error {
            OffChainError::Timeout => Self::Timeout,
            OffChainError::OverBudget | OffChainError::TooOften => Self::OverBudget,
            _ => Self::Upstream,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_reason_by_word() {
        let words = Reason::ALL.map(Reason::as_str);
        assert!(words.is_sorted(), "{words:?}");
        let rows = include_str!("failure/reasons.rs").matches("pub(super) static ").count();
        assert_eq!(rows, words.len());
    }
}
