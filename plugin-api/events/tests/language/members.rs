//! Values of members.

use portolan_events::{Asset, Value};

use crate::*;

const SWAP: &str = "SWAP Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, \
                    uint256 amount1Out, address indexed to)\n  user=sender recipient=to pool=contract \
                    swap_deltas=amount0In-amount0Out of contract.token0(), \
                    amount1In-amount1Out of contract.token1()";

fn swap(amounts: [u64; 4]) -> Log {
    let signature = "Swap(address,uint256,uint256,uint256,uint256,address)";
    log(signature, &[address(1), address(2)], &amounts.map(number))
}

#[test]
fn a_swap_is_made_of_what_went_into_the_pool_and_what_came_out() {
    let (table, transaction) = (table(SWAP), transaction(vec![swap([0, 700, 30, 100])]));
    let mut decoding = Decoding::new(&table, &transaction, network());
    assert_eq!(decoding.next_calls(), [view(0xcc, "token0()", &[]), view(0xcc, "token1()", &[])]);
    decoding.record(vec![reply(&[address(0xa0)]), reply(&[address(0xa1)])]);
    assert_eq!(decoding.next_calls(), []);
    let decoded = decoding.finish();
    assert_eq!(decoded.incomplete_logs, 0);
    let events: Vec<_> = decoded.events.into_iter().map(|(event, _)| event).collect();
    assert_eq!(events[0].kind.name(), "SWAP");
    assert_eq!(member(&events, "user"), Some(Value::Address(account(1))));
    assert_eq!(member(&events, "recipient"), Some(Value::Address(account(2))));
    assert_eq!(member(&events, "pool"), Some(Value::Address(account(0xcc))));
    assert_eq!(member(&events, "fromToken"), Some(Value::Token(account(0xa1))));
    assert_eq!(member(&events, "fromAmount"), Some(raw(600, Some(0xa1))));
    assert_eq!(member(&events, "toToken"), Some(Value::Token(account(0xa0))));
    assert_eq!(member(&events, "toAmount"), Some(raw(30, Some(0xa0))));
}

#[test]
fn deltas_without_one_in_and_one_out_are_not_a_swap() {
    let chain = [
        (view(0xcc, "token0()", &[]), reply(&[address(0xa0)])),
        (view(0xcc, "token1()", &[]), reply(&[address(0xa1)])),
    ];
    for amounts in [[5, 700, 0, 0], [0, 0, 30, 100], [5, 0, 5, 100], [0, 0, 0, 0]] {
        let decoded = decode_with(&table(SWAP), &transaction(vec![swap(amounts)]), &chain);
        assert_eq!(decoded.events, [], "{amounts:?}");
        assert_eq!(decoded.incomplete_logs, 0);
    }
}

#[test]
fn a_delta_whose_token_may_be_unknown_keeps_its_amount() {
    let open = SWAP.replace("token0()", "token0() or none");
    let chain = [(view(0xcc, "token1()", &[]), reply(&[address(0xa1)]))];
    let decoded = decode_with(&table(&open), &transaction(vec![swap([0, 7, 3, 0])]), &chain);
    let events: Vec<_> = decoded.events.into_iter().map(|(event, _)| event).collect();
    assert_eq!(member(&events, "toToken"), None);
    assert_eq!(member(&events, "toAmount"), Some(raw(3, None)));
    assert_eq!(member(&events, "fromAmount"), Some(raw(7, Some(0xa1))));
    assert_eq!(decode_with(&table(SWAP), &transaction(vec![swap([0, 7, 3, 0])]), &chain).events, []);
}

