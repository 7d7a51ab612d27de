//! A folder of built pages, the book or the explorer, which the gateway reads once.
//!
//! Invariant: only regular files that trusted owners wrote are read, no link is followed, and number, depth and bytes are
//! bounded.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use portolan_base::files::{self, FileError, FolderError, TrustedOwners};

use crate::http::public::pages::{ASSETS, HTML, INDEX, MARKDOWN, OPERATORS};

/// The book of this repository has 150, its explorer a dozen.
const FILES_MAX: usize = 4096;
/// The book of this repository has 4 MiB, its explorer less than one. All of it stays in memory.
const BYTES_MAX: u64 = 32 << 20;
const DEPTH_MAX: usize = 8;

/// Kinds of files by the ends of their names.
const KINDS: [(&str, &str); 13] = [
    ("css", "text/css; charset=utf-8"),
    ("gif", "image/gif"),
    ("html", HTML),
    ("ico", "image/x-icon"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("md", MARKDOWN),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("webp", "image/webp"),
    ("woff2", "font/woff2"),
];

/// What a folder of pages is.
#[derive(Debug)]
pub(crate) struct PageFolderKind {
    pub(crate) name: &'static str,
    /// The key of its setting.
    pub(crate) setting: &'static str,
    /// What builds it.
    pub(crate) built_by: &'static str,
    /// Files that it has to have.
    required: &'static [&'static str],
    /// Returns true if it may have a file at this path.
    has: fn(&str) -> bool,
}

pub(crate) static BOOK: PageFolderKind =
    PageFolderKind { name: "book", setting: "docs.dir", built_by: "`cargo book`", required: &[INDEX], has: |_| true };

pub(crate) static EXPLORER: PageFolderKind = PageFolderKind {
    name: "explorer",
    setting: "explorer.dir",
    built_by: "`npm run build` in examples/explorer",
    required: &[INDEX, OPERATORS],
    has: |path| [INDEX, OPERATORS].contains(&path) || path.starts_with(ASSETS),
};

/// The files of a folder of pages, by their paths within it; none if it is not built.
#[derive(Debug, Default)]
pub(crate) struct PageFolder(BTreeMap<String, PageFile>);

#[derive(Debug)]
pub(super) struct PageFile {
    /// Its media type.
    pub(super) kind: &'static str,
    pub(super) bytes: Bytes,
}

