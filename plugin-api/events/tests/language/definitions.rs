//! Constants, rows that share a signature, array sizes, and tables within one text.

use portolan_events::Value;

use crate::*;

fn asset_on(chain_id: u64, text: &str) -> Option<Value> {
    let (table, put) = (table(text), transaction(vec![log("Put(uint256)", &[], &[number(1)])]));
    let decoded = Decoding::new(&table, &put, Network { chain_id, wrapped_native: None }).finish();
    let events: Vec<_> = decoded.events.into_iter().map(|(event, _)| event).collect();
    if events.is_empty() { None } else { member(&events, "asset") }
}

#[test]
fn a_constant_has_a_value_for_each_network_or_for_all() {
    let everywhere = format!("const TOKEN = {}\nSTAKE Put(uint256 a) asset=TOKEN", account(7));
    let token = |byte| Some(Value::Token(account(byte)));
    assert_eq!([1, 10, 77].map(|chain_id| asset_on(chain_id, &everywhere)), [token(7), token(7), token(7)]);
    let each = format!(
        "const TOKEN\n  ethereum={}\n  base={} # the second\nSTAKE Put(uint256 a) asset=TOKEN",
        account(8),
        account(9)
    );
    assert_eq!([1, 8_453, 10].map(|chain_id| asset_on(chain_id, &each)), [token(8), token(9), None]);
}

#[test]
fn a_constant_is_compared_and_viewed_as_its_value() {
    let rows = format!(
        "const POOL ethereum={}\nSTAKE Put(uint256 a) asset=POOL.token(uint256 a) if contract = POOL and a < 2",
        account(0xcc)
    );
    let (table, put) = (table(&rows), transaction(vec![log("Put(uint256)", &[], &[number(1)])]));
    let on = |chain_id| Network { chain_id, wrapped_native: None };
    assert_eq!(Decoding::new(&table, &put, on(1)).next_calls(), [view(0xcc, "token(uint256)", &[number(1)])]);
    assert_eq!(Decoding::new(&table, &put, on(2)).next_calls(), []);
}

#[test]
fn a_row_that_only_names_its_event_has_the_signature_of_the_last_row_above() {
    let table = table(
        "STAKE Put(uint256 a) amount=a if a > 5\nUNSTAKE Other(uint256 a) amount=a\nUNSTAKE Put amount=a\n\
         CLAIM Put(uint256 b, uint256 c) amount=c\nLOCK Put\n  amount=b",
    );
    let rows: Vec<_> = table.rows().map(|row| (row.kind().name(), row.signature())).collect();
    let (one, two) = ("Put(uint256 a)", "Put(uint256 b, uint256 c)");
    let other = ("UNSTAKE", "Other(uint256 a)");
    assert_eq!(rows, [("STAKE", one), other, ("UNSTAKE", one), ("CLAIM", two), ("LOCK", two)]);
}

#[test]
fn a_row_of_several_array_sizes_is_a_row_for_each() {
    let text = "[pool]\nADD_LIQUIDITY Add(uint256[N] amounts, uint256[N] fees, uint256[2] b) for N from 2 to 4\n  \
                pool=contract assets=amounts of contract.coins(uint256 index)\nREMOVE_LIQUIDITY Add pool=contract";
    let table = table(text);
    let topics: Vec<_> = table.rows().map(|row| row.topic()).collect();
    let sizes = [2, 3, 4].map(|size| keccak256(format!("Add(uint256[{size}],uint256[{size}],uint256[2])")));
    assert_eq!(topics, [sizes, sizes].concat());
    assert!(table.rows().take(3).all(|row| row.line() == 2 && row.section() == "pool"));
}

#[test]
fn what_is_wrong_with_a_definition_is_an_error_of_its_line() {
    let wrong = [
        ("const token = 1", "the constant token is not in capitals"),
        ("const A", "A: a name is missing before the end of the row"),
        ("const A = 0x12", "A: 0x12 is neither a number, an address nor a word of 32 bytes"),
        ("const A = 1 2", "A: \"2\" is not understood"),
        ("const A mars=1", "A: unknown network mars"),
        ("const A base=1 base=2", "A: base is defined twice"),
        ("const A base=1 ethereum=0x0000000000000000000000000000000000000000", "A: the values are of several types"),
        ("const KNOWN = 2", "the constant KNOWN is defined twice"),
        ("STAKE Put(uint256[N] a) for N from 3 to 3 amount=1", "3 to 3 are not 2 to 16 sizes"),
        ("STAKE Put(uint256[N] a) for N from 1 to 17 amount=1", "1 to 17 are not 2 to 16 sizes"),
        ("STAKE Put(uint256[N] a) for M from 1 to 2 amount=1", "the signature has no [M]"),
        ("STAKE Put(uint256[N] a) for N from x to 2 amount=1", "x is not a size"),
        ("STAKE Put(uint256[N] a) amount=1", "uint256[N] does not have between 1 and 256 elements"),
        ("STAKE Put(uint256 a) amount=(a or none)", "amount: none may only end a member, or the token of an amount"),
        ("STAKE Put(uint256 a) amount=a if a", "a condition compares two values, or ends in exists"),
        ("STAKE Put(uint256 a) assets=a", "assets: of is missing before the end of the row"),
    ];
    for (line, what) in wrong {
        let error = Table::parse(&format!("const KNOWN = 1\n{line}\n")).unwrap_err();
        assert_eq!((error.line, error.what.as_str()), (2, what), "{line}");
    }
}

#[test]
fn an_error_names_the_table_of_a_text_with_several() {
    let text = "table one\nconst A = 1\n[x]\nSTAKE Put(uint256 a) amount=A\ntable two\n# more\nSTAKE Put\n amount=A";
    let error = Table::parse(text).unwrap_err();
    assert_eq!(error.to_string(), "table two, line 3: no row above has the signature of Put");
    let error = Table::parse(&text.replace("Put\n", "Put(uint256 a)\n")).unwrap_err();
    assert_eq!(error.what, "amount: A is neither a parameter of the event nor a constant");
    let rows = table(&text.replace("Put\n", "Put(uint256 a)\n").replace("amount=A", "amount=a"));
    assert_eq!(rows.rows().map(|row| (row.section(), row.line())).collect::<Vec<_>>(), [("x", 4), ("", 3)]);
}
