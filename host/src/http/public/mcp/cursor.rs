//! Cursors: where the next slice of an answer begins.
//!
//! Invariant: a cursor is of one call. It holds nothing secret, and a forged one only chooses where a slice begins.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use portolan_base::sanitize::output;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Bytes of a cursor's text: its blocks name at most a hundred networks.
const BYTES_MAX: usize = 8_192;
const WRONG: &str = "the cursor is not one of this call; call again without it";

/// Where a slice begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cursor {
    /// Digest of the call.
    call: String,
    /// Number of rows before the slice.
    pub(super) before: usize,
    /// Id of the row before it, if rows have ids.
    pub(super) after: Option<String>,
    /// Blocks of the slice before it.
    pub(super) blocks: Option<String>,
}

impl Cursor {
    pub(super) fn new(call: &str, before: usize, after: Option<String>, blocks: Option<String>) -> Self {
        Self { call: digest(call), before, after, blocks }
    }

    /// Reads the cursor of a call.
    ///
    /// # Errors
    /// It is another text, or of another call.
    pub(super) fn read(text: &str, call: &str) -> Result<Self, String> {
        let bytes = Some(text).filter(|text| text.len() <= BYTES_MAX);
        let bytes = bytes.and_then(|text| BASE64_URL_SAFE_NO_PAD.decode(text).ok());
        let cursor: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        cursor.filter(|cursor| cursor.call == digest(call)).ok_or_else(|| WRONG.to_owned())
    }

    pub(super) fn write(&self) -> Result<String, serde_json::Error> {
        Ok(BASE64_URL_SAFE_NO_PAD.encode(output::json(self)?))
    }
}

fn digest(call: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(call)[..12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_of_one_call() {
        let cursor = Cursor::new("/a", 7, Some("x".into()), Some("polygon=1".into()));
        let text = cursor.write().unwrap();
        assert_eq!(Cursor::read(&text, "/a"), Ok(cursor));
        for (text, call) in [(text.as_str(), "/b"), ("", "/a"), ("e30", "/a"), ("%", "/a"), (&"a".repeat(9_000), "/a")]
        {
            assert_eq!(Cursor::read(text, call), Err(WRONG.to_owned()), "{call}");
        }
    }
}
