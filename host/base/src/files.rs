//! Files and folders that decide what runs here: who may write them, and how they are opened.
//!
//! Invariant: a file is opened without following links or waiting for a writer. Its descriptor is checked, then read
//! itself. Folders above a checked one are the operator's concern. Only links of settings files are followed, and not
//! out of their folder ([`read_linked_text`]).

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::process::geteuid;

/// Errors about links that are not followed.
const LINK_OUT: &str = "a symbolic link out of its folder";
const LINK_TO_NOTHING: &str = "a symbolic link to nothing";

/// Write permissions of the group and of everybody else.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// Trusted owners of files and folders: root, the user of the process, and at most one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedOwners {
    user: u32,
    group: Option<u32>,
}

/// Reason why others could have written a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    #[error("it belongs to user {owner}, and this process runs as user {user}: chown it to root or to user {user}")]
    Owner { owner: u32, user: u32 },
    #[error("every user may write it (mode {mode:04o}): chmod o-w")]
    Everybody { mode: u32 },
    #[error("group {group} may write it (mode {mode:04o}): chmod g-w, or set trusted_group = {group}")]
    Group { group: u32, mode: u32 },
}

impl TrustedOwners {
    /// Returns the trusted owners for this process.
    pub fn of_process(group: Option<u32>) -> Self {
        Self { user: geteuid().as_raw(), group }
    }

    fn check(self, metadata: &Metadata) -> Result<(), Untrusted> {
        self.check_mode(metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
    }

    /// A group with the owner's number is the owner's private group: with a umask of 0002 it may write all of the
    /// user's files, and nobody else is in it.
    fn check_mode(self, owner: u32, group: u32, mode: u32) -> Result<(), Untrusted> {
        if owner != 0 && owner != self.user {
            return Err(Untrusted::Owner { owner, user: self.user });
        }
        if mode & OTHERS_WRITE != 0 {
            return Err(Untrusted::Everybody { mode });
        }
        if mode & GROUP_WRITES != 0 && group != owner && self.group != Some(group) {
            return Err(Untrusted::Group { group, mode });
        }
        Ok(())
    }
}

/// Reason why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot read it: {0}")]
    Read(#[from] io::Error),
    #[error("it is {0}, not a regular file")]
    Kind(&'static str),
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
    #[error("more than {0} bytes")]
    TooLarge(u64),
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl FileError {
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Read(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns true if the error may vanish although the file stays the same.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Read(_))
    }
}

/// Opens a regular file for reading that only trusted owners could have written.
///
/// # Errors
/// The file cannot be read or trusted.
pub fn open(path: &Path, writers: TrustedOwners) -> Result<(File, Metadata), FileError> {
    // Opening a device or a terminal may have effects. A file swapped in after this check is caught by the next one.
    regular(&fs::symlink_metadata(path)?)?;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    writers.check(&metadata)?;
    Ok((file, metadata))
}

/// Reads a regular text file that only trusted owners could have written.
///
/// # Errors
/// The file cannot be read or trusted.
pub fn read_text(path: &Path, bytes_max: u64, writers: TrustedOwners) -> Result<String, FileError> {
    let (file, _) = open(path, writers)?;
    let mut text = String::new();
    file.take(bytes_max + 1).read_to_string(&mut text)?;
    if text.len() as u64 > bytes_max { Err(FileError::TooLarge(bytes_max)) } else { Ok(text) }
}

/// Like `read_text`, but the name may be a symbolic link, or a chain of them, to a file within the link's folder, as
/// in a mounted ConfigMap. Only trusted owners may write the folders between.
///
/// # Errors
/// The file cannot be read or trusted. A dangling link does not count as a missing file.
pub fn read_linked_text(path: &Path, bytes_max: u64, writers: TrustedOwners) -> Result<String, FileError> {
    if !fs::symlink_metadata(path)?.is_symlink() {
        return read_text(path, bytes_max, writers);
    }
    let nowhere = |error: FileError| if error.is_missing() { FileError::Kind(LINK_TO_NOTHING) } else { error };
    let target = target_within(path, writers).map_err(nowhere)?;
    read_text(&target, bytes_max, writers).map_err(nowhere)
}

/// Returns the file that a link leads to.
fn target_within(link: &Path, writers: TrustedOwners) -> Result<PathBuf, FileError> {
    let target = fs::canonicalize(link)?;
    let folder = fs::canonicalize(link.parent().unwrap_or(Path::new("/")))?;
    if !target.starts_with(&folder) {
        return Err(FileError::Kind(LINK_OUT));
    }
    for between in target.ancestors().skip(1).take_while(|between| *between != folder) {
        check_folder(between, writers)?;
    }
    Ok(target)
}

/// Reads a text file of the state folder; `None` if there is none.
///
/// # Errors
/// It cannot be read, or others may have written it.
pub fn read_state(path: &Path, bytes_max: u64, writers: TrustedOwners) -> io::Result<Option<String>> {
    match read_text(path, bytes_max, writers) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(io::Error::other(format!("{}: {error}", path.display()))),
    }
}

/// Opens a regular file that the operator named, wherever links lead and whoever wrote it.
///
/// # Errors
/// The file cannot be read.
pub fn open_named(path: &Path) -> Result<File, FileError> {
    regular(&fs::metadata(path)?)?;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Replaces a file's content atomically: readers see the old bytes or all of the new ones, even after a power loss.
/// Only the user of the process may read it.
///
/// # Errors
/// The file is unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let incoming = path.with_extension("incoming");
    let write = || {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&incoming)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&incoming, path)
    };
    write().inspect_err(|_| drop(fs::remove_file(&incoming)))
}

