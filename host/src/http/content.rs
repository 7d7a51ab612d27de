//! The content of a response, from whoever makes it until the guard counts it.

use bytes::Bytes;

/// What a response holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub(super) bytes: Bytes,
    /// Whether it is the same memory for all clients.
    pub(super) is_shared: bool,
}

impl<B: Into<Bytes>> From<B> for Content {
    fn from(bytes: B) -> Self {
        Self { bytes: bytes.into(), is_shared: false }
    }
}
