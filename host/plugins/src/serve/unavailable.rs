//! A protocol, or a plugin whose protocols are unknown, that the folder has and that is not served. Answers list it
//! as missing.

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::B256;
use portolan_abi::Question;

use crate::load::examine::RefusalKind;
use crate::trust::known_good::GoodProtocol;

/// An unavailable protocol or plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    pub plugin: String,
    /// `None` if the plugin was never served, so that its protocols are unknown.
    pub protocol: Option<GoodProtocol>,
    /// First topics of the events that the plugin decodes.
    pub topics: Arc<BTreeSet<B256>>,
    pub why: UnavailableWhy,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableWhy {
    Rejected,
    Quarantined,
    Disabled,
}

impl UnavailableWhy {
    pub(crate) fn of(kind: RefusalKind) -> Self {
        match kind {
            RefusalKind::Rejected | RefusalKind::Unpinned | RefusalKind::Unsigned => Self::Rejected,
            RefusalKind::Quarantined => Self::Quarantined,
            RefusalKind::Disabled => Self::Disabled,
        }
    }
}

impl Unavailable {
    /// A plugin that was never served.
    pub(crate) fn plugin(plugin: String, why: UnavailableWhy, reason: String) -> Self {
        Self { plugin, protocol: None, topics: Arc::default(), why, reason }
    }

    /// Its name in answers: the protocol's slug, or the plugin's name.
    pub fn subject(&self) -> &str {
        self.protocol.as_ref().map_or(&self.plugin, |protocol| &protocol.slug)
    }

    /// Returns true if it answered the question on the network, or may have.
    pub fn answered(&self, question: Question, chain_id: u64) -> bool {
        self.protocol.as_ref().is_none_or(|protocol| protocol.answered(question, chain_id))
    }

    /// Returns true if this text names it: its slug, or its protocol's upper-case name.
    pub fn is_named(&self, text: &str) -> bool {
        self.subject() == text || self.protocol.as_ref().is_some_and(|protocol| protocol.name == text)
    }
}
