//! `portolan key new`: makes a key, and the lines for the file of keys.
//!
//! Invariant: the key is shown once and stored nowhere.

use alloy::hex;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::keys::{KEY_PREFIX, KeyFileError, key_name};

/// Bytes that nobody guesses.
const KEY_BYTES: usize = 32;

/// A new key.
#[derive(Debug)]
pub(crate) struct NewKey {
    /// For the client.
    pub(crate) key: String,
    /// For the file of keys.
    pub(crate) lines: String,
}

/// Reason why no key is made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NewKeyError {
    #[error(transparent)]
    Name(#[from] KeyFileError),
    #[error("the system has no random bytes: {0}")]
    Random(#[from] getrandom::Error),
}

impl NewKey {
    /// Makes a key of this name.
    ///
    /// # Errors
    /// The name is not one, or the system has no random bytes.
    pub(crate) fn make(name: &str) -> Result<Self, NewKeyError> {
        let (name, mut bytes) = (key_name(name)?, [0; KEY_BYTES]);
        getrandom::fill(&mut bytes)?;
        let key = format!("{KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
        let lines = format!("[{name}]\nsha256 = \"{}\"\n", hex::encode(Sha256::digest(&key)));
        Ok(Self { key, lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_another_one_and_its_name_is_checked() {
        let [first, second] = [(); 2].map(|()| NewKey::make("acme").unwrap());
        assert!(first.key != second.key && first.lines != second.lines);
        assert!(first.lines.starts_with("[acme]\nsha256 = \"") && !first.lines.contains(&first.key));
        // 32 bytes are 43 characters of base64.
        assert_eq!(first.key.len(), "portolan_".len() + 43);
        assert!(NewKey::make("a b").is_err() && NewKey::make("none").is_err());
    }
}
