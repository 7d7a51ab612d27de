//! Every kind of file and folder that is not taken, and why; owners and modes as figures.

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
    let alice = Writers { user: ALICE, group: None };
    let with_deployers = Writers { user: ALICE, group: Some(DEPLOYERS) };
    // Owner, group, mode; whether alice's process takes it alone, and with the deployers.
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
        let taken = |writers: Writers| writers.check_mode(owner, group, mode).is_ok();
        assert_eq!((taken(alice), taken(with_deployers)), (alone, together), "{owner}:{group} {mode:o}");
    }
}

#[test]
fn a_refusal_says_what_to_do() {
    let alice = Writers { user: ALICE, group: None };
    let reason = |owner, group, mode| alice.check_mode(owner, group, mode).unwrap_err().to_string();
    let owner = "it belongs to user 1001, and this process runs as user 1000: chown it to root or to user 1000";
    assert_eq!(reason(BOB, ALICE, 0o700), owner);
    assert_eq!(reason(ALICE, ALICE, 0o777), "every user may write it (mode 0777): chmod o-w");
    let group = "group 2000 may write it (mode 2775): chmod g-w, or set trusted_group = 2000";
    assert_eq!(reason(0, DEPLOYERS, 0o2775), group);
}

struct Place {
    folder: TempDir,
    writers: Writers,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), writers: Writers::of_process(None) }
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
        // A slash at the end leads through a link.
        let slashed = absolute(&place.path(&format!("{name}/"))).unwrap();
        assert!(check_folder(&slashed, place.writers).is_err());
    }
    assert_eq!(place.check("file").unwrap_err(), "the folder it: it is no folder");
    set_mode(&place.path("new"), 0o1777);
    assert_eq!(place.check("new").unwrap_err(), "the folder it: every user may write it (mode 1777): chmod o-w");
    assert!(check_folder(&place.path("nowhere"), place.writers).unwrap_err().is_missing());
}
