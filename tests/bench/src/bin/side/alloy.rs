//! alloy's MulticallBuilder over its default transport, its chunks all at once.
//!
//! `aggregate3` is the call that tells failures apart, as Portolan and viem do. The other transport of alloy needs a
//! TLS library of the system even for plain HTTP, so it is not measured.

use std::collections::BTreeMap;

use alloy::primitives::{Bytes, U256};
use alloy::sol_types::SolCall as _;
use alloy_providers::providers::{CallItem, DynProvider, Provider as _, ProviderBuilder};
use anyhow::{Context as _, Result};
use futures_util::future::try_join_all;

use super::BalanceQuery;

alloy::sol! {
    function balanceOf(address owner) external view returns (uint256);
}

/// A provider for each URL.
#[derive(Default)]
pub(super) struct Alloy {
    providers: BTreeMap<String, DynProvider>,
}

impl Alloy {
    pub(super) async fn balances(&mut self, query: &BalanceQuery<'_>, chunk: usize) -> Result<Vec<U256>> {
        if !self.providers.contains_key(&query.url) {
            let provider = ProviderBuilder::default().connect_http(query.url.parse()?);
            self.providers.insert(query.url.clone(), provider.erased());
        }
        let provider = self.providers.get(&query.url).context("no provider")?;
        let data = Bytes::from(balanceOfCall { owner: query.account }.abi_encode());
        let one = |tokens| {
            let tokens: &[_] = tokens;
            let calls = tokens.iter().map(|token| CallItem::new(*token, data.clone()).allow_failure(true));
            let multicall = provider.multicall().dynamic::<balanceOfCall>().extend_calls(calls);
            async move { multicall.aggregate3().await }
        };
        let chunks = try_join_all(query.tokens.chunks(chunk).map(one)).await?;
        let amount = |result: Result<U256, _>| result.context("a balance failed");
        chunks.into_iter().flatten().map(amount).collect()
    }
}
