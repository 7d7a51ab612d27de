//! Why a plugin did not answer a call.

use portolan_abi::map::SettingsError;

/// Reason why a plugin did not answer a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunFailure {
    /// The call did not return before its deadline; the job must not be resumed again.
    #[error(
        "the plugin did not return in time: look for a loop without an end, or for seconds of computing between two \
         reads"
    )]
    Timeout,
    /// Too many earlier calls have not returned; nothing was called.
    #[error("too many calls to the plugin have not returned")]
    Stuck,
    /// The call ended the plugin's process.
    #[error("{0}")]
    Crashed(String),
    /// Processes of the plugin were killed from outside, one after another; the plugin is not at fault.
    #[error("{0}")]
    Lost(String),
    /// The plugin has reached a limit of the operator's; nothing was called.
    #[error("the plugin has reached `plugins.limits.{0}`")]
    Limit(&'static str),
    /// The plugin violated the interface: empty, oversized or malformed bytes, or an unknown job.
    #[error("{0}")]
    Fault(String),
    /// The plugin refused its settings.
    #[error("settings refused: {}", .0.message)]
    Settings(SettingsError),
    /// The plugin refused to start the job.
    #[error("{0}")]
    Start(String),
}
