//! Limits how many answers are in flight, in total and per client.
//!
//! Invariant: a client is admitted only while it has fewer than three answers in flight for each free slot, so that a
//! client alone leaves about a quarter of the slots free.

use std::sync::Arc;

use metrics::counter;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::gateway::problem::Problem;
use crate::log::RareLog;
use crate::memory::Memory;
use portolan_base::client_share::{ClientShare, CountedAnswer};

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

/// Permission to read chains for one answer, held while the answer is in flight.
#[derive(Debug)]
pub(crate) struct Admitted {
    _one: OwnedSemaphorePermit,
    _of_client: CountedAnswer,
}

impl Admission {
    pub(super) fn new(max: usize, memory: Arc<Memory>) -> Self {
        Self { answers: Arc::new(Semaphore::new(max)), max, memory, refused: RareLog::default() }
    }

    /// Admits an answer of a client.
    ///
    /// # Errors
    /// Returns [`Problem::Overloaded`] if there is no free slot, or if memory is short.
    pub(super) fn acquire(&self, client: &Arc<ClientShare>) -> Result<Admitted, Problem> {
        let admitted = if self.memory.refuses() { None } else { self.find_room(client) };
        admitted.ok_or_else(|| {
            counter!("portolan_answers_shed_total").increment(1);
            Problem::Overloaded
        })
    }

    fn find_room(&self, client: &Arc<ClientShare>) -> Option<Admitted> {
        let free = self.answers.available_permits();
        let of_client = client.count_answer(free * FOR_EACH_FREE);
        let one = Arc::clone(&self.answers).try_acquire_owned().ok();
        let admitted = of_client.zip(one).map(|(of_client, one)| Admitted { _one: one, _of_client: of_client });
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
            held.extend(std::iter::from_fn(|| admission.acquire(&client).ok()));
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
    fn what_ends_makes_room() {
        let (admission, client) = (Admission::new(4, Memory::ample()), ClientShare::new(None));
        let mut held: Vec<_> = std::iter::from_fn(|| admission.acquire(&client).ok()).collect();
        assert_eq!((held.len(), admission.in_flight()), (3, (3, 4)));
        assert_eq!(admission.acquire(&client).err(), Some(Problem::Overloaded));
        held.pop();
        assert_eq!(admission.in_flight(), (2, 4));
        assert!(admission.acquire(&client).is_ok());
    }
}
