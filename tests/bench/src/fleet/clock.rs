//! The clock of one gateway, which may be wrong while all others of the machine are right.
//!
//! A library that the gateway preloads moves the time of day alone, as a wrong clock does. libfaketime, which packages
//! have, moves the clocks of processor time too, by which a gateway bounds its plugins.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

const SOURCE: &str = include_str!("clock.c");

/// The clock, which is right until it is set.
#[derive(Debug)]
pub(super) struct Clock {
    folder: TempDir,
}

impl Clock {
    /// Builds the library.
    pub(super) fn right() -> Result<Self> {
        let clock = Self { folder: tempfile::tempdir()? };
        clock.set(0)?;
        let source = clock.file("clock.c");
        fs::write(&source, SOURCE)?;
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O2", "-o"]).arg(clock.file("clock.so")).arg(&source);
        let done = compiler.output().context("cc")?;
        ensure!(done.status.success(), "cc: {}", String::from_utf8_lossy(&done.stderr));
        Ok(clock)
    }

    /// Sets by how many seconds it is ahead.
    pub(super) fn set(&self, ahead_s: i64) -> Result<()> {
        // The gateway maps the file: it stays the same one, of the same length.
        let file = File::options().write(true).create(true).truncate(false).open(self.file("off"))?;
        Ok(file.write_all_at(&ahead_s.to_ne_bytes(), 0)?)
    }

    /// The variables of a process that goes by it.
    pub(super) fn variables(&self) -> [(&'static str, String); 2] {
        [("LD_PRELOAD", "clock.so"), ("CLOCK_OFF_FILE", "off")]
            .map(|(name, file)| (name, self.file(file).to_string_lossy().into_owned()))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
