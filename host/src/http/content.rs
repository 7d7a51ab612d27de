//! The body of a response, on its way from the handler to the guard that counts it.

use bytes::Bytes;

/// Body of a response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub(super) bytes: Bytes,
    /// True if all clients share this memory.
    pub(super) is_shared: bool,
}

impl<B: Into<Bytes>> From<B> for Content {
    fn from(bytes: B) -> Self {
        Self { bytes: bytes.into(), is_shared: false }
    }
}
