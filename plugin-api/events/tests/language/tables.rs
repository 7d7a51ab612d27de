//! Valid and rejected tables.

use std::collections::BTreeSet;

use portolan_events::{Class, KINDS, member_class};

use crate::*;

#[test]
fn rows_have_sections_and_go_on_in_indented_lines() {
    let table = table(
        "# a comment\n\nSTAKE Put(uint256 a) # another\n    amount=a\n\n[one]\nUNSTAKE Left(uint256[2] a, \
         (uint b, address[] c)[3] d) amount=a[0]\n[two]\nCLAIM Put(uint256 indexed a)\n\tamount=a",
    );
    let rows: Vec<_> = table.rows().map(|row| (row.line(), row.section(), row.kind().name(), row.topic())).collect();
    let put = keccak256("Put(uint256)");
    let left = keccak256("Left(uint256[2],(uint256,address[])[3])");
    assert_eq!(rows, [(3, "", "STAKE", put), (7, "one", "UNSTAKE", left), (9, "two", "CLAIM", put)]);
    assert_eq!(table.rows().map(|row| row.signature()).last(), Some("Put(uint256 indexed a)"));
    assert_eq!(table.topics().collect::<Vec<_>>(), [put, left]);
}

#[test]
fn an_error_has_its_line_and_says_what_is_wrong() {
    let wrong = [
        ("DANCE Put(uint256 a)", "unknown event type DANCE"),
        ("STAKE", "a row needs a type and an event"),
        ("STAKE Put", "no row above has the signature of Put"),
        ("STAKE Put(uint256 a", ", is missing before the end of the row"),
        ("STAKE Put(uint257 a)", "unknown type uint257"),
        ("STAKE Put(uint256 a, uint256 a)", "two parameters are called a"),
        ("STAKE Put(uint256[0] a)", "uint256[0] does not have between 1 and 256 elements"),
        ("STAKE Put()[]", "\"[]\" is not understood"),
        ("STAKE anonymous Put(uint256 a)", "no row above has the signature of anonymous"),
        (
            "STAKE P(uint indexed a, uint indexed b, uint indexed c, uint indexed d)",
            "P has more than 3 indexed parameters",
        ),
        ("STAKE Put(uint256 a) cake=a", "cake: unknown member"),
        ("STAKE Put(uint256 a) amount=b", "amount: b is neither a parameter of the event nor a constant"),
        ("STAKE Put(uint256 a) amount=a amount=a", "amount is defined twice"),
        ("SWAP Put(uint256 a) swap_deltas=a of contract, -a of native toToken=contract", "toToken is defined twice"),
        ("STAKE Put(uint256 a) user=a", "user: an address is needed, not an integer"),
        ("STAKE Put(bytes32 a) user=a", "user: an address is needed, not a word of bytes"),
        ("STAKE Put(address a) amount=a", "amount: an integer is needed, not an address"),
        ("STAKE Put(address a) amount=a+1", "amount: an integer is needed, not an address"),
        ("STAKE Put(uint256 a) asset=a.token()", "asset: an address is needed, not an integer"),
        ("STAKE Put(uint256 a) asset=contract.at(address a)", "asset: at takes address, not an integer"),
        ("STAKE Put(uint256 a) asset=contract.at(bytes a)", "asset: bytes is not a type of one word"),
        ("STAKE Put(uint256 a) asset=contract.at(uint256 a", "asset: , is missing before the end of the row"),
        ("STAKE Put(uint256 a) asset=contract.at(uint256 index)", "asset: index is used without an array"),
        ("STAKE Put(uint256 a) amount=a)", "\")\" is not understood"),
        ("STAKE Put(uint256 a) amount=0x12", "amount: 0x12 is neither a number, an address nor a word of 32 bytes"),
        ("STAKE Put(uint256[][] a) amount=a", "amount: a is an array of arrays"),
        ("STAKE Put((uint256 b) a) amount=a", "amount: a is a tuple"),
        ("STAKE Put((uint256 b) a) amount=a.c", "amount: a has no member c"),
        ("STAKE Put(uint256 a) amount=gone(a)", "amount: unknown function gone"),
        ("STAKE Put(uint256 a) asset=contract or a", "asset: the alternatives are an address and an integer"),
        ("STAKE Put(uint256 a) amount", "= is missing behind amount"),
        ("STAKE Put(uint256[] a) amount=1 if a > 1", "a condition cannot take an array"),
        ("STAKE Put(string a) amount=1 if a = 1", "a text cannot be compared"),
        ("STAKE Put(uint256 a) amount=1 if a >", "a name is missing before the end of the row"),
        ("[open", "a heading has the form [name]"),
    ];
    for (row, what) in wrong {
        let error = Table::parse(&format!("# first\n{row}\n")).unwrap_err();
        assert_eq!((error.line, error.what.as_str()), (2, what), "{row}");
    }
    assert_eq!(Table::parse("   amount=a").unwrap_err().line, 1);
    let deep = format!("STAKE Put(uint256 a) amount={}a{}", "(".repeat(99), ")".repeat(99));
    assert_eq!(Table::parse(&deep).unwrap_err().what, "amount: the expression is nested deeper than 16");
    let deep = format!("STAKE Put({}uint256 a{}) amount=1", "(".repeat(99), ")".repeat(99));
    let arrays = format!("STAKE Put(uint256{} a) amount=1", "[256]".repeat(9));
    assert_eq!(Table::parse(&arrays).unwrap_err().what, "arrays are nested deeper than 8");
    assert_eq!(Table::parse(&deep).unwrap_err().what, "tuples are nested deeper than 8");
}

#[test]
fn the_vocabulary_has_a_class_for_each_member_and_a_token_for_each_amount() {
    let names: BTreeSet<_> = KINDS.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), KINDS.len(), "a type stands twice");
    for member in KINDS.iter().flat_map(|(_, members)| *members) {
        let of = member_class(member).unwrap_or_else(|| panic!("{member} has no class"));
        let Class::Amount(Some(token)) = of else { continue };
        let token = (token != "native").then(|| member_class(token));
        assert!(matches!(token, None | Some(Some(Class::Token | Class::Address))), "{member}");
    }
}
