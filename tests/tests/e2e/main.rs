//! The gateway end to end: the real binary, real dylibs, real sockets and real chains.
//!
//! One binary, so that all of it is linked once. Tests of a module share chains and gateways by a `Shared` fixture,
//! which ends with the last test that uses it; whoever changes a chain or counts its requests starts one of its own.
//! Tests that must have the machine to themselves are in `costs`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod airdrop;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod amsterdam;
mod answers;
mod bad_pools;
mod balances;
mod batch_methods;
mod boosters;
mod chefs;
mod claim_functions;
mod claims;
mod client;
mod comets;
mod compositions;
mod comptroller;
mod connections;
mod coverage;
mod crashes;
mod curve;
mod description;
mod detectors;
mod drain;
mod early;
mod endpoints;
mod event_cases;
mod events;
mod failing_rpc;
mod fair_shares;
mod folders;
mod fork_lines;
mod forks;
mod frax;
mod gauges;
mod gmx;
mod golden;
mod gone_contracts;
mod headers;
mod hostile_plugin;
mod impostors;
mod kills;
mod known_good;
mod lenders;
mod logos;
mod morpho;
mod names;
mod numbers;
mod off_chain;
mod old_blocks;
mod operation;
mod operators;
mod outages;
mod plugin_ask;
mod plugin_check;
mod plugin_new;
mod poisoned;
mod prices;
mod programs;
mod quarantine;
mod reload;
mod secrets;
mod serve_check;
mod shares;
mod ship;
mod signatures;
mod silos;
mod simulations;
mod spans;
mod store;
mod templates;
mod test_reader;
mod totals;
mod troves;
mod typescript;
mod umbrella;
mod verified_receipts;
mod voters;
mod workers;
mod wrong_chain;
mod wrong_input;
mod yearn;
