//! Tokens that accounts hold: metadata, compositions, prices, and token lists.
//!
//! Invariant: a module depends only on modules above it in this file.

pub(crate) mod amount;
pub(crate) mod token;

pub(crate) mod metadata;
pub(crate) mod token_list;

pub(crate) mod issuers;

pub(crate) mod price;

pub(crate) mod resolve;
