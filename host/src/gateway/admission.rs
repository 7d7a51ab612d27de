//! Limits how many answers are in flight, in total and per client.
//!
//! Invariant: an answer about several accounts counts as one for each. A client is admitted only while it has fewer than three answers in flight for each free slot, so that a
//! client alone leaves about a quarter of the slots free.

use std::sync::Arc;

use metrics::counter;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clients::usage::{LimitReached, whole_seconds};
use crate::gateway::problem::Problem;
use crate::log::RareLog;
use crate::memory::Memory;
use portolan_base::client_share::{ClientShare, CountedAnswers};

/// Answers that a client may have per free slot. A client alone gets three quarters of all slots; the more the others
/// use, the fewer it gets.
const FOR_EACH_FREE: usize = 3;

/// Admits answers. One instance per process.
pub(super) struct Admission {
    answers: Arc<Semaphore>,
    max: usize,
    memory: Arc<Memory>,
    refused: RareLog,
}

/// Permission to read chains for an answer, held while the answer is in flight.
#[derive(Debug)]
pub(crate) struct Admitted {
    _of_all: OwnedSemaphorePermit,
    _of_client: CountedAnswers,
}

impl Admission {
    pub(super) fn new(max: usize, memory: Arc<Memory>) -> Self {
        Self { answers: Arc::new(Semaphore::new(max)), max, memory, refused: RareLog::default() }
    }

    /// Admits an answer of a client that counts as this many. No answer counts as more than half of all slots, so that
    /// an idle gateway admits each.
    ///
    /// # Errors
    /// Returns [`Problem::TooManyRequests`] if the client has as many answers as it may, or has used its reads of the
    /// day; and [`Problem::Overloaded`] if there are too few free slots, or if memory is short.
    pub(super) fn acquire(&self, client: &Arc<ClientShare>, count: usize) -> Result<Admitted, Problem> {
        let count = count.clamp(1, (self.max / 2).max(1)).min(client.answers_max());
        if let Some((0, until)) = client.reads_left() {
            return Err(Problem::TooManyRequests { limit: LimitReached::Reads, retry_s: whole_seconds(until) });
        }
        if client.answers_left().is_some_and(|left| left < count) {
            return Err(Problem::TooManyRequests { limit: LimitReached::Answers, retry_s: 1 });
        }
        let admitted = if self.memory.refuses() { None } else { self.find_room(client, count) };
        admitted.ok_or_else(|| {
            counter!("portolan_answers_shed_total").increment(1);
            Problem::Overloaded
        })
    }

    fn find_room(&self, client: &Arc<ClientShare>, count: usize) -> Option<Admitted> {
        // What would be free for the last of them, if they came one after the other.
        let free = (self.answers.available_permits() + 1).saturating_sub(count);
        let of_client = client.count_answers(count, free * FOR_EACH_FREE);
        let of_all = Arc::clone(&self.answers).try_acquire_many_owned(u32::try_from(count).unwrap_or(u32::MAX)).ok();
        let admitted =
            of_client.zip(of_all).map(|(of_client, of_all)| Admitted { _of_all: of_all, _of_client: of_client });
        if admitted.is_none() {
            let in_flight_max = self.max;
            self.refused.warn(|shed, seconds| {
                tracing::warn!(shed, seconds, in_flight_max, "answers are refused: too many are under way");
            });
        }
        admitted
    }

    /// Number of answers in flight, and its maximum.
    pub(super) fn in_flight(&self) -> (usize, usize) {
        (self.max.saturating_sub(self.answers.available_permits()), self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of answers that each client gets if they request as many as they can, one client after the other.
    fn admitted(max: usize, clients: usize) -> Vec<usize> {
        let admission = Admission::new(max, Memory::ample());
        let mut held = Vec::new();
        let of_client = |_| {
            let client = ClientShare::new(None);
            let before = held.len();
            held.extend(std::iter::from_fn(|| admission.acquire(&client, 1).ok()));
            held.len() - before
        };
        (0..clients).map(of_client).collect()
    }

    #[test]
    fn one_client_leaves_a_quarter_and_many_leave_some() {
        assert_eq!(admitted(256, 1), [192]);
        // Each gets at most three times what is left: 64, 16, 4 and 1.
        assert_eq!(admitted(256, 5), [192, 48, 12, 3, 1]);
        assert_eq!(admitted(1, 2), [1, 0]);
        assert_eq!(admitted(2, 1), [2]);
        assert_eq!(admitted(8, 3), [6, 2, 0]);
    }

    #[test]
    fn a_client_is_refused_at_its_own_limits() {
        let refusal =
            |client: &Arc<ClientShare>, count| match Admission::new(256, Memory::ample()).acquire(client, count) {
                Err(Problem::TooManyRequests { limit, retry_s }) => Some((limit, retry_s)),
                _ => None,
            };
        let client = ClientShare::new(None);
        client.limit(Some(2), Some(1_000));
        let held = Admission::new(256, Memory::ample()).acquire(&client, 5);
        assert!(held.is_ok(), "an answer about five counts as no more than two, or it could never be");
        assert_eq!(refusal(&client, 1), Some((LimitReached::Answers, 1)));
        drop(held);
        assert_eq!(refusal(&client, 1), None);
        client.charge_reads(1_000);
        let (limit, retry_s) = refusal(&client, 1).unwrap();
        assert!(limit == LimitReached::Reads && (1..=86_400).contains(&retry_s));
    }

    #[test]
    fn what_ends_makes_room() {
        let (admission, client) = (Admission::new(4, Memory::ample()), ClientShare::new(None));
        let mut held: Vec<_> = std::iter::from_fn(|| admission.acquire(&client, 1).ok()).collect();
        assert_eq!((held.len(), admission.in_flight()), (3, (3, 4)));
        assert_eq!(admission.acquire(&client, 1).err(), Some(Problem::Overloaded));
        held.pop();
        assert_eq!(admission.in_flight(), (2, 4));
        assert!(admission.acquire(&client, 1).is_ok());
    }

    #[test]
    fn an_answer_about_many_counts_as_one_for_each_up_to_half_of_all() {
        let (admission, client) = (Admission::new(256, Memory::ample()), ClientShare::new(None));
        let first = admission.acquire(&client, 100);
        assert_eq!((first.is_ok(), admission.in_flight()), (true, (100, 256)));
        // Alone, a client may have 192.
        assert_eq!(admission.acquire(&client, 93).err(), Some(Problem::Overloaded));
        assert_eq!(admission.in_flight(), (100, 256), "what is refused takes nothing");
        let second = admission.acquire(&client, 92);
        assert_eq!((second.is_ok(), admission.in_flight()), (true, (192, 256)));
        drop((first, second));
        assert_eq!(admission.in_flight(), (0, 256));
        let small = Admission::new(8, Memory::ample());
        let whole = small.acquire(&client, 100);
        assert_eq!((whole.is_ok(), small.in_flight()), (true, (4, 8)));
    }
}
