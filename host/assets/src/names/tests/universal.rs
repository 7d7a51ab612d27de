//! Names by the Universal Resolver, and by the registry if there is none.

use alloy::sol_types::{SolCall, SolError, SolValue};
use portolan_reader::{Outcome, ReadFailure};

use super::contracts::{BatchGateway, UniversalResolver};
use super::world::{addresses, call, callback, lookup, name, ok, reverted};
use super::*;
use crate::names::ccip::LOCAL_BATCH;
use crate::names::ccip::service::{Reply, Service};

fn names() -> Names {
    Names::new(NameSettings { universal_resolver: Some(UNIVERSAL), ..NameSettings::default() })
}

/// A Universal Resolver that knows these names.
fn knowing(of: &'static [(&str, Address)]) -> world::Contract {
    Arc::new(move |data| {
        let request = call::<UniversalResolver::resolveWithGatewaysCall>(data).unwrap();
        assert_eq!(request.gateways, [LOCAL_BATCH]);
        let found = of.iter().find(|(text, _)| *name(text).dns() == request.name);
        let Some((text, address)) = found else {
            return Outcome::Reverted(UniversalResolver::ResolverNotFound { name: request.name }.abi_encode().into());
        };
        assert_eq!(*request.data, Resolver::addr_0Call { node: name(text).node() }.abi_encode());
        let returned = (Bytes::from(address.abi_encode()), RESOLVER);
        Outcome::Ok(returned.abi_encode_params().into())
    })
}

fn failing(data: Vec<u8>) -> world::Contract {
    Arc::new(move |_| Outcome::Reverted(data.clone().into()))
}

#[tokio::test]
async fn one_round_trip_is_enough_where_there_is_one() {
    let mut world = World::default();
    world.contract(UNIVERSAL, knowing(&[("alice.eth", ALICE), ("bob.eth", BOB)]));
    // The registry's answer does not count.
    world.resolver("alice.eth", OTHER).contract(OTHER, addresses(&[("alice.eth", BOB)]));
    let names = names();
    let texts = ["alice.eth", "bob.eth", "none.eth"];
    let expected = [Ok(ALICE), Ok(BOB), absent(Absence::NoResolver)];
    for round_trips in [1, 2] {
        assert_eq!(forward(&names, &world, &texts).await, expected);
        assert_eq!(world.round_trips(), round_trips);
    }
    let resolved = names.addresses(&at(&world, CoinType::ETHEREUM), &[name("alice.eth")]).await.remove(0);
    let resolved = resolved.unwrap();
    assert_eq!((resolved.resolver, resolved.resolved_by), (RESOLVER, ResolvedBy::UniversalResolver));
}

#[tokio::test]
async fn an_account_has_its_name_by_it_unless_either_way_took_the_registry() {
    let claim = Resolver::nameCall { node: CoinType::ETHEREUM.reverse(ALICE).node() }.abi_encode();
    let address = |text: &str| Resolver::addr_0Call { node: name(text).node() }.abi_encode();
    for (fallen_back, resolved_by) in [(false, ResolvedBy::UniversalResolver), (true, ResolvedBy::Registry)] {
        let (claim, forward) = (claim.clone(), address("alice.eth"));
        let mut world = World::default();
        world.resolver("alice.eth", OTHER).contract(OTHER, addresses(&[("alice.eth", ALICE)]));
        world.contract(
            UNIVERSAL,
            Arc::new(move |data| {
                let request = call::<UniversalResolver::resolveWithGatewaysCall>(data).unwrap();
                let record = match &request.data[..] {
                    data if *data == claim[..] => "alice.eth".abi_encode(),
                    data if *data == forward[..] && !fallen_back => ALICE.abi_encode(),
                    _ => return reverted(),
                };
                Outcome::Ok((Bytes::from(record), RESOLVER).abi_encode_params().into())
            }),
        );
        let found = names().names(&at(&world, CoinType::ETHEREUM), &[ALICE]).await.remove(0).unwrap();
        assert_eq!((found.resolved.name.as_str(), found.resolved_by), ("alice.eth", resolved_by));
    }
}

#[tokio::test]
async fn what_could_not_be_read_is_not_replaced_by_what_the_registry_says() {
    let mut world = World::default();
    world.contract(UNIVERSAL, Arc::new(|_| Outcome::Failed(ReadFailure::Upstream)));
    world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE)]));
    let names = names();
    for _ in 0..2 {
        let found = forward_one(&names, &world, "alice.eth").await;
        assert_eq!(found, Err(NameFailure::Unread(ReadFailure::Upstream)));
    }
}

