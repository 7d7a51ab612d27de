//! What programs of Node that test a gateway are told: where everything is, and what the chains' builds say of accounts.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use serde_json::{Map, Value, json};

use crate::chain::Chain;
use crate::explorer;
use crate::gateway::{Gateway, Setup};
use crate::json::Json;
use crate::portfolio;
use crate::protocol::Question;
use crate::truth::{Call, Truth};
use crate::world::World;

/// A setup that serves the explorer.
///
/// # Errors
/// If the explorer does not build.
pub fn with_explorer(setup: Setup) -> Result<Setup> {
    Ok(setup.arg("--explorer").arg(explorer::built()?.to_string_lossy()))
}

/// The addresses of a gateway and of nodes, by their networks, and what a file of checks expects.
///
/// # Errors
/// If a node does not answer.
pub fn stage<'a>(
    gateway: &Gateway,
    nodes: impl IntoIterator<Item = (&'a str, &'a Chain)>,
    expected: Value,
) -> Result<Value> {
    Ok(json!({
        "base": format!("http://{}", gateway.base),
        "operators": format!("http://{}", gateway.operators),
        "nodes": nodes.into_iter().map(|(network, chain)| node(network, chain)).collect::<Result<Vec<_>>>()?,
        "expected": expected,
    }))
}

/// A network and its node.
///
/// # Errors
/// If the node does not answer.
pub fn node(network: &str, chain: &Chain) -> Result<Value> {
    Ok(json!({"network": network, "chainId": chain.rpc("eth_chainId", json!([]))?, "url": chain.url}))
}

/// The chains of a world, by their networks.
pub fn nodes(world: &World) -> impl Iterator<Item = (&str, &Chain)> {
    world.chains.iter().map(|(chain, truth)| (truth.network.as_str(), chain))
}

/// What an account holds and can claim, by the arithmetic of the chains' builds.
///
/// # Errors
/// Where the chains' values are incomplete.
pub fn account(world: &World, who: &str) -> Result<Value> {
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
pub fn text(number: &BigDecimal) -> String {
    number.normalized().to_plain_string()
}

/// The claims of an account on a network: what each pays, in units of its rows, and raw by token.
///
/// # Errors
/// Where the chains' values are incomplete.
pub fn owed(truth: &Truth, who: &str) -> Result<(String, Value)> {
    let rows = truth.claimables(who, None, Call::Protocol)?;
    let raw = truth.shown_rows(who, Question::Claimables, None)?;
    let mut claims: Vec<Owed> = Vec::new();
    for (row, raw) in rows.iter().zip(raw) {
        let (to, data) = (raw.text_at("to")?, raw.text_at("data")?);
        let place = claims.iter().position(|claim| (claim.to, claim.data) == (to, data)).unwrap_or(claims.len());
        if place == claims.len() {
            claims.push(Owed {
                to,
                data,
                function: raw.text_at("function")?,
                amounts: Vec::new(),
                pays: BTreeMap::new(),
            });
        }
        claims[place].amounts.push(text(&row.number_at("amount")?));
        *claims[place].pays.entry(raw.text_at("token")?).or_default() += raw.text_at("amountRaw")?.parse::<BigInt>()?;
    }
    let tokens: BTreeSet<&str> = claims.iter().flat_map(|claim| claim.pays.keys().copied()).collect();
    let decimals = tokens.into_iter().map(|token| Ok((token.to_owned(), json!(truth.decimals(token)?))));
    let decimals = decimals.collect::<Result<Map<_, _>>>()?;
    let claims: Vec<Value> = claims.iter().map(Owed::shown).collect();
    Ok((truth.network.clone(), json!({"claims": claims, "decimals": decimals})))
}

/// One claim, which is one transaction.
struct Owed<'a> {
    to: &'a str,
    data: &'a str,
    function: &'a str,
    amounts: Vec<String>,
    pays: BTreeMap<&'a str, BigInt>,
}

impl Owed<'_> {
    fn shown(&self) -> Value {
        let pays: BTreeMap<&str, String> = self.pays.iter().map(|(token, raw)| (*token, raw.to_string())).collect();
        json!({"to": self.to, "data": self.data, "function": self.function, "amounts": self.amounts, "pays": pays})
    }
}
