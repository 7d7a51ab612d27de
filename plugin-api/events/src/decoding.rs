//! A transaction on its way to events: what is wanted of the chain, and what is told once it is there.

use std::sync::OnceLock;

use alloy::primitives::{Address, Bytes};

use crate::event::Event;
use crate::log::Transaction;
use crate::moves::Moves;
use crate::row::Telling;
use crate::scene::Scene;
use crate::table::Table;
use crate::told::Told;
use crate::views::Views;

/// Where the transaction is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network {
    /// EIP-155.
    pub chain_id: u64,
    /// The ERC-20 that wraps the native token, where it is known.
    pub wrapped_native: Option<Address>,
}

/// A view of a contract that a row needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct View {
    /// Contract.
    pub to: Address,
    /// Calldata.
    pub data: Bytes,
}

/// What a view answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The returned bytes.
    Told(Bytes),
    /// It reverted, or there is no such contract.
    Refused,
    /// The chain could not be read.
    Unread,
}

/// A transaction that is being told by a table.
#[derive(Debug)]
pub struct Decoding<'a> {
    table: &'a Table,
    transaction: &'a Transaction,
    network: Network,
    /// Made when a row looks at neighbours.
    moves: OnceLock<Moves>,
    views: Views,
    /// Places of the logs that are not settled.
    open: Vec<usize>,
    /// By the place of the log, in any order.
    told: Vec<(Event, String)>,
    unread: usize,
}

/// What a table tells of a transaction.
#[derive(Debug, Default)]
pub struct Decoded {
    /// In the order of the logs; a log of a batch may be several. With the section of the table that told it.
    pub events: Vec<(Event, String)>,
    /// Logs of which something, or all, is not told because the chain could not be read.
    pub unread: usize,
}

/// What became of a log.
enum Settled<'a> {
    Told(Telling, &'a str),
    /// No row tells it.
    Left,
    Unread,
    Open,
}

impl<'a> Decoding<'a> {
    /// Begins.
    pub fn new(table: &'a Table, transaction: &'a Transaction, network: Network) -> Self {
        Self {
            table,
            transaction,
            network,
            moves: OnceLock::new(),
            views: Views::default(),
            open: (0..transaction.logs.len()).collect(),
            told: Vec::new(),
            unread: 0,
        }
    }

    /// The views that are wanted next, each once in the life of a decoding; none when it is done.
    pub fn wanted(&mut self) -> Vec<View> {
        let wanted = self.settle();
        self.views.ask(wanted)
    }

    /// Takes the answers to what was wanted last, in order.
    pub fn answer(&mut self, answers: Vec<Answer>) {
        self.views.take(answers);
    }

    /// What is told with what is known; views that were never answered count as unread.
    pub fn finish(mut self) -> Decoded {
        self.views.close();
        self.settle();
        self.told.sort_by_key(|(event, _)| event.log);
        Decoded { events: self.told, unread: self.unread }
    }

    /// Tells the logs that can be told by now, and says what the others want.
    fn settle(&mut self) -> Vec<View> {
        let mut wanted = Vec::new();
        for at in std::mem::take(&mut self.open) {
            match self.tell(at, &mut wanted) {
                Settled::Told(telling, section) => {
                    self.unread += usize::from(telling.unread);
                    self.told.extend(telling.events.into_iter().map(|event| (event, section.to_owned())));
                }
                Settled::Left => {}
                Settled::Unread => self.unread += 1,
                Settled::Open => self.open.push(at),
            }
        }
        wanted
    }

    /// Tells a log by the first of its rows that does. While that is open, those behind it are told too, for what
    /// they want.
    fn tell(&self, at: usize, wanted: &mut Vec<View>) -> Settled<'a> {
        let Some(log) = self.transaction.logs.get(at) else { return Settled::Left };
        let Some(topic) = log.topics.first() else { return Settled::Left };
        let mut open = false;
        for row in self.table.rows_of(topic).filter(|row| row.described().holds(log)) {
            let scene = Scene {
                network: self.network,
                transaction: self.transaction,
                moves: &self.moves,
                views: &self.views,
                at,
                log,
                body: row.described().body(),
            };
            match row.tell(&scene, wanted) {
                Told::Missing => {}
                Told::Wanted => open = true,
                Told::Known(_) | Told::Unread if open => break,
                Told::Known(telling) => return Settled::Told(telling, row.section()),
                Told::Unread => return Settled::Unread,
            }
        }
        if open { Settled::Open } else { Settled::Left }
    }
}
