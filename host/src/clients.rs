//! Who the clients of the public listeners are, by their addresses or by API keys, and what each may use.
//!
//! Invariant: whatever counts by client counts by the [`ClientId`] that is found here.

pub(crate) mod addresses;
pub(crate) mod keys;
pub(crate) mod new_key;
pub(crate) mod shared_reads;
pub(crate) mod usage;

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use hyper::HeaderMap;
use metrics::counter;
use portolan_base::client_share::ClientShare;
use portolan_reader::ClientId;

use self::addresses::ClientAddresses;
use self::keys::{ApiKey, ApiKeys, KeyFileError, KeyFileWatch, KeyRefusal, KeySettings, NO_KEY};
use self::usage::{ClientLimits, ClientUsage, LimitHeaders, LimitReached, RequestTaken, Usages, whole_seconds};

/// The settings of `[clients]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    pub(crate) addresses: ClientAddresses,
    pub(crate) keys: Option<KeySettings>,
    /// Limits of clients without a key.
    pub(crate) limits: ClientLimits,
}

/// Finds the clients of requests. One instance for the public listeners, and one without keys for operators.
#[derive(Debug)]
pub(crate) struct Clients {
    pub(crate) addresses: ClientAddresses,
    keys: Option<ApiKeys>,
    usages: Usages,
}

/// The client of one request.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The whole address; `None` for a request without a connection.
    pub(crate) address: Option<IpAddr>,
    pub(crate) usage: Arc<ClientUsage>,
    pub(crate) key: Result<Option<Arc<ApiKey>>, KeyRefusal>,
    /// Set once the request was counted.
    taken: OnceLock<RequestTaken>,
}

impl Clients {
    /// Reads the keys, if there is a file of them.
    ///
    /// # Errors
    /// The file is broken.
    pub(crate) fn read(settings: &ClientSettings) -> Result<Self, KeyFileError> {
        let keys = settings.keys.as_ref().map(ApiKeys::read).transpose()?;
        Ok(Self { addresses: settings.addresses.clone(), keys, usages: Usages::new(settings.limits) })
    }

    /// Returns clients without proxies, keys and limits.
    pub(crate) fn direct(&self) -> Self {
        let trusted_proxies = Vec::new();
        let addresses = ClientAddresses { trusted_proxies, ..self.addresses.clone() };
        Self { addresses, keys: None, usages: Usages::new(ClientLimits::default()) }
    }

    /// Reads the file of keys again whenever it changes, until the returned value is dropped.
    pub(crate) fn watch_keys(&self) -> Option<KeyFileWatch> {
        self.keys.as_ref().map(ApiKeys::watch)
    }

    /// Returns the key of a request, if it has one.
    pub(crate) fn key(&self, headers: &HeaderMap) -> Result<Option<Arc<ApiKey>>, KeyRefusal> {
        self.keys.as_ref().map_or(Ok(None), |keys| keys.of_request(headers))
    }

    /// Returns the names of the keys, and that of having none: the values of the metrics' label.
    pub(crate) fn key_names(&self) -> impl Iterator<Item = String> {
        self.keys.iter().flat_map(ApiKeys::names).chain([NO_KEY.to_owned()])
    }

    /// Passes on what each known client uses that may be limited to some reads a day.
    fn each_with_daily_reads(&self, mut take: impl FnMut(&ClientUsage)) {
        self.keys.iter().flat_map(ApiKeys::usages).for_each(|usage| take(&usage));
        self.usages.with_daily_reads().for_each(|usage| take(&usage));
    }

    /// Returns what a client without a key may use.
    pub(crate) fn usage(&self, id: ClientId) -> Arc<ClientUsage> {
        self.usages.of(id)
    }
}

impl Caller {
    pub(crate) fn new(
        address: Option<IpAddr>,
        usage: Arc<ClientUsage>,
        key: Result<Option<Arc<ApiKey>>, KeyRefusal>,
    ) -> Self {
        Self { address, usage, key, taken: OnceLock::new() }
    }

    /// Returns the gateway's own commands as a client.
    pub(crate) fn own() -> Self {
        Self::new(None, ClientUsage::new(ClientLimits::default(), ClientShare::new(None)), Ok(None))
    }

    /// Returns the client of another request.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.address, Arc::clone(&self.usage), self.key.clone())
    }

    /// Counts the request; returns the seconds after which it may be made again if it is one too many.
    pub(crate) fn take_request(&self) -> Option<u64> {
        self.taken.get_or_init(|| self.usage.take_request()).wait.map(whole_seconds)
    }

    /// Returns the headers for the answer to a request that was counted; `None` without limits.
    pub(crate) fn limit_headers(&self) -> Option<LimitHeaders> {
        self.usage.headers(*self.taken.get()?)
    }

    /// Counts a refusal by a limit.
    pub(crate) fn count_refusal(&self, limit: LimitReached) {
        let key = self.key_name().unwrap_or(NO_KEY).to_owned();
        counter!("portolan_client_refusals_total", "key" => key, "limit" => limit.as_str()).increment(1);
    }

    /// Returns the name of the request's key.
    pub(crate) fn key_name(&self) -> Option<&str> {
        self.key.as_ref().ok()?.as_deref().map(|key| &*key.name)
    }
}
