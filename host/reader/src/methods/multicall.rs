//! Many static reads as one call of Multicall3, with a proof of the chain and of the block, and a gas sentinel.
//!
//! Invariant: results of [`unpack`] are of the chain and at the pinned block, and none of them ran out of gas. The
//! first three calls of a chunk read chain id, timestamp and number from Multicall3. The last [`SENTINEL_CALLS`] cost
//! more gas than a call that ran out of it can leave (1/64 of [`CHUNK_GAS`]): if they succeed, no earlier call was
//! starved.

use alloy::primitives::{Address, Bytes, U256, address};
use alloy::sol;
use alloy::sol_types::SolCall;
use alloy::sol_types::abi::AbiDecoderConfig;

use crate::reads::read_set::ReadRef;
use crate::{Block, Kind, Read};

/// The same address on every network that has it, but for ZKsync: <https://www.multicall3.com>.
pub(crate) const MULTICALL3: Address = address!("ca11bde05977b3631167028862be2a173976ca11");
/// Its code is another one on ZKsync, and so is its address: <https://www.multicall3.com/deployments>.
const MULTICALL3_OF_ZKSYNC: Address = address!("f9cda624fbc7e059355ce98a31693d299facd963");
const ZKSYNC_ERA: u64 = 324;
/// A read takes ten thousand gas on average, so that a full chunk uses an eighth of its gas.
pub(crate) const CHUNK_READS_MAX: usize = 500;
/// Twice that in hex, which is well below the smallest known body limit of 2 MB.
pub(crate) const CHUNK_MAX_BYTES: usize = 512 << 10;
/// Below the 50 million that nodes commonly allow. Stated in the request, because the sentinel depends on it.
pub(crate) const CHUNK_GAS: u64 = 40_000_000;
/// 45,000 gas each (EIP-1108: a pairing of no points): 720,000 together, more than `CHUNK_GAS / 64 = 625,000`.
pub(crate) const SENTINEL_CALLS: usize = 16;
/// Bytes of a pair of points. On ZKsync a pairing of none is free, and a pair costs 80,000 gas. Zeros are the points at
/// infinity:
/// <https://github.com/matter-labs/era-contracts/blob/main/system-contracts/contracts/precompiles/EcPairing.yul>.
const PAIR_BYTES: usize = 192;
const SENTINEL: Address = address!("0000000000000000000000000000000000000008");
pub(crate) const PROOF_CALLS: usize = 3;
/// A word each: offset, target, flag, offset of the data and its length.
const CALL_HEAD_BYTES: usize = 5 * 32;

sol! {
    interface IMulticall3 {
        struct Call3 { address target; bool allowFailure; bytes callData; }
        struct Result { bool success; bytes returnData; }
        function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory returnData);
        function getChainId() external view returns (uint256 chainid);
        function getBlockNumber() external view returns (uint256 blockNumber);
        function getCurrentBlockTimestamp() external view returns (uint256 timestamp);
        function getEthBalance(address addr) external view returns (uint256 balance);
    }
}

/// Returns the address of Multicall3 on a chain.
pub(crate) fn multicall3(chain_id: u64) -> Address {
    if chain_id == ZKSYNC_ERA { MULTICALL3_OF_ZKSYNC } else { MULTICALL3 }
}

/// Returns the calldata of a sentinel call, whose result is 1 on every chain.
fn sentinel_data(chain_id: u64) -> Bytes {
    if chain_id == ZKSYNC_ERA { Bytes::from_static(&[0; PAIR_BYTES]) } else { Bytes::new() }
}

/// Returns true if a read like this may share a call with others.
pub(crate) fn may_share(read: &Read) -> bool {
    let bytes = encoded_bytes(read);
    let of_kind = matches!(read.kind, Kind::Call | Kind::NativeBalance);
    of_kind && !read.isolated && read.from.is_none() && read.gas_cap.is_none() && bytes <= CHUNK_MAX_BYTES
}

/// Returns the bytes that a read adds to the calldata.
pub(crate) fn encoded_bytes(read: &Read) -> usize {
    CALL_HEAD_BYTES + read.data.len().next_multiple_of(32)
}

