//! Values and arithmetic.

use portolan_events::Value;

use crate::*;

/// Evaluates an expression of `a`, `b` and the signed number `s` as an amount.
fn evaluated(expression: &str, [a, b]: [u64; 2], s: B256) -> Option<U256> {
    let row = format!("STAKE Put(uint256 a, uint256 b, int256 s, address who) amount={expression} or none");
    let words = [number(a), number(b), s, address(1)];
    match member(&decode(&row, vec![log("Put(uint256,uint256,int256,address)", &[], &words)]), "amount") {
        Some(Value::Amount { raw, .. }) => Some(raw),
        None => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_have_their_usual_precedence() {
    let sums = [
        ("a+b", 12),
        ("a-b", 2),
        ("a*b", 35),
        ("a/b", 1),
        ("a+b*2", 17),
        ("(a+b)*2", 24),
        ("a-b-1", 1),
        ("100/a/b", 2),
        ("b-a+3", 1),
        ("-s", 3),
        ("a+s", 4),
        ("a--s+0*b", 4),
    ];
    for (expression, sum) in sums {
        assert_eq!(evaluated(expression, [7, 5], below_zero(3)), Some(U256::from(sum)), "{expression}");
    }
}

#[test]
fn what_is_below_zero_or_divided_by_it_is_undefined() {
    for expression in ["b-a", "s", "a/(a-7)", "-a"] {
        assert_eq!(evaluated(expression, [7, 5], below_zero(3)), None, "{expression}");
    }
}

#[test]
fn the_largest_results_are_exact_or_undefined() {
    let max = |expression: &str| {
        let row = format!("STAKE Put(uint256 a, int256 s) amount={expression} or none");
        let words = [B256::repeat_byte(0xff), B256::right_padding_from(&[0x80])];
        member(&decode(&row, vec![log("Put(uint256,int256)", &[], &words)]), "amount")
    };
    let amount = |raw: U256| Some(Value::Amount { raw, of: None });
    assert_eq!(max("a"), amount(U256::MAX));
    assert_eq!(max("-s"), amount(U256::ONE << 255));
    assert_eq!(max("a+a-a"), amount(U256::MAX), "beyond 256 bits on the way");
    assert_eq!(max("a*a/a"), None, "beyond 511 bits on the way");
    assert_eq!(max("a+1"), None);
    assert_eq!(max("a*a*a*a"), None);
}

#[test]
fn words_of_the_transaction_and_the_network_are_known() {
    let row = "STAKE Put() user=tx.from recipient=tx.to contract=contract asset=wrapped fromToken=native \
               toToken=0x1111111111111111111111111111111111111111 tokenId=123 fromAmount=tx.value";
    let events = decode(row, vec![log("Put()", &[], &[])]);
    assert_eq!(member(&events, "user"), Some(Value::Address(account(0xf0))));
    assert_eq!(member(&events, "recipient"), Some(Value::Address(account(0xf1))));
    assert_eq!(member(&events, "contract"), Some(Value::Address(account(0xcc))));
    assert_eq!(member(&events, "asset"), Some(Value::Token(account(0xaa))));
    assert_eq!(member(&events, "fromToken"), Some(Value::Token(Address::ZERO)));
    assert_eq!(member(&events, "toToken"), Some(Value::Token(account(0x11))));
    assert_eq!(member(&events, "tokenId"), Some(Value::Number(U256::from(123))));
    assert_eq!(member(&events, "fromAmount"), Some(raw(5, Some(0))));
}

#[test]
fn a_parameter_hides_the_word_that_has_its_name() {
    let events = decode("STAKE Put(address wrapped) asset=wrapped", vec![log("Put(address)", &[], &[address(1)])]);
    assert_eq!(member(&events, "asset"), Some(Value::Token(account(1))));
}

#[test]
fn an_address_is_taken_out_of_a_word_whose_rest_is_zero() {
    let row = "BRIDGE_OUT Sent(bytes32 to, bytes raw) recipient=address(to) or none user=address(raw) or none";
    let sent = |to: B256, raw: &[u8]| {
        let mut log = log("Sent(bytes32,bytes)", &[], &[to, number(64), number(raw.len().try_into().unwrap())]);
        let padded = raw.iter().copied().chain(std::iter::repeat_n(0, raw.len().next_multiple_of(32) - raw.len()));
        log.data = log.data.iter().copied().chain(padded).collect::<Vec<_>>().into();
        let events = decode(row, vec![log]);
        (member(&events, "recipient").is_some(), member(&events, "user"))
    };
    let found = Some(Value::Address(account(7)));
    assert_eq!(sent(address(1), account(7).as_slice()), (true, found.clone()));
    assert_eq!(sent(B256::repeat_byte(1), address(7).as_slice()), (false, found));
    assert_eq!(sent(address(1), &[7; 19]), (true, None));
    assert_eq!(sent(address(1), &[7; 21]), (true, None));
}

#[test]
fn bridges_numbers_are_networks() {
    let row = "BRIDGE_OUT Sent(uint32 domain, uint32 eid) \
               remoteNetwork=cctp_chain_id(domain) or layerzero_chain_id(eid) or none";
    let network = |domain: u64, eid: u64| {
        let events = decode(row, vec![log("Sent(uint32,uint32)", &[], &[number(domain), number(eid)])]);
        member(&events, "remoteNetwork").map(|value| match value {
            Value::Network(chain_id) => chain_id,
            other => panic!("{other:?}"),
        })
    };
    // Domains 4 and 5 are Noble and Solana, which have no chain id.
    assert_eq!([0, 6, 3].map(|domain| network(domain, 0)), [Some(1), Some(8_453), Some(42_161)]);
    assert_eq!(
        [110, 30_110, 184, 30_184].map(|eid| network(5, eid)).map(Option::unwrap),
        [42_161, 42_161, 8_453, 8_453]
    );
    assert_eq!([0, 30_000, 40_161, 108].map(|eid| network(4, eid)), [None; 4]);
}

#[test]
fn a_contract_is_alone_with_its_only_log() {
    let row = "STAKE Put() user=tx.from if alone = 1";
    let logs = |emitters: &[u8]| emitters.iter().map(|emitter| log_of(*emitter, "Put()", &[], &[])).collect();
    assert_eq!(decode(row, logs(&[0xcc, 0xdd])).len(), 2);
    assert_eq!(decode(row, logs(&[0xcc, 0xdd, 0xcc])).len(), 1);
}

#[test]
fn bytes_are_read_from_their_lowest() {
    let amount = |data: &[u8]| {
        let mut body = vec![B256::from(U256::from(32)), B256::from(U256::from(data.len()))];
        body.extend(data.chunks(32).map(|chunk| B256::right_padding_from(chunk)));
        member(
            &decode("STAKE Put(bytes data) amount=little_endian(data) or none", vec![log("Put(bytes)", &[], &body)]),
            "amount",
        )
    };
    // 32,000,000,000 gwei, as the beacon chain's deposit contract logs them.
    assert_eq!(amount(&[0, 0x40, 0x59, 0x73, 0x07, 0, 0, 0]), Some(raw(32_000_000_000, None)));
    assert_eq!(amount(&[]), Some(raw(0, None)));
    assert_eq!(amount(&[1; 33]), None, "more than a word");
}

#[test]
fn a_word_packs_two_numbers() {
    let row = "SWAP Put(bytes32 packed) fromAmount=low(packed) toAmount=high(packed)";
    let packed = B256::from(U256::from(7) | (U256::from(9) << 128_u32));
    let events = decode(row, vec![log("Put(bytes32)", &[], &[packed])]);
    assert_eq!((member(&events, "fromAmount"), member(&events, "toAmount")), (Some(raw(7, None)), Some(raw(9, None))));
}
