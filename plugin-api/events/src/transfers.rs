//! ERC-20 transfers of a transaction, which rows search for a token or an amount.

use std::cmp::Ordering;

use alloy::primitives::{Address, B256, U256, b256};

use crate::abi_type::WordType;
use crate::transaction::{Log, Transaction};

/// `Transfer(address,address,uint256)` (<https://eips.ethereum.org/EIPS/eip-20>).
const TRANSFER: B256 = b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

/// An ERC-20 transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    /// Position of its log.
    log: usize,
    pub(crate) token: Address,
    from: Address,
    to: Address,
    pub(crate) amount: U256,
}

/// Required fields of a transfer; `None` accepts anything.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TransferFilter {
    pub(crate) from: Option<Address>,
    pub(crate) to: Option<Address>,
    pub(crate) amount: Option<U256>,
    pub(crate) token: Option<Address>,
}

/// Transfers compared with a filter on each side of a log. Bounds the cost of transactions with thousands of transfers.
const COMPARED_MAX: usize = 256;

/// Transfers of a transaction.
#[derive(Debug)]
pub(crate) struct Transfers {
    by_log: Vec<Transfer>,
    /// Sorted by amount, then log: most filters have an amount.
    by_amount: Vec<Transfer>,
}

impl Transfers {
    pub(crate) fn of(transaction: &Transaction) -> Self {
        let transfers = transaction.logs.iter().enumerate().filter_map(|(log, of)| Transfer::of(log, of));
        let by_log: Vec<_> = transfers.collect();
        let mut by_amount = by_log.clone();
        by_amount.sort_by_key(|transfer| (transfer.amount, transfer.log));
        Self { by_log, by_amount }
    }

    /// Returns a field of the nearest transfer that passes the filter. `None` if there is none, or if two equally near
    /// ones differ in token or field.
    pub(crate) fn nearest<T: PartialEq>(
        &self,
        log: usize,
        filter: TransferFilter,
        field: fn(&Transfer) -> T,
    ) -> Option<T> {
        let candidates = match filter.amount {
            Some(amount) => equal_range(&self.by_amount, |transfer| transfer.amount.cmp(&amount)),
            None => &self.by_log,
        };
        let passes = |transfer: &&Transfer| transfer.passes(&filter);
        let (before, after) = candidates.split_at(candidates.partition_point(|transfer| transfer.log < log));
        let before = before.iter().rev().take(COMPARED_MAX).find(passes);
        let after = after.iter().filter(|transfer| transfer.log != log).take(COMPARED_MAX).find(passes);
        let (one, other) = match (before, after) {
            (Some(before), Some(after)) => match before.log.abs_diff(log).cmp(&after.log.abs_diff(log)) {
                Ordering::Less => (before, before),
                Ordering::Equal => (before, after),
                Ordering::Greater => (after, after),
            },
            (one, other) => one.or(other).map(|found| (found, found))?,
        };
        (one.token == other.token && field(one) == field(other)).then(|| field(one))
    }
}

/// Returns the equal range of a sorted list.
fn equal_range(sorted: &[Transfer], order: impl Fn(&Transfer) -> Ordering) -> &[Transfer] {
    let begin = sorted.partition_point(|transfer| order(transfer).is_lt());
    let end = sorted.partition_point(|transfer| order(transfer).is_le());
    sorted.get(begin..end).unwrap_or_default()
}

impl Transfer {
    /// Parses a transfer. Either both parties are indexed or, as in early tokens, nothing is.
    fn of(position: usize, log: &Log) -> Option<Self> {
        if log.topics.first() != Some(&TRANSFER) {
            return None;
        }
        let word = |data: &[u8; 32]| B256::from(*data);
        let [from, to, amount] = match (log.topics.as_slice(), log.data.as_chunks()) {
            ([_, from, to], ([amount], [])) => [*from, *to, word(amount)],
            ([_], ([from, to, amount], [])) => [from, to, amount].map(word),
            _ => return None,
        };
        let party = |word: B256| WordType::Address.holds(&word).then(|| Address::from_word(word));
        Some(Self { log: position, token: log.address, from: party(from)?, to: party(to)?, amount: amount.into() })
    }

    fn passes(&self, filter: &TransferFilter) -> bool {
        filter.from.is_none_or(|from| from == self.from)
            && filter.to.is_none_or(|to| to == self.to)
            && filter.amount.is_none_or(|amount| amount == self.amount)
            && filter.token.is_none_or(|token| token == self.token)
    }
}
