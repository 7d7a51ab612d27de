//! Amounts as strings: the same digits, wherever a double would lose them.

use super::*;

/// Paths with every kind of row and sum, about this account.
fn paths(account: &str, whale: &str) -> Vec<String> {
    [
        format!("/claimables/{account}"),
        format!("/positions/{account}"),
        format!("/{account}/claim-plan?network=polygon"),
        format!("/quickswap/{account}/claimables"),
        format!("/sushiswap/farming/{account}/positions"),
        format!("/aave_v3/lending/{whale}/positions"),
        format!("/aave_v3/borrowing/{account}/positions"),
        format!("/{account}/native-balance?network=polygon"),
        "/networks".to_owned(),
        "/protocols".to_owned(),
    ]
    .into()
}

fn with(path: &str, parameter: &str) -> String {
    let before = if path.contains('?') { '&' } else { '?' };
    format!("{path}{before}{parameter}")
}

/// Counts what became a string; anything else that differs is a failure.
fn strings(path: &str, plain: &Json, quoted: &Json) -> usize {
    match (plain, quoted) {
        // The report's figures about itself are measured anew.
        _ if path.ends_with("/report/budget") || path.ends_with("/report/jobs") => 0,
        (Json::Array(plain), Json::Array(quoted)) => {
            assert_eq!(plain.len(), quoted.len(), "{path}");
            plain.iter().zip(quoted).map(|(plain, quoted)| strings(path, plain, quoted)).sum()
        }
        (Json::Object(plain), Json::Object(quoted)) => {
            let both = plain.iter().zip(quoted);
            both.map(|((name, plain), (other, quoted))| {
                assert_eq!(name, other, "{path}");
                strings(&format!("{path}/{name}"), plain, quoted)
            })
            .sum()
        }
        (Json::Number(number), Json::Text(text)) => {
            assert_eq!(number, text, "{path}");
            1
        }
        (plain, quoted) => {
            assert_eq!(plain, quoted, "{path}");
            0
        }
    }
}

/// Numbers that are no integers, or that a double does not hold.
fn long_numbers(path: &str, json: &Json) -> Vec<String> {
    match json {
        Json::Array(items) => items.iter().flat_map(|item| long_numbers(path, item)).collect(),
        Json::Object(members) => {
            members.iter().flat_map(|(name, value)| long_numbers(&format!("{path}/{name}"), value)).collect()
        }
        Json::Number(number) if !number.parse::<u64>().is_ok_and(|whole| whole <= 1 << 53) => {
            vec![format!("{path}: {number}")]
        }
        _ => Vec::new(),
    }
}

#[test]
fn amounts_are_strings_of_the_same_digits_wherever_they_are_wanted_so() {
    let fixture = fixture();
    for path in paths(fixture.account("farmer"), fixture.account("whale")) {
        for path in [path.clone(), with(&path, "detail=full")] {
            let get = |path: &str| fixture.gateway.get(path).unwrap();
            let (plain, quoted) = (get(&path), get(&with(&path, "amounts=string")));
            assert_eq!((plain.status.as_u16(), quoted.status.as_u16()), (200, 200), "{path}");
            let numbers = get(&with(&path, "amounts=number")).json().unwrap();
            assert_eq!(strings(&path, &plain.json().unwrap(), &numbers), 0);
            assert_eq!(long_numbers(&path, &quoted.json().unwrap()), [""; 0]);
            let found = strings(&path, &plain.json().unwrap(), &quoted.json().unwrap());
            let has_none = path.starts_with("/networks") || path.starts_with("/protocols");
            assert_eq!(found == 0, has_none, "{path}: {found} strings");
        }
    }
}

#[test]
fn the_accept_header_names_the_form_where_the_parameter_does_not() {
    let fixture = fixture();
    let path = format!("/claimables/{}", fixture.account("farmer"));
    let fetch = |path: &str, accept: &str| {
        let headers = [("accept", accept)];
        http::request(fixture.gateway.base, Version::Http1, &Method::GET, path, &headers, Bytes::new()).unwrap()
    };
    let (plain, quoted) =
        (fixture.gateway.get(&path).unwrap(), fixture.gateway.get(&with(&path, "amounts=string")).unwrap());
    assert_ne!(plain.body, quoted.body);
    let wanted = "application/json;amounts=string";
    for (path, accept, expected) in [
        (path.clone(), wanted, &quoted),
        (path.clone(), "text/html, application/json; amounts=\"string\";q=0.9, */*;q=0.1", &quoted),
        (path.clone(), "application/json", &plain),
        (with(&path, "amounts=number"), wanted, &plain),
        (with(&path, "amounts=string"), "application/json;amounts=number", &quoted),
    ] {
        let response = fetch(&path, accept);
        assert_eq!((response.status.as_u16(), &response.body), (200, &expected.body), "{path} {accept}");
        assert_eq!(response.header("vary"), Some("accept, accept-encoding"), "{path} {accept}");
        assert_eq!(response.header("content-type"), Some("application/json"), "{path} {accept}");
    }
    let refused = fetch(&path, "application/json;amounts=text");
    let detail = problem::detail(&refused, 400, "invalid-filter").unwrap();
    assert_eq!(detail, "amounts is string or number, not text");
    problem::detail(&fetch("/nothing", "application/json;amounts=text"), 404, "unknown-path").unwrap();
}

#[test]
fn clients_who_share_an_answer_each_get_their_own_form() {
    let fixture = fixture();
    let path = format!("/claimables/{}", fixture.account("whale"));
    let expected = ["amounts=number", "amounts=string"].map(|form| {
        let path = with(&path, form);
        let body = fixture.gateway.get(&path).unwrap().body;
        (path, body)
    });
    std::thread::scope(|scope| {
        for (path, body) in expected.iter().cycle().take(16) {
            let gateway = &fixture.gateway;
            scope.spawn(move || assert_eq!(gateway.get(path).unwrap().body, *body, "{path}"));
        }
    });
}
