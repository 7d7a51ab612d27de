//! Heads and pins that several gateways report to each other through a store.
//!
//! Invariant: a report counts only while it is new, and never for the gateway that sent it. What is made of it is
//! decided by `chain::heads`, which believes it no more than a node.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use bytes::Bytes;
use portolan_store::{Channel, Entry, REPORT_AGE_MAX, SharedStore, unix_time};
use tokio::sync::broadcast::error::RecvError;

use crate::Block;

/// What a gateway reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) block: Block,
    /// True if answers are read at this block from now on; false for a head.
    pub(crate) is_pin: bool,
}

/// The reports of a store.
pub(crate) struct SharedHeads {
    store: Arc<SharedStore>,
    /// Distinguishes this gateway from the others.
    sender: u64,
}

impl SharedHeads {
    pub(crate) fn new(store: Arc<SharedStore>) -> Self {
        Self { store, sender: fastrand::u64(..) }
    }

    /// Has a report sent to the other gateways.
    pub(crate) fn send(&self, chain_id: u64, report: Report) {
        self.store.publish(Channel::Heads, chain_id, &encode(report, self.sender, unix_time()));
    }

    /// Like [`Self::send`], by a clock that is so much behind.
    #[cfg(test)]
    pub(crate) fn send_at(&self, chain_id: u64, report: Report, behind: Duration) {
        self.store.publish(Channel::Heads, chain_id, &encode(report, self.sender, unix_time() - behind));
    }

    /// Passes the reports of other gateways on, each with its network; never returns while the store is there.
    pub(crate) async fn listen(self: Arc<Self>, take: impl Fn(u64, Report)) {
        let mut published = self.store.published(Channel::Heads);
        loop {
            match published.recv().await {
                Ok((chain_id, entry)) => match decode(&entry) {
                    Some((_, sender, _)) if sender == self.sender => {}
                    Some((report, _, sent)) if sent.abs_diff(unix_time()) <= REPORT_AGE_MAX => take(chain_id, report),
                    Some(_) => self.store.note_refused("it was not reported just now by the local clock"),
                    None => self.store.note_refused("its value is not a report"),
                },
                // The newest ones are still there.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }
}

/// Encodes `sender (8) | sent, in milliseconds since 1970 (8) | pin (1) | number (8) | timestamp (8) | number that
/// contracts see (8) | parent (32)`.
fn encode(report: Report, sender: u64, sent: Duration) -> Entry {
    let Report { block, is_pin } = report;
    let sent_ms = u64::try_from(sent.as_millis()).unwrap_or(u64::MAX);
    let mut value = [sender.to_be_bytes(), sent_ms.to_be_bytes()].concat();
    value.push(u8::from(is_pin));
    for figure in [block.number, block.timestamp, block.evm_number] {
        value.extend_from_slice(&figure.to_be_bytes());
    }
    value.extend_from_slice(block.parent.as_slice());
    Entry { block: block.hash.0, value: Bytes::from(value) }
}

/// Decodes a report, its sender, and when it was sent; `None` if the bytes are none.
fn decode(entry: &Entry) -> Option<(Report, u64, Duration)> {
    let (&sender, rest) = entry.value.split_first_chunk()?;
    let (&sent_ms, rest) = rest.split_first_chunk()?;
    let (&pin, rest) = rest.split_first()?;
    let (&number, rest) = rest.split_first_chunk()?;
    let (&timestamp, rest) = rest.split_first_chunk()?;
    let (&evm_number, rest) = rest.split_first_chunk()?;
    let parent = B256::try_from(rest).ok().filter(|_| pin <= 1)?;
    let block = Block {
        number: u64::from_be_bytes(number),
        hash: B256::from(entry.block),
        parent,
        timestamp: u64::from_be_bytes(timestamp),
        evm_number: u64::from_be_bytes(evm_number),
    };
    let report = Report { block, is_pin: pin == 1 };
    Some((report, u64::from_be_bytes(sender), Duration::from_millis(u64::from_be_bytes(sent_ms))))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_report_comes_back_as_it_was(figures in any::<[u64; 4]>(), hashes in any::<[u8; 2]>(), is_pin: bool) {
            let [number, timestamp, evm_number, sender] = figures;
            let [hash, parent] = hashes.map(B256::repeat_byte);
            let report = Report { block: Block { number, hash, parent, timestamp, evm_number }, is_pin };
            let sent = Duration::from_millis(1_700_000_000_123);
            prop_assert_eq!(decode(&encode(report, sender, sent)), Some((report, sender, sent)));
        }

        #[test]
        fn bytes_are_one_report_or_none(value in vec(0_u8..2, 70..76)) {
            let entry = Entry { block: [7; 32], value: value.into() };
            if let Some((report, sender, sent)) = decode(&entry) {
                prop_assert_eq!(encode(report, sender, sent), entry);
            }
        }
    }
}
