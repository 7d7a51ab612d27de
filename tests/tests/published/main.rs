//! What holds for the crates that are published: what their packages carry, their versions, and their interface.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod interface;
mod listing;
mod packages;
mod rules;
mod versions;

use std::fs;
use std::path::PathBuf;

use portolan_tests::build::workspace;
use toml::Table;

/// A crate that is published.
struct Published {
    name: String,
    /// Relative to the workspace.
    folder: String,
    manifest: Table,
}

impl Published {
    fn path(&self, file: &str) -> PathBuf {
        workspace().join(&self.folder).join(file)
    }

    fn version(&self) -> &str {
        self.manifest["package"]["version"].as_str().unwrap()
    }
}

fn manifest(folder: &str) -> Table {
    let path = workspace().join(folder).join("Cargo.toml");
    fs::read_to_string(&path).unwrap().parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The members of the workspace whose manifests do not say `publish = false`.
fn published() -> Vec<Published> {
    let root = manifest("");
    let members = root["workspace"]["members"].as_array().unwrap().iter().map(|member| member.as_str().unwrap());
    let read = |folder: &str| {
        let manifest = manifest(folder);
        let package = &manifest["package"];
        let is_published = package.get("publish").is_none_or(|publish| publish.as_bool() != Some(false));
        let name = package["name"].as_str().unwrap().to_owned();
        is_published.then(|| Published { name, folder: folder.to_owned(), manifest })
    };
    let published: Vec<Published> = members.filter_map(read).collect();
    assert!(published.iter().any(|it| it.name == "portolan-plugin-api"), "the SDK is not published");
    published
}
