//! A gateway with one plugin, for the commands that try a plugin before it is served.
//!
//! Invariant: it listens nowhere and leaves nothing behind; the folders of plugins and state are temporary.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_fixtures::FixtureError;
use portolan_plugins::{PluginStatus, signature_files};
use tempfile::TempDir;

use crate::cli::{Flags, PluginFile};
use crate::config::Environment;
use crate::gateway::Gateway;
use crate::jobs::record::JobRecords;
use crate::lone_gateway::{ANSWER_TIME, LOAD_TIME, LoneGateway, LoneGatewayError};

/// Reason why a plugin cannot be tried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LonePluginError {
    #[error("{0}: {1}")]
    File(String, io::Error),
    /// An argument that is not what it should be.
    #[error("{0}")]
    Argument(String),
    #[error(transparent)]
    Gateway(#[from] LoneGatewayError),
    #[error("{0} is not written: {1}")]
    Record(String, FixtureError),
    #[error("{file} is refused: {reason}")]
    Refused { file: String, reason: String },
}

impl LonePluginError {
    /// Returns true if the command line or a file that it names is wrong.
    pub(crate) fn is_misuse(&self) -> bool {
        matches!(self, Self::File(..) | Self::Argument(_) | Self::Gateway(LoneGatewayError::Config(_)))
    }
}

/// A gateway with one plugin.
pub(crate) struct LonePlugin {
    pub(crate) gateway: Arc<Gateway>,
    _lone: LoneGateway,
    _folder: TempDir,
}

impl LonePlugin {
    /// Starts a gateway with copies of the plugin's files, and waits until the plugin is loaded. Its jobs go to
    /// `records`, if they are to be recorded.
    ///
    /// # Errors
    /// A file cannot be read, the configuration is wrong, or the plugin is refused.
    pub(crate) async fn start(
        of: &PluginFile,
        environment: &Environment,
        records: Option<Arc<JobRecords>>,
    ) -> Result<Self, LonePluginError> {
        let folder = tempfile::tempdir().map_err(LoneGatewayError::Folder)?;
        let plugins = folder.path().join("plugins");
        fs::create_dir(&plugins).map_err(LoneGatewayError::Folder)?;
        let signature = signature_files(&of.file).into_iter().filter(|file| file.exists());
        let settings =
            of.settings.clone().or_else(|| settings_beside(&of.file).into_iter().find(|file| file.is_file()));
        let functions = Some(functions_beside(&of.file)).filter(|file| file.exists());
        for file in [of.file.clone()].into_iter().chain(settings).chain(functions).chain(signature) {
            let copied = file
                .file_name()
                .map_or_else(|| Err(io::ErrorKind::InvalidInput.into()), |name| copy(&file, &plugins.join(name)));
            copied.map_err(|error| LonePluginError::File(file.display().to_string(), error))?;
        }
        let serve = Flags {
            config: of.config.clone(),
            plugins: Some(plugins.display().to_string()),
            rpc: of.rpc.clone(),
            ..Flags::default()
        };
        let lone = LoneGateway::start(serve, environment, |settings| {
            settings.token_lists.locations.clear();
            settings.answer_limits.time = ANSWER_TIME;
            settings.records = records;
        })
        .await?;
        loaded(&lone).await?;
        Ok(Self { gateway: Arc::clone(&lone.gateway), _lone: lone, _folder: folder })
    }
}

/// All files that a try reads, whether they are there or not; the dylib first.
pub(crate) fn files(of: &PluginFile) -> Vec<PathBuf> {
    let settings = of.settings.clone().map_or_else(|| settings_beside(&of.file), |file| vec![file]);
    let others = [of.file.clone(), functions_beside(&of.file)];
    others.into_iter().chain(settings).chain(signature_files(&of.file)).collect()
}

/// The operator's table of claim functions in the dylib's folder.
fn functions_beside(dylib: &Path) -> PathBuf {
    dylib.with_file_name(portolan_validation::FILE_NAME)
}

/// The settings files in the dylib's folder, the first of which counts: those of `libacme_v2.so` are `acme-v2.toml` and
/// `acme_v2.toml`.
fn settings_beside(dylib: &Path) -> Vec<PathBuf> {
    let stem = dylib.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.strip_prefix("lib").unwrap_or(&stem);
    [name.replace('_', "-"), name.to_owned()].map(|name| dylib.with_file_name(format!("{name}.toml"))).into()
}

/// Copies a file, so that the copy belongs to this user alone, whoever may write the original.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::write(to, fs::read(from)?)
}

/// Waits until all files of the folder are loaded.
async fn loaded(lone: &LoneGateway) -> Result<(), LonePluginError> {
    let is_loaded = lone.is_loaded().await;
    let refusal = |row: PluginStatus| {
        let reason = row.reason?;
        Some(LonePluginError::Refused { file: row.file, reason })
    };
    let refused = lone.gateway.admin().registry.status().into_iter().find_map(refusal);
    let late = || LonePluginError::Refused { file: "it".into(), reason: format!("it was not loaded in {LOAD_TIME:?}") };
    refused.or_else(|| (!is_loaded).then(late)).map_or(Ok(()), Err)
}
