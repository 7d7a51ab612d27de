//! Builds of a plugin without building: the bytes of a dylib with texts of equal length exchanged.
//!
//! The version stands in the manifest's note, in the manifest's text and wherever the code returns it, so all places
//! change together, and the file gets a digest of its own as after any rebuild.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// The version that the tests' plugin is built with.
const BUILT_VERSION: &str = "1.0.100";

/// A dylib's bytes.
#[derive(Clone, Debug)]
pub struct Dylib {
    bytes: Vec<u8>,
    /// Where its version stands.
    versions: Vec<usize>,
}

impl Dylib {
    /// Reads the dylib of the tests' plugin.
    ///
    /// # Errors
    /// Where it is not there, or has another version.
    pub fn read(file: &Path) -> Result<Self> {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        let versions = places(&bytes, BUILT_VERSION)?;
        Ok(Self { bytes, versions })
    }

    /// As it was built.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// As another build: `number` is the third of its version, 100 to 999.
    ///
    /// # Errors
    /// For another number.
    pub fn as_build(&self, number: u32) -> Result<Vec<u8>> {
        written(&self.bytes, &self.versions, BUILT_VERSION, &format!("1.0.{number}"))
    }

    /// With every occurrence of a text exchanged for another one.
    ///
    /// # Errors
    /// Where the text is not there, or the other one is not as long.
    pub fn exchanged(&self, from: &str, to: &str) -> Result<Vec<u8>> {
        written(&self.bytes, &places(&self.bytes, from)?, from, to)
    }
}

/// Where a text stands; it must somewhere.
fn places(bytes: &[u8], text: &str) -> Result<Vec<usize>> {
    let windows = bytes.windows(text.len()).enumerate();
    let places: Vec<usize> = windows.filter(|(_, window)| *window == text.as_bytes()).map(|(at, _)| at).collect();
    ensure!(!places.is_empty(), "{text} does not stand in the dylib");
    Ok(places)
}

fn written(bytes: &[u8], places: &[usize], from: &str, to: &str) -> Result<Vec<u8>> {
    ensure!(from.len() == to.len(), "{from} and {to} are not of one length");
    let mut bytes = bytes.to_vec();
    for at in places {
        bytes[*at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    Ok(bytes)
}
