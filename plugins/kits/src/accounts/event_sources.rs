//! Settings rows of an [`Accounts`](super::Accounts) that only say whose contracts emit events, as those of a
//! [`Family`](crate::family::Family).

use std::sync::Arc;

use portolan_plugin_api::{Address, Keys, Mechanism, Question, SettingsError};

use crate::events::Source;
use crate::kit::{Deployed, Kit};

/// The kit of these rows. It takes every row, so that it stands last; a row of an emitter's protocol, network and market
/// replaces it.
#[derive(Clone, Copy, Debug)]
pub struct EventSources;

impl Kit for EventSources {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        Ok(Some(Arc::new(Source::from_keys(keys)?)))
    }
}

impl Deployed for Source {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(self.clone())
    }

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
