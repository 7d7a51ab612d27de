//! Which server of a cluster has which entries, as the cluster's specification says: by 16,384 slots, of which the
//! hash of a name chooses one.

use redis::{ConnectionAddr, FromRedisValue, Value};

const SLOTS: u16 = 16_384;
/// Primaries of a cluster; each gateway has a connection to all of them.
const NODES_MAX: usize = 64;

/// The primary of each slot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SlotMap {
    /// At most [`NODES_MAX`].
    pub(crate) nodes: Vec<ConnectionAddr>,
    /// The place of each slot's primary.
    slots: Vec<usize>,
}

impl SlotMap {
    /// Reads the reply to `CLUSTER SLOTS` of a node at this address.
    ///
    /// # Errors
    /// It has another form, or a slot has no primary.
    pub(crate) fn read(ranges: Vec<Vec<Value>>, asked: &ConnectionAddr) -> Result<Self, String> {
        const FORM: &str = "the reply to CLUSTER SLOTS has another form";
        let (mut nodes, mut slots) = (Vec::new(), vec![None; usize::from(SLOTS)]);
        for range in ranges {
            let mut range = range.into_iter();
            let mut next = || range.next().ok_or(FORM);
            let (first, last) = (number(next()?).ok_or(FORM)?, number(next()?).ok_or(FORM)?);
            let primary = address(next()?, asked).ok_or(FORM)?;
            let place = nodes.iter().position(|node| *node == primary).unwrap_or(nodes.len());
            if place == nodes.len() {
                nodes.push(primary);
            }
            let own = slots.get_mut(usize::from(first)..=usize::from(last)).ok_or(FORM)?;
            own.fill(Some(place));
        }
        if nodes.len() > NODES_MAX {
            return Err(format!("the cluster has more than {NODES_MAX} primaries"));
        }
        let slots = slots.into_iter().collect::<Option<Vec<_>>>().ok_or("a slot has no primary")?;
        Ok(Self { nodes, slots })
    }

    /// Returns the place of the primary that has a name.
    pub(crate) fn node_of(&self, name: &[u8]) -> usize {
        self.slots.get(usize::from(slot(name))).copied().unwrap_or_default()
    }
}

fn number(value: Value) -> Option<u16> {
    u16::from_redis_value(value).ok()
}

/// Reads `host, port, …`. A node that does not know its host is at the one that was asked.
fn address(value: Value, asked: &ConnectionAddr) -> Option<ConnectionAddr> {
    let ConnectionAddr::Tcp(asked, _) = asked else { return None };
    let mut node = Vec::<Value>::from_redis_value(value).ok()?.into_iter();
    let host = Option::<String>::from_redis_value(node.next()?).ok()?;
    let host = host.filter(|host| !host.is_empty() && host != "?");
    Some(ConnectionAddr::Tcp(host.unwrap_or_else(|| asked.clone()), number(node.next()?)?))
}

/// Returns the slot of a name: of what stands between the first `{` and the `}` after it, if there is anything.
fn slot(name: &[u8]) -> u16 {
    let tag = name.iter().position(|byte| *byte == b'{').and_then(|open| {
        let rest = name.get(open + 1..)?;
        rest.get(..rest.iter().position(|byte| *byte == b'}')?).filter(|tag| !tag.is_empty())
    });
    crc16(tag.unwrap_or(name)) % SLOTS
}

/// CRC-16/XMODEM.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        let crc = crc ^ (u16::from(*byte) << 8);
        (0..8).fold(crc, |crc, _| (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    fn range(first: i64, last: i64, host: Value, port: i64) -> Vec<Value> {
        let node = |port| Value::Array(vec![host.clone(), Value::Int(port), text("id"), Value::Array(Vec::new())]);
        vec![Value::Int(first), Value::Int(last), node(port), node(port + 1)]
    }

    fn at(host: &str, port: u16) -> ConnectionAddr {
        ConnectionAddr::Tcp(host.to_owned(), port)
    }

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
        // By `CLUSTER KEYSLOT` of a server.
        for (name, expected) in [("foo", 12_182), ("x{foo}y", 12_182), ("123456789", 12_739), ("a{}b{foo}", 976)] {
            assert_eq!(slot(name.as_bytes()), expected, "{name}");
        }
        assert_eq!(slot(b"{foo"), crc16(b"{foo") % SLOTS);
    }

    #[test]
    fn each_slot_has_the_primary_that_the_cluster_says() {
        let ranges = vec![
            range(0, 8_000, text("10.0.0.1"), 7_000),
            range(8_001, 8_001, Value::Nil, 7_001),
            range(8_002, 16_382, text("10.0.0.1"), 7_000),
            range(16_383, 16_383, text(""), 7_002),
        ];
        let map = SlotMap::read(ranges.clone(), &at("asked", 1)).unwrap();
        assert_eq!(map.nodes, [at("10.0.0.1", 7_000), at("asked", 7_001), at("asked", 7_002)]);
        assert_eq!([0, 8_000, 8_001, 8_002, 16_383].map(|slot| map.slots[slot]), [0, 0, 1, 0, 2]);
        assert_eq!(map.node_of(b"foo"), 0);
        for (place, wrong) in [
            (1, range(8_000, 8_000, Value::Nil, 7_001)),
            (0, range(0, 16_384, Value::Nil, 7_001)),
            (0, range(9, 8, Value::Nil, 7_001)),
            (0, range(0, 9, Value::Nil, 65_536)),
            (0, vec![Value::Int(0), Value::Int(9)]),
            (0, vec![Value::Int(0), Value::Int(9), text("10.0.0.1")]),
        ] {
            let mut ranges = ranges.clone();
            ranges[place] = wrong;
            assert!(SlotMap::read(ranges, &at("asked", 1)).is_err());
        }
        let many = (0..65).map(|port| range(0, 16_383, Value::Nil, port));
        assert!(SlotMap::read(many.collect(), &at("asked", 1)).is_err());
    }
}
