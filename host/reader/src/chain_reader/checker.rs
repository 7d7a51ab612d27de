//! The endpoints as the store of facts sees them: it asks others about what one of them said.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::Instant;

use crate::ReadFailure;
use crate::cache::store::{CrossCheck, CrossChecker};
use crate::endpoints::network::Endpoints;
use crate::reads::read_set::ReadSet;

/// Each network's endpoints, for the store.
pub(super) struct Checker(pub(super) BTreeMap<u64, Arc<Endpoints>>);

impl Checker {
    pub(super) fn has(&self, chain_id: u64, host: &str) -> bool {
        self.0.get(&chain_id).is_some_and(|endpoints| endpoints.has(host))
    }
}

impl CrossChecker for Checker {
    fn has_other(&self, chain_id: u64, host: &str) -> bool {
        self.0.get(&chain_id).is_some_and(|endpoints| endpoints.has_other(host))
    }

    fn check<'a>(
        &'a self,
        chain_id: u64,
        host: &'a str,
        number: u64,
        reads: ReadSet,
        deadline: Instant,
    ) -> BoxFuture<'a, Result<CrossCheck, ReadFailure>> {
        async move {
            let endpoints = self.0.get(&chain_id).ok_or(ReadFailure::NotConfigured)?;
            endpoints.cross_check(host, number, &reads, deadline).await
        }
        .boxed()
    }
}
