//! Acts on chains of their own: balances over lists of thousands of tokens, and names. Each act has a gateway of its
//! own, and is compared like the rest.

use anyhow::{Result, bail};

use super::Output;
use super::check::fetch;
use super::examples;
use crate::chain::Chain;
use crate::gateway::{Gateway, Setup};
use crate::http::Response;
use crate::json::Json;
use crate::truth::{ACCOUNTS, Truth};
use crate::world::World;

/// The profile of the chain with the registry of names.
const NAMES: &str = "names";

/// Native and token balances of every account, on all networks and on each.
pub(super) fn balances(out: &mut Output<'_>) -> Result<()> {
    let world = World::listed()?;
    let gateway = world.on_chains(world.with(&[])?).start()?;
    let truths: Vec<&Truth> = world.chains.iter().map(|(_, truth)| truth).collect();
    let mut rows = 0;
    for who in ACCOUNTS {
        let account = world.address(who)?;
        for truth in &truths {
            let path = format!("/{account}/native-balance?network={}", truth.network);
            let native = truth.native_balance(who, None)?;
            equal(&path, &fetch(&gateway, &path, out)?, &native)?;
            rows += 1;
        }
        let expected: Result<Vec<Vec<Json>>> =
            truths.iter().map(|truth| truth.token_balances(who, &truth.prices()?)).collect();
        let expected = expected?.concat();
        rows += expected.len();
        let path = format!("/balance/{account}/token-balances");
        let response = fetch(&gateway, &path, out)?;
        equal(&path, &response, &Json::Array(expected))?;
        let unreadable: Result<Vec<String>> = truths.iter().map(|truth| unreadable(truth)).collect();
        if who == ACCOUNTS[0] {
            examples::keep("token-balances", &response, 200)?;
        }
        if response.header("portolan-partial") != Some(&unreadable?.join(", ")) {
            bail!("{path}: portolan-partial is {:?}", response.header("portolan-partial"));
        }
    }
    out.line(format_args!("all {rows} balances equal the arithmetic"))
}

/// Every name that has an address, and every account that has a name.
pub(super) fn names(out: &mut Output<'_>) -> Result<()> {
    let chain = Chain::start(NAMES)?;
    let expected = Json::parse(&chain.expected.to_string())?;
    let gateway = Setup::default().rpc("ethereum", &chain.url).start()?;
    let forward = both_ways(&gateway, &expected, "forward", out)?;
    let reverse = both_ways(&gateway, &expected, "reverse", out)?;
    out.line(format_args!("all {forward} addresses of names and {reverse} names of accounts are those that were set"))
}

fn both_ways(gateway: &Gateway, expected: &Json, way: &str, out: &mut Output<'_>) -> Result<usize> {
    let mut found = 0;
    for row in expected.at(&format!("names/{way}"))?.items()? {
        let (Ok(name), Ok(address)) = (row.text_at("name"), row.text_at("address")) else { continue };
        let path = match way {
            "forward" => format!("/ens/by-name/{}", encoded(row.text_at("requested")?)),
            _ => format!("/ens/by-address/{address}"),
        };
        let network = row.text_at("network").map(|network| format!("?network={network}")).unwrap_or_default();
        let path = path + &network;
        let record = Json::object([("name", Json::text(name)), ("address", Json::text(address))]);
        let response = fetch(gateway, &path, out)?;
        equal(&path, &response, &record)?;
        if found == 0 {
            examples::keep(if way == "forward" { "address-of-name" } else { "name-of-account" }, &response, 200)?;
        }
        found += 1;
    }
    Ok(found)
}

/// Tokens that return no balance to anybody.
fn unreadable(truth: &Truth) -> Result<String> {
    Ok(format!("tokens/{};reason=upstream;count={}", truth.network, truth.failed_tokens()?.len()))
}

fn equal(path: &str, response: &Response, expected: &Json) -> Result<()> {
    if response.status != 200 {
        bail!("{path} is {}: {}", response.status, response.body);
    }
    let differences = response.json()?.differences(expected);
    if !differences.is_empty() {
        bail!("{path}: {}", differences.join("\n"));
    }
    Ok(())
}

/// As a segment of a path.
fn encoded(name: &str) -> String {
    name.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
