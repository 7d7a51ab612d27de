//! Loads a dylib into this process and checks it: the host, a worker or a probe.
//!
//! Invariant: a dylib is never closed, because its code or data may still be in use. The layout check takes the plugin's
//! layout as the interface, so that a host with more functions accepts a plugin with fewer.
#![expect(unsafe_code, reason = "dlopen, and the root module behind a symbol")]

use std::error::Error;
use std::iter::successors;
use std::mem::ManuallyDrop;
use std::path::Path;

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use abi_stable::library::{AbiHeaderRef, ROOT_MODULE_LOADER_NAME_WITH_NUL};
use libloading::os::unix::{Library as Dylib, RTLD_LOCAL, RTLD_NOW};
use portolan_abi::root::PluginRef;
use portolan_base::sanitize;

use crate::files::manifest::{Manifest, ManifestError};

/// Maximum length of a reason: one or two lines of a terminal.
pub(crate) const REASON_CHARS_MAX: usize = 300;

/// Reason why a dylib is not a plugin of this host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("cannot load it: {0}")]
    Loader(String),
    #[error("it needs glibc {0}, which is newer than this system's: build it on the oldest system that shall run it")]
    Glibc(String),
    #[error("not a Portolan plugin: it exports no root module")]
    NoRootModule,
    #[error("its root module is made by another version of abi_stable, or another C ABI")]
    Header(String),
    #[error("its root module has another layout than interface revision {}", portolan_abi::API_REV)]
    Layout(String),
    #[error("its root module does not start: {0}")]
    Init(String),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("its functions return another manifest than the one in its note")]
    OtherManifest,
}

impl OpenError {
    /// The long text behind the message: kilobytes, for the debug level.
    pub(crate) fn details(&self) -> Option<&str> {
        match self {
            Self::Header(text) | Self::Layout(text) => Some(text),
            _ => None,
        }
    }
}

/// Loads a dylib and checks that its manifest is `manifest`. Runs its constructors.
pub(crate) fn open(path: &Path, manifest: &Manifest) -> Result<PluginRef, OpenError> {
    // SAFETY: the file is a staged copy that nobody writes to, and its segments lie inside it (`elf::lint`). Before the
    // host opens it, its constructors have run in a probe process. Symbols resolve now and stay local.
    let dylib = unsafe { Dylib::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let dylib = ManuallyDrop::new(dylib.map_err(|error| refused(of_file(&error, path)))?);
    // SAFETY: a library of this name exports its header there, whose first bytes `upgrade` checks before it trusts
    // the rest; the library is never closed.
    let header = unsafe { dylib.get::<AbiHeaderRef>(ROOT_MODULE_LOADER_NAME_WITH_NUL) };
    let header: AbiHeaderRef = *header.map_err(|_| OpenError::NoRootModule)?;
    let header = header.upgrade().map_err(|error| OpenError::Header(error.to_string()))?;
    let layout = header.layout().ok_or_else(|| OpenError::Layout("it has none to check".into()))?;
    check_layout_compatibility(layout, PluginRef::LAYOUT).map_err(|error| OpenError::Layout(error.to_string()))?;
    // SAFETY: the layout has just been checked: each function that the plugin has is of the host's type.
    let plugin = unsafe { header.init_root_module_with_unchecked_layout::<PluginRef>() };
    let plugin = plugin.map_err(|error| OpenError::Init(of_file(&error, path)))?;
    let returned = Manifest::parse(plugin.manifest()().as_str())?;
    if returned != *manifest || plugin.api_rev() != manifest.api_rev {
        return Err(OpenError::OtherManifest);
    }
    Ok(plugin)
}

/// Returns why the loader refused a file, by the loader's words.
fn refused(words: String) -> OpenError {
    let missing = words.split_once("version `GLIBC_").and_then(|(_, rest)| rest.split_once("' not found"));
    let version = missing.map(|(version, _)| version.to_owned());
    version.map_or(OpenError::Loader(words), OpenError::Glibc)
}

/// Joins an error and its sources, the dynamic loader's message among them, to one line. Replaces the long path of
/// the staged copy with `it`.
fn of_file(error: &(dyn Error + 'static), path: &Path) -> String {
    let line = |error: &dyn Error| error.to_string().lines().next().unwrap_or_default().trim().to_owned();
    let chain = successors(Some(error), |error| Error::source(*error)).map(line).filter(|line| !line.is_empty());
    let (text, path) = (chain.collect::<Vec<_>>().join(": "), path.display().to_string());
    sanitize::plain(&text.replace(&format!("{path}: "), "").replace(&path, "it"), REASON_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_own_words_are_told_without_the_name_of_the_staged_copy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.so");
        std::fs::write(&file, [0; 4_096]).unwrap();
        let json = r#"{"plugin":"a","version":"1","abi":"1.0.0","apiRev":5,"frames":[1],"panic":"unwind"}"#;
        let refused = open(&file, &Manifest::parse(json).unwrap()).map(drop).unwrap_err().to_string();
        assert_eq!(refused, "cannot load it: dlopen failed: invalid ELF header");
    }

    #[test]
    fn a_glibc_that_is_too_old_is_named() {
        let words = "dlopen failed: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by it)";
        assert_eq!(refused(words.to_owned()), OpenError::Glibc("2.99".to_owned()));
        assert_eq!(refused("no such file".to_owned()), OpenError::Loader("no such file".to_owned()));
    }

    #[test]
    fn foreign_words_are_cleaned_and_cut() {
        #[derive(Debug, thiserror::Error)]
        #[error("failed")]
        struct Outer(#[source] std::io::Error);

        let told = |words: &str| of_file(&Outer(std::io::Error::other(words.to_owned())), Path::new("/state/1.so"));
        assert_eq!(
            told("libc.so.6: needs\u{202e} 2.9 (required by /state/1.so)\nmore"),
            "failed: libc.so.6: needs 2.9 (required by it)"
        );
        assert_eq!(told(&"x".repeat(1_000)).chars().count(), REASON_CHARS_MAX);
    }
}
