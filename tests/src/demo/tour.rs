//! The demo's description of itself: addresses, accounts, and lines to paste into another terminal.

use std::io::Write;

use anyhow::{Context as _, Result};

use super::Stage;
use super::claims::{KEY, WHO};
use super::examples::UNLIMITED_APPROVAL;
use crate::truth::ACCOUNTS;

/// Events of transactions that the chains' builds did.
const EVENTS: [&str; 3] = ["swap", "unlimited approval", "claim"];

/// The purpose of each account.
const STORIES: [&str; ACCOUNTS.len()] = [
    "stakes in running and in finished farms and pools, lends and owes",
    "stakes, lends and owes much",
    "stakes and earns tokens that break naive clients, and is in a pool that nobody can read",
    "earned exactly one smallest unit",
    "has nothing",
    "left every farm, and is still owed",
];

pub(super) fn introduce(stage: &Stage, out: &mut impl Write) -> Result<()> {
    let Stage { world, gateway, .. } = stage;
    let (base, claimables, operators) = (gateway.base, gateway.claimables, gateway.operators);
    writeln!(out, "base        http://{base}")?;
    writeln!(out, "claimables  http://{claimables}")?;
    writeln!(out, "operators   http://{operators}")?;
    writeln!(out, "explorer    http://{base}/, and of operators http://{operators}/")?;
    for (chain, truth) in &world.chains {
        let network = format!("chain {}", truth.network);
        writeln!(out, "{network:<16} {} at block {}", chain.url, truth.block("number")?)?;
    }
    writeln!(out)?;
    for (who, story) in ACCOUNTS.iter().zip(STORIES) {
        writeln!(out, "{who:<8} {}  {story}", world.address(who)?)?;
    }
    let farmer = world.address("farmer")?;
    let approval = world.chain("polygon")?.1.event_named(UNLIMITED_APPROVAL)?;
    let owner = approval.raw()?.text_at("owner")?;
    writeln!(out)?;
    for line in [
        format!("http://{claimables}/{farmer}"),
        format!("http://{base}/quickswap/{farmer}/claimables"),
        format!("'http://{base}/{farmer}/claim-plan?network=polygon&worth=true'"),
        format!("http://{base}/quickswap/farming/{farmer}/positions"),
        format!("'http://{base}/sushiswap/farming/{farmer}/positions?detail=full'"),
        format!("'http://{base}/aave_v3/lending/{farmer}/positions?detail=full'"),
        format!("http://{base}/aave_v3/borrowing/{farmer}/positions"),
        format!("http://{base}/positions/{farmer}"),
        format!("http://{base}/{farmer}/native-balance?network=polygon"),
        format!("http://{base}/{owner}/approvals?network=polygon"),
        format!("http://{base}/networks"),
        format!("http://{base}/protocols"),
        format!("http://{base}/protocols/coverage"),
        format!("http://{base}/sushiswap/clear-signing.json"),
        format!("http://{operators}/plugins"),
    ] {
        writeln!(out, "curl -i {line}")?;
    }
    for (chain, truth) in &world.chains {
        for event in truth.events()?.iter().filter(|event| EVENTS.contains(&event.what.as_str())) {
            let (hash, network) = (event.transaction(chain)?, &truth.network);
            writeln!(out, "curl -i 'http://{base}/events/decode/{hash}?network={network}'  # {}", event.what)?;
        }
    }
    sending(stage, out)
}

/// How to send a claim: with a key that everybody knows.
fn sending(stage: &Stage, out: &mut impl Write) -> Result<()> {
    writeln!(out, "\nClaim for `{WHO}`. Its key is a well-known test key: never send anything to it elsewhere.")?;
    writeln!(out, "cd examples/clients/ts && npm ci --ignore-scripts && npm run build")?;
    let (chain, truth) = stage.world.chains.first().context("no chain")?;
    let (name, network) = (chain_variable(&truth.network), &truth.network);
    let base = stage.gateway.base;
    writeln!(
        out,
        "PORTOLAN_URL=http://{base} {name}={} ACCOUNT_KEY={KEY} \\\n  node dist/examples/claim.js {network}",
        chain.url
    )?;
    Ok(())
}

/// The variable with the address of a network's chain.
fn chain_variable(network: &str) -> String {
    format!("CHAIN_URL_{}", network.to_uppercase())
}

/// What a command needs to know of the demo, as variables of its environment.
pub(super) fn variables(Stage { world, gateway, .. }: &Stage) -> Result<Vec<(String, String)>> {
    let chains = world.chains.iter().map(|(chain, truth)| (chain_variable(&truth.network), chain.url.clone()));
    let mut variables: Vec<(String, String)> = chains.collect();
    for (name, value) in [
        ("PORTOLAN_URL", format!("http://{}", gateway.base)),
        ("PORTOLAN_CLAIMABLES_URL", format!("http://{}", gateway.claimables)),
        ("ACCOUNT", world.address(WHO)?.to_owned()),
        ("ACCOUNT_KEY", KEY.to_owned()),
    ] {
        variables.push((name.to_owned(), value));
    }
    Ok(variables)
}
