//! The book's screenshots: those that its page shows, which are there and small. They are not compared with new ones, as
//! fonts and times differ from machine to machine.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

use portolan_tests::build::workspace;

const PAGE: &str = "host/docs/use/explorer.md";
const FOLDER: &str = "host/docs/use/explorer";
const BYTES_MAX: u64 = 120_000;
/// The first bytes of a WebP picture.
const SIGNATURE: &[u8] = b"RIFF";

/// The pictures that the page shows.
fn shown() -> BTreeSet<String> {
    let page = fs::read_to_string(workspace().join(PAGE)).unwrap();
    let links = page.split("](explorer/").skip(1);
    links.map(|rest| rest.split(')').next().unwrap_or_default().to_owned()).collect()
}

fn are_written() -> bool {
    env::var_os("PORTOLAN_WRITE_TABLES").is_some()
}

/// With `PORTOLAN_WRITE_TABLES=1`, takes the pictures that the page shows from those that were made.
pub(crate) fn write_screenshots(made: &Path) {
    if !are_written() {
        return;
    }
    let folder = workspace().join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir(&folder).unwrap();
    for name in shown() {
        fs::copy(made.join(&name), folder.join(&name)).unwrap();
    }
    assert_shown();
}

#[test]
fn the_book_shows_each_of_its_screenshots() {
    if !are_written() {
        assert_shown();
    }
}

fn assert_shown() {
    let files = fs::read_dir(workspace().join(FOLDER)).unwrap().map(|entry| entry.unwrap());
    let mut found = BTreeSet::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        assert!(file.metadata().unwrap().len() <= BYTES_MAX, "{name} has more than {BYTES_MAX} bytes");
        assert!(fs::read(file.path()).unwrap().starts_with(SIGNATURE), "{name} is not a WebP picture");
        found.insert(name);
    }
    assert!(!found.is_empty(), "no screenshot was found");
    assert_eq!(shown(), found, "what {PAGE} shows, and what is there");
}
