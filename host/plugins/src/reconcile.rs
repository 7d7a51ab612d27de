//! The task that keeps the registry in step with the folder and with the operator's decisions.

pub mod commands;
pub(crate) mod entry;
pub(crate) mod plugin_table;
pub(crate) mod published;
pub(crate) mod reconciler;
pub(crate) mod status;
