//! Entries of a fact list as bytes: each is its length (u32, little-endian), then its bytes.
//!
//! Invariant: [`entries`] returns exactly what was pushed, or `None` for malformed bytes.

/// Appends an entry. Returns false and writes nothing if it is longer than 4 GiB.
pub fn push(entries: &mut Vec<u8>, entry: &[u8]) -> bool {
    let Ok(len) = u32::try_from(entry.len()) else { return false };
    entries.extend(len.to_le_bytes());
    entries.extend(entry);
    true
}

/// Splits bytes into entries; `None` if the bytes end within an entry.
pub fn entries(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let (len, rest) = bytes.split_first_chunk()?;
        let (entry, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*len)).ok()?)?;
        entries.push(entry);
        bytes = rest;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_what_was_pushed() {
        let mut bytes = Vec::new();
        assert!([&b"one"[..], b"", b"three"].into_iter().all(|entry| push(&mut bytes, entry)));
        assert_eq!(bytes, b"\x03\0\0\0one\0\0\0\0\x05\0\0\0three");
        assert_eq!(entries(&bytes), Some(vec![&b"one"[..], b"", b"three"]));
        assert_eq!(entries(&[]), Some(Vec::new()));
        for cut in [1, 3, 5, bytes.len() - 1] {
            assert_eq!(entries(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(entries(&[0xff; 8]), None);
    }
}
