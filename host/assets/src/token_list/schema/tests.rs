//! A list that follows every rule, and tables of violations.

use alloy::primitives::Address;
use serde_json::{Value, json};

use super::*;

const A: &str = "0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa";

fn token(chain_id: u64, byte: u8) -> Value {
    let address = Address::repeat_byte(byte);
    json!({"chainId": chain_id, "address": address, "decimals": 18, "name": "A token", "symbol": "A"})
}

fn list(tokens: &[Value]) -> Value {
    let version = json!({"major": 1, "minor": 2, "patch": 3});
    json!({"name": "My list 1", "timestamp": "2026-01-31T12:00:00.000Z", "version": version, "tokens": tokens})
}

fn read(document: &Value) -> Result<TokenList, SchemaError> {
    super::read(document.to_string().as_bytes(), &BTreeSet::from([1, 10]))
}

/// The one-line error for a document.
fn refusal(document: &[u8]) -> String {
    let line = match super::read(document, &BTreeSet::from([1])) {
        Ok(list) => panic!("accepted: {list:?}"),
        Err(error) => error.to_string(),
    };
    assert!(!line.contains(char::is_control), "{line}");
    line
}

/// Chain ids, first bytes of addresses, and symbols.
fn entries(list: &TokenList) -> Vec<(u64, u8, &str)> {
    list.entries.iter().map(|entry| (entry.chain_id, entry.token[0], entry.listed.symbol.as_str())).collect()
}

/// `document` with the value at `pointer` replaced, or removed for null.
fn with(pointer: &str, value: &Value) -> Value {
    let mut document = list(&[token(1, 0xaa), token(1, 0xbb)]);
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match (document.pointer_mut(pointer), value) {
        (Some(there), value) if !value.is_null() => *there = value.clone(),
        (there, value) => {
            let is_there = there.is_some();
            let members = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            if is_there {
                members.remove(key)
            } else {
                members.insert(key.into(), value.clone())
            };
        }
    }
    document
}

#[test]
fn a_list_has_a_version_and_tokens() {
    let mut first = token(1, 0xaa);
    first["logoURI"] = "https://l.example/a.png".into();
    first["decimals"] = 255.into();
    let list = read(&list(&[first, token(10, 0xbb)])).unwrap();
    assert_eq!(list.version.to_string(), "1.2.3");
    assert_eq!(entries(&list), [(1, 0xaa, "A"), (10, 0xbb, "A")]);
    let expected = ListedToken {
        name: "A token".into(),
        symbol: "A".into(),
        decimals: 255,
        logo: Some("https://l.example/a.png".into()),
    };
    assert_eq!(*list.entries[0].listed, expected);
    assert_eq!(list.entries[1].listed.logo, None);
}

#[test]
fn what_the_standard_allows_is_taken() {
    let cases = [
        ("/tokens/0/name", json!("")),
        ("/tokens/0/name", json!("x".repeat(60))),
        ("/tokens/0/name", json!("é".repeat(60))),
        ("/tokens/0/symbol", json!("")),
        ("/tokens/0/symbol", json!("$".repeat(20))),
        ("/tokens/0/decimals", json!(0)),
        ("/tokens/0/address", json!(A)),
        ("/tokens/0/address", json!(A.to_ascii_lowercase())),
        ("/tokens/0/address", json!("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")),
        ("/tokens/0/tags", json!(["stablecoin"])),
        ("/tokens/0/extensions", json!({"anything": {"at": "all"}})),
        ("/tokens/0/unknown", json!([1, {"deep": []}])),
        ("/timestamp", json!("2020-06-12T00:00:00+00:00")),
        ("/name", json!("x".repeat(30))),
        ("/keywords", json!(["anything"])),
        ("/unknown", json!({})),
    ];
    for (pointer, value) in cases {
        assert!(read(&with(pointer, &value)).is_ok(), "{pointer} {value}");
    }
}

#[test]
fn a_broken_rule_is_reported_with_its_place() {
    let cases = [
        ("/name", json!(null), "name"),
        ("/name", json!(""), "name: is not 1 to 30"),
        ("/name", json!("x".repeat(31)), "name: is not 1 to 30"),
        ("/name", json!("a\u{202e}b"), "name: is not 1 to 30"),
        ("/timestamp", json!(null), "timestamp"),
        ("/timestamp", json!("yesterday"), "timestamp: is not an RFC 3339 date"),
        ("/timestamp", json!("2026-01-31"), "timestamp: is not an RFC 3339 date"),
        ("/timestamp", json!("2026-13-31T12:00:00Z"), "timestamp: is not an RFC 3339 date"),
        ("/timestamp", json!(1_700_000_000), "timestamp: "),
        ("/version", json!(null), "version"),
        ("/version", json!("1.2.3"), "version: "),
        ("/version/minor", json!(null), "version: missing field `minor`"),
        ("/version/patch", json!(-1), "version.patch: "),
        ("/tokens", json!(null), "tokens"),
        ("/tokens", json!([]), "tokens: are 0"),
        ("/tokens", json!({}), "tokens: "),
        ("/tokens/1", json!("x"), "tokens[1]: "),
        ("/tokens/1/chainId", json!(null), "tokens[1]: missing field `chainId`"),
        ("/tokens/1/chainId", json!(0), "tokens[1].chainId: is 0"),
        ("/tokens/1/chainId", json!("1"), "tokens[1].chainId: "),
        ("/tokens/1/chainId", json!(1.5), "tokens[1].chainId: "),
        ("/tokens/1/address", json!(null), "tokens[1]: missing field `address`"),
        ("/tokens/1/address", json!("0x12"), "tokens[1].address: is not 0x"),
        ("/tokens/1/address", json!("0".repeat(40)), "tokens[1].address: is not 0x"),
        ("/tokens/1/address", json!(format!("{}g", &A[..41])), "tokens[1].address: is not 0x"),
        ("/tokens/1/address", json!(format!("0x{}", &A[..40])), "tokens[1].address: is not 0x"),
        ("/tokens/1/decimals", json!(null), "tokens[1]: missing field `decimals`"),
        ("/tokens/1/decimals", json!(256), "tokens[1].decimals: "),
        ("/tokens/1/decimals", json!(-1), "tokens[1].decimals: "),
        ("/tokens/1/decimals", json!("18"), "tokens[1].decimals: "),
        ("/tokens/1/name", json!(null), "tokens[1]: missing field `name`"),
        ("/tokens/1/name", json!("x".repeat(61)), "tokens[1].name: has more than 60"),
        ("/tokens/1/name", json!("a\nb"), "tokens[1].name: has white space"),
        ("/tokens/1/name", json!(7), "tokens[1].name: "),
        ("/tokens/1/symbol", json!(null), "tokens[1]: missing field `symbol`"),
        ("/tokens/1/symbol", json!("x".repeat(21)), "tokens[1].symbol: has more than 20"),
        ("/tokens/1/symbol", json!("A B"), "tokens[1].symbol: has white space"),
        ("/tokens/1/logoURI", json!(7), "tokens[1].logoURI: "),
        ("/tokens/1/extensions", json!(7), "tokens[1].extensions: "),
    ];
    for (pointer, value, expected) in cases {
        let line = refusal(with(pointer, &value).to_string().as_bytes());
        assert!(
            line.starts_with(expected) || line.starts_with(&format!("the list: missing field `{expected}")),
            "{line}"
        );
    }
}

