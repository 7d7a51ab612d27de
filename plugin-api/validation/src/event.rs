//! Validates reported events before they are merged with other sources.
//!
//! Invariant: a valid event uses the vocabulary, is about an existing log, and is bounded. Each invalid one is dropped
//! alone. Values of later kinds are left out of their event. Texts are unchanged: whoever displays them must sanitize
//! them.

use std::collections::BTreeSet;

use portolan_abi::map;
use portolan_abi::reply_rules::{self, ASSETS_MAX, Reported, event_place};
use portolan_events::{Class, Event, Kind, Value, find_member};

use crate::findings::NO_ANSWER;
use crate::rejections::{FindingError, Rejections};

/// Returns the valid events, and why others were rejected. `protocols` are the plugin's slugs.
pub fn validate_events(findings: &[map::Finding], logs: usize, protocols: &BTreeSet<&str>) -> (Vec<Event>, Rejections) {
    let (mut valid, mut rejections, mut reported) = (Vec::new(), Rejections::default(), Reported::default());
    for finding in findings {
        let found = validate(finding, logs, protocols).and_then(|event| {
            reported.take(finding)?;
            Ok(event)
        });
        match found {
            Ok(event) => valid.push(event),
            Err(error) => rejections.add(error),
        }
    }
    (valid, rejections)
}

