//! Off-chain reads: which URLs a job may request, and how many. Shared by hosts and the tests of plugins.
//!
//! Invariant: a URL that passes has a host that the catalogue declares, byte for byte, and the default https port.
//! Nothing else in the URL can change the destination.

use std::collections::BTreeMap;

/// Hosts of a catalogue.
pub const HOSTS_MAX: usize = 8;
/// Bytes of a DNS name.
const HOST_BYTES_MAX: usize = 253;
/// Bytes of a DNS label.
const LABEL_BYTES_MAX: usize = 63;
/// Bytes of a URL; common servers take 8 KiB.
pub const URL_BYTES_MAX: usize = 2_048;
/// Bytes of a body. A proof takes some kilobytes, a list of ten thousand rows some hundred.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Off-chain reads of a job.
pub const READS_MAX: usize = 16;
/// Off-chain reads of a job to one host.
pub const READS_PER_HOST_MAX: usize = 4;

const SCHEME: &str = "https://";

/// A host that a catalogue may not declare.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a lower-case DNS name without a port or wildcard, for example merkle.example.org")]
pub struct HostError(String);

/// Why an off-chain read is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Not an https URL in the accepted form.
    #[error(
        "an off-chain read is of no https URL of a host and a path, at most {URL_BYTES_MAX} visible ASCII characters"
    )]
    Malformed,
    /// The catalogue does not declare its host.
    #[error("an off-chain read is of the host {0:?}, which the catalogue's hosts do not name")]
    Undeclared(String),
    /// The job has no off-chain reads left.
    #[error("a job makes at most {READS_MAX} off-chain reads, and {READS_PER_HOST_MAX} of one host")]
    TooMany,
}

/// Checks a host that a catalogue declares.
///
/// # Errors
/// [`HostError`].
pub fn check_host(host: &str) -> Result<(), HostError> {
    let is_label = |label: &str| {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_sized = (1..=LABEL_BYTES_MAX).contains(&label.len());
        is_sized && label.bytes().all(is_part) && !label.starts_with('-') && !label.ends_with('-')
    };
    // The last label of an IPv4 address is a number in every notation.
    let has_letter_last = |last: &str| last.starts_with(|first: char| first.is_ascii_lowercase());
    let ends_well = host.rsplit_once('.').is_some_and(|(_, last)| has_letter_last(last));
    if host.len() <= HOST_BYTES_MAX && ends_well && host.split('.').all(is_label) {
        return Ok(());
    }
    Err(HostError(host.chars().take(HOST_BYTES_MAX).collect()))
}

/// Counts the off-chain reads of a job.
#[derive(Debug, Default)]
pub struct OffChainReads {
    by_host: BTreeMap<String, usize>,
}

impl OffChainReads {
    /// Checks and counts a URL; returns its host.
    ///
    /// # Errors
    /// [`UrlError`].
    pub fn check<'u>(&mut self, url: &'u [u8], declared: &[String]) -> Result<&'u str, UrlError> {
        let host = host_of(url)?;
        if !declared.iter().any(|declared| declared == host) {
            return Err(UrlError::Undeclared(host.chars().take(HOST_BYTES_MAX).collect()));
        }
        let of_host = self.by_host.get(host).copied().unwrap_or(0);
        if of_host >= READS_PER_HOST_MAX || self.by_host.values().sum::<usize>() >= READS_MAX {
            return Err(UrlError::TooMany);
        }
        self.by_host.insert(host.to_owned(), of_host + 1);
        Ok(host)
    }
}

