//! Limits of clients on the public listeners: `[connections]`.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::ConfigError;
use super::file::ConnectionsTable;
use super::layer::{Key, Layers};
use crate::memory::MemoryLimit;

/// Connections of the public listeners together. Above sixty thousand, a client address has no ports left.
const MAX: (u64, RangeInclusive<u64>) = (2048, 1..=65_536);

/// Connections of one client address, which also set its share of unsent bytes. An eighth of all, so that no single
/// address keeps others out.
const PER_CLIENT_MAX: (u64, RangeInclusive<u64>) = (256, 1..=65_536);

/// HTTP/2 streams of one client address, on all of its connections. Browsers have at most a hundred on one.
const STREAMS_PER_CLIENT_MAX: (u64, RangeInclusive<u64>) = (256, 1..=65_536);

/// HTTP/2 streams of all clients. One that waits for its turn, or for its client to take the answer, holds some
/// kilobytes.
const STREAMS_MAX: (u64, RangeInclusive<u64>) = (2048, 1..=1 << 20);

/// Time from the start of a connection to the end of its first request's head. Clients send it at once; ten seconds
/// allow for lost packets.
const HEAD_MS: (u64, RangeInclusive<u64>) = (10_000, 100..=120_000);

/// Time from an answer to the end of the next request's head. Proxies close unused connections after 60 s, and this
/// side must not be the first.
const IDLE_MS: (u64, RangeInclusive<u64>) = (75_000, 100..=3_600_000);

/// Time between two pieces of an answer, of 16 KiB each, being taken. The slowest links take one in ten seconds.
const SEND_MS: (u64, RangeInclusive<u64>) = (30_000, 100..=600_000);

/// Time from a stop signal until the listeners close, for load balancers that poll `/readyz` to notice.
const UNREADY_MS: (u64, RangeInclusive<u64>) = (1_000, 0..=600_000);

/// Bytes of answers that clients have not taken yet, unless an eighth of the process's memory is less.
const UNSENT_BYTES_MAX: (u64, RangeInclusive<u64>) = (64 << 20, 1 << 20..=1 << 30);

const UNSENT_PARTS: u64 = 8;

/// Limits of connections, for the guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionLimits {
    pub(crate) max: usize,
    pub(crate) per_client_max: usize,
    pub(crate) head: Duration,
    pub(crate) idle: Duration,
    pub(crate) send: Duration,
    pub(crate) unready: Duration,
    pub(crate) unsent_bytes_max: usize,
    pub(crate) streams_per_client_max: usize,
    pub(crate) streams_max: usize,
}

pub(super) fn read(
    table: &ConnectionsTable,
    memory: &MemoryLimit,
    layers: &Layers<'_>,
) -> Result<ConnectionLimits, ConfigError> {
    let number = |file, setting: Option<u64>, (default, range): (u64, RangeInclusive<u64>)| {
        let setting = layers.pick(Key { file, flag: None }, None, setting.map(|setting| setting.to_string()));
        setting.map_or(Ok(default), |setting| setting.number(&range))
    };
    let max = number("connections.max", table.max, MAX)?;
    let per_client_max = number("connections.per_client_max", table.per_client_max, PER_CLIENT_MAX)?;
    let (most, range) = UNSENT_BYTES_MAX;
    let unsent = (memory.share(UNSENT_PARTS, most), range);
    let unsent_bytes_max = number("connections.unsent_bytes_max", table.unsent_bytes_max, unsent)?;
    let streams_per_client_max =
        number("connections.streams_per_client_max", table.streams_per_client_max, STREAMS_PER_CLIENT_MAX)?;
    let streams_max = number("connections.streams_max", table.streams_max, STREAMS_MAX)?;
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(ConnectionLimits {
        max: size(max),
        per_client_max: size(per_client_max),
        head: Duration::from_millis(number("connections.head_ms", table.head_ms, HEAD_MS)?),
        idle: Duration::from_millis(number("connections.idle_ms", table.idle_ms, IDLE_MS)?),
        send: Duration::from_millis(number("connections.send_ms", table.send_ms, SEND_MS)?),
        unready: Duration::from_millis(number("connections.unready_ms", table.unready_ms, UNREADY_MS)?),
        unsent_bytes_max: size(unsent_bytes_max),
        streams_per_client_max: size(streams_per_client_max),
        streams_max: size(streams_max),
    })
}
