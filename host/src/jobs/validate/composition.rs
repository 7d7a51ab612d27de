//! Validates compositions: what shares redeem to according to a plugin, checked before a price is derived from it.
//!
//! Invariant: what a protocol reports of a token that is no contract of its own is shown, and gives no price.

use std::collections::{BTreeSet, HashMap};

use alloy::primitives::Address;
use portolan_abi::map;
use portolan_validation::{NO_ANSWER, summary};

use crate::assets::token::Composition;

/// Tokens that one share redeems to; the largest pools have eight.
const PARTS_MAX: usize = 16;
/// Letters of a kind.
const KIND_BYTES_MAX: usize = 32;
/// Kinds that only the host gives: what has parts is neither.
const KINDS_TAKEN: [&str; 2] = ["NATIVE", "SINGLE"];

/// The compositions that passed, and in one bounded line why others did not; `is_own` tells the contracts of the protocol
/// that reports them.
pub(crate) fn validate_compositions(
    findings: &[map::Finding],
    requested: &[Address],
    is_own: impl Fn(Address) -> bool,
) -> (HashMap<Address, Composition>, Option<String>) {
    let requested: BTreeSet<Address> = requested.iter().copied().collect();
    let (mut valid, mut rejections) = (HashMap::new(), Vec::new());
    for finding in findings {
        match validate(finding, &requested, &is_own) {
            Ok((token, _)) if valid.contains_key(&token) => rejections.push(format!("{token:#x} is reported twice")),
            Ok((token, composition)) => drop(valid.insert(token, composition)),
            Err(reason) => rejections.push(reason),
        }
    }
    (valid, summary(&rejections))
}

fn validate(
    finding: &map::Finding,
    requested: &BTreeSet<Address>,
    is_own: impl Fn(Address) -> bool,
) -> Result<(Address, Composition), String> {
    let map::Finding { claimable: None, position: None, composition: Some(found), event: None } = finding else {
        return Err(NO_ANSWER.into());
    };
    let token = found.token;
    let at = |reason: String| Err(format!("composition of {token:#x}: {reason}"));
    if !requested.contains(&token) {
        return at("it is about a token that was not requested".into());
    }
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    let is_kind = !found.kind.is_empty() && found.kind.len() <= KIND_BYTES_MAX && found.kind.bytes().all(is_letter);
    if !is_kind || KINDS_TAKEN.contains(&found.kind.as_str()) {
        return at("its kind is not a word of upper-case letters, digits, - and _ that is free".into());
    }
    let supply = found.supply;
    if supply.is_zero() {
        return at("its supply is zero".into());
    }
    if found.parts.is_empty() || found.parts.len() > PARTS_MAX {
        return at(format!("it has {} parts, not 1 to {PARTS_MAX}", found.parts.len()));
    }
    let parts: Vec<_> = found.parts.iter().map(|part| (part.token, part.amount)).collect();
    let distinct: BTreeSet<Address> = parts.iter().map(|(part, _)| *part).chain([token]).collect();
    if distinct.len() <= parts.len() {
        return at("a part is the token itself, or appears twice".into());
    }
    Ok((token, Composition { kind: found.kind.clone(), supply, parts, is_of_issuer: is_own(token) }))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::*;

    const SHARE: Address = Address::repeat_byte(0x5a);
    const PART: Address = Address::repeat_byte(0xa1);

    fn part(token: Address) -> map::Part {
        map::Part { token, amount: U256::from(7) }
    }

    fn sound() -> map::Composition {
        map::Composition { token: SHARE, kind: "SHARE".to_owned(), supply: U256::from(4), parts: vec![part(PART)] }
    }

    fn found(composition: map::Composition) -> map::Finding {
        map::Finding { composition: Some(composition), ..map::Finding::default() }
    }

    #[test]
    fn a_sound_composition_passes_as_it_is() {
        let (valid, rejected) = validate_compositions(&[found(sound())], &[PART, SHARE], |token| token == SHARE);
        let mut expected = Composition {
            kind: "SHARE".to_owned(),
            supply: U256::from(4),
            parts: vec![(PART, U256::from(7))],
            is_of_issuer: true,
        };
        assert_eq!((valid, rejected), (HashMap::from([(SHARE, expected.clone())]), None));
        let (foreign, rejected) = validate_compositions(&[found(sound())], &[PART, SHARE], |token| token == PART);
        expected.is_of_issuer = false;
        assert_eq!((foreign, rejected), (HashMap::from([(SHARE, expected)]), None));
    }

    #[test]
    fn a_composition_that_breaks_a_rule_costs_itself_alone() {
        let many = |count: u8| (1..=count).map(|byte| part(Address::repeat_byte(byte))).collect();
        let kind = |kind: &str| map::Composition { kind: kind.to_owned(), ..sound() };
        let parts = |parts| map::Composition { parts, ..sound() };
        let cases = [
            (map::Composition { token: part(PART).token, ..sound() }, "a token that was not requested"),
            (map::Composition { supply: U256::from(0), ..sound() }, "supply is zero"),
            (parts(vec![]), "0 parts"),
            (parts(many(17)), "17 parts"),
            (parts(vec![part(SHARE)]), "the token itself"),
            (parts(vec![part(PART), part(PART)]), "appears twice"),
            (kind(""), "its kind"),
            (kind("share"), "its kind"),
            (kind("A\u{202e}B"), "its kind"),
            (kind(&"A".repeat(33)), "its kind"),
            (kind("NATIVE"), "its kind"),
            (kind("SINGLE"), "its kind"),
        ];
        let other = Address::repeat_byte(0x5b);
        let good = map::Composition { token: other, ..parts(many(16)) };
        for (wrong, reason) in cases {
            let (valid, rejected) =
                validate_compositions(&[found(wrong), found(good.clone())], &[SHARE, other], |_| true);
            assert_eq!(valid.keys().collect::<Vec<_>>(), [&other], "{reason}");
            assert!(rejected.as_deref().is_some_and(|valid| valid.contains(reason)), "{reason}: {rejected:?}");
        }
    }

    #[test]
    fn the_first_word_on_a_token_stands_and_other_findings_do_not_answer() {
        let second = map::Composition { supply: U256::from(5), ..sound() };
        let position = map::Finding { position: Some(map::Position::default()), ..found(sound()) };
        let (valid, rejected) = validate_compositions(&[position, found(sound()), found(second)], &[SHARE], |_| true);
        assert_eq!(valid[&SHARE].supply, U256::from(4));
        let twice = format!("a finding that does not answer the question; {SHARE:#x} is reported twice");
        assert_eq!(rejected, Some(twice));
    }
}
