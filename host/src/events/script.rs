//! Transactions and events for tests.

use alloy::primitives::{Address, B256, U256};
use portolan_assets::token::NATIVE;
use portolan_events::{Event, Kind, Log, Transaction, Value};

use crate::events::merge::MergedEvent;

pub(super) const ALICE: Address = Address::repeat_byte(0x11);
pub(super) const BOB: Address = Address::repeat_byte(0x22);
/// A contract that Alice calls.
pub(super) const ROUTER: Address = Address::repeat_byte(0x33);
pub(super) const POOL: Address = Address::repeat_byte(0x44);
pub(super) const USDC: Address = Address::repeat_byte(0xa1);
pub(super) const DAI: Address = Address::repeat_byte(0xa2);
/// Wraps the native token.
pub(super) const WETH: Address = Address::repeat_byte(0xa3);
pub(super) const NFT: Address = Address::repeat_byte(0xa4);
/// One whole unit of a token of 18 decimals.
pub(super) const ETHER: u64 = 1_000_000_000_000_000_000;

/// Events, each with its own log in order, except the first if it is the native value.
#[derive(Debug)]
pub(super) struct EventScript {
    pub(super) transaction: Transaction,
    pub(super) events: Vec<MergedEvent>,
}

impl EventScript {
    /// Alice calls the router.
    pub(super) fn new() -> Self {
        let transaction = Transaction { from: ALICE, to: Some(ROUTER), ..Transaction::default() };
        Self { transaction, events: Vec::new() }
    }

    /// She sends this value with the call.
    pub(super) fn value(mut self, raw: u64) -> Self {
        self.transaction.value = U256::from(raw);
        let members = vec![from(ALICE), to(self.transaction.to.unwrap()), token("asset", NATIVE), amount(NATIVE, raw)];
        let event = Event { log: 0, kind: Kind::named("TRANSFER").unwrap(), protocol: None, members };
        self.events.insert(0, MergedEvent { log: None, event, plugin: None, part_of: None, is_repeat: false });
        self
    }

    pub(super) fn transfer(self, of: Address, sender: Address, recipient: Address, raw: u64) -> Self {
        let kind = match (sender, recipient) {
            (Address::ZERO, _) => "MINT",
            (_, Address::ZERO) => "BURN",
            _ => "TRANSFER",
        };
        self.event(of, kind, vec![from(sender), to(recipient), token("asset", of), amount(of, raw)])
    }

    pub(super) fn nft(self, sender: Address, recipient: Address, id: u64, count: Option<u64>) -> Self {
        let count = count.map(|raw| ("amount", Value::Amount { raw: U256::from(raw), of: None }));
        let members = [from(sender), to(recipient), address("collection", NFT), number("tokenId", id)];
        self.event(NFT, "NFT_TRANSFER", members.into_iter().chain(count).collect())
    }

    /// Adds a transfer of a token id of another collection.
    pub(super) fn nft_of(self, collection: Address, sender: Address, recipient: Address, id: u64) -> Self {
        let members = [from(sender), to(recipient), address("collection", collection), number("tokenId", id)];
        self.event(collection, "NFT_TRANSFER", members.into_iter().collect())
    }

    pub(super) fn wrap(self, kind: &str, account: Address, raw: u64) -> Self {
        self.event(WETH, kind, vec![address("account", account), token("asset", WETH), amount(WETH, raw)])
    }

    pub(super) fn swap(self, user: Address, given: (Address, u64), got: (Address, u64)) -> Self {
        let members = vec![
            address("user", user),
            token("fromToken", given.0),
            ("fromAmount", Value::Amount { raw: U256::from(given.1), of: Some(given.0) }),
            token("toToken", got.0),
            ("toAmount", Value::Amount { raw: U256::from(got.1), of: Some(got.0) }),
        ];
        self.event(POOL, "SWAP", members)
    }

    /// Adds an action of an account with an amount.
    pub(super) fn action(self, kind: &str, user: Address, of: Address, raw: u64) -> Self {
        self.event(POOL, kind, vec![address("user", user), token("asset", of), amount(of, raw)])
    }

    /// Adds an event in the next log, emitted by this contract.
    pub(super) fn event(mut self, emitter: Address, kind: &str, members: Vec<(&'static str, Value)>) -> Self {
        let log = self.transaction.logs.len();
        let index = u64::try_from(log).unwrap();
        self.transaction.logs.push(Log { index, address: emitter, topics: vec![B256::ZERO], data: Default::default() });
        let event = Event { log, kind: Kind::named(kind).unwrap(), protocol: None, members };
        self.events.push(MergedEvent { log: Some(log), event, plugin: None, part_of: None, is_repeat: false });
        self
    }

    /// Makes the last event part of that log's event.
    pub(super) fn part_of(mut self, log: usize) -> Self {
        self.events.last_mut().unwrap().part_of = Some(log);
        self
    }

    /// Sets the protocol of the last event.
    pub(super) fn of(mut self, slug: &str) -> Self {
        self.events.last_mut().unwrap().event.protocol = Some(slug.to_owned());
        self
    }
}

pub(super) fn address(name: &'static str, value: Address) -> (&'static str, Value) {
    (name, Value::Address(value))
}

pub(super) fn token(name: &'static str, value: Address) -> (&'static str, Value) {
    (name, Value::Token(value))
}

pub(super) fn number(name: &'static str, value: u64) -> (&'static str, Value) {
    (name, Value::Number(U256::from(value)))
}

pub(super) fn amount(of: Address, raw: u64) -> (&'static str, Value) {
    ("amount", Value::Amount { raw: U256::from(raw), of: Some(of) })
}

fn from(value: Address) -> (&'static str, Value) {
    address("from", value)
}

fn to(value: Address) -> (&'static str, Value) {
    address("to", value)
}
