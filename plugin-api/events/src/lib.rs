//! Event tables, and decoding of a transaction's logs by them.
//!
//! A [`Table`] is text with one row per event: its type in responses, its Solidity signature, and an expression for
//! each member of the metadata. A [`Decoding`] returns the view calls that it needs, and continues with their results.
//! Invariant: total and pure. Any bytes are decoded or skipped, nothing does IO, and unknown values are absent.
#![doc = include_str!("../README.md")]

mod abi_type;
mod bridge_chain_ids;
mod condition;
mod constants;
mod decoding;
mod eval;
mod eval_context;
mod event;
mod expr_value;
mod expression;
mod kind;
mod member;
mod parser;
mod row;
mod row_text;
mod scanner;
mod signature;
mod table;
mod transaction;
mod transfers;
mod view;
mod view_cache;
mod wire;

pub use self::decoding::{Decoded, Decoding};
pub use self::event::{Asset, Event, Value};
pub use self::kind::{Class, KINDS, Kind, find_member, member_class};
pub use self::row::Row;
pub use self::table::{Table, TableError};
pub use self::transaction::{Log, Network, Transaction};
pub use self::view::{ViewCall, ViewResult};
