//! The pause of an endpoint that throttles: as long as it asked for, or else longer each time.
//!
//! Invariant: an endpoint that refuses some requests and answers others at the same time gets no pause, because it
//! still works at most of its rate. A requested wait is believed only up to what its refusals are seen to last.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Refusals in a row, with no answer between, that show that the endpoint stops rather than sheds load: one that
/// sheds a tenth does so by chance once in ten thousand.
pub(super) const REFUSED_IN_A_ROW: u32 = 4;
/// Pauses if the endpoint names no time: 1, 2, 4, 8, 16, 30 seconds.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const DOUBLINGS_MAX: u32 = 5;
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Maximum requested wait, so that a limit raised at the provider takes effect.
const REQUESTED_MAX: Duration = Duration::from_secs(60);
/// Number of spells of refusals whose length is remembered.
const SPELLS_MAX: usize = 8;
/// A wait is at most this many times as long as refusals were seen to last.
const SPELL_FACTOR: u32 = 2;

#[derive(Debug, Default)]
pub(super) struct ThrottlePause {
    since: Option<Instant>,
    until: Option<Instant>,
    /// Pauses in a row for which the endpoint named no time.
    unspecified: u32,
    spell: Option<Spell>,
    /// Lengths of the last spells of refusals, until an answer.
    spells: VecDeque<Duration>,
}

/// Refused requests in a row.
#[derive(Clone, Copy, Debug)]
struct Spell {
    since: Instant,
    refused: u32,
}

impl ThrottlePause {
    pub(super) fn until(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| now < *until)
    }

    /// Counts a throttled request, with the wait that the endpoint asked for.
    pub(super) fn on_throttled(&mut self, now: Instant, started: Option<Instant>, wait: Option<Duration>) {
        let spell = self.spell.get_or_insert(Spell { since: now, refused: 0 });
        spell.refused = spell.refused.saturating_add(1);
        let spell = *spell;
        if spell.refused < REFUSED_IN_A_ROW {
            return;
        }
        let wait = match wait.filter(|wait| !wait.is_zero()) {
            Some(requested) => requested.min(REQUESTED_MAX).min(self.believed(now, spell)),
            // The request was under way when the pause began.
            None if self.since.is_some_and(|since| started.is_none_or(|started| started < since)) => return,
            None => {
                let doublings = self.unspecified.min(DOUBLINGS_MAX);
                self.unspecified = self.unspecified.saturating_add(1);
                (PAUSE_MIN * 2_u32.pow(doublings)).min(PAUSE_MAX)
            }
        };
        self.since = Some(now);
        self.until = self.until.max(Some(now + wait));
    }

    /// Returns the longest wait that is believed: if earlier refusals ended sooner, not much longer than they lasted.
    fn believed(&self, now: Instant, spell: Spell) -> Duration {
        let Some(longest) = self.spells.iter().max() else { return REQUESTED_MAX };
        let lasts = (*longest).max(now.saturating_duration_since(spell.since));
        (lasts * SPELL_FACTOR).clamp(PAUSE_MIN, REQUESTED_MAX)
    }

    /// Counts a request that was answered.
    pub(super) fn on_success(&mut self, now: Instant, started: Option<Instant>) {
        let is_after = |since: Instant| started.is_some_and(|started| started >= since);
        if let Some(spell) = self.spell
            && is_after(spell.since)
        {
            if self.spells.len() == SPELLS_MAX {
                self.spells.pop_front();
            }
            self.spells.push_back(now.saturating_duration_since(spell.since));
        }
        self.spell = None;
        if self.until.is_some_and(is_after) {
            (self.since, self.until, self.unspecified) = Default::default();
        }
    }
}
