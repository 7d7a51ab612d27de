//! What the reads of a flight ask, kept for as long as their block: without what they share with the one before.
//!
//! Invariant: a place asks what the read asked that stood there.

use alloy::primitives::{Address, Bytes};

use crate::{Kind, Read};

/// By place.
#[derive(Debug)]
pub(super) struct Questions {
    targets: Vec<Address>,
    /// The first place of each row of reads that differ in nothing but their target, with its read.
    rows: Vec<(u32, Read)>,
}

impl Questions {
    pub(super) fn of(reads: &[Read]) -> Self {
        let mut rows: Vec<(u32, Read)> = Vec::new();
        for (place, read) in (0..).zip(reads) {
            if rows.last().is_none_or(|(_, first)| rest(first) != rest(read)) {
                rows.push((place, read.clone()));
            }
        }
        Self { targets: reads.iter().map(|read| read.to).collect(), rows }
    }

    /// The first read of each row.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &Read> {
        self.rows.iter().map(|(_, first)| first)
    }

    pub(super) fn asks(&self, place: usize, read: &Read) -> bool {
        self.at(place).is_some_and(|(target, first)| *target == read.to && rest(first) == rest(read))
    }

    /// What asks the same as the read that stood at this place.
    pub(super) fn read(&self, place: usize) -> Option<Read> {
        self.at(place).map(|(target, first)| Read { to: *target, ..first.clone() })
    }

    fn at(&self, place: usize) -> Option<(&Address, &Read)> {
        let target = self.targets.get(place)?;
        let later = self.rows.partition_point(|(first, _)| usize::try_from(*first).is_ok_and(|first| first <= place));
        Some((target, &self.rows.get(later.checked_sub(1)?)?.1))
    }
}

/// What is asked of the target.
fn rest(read: &Read) -> (&Bytes, Kind, Option<Address>, bool, Option<u32>) {
    let (_, data, kind, from, isolated, gas_cap) = read.question();
    (data, kind, from, isolated, gas_cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_asks_what_stood_there() {
        let at = |target: u8, data: u8| Read::call(Address::repeat_byte(target), [data]);
        let reads = [
            at(1, 1),
            at(2, 1),
            at(2, 2),
            Read { isolated: true, ..at(3, 2) },
            Read { gas_cap: Some(7), ..at(3, 2) },
            Read { from: Some(Address::ZERO), ..at(3, 2) },
            Read { kind: Kind::CodeSize, ..at(3, 2) },
            Read { kind: Kind::CodeSize, ..at(4, 2) },
            at(1, 1),
        ];
        let questions = Questions::of(&reads);
        assert_eq!(questions.rows().len(), 7);
        for (place, own) in reads.iter().enumerate() {
            assert_eq!(questions.read(place).as_ref(), Some(own));
            for other in &reads {
                assert_eq!(questions.asks(place, other), own == other, "{place}: {other:?}");
            }
        }
        assert_eq!(questions.read(reads.len()), None);
        assert!(!questions.asks(reads.len(), &reads[8]));
    }
}