#[tokio::test]
async fn a_detail_that_it_does_not_answer_leaves_the_address_its_own() {
    let mut world = World::default();
    let record = Resolver::addr_0Call { node: name("alice.eth").node() }.abi_encode();
    world.contract(
        UNIVERSAL,
        Arc::new(move |data| match call::<UniversalResolver::resolveWithGatewaysCall>(data) {
            Some(request) if request.data == record => {
                Outcome::Ok((Bytes::from(ALICE.abi_encode()), RESOLVER).abi_encode_params().into())
            }
            _ => reverted(),
        }),
    );
    world.resolver("alice.eth", OTHER).contract(OTHER, addresses(&[("alice.eth", BOB)]));
    let at = LookupContext { detail: DetailLevel::Full(&[]), ..at(&world, CoinType::ETHEREUM) };
    let found = names().addresses(&at, &[name("alice.eth")]).await.remove(0).unwrap();
    assert_eq!((found.address, found.resolved_by), (ALICE, ResolvedBy::UniversalResolver));
    assert_eq!(found.details.unwrap().avatar, Ok(None));
}

#[tokio::test]
async fn without_one_the_registry_is_read_in_no_more_round_trips() {
    for contract in
        [None, Some(failing(Vec::new())), Some(failing(vec![1, 2, 3, 4])), Some(Arc::new(|_: &[u8]| ok(7_u64)) as _)]
    {
        let mut world = World::default();
        world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", ALICE)]));
        if let Some(contract) = contract {
            world.contract(UNIVERSAL, contract);
        }
        let names = names();
        for round_trips in [2, 3] {
            assert_eq!(forward_one(&names, &world, "alice.eth").await, Ok(ALICE));
            assert_eq!(world.round_trips(), round_trips);
        }
    }
}

#[tokio::test]
async fn one_that_is_gone_is_replaced_by_the_registry() {
    let mut world = World::default();
    world.contract(UNIVERSAL, knowing(&[("alice.eth", ALICE)]));
    let names = names();
    assert_eq!(forward_one(&names, &world, "alice.eth").await, Ok(ALICE));
    world.contract(UNIVERSAL, Arc::new(|_| Outcome::NoCode));
    world.resolver("alice.eth", RESOLVER).contract(RESOLVER, addresses(&[("alice.eth", BOB)]));
    assert_eq!(forward_one(&names, &world, "alice.eth").await, Ok(BOB));
    assert_eq!(world.round_trips(), 1 + 3);
    assert_eq!(forward_one(&names, &world, "alice.eth").await, Ok(BOB));
    assert_eq!(world.round_trips(), 1 + 3 + 1);
}

#[tokio::test]
async fn its_errors_are_reported_as_what_they_mean() {
    let bytes = || Bytes::from(vec![1, 2]);
    for (error, failure) in [
        (UniversalResolver::ResolverNotFound { name: bytes() }.abi_encode(), Absence::NoResolver.into()),
        (
            UniversalResolver::ResolverNotContract { name: bytes(), resolver: OTHER }.abi_encode(),
            Absence::NoContract.into(),
        ),
        (
            UniversalResolver::UnsupportedResolverProfile { selector: [1; 4].into() }.abi_encode(),
            Absence::NoRecord.into(),
        ),
        (UniversalResolver::ResolverError { errorData: bytes() }.abi_encode(), Absence::Refused.into()),
        (UniversalResolver::ResolverError { errorData: Bytes::new() }.abi_encode(), Absence::Refused.into()),
        (
            UniversalResolver::ResolverError { errorData: foreign_lookup() }.abi_encode(),
            NameFailure::Gateway(GatewayError::Sender),
        ),
        (
            UniversalResolver::HttpError { status: 502, message: "x".repeat(9999) }.abi_encode(),
            NameFailure::Gateway(GatewayError::Status(502)),
        ),
    ] {
        let mut world = World::default();
        world.contract(UNIVERSAL, failing(error));
        assert_eq!(forward_one(&names(), &world, "alice.eth").await, Err(failure));
    }
    // The selectors of the deployed contract.
    assert_eq!(UniversalResolver::ResolverNotFound::SELECTOR, [0x77, 0x20, 0x9f, 0xe8]);
    assert_eq!(UniversalResolver::ResolverNotContract::SELECTOR, [0x1e, 0x95, 0x35, 0xf2]);
    assert_eq!(UniversalResolver::UnsupportedResolverProfile::SELECTOR, [0x7b, 0x1c, 0x46, 0x1b]);
    assert_eq!(UniversalResolver::ResolverError::SELECTOR, [0x95, 0xc0, 0xc7, 0x52]);
    assert_eq!(UniversalResolver::HttpError::SELECTOR, [0x01, 0x80, 0x01, 0x52]);
    assert_eq!(BatchGateway::queryCall::SELECTOR, [0xa7, 0x80, 0xba, 0xb6]);
}

