//! Checks the bloom filter of a receipt, which covers the addresses and topics of its logs.
//!
//! Invariant: logs pass only if their own filter equals the stated one, so that none is missing under a filter that
//! has bits. A filter without bits states nothing, because honest nodes return it beside logs: Stratus
//! (<https://github.com/cloudwalk/stratus/issues/1134>), Erigon
//! (<https://github.com/NethermindEth/nethermind/pull/8682>) and nodes of chains that compute none.

use alloy::primitives::{Bloom, BloomInput};

use super::Log;
use crate::wire::error::EndpointError;

/// Compares the filter that a receipt states with the one of its logs.
pub(super) fn check(stated: Option<&str>, logs: &[Log]) -> Result<(), EndpointError> {
    let Some(stated) = stated.filter(|text| has_bits(text)) else { return Ok(()) };
    let stated: Bloom = stated.parse().map_err(|_| EndpointError::Malformed)?;
    if stated == of(logs) { Ok(()) } else { Err(EndpointError::Inconsistent) }
}

fn has_bits(text: &str) -> bool {
    text.strip_prefix("0x").unwrap_or(text).bytes().any(|digit| digit != b'0')
}

fn of(logs: &[Log]) -> Bloom {
    let mut bloom = Bloom::ZERO;
    for log in logs {
        bloom.accrue(BloomInput::Raw(log.address.as_slice()));
        log.topics.iter().for_each(|topic| bloom.accrue(BloomInput::Raw(topic.as_slice())));
    }
    bloom
}
