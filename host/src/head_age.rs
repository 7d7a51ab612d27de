//! Maximum age of a network's newest block, above which the network counts as stale: a node that stopped or lost its
//! peers answers as if its state were current.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portolan_reader::{Block, ReadFailure};

/// Maximum ages by chain id; other networks have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadAgeMax(pub(crate) BTreeMap<u64, Duration>);

impl HeadAgeMax {
    /// # Errors
    /// [`ReadFailure::Stale`].
    pub(crate) fn check(&self, chain_id: u64, newest: &Block) -> Result<(), ReadFailure> {
        self.too_old(chain_id, newest).map_or(Ok(()), |_| Err(ReadFailure::Stale))
    }

    /// Returns the age of the newest block if it exceeds the maximum. If the clock is behind, nothing is too old.
    pub(crate) fn too_old(&self, chain_id: u64, newest: &Block) -> Option<Duration> {
        let mined = UNIX_EPOCH.checked_add(Duration::from_secs(newest.timestamp))?;
        let age = SystemTime::now().duration_since(mined).ok()?;
        self.0.get(&chain_id).filter(|max| age > **max).map(|_| age)
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;

    use super::*;

    #[test]
    fn a_head_is_stale_beyond_the_bound_of_its_network_alone() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let bounds = HeadAgeMax([(137, Duration::from_secs(600))].into());
        let mined = |timestamp| Block { number: 1, hash: B256::ZERO, parent: B256::ZERO, timestamp, evm_number: 1 };
        assert_eq!(bounds.check(137, &mined(now - 700)), Err(ReadFailure::Stale));
        assert_eq!(bounds.check(137, &mined(now - 500)), Ok(()));
        assert_eq!(bounds.check(137, &mined(now + 500)), Ok(()));
        assert_eq!(bounds.check(1, &mined(0)), Ok(()));
    }
}
