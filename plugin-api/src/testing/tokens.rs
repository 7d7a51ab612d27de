//! Tokens of a job under test: says what a gateway does not show because nobody knows the decimals of a token.
//!
//! A test that describes no token is about reads and amounts alone. Once it describes one, all tokens of its findings
//! have to be described, as a gateway knows them all or shows no amount of them.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, Bytes, U256, hex};
use portolan_abi::limits::DECIMALS_MAX;
use portolan_networks::{is_native, network};

use super::{ReadRequest, ReadResult, Replies};

/// Selector of `decimals()`.
const DECIMALS: [u8; 4] = hex!("313ce567");

/// The decimals that a test states, by token.
#[derive(Clone, Debug, Default)]
pub(super) struct TestTokens(BTreeMap<Address, u8>);

/// The decimals of a token, as far as a test describes them.
enum Decimals {
    Known,
    /// How its `decimals()` failed.
    None(String),
    NotDescribed,
}

impl TestTokens {
    pub(super) fn add(&mut self, token: Address, decimals: u8) {
        self.0.insert(token, decimals);
    }

    /// Returns a sentence for each of these tokens of which a gateway would show no amount.
    pub(super) fn unknown(&self, chain_id: u64, tokens: &BTreeSet<Address>, replies: &mut impl Replies) -> Vec<String> {
        let is_own = |token: &&Address| !is_of_network(chain_id, **token);
        let described = tokens.iter().filter(is_own).map(|token| (token, self.decimals(chain_id, *token, replies)));
        let described: Vec<(&Address, Decimals)> = described.collect();
        let are_none_described = described.iter().all(|(_, decimals)| matches!(decimals, Decimals::NotDescribed));
        if self.0.is_empty() && are_none_described {
            return Vec::new();
        }
        let sentence = |(token, decimals): (&Address, Decimals)| {
            let why = match decimals {
                Decimals::Known => return None,
                Decimals::None(how) => format!("`decimals()` {how}"),
                Decimals::NotDescribed => "the test does not describe it".to_owned(),
            };
            Some(format!(
                "token {token:#x}: nobody knows its decimals ({why}), so the gateway leaves out what has an amount of \
                 it: report a token that has decimals, and describe it to the test by `JobTest::token` or by a canned \
                 reply to its `decimals()`"
            ))
        };
        described.into_iter().filter_map(sentence).collect()
    }

    fn decimals(&self, chain_id: u64, token: Address, replies: &mut impl Replies) -> Decimals {
        if self.0.contains_key(&token) {
            return Decimals::Known;
        }
        let request = ReadRequest::call(chain_id, token, Bytes::from_static(&DECIMALS));
        match replies.own_reply(&request) {
            None => Decimals::NotDescribed,
            Some(ReadResult::Ok(bytes)) => match bytes.first_chunk::<32>().map(|word| U256::from_be_bytes(*word)) {
                Some(decimals) if decimals <= U256::from(DECIMALS_MAX) => Decimals::Known,
                Some(decimals) => Decimals::None(format!("returned {decimals}, more than {DECIMALS_MAX}")),
                None => Decimals::None(format!("returned {} bytes", bytes.len())),
            },
            Some(ReadResult::NoCode) => Decimals::None("found no contract".to_owned()),
            Some(_) => Decimals::None("returned nothing".to_owned()),
        }
    }
}

/// Returns true for the native token and the ERC-20 that wraps it, whose decimals the gateway knows itself.
fn is_of_network(chain_id: u64, token: Address) -> bool {
    let is_wrapped = || network(chain_id).is_some_and(|network| network.listing.wrapped_native == Some(token));
    is_native(chain_id, token) || is_wrapped()
}
