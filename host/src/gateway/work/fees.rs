//! Reads the fees of networks for claims: the gas price, and the data fee if the network charges one.
//!
//! Invariant: if any part of the fees is unknown, the whole is unknown; it never counts as zero.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256, address};
use alloy::sol_types::SolCall;
use alloy_rlp::Encodable;
use portolan_networks::DataFee;
use portolan_reader::{GasPrice, Outcome, Read, Session};
use portolan_validation::ClaimTransaction;

use crate::gateway::claims::cost::ClaimFees;
use crate::gateway::claims::planned_claim::PlannedClaim;
use crate::gateway::context::Context;
use crate::spans;

/// The gas price oracle of every OP Stack network.
const ORACLE: Address = address!("420000000000000000000000000000000000000f");
/// Scroll's oracle, with the same function:
/// <https://github.com/scroll-tech/scroll-contracts/blob/main/src/L2/predeploys/L1GasPriceOracle.sol>.
const SCROLL_ORACLE: Address = address!("5300000000000000000000000000000000000002");
/// Precompile whose calls Arbitrum's node answers; contracts cannot call it.
const NODE_INTERFACE: Address = address!("00000000000000000000000000000000000000c8");

/// Typical values of fields besides the call; only their encoded length matters.
const NONCE: u64 = 1_000;
const GAS_LIMIT: u64 = 500_000;
const GAS_PRICE: u64 = 1_000_000_000;
/// The transaction type of EIP-1559.
const DYNAMIC_FEE: u8 = 2;

alloy::sol! {
    function getL1Fee(bytes unsigned) external view returns (uint256 fee);
    function tokenRatio() external view returns (uint256 ratio);
    function gasEstimateL1Component(address to, bool contractCreation, bytes data) external payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate);
}

