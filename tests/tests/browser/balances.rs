//! Balances over the chains with token lists, of which some tokens return none to anybody.

use anyhow::{Context as _, Result};
use portolan_tests::json::Json;
use portolan_tests::stage::{nodes, stage, text, with_explorer};
use portolan_tests::truth::{NETWORKS, Truth};
use portolan_tests::world::World;
use serde_json::{Value, json};

const WHO: &str = "farmer";

#[test]
fn balances_are_shown_as_the_arithmetic_has_them() {
    let browser = crate::browser!();
    let world = World::listed().unwrap();
    let gateway = with_explorer(world.on_chains(world.with(&[]).unwrap())).unwrap().start().unwrap();
    let unreadable = world.chains.iter().map(|(_, truth)| unreadable(truth)).collect::<Result<Vec<_>>>().unwrap();
    let expected = json!({
        "address": world.address(WHO).unwrap(),
        "balances": balances(&world).unwrap(),
        "unreadable": unreadable,
    });
    browser.check("balances", stage(&gateway, nodes(&world), expected).unwrap()).unwrap();
}

fn balances(world: &World) -> Result<Vec<Value>> {
    let mut rows: Vec<Json> = Vec::new();
    for (_, truth) in &world.chains {
        rows.extend(truth.token_balances(WHO, &truth.prices()?)?);
    }
    let shown =
        |row: &Json| Ok(json!({"symbol": row.text_at("token/symbol")?, "amount": text(&row.number_at("amount")?)}));
    rows.iter().map(shown).collect()
}

/// How many tokens return no balance to anybody.
fn unreadable(truth: &Truth) -> Result<Value> {
    let (_, name, ..) = NETWORKS.iter().find(|(slug, ..)| *slug == truth.network).context("no such network")?;
    let (first, rest) = name.split_at(1);
    Ok(json!({"network": format!("{first}{}", rest.to_lowercase()), "count": truth.failed_tokens()?.len()}))
}
