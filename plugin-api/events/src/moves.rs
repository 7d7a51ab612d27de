//! What ERC-20 tokens moved in a transaction: the neighbours by which a row finds a token or an amount.

use std::cmp::Ordering;

use alloy::primitives::{Address, B256, U256, b256};

use crate::log::{Log, Transaction};
use crate::shape::Leaf;

/// `Transfer(address,address,uint256)` (<https://eips.ethereum.org/EIPS/eip-20>).
const TRANSFER: B256 = b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

/// A transfer of an ERC-20 token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// Place of its log.
    log: usize,
    pub(crate) token: Address,
    from: Address,
    to: Address,
    pub(crate) amount: U256,
}

/// What is asked of a neighbour; any where `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sought {
    pub(crate) from: Option<Address>,
    pub(crate) to: Option<Address>,
    pub(crate) amount: Option<U256>,
    pub(crate) token: Option<Address>,
}

/// Transfers of its kind that are looked at to either side of a log: neighbours, not all of a transaction that makes
/// thousands for the sake of it.
const NEIGHBOURS_MAX: usize = 256;

/// The transfers of a transaction.
#[derive(Debug)]
pub(crate) struct Moves {
    in_order: Vec<Move>,
    /// By amount, and then in the order of logs: most questions know the amount.
    by_amount: Vec<Move>,
}

impl Moves {
    pub(crate) fn of(transaction: &Transaction) -> Self {
        let moves = transaction.logs.iter().enumerate().filter_map(|(place, log)| Move::of(place, log));
        let in_order: Vec<_> = moves.collect();
        let mut by_amount = in_order.clone();
        by_amount.sort_by_key(|found| (found.amount, found.log));
        Self { in_order, by_amount }
    }

    /// What is made of the nearest that is like it, by the order of logs. None where there is none, or where two that
    /// are equally near are of two tokens or make two things.
    pub(crate) fn nearest<T: PartialEq>(&self, log: usize, sought: Sought, make: fn(&Move) -> T) -> Option<T> {
        let candidates = match sought.amount {
            Some(amount) => within(&self.by_amount, |found| found.amount.cmp(&amount)),
            None => &self.in_order,
        };
        let is_like = |found: &&Move| found.is_like(&sought);
        let (before, after) = candidates.split_at(candidates.partition_point(|found| found.log < log));
        let before = before.iter().rev().take(NEIGHBOURS_MAX).find(is_like);
        let after = after.iter().filter(|found| found.log != log).take(NEIGHBOURS_MAX).find(is_like);
        let (one, other) = match (before, after) {
            (Some(before), Some(after)) => match before.log.abs_diff(log).cmp(&after.log.abs_diff(log)) {
                Ordering::Less => (before, before),
                Ordering::Equal => (before, after),
                Ordering::Greater => (after, after),
            },
            (one, other) => one.or(other).map(|found| (found, found))?,
        };
        (one.token == other.token && make(one) == make(other)).then(|| make(one))
    }
}

/// The part of a sorted list that is equal.
fn within(sorted: &[Move], order: impl Fn(&Move) -> Ordering) -> &[Move] {
    let begin = sorted.partition_point(|found| order(found).is_lt());
    let end = sorted.partition_point(|found| order(found).is_le());
    sorted.get(begin..end).unwrap_or_default()
}

impl Move {
    /// With both parties indexed, or, as early tokens have it, with nothing.
    fn of(place: usize, log: &Log) -> Option<Self> {
        if log.topics.first() != Some(&TRANSFER) {
            return None;
        }
        let word = |data: &[u8; 32]| B256::from(*data);
        let [from, to, amount] = match (log.topics.as_slice(), log.data.as_chunks()) {
            ([_, from, to], ([amount], [])) => [*from, *to, word(amount)],
            ([_], ([from, to, amount], [])) => [from, to, amount].map(word),
            _ => return None,
        };
        let party = |word: B256| Leaf::Address.holds(&word).then(|| Address::from_word(word));
        Some(Self { log: place, token: log.address, from: party(from)?, to: party(to)?, amount: amount.into() })
    }

    fn is_like(&self, sought: &Sought) -> bool {
        sought.from.is_none_or(|from| from == self.from)
            && sought.to.is_none_or(|to| to == self.to)
            && sought.amount.is_none_or(|amount| amount == self.amount)
            && sought.token.is_none_or(|token| token == self.token)
    }
}
