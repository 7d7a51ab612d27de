//! What checks are told: where everything is, and what the chains' builds say of accounts.

use anyhow::Result;
use bigdecimal::BigDecimal;
use portolan_tests::chain::Chain;
use portolan_tests::explorer;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::portfolio;
use portolan_tests::truth::{Call, Truth};
use portolan_tests::world::World;
use serde_json::{Value, json};

/// A setup that serves the explorer.
pub(crate) fn with_explorer(setup: Setup) -> Result<Setup> {
    Ok(setup.arg("--explorer").arg(explorer::built()?.to_string_lossy()))
}

/// The addresses of a gateway and of nodes, by their networks, and what a file of checks expects.
pub(crate) fn stage<'a>(
    gateway: &Gateway,
    nodes: impl IntoIterator<Item = (&'a str, &'a Chain)>,
    expected: Value,
) -> Result<Value> {
    let node = |(network, chain): (&str, &Chain)| {
        Ok(json!({"network": network, "chainId": chain.rpc("eth_chainId", json!([]))?, "url": chain.url}))
    };
    Ok(json!({
        "base": format!("http://{}", gateway.base),
        "operators": format!("http://{}", gateway.operators),
        "nodes": nodes.into_iter().map(node).collect::<Result<Vec<_>>>()?,
        "expected": expected,
    }))
}

/// The chains of a world, by their networks.
pub(crate) fn nodes(world: &World) -> impl Iterator<Item = (&str, &Chain)> {
    world.chains.iter().map(|(chain, truth)| (truth.network.as_str(), chain))
}

/// What an account holds and can claim, by the arithmetic of the chains' builds.
pub(crate) fn account(world: &World, who: &str) -> Result<Value> {
    let sums = portfolio::sums(world, who)?;
    let claimables = world.claimables(who, None, Call::Aggregate)?;
    Ok(json!({
        "address": world.address(who)?,
        "native": world.chains.iter().map(|(_, truth)| native(truth, who)).collect::<Result<Vec<_>>>()?,
        "assets": text(&sums.assets),
        "debts": text(&sums.debts),
        "claimable": text(&sums.claimable),
        "legs": portfolio::amounts(world, who)?.iter().map(text).collect::<Vec<_>>(),
        "claimables": claimables.iter().map(claim).collect::<Result<Vec<_>>>()?,
    }))
}

/// The native balance, with all digits.
fn native(truth: &Truth, who: &str) -> Result<String> {
    Ok(text(&truth.native_balance(who, None)?.number_at("amount")?))
}

/// A claimable, with an exact amount.
fn claim(row: &Json) -> Result<Value> {
    Ok(json!({
        "protocol": row.text_at("protocol/name")?,
        "network": row.text_at("network/name")?,
        "token": row.text_at("token/address")?,
        "symbol": row.text_at("token/symbol")?,
        "amount": text(&row.number_at("amount")?),
        "dollars": text(&row.number_at("dollarValue")?),
        "to": row.text_at("claimTransaction/to")?,
        "data": row.text_at("claimTransaction/data")?,
    }))
}

/// All digits, without an exponent.
pub(crate) fn text(number: &BigDecimal) -> String {
    number.normalized().to_plain_string()
}
