//! Tables of events, and how the logs of a transaction are told by them.
//!
//! A [`Table`] is text, one row for each event: what it is called in answers, its Solidity signature, and what each
//! member of the metadata is made of. [`Decoding`] tells a transaction's logs by it, asks for the views that this
//! takes, and goes on with their replies. Invariant: total and pure. Any bytes are decoded or left alone, nothing here
//! does IO, and what cannot be told is absent, never made up.

mod condition;
mod decoding;
mod event;
mod expression;
mod kind;
mod log;
mod member;
mod moves;
mod parser;
mod remote;
mod row;
mod scene;
mod shape;
mod signature;
mod table;
mod told;
mod views;

pub use self::decoding::{Answer, Decoded, Decoding, Network, View};
pub use self::event::{Asset, Event, Value};
pub use self::kind::{Class, KINDS, Kind, class, named};
pub use self::log::{Log, Transaction};
pub use self::row::Row;
pub use self::table::{Table, TableError};
