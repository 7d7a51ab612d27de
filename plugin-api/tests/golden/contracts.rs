//! Contracts that the jobs read, as functions of their calldata.

use alloy::primitives::{Address, U256};
use alloy::sol_types::{SolCall, SolValue};
use portolan_abi::row::{kind, status};
use portolan_abi::step::StepRead;
use portolan_plugin_api::sol;

use crate::host::is_walk;

sol! {
    function rewardsToken() external view returns (address);
    function stakingToken() external view returns (address);
    function earned(address account) external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function gauge() external view returns (address);
    function fee() external view returns (uint256);
    function minFee(uint256 id) external view returns (uint256);
    function ownerOf(uint256 id) external view returns (address);
    function delegatedTo(address account) external view returns (address);
    function claimed(address account) external view returns (uint256);
    function length() external view returns (uint256);
    function entry(uint256 place) external view returns (uint256);
    function value(uint256 of) external view returns (uint256);
}

const ACCOUNT: Address = Address::repeat_byte(0xac);
const GAUGE: Address = Address::repeat_byte(0x9a);
const TOKEN: Address = Address::repeat_byte(0x70);

fn number(number: u64) -> (u8, Vec<u8>) {
    (status::OK, U256::from(number).abi_encode())
}

fn address(address: Address) -> (u8, Vec<u8>) {
    (status::OK, address.abi_encode())
}

/// Staking with a stake of 10 of 1,000, and 5 earned.
pub(crate) fn staking(read: &StepRead<'_>) -> (u8, Vec<u8>) {
    match read.data.first_chunk::<4>().copied().unwrap_or_default() {
        rewardsTokenCall::SELECTOR | stakingTokenCall::SELECTOR => address(TOKEN),
        earnedCall::SELECTOR => number(5),
        balanceOfCall::SELECTOR => number(10),
        totalSupplyCall::SELECTOR => number(1_000),
        rewardRateCall::SELECTOR => number(7),
        periodFinishCall::SELECTOR => number(4_000_000_000),
        _ => (status::REVERTED, vec![1, 2, 3]),
    }
}

/// A contract that returns twice the number plus one, and a server.
pub(crate) fn every(read: &StepRead<'_>) -> (u8, Vec<u8>) {
    let argument = || read.data.last_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    match (read.row.kind, read.data.first_chunk::<4>().copied().unwrap_or_default()) {
        (kind::HTTP, _) => (status::OK, b"[\"a document\"]".to_vec()),
        (kind::NATIVE_BALANCE, _) => number(1_000),
        (kind::CODE_SIZE, _) => number(2_000),
        (_, gaugeCall::SELECTOR | delegatedToCall::SELECTOR) => address(GAUGE),
        (_, ownerOfCall::SELECTOR) => address(ACCOUNT),
        (_, minFeeCall::SELECTOR) => number(argument() + 1),
        (_, feeCall::SELECTOR) => number(3),
        (_, claimedCall::SELECTOR) => number(2),
        (_, lengthCall::SELECTOR) => number(4),
        (_, entryCall::SELECTOR) if is_walk(read) => number(40 + argument()),
        (_, valueCall::SELECTOR) if argument() < 9 => number(2 * argument() + 1),
        _ => (status::REVERTED, vec![1, 2, 3]),
    }
}

/// A chain without contracts.
pub(crate) fn nothing(_: &StepRead<'_>) -> (u8, Vec<u8>) {
    (status::NO_CODE, Vec::new())
}