/// Reads the fees of claims on one network, one entry per claim in order; `None` if they could not be read.
pub(in crate::gateway) async fn fees(context: &Context, claims: &[&PlannedClaim<'_>]) -> Vec<Option<ClaimFees>> {
    let nothing = || vec![None; claims.len()];
    let Some(first) = claims.first() else { return nothing() };
    let Some(session) = context.session_for_simulations(first.network) else { return nothing() };
    let gas_price = spans::lookup("gas-price", context.networks(), first.network.chain_id, session.gas_price());
    let (gas_price, data) = tokio::join!(gas_price, data_fees(&session, first.network.data_fee, claims));
    let Ok(gas_price) = gas_price else { return nothing() };
    let fees = |data: DataCost| ClaimFees { gas_price, data_fee: data.wei(gas_price), data_gas: data.gas() };
    data.into_iter().map(|data| data.map(fees)).collect()
}

/// The fee for data, in wei or in gas.
#[derive(Clone, Copy, Debug)]
enum DataCost {
    Wei(U256),
    Gas(u64),
}

impl DataCost {
    /// Returns the part of a transaction's gas limit that it takes.
    fn gas(self) -> u64 {
        match self {
            Self::Wei(_) => 0,
            Self::Gas(gas) => gas,
        }
    }

    fn wei(self, price: GasPrice) -> U256 {
        match self {
            Self::Wei(wei) => wei,
            Self::Gas(gas) => U256::from(gas).saturating_mul(U256::from(price.total())),
        }
    }
}

async fn data_fees(session: &Session, kind: DataFee, claims: &[&PlannedClaim<'_>]) -> Vec<Option<DataCost>> {
    match kind {
        DataFee::None => vec![Some(DataCost::Wei(U256::ZERO)); claims.len()],
        DataFee::OpStack => oracle_fees(session, ORACLE, claims).await,
        DataFee::Mantle => mantle_fees(session, claims).await,
        DataFee::Scroll => oracle_fees(session, SCROLL_ORACLE, claims).await,
        DataFee::Arbitrum => arbitrum_gas(session, claims).await,
    }
}

/// Reads the fee of each transaction from the network's oracle.
async fn oracle_fees(session: &Session, oracle: Address, claims: &[&PlannedClaim<'_>]) -> Vec<Option<DataCost>> {
    let replies = session.read(fee_reads(session, oracle, claims)).await;
    fees_of_replies(replies.into_iter().map(|reply| reply.outcome), U256::ONE, claims)
}

/// Reads fees as [`oracle_fees`] does. Mantle's oracle returns them in ether, and the network takes this many of its
/// own tokens for one.
async fn mantle_fees(session: &Session, claims: &[&PlannedClaim<'_>]) -> Vec<Option<DataCost>> {
    let mut reads = fee_reads(session, ORACLE, claims);
    reads.insert(0, Read::call(ORACLE, tokenRatioCall {}.abi_encode()));
    let mut outcomes = session.read(reads).await.into_iter().map(|reply| reply.outcome);
    let ratio = match outcomes.next() {
        Some(Outcome::Ok(word)) => tokenRatioCall::abi_decode_returns(&word).ok(),
        _ => None,
    };
    ratio.map_or_else(|| vec![None; claims.len()], |ratio| fees_of_replies(outcomes, ratio, claims))
}

/// Makes a read of the fee of each transaction.
fn fee_reads(session: &Session, oracle: Address, claims: &[&PlannedClaim<'_>]) -> Vec<Read> {
    let read = |transaction: &ClaimTransaction| {
        let unsigned = unsigned_bytes(session.chain_id(), transaction).into();
        Read::call(oracle, getL1FeeCall { unsigned }.abi_encode())
    };
    claims.iter().flat_map(|claim| claim.transactions.iter().map(read)).collect()
}

/// Adds up the fees of each claim's transactions, in units of `ratio` wei.
fn fees_of_replies(
    mut replies: impl Iterator<Item = Outcome>,
    ratio: U256,
    claims: &[&PlannedClaim<'_>],
) -> Vec<Option<DataCost>> {
    let fee = |outcome: Outcome| match outcome {
        Outcome::Ok(word) => Some(getL1FeeCall::abi_decode_returns(&word).ok()?.saturating_mul(ratio)),
        _ => None,
    };
    let of_claim = |claim: &&PlannedClaim<'_>| {
        let own: Vec<Option<U256>> = replies.by_ref().take(claim.transactions.len()).map(fee).collect();
        let sum = |sum: U256, fee: Option<U256>| Some(sum.saturating_add(fee?));
        own.into_iter().try_fold(U256::ZERO, sum).map(DataCost::Wei)
    };
    claims.iter().map(of_claim).collect()
}

/// Reads the gas from the node's interface. Each estimate is a separate request, so there is one for all transactions
/// of the same length.
async fn arbitrum_gas(session: &Session, claims: &[&PlannedClaim<'_>]) -> Vec<Option<DataCost>> {
    let mut by_length: BTreeMap<usize, &ClaimTransaction> = BTreeMap::new();
    for transaction in claims.iter().flat_map(|claim| claim.transactions) {
        by_length.entry(transaction.data.len()).or_insert(transaction);
    }
    let read = |transaction: &&ClaimTransaction| {
        let (to, data) = (transaction.to, transaction.data.clone());
        let call = gasEstimateL1ComponentCall { to, contractCreation: false, data };
        Read { from: Some(transaction.from), ..Read::call(NODE_INTERFACE, call.abi_encode()) }
    };
    let replies = session.read(by_length.values().map(read).collect()).await;
    let gas = |outcome: &Outcome| match outcome {
        Outcome::Ok(words) => Some(gasEstimateL1ComponentCall::abi_decode_returns(words).ok()?.gasEstimateForL1),
        _ => None,
    };
    let known: BTreeMap<usize, Option<u64>> =
        by_length.into_keys().zip(&replies).map(|(length, reply)| (length, gas(&reply.outcome))).collect();
    let of_claim = |claim: &&PlannedClaim<'_>| {
        let own = claim.transactions.iter().map(|transaction| *known.get(&transaction.data.len())?);
        own.sum::<Option<u64>>().map(DataCost::Gas)
    };
    claims.iter().map(of_claim).collect()
}

/// Encodes an unsigned transaction, with values of typical length for the fields that the sender chooses.
fn unsigned_bytes(chain_id: u64, transaction: &ClaimTransaction) -> Vec<u8> {
    let value = u128::try_from(transaction.value).unwrap_or(u128::MAX);
    let (to, data) = (transaction.to.as_slice(), transaction.data.as_ref());
    let access_list: Vec<u64> = Vec::new();
    let fields: [&dyn Encodable; 9] =
        [&chain_id, &NONCE, &GAS_PRICE, &GAS_PRICE, &GAS_LIMIT, &to, &value, &data, &access_list];
    let mut bytes = vec![DYNAMIC_FEE];
    alloy_rlp::encode_list::<&dyn Encodable, dyn Encodable>(&fields, &mut bytes);
    bytes
}

#[cfg(test)]
mod tests;
