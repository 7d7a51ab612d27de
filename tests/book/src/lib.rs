//! The book: pages of `host/docs`, and those of other folders that its contents name, as HTML and as Markdown.
//!
//! Invariant: every link of a page leads to another page or file of the book or to another host. What else of the tree a page
//! links to is named by its path.

mod links;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

use self::links::Links;
pub use self::links::of as links;

/// The folder whose pages are at the root of the book.
const ROOT: &str = "host/docs";
/// Contents of the book, in `ROOT`.
const CONTENTS: &str = "SUMMARY.md";
/// What mdBook is told about it, likewise.
const SETTINGS: &str = "book.toml";
/// The file of a folder that GitHub shows, and the one that browsers request.
const README: &str = "README.md";
const INDEX: &str = "index.md";

/// The gateway takes nothing that others may write, whatever the umask is.
const FOLDER_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// Lines that mdBook puts into the head of each page, so that clients find its Markdown.
const HEAD: &str = "<link rel=\"alternate\" type=\"text/markdown\" href=\"{{ path_to_root }}{{ path }}\">\n";

/// A page of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its title in the contents.
    pub title: String,
    /// Its source, from the root of the tree.
    pub source: PathBuf,
    /// Its Markdown, from the root of the book; its HTML has the same name.
    pub path: PathBuf,
}

impl Page {
    fn new(title: String, source: PathBuf) -> Self {
        let path = source.strip_prefix(ROOT).unwrap_or(&source);
        let path = if path.ends_with(README) { path.with_file_name(INDEX) } else { path.to_owned() };
        Self { title, source, path }
    }
}

/// Writes the book into a folder, and returns how many pages it has. An older book in the folder is replaced.
///
/// # Errors
/// A page that the contents name is not there, mdBook refuses one, the folder has something else in it, or an error of
/// the file system.
pub fn build(folder: &Path) -> Result<usize> {
    let pages = pages()?;
    let staged = tempfile::tempdir()?;
    let source = staged.path().join("src");
    let contents = Page::new("Contents".into(), Path::new(ROOT).join(CONTENTS));
    for page in pages.iter().chain([&contents]) {
        let links = Links { page, pages: &pages };
        write(&source.join(&page.path), &links.rewritten(&read(&page.source)?))?;
    }
    copy(&tree().join(ROOT), &source, &is_linked)?;
    write(&staged.path().join("theme/head.hbs"), HEAD)?;
    let mut config = Config::from_disk(tree().join(ROOT).join(SETTINGS))?;
    config.book.src = "src".into();
    config.build.build_dir = "built".into();
    MDBook::load_with_config(staged.path(), config)?.build()?;
    let built = staged.path().join("built");
    for Page { path, .. } in pages.iter().chain([&contents]) {
        fs::copy(source.join(path), built.join(path)).with_context(|| path.display().to_string())?;
    }
    replace(&built, folder)?;
    Ok(pages.len())
}

/// Returns the pages that the contents name, in order.
///
/// # Errors
/// The contents cannot be read, or name something that is not a page.
pub fn pages() -> Result<Vec<Page>> {
    let contents = Path::new(ROOT).join(CONTENTS);
    let found = links(&read(&contents)?);
    let pages = found.into_iter().map(|(title, target)| {
        let source = resolved(&contents, &target).with_context(|| format!("{target} is not in the tree"))?;
        ensure!(tree().join(&source).is_file(), "{CONTENTS} names {target}, which is not a file");
        Ok(Page::new(title, source))
    });
    pages.collect()
}

/// The root of the tree.
fn tree() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// Returns the path from the root of the tree of what a page links to; `None` outside of the tree.
fn resolved(page: &Path, target: &str) -> Option<PathBuf> {
    let mut path = page.parent()?.to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => path.pop().then_some(())?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(tree().join(path)).with_context(|| path.display().to_string())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("no folder")?)?;
    Ok(fs::write(path, text)?)
}

/// Puts what was built in the place of a folder, if that is a book or is not there. Hidden files, which mdBook writes for
/// other servers, are left out.
fn replace(built: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        ensure!(folder.join(CONTENTS).is_file(), "{} is not a book: name another folder", folder.display());
        fs::remove_dir_all(folder)?;
    }
    copy(built, folder, &|_| true)
}

/// Returns true for a file that pages may link to beside pages: an example, or a picture.
fn is_linked(file: &Path) -> bool {
    !file.ends_with(SETTINGS) && file.extension().is_none_or(|extension| extension != "md")
}

/// Copies the files of a folder that are wanted.
fn copy(from: &Path, to: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<()> {
    fs::create_dir_all(to)?;
    fs::set_permissions(to, Permissions::from_mode(FOLDER_MODE))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, from) = (entry.file_name(), entry.path());
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy(&from, &to.join(name), is_wanted)?;
        } else if is_wanted(&from) {
            fs::copy(&from, to.join(&name))?;
            fs::set_permissions(to.join(name), Permissions::from_mode(FILE_MODE))?;
        }
    }
    Ok(())
}
