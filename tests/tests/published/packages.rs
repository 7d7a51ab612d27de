//! What a package carries: licences, the page that it shows, and whatever that page links to.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use portolan_tests::build::workspace;

use super::{Published, published};

const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Fields of a manifest that a registry or docs.rs shows.
const FIELDS: [&str; 9] = [
    "description",
    "version",
    "rust-version",
    "license",
    "repository",
    "documentation",
    "readme",
    "keywords",
    "categories",
];

/// The files of a package, as cargo would pack them.
fn files(published: &Published) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--list", "--allow-dirty", "--locked", "--package", &published.name]);
    let output = cargo.current_dir(workspace()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo package --list of {}: {printed}", published.name);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn packages_carry_what_they_refer_to() {
    let all = published();
    for published in &all {
        let name = &published.name;
        let files = files(published);
        for licence in LICENCES {
            assert!(files.contains(licence), "{name}: no {licence}");
            let (packed, root) = (fs::read(published.path(licence)).unwrap(), fs::read(workspace().join(licence)));
            assert_eq!(packed, root.unwrap(), "{name}: {licence} is not the one of the workspace");
        }
        let page = fs::read_to_string(published.path("README.md")).unwrap();
        let docs = fs::read_to_string(published.path("src/lib.rs")).unwrap();
        for (label, target) in links(&page).into_iter().filter(|(_, target)| is_file(target)) {
            let file = target.split('#').next().unwrap();
            let path = published.path(file).canonicalize();
            let path = path.unwrap_or_else(|error| panic!("{name}: its README links to {target}: {error}"));
            let holders = all.iter().filter(|other| path.starts_with(other.path("")));
            let is_of_another = holders.max_by_key(|other| other.folder.len()).is_some_and(|other| other.name != *name);
            let is_packed = files.contains(file) || is_of_another;
            assert!(is_packed, "{name}: its README links to {target}, which is in no package");
            // Relative links lead nowhere in docs; rustdoc takes the first definition of a label.
            let is_page_of_docs = docs.contains("#![doc = include_str!(\"../README.md\")]");
            let is_defined = label.is_some_and(|label| docs.contains(&format!("//! [{label}]: ")));
            assert!(!is_page_of_docs || is_defined, "{name}: src/lib.rs defines no link for {target} of its README");
        }
        let outside = ["tests/chain", "examples/", "host/"].into_iter().find(|folder| page.contains(folder));
        assert_eq!(outside, None, "{name}: its README names what only the repository has");
    }
}

fn is_file(target: &str) -> bool {
    !target.contains("://") && !target.starts_with('#')
}

/// The links of a page: inline ones, and those with a label, which is defined on a line of its own.
fn links(page: &str) -> Vec<(Option<&str>, &str)> {
    let inline = page.match_indices("](").filter_map(|(at, _)| Some((None, page[at + 2..].split(')').next()?)));
    let labelled = page.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    inline.chain(labelled.map(|(label, target)| (Some(label), target))).collect()
}

#[test]
fn manifests_say_what_registries_show() {
    for published in published() {
        let (name, package) = (&published.name, &published.manifest["package"]);
        for field in FIELDS {
            assert!(package.get(field).is_some(), "{name}: no {field}");
        }
        let count = |field: &str| package[field].as_array().unwrap().len();
        // A registry takes no more.
        assert!(count("keywords") <= 5 && count("categories") <= 5, "{name}");
        assert_eq!(package["documentation"].as_str(), Some(format!("https://docs.rs/{name}").as_str()));
        let docs = &package["metadata"]["docs"]["rs"];
        assert_eq!(docs["all-features"].as_bool(), Some(true), "{name}: docs.rs leaves out what has a feature");
    }
}
