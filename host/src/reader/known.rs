//! What was learned of a network's contracts and serves every answer: immutable replies, slow facts, which addresses
//! have code, which calls burn gas.
//!
//! Invariant: only what stays true is kept, each in its own bound; forgetting any of it costs a request, never truth.

use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::time::Instant;

use super::{Block, Freshness, Kind, Outcome, Read, Reply};

/// Some 300,000 words with their keys.
const KEPT_MAX_BYTES: u64 = 64 << 20;
/// Only sizes the table of the start.
const KEPT_EXPECTED: usize = 50_000;
/// Key, value, and the cache's own links.
const ENTRY_BYTES: u64 = 200;
/// 24 bytes each.
const WITH_CODE_MAX: usize = 100_000;
const HEAVY_MAX: usize = 10_000;
/// A proxy that was repaired, or a call that was poisoned by odd arguments, is with the others again after that.
const HEAVY_FOR: Duration = Duration::from_secs(600);

/// Replies of all networks that serve later answers: to immutable reads for ever, slow facts and zeros for their
/// seconds.
pub(super) struct Replies(Cache<Key, Kept, Weight>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    chain_id: u64,
    kind: Kind,
    to: Address,
    data: Bytes,
    from: Option<Address>,
    isolated: bool,
    gas_cap: Option<u32>,
    /// What is kept for one kind of freshness is not good enough for another.
    fact: Fact,
}

/// What makes a reply worth keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fact {
    /// It never changes.
    Immutable,
    /// It changes slowly.
    Slow,
    /// It is zero, as it is for most accounts.
    Zero,
}

#[derive(Clone)]
struct Kept {
    outcome: Outcome,
    /// Of the block that it was read at.
    timestamp: u64,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Kept> for Weight {
    fn weight(&self, key: &Key, kept: &Kept) -> u64 {
        let reply = match &kept.outcome {
            Outcome::Ok(bytes) | Outcome::Reverted(bytes) => bytes.len(),
            _ => 0,
        };
        ENTRY_BYTES + u64::try_from(key.data.len() + reply).unwrap_or(KEPT_MAX_BYTES)
    }
}

impl Replies {
    pub(super) fn new() -> Self {
        Self(Cache::with_weighter(KEPT_EXPECTED, KEPT_MAX_BYTES, Weight))
    }

    /// The kept reply to a read at a block. A slow fact is never newer than the block.
    pub(super) fn get(&self, chain_id: u64, block: &Block, read: &Read) -> Option<Reply> {
        let kept = self.0.get(&key(chain_id, read)?)?;
        let age_s = u32::try_from(block.timestamp.saturating_sub(kept.timestamp)).unwrap_or(u32::MAX);
        match read.freshness {
            Freshness::Within(most_s) | Freshness::ZeroWithin(most_s)
                if age_s > most_s || kept.timestamp > block.timestamp =>
            {
                None
            }
            _ => Some(Reply { outcome: kept.outcome, cached: true, age_s }),
        }
    }

