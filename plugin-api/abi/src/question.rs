//! The questions that a job answers.

use minicbor::{Decode, Encode};

/// What a job is about. A number that is none of these constants is a question of a later revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
#[cbor(transparent)]
pub struct Question(pub u8);

impl Question {
    /// What an account can claim: answered with [`crate::map::Claimable`].
    pub const CLAIMABLES: Self = Self(1);
    /// What an account has staked: answered with [`crate::map::Position`].
    pub const FARMING: Self = Self(2);
    /// What an account has lent and borrowed: answered with [`crate::map::Position`].
    pub const LENDING: Self = Self(3);
    /// What the logs of a transaction mean: answered with [`crate::map::Event`].
    ///
    /// The question is about [`crate::map::Start::transaction`] and no account. One job answers for all protocols of a
    /// plugin, so that [`crate::map::Start::protocol`] is empty. A host starts it where
    /// [`crate::map::Catalogue::event_topics`] has the first topic of a log. Behind
    /// [`crate::capability::EVENTS`].
    pub const EVENTS: Self = Self(4);
    /// What shares redeem to: answered with [`crate::map::Composition`].
    ///
    /// The question is about [`crate::map::Start::tokens`] and no account. Behind
    /// [`crate::capability::COMPOSITION`].
    pub const COMPOSITION: Self = Self(5);
    /// What an account has in pools: answered with [`crate::map::Position`].
    pub const POOLING: Self = Self(6);
    /// What an account has locked, and what is vesting for it: answered with [`crate::map::Position`].
    pub const LOCKED: Self = Self(7);
}
