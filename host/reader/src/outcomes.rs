//! What became of the reads of a batch, by place. Most come to a word of zero, which takes no room of its own.

use alloy::primitives::Bytes;

use crate::{Outcome, packed};

/// What most reads come to.
static ZERO: Outcome = Outcome::Ok(Bytes::from_static(&packed::ZERO));

/// Outcomes by place, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    slots: Vec<Slot>,
    told: Vec<Outcome>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    Open,
    Zero,
    /// A place in `told`.
    Told(u32),
}

impl Outcomes {
    /// Of so many reads, none of which was told.
    pub(crate) fn open(reads: usize) -> Self {
        Self { slots: vec![Slot::Open; reads], told: Vec::new() }
    }

    /// `None` where it is open.
    pub(crate) fn get(&self, place: usize) -> Option<&Outcome> {
        match *self.slots.get(place)? {
            Slot::Open => None,
            Slot::Zero => Some(&ZERO),
            Slot::Told(told) => self.told.get(usize::try_from(told).ok()?),
        }
    }

    pub(crate) fn put(&mut self, place: usize, outcome: Outcome) {
        self.slots[place] = self.slot(outcome);
    }

    pub(crate) fn put_zero(&mut self, place: usize) {
        self.slots[place] = Slot::Zero;
    }

    /// Whatever was told there.
    pub(crate) fn take_back(&mut self, place: usize) {
        self.slots[place] = Slot::Open;
    }

    /// Nothing is open any more.
    pub(crate) fn close(&mut self, outcome: Outcome) {
        let slot = self.slot(outcome);
        self.slots.iter_mut().filter(|open| matches!(open, Slot::Open)).for_each(|open| *open = slot);
    }

    /// Those that were told and are no word of zero, with their places.
    pub(crate) fn besides_zeros(&self) -> impl Iterator<Item = (usize, &Outcome)> {
        let told = |(place, slot): (usize, &Slot)| match slot {
            Slot::Told(_) => self.get(place).map(|outcome| (place, outcome)),
            Slot::Open | Slot::Zero => None,
        };
        self.slots.iter().enumerate().filter_map(told)
    }

    fn slot(&mut self, outcome: Outcome) -> Slot {
        if outcome == ZERO {
            return Slot::Zero;
        }
        // There is no memory for more than this counts.
        let told = u32::try_from(self.told.len()).unwrap_or(u32::MAX);
        self.told.push(outcome);
        Slot::Told(told)
    }
}

#[cfg(test)]
impl From<Vec<Outcome>> for Outcomes {
    fn from(all: Vec<Outcome>) -> Self {
        let mut outcomes = Self::open(all.len());
        all.into_iter().enumerate().for_each(|(place, outcome)| outcomes.put(place, outcome));
        outcomes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadFailure;

    #[test]
    fn each_place_tells_what_was_put_last() {
        let word = |last: u8| Outcome::Ok([&[0; 31][..], &[last]].concat().into());
        let mut outcomes = Outcomes::open(6);
        outcomes.put(0, word(1));
        outcomes.put(1, word(0));
        outcomes.put_zero(2);
        outcomes.put(3, Outcome::Ok(vec![0; 31].into()));
        outcomes.put(4, word(2));
        outcomes.take_back(4);
        let told = |outcomes: &Outcomes| (0..7).map(|place| outcomes.get(place).cloned()).collect::<Vec<_>>();
        let known = [Some(word(1)), Some(word(0)), Some(word(0)), Some(Outcome::Ok(vec![0; 31].into()))];
        assert_eq!(told(&outcomes), [&known[..], &[None, None, None]].concat());
        outcomes.put(1, word(3));
        let failed = Outcome::Failed(ReadFailure::Timeout);
        outcomes.close(failed.clone());
        let besides: Vec<_> = outcomes.besides_zeros().map(|(place, outcome)| (place, outcome.clone())).collect();
        let short = Outcome::Ok(vec![0; 31].into());
        assert_eq!(besides, [(0, word(1)), (1, word(3)), (3, short), (4, failed.clone()), (5, failed)]);
    }
}