    /// Keeps a reply that may serve later: of an immutable read what succeeded with something, of a slow fact
    /// whatever the contract did, as that it refuses is a fact too, and zeros where a zero may stand.
    pub(super) fn keep(&self, chain_id: u64, block: &Block, read: &Read, outcome: &Outcome) {
        let Some(key) = key(chain_id, read) else { return };
        let outcome = match outcome {
            Outcome::Ok(reply) if reply.is_empty() => return,
            Outcome::Ok(reply) if key.fact != Fact::Zero || is_zero(reply) => Outcome::Ok(own(reply)),
            Outcome::Reverted(data) if key.fact == Fact::Slow => Outcome::Reverted(own(data)),
            Outcome::NoCode | Outcome::GasCap if key.fact == Fact::Slow => outcome.clone(),
            // What was zero is not any more.
            Outcome::Ok(_) => {
                self.0.remove(&key);
                return;
            }
            _ => return,
        };
        let key = Key { data: own(&key.data), ..key };
        self.0.insert(key, Kept { outcome, timestamp: block.timestamp });
    }
}

/// `None` for reads whose replies are not kept.
fn key(chain_id: u64, read: &Read) -> Option<Key> {
    let fact = match read.freshness {
        Freshness::Pinned => return None,
        Freshness::Immutable => Fact::Immutable,
        Freshness::Within(_) => Fact::Slow,
        Freshness::ZeroWithin(_) => Fact::Zero,
    };
    let Read { kind, to, from, isolated, gas_cap, .. } = *read;
    Some(Key { chain_id, kind, to, data: read.data.clone(), from, isolated, gas_cap, fact })
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// A copy, for bytes may be a small part of a large body that would stay with them.
fn own(bytes: &Bytes) -> Bytes {
    Bytes::copy_from_slice(bytes)
}

/// What is known of one network's contracts.
pub(super) struct Contracts {
    with_code: Cache<Address, ()>,
    heavy: Cache<(Address, [u8; 4]), Instant>,
}

impl Contracts {
    pub(super) fn new() -> Self {
        Self { with_code: Cache::new(WITH_CODE_MAX), heavy: Cache::new(HEAVY_MAX) }
    }

    pub(super) fn has_code(&self, address: Address) -> bool {
        self.with_code.get(&address).is_some()
    }

    pub(super) fn saw_code(&self, address: Address) {
        self.with_code.insert(address, ());
    }

    /// Whether the call lately used up its gas, so that it would cost its neighbours a second request.
    pub(super) fn is_heavy(&self, read: &Read) -> bool {
        self.heavy.get(&selector(read)).is_some_and(|until| Instant::now() < until)
    }

    pub(super) fn saw_heavy(&self, read: &Read) {
        self.heavy.insert(selector(read), Instant::now() + HEAVY_FOR);
    }
}

fn selector(read: &Read) -> (Address, [u8; 4]) {
    let selector = read.data.first_chunk().copied();
    (read.to, selector.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use alloy::primitives::bytes;

    use super::*;

    fn at(timestamp: u64) -> Block {
        Block { number: timestamp, hash: alloy::primitives::B256::ZERO, timestamp, evm_number: timestamp }
    }

    #[test]
    fn an_immutable_reply_is_kept_if_it_is_one() {
        let replies = Replies::new();
        let read = Read::call(Address::ZERO, bytes!("01")).fresh(Freshness::Immutable);
        let answer = Outcome::Ok(bytes!("02"));
        for (read, outcome) in [
            (Read { freshness: Freshness::Pinned, ..read.clone() }, answer.clone()),
            (Read { freshness: Freshness::ZeroWithin(60), ..read.clone() }, answer.clone()),
            (read.clone(), Outcome::Ok(Bytes::new())),
            (read.clone(), Outcome::Reverted(bytes!("02"))),
            (read.clone(), Outcome::NoCode),
        ] {
            replies.keep(1, &at(9), &read, &outcome);
            assert_eq!(replies.get(1, &at(9), &read.fresh(Freshness::Immutable)), None, "{outcome:?}");
        }
        replies.keep(1, &at(9), &read, &answer);
        assert_eq!(replies.get(1, &at(15), &read), Some(Reply { outcome: answer, cached: true, age_s: 6 }));
        assert_eq!(replies.get(137, &at(9), &read), None, "another network");
        assert_eq!(replies.get(1, &at(9), &Read { from: Some(Address::ZERO), ..read }), None, "another sender");
    }

    #[test]
    fn a_slow_fact_stands_for_its_seconds_and_is_never_newer_than_the_block() {
        let replies = Replies::new();
        let read = Read { freshness: Freshness::Within(60), ..Read::call(Address::ZERO, bytes!("01")) };
        for outcome in [Outcome::Ok(bytes!("02")), Outcome::Reverted(bytes!("03")), Outcome::NoCode, Outcome::GasCap] {
            replies.keep(1, &at(100), &read, &outcome);
            assert_eq!(replies.get(1, &at(160), &read), Some(Reply { outcome, cached: true, age_s: 60 }));
            assert_eq!(replies.get(1, &at(161), &read), None, "too old");
            assert_eq!(replies.get(1, &at(99), &read), None, "newer than the block");
            assert_eq!(replies.get(1, &at(100), &read.clone().fresh(Freshness::Immutable)), None, "not immutable");
        }
        let lost = Read { data: bytes!("09"), ..read };
        replies.keep(1, &at(100), &lost, &Outcome::Failed(crate::reader::ReadFailure::Timeout));
        assert_eq!(replies.get(1, &at(100), &lost), None, "a failure is no fact");
    }

    #[test]
    fn a_zero_stands_for_its_seconds_and_nothing_else_does() {
        let replies = Replies::new();
        let read = Read { freshness: Freshness::ZeroWithin(30), ..Read::call(Address::ZERO, bytes!("01")) };
        let (zero, one) = (Outcome::Ok(bytes!("0000")), Outcome::Ok(bytes!("0001")));
        for refused in [one.clone(), Outcome::Reverted(bytes!("00")), Outcome::NoCode, Outcome::Ok(Bytes::new())] {
            replies.keep(1, &at(100), &read, &refused);
            assert_eq!(replies.get(1, &at(100), &read), None, "{refused:?}");
        }
        replies.keep(1, &at(100), &read, &zero);
        assert_eq!(replies.get(1, &at(130), &read), Some(Reply { outcome: zero, cached: true, age_s: 30 }));
        assert_eq!(replies.get(1, &at(131), &read), None, "too old");
        assert_eq!(replies.get(1, &at(99), &read), None, "newer than the block");
        replies.keep(1, &at(131), &read, &one);
        assert_eq!(replies.get(1, &at(110), &read), None, "it is known not to be zero");
    }

    #[test]
    fn kept_replies_stay_within_their_bytes() {
        let replies = Replies::new();
        let half_a_mebibyte = Outcome::Ok(vec![1; 512 << 10].into());
        for number in 0_u32..200 {
            let read = Read::call(Address::ZERO, number.to_be_bytes()).fresh(Freshness::Immutable);
            replies.keep(1, &at(1), &read, &half_a_mebibyte);
        }
        assert!(!replies.0.is_empty());
        assert!(replies.0.weight() <= KEPT_MAX_BYTES);
    }
}
