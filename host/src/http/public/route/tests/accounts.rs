//! Requests about several accounts.

use super::*;

const OTHER: &str = "0x00000000000000000000000000000000000acc08";

fn accounts(target: &str) -> Vec<Account> {
    match query(target) {
        Query::OfAll(accounts, _) => accounts,
        other => panic!("{target}: {other:?}"),
    }
}

fn of(names: &[&str]) -> Vec<Account> {
    let account = |text: &&str| match text.contains('.') {
        true => Account::Name(Name::parse(text).unwrap()),
        false => Account::Address(text.parse().unwrap()),
    };
    names.iter().map(account).collect()
}

#[test]
fn accounts_are_each_named_once_in_the_order_of_the_request() {
    let upper = A.to_uppercase().replace("0X", "0x");
    let cases = [
        (format!("accounts={A}"), of(&[A])),
        (format!("accounts={A},{OTHER},vitalik.eth"), of(&[A, OTHER, "vitalik.eth"])),
        (format!("accounts=vitalik.eth&accounts=,{A}, {OTHER}"), of(&["vitalik.eth", A, OTHER])),
        (format!("accounts={A}%2C{OTHER}%2CVitalik.eth%2Cvitalik.eth,{upper}"), of(&[A, OTHER, "vitalik.eth"])),
        (format!("accounts=eip155:137:{A},{A},eip155%3A137%3A{OTHER}"), of(&[A, OTHER])),
        (format!("accounts=eip155:0:{A},eip155:10:{OTHER}"), of(&[A, OTHER])),
    ];
    for (search, expected) in cases {
        for path in ["/claimables", "/positions/"] {
            assert_eq!(accounts(&format!("{path}?{search}")), expected, "{search}");
        }
    }
}

#[test]
fn several_accounts_take_the_parameters_of_one() {
    let about = |target: &str| match query(&target.replace("{OTHER}", OTHER)) {
        Query::OfAll(_, about) => about,
        Query::Of(_, About::Rows(about)) => about,
        other => panic!("{target}: {other:?}"),
    };
    for search in ["", "network=bsc&worth=true", "include=a,b&simulate=true", "exclude=a&block=bsc:5"] {
        let (one, all) =
            (format!("/claimables/{{A}}?{search}"), format!("/claimables?accounts={{A}},{{OTHER}}&{search}"));
        assert_eq!(about(&all), about(&one), "{search}");
    }
    let search = "kind=lent,staked&network=10&simulate=false";
    assert_eq!(about(&format!("/positions?accounts={{A}}&{search}")), about(&format!("/positions/{{A}}?{search}")));
    let blocks = |target: &str| parse(Listener::Base, target).unwrap().options;
    assert_eq!(blocks("/positions?accounts={A}&block=bsc:5"), blocks("/positions/{A}?block=bsc:5"));
    assert!(blocks("/claimables?accounts={A}&detail=full").is_traced);
    let own = about(&format!("/claimables?accounts=eip155:56:{A},{OTHER}"));
    assert_eq!(own, about("/claimables/{A}?network=bsc"), "the network of an account is that of the request");
}

#[test]
fn accounts_that_are_missing_wrong_or_too_many_are_refused() {
    let one_more: String = (1..=4).map(|number| format!("0x{number:040x},")).collect();
    let cases = [
        (
            "",
            400,
            "the parameter accounts is missing; an account is an address, eip155:CHAIN_ID:ADDRESS or an ENS name",
        ),
        ("accounts=", 400, "the parameter accounts is missing"),
        ("accounts=,,", 400, "the parameter accounts is missing"),
        ("accounts={A},0x123", 400, "0x123 is not 0x and 40 hex digits"),
        ("accounts={A},a..eth", 400, "a..eth "),
        (&format!("accounts={one_more}"), 400, "accounts names 4 accounts, more than the bound of 3"),
        (
            "accounts=eip155:1:{A},eip155:137:{A}",
            400,
            &format!("the account eip155:137:{A} is on eip155:137, and another account is on eip155:1"),
        ),
        (
            "accounts=eip155:1:{A}&network=bsc",
            400,
            &format!("the account eip155:1:{A} is on eip155:1, and the parameter network names eip155:56"),
        ),
        ("accounts={A}&kind=lent", 400, "unknown parameter: kind"),
        ("acounts={A}", 400, "unknown parameter: acounts (did you mean accounts?)"),
    ];
    for (search, status, start) in cases {
        let (actual, detail) = problem(Listener::Base, &format!("/claimables?{search}"));
        assert_eq!(actual, status, "{search}: {detail}");
        assert!(detail.starts_with(start), "{search}: {detail}");
    }
}

#[test]
fn the_listener_of_claimables_has_accounts_in_its_path_alone() {
    for target in ["/claimables?accounts={A}", "/?accounts={A}", "/{A}?accounts={A}"] {
        assert!(parse(Listener::Claimables, target).is_err(), "{target}");
    }
    assert!(matches!(parse(Listener::Base, "/claimables/{A}?accounts={A}"), Err(Problem::UnknownParameter(_))));
}
