//! The minor version of the SDK's crates is the revision of the binary interface that they are built for.

use std::collections::BTreeSet;
use std::fs;

use portolan_abi::{API_REV, API_REV_MIN};
use portolan_tests::build::workspace;

use super::{Published, manifest, published};

/// Has a promise and a version of its own.
const KITS: &str = "portolan-kits";

/// Crates without a promise of their own: only together with the SDK of their version.
const PINNED: [&str; 3] = ["portolan-derive", "portolan-fixtures", "portolan-validation"];

#[test]
fn minor_versions_are_the_revision() {
    for published in published().into_iter().filter(|it| it.name != KITS) {
        let expected = format!("1.{API_REV}.");
        let (name, version) = (&published.name, published.version());
        assert!(version.starts_with(&expected), "{name} is {version}, the interface's revision is {API_REV}");
    }
}

#[test]
fn requirements_are_the_versions() {
    let root = manifest("");
    for published in published() {
        let required = root["workspace"]["dependencies"][&published.name]["version"].as_str().unwrap();
        let pin = if PINNED.contains(&published.name.as_str()) { "=" } else { "" };
        assert_eq!(required, format!("{pin}{}", published.version()), "{}", published.name);
    }
}

#[test]
fn pages_name_the_version() {
    let page = |published: &Published| fs::read_to_string(published.path("README.md")).unwrap();
    let (published, mut named) = (published(), 0);
    let sdk = published.iter().find(|it| it.name == "portolan-plugin-api").unwrap();
    for published in &published {
        for tag in page(published).split("tag = \"v").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()) {
            assert_eq!(tag, sdk.version(), "{}: the tag in its README", published.name);
            named += 1;
        }
    }
    assert!(named > 0, "no README says where the crates are until they are published");
    let sentence = format!("`portolan-plugin-api` 1.{API_REV} is the SDK of");
    assert!(page(sdk).contains(&sentence), "plugin-api/README.md: no {sentence:?}");
}

#[test]
fn every_revision_is_a_row_of_the_table() {
    let page = fs::read_to_string(workspace().join("plugin-api/abi/README.md")).unwrap();
    let (before, table) = page.split_once("\n## Revisions\n").unwrap();
    let table = table.split("\n## ").next().unwrap();
    let rows = table.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let rows: Vec<(u32, String)> =
        rows.filter_map(|cells| Some((cells.get(1)?.parse().ok()?, (*cells.get(2)?).to_owned()))).collect();
    let revisions: Vec<u32> = rows.iter().map(|(revision, _)| *revision).collect();
    assert_eq!(revisions, (API_REV_MIN..=API_REV).collect::<Vec<_>>(), "plugin-api/abi/README.md");
    assert_eq!(rows.last().unwrap().1, format!("1.{API_REV}"), "the version of the last revision");
    for (revision, version) in rows.iter().filter(|(_, version)| !version.is_empty()) {
        assert_eq!(*version, format!("1.{revision}"));
    }

    let named = before.split("(revision ").skip(1);
    let named: BTreeSet<u32> = named.map(|rest| rest.split(')').next().unwrap().parse().unwrap()).collect();
    let unknown: Vec<&u32> = named.iter().filter(|revision| !revisions.contains(revision)).collect();
    assert!(unknown.is_empty(), "tables name revisions that are no rows: {unknown:?}");
    let silent: Vec<&u32> = revisions[1..].iter().filter(|revision| !named.contains(revision)).collect();
    assert!(silent.is_empty(), "no table says what these revisions added: {silent:?}");
}
