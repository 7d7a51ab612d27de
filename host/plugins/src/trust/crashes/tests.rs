//! Marks across processes: left behind, closed, and from another boot.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn opened(state_dir: &Path) -> Crashes {
    Crashes::open(state_dir, TrustedOwners::of_process(None)).unwrap()
}

fn manifest(plugin: &str) -> Manifest {
    let json = r#"{"plugin":"?","version":"1","abi":"1.0.0","apiRev":5,"frames":[1],"panic":"unwind"}"#;
    Manifest::parse(&json.replace('?', plugin)).unwrap()
}

/// A process that is inside a call of each of these plugins.
fn within_calls(state_dir: &Path, digests: &[u8]) -> Crashes {
    let crashes = opened(state_dir);
    for digest in digests {
        let mark = crashes.mark(Digest::of_test(*digest), &manifest("a"));
        let returned = mark.enter();
        std::mem::forget(mark.enter());
        drop(returned);
    }
    crashes
}

/// Ends the process as a kill from outside does: its file stays as it is.
fn kill(state_dir: &Path, digests: &[u8]) -> Crashes {
    let crashes = within_calls(state_dir, digests);
    drop(crashes.marks.file.write().take());
    fatal::unwatch();
    crashes
}

/// Ends the process as a fatal signal inside these calls does.
fn crash(state_dir: &Path, digests: &[u8]) -> Crashes {
    let crashes = kill(state_dir, digests);
    let running = state_dir.join(RUNNING);
    let text = fs::read_to_string(&running).unwrap();
    fs::write(&running, text.replace("\n!", "\nX")).unwrap();
    crashes
}

fn refused(crashes: &Crashes) -> Vec<u8> {
    (0..5).filter(|digest| crashes.refusal(Digest::of_test(*digest)).is_some()).collect()
}

#[test]
fn the_second_crash_refuses_a_digest_until_its_lines_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    crash(folder.path(), &[1, 2]);
    assert!(refused(&crash(folder.path(), &[1])).is_empty());
    let crashes = opened(folder.path());
    assert_eq!(refused(&crashes), [1]);
    let reason = crashes.refusal(Digest::of_test(1)).unwrap();
    assert!(reason.contains(" and ") && reason.contains(folder.path().join(CRASHES).to_str().unwrap()), "{reason}");
    // A process without a crash in between changes nothing.
    assert_eq!(refused(&opened(folder.path())), [1]);
    fs::remove_file(folder.path().join(CRASHES)).unwrap();
    assert!(refused(&crashes).is_empty());
}

#[test]
fn a_kill_from_outside_accuses_nobody() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        assert!(refused(&kill(folder.path(), &[1, 2])).is_empty());
    }
    let crashes = opened(folder.path());
    assert!(refused(&crashes).is_empty() && crashes.suspects.is_empty());
    assert!(!folder.path().join(CRASHES).exists());
}

#[test]
fn calls_that_ended_and_processes_that_ended_as_they_should_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let crashes = opened(folder.path());
        let mark = crashes.mark(Digest::of_test(1), &manifest("a"));
        let (one, other) = (mark.enter(), mark.enter());
        drop((one, other));
    }
    for _ in 0..3 {
        let crashes = within_calls(folder.path(), &[2]);
        crashes.close();
        std::mem::forget(crashes.mark(Digest::of_test(3), &manifest("b")).enter());
    }
    assert!(refused(&opened(folder.path())).is_empty());
    assert!(!folder.path().join(CRASHES).exists());
}

#[test]
fn marks_of_a_living_process_are_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        std::mem::forget(within_calls(folder.path(), &[1]));
    }
    assert!(opened(folder.path()).suspects.is_empty());
}

#[test]
fn marks_of_another_boot_are_nobodys_fault() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        crash(folder.path(), &[1]);
        let running = folder.path().join(RUNNING);
        let text = fs::read_to_string(&running).unwrap();
        let (boot_id, marks) = text.split_once('\n').unwrap();
        fs::write(&running, format!("{}\n{marks}", "0".repeat(boot_id.len()))).unwrap();
    }
    assert!(opened(folder.path()).suspects.is_empty());
}

#[test]
fn the_record_is_bounded_and_its_newest_lines_stay() {
    let folder = tempfile::tempdir().unwrap();
    let old = "2020-01-01T00:00:00Z a=a@1\n".repeat(LINES_MAX);
    let record = folder.path().join(CRASHES);
    fs::write(&record, old).unwrap();
    fs::set_permissions(&record, fs::Permissions::from_mode(0o600)).unwrap();
    crash(folder.path(), &[1]);
    opened(folder.path());
    let text = fs::read_to_string(&record).unwrap();
    assert_eq!(text.lines().count(), LINES_MAX);
    assert!(text.lines().last().unwrap().ends_with(&format!(" {}=a@1", Digest::of_test(1))));
}

#[tokio::test]
async fn suspects_run_one_at_a_time_and_others_when_they_like() {
    let folder = tempfile::tempdir().unwrap();
    crash(folder.path(), &[1, 2]);
    let crashes = opened(folder.path());
    let mark = |digest| crashes.mark(Digest::of_test(digest), &manifest("a"));
    let (one, other, unsuspected) = (mark(1), mark(2), mark(3));
    let turn = one.turn().await;
    assert!(turn.is_some());
    let waits = tokio::time::timeout(std::time::Duration::from_millis(20), other.turn());
    assert!(waits.await.is_err(), "two suspects at a time");
    assert!(unsuspected.turn().await.is_none());
    drop(turn);
    assert!(other.turn().await.is_some());
}
