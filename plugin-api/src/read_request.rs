//! A read as a job requests it from the host.

use alloy::primitives::{Address, Bytes};
use portolan_abi::row::{freshness, kind, mode, purpose};

/// A requested read; created when a [`Read`](crate::Read) is awaited.
///
/// ```
/// use portolan_plugin_api::testing::{ReadRequest, ReadResult};
/// use portolan_plugin_api::U256;
///
/// /// Replies of a test that count how often each contract is read.
/// fn reply(request: &ReadRequest, reads: &mut std::collections::BTreeMap<String, u32>) -> ReadResult {
///     *reads.entry(request.to.to_string()).or_default() += 1;
///     ReadResult::Ok(U256::from(5).to_be_bytes::<32>().into())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadRequest {
    /// EIP-155 chain id.
    pub network: u64,
    /// One of [`portolan_abi::row::kind`].
    pub kind: u8,
    /// One of [`portolan_abi::row::mode`].
    pub mode: u8,
    /// One of [`portolan_abi::row::freshness`].
    pub freshness: u8,
    /// One of [`portolan_abi::row::purpose`].
    pub purpose: u8,
    /// Seconds, for the freshnesses that have them.
    pub freshness_s: u32,
    /// Gas limit of the call; 0 is the host's default.
    pub gas_cap: u32,
    /// `msg.sender`.
    pub from: Option<Address>,
    /// Target.
    pub to: Address,
    /// Calldata, or the URL of an off-chain read.
    pub data: Bytes,
    /// Signature of the called function, in jobs whose reads the host reports.
    pub function: Option<String>,
}

impl ReadRequest {
    /// Returns true for a batched call without a sender: the kind that claims may rely on.
    #[cfg(feature = "testing")]
    pub(crate) fn is_static_call(&self) -> bool {
        self.kind == kind::CALL && self.mode == mode::STATIC && self.from.is_none()
    }

    fn new(network: u64, kind: u8, to: Address, data: Bytes) -> Self {
        let (mode, freshness, purpose) = (mode::STATIC, freshness::PINNED, purpose::ANSWER);
        let (freshness_s, gas_cap, from, function) = Default::default();
        Self { network, kind, mode, freshness, purpose, freshness_s, gas_cap, from, to, data, function }
    }

    pub(crate) fn call(network: u64, to: Address, data: Bytes) -> Self {
        Self::new(network, kind::CALL, to, data)
    }

    /// Requests the fact list with this name.
    pub(crate) fn facts(network: u64, list: Bytes) -> Self {
        Self::new(network, kind::FACTS, Address::ZERO, list)
    }

    pub(crate) fn native_balance(network: u64, account: Address) -> Self {
        Self::new(network, kind::NATIVE_BALANCE, account, Bytes::new())
    }

    /// Requests a document; target and network are ignored.
    pub(crate) fn http_get(network: u64, url: &str) -> Self {
        Self::new(network, kind::HTTP, Address::ZERO, Bytes::copy_from_slice(url.as_bytes()))
    }

    pub(crate) fn code_size(network: u64, at: Address) -> Self {
        Self::new(network, kind::CODE_SIZE, at, Bytes::new())
    }
}
