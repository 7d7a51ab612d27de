//! The hosts that a plugin may read: those that its catalogue declares and the operator grants.
//!
//! Invariant: a host that is only granted or only declared is never read, and the log says so.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use url::{Position, Url};

/// The operator's grants for one plugin: hosts, some with a mirror.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostGrants(pub BTreeMap<String, Option<Mirror>>);

/// The operator's mirror of a host: any scheme (http or https), host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror(Url);

/// The text is not a mirror's URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not an http or https URL of a host without a path, for example http://127.0.0.1:8090")]
pub struct MirrorError;

/// The hosts of one instance.
#[derive(Debug, Default)]
pub struct PluginHosts {
    declared: Vec<DeclaredHost>,
    /// Granted hosts that the catalogue does not declare.
    superfluous: BTreeSet<String>,
}

/// A host that a catalogue declares.
#[derive(Debug)]
pub struct DeclaredHost {
    name: String,
    grant: Option<Option<Mirror>>,
}

/// A host in a plugin's row of `/plugins`. The serialized names must not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostStatus {
    host: String,
    granted: bool,
    /// True if the operator names a mirror.
    mirrored: bool,
}

impl Mirror {
    pub fn parse(text: &str) -> Result<Self, MirrorError> {
        let url = Url::parse(text).map_err(|_| MirrorError)?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        let is_host_alone = url.has_host() && url[Position::BeforePath..] == *"/";
        let is_web = matches!(url.scheme(), "http" | "https");
        if is_plain && is_host_alone && is_web { Ok(Self(url)) } else { Err(MirrorError) }
    }

    /// Returns the URL of a document at the mirror.
    pub(super) fn url(&self, of_host: &Url) -> Url {
        let mut url = self.0.clone();
        url.set_path(of_host.path());
        url.set_query(of_host.query());
        url
    }
}

impl PluginHosts {
    /// Combines the declared hosts with their grants.
    pub fn new(declared: &[String], HostGrants(grants): &HostGrants) -> Self {
        let superfluous = grants.keys().filter(|host| !declared.contains(host)).cloned().collect();
        let host = |name: &String| DeclaredHost { name: name.clone(), grant: grants.get(name).cloned() };
        Self { declared: declared.iter().map(host).collect(), superfluous }
    }

    pub fn find(&self, name: &str) -> Option<&DeclaredHost> {
        self.declared.iter().find(|host| host.name == name)
    }

    /// Returns notes for the operator about missing and superfluous grants.
    pub fn notes(&self, plugin: &str) -> Vec<String> {
        let denied = self.declared.iter().filter(|host| !host.is_granted()).map(|host| host.refusal(plugin));
        let superfluous = self.superfluous.iter();
        let superfluous = superfluous.map(|host| format!("{host} is granted, but the plugin does not declare it"));
        denied.chain(superfluous).collect()
    }

    pub fn status(&self) -> Vec<HostStatus> {
        let status = |host: &DeclaredHost| HostStatus {
            host: host.name.clone(),
            granted: host.is_granted(),
            mirrored: host.mirror().is_some(),
        };
        self.declared.iter().map(status).collect()
    }
}

impl DeclaredHost {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub fn is_granted(&self) -> bool {
        self.grant.is_some()
    }

    /// Describes the missing grant to the operator.
    pub fn refusal(&self, plugin: &str) -> String {
        format!("{} is not among the hosts that [plugins.{plugin}] grants", self.name)
    }

    pub(super) fn mirror(&self) -> Option<&Mirror> {
        self.grant.as_ref()?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_where_it_is_declared_and_granted() {
        let grants = HostGrants([("a.example".to_owned(), None), ("c.example".to_owned(), None)].into());
        let hosts = PluginHosts::new(&["a.example".to_owned(), "b.example".to_owned()], &grants);
        let is_granted = |name| hosts.find(name).map(DeclaredHost::is_granted);
        assert_eq!(["a.example", "b.example", "c.example"].map(is_granted), [Some(true), Some(false), None]);
        assert_eq!(
            hosts.notes("acme"),
            [
                "b.example is not among the hosts that [plugins.acme] grants",
                "c.example is granted, but the plugin does not declare it"
            ]
        );
    }

    #[test]
    fn a_mirror_is_a_host_alone_and_takes_path_and_query() {
        for text in [
            "",
            "127.0.0.1:8090",
            "ftp://127.0.0.1/",
            "http://127.0.0.1/x",
            "http://127.0.0.1/?x",
            "http://127.0.0.1/#x",
            "http://user@127.0.0.1/",
            "http://user:pass@127.0.0.1/",
        ] {
            assert_eq!(Mirror::parse(text), Err(MirrorError), "{text}");
        }
        let of_host = Url::parse("https://merkle.example.org/a/../b//c%2e?d=https://e/").unwrap();
        for (mirror, url) in [
            ("http://127.0.0.1:8090", "http://127.0.0.1:8090/b//c%2e?d=https://e/"),
            ("https://copy.internal/", "https://copy.internal/b//c%2e?d=https://e/"),
        ] {
            assert_eq!(Mirror::parse(mirror).unwrap().url(&of_host).as_str(), url);
        }
    }
}
