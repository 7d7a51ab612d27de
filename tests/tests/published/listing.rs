//! The public interface of a crate as lines of text, read from the JSON that rustdoc writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_tests::build::{target_dir, workspace};
use public_api::{Builder, PublicItem};
use serde_json::Value;

/// Crates whose types are everybody's.
const STANDARD: [&str; 3] = ["core", "alloc", "std"];

/// Arguments with which rustdoc writes JSON.
const JSON: [&str; 4] = ["-Z", "unstable-options", "--output-format", "json"];

/// What a crate shows to others.
pub(crate) struct Listing {
    pub(crate) lines: Vec<Line>,
    /// Names of the crates that it depends on.
    dependencies: BTreeSet<String>,
}

/// An item of the interface.
pub(crate) struct Line {
    pub(crate) text: String,
    /// Whom the item would break if it were new.
    pub(crate) breaks: Option<Breaks>,
}

/// Code of others that cannot do with a new item.
pub(crate) struct Breaks {
    /// Line of what the item belongs to; where that is new as well, nobody has used it.
    pub(crate) owner: String,
    pub(crate) why: &'static str,
}

impl Listing {
    /// Lists crates of the workspace, with all of their features.
    pub(crate) fn of_packages(names: &[&str]) -> Vec<Self> {
        let target = target_dir().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        // One build of them all makes their dependencies once.
        cargo.args(["doc", "--quiet", "--no-deps", "--lib", "--all-features", "--locked", "--target-dir"]).arg(&target);
        cargo.args(names.iter().flat_map(|name| ["--package", *name]));
        run(cargo.current_dir(workspace()).env("RUSTDOC", rustdoc()).env("RUSTDOCFLAGS", JSON.join(" ")));
        let json = |name: &&str| target.join("doc").join(format!("{}.json", name.replace('-', "_")));
        names.iter().map(|name| Self::read(&json(name))).collect()
    }

    /// Lists a crate of one source, which is named `sample`.
    pub(crate) fn of_source(source: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lib.rs");
        fs::write(&file, source).unwrap();
        let mut command = Command::new(rustdoc());
        command.args(["--crate-name", "sample", "--crate-type", "lib", "--edition", "2024"]).args(JSON);
        run(command.arg("--out-dir").arg(folder.path()).arg(&file));
        Self::read(&folder.path().join("sample.json"))
    }

    fn read(json: &Path) -> Self {
        let api = Builder::from_rustdoc_json(json).omit_blanket_impls(true).build();
        let api = api.unwrap_or_else(|error| {
            panic!("{}: {error}\npublic-api must be of the version that goes with rust-toolchain.toml", json.display())
        });
        let json: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
        let items: Vec<PublicItem> = api.into_items().filter(|item| is_promised(item, &json)).collect();
        let texts: Vec<String> = items.iter().map(|item| text(item, &json)).collect();
        let line = |(item, text): (&PublicItem, &String)| {
            let breaks = breaks(item, &json, &texts).and_then(|why| {
                let owner = items.iter().position(|owner| Some(owner.id()) == item.parent_id())?;
                Some(Breaks { owner: texts[owner].clone(), why })
            });
            Line { text: text.clone(), breaks }
        };
        let lines = items.iter().zip(&texts).map(line).collect();
        let dependencies = json["external_crates"].as_object().unwrap().values();
        let dependencies = dependencies.map(|dependency| dependency["name"].as_str().unwrap().to_owned());
        Self { lines, dependencies: dependencies.filter(|name| !STANDARD.contains(&name.as_str())).collect() }
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.text.as_str())
    }

    /// The dependencies whose types stand in a line.
    pub(crate) fn dependencies_in<'a>(&'a self, line: &'a str) -> impl Iterator<Item = &'a str> {
        let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'));
        let crates = words.filter_map(|path| path.split_once("::")).map(|(name, _)| name);
        crates.filter(|name| self.dependencies.contains(*name))
    }
}

fn rustdoc() -> PathBuf {
    workspace().join("tests/tests/published/rustdoc-json")
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An entry of the JSON's index: its kind, and what it has for its kind.
fn entry(json: &Value, id: u32) -> Option<(&Value, &str, &Value)> {
    let entry = json["index"].get(id.to_string())?;
    let (kind, inner) = entry["inner"].as_object()?.iter().next()?;
    Some((entry, kind, inner))
}

/// False for what the compiler derives for every type by itself, but for the two that threads need.
fn is_promised(item: &PublicItem, json: &Value) -> bool {
    entry(json, item.id().0).is_none_or(|(_, kind, inner)| {
        let is_automatic = kind == "impl" && inner["is_synthetic"] == true;
        !is_automatic || ["Send", "Sync"].iter().any(|of| inner["trait"]["path"] == *of)
    })
}

/// An item's line; one of a struct also says that it has private fields, so that nobody can write it down.
fn text(item: &PublicItem, json: &Value) -> String {
    let has_private = entry(json, item.id().0)
        .is_some_and(|(_, kind, inner)| kind == "struct" && inner["kind"]["plain"]["has_stripped_fields"] == true);
    format!("{item}{}", if has_private { " { … }" } else { "" })
}

fn breaks(item: &PublicItem, json: &Value, texts: &[String]) -> Option<&'static str> {
    let (_, kind, inner) = entry(json, item.id().0)?;
    let (owner, owner_kind, owner_inner) = entry(json, item.parent_id()?.0)?;
    let is_open = owner["attrs"].as_array()?.iter().any(|attribute| attribute == "non_exhaustive");
    match (owner_kind, kind) {
        ("trait", "function") => (inner["has_body"] == false).then_some("types that implement the trait lack it"),
        ("trait", "assoc_const") => inner["value"].is_null().then_some("types that implement the trait lack it"),
        ("trait", "assoc_type") => inner["type"].is_null().then_some("types that implement the trait lack it"),
        ("enum", "variant") => (!is_open).then_some("a `match` on the enum lacks it"),
        ("variant", "struct_field") => (!is_open).then_some("whatever makes or matches the variant lacks it"),
        ("struct", "struct_field") => {
            let name = owner["name"].as_str()?;
            let has_private = owner_inner["kind"]["plain"]["has_stripped_fields"] == true;
            let is_default = |text: &String| {
                text.split_once("core::default::Default for ").is_some_and(|(_, of)| {
                    of.split(['<', ' ']).next().is_some_and(|path| path.rsplit("::").next() == Some(name))
                })
            };
            let can_grow = is_open || has_private || texts.iter().any(is_default);
            (!can_grow).then_some("whatever makes the struct lacks it, and has no `Default` to take it from")
        }
        _ => None,
    }
}
