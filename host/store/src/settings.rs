//! Where the store is, and the secret of those who share it. Invariant: no error or debug text repeats either.

use std::fmt;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use redis::{ConnectionAddr, IntoConnectionInfo, RedisConnectionInfo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use url::Url;

/// Minimum length of a secret; a shorter one can be guessed from a single entry.
pub const SECRET_BYTES_MIN: usize = 32;

/// The schemes of URLs: the one that the protocol's crate parses, and true if TLS is spoken.
const SCHEMES: [(&str, &str, bool); 6] = [
    ("redis", "redis", false),
    ("valkey", "redis", false),
    ("rediss", "redis", true),
    ("valkeys", "redis", true),
    ("redis+unix", "redis+unix", false),
    ("valkey+unix", "redis+unix", false),
];

/// Appended to a scheme where sentinels name the primary.
const SENTINEL: &str = "+sentinel";
const SENTINEL_PORT: u16 = 26_379;
/// Appended to a scheme where the servers are a cluster.
const CLUSTER: &str = "+cluster";
const CLUSTER_PORT: u16 = 6_379;
/// Hosts of a URL; each is waited for in turn.
const HOSTS_MAX: usize = 16;

/// How a gateway takes part in a shared store.
#[derive(Clone, Debug)]
pub struct SharedStoreSettings {
    pub url: StoreUrl,
    pub secret: StoreSecret,
    /// Who may sign the store's certificate, if it has one.
    pub authorities: StoreAuthorities,
    /// The longest that a request waits for the store.
    pub wait: Duration,
}

/// The address of a store, with its database, user and password.
#[derive(Clone)]
pub struct StoreUrl {
    pub(crate) place: StorePlace,
    pub(crate) login: RedisConnectionInfo,
    pub(crate) has_tls: bool,
}

/// Where the server is.
#[derive(Clone)]
pub(crate) enum StorePlace {
    Server(ConnectionAddr),
    /// Where the sentinels say.
    Primary(Sentinels),
    /// Nodes of a cluster, which name all others.
    Cluster(Vec<ConnectionAddr>),
}

impl StorePlace {
    /// Returns the addresses to begin at, in the order in which they are tried.
    pub(crate) fn addresses(&self) -> &[ConnectionAddr] {
        match self {
            Self::Server(address) => slice::from_ref(address),
            Self::Primary(sentinels) => &sentinels.addresses,
            Self::Cluster(nodes) => nodes,
        }
    }
}

/// Servers that know which of several others is the primary.
#[derive(Clone)]
pub(crate) struct Sentinels {
    pub(crate) addresses: Vec<ConnectionAddr>,
    /// The name of the primary.
    pub(crate) primary: String,
    pub(crate) login: RedisConnectionInfo,
}

impl StoreUrl {
    /// Parses `redis://`, `rediss://`, `valkey://`, `valkeys://` (`[user][:password@]host[:port][/database]`),
    /// `redis+unix:///path`, and the first four with `+cluster` (`[user][:password@]host[:port],…`) or `+sentinel`
    /// (`[user][:password@]host[:port],…/name[/database][?sentinel_username=…&sentinel_password=…]`).
    ///
    /// # Errors
    /// Returns the reason, without the URL.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        if let Some(scheme) = scheme.strip_suffix(SENTINEL) {
            return Self::parse_sentinels(scheme, rest);
        }
        if let Some(scheme) = scheme.strip_suffix(CLUSTER) {
            let authority = rest.strip_suffix('/').unwrap_or(rest);
            if authority.contains('/') {
                return Err("a cluster has one database: no path can follow its hosts".to_owned());
            }
            let (server, nodes) = Self::parse_hosts(scheme, authority, "", CLUSTER_PORT)?;
            return Ok(Self { place: StorePlace::Cluster(nodes), ..server });
        }
        let hosts = rest.split('/').next().and_then(|authority| authority.rsplit('@').next()).unwrap_or_default();
        if hosts.contains(',') {
            return Err(format!("several hosts need a scheme with {SENTINEL} or {CLUSTER}"));
        }
        let mut url = Url::parse(text).map_err(|error| error.to_string())?;
        let known = SCHEMES.iter().find(|(scheme, ..)| *scheme == url.scheme());
        let Some((_, parsed_as, has_tls)) = known else {
            let known: Vec<&str> = SCHEMES.iter().map(|(scheme, ..)| *scheme).collect();
            return Err(format!(
                "its scheme is not one of {}, or of the first four with {SENTINEL} or {CLUSTER}",
                known.join(", ")
            ));
        };
        if url.fragment().is_some() {
            return Err("it has a fragment".to_owned());
        }
        let is_path_a_file = parsed_as.ends_with("unix");
        if !is_path_a_file && url.path().trim_matches('/').contains(|letter: char| !letter.is_ascii_digit()) {
            return Err("its path is not the number of a database".to_owned());
        }
        url.set_scheme(parsed_as).map_err(|()| "its scheme cannot be read".to_owned())?;
        let info = url.into_connection_info().map_err(|error| match error.detail() {
            Some(detail) => detail.to_owned(),
            None => error.category().to_owned(),
        })?;
        if *has_tls {
            check_tls(info.addr())?;
        }
        let place = StorePlace::Server(info.addr().clone());
        Ok(Self { place, login: info.redis_settings().clone(), has_tls: *has_tls })
    }

    fn parse_sentinels(scheme: &str, rest: &str) -> Result<Self, String> {
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (primary, database) = path.split_once('/').unwrap_or((path, ""));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        if primary.is_empty() || !primary.bytes().all(is_name) {
            return Err("it does not name the primary as sentinels do: host:port,host:port/name".to_owned());
        }
        let (server, addresses) = Self::parse_hosts(scheme, authority, database, SENTINEL_PORT)?;
        let mut login = RedisConnectionInfo::default();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            login = match &*name {
                "sentinel_username" => login.set_username(value),
                "sentinel_password" => login.set_password(value),
                _ => return Err("it has parameters besides sentinel_username and sentinel_password".to_owned()),
            };
        }
        let place = StorePlace::Primary(Sentinels { addresses, primary: primary.to_owned(), login });
        Ok(Self { place, ..server })
    }

    /// Parses `[user][:password@]host[:port],…`. Returns what holds for each server, and the addresses.
    fn parse_hosts(
        scheme: &str,
        authority: &str,
        database: &str,
        port: u16,
    ) -> Result<(Self, Vec<ConnectionAddr>), String> {
        let (user, hosts) = authority.rsplit_once('@').map_or(("", authority), |(user, hosts)| (user, hosts));
        let at = if user.is_empty() { "" } else { "@" };
        let server = Self::parse(&format!("{scheme}://{user}{at}localhost/{database}"))?;
        if !matches!(server.place, StorePlace::Server(ConnectionAddr::Tcp(..))) {
            return Err(format!("a scheme with {SENTINEL} or {CLUSTER} has hosts"));
        }
        let addresses = hosts.split(',').map(|host| host_address(host, port)).collect::<Result<Vec<_>, _>>()?;
        if addresses.len() > HOSTS_MAX {
            return Err(format!("it names more than {HOSTS_MAX} hosts"));
        }
        if server.has_tls {
            addresses.iter().try_for_each(check_tls)?;
        }
        Ok((server, addresses))
    }
}

