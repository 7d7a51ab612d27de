//! The shared store: `[store]`. Invariant: no error or log line repeats its URL or its secret.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use portolan_base::files::{self, FileError};
use portolan_store::{SECRET_BYTES_MIN, SharedStoreSettings, StoreAuthorities, StoreSecret, StoreUrl};

use super::ConfigError;
use super::folders::NamedPath;
use super::layers::Environment;
use super::secrets::{self, Secret};

const SECRET_VARIABLE: &str = "PORTOLAN_STORE_SECRET";

/// Maximum size of a file of certificates; those of the web have a quarter of it.
const CA_BYTES_MAX: u64 = 1 << 20;

pub(super) fn url(text: &str) -> Result<StoreUrl, String> {
    StoreUrl::parse(text).map_err(|reason| format!("the URL cannot be used: {reason}"))
}

/// Returns the settings of the shared store; `None` without a URL.
pub(super) fn read(
    url: Option<StoreUrl>,
    secret_file: Option<&NamedPath>,
    ca_file: Option<&NamedPath>,
    wait: Duration,
    environment: &Environment,
) -> Result<Option<SharedStoreSettings>, ConfigError> {
    let Some(url) = url else { return Ok(None) };
    let Some(Secret { place, text }) = secrets::read(SECRET_VARIABLE, secret_file, "secret", environment)? else {
        let reason = format!("needs a secret: name a file as store.secret_file, or set {SECRET_VARIABLE}");
        return Err(ConfigError::new("store.url", reason));
    };
    let short = || ConfigError::new(place, format!("is shorter than {SECRET_BYTES_MIN} bytes"));
    let secret = StoreSecret::new(text.trim().as_bytes()).ok_or_else(short)?;
    Ok(Some(SharedStoreSettings { url, secret, authorities: authorities(ca_file)?, wait }))
}

fn authorities(file: Option<&NamedPath>) -> Result<StoreAuthorities, ConfigError> {
    let Some(file) = file else {
        return StoreAuthorities::of_the_web().map_err(|reason| ConfigError::new("store.url", reason));
    };
    let pem = of_file(Path::new(&file.path)).map_err(|error| error.to_string());
    let refusal = |reason: String| {
        let place = file.place.as_deref().unwrap_or_default();
        ConfigError::new(place, format!("{} gives no certificates: {reason}", file.path))
    };
    pem.and_then(|pem| StoreAuthorities::of_pem(&pem)).map_err(refusal)
}

fn of_file(path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    files::open_named(path)?.take(CA_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}
