//! Entries that wait to be written. Invariant: they never take more than [`QUEUE_BYTES_MAX`]; what does not fit is
//! dropped, which costs another gateway a read.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::entry::VALUE_BYTES_MAX;

/// Room for some 40,000 words.
pub(crate) const QUEUE_BYTES_MAX: usize = 8 << 20;
/// Bytes that are written at once: look-ups wait behind them on the connection.
const WRITE_BYTES_MAX: usize = 128 << 10;
/// The size of an entry besides its name and its bytes.
const ENTRY_BYTES: usize = 64;

const _: () = assert!(QUEUE_BYTES_MAX > 4 * VALUE_BYTES_MAX, "some entries of any size fit");

/// An entry as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SealedEntry {
    pub(crate) name: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
    /// How long the store holds it; `None` if it is published to those who listen now, and not held.
    pub(crate) lives: Option<Duration>,
}

impl SealedEntry {
    fn size(&self) -> usize {
        ENTRY_BYTES + self.name.len() + self.bytes.len()
    }
}

/// A queue with one reader.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: Mutex<(VecDeque<SealedEntry>, usize)>,
    filled: Notify,
}

impl Queue {
    /// Appends an entry, or puts it before all others if it is published; returns false if it does not fit.
    pub(crate) fn push(&self, entry: SealedEntry) -> bool {
        let (entries, bytes) = &mut *self.entries.lock();
        let fits = *bytes + entry.size() <= QUEUE_BYTES_MAX;
        if fits {
            *bytes += entry.size();
            match entry.lives {
                Some(_) => entries.push_back(entry),
                None => entries.push_front(entry),
            }
            self.filled.notify_one();
        }
        fits
    }

    /// Waits for entries, and takes at most this many, the oldest first; fewer if they are large.
    pub(crate) async fn take(&self, most: usize) -> Vec<SealedEntry> {
        loop {
            let taken = self.take_now(most);
            if !taken.is_empty() {
                return taken;
            }
            self.filled.notified().await;
        }
    }

    fn take_now(&self, most: usize) -> Vec<SealedEntry> {
        let (entries, bytes) = &mut *self.entries.lock();
        let (mut taken, mut size) = (Vec::new(), 0);
        while taken.len() < most && size < WRITE_BYTES_MAX {
            let Some(entry) = entries.pop_front() else { break };
            size += entry.size();
            taken.push(entry);
        }
        *bytes -= size;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(bytes: usize) -> SealedEntry {
        SealedEntry { name: vec![1; 43], bytes: vec![2; bytes], lives: Some(Duration::from_secs(1)) }
    }

    #[test]
    fn what_waits_has_a_bound_and_leaves_in_order() {
        let queue = Queue::default();
        let pushed = (0..3_000).filter(|_| queue.push(entry(VALUE_BYTES_MAX))).count();
        assert_eq!(pushed, QUEUE_BYTES_MAX / (ENTRY_BYTES + 43 + VALUE_BYTES_MAX));
        let size = ENTRY_BYTES + 43 + VALUE_BYTES_MAX;
        assert_eq!(queue.take_now(usize::MAX).len(), WRITE_BYTES_MAX.div_ceil(size));
        let left = std::iter::repeat_with(|| queue.take_now(usize::MAX).len()).take_while(|count| *count > 0);
        assert_eq!(left.sum::<usize>(), pushed - WRITE_BYTES_MAX.div_ceil(size));
        for bytes in [3, 1, 2] {
            assert!(queue.push(entry(bytes)));
        }
        assert_eq!(queue.take_now(2), [entry(3), entry(1)]);
        assert_eq!(queue.take_now(2), [entry(2)]);
        assert_eq!((queue.take_now(2).len(), queue.entries.lock().1), (0, 0));
        let published = SealedEntry { lives: None, ..entry(4) };
        assert!(queue.push(entry(5)) && queue.push(published.clone()));
        assert_eq!(queue.take_now(2), [published, entry(5)]);
    }
}
