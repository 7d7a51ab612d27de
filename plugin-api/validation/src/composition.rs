//! Validates reported compositions before prices are derived from them.
//!
//! Invariant: a valid composition is about a requested token, and none of its parts is that token.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_abi::map;
use portolan_abi::reply_rules::{self, Reported, composition_place};

use crate::findings::NO_ANSWER;
use crate::rejections::{FindingError, Rejections};

/// Bytes of a kind.
const KIND_BYTES_MAX: usize = 32;
/// Kinds reserved for the host: a token with parts is neither.
const KINDS_TAKEN: [&str; 2] = ["NATIVE", "SINGLE"];

/// Returns the valid compositions, one per token, and why others were rejected.
pub fn validate_compositions(findings: &[map::Finding], requested: &[Address]) -> (Vec<map::Composition>, Rejections) {
    let requested: BTreeSet<Address> = requested.iter().copied().collect();
    let (mut valid, mut rejections) = (Vec::new(), Rejections::default());
    let mut reported = Reported::default();
    for finding in findings {
        match validate(finding, &requested) {
            Ok(found) => match reported.take(finding) {
                Err(error) => rejections.add(error.into()),
                Ok(()) => valid.push(found.clone()),
            },
            Err(error) => rejections.add(error),
        }
    }
    (valid, rejections)
}

fn validate<'a>(
    finding: &'a map::Finding,
    requested: &BTreeSet<Address>,
) -> Result<&'a map::Composition, FindingError> {
    let map::Finding { claimable: None, position: None, composition: Some(found), event: None } = finding else {
        return Err(NO_ANSWER.to_owned().into());
    };
    let token = found.token;
    let broken = |reason: String| Err(FindingError::Broken(reason).at(&composition_place(found)));
    if !requested.contains(&token) {
        return broken("it is about a token that was not requested".into());
    }
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    let is_kind = !found.kind.is_empty() && found.kind.len() <= KIND_BYTES_MAX && found.kind.bytes().all(is_letter);
    if !is_kind || KINDS_TAKEN.contains(&found.kind.as_str()) {
        return broken("its kind is not a word of upper-case letters, digits, - and _ that is free".into());
    }
    reply_rules::check(finding)?;
    Ok(found)
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
        assert_eq!(validate_compositions(&[found(sound())], &[PART, SHARE]), (vec![sound()], Rejections::default()));
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
            let (valid, rejected) = validate_compositions(&[found(wrong), found(good.clone())], &[SHARE, other]);
            assert_eq!(valid, std::slice::from_ref(&good), "{reason}");
            assert!(rejected.to_string().contains(reason), "{reason}: {rejected}");
        }
    }

    #[test]
    fn the_first_word_on_a_token_stands_and_other_findings_do_not_answer() {
        let second = map::Composition { supply: U256::from(5), ..sound() };
        let position = map::Finding { position: Some(map::Position::default()), ..found(sound()) };
        let (valid, rejected) = validate_compositions(&[position, found(sound()), found(second)], &[SHARE]);
        assert_eq!(valid, [sound()]);
        let twice = format!("a finding that does not answer the question; {SHARE:#x} is reported twice");
        assert_eq!(rejected.to_string(), twice);
    }
}
