//! Metadata from replies.

use alloy::sol_types::SolValue;
use portolan_base::network::Networks;

use super::*;

const TOKEN: Address = Address::repeat_byte(0x70);
const A: Address = Address::repeat_byte(0xa);
const B: Address = Address::repeat_byte(0xb);

/// Metadata of a token that answers only these calls and reverts at the others.
fn metadata(answers: &[([u8; 4], Vec<u8>)]) -> TokenMetadata {
    let answer = |read: Read| {
        let known = answers.iter().find(|(selector, _)| *read.data == selector[..]);
        known.map_or(Outcome::Reverted(Bytes::new()), |(_, bytes)| Outcome::Ok(bytes.clone().into()))
    };
    from(metadata_reads(TOKEN).map(answer)).unwrap()
}

fn from(outcomes: impl IntoIterator<Item = Outcome>) -> Result<TokenMetadata, ReadFailure> {
    let networks = Networks::new([]);
    TokenMetadata::from_replies(networks.named("ethereum").unwrap(), TOKEN, &mut outcomes.into_iter().map(Reply::fresh))
}

fn derivation(answers: &[([u8; 4], Vec<u8>)]) -> Option<Derivation> {
    metadata(answers).derivation
}

fn pair(a: Vec<u8>, b: Vec<u8>, reserves_bytes: usize) -> Vec<([u8; 4], Vec<u8>)> {
    vec![
        (Pair::token0Call::SELECTOR, a),
        (Pair::token1Call::SELECTOR, b),
        (Pair::getReservesCall::SELECTOR, vec![0; reserves_bytes]),
    ]
}

#[test]
fn a_token_that_answers_nothing_has_no_metadata_and_one_that_was_not_read_is_missing() {
    let silent = [Outcome::NoCode, Outcome::GasCap, Outcome::Reverted(Bytes::new()), Outcome::Ok(Bytes::new())];
    let all = SELECTORS.len() + ISSUER_SELECTORS.len();
    let silent: Vec<Outcome> = silent.iter().cycle().take(all).cloned().collect();
    assert_eq!(from(silent.clone()), Ok(TokenMetadata::default()));
    for lost in (0..SELECTORS.len()).chain([all - 1]) {
        let mut outcomes = silent.clone();
        outcomes[lost] = Outcome::Failed(ReadFailure::Timeout);
        assert_eq!(from(outcomes), Err(ReadFailure::Timeout));
    }
    assert_eq!(from(silent.into_iter().skip(1)), Err(ReadFailure::Upstream));
}

#[test]
fn decimals_that_no_amount_can_have_are_unknown() {
    let decimals = |decimals: u16| metadata(&[(Erc20::decimalsCall::SELECTOR, decimals.abi_encode())]).decimals;
    assert_eq!([0, 18, 77].map(decimals), [Some(0), Some(18), Some(77)]);
    // One whole token would be 10^78, which no word holds.
    assert_eq!([78, 255, 256, u16::MAX].map(decimals), [None; 4]);
    assert_eq!(metadata(&[(Erc20::decimalsCall::SELECTOR, vec![0; 31])]).decimals, None);
}

#[test]
fn a_pair_is_what_answers_two_tokens_and_its_reserves() {
    assert_eq!(derivation(&pair(A.abi_encode(), B.abi_encode(), 96)), Some(Derivation::Pair([A, B])));
    for (how, answers) in [
        ("no reserves", pair(A.abi_encode(), B.abi_encode(), 0)),
        ("reserves of another kind", pair(A.abi_encode(), B.abi_encode(), 64)),
        ("one token", pair(A.abi_encode(), Vec::new(), 96)),
        ("a zero token", pair(A.abi_encode(), Address::ZERO.abi_encode(), 96)),
        ("no address", pair(A.abi_encode(), vec![0xff; 32], 96)),
        ("a token twice", pair(A.abi_encode(), A.abi_encode(), 96)),
    ] {
        assert_eq!(derivation(&answers), None, "{how}");
    }
}

#[test]
fn a_pair_that_says_whether_it_is_stable_is_solidlys() {
    let solidly = |stable: Vec<u8>| {
        let mut answers = pair(A.abi_encode(), B.abi_encode(), 96);
        answers.push((SolidlyPair::stableCall::SELECTOR, stable));
        derivation(&answers)
    };
    assert_eq!(solidly(false.abi_encode()), Some(Derivation::Volatile([A, B])));
    assert_eq!(solidly(true.abi_encode()), Some(Derivation::Stable([A, B])));
    assert_eq!(solidly(Vec::new()), Some(Derivation::Pair([A, B])), "a fallback that returns nothing says nothing");
}

