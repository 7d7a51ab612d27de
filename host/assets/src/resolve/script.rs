//! Compositions from a table, which records its queries.

use std::collections::HashMap;

use alloy::primitives::{Address, U256};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use super::CompositionSource;
use crate::token::Composition;

/// A token that is not in the table has no composition.
#[derive(Debug, Default)]
pub(crate) struct Table {
    compositions: HashMap<Address, Composition>,
    queries: Mutex<Vec<Vec<Address>>>,
}

impl Table {
    pub(crate) fn insert(&mut self, token: Address, supply: U256, parts: &[(Address, U256)]) -> &mut Self {
        self.compositions
            .insert(token, Composition { kind: "SHARE".to_owned(), supply, parts: parts.to_vec(), is_of_issuer: true });
        self
    }

    /// The tokens of each query.
    pub(crate) fn queries(&self) -> Vec<Vec<Address>> {
        self.queries.lock().clone()
    }
}

impl CompositionSource for Table {
    fn compositions<'a>(&'a self, tokens: &'a [Address]) -> BoxFuture<'a, HashMap<Address, Composition>> {
        self.queries.lock().push(tokens.to_vec());
        let found = tokens.iter().filter_map(|token| Some((*token, self.compositions.get(token)?.clone()))).collect();
        async move { found }.boxed()
    }
}
