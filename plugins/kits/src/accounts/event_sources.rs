//! Settings rows of an [`Accounts`](super::Accounts) that only name emitters of events, like those of a
//! [`Family`](crate::family::Family).

use std::sync::Arc;

use portolan_plugin_api::{Address, FromKeys, Keys, Question, SettingsError};

use crate::events::Source;
use crate::kit::{DeploymentReader, Kit};

/// The kit of rows that have events only. It takes every row, so it must be the last kit. A row replaces the emitter of
/// the same protocol, network and market.
#[derive(Clone, Copy, Debug)]
pub struct EventSourcesKit;

impl Kit for EventSourcesKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(Some(Arc::new(Source::from_keys(keys)?)))
    }
}

impl DeploymentReader for Source {
    fn contracts(&self) -> Vec<Address> {
        self.listed().collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::EVENTS]
    }

    fn emitters(&self) -> Option<Source> {
        Some(self.clone())
    }
}
