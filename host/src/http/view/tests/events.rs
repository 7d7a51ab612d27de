//! Events and logs as answers write them.

use portolan_events::{Asset, Kind, Log, Transaction, Value};

use super::*;
use crate::events::merge::MergedEvent;
use crate::events::movements::{MovedAsset, Movement};
use crate::gateway::answer::{AccountEffects, AccountMovement, Event, TransactionEvents};
use portolan_reader::GasPaid;

fn event(log: Option<usize>, kind: &str, members: Vec<(&'static str, Value)>) -> Event {
    let kind = Kind::named(kind).unwrap();
    let event = portolan_events::Event { log: 0, kind, protocol: None, members };
    Event { merged: MergedEvent { log, event, plugin: None, part_of: None, is_repeat: false }, protocol: None }
}

/// A transaction with one log that is an event of this kind, and one without an event.
fn events(kind: &str, members: Vec<(&'static str, Value)>) -> TransactionEvents {
    let log = |index| Log { index, address: ACCOUNT, topics: vec![B256::ZERO], data: Bytes::from_static(&[0xab]) };
    let transaction = Transaction { logs: vec![log(70), log(71)], ..Transaction::default() };
    TransactionEvents {
        transaction: Arc::new(transaction),
        events: vec![event(Some(0), kind, members)],
        undecoded: vec![1],
        tokens: Arc::new([velo()].into_iter().collect()),
        networks: Networks::new([]),
        account: None,
        _log_permit: None,
    }
}

fn whole_velo() -> String {
    let underlying = r#""underlyingTokens":["0xf18adf71266411ff39ffc268843c9a64b3292d86"],"protocol":null"#;
    format!("{{{VELO},{SUPPLY},\"network\":{NETWORK},{underlying}}}")
}

#[test]
fn an_approval_has_exactly_the_members_of_the_specification() {
    let account = || Value::Address(ACCOUNT);
    let velo = velo().address;
    // The order is that of the vocabulary.
    let members = vec![
        ("amount", Value::Amount { raw: U256::MAX, of: Some(velo) }),
        ("asset", Value::Token(velo)),
        ("owner", account()),
        ("spender", account()),
    ];
    let expected = format!(
        "[{{\"type\":\"APPROVAL\",\"protocol\":null,\"metadata\":{{\
         \"owner\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\
         \"spender\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\"asset\":{},\
         \"amount\":1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+59}}}}]",
        whole_velo()
    );
    assert_eq!(text(&answer(Items::Events(events("APPROVAL", members))), false), expected);
}

#[test]
fn members_that_are_not_known_are_null_and_further_ones_stand_behind() {
    let members = vec![
        ("tokenId", Value::Number(U256::from(5))),
        ("remoteNetwork", Value::Network(5001)),
        ("amount", Value::Amount { raw: U256::from(1_500_000), of: None }),
        ("expires", Value::Seconds(U256::from(1_700_000_000))),
        ("success", Value::Flag(true)),
        ("orderId", Value::Word(B256::repeat_byte(0xcd))),
        ("reason", Value::Text(format!("a\n\u{202e}\"{}", "c".repeat(100_000)))),
    ];
    let expected = format!(
        "[{{\"type\":\"BRIDGE_OUT\",\"protocol\":null,\"metadata\":{{\"user\":null,\"recipient\":null,\"asset\":null,\
         \"amount\":1500000,\"remoteNetwork\":{{\"name\":null,\"logo\":null,\"chainId\":5001}},\"tokenId\":\"5\",\
         \"expires\":1700000000,\"success\":true,\"orderId\":\"0x{}\",\"reason\":\"a \\\"{}\"}}}}]",
        "cd".repeat(32),
        "c".repeat(253)
    );
    assert_eq!(text(&answer(Items::Events(events("BRIDGE_OUT", members))), false), expected);
}

#[test]
fn amounts_of_events_and_times_that_no_double_holds_are_strings_where_they_are_wanted_so() {
    let members = vec![
        ("asset", Value::Token(velo().address)),
        ("amount", Value::Amount { raw: U256::MAX, of: None }),
        ("expires", Value::Seconds(U256::from(1_700_000_000))),
        ("deadline", Value::Seconds(U256::from((1_u64 << 53) + 1))),
    ];
    let form = Form { numbers: Numbers::Quoted, ..Form::default() };
    let text = text_as(&answer(Items::Events(events("BRIDGE_OUT", members))), form);
    let amount = r#""amount":"1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+77""#;
    for member in [amount, r#""expires":1700000000"#, r#""deadline":"9007199254740993""#, r#""decimals":18"#] {
        assert!(text.contains(member), "{member} in {text}");
    }
    assert!(text.contains(r#""totalSupply":"296514877005303546555804032""#), "a token that was written before: {text}");
}

#[test]
fn a_remote_network_that_is_known_is_shown_as_networks_are() {
    let known = events("BRIDGE_OUT", vec![("remoteNetwork", Value::Network(10))]);
    let body = text(&answer(Items::Events(known)), false);
    assert!(body.contains(&format!("\"remoteNetwork\":{NETWORK}")), "{body}");
    let [known, unknown] = [10, 5001].map(|chain_id| {
        let told = events("BRIDGE_OUT", vec![("remoteNetwork", Value::Network(chain_id))]);
        text(&answer(Items::Events(told)), true)
    });
    assert!(known.contains(&with_ids(&format!("\"remoteNetwork\":{NETWORK}"))), "{known}");
    assert!(unknown.contains(r#""name":null,"logo":null,"chainId":5001,"caip2":"eip155:5001"}"#), "{unknown}");
}

#[test]
fn a_repeated_report_is_no_item_and_stands_beside_them() {
    let mut told = events("CLAIM", Vec::new());
    told.events.push(event(Some(1), "CLAIM", Vec::new()));
    told.events[1].merged.part_of = Some(0);
    told.events[1].merged.is_repeat = true;
    told.undecoded.clear();
    let answer = answer(Items::Events(told));
    assert_eq!(text(&answer, false).matches("CLAIM").count(), 1);
    let full: serde_json::Value = serde_json::from_str(&text(&answer, true)).unwrap();
    let indexes = |name: &str| -> Vec<u64> {
        full[name].as_array().unwrap().iter().map(|row| row["logIndex"].as_u64().unwrap()).collect()
    };
    let expected = [vec![70], vec![71], vec![70, 71], vec![]];
    assert_eq!(["items", "repeated", "logs", "undecoded"].map(indexes), expected);
    assert_eq!(full["repeated"][0]["partOf"], 70);
}

#[test]
fn full_events_carry_raw_amounts_and_refer_to_logs_that_stand_once() {
    let assets = vec![
        Asset { token: Some(velo().address), raw: U256::from(10_u64.pow(18)) },
        Asset { token: None, raw: U256::from(7) },
    ];
    let mut both = events("ADD_LIQUIDITY", vec![("assets", Value::Assets(assets))]);
    both.events[0].protocol = Some(protocol());
    both.events[0].merged.plugin = Some("velodrome@1.2.0".into());
    both.events[0].merged.part_of = Some(1);
    let amount = Value::Amount { raw: U256::from(2), of: Some(velo().address) };
    both.events.insert(0, event(None, "TRANSFER", vec![("amount", amount)]));
    let of = |index: u32| format!("\"logIndex\":{index},\"contract\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\"");
    let log = |index: u32| {
        format!(
            "{{\"logIndex\":{index},\"address\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\
             \"topics\":[\"0x{}\"],\"data\":\"0xab\"}}",
            "00".repeat(32)
        )
    };
    let expected = format!(
        "{{\"items\":[{{\"type\":\"TRANSFER\",\"protocol\":null,\"metadata\":{{\"from\":null,\"to\":null,\"asset\":null,\
         \"amount\":0.000000000000000002,\"amountRaw\":\"2\"}},\"logIndex\":null,\"contract\":null}},\
         {{\"type\":\"ADD_LIQUIDITY\",\"protocol\":{{{PROTOCOL}}},\"metadata\":{{\"user\":null,\"pool\":null,\
         \"assets\":[{{\"asset\":{velo},\"amount\":1,\"amountRaw\":\"1000000000000000000\"}},\
         {{\"asset\":null,\"amount\":7,\"amountRaw\":\"7\"}}]}},{},\"plugin\":\"velodrome@1.2.0\",\"partOf\":71}}],\
         \"logs\":[{},{}],\"repeated\":[],\"undecoded\":[{{{}}}],\"report\":{{\"blocks\":{{}},\"jobs\":[],{BUDGET}}}}}",
        of(70),
        log(70),
        log(71),
        of(71),
        velo = with_ids(&whole_velo()).replace("\"protocol\":null}", &format!("\"protocol\":null{LISTED}}}"))
    );
    assert_eq!(text(&answer(Items::Events(both)), true), expected);
}

#[test]
fn what_a_transaction_did_for_an_account_stands_before_its_events() {
    let moved = |token: Option<Arc<Token>>, address, token_id: Option<u64>, raw: u64| {
        let asset = MovedAsset { token: address, token_id: token_id.map(U256::from) };
        AccountMovement { movement: Movement { asset, raw: U256::from(raw), other: None }, token }
    };
    let unread = ACCOUNT;
    let gas = GasPaid {
        used: 21_000,
        price: U256::from(1_000_000_000),
        data_fee: U256::from(5),
        operator_fee: U256::from(3),
    };
    let effects = AccountEffects {
        account: ACCOUNT,
        summary: "Sent 1.5 VELO".into(),
        incoming: vec![moved(None, unread, None, 7), moved(Some(velo()), velo().address, Some(9), 1)],
        outgoing: vec![moved(Some(velo()), velo().address, None, 1_500_000_000_000_000_000)],
        omitted: 0,
        gas: Some(gas),
        native: None,
        incomplete: Some("a reason".into()),
    };
    let of = |account| {
        let events = TransactionEvents { account, ..events("VOTE", Vec::new()) };
        answer(Items::Events(TransactionEvents { events: Vec::new(), ..events }))
    };
    let token = |full: bool| {
        let listed = [LISTED, REDEEMS_TO].concat();
        format!("{{{VELO}{}}}", if full { &listed } else { "" })
    };
    // The standard of a collection is not known.
    let collection =
        |full: bool| token(full).replace(r#""eip155:10/erc20:0x9560e827aF36c94D2Ac33a39bCE1Fe78631088Db""#, "null");
    let expected = |full: bool| {
        let raw = |raw: &str| if full { format!(",\"amountRaw\":\"{raw}\"") } else { String::new() };
        // 1.5 VELO at half a dollar; 21,000 units of gas at 1 gwei, 5 wei for data and 3 for the operator.
        format!(
            "\"account\":{{\"address\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\"summary\":\"Sent 1.5 VELO\",\
             \"in\":[{{\"token\":null,\"tokenAddress\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\"tokenId\":null,\
             \"amount\":null{},\"dollarValue\":null}},\
             {{\"token\":{collection},\"tokenAddress\":\"0x9560e827af36c94d2ac33a39bce1fe78631088db\",\"tokenId\":\"9\",\
             \"amount\":1{},\"dollarValue\":null}}],\
             \"out\":[{{\"token\":{velo},\"tokenAddress\":\"0x9560e827af36c94d2ac33a39bce1fe78631088db\",\"tokenId\":null,\
             \"amount\":1.5{},\"dollarValue\":0.75}}],\"omitted\":0,\
             \"gas\":{{\"token\":null,\"amount\":0.000021000000000008{},\"dollarValue\":null,\"used\":21000,\
             \"price\":\"1000000000\",\"dataFee\":\"5\",\"operatorFee\":\"3\"}},\"complete\":false,\"incompleteReason\":\"a reason\"}}",
            raw("7"),
            raw("1"),
            raw("1500000000000000000"),
            raw("21000000000008"),
            velo = token(full),
            collection = collection(full),
        )
    };
    let account = || Some(Box::new(effects.clone()));
    assert_eq!(text(&of(account()), false), format!("{{{},\"items\":[]}}", expected(false)));
    let full = text(&of(account()), true);
    assert!(full.starts_with(&format!("{{{},\"items\":[],\"logs\":[", expected(true))), "{full}");
    assert_eq!(text(&of(None), false), "[]");
    assert!(text(&of(None), true).starts_with("{\"items\":[],\"logs\":["));
}
