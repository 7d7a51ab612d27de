//! Names against ENSIP-1's hashes, ENSIP-15's test vectors, and hostile input.

use std::io::Read;

use alloy::primitives::b256;
use flate2::read::GzDecoder;
use proptest::prelude::*;

use super::*;

/// The validation tests of @adraffy/ens-normalize 1.11.1 (MIT, see the licence in this folder): arrays of a
/// normalised name alone, of a name and its normal form, or of a name and null if it has none.
const VECTORS: &[u8] = include_bytes!("ensip15.json.gz");

fn refused(text: &str) -> bool {
    matches!(Name::parse(text), Err(InvalidName::NotNormalizable(_)))
}

#[test]
fn the_vectors_of_ensip_15_hold() {
    let mut text = String::new();
    GzDecoder::new(VECTORS).read_to_string(&mut text).unwrap();
    let vectors: Vec<Vec<Option<String>>> = serde_json::from_str(&text).unwrap();
    assert_eq!(vectors.len(), 38_613);
    let mut counts = [0; 3];
    for vector in vectors {
        let name = vector[0].clone().unwrap();
        let normal = vector.last().unwrap().clone();
        counts[if normal.is_none() { 2 } else { vector.len() - 1 }] += 1;
        assert_eq!(normalize(&name).ok(), normal, "{name:?}");
    }
    assert_eq!(counts, [8970, 12496, 17147]);
}

#[test]
fn hashes_are_those_of_ensip_1() {
    // The examples of ENSIP-1.
    let eth = b256!("93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae");
    let foo = b256!("de9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f");
    let name = Name::parse("Foo.ETH").unwrap();
    assert_eq!((name.as_str(), name.node(), name.nodes()), ("foo.eth", foo, &[foo, eth][..]));
}

#[test]
fn dns_writes_a_name_as_labels_after_their_lengths() {
    assert_eq!(Name::parse("my.Name.eth").unwrap().dns()[..], *b"\x02my\x04name\x03eth\0");
    let longest = "x".repeat(255);
    let name = Name::parse(&format!("{longest}.eth")).unwrap();
    assert_eq!(name.dns()[..], [&[255], longest.as_bytes(), b"\x03eth\0"].concat());
}

#[test]
fn cases_that_people_write_are_read_as_the_standard_says() {
    for (text, normal) in [
        ("VITALIK.eth", "vitalik.eth"),
        ("🅰️🅱.eth", "🅰🅱.eth"),
        ("👨‍👩‍👧‍👦.eth", "👨‍👩‍👧‍👦.eth"),
        ("1⃣2⃣.eth", "1⃣2⃣.eth"),
        ("bücher.eth", "bücher.eth"),
        ("bu\u{308}cher.eth", "bücher.eth"),
        ("eth", "eth"),
    ] {
        assert_eq!(Name::parse(text).unwrap().as_str(), normal, "{text}");
    }
    for text in [
        "xn--bcher-kva.eth", // Punycode.
        "vitаlik.eth",       // A Cyrillic letter among Latin ones.
        "а.eth.",
        ".",
        ".eth",
        "eth.",
        "a..eth",
        "a b.eth",
        "a\u{200d}b.eth",
        "a\0.eth",
        "a_b.eth",
        "a/b.eth",
        "%41.eth",
        "[0000000000000000000000000000000000000000000000000000000000000000].eth",
    ] {
        assert!(refused(text), "{text:?}");
    }
}

#[test]
fn what_is_too_long_is_refused_before_it_costs_anything() {
    assert_eq!(Name::parse(""), Err(InvalidName::Empty));
    assert!(refused("\u{ad}"), "all of it is left out");
    assert_eq!(Name::parse(&"a".repeat(1 << 20)), Err(InvalidName::TooLong));
    assert_eq!(Name::parse(&format!("{}.eth", "a".repeat(256))), Err(InvalidName::LongLabel));
    assert!(Name::parse(&["a"; LABELS_MAX].join(".")).is_ok());
    assert_eq!(Name::parse(&["a"; LABELS_MAX + 1].join(".")), Err(InvalidName::TooManyLabels));
}

#[test]
fn a_reason_is_short_and_on_one_line() {
    let InvalidName::NotNormalizable(reason) = Name::parse(&format!("{}\n\u{202e}", "ё".repeat(900))).unwrap_err()
    else {
        panic!("another error");
    };
    assert!(reason.chars().count() <= REASON_CHARS_MAX + 1, "{reason}");
    assert!(!reason.chars().any(char::is_control), "{reason}");
}

#[test]
fn the_registered_label_is_the_one_below_eth() {
    for (text, label) in
        [("a.eth", Some("a")), ("x.y.a.eth", Some("a")), ("eth", None), ("a.xyz", None), ("eth.xyz", None)]
    {
        assert_eq!(Name::parse(text).unwrap().registered_label(), label, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_refused_or_has_one_normal_form(text in "\\PC{0,40}|[a-z.\u{200d}\u{1f468}\u{301}\u{3b1}]{0,40}") {
        if let Ok(name) = Name::parse(&text) {
            prop_assert_eq!(Name::parse(name.as_str()), Ok(name));
        }
    }
}
