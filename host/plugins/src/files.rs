//! The files of the plugins folder: dylibs, manifests and settings, found and read.
//!
//! Invariant: nothing here runs a plugin's code, and nothing is read that others than the trusted owners may write.

pub(crate) mod elf;
pub(crate) mod manifest;
pub(crate) mod scan;
pub(crate) mod settings;
pub(crate) mod staging;
pub(crate) mod watch;
