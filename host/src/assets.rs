//! What accounts hold: tokens, what they are made of, what they cost, and the lists that name them.
//!
//! Invariant: modules depend on those above them alone.

pub(crate) mod amount;
pub(crate) mod token;

pub(crate) mod metadata;
pub(crate) mod token_list;

pub(crate) mod issuers;

pub(crate) mod price;

pub(crate) mod resolve;
