//! Event cases: which the test driver of tables accepts, and which it rejects.

use std::panic::{AssertUnwindSafe, catch_unwind};

use portolan_plugin_api::events::{Event, Table, Transaction};
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::EventCases;
use portolan_plugin_api::{Catalogue, Error, JobContext, Plugin, Settings, SettingsError};
use serde_json::{Value, json};

use crate::scenario::acme;

const TABLE: &str = "[a]
TRANSFER Transfer(address indexed from, address indexed to, uint256 value) from=from to=to asset=contract amount=value
[b]
STAKE Staked(address indexed user, uint256 amount) user=user amount=amount contract=contract asset=contract.token()
CLAIM Paid(address indexed user, uint256 amount) user=user amount=amount contract=contract if contract.token() exists
CLAIM Paid(address indexed user, uint256 amount) user=user amount=amount contract=contract asset=wrapped
";

/// Decodes by the table; all events belong to one protocol.
struct Tabled;

impl Plugin for Tabled {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue { protocols: vec![acme()], ..Catalogue::default() }
    }

    async fn events(&self, cx: &JobContext, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let table = Table::parse(TABLE).map_err(|error| Error::new(error.to_string()))?;
        let actual = cx.decode(&table, transaction).await?;
        Ok(actual.into_iter().map(|(event, _)| Event { protocol: Some("acme".to_owned()), ..event }).collect())
    }
}

impl Exported for Tabled {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

fn address(byte: u8) -> String {
    format!("0x{}", format!("{byte:02x}").repeat(20))
}

fn padded(byte: u8) -> String {
    format!("0x{}{}", "0".repeat(24), format!("{byte:02x}").repeat(20))
}

fn word(number: u8) -> String {
    format!("0x{number:064x}")
}

// keccak256 of `Transfer(address,address,uint256)`, `Staked(address,uint256)` and `Paid(address,uint256)`.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const STAKED: &str = "0x9e71bc8eea02a63969f509818f2dafb9254532904319f9dbda79b67bd34a5f3d";
const PAID: &str = "0x737c69225d647e5994eab1a6c301bf6d9232beb2759ae1e27a8966b4732bc489";

fn transfer() -> Value {
    json!({ "address": address(0x10), "topics": [TRANSFER, padded(0x11), padded(0x12)], "data": word(5) })
}

fn staked() -> Value {
    json!({ "address": address(0x20), "topics": [STAKED, padded(0x11)], "data": word(6) })
}

fn paid() -> Value {
    json!({ "address": address(0x20), "topics": [PAID, padded(0x11)], "data": word(7) })
}

/// `token()` of the staking contract.
fn token() -> Value {
    json!({ "to": address(0x20), "data": "0xfc0c546a", "reply": padded(0x30) })
}

/// Cases with their logs and their expected events.
fn cases() -> (Value, Value) {
    let claimed = json!({ "user": address(0x11), "amount": "7", "contract": address(0x20) });
    let mut wrapped = claimed.clone();
    wrapped["asset"] = json!(address(0x40));
    let capitals = address(0x10).to_uppercase().replace('X', "x");
    let written = json!([
        { "title": "one", "expect": [{ "type": "TRANSFER", "protocol": "acme",
            "members": { "from": address(0x11), "to": address(0x12), "asset": capitals, "amount": "5" } }] },
        { "title": "two", "network": 10, "expect": [{ "type": "STAKE", "protocol": "acme",
            "members": { "user": address(0x11), "amount": "6", "contract": address(0x20), "asset": address(0x30) } }] },
        { "title": "three", "expect": [{ "type": "CLAIM", "protocol": "acme", "members": claimed }] },
        { "title": "four", "wrapped": address(0x40), "tx": { "to": null, "value": "3" },
          "expect": [{ "type": "CLAIM", "protocol": "acme", "members": wrapped }] },
        { "title": "nothing", "expect": [] },
    ]);
    let encoded = json!([
        { "title": "one", "place": 0, "logs": [transfer()], "views": [] },
        { "title": "two", "place": 1, "logs": [transfer(), staked()], "views": [token()] },
        { "title": "three", "place": 0, "logs": [paid(), transfer()], "views": [token()] },
        { "title": "four", "place": 0, "logs": [paid()], "views": [] },
        { "title": "nothing", "place": 0, "logs": [staked()], "views": [] },
    ]);
    (written, encoded)
}

/// Returns the result of driving these cases: their number, or the failure.
fn driven<T>(cases: &(Value, Value), drive: impl Fn(&EventCases) -> T) -> Result<T, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("events.cases.json");
    std::fs::write(&path, cases.0.to_string()).expect("a file");
    std::fs::write(folder.path().join("events.logs.json"), cases.1.to_string()).expect("a file");
    let outcome = catch_unwind(AssertUnwindSafe(|| drive(&EventCases::load(&path))));
    outcome.map_err(|panic| panic.downcast_ref::<String>().expect("a panic with a text").clone())
}

