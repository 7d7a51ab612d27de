//! URL of an account's document at a server, as a row names it.
//!
//! Invariant: a document proves nothing. Who reads it compares it with what contracts say.

use portolan_plugin_api::{Address, Bytes, Error, JobContext, NoDocument, SettingsError, off_chain};

/// Placeholder for the account's address in lower case.
pub(crate) const ACCOUNT: &str = "{account}";
/// Placeholder for the chain id.
pub(crate) const NETWORK: &str = "{network}";
const SCHEME: &str = "https://";

/// A URL with placeholders, of a host that a catalogue may declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccountUrl(String);

impl AccountUrl {
    /// Creates it from the value of a key.
    ///
    /// # Errors
    /// If the host is not a DNS name, or the URL lacks one of the placeholders that `example` has.
    pub(crate) fn new(url: &str, key: &str, example: &str) -> Result<Self, SettingsError> {
        let is_host = host(url).is_some_and(|host| off_chain::check_host(host).is_ok());
        let lacks = |placeholder: &&str| example.contains(*placeholder) && !url.contains(*placeholder);
        if !is_host || [ACCOUNT, NETWORK].iter().any(lacks) {
            return Err(SettingsError::new(format!("{url:?} is not like {example}")).at(key));
        }
        Ok(Self(url.to_owned()))
    }

    /// Returns the host, for the catalogue.
    pub(crate) fn hosts(&self) -> Vec<String> {
        host(&self.0).map(str::to_owned).into_iter().collect()
    }

    /// Returns the account's document. `None` if the server has none, or the operator does not allow the host, which the
    /// gateway reports.
    ///
    /// # Errors
    /// If the server does not answer; the message begins with `contract`.
    pub(crate) async fn document(
        &self,
        cx: &JobContext,
        contract: Address,
        account: Address,
    ) -> Result<Option<Bytes>, Error> {
        let url = self.0.replace(ACCOUNT, &format!("{account:#x}")).replace(NETWORK, &cx.network().to_string());
        match cx.try_http_get(&url).await? {
            Ok(body) => Ok(Some(body)),
            Err(NoDocument::NotFound | NoDocument::NotAllowed) => Ok(None),
            Err(other) => Err(Error::new(format!("{contract}: {other}"))),
        }
    }
}

fn host(url: &str) -> Option<&str> {
    url.strip_prefix(SCHEME)?.split('/').next()
}
