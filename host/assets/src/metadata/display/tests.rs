//! Names of pairs.

use super::*;

const A: Address = Address::repeat_byte(0xa1);
const B: Address = Address::repeat_byte(0xb1);
const P: Address = Address::repeat_byte(0x1b);
const Q: Address = Address::repeat_byte(0x1c);
const R: Address = Address::repeat_byte(0x1d);

fn plain(symbol: &str) -> TokenMetadata {
    TokenMetadata { name: Text::words(&format!("{symbol} Token")), symbol: symbol.into(), ..TokenMetadata::default() }
}

fn share(derivation: Derivation) -> TokenMetadata {
    TokenMetadata {
        name: "Uniswap V2".into(),
        symbol: "UNI-V2".into(),
        decimals: Some(18),
        derivation: Some(derivation),
        ..TokenMetadata::default()
    }
}

fn shown(token: Address, tokens: &[(Address, TokenMetadata)]) -> Result<(Text, Text), ReadFailure> {
    let set: MetadataSet = tokens.iter().cloned().map(|(token, metadata)| (token, Ok(metadata))).collect();
    display_texts(&set, set.get(token).unwrap())
}

fn both(name: &str, symbol: &str) -> Result<(Text, Text), ReadFailure> {
    let pieces = |text: &str| text.split_inclusive(['/', '-']).map(Text::words).collect();
    Ok((pieces(name), pieces(symbol)))
}

#[test]
fn a_pair_is_named_by_its_tokens_and_others_by_themselves() {
    let tokens = |derivation| [(A, plain("WETH")), (B, plain("USDC")), (P, share(derivation))];
    for derivation in [Derivation::Pair([A, B]), Derivation::Volatile([A, B]), Derivation::Stable([A, B])] {
        assert_eq!(shown(P, &tokens(derivation)), both("WETH/USDC LP", "WETH-USDC"));
    }
    for derivation in [Derivation::Vault(A), Derivation::Receipt(A), Derivation::RatedReceipt(A), Derivation::Native(A)]
    {
        assert_eq!(shown(P, &tokens(derivation)), both("Uniswap V2", "UNI-V2"));
    }
}

#[test]
fn the_letters_of_one_half_do_not_reorder_the_other() {
    let tokens = [(A, plain("\u{5d0}\u{5d1}")), (B, plain("USDC")), (P, share(Derivation::Pair([A, B])))];
    let (name, symbol) = shown(P, &tokens).unwrap();
    assert_eq!(name.as_str(), "\u{2068}\u{5d0}\u{5d1}\u{2069}/USDC LP");
    assert_eq!(symbol.as_str(), "\u{2068}\u{5d0}\u{5d1}\u{2069}-USDC");
}

#[test]
fn a_token_without_a_symbol_is_shown_by_its_address() {
    let tokens = [(A, plain("")), (B, plain("USDC")), (P, share(Derivation::Pair([A, B])))];
    assert_eq!(shown(P, &tokens), both("0xa1a1…a1a1/USDC LP", "0xa1a1…a1a1-USDC"));
}

#[test]
fn a_pair_whose_token_could_not_be_read_is_missing() {
    let tokens = [(A, plain("WETH")), (P, share(Derivation::Pair([A, B])))];
    assert_eq!(shown(P, &tokens), Err(ReadFailure::Upstream));
}

#[test]
fn a_pair_of_pairs_shows_their_tokens_and_no_deeper() {
    let tokens = [
        (A, plain("A")),
        (B, plain("B")),
        (Q, share(Derivation::Pair([A, B]))),
        (P, share(Derivation::Pair([Q, B]))),
        (R, share(Derivation::Pair([P, A]))),
    ];
    assert_eq!(shown(Q, &tokens), both("A/B LP", "A-B"));
    assert_eq!(shown(P, &tokens), both("A-B/B LP", "A-B-B"));
    assert_eq!(shown(R, &tokens), both("UNI-V2-B/A LP", "UNI-V2-B-A"));
}

#[test]
fn a_pair_of_itself_has_a_name_all_the_same() {
    let tokens = [(A, plain("A")), (P, share(Derivation::Pair([P, A])))];
    assert_eq!(shown(P, &tokens), both("UNI-V2-A/A LP", "UNI-V2-A-A"));
}

#[test]
fn what_a_pair_shows_is_as_bounded_as_what_it_reports() {
    let tokens =
        [(A, plain(&"\u{1f600}".repeat(64))), (B, plain(&"y".repeat(64))), (P, share(Derivation::Pair([A, B])))];
    let (name, symbol) = shown(P, &tokens).unwrap();
    assert_eq!(name.as_str(), format!("{}/{} LP", "\u{1f600}".repeat(30), "y".repeat(30)));
    assert_eq!((name.as_str().chars().count(), symbol.as_str().chars().count()), (64, 61));
}

#[test]
fn a_claimed_pair_changes_its_type_and_what_it_is_derivation_alone() {
    let kinds = [
        (Derivation::Pair([A, B]), "UNISWAP", vec![A, B]),
        (Derivation::Volatile([A, B]), "SOLIDLY", vec![A, B]),
        (Derivation::Stable([A, B]), "SOLIDLY", vec![A, B]),
        (Derivation::Vault(A), "SINGLE", vec![A]),
        (Derivation::Receipt(A), "SINGLE", vec![A]),
        (Derivation::RatedReceipt(A), "SINGLE", vec![A]),
        (Derivation::Native(NATIVE), "SINGLE", vec![]),
    ];
    for (derivation, expected, parts) in kinds {
        assert_eq!((kind(P, &share(derivation)), underlying(&share(derivation))), (expected, parts));
    }
    assert_eq!(kind(P, &plain("A")), "SINGLE");
    assert_eq!(kind(NATIVE, &share(Derivation::Native(A))), "NATIVE");
}
