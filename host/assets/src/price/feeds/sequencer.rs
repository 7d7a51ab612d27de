//! Checks that a network's sequencer runs: feeds are not updated while it is down, and the first rounds after a
//! restart may be old.
//!
//! Invariant: on a network with an uptime feed, a sequencer whose state could not be read counts as down.

use alloy::primitives::{Address, address};
use alloy::sol_types::SolCall;
use portolan_networks as networks;
use portolan_reader::{Outcome, Read, Reply};

use super::Aggregator;

/// The uptime feeds by chain id: <https://docs.chain.link/data-feeds/l2-sequencer-feeds>. Those of Optimism and
/// Arbitrum are also in <https://github.com/VenusProtocol/oracle/blob/develop/helpers/deploymentConfig.ts>, those of
/// Optimism and Base in the markets of <https://github.com/VMEX-finance/vmex>, and the others in
/// <https://github.com/aave-dao/aave-address-book/tree/v4.68.1/src>.
static UPTIME_FEEDS: [(u64, Address); 6] = [
    (networks::OPTIMISM, address!("371ead81c9102c9bf4874a9075ffff170f2ee389")),
    (networks::ARBITRUM, address!("fdb631f5ee196f0ed6faa767959853a9f217697d")),
    (networks::BASE, address!("bcf85224fc0756b9fa45aa7892530b47e10b6433")),
    (networks::SCROLL, address!("45c2b8c204568a03dc7a2e32b71d67fe97f908a9")),
    (networks::ZKSYNC_ERA, address!("0e6ac8b967393dcd3d36677c126976157f993940")),
    (networks::MANTLE, address!("ade1b9abb98c6a542e4b49db2588a3ec4bf7cdf0")),
];

/// Seconds after a restart in which feeds may not be updated yet, as in Chainlink's example.
const GRACE_S: u64 = 3600;

/// Reason why prices of feeds do not count on the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SequencerError {
    #[error("the uptime feed does not return what a feed returns")]
    Unknown,
    #[error("the sequencer is down")]
    Down,
    #[error("the sequencer is back since {up_s} s before the block")]
    JustBack { up_s: u64 },
}

/// The read whose reply [`check`] takes; `None` on a network without an uptime feed.
pub(super) fn uptime_read(chain_id: u64) -> Option<Read> {
    let (_, feed) = UPTIME_FEEDS.iter().find(|(known, _)| *known == chain_id)?;
    Some(Read::call(*feed, Aggregator::latestRoundDataCall {}.abi_encode()))
}

/// Checks that the sequencer runs at a block with this time.
///
/// # Errors
/// The reason why no feed of the network counts.
pub(super) fn check(reply: &Reply, block_timestamp: u64) -> Result<(), SequencerError> {
    let Outcome::Ok(round) = &reply.outcome else { return Err(SequencerError::Unknown) };
    let round =
        Aggregator::latestRoundDataCall::abi_decode_returns_validate(round).map_err(|_| SequencerError::Unknown)?;
    if !round.answer.is_zero() {
        return Err(SequencerError::Down);
    }
    let since = u64::try_from(round.startedAt).ok().filter(|since| *since > 0).ok_or(SequencerError::Unknown)?;
    let up_s = block_timestamp.checked_sub(since).ok_or(SequencerError::Unknown)?;
    if up_s > GRACE_S { Ok(()) } else { Err(SequencerError::JustBack { up_s }) }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{I256, U256};
    use alloy::sol_types::SolValue;

    use super::*;

    const AT: u64 = 1_700_000_000;

    fn round(answer: i64, started_at: U256) -> Outcome {
        let round = (U256::ONE, I256::try_from(answer).unwrap(), started_at, started_at, U256::ONE);
        Outcome::Ok(round.abi_encode_params().into())
    }

    fn checked(outcome: Outcome) -> Result<(), SequencerError> {
        check(&Reply::fresh(outcome), AT)
    }

    #[test]
    fn a_sequencer_runs_once_it_is_up_for_more_than_an_hour() {
        let up = |up_s: u64| checked(round(0, U256::from(AT - up_s)));
        assert_eq!(up(3601), Ok(()));
        assert_eq!(up(3600), Err(SequencerError::JustBack { up_s: 3600 }));
        assert_eq!(up(0), Err(SequencerError::JustBack { up_s: 0 }));
    }

    #[test]
    fn a_sequencer_that_is_down_or_unknown_does_not_run() {
        let long_ago = U256::from(AT - 86_400);
        assert_eq!(checked(round(1, long_ago)), Err(SequencerError::Down));
        assert_eq!(checked(round(-1, long_ago)), Err(SequencerError::Down));
        for started_at in [U256::ZERO, U256::from(AT + 1), U256::MAX] {
            assert_eq!(checked(round(0, started_at)), Err(SequencerError::Unknown), "{started_at}");
        }
        for outcome in [Outcome::NoCode, Outcome::Ok(vec![0; 64].into()), Outcome::Reverted(Default::default())] {
            assert_eq!(checked(outcome), Err(SequencerError::Unknown));
        }
    }

    #[test]
    fn networks_without_a_sequencer_are_not_looked_at() {
        assert_eq!([networks::ETHEREUM, networks::POLYGON].map(uptime_read), [None, None]);
        assert!([networks::OPTIMISM, networks::ARBITRUM, networks::BASE].map(uptime_read).iter().all(Option::is_some));
    }
}
