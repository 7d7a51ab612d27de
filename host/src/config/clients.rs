//! Clients of the public listeners: `[clients]`.

use std::num::NonZero;

use portolan_base::files::TrustedOwners;

use super::ConfigError;
use super::layers::Layers;
use super::settings::Settings;
use crate::clients::ClientSettings;
use crate::clients::addresses::ClientAddresses;
use crate::clients::keys::KeySettings;
use crate::clients::usage::ClientLimits;

pub(super) fn settings(settings: &Settings, layers: &Layers<'_>) -> Result<ClientSettings, ConfigError> {
    let writers = TrustedOwners::of_process(settings.trusted_group);
    let file = settings.keys_file.as_ref().map(|file| file.path.clone().into());
    let limits = ClientLimits {
        per_second: NonZero::new(settings.client_per_second_max),
        burst: NonZero::new(settings.client_burst_max),
        answers: NonZero::new(settings.client_answers_max),
        reads_per_day: NonZero::new(settings.client_reads_per_day_max),
    };
    // A key may have a rate of its own.
    if limits.burst.is_some() && limits.per_second.is_none() && file.is_none() {
        return Err(ConfigError::new(
            layers.place("clients.burst_max"),
            "has no effect without clients.per_second_max",
        ));
    }
    let keys = file.map(|file| KeySettings { file, are_required: settings.are_keys_required, writers, limits });
    if settings.are_keys_required && keys.is_none() {
        return Err(ConfigError::new(
            layers.place("clients.keys"),
            "is \"required\", and clients.keys_file names no file of keys",
        ));
    }
    let addresses = ClientAddresses {
        trusted_proxies: settings.trusted_proxies.clone(),
        proxy_header: settings.proxy_header,
        ipv6_prefix: settings.ipv6_prefix,
    };
    Ok(ClientSettings { addresses, keys, limits })
}
