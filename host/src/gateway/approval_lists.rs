//! What was found of each account's approvals: tokens and spenders, and the blocks whose logs were searched for them.
//!
//! Invariant: lists and pairs are bounded. A list says which blocks it is of, so nothing that was not searched counts
//! as searched; blocks that a reorganisation may replace never do.

use std::collections::{BTreeSet, HashMap};

use alloy::primitives::Address;
use parking_lot::Mutex;
use portolan_reader::ApprovedPair;

/// Maximum number of lists, and of the pairs of all lists: some 30 MB.
const LISTS_MAX: usize = 10_000;
const ALL_PAIRS_MAX: usize = 500_000;
/// Maximum number of pairs of one list: of tokens that a token list has, and of others, which anybody can make.
const LISTED_MAX: usize = 1_000;
const OTHERS_MAX: usize = 300;
/// Maximum number of ranges of one list; the lowest are forgotten.
const RANGES_MAX: usize = 16;
/// Number of newest blocks that are searched again by the next answer, since they may be replaced.
pub(super) const UNSETTLED_BLOCKS: u64 = 128;

/// The approvals of one account on one network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ApprovalList {
    listed: BTreeSet<ApprovedPair>,
    others: BTreeSet<ApprovedPair>,
    /// True if pairs were left out.
    pub(super) is_cut: bool,
    /// Blocks that were searched, lowest first: ranges apart from each other, with both ends.
    searched: Vec<(u64, u64)>,
}

impl ApprovalList {
    /// Adds pairs; those of listed tokens have a bound of their own.
    pub(super) fn add(&mut self, pairs: impl IntoIterator<Item = ApprovedPair>, is_listed: impl Fn(Address) -> bool) {
        for pair in pairs {
            let (kept, most) = match is_listed(pair.0) {
                true => (&mut self.listed, LISTED_MAX),
                false => (&mut self.others, OTHERS_MAX),
            };
            let has_room = kept.len() < most;
            self.is_cut |= !has_room && !kept.contains(&pair);
            kept.extend(has_room.then_some(pair));
        }
    }

    /// Pairs of listed tokens first.
    pub(super) fn pairs(&self) -> impl Iterator<Item = ApprovedPair> {
        self.listed.iter().chain(&self.others).copied()
    }

    fn len(&self) -> usize {
        self.listed.len() + self.others.len()
    }

    /// Notes that the blocks from one to another were searched.
    pub(super) fn note(&mut self, from: u64, to: u64) {
        let (mut from, mut to) = (from, to);
        self.searched.retain(|(low, high)| {
            let is_apart = *high < from.saturating_sub(1) || *low > to.saturating_add(1);
            if !is_apart {
                (from, to) = (from.min(*low), to.max(*high));
            }
            is_apart
        });
        self.searched.push((from, to));
        self.searched.sort_unstable();
        let excess = self.searched.len().saturating_sub(RANGES_MAX);
        self.searched.drain(..excess);
    }

    /// Returns the ranges up to a block that were not searched, highest first.
    pub(super) fn gaps(&self, to: u64) -> Vec<(u64, u64)> {
        let (mut gaps, mut next) = (Vec::new(), Some(to));
        for (low, high) in self.searched.iter().rev() {
            let Some(top) = next else { break };
            if *low > top {
                continue;
            }
            gaps.extend((*high < top).then(|| (high + 1, top)));
            next = low.checked_sub(1);
        }
        gaps.extend(next.map(|top| (0, top)));
        gaps
    }

    /// Returns the list without the blocks above this one; the pairs stay, since they are hints.
    fn settled(mut self, highest: Option<u64>) -> Self {
        let highest =
            highest.map(|highest| move |(low, high): (u64, u64)| (low <= highest).then(|| (low, high.min(highest))));
        self.searched = highest.map_or_else(Vec::new, |cut| self.searched.into_iter().filter_map(cut).collect());
        self
    }
}

/// The lists of all accounts that were asked about lately.
#[derive(Debug, Default)]
pub(super) struct ApprovalLists(Mutex<Lists>);

#[derive(Debug, Default)]
struct Lists {
    /// By chain id and account; each with when it was used, as a count.
    lists: HashMap<(u64, Address), (u64, ApprovalList)>,
    uses: u64,
    pairs: usize,
}