/// Encodes the calldata of a chunk.
pub(crate) fn pack<'a>(chain_id: u64, reads: impl Iterator<Item = ReadRef<'a>>) -> Vec<u8> {
    let multicall3 = multicall3(chain_id);
    let call = |target, call_data| IMulticall3::Call3 { target, allowFailure: true, callData: call_data };
    let mut calls = vec![
        call(multicall3, IMulticall3::getChainIdCall {}.abi_encode().into()),
        call(multicall3, IMulticall3::getCurrentBlockTimestampCall {}.abi_encode().into()),
        call(multicall3, IMulticall3::getBlockNumberCall {}.abi_encode().into()),
    ];
    calls.extend(reads.map(|ReadRef { to, like: read }| match read.kind {
        Kind::NativeBalance => call(multicall3, IMulticall3::getEthBalanceCall { addr: to }.abi_encode().into()),
        Kind::Call | Kind::CodeSize | Kind::Simulation(_) => call(to, read.data.clone()),
    }));
    calls.extend(std::iter::repeat_n(call(SENTINEL, sentinel_data(chain_id)), SENTINEL_CALLS));
    IMulticall3::aggregate3Call { calls }.abi_encode()
}

/// Reason why a chunk's reply is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// It is not the reply of Multicall3 to that many calls.
    Malformed,
    /// It is of the chain with this id.
    OtherChain(u64),
    /// It is at another block than the pinned one.
    OtherBlock,
    /// Some call may have had too little gas.
    Starved,
}

