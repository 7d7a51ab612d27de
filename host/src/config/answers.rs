//! Limits of one answer: `[answers]`.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::ConfigError;
use super::file::AnswersTable;
use super::layer::{Key, Layers};
use crate::budget::AnswerLimits;

/// Contract reads. Balances of 5,000 listed tokens on each of eight networks are 40,000, and two hundred jobs read less.
const READS_MAX: (u64, RangeInclusive<u64>) = (200_000, 1..=100_000_000);

/// JSON-RPC requests for these reads. Those balances are 80 requests if endpoints have nothing better than Multicall3,
/// otherwise a tenth of that. Five hundred take one endpoint a second (`rpc.per_second_max`).
const NODE_REQUESTS_MAX: (u64, RangeInclusive<u64>) = (500, 1..=1_000_000);

/// HTTP requests to hosts that names refer to. A name with its avatar and its addresses on eight networks needs nine.
const OUTGOING_MAX: (u64, RangeInclusive<u64>) = (16, 0..=1_000);

/// HTTP requests to any one host that the operator does not name, so that nobody can make Portolan flood a host.
const OUTGOING_PER_HOST_MAX: (u64, RangeInclusive<u64>) = (4, 0..=1_000);

/// Events of a transaction, before those of several sources are merged: four for each of 5,000 logs.
const EVENTS_MAX: (u64, RangeInclusive<u64>) = (20_000, 1..=1_000_000);

/// Bytes of a body. 5,000 events in full detail take half.
const BODY_BYTES_MAX: (u64, RangeInclusive<u64>) = (16 << 20, 1 << 10..=1 << 30);

pub(super) fn read(table: &AnswersTable, time: Duration, layers: &Layers<'_>) -> Result<AnswerLimits, ConfigError> {
    let number = |file, setting: Option<u64>, (default, range): (u64, RangeInclusive<u64>)| {
        let setting = layers.pick(Key { file, flag: None }, None, setting.map(|setting| setting.to_string()));
        setting.map_or(Ok(default), |setting| setting.number(&range))
    };
    Ok(AnswerLimits {
        time,
        reads_max: number("answers.reads_max", table.reads_max, READS_MAX)?,
        node_requests_max: number("answers.node_requests_max", table.node_requests_max, NODE_REQUESTS_MAX)?,
        outgoing_max: number("answers.outgoing_max", table.outgoing_max, OUTGOING_MAX)?,
        outgoing_per_host_max: number(
            "answers.outgoing_per_host_max",
            table.outgoing_per_host_max,
            OUTGOING_PER_HOST_MAX,
        )?,
        events_max: number("answers.events_max", table.events_max, EVENTS_MAX)?,
        body_bytes_max: number("answers.body_bytes_max", table.body_bytes_max, BODY_BYTES_MAX)?,
    })
}