impl ApprovalLists {
    pub(super) fn get(&self, chain_id: u64, account: Address) -> ApprovalList {
        let mut lists = self.0.lock();
        lists.uses += 1;
        let uses = lists.uses;
        let known = lists.lists.get_mut(&(chain_id, account));
        known.map_or_else(ApprovalList::default, |(used, list)| {
            *used = uses;
            list.clone()
        })
    }

    /// Keeps what an answer at a block has found, without the blocks that may be replaced.
    pub(super) fn keep(&self, chain_id: u64, account: Address, list: ApprovalList, head: u64) {
        let list = list.settled(head.checked_sub(UNSETTLED_BLOCKS));
        let mut lists = self.0.lock();
        lists.uses += 1;
        lists.pairs += list.len();
        let entry = (lists.uses, list);
        if let Some((_, before)) = lists.lists.insert((chain_id, account), entry) {
            lists.pairs -= before.len();
        }
        while lists.lists.len() > LISTS_MAX || lists.pairs > ALL_PAIRS_MAX {
            let Some(oldest) = lists.lists.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| *key) else {
                break;
            };
            let gone = lists.lists.remove(&oldest).map_or(0, |(_, list)| list.len());
            lists.pairs -= gone;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPENDER: Address = Address::repeat_byte(0x5e);
    const ACCOUNT: Address = Address::repeat_byte(0xac);

    fn pair(number: u16) -> ApprovedPair {
        (Address::left_padding_from(&number.to_be_bytes()), SPENDER)
    }

    fn searched(ranges: &[(u64, u64)]) -> ApprovalList {
        let mut list = ApprovalList::default();
        ranges.iter().for_each(|(from, to)| list.note(*from, *to));
        list
    }

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(searched(&[(10, 20), (30, 40), (21, 29)]).searched, [(10, 40)]);
        assert_eq!(searched(&[(10, 20), (22, 40)]).searched, [(10, 20), (22, 40)]);
        assert_eq!(searched(&[(10, 20), (0, 50), (12, 13)]).searched, [(0, 50)]);
    }

    #[test]
    fn what_was_not_searched_comes_highest_first() {
        let list = searched(&[(10, 20), (30, 40)]);
        assert_eq!(list.gaps(50), [(41, 50), (21, 29), (0, 9)]);
        assert_eq!(list.gaps(35), [(21, 29), (0, 9)]);
        assert_eq!(list.gaps(25), [(21, 25), (0, 9)]);
        assert_eq!(list.gaps(5), [(0, 5)]);
        assert!(searched(&[(0, 40)]).gaps(40).is_empty());
        assert_eq!(ApprovalList::default().gaps(7), [(0, 7)]);
    }

    #[test]
    fn blocks_that_may_be_replaced_are_searched_again() {
        let lists = ApprovalLists::default();
        lists.keep(1, ACCOUNT, searched(&[(100, 1_000)]), 1_000);
        assert_eq!(lists.get(1, ACCOUNT).gaps(1_000), [(873, 1_000), (0, 99)]);
        lists.keep(1, ACCOUNT, searched(&[(0, 100)]), 100);
        assert_eq!(lists.get(1, ACCOUNT).gaps(100), [(0, 100)], "a short chain has no settled block");
        assert_eq!(lists.get(10, ACCOUNT), ApprovalList::default());
    }

    #[test]
    fn a_flood_of_other_tokens_hides_no_listed_one() {
        let mut list = ApprovalList::default();
        list.add((0..5_000).map(pair), |token| token == pair(4_999).0);
        assert_eq!((list.pairs().count(), list.is_cut), (OTHERS_MAX + 1, true));
        assert_eq!(list.pairs().next(), Some(pair(4_999)));
    }

    #[test]
    fn the_list_that_was_not_used_for_longest_is_forgotten() {
        let (lists, of) = (ApprovalLists::default(), |number: u16| pair(number).0);
        for number in 0..u16::try_from(LISTS_MAX).unwrap() {
            lists.keep(1, of(number), searched(&[(0, 9)]), 1_000);
        }
        lists.get(1, of(0));
        lists.keep(1, ACCOUNT, searched(&[(0, 9)]), 1_000);
        assert_eq!(lists.get(1, of(1)), ApprovalList::default());
        assert_eq!(lists.get(1, of(0)), searched(&[(0, 9)]));
    }
}
