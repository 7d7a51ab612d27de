//! A reply over HTTP: its status, its body, and the wait that the endpoint asks for.
//!
//! Invariant: a body exceeds its bound neither on the wire nor decompressed, whatever its headers say.

use std::io::Read;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, DATE, HeaderMap, HeaderName, RETRY_AFTER};
use hyper::{Response, StatusCode};

use super::memory_limit::{BODY_MAX_BYTES, HeldMemory, ReplyMemory};
use crate::wire::error::{EndpointError, RequestError, WAIT_MAX};

/// Minimum memory of a reply, and of the decompressed copy beside a compressed one.
const MEMORY_MIN_BYTES: usize = 16 << 10;
/// Maximum memory that is reserved before the body comes: nearly all replies are shorter.
const MEMORY_FIRST_MAX_BYTES: usize = 512 << 10;

pub(crate) struct HttpReply {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Bytes,
    /// Memory of the body, while it is in use.
    _held: HeldMemory,
}

impl HttpReply {
    pub(super) async fn read(response: Response<Incoming>, memory: &ReplyMemory) -> Result<Self, RequestError> {
        let (head, body) = response.into_parts();
        if head.status == StatusCode::PAYLOAD_TOO_LARGE {
            return Err(RequestError::TooLarge);
        }
        let mut held = memory.hold();
        let body = match read_body(&head.headers, body, &mut held).await {
            // A page about a failure, which breaks or cannot be read, shows no more than its status.
            Err(RequestError::Endpoint(EndpointError::Unreachable | EndpointError::Malformed))
                if !head.status.is_success() =>
            {
                Bytes::new()
            }
            body => body?,
        };
        Ok(Self { status: head.status, retry_after: retry_after(&head.headers), body, _held: held })
    }

    /// Returns true if it demands fewer requests (RFC 6585, RFC 9110).
    pub(crate) fn is_throttled(&self) -> bool {
        match self.status {
            StatusCode::TOO_MANY_REQUESTS => true,
            StatusCode::SERVICE_UNAVAILABLE => self.retry_after.is_some(),
            _ => false,
        }
    }
}

async fn read_body(headers: &HeaderMap, body: Incoming, held: &mut HeldMemory) -> Result<Bytes, RequestError> {
    let body = collect(body, held).await?;
    gunzip(headers, body, held).await
}

/// Reads the body as it arrives.
async fn collect(
    mut body: impl Body<Data = Bytes, Error = hyper::Error> + Unpin,
    held: &mut HeldMemory,
) -> Result<Bytes, RequestError> {
    let stated = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if stated > BODY_MAX_BYTES {
        return Err(RequestError::TooLarge);
    }
    // A stated length that does not come must not take memory from others.
    let first = stated.clamp(MEMORY_MIN_BYTES, MEMORY_FIRST_MAX_BYTES);
    held.grow_to(first).await?;
    let mut all: Vec<u8> = Vec::with_capacity(first);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| EndpointError::Unreachable)?.into_data() else { continue };
        let length = all.len() + data.len();
        if length > BODY_MAX_BYTES {
            return Err(RequestError::TooLarge);
        }
        if length > all.capacity() {
            let capacity = (all.capacity() * 2).max(length).min(BODY_MAX_BYTES);
            // Both buffers exist while one is copied into the other.
            held.grow_to(all.capacity() + capacity).await?;
            all.reserve_exact(capacity - all.len());
        }
        all.extend_from_slice(&data);
    }
    Ok(all.into())
}

/// Decompresses the body if it is compressed.
async fn gunzip(headers: &HeaderMap, body: Bytes, held: &mut HeldMemory) -> Result<Bytes, RequestError> {
    match text(headers, CONTENT_ENCODING).map(str::to_ascii_lowercase).as_deref() {
        None | Some("identity") => return Ok(body),
        Some("gzip" | "x-gzip") => {}
        Some(_) => return Err(EndpointError::Malformed.into()),
    }
    let (mut plain, mut decoder) = (Vec::new(), MultiGzDecoder::new(&*body));
    loop {
        // One byte more than allowed distinguishes a body of the allowed length from a longer one.
        let room = (plain.len() * 2).clamp(MEMORY_MIN_BYTES, BODY_MAX_BYTES + 1);
        held.grow_to(body.len() + plain.capacity() + room).await?;
        plain.reserve_exact(room - plain.len());
        let more = u64::try_from(room - plain.len()).unwrap_or(u64::MAX);
        let read = decoder.by_ref().take(more).read_to_end(&mut plain).map_err(|_| EndpointError::Malformed)?;
        if plain.len() > BODY_MAX_BYTES {
            return Err(RequestError::TooLarge);
        }
        if plain.len() < room {
            return Ok(plain.into());
        }
        debug_assert!(read > 0, "the memory grows with each turn");
    }
}

