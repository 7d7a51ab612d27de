//! Which contract finds a name's resolver: the universal resolver, whose word counts, or the registry, where there is no
//! such contract; a full answer says which it was.

use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;
use serde_json::json;

use super::{assert_record, by_address, by_name, counted, fixture, path, record, setup};

/// The members of the only item of a full answer.
fn full(gateway: &Gateway, request: &str, members: [&str; 3]) -> [String; 3] {
    let response = gateway.get(&format!("{request}?detail=full")).unwrap();
    assert_eq!(response.status, 200, "{request}: {}", response.body);
    let answer = response.json().unwrap();
    members.map(|member| answer.text_at(&format!("items/0/{member}")).unwrap().to_owned())
}

/// Returns the chain build's values for `ur.gtest.eth` by one of the two.
fn moved(expected: &Json, by: &str) -> [String; 3] {
    let member = if by == "registry" { by } else { "universal" };
    let text = |name: &str| expected.text_at(&format!("names/moved/{member}/{name}")).unwrap().to_owned();
    [text("address"), text("resolver"), by.to_owned()]
}

const MEMBERS: [&str; 3] = ["address", "resolver", "resolvedBy"];

#[test]
fn a_name_that_moved_to_another_registry_is_where_the_universal_resolver_says() {
    let fixture = fixture();
    let name = fixture.expected.text_at("names/moved/name").unwrap();
    assert_eq!(name, "ur.gtest.eth");
    for (by, gateway) in &fixture.paths {
        let [address, resolver, _] = moved(&fixture.expected, by);
        assert_record(by, &gateway.get(&by_name(name, None)).unwrap(), &record(name, &address));
        assert_eq!(full(gateway, &by_name(name, None), MEMBERS), [address, resolver, (*by).to_owned()]);
    }
}

#[test]
fn without_the_universal_resolver_the_registry_answers_and_a_full_answer_says_so() {
    let fixture = fixture();
    let chain = Chain::start(super::PROFILE).unwrap();
    let gateway = setup(&chain.url, &fixture.outside, true).start().unwrap();
    let name = by_name("ur.gtest.eth", None);
    let account = fixture.expected.text_at("accounts/farmer/address").unwrap();
    let (claimed, members) = (by_address(account, None), ["name", "address", "resolvedBy"]);
    let named = |by: &str| ["alice.eth", account, by].map(str::to_owned);
    assert_eq!(full(&gateway, &name, MEMBERS), moved(&fixture.expected, path(true)));
    assert_eq!(full(&gateway, &claimed, members), named(path(true)));

    let universal = fixture.expected.text_at("contracts/universal").unwrap();
    chain.rpc("anvil_setCode", json!([universal, "0x"])).unwrap();
    chain.rpc("evm_mine", json!([])).unwrap();
    let by_registry = || match full(&gateway, &name, MEMBERS) {
        found if found == moved(&fixture.expected, path(false)) => Ok(()),
        found => Err(format!("{found:?}")),
    };
    wait::until("the block without it", counted::NEXT_BLOCK_WITHIN, by_registry).unwrap();
    assert_eq!(full(&gateway, &claimed, members), named(path(false)));
}

#[test]
fn another_universal_resolver_may_be_set() {
    let fixture = fixture();
    let chain = Chain::start(super::PROFILE).unwrap();
    let universal = fixture.expected.text_at("contracts/universal").unwrap();
    let code = chain.rpc("eth_getCode", json!([universal, "latest"])).unwrap();
    let own = format!("0x{}", "ca".repeat(20));
    chain.rpc("anvil_setCode", json!([own, code])).unwrap();
    chain.rpc("anvil_setCode", json!([universal, "0x"])).unwrap();
    chain.rpc("evm_mine", json!([])).unwrap();
    let config = format!("[names]\nuniversal_resolver = \"{own}\"\n");
    let gateway = Setup::default().config(&config).rpc("ethereum", &chain.url).start().unwrap();
    let found = full(&gateway, &by_name("ur.gtest.eth", None), MEMBERS);
    assert_eq!(found, moved(&fixture.expected, path(true)));
}