fn host_address(text: &str, port: u16) -> Result<ConnectionAddr, String> {
    let url = Url::parse(&format!("redis://{text}")).map_err(|error| format!("one of its hosts: {error}"))?;
    let host = url.host_str().filter(|host| !host.is_empty() && !text.contains(['/', '?', '#']));
    let host = host.ok_or("one of its hosts is not a host with a port")?;
    // An address of IPv6 has brackets in a URL alone.
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    Ok(ConnectionAddr::Tcp(bare.to_owned(), url.port().unwrap_or(port)))
}

/// Checks that a certificate can have the host.
fn check_tls(address: &ConnectionAddr) -> Result<(), String> {
    match address {
        ConnectionAddr::Tcp(host, _) => {
            ServerName::try_from(host.as_str()).map(drop).map_err(|_| "its host cannot be in a certificate".to_owned())
        }
        _ => Ok(()),
    }
}

/// The address alone, for logs.
impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let StorePlace::Primary(Sentinels { primary, .. }) = &self.place {
            write!(f, "{primary} of ")?;
        }
        let addresses: Vec<String> = self.place.addresses().iter().map(ToString::to_string).collect();
        f.write_str(&addresses.join(","))
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

/// Stands for a name in the store. Only who has the secret can make it, or find out what it stands for.
pub type Pseudonym = [u8; 16];

