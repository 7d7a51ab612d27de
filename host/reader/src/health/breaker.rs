//! The breaker of one endpoint: open after faults, for longer each time, closed again by one probe.
//!
//! Invariant: while it is open, at most one probe at a time has the turn, and a turn that is never given back ends.

use std::time::Duration;

use tokio::time::Instant;

/// One may be chance, a second one bad luck.
const FAULTS_MAX: u32 = 3;
const OPEN_FOR: Duration = Duration::from_secs(5);
/// 5, 10, 20, 40, 80 seconds.
const DOUBLED_MAX: u32 = 4;
/// One that fails again so soon after its probe answers probes alone.
const STEADY_FROM: Duration = Duration::from_secs(60);
/// Where there is another one, that is asked first for a while.
const SHAKEN_FOR: Duration = Duration::from_secs(5);
/// An operator who corrects a wrong URL behind a name sees it in force after that.
const WRONG_CHAIN_FOR: Duration = Duration::from_secs(60);
/// A probe whose end is not told by then was given up.
const PROBE_FOR: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct Breaker {
    open: Option<Open>,
    /// In a row.
    faults: u32,
    fault_at: Option<Instant>,
    doubled: u32,
    closed_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    since: Instant,
    until: Instant,
    is_wrong_chain: bool,
    probed_at: Option<Instant>,
}

impl Breaker {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether the last request failed, and not long ago.
    pub(super) fn is_shaken(&self, now: Instant) -> bool {
        self.faults > 0 && self.fault_at.is_some_and(|at| now.saturating_duration_since(at) < SHAKEN_FOR)
    }

    pub(super) fn is_wrong_chain(&self) -> bool {
        self.open.is_some_and(|open| open.is_wrong_chain)
    }

    pub(super) fn may_probe(&mut self, now: Instant) -> bool {
        let Some(open) = &mut self.open else { return false };
        let is_taken = open.probed_at.is_some_and(|at| now.saturating_duration_since(at) < PROBE_FOR);
        if now < open.until || is_taken {
            return false;
        }
        open.probed_at = Some(now);
        true
    }

    /// A request that started then was answered; whether that closes it.
    pub(super) fn answered(&mut self, now: Instant, started: Option<Instant>, of_reads: bool) -> bool {
        if let Some(open) = self.open {
            // One that was under way when it opened has told what is known already.
            if started.is_none_or(|started| started < open.since) {
                return false;
            }
            *self = Self { closed_at: Some(now), doubled: self.doubled, ..Self::default() };
            return true;
        }
        if of_reads {
            self.faults = 0;
        }
        false
    }

    /// A request that started then failed by the endpoint's fault.
    pub(super) fn failed(&mut self, now: Instant, started: Option<Instant>, mostly: bool) {
        match self.open {
            Some(open) if now >= open.until && started.is_some_and(|started| started >= open.since) => {
                self.trip(now, self.doubled.saturating_add(1));
            }
            Some(_) => {}
            None => {
                self.faults = self.faults.saturating_add(1);
                self.fault_at = Some(now);
                if self.faults >= FAULTS_MAX || mostly {
                    let is_steady = self.closed_at.is_none_or(|at| now.saturating_duration_since(at) >= STEADY_FROM);
                    self.trip(now, if is_steady { 0 } else { self.doubled.saturating_add(1) });
                }
            }
        }
    }

    pub(super) fn wrong_chain(&mut self, now: Instant) {
        let until = now + WRONG_CHAIN_FOR;
        self.open = Some(Open { since: now, until, is_wrong_chain: true, probed_at: None });
    }

    fn trip(&mut self, now: Instant, doubled: u32) {
        self.doubled = doubled.min(DOUBLED_MAX);
        let until = now + OPEN_FOR * 2_u32.pow(self.doubled);
        self.open = Some(Open { since: now, until, is_wrong_chain: false, probed_at: None });
    }
}
