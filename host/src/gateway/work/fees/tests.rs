//! Encoding of a transaction for the fee oracle.

use alloy::primitives::{Bytes, hex};
use portolan_validation::TargetSource;

use super::*;

#[test]
fn a_transaction_before_its_signature_is_this() {
    let transaction = ClaimTransaction {
        to: Address::repeat_byte(0x11),
        target_source: TargetSource::Listed,
        from: Address::repeat_byte(0x22),
        is_by_anyone: false,
        value: U256::ZERO,
        data: Bytes::from_static(&hex!("3d18b912")),
        function: "getReward".into(),
        inputs: Vec::new(),
        mergeable: None,
    };
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
    assert_eq!(hex::encode(unsigned_bytes(10, &transaction)), expected);
}
