//! The demo's description of itself: addresses, accounts, and lines to paste into another terminal.

use std::io::Write;

use anyhow::Result;

use super::Stage;
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
    let Stage { world, gateway } = stage;
    let (base, claimables, operators) = (gateway.base, gateway.claimables, gateway.operators);
    writeln!(out, "base        http://{base}")?;
    writeln!(out, "claimables  http://{claimables}")?;
    writeln!(out, "operators   http://{operators}")?;
    for (chain, truth) in &world.chains {
        let network = format!("chain {}", truth.network);
        writeln!(out, "{network:<16} {} at block {}", chain.url, truth.block("number")?)?;
    }
    writeln!(out)?;
    for (who, story) in ACCOUNTS.iter().zip(STORIES) {
        writeln!(out, "{who:<8} {}  {story}", world.address(who)?)?;
    }
    let farmer = world.address("farmer")?;
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
        format!("http://{base}/networks"),
        format!("http://{base}/protocols"),
        format!("http://{base}/protocols/coverage"),
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
    Ok(())
}
