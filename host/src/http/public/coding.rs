//! Content codings of answers: which one a client gets by its `Accept-Encoding`, and the compression.
//!
//! Invariant: a header that makes no sense is never an error; whatever cannot be compressed in time is sent as it is.
//! Weights follow RFC 9110, 12.5.3.

use std::io::{self, Write};

use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use portolan_base::client_share::ClientShare;
use tokio::time::{Instant, timeout_at};

use crate::cpu_pool::CpuPool;
use crate::http::public::accept::weight;

/// Smaller bodies fit into one packet as they are.
const COMPRESSED_BYTES_MIN: usize = 1400;

/// Levels: the highest whose time, against the level below, is less than what the bytes that it saves take at 10 Mbit/s.
/// Measured with answers of 50 kB, which become 4.4 kB in 70, 210 and 310 µs.
const ZSTD_LEVEL: i32 = 3;
const BROTLI_LEVEL: i32 = 3;
const GZIP_LEVEL: u32 = 5;

/// Window of brotli, as the logarithm of its size. It bounds the memory of both sides.
const BROTLI_WINDOW_BITS: i32 = 19;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

/// Codings, the preferred one among equal weights first: zstd takes a third of brotli's time for as many bytes, and gzip
/// takes more of both.
pub(in crate::http) const CODINGS: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];

impl Coding {
    /// Returns the coding for a body of this many bytes; `None` if it is sent as it is.
    pub(in crate::http) fn chosen(headers: &HeaderMap, bytes: usize) -> Option<Self> {
        let weights = Weights::of(headers);
        let is_worth = bytes >= COMPRESSED_BYTES_MIN || (bytes > 0 && weights.identity == Some(0));
        weights.best().filter(|_| is_worth)
    }

    /// Returns the coding's place in [`CODINGS`].
    pub(in crate::http) fn place(self) -> usize {
        self as usize
    }

    pub(in crate::http) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        })
    }

    /// Compresses a body in the CPU pool. Returns `None` if that fails or is not done by `until`.
    pub(in crate::http) async fn compressed(
        self,
        body: Bytes,
        cpu_pool: &CpuPool,
        client: &ClientShare,
        until: Instant,
    ) -> Option<Bytes> {
        let compressing = cpu_pool.run(client, move || self.compress(&body));
        match timeout_at(until, compressing).await {
            Ok(Ok(Ok(compressed))) => Some(compressed.into()),
            Ok(Ok(Err(error))) => {
                tracing::error!(coding = ?self, reason = %error, "an answer cannot be compressed");
                None
            }
            // A panic is logged where it happens.
            Ok(Err(_)) | Err(_) => None,
        }
    }

    fn compress(self, body: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL),
            Self::Brotli => {
                let (quality, lgwin) = (BROTLI_LEVEL, BROTLI_WINDOW_BITS);
                let params = BrotliEncoderParams { quality, lgwin, size_hint: body.len(), ..Default::default() };
                let mut compressed = Vec::new();
                brotli::BrotliCompress(&mut &*body, &mut compressed, &params)?;
                Ok(compressed)
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
                encoder.write_all(body)?;
                encoder.finish()
            }
        }
    }
}

/// Weights of codings in thousandths; `None` for those that the client does not name.
#[derive(Debug, Default)]
struct Weights {
    codings: [Option<u16>; CODINGS.len()],
    identity: Option<u16>,
}

impl Weights {
    /// Reads all lines of the header. A member with a malformed weight does not count; of equal names the first does.
    fn of(headers: &HeaderMap) -> Self {
        let (mut weights, mut any) = (Self::default(), None);
        let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        for (name, weight) in lines.flat_map(|line| line.split(',')).filter_map(member) {
            let slot = match coding(name) {
                Some(coding) => weights.codings.get_mut(coding.place()),
                None if name.eq_ignore_ascii_case("identity") => Some(&mut weights.identity),
                None if name == "*" => Some(&mut any),
                None => None,
            };
            if let Some(slot) = slot {
                slot.get_or_insert(weight);
            }
        }
        for slot in weights.codings.iter_mut().chain([&mut weights.identity]) {
            *slot = slot.or(any);
        }
        weights
    }

    /// Returns the coding with the highest weight, if the client does not prefer the body as it is.
    fn best(&self) -> Option<Coding> {
        let mut best: Option<(u16, Coding)> = None;
        for coding in CODINGS {
            let weight = self.codings.get(coding.place()).copied().flatten().filter(|weight| *weight > 0);
            if let Some(weight) = weight.filter(|weight| best.is_none_or(|(most, _)| *weight > most)) {
                best = Some((weight, coding));
            }
        }
        best.filter(|(weight, _)| self.identity.is_none_or(|identity| identity <= *weight)).map(|(_, coding)| coding)
    }
}

