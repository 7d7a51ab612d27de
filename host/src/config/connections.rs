//! What clients may hold of the public listeners: `[connections]`.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::ConfigError;
use super::file::ConnectionsTable;
use super::layer::{Key, Layers};
use crate::memory::MemoryLimit;

/// Connections of the public listeners together. Above sixty thousand, no client address has ports left.
const MAX: (u64, RangeInclusive<u64>) = (2048, 1..=65_536);

/// Connections of one client address, and its share of what may wait to be sent. An eighth of all: no address alone keeps
/// others out.
const PER_CLIENT_MAX: (u64, RangeInclusive<u64>) = (256, 1..=65_536);

/// Streams of HTTP/2 of one client address, on all of its connections. Browsers have at most a hundred on one.
const STREAMS_PER_CLIENT_MAX: (u64, RangeInclusive<u64>) = (256, 1..=65_536);

/// Streams of HTTP/2 of all clients. One that waits for its turn or for its client to take the answer holds some kilobytes.
const STREAMS_MAX: (u64, RangeInclusive<u64>) = (2048, 1..=1 << 20);

/// From the start of a connection to the end of its first request's head. Clients send it at once; ten seconds are for
/// lost packets.
const HEAD_MS: (u64, RangeInclusive<u64>) = (10_000, 100..=120_000);

/// From one answer to the end of the next request's head. Proxies close connections that they do not use after 60 s,
/// and this side must not be the first.
const IDLE_MS: (u64, RangeInclusive<u64>) = (75_000, 100..=3_600_000);

/// From one piece of an answer that is taken to the next, 16 KiB. The slowest links take one in ten seconds.
const SEND_MS: (u64, RangeInclusive<u64>) = (30_000, 100..=600_000);

/// From a signal to stop until the listeners close: balancers that ask `/readyz` have noticed by then.
const UNREADY_MS: (u64, RangeInclusive<u64>) = (1_000, 0..=600_000);

/// Answers that clients have not taken yet, unless an eighth of the process's memory is less.
const UNSENT_BYTES_MAX: (u64, RangeInclusive<u64>) = (64 << 20, 1 << 20..=1 << 30);

const UNSENT_PARTS: u64 = 8;

/// What the guard of connections allows.
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
