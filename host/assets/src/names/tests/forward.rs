//! Names to addresses by the registry and its resolvers.

use alloy::sol_types::{SolCall, SolValue};
use portolan_base::sanitize::web_url::WebUrl;
use portolan_reader::Outcome;

use super::world::{addresses, extended, name, ok, plain, refused, reverted, wrapped};
use super::*;

#[tokio::test]
async fn a_name_leads_to_the_address_that_its_resolver_returns() {
    let mut world = World::default();
    world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE)]));
    let (names, at) = (names(), at(&world, CoinType::ETHEREUM));
    let resolved = names.addresses(&at, &[Name::parse("ALICE.eth").unwrap()]).await.remove(0).unwrap();
    let expected = ResolvedName {
        name: name("alice.eth"),
        address: ALICE,
        coin: CoinType::ETHEREUM,
        resolver: RESOLVER,
        resolved_by: ResolvedBy::Registry,
        via_gateway: false,
        details: None,
    };
    assert_eq!(resolved, expected);
}

#[tokio::test]
async fn it_costs_two_round_trips_and_later_one() {
    let mut world = World::default();
    world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE), ("bob.eth", BOB)]));
    world.resolver("bob.eth", RESOLVER);
    let names = names();
    for round_trips in [2, 3, 4] {
        assert_eq!(forward_one(&names, &world, "alice.eth").await, Ok(ALICE));
        assert_eq!(world.round_trips(), round_trips);
    }
    // One of two is cached: the batch for the other also verifies it.
    assert_eq!(forward(&names, &world, &["alice.eth", "bob.eth"]).await, [Ok(ALICE), Ok(BOB)]);
    assert_eq!(world.round_trips(), 6);
}

#[tokio::test]
async fn fifty_names_cost_no_more_than_one() {
    let mut world = World::default();
    let texts: Vec<String> = (0..50).map(|place| format!("n{place}.alice.eth")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all: Vec<(&str, Address)> =
        texts.iter().zip(1..).map(|(text, byte)| (*text, Address::repeat_byte(byte))).collect();
    for text in &texts {
        world.resolver(text, RESOLVER);
    }
    world.contract(RESOLVER, addresses(&all));
    let names = names();
    let expected: Vec<Result<Address, NameFailure>> = all.iter().map(|(_, address)| Ok(*address)).collect();
    assert_eq!(forward(&names, &world, &texts).await, expected);
    assert_eq!(world.round_trips(), 2);
    assert_eq!(forward(&names, &world, &texts).await, expected);
    assert_eq!(world.round_trips(), 3);
}

#[tokio::test]
async fn a_resolver_that_was_changed_is_never_believed() {
    let mut world = World::default();
    world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE)]));
    let names = names();
    assert_eq!(forward_one(&names, &world, "alice.eth").await, Ok(ALICE));
    world.resolver("alice.eth", OTHER).contract(OTHER, addresses(&[("alice.eth", BOB)]));
    assert_eq!(forward_one(&names, &world, "alice.eth").await, Ok(BOB));
    assert_eq!(world.round_trips(), 4, "the guess was wrong");
    world.resolver("alice.eth", Address::ZERO);
    assert_eq!(forward_one(&names, &world, "alice.eth").await, absent(Absence::NoResolver));
}

#[tokio::test]
async fn what_is_not_there_is_reported_as_what_it_is() {
    let of = |returned: Vec<u8>| {
        let data = Resolver::addr_0Call { node: name("alice.eth").node() }.abi_encode();
        plain(vec![(data, returned)])
    };
    for (contract, absence) in [
        (None, Absence::NoContract),
        (Some(of(Address::ZERO.abi_encode())), Absence::NoRecord),
        (Some(of(Vec::new())), Absence::NoRecord),
        (Some(of(vec![1; 31])), Absence::BadRecord),
        (Some(of(vec![1; 32])), Absence::BadRecord),
        (Some(plain(Vec::new())), Absence::Refused),
        (Some(Arc::new(|_: &[u8]| Outcome::GasCap) as _), Absence::Refused),
    ] {
        let mut world = World::default();
        world.resolver("alice.eth", RESOLVER);
        if let Some(contract) = contract {
            world.contract(RESOLVER, contract);
        }
        assert_eq!(forward_one(&names(), &world, "alice.eth").await, absent(absence));
    }
    assert_eq!(forward_one(&names(), &World::default(), "alice.eth").await, absent(Absence::NoResolver));
}

