//! A worker without a gateway, for benchmarks.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::files::elf;
use crate::files::manifest::Manifest;
use crate::files::staging::Digest;
use crate::limits::DEFAULT;
use crate::load::runner::workers::{WorkerBuild, Workers};
use crate::load::worker::spawner::Spawner;

/// A worker that has loaded a dylib.
#[derive(Debug)]
pub struct LoneWorker(Workers);

impl LoneWorker {
    /// Starts it as the gateway would, up to the self-test. The running executable has to call
    /// [`crate::worker::main`] where its argument is `worker`.
    ///
    /// # Errors
    /// The file is not a plugin, or its worker does not start.
    pub async fn start(file: &Path) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let bytes = fs::read(file)?;
        let manifest = Manifest::parse(elf::lint(&bytes)?)?;
        let build = WorkerBuild {
            file: file.to_owned(),
            manifest: serde_json::to_string(&manifest)?,
            label: manifest.label(),
            digest: Digest::default(),
            limits: DEFAULT,
        };
        let workers = Workers::new(build, Spawner::start()?);
        workers.probe().await?;
        Ok(Self(workers))
    }

    /// Sends a message with this body, and waits for the reply: about a job that there is not, so that no code of the
    /// plugin runs.
    pub async fn round_trip(&self, body: &Arc<[u8]>) {
        self.0.round_trip(body).await;
    }
}
