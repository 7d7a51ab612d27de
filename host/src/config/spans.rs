//! Export of spans: `[spans]`. Invariant: there is a collector only if the build can export to one.

use url::Url;

use super::ConfigError;
use super::file::SpansTable;
use super::layer::{Key, Layers};

const COLLECTOR: Key = Key { file: "spans.collector", flag: None };

/// Reads the collector's URL.
pub(super) fn read(table: SpansTable, layers: &Layers<'_>) -> Result<Option<Url>, ConfigError> {
    let Some(setting) = layers.pick(COLLECTOR, None, table.collector) else { return Ok(None) };
    if cfg!(not(feature = "otlp")) {
        return Err(setting.unusable("needs a build with the feature otlp: cargo build --release --features otlp"));
    }
    collector(&setting.text)
        .map(Some)
        .ok_or_else(|| setting.unusable("is not a collector's URL, for example http://127.0.0.1:4318"))
}

/// Parses a URL without secrets, which belong in headers.
fn collector(text: &str) -> Option<Url> {
    let is_collector = |url: &Url| {
        let is_plain = url.username().is_empty() && url.password().is_none();
        matches!(url.scheme(), "http" | "https") && is_plain && url.query().is_none() && url.fragment().is_none()
    };
    Url::parse(text).ok().filter(is_collector)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(not(feature = "otlp"))]
    use crate::config::Environment;

    #[test]
    #[cfg(not(feature = "otlp"))]
    fn a_build_without_export_refuses_a_collector() {
        let environment = Environment::from([("PORTOLAN_SPANS_COLLECTOR", "http://127.0.0.1:4318/SECRET")]);
        let layers = Layers { environment: &environment, file: "a.toml" };
        let error = read(SpansTable::default(), &layers).unwrap_err().to_string();
        assert!(error.starts_with("PORTOLAN_SPANS_COLLECTOR: it needs a build with the feature otlp"), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }

    #[test]
    fn a_collector_is_an_http_url_without_secrets() {
        assert_eq!(collector("https://collector.example/otlp").unwrap().path(), "/otlp");
        let others =
            ["collector:4317", "grpc://collector", "http://me:SECRET@collector", "http://collector/?key=SECRET"];
        assert!(others.iter().all(|text| collector(text).is_none()));
    }
}
