//! Who the clients of the public listeners are: by their addresses, or by API keys.
//!
//! Invariant: whatever counts by client counts by the [`ClientId`] that is found here.

pub(crate) mod addresses;
pub(crate) mod keys;
pub(crate) mod new_key;

use std::net::IpAddr;
use std::sync::Arc;

use hyper::HeaderMap;
use portolan_base::client_share::ClientShare;
use portolan_reader::ClientId;

use self::addresses::ClientAddresses;
use self::keys::{ApiKey, ApiKeys, KeyFileError, KeyFileWatch, KeyRefusal, KeySettings};

/// The settings of `[clients]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    pub(crate) addresses: ClientAddresses,
    pub(crate) keys: Option<KeySettings>,
}

/// Finds the clients of requests. One instance for the public listeners, and one without keys for operators.
#[derive(Debug)]
pub(crate) struct Clients {
    pub(crate) addresses: ClientAddresses,
    keys: Option<ApiKeys>,
}

/// The client of one request.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The whole address; `None` for a request without a connection.
    pub(crate) address: Option<IpAddr>,
    pub(crate) share: Arc<ClientShare>,
    pub(crate) key: Result<Option<Arc<ApiKey>>, KeyRefusal>,
}

impl Clients {
    /// Reads the keys, if there is a file of them.
    ///
    /// # Errors
    /// The file is broken.
    pub(crate) fn read(settings: &ClientSettings) -> Result<Self, KeyFileError> {
        let keys = settings.keys.as_ref().map(ApiKeys::read).transpose()?;
        Ok(Self { addresses: settings.addresses.clone(), keys })
    }

    /// Returns clients without proxies and keys.
    pub(crate) fn direct(&self) -> Self {
        let trusted_proxies = Vec::new();
        Self { addresses: ClientAddresses { trusted_proxies, ..self.addresses.clone() }, keys: None }
    }

    /// Reads the file of keys again whenever it changes, until the returned value is dropped.
    pub(crate) fn watch_keys(&self) -> Option<KeyFileWatch> {
        self.keys.as_ref().map(ApiKeys::watch)
    }

    /// Returns the key of a request, if it has one.
    pub(crate) fn key(&self, headers: &HeaderMap) -> Result<Option<Arc<ApiKey>>, KeyRefusal> {
        self.keys.as_ref().map_or(Ok(None), |keys| keys.of_request(headers))
    }

    /// Returns a new client behind an address.
    pub(crate) fn share(&self, id: ClientId) -> Arc<ClientShare> {
        ClientShare::new(Some(id))
    }
}

impl Caller {
    /// Returns the gateway's own commands as a client.
    pub(crate) fn own() -> Self {
        Self { address: None, share: ClientShare::new(None), key: Ok(None) }
    }

    /// Returns the name of the request's key.
    pub(crate) fn key_name(&self) -> Option<&str> {
        self.key.as_ref().ok()?.as_deref().map(|key| &*key.name)
    }
}
