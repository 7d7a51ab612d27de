//! The public interface of what plugins are built from: it only grows, and shows no type of another crate by chance.
//!
//! `public-api.txt` beside each manifest is the interface as it was last recorded, an item a line.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use portolan_tests::build::workspace;

use super::listing::Listing;
use super::rules;

/// Environment variable with which the tests record additions.
const WRITE: &str = "PORTOLAN_WRITE_TABLES";

/// The crates whose items an author of plugins uses, with their folders. Those that are pinned to the SDK's version, and
/// the kits, whose promise is weaker, are not among them.
const CRATES: [(&str, &str); 4] = [
    ("portolan-abi", "plugin-api/abi"),
    ("portolan-networks", "plugin-api/networks"),
    ("portolan-events", "plugin-api/events"),
    ("portolan-plugin-api", "plugin-api"),
];

/// Dependencies whose types may stand in the interface of a crate. A new major version of one is a new major version of
/// that crate.
const ALLOWED: [(&str, &str, &str); 14] = [
    ("portolan-abi", "abi_stable", "the root module, whose layout it checks"),
    ("portolan-abi", "alloy_primitives", "addresses and words"),
    ("portolan-abi", "alloy_sol_types", "templates of claims are made of typed calls"),
    ("portolan-abi", "core_extensions", "abi_stable's derive writes it"),
    ("portolan-abi", "minicbor", "maps are encoded and decoded by its traits"),
    ("portolan-networks", "alloy_primitives", "addresses and words"),
    ("portolan-events", "alloy_primitives", "addresses and words"),
    ("portolan-events", "portolan_abi", "events as they cross the interface"),
    ("portolan-plugin-api", "alloy_primitives", "exported: addresses and words"),
    ("portolan-plugin-api", "alloy_sol_types", "exported: what `sol!` declares"),
    ("portolan-plugin-api", "portolan_abi", "exported: findings, catalogue, settings"),
    ("portolan-plugin-api", "portolan_events", "exported: tables of events"),
    ("portolan-plugin-api", "portolan_fixtures", "exported: recorded jobs"),
    ("portolan-plugin-api", "serde_core", "fixtures are documents of serde"),
];

static LISTINGS: LazyLock<Vec<Listing>> = LazyLock::new(|| Listing::of_packages(&CRATES.map(|(name, _)| name)));

#[test]
fn interfaces_only_grow() {
    for ((name, folder), listing) in CRATES.iter().zip(LISTINGS.iter()) {
        assert!(listing.lines.len() > 50, "{name}: {} items: the listing is broken", listing.lines.len());
        let file = workspace().join(folder).join("public-api.txt");
        let shown = format!("{folder}/public-api.txt");
        let now = rules::text(listing);
        let before = match fs::read_to_string(&file) {
            Ok(before) => before,
            Err(_) if std::env::var_os(WRITE).is_some() => String::new(),
            Err(error) => panic!("{shown}: {error}"),
        };
        let breaks = rules::breaks(&before, listing);
        assert!(breaks.is_empty(), "{shown}: {} (CONTRIBUTING.md):\n{}", rules::RULE, breaks.join("\n"));
        if std::env::var_os(WRITE).is_some() {
            fs::write(&file, now).unwrap();
        } else {
            let before: BTreeSet<&str> = before.lines().collect();
            let new: Vec<&str> = now.lines().filter(|line| !before.contains(line)).collect();
            assert!(new.is_empty(), "{shown}: record what was added with {WRITE}=1:\n{}", new.join("\n"));
        }
    }
}

#[test]
fn types_of_other_crates_are_there_on_purpose() {
    let mut used = BTreeSet::new();
    let mut leaks = Vec::new();
    for ((name, _), listing) in CRATES.iter().zip(LISTINGS.iter()) {
        for text in listing.texts() {
            for foreign in listing.dependencies_in(text).filter(|foreign| *foreign != name.replace('-', "_")) {
                match ALLOWED.iter().find(|(of, allowed, _)| of == name && *allowed == foreign) {
                    Some(allowed) => _ = used.insert(allowed),
                    None => leaks.push(format!("{name} shows a type of {foreign}: {text}")),
                }
            }
        }
    }
    assert!(leaks.is_empty(), "a dependency leaks; hide it, or allow it with its reason:\n{}", leaks.join("\n"));
    let unused: Vec<_> = ALLOWED.iter().filter(|allowed| !used.contains(allowed)).collect();
    assert!(unused.is_empty(), "allowed, and nowhere to be seen: {unused:?}");
}