#[test]
fn what_is_no_document_is_refused() {
    let whole = list(&[token(1, 0xaa)]).to_string();
    let cases = [
        String::new(),
        "[]".into(),
        "<html>\n".into(),
        whole[..whole.len() - 1].into(),
        format!("{whole}{{}}"),
        "[".repeat(100_000),
    ];
    for document in cases {
        assert!(!refusal(document.as_bytes()).is_empty());
    }
    assert!(!refusal(b"{\"name\":\"\xff\"}").is_empty());
}

#[test]
fn a_refusal_repeats_no_url() {
    let line = refusal(with("/tokens/0/decimals", &json!("https://l.example/KEY")).to_string().as_bytes());
    assert!(line.starts_with("tokens[0].decimals: ") && !line.contains("KEY"), "{line}");
}

#[test]
fn a_document_above_its_bounds_is_refused() {
    let mut long = list(&[token(1, 0xaa)]).to_string().into_bytes();
    long.resize(DOCUMENT_BYTES_MAX, b' ');
    assert!(super::read(&long, &BTreeSet::from([1])).is_ok());
    long.push(b' ');
    assert_eq!(refusal(&long), "the list: has more than 16777216 bytes");
    let many = list(&vec![token(1, 0xaa); TOKENS_MAX + 1]).to_string();
    assert_eq!(refusal(many.as_bytes()), "tokens: are 100001, not 1 to 100000");
}

#[test]
fn bridged_addresses_become_tokens_of_their_networks() {
    let mut first = token(1, 0xaa);
    first["symbol"] = "FIRST".into();
    let bridges = json!({
        "10": {"tokenAddress": Address::repeat_byte(0xbb), "originBridgeAddress": "0x1"},
        "1": {"tokenAddress": Address::repeat_byte(0xcc)},
        "99": {"tokenAddress": Address::repeat_byte(0xcc)},
        "x": {"tokenAddress": Address::repeat_byte(0xcc)},
        "137": "0x",
    });
    first["extensions"] = json!({ "bridgeInfo": bridges });
    let mut other = token(10, 0xbb);
    other["symbol"] = "OWN".into();
    let both = read(&list(&[first.clone(), other])).unwrap();
    let expected = [(1, 0xaa, "FIRST"), (10, 0xbb, "OWN"), (1, 0xcc, "FIRST")];
    assert_eq!(entries(&both), expected, "a row of its own goes before a bridge, wherever it stands");
    let one = read(&list(&[first.clone()])).unwrap();
    assert_eq!(entries(&one), [(1, 0xaa, "FIRST"), (1, 0xcc, "FIRST"), (10, 0xbb, "FIRST")]);
    let deep = (0..200).fold(json!({"tokenAddress": A}), |inner, _| json!({"10": inner}));
    let wrong =
        [json!(7), json!([]), json!({"10": {"tokenAddress": 7}}), json!({"10": {"tokenAddress": "0x12"}}), deep];
    for other in wrong {
        first["extensions"]["bridgeInfo"] = other.clone();
        assert_eq!(entries(&read(&list(&[first.clone()])).unwrap()), [(1, 0xaa, "FIRST")], "{other}");
    }
}

#[test]
fn a_token_stands_once_and_placeholders_of_the_native_token_not_at_all() {
    let mut second = token(1, 0xaa);
    second["symbol"] = "SECOND".into();
    let tokens = [token(1, 0xaa), second, token(1, 0xee), token(1, 0), token(10, 0xaa), token(56, 0xaa)];
    assert_eq!(entries(&read(&list(&tokens)).unwrap()), [(1, 0xaa, "A"), (10, 0xaa, "A")]);
}

#[test]
fn texts_are_cleaned_of_control_and_direction_characters() {
    let mut odd = token(1, 0xaa);
    odd["name"] = "A\u{202e}B\u{7}C\u{200b}".into();
    odd["symbol"] = "\u{2066}X\u{feff}".into();
    let list = read(&list(&[odd])).unwrap();
    assert_eq!((list.entries[0].listed.name.as_str(), list.entries[0].listed.symbol.as_str()), ("ABC", "X"));
}