fn regular(metadata: &Metadata) -> Result<(), FileError> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    Err(FileError::Kind(if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }))
}

/// Reason why a folder is not used.
#[derive(Debug, thiserror::Error)]
#[error("the folder {}: {trouble}", folder.display())]
pub struct FolderError {
    folder: PathBuf,
    trouble: FolderTrouble,
}

#[derive(Debug, thiserror::Error)]
enum FolderTrouble {
    #[error("cannot make it: {0}")]
    Make(io::Error),
    #[error("cannot use it: {0}")]
    Use(#[from] io::Error),
    #[error("it is a symbolic link: name the folder that it leads to")]
    Link,
    #[error("it is not a directory")]
    NoFolder,
    #[error("{untrusted}{}", instead(*untrusted))]
    Untrusted {
        #[from]
        untrusted: Untrusted,
    },
}

/// Advice if others must be able to write the folder: a pod's volume belongs to root, and everybody may write it.
fn instead(untrusted: Untrusted) -> &'static str {
    match untrusted {
        Untrusted::Everybody { .. } => ", or name a folder inside it",
        Untrusted::Owner { .. } | Untrusted::Group { .. } => "",
    }
}

impl FolderError {
    pub fn is_missing(&self) -> bool {
        matches!(&self.trouble, FolderTrouble::Use(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Creates a folder with `mode` if there is none; an existing one must be writable by trusted owners only.
///
/// # Errors
/// The folder cannot be created or trusted.
pub fn make_folder(folder: &Path, mode: u32, writers: TrustedOwners) -> Result<(), FolderError> {
    let made = DirBuilder::new().recursive(true).mode(mode).create(folder);
    // The check reports anything else of that name.
    made.or_else(|error| if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })
        .map_err(|error| FolderError { folder: folder.to_owned(), trouble: FolderTrouble::Make(error) })?;
    check_folder(folder, writers).map(drop)
}

/// Checks that this is a folder, writable by trusted owners only.
///
/// # Errors
/// The folder cannot be used or trusted.
pub fn check_folder(folder: &Path, writers: TrustedOwners) -> Result<Metadata, FolderError> {
    let check = || {
        let metadata = fs::symlink_metadata(folder)?;
        if metadata.is_symlink() {
            return Err(FolderTrouble::Link);
        }
        if !metadata.is_dir() {
            return Err(FolderTrouble::NoFolder);
        }
        writers.check(&metadata)?;
        Ok(metadata)
    };
    check().map_err(|trouble| FolderError { folder: folder.to_owned(), trouble })
}

/// Returns the absolute path without a trailing slash, which would follow a link.
///
/// # Errors
/// There is no working directory.
pub fn absolute(folder: &Path) -> io::Result<PathBuf> {
    Ok(std::path::absolute(folder)?.components().collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use tempfile::TempDir;

    use super::*;

    const ALICE: u32 = 1000;
    const BOB: u32 = 1001;
    const DEPLOYERS: u32 = 2000;

    #[test]
    fn root_the_own_user_and_the_trusted_group_may_write_and_nobody_else() {
        let alice = TrustedOwners { user: ALICE, group: None };
        let with_deployers = TrustedOwners { user: ALICE, group: Some(DEPLOYERS) };
        // Owner, group, mode; whether alice's process trusts it alone, and with the deployers' group.
        let cases = [
            (ALICE, ALICE, 0o755, true, true),
            (0, 0, 0o755, true, true),
            (0, 0, 0o555, true, true),
            // A umask of 0002, with a private group for each user.
            (ALICE, ALICE, 0o775, true, true),
            (0, 0, 0o775, true, true),
            (ALICE, DEPLOYERS, 0o750, true, true),
            (ALICE, DEPLOYERS, 0o775, false, true),
            (0, DEPLOYERS, 0o2775, false, true),
            (ALICE, 100, 0o775, false, false),
            (0, ALICE, 0o775, false, false),
            (ALICE, ALICE, 0o777, false, false),
            (ALICE, ALICE, 0o1777, false, false),
            (0, 0, 0o1777, false, false),
            (ALICE, ALICE, 0o702, false, false),
            (BOB, BOB, 0o700, false, false),
            (BOB, DEPLOYERS, 0o755, false, false),
        ];
        for (owner, group, mode, alone, together) in cases {
            let taken = |writers: TrustedOwners| writers.check_mode(owner, group, mode).is_ok();
            assert_eq!((taken(alice), taken(with_deployers)), (alone, together), "{owner}:{group} {mode:o}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let alice = TrustedOwners { user: ALICE, group: None };
        let reason = |owner, group, mode| alice.check_mode(owner, group, mode).unwrap_err().to_string();
        let owner = "it belongs to user 1001, and this process runs as user 1000: chown it to root or to user 1000";
        assert_eq!(reason(BOB, ALICE, 0o700), owner);
        assert_eq!(reason(ALICE, ALICE, 0o777), "every user may write it (mode 0777): chmod o-w");
        let group = "group 2000 may write it (mode 2775): chmod g-w, or set trusted_group = 2000";
        assert_eq!(reason(0, DEPLOYERS, 0o2775), group);
    }

    struct Place {
        folder: TempDir,
        writers: TrustedOwners,
    }

    impl Place {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap(), writers: TrustedOwners::of_process(None) }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn read(&self, name: &str) -> Result<String, String> {
            read_text(&self.path(name), 8, self.writers).map_err(|error| error.to_string())
        }

        fn check(&self, name: &str) -> Result<(), String> {
            let outcome = check_folder(&self.path(name), self.writers).map(drop);
            outcome.map_err(|error| error.to_string().replace(&self.path(name).display().to_string(), "it"))
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_a_regular_file_is_read_and_nothing_is_waited_for() {
        let place = Place::new();
        fs::write(place.path("file"), "12345678").unwrap();
        set_mode(&place.path("file"), 0o644);
        symlink("file", place.path("link")).unwrap();
        fs::create_dir(place.path("folder")).unwrap();
        mknodat(CWD, place.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let _socket = UnixListener::bind(place.path("socket")).unwrap();
        assert_eq!(place.read("file").as_deref(), Ok("12345678"));
        for (name, kind) in
            [("link", "a symbolic link"), ("folder", "a folder"), ("pipe", "a named pipe"), ("socket", "a socket")]
        {
            assert_eq!(place.read(name), Err(format!("it is {kind}, not a regular file")));
        }
        assert!(open(&place.path("nothing"), place.writers).unwrap_err().is_missing());
    }

    #[test]
    fn a_file_that_anybody_may_write_or_that_is_too_large_is_not_read() {
        let place = Place::new();
        fs::write(place.path("file"), "123456789").unwrap();
        set_mode(&place.path("file"), 0o644);
        assert_eq!(place.read("file").unwrap_err(), "more than 8 bytes");
        set_mode(&place.path("file"), 0o646);
        assert_eq!(place.read("file").unwrap_err(), "every user may write it (mode 0646): chmod o-w");
    }

    #[test]
    fn what_the_operator_names_may_be_a_link_but_no_pipe() {
        let place = Place::new();
        fs::write(place.path("file"), "1").unwrap();
        symlink("file", place.path("link")).unwrap();
        mknodat(CWD, place.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(open_named(&place.path("link")).is_ok());
        assert!(matches!(open_named(&place.path("pipe")), Err(FileError::Kind("a named pipe"))));
    }

    #[test]
    fn a_linked_file_is_read_within_its_folder_alone() {
        let place = Place::new();
        let read =
            |name: &str| read_linked_text(&place.path(name), 8, place.writers).map_err(|error| error.to_string());
        for folder in ["in", "in/..2024_01", "in/..2024_02"] {
            make_folder(&place.path(folder), 0o755, place.writers).unwrap();
        }
        for (file, text) in [("secret", "0"), ("in/..2024_01/a", "1"), ("in/..2024_02/a", "2"), ("in/plain", "3")] {
            fs::write(place.path(file), text).unwrap();
            set_mode(&place.path(file), 0o644);
        }
        let links = [("..data/a", "in/a"), ("..2024_01", "in/..data"), ("../secret", "in/out"), ("..data/b", "in/b")];
        for (target, link) in links {
            symlink(target, place.path(link)).unwrap();
        }
        assert_eq!([read("in/a"), read("in/plain")], [Ok("1".into()), Ok("3".into())]);
        symlink("..2024_02", place.path("in/..new")).unwrap();
        fs::rename(place.path("in/..new"), place.path("in/..data")).unwrap();
        assert_eq!(read("in/a").as_deref(), Ok("2"));
        assert_eq!(read("in/out").unwrap_err(), "it is a symbolic link out of its folder, not a regular file");
        assert_eq!(read("in/b").unwrap_err(), "it is a symbolic link to nothing, not a regular file");
        let missing = read_linked_text(&place.path("in/c"), 8, place.writers).unwrap_err();
        assert!(missing.is_missing());
        set_mode(&place.path("in/..2024_02"), 0o777);
        assert!(read("in/a").unwrap_err().contains("..2024_02: every user may write it (mode 0777)"));
    }

    #[test]
    fn a_folder_is_made_closed_to_others_and_a_link_or_an_open_one_is_refused() {
        let place = Place::new();
        make_folder(&place.path("new/folder"), 0o700, place.writers).unwrap();
        for name in ["new", "new/folder"] {
            assert_eq!(fs::metadata(place.path(name)).unwrap().mode() & 0o7777, 0o700, "{name}");
        }
        symlink("new", place.path("link")).unwrap();
        symlink("nowhere", place.path("broken")).unwrap();
        fs::write(place.path("file"), "1").unwrap();
        for name in ["link", "broken"] {
            let refusal = "the folder it: it is a symbolic link: name the folder that it leads to";
            assert_eq!(place.check(name).unwrap_err(), refusal);
            assert!(make_folder(&place.path(name), 0o700, place.writers).is_err());
            // A trailing slash follows a link.
            let slashed = absolute(&place.path(&format!("{name}/"))).unwrap();
            assert!(check_folder(&slashed, place.writers).is_err());
        }
        assert_eq!(place.check("file").unwrap_err(), "the folder it: it is not a directory");
        set_mode(&place.path("new"), 0o1777);
        let open = "the folder it: every user may write it (mode 1777): chmod o-w, or name a folder inside it";
        assert_eq!(place.check("new").unwrap_err(), open);
        make_folder(&place.path("new/inside"), 0o700, place.writers).unwrap();
        assert!(check_folder(&place.path("nowhere"), place.writers).unwrap_err().is_missing());
    }
}
