//! How many lines of settings a fork of each kit is: what the kits' README says, by the rows that tests serve forks with.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result};
use portolan_tests::build;
use portolan_tests::chain;
use portolan_tests::fork::ROWS;
use serde_json::Value;

use crate::coverage::tried::OTHER_MODULES;

/// Profiles whose documents have the settings of what stands there.
const PROFILES: [&str; 4] = ["ethereum", "optimism", "fantom", "polygon"];
/// The mechanism of a row of theirs, by one of its keys.
const KEYS: [(&str, &str); 4] =
    [("kind", "master_chef"), ("farms", "staking_rewards"), ("pool", "aave_v3"), ("bar", "share_vault")];
/// Kits that no chain of the tests has a fork of; that their shortest row is one line is a test of theirs.
const WITHOUT_FORK: [&str; 4] = ["vester", "stargate_staking", "side_booster", "known_gaps"];
/// The keys that every row may have, whatever its mechanism.
const HEAD: [&str; 3] = ["protocol", "network", "market"];

/// The lines of each row, by kit.
fn lines() -> Result<BTreeMap<&'static str, Vec<usize>>> {
    let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for row in ROWS {
        let own = row.keys.lines().filter(|line| HEAD.iter().all(|key| !line.starts_with(&format!("{key} = "))));
        lines.entry(row.kit).or_default().push(own.count());
    }
    for profile in PROFILES {
        let text = fs::read_to_string(chain::prepared()?.join(format!("{profile}.expected.json")))?;
        let document: Value = serde_json::from_str(&text)?;
        for plugin in document["settings"].as_object().context("no settings")?.values() {
            for row in plugin["deployment"].as_array().into_iter().flatten() {
                let keys = row.as_object().context("a row is not an object")?;
                let of = KEYS.iter().find(|(key, _)| keys.contains_key(*key));
                let (_, kit) = of.with_context(|| format!("of what kit is {row}?"))?;
                let own = keys.keys().filter(|key| !HEAD.contains(&key.as_str()));
                lines.entry(kit).or_default().push(own.count());
            }
        }
    }
    Ok(lines)
}

#[test]
fn the_readme_of_the_kits_says_how_many_lines_a_fork_is() {
    let lines = lines().unwrap();
    let readme = fs::read_to_string(build::workspace().join("plugins/kits/README.md")).unwrap();
    let mut seen = 0;
    for row in readme.lines().filter_map(|line| line.strip_prefix("| `")) {
        let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").map(str::trim).collect();
        let kit = cells[0].split('`').next().unwrap();
        let said = cells.get(2).copied().unwrap_or_default();
        if OTHER_MODULES.contains(&kit) {
            assert_eq!(said, "", "{kit} is not a mechanism");
            continue;
        }
        let Some(own) = lines.get(kit) else {
            assert!(WITHOUT_FORK.contains(&kit), "ROWS has no row of the kit {kit}");
            assert_eq!(said, "1", "lines of a fork of {kit}");
            continue;
        };
        let (least, most) = (own.iter().min().unwrap(), own.iter().max().unwrap());
        let counted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        assert_eq!(said, counted, "lines of a fork of {kit}");
        seen += 1;
    }
    assert_eq!(seen, lines.len(), "the README has not all kits");
}
