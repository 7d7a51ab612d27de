//! Address and access of the operators' listener: `operators_listen` and `[operators]`. Invariant: no error or log
//! line repeats the token.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::ConfigError;
use super::folders::NamedPath;
use super::form::ValueOrigin;
use super::layers::Environment;
use super::secrets::{self, Secret};
use super::values::socket_address;

const TOKEN_VARIABLE: &str = "PORTOLAN_OPERATORS_TOKEN";

/// Prefix of a Unix socket's path.
const UNIX: &str = "unix:";

/// A shorter token can be guessed; a longer one is some other file.
const TOKEN_CHARS: std::ops::RangeInclusive<usize> = 16..=512;

/// Maximum number of names of one process.
const HOSTS_MAX: usize = 64;

/// Address of a listener; only operators may have a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListenAddress {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// Access to the operators' listener.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OperatorAccess {
    /// Allowed hosts in lower case, besides loopback ones and the address that a request came to.
    pub(crate) allowed_hosts: Vec<String>,
    /// Required in every request, if set.
    pub(crate) token: Option<OperatorToken>,
    /// True if `/readyz` is 503 while something is degraded.
    pub(crate) degraded_is_unready: bool,
}

/// A secret, stored as a hash.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OperatorToken([u8; 32]);

impl OperatorToken {
    fn new(text: &str) -> Option<Self> {
        let is_token = TOKEN_CHARS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_token.then(|| Self(Sha256::digest(text).into()))
    }

    /// Compares hashes, whose bytes callers cannot choose, so that the time taken reveals nothing about the token.
    pub(crate) fn is(&self, text: &[u8]) -> bool {
        Self(Sha256::digest(text).into()) == *self
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorToken")
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

pub(super) fn address(text: &str) -> Result<ListenAddress, String> {
    match text.strip_prefix(UNIX) {
        Some("") => Err(format!("{text} does not name the path of a socket")),
        Some(path) => Ok(ListenAddress::Unix(path.into())),
        None => socket_address(text).map(ListenAddress::Tcp),
    }
}

pub(super) fn hosts(texts: &[String], _: ValueOrigin<'_>) -> Result<Vec<String>, String> {
    let text = texts.join(",");
    let hosts = text.split(',').map(|host| host.trim().to_ascii_lowercase());
    let hosts: Vec<_> = hosts.filter(|host| !host.is_empty()).collect();
    let is_host = |host: &String| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte));
    if hosts.len() > HOSTS_MAX || !hosts.iter().all(is_host) {
        return Err(format!("{text} is not a list of at most {HOSTS_MAX} host names without ports"));
    }
    Ok(hosts)
}

/// Reads the token from its variable, or from the file that is named for it.
pub(super) fn token(file: Option<&NamedPath>, environment: &Environment) -> Result<Option<OperatorToken>, ConfigError> {
    let Some(Secret { place, text }) = secrets::read(TOKEN_VARIABLE, file, "token", environment)? else {
        return Ok(None);
    };
    let (least, most) = (TOKEN_CHARS.start(), TOKEN_CHARS.end());
    let none = || ConfigError::new(place, format!("is not a token of {least} to {most} visible ASCII characters"));
    OperatorToken::new(text.trim()).map(Some).ok_or_else(none)
}
