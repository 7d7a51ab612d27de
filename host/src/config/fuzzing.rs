//! The fuzz target of the configuration file.

use portolan_base::sanitize::fuzzing::require_sentence;

use super::file::ConfigFile;
use super::{Config, ConfigError, Environment};
use crate::cli::Flags;

/// Reads any text as the configuration file. It must be a configuration within its bounds, or an error of one line
/// that names the place and repeats no URL.
pub fn configuration(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let merge = |mut document: ConfigFile<'_>| match document.take::<String>("operators.token_file")? {
        // The file of a token that it names would be read.
        Some(_) => Ok(None),
        None => Config::merge(&Flags::default(), &Environment::default(), document).map(Some),
    };
    match ConfigFile::parse("portolan.toml", text).and_then(merge) {
        Ok(Some(config)) => require_bounds(&config),
        Ok(None) => {}
        Err(error) => require_place(&error),
    }
}

fn require_place(error: &ConfigError) {
    let text = error.to_string();
    assert!(!error.place.is_empty() && !error.reason.is_empty(), "{text:?}");
    assert!(!text.contains('\n'), "{text:?}");
    require_sentence(&text);
    for (at, mark) in text.match_indices("://") {
        assert!(text[at + mark.len()..].starts_with('…'), "{text:?}");
    }
}

fn require_bounds(config: &Config) {
    assert!((1..=65_536).contains(&config.gateway.in_flight_max), "{}", config.gateway.in_flight_max);
    assert!((1..=100_000).contains(&config.gateway.logs_max), "{}", config.gateway.logs_max);
    let networks: Vec<_> = config.gateway.networks.iter().collect();
    for (place, network) in networks.iter().enumerate() {
        let names = [network.slug.as_str(), network.name.as_str()];
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_graphic())), "{names:?}");
        for other in networks.iter().skip(place + 1) {
            assert_ne!(network.chain_id, other.chain_id);
            assert!(!names.iter().any(|name| name.eq_ignore_ascii_case(&other.slug)), "{names:?}");
        }
    }
    for (chain_id, urls) in &config.gateway.rpc {
        assert!(config.gateway.networks.with_chain_id(*chain_id).is_some(), "{chain_id}");
        assert!((1..=16).contains(&urls.len()), "{chain_id}");
    }
}