/// Parses `Retry-After`: seconds, or a date, which is compared with the endpoint's own clock if the reply has it.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = text(headers, RETRY_AFTER)?.trim();
    let wait = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        value.parse().map_or(WAIT_MAX, Duration::from_secs)
    } else {
        let date = |text: &str| httpdate::parse_http_date(text).ok();
        let now = text(headers, DATE).and_then(date).unwrap_or_else(SystemTime::now);
        date(value)?.duration_since(now).unwrap_or_default()
    };
    Some(wait.min(WAIT_MAX))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, stream};
    use http_body_util::StreamBody;
    use hyper::body::Frame;

    use super::*;

    const KIB: usize = 1 << 10;

    /// Collects a reply of this many bytes without a stated length, in pieces of one mebibyte.
    async fn collected(bytes: usize, held: &mut HeldMemory) -> Result<Bytes, RequestError> {
        let pieces = (0..bytes).step_by(KIB * KIB).map(|at| vec![b' '; (bytes - at).min(KIB * KIB)]);
        let frames = pieces.map(|piece| Ok(Frame::data(Bytes::from(piece)))).collect::<Vec<_>>();
        collect(StreamBody::new(stream::iter(frames)), held).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_reply_of_no_stated_length_has_room_for_what_it_reserves() {
        // A full buffer of 2 MiB, and one of 4 MiB beside it during the copy.
        let needed = 6 * KIB * KIB;
        for (shared, ended) in [(needed, Ok(2 * KIB * KIB + 1)), (needed - KIB * KIB, Err(EndpointError::NoRoom))] {
            let memory = ReplyMemory::of_shared(shared);
            // Another reply holds the permit to always go on.
            let mut last = memory.hold();
            last.grow_to(shared + 1).await.unwrap();
            let mut held = memory.hold();
            let length = collected(2 * KIB * KIB + 1, &mut held).await.map(|body| body.len());
            assert_eq!(length, ended.map_err(RequestError::from), "{shared}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_reply_of_no_stated_length_that_is_short_takes_little_room() {
        let memory = ReplyMemory::of_shared(MEMORY_MIN_BYTES);
        let mut last = memory.hold();
        last.grow_to(MEMORY_MIN_BYTES + 1).await.unwrap();
        let mut held = memory.hold();
        assert_eq!(
            collected(MEMORY_MIN_BYTES, &mut held).now_or_never().map(|body| body.unwrap().len()),
            Some(MEMORY_MIN_BYTES)
        );
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_and_bounded() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let date = "Wed, 21 Oct 2015 07:28:00 GMT";
        for (value, now, wait) in [
            ("0", date, seconds(0)),
            ("7", date, seconds(7)),
            (" 60 ", date, seconds(60)),
            ("61", date, seconds(60)),
            ("99999999999999999999999", date, seconds(60)),
            ("Wed, 21 Oct 2015 07:28:20 GMT", date, seconds(20)),
            ("Wed, 21 Oct 2015 08:28:00 GMT", date, seconds(60)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", date, seconds(0)),
            // Without a date in the reply, the local clock counts; both dates are past or far.
            ("Wed, 21 Oct 2015 07:28:00 GMT", "", seconds(0)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", "", seconds(60)),
            ("soon", date, None),
            ("-1", date, None),
            ("1.5", date, None),
            ("", date, None),
        ] {
            let pairs = [(RETRY_AFTER, value), (DATE, now)];
            let headers = HeaderMap::from_iter(pairs.map(|(name, text)| (name, text.parse().unwrap())));
            assert_eq!(retry_after(&headers), wait, "{value} at {now}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