#[test]
fn assets_are_what_is_not_zero_without_signs() {
    let row = "ADD_LIQUIDITY Change(address user, int256 amount0, int256 amount1, int256 amount2) \
               user=user \
               assets=amount0 of 0x0101010101010101010101010101010101010101, amount1 of native, amount2 of wrapped";
    let changed = log("Change(address,int256,int256,int256)", &[], &[address(1), below_zero(5), number(0), number(9)]);
    let assets = [(0x01, 5_u64), (0xaa, 9)].map(|(of, raw)| Asset { token: Some(account(of)), raw: U256::from(raw) });
    assert_eq!(member(&decode(row, vec![changed]), "assets"), Some(Value::Assets(assets.to_vec())));
}

#[test]
fn an_amount_names_the_token_of_its_event() {
    let row = "VAULT_DEPOSIT Put(address asset, uint256 amount, uint256 shares) \
               vault=contract asset=asset amount=amount shares=shares cost=shares collateralAmount=amount";
    let events = decode(row, vec![log("Put(address,uint256,uint256)", &[], &[address(0xee), number(4), number(2)])]);
    assert_eq!(member(&events, "asset"), Some(Value::Token(Address::ZERO)), "the native token has one address");
    assert_eq!(member(&events, "amount"), Some(Value::Amount { raw: U256::from(4), of: Some(Address::ZERO) }));
    assert_eq!(member(&events, "shares"), Some(raw(2, Some(0xcc))));
    assert_eq!(member(&events, "cost"), Some(Value::Amount { raw: U256::from(2), of: Some(Address::ZERO) }));
    assert_eq!(member(&events, "collateralAmount"), Some(raw(4, None)), "the event has no collateral asset");
}

#[test]
fn every_class_is_made_of_its_types() {
    let row = "VOTE Cast(bytes32 id, uint8 support, bool well, string reason, uint64 when, bytes20 short, address to) \
               node=id support=support success=well reason=reason expires=when orderId=short \
               remoteToken=to number=well";
    let words = [
        B256::repeat_byte(7),
        number(2),
        number(1),
        number(7 * 32),
        number(1_700_000_000),
        B256::right_padding_from(&[9; 20]),
        address(3),
        number(5),
        B256::right_padding_from(b"hello"),
    ];
    let events = decode(row, vec![log("Cast(bytes32,uint8,bool,string,uint64,bytes20,address)", &[], &words)]);
    assert_eq!(member(&events, "node"), Some(Value::Word(B256::repeat_byte(7))));
    assert_eq!(member(&events, "support"), Some(Value::Number(U256::from(2))));
    assert_eq!(member(&events, "success"), Some(Value::Flag(true)));
    assert_eq!(member(&events, "number"), Some(Value::Number(U256::from(1))));
    assert_eq!(member(&events, "reason"), Some(Value::Text("hello".into())));
    assert_eq!(member(&events, "expires"), Some(Value::Seconds(U256::from(1_700_000_000_u64))));
    assert_eq!(member(&events, "orderId"), Some(Value::Word(B256::right_padding_from(&[9; 20]))));
    assert_eq!(member(&events, "remoteToken"), Some(Value::Word(address(3))));
}

#[test]
fn a_member_that_may_be_missing_loses_itself_alone() {
    let row = "STAKE Put(uint256 amount) user=tx.from amount=amount asset=contract.stakingToken() or none";
    let put = || vec![log("Put(uint256)", &[], &[number(4)])];
    let events = decode(row, put());
    assert_eq!(member(&events, "asset"), None);
    assert_eq!(member(&events, "amount"), Some(raw(4, None)));
    assert_eq!(decode(&row.replace(" or none", ""), put()), []);
}

#[test]
fn a_pool_is_an_address_or_a_hash() {
    let row = "SWAP Made(bytes32 indexed id) pool=id";
    let made = |id: B256| vec![log("Made(bytes32)", &[id], &[])];
    assert_eq!(member(&decode(row, made(B256::repeat_byte(8))), "pool"), Some(Value::Word(B256::repeat_byte(8))));
    // A hash that looks like an address keeps its type.
    assert_eq!(member(&decode(row, made(number(8))), "pool"), Some(Value::Word(number(8))));
}
