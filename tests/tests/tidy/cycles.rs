//! The graph of each crate's modules: no circle among siblings, at any depth.
//!
//! A module stands for all below it. It depends on a sibling when something below it names something below the sibling,
//! directly or through what another module imports. What a module uses of its parent's own items, and of its children,
//! is no dependency.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use portolan_tests::build::workspace;

use super::crates::{CRATES, Crate, Place};

/// The modules at the root of crates that are built in floors, from the top. Each names only those below it.
const FLOORS: [(&str, &[&str]); 2] = [
    (
        "host/reader",
        &[
            "session",
            "read_joiner",
            "chain_reader",
            "reader",
            "endpoints",
            "cache",
            "methods",
            "chain",
            "wire",
            "reads",
            "client_id",
        ],
    ),
    ("host/plugins", &["reconcile", "serve", "load", "trust", "state_lock", "files", "limits"]),
];

/// Modules that stand outside of the floors: only tests use them.
const BESIDE_FLOORS: [&str; 2] = ["fuzzing", "testing"];

/// The host's folders, each of which is one part of its design.
const HOST_FOLDERS_MAX: usize = 12;

/// The dependencies among the children of one module, each with a source that says so.
type Siblings = BTreeMap<String, BTreeMap<String, String>>;

fn dependencies(of: &Crate) -> BTreeMap<Place, Siblings> {
    let mut found: BTreeMap<Place, Siblings> = BTreeMap::new();
    for (from, module) in &of.modules {
        for path in &module.paths {
            let Some(to) = of.module_of(path) else { continue };
            let shared = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let edges = found.entry(from[..shared].to_vec()).or_default().entry(one.clone()).or_default();
                edges.entry(other.clone()).or_insert_with(|| format!("{}: {}", module.file, path.join("::")));
            }
        }
    }
    found
}

/// Returns the modules that can be reached from a module.
fn reach<'a>(siblings: &'a Siblings, from: &'a str) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        let further = siblings.get(next).into_iter().flat_map(BTreeMap::keys).map(String::as_str);
        open.extend(further.filter(|name| reached.insert(*name)).collect::<Vec<_>>());
    }
    reached
}

/// Each group of siblings that lead to each other, with the dependencies inside of it.
fn circles(siblings: &Siblings) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        siblings.keys().map(|name| (name.as_str(), reach(siblings, name))).collect();
    let mut groups = BTreeSet::new();
    for (name, all) in &reached {
        let group: BTreeSet<&str> =
            all.iter().copied().filter(|other| reached.get(other).is_some_and(|back| back.contains(name))).collect();
        if !group.is_empty() {
            groups.insert(group);
        }
    }
    let edges = |group: &BTreeSet<&str>| {
        let inside = siblings.iter().filter(|(from, _)| group.contains(from.as_str()));
        let edge = |from: &str, to: &str, source: &str| format!("  {from} → {to} ({source})");
        let edges = inside.flat_map(|(from, to)| to.iter().map(move |(to, source)| (from, to, source)));
        edges
            .filter(|(_, to, _)| group.contains(to.as_str()))
            .map(|(from, to, source)| edge(from, to, source))
            .collect()
    };
    groups.iter().map(edges).collect()
}

#[test]
fn no_siblings_import_each_other_in_a_circle() {
    let mut found = Vec::new();
    for of in CRATES.iter() {
        for (parent, siblings) in dependencies(of) {
            for edges in circles(&siblings) {
                let parent = if parent.is_empty() { "its root".to_owned() } else { parent.join("::") };
                found.push(format!("{} below {parent}:\n{}", of.folder, edges.join("\n")));
            }
        }
    }
    super::assert_none("a circle of modules", found.into_iter());
}

/// Returns what breaks the order of a crate's floors: imports of a higher floor, and modules that have no floor.
fn off_floor(modules: &[&str], siblings: &Siblings, floors: &[&str]) -> Vec<String> {
    let floor = |name: &str| floors.iter().position(|floor| *floor == name);
    let homeless = modules.iter().filter(|name| floor(name).is_none() && !BESIDE_FLOORS.contains(name));
    let homeless = homeless.map(|name| format!("{name} has no floor"));
    let edges = siblings.iter().flat_map(|(from, all)| all.iter().map(move |(to, source)| (from, to, source)));
    let upward = edges.filter(|(from, to, _)| floor(from).zip(floor(to)).is_some_and(|(from, to)| to < from));
    homeless.chain(upward.map(|(from, to, source)| format!("{from} → {to} ({source})"))).collect()
}

#[test]
fn floors_name_only_those_below_them() {
    let mut found = Vec::new();
    for (folder, floors) in FLOORS {
        let of = CRATES.iter().find(|of| of.folder == folder).unwrap();
        let root: Vec<&str> =
            of.modules.keys().filter(|place| place.len() == 1).map(|place| place[0].as_str()).collect();
        assert!(floors.iter().all(|floor| root.contains(floor)), "{folder} does not have all of {floors:?}");
        let siblings = dependencies(of).remove(&Place::new()).unwrap();
        found.extend(off_floor(&root, &siblings, floors).into_iter().map(|offence| format!("{folder}: {offence}")));
    }
    super::assert_none("an import of a higher floor", found.into_iter());
}

#[test]
fn the_host_has_few_folders() {
    let folders = fs::read_dir(workspace().join("host/src")).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<_> = folders.filter(|path| path.is_dir()).collect();
    assert!((1..=HOST_FOLDERS_MAX).contains(&folders.len()), "{} folders: {folders:?}", folders.len());
}

/// The dependencies of a graph.
fn graph(edges: &[(&str, &str)]) -> Siblings {
    let mut siblings = Siblings::new();
    for (from, to) in edges {
        siblings.entry((*from).to_owned()).or_default().insert((*to).to_owned(), "x.rs: y".to_owned());
    }
    siblings
}

#[test]
fn a_circle_is_found_and_its_way_shown() {
    let found = circles(&graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")]));
    assert_eq!(found, [["  a → b (x.rs: y)", "  b → c (x.rs: y)", "  c → a (x.rs: y)"]]);
}

#[test]
fn an_import_of_a_higher_floor_is_found_without_a_circle() {
    let siblings = graph(&[("top", "low"), ("testing", "top"), ("low", "middle")]);
    let found = off_floor(&["top", "middle", "low", "testing", "new"], &siblings, &["top", "middle", "low"]);
    assert_eq!(found, ["new has no floor", "low → middle (x.rs: y)"]);
}
