//! Tests of the language of tables, row by row, with logs written out byte by byte.
//!
//! They are outside the crate, like authors of tables, and see only what is public.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken expectation is how a test fails")]

mod arrays;
mod bounds;
mod definitions;
mod expressions;
mod matching;
mod members;
mod tables;
mod transfers;
mod views;

use alloy::primitives::{Address, B256, Bytes, U256, keccak256};
use portolan_events::{Decoded, Decoding, Event, Log, Network, Table, Transaction, Value, ViewCall, ViewResult};

/// An address of one repeated byte.
fn account(byte: u8) -> Address {
    Address::repeat_byte(byte)
}

/// A number as a word.
fn number(number: u64) -> B256 {
    U256::from(number).into()
}

/// A negative number as a word.
fn below_zero(size: u64) -> B256 {
    U256::from(size).wrapping_neg().into()
}

fn address(byte: u8) -> B256 {
    account(byte).into_word()
}

/// A log of account 0xcc.
fn log(signature: &str, topics: &[B256], data: &[B256]) -> Log {
    log_of(0xcc, signature, topics, data)
}

fn log_of(emitter: u8, signature: &str, topics: &[B256], data: &[B256]) -> Log {
    let topics = std::iter::once(keccak256(signature)).chain(topics.iter().copied()).collect();
    let data: Vec<u8> = data.iter().flat_map(|word| word.0).collect();
    Log { index: 0, address: account(emitter), topics, data: data.into() }
}

fn transfer(token: u8, from: u8, to: u8, amount: u64) -> Log {
    log_of(token, "Transfer(address,address,uint256)", &[address(from), address(to)], &[number(amount)])
}

/// A transaction of account 0xf0 that called 0xf1 with 5 wei.
fn transaction(logs: Vec<Log>) -> Transaction {
    Transaction { hash: B256::ZERO, from: account(0xf0), to: Some(account(0xf1)), value: U256::from(5), logs }
}

fn table(text: &str) -> Table {
    Table::parse(text).expect("the table is well written")
}

/// Mainnet, with account 0xaa as the wrapped native token.
fn network() -> Network {
    Network { chain_id: 1, wrapped_native: Some(account(0xaa)) }
}

/// Encodes the calldata of a view.
fn call(signature: &str, arguments: &[B256]) -> Bytes {
    let mut data = keccak256(signature)[..4].to_vec();
    arguments.iter().for_each(|word| data.extend_from_slice(word.as_slice()));
    data.into()
}

fn view(to: u8, signature: &str, arguments: &[B256]) -> ViewCall {
    ViewCall { to: account(to), data: call(signature, arguments) }
}

fn reply(words: &[B256]) -> ViewResult {
    ViewResult::Returned(words.iter().flat_map(|word| word.0).collect::<Vec<u8>>().into())
}

/// Decodes with a chain that has only these views; other calls revert.
fn decode_with(table: &Table, transaction: &Transaction, chain: &[(ViewCall, ViewResult)]) -> Decoded {
    let mut decoding = Decoding::new(table, transaction, network());
    for _round in 0..8 {
        let calls = decoding.next_calls();
        if calls.is_empty() {
            break;
        }
        let result = |call: &ViewCall| {
            chain.iter().find(|(known, _)| known == call).map_or(ViewResult::Reverted, |(_, result)| result.clone())
        };
        decoding.record(calls.iter().map(result).collect());
    }
    decoding.finish()
}

/// Decodes without a chain.
fn decode(text: &str, logs: Vec<Log>) -> Vec<Event> {
    decode_with(&table(text), &transaction(logs), &[]).events.into_iter().map(|(event, _)| event).collect()
}

/// Returns a member's value of the only event.
fn member(events: &[Event], name: &str) -> Option<Value> {
    let [event] = events else { panic!("{} events instead of one", events.len()) };
    event.members.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
}

fn raw(raw: u64, of: Option<u8>) -> Value {
    Value::Amount { raw: U256::from(raw), of: of.map(account) }
}
