//! The questions that a job answers.

use minicbor::{Decode, Encode};

/// Kind of question that a job answers. Unknown numbers belong to later revisions.
///
/// ```
/// use portolan_abi::Question;
///
/// assert_eq!(Question::LENDING.name(), "lending");
/// assert_eq!(Question::by_name("locked"), Some(Question::LOCKED));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct Question(pub u8);

impl Question {
    /// Claimable amounts of an account; answered with [`crate::map::Claimable`].
    pub const CLAIMABLES: Self = Self(1);
    /// Staked amounts of an account; answered with [`crate::map::Position`].
    pub const FARMING: Self = Self(2);
    /// Lent and borrowed amounts of an account; answered with [`crate::map::Position`].
    pub const LENDING: Self = Self(3);
    /// Events of a transaction; answered with [`crate::map::Event`].
    ///
    /// About [`crate::map::Start::transaction`], without an account. One job answers for all protocols of a plugin, and
    /// [`crate::map::Start::protocol`] is empty. A host asks if [`crate::map::Catalogue::event_topics`] has the first
    /// topic of a log. Requires [`crate::capability::EVENTS`].
    pub const EVENTS: Self = Self(4);
    /// Tokens that shares redeem to; answered with [`crate::map::Composition`].
    ///
    /// About [`crate::map::Start::tokens`], without an account. Requires [`crate::capability::COMPOSITION`].
    pub const COMPOSITION: Self = Self(5);
    /// Pool shares of an account; answered with [`crate::map::Position`].
    pub const POOLING: Self = Self(6);
    /// Locked and vesting amounts of an account; answered with [`crate::map::Position`].
    pub const LOCKED: Self = Self(7);

    const NAMES: [(Self, &str); 7] = [
        (Self::CLAIMABLES, "claimables"),
        (Self::FARMING, "farming"),
        (Self::LENDING, "lending"),
        (Self::EVENTS, "events"),
        (Self::COMPOSITION, "composition"),
        (Self::POOLING, "pooling"),
        (Self::LOCKED, "locked"),
    ];

    /// Returns its name in records and messages; `unknown` for a question of a later revision.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(known, _)| *known == self).map_or("unknown", |(_, name)| name)
    }

    /// Returns the question of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(question, _)| *question)
    }
}
