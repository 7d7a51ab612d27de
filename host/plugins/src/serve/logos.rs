//! Logos of protocols: published ones from a public repository, else a drawing that the gateway serves.
//!
//! Invariant: every logo URL leads to an image. A drawing follows from the slug alone, so that its URL stays valid
//! after the plugin is gone.

mod drawing;
mod published;

use std::sync::OnceLock;

use portolan_validation::is_slug;

pub use self::drawing::draw;

/// URL at which clients reach the base listener: the configuration's `public_url`, else the listener's own address.
/// It is never taken from a request: clients choose its `Host`, and answers are shared.
static PUBLIC_URL: OnceLock<Box<str>> = OnceLock::new();

/// Base URL before [`serve_at`], as in tests: the default of `listen`.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";

/// Path of drawings, as in `paths.rs`.
const DRAWINGS: &str = "/logos/protocol/";
const EXTENSION: &str = ".svg";

/// Sets the base URL of drawings, once per process.
pub fn serve_at(public_url: &str) {
    let _ = PUBLIC_URL.set(public_url.trim_end_matches('/').into());
}

/// Returns the base URL, without a slash at its end.
pub fn public_url() -> &'static str {
    PUBLIC_URL.get().map_or(DEFAULT_URL, AsRef::as_ref)
}

/// The URL of a protocol's logo.
pub(crate) fn of_protocol(slug: &str) -> String {
    let own = || format!("{}{DRAWINGS}{slug}{EXTENSION}", public_url());
    published::of_protocol(slug).unwrap_or_else(own)
}

/// The slug in the file name of a drawing.
pub fn slug_of(file: &str) -> Option<&str> {
    file.strip_suffix(EXTENSION).filter(|slug| is_slug(slug))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_the_published_one_or_a_drawing_of_the_gateway() {
        assert_eq!(
            of_protocol("velodrome_v2"),
            "https://github.com/decentri-fi/data/raw/master/logo/protocol/velodrome.svg"
        );
        assert_eq!(of_protocol("acme"), "http://127.0.0.1:8080/logos/protocol/acme.svg");
    }

    #[test]
    fn only_a_slug_has_a_drawing() {
        assert_eq!(slug_of("acme-v2.svg"), Some("acme-v2"));
        for file in ["acme.png", "acme", ".svg", "<b>.svg", "a/b.svg", "Acme.svg", &format!("{}.svg", "a".repeat(200))]
        {
            assert_eq!(slug_of(file), None, "{file}");
        }
    }
}
