//! A name normalised by ENSIP-15, with the forms that contracts use: the hashes of the name and its parents, and its
//! DNS encoding.
//!
//! Invariant: a [`Name`] parsed from text is normalised; nothing else is ever looked up or shown.

use std::fmt;

use alloy::primitives::{Address, B256, Bytes, keccak256};
use portolan_base::sanitize;

/// Longer than any name of a registrar or a DNS server, and cheap to normalise.
const NAME_BYTES_MAX: usize = 2048;
/// The DNS encoding stores a label's length in one byte.
const LABEL_BYTES_MAX: usize = 255;
/// Each label is a read of the registry; names in use have at most half a dozen.
const LABELS_MAX: usize = 32;
/// Maximum characters of the normaliser's message.
const REASON_CHARS_MAX: usize = 120;

/// A normalised name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Name {
    text: String,
    /// Hashes, from the name itself to the top-level domain.
    nodes: Vec<B256>,
    dns: Bytes,
}

/// Reason why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    #[error("is empty")]
    Empty,
    #[error("is longer than {NAME_BYTES_MAX} bytes")]
    TooLong,
    #[error("has more than {LABELS_MAX} labels")]
    TooManyLabels,
    #[error("has a label of more than {LABEL_BYTES_MAX} bytes")]
    LongLabel,
    /// The normaliser's message, bounded and without control characters.
    #[error("cannot be normalised by ENSIP-15: {0}")]
    NotNormalizable(String),
}

impl Name {
    /// Normalises a name as people write it.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        if text.is_empty() {
            return Err(InvalidName::Empty);
        }
        if text.len() > NAME_BYTES_MAX {
            return Err(InvalidName::TooLong);
        }
        let text = normalize(text)?;
        // Normalisation may turn one character into several.
        if text.len() > NAME_BYTES_MAX {
            return Err(InvalidName::TooLong);
        }
        if text.split('.').nth(LABELS_MAX).is_some() {
            return Err(InvalidName::TooManyLabels);
        }
        if text.split('.').any(|label| label.len() > LABEL_BYTES_MAX) {
            return Err(InvalidName::LongLabel);
        }
        Ok(Self::normalized(&text))
    }

    /// A name from a text that is normalised by construction, with labels that are neither empty nor too long.
    pub(super) fn normalized(text: &str) -> Self {
        let labels = || text.split('.').rev();
        let mut nodes = Vec::with_capacity(labels().count());
        let mut node = B256::ZERO;
        for label in labels() {
            node = keccak256([node, keccak256(label)].concat());
            nodes.push(node);
        }
        nodes.reverse();
        let mut dns = Vec::with_capacity(text.len() + 2);
        for label in text.split('.') {
            dns.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
            dns.extend_from_slice(label.as_bytes());
        }
        dns.push(0);
        Self { text: text.to_owned(), nodes, dns: dns.into() }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// ENSIP-1's `namehash`.
    pub(super) fn node(&self) -> B256 {
        self.nodes.first().copied().unwrap_or_default()
    }

    /// The hashes of the name and its parents.
    pub(super) fn nodes(&self) -> &[B256] {
        &self.nodes
    }

    /// ENSIP-10's `dnsencode`.
    pub(super) fn dns(&self) -> &Bytes {
        &self.dns
    }

    /// An address that stands for the name's resolver if another contract calls the resolver without naming it. It is
    /// derived from the second-level name, which somebody had to register.
    pub(super) fn holder(&self) -> Address {
        let registered = self.nodes.iter().nth_back(1).or_else(|| self.nodes.first());
        Address::from_word(registered.copied().unwrap_or_default())
    }

    /// The `x` of `….x.eth`, which is the part that is registered and expires.
    pub(super) fn registered_label(&self) -> Option<&str> {
        self.text.strip_suffix(".eth")?.rsplit('.').next()
    }
}

fn normalize(text: &str) -> Result<String, InvalidName> {
    let reason = |error: ens_normalize::EnsError| sanitize::cut(error.message(), REASON_CHARS_MAX);
    ens_normalize::normalize(text).map_err(|error| InvalidName::NotNormalizable(reason(error)))
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name({})", self.text)
    }
}

#[cfg(test)]
mod tests;
