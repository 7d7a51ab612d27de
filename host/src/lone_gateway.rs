//! A gateway in the process of a command: it answers without listening anywhere.
//!
//! Invariant: it leaves nothing behind. Its state folder is temporary, so that another gateway may be running.

use std::fs;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use portolan_plugins::logos;
use tempfile::TempDir;
use tokio::time::Instant;

use crate::cli::Flags;
use crate::config::{Config, ConfigError, Environment};
use crate::gateway::{Gateway, GatewaySettings, StartError};

/// Time to read, probe and load the files of a folder; only a very busy machine takes longer.
pub(crate) const LOAD_TIME: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);
/// Time of one answer: nothing is cached yet, and plugins may have to walk their lists first.
pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(60);

/// Reason why there is no gateway.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoneGatewayError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot start: {0}")]
    Start(#[from] StartError),
    #[error("no temporary folder: {0}")]
    Folder(io::Error),
}

/// A gateway that listens nowhere.
pub(crate) struct LoneGateway {
    pub(crate) gateway: Arc<Gateway>,
    _state: TempDir,
}

impl LoneGateway {
    /// Starts a gateway with a state folder of its own; its plugins load from then on. Without a folder of plugins that
    /// is named or is there, it has none. `adjust` changes its settings.
    ///
    /// # Errors
    /// The configuration is wrong, a named folder of plugins is not there, or the gateway does not start.
    pub(crate) async fn start(
        mut flags: Flags,
        environment: &Environment,
        adjust: impl FnOnce(&mut GatewaySettings),
    ) -> Result<Self, LoneGatewayError> {
        let folder = tempfile::tempdir().map_err(LoneGatewayError::Folder)?;
        flags.state = Some(folder.path().join("state").display().to_string());
        let mut config = Config::load(&flags, environment)?;
        config.check_plugins_dir()?;
        if !config.gateway.plugins_dir.exists() {
            config.gateway.plugins_dir = folder.path().join("plugins");
            fs::create_dir(&config.gateway.plugins_dir).map_err(LoneGatewayError::Folder)?;
        }
        if let Some(url) = &config.public_url {
            logos::serve_at(url);
        }
        config.gateway.answer_limits.time = config.gateway.answer_limits.time.max(ANSWER_TIME);
        adjust(&mut config.gateway);
        Ok(Self { gateway: Arc::new(Gateway::start(&config.gateway).await?), _state: folder })
    }

    /// Waits until all files of the folder are loaded or refused; returns false if that takes too long.
    pub(crate) async fn is_loaded(&self) -> bool {
        holds_within(LOAD_TIME, || self.gateway.admin().registry.first_scan_done()).await
    }
}

/// Waits until a condition holds; returns false if it does not within `time`.
pub(crate) async fn holds_within(time: Duration, is_so: impl Fn() -> bool) -> bool {
    let until = Instant::now() + time;
    while !is_so() {
        if Instant::now() >= until {
            return false;
        }
        tokio::time::sleep(POLL).await;
    }
    true
}
