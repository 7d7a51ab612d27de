//! Mechanisms that many protocols share: one module per family, each with its settings keys, its questions and its
//! claim templates. A plugin is a table of deployments of a mechanism, and a name.
//!
//! Invariant: as in a plugin, nothing here does IO, reads a clock or keeps state between jobs. A kit knows no
//! protocol: addresses and words that an answer shows come from the plugin.

pub mod aave_v3;
mod both;
mod each;
pub mod events;
pub mod master_chef;
mod pair;
pub mod share_vault;
pub mod staking_rewards;

pub use both::both;
pub use each::{Parts, each};