#[tokio::test]
async fn what_could_not_be_read_is_not_taken_for_absent() {
    for failure in [ReadFailure::Timeout, ReadFailure::Upstream, ReadFailure::BlockLost, ReadFailure::NotConfigured] {
        let mut world = World::default();
        world.lose(failure);
        let found = forward_one(&names(), &world, "alice.eth").await;
        assert_eq!(found, Err(NameFailure::Unread(failure)));
        assert_eq!(found.unwrap_err().is_timeout(), failure == ReadFailure::Timeout);
        assert!(!matches!(found, Err(NameFailure::Absent(_))), "{found:?}");
    }
    // The registry could be read, but the resolver could not.
    let mut world = World::default();
    world.resolver("alice.eth", RESOLVER);
    world.contract(RESOLVER, Arc::new(|_| Outcome::Failed(ReadFailure::Upstream)));
    assert_eq!(forward_one(&names(), &world, "alice.eth").await, Err(NameFailure::Unread(ReadFailure::Upstream)));
}

#[tokio::test]
async fn a_bad_name_does_not_hide_the_others() {
    let mut world = World::default();
    world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE)]));
    world.resolver("bad.eth", OTHER).contract(OTHER, Arc::new(|_| reverted()));
    let found = forward(&names(), &world, &["bad.eth", "alice.eth", "none.eth"]).await;
    assert_eq!(found, [absent(Absence::Refused), Ok(ALICE), absent(Absence::NoResolver)]);
}

#[tokio::test]
async fn a_resolver_above_answers_for_the_whole_name() {
    let mut world = World::default();
    let wanted = name("a.b.wild.eth").dns().clone();
    let record = Resolver::addr_0Call { node: name("a.b.wild.eth").node() }.abi_encode();
    world.resolver("wild.eth", RESOLVER).contract(
        RESOLVER,
        extended(move |dns, data| if (dns, data) == (&wanted, &record) { wrapped(ALICE) } else { refused() }),
    );
    let names = names();
    assert_eq!(forward_one(&names, &world, "a.b.wild.eth").await, Ok(ALICE));
    assert_eq!(world.round_trips(), 2);
    assert_eq!(forward_one(&names, &world, "a.b.wild.eth").await, Ok(ALICE));
    assert_eq!(world.round_trips(), 3);
    assert_eq!(forward_one(&names, &world, "wild.eth").await, absent(Absence::Refused));
}

#[tokio::test]
async fn a_plain_resolver_does_not_answer_for_names_below_its_own() {
    let mut world = World::default();
    world.resolver("alice.eth", RESOLVER);
    world.contract(RESOLVER, addresses(&[("sub.alice.eth", BOB), ("alice.eth", ALICE)]));
    assert_eq!(forward_one(&names(), &world, "sub.alice.eth").await, absent(Absence::NoResolver));
    assert!(!world.was_called(RESOLVER, Resolver::addr_0Call::SELECTOR));
    world.resolver("sub.alice.eth", RESOLVER);
    assert_eq!(forward_one(&names(), &world, "sub.alice.eth").await, Ok(BOB));
}

#[tokio::test]
async fn the_nearest_resolver_counts() {
    let mut world = World::default();
    world.resolver("wild.eth", RESOLVER).contract(RESOLVER, extended(|_, _| wrapped(ALICE)));
    world.resolver("own.wild.eth", OTHER).contract(OTHER, addresses(&[("own.wild.eth", BOB)]));
    let found = forward(&names(), &world, &["own.wild.eth", "x.wild.eth", "y.own.wild.eth"]).await;
    assert_eq!(found, [Ok(BOB), Ok(ALICE), absent(Absence::NoResolver)]);
}

#[tokio::test]
async fn an_extended_resolver_that_answers_badly_has_no_record() {
    for (outcome, absence) in [
        (ok(Bytes::new()), Absence::NoRecord),
        (ok(Bytes::from(vec![7; 7])), Absence::BadRecord),
        (Outcome::Ok(vec![0xff; 64].into()), Absence::BadRecord),
        (Outcome::Ok(Bytes::new()), Absence::NoRecord),
        (wrapped(Address::ZERO), Absence::NoRecord),
    ] {
        let mut world = World::default();
        let shown = format!("{outcome:?}");
        world.resolver("alice.eth", RESOLVER);
        world.contract(RESOLVER, extended(move |_, _| outcome.clone()));
        assert_eq!(forward_one(&names(), &world, "alice.eth").await, absent(absence), "{shown}");
    }
}