/// A lookup that a resolver passes on unchanged from a contract that it called.
fn foreign_lookup() -> Bytes {
    let Outcome::Reverted(data) = lookup(OTHER, &[], b"", b"") else { unreachable!("lookups are reverts") };
    data
}

/// A Universal Resolver that has the resolver's lookup batched, as the real one does.
fn batching(url: String) -> world::Contract {
    Arc::new(move |data| {
        if call::<UniversalResolver::resolveWithGatewaysCall>(data).is_some() {
            let request = BatchGateway::Request { sender: RESOLVER, urls: vec![url.clone()], data: vec![7].into() };
            let query = BatchGateway::queryCall { requests: vec![request] }.abi_encode();
            return lookup(UNIVERSAL, &[LOCAL_BATCH.to_owned()], &query, b"x");
        }
        let Some((response, _)) = callback(data) else { return reverted() };
        let (failures, responses) = <(Vec<bool>, Vec<Bytes>)>::abi_decode_params(&response).unwrap();
        match failures[..] {
            [false] => Outcome::Ok((responses[0].clone(), RESOLVER).abi_encode_params().into()),
            _ => Outcome::Reverted(responses[0].clone()),
        }
    })
}

#[tokio::test]
async fn lookups_that_it_batches_are_made_by_us() {
    let service = Service::start(Reply::data(&ALICE.abi_encode())).await;
    let mut world = World::default();
    world.contract(UNIVERSAL, batching(service.get_url()));
    let settings = NameSettings { universal_resolver: Some(UNIVERSAL), gateway_hosts: vec![service.host()] };
    let found = Names::new(settings).addresses(&at(&world, CoinType::ETHEREUM), &[name("x.off.eth")]).await.remove(0);
    let found = found.unwrap();
    assert_eq!((found.address, found.via_gateway, found.resolver), (ALICE, true, RESOLVER));
    assert_eq!(service.requests(), [format!("GET /{RESOLVER:#x}/0x07.json")]);
}

#[tokio::test]
async fn lookups_that_it_passes_on_are_counted_for_the_name_that_they_are_for() {
    let dead = Service::start(Reply::Close).await;
    let mut world = World::default();
    let url = dead.get_url();
    world.contract(UNIVERSAL, Arc::new(move |_| lookup(UNIVERSAL, std::slice::from_ref(&url), b"q", b"x")));
    let settings = NameSettings { universal_resolver: Some(UNIVERSAL), gateway_hosts: vec![dead.host()] };
    let names = Names::new(settings);
    // After four consecutive failures the host gets no more requests for names below `bad.eth`.
    for requests in [1, 2, 3, 4, 4] {
        let found = forward_one(&names, &world, &format!("n{requests}.bad.eth")).await;
        assert_eq!(found, Err(NameFailure::Gateway(GatewayError::Unreachable)));
        assert_eq!(dead.requests().len(), requests);
    }
    let found = forward_one(&names, &world, "good.eth").await;
    assert_eq!(found, Err(NameFailure::Gateway(GatewayError::Unreachable)));
    assert_eq!(dead.requests().len(), 5);
}

#[tokio::test]
async fn a_gateway_that_fails_within_a_batch_is_reported_as_such() {
    for (reply, fault) in [
        (Reply::Json(404, String::new()), GatewayError::Status(404)),
        (Reply::Close, GatewayError::Unreachable),
        (Reply::Json(200, "{}".into()), GatewayError::Malformed),
    ] {
        let service = Service::start(reply).await;
        let mut world = World::default();
        world.contract(UNIVERSAL, batching(service.get_url()));
        let settings = NameSettings { universal_resolver: Some(UNIVERSAL), gateway_hosts: vec![service.host()] };
        let found = forward_one(&Names::new(settings), &world, "x.off.eth").await;
        assert_eq!(found, Err(NameFailure::Gateway(fault)));
    }
}
