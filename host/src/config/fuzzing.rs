//! The fuzz target of the configuration file.

use portolan_base::sanitize::fuzzing::require_sentence;

use super::file::File;
use super::{ANSWERS_IN_FLIGHT, ANSWERS_LOGS, Config, ConfigError, Environment, IN_FLIGHT, LOGS};
use crate::cli::Flags;

/// Reads any text as the configuration file. It must be a configuration within its bounds, or an error of one line
/// that names the place and repeats no URL.
pub fn configuration(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let file = match File::parse("portolan.toml", text) {
        // The file of a token that it names would be read.
        Ok(file) if file.tables.operators.token_file.is_some() => return,
        file => file,
    };
    match file.and_then(|file| Config::merge(&Flags::default(), &Environment::default(), file)) {
        Ok(config) => require_bounds(&config),
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
    assert!(IN_FLIGHT.1.contains(&(config.gateway.in_flight_max as u64)), "{}", ANSWERS_IN_FLIGHT.file);
    assert!(LOGS.1.contains(&(config.gateway.logs_max as u64)), "{}", ANSWERS_LOGS.file);
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
