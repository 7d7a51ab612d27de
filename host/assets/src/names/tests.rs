//! Names in both directions on a scripted chain, with gateways on loopback.

mod forward;
mod offchain;
mod reverse;
mod universal;
mod world;

use std::time::Duration;

use alloy::primitives::address;
use tokio::time::Instant;

use self::world::World;
use super::*;

/// Upper bound; only a test that hangs waits this long.
const LONG: Duration = Duration::from_secs(60);

const ALICE: Address = Address::repeat_byte(0xa1);
const BOB: Address = Address::repeat_byte(0xb0);
const RESOLVER: Address = Address::repeat_byte(0x11);
const OTHER: Address = Address::repeat_byte(0x22);
/// <https://docs.ens.domains/resolvers/universal>
const UNIVERSAL: Address = address!("eEeEEEeE14D718C2B47D9923Deab1335E144EeEe");

fn names() -> Names {
    Names::new(NameSettings::default())
}

fn at(world: &World, coin: CoinType) -> LookupContext<'static> {
    // As large as in production; it is leaked, as a test has only a few.
    let outgoing = Box::leak(Box::new(OutgoingBudget::new(16, 4)));
    LookupContext { session: world.session(Instant::now() + LONG), coin, detail: DetailLevel::Address, outgoing }
}

async fn forward(names: &Names, world: &World, texts: &[&str]) -> Vec<Result<Address, NameFailure>> {
    let parsed: Vec<Name> = texts.iter().map(|text| Name::parse(text).unwrap()).collect();
    let found = names.addresses(&at(world, CoinType::ETHEREUM), &parsed).await;
    assert_eq!(found.len(), texts.len());
    found.into_iter().map(|found| found.map(|resolved| resolved.address)).collect()
}

async fn forward_one(names: &Names, world: &World, text: &str) -> Result<Address, NameFailure> {
    forward(names, world, &[text]).await.remove(0)
}

fn absent<T>(absence: Absence) -> Result<T, NameFailure> {
    Err(absence.into())
}
