//! Replies by network, target and calldata, and documents by URL.

use std::collections::HashMap;
use std::fmt::Write as _;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::{SolCall, SolValue};
use portolan_abi::row::kind;

use super::{ReadRequest, ReadResult, Replies};

/// Replies by network, target and calldata, and documents by URL; a read that has none finds no contract, or nothing at
/// the URL.
///
/// ```
/// # portolan_plugin_api::sol! { function earned(address account) external view returns (uint256); }
/// # use portolan_plugin_api::*;
/// use portolan_plugin_api::testing::CannedReplies;
///
/// let (farm, account) = (Address::repeat_byte(1), Address::repeat_byte(2));
/// let replies = CannedReplies::default()
///     .reply(networks::POLYGON, farm, &earnedCall { account }, &U256::from(5))
///     .revert(networks::POLYGON, account, &earnedCall { account })
///     .balance(networks::POLYGON, account, U256::from(7))
///     .document("https://grants.example/list.json", "[]");
/// ```
#[derive(Clone, Debug, Default)]
pub struct CannedReplies(HashMap<ReplyKey, ReadResult>);

impl CannedReplies {
    /// Sets the reply to a call: `value` as the ABI encodes the function's single return value.
    #[must_use]
    pub fn reply<C: SolCall>(self, network: u64, to: Address, call: &C, value: &impl SolValue) -> Self {
        self.result(network, to, call, ReadResult::Ok(value.abi_encode().into()))
    }

    /// A call that reverts.
    #[must_use]
    pub fn revert<C: SolCall>(self, network: u64, to: Address, call: &C) -> Self {
        self.result(network, to, call, ReadResult::Reverted(Bytes::new()))
    }

    /// Anything that can become of a call.
    #[must_use]
    pub fn result<C: SolCall>(mut self, network: u64, to: Address, call: &C, result: ReadResult) -> Self {
        self.0.insert((network, kind::CALL, to, call.abi_encode().into()), result);
        self
    }

    /// The body of an off-chain document.
    #[must_use]
    pub fn document(self, url: &str, body: impl Into<Bytes>) -> Self {
        self.document_result(url, ReadResult::Ok(body.into()))
    }

    /// Anything that can become of an off-chain read: that the operator does not allow it, for example.
    #[must_use]
    pub fn document_result(mut self, url: &str, result: ReadResult) -> Self {
        self.0.insert(key(&ReadRequest::http_get(0, url)), result);
        self
    }

    /// A native balance, in wei.
    #[must_use]
    pub fn balance(mut self, network: u64, account: Address, wei: U256) -> Self {
        let word = ReadResult::Ok(wei.to_be_bytes::<32>().into());
        self.0.insert((network, kind::NATIVE_BALANCE, account, Bytes::new()), word);
        self
    }
}

impl Replies for &CannedReplies {
    fn reply(&mut self, request: &ReadRequest) -> ReadResult {
        self.own_reply(request).unwrap_or(ReadResult::NoCode)
    }

    fn own_reply(&mut self, request: &ReadRequest) -> Option<ReadResult> {
        self.0.get(&key(request)).cloned()
    }

    fn describe_missing(&self, request: &ReadRequest) -> Option<String> {
        if self.0.contains_key(&key(request)) {
            return None;
        }
        let asked = key(request);
        let mut text = format!("no canned reply to {}; it finds nothing. There are replies to:", describe(&asked));
        let mut known: Vec<_> = self.0.keys().collect();
        // Those that are most alike first.
        known.sort_unstable_by_key(|reply| {
            let (network, kind, to, data) = reply;
            let is_other = (to, data) != (&asked.2, &asked.3);
            (is_other, *to != asked.2, (*network, *kind) != (asked.0, asked.1), *reply)
        });
        for reply in known.iter().take(SHOWN_MAX) {
            let _ = write!(text, "\n  {}", describe(reply));
        }
        if known.len() > SHOWN_MAX {
            let _ = write!(text, "\n  and {} more", known.len() - SHOWN_MAX);
        }
        Some(text)
    }

    fn are_lasting(&self) -> bool {
        true
    }
}

/// Replies that the message about a missing one lists.
const SHOWN_MAX: usize = 4;

fn describe((network, read, to, data): &ReplyKey) -> String {
    match *read {
        kind::HTTP => format!("{}", String::from_utf8_lossy(data)),
        kind::NATIVE_BALANCE => format!("the native balance of {to} on chain {network}"),
        kind::CALL => format!("a call of {to} on chain {network} with {data}"),
        other => format!("a read of kind {other} of {to} on chain {network} with {data}"),
    }
}

/// Chain id, kind, target and calldata.
type ReplyKey = (u64, u8, Address, Bytes);

/// A document is the same on all networks.
fn key(request: &ReadRequest) -> ReplyKey {
    let network = if request.kind == kind::HTTP { 0 } else { request.network };
    (network, request.kind, request.to, request.data.clone())
}
