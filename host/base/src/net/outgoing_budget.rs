//! The budget of one answer for requests to hosts that names or plugins refer to.

use std::collections::{BTreeSet, HashMap};

use parking_lot::Mutex;
use portolan_reader::Meter;

/// The HTTP requests of an answer to hosts that names or plugins refer to.
#[derive(Debug)]
pub struct OutgoingBudget {
    all: Meter,
    per_host_max: u64,
    by_host: Mutex<HashMap<String, u64>>,
    /// Requests that were counted once for the whole answer.
    once: Mutex<BTreeSet<String>>,
}

impl OutgoingBudget {
    pub fn new(max: u64, per_host_max: u64) -> Self {
        Self { all: Meter::new(max), per_host_max, by_host: Mutex::default(), once: Mutex::default() }
    }

    /// Takes a request; returns false if none is left.
    pub(crate) fn take(&self) -> bool {
        self.all.take(1)
    }

    /// Takes a request if `rest` are left after it; otherwise returns false.
    pub fn take_leaving(&self, rest: u64) -> bool {
        self.all.take_leaving(1, rest)
    }

    /// Takes a request unless one for the same `what` was taken before; returns false if none is left.
    pub(crate) fn take_once(&self, what: &str) -> bool {
        let mut once = self.once.lock();
        once.contains(what) || (self.take() && once.insert(what.to_owned()))
    }

    /// Takes a request to this host, in addition to `take`; returns false if none is left.
    pub fn take_of_host(&self, host: &str) -> bool {
        let mut by_host = self.by_host.lock();
        let made = by_host.entry(host.to_owned()).or_default();
        let is_left = *made < self.per_host_max;
        *made += u64::from(is_left);
        is_left
    }

    pub fn all(&self) -> &Meter {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_gets_no_more_than_its_part() {
        let outgoing = OutgoingBudget::new(3, 2);
        assert!(outgoing.take_of_host("a") && outgoing.take_of_host("a") && !outgoing.take_of_host("a"));
        assert!(outgoing.take_of_host("b"));
        assert!(outgoing.take() && outgoing.take() && outgoing.take() && !outgoing.take());
        assert_eq!((outgoing.all().used(), outgoing.all().max()), (3, 3));
        let outgoing = OutgoingBudget::new(3, 2);
        assert!(outgoing.take_leaving(2) && !outgoing.take_leaving(2) && outgoing.take_leaving(1) && outgoing.take());
        assert!(!OutgoingBudget::new(3, 2).take_leaving(4));
    }

    #[test]
    fn what_many_need_is_taken_once() {
        let outgoing = OutgoingBudget::new(2, 1);
        assert!(outgoing.take_once("a") && outgoing.take_once("a") && outgoing.take_once("b"));
        assert!(!outgoing.take_once("c") && !outgoing.take());
        assert!(outgoing.take_once("a"));
    }
}
