//! Bodies that all clients share: stored once, and compressed once for each content coding.

use bytes::Bytes;
use hyper::header::HeaderValue;
use tokio::sync::OnceCell;

use crate::http::public::coding::{CODINGS, Coding};

/// A stored body and its tag.
#[derive(Debug, Default)]
pub(in crate::http) struct SharedBody {
    pub(in crate::http) bytes: Bytes,
    pub(in crate::http) tag: Option<HeaderValue>,
    /// The body in each of [`CODINGS`], compressed when the first client takes it.
    coded: [OnceCell<Bytes>; CODINGS.len()],
}

impl SharedBody {
    pub(in crate::http) fn new(bytes: Bytes, tag: Option<HeaderValue>) -> Self {
        Self { bytes, tag, coded: Default::default() }
    }

    /// Returns the body in a coding; all who wait for it share one compression.
    pub(in crate::http) async fn coded(
        &self,
        coding: Coding,
        compressing: impl Future<Output = Option<Bytes>>,
    ) -> Option<Bytes> {
        let stored = self.coded.get(coding.place())?;
        stored.get_or_try_init(|| async { compressing.await.ok_or(()) }).await.ok().cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::future::join;
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn a_body_is_compressed_once_for_each_coding_and_again_after_a_failure() {
        let body = SharedBody::new("list".into(), None);
        let compressions = Cell::new(0);
        let compress = async |done: Option<&'static str>| {
            compressions.set(compressions.get() + 1);
            yield_now().await;
            done.map(Bytes::from)
        };
        assert_eq!(body.coded(Coding::Gzip, compress(None)).await, None);
        let first = body.coded(Coding::Gzip, compress(Some("gzip")));
        let both = join(first, body.coded(Coding::Gzip, compress(Some("other")))).await;
        assert_eq!(both, (Some("gzip".into()), Some("gzip".into())));
        assert_eq!(body.coded(Coding::Gzip, compress(Some("later"))).await, Some("gzip".into()));
        assert_eq!(compressions.get(), 2, "the failure and the one that all share");
        assert_eq!(body.coded(Coding::Zstd, compress(Some("zstd"))).await, Some("zstd".into()));
    }
}
