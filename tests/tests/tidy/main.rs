//! Rules of the tree that no compiler checks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod alerts;
mod bound_claims;
mod crates;
mod cycles;
mod keys;
mod names;
mod reference;
mod rows;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use portolan_tests::build::workspace;

/// Names that say nothing of what a module is for.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "common", "helpers", "manager", "misc"];

/// Not written by hand, or not Rust.
const SKIPPED: [&str; 4] = ["target", "node_modules", ".git", "fixtures"];

fn files(extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![workspace().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push((relative(&path), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap().to_string_lossy().into_owned()
}

fn sources() -> Vec<(String, String)> {
    let sources = files("rs");
    assert!(sources.len() > 30, "{} sources: the walk is broken", sources.len());
    sources
}

/// Lines of code, without comments; a text that tests look for does not match itself.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().map(str::trim_start).filter(|line| !line.starts_with("//"))
}

fn assert_none(rule: &str, offenders: impl Iterator<Item = String>) {
    let offenders: Vec<String> = offenders.collect();
    assert!(offenders.is_empty(), "{rule}:\n{}", offenders.join("\n"));
}

#[test]
fn every_source_says_at_its_head_what_it_is_for() {
    let headless = |(_, source): &(String, String)| !source.starts_with("//! ");
    assert_none("no `//!` head", sources().into_iter().filter(headless).map(|(path, _)| path));
}

#[test]
fn modules_are_files_with_names_that_say_something() {
    let offends = |path: &str| {
        let stem = Path::new(path).file_stem().unwrap().to_string_lossy().into_owned();
        stem == "mod" || EMPTY_NAMES.iter().any(|name| stem == *name || path.contains(&format!("/{name}/")))
    };
    assert_none("module name", sources().into_iter().map(|(path, _)| path).filter(|path| offends(path)));
}

#[test]
fn nothing_is_exported_wholesale() {
    let globs = |(path, source): (String, String)| {
        let lines: Vec<String> = code(&source)
            .filter(|line| line.starts_with("pub") && line.contains("use ") && line.trim_end().ends_with("::*;"))
            .map(|line| format!("{path}: {line}"))
            .collect();
        lines
    };
    assert_none("wholesale export", sources().into_iter().flat_map(globs));
}

#[test]
fn plugins_depend_on_the_api_and_the_kits_alone() {
    let allowed = BTreeSet::from(["portolan-plugin-api", "portolan-kits"]);
    let mut seen = 0;
    for (path, text) in files("toml") {
        let folder = Path::new(&path).parent().unwrap();
        if !path.ends_with("Cargo.toml") || !folder.starts_with("plugins") || folder == Path::new("plugins/kits") {
            continue;
        }
        seen += 1;
        let manifest: toml::Table = text.parse().unwrap();
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let names = manifest.get(table).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
            let foreign: Vec<&String> = names.filter(|name| !allowed.contains(name.as_str())).collect();
            assert!(foreign.is_empty(), "{path} [{table}]: {foreign:?}");
        }
        assert!(!text.contains("\nbuild = "), "{path} has a build script");
        let name = manifest["package"]["name"].as_str().unwrap();
        assert_eq!(folder.file_name().unwrap().to_str(), Some(name), "{path}: folder and crate differ");
        assert_eq!(manifest["lib"]["crate-type"].as_array().unwrap(), &[toml::Value::from("cdylib")], "{path}");
    }
    assert!(seen > 0, "no plugin was looked at");
}

/// The folders of the plugins.
fn plugins() -> Vec<PathBuf> {
    let folders = fs::read_dir(workspace().join("plugins")).unwrap().map(|entry| entry.unwrap().path());
    let plugins: Vec<PathBuf> = folders.filter(|path| path.is_dir() && !path.ends_with("kits")).collect();
    assert!(!plugins.is_empty(), "no plugin was found");
    plugins
}

#[test]
fn plugins_have_the_same_files_and_headings() {
    for plugin in plugins() {
        for file in ["Cargo.toml", "README.md", "src/lib.rs", "src/tests.rs"] {
            assert!(plugin.join(file).is_file(), "{} has no {file}", plugin.display());
        }
        assert!(plugin.join("protocols").is_dir(), "{} has no rows", plugin.display());
        let readme = fs::read_to_string(plugin.join("README.md")).unwrap();
        let mut rest = readme.as_str();
        for heading in ["Answers", "Contracts", "How amounts are computed", "Not covered"] {
            let at = rest.find(&format!("\n## {heading}\n"));
            rest = &rest[at.unwrap_or_else(|| panic!("{}: no heading {heading} in its place", plugin.display()))..];
        }
    }
}

/// The shells that the kits give: a plugin that exports one of them is made of rows.
const SHELLS: [(&str, &str); 2] = [("Family<", "impl EventFamily for "), ("Accounts<", "impl AccountProtocols for ")];

#[test]
fn plugins_made_of_rows_have_no_code_of_their_own() {
    let mut seen = 0;
    for plugin in plugins() {
        let lib = fs::read_to_string(plugin.join("src/lib.rs")).unwrap();
        let exports =
            |shell: &str| code(&lib).any(|line| line.starts_with(&format!("portolan_plugin_api::export!({shell}")));
        let Some((_, rows)) = SHELLS.into_iter().find(|(shell, _)| exports(shell)) else { continue };
        seen += 1;
        let folder = relative(&plugin.join("src"));
        // A family may complete its events by what its rows say.
        let completes = code(&lib).any(|line| line.starts_with("fn complete("));
        for (path, source) in sources().into_iter().filter(|(path, _)| Path::new(path).starts_with(&folder)) {
            let name = Path::new(&path).strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
            if name == "tests.rs" {
                continue;
            }
            assert!(completes || name == "lib.rs", "{path} is beside the rows, which are TOML");
            for line in code(&source) {
                let is_function = line.contains("fn ") && !line.contains("const fn ");
                assert!(completes || !is_function, "{path} has a function: {line}");
                assert!(!line.starts_with("impl ") || line.starts_with(rows), "{path} has code: {line}");
                assert!(!line.contains(": u64 = "), "{path} has a chain id that is not a constant of the SDK: {line}");
            }
        }
    }
    assert!(seen > 0, "no plugin made of rows was found");
}

#[test]
fn plugins_declare_contract_functions_in_one_file() {
    let in_plugin = |path: &str| path.starts_with("plugins/") && !path.starts_with("plugins/kits/");
    let mut declaring = BTreeSet::new();
    for (path, source) in sources().into_iter().filter(|(path, _)| in_plugin(path)) {
        let declares = code(&source).any(|line| line.starts_with("sol!") || line.contains("::sol!"));
        let name = Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
        // Tests declare them once more, so that a wrong one is a failing test.
        if declares && name != "tests.rs" {
            assert_eq!(name, "contracts.rs", "{path} declares functions of contracts");
            declaring.insert(path);
        }
    }
    for plugin in plugins() {
        let path = plugin.join("src/contracts.rs");
        // A plugin whose contracts are all a kit's has none.
        assert_eq!(path.is_file(), declaring.contains(&relative(&path)), "{} declares nothing", path.display());
    }
}

#[test]
fn plugins_have_recorded_jobs_and_replay_them() {
    for plugin in plugins() {
        let shown = plugin.display();
        let tests = fs::read_to_string(plugin.join("src/tests.rs")).unwrap();
        if !plugin.join("fixtures").exists() {
            // One that answers nothing but events has cases of logs instead.
            let cases = ["EventCases::load(", ".check::<", ".cover("];
            assert!(cases.iter().all(|call| tests.contains(call)), "{shown} has neither recorded jobs nor cases");
            continue;
        }
        let files = fs::read_dir(plugin.join("fixtures")).unwrap_or_else(|error| panic!("{shown}/fixtures: {error}"));
        let names: BTreeSet<String> =
            files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
        for kind in ["nothing", "typical", "edge"] {
            assert!(names.iter().any(|name| name.starts_with(kind)), "{shown} has no {kind} case");
        }
        for name in &names {
            let stem = name.split('.').next().unwrap();
            for file in [format!("{stem}.json"), format!("{stem}.expected.json")] {
                assert!(names.contains(&file), "{shown}/fixtures has {name} without {file}");
            }
        }
        assert!(code(&tests).any(|line| line.contains("testing::replay_all::<")), "{shown} does not replay them");
    }
}

#[test]
fn bodies_are_written_by_the_one_who_cleans_them() {
    let writes = |line: &str| line.contains("serde_json::to_");
    let http = sources().into_iter().filter(|(path, _)| path.starts_with("host/src/http"));
    let offending = http.filter(|(_, source)| code(source).any(writes)).map(|(path, _)| path);
    assert_none("JSON that `sanitize::door` does not write", offending);
}

#[test]
fn tables_of_events_begin_with_their_name_and_have_no_long_lines() {
    const LINE_CHARS_MAX: usize = 120;
    let tables = files("events");
    assert!(tables.len() > 15, "{} tables: the walk is broken", tables.len());
    for (path, text) in tables {
        let name = text.lines().next().and_then(|line| line.strip_prefix("table "));
        assert!(name.is_some_and(|name| !name.trim().is_empty()), "{path} does not begin with `table <name>`");
        // A link cannot be broken.
        let is_long = |line: &str| line.chars().count() > LINE_CHARS_MAX && !line.starts_with("# https://");
        let long = (1..).zip(text.lines()).find(|(_, line)| is_long(line));
        assert!(long.is_none(), "{path}, line {} is longer than {LINE_CHARS_MAX}", long.unwrap().0);
    }
}

#[test]
fn plugins_are_members_and_stand_in_their_readme() {
    let manifest: toml::Table = fs::read_to_string(workspace().join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let readme = fs::read_to_string(workspace().join("plugins/README.md")).unwrap();
    for plugin in plugins() {
        let (path, name) = (relative(&plugin), plugin.file_name().unwrap().to_string_lossy());
        assert!(members.iter().any(|member| member.as_str() == Some(&path)), "{path} is not a member of the workspace");
        assert!(readme.contains(&format!("({name}/README.md)")), "the tables of plugins have no {name}");
    }
}

#[test]
fn the_invariants_name_every_file_with_unsafe_code() {
    let page = fs::read_to_string(workspace().join("host/docs/design/invariants.md")).unwrap();
    let is_unsafe = |source: &str| {
        code(source).any(|line| {
            ["unsafe {", "unsafe impl", "unsafe fn", "unsafe extern"].iter().any(|word| line.contains(word))
        })
    };
    let own = "tests/tests/tidy/main.rs";
    let with_unsafe: Vec<String> =
        sources().into_iter().filter(|(path, source)| path != own && is_unsafe(source)).map(|(path, _)| path).collect();
    assert!(!with_unsafe.is_empty(), "the search is broken: the binary interface needs some");
    assert_none(
        "unsafe code that the invariants do not name",
        with_unsafe.into_iter().filter(|path| !page.contains(path)),
    );
}

#[test]
fn the_readme_has_the_two_commands() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    for command in ["cargo demo", "cargo test --workspace"] {
        assert!(readme.contains(command), "the README does not have `{command}`");
    }
}

#[test]
fn no_file_names_the_place_where_it_was_made() {
    let texts = ["rs", "toml", "md", "mjs", "sol", "json"].into_iter().flat_map(files);
    let needles = [["/ho", "me/"].concat(), ["/ro", "ot/"].concat(), ["/wo", "rk/"].concat()];
    let names = |(_, text): &(String, String)| needles.iter().any(|needle| text.contains(needle.as_str()));
    assert_none("a path of one machine", texts.filter(names).map(|(path, _)| path));
}

#[test]
fn no_test_is_skipped_and_none_sleeps() {
    let needles = [["#[ig", "nore"].concat(), ["thread::sl", "eep"].concat()];
    // Looking again after a while is the one place that may.
    let allowed = "tests/src/wait.rs";
    let offenders = sources().into_iter().filter(|(path, source)| {
        path != allowed && code(source).any(|line| needles.iter().any(|needle| line.contains(needle.as_str())))
    });
    assert_none("skipped or sleeping", offenders.map(|(path, _)| path));
}