/// The key that the operators' gateways authenticate entries with.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreSecret(pub(crate) [u8; 32]);

impl StoreSecret {
    /// Derives the key of entries from a secret of at least [`SECRET_BYTES_MIN`] bytes; `None` if it is shorter.
    pub fn new(secret: &[u8]) -> Option<Self> {
        const CONTEXT: &str = "portolan 2026-11-28 entries of the shared store";
        (secret.len() >= SECRET_BYTES_MIN).then(|| Self(blake3::derive_key(CONTEXT, secret)))
    }

    /// Returns the pseudonym of a name.
    pub(crate) fn pseudonym(&self, name: &[u8]) -> Pseudonym {
        const CONTEXT: &str = "portolan 2026-11-28 pseudonyms in the shared store";
        let mut pseudonym = Pseudonym::default();
        blake3::Hasher::new_keyed(&blake3::derive_key(CONTEXT, &self.0))
            .update(name)
            .finalize_xof()
            .fill(&mut pseudonym);
        pseudonym
    }
}

impl fmt::Debug for StoreSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreSecret")
    }
}

/// The authorities that may sign the store's certificate: those of the web, or those of a file.
#[derive(Clone)]
pub struct StoreAuthorities(pub(crate) Arc<ClientConfig>);

impl StoreAuthorities {
    /// Takes the authorities of the web.
    ///
    /// # Errors
    /// Fails if TLS cannot be set up.
    pub fn of_the_web() -> Result<Self, String> {
        Self::of(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })
    }

    /// Takes the certificates of a PEM file, and no others.
    ///
    /// # Errors
    /// Returns the reason if it has none, or one that cannot be read.
    pub fn of_pem(pem: &[u8]) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| error.to_string())?;
            roots.add(certificate).map_err(|error| error.to_string())?;
        }
        if roots.is_empty() { Err("it has no certificate".to_owned()) } else { Self::of(roots) }
    }

    fn of(roots: RootCertStore) -> Result<Self, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| error.to_string())?;
        Ok(Self(Arc::new(builder.with_root_certificates(roots).with_no_client_auth())))
    }
}