#[test]
fn cases_that_are_decoded_rightly_are_counted() {
    assert_eq!(driven(&cases(), EventCases::check::<Tabled>), Ok(5));
    assert_eq!(driven(&cases(), |cases| cases.cover(TABLE)), Ok(()));
}

#[test]
fn a_table_alone_names_no_protocol() {
    let (mut written, encoded) = cases();
    for case in written.as_array_mut().expect("cases") {
        for expected in case["expect"].as_array_mut().expect("expectations") {
            expected.as_object_mut().expect("an expectation").remove("protocol");
        }
    }
    assert_eq!(driven(&(written, encoded), |cases| cases.check_table(TABLE)), Ok(5));
    let wrong = driven(&cases(), |cases| cases.check_table(TABLE)).expect_err("protocols are expected");
    assert!(wrong.contains("\"one\": decoded  TRANSFER of nobody: "), "{wrong}");
    assert!(wrong.contains("\"one\": expected TRANSFER of acme: "), "{wrong}");
}

#[test]
fn anything_that_is_decoded_otherwise_is_wrong() {
    let changes = [
        ("/0/expect/0/type", json!("MINT"), "\"one\": decoded  TRANSFER of acme: "),
        ("/0/expect/0/protocol", json!(null), "\"one\": expected TRANSFER of nobody: "),
        ("/0/expect/0/members/amount", json!("6"), "\"one\": expected TRANSFER of acme: amount=6 "),
        ("/0/expect/0/members/to", json!(address(0x13)), "\"one\": decoded  TRANSFER of acme: amount=5 "),
        ("/0/expect/0/members", json!({}), "\"one\": expected TRANSFER of acme: \n"),
        ("/0/expect", json!([]), "\"one\": decoded  TRANSFER of acme: "),
        ("/2/expect/0/members/asset", json!(address(0x40)), "\"three\": decoded  CLAIM of acme: amount=7 contract="),
        ("/3/wrapped", json!(null), "\"four\": expected CLAIM of acme: "),
        ("/4/expect", json!([{ "type": "STAKE", "members": {} }]), "\"nothing\": expected STAKE of nobody: "),
    ];
    for (pointer, value, actual) in changes {
        let (mut written, encoded) = cases();
        let (parent, member) = pointer.rsplit_once('/').expect("a pointer");
        match written.pointer_mut(parent).expect("what is changed") {
            Value::Object(members) => drop(members.insert(member.to_owned(), value)),
            other => panic!("{parent} is {other}"),
        }
        let wrong = driven(&(written, encoded), EventCases::check::<Tabled>).expect_err(pointer);
        assert!(format!("{wrong}\n").contains(actual), "{pointer}: {wrong}");
    }
}

#[test]
fn a_row_without_a_case_of_its_own_is_found() {
    let without = |place: usize| {
        let (mut written, mut encoded) = cases();
        written.as_array_mut().expect("cases").remove(place);
        encoded.as_array_mut().expect("cases").remove(place);
        driven(&(written, encoded), |cases| cases.cover(TABLE))
    };
    let missing = |place| without(place).expect_err("a row has no case");
    assert!(missing(0).contains("line 2: TRANSFER Transfer("), "{}", missing(0));
    assert!(missing(1).contains("line 4: STAKE Staked("), "{}", missing(1));
    // Two rows that differ only in their conditions need two cases.
    assert!(missing(2).contains("CLAIM Paid("), "{}", missing(2));
    assert!(missing(3).contains("CLAIM Paid("), "{}", missing(3));
    assert_eq!(without(4), Ok(()));
}

#[test]
fn files_that_do_not_belong_together_are_wrong() {
    type Change = fn(&mut Value, &mut Value);
    let changes: [(&str, Change, &str); 6] = [
        ("a case less", |_, encoded| drop(encoded.as_array_mut().map(Vec::pop)), "number of encoded cases \"4\""),
        ("another title", |written, _| written[0]["title"] = json!("uno"), "encoded case \"one\""),
        ("a place beyond", |_, encoded| encoded[0]["place"] = json!(1), "encoded case \"one\""),
        ("no address", |_, encoded| encoded[0]["logs"][0]["address"] = json!("0x"), "contract \"0x\""),
        ("no topic", |_, encoded| encoded[0]["logs"][0]["topics"][0] = json!("0x12"), "topic \"0x12\""),
        ("an unknown member", |written, _| written[0]["tx"] = json!({ "sender": "0x" }), "unknown field `sender`"),
    ];
    for (what, change, message) in changes {
        let (mut written, mut encoded) = cases();
        change(&mut written, &mut encoded);
        let wrong = driven(&(written, encoded), EventCases::check::<Tabled>).expect_err(what);
        assert!(wrong.contains(message), "{what}: {wrong}");
    }
}
