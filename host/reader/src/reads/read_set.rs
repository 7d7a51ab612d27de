//! The reads of one batch, stored compactly: each row of similar reads is stored once.
//!
//! Invariant: a place has the read that was put there, and two sets are equal if and only if their reads are.

use std::hash::Hash;
use std::ops::Range;

use alloy::primitives::{Address, Bytes};

use crate::{Kind, Read};

/// Reads by place. Consecutive reads that differ only in their target are stored as one read and one address each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSet {
    targets: Vec<Address>,
    /// First place and first read of each row of consecutive reads that differ only in their target.
    rows: Vec<(u32, Read)>,
}

/// All parts of a read but its freshness: reads with equal questions have the same reply at a block.
pub(crate) type Question<'a> = (Address, &'a Bytes, Kind, Option<Address>, bool, Option<u32>);

/// A read of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadRef<'a> {
    pub(crate) to: Address,
    /// A read that differs at most in its target.
    pub(crate) like: &'a Read,
}

impl<'a> ReadRef<'a> {
    pub(crate) fn question(self) -> Question<'a> {
        let Read { kind, to: _, data, from, freshness: _, isolated, gas_cap } = self.like;
        (self.to, data, *kind, *from, *isolated, *gas_cap)
    }

    /// Copies the read; the calldata stays shared.
    pub(crate) fn to_read(self) -> Read {
        Read { to: self.to, ..self.like.clone() }
    }
}

impl<'a> From<&'a Read> for ReadRef<'a> {
    fn from(read: &'a Read) -> Self {
        Self { to: read.to, like: read }
    }
}

impl ReadSet {
    pub const fn new() -> Self {
        Self { targets: Vec::new(), rows: Vec::new() }
    }

    /// Makes an empty set with room for the targets of this many reads.
    pub fn with_capacity(reads: usize) -> Self {
        Self { targets: Vec::with_capacity(reads), rows: Vec::new() }
    }

    /// Makes the same read of each of these targets.
    pub fn of_each(targets: Vec<Address>, read: Read) -> Self {
        let rows = targets.first().map(|first| (0, Read { to: *first, ..read })).into_iter().collect();
        Self { targets, rows }
    }

    pub fn len(&self) -> usize {
        self.targets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns copies of the reads, in order.
    pub fn iter(&self) -> impl Iterator<Item = Read> {
        self.refs().map(ReadRef::to_read)
    }

    /// Appends all reads of another set.
    pub(crate) fn append(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        let behind = count(self.targets.len());
        let mut rows = other.rows.into_iter().peekable();
        // The first row may continue the last one of this set.
        let _alike = rows.next_if(|(_, next)| self.rows.last().is_some_and(|(_, last)| is_alike(last, next)));
        self.rows.extend(rows.map(|(first, read)| (first + behind, read)));
        self.targets.extend(other.targets);
    }

    pub fn push(&mut self, read: Read) {
        let place = count(self.targets.len());
        self.targets.push(read.to);
        if self.rows.last().is_none_or(|(_, first)| !is_alike(first, &read)) {
            self.rows.push((place, read));
        }
    }

    /// Appends a read of each of these targets.
    pub(crate) fn push_row(&mut self, read: &Read, targets: &[Address]) {
        let Some(to) = targets.first() else { return };
        if self.rows.last().is_none_or(|(_, last)| !is_alike(last, read)) {
            self.rows.push((count(self.targets.len()), Read { to: *to, ..read.clone() }));
        }
        self.targets.extend_from_slice(targets);
    }

    /// Returns the reads, in order.
    pub(crate) fn refs(&self) -> impl Iterator<Item = ReadRef<'_>> + Clone {
        self.rows().flat_map(|(places, like)| self.targets[places].iter().map(move |to| ReadRef { to: *to, like }))
    }

    /// Returns each row of consecutive reads that differ only in their target: its places, and one of its reads.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (Range<usize>, &Read)> + Clone {
        self.rows.iter().enumerate().map(|(row, (_, read))| (self.places(row), read))
    }

    /// Returns the targets of the reads at these places, which must be in the set.
    pub fn targets(&self, places: Range<usize>) -> &[Address] {
        &self.targets[places]
    }

    pub(crate) fn get(&self, place: usize) -> Option<ReadRef<'_>> {
        (place < self.len()).then(|| self.at(place))
    }

    /// Returns the read at a place, which must be in the set.
    pub(crate) fn at(&self, place: usize) -> ReadRef<'_> {
        self.at_row(place, &self.rows[self.row_of(place)].1)
    }

    /// Returns the reads at these places, which must be rising and in the set.
    pub(crate) fn at_each<'a>(&'a self, places: &'a [usize]) -> impl Iterator<Item = ReadRef<'a>> + Clone {
        self.by_row(places).flat_map(move |(like, places)| places.iter().map(move |place| self.at_row(*place, like)))
    }

    /// Groups these places, which must be rising and in the set, by row, each with one of the row's reads.
    pub(crate) fn by_row<'a>(&'a self, places: &'a [usize]) -> impl Iterator<Item = (&'a Read, &'a [usize])> + Clone {
        let (mut row, mut rest) = (0, places);
        std::iter::from_fn(move || {
            let first = *rest.first()?;
            if !self.is_in(first, row) {
                row = if self.is_in(first, row + 1) { row + 1 } else { self.row_of(first) };
            }
            let end = self.places(row).end;
            let count = match rest.get(1) {
                Some(second) if *second < end => rest.partition_point(|place| *place < end),
                _ => 1,
            };
            let (own, behind) = rest.split_at(count);
            rest = behind;
            Some((&self.rows[row].1, own))
        })
    }

    /// Returns the target of the read at a place, which must be in the set.
    pub(crate) fn target(&self, place: usize) -> Address {
        self.targets[place]
    }

    /// Returns the reads at these places, as a set.
    pub(crate) fn pick(&self, places: impl Iterator<Item = usize>) -> Self {
        let mut picked = Self::default();
        places.for_each(|place| picked.push_ref(self.at(place)));
        picked
    }

    fn push_ref(&mut self, read: ReadRef<'_>) {
        match self.rows.last() {
            Some((_, first)) if is_alike(first, read.like) => self.targets.push(read.to),
            _ => self.push(read.to_read()),
        }
    }

    /// Returns the read at a place of the row that has this read.
    pub(crate) fn at_row<'a>(&self, place: usize, like: &'a Read) -> ReadRef<'a> {
        ReadRef { to: self.targets[place], like }
    }

    fn is_in(&self, place: usize, row: usize) -> bool {
        self.places(row).contains(&place)
    }

    fn row_of(&self, place: usize) -> usize {
        self.rows.partition_point(|(first, _)| index(*first) <= place).saturating_sub(1)
    }

    /// Returns the places of a row; empty if there is no such row.
    fn places(&self, row: usize) -> Range<usize> {
        let first = |row: usize| self.rows.get(row).map_or(self.targets.len(), |(first, _)| index(*first));
        first(row)..first(row + 1)
    }
}