impl fmt::Debug for StoreAuthorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreAuthorities")
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::*;

    #[test]
    fn urls_are_parsed_and_their_passwords_are_not_shown() {
        for (text, shown, has_tls) in [
            ("redis://u:hidden-word@127.0.0.1:7000/3", "127.0.0.1:7000", false),
            ("valkey://store.example", "store.example:6379", false),
            ("rediss://:hidden-word@store.example/1", "store.example:6379", true),
            ("valkeys://store.example:1", "store.example:1", true),
            ("redis+unix:///run/store.sock", "/run/store.sock", false),
            (
                "redis+sentinel://:hidden-word@one.example,10.0.0.1:7000/main",
                "main of one.example:26379,10.0.0.1:7000",
                false,
            ),
            ("redis+cluster://u:hidden-word@one.example:7000,[::1]/", "one.example:7000,::1:6379", false),
            ("rediss+cluster://one.example", "one.example:6379", true),
            ("valkeys+sentinel://one.example/main/2?sentinel_password=hidden-word", "main of one.example:26379", true),
        ] {
            let url = StoreUrl::parse(text).unwrap();
            assert_eq!((url.to_string().as_str(), url.has_tls), (shown, has_tls), "{text}");
            assert!(!format!("{url:?}").contains("hidden-word"), "{url:?}");
        }
        let url = StoreUrl::parse("redis://u:p%40ss@127.0.0.1/3").unwrap();
        assert_eq!((url.login.username(), url.login.password(), url.login.db()), (Some("u"), Some("p@ss"), 3));
        let text = "rediss+sentinel://u:p%40ss@[::1]:7000,two/main/3?sentinel_username=s&sentinel_password=q%40ss";
        let url = StoreUrl::parse(text).unwrap();
        assert_eq!((url.login.username(), url.login.password(), url.login.db()), (Some("u"), Some("p@ss"), 3));
        let StorePlace::Primary(Sentinels { addresses, primary, login }) = url.place else { panic!("{url}") };
        assert_eq!((login.username(), login.password(), login.db()), (Some("s"), Some("q@ss"), 0));
        let address = |host: &str, port| ConnectionAddr::Tcp(host.to_owned(), port);
        assert_eq!((addresses, primary.as_str()), (vec![address("::1", 7000), address("two", 26_379)], "main"));
    }

    #[test]
    fn other_urls_are_refused_without_repeating_them() {
        for text in [
            "http://hidden-word.example",
            "redis://",
            "rediss://hidden-word.example/#insecure",
            "redis://hidden-word.example/x",
            "redis+sentinel://hidden-word.example",
            "redis+sentinel://hidden-word.example/two words",
            "redis+sentinel://hidden-word.example,/main",
            "redis+sentinel://hidden-word.example/main/x",
            "redis+sentinel://hidden-word.example/main?password=hidden-word",
            "redis+unix+sentinel://hidden-word.example/main",
            "http+sentinel://hidden-word.example/main",
            "rediss+sentinel://hidden-word.example:x/main",
            "redis+cluster://hidden-word.example/1",
            "redis+cluster://hidden-word.example,",
            "redis+cluster://hidden-word.example?protocol=resp3",
            "redis+unix+cluster://hidden-word.example",
            "redis+cluster+sentinel://hidden-word.example/main",
            "redis://hidden-word.example:1,other.example:2",
            "hidden-word",
        ] {
            let reason = StoreUrl::parse(text).unwrap_err();
            assert!(!reason.is_empty() && !reason.contains("hidden-word"), "{text}: {reason}");
        }
    }

    #[test]
    fn a_short_secret_is_refused_and_none_is_shown() {
        assert_eq!(StoreSecret::new(&[7; SECRET_BYTES_MIN - 1]), None);
        let [one, other] = [7, 8].map(|byte| StoreSecret::new(&[byte; SECRET_BYTES_MIN]).unwrap());
        assert_ne!(one, other);
        assert_eq!(format!("{one:?}"), "StoreSecret");
    }

    #[test]
    fn a_pseudonym_is_the_same_for_all_who_have_the_secret_and_for_nobody_else() {
        let [one, same, other] = [7, 7, 8].map(|byte| StoreSecret::new(&[byte; SECRET_BYTES_MIN]).unwrap());
        assert_eq!(one.pseudonym(b"acme"), same.pseudonym(b"acme"));
        assert_ne!(one.pseudonym(b"acme"), other.pseudonym(b"acme"));
        assert_ne!(one.pseudonym(b"acme"), one.pseudonym(b"acme2"));
        // What everybody can compute is none.
        assert_ne!(one.pseudonym(b"acme")[..], blake3::hash(b"acme").as_bytes()[..16]);
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        assert!(StoreAuthorities::of_pem(b"no certificate").is_err());
        let authority = rcgen::generate_simple_self_signed(["store.example".to_owned()]).unwrap();
        let der = base64::engine::general_purpose::STANDARD.encode(authority.cert.der());
        let pem = format!("-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n");
        StoreAuthorities::of_pem(pem.as_bytes()).unwrap();
        StoreAuthorities::of_the_web().unwrap();
    }
}
