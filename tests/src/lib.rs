//! Support of the end-to-end tests and the demo: real dylibs, real sockets, real chains.
//!
//! Invariant: what is started here ends with its value, and no wait is without a deadline.

pub mod browser;
pub mod build;
pub mod bytecode;
pub mod calldata;
pub mod chain;
pub mod client;
pub mod collector;
pub mod crowd;
pub mod deeds;
pub mod demo;
pub mod description;
pub mod document_server;
pub mod dylib;
pub mod event_stream;
pub mod explorer;
pub mod farms;
pub mod fork;
pub mod gateway;
pub mod http;
pub mod json;
mod licences;
pub mod mcp;
pub mod node;
pub mod portfolio;
pub mod price_service;
pub mod problem;
pub mod protocol;
pub mod redis;
pub mod rpc_fault;
pub mod ship;
pub mod stage;
pub mod tables;
pub mod token_list;
pub mod traffic;
pub mod truth;
pub mod typescript;
pub mod wait;
pub mod world;
