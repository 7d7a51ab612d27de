//! How many answers are under way, in all and of one client.
//!
//! Invariant: there is always room for a client that has no answer under way, unless as many clients as there are answers
//! have one.

use std::sync::Arc;

use metrics::counter;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::client_share::{ClientShare, CountedAnswer};
use crate::gateway::problem::Problem;
use crate::log::RareLog;
use crate::memory::Memory;

/// A client has at most so many answers for each one that is free: three quarters of all where it is alone, and the less
/// the more others have.
const FOR_EACH_FREE: usize = 3;

/// Admits answers. One for the process.
pub(super) struct Admission {
    answers: Arc<Semaphore>,
    max: usize,
    memory: Arc<Memory>,
    refused: RareLog,
}

/// The right to read chains for one answer.
#[derive(Debug)]
pub(super) struct Admitted {
    _one: OwnedSemaphorePermit,
    _of_client: CountedAnswer,
}

impl Admission {
    pub(super) fn new(max: usize, memory: Arc<Memory>) -> Self {
        Self { answers: Arc::new(Semaphore::new(max)), max, memory, refused: RareLog::default() }
    }

    /// Admits an answer to a client.
    ///
    /// # Errors
    /// [`Problem::Overloaded`].
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

    /// Answers under way, and the most that may be.
    pub(super) fn in_flight(&self) -> (usize, usize) {
        (self.max.saturating_sub(self.answers.available_permits()), self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many answers each of these clients gets, if they ask for as many as they can, one client after the other.
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
        // Each has at most three times what is left: 64, 16, 4 and 1.
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
