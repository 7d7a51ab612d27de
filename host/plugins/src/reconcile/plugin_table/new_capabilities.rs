//! Builds that may do more than the one before: they wait for the operator, or the log names what is new.

use std::sync::Arc;

use super::{PluginTable, Retry};
use crate::files::staging::Digest;
use crate::serve::instance::{Instance, InstanceKey};
use crate::trust::capabilities::Capabilities;

impl PluginTable {
    /// Puts an instance in force unless it has to wait for the operator.
    pub(super) fn install_or_hold_back(&mut self, name: &str, instance: Arc<Instance>, key: InstanceKey) {
        let digest = key.digest;
        if let Some(added) = self.new_capabilities(name, &instance, digest) {
            if self.policy.holds_back(digest, name) {
                let accept = format!("`portolan plugin accept {name}` serves it");
                let reason = format!("it may do what the build before may not: {added}; {accept}");
                return self.refuse(name, reason, Retry::WhenAccepted);
            }
            let added = added.to_string();
            tracing::warn!(plugin = name, %digest, added, "a build may do what the build before may not");
        }
        self.install(name, instance, key, None);
    }

    /// The capabilities of a build that the last known good one of its plugin does not have.
    fn new_capabilities(&self, name: &str, instance: &Instance, digest: Digest) -> Option<Capabilities> {
        let good = self.known_good.get(name)?;
        if good.builds().any(|build| build.digest == digest) {
            return None;
        }
        instance.may_do().beyond(good.current.capabilities.as_ref()?)
    }
}
