//! Export of spans: `[spans]`. Invariant: a collector is named only where the build can export to one.

use url::Url;

use super::ConfigError;
use super::file::SpansTable;
use super::layer::{Key, Layers};

const COLLECTOR: Key = Key { file: "spans.collector", flag: None };

/// The collector's URL.
pub(super) fn read(table: SpansTable, layers: &Layers<'_>) -> Result<Option<Url>, ConfigError> {
    let Some(setting) = layers.pick(COLLECTOR, None, table.collector) else { return Ok(None) };
    if cfg!(not(feature = "otlp")) {
        return Err(setting.unusable("needs a build with the feature otlp: cargo build --release --features otlp"));
    }
    let url = Url::parse(&setting.text).ok();
    let is_collector = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    let url = url.filter(is_collector);
    url.map(Some).ok_or_else(|| setting.unusable("is no URL of a collector, like http://127.0.0.1:4318"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    fn collector(text: &str) -> Result<Option<Url>, String> {
        let environment = Environment::default();
        let layers = Layers { environment: &environment, file: "a.toml" };
        read(SpansTable { collector: Some(text.to_owned()) }, &layers).map_err(|error| error.to_string())
    }

    #[test]
    #[cfg(not(feature = "otlp"))]
    fn a_build_without_export_refuses_a_collector() {
        let error = collector("http://127.0.0.1:4318/SECRET").unwrap_err();
        assert!(error.starts_with("a.toml: spans.collector: it needs a build with the feature otlp"), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }

    #[test]
    #[cfg(feature = "otlp")]
    fn a_collector_is_an_http_url_without_secrets() {
        assert_eq!(collector("https://collector.example/otlp").unwrap().unwrap().path(), "/otlp");
        for text in ["collector:4317", "grpc://collector", "http://me:SECRET@collector", "http://collector/?key=SECRET"]
        {
            let error = collector(text).unwrap_err();
            assert_eq!(error, "a.toml: spans.collector: it is no URL of a collector, like http://127.0.0.1:4318");
        }
    }
}