#[tokio::test]
async fn a_revert_without_data_may_be_a_lost_lookup_where_a_resolver_takes_whole_names() {
    let mut world = World::default();
    world.resolver("off.eth", RESOLVER).contract(RESOLVER, extended(|_, _| reverted()));
    world.resolver("old.eth", OTHER).contract(OTHER, addresses(&[]));
    let found = forward(&names(), &world, &["x.off.eth", "off.eth", "old.eth"]).await;
    assert_eq!(found, [Err(NameFailure::BareRevert), Err(NameFailure::BareRevert), absent(Absence::Refused)]);
}

#[tokio::test]
async fn another_chain_has_an_address_of_its_own() {
    let base = CoinType::of_chain(8453).unwrap();
    let node = name("alice.eth").node();
    let record = |coin: CoinType, returned: Bytes| {
        let data = Resolver::addr_1Call { node, coinType: coin.number().try_into().unwrap() }.abi_encode();
        (data, returned.abi_encode())
    };
    let eth = (Resolver::addr_0Call { node }.abi_encode(), ALICE.abi_encode());
    let optimism = CoinType::of_chain(10).unwrap();
    let mut world = World::default();
    world.resolver("alice.eth", RESOLVER).contract(
        RESOLVER,
        plain(vec![
            eth,
            record(base, Bytes::copy_from_slice(BOB.as_slice())),
            record(optimism, Bytes::from(vec![1; 19])),
            record(CoinType::of_chain(137).unwrap(), Bytes::new()),
        ]),
    );
    let names = names();
    for (chain_id, expected) in [
        (1, Ok(ALICE)),
        (8453, Ok(BOB)),
        (10, absent(Absence::BadRecord)),
        (137, absent(Absence::NoRecord)),
        (42161, absent(Absence::Refused)),
    ] {
        let at = at(&world, CoinType::of_chain(chain_id).unwrap());
        let found = names.addresses(&at, &[name("alice.eth")]).await.remove(0);
        assert_eq!(found.map(|resolved| resolved.address), expected, "{chain_id}");
    }
}

#[tokio::test]
async fn a_full_answer_has_more_in_the_same_round_trips() {
    assert_details("ipfs://QmXfzKRvjZz3u5JRgC4v5mGVbm9ahrUiB4", true).await;
}

#[tokio::test]
async fn an_avatar_that_a_client_should_not_open_is_none() {
    for avatar in ["javascript:alert(1)", "data:image/svg+xml,x", "eip155:1/erc721:0x1/7", "https://a\u{202e}b", ""] {
        assert_details(avatar, false).await;
    }
}

async fn assert_details(avatar: &str, shown: bool) {
    let (node, base, bitcoin) =
        (name("sub.alice.eth").node(), CoinType::of_chain(8453).unwrap(), CoinType::of_chain(10));
    let text = |key: &str| Resolver::textCall { node, key: key.into() }.abi_encode();
    let coin = Resolver::addr_1Call { node, coinType: base.number().try_into().unwrap() }.abi_encode();
    let mut world = World::default();
    world.resolver("sub.alice.eth", RESOLVER).contract(
        RESOLVER,
        plain(vec![
            (Resolver::addr_0Call { node }.abi_encode(), ALICE.abi_encode()),
            (text("avatar"), avatar.to_owned().abi_encode()),
            (coin, Bytes::copy_from_slice(BOB.as_slice()).abi_encode()),
        ]),
    );
    let registrar = alloy::primitives::address!("57f1887a8BF19b14fC0dF6Fd9B2acc9Af147eA85");
    // The label's id in ENS's registrar: keccak256("alice").
    let label = alloy::primitives::keccak256("alice");
    let expires = contracts::BaseRegistrar::nameExpiresCall { id: label.into() }.abi_encode();
    world.contract(registrar, plain(vec![(expires, 1_800_000_000_u64.abi_encode())]));
    let coins = [base, bitcoin.unwrap()];
    let at = LookupContext { detail: DetailLevel::Full(&coins), ..at(&world, CoinType::ETHEREUM) };
    let resolved = names().addresses(&at, &[name("sub.alice.eth")]).await.remove(0).unwrap();
    let expected = NameDetails {
        expires_s: Ok(Some(1_800_000_000)),
        avatar: Ok(shown.then(|| WebUrl::parse(avatar).unwrap())),
        addresses: vec![(base, Ok(Some(Bytes::copy_from_slice(BOB.as_slice())))), (coins[1], Ok(None))],
    };
    assert_eq!((resolved.address, resolved.details), (ALICE, Some(expected)));
}

#[tokio::test]
async fn no_names_cost_nothing() {
    let world = World::default();
    assert!(forward(&names(), &world, &[]).await.is_empty());
    assert_eq!(world.round_trips(), 0);
}
