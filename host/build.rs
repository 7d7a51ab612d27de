//! Embeds the templates of `portolan plugin new` (every folder of `examples/plugins`, as a table of its files) and the
//! pages of the guide, which assistants read as resources.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What cargo builds, in a template that was built where it stands.
const TARGET: &str = "target";

fn main() -> Result<(), Box<dyn Error>> {
    let templates = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../examples/plugins").canonicalize()?;
    println!("cargo::rerun-if-changed={}", templates.display());
    let mut table = String::from("&[\n");
    for folder in entries(&templates)?.into_iter().filter(|entry| entry.is_dir()) {
        let mut files = Vec::new();
        collect(&folder, &mut files)?;
        writeln!(table, "({:?}, &[", name(&folder)?)?;
        for file in files {
            let path = file.strip_prefix(&folder)?.to_str().ok_or("a template's path is not UTF-8")?;
            writeln!(table, "    ({path:?}, include_str!({file:?})),")?;
        }
        table.push_str("]),\n");
    }
    table.push_str("]\n");
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("plugin_templates.rs"), table)?;
    fs::write(Path::new(&out).join("guide_pages.rs"), guide_pages()?)?;
    Ok(())
}

/// Returns a table of the pages of `docs/use`.
fn guide_pages() -> Result<String, Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("docs/use").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut table = String::from("&[\n");
    for page in entries(&folder)?.into_iter().filter(|entry| entry.extension().is_some_and(|kind| kind == "md")) {
        writeln!(table, "({:?}, include_str!({page:?})),", name(&page)?)?;
    }
    table.push_str("]\n");
    Ok(table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in entries(folder)? {
        if !entry.is_dir() {
            files.push(entry);
        } else if name(&entry)? != TARGET {
            collect(&entry, files)?;
        }
    }
    Ok(())
}

/// Returns what a folder contains, in the order of its names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    entries.sort();
    Ok(entries)
}

fn name(path: &Path) -> Result<&str, Box<dyn Error>> {
    path.file_name().and_then(|name| name.to_str()).ok_or_else(|| "a name is not UTF-8".into())
}