/// The reason why a folder is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageFolderError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("{}: cannot read it: {error}", path.display())]
    List { path: PathBuf, error: io::Error },
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: FileError },
    #[error("{}: the {kind} has no file of this kind", path.display())]
    Kind { path: PathBuf, kind: &'static str },
    #[error("{}: the {kind} has no file at this place", path.display())]
    Place { path: PathBuf, kind: &'static str },
    #[error("{}: more than {FILES_MAX} files", .0.display())]
    TooManyFiles(PathBuf),
    #[error("{}: folders are more than {DEPTH_MAX} deep", .0.display())]
    TooDeep(PathBuf),
    #[error("{}: more than {BYTES_MAX} bytes in all files", .0.display())]
    TooLarge(PathBuf),
    #[error("{}: has no {required}, so it is not a built {kind}", folder.display())]
    Unbuilt { folder: PathBuf, required: &'static str, kind: &'static str },
}

impl PageFolder {
    /// Reads a folder; `None` if it is not there. Hidden files are left out.
    ///
    /// # Errors
    /// Something in the folder is not a file of its kind, can be written by others, or exceeds a bound.
    pub(crate) fn read(
        kind: &PageFolderKind,
        folder: &Path,
        writers: TrustedOwners,
    ) -> Result<Option<Self>, PageFolderError> {
        match files::check_folder(folder, writers) {
            Ok(_) => {}
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let mut reading = Reading { files: BTreeMap::new(), bytes_left: BYTES_MAX, kind, root: folder, writers };
        reading.folder(folder, "", DEPTH_MAX)?;
        if let Some(required) = kind.required.iter().find(|required| !reading.files.contains_key(**required)) {
            return Err(PageFolderError::Unbuilt { folder: folder.to_owned(), required, kind: kind.name });
        }
        Ok(Some(Self(reading.files)))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all files with their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &PageFile)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    pub(super) fn file(&self, path: &str) -> Option<&PageFile> {
        self.0.get(path)
    }
}

/// A folder while it is read.
struct Reading<'a> {
    files: BTreeMap<String, PageFile>,
    bytes_left: u64,
    kind: &'a PageFolderKind,
    root: &'a Path,
    writers: TrustedOwners,
}

impl Reading<'_> {
    /// Reads a folder, whose path within the root is `place`: empty, or with a slash at its end.
    fn folder(&mut self, folder: &Path, place: &str, depth_left: usize) -> Result<(), PageFolderError> {
        let Some(depth_left) = depth_left.checked_sub(1) else {
            return Err(PageFolderError::TooDeep(self.root.to_owned()));
        };
        let unlisted = |error| PageFolderError::List { path: folder.to_owned(), error };
        for entry in fs::read_dir(folder).map_err(unlisted)? {
            let entry = entry.map_err(unlisted)?;
            let (path, name) = (entry.path(), entry.file_name());
            let Some(name) = name.to_str() else { return Err(self.foreign(&path)) };
            if name.starts_with('.') {
                continue;
            }
            // It does not follow links.
            if entry.file_type().map_err(unlisted)?.is_dir() {
                files::check_folder(&path, self.writers)?;
                self.folder(&path, &format!("{place}{name}/"), depth_left)?;
            } else {
                self.file(&path, format!("{place}{name}"))?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, place: String) -> Result<(), PageFolderError> {
        if self.files.len() >= FILES_MAX {
            return Err(PageFolderError::TooManyFiles(self.root.to_owned()));
        }
        let unread = |error| PageFolderError::File { path: path.to_owned(), error };
        let (file, _) = files::open(path, self.writers).map_err(unread)?;
        if !(self.kind.has)(&place) {
            return Err(PageFolderError::Place { path: path.to_owned(), kind: self.kind.name });
        }
        let end = place.rsplit_once('.').map_or("", |(_, end)| end);
        let kind = KINDS.iter().find(|(known, _)| *known == end).map(|(_, kind)| *kind);
        let kind = kind.ok_or_else(|| self.foreign(path))?;
        let mut bytes = Vec::new();
        file.take(self.bytes_left + 1).read_to_end(&mut bytes).map_err(|error| unread(error.into()))?;
        let left = self.bytes_left.checked_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.bytes_left = left.ok_or_else(|| PageFolderError::TooLarge(self.root.to_owned()))?;
        self.files.insert(place, PageFile { kind, bytes: bytes.into() });
        Ok(())
    }

    fn foreign(&self, path: &Path) -> PageFolderError {
        PageFolderError::Kind { path: path.to_owned(), kind: self.kind.name }
    }
}

#[cfg(test)]
impl PageFolder {
    /// Makes a folder of HTML, Markdown and scripts.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let kind = |path: &str| match path.rsplit_once('.') {
            Some((_, "md")) => MARKDOWN,
            Some((_, "js")) => "text/javascript; charset=utf-8",
            _ => HTML,
        };
        let file = |(path, text): &(&str, &str)| {
            ((*path).to_owned(), PageFile { kind: kind(path), bytes: Bytes::copy_from_slice(text.as_bytes()) })
        };
        Self(files.iter().map(file).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{DirBuilder, File, Permissions};
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};

    use tempfile::TempDir;

    use super::*;

    fn folder() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        write(&folder, INDEX, "<p>");
        folder
    }

    fn write(folder: &TempDir, path: &str, text: &str) {
        let path = folder.path().join(path);
        DirBuilder::new().recursive(true).mode(0o755).create(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    }

    fn read(folder: &Path) -> Result<Option<PageFolder>, PageFolderError> {
        PageFolder::read(&BOOK, folder, TrustedOwners::of_process(None))
    }

    /// Returns why a folder is refused.
    fn refusal(folder: &TempDir) -> String {
        read(folder.path()).unwrap_err().to_string()
    }

    #[test]
    fn files_are_read_with_their_paths_and_kinds_and_hidden_ones_are_left_out() {
        let folder = folder();
        write(&folder, "use/tour.md", "# Tour");
        write(&folder, "css/a.css", "a{}");
        write(&folder, ".nojekyll", "");
        write(&folder, ".git/config", "");
        let book = read(folder.path()).unwrap().unwrap();
        let found: Vec<_> = book.files().map(|(path, file)| (path, file.kind, file.bytes.as_ref())).collect();
        let expected: [(&str, &str, &[u8]); 3] = [
            ("css/a.css", "text/css; charset=utf-8", b"a{}"),
            ("index.html", "text/html; charset=utf-8", b"<p>"),
            ("use/tour.md", "text/markdown; charset=utf-8", b"# Tour"),
        ];
        assert_eq!(found, expected);
        assert!(read(&folder.path().join("nowhere")).unwrap().is_none());
    }

    #[test]
    fn links_foreign_kinds_and_folders_without_a_first_page_are_refused() {
        let linked = folder();
        symlink("/etc/passwd", linked.path().join("a.txt")).unwrap();
        assert!(refusal(&linked).contains("a.txt: it is a symbolic link"), "{}", refusal(&linked));
        let outside = folder();
        symlink("/etc", outside.path().join("use")).unwrap();
        assert!(refusal(&outside).contains("use: it is a symbolic link"), "{}", refusal(&outside));
        let root = folder();
        let book = folder();
        symlink(book.path(), root.path().join("book")).unwrap();
        assert!(read(&root.path().join("book")).is_err(), "the folder itself is a link");
        for name in ["portolan.toml", "key", "index.html.gz"] {
            let foreign = folder();
            write(&foreign, name, "secret");
            assert!(refusal(&foreign).ends_with(&format!("{name}: the book has no file of this kind")));
        }
        assert!(refusal(&tempfile::tempdir().unwrap()).ends_with("has no index.html, so it is not a built book"));
        let writable = folder();
        fs::set_permissions(writable.path().join(INDEX), Permissions::from_mode(0o666)).unwrap();
        assert!(refusal(&writable).contains("every user may write it"), "{}", refusal(&writable));
    }

    #[test]
    fn the_explorer_has_two_pages_and_what_they_load() {
        let built = folder();
        let read = || PageFolder::read(&EXPLORER, built.path(), TrustedOwners::of_process(None));
        let refusal = || read().unwrap_err().to_string();
        assert!(refusal().ends_with("has no operators.html, so it is not a built explorer"), "{}", refusal());
        write(&built, OPERATORS, "<p>");
        write(&built, "assets/main-a1.js", "1");
        // As the build's own list of licences.
        write(&built, ".vite/license.md", "MIT");
        assert_eq!(read().unwrap().unwrap().len(), 3);
        for path in ["other.html", "src/main.js"] {
            write(&built, path, "");
            assert!(refusal().ends_with(&format!("{path}: the explorer has no file at this place")), "{}", refusal());
            fs::remove_file(built.path().join(path)).unwrap();
        }
        write(&built, "assets/main.js.map", "{}");
        assert!(refusal().ends_with("main.js.map: the explorer has no file of this kind"), "{}", refusal());
    }

    #[test]
    fn number_depth_and_bytes_are_bounded() {
        let many = folder();
        for number in 1..FILES_MAX {
            File::create(many.path().join(format!("{number}.txt"))).unwrap();
        }
        assert_eq!(read(many.path()).unwrap().unwrap().len(), FILES_MAX);
        write(&many, "last.txt", "");
        assert!(refusal(&many).ends_with("more than 4096 files"), "{}", refusal(&many));

        let deep = folder();
        write(&deep, "1/2/3/4/5/6/7/a.txt", "");
        assert_eq!(read(deep.path()).unwrap().unwrap().len(), 2);
        write(&deep, "1/2/3/4/5/6/7/8/a.txt", "");
        assert!(refusal(&deep).ends_with("folders are more than 8 deep"), "{}", refusal(&deep));

        let large = folder();
        write(&large, "a.txt", "");
        // The first page has 3 bytes.
        let file = File::options().write(true).open(large.path().join("a.txt")).unwrap();
        file.set_len(BYTES_MAX - 3).unwrap();
        assert_eq!(read(large.path()).unwrap().unwrap().len(), 2);
        file.set_len(BYTES_MAX - 2).unwrap();
        assert!(refusal(&large).ends_with("more than 33554432 bytes in all files"), "{}", refusal(&large));
    }
}