/// Returns everything between the scheme and the path. Credentials or a port make it an undeclared host.
fn host_of(url: &[u8]) -> Result<&str, UrlError> {
    let url = std::str::from_utf8(url).map_err(|_| UrlError::Malformed)?;
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'#' && byte != b'\\';
    if url.len() > URL_BYTES_MAX || !url.bytes().all(is_plain) {
        return Err(UrlError::Malformed);
    }
    let (host, _) = url.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/')).ok_or(UrlError::Malformed)?;
    Ok(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "merkle.example.org";

    fn check(url: &str) -> Result<String, UrlError> {
        OffChainReads::default().check(url.as_bytes(), &[HOST.to_owned()]).map(str::to_owned)
    }

    #[test]
    fn a_host_is_a_dns_name_and_no_address() {
        for host in [HOST, "a.b", "xn--bcher-kva.example", "1.2.3.4.example", &format!("{}.a", "a".repeat(63))] {
            assert_eq!(check_host(host), Ok(()), "{host}");
        }
        for host in [
            "",
            "localhost",
            "Merkle.example.org",
            "merkle.example.org.",
            ".example.org",
            "a..b",
            "-a.b",
            "a-.b",
            "*.example.org",
            "merkle.example.org:443",
            "user@merkle.example.org",
            "127.0.0.1",
            "10.1",
            "0x7f.0x1",
            "[::1]",
            "bücher.example",
            "a b.example",
            "a.example/x",
            &format!("{}.a", "a".repeat(64)),
            &format!("{}a", "a.".repeat(127)),
        ] {
            assert!(check_host(host).is_err(), "{host}");
        }
    }

    #[test]
    fn only_urls_of_a_declared_host_pass() {
        for url in [
            "https://merkle.example.org/",
            "https://merkle.example.org/a/0x11?b=c&d=%20@evil.com:80",
            "https://merkle.example.org//evil.com/",
        ] {
            assert_eq!(check(url).as_deref(), Ok(HOST), "{url}");
        }
        for host in [
            "merkle.example.org.evil.com",
            "evil.com",
            "example.org",
            "a.merkle.example.org",
            "merkle.example.org.",
            "Merkle.example.org",
            "merkle.example.org:443",
            "merkle.example.org:8443",
            "user@merkle.example.org",
            "merkle.example.org@evil.com",
            "user:pass@merkle.example.org",
            "127.0.0.1",
            "[::1]",
            "merkle.example.org%2eevil.com",
            "merkle.example.org?",
            "",
        ] {
            assert_eq!(check(&format!("https://{host}/x")), Err(UrlError::Undeclared(host.to_owned())), "{host}");
        }
        for url in [
            "",
            "merkle.example.org/",
            "http://merkle.example.org/",
            "HTTPS://merkle.example.org/",
            "https:merkle.example.org/",
            "https:/\\merkle.example.org/",
            "https://merkle.example.org",
            "https://merkle.example.org\\@evil.com/",
            "https://merkle.example.org/\\x",
            "https://merkle.example.org/#x",
            "https://merkle.example.org/a b",
            "https://merkle.example.org/a\nb",
            "https://merkle.example.org/ü",
            "https://mérkle.example.org/",
            " https://merkle.example.org/",
            "file:///etc/passwd",
            &format!("https://merkle.example.org/{}", "a".repeat(URL_BYTES_MAX)),
        ] {
            assert_eq!(check(url), Err(UrlError::Malformed), "{url}");
        }
        let declared = [HOST.to_owned()];
        assert_eq!(OffChainReads::default().check(b"https://\xff/", &declared), Err(UrlError::Malformed));
    }

    #[test]
    fn one_job_makes_four_reads_of_a_host_and_sixteen_of_all() {
        let hosts: Vec<String> = (0..5).map(|number| format!("h{number}.example")).collect();
        let mut reads = OffChainReads::default();
        let mut made = Vec::new();
        for round in 0..1_000 {
            for host in &hosts {
                made.extend(reads.check(format!("https://{host}/{round}").as_bytes(), &hosts).map(str::to_owned));
            }
        }
        let of = |host: &String| made.iter().filter(|made| *made == host).count();
        // Round by round: fifteen after three rounds, and the first host gets the sixteenth.
        assert_eq!(hosts.iter().map(of).collect::<Vec<_>>(), [4, 3, 3, 3, 3]);
        let mut reads = OffChainReads::default();
        let ok = (0..9).filter(|_| reads.check(b"https://h0.example/", &hosts).is_ok()).count();
        assert_eq!(ok, 4);
    }
}