#[test]
fn shares_and_receipts_name_their_underlying_and_debts_are_none() {
    let asset = (Erc4626::assetCall::SELECTOR, A.abi_encode());
    let debt = (AToken::UNDERLYING_ASSET_ADDRESSCall::SELECTOR, A.abi_encode());
    let treasury = (AToken::RESERVE_TREASURY_ADDRESSCall::SELECTOR, B.abi_encode());
    let underlying = (CToken::underlyingCall::SELECTOR, A.abi_encode());
    assert_eq!(derivation(&[asset]), Some(Derivation::Vault(A)));
    assert_eq!(derivation(&[debt.clone(), treasury]), Some(Derivation::Receipt(A)));
    assert_eq!(derivation(&[debt]), None);
    assert_eq!(derivation(&[underlying]), Some(Derivation::RatedReceipt(A)));
    let comptroller = (CToken::comptrollerCall::SELECTOR, B.abi_encode());
    assert_eq!(derivation(&[comptroller]), Some(Derivation::RatedReceipt(NATIVE)), "a market of the native token");
}

#[test]
fn an_issuer_is_the_one_of_the_tokens_own_mechanism() {
    let named = [0xf0, 0xf1, 0xf2].map(Address::repeat_byte);
    let issuers = [Pair::factoryCall::SELECTOR, AToken::POOLCall::SELECTOR, CToken::comptrollerCall::SELECTOR];
    let issuer = |mut answers: Vec<([u8; 4], Vec<u8>)>| {
        answers.extend(issuers.iter().zip(named).map(|(selector, issuer)| (*selector, issuer.abi_encode())));
        metadata(&answers).issuer
    };
    let receipt = vec![
        (AToken::UNDERLYING_ASSET_ADDRESSCall::SELECTOR, A.abi_encode()),
        (AToken::RESERVE_TREASURY_ADDRESSCall::SELECTOR, B.abi_encode()),
    ];
    assert_eq!(issuer(pair(A.abi_encode(), B.abi_encode(), 96)), Some(named[0]));
    assert_eq!(issuer(receipt), Some(named[1]));
    assert_eq!(issuer(vec![(CToken::underlyingCall::SELECTOR, A.abi_encode())]), Some(named[2]));
    assert_eq!(issuer(vec![(Erc4626::assetCall::SELECTOR, A.abi_encode())]), None);
    assert_eq!(issuer(vec![(AToken::RESERVE_TREASURY_ADDRESSCall::SELECTOR, B.abi_encode())]), Some(named[2]));
    assert_eq!(metadata(&[]).issuer, None);
    assert_eq!(metadata(&pair(A.abi_encode(), B.abi_encode(), 96)).issuer, None);
}

#[test]
fn the_native_token_is_known_without_reads() {
    assert_eq!(metadata_reads(NATIVE).count(), 0);
    let networks = Networks::new([]);
    let ethereum = networks.named("ethereum").unwrap();
    let native = TokenMetadata::from_replies(ethereum, NATIVE, &mut std::iter::empty()).unwrap();
    assert_eq!((native.symbol.as_str(), native.decimals), ("ETH", Some(18)));
    assert_eq!(native.derivation, ethereum.wrapped_native.map(Derivation::Native));
}

#[test]
fn the_wrapped_native_token_has_the_native_tokens_decimals_whatever_its_contract_answers() {
    let networks = Networks::new([]);
    let ethereum = networks.named("ethereum").unwrap();
    let wrapped = ethereum.wrapped_native.unwrap();
    let silent = metadata_reads(wrapped).map(|_| Reply::fresh(Outcome::NoCode));
    let silent = TokenMetadata::from_replies(ethereum, wrapped, &mut silent.collect::<Vec<_>>().into_iter()).unwrap();
    assert_eq!((silent.decimals, silent.derivation), (Some(18), Some(Derivation::Native(NATIVE))));
}

#[test]
fn a_name_is_a_string_or_a_word_or_nothing() {
    let mut word = [0; 32];
    word[..3].copy_from_slice(b"MKR");
    let cases = [
        ("Dai".abi_encode(), "Dai"),
        (word.to_vec(), "MKR"),
        ([b'x'; 32].to_vec(), &"x".repeat(32)),
        (Vec::new(), ""),
        (vec![0xff; 64], ""),
        ("x".repeat(1 << 20).abi_encode(), &"x".repeat(64)),
        (Bytes::from_static(b"a\xffb").abi_encode(), "a\u{fffd}b"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(decode_text(&bytes).as_str(), expected);
    }
}