/// Decodes the success and the returned bytes of each of `count` reads.
pub(crate) fn unpack(reply: &[u8], count: usize, chain_id: u64, block: &Block) -> Result<Vec<(bool, Bytes)>, Rejected> {
    // Results may share their bytes: without a limit, a mebibyte of reply decodes to a gibibyte of results.
    let config = AbiDecoderConfig::new().memory_limit(reply.len());
    let results = IMulticall3::aggregate3Call::abi_decode_returns_with_config(reply, config);
    let results = results.map_err(|_| Rejected::Malformed)?;
    if results.len() != PROOF_CALLS + count + SENTINEL_CALLS {
        return Err(Rejected::Malformed);
    }
    let (proof, rest) = results.split_at(PROOF_CALLS);
    let (answers, sentinel) = rest.split_at(count);
    let number = |result: &IMulticall3::Result| {
        let word = (result.success && result.returnData.len() == 32).then(|| U256::from_be_slice(&result.returnData));
        word.and_then(|word| u64::try_from(word).ok())
    };
    let is = |result: &IMulticall3::Result, expected: u64| number(result) == Some(expected);
    let reported = number(&proof[0]).ok_or(Rejected::Malformed)?;
    if reported != chain_id {
        return Err(Rejected::OtherChain(reported));
    }
    // If contracts see another chain's number (Arbitrum: Ethereum's), nodes differ on it inside calls.
    let number_differs = block.evm_number == block.number && !is(&proof[2], block.evm_number);
    if !is(&proof[1], block.timestamp) || number_differs {
        return Err(Rejected::OtherBlock);
    }
    if !sentinel.iter().all(|result| is(result, 1)) {
        return Err(Rejected::Starved);
    }
    Ok(answers.iter().map(|result| (result.success, result.returnData.clone())).collect())
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{B256, bytes};

    use super::*;
    use crate::Read;

    const CHAIN_ID: u64 = 137;
    const BLOCK: Block =
        Block { number: 7, hash: B256::ZERO, timestamp: 1_700_000_000, evm_number: 7, parent: B256::repeat_byte(6) };

    fn reply(chain_id: u64, timestamp: u64, number: u64, answers: &[(bool, Bytes)], sentinel: &[u64]) -> Vec<u8> {
        let word = |value: u64| (true, Bytes::from(U256::from(value).to_be_bytes_vec()));
        let all = [word(chain_id), word(timestamp), word(number)].into_iter();
        let all = all.chain(answers.iter().cloned()).chain(sentinel.iter().map(|value| word(*value)));
        let results = all.map(|(success, data)| IMulticall3::Result { success, returnData: data }).collect::<Vec<_>>();
        IMulticall3::aggregate3Call::abi_encode_returns(&results)
    }

    #[test]
    fn the_sentinel_costs_more_than_a_call_that_ran_out_of_gas_leaves() {
        assert!(45_000 * u64::try_from(SENTINEL_CALLS).unwrap() > CHUNK_GAS / 64);
    }

    #[test]
    fn results_are_in_the_order_of_the_reads() {
        let answers = [(true, bytes!("01")), (false, bytes!("deadbeef")), (true, Bytes::new())];
        let reply = reply(CHAIN_ID, BLOCK.timestamp, 7, &answers, &[1; 16]);
        assert_eq!(unpack(&reply, 3, CHAIN_ID, &BLOCK), Ok(answers.to_vec()));
    }

    #[test]
    fn another_block_or_too_little_gas_is_rejected() {
        let answers = [(true, bytes!("01"))];
        let rejected = |timestamp, number, sentinel: &[u64]| {
            unpack(&reply(CHAIN_ID, timestamp, number, &answers, sentinel), 1, CHAIN_ID, &BLOCK).unwrap_err()
        };
        assert_eq!(rejected(BLOCK.timestamp + 1, 7, &[1; 16]), Rejected::OtherBlock);
        assert_eq!(rejected(BLOCK.timestamp, 8, &[1; 16]), Rejected::OtherBlock);
        assert_eq!(rejected(BLOCK.timestamp, 7, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]), Rejected::Starved);
        assert_eq!(rejected(BLOCK.timestamp, 7, &[1; 15]), Rejected::Malformed);
        assert_eq!(unpack(&[0xff; 64], 1, CHAIN_ID, &BLOCK), Err(Rejected::Malformed));
        assert_eq!(unpack(&[], 1, CHAIN_ID, &BLOCK), Err(Rejected::Malformed));
    }

    #[test]
    fn another_chain_is_rejected_whatever_its_block() {
        for (chain_id, number) in [(1, 7), (0, 7), (u64::MAX, 8)] {
            let reply = reply(chain_id, BLOCK.timestamp, number, &[(true, bytes!("01"))], &[1; 16]);
            assert_eq!(unpack(&reply, 1, CHAIN_ID, &BLOCK), Err(Rejected::OtherChain(chain_id)));
        }
    }

    #[test]
    fn the_number_is_no_proof_where_contracts_see_another_chains() {
        let arbitrum = Block { evm_number: 19_000_000, ..BLOCK };
        let reply = reply(CHAIN_ID, BLOCK.timestamp, 19_000_003, &[], &[1; 16]);
        assert_eq!(unpack(&reply, 0, CHAIN_ID, &arbitrum), Ok(Vec::new()));
    }

    #[test]
    fn only_plain_static_reads_share_a_call() {
        let plain = Read::call(Address::ZERO, bytes!("01020304"));
        assert!(may_share(&plain));
        assert!(may_share(&Read { kind: Kind::NativeBalance, ..plain.clone() }));
        for alone in [
            Read { kind: Kind::CodeSize, ..plain.clone() },
            Read { isolated: true, ..plain.clone() },
            Read { from: Some(Address::ZERO), ..plain.clone() },
            Read { gas_cap: Some(100_000), ..plain.clone() },
            Read { data: vec![0; CHUNK_MAX_BYTES].into(), ..plain.clone() },
        ] {
            assert!(!may_share(&alone), "{alone:?}");
        }
    }

    #[test]
    fn results_that_share_their_bytes_are_no_reply() {
        let word = |value: usize| U256::from(value).to_be_bytes_vec();
        let (own, shared) = (reply(CHAIN_ID, BLOCK.timestamp, 7, &[], &[1; SENTINEL_CALLS]), 300);
        let results = IMulticall3::aggregate3Call::abi_decode_returns(&own).unwrap();
        let encoded = |count: usize, places: &dyn Fn(usize) -> usize, tail: &[u8]| {
            let places: Vec<_> = (0..count).flat_map(|result| word(32 * count + places(result))).collect();
            [word(32), word(count), places, tail.to_vec()].concat()
        };
        // All results as before, and between them 300 answers at the place of one of 4,096 bytes.
        let one: Vec<_> = results
            .iter()
            .flat_map(|result| [word(1), word(64), word(32), result.returnData.to_vec()].concat())
            .collect();
        let tail = [one, word(1), word(64), word(4096), vec![7; 4096]].concat();
        let place = |result| match result {
            _ if result < PROOF_CALLS => 128 * result,
            _ if result < PROOF_CALLS + shared => 128 * results.len(),
            _ => 128 * (result - shared),
        };
        let forged = encoded(results.len() + shared, &place, &tail);
        assert!(IMulticall3::aggregate3Call::abi_decode_returns(&forged).is_ok_and(|results| results.len() == 319));
        assert_eq!(unpack(&forged, shared, CHAIN_ID, &BLOCK), Err(Rejected::Malformed));
    }
}
