//! Encoding of a transaction for the fee oracle, and the fees that oracles tell.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Bytes, hex};
use portolan_abi::map::Claimable;
use portolan_base::network::Networks;
use portolan_reader::testing::ScriptedChain;
use portolan_validation::TargetSource;
use tokio::time::Instant;

use super::*;

fn claim() -> ClaimTransaction {
    ClaimTransaction {
        to: Address::repeat_byte(0x11),
        target_source: TargetSource::Listed,
        from: Address::repeat_byte(0x22),
        is_by_anyone: false,
        value: U256::ZERO,
        data: Bytes::from_static(&hex!("3d18b912")),
        function: "getReward".into(),
        inputs: Vec::new(),
        mergeable: None,
    }
}

#[test]
fn a_transaction_before_its_signature_is_this() {
    // Type, a list of 46 bytes: chain 10, nonce 1,000, tip and price of 1 gwei, 500,000 gas, target, no value, four
    // bytes of data, and an empty access list.
    let expected = concat!(
        "02",
        "ee",
        "0a",
        "8203e8",
        "843b9aca00",
        "843b9aca00",
        "8307a120",
        "941111111111111111111111111111111111111111",
        "80",
        "843d18b912",
        "c0",
    );
    assert_eq!(hex::encode(unsigned_bytes(10, &claim())), expected);
}

/// Returns the fees in wei of a claim of one transaction and of a claim of two, where an oracle returns 5 for each.
async fn fees_of(kind: DataFee, script: impl Fn(&mut ScriptedChain, &getL1FeeCall)) -> [Option<U256>; 2] {
    let mut chain = ScriptedChain::default();
    let deadline = Instant::now() + Duration::from_secs(20);
    let chain_id = chain.session(deadline).chain_id();
    script(&mut chain, &getL1FeeCall { unsigned: unsigned_bytes(chain_id, &claim()).into() });
    let network = Arc::clone(Networks::new([]).named("mantle").unwrap());
    let (found, transactions) = (Claimable::default(), [claim(), claim()]);
    let of = |transactions| PlannedClaim { plugin: "farming", network: &network, found: &found, transactions };
    let claims = [of(&transactions[..1]), of(&transactions)];
    let fees = data_fees(&chain.session(deadline), kind, &claims.iter().collect::<Vec<_>>()).await;
    let wei = |fee: &Option<DataCost>| {
        fee.map(|fee| match fee {
            DataCost::Wei(wei) => wei,
            DataCost::Gas(gas) => panic!("{gas} gas"),
        })
    };
    [wei(&fees[0]), wei(&fees[1])]
}

#[tokio::test]
async fn each_oracle_is_asked_at_its_address_and_mantles_fee_is_paid_in_its_own_token() {
    let five = |oracle: Address| {
        move |chain: &mut ScriptedChain, call: &getL1FeeCall| {
            chain.call(oracle, call, U256::from(5));
        }
    };
    let known = [Some(U256::from(5)), Some(U256::from(10))];
    assert_eq!(fees_of(DataFee::OpStack, five(ORACLE)).await, known);
    assert_eq!(fees_of(DataFee::Scroll, five(SCROLL_ORACLE)).await, known);
    assert_eq!(fees_of(DataFee::Scroll, five(ORACLE)).await, [None; 2]);
    assert_eq!(fees_of(DataFee::Mantle, five(ORACLE)).await, [None; 2], "without the ratio the fee is not known");
    let with_ratio = |chain: &mut ScriptedChain, call: &getL1FeeCall| {
        five(ORACLE)(chain, call);
        chain.call(ORACLE, &tokenRatioCall {}, U256::from(3_000));
    };
    let fees = [Some(U256::from(15_000)), Some(U256::from(30_000))];
    assert_eq!(fees_of(DataFee::Mantle, with_ratio).await, fees, "5 and 10 of ether, 3,000 for each");
}