impl Extend<Read> for ReadSet {
    fn extend<T: IntoIterator<Item = Read>>(&mut self, reads: T) {
        let reads = reads.into_iter();
        self.targets.reserve(reads.size_hint().0);
        reads.for_each(|read| self.push(read));
    }
}

impl FromIterator<Read> for ReadSet {
    fn from_iter<T: IntoIterator<Item = Read>>(reads: T) -> Self {
        let mut set = Self::default();
        set.extend(reads);
        set
    }
}

impl From<Vec<Read>> for ReadSet {
    fn from(reads: Vec<Read>) -> Self {
        reads.into_iter().collect()
    }
}

/// Returns what the reads of a row share, but for their freshness.
pub(crate) fn shared(read: &Read) -> impl Hash {
    let (_, data, kind, from, isolated, gas_cap) = ReadRef::from(read).question();
    (data, kind, from, isolated, gas_cap)
}

/// Returns true if the reads differ at most in their target.
fn is_alike(one: &Read, other: &Read) -> bool {
    let Read { kind, to: _, data, from, freshness, isolated, gas_cap } = one;
    let shared = (*kind, *from, *freshness, *isolated, *gas_cap);
    shared == (other.kind, other.from, other.freshness, other.isolated, other.gas_cap) && *data == other.data
}

/// Converts the number of a read or a flight; memory cannot hold more of them than `u32` counts.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(crate) fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Freshness;

    fn read(target: u8, data: u8) -> Read {
        Read::call(Address::repeat_byte(target), [data])
    }

    fn reads() -> [Read; 10] {
        [
            read(1, 1),
            read(2, 1),
            read(2, 2),
            read(2, 2).fresh(Freshness::Immutable),
            Read { isolated: true, ..read(3, 2) },
            Read { gas_cap: Some(7), ..read(3, 2) },
            Read { from: Some(Address::ZERO), ..read(3, 2) },
            Read { kind: Kind::CodeSize, ..read(3, 2) },
            Read { kind: Kind::CodeSize, ..read(4, 2) },
            read(1, 1),
        ]
    }

    #[test]
    fn each_place_reads_what_was_put_there() {
        let set: ReadSet = reads().into_iter().collect();
        assert_eq!((set.len(), set.rows().len()), (10, 8));
        assert!(set.iter().eq(reads()));
        for (place, own) in reads().iter().enumerate() {
            assert_eq!(set.at(place).to_read(), *own);
            for other in &reads() {
                let is_same =
                    Read { freshness: Freshness::Pinned, ..own.clone() } == other.clone().fresh(Freshness::Pinned);
                let other = ReadRef::from(other).question();
                assert_eq!(set.at(place).question() == other, is_same, "{place}: {other:?}");
            }
        }
    }

    #[test]
    fn some_of_a_set_are_a_set() {
        let (all, set) = (reads(), ReadSet::from(reads().to_vec()));
        for places in [vec![], vec![0], vec![0, 1, 2], vec![9, 8, 7, 2], vec![1, 1, 5], (0..10).collect::<Vec<_>>()] {
            let expected: ReadSet = places.iter().map(|place| all[*place].clone()).collect();
            assert_eq!(set.pick(places.iter().copied()), expected, "{places:?}");
        }
    }

    #[test]
    fn sets_are_joined_as_if_their_reads_had_been() {
        let mut by_rows = ReadSet::new();
        let set = ReadSet::from(reads().to_vec());
        set.rows().for_each(|(places, like)| by_rows.push_row(like, set.targets(places)));
        assert_eq!(by_rows, set);
        for middle in 0..10 {
            let (before, behind) = (reads()[..middle].to_vec(), reads()[middle..].to_vec());
            let mut set = ReadSet::from(before);
            set.append(behind.into());
            assert_eq!(set, ReadSet::from(reads().to_vec()), "{middle}");
        }
    }

    #[test]
    fn one_read_of_many_targets_is_one_row() {
        let targets: Vec<Address> = (0..99).map(Address::repeat_byte).collect();
        let set = ReadSet::of_each(targets.clone(), read(7, 1));
        assert_eq!(set.rows().len(), 1);
        assert_eq!(set, targets.into_iter().map(|to| Read { to, ..read(7, 1) }).collect());
        assert_eq!(ReadSet::of_each(Vec::new(), read(7, 1)), ReadSet::default());
    }
}
