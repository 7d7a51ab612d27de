//! The store of data: values and sets by keys that are hashes.
//!
//! Source: <https://github.com/gmx-io/gmx-synthetics/tree/main/contracts/data>, `DataStore.sol` and `Keys.sol`.

use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::{Address, B256, Error, JobContext, Read, SolValue as _, U256};

use crate::bounds::answered;

portolan_plugin_api::sol! {
    function getUint(bytes32 key) external view returns (uint256);
    function getAddress(bytes32 key) external view returns (address);
    function getBool(bytes32 key) external view returns (bool);
    function getAddressCount(bytes32 setKey) external view returns (uint256);
    function getAddressValuesAt(bytes32 setKey, uint256 start, uint256 end) external view returns (address[]);
    function getBytes32Count(bytes32 setKey) external view returns (uint256);
    function getBytes32ValuesAt(bytes32 setKey, uint256 start, uint256 end) external view returns (bytes32[]);
}

/// Cache time of a list of contracts, in seconds.
const LIST_STANDS_S: u32 = 300;

/// Returns the key of a name.
pub(super) fn named(name: &str) -> B256 {
    keccak256(name.abi_encode())
}

/// Returns the key of a member of the struct that has this key.
pub(super) fn member(of: B256, name: &str) -> B256 {
    keccak256((of, named(name)).abi_encode())
}

/// Returns the key of a member of the struct of a contract.
pub(super) fn member_at(of: Address, name: &str) -> B256 {
    member(of.into_word(), name)
}

/// Returns the key of an account's entry in a list of this name.
pub(super) fn of_account(name: &str, account: Address) -> B256 {
    keccak256((named(name), account).abi_encode())
}

/// Reads a token or contract that never changes.
pub(super) fn contract(cx: &JobContext, store: Address, key: B256) -> Read<'_, Address> {
    cx.call(store, getAddressCall { key }).immutable()
}

/// Returns the contracts of a set; reports those beyond `max` as not covered.
pub(super) async fn contracts(
    cx: &JobContext,
    market: &str,
    store: Address,
    name: &str,
    max: u64,
) -> Result<Vec<Address>, Error> {
    let set_key = named(name);
    let count = cx.call(store, getAddressCountCall { setKey: set_key }).within(LIST_STANDS_S).await?;
    if count.is_zero() {
        return Ok(Vec::new());
    }
    let count = answered(cx, format_args!("{market}: {store}"), count, format_args!("entries of {name}"), max);
    let end = U256::from(count);
    let all = getAddressValuesAtCall { setKey: set_key, start: U256::ZERO, end };
    cx.call(store, all).within(LIST_STANDS_S).await
}
