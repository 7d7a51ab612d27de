//! Views of balances and of their tokens.

use super::*;

#[test]
fn a_native_balance_is_one_object_in_the_samples_shape_and_an_item_of_the_full_answer() {
    let polygon = network(137);
    let logo = "https://github.com/defitrack/data/raw/master/logo/network/polygon.png";
    let token = Token {
        network: polygon.clone(),
        address: Address::ZERO,
        name: "MATIC".into(),
        symbol: "MATIC".into(),
        is_listed: true,
        is_lookalike: false,
        decimals: 18,
        decimals_source: DecimalsSource::Contract,
        logo: Some(polygon.logo.clone()),
        kind: "NATIVE".into(),
        total_supply: U256::ZERO,
        underlying: Vec::new(),
        price: Some(Price {
            usd: "0.56084852".parse().unwrap(),
            source: "chainlink",
            age_s: Some(12),
            contracts: Vec::new(),
        }),
    };
    let amount = U256::from(5_564_687_931_831_088_000_u64);
    let balance = Balance { account: ACCOUNT, token: Arc::new(token), amount };
    // 5.564687931831088 × 0.56084852 = 3.12094699082932659478976 by decimal arithmetic, to 18 digits.
    let shown = |raw: &str, ids: &str, listed: &str, extra: &str| {
        format!(
            "{{\"amount\":5.564687931831088{raw},\
             \"network\":{{\"name\":\"POLYGON\",\"logo\":\"{logo}\",\"chainId\":137{ids}}},\
             \"token\":{{\"address\":\"0x0\",\"name\":\"MATIC\",\"symbol\":\"MATIC\",\"decimals\":18,\
             \"logo\":\"{logo}\",\"type\":\"NATIVE\",\"totalSupply\":0{listed}}},\
             \"dollarValue\":3.12094699082932659,\"price\":0.56084852{extra}}}"
        )
    };
    let answer = answer(Items::NativeBalance(balance));
    assert_eq!(text(&answer, false), shown("", "", "", ""));
    let full = shown(
        ",\"amountRaw\":\"5564687931831088000\"",
        ",\"caip2\":\"eip155:137\"",
        ",\"listed\":true,\"lookalike\":false,\"caip19\":\"eip155:137/slip44:966\"",
        ",\"account\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\
         \"caip10\":\"eip155:137:0xf18adf71266411FF39FfC268843c9A64b3292d86\",\"priceSource\":\"chainlink\",\"priceAgeSeconds\":12,\"priceContracts\":[]",
    );
    assert_eq!(
        text(&answer, true),
        format!("{{\"items\":[{full}],\"report\":{{\"blocks\":{{}},\"jobs\":[],{BUDGET}}}}}")
    );
}

#[test]
fn token_balances_are_a_list_of_plain_tokens_with_their_supply() {
    let unpriced = Arc::new(Token { price: None, ..Token::clone(&velo()) });
    let balances = [velo(), unpriced].map(|token| Balance { account: ACCOUNT, token, amount: U256::from(1_u8) });
    let shown = |dollars: &str, price: &str| {
        format!(
            "{{\"amount\":0.000000000000000001,\"network\":{NETWORK},\"token\":{{{VELO},{SUPPLY}}},\
             \"dollarValue\":{dollars},\"price\":{price}}}"
        )
    };
    let expected = format!("[{},{}]", shown("0.0000000000000000005", "0.5"), shown("0", "0"));
    assert_eq!(text(&answer(Items::Balances(balances.to_vec())), false), expected);
    assert_eq!(text(&answer(Items::Balances(Vec::new())), false), "[]");
}

#[test]
fn a_token_that_no_list_has_and_that_looks_like_one_is_marked_in_the_full_answer_alone() {
    let fake = Arc::new(Token { is_listed: false, is_lookalike: true, ..Token::clone(&velo()) });
    let answer = answer(Items::Balances(vec![Balance { account: ACCOUNT, token: fake, amount: U256::ONE }]));
    assert!(text(&answer, true).contains(r#","listed":false,"lookalike":true,"#));
    assert!(!text(&answer, false).contains("listed") && !text(&answer, false).contains("lookalike"));
}

#[test]
fn a_native_token_has_the_placeholder_address() {
    let native = Arc::new(Token {
        kind: "NATIVE".into(),
        address: Address::ZERO,
        total_supply: U256::ZERO,
        price: None,
        ..Token::clone(&velo())
    });
    let item = RowItem::Payment { claim: Arc::new(claim(native, vec![transaction()])), place: 0 };
    let text = text(&rows(vec![row("a", item)]), false);
    assert!(text.contains(r#""token":{"address":"0x0","#) && text.contains(r#""type":"NATIVE","totalSupply":0}"#));
    assert!(text.contains(r#""dollarValue":0,"#), "{text}");
}

/// The balances of a priced and an unpriced token, in a currency with this rate.
fn in_euros(rate: Option<&str>) -> Answer {
    let unpriced = Arc::new(Token { price: None, ..Token::clone(&velo()) });
    let balances = [velo(), unpriced].map(|token| Balance { account: ACCOUNT, token, amount: U256::from(3_u8) });
    let rate = rate.map(|usd| Price {
        usd: usd.parse().unwrap(),
        source: "chainlink",
        age_s: Some(60),
        contracts: vec![Address::repeat_byte(9)],
    });
    let currency = AnswerCurrency { currency: Currency::named("EUR").unwrap(), network: Some(network(1)), rate };
    Answer { currency: Some(currency), ..answer(Items::Balances(balances.to_vec())) }
}

#[test]
fn values_in_a_currency_stand_beside_those_in_dollars() {
    // Half a dollar at 1.25 dollars for one euro is 0.4 euros.
    let priced =
        r#""dollarValue":0.0000000000000000015,"price":0.5,"inCurrency":{"value":0.0000000000000000012,"price":0.4}}"#;
    let unpriced = r#""dollarValue":0,"price":0,"inCurrency":{"value":null,"price":null}}"#;
    let (answer, text) = (in_euros(Some("1.25")), |answer: &Answer| text(answer, false));
    assert!(text(&answer).contains(priced) && text(&answer).contains(unpriced), "{}", text(&answer));
    assert_eq!(currency(&answer).as_deref(), Some("EUR=1.25"));
    let unread = in_euros(None);
    let expected = r#""dollarValue":0.0000000000000000015,"price":0.5,"inCurrency":{"value":null,"price":null}}"#;
    assert!(text(&unread).contains(expected), "{}", text(&unread));
    assert_eq!(currency(&unread).as_deref(), Some("EUR"));
}

#[test]
fn the_report_says_where_the_rate_of_the_currency_comes_from() {
    let address = format!("{:#x}", Address::repeat_byte(9));
    let expected = format!(
        r#""currency":{{"code":"EUR","network":"ethereum","dollars":1.25,"source":"chainlink","ageSeconds":60,"contracts":["{address}"]}}"#
    );
    let full = text(&in_euros(Some("1.25")), true);
    assert!(full.contains(&expected), "{full}");
}