fn validate(finding: &map::Finding, logs: usize, protocols: &BTreeSet<&str>) -> Result<Event, FindingError> {
    let map::Finding { claimable: None, position: None, composition: None, event: Some(found) } = finding else {
        return Err(NO_ANSWER.to_owned().into());
    };
    let place = event_place(found);
    let broken = |reason: String| FindingError::Broken(reason).at(&place);
    let log = usize::try_from(found.log).unwrap_or(usize::MAX);
    if log >= logs {
        return Err(broken("the transaction has no such log".into()));
    }
    let kind = Kind::named(&found.kind).ok_or_else(|| broken("its type is not of the vocabulary".into()))?;
    if let Some(protocol) = &found.protocol
        && !protocols.contains(protocol.as_str())
    {
        return Err(broken("its protocol is not one of the plugin's".into()));
    }
    let mut members: Vec<(&'static str, Value)> = Vec::with_capacity(found.members.len().min(kind.members().len()));
    for member in &found.members {
        let Some((name, value)) = validate_member(member).map_err(|error| error.at(&place))? else { continue };
        if members.iter().any(|(known, _)| *known == name) {
            return Err(broken(format!("its {name} is reported twice")));
        }
        members.push((name, value));
    }
    reply_rules::check(finding)?;
    Ok(Event { log, kind, protocol: found.protocol.clone(), members })
}

/// Returns a member whose value fits its class; `None` for a value that this host does not know.
fn validate_member(member: &map::Member) -> Result<Option<(&'static str, Value)>, FindingError> {
    let unknown = || "it has a member that is not of the vocabulary".to_owned();
    let (name, class) = find_member(&member.name).ok_or_else(unknown)?;
    let mut values = values(&member.value).into_iter().flatten();
    let (value, further) = (values.next(), values.next());
    if further.is_some() {
        return Err(format!("its {name} has several values").into());
    }
    match value {
        Some(value) if !is_of(&value, class) => Err(format!("its {name} is of another class").into()),
        value => Ok(value.map(|value| (name, value))),
    }
}

fn values(value: &map::Value) -> [Option<Value>; 10] {
    let map::Value { address, token, amount, assets, number, word, flag, text, seconds, network } = value;
    [
        address.map(Value::Address),
        token.map(Value::Token),
        amount.map(|map::Amount { raw, of }| Value::Amount { raw, of }),
        assets.as_ref().map(|assets| Value::Assets(assets.iter().take(ASSETS_MAX + 1).copied().collect())),
        number.map(Value::Number),
        word.map(Value::Word),
        flag.map(Value::Flag),
        text.as_ref().map(|text| Value::Text(text.clone())),
        seconds.map(Value::Seconds),
        network.map(Value::Network),
    ]
}

fn is_of(value: &Value, class: Class) -> bool {
    matches!(
        (value, class),
        (Value::Address(_), Class::Address | Class::Pool)
            | (Value::Token(_), Class::Token)
            | (Value::Amount { .. }, Class::Amount(_))
            | (Value::Assets(_), Class::Assets)
            | (Value::Number(_), Class::Number)
            | (Value::Word(_), Class::Word | Class::Pool)
            | (Value::Flag(_), Class::Flag)
            | (Value::Text(_), Class::Text)
            | (Value::Seconds(_), Class::Seconds)
            | (Value::Network(_), Class::Network)
    )
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, B256, U256};

    use super::*;

    const TOKEN: Address = Address::repeat_byte(0xa1);
    const NONE: map::Value = map::Value {
        address: None,
        token: None,
        amount: None,
        assets: None,
        number: None,
        word: None,
        flag: None,
        text: None,
        seconds: None,
        network: None,
    };

    fn member(name: &str, value: map::Value) -> map::Member {
        map::Member { name: name.to_owned(), value }
    }

    fn user() -> map::Member {
        member("user", map::Value { address: Some(TOKEN), ..NONE })
    }

    fn sound() -> map::Event {
        let amount = map::Amount { raw: U256::from(1), of: Some(TOKEN) };
        let members = vec![
            user(),
            member("asset", map::Value { token: Some(TOKEN), ..NONE }),
            member("amount", map::Value { amount: Some(amount), ..NONE }),
        ];
        map::Event { log: 1, kind: "STAKE".to_owned(), protocol: Some("acme".to_owned()), members }
    }

    fn found(event: map::Event) -> map::Finding {
        map::Finding { event: Some(event), ..map::Finding::default() }
    }

    fn pass(findings: &[map::Finding]) -> (Vec<Event>, Rejections) {
        validate_events(findings, 2, &BTreeSet::from(["acme"]))
    }

    #[test]
    fn a_sound_event_passes_as_it_is() {
        let (valid, rejected) = pass(&[found(sound())]);
        let members = vec![
            ("user", Value::Address(TOKEN)),
            ("asset", Value::Token(TOKEN)),
            ("amount", Value::Amount { raw: U256::from(1), of: Some(TOKEN) }),
        ];
        let kind = Kind::named("STAKE").unwrap();
        assert_eq!(valid, [Event { log: 1, kind, protocol: Some("acme".to_owned()), members }]);
        assert!(rejected.is_empty(), "{rejected}");
    }

    #[test]
    fn an_event_that_breaks_a_rule_costs_itself_alone() {
        let with = |member| map::Event { members: vec![member], ..sound() };
        let asset = map::Asset { token: None, raw: U256::ZERO };
        let assets = map::Value { assets: Some(vec![asset; 65]), ..NONE };
        let both = map::Value { address: Some(TOKEN), token: Some(TOKEN), ..NONE };
        let cases = [
            (map::Event { log: 2, ..sound() }, "no such log"),
            (map::Event { log: u32::MAX, ..sound() }, "no such log"),
            (map::Event { kind: "HACK".to_owned(), ..sound() }, "its type"),
            (map::Event { kind: "stake".to_owned(), ..sound() }, "its type"),
            (map::Event { protocol: Some("other".to_owned()), ..sound() }, "not one of the plugin's"),
            (map::Event { members: vec![user(), user()], ..sound() }, "reported twice"),
            (with(member("wealth", NONE)), "not of the vocabulary"),
            (with(member("user", map::Value { token: Some(TOKEN), ..NONE })), "another class"),
            (with(member("asset", map::Value { address: Some(TOKEN), ..NONE })), "another class"),
            (with(member("tokenId", map::Value { seconds: Some(U256::from(1)), ..NONE })), "another class"),
            (with(member("asset", both)), "several values"),
            (with(member("assets", assets)), "more than 64"),
        ];
        for (wrong, reason) in cases {
            let (valid, rejected) = pass(&[found(wrong), found(sound())]);
            assert_eq!(valid.len(), 1, "{reason}");
            assert!(rejected.to_string().contains(reason), "{reason}: {rejected}");
        }
    }

    #[test]
    fn a_value_that_came_after_this_host_is_left_out_and_its_event_stays() {
        let event = map::Event { members: vec![user(), member("amount", NONE)], ..sound() };
        let (valid, rejected) = pass(&[found(event)]);
        assert_eq!(valid[0].members, [("user", Value::Address(TOKEN))]);
        assert!(rejected.is_empty(), "{rejected}");
    }

    #[test]
    fn a_pool_is_an_address_or_a_hash() {
        for value in
            [map::Value { address: Some(TOKEN), ..NONE }, map::Value { word: Some(B256::repeat_byte(3)), ..NONE }]
        {
            let event = map::Event { members: vec![member("pool", value)], ..sound() };
            assert!(pass(&[found(event)]).1.is_empty());
        }
    }

    #[test]
    fn a_log_has_a_bounded_number_of_events() {
        let findings: Vec<_> = (0..300).map(|_| found(sound())).collect();
        let (valid, rejected) = pass(&findings);
        assert_eq!(valid.len(), 256);
        assert!(rejected.of_replies().is_some_and(|line| line.ends_with("; and 36 more")));
    }

    #[test]
    fn findings_of_other_questions_do_not_answer() {
        let position = map::Finding { position: Some(map::Position::default()), ..found(sound()) };
        let (valid, rejected) = pass(&[map::Finding::default(), position]);
        assert_eq!((valid.len(), rejected.broken()), (0, Some(format!("{NO_ANSWER}; {NO_ANSWER}"))));
    }
}
