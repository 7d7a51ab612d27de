//! A connection that is open: to one server, or to all primaries of a cluster.
//!
//! Invariant: each command allows its server as many bytes as the reply may have.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use redis::aio::MultiplexedConnection;
use redis::{Cmd, ConnectionAddr, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisResult, Value};

use crate::cluster::SlotMap;
use crate::entry::{EntryKind, HEAD_BYTES};
use crate::queue::SealedEntry;
use crate::stream::Allowance;

/// Bytes of the protocol around each value.
const FRAME_BYTES: usize = 32;
/// Bytes of the reply to a command that writes: a word, or an error.
const WRITTEN_BYTES: usize = 512;

/// The connections to the servers that have entries.
#[derive(Clone)]
pub(crate) struct LiveConnection {
    nodes: Arc<[NodeConnection]>,
    /// `None` if the only one has all of them.
    slots: Option<Arc<SlotMap>>,
}

/// The connection to one server.
#[derive(Clone)]
pub(crate) struct NodeConnection {
    pub(crate) address: ConnectionAddr,
    pub(crate) commands: MultiplexedConnection,
    pub(crate) allowance: Allowance,
}

impl LiveConnection {
    pub(crate) fn of_server(node: NodeConnection) -> Self {
        Self { nodes: Arc::new([node]), slots: None }
    }

    /// Takes the connections of all nodes, in the order of the map.
    pub(crate) fn of_cluster(nodes: Vec<NodeConnection>, slots: SlotMap) -> Self {
        Self { nodes: nodes.into(), slots: Some(Arc::new(slots)) }
    }

    /// Returns the address of a server that passes on messages; `None` if there is no server.
    pub(crate) fn address(&self) -> Option<&ConnectionAddr> {
        self.nodes.first().map(|node| &node.address)
    }

    /// Splits items by the server that has their names, into parts of at most so many; each with the place of its server.
    pub(crate) fn split<T>(
        &self,
        items: impl IntoIterator<Item = T>,
        name: impl Fn(&T) -> &[u8],
        most: usize,
    ) -> Vec<(usize, Vec<T>)> {
        let mut parts: Vec<(usize, Vec<T>)> = Vec::new();
        let mut last = vec![None; self.nodes.len()];
        for item in items {
            let place = self.slots.as_ref().map_or(0, |slots| slots.node_of(name(&item)));
            let Some(last) = last.get_mut(place) else { continue };
            match last.and_then(|part: usize| parts.get_mut(part)).filter(|(_, items)| items.len() < most) {
                Some((_, items)) => items.push(item),
                None => {
                    *last = Some(parts.len());
                    parts.push((place, vec![item]));
                }
            }
        }
        parts
    }

    fn node(&self, place: usize) -> RedisResult<&NodeConnection> {
        self.nodes.get(place).ok_or_else(|| RedisError::from((ErrorKind::Client, "there is no such server")))
    }

    /// Looks up names that the server at this place has.
    pub(crate) async fn get(
        &self,
        place: usize,
        kind: EntryKind,
        names: &[Vec<u8>],
    ) -> RedisResult<Vec<RedisResult<Option<Bytes>>>> {
        let node = self.node(place)?;
        node.allowance.add(names.len() * (HEAD_BYTES + kind.value_bytes_max() + FRAME_BYTES) + WRITTEN_BYTES);
        if self.slots.is_none() {
            let values: Vec<Option<Bytes>> = node.run(redis::cmd("MGET").arg(names)).await?;
            return Ok(values.into_iter().map(Ok).collect());
        }
        // A command of a cluster has names of one slot.
        let mut commands = Pipeline::with_capacity(names.len());
        for name in names {
            commands.cmd("GET").arg(name);
        }
        node.run_all(&mut commands).await
    }

    /// Writes and publishes entries at the server at this place, and returns what became of each.
    pub(crate) async fn set(&self, place: usize, entries: &[SealedEntry]) -> RedisResult<Vec<RedisResult<Value>>> {
        let node = self.node(place)?;
        let mut commands = Pipeline::with_capacity(entries.len());
        node.allowance.add(entries.len() * WRITTEN_BYTES);
        for SealedEntry { name, bytes, lives } in entries {
            match lives {
                None => commands.cmd("PUBLISH").arg(name).arg(bytes),
                Some(lives) => {
                    let lives_ms = u64::try_from(lives.as_millis()).unwrap_or(u64::MAX);
                    commands.cmd("SET").arg(name).arg(bytes).arg("PX").arg(lives_ms)
                }
            };
        }
        node.run_all(&mut commands).await
    }
}

/// The addresses, for logs.
impl fmt::Display for LiveConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses: Vec<String> = self.nodes.iter().map(|node| node.address.to_string()).collect();
        f.write_str(&addresses.join(","))
    }
}

impl NodeConnection {
    /// Runs a command that finds a server, with at most so many bytes of a reply.
    pub(crate) async fn find<T: FromRedisValue>(&self, command: &Cmd, bytes_max: usize) -> RedisResult<T> {
        self.allowance.add(bytes_max);
        self.run(command).await
    }

    async fn run<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        command.query_async(&mut self.commands.clone()).await
    }

    async fn run_all<T: FromRedisValue>(&self, commands: &mut Pipeline) -> RedisResult<Vec<RedisResult<T>>> {
        commands.ignore_errors().query_async(&mut self.commands.clone()).await
    }
}
