//! The views that a decoding has asked for, and what they answered.

use std::collections::HashMap;

use alloy::primitives::{Address, Bytes};

use crate::decoding::{Answer, View};

/// Views of one decoding. A transaction of a thousand logs wants two thousand; what is above is unread.
const VIEWS_MAX: usize = 4_096;

/// Answers by contract and calldata; `None` until there is one.
#[derive(Debug, Default)]
pub(crate) struct Views {
    known: HashMap<Address, HashMap<Bytes, Option<Answer>>>,
    count: usize,
    /// Asked, not yet answered.
    asked: Vec<View>,
    /// No more are asked: what is not known is unread.
    closed: bool,
}

impl Views {
    /// What a view answered; `None` where it is still to be asked or answered.
    pub(crate) fn answer(&self, to: Address, data: &[u8]) -> Option<&Answer> {
        match self.known.get(&to).and_then(|of| of.get(data)) {
            Some(Some(answer)) => Some(answer),
            None | Some(None) if self.closed => Some(&Answer::Unread),
            None if self.count >= VIEWS_MAX => Some(&Answer::Unread),
            None | Some(None) => None,
        }
    }

    /// Those of them that were not asked yet, in their order.
    pub(crate) fn ask(&mut self, wanted: Vec<View>) -> Vec<View> {
        let mut fresh = Vec::new();
        for view in wanted {
            let of = self.known.entry(view.to).or_default();
            if self.count < VIEWS_MAX && !of.contains_key(&view.data) {
                of.insert(view.data.clone(), None);
                self.count += 1;
                fresh.push(view);
            }
        }
        self.asked.extend(fresh.iter().cloned());
        fresh
    }

    /// Takes answers in the order of asking; those that are missing at the end are unread.
    pub(crate) fn take(&mut self, answers: Vec<Answer>) {
        let answers = answers.into_iter().chain(std::iter::repeat(Answer::Unread));
        for (view, answer) in self.asked.drain(..).zip(answers) {
            self.known.entry(view.to).or_default().insert(view.data, Some(answer));
        }
    }

    /// Nothing more will be answered.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }
}