fn coding(name: &str) -> Option<Coding> {
    match name {
        _ if name.eq_ignore_ascii_case("zstd") => Some(Coding::Zstd),
        _ if name.eq_ignore_ascii_case("br") => Some(Coding::Brotli),
        _ if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") => Some(Coding::Gzip),
        _ => None,
    }
}

/// Parses `gzip;q=0.5` into the name and its weight.
fn member(text: &str) -> Option<(&str, u16)> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next()?;
    match parts.next() {
        None => Some((name, 1000)),
        Some(parameter) => {
            let (key, value) = parameter.split_once('=')?;
            key.trim().eq_ignore_ascii_case("q").then_some((name, weight(value.trim())?))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn chosen(lines: &[&[u8]], bytes: usize) -> Option<Coding> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_bytes(line).unwrap());
        }
        Coding::chosen(&headers, bytes)
    }

    #[test]
    fn the_coding_with_the_highest_weight_is_chosen() {
        let cases: [(&[&str], Option<Coding>); 21] = [
            (&[], None),
            (&[""], None),
            (&["gzip"], Some(Coding::Gzip)),
            (&["GZIP"], Some(Coding::Gzip)),
            (&["x-gzip"], Some(Coding::Gzip)),
            (&["deflate"], None),
            (&["gzip, deflate, br, zstd"], Some(Coding::Zstd)),
            (&["gzip, deflate, br"], Some(Coding::Brotli)),
            (&["gzip", "br"], Some(Coding::Brotli)),
            (&["gzip;q=1.0, br;q=0.5"], Some(Coding::Gzip)),
            (&["zstd;q=0, br ; Q=0.001"], Some(Coding::Brotli)),
            (&["*"], Some(Coding::Zstd)),
            (&["zstd;q=0, *;q=0.5"], Some(Coding::Brotli)),
            (&["*;q=0"], None),
            (&["gzip;q=0"], None),
            (&["identity"], None),
            (&["identity, gzip;q=0.5"], None),
            (&["identity;q=0.5, gzip;q=0.5"], Some(Coding::Gzip)),
            (&["identity;q=0, gzip;q=0.1"], Some(Coding::Gzip)),
            (&["gzip;q=0, gzip"], None),
            (&["identity;q=0"], None),
        ];
        for (lines, expected) in cases {
            let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(chosen(&lines, COMPRESSED_BYTES_MIN), expected, "{lines:?}");
        }
    }

    #[test]
    fn small_bodies_are_compressed_only_if_nothing_else_is_accepted() {
        assert_eq!(chosen(&[b"gzip"], COMPRESSED_BYTES_MIN - 1), None);
        assert_eq!(chosen(&[b"gzip, identity;q=0"], 1), Some(Coding::Gzip));
        assert_eq!(chosen(&[b"gzip, *;q=0"], 1), Some(Coding::Gzip));
        assert_eq!(chosen(&[b"gzip, identity;q=0"], 0), None);
    }

    #[test]
    fn members_that_make_no_sense_do_not_count() {
        for line in
            ["gzip;q=", "gzip;q=2", "gzip;q=-1", "gzip;q=0.1234", "gzip;level=9", "gzip;q", ";;;,,,q=1", "gzipp"]
        {
            assert_eq!(chosen(&[line.as_bytes()], 10_000), None, "{line}");
            let with_other = format!("{line}, br;q=0.2");
            assert_eq!(chosen(&[with_other.as_bytes()], 10_000), Some(Coding::Brotli), "{line}");
        }
        assert_eq!(chosen(&[b"gzip\xff", b"br"], 10_000), Some(Coding::Brotli));
        let many = "gzip;q=0.1,".repeat(3_000) + "zstd;q=0.2";
        assert_eq!(chosen(&[many.as_bytes()], 10_000), Some(Coding::Zstd));
    }

    #[test]
    fn places_are_those_of_the_list() {
        assert_eq!(CODINGS.map(Coding::place), [0, 1, 2]);
    }

    #[tokio::test]
    async fn a_body_whose_time_is_over_is_not_compressed() {
        let (cpu_pool, client) = (CpuPool::start().unwrap(), ClientShare::new(None));
        let body = || Bytes::from("a".repeat(100_000));
        let until = |until| Coding::Gzip.compressed(body(), &cpu_pool, &client, until);
        let now = Instant::now();
        assert_eq!(until(now).await, None);
        assert!(until(now + Duration::from_secs(60)).await.is_some_and(|bytes| bytes.len() < 1_000));
    }
}
