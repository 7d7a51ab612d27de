//! Tokens that accounts hold, and names of accounts. Nothing here knows plugins, jobs or queries.
//!
//! [`resolve`] is the way in: it adds metadata, compositions and prices to the tokens of an answer. [`token_list`] keeps
//! the lists of tokens whose balances are read; [`names`] resolves ENS names, both ways.
//!
//! Invariant: a module depends only on modules above it in this file.

pub mod amount;
pub mod token;

pub mod metadata;
pub mod token_list;

pub mod issuers;

pub mod price;

pub mod resolve;

pub mod names;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
