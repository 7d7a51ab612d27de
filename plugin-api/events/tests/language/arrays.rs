//! Arrays: one event per element, one asset per element, or a single element.

use portolan_events::{Asset, Value};

use crate::*;

const BATCH: &str = "NFT_TRANSFER TransferBatch(address indexed operator, address indexed from, address indexed to, \
                     uint256[] ids, uint256[] values) from=from to=to collection=contract tokenId=ids amount=values";

/// Encodes `ids` and `values` as data of [`BATCH`].
fn batch(ids: &[u64], values: &[u64]) -> Log {
    let length = |array: &[u64]| u64::try_from(array.len()).expect("a short array");
    let mut data = vec![number(64), number(64 + 32 * (1 + length(ids))), number(length(ids))];
    data.extend(ids.iter().copied().map(number));
    data.push(number(length(values)));
    data.extend(values.iter().copied().map(number));
    let topics = [address(1), address(2), address(3)];
    log("TransferBatch(address,address,address,uint256[],uint256[])", &topics, &data)
}

#[test]
fn a_batch_is_an_event_for_each_place() {
    let events = decode(BATCH, vec![transfer(9, 1, 2, 3), batch(&[7, 8], &[70, 80])]);
    assert_eq!(events.len(), 2);
    for (event, (id, value)) in events.iter().zip([(7, 70), (8, 80)]) {
        assert_eq!(event.log, 1);
        let event = std::slice::from_ref(event);
        assert_eq!(member(event, "tokenId"), Some(Value::Number(U256::from(id))));
        assert_eq!(member(event, "amount"), Some(raw(value, None)));
        assert_eq!(member(event, "to"), Some(Value::Address(account(3))));
    }
}

#[test]
fn arrays_of_unequal_length_or_without_elements_are_not_decoded() {
    for (ids, values) in [(&[7, 8][..], &[70][..]), (&[7], &[70, 80]), (&[], &[])] {
        assert_eq!(decode(BATCH, vec![batch(ids, values)]), []);
    }
}

#[test]
fn a_log_with_too_many_elements_is_not_decoded_in_part() {
    let many = vec![1; 256];
    assert_eq!(decode(BATCH, vec![batch(&many, &many)]).len(), 256);
    let more = vec![1; 257];
    assert_eq!(decode(BATCH, vec![batch(&more, &more)]), []);
}

#[test]
fn assets_zip_arrays_and_views_take_the_index() {
    let row = "ADD_LIQUIDITY Add(uint256[3] amounts) pool=contract assets=amounts of contract.coins(uint256 index)";
    let coin = |place: u64| view(0xcc, "coins(uint256)", &[number(place)]);
    let chain = [(coin(0), reply(&[address(0xa0)])), (coin(2), reply(&[address(0xa2)]))];
    let added = transaction(vec![log("Add(uint256[3])", &[], &[number(5), number(0), number(7)])]);
    let decoded = decode_with(&table(row), &added, &chain);
    let events: Vec<_> = decoded.events.into_iter().map(|(event, _)| event).collect();
    let assets = [(0xa0, 5_u64), (0xa2, 7)].map(|(of, raw)| Asset { token: Some(account(of)), raw: U256::from(raw) });
    assert_eq!(member(&events, "assets"), Some(Value::Assets(assets.to_vec())));
}

#[test]
fn the_token_of_a_zero_amount_is_not_read() {
    let row = "ADD_LIQUIDITY Add(uint256[2] amounts) pool=contract assets=amounts of contract.coins(uint256 index)";
    let (table, added) = (table(row), transaction(vec![log("Add(uint256[2])", &[], &[number(0), number(7)])]));
    let calls = Decoding::new(&table, &added, network()).next_calls();
    assert_eq!(calls, [view(0xcc, "coins(uint256)", &[number(1)])]);
}

#[test]
fn a_place_is_named_from_either_end() {
    let row = "SWAP Path(address[] path, uint256[2] amounts) fromToken=path[0] toToken=path[-1] \
               fromAmount=amounts[0] toAmount=amounts[-1]";
    let data = [number(96), number(10), number(20), number(3), address(4), address(5), address(6)];
    let events = decode(row, vec![log("Path(address[],uint256[2])", &[], &data)]);
    assert_eq!(member(&events, "fromToken"), Some(Value::Token(account(4))));
    assert_eq!(member(&events, "toToken"), Some(Value::Token(account(6))));
    assert_eq!(member(&events, "fromAmount"), Some(raw(10, Some(4))));
    assert_eq!(member(&events, "toAmount"), Some(raw(20, Some(6))));
    let empty = [number(96), number(10), number(20), number(0)];
    assert_eq!(decode(row, vec![log("Path(address[],uint256[2])", &[], &empty)]), []);
}

#[test]
fn members_of_tuples_are_reached_within_arrays_too() {
    let row = "CLAIM Paid(address who, (address token, (uint256 amount, bool well) sum)[] parts, bytes note) \
               user=who asset=parts.token amount=parts.sum.amount success=parts.sum.well contract=contract";
    let data = [
        address(1),
        number(96),
        number(96 + 32 * 7),
        number(2),
        address(0xa0),
        number(5),
        number(1),
        address(0xa1),
        number(6),
        number(0),
        number(0),
    ];
    let events = decode(row, vec![log("Paid(address,(address,(uint256,bool))[],bytes)", &[], &data)]);
    assert_eq!(events.len(), 2);
    assert_eq!(member(&events[..1], "amount"), Some(raw(5, Some(0xa0))));
    assert_eq!(member(&events[1..], "amount"), Some(raw(6, Some(0xa1))));
    assert_eq!(member(&events[1..], "success"), Some(Value::Flag(false)));
}

#[test]
fn a_tuple_with_a_text_stands_behind_an_offset() {
    let row = "NAME_REGISTERED Made((string name, address owner) record, uint256 cost) \
               name=record.name owner=record.owner cost=cost";
    let text = B256::right_padding_from(b"portolan");
    let data = [number(64), number(3), number(64), address(1), number(8), text];
    let events = decode(row, vec![log("Made((string,address),uint256)", &[], &data)]);
    assert_eq!(member(&events, "name"), Some(Value::Text("portolan".into())));
    assert_eq!(member(&events, "owner"), Some(Value::Address(account(1))));
    assert_eq!(member(&events, "cost"), Some(Value::Amount { raw: U256::from(3), of: Some(Address::ZERO) }));
}

#[test]
fn a_sum_goes_through_an_array_of_its_own() {
    let row = "STAKE Put(int256[] deltas, uint256 a) amount=sum(deltas)+a if sum(deltas) > 0";
    let put = |deltas: &[B256]| {
        let length = u64::try_from(deltas.len()).expect("a short array");
        let data = [&[number(64), number(1), number(length)], deltas].concat();
        decode(row, vec![log("Put(int256[],uint256)", &[], &data)])
    };
    assert_eq!(member(&put(&[number(5), number(0), below_zero(2)]), "amount"), Some(raw(4, None)));
    assert!(put(&[number(2), below_zero(5)]).is_empty());
    assert!(put(&[]).is_empty(), "nothing is not above zero");
    let error = Table::parse("STAKE Put(uint256 a) amount=sum(a)").expect_err("a is not an array");
    assert!(error.what.contains("sum needs an array"), "{error}");
}
