//! Accounts to names, verified by resolving them back.

use alloy::sol_types::{SolCall, SolValue};
use portolan_reader::Outcome;

use super::world::{addresses, extended, name, ok, plain};
use super::*;

const REVERSE: Address = Address::repeat_byte(0x33);

/// A reverse resolver that returns these names.
fn claims(coin: CoinType, of: &[(Address, &str)]) -> world::Contract {
    let record = |(account, text): &(Address, &str)| {
        let node = coin.reverse(*account).node();
        (Resolver::nameCall { node }.abi_encode(), text.abi_encode())
    };
    plain(of.iter().map(record).collect())
}

fn world(coin: CoinType, of: &[(Address, &str)]) -> World {
    let mut world = World::default();
    for (account, _) in of {
        world.resolver(coin.reverse(*account).as_str(), REVERSE);
    }
    world.contract(REVERSE, claims(coin, of));
    world
}

async fn primary(world: &World, coin: CoinType, accounts: &[Address]) -> Vec<Result<String, NameFailure>> {
    let found = names().names(&at(world, coin), accounts).await;
    assert_eq!(found.len(), accounts.len());
    found.into_iter().map(|found| found.map(|named| named.resolved.name.to_string())).collect()
}

#[tokio::test]
async fn an_account_has_the_name_that_leads_back_to_it() {
    let mut world = world(CoinType::ETHEREUM, &[(ALICE, "alice.eth")]);
    world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE)]));
    let named = names().names(&at(&world, CoinType::ETHEREUM), &[ALICE]).await.remove(0).unwrap();
    assert_eq!((named.resolved.name.as_str(), named.resolved.address), ("alice.eth", ALICE));
    assert_eq!((named.reverse_resolver, named.resolved.resolver), (REVERSE, RESOLVER));
    assert_eq!((named.resolved_by, named.resolved.resolved_by), (ResolvedBy::Registry, ResolvedBy::Registry));
    assert!(!named.via_gateway && !named.resolved.via_gateway);
    assert_eq!(world.round_trips(), 4);
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_is_not_the_accounts() {
    let claimed = [(ALICE, "bob.eth"), (BOB, "bob.eth"), (OTHER, "nobody.eth"), (RESOLVER, "")];
    let mut world = world(CoinType::ETHEREUM, &claimed);
    world.resolver("bob.eth", RESOLVER).contract(RESOLVER, addresses(&[("bob.eth", BOB)]));
    let found = primary(&world, CoinType::ETHEREUM, &[ALICE, BOB, OTHER, RESOLVER, UNIVERSAL]).await;
    let expected = [
        absent(Absence::Unverified),
        Ok("bob.eth".to_owned()),
        absent(Absence::Unverified),
        absent(Absence::NoRecord),
        absent(Absence::NoResolver),
    ];
    assert_eq!(found, expected);
    assert_eq!(world.round_trips(), 4, "many accounts are one");
}

#[tokio::test]
async fn a_name_that_is_not_normalised_is_not_looked_up() {
    for text in ["Alice.eth", "аlice.eth", "alice..eth", "alice\u{202e}.eth", &"a".repeat(5000), "[ab].eth", "."] {
        let mut world = world(CoinType::ETHEREUM, &[(ALICE, text)]);
        world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE)]));
        let found = primary(&world, CoinType::ETHEREUM, &[ALICE]).await;
        assert_eq!(found, [absent(Absence::NotNormalized)], "{text}");
        assert_eq!(world.round_trips(), 2);
    }
}

#[tokio::test]
async fn what_is_no_text_is_no_name() {
    for outcome in
        [Outcome::Ok(vec![1; 32].into()), ok(Bytes::from(vec![0xff, 0xfe])), Outcome::Ok(vec![0xff; 96].into())]
    {
        let mut world = World::default();
        world.resolver(CoinType::ETHEREUM.reverse(ALICE).as_str(), REVERSE);
        let shown = format!("{outcome:?}");
        let contract = move |data: &[u8]| match world::call::<Resolver::nameCall>(data) {
            Some(_) => outcome.clone(),
            None => world::reverted(),
        };
        world.contract(REVERSE, Arc::new(contract));
        assert_eq!(primary(&world, CoinType::ETHEREUM, &[ALICE]).await, [absent(Absence::BadRecord)], "{shown}");
    }
}

#[tokio::test]
async fn a_name_that_could_not_be_led_back_is_not_taken_for_none() {
    let mut world = world(CoinType::ETHEREUM, &[(ALICE, "alice.eth")]);
    world.resolver("alice.eth", RESOLVER);
    world.contract(RESOLVER, Arc::new(|_| Outcome::Failed(ReadFailure::Timeout)));
    let found = primary(&world, CoinType::ETHEREUM, &[ALICE]).await;
    assert_eq!(found, [Err(NameFailure::Unread(ReadFailure::Timeout))]);
}

#[tokio::test]
async fn another_chain_has_names_of_its_own() {
    let base = CoinType::of_chain(8453).unwrap();
    let mut world = world(base, &[(ALICE, "alice.eth")]);
    let node = name("alice.eth").node();
    let record = Resolver::addr_1Call { node, coinType: base.number().try_into().unwrap() }.abi_encode();
    world.resolver("alice.eth", RESOLVER);
    world.contract(RESOLVER, plain(vec![(record, Bytes::copy_from_slice(ALICE.as_slice()).abi_encode())]));
    assert_eq!(primary(&world, base, &[ALICE]).await, [Ok("alice.eth".to_owned())]);
    assert_eq!(primary(&world, CoinType::ETHEREUM, &[ALICE]).await, [absent(Absence::NoResolver)]);
}

#[tokio::test]
async fn the_default_name_is_returned_by_the_resolver_of_all_reverse_names() {
    // As on mainnet: `reverse` itself has a resolver, which answers for chains without one of their own.
    let polygon = CoinType::of_chain(137).unwrap();
    let mut world = World::default();
    let wanted = polygon.reverse(ALICE).dns().clone();
    world.resolver("reverse", REVERSE).contract(
        REVERSE,
        extended(move |dns, _| match dns == &wanted[..] {
            true => ok(Bytes::from("alice.eth".abi_encode())),
            false => world::refused(),
        }),
    );
    let node = name("alice.eth").node();
    let record = Resolver::addr_1Call { node, coinType: polygon.number().try_into().unwrap() }.abi_encode();
    world.resolver("alice.eth", RESOLVER);
    world.contract(RESOLVER, plain(vec![(record, Bytes::copy_from_slice(ALICE.as_slice()).abi_encode())]));
    assert_eq!(primary(&world, polygon, &[ALICE]).await, [Ok("alice.eth".to_owned())]);
}
