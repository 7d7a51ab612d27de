//! Bytes written by hand, so that expectations do not come from the writer under test.

/// Joins little-endian fields.
pub(crate) fn join(fields: &[&[u8]]) -> Vec<u8> {
    fields.concat()
}

/// The head of a frame.
pub(crate) fn head(version: u16, blocks: u16, blob_len: u32) -> Vec<u8> {
    join(&[b"PTLN", &version.to_le_bytes(), &blocks.to_le_bytes(), &blob_len.to_le_bytes(), &[0; 4]])
}

/// A block: count, stride, rows.
pub(crate) fn block(count: u32, stride: u32, rows: &[u8]) -> Vec<u8> {
    join(&[&count.to_le_bytes(), &stride.to_le_bytes(), rows])
}

/// Returns hexadecimal digits without `0x`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses hexadecimal digits; spaces are ignored.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(|digit| !digit.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("hexadecimal digits");
    digits.chunks(2).map(byte).collect()
}
